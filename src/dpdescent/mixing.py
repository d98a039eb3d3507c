"""A test of whether a path has mixed, from the path alone, and the coverage of intervals from it if it has not.

An interval treats the means of batches, or every L-th iterate, as independent estimates. They are nearly independent if
a batch is many correlation times of the path's slowest direction long. Only released numbers are used: the check costs
nothing.

**The rule.** Iterates follow `b_(t+1) - b = Phi (b_t - b)` apart from noise, so that the slowest linear combination of
the coordinates is the one with the largest correlation a between neighbours. A batch of L iterates has `L (1 - |a|)`
correlation times. Each batch estimates a about its own mean, for a reason: the length of an interval comes from the
spread of batch means, and a path that seemed to mix fast because this spread happened to be small would pass exactly
where its interval is too short. The correlation r about means of L iterates is smaller than a, by a known amount, and m
batches estimate it with an error of `sqrt((1 - r^2) / (m L))`; three times that is added. A path has mixed if a batch
still has `NEEDED` correlation times, and batch means have no trend. With six correlation times a 95 % interval from ten
batched means has a coverage of 93.0 to 93.5 %, by the exact law of a stationary path; `docs/intervals.csv` has the
measurements. Means of more batches have a smaller quantile of Student's t and need `OF_MANY` for the same coverage.

All coordinates of an iterate are needed: a column by itself can hide a slow direction behind a fast one.
"""

import math
import sys
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import stdtrit

from dpdescent import gate, renamed
from dpdescent.algorithms.gaussian_law import Construction, IterateLaw, correlation_in_batches, coverages
from dpdescent.algorithms.stability import has_diverged
from dpdescent.checks import require_known
from dpdescent.interval_arithmetic import batched_means, independent_runs, spacing, tail_width

Array = NDArray[np.float64]

# Smallest number of correlation times of the slowest direction in a batch, and number of standard errors that are
# subtracted from the estimate.
NEEDED, ERRORS = 6.0, 3.0
# The same smallest number for more batches than FEW.
OF_MANY, FEW = 7.0, 10
# Number of correlation times in each of ten batches with which nearly all paths pass.
ENOUGH = 16.0
# Probability with which the batch means of a path that has mixed are said to have a trend.
SELDOM = 0.001
# Number of standard errors of the mean by which the remaining influence of the start may move an interval from
# independent runs.
LEFT = 0.3
# Number of standard deviations of the noise beyond which noise cannot explain a move.
NOISES = 4.0
# Step size times curvature beyond which a descent hardly contracts, if at all; the limit is 2.
STEEP = 1.9
# Number of steps beyond which other means are better.
MOST_STEPS = 10_000
# Share of the largest variance below which a direction is rounding error.
ROUNDING = 1e-12


class ConvergenceWarning(UserWarning):
    """A descent that has not converged, or a path whose intervals cover less often than they say."""


@dataclass(frozen=True)
class Slowest:
    """The slowest direction of a path, or of several.

    Attributes:
        correlation: size of the correlation of neighbouring iterates along the direction, shape (...).
        bound: the largest correlation that the path does not exclude, at most 1, same shape.
        curvature: 1 minus the most negative correlation: step size times the largest curvature, same shape.
    """

    correlation: Array
    bound: Array
    curvature: Array


def slowest(batches: Array) -> Slowest:
    """Finds the linear combinations of coordinates whose neighbouring iterates are most correlated, with either sign.

    Args:
        batches: batches of iterates with one law, shape (m, L, ..., p).
    """
    m, L, *shape, p = batches.shape
    x = np.moveaxis((batches - batches.mean(axis=1, keepdims=True)).reshape(m, L, -1, p), 2, 0)
    # Divided by the largest value, like all squares here, because they could overflow.
    x = x / np.maximum(np.abs(x).max(axis=(1, 2), keepdims=True), np.finfo(np.float64).tiny)
    now, then, every = (part.reshape(len(x), -1, p) for part in (x[:, :, :-1], x[:, :, 1:], x))
    moments, across = every.swapaxes(1, 2) @ every, now.swapaxes(1, 2) @ then
    low, high = np.array([_ends(one, other) for one, other in zip(moments, across, strict=True)]).T
    below, above = (end + by * np.sqrt((1.0 - end**2) / (m * L)) for end, by in ((low, -ERRORS), (high, ERRORS)))
    low, high, below, above = (_unbiased(end, L) for end in (low, high, below, above))
    values = np.maximum(high, -low), np.maximum(above, -below), 1.0 - low
    return Slowest(*(np.reshape(value, shape) for value in values))


