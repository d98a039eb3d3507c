"""Baselines whose releases a machine computes exactly, for real releases (`exact_sums`, `exact_values`).

The methods are those of `baselines`: `sufficient_statistics`, `ada_ssp`, `boosted_ada_ssp` and `output_perturbation`.
They have the same budgets and, except on X'X, the same noise: `noisy_moment` adds less noise off the diagonal, because
sqrt(2) Bx^2 bounds the move of X'X by a replaced record in Frobenius norm too. The other baselines have no account with
discrete noise: `iterative_hessian_mixing` (sketches), `poisson_dp_sgd` (amplification), `friendly_core` and `tukey_em`
(other kinds of tests and draws).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_gd import TINY
from dpdescent.algorithms.preconditioning import bounded
from dpdescent.baselines import ada_ssp, boosted_ada_ssp, output_perturbation, sufficient_statistics
from dpdescent.data.linear import LinearSample
from dpdescent.estimators.run import exactly
from dpdescent.exact_grid import SPARE
from dpdescent.exact_sums import noisy_moment, noisy_sum, product
from dpdescent.exact_values import fine_exponent, noisy_smallest_eigenvalue, noisy_vector
from dpdescent.privacy.arithmetic import ExactMechanism
from dpdescent.privacy.events import GaussianReleases, Mechanism, Relation

Array = NDArray[np.float64]
Whole = NDArray[np.object_]

MOMENT = "noise on X'X is less by sqrt(2) off the diagonal, because the sensitivity holds of the Frobenius norm too"
EIGENVALUE = (
    f"the smallest eigenvalue is that of a matrix of integers, rounded down to a grid by an exact test; {MOMENT}"
)
SLOPE = "the minimiser is on a grid, where its slope is computed without rounding, as is that no gradient exceeds gamma"
# Newton steps with exact slopes, which start at the minimiser in floats. One is enough unless a residual lies on its
# threshold.
TRIES = 8


@np.errstate(all="ignore")
def fit_sums(
    sample: LinearSample, calibration: sufficient_statistics.Calibration
) -> tuple[Array, ExactMechanism]:  # fmt: skip
    """The solution of the noisy normal equations, shape (p,), and its event; see `sufficient_statistics.fit`.

    Raises:
        ValueError: if the bounds are not public.
    """
    bounds = _enforced(calibration.bounds)
    moments, products = calibration.releases
    X = bounded(sample.X, bounds.x)
    xx = noisy_moment(X, bounds.x, Fraction(moments.noise_sd))
    xy = _noisy_products(X, sample.y, bounds, products)
    return np.asarray(np.linalg.solve(xx, xy)), _exactly(calibration.mechanism(), MOMENT)


@np.errstate(all="ignore")
def fit_ada_ssp(
    sample: LinearSample, calibration: ada_ssp.Calibration, failure_probability: float = 0.05
) -> tuple[ada_ssp.AdaSSPFit, ExactMechanism]:  # fmt: skip
    """The AdaSSP estimate from records, and its event; see `ada_ssp.ada_ssp`.

    Raises:
        ValueError: if the bounds are not public, the relation is not replace-one, or the failure probability is not in
            (0, 1).
    """
    bounds = _enforced(calibration.bounds, calibration.relation)
    one, moments, products = calibration.releases
    X = bounded(sample.X, bounds.x)
    eigenvalue = noisy_smallest_eigenvalue(X, bounds.x, Fraction(one.noise_sd))
    xx = noisy_moment(X, bounds.x, Fraction(moments.noise_sd))
    xy = _noisy_products(X, sample.y, bounds, products)
    fit = ada_ssp.solved(eigenvalue, xx, xy, calibration, failure_probability)
    return fit, _exactly(ada_ssp.mechanism(calibration), EIGENVALUE)


@np.errstate(all="ignore")
def fit_boosted(
    sample: LinearSample, settings: boosted_ada_ssp.Settings
) -> tuple[boosted_ada_ssp.Fit, ExactMechanism]:  # fmt: skip
    """The BoostedAdaSSP estimate from records, and its event; see `boosted_ada_ssp.fit`.

    Raises:
        ValueError: if the relation is not replace-one.
    """
    bounds = _enforced(settings.bounds, settings.relation)
    one, moments, residuals = settings.releases
    X = bounded(sample.X, bounds.x)
    eigenvalue = noisy_smallest_eigenvalue(X, bounds.x, Fraction(one.noise_sd))
    xx = noisy_moment(X, bounds.x, Fraction(moments.noise_sd))
    hessian, theta, products = boosted_ada_ssp.ridged(xx, eigenvalue, settings), np.zeros(sample.p), []
    for _ in range(settings.rounds):
        products.append(_noisy_products(X, sample.y - product(X, theta), bounds, residuals))
        theta = theta + np.linalg.solve(hessian, products[-1])
    return boosted_ada_ssp.Fit(theta, eigenvalue, xx, np.array(products)), _exactly(settings.mechanism(), EIGENVALUE)


@np.errstate(all="ignore")
def fit_minimiser(
    sample: LinearSample, calibration: output_perturbation.Calibration
) -> tuple[Array, ExactMechanism]:  # fmt: skip
    """The minimiser with its noise, shape (p,), and its event; see `output_perturbation`.

    The minimiser is put on a grid before its slope is computed, so that rounding to the grid costs nothing.

    Raises:
        ValueError: if the sample does not have the number of records for which the noise was computed.
        RuntimeError: if the minimiser is not found. That depends on the records: do not publish it.
    """
    if sample.n != calibration.n:
        raise ValueError(f"the sample has {sample.n} records, and the noise is for n={calibration.n}")
    noise_sd = Fraction(calibration.release.noise_sd)
    exponent = fine_exponent(noise_sd)
    try:
        units = _minimiser(sample, calibration, exponent)
    except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError):
        # Reported in the words of all other failures, so that nobody can tell at which stage it failed.
        units = None
    if units is None:
        raise RuntimeError(
            f"the slope at gamma={calibration.gamma}, ridge={calibration.ridge} stays too large, so that nothing is "
            "released; do not publish that it failed, because that depends on the records and no budget covers it"
        )
    return noisy_vector(units, exponent, noise_sd), exactly(calibration.mechanism(), SLOPE)


def _minimiser(
    sample: LinearSample, calibration: output_perturbation.Calibration, exponent: int
) -> list[int] | None:  # fmt: skip
    """Integer multiples of a power of two at which the exact slope is small enough; None if the search fails."""
    gamma, ridge = calibration.gamma, calibration.ridge
    objective = ExactObjective(sample, gamma, ridge)
    theta = output_perturbation.minimiser(sample, gamma, ridge)
    for _ in range(TRIES):
        units = [round(Fraction(value) / Fraction(2) ** exponent) for value in theta.tolist()]
        slope = objective.slope(units, exponent)
        if (
            sum((value**2 for value in slope), Fraction(0))
            <= (Fraction(output_perturbation.TOLERANCE) * Fraction(gamma)) ** 2
        ):
            return units
        inside = sample.X[np.abs(sample.y - sample.X @ theta) <= objective.limits]
        curvature = inside.T @ inside / sample.n + ridge * np.eye(sample.p)
        theta = theta - np.linalg.solve(curvature, np.array([float(value) for value in slope]))
    return None


class ExactObjective:
    """The objective of `output_perturbation`, with thresholds of residuals that an integer test has confirmed.

    The threshold L of a record x follows from x alone, and `L |x| <= gamma` is checked without rounding: L is 0 where
    the check fails.

    Attributes:
        limits: threshold L of every record, shape (n,).
    """

    def __init__(self, sample: LinearSample, gamma: float, ridge: float) -> None:
        self.n, self.ridge = sample.n, Fraction(ridge)
        self._X, self._y = _whole(sample.X), _whole(sample.y)
        # Column by column, so that a norm depends on no other record; L is 0 where this overflows or is not finite.
        with np.errstate(over="ignore", invalid="ignore"):
            norms = np.sqrt(sum((column**2 for column in sample.X.T), np.zeros(sample.n)))
            limits = gamma * (1.0 - SPARE) / np.maximum(norms, TINY)
        limits = np.where(np.isfinite(limits), limits, 0.0)
        (X, x_exponent), (L, exponent) = self._X, _whole(limits)
        largest = math.floor((Fraction(gamma) / Fraction(2) ** (x_exponent + exponent)) ** 2)
        self.limits = np.where(np.asarray(L**2 * (X**2).sum(axis=1) <= largest, dtype=bool), limits, 0.0)

    def slope(self, units: Sequence[int], exponent: int) -> list[Fraction]:
        """The exact gradient at integer multiples of a power of two: `ridge theta - mean of clip(r, L) x`."""
        (X, x_exponent), (y, y_exponent), (L, L_exponent) = self._X, self._y, _whole(self.limits)
        least = min(x_exponent + exponent, y_exponent, L_exponent)
        residuals = (y << (y_exponent - least)) - (X @ np.array(units, dtype=object) << (x_exponent + exponent - least))
        L = L << (L_exponent - least)
        sums = np.minimum(np.maximum(residuals, -L), L) @ X
        unit = Fraction(2) ** (least + x_exponent) / self.n
        return [
            self.ridge * theta * Fraction(2) ** exponent - total * unit
            for theta, total in zip(units, sums.tolist(), strict=True)
        ]


def _whole(values: Array) -> tuple[Whole, int]:
    """Floats as Python integers times a common power of two, without rounding, and the exponent of that power."""
    parts, exponents = np.frexp(values)
    integers = np.ldexp(parts, 53).astype(np.int64)
    least = int(exponents[integers != 0].min(initial=2000)) if integers.any() else 0
    shifts: Any = np.where(integers != 0, exponents - least, 0).astype(object)
    return np.asarray(integers.astype(object) << shifts), least - 53


def _exactly(event: Mechanism, besides: str) -> ExactMechanism:
    """The event of an exact release of this module, with one more sentence for its argument."""
    return exactly(replace(event, reason=f"{event.reason}; {besides}"))


def _enforced(bounds: ada_ssp.Bounds, relation: Relation = "replace-one") -> ada_ssp.Bounds:
    """The bounds, after a check that they are public and that the relation is replace-one."""
    if bounds.source != "public":
        raise ValueError(f"bounds are {bounds.source!r}: give 'public' ones, to which records are clipped")
    if relation != "replace-one":
        raise ValueError(
            f"relation={relation!r} has no exact releases, because their grid tells the number of records: take "
            "'replace-one'"
        )
    return bounds


def _noisy_products(X: Array, y: Array, bounds: ada_ssp.Bounds, release: GaussianReleases) -> Array:
    """The vector X'y with outcomes clipped to their bound, plus noise, shape (p,)."""
    vectors = X * np.clip(y, -bounds.y, bounds.y)[:, None]
    return noisy_sum(vectors, bounds.x * bounds.y, Fraction(release.noise_sd))
