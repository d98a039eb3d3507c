"""DP-GD for linear regression (brown2024 Algorithm 1), on a user's own records."""

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dpdescent import intervals, mixing
from dpdescent.algorithms import dp_gd as engine
from dpdescent.algorithms import exact_descents
from dpdescent.checks import require_positive, require_positive_finite, require_real, require_whole
from dpdescent.data.linear import LinearSample
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
from dpdescent.gate import columns, generator, plain, records
from dpdescent.interval_arithmetic import Intervals
from dpdescent.privacy import zcdp
from dpdescent.privacy.arithmetic import Arithmetic
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.renamed import renamed

PROVED = (
    "in exact arithmetic: each step adds Gaussian noise to the mean of gradients clipped at clip_norm, which one "
    "replaced record of n, n public, moves by 2 clip_norm / n at most; costs add over the steps. Step size, threshold "
    "and number of steps must be chosen without the data"
)
TARGET = "the least-squares estimate of these records, about the mean of the path; the error of sampling is not in them"
# The number of batches of an interval, and the least number of iterates left out before them (brown2024 App. B).
BATCHES, BURN_IN = 10, 20


@renamed(eta="step_size", gamma="clip_norm")
@plain
def dp_gd(
    X: ArrayLike, y: ArrayLike, *, steps: int, step_size: float, clip_norm: float,
    rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None, shares: ArrayLike | None = None, normals: Array | None = None,
    arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Fits a linear regression by full-batch gradient descent from zero, with clipping and Gaussian noise.

    Warns (`ConvergenceWarning`) where the iterates show that they diverge, which clipping can hide, or that they have
    not settled.

    Args:
        X: covariates, shape (n, p).
        y: responses, shape (n,).
        steps: number of iterations T.
        step_size: eta in the papers, about 1 divided by the largest eigenvalue of E[xx'].
        clip_norm: gamma in the papers, the clipping threshold on a record's gradient `x (x'theta - y)`; the noise is
            proportional to it.
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed, or None, which
            `exact` arithmetic requires.
        rho: zCDP budget of all steps, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        shares: part of the budget per step, shape (T,), positive, with sum 1, chosen without the data, such as
            `schedule.shares(...)`; None for equal parts.
        normals: standard normals to use instead of rng's, shape (T, p).
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`). `floating point` otherwise.

    Returns:
        The run: `estimate`, the last iterate, of shape (p,), and `path` of shape (T, p). Its confidence intervals come
        from batched means of the path; only runs with a long path and equal parts of the budget have them.

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_whole(steps=steps)
    require_real(step_size=step_size, clip_norm=clip_norm)
    require_own_noise(rng, arithmetic, normals)
    rng, names = generator(rng), columns(X)
    X, y = records(X=(X, 2), y=(y, 1))
    require_positive(steps=steps)
    require_positive_finite(step_size=step_size, clip_norm=clip_norm)
    sample = LinearSample(X, y)
    sensitivity = mean_sensitivity(clip_norm, sample.n)
    releases = _releases(sensitivity, rho_of(sample.n, rho, epsilon, delta, arithmetic), steps, shares)
    noise_sd = np.concatenate([np.full(release.count, release.noise_sd) for release in releases])
    event = Mechanism("DP-GD", releases, "replace-one", "full batch", math.inf, "proved", PROVED)
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        if arithmetic == "exact":
            path, clipped = exact_descents.linear(sample.X, sample.y, step_size, clip_norm, noise_sd)
            estimate, event = path[-1].copy(), exactly(event)
        else:
            arms = engine.DPGDArms(steps, np.array([step_size]), np.array([clip_norm]), noise_sd[:, None])
            shape = steps, sample.p
            drawn = rng.standard_normal(shape) if normals is None else fitting("normals", normals, shape)
            out = engine.descend([sample], arms, drawn[:, None, None, :], record=True)
            assert out.path is not None
            estimate, path, clipped = out.theta[0, 0], out.path[:, 0, 0], float(out.clipped[0, 0])
            event = guarded(event, rng, handed=normals is not None)
    require_finite(path)
    # Reported at the line that called this function, past the frame of `renamed`.
    mixing.warn(mixing.unconverged(path, step_size * float(noise_sd.max())))
    # Because unequal parts of the budget give batches with unequal noise, for which no interval is known.
    inference = Inference(TARGET, partial(_interval, path)) if shares is None else None
    return Run(estimate, path, clipped, event, {}, names, sample.n, delta, inference)


def _interval(path: Array, level: float) -> Intervals:
    """Confidence intervals from ten batched means of a path, without its first iterates (brown2024 App. B)."""
    if len(path) < BURN_IN + 2 * BATCHES:
        raise ValueError(f"{len(path)} steps are too few for an interval of {BATCHES} batches: take some 2000")
    burn_in = BURN_IN + (len(path) - BURN_IN) % BATCHES
    return intervals.t_intervals(intervals.batched_means(path, BATCHES, burn_in), level)


def _releases(sensitivity: float, rho: float, steps: int, shares: ArrayLike | None) -> tuple[GaussianReleases, ...]:
    """Returns the releases of all steps in order: a single entry for T equal steps, otherwise one entry per step."""
    what = "mean of clipped gradients"
    if shares is None:
        return (GaussianReleases(what, sensitivity, zcdp.gaussian_noise_sd(sensitivity, rho, steps), steps),)
    budgets = rho * parts_of(shares, steps)
    return tuple(
        GaussianReleases(what, sensitivity, zcdp.gaussian_noise_sd(sensitivity, part), 1) for part in budgets.tolist()
    )