def _unbiased(correlation: Array, L: int) -> Array:
    """The correlation of neighbours whose expected estimate about means of L iterates is the given one; at most 1."""
    if L < 3:
        return np.ones_like(correlation)
    rates = np.geomspace(2.0 - 1e-6, 1e-3 / L, 300)
    seen = correlation_in_batches(1.0 - rates, L)
    return np.where(correlation > seen[-1], 1.0, 1.0 - np.interp(correlation, seen, rates))


def _ends(moments: Array, across: Array) -> tuple[float, float]:
    """Smallest and largest correlation of neighbours over all linear combinations; 1 if a coordinate stands still."""
    scale = np.sqrt(np.diag(moments))
    kept = scale > 0.0
    if not kept.all():
        return 1.0, 1.0
    moments, across = (matrix / np.outer(scale, scale) for matrix in (moments, across))
    variances, V = np.linalg.eigh(moments)
    # Directions in which coordinates are equal up to rounding add nothing to the variance of any of them.
    white = V[:, variances > ROUNDING * variances[-1]] / np.sqrt(variances[variances > ROUNDING * variances[-1]])
    correlations = eigh(white.T @ (0.5 * (across + across.T)) @ white, eigvals_only=True)
    return float(correlations[0]), float(correlations[-1])


def correlation_times(path: Array, m: int, burn_in: int) -> Array:
    """Number of correlation times of the slowest direction that each of m batches has, at least, shape (...).

    Args:
        path: iterates 1 to N with all coordinates, shape (N, ..., p).
        m: number of batches.
        burn_in: number of iterates that are discarded.

    Raises:
        ValueError: as for `intervals.batched_means`.
    """
    L = spacing(len(path), m, burn_in)
    return np.asarray(L * (1.0 - slowest(path[burn_in:].reshape(m, L, *path.shape[1:])).bound))


def needed(m: int) -> float:
    """Number of correlation times that each of m batches needs."""
    return NEEDED if m <= FEW else OF_MANY


def mixed(path: Array, m: int, burn_in: int) -> NDArray[np.bool_]:
    """Whether paths have mixed, by the rule above, shape (...); arguments and errors as for `correlation_times`."""
    return (correlation_times(path, m, burn_in) >= needed(m)) & ~_drifts(batched_means(path, m, burn_in))


def unmixed(
    path: Array, m: int, burn_in: int, construction: Construction = "batched means", level: float = 0.95
) -> str:  # fmt: skip
    """The reason why a path has not mixed, empty if it has; for several paths, that of the worst one.

    Args:
        path: iterates 1 to N with all coordinates, shape (N, ..., p), or (N,) for one coordinate.
        m: number of batches or of checkpoints.
        burn_in: number of iterates that are discarded.
        construction: construction of the interval.
        level: nominal coverage of the interval.

    Raises:
        ValueError: as for `intervals.batched_means`.
    """
    require_known(Construction, construction=construction)
    # Divided by the largest value, because squares could overflow.
    path = (path[:, None] if path.ndim == 1 else path) / max(np.abs(path).max(), np.finfo(np.float64).tiny)
    L, least = spacing(len(path), m, burn_in), needed(m)
    if least >= L:
        return f"a batch of {L} iterates cannot have {least:g} correlation times; take more steps or fewer batches"
    if (still := (np.ptp(path[burn_in:], axis=0) == 0.0).any(axis=-1)).any():
        return f"a coordinate does not move: its interval would have no length{_count(still)}; leave it out"
    direction = slowest(path[burn_in:].reshape(m, L, *path.shape[1:]))
    times = L * (1.0 - direction.bound)
    if (few := times < least).any():
        worst, turning = (
            float(size.reshape(-1)[np.argmin(times)]) for size in (direction.correlation, direction.curvature)
        )
        covered = _expected(worst, L, m, construction, level)
        return (
            f"a batch of {L} iterates has {L * (1.0 - worst):.3g} correlation times of the slowest direction, "
            f"{times.min():.3g} less what the path may err by, and {least:g} are needed: by this correlation a "
            f"{100 * level:g} % interval covers {100 * covered:.0f} %, even where the start is forgotten{_count(few)}; "
            f"{'take a smaller step size' if turning - 1.0 == worst else _mend(worst, m, burn_in)}"
        )
    if (drifts := _drifts(batched_means(path, m, burn_in))).any():
        return f"the batch means have a trend: the start is not forgotten{_count(drifts)}; take a longer burn-in"
    return ""


