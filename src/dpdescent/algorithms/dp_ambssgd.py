"""DP-AMBSSGD: one pass of shuffled mini-batches with an adaptive clipping threshold (varshney2022 Algorithm 2).

This is for linear regression. Every iteration takes new records: the first s of its batch choose the clipping threshold
(`dp_stat`), the gradient is computed on the other b. Runs that share the records are rows of the same products. A
gradient's norm is |x| |r|, so that the clipped gradient is x times a clipped residual and no gradient is formed. With
the whole data set as every batch the algorithm is DP-GD. `dp_ssgd` takes one record per step. The tests contain plain
loops with the same results.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import memory
from dpdescent.algorithms.sgd_arms import Adaptive as Adaptive
from dpdescent.algorithms.sgd_arms import Fixed as Fixed
from dpdescent.algorithms.sgd_arms import SGDArm as SGDArm
from dpdescent.checks import require_finite_values, require_non_negative, require_positive

Array = NDArray[np.float64]
Batch = tuple[Array, Array]

# Every matrix product has this number of runs, padded with runs at zero, because BLAS changes last bits with the number
# of rows, and a run must not depend on the number of others.
WIDTH = 8

# Number of values per block of residuals or of records (256 kB), so that both stay in the cache. The positions of the
# cuts decide the last bits of sums, and therefore depend on d alone.
BLOCK = 1 << 15

# Stand-in for the norm of a record with x = 0, whose gradient is zero and never clipped, because it avoids 1 / 0.
TINY = 1e-150

memory.keep_freed()


@dataclass(frozen=True)
class Normals:
    """Standard normal draws; arms that share them (second axis of length 1) have common random numbers.

    Attributes:
        gradient: normals of the gradients, shape (T, arms or 1, d).
        counts: normals of DP-STAT's counts, shape (T, arms or 1, largest L).
    """

    gradient: Array
    counts: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, steps: int, d: int, levels: int) -> "Normals":
        """Draws normals that all arms share: those of the gradients first, then those of DP-STAT's counts."""
        require_positive(steps=steps, d=d)
        require_non_negative(levels=levels)
        return cls(rng.standard_normal((steps, 1, d)), rng.standard_normal((steps, 1, levels)))


@dataclass(frozen=True)
class Runs:
    """Results of T iterations of Algorithm 2 per arm.

    Attributes:
        average: mean of the last floor(tail T) iterates (one at least), shape (arms, d).
        path: w_0..w_T, shape (T + 1, arms, d).
        thresholds: zeta_t, shape (T, arms).
        clipped: share of clipped gradients among the b records of the gradient, shape (T, arms).
        residual_rms: root mean square of the residuals x'w_t - y of the b records of the gradient, shape (T, arms).
    """

    average: Array
    path: Array
    thresholds: Array
    clipped: Array
    residual_rms: Array


