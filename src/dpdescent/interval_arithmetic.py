"""Confidence intervals from the variability of an algorithm's iterates (brown2024 Sec. 3.1, App. B).

Three constructions turn iterates into m estimates, and Student's t interval for a mean turns the estimates into an
interval per coordinate. The iterates may come from any algorithm: axis 0 counts them, iterate 1 first (leave out the
starting point), and all later axes, such as replications and coordinates, are kept. Intervals from privately released
iterates cost no further privacy, because they are post-processing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

Array = NDArray[np.float64]

# Noise in a second moment, as a share of its diagonal, above which intervals from it cover too seldom.
MOSTLY = 0.2


@dataclass(frozen=True)
class Intervals:
    """Two-sided confidence intervals, one per coordinate.

    Attributes:
        centre: middle of each interval, of any shape.
        half_width: half of each interval's length, same shape.
    """

    centre: Array
    half_width: Array

    @property
    def length(self) -> Array:
        """Length of each interval, shape of `centre`."""
        return 2.0 * self.half_width

    def covers(self, target: Array | float) -> NDArray[np.bool_]:
        """Whether each closed interval contains its target, which is broadcast against `centre`."""
        covered: NDArray[np.bool_] = np.abs(target - self.centre) <= self.half_width
        return covered


def t_intervals(estimates: Array, level: float = 0.95) -> Intervals:
    """Computes `mean +- t sd / sqrt(m)` of m estimates per coordinate (brown2024 eq. 12).

    t is the 1 - alpha/2 quantile with m - 1 degrees of freedom (the paper writes alpha/2), and the sd has the divisor m
    - 1. For independent normal estimates with a common mean and variance the coverage is exact (brown2024 Claim C.9).

    Args:
        estimates: shape (m, ...).
        level: nominal coverage 1 - alpha.

    Raises:
        ValueError: if m < 2, the level is not between 0 and 1, or an estimate is not finite.
    """
    factor = t_factor(len(estimates), level)
    if not np.isfinite(estimates).all():
        raise ValueError("an estimate is NaN or infinite: take iterates of runs that have ended and did not diverge")
    return Intervals(estimates.mean(axis=0), factor * estimates.std(axis=0, ddof=1))


def t_factor(m: int, level: float) -> float:
    """Half width of the t interval for a sample sd of one: the 1 - alpha/2 quantile of t_(m-1), divided by sqrt(m).

    Raises:
        ValueError: if m < 2 or the level is not between 0 and 1.
    """
    if m < 2:
        raise ValueError(f"m={m} estimates have no variance: at least 2 are needed")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} must lie between 0 and 1")
    return float(stdtrit(m - 1, 0.5 + level / 2) / np.sqrt(m))


def independent_runs(runs: Array, burn_in: int, tail: int | None = None) -> Array:
    """Computes one estimate per run, the mean of its last iterates (brown2024 Sec. 3.1, App. B).

    The paper's theorem uses the last iterate alone (`burn_in=0, tail=1`); its experiments discard 20 iterates per run
    and average "the final few", without a number.

    Args:
        runs: iterates 1 to T of m runs, shape (T, m, ...).
        burn_in: number of iterates that are discarded per run.
        tail: number of last iterates that are averaged; None means all after the burn-in.

    Returns:
        The estimates, shape (m, ...).

    Raises:
        ValueError: if there are fewer than 2 runs, or fewer iterates after the burn-in than are to be averaged.
    """
    if runs.ndim < 2 or runs.shape[1] < 2:
        raise ValueError(f"runs of shape {runs.shape} must be (T, m, ...) with m >= 2")
    estimates: Array = runs[-tail_width(len(runs), burn_in, tail) :].mean(axis=0)
    return estimates


def checkpoints(path: Array, m: int, burn_in: int) -> Array:
    """Selects every L-th iterate of a run after the burn-in: burn_in + l L for l = 1..m, with L = (N - burn_in) / m.

    The paper's theorem has no burn-in; its experiments have 20, with m = 10 (brown2024 Sec. 3.1, App. B).

    Args:
        path: iterates 1 to N, shape (N, ...).
        m: number of checkpoints.
        burn_in: number of iterates that are discarded.

    Returns:
        The estimates, shape (m, ...), a view.

    Raises:
        ValueError: if m < 2, or N - burn_in is not a positive multiple of m.
    """
    L = spacing(len(path), m, burn_in)
    return path[burn_in + L - 1 :: L]


def batched_means(path: Array, m: int, burn_in: int) -> Array:
    """Means of m consecutive batches of L = (N - burn_in) / m iterates after the burn-in (brown2024 Sec. 3.1, App. B).

    The paper has no theorem for them. Batches must be long relative to the correlation time of the iterates.
    Arguments and errors are as for `checkpoints`.

    Returns:
        The estimates, shape (m, ...).
    """
    L = spacing(len(path), m, burn_in)
    estimates: Array = path[burn_in:].reshape(m, L, *path.shape[1:]).mean(axis=1)
    return estimates


def autoregression(path: Array, burn_in: int) -> Array:
    """Fits `b_(t+1) - c = Phi (b_t - c) + noise` to a path by least squares, c and Phi free.

    Args:
        path: iterates 1 to N, shape (N, ..., p).
        burn_in: number of iterates that are discarded.

    Returns:
        Phi, shape (..., p, p).

    Raises:
        ValueError: if the burn-in is negative, or leaves fewer than p + 3 iterates.
    """
    p = path.shape[-1]
    if burn_in < 0 or len(path) - burn_in < p + 3:
        raise ValueError(f"burn_in={burn_in} must leave {p + 3} of the N={len(path)} iterates at least, and not be < 0")
    now, then = (np.moveaxis(part - part.mean(0), 0, -2) for part in (path[burn_in:-1], path[burn_in + 1 :]))
    moments, across = now.swapaxes(-1, -2) @ now, now.swapaxes(-1, -2) @ then
    return np.asarray(np.linalg.solve(moments, across).swapaxes(-1, -2))


def sandwich_intervals(
    path: Array, *, m: int, burn_in: int, alpha: float, precondition: Array, moment: Array, moment_sd: float, n: int,
    level: float = 0.95,
) -> Intervals:  # fmt: skip
    """Computes intervals for the population root of an estimating equation, from releases of DP-IV-GD alone.

    The half width combines two errors. The error due to the noise comes from batched means of the path. The sampling
    error is the sandwich `S^-1 M S^-T / n`: M is the second moment of single gradients, and S the slope of the mean
    gradient, which the path shows, because `b_(t+1) - b = (I - alpha P S) (b_t - b)` apart from noise. Both assume that
    clipping does not shift the mean gradient: gradients are not clipped, or are symmetric about zero at the root.

    Args:
        path: iterates 1 to N, shape (N, ..., p).
        m: number of batches.
        burn_in: number of iterates that are discarded.
        alpha: step size.
        precondition: P, shape (..., p, p).
        moment: M with its noise, shape (..., p, p).
        moment_sd: sd of the noise on M's diagonal.
        n: number of records.
        level: nominal coverage.

    Returns:
        Intervals of shape (..., p) about the mean of the path after the burn-in; NaN where the noise in M exceeds a
        fifth of a diagonal entry, because the sandwich would be noise then.

    Raises:
        ValueError: as for `batched_means` and `autoregression`.
    """
    p = path.shape[-1]
    privacy = t_intervals(batched_means(path, m, burn_in), level)
    slope = (np.eye(p) - autoregression(path, burn_in)) / alpha
    # P S is the slope of the preconditioned equation, so that S^-1 M S^-T is (P S)^-1 P M P' (P S)^-T.
    left = np.linalg.solve(slope, precondition)
    variance = np.einsum("...ij,...jk,...ik->...i", left, moment, left) / n
    diagonal = np.einsum("...ii->...i", moment)
    usable = (moment_sd <= MOSTLY * diagonal).all(-1, keepdims=True) & (variance > 0.0)
    quantile = float(ndtri(0.5 + level / 2))
    half = np.sqrt(privacy.half_width**2 + quantile**2 * np.where(usable, variance, np.nan))
    return Intervals(privacy.centre, half)


def spacing(steps: int, m: int, burn_in: int) -> int:
    """Spacing L = (N - burn_in) / m of checkpoints, also the length of batches, in a run of `steps` = N iterates.

    Raises:
        ValueError: if m < 2, the burn-in is negative, or N - burn_in is not a positive multiple of m.
    """
    kept = steps - burn_in
    if m < 2 or burn_in < 0:
        raise ValueError(f"m={m} must be at least 2 and burn_in={burn_in} must not be negative")
    if kept < m or kept % m:
        raise ValueError(f"N - burn_in = {steps} - {burn_in} = {kept} must be a positive multiple of m={m}")
    return kept // m


def tail_width(steps: int, burn_in: int, tail: int | None) -> int:
    """Number of last iterates that are averaged in a run of `steps` = T iterates.

    Raises:
        ValueError: if the burn-in is negative, or leaves no iterate or fewer than `tail`.
    """
    kept = steps - burn_in
    if burn_in < 0 or kept < 1:
        raise ValueError(f"burn_in={burn_in} must not be negative and leave some of the T={steps} iterates of a run")
    if tail is not None and not 1 <= tail <= kept:
        raise ValueError(
            f"tail={tail} must lie between 1 and the {kept} iterates that burn_in={burn_in} leaves of a run"
        )
    return kept if tail is None else tail