def unsettled(runs: Array, burn_in: int, tail: int | None) -> str:
    """The reason why independent runs have not forgotten their start, empty if they have; for several sets, the worst.

    The remaining influence of the start, at the slowest rate that the paths do not exclude, may be at most `LEFT`
    standard errors of the mean, and a run must have `NEEDED` correlation times.

    Args:
        runs: iterates 1 to T of m runs, shape (T, m, ..., p), or (T, m) for one coordinate.
        burn_in: number of iterates that are discarded per run.
        tail: number of last iterates that are averaged; None means all after the burn-in.
    """
    runs = runs[:, :, None] if runs.ndim == 2 else runs
    T, m = runs.shape[:2]
    bound, width = slowest(runs.swapaxes(0, 1)).bound, tail_width(T, burn_in, tail)
    estimates = independent_runs(runs, burn_in, tail)
    start = np.abs(runs[0].mean(axis=0) - estimates.mean(axis=0)).max(axis=-1, initial=0.0)
    error = (estimates.std(axis=0, ddof=1) / math.sqrt(m)).min(axis=-1)
    left = start * (bound[..., None] ** np.arange(T - width, T)).mean(axis=-1)
    late = (bound == 1.0) | (T * (1.0 - bound) < NEEDED) | (left > LEFT * error)
    if not late.any():
        return ""
    return (
        f"runs of {T} steps may not have forgotten their start, at a correlation of neighbours of up to "
        f"{bound[late].max():.4g}{_count(late)}; take longer runs, a longer burn-in or a larger step size"
    )


def warn(reason: str) -> None:
    """Warns of a reason, unless it is empty, at the line that called the caller, past decorators of arguments."""
    if reason:
        level = 3
        while sys._getframe(level - 1).f_globals.get("__name__") in (gate.__name__, renamed.__name__):
            level += 1
        warnings.warn(reason, ConvergenceWarning, stacklevel=level)


def unconverged(path: Array, noise_sd: float) -> str:
    """The reason why a descent from zero has not converged, as far as its noise shows it; empty otherwise.

    A descent diverges if its steps turn back without shrinking (`algorithms.stability`), and one that hardly contracts
    has a step size times curvature of `STEEP`; clipping hides both in the size of the iterates. A descent still moves
    if the last quarter of its iterates went further than noise alone carries any descent: by `NOISES` times `sqrt(k)`
    times the noise of a step in k steps, where k is even.

    Args:
        path: iterates 1 to T, shape (T, p).
        noise_sd: the largest sd of the noise that a step adds to each number of an iterate.
    """
    T, p = path.shape
    whole, late = np.concatenate([np.zeros((1, p)), path]), T // 8 * 2
    if has_diverged(whole, noise_sd):
        return "the iterates turn back without shrinking: step size times curvature is above 2; take a smaller step"
    if max(40, 15 * p) <= T and float(slowest(path[None, T // 4 :]).curvature) > STEEP:
        return f"step size times curvature is above {STEEP:g}, next to the limit 2 or beyond; take a smaller step"
    if late and np.abs(path[-1] - path[-1 - late]).max() > NOISES * math.sqrt(late) * noise_sd:
        return f"the iterates still move, over the last {late} steps by more than noise can; take more or larger steps"
    return ""


def _expected(correlation: float, L: int, m: int, construction: Construction, level: float) -> float:
    """The exact coverage of an interval from a stationary path with this correlation of neighbours."""
    # A unit root has no stationary law; a correlation of 1 - 1e-3 / (m L) stands in for it.
    a = min(correlation, 1.0 - 1e-3 / (m * L))
    law = IterateLaw(np.zeros(1), np.zeros(1), 1.0, 1.0, np.array([1.0 - a]), np.eye(1))
    settled = math.ceil(20.0 / (1.0 - a))
    return float(coverages(law.estimates(construction, settled + m * L, m, settled), level)[0])


def _drifts(means: Array) -> NDArray[np.bool_]:
    """Whether m batch means have a trend in a coordinate, by Student's t, shape (...)."""
    m = len(means)
    if m < 4:
        return np.zeros(means.shape[1:-1], dtype=bool)
    number = (np.arange(m) - 0.5 * (m - 1)).reshape(-1, *[1] * (means.ndim - 1))
    slope = (number * means).sum(axis=0) / (number**2).sum()
    rest = means - means.mean(axis=0) - slope * number
    error = np.sqrt((rest**2).sum(axis=0) / ((m - 2) * (number**2).sum()))
    most = float(stdtrit(m - 2, 1.0 - 0.5 * SELDOM / means.shape[-1]))
    return np.asarray((np.abs(slope) > most * error).any(axis=-1))


def _mend(correlation: float, m: int, burn_in: int) -> str:
    """Advice with the number of steps at which a path with this correlation of neighbours would pass."""
    rate = 1.0 - correlation
    if rate <= 0.0 or (steps := burn_in + m * math.ceil(ENOUGH / rate)) > MOST_STEPS:
        return "scale the columns to be alike, or take a larger step size"
    return f"{steps} steps, or a larger step size, would do (a new run costs its budget again)"


def _count(which: NDArray[np.bool_]) -> str:
    """Words on the number of paths with the same fault, if there are several."""
    return f" (so are {int(which.sum())} of {which.size} paths)" if which.size > 1 else ""
