"""Private linear regression without tuning, with standard errors, on a user's own records; in none of the papers."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpdescent.algorithms import dp_regression as engine
from dpdescent.algorithms.exact_noise import ExactNoise
from dpdescent.checks import require_known, require_positive, require_real, require_real_or_none
from dpdescent.estimators.run import Array, Inference, Run, exactly, fitting, guarded, require_own_noise, rho_of
from dpdescent.gate import LARGEST, columns, generator, plain, records
from dpdescent.interval_arithmetic import Intervals
from dpdescent.privacy.arithmetic import Arithmetic

TARGET = (
    "the population's coefficients where the mean of the outcome is linear in the covariates and errors are symmetric; "
    "noise and sampling are in them. As far as gradients are clipped, errors that are not symmetric move the constant, "
    "and also coefficients of rare dummies and of columns with which the errors' spread or skewness goes"
)
UNKNOWN = (
    "the released second moment does not determine its direction; what mends it: a centre for each column far off 0, "
    "such as a year or a height; leaving out a column that nearly repeats another or seldom differs from 0, which can "
    "cost other columns their intervals; scales nearer to the columns' sizes; more records or budget"
)
HIDDEN = (
    "noise hides the sizes of the outcome, most of which is 0 or unlike the rest: give scale and outcome_scale, and "
    "outcome_range where most is 0, which they do not mend alone"
)
FALLEN = (
    "thresholds and coefficients fell to 0, as where most outcomes are one value, such as few ones among zeros or "
    "amounts that are mostly 0, or the outcome's scale is far too large; outcome_range, its public ends, mends that"
)
FEW = (
    f"n sqrt(rho) / p = {{:.3g}} is below {engine.INFERRED:g}; more records, a larger budget or fewer regressors mend "
    "that"
)
NOT_ASKED = "none were asked for"
# Share of the outcome's unit. Coefficients and thresholds below it, thresholds being divided by the usual norm of a
# record, are said to have fallen. In data where one outcome in twenty of 5,000 is 1 they always lie below it; with t
# errors of three degrees of freedom they do so in one run of 200.
LOW = 0.1
# The number of records must be at least this many sds of the noise in a bin, or no unit can be found.
FOUND = 20.0


class TooFewForSizes(ValueError):
    """Error for so few records that the noise would hide the sizes of the columns."""


@plain
def dp_regression(
    X: ArrayLike, y: ArrayLike, *, rng: np.random.Generator | int | None, rho: float | None = None,
    epsilon: float | None = None, delta: float | None = None, intercept: bool = True,
    scale: ArrayLike | Mapping[str, float] | None = None, outcome_scale: float | None = None,
    centre: ArrayLike | Mapping[str, float] | None = None, outcome_centre: float = 0.0,
    outcome_range: ArrayLike | None = None, errors: engine.Errors | None = "unequal",
    arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Fits a linear regression with standard errors; nothing has to be tuned.

    Private rounds of whitening give the columns a common scale. Records that lie far out in them get a smaller weight.
    Gradients are clipped at thresholds that noisy histograms of their norms choose, and the slope and spread of the
    gradients are released for the standard errors. All constants follow from n, the number of columns and the budget.
    Where `n sqrt(rho) / p` is below 3 the estimate is 0, because nothing is better, and where it is below 45 there are
    no standard errors (p counts the constant).

    Args:
        X: covariates, shape (n, p).
        y: outcomes, shape (n,).
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed, or None, which
            `exact` arithmetic requires.
        rho: zCDP budget of the run, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        intercept: whether a constant is among the columns; its coefficient is then the first.
        scale: public size of each covariate after its centre is subtracted, such as 12 for years of schooling and .5
            for a dummy, shape (p,), or a mapping from the column names of a frame; right within a factor of about 5.
            None for sizes that are released with 4 % of the budget, right within a factor of 2. If sizes are too small,
            more gradients are clipped.
        outcome_scale: public size of the outcome; give both or neither.
        centre: public constants to subtract from the covariates, shape (p,), or a mapping from the column names of a
            frame, in which columns that are not named get 0; None for 0. Give one for a column whose mean is many times
            its sd, such as a year, and give all of them where records are few. The estimated constant is that of the
            columns before subtraction.
        outcome_centre: public constant to subtract from the outcome.
        outcome_range: public smallest and largest possible value of the outcome, such as (0, 1) for a binary outcome;
            outcomes beyond are moved to the nearer end. Gradients are then hardly clipped, however rare one value is,
            so that skewed errors move no coefficient; the noise grows with the range. None for an outcome of any size.
        errors: kind of standard errors: `unequal` allows for unequal variances of the errors (a sandwich), `equal`
            takes them to be equal; None for no standard errors, which leaves more of the budget to the estimate.
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`), and (epsilon, delta) is converted to a slightly
            smaller rho. `floating point` otherwise.

    Returns:
        The run: `estimate`, of shape (p + 1,) with the constant first, or (p,); `path` with as many columns; and in
        `also` the `standard_errors` and `covariance` of the estimate, which count noise and sampling together and are
        NaN where the release does not determine a coefficient, and the `clip_norms` of the steps, in the units of the
        descent.

    Raises:
        ValueError: if an argument is out of its range, or there are too few records for a release of sizes.
    """
    if errors is not None:
        require_known(engine.Errors, errors=errors)
    if not isinstance(intercept, bool):
        raise ValueError(f"intercept={intercept!r} must be True or False")
    require_real(outcome_centre=outcome_centre)
    require_real_or_none(outcome_scale=outcome_scale)
    require_own_noise(rng, arithmetic)
    rng, names = generator(rng), columns(X)
    X, y = records(X=(X, 2), y=(y, 1))
    n, p = X.shape
    if intercept and "const" in names:
        raise ValueError("X has a column const, and a constant is added: leave it out, or give intercept=False")
    if (scale is None) is not (outcome_scale is None):
        raise ValueError("give scale and outcome_scale, which are public, or neither, and both are released")
    centres = np.zeros(p) if centre is None else fitting("centre", _by_name("centre", centre, names, 0.0), (p,))
    offsets = np.append(centres, fitting("outcome_centre", outcome_centre, ()))
    budget = rho_of(n, rho, epsilon, delta, arithmetic)
    plan = engine.Plan(n, p + intercept, budget, errors, scale is None, intercept)
    low, high = (-math.inf, math.inf) if outcome_range is None else _range(outcome_range)
    X, outcomes = X - offsets[:-1], np.clip(y, low, high) - offsets[-1]
    exact = arithmetic == "exact"
    noise = ExactNoise() if exact else engine.Noise(rng)
    units = (
        _released_units(X, outcomes, plan, noise) if scale is None else _public_units(scale, outcome_scale, names, p)
    )
    if outcome_range is not None:
        plan = replace(plan, span=(high - low) / float(units[-1]))
    # No warning, because it would reveal that a record overflowed; the engine removes such records.
    with np.errstate(over="ignore"):
        design, outcomes = X / units[:-1], outcomes / units[-1]
    fit = engine.fit(np.column_stack([np.ones(n), design]) if intercept else design, outcomes, plan, noise)
    event = plan.mechanism(fit.gammas.tolist())
    event = exactly(event) if exact else guarded(event, rng, handed=False)
    if plan.information < engine.NOTHING:
        event = exactly(plan.mechanism()) if exact else plan.mechanism()
        warnings.warn(
            f"n sqrt(rho) / p = {plan.information:.2g} is below {engine.NOTHING:g}: the estimate is 0, because nothing "
            "is better, and no record was used; more records or a larger budget mend that", UserWarning, stacklevel=3,
        )  # fmt: skip
    back = _back(units, offsets, intercept=intercept)
    path = fit.path @ back.T
    if intercept:
        path[:, 0] += offsets[-1]
    named = ("const", *(names or (f"x{k + 1}" for k in range(p)))) if intercept else names
    also, inference = {"clip_norms": fit.gammas}, None
    if fit.covariance is not None:
        unknown = fit.unknown.copy()
        # Because the constant contains the product of a centre and a coefficient that is not known.
        unknown[0] |= intercept and bool((fit.unknown[1:] & (offsets[:-1] != 0.0)).any())
        hidden = scale is None and units[-1] == engine.HIDDEN
        # Computed from released numbers. Fit and residuals add up to the outcome, so that not both are far below its
        # unit.
        fallen = bool(fit.gammas.min() < LOW * math.sqrt(plan.p) and np.abs(fit.path[-1]).max() < LOW)
        variances = np.einsum("ij,jk,ik->i", back, fit.covariance, back)
        errors_of = np.sqrt(np.where(unknown | hidden | fallen | ~(variances > 0.0), np.nan, variances))
        also["standard_errors"] = errors_of
        joint = back @ fit.covariance @ back.T
        # A coefficient that is not determined covaries with nothing that is known.
        joint[np.isnan(errors_of) | np.isnan(errors_of[:, None])] = np.nan
        np.fill_diagonal(joint, errors_of**2)
        also["covariance"] = joint
        why = HIDDEN if hidden else FALLEN if fallen else UNKNOWN
        inference = Inference(TARGET, partial(_interval, path[-1].copy(), errors_of), errors_of, why)
    # A copy, because a change to one of them must not change the other.
    without = "" if inference is not None else NOT_ASKED if errors is None else FEW.format(plan.information)
    return Run(path[-1].copy(), path, fit.clipped, event, also, named, n, delta, inference, without)