def batches_of(X: Array, Y: Array, steps: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Yields disjoint batches of m = N // T records in a secret, uniformly random order; N - T m records are unused.

    Args:
        X: inputs, shape (N, d).
        Y: labels, one column each, shape (N, labels).
        steps: number of batches T.
        rng: generator of the order.

    Raises:
        ValueError: if the shapes do not fit or T > N.
    """
    require_records(X, Y)
    require_positive(steps=steps)
    size = len(X) // steps
    if size < 1:
        raise ValueError(f"steps={steps} exceeds the number of records N={len(X)}: a batch would be empty")
    order = rng.permutation(len(X))
    slices = (order[t * size : (t + 1) * size] for t in range(steps))
    return ((X.take(rows, axis=0), Y.take(rows, axis=0)) for rows in slices)


def every_record(X: Array, Y: Array, steps: int) -> Iterator[Batch]:
    """Yields the whole data set T times, for full-batch descent; arguments as for `batches_of`."""
    require_records(X, Y)
    require_positive(steps=steps)
    return ((X, Y) for _ in range(steps))


def descend(batches: Iterable[Batch], arms: Sequence[SGDArm], normals: Normals, tail: float = 0.5) -> Runs:
    """Runs Algorithm 2 from w_0 = 0 for every arm: `w <- w - eta (mean clipped gradient + 2 alpha zeta_t / b g_t)`.

    A run depends only on its own arm and its own normals, to the last bit: not on the other arms of the call.

    Args:
        batches: records (X, Y) of every iteration, shapes (m, d) and (m, labels); one batch per iteration.
        arms: settings of the runs. An arm with an adaptive threshold gives the first s records of a batch to DP-STAT;
            one with a fixed threshold uses all m for the gradient.
        normals: standard normals for at least as many iterations as there are batches.
        tail: share of the iterates w_1..w_T that is averaged, in (0, 1].

    Raises:
        ValueError: if there is no arm or no batch, shapes do not fit, a value is not finite, a batch has no record for
            a gradient, or the normals end before the batches.
    """
    tail_length(tail, 1)
    state = _State(arms, normals)
    path, measured = [state.w.copy()], []
    seen: Batch | None = None
    for t, (X, Y) in enumerate(batches):
        # Checked only once where every batch is the whole data set.
        if seen is None or X is not seen[0] or Y is not seen[1]:
            require_finite_values(X=X, Y=Y)
        seen = X, Y
        measured.append(state.step(t, X, Y))
        path.append(state.w.copy())
    if not measured:
        raise ValueError("batches is empty: give the records of one iteration at least")
    iterates = np.stack(path)
    thresholds, clipped, residual_rms = np.stack(measured).swapaxes(0, 1)
    # Time is the last axis, because a mean over it then adds up each run separately.
    kept = np.ascontiguousarray(np.moveaxis(iterates[-tail_length(tail, len(measured)) :], 0, 2))
    return Runs(kept.mean(2), iterates, thresholds, clipped, residual_rms)


class _State:
    """Iterates of all arms, shape (arms, d)."""

    def __init__(self, arms: Sequence[SGDArm], normals: Normals) -> None:
        levels = max((arm.clipping.search.levels for arm in arms if isinstance(arm.clipping, Adaptive)), default=0)
        self.steps = min(len(normals.gradient), len(normals.counts)) if levels else len(normals.gradient)
        for name, least in (("gradient", 1), ("counts", levels)):
            shape = getattr(normals, name).shape
            if len(shape) != 3 or shape[1] not in (1, len(arms)) or shape[2] < least:
                raise ValueError(f"normals.{name} {shape} must be (steps, 1 or {len(arms)} arms, {least} or more)")
        self.arms, self.normals = arms, normals
        self.w = np.zeros((len(arms), normals.gradient.shape[2]))
        self.eta, self.clips = np.array([arm.eta for arm in arms]), np.array([arm.clips for arm in arms])
        self.groups = [slice(start, min(start + WIDTH, len(arms))) for start in range(0, len(arms), WIDTH)]

    def step(self, t: int, X: Array, Y: Array) -> Array:
        """Makes iteration t; returns zeta, the share clipped and the root mean square residual, shape (3, arms)."""
        self._check(t, X, Y)
        b = np.array([arm.gradient_size(len(X)) for arm in self.arms])
        zeta = self._thresholds(t, X, Y)
        gradient, clipped, square = self._clipped_gradients(X, Y, np.where(self.clips, zeta, np.inf))
        noise = np.array(
            [arm.noise_sd(*sizes) for arm, *sizes in zip(self.arms, zeta.tolist(), b.tolist(), strict=True)]
        )
        self.w -= self.eta[:, None] * (gradient / b[:, None] + noise[:, None] * self.normals.gradient[t])
        return np.stack([zeta, clipped / b, np.sqrt(square / b)])

    def _clipped_gradients(self, X: Array, Y: Array, limits: Array) -> tuple[Array, Array, Array]:
        """Sums over each arm's gradient records: gradients clipped at `limits`, numbers clipped, squared residuals."""
        gradient, clipped, square = np.zeros(self.w.shape), np.zeros(len(self.arms)), np.zeros(len(self.arms))
        for rows in _rows(len(X), X.shape[1]):
            inverse = 1.0 / np.maximum(np.sqrt(np.vecdot(X[rows], X[rows])), TINY)
            for group in self.groups:
                residuals, n = self._residuals(X, Y, rows, group), group.stop - group.start
                for a, arm in enumerate(self.arms[group]):
                    # Records that only DP-STAT uses are set to zero and not removed, because the blocks must stay the
                    # same.
                    residuals[a, : max(0, arm.withheld - rows.start)] = 0.0
                square[group] += np.vecdot(residuals, residuals)[:n]
                clipped[group] += _clip(residuals[:n], limits[group], inverse)
                gradient[group] += (residuals @ X[rows])[:n]
        return gradient, clipped, square

    def _thresholds(self, t: int, X: Array, Y: Array) -> Array:
        """Clipping thresholds zeta_t of iteration t, shape (arms,)."""
        zeta, shared = np.empty(len(self.arms)), self.normals.counts.shape[1] == 1
        counts = self._counts(X, Y)
        for a, arm in enumerate(self.arms):
            if isinstance(arm.clipping, Fixed):
                zeta[a] = arm.clipping.threshold
                continue
            search = arm.clipping.search
            normals = self.normals.counts[t, 0 if shared else a, : search.levels]
            zeta[a] = arm.clipping.scale * search.select(counts[a], normals, arm.clipping.stat_size)
        return zeta

    def _counts(self, X: Array, Y: Array) -> dict[int, Array]:
        """DP-STAT's counts of small residuals, before noise, by the index of each adaptive arm."""
        adaptive = {a: arm.clipping for a, arm in enumerate(self.arms) if isinstance(arm.clipping, Adaptive)}
        counts = {a: np.zeros(clipping.search.levels) for a, clipping in adaptive.items()}
        for rows in _rows(max((clipping.seen for clipping in adaptive.values()), default=0), X.shape[1]):
            for group in self.groups:
                looking = [a for a in range(group.start, group.stop) if a in adaptive and adaptive[a].seen > rows.start]
                residuals = self._residuals(X, Y, rows, group) if looking else np.empty((0, 0))
                for a in looking:
                    seen = residuals[a - group.start, : adaptive[a].seen - rows.start]
                    counts[a] += adaptive[a].search.counts(seen)
        return counts

    def _residuals(self, X: Array, Y: Array, rows: slice, group: slice) -> Array:
        """Residuals x'w - y of a block of records, shape (WIDTH, records); zero in the rows that pad the group."""
        w = np.zeros((WIDTH, X.shape[1]))
        w[: group.stop - group.start] = self.w[group]
        residuals: Array = w @ X[rows].T
        for a, arm in enumerate(self.arms[group]):
            residuals[a] -= Y[rows, arm.label]
        return residuals

    def _check(self, t: int, X: Array, Y: Array) -> None:
        require_records(X, Y)
        if X.shape[1] != self.w.shape[1]:
            raise ValueError(f"batch {t} has d={X.shape[1]} coordinates, but normals.gradient has {self.w.shape[1]}")
        if t >= self.steps:
            raise ValueError(f"the normals end after {t} iterations, but there are more batches")
        require_labels(self.arms, Y)


def _clip(residuals: Array, limits: Array, inverse: Array) -> Array:
    """Clips residuals in place to +- `limit / |x|`, and returns the number of clipped ones per row."""
    if np.isinf(limits).all():
        return np.zeros(len(limits))
    bounds = limits[:, None] * inverse
    over: Array = (np.abs(residuals) > bounds).sum(1).astype(np.float64)
    np.minimum(residuals, bounds, out=residuals)
    np.maximum(residuals, np.negative(bounds, out=bounds), out=residuals)
    return over


def _rows(m: int, d: int) -> Iterator[slice]:
    """Slices that cut m records into blocks for the cache; the positions of the cuts depend on d alone."""
    size = max(256, BLOCK // max(WIDTH, d))
    return (slice(start, start + size) for start in range(0, m, size))


def require_records(X: Array, Y: Array) -> None:
    if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y) or 0 in X.shape:
        raise ValueError(f"X {X.shape} must be (N, d) and Y {Y.shape} (N, labels), with a record at least")


def require_labels(arms: Sequence[SGDArm], Y: Array) -> None:
    """Checks that every arm's column of labels exists."""
    if not arms:
        raise ValueError("arms is empty: give one at least")
    largest = max(arm.label for arm in arms)
    if largest >= Y.shape[1]:
        raise ValueError(f"label={largest} does not exist: there are {Y.shape[1]} columns of labels")


def tail_length(tail: float, steps: int) -> int:
    """Number of iterates in a tail average: floor(tail T), one at least."""
    require_positive(tail=tail)
    if tail > 1.0:
        raise ValueError(f"tail={tail} must not exceed 1")
    # The small term ensures that a share such as 0.29 of 100 does not lose an iterate to rounding.
    return max(1, math.floor(tail * steps + 1e-9))
