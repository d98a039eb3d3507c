"""DP-IV-GD for instrumental variables, with intervals, on a user's own records; in none of the five papers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpdescent import anderson_rubin, interval_arithmetic, intervals, mixing
from dpdescent.algorithms import dp_iv_gd as engine
from dpdescent.algorithms import exact_descents, preconditioning, reduced_form
from dpdescent.algorithms.reduced_form_evidence import evidence
from dpdescent.checks import (
    require_positive,
    require_positive_finite,
    require_probability,
    require_real,
    require_real_or_none,
    require_whole,
)
from dpdescent.data.iv import IVSample
from dpdescent.estimators.run import (
    Array,
    Inference,
    Run,
    exactly,
    fitting,
    guarded,
    parts_of,
    require_finite,
    require_own_noise,
    rho_of,
)
from dpdescent.exact_sums import product
from dpdescent.gate import columns, generator, plain, records
from dpdescent.interval_arithmetic import Intervals
from dpdescent.privacy import zcdp
from dpdescent.privacy.arithmetic import Arithmetic
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.renamed import renamed

PROVED = (
    "in exact arithmetic: each step of either stage adds Gaussian noise to the mean of gradients clipped at clip_norm, "
    "which one replaced record of n, n public, moves by 2 clip_norm / n at most; a second moment of a stage's clipped "
    "gradients moves by sqrt(2) clip_norm^2 / n (of the second stage with one regressor by clip_norm^2 / n); costs "
    "add. The held Theta, the preconditioner, the intervals and the Anderson-Rubin set are computed from releases. "
    "All settings must be chosen without the data"
)
PROVED_WHITE = (
    ". The second moment of instruments clipped to the norm B, released first, moves by sqrt(2) B^2 / n, with one "
    "instrument by B^2 / n"
)
TARGET = "the true effect, where instruments are strong (F of 50 and more) and hardly anything is clipped"
BATCHES = 10
# Share of the budget for the second moment of the instruments, where that is released.
WHITENED = 0.05
# Step size of the first stage, times the largest eigenvalue of the instruments' second moment.
STEP = 0.9
# Shares of the budget without an Anderson-Rubin set, and with one.
WITHOUT_SET, WITH_SET = (0.45, 0.45, 0.1), (0.4, 0.3, 0.1, 0.2)


@renamed(eta="step_size1", alpha="step_size2", gamma1="clip_norm1", gamma2="clip_norm2", kept1="tail1")
@plain
def dp_iv_gd(
    Z: ArrayLike, X: ArrayLike, y: ArrayLike, *, clip_norm1: float, clip_norm2: float,
    rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None,
    outcome_unit: float | None = None, shares: Sequence[float] | None = None, second_moment: ArrayLike | None = None,
    instrument_bound: float | None = None,
    steps1: int = 120, tail1: int = 100, steps2: int = 520, burn_in: int = 20, step_size1: float | None = None,
    step_size2: float = 0.5, level: float = 0.95, normals: tuple[Array, Array, Array] | None = None,
    arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Estimates causal effects by gradient descent on the instrumental-variable equation, with confidence intervals.

    The intervals are for the true effects and include the sampling error. They hold where the instruments are strong (F
    of at least 50) and hardly any gradient of the second stage is clipped, or clipping is symmetric. With
    `outcome_unit` the run also gives an Anderson-Rubin set. That set holds however weak the instruments are, provided
    that clipping does not shift the mean gradient: hardly any gradient is clipped, or the errors are symmetric.

    Args:
        Z: instruments, shape (n, q), centred by public constants.
        X: regressors whose effects are estimated, shape (n, p) with p <= q, centred in the same way.
        y: outcomes, shape (n,), centred in the same way.
        clip_norm1: clipping threshold of the first stage, gamma1 in the papers, on |z| |x - Theta'z|. With
            `outcome_unit` the residual of the outcome, divided by that unit, stands beside the residual of x, so that
            norms are about sqrt(2) times as long.
        clip_norm2: clipping threshold of the second stage, gamma2 in the papers, on |w| |y - x'beta|, where w are the
            fitted regressors Theta'z in units of their scale: about 4 sqrt(p) times the expected size of a residual.
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed, or None, which
            `exact` arithmetic requires.
        rho: zCDP budget of the run, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        outcome_unit: public scale of the outcome divided by the scale of the one regressor, for an Anderson-Rubin set;
            the first stage then regresses the outcome on the instruments too.
        shares: shares of the budget for the first stage, the second stage, the second moment of the gradients and, with
            `outcome_unit`, the second moment of first-stage gradients; positive, with sum 1. None means (0.45, 0.45,
            0.1), or (0.4, 0.3, 0.1, 0.2).
        second_moment: E[zz'], public, shape (q, q); None means the identity. `outcome_unit` needs this argument or
            `instrument_bound`.
        instrument_bound: public guess of a norm that |z| seldom exceeds, such as 2 sqrt(q) times the sd of the
            instruments. Longer instruments are shortened to it; their second moment is released with 5 % of the budget,
            and `shares` divide the rest; then the instruments are whitened, so that clip_norm1 is for instruments of
            variance 1.
        steps1, tail1: number of steps of the first stage, and number of its last iterates whose mean the second stage
            uses.
        steps2, burn_in: number of steps of the second stage, and number of its first iterates that are left out; their
            difference must be a multiple of ten.
        step_size1: step size of the first stage, eta in the papers; None means 0.9 divided by the largest eigenvalue of
            `second_moment`.
        step_size2: step size of the second stage, alpha in the papers, at most 1, because the preconditioned Hessian is
            about the identity.
        level: nominal coverage of the intervals.
        normals: standard normals to use instead of rng's, of shapes (steps1, q, p), (steps2, p) and (p, p).
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`). `floating point` otherwise.

    Returns:
        The run: `estimate`, of shape (p,), `path` of shape (steps2, p), and in `also` the intervals' `half_width`, of
        shape (p,), NaN where the second moment is mostly noise; `Theta`, `precondition` and `moment`; and `mixing`,
        how many correlation times of the slowest direction a batch of the intervals has at least: below 6 they cover
        too seldom, and a `ConvergenceWarning` says how often.
        With `outcome_unit` also `anderson_rubin`, the set's intervals as rows of (low, high) with infinite ends where
        it has none, `F`, the first-stage F with the noise counted as error, and `reduced_form`, of shape (q,).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_whole(steps1=steps1, tail1=tail1, steps2=steps2, burn_in=burn_in)
    require_real(clip_norm1=clip_norm1, clip_norm2=clip_norm2, step_size2=step_size2, level=level)
    require_real_or_none(step_size1=step_size1, outcome_unit=outcome_unit, instrument_bound=instrument_bound)
    require_probability(level=level)
    require_own_noise(rng, arithmetic, normals)
    # None where sums are exact, because no generator makes their noise.
    rng, names = None if arithmetic == "exact" else generator(rng), columns(X)
    sample = IVSample(*records(Z=(Z, 2), X=(X, 2), y=(y, 1)))
    n, p, q = sample.n, sample.p, sample.q
    interval_arithmetic.spacing(steps2, BATCHES, burn_in)
    _require_one_moment(outcome_unit, second_moment, instrument_bound)
    _require_no_normals(normals, outcome_unit=outcome_unit, instrument_bound=instrument_bound)
    A = np.eye(q) if second_moment is None else fitting("second_moment", second_moment, (q, q))
    if not np.linalg.eigvalsh(A).min() > 0.0:
        raise ValueError(f"second_moment of shape {A.shape} must be symmetric and positive definite")
    require_positive(steps1=steps1, tail1=tail1)
    require_positive_finite(clip_norm1=clip_norm1, clip_norm2=clip_norm2, step_size2=step_size2)
    if tail1 > steps1 or step_size2 > 1.0:
        raise ValueError(f"tail1={tail1} must be at most steps1={steps1}, and step_size2={step_size2} at most 1")
    if step_size1 is not None:
        require_positive_finite(step_size1=step_size1)
    chosen = (WITHOUT_SET if outcome_unit is None else WITH_SET) if shares is None else shares
    parts = parts_of(chosen, 3 if outcome_unit is None else 4).tolist()
    budget, back = rho_of(n, rho, epsilon, delta, arithmetic), np.eye(q)
    before: list[GaussianReleases] = []
    if instrument_bound is not None:
        sample, before, back = _whitened(sample, instrument_bound, WHITENED * budget, rng)
        budget *= 1.0 - WHITENED
    noise = engine.noise_sds(budget, parts[:3], n, p, (clip_norm1, clip_norm2), (steps1, steps2))
    step = STEP / float(np.linalg.eigvalsh(A).max()) if step_size1 is None else step_size1
    settings = engine.Settings(
        steps1, tail1, steps2, burn_in, step, step_size2, clip_norm1, clip_norm2, *noise, A
    )  # fmt: skip
    first: dict[str, Array] = {}
    stage1 = list(settings.releases(n, p)[:1])
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        if outcome_unit is not None:
            first, stage1 = _reduced_form(sample, settings, outcome_unit, budget * parts[3], level, rng)
        out = _descended(sample, settings, first, rng, normals)
    require_finite(out.path)
    # Reported at the line that called this function, past the frame of `renamed`.
    mixing.warn(mixing.unmixed(out.path[:, 0], BATCHES, burn_in, level=level))
    releases = (*before, *stage1, *settings.releases(n, p)[1:])
    event = _mechanism(releases, whitened=bool(before))
    event = exactly(event) if rng is None else guarded(event, rng, handed=normals is not None)
    clipped1 = first.pop("clipped", out.clipped1[0])
    clipped = float(clipped1 * steps1 + out.clipped2[0] * steps2) / (steps1 + steps2)
    released = {
        "path": out.path[:, 0], "m": BATCHES, "burn_in": burn_in, "precondition": out.precondition[0],
        "moment": out.moment[0], "moment_sd": settings.moment_sd, "n": n,
    }  # fmt: skip
    half_width = interval_arithmetic.sandwich_intervals(**released, alpha=step_size2, level=level).half_width
    also = {"half_width": half_width} | _also(out, settings, first, back)
    inference = Inference(TARGET, partial(_interval, released, step_size2))
    return Run(out.beta[0], out.path[:, 0], clipped, event, also, names, n, delta, inference)


def _interval(released: Mapping[str, Any], step_size: float, level: float) -> Intervals:
    return intervals.sandwich_intervals(**released, step_size=step_size, level=level)


def _descended(
    sample: IVSample, settings: engine.Settings, first: dict[str, Array], rng: np.random.Generator | None,
    normals: tuple[Array, Array, Array] | None,
) -> engine.Descent:  # fmt: skip
    """Runs both stages, or the second alone where the first has run with the outcome beside the regressor."""
    if rng is None:
        return exact_descents.instrumental(sample, settings, first.get("Theta"))
    if first:
        drawn = engine.Normals.draw(rng, settings, 1, sample.p, first=False)
        return engine.descend([sample], settings, drawn, held=first["Theta"][None])
    drawn = engine.Normals.draw(rng, settings, 1, sample.p) if normals is None else _handed(normals, settings, sample.p)
    return engine.descend([sample], settings, drawn)


def _mechanism(releases: tuple[GaussianReleases, ...], *, whitened: bool) -> Mechanism:
    reason = PROVED + PROVED_WHITE * whitened
    return Mechanism("DP-IV-GD", releases, "replace-one", "full batch", math.inf, "proved", reason)


def _also(out: engine.Descent, settings: engine.Settings, first: dict[str, Array], back: Array) -> dict[str, Array]:
    """Further released arrays of a run, by name; the matrix `back` takes coefficients out of whitened coordinates."""
    also = {
        "mixing": mixing.correlation_times(out.path[:, 0], BATCHES, settings.burn_in),
        "precondition": out.precondition[0], "moment": out.moment[0], **first, "Theta": back @ out.Theta[0],
    }  # fmt: skip
    return also | ({"reduced_form": back @ first["reduced_form"]} if first else {})


def _require_no_normals(normals: tuple[Array, Array, Array] | None, **options: float | None) -> None:
    for name, value in options.items():
        if normals is not None and value is not None:
            raise ValueError(f"normals are taken by runs without {name} only")


def _require_one_moment(
    outcome_unit: float | None, second_moment: ArrayLike | None, instrument_bound: float | None
) -> None:
    if second_moment is not None and instrument_bound is not None:
        raise ValueError("give second_moment, which is public, or instrument_bound, by which it is released, not both")
    if outcome_unit is not None and second_moment is None and instrument_bound is None:
        raise ValueError(f"outcome_unit={outcome_unit} asks for a set that depends on the instruments' second moment: "
                         "give second_moment if that is public, or instrument_bound, by which it is released"
                         )  # fmt: skip


def _whitened(
    sample: IVSample, bound: float, rho: float, rng: np.random.Generator | None
) -> tuple[IVSample, list[GaussianReleases], Array]:
    """The records with whitened instruments, the release of that, and the matrix that takes coefficients back."""
    require_positive(instrument_bound=bound)
    if math.isinf(bound):
        raise ValueError(f"instrument_bound={bound} must be finite")
    Z = preconditioning.bounded(sample.Z, bound)
    if rng is None:
        white = exact_descents.whiten(Z, bound, rho)
        whitened = product(Z, white.transform)
    else:
        white = preconditioning.whiten(Z, bound, rho, rng.standard_normal((sample.q, sample.q)))
        whitened = Z @ white.transform
    release = replace(white.release, what="second moment of clipped instruments")
    return IVSample(whitened, sample.X, sample.y), [release], white.transform


def _reduced_form(
    sample: IVSample,
    settings: engine.Settings,
    unit: float,
    rho: float,
    level: float,
    rng: np.random.Generator | None,
) -> tuple[dict[str, Array], list[GaussianReleases]]:
    """Runs the first stage with the outcome beside the regressor; returns its results by name, and its releases."""
    if sample.p != 1:
        raise ValueError(f"outcome_unit={unit} asks for the set of one effect, but there are p={sample.p} regressors")
    sensitivity = reduced_form.moment_sensitivity(settings.gamma1, sample.n, 2 * sample.q)
    stage = reduced_form.Settings(
        settings.steps1, settings.kept1, settings.eta, settings.gamma1, settings.lambda1,
        zcdp.gaussian_noise_sd(sensitivity, rho), unit, settings.second_moment,
    )  # fmt: skip
    if rng is None:
        out = exact_descents.first_and_reduced(sample, stage)
    else:
        out = reduced_form.descend([sample], stage, reduced_form.Normals.draw(rng, stage, 1, 1))
    require_finite(out.D)
    evidence_set = anderson_rubin.anderson_rubin(evidence(out, 0, stage, sample.n), level)
    results = {
        "anderson_rubin": np.array(evidence_set.intervals).reshape(-1, 2), "F": np.array(evidence_set.F),
        "Theta": out.D[0, :, :1], "reduced_form": unit * out.D[0, :, 1], "clipped": out.clipped[0],
    }  # fmt: skip
    return results, list(stage.releases(sample.n, 1))


def _handed(normals: tuple[Array, Array, Array], settings: engine.Settings, p: int) -> engine.Normals:
    """The normals that the caller handed over, checked, one array per stage and one for the second moment."""
    shapes = (settings.steps1, len(settings.second_moment), p), (settings.steps2, p), (p, p)
    arguments = zip(normals, shapes, strict=True)
    return engine.Normals(
        *(fitting(f"normals[{k}]", argument, shape)[None] for k, (argument, shape) in enumerate(arguments))
    )