def _released_units(X: Array, y: Array, plan: engine.Plan, noise: engine.Noise) -> Array:
    """Sizes of the columns and the outcome, released with noise.

    Raises:
        TooFewForSizes: if the noise would hide the sizes.
    """
    if plan.information < engine.NOTHING:
        return np.ones(X.shape[1] + 1)
    least = FOUND * plan.units().noise_sd
    if plan.n < least:
        raise TooFewForSizes(
            f"n={plan.n} records are too few for sizes to be released, {least:.0f} would do: give scale and "
            "outcome_scale, public guesses of the columns' sizes"
        )
    return engine.released_units(X, y, plan, noise)


def _by_name(argument: str, values: Any, names: Sequence[str], other: float | None = None) -> Any:
    """The values of a mapping from column names, as a list in the order of the columns; anything else as it is.

    Args:
        other: value of a column that the mapping does not name; None if it must name all of them.
    """
    if not isinstance(values, Mapping):
        return values
    if unknown := [name for name in values if name not in names]:
        raise ValueError(f"{argument} names {unknown[0]!r}, and the columns are {', '.join(names) or 'not named'}")
    if other is None and (lacking := [name for name in names if name not in values]):
        raise ValueError(f"{argument} lacks {', '.join(lacking)}: give all columns' sizes")
    return [values.get(name, other) for name in names]


def _range(outcome_range: ArrayLike) -> tuple[float, float]:
    """The two public ends of the outcome."""
    low, high = fitting("outcome_range", outcome_range, (2,)).tolist()
    # Because no outcome is further out, and thresholds of a wider range would overflow.
    if not -LARGEST <= low < high <= LARGEST:
        raise ValueError(
            f"outcome_range=({low:g}, {high:g}) must be two finite numbers up to {LARGEST:g}, the smaller one first"
        )
    return low, high


def _public_units(scale: Any, outcome_scale: float | None, names: Sequence[str], p: int) -> Array:
    """The public units of the columns, with the unit of the outcome last, shape (p + 1,)."""
    units = np.append(
        fitting("scale", _by_name("scale", scale, names), (p,)), fitting("outcome_scale", outcome_scale, ())
    )
    for k, unit in enumerate(units.tolist()):
        require_positive(**{"outcome_scale" if k == p else f"scale[{k}]": unit})
    return np.asarray(units, dtype=np.float64)


def _back(units: Array, offsets: Array, *, intercept: bool) -> Array:
    """The matrix that takes coefficients from scaled and centred columns to the columns as they came."""
    slopes = np.diag(units[-1] / units[:-1])
    if not intercept:
        return slopes
    first = np.append(units[-1], -offsets[:-1] * units[-1] / units[:-1])
    return np.vstack([first, np.column_stack([np.zeros(len(slopes)), slopes])])


def _interval(centre: Array, standard_errors: Array, level: float) -> Intervals:
    """Normal intervals about the estimate, from its standard errors."""
    return Intervals(centre, float(ndtri(0.5 + level / 2.0)) * standard_errors)
