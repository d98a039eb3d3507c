"""DP-GD for linear regression: full-batch gradient descent with clipping and Gaussian noise (brown2024 Algorithm 1).

Runs on one data set are columns of the same products; several data sets are processed as a batch. A clipped gradient is
the unclipped one, which only needs second moments, minus the part that clipping removes from the records that it
touches; `screening` finds those records without computing most gradients. Where many records are touched, or where
second moments would round too coarsely, all rows are processed in blocks that fit the cache. The tests contain a plain
loop with the same results.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import memory
from dpdescent.algorithms.screening import Index, Screen
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.clipping import rounding_is_negligible

Array = NDArray[np.float64]

# Number of values per block of residuals (2 MB), as in the two-stage descent; a constant, because the positions of the
# cuts decide the last bits of sums.
BLOCK = 1 << 18

memory.keep_freed()

# Stand-in for the norm of a record with x = 0, whose gradient is zero and never clipped, because it avoids 1 / 0.
TINY = 1e-150

# Above this share of records that may be clipped, one pass over all records is cheaper than gathering those.
MANY = 0.5

# Gathered records are padded with records of zeros to a multiple of this number. Data sets with equal numbers can then
# be processed side by side, each by the same operations as it would be alone.
ALIKE = 32


@dataclass(frozen=True)
class DPGDArms:
    """Settings of runs that share a data set.

    Attributes:
        steps: number of iterations T of every run.
        eta: step sizes, shape (runs,).
        gamma: clipping thresholds, shape (runs,); inf switches clipping off.
        noise_sd: lambda, sd of the noise on the mean gradient, shape (runs,), or (T, runs) for one per step; 0 switches
            noise off.
    """

    steps: int
    eta: Array
    gamma: Array
    noise_sd: Array

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps={self.steps} must be at least 1")
        runs = self.noise_sd.shape[-1]
        if not len(self.eta) == len(self.gamma) == runs > 0:
            raise ValueError(f"eta, gamma and noise_sd must have one value a run, but have {len(self.eta)}, "
                             f"{len(self.gamma)} and {runs}")  # fmt: skip
        if self.noise_sd.shape not in ((runs,), (self.steps, runs)):
            raise ValueError(f"noise_sd of shape {self.noise_sd.shape} must have one value a run, or ({self.steps}, "
                             f"{runs}), one a step and run")  # fmt: skip
        for name in ("eta", "gamma"):
            if not getattr(self, name).min() > 0.0:
                raise ValueError(f"{name}={getattr(self, name).min()} must be positive")
        if not (self.noise_sd.min() >= 0.0 and self.noise_sd.max() < np.inf):
            raise ValueError(f"noise_sd, from {self.noise_sd.min()} to {self.noise_sd.max()}, must be finite and not "
                             "negative (no noise fits an infinite gamma: choose it by hand)")  # fmt: skip

    def __len__(self) -> int:
        return len(self.eta)

    @property
    def noise_by_step(self) -> Array:
        """Noise sds per step, shape (T, runs)."""
        return np.broadcast_to(self.noise_sd, (self.steps, len(self)))

    @classmethod
    def alike(cls, runs: int, steps: int, eta: float, gamma: float, noise_sd: float) -> "DPGDArms":
        """Settings that are equal for all `runs` runs."""
        return cls(steps, np.full(runs, eta), np.full(runs, gamma), np.full(runs, noise_sd))


@dataclass(frozen=True)
class Descent:
    """Results of `descend`.

    Attributes:
        theta: last iterates, shape (data sets, runs, p).
        clipped: fraction of all n T per-sample gradients that were clipped, shape (data sets, runs).
        path: iterates 1 to T, shape (T, data sets, runs, p), or None if they were not asked for.
    """

    theta: Array
    clipped: Array
    path: Array | None = None


def descend(samples: Sequence[LinearSample], arms: DPGDArms, normals: Array, record: bool = False) -> Descent:
    """Runs DP-GD from zero, `theta <- theta - eta (mean clipped gradient - lambda z)`, for every arm on every sample.

    The clipped gradient of a record is `clip(r_i, gamma / |x_i|) x_i` with `r_i = x_i'theta - y_i`: the gradient of a
    Huber loss (brown2024 Sec. 2.5).

    Args:
        samples: data sets with the same number p of covariates.
        arms: settings of the runs.
        normals: standard normals, shape (at least T, data sets or 1, runs or 1, p); an axis of length 1 is shared.
        record: whether to keep all iterates.

    Raises:
        ValueError: if there is no sample, the samples differ in p, or the normals do not fit.
    """
    shape = _shape(samples, arms, normals)
    batch = _Batch(samples, arms)
    theta, clipped = np.zeros(shape), np.zeros(shape[:2])
    path = np.empty((arms.steps, *shape)) if record else None
    noise_sd = arms.noise_by_step
    for t in range(arms.steps):
        gradient, fraction = batch.gradients(theta)
        theta += arms.eta[:, None] * (noise_sd[t, :, None] * normals[t] - gradient)
        clipped += fraction / arms.steps
        if path is not None:
            path[t] = theta
    return Descent(theta, clipped, path)


class _Batch:
    """Data sets side by side: their moments, and the records that clipping may touch."""

    def __init__(self, samples: Sequence[LinearSample], arms: DPGDArms) -> None:
        self.samples, self.screen = samples, Screen(samples, arms.gamma, _spread(arms, samples[0].p))
        self.moment = np.stack([sample.gram.xx / sample.n for sample in samples])
        self.cross = np.stack([sample.gram.xy / sample.n for sample in samples])[:, None, :]
        # One column where all thresholds are equal, because limits are then computed once per record and not once per
        # run.
        self.thresholds = arms.gamma[:1] if (arms.gamma == arms.gamma[0]).all() else arms.gamma
        # Bounds on all |x_i y_i| and |x_i|^2. They are products of bounds, because a norm that underflows must not hide
        # a large y_i.
        longest = [max(s.norms.max(), TINY) for s in samples]
        self.largest = np.array([[x * np.abs(s.y).max(), x**2] for x, s in zip(longest, samples, strict=True)])
        self.sizes = np.array([sample.n for sample in samples])
        self.near: list[_Records] = []
        self.many = np.zeros(len(samples), dtype=bool)

    def gradients(self, theta: Array) -> tuple[Array, Array]:
        """Means of clipped gradients, shape (data sets, runs, p), and shares clipped, shape (data sets, runs)."""
        self._follow(theta)
        gradient, clipped = np.matmul(theta, self.moment) - self.cross, np.zeros(theta.shape[:2])
        for near in self.near:
            residual, kept = near.residuals(theta)
            clipped[near.owners] += (residual != kept).sum(2)
            residual -= kept
            gradient[near.owners] -= residual @ near.X / self.sizes[near.owners, None, None]
        for d in np.flatnonzero(self.many | ~self._moments_suffice(theta)).tolist():
            gradient[d], clipped[d] = self._all_rows(d, theta)
        return gradient, clipped / self.sizes[:, None]

    def _follow(self, theta: Array) -> None:
        """Repeats the selection of records for data sets whose iterates have left the region of the last selection."""
        # Data sets with many records are left out, because regions only grow.
        selected = {d: self.screen.select(d) for d in self.screen.outgrown(theta).tolist() if not self.many[d]}
        if selected:
            self.near = [rest for near in self.near if len((rest := near.without(list(selected))).owners)]
            self.many[list(selected)] = [len(rows) > MANY * self.samples[d].n for d, rows in selected.items()]
            few = {d: rows for d, rows in selected.items() if len(rows) and not self.many[d]}
            self.near += self._gathered(few, runs=theta.shape[1])

    def _gathered(self, rows: dict[int, Index], runs: int) -> Iterator["_Records"]:
        """Yields the given rows of data sets in blocks that fit the cache, side by side if about equally many."""
        alike: dict[int, list[tuple[int, Index]]] = {}
        most = max(1, BLOCK // (runs * ALIKE)) * ALIKE
        for d, index in rows.items():
            for start in range(0, len(index), most):
                part = index[start : start + most]
                alike.setdefault(-(-len(part) // ALIKE) * ALIKE, []).append((d, part))
        for count, parts in alike.items():
            # Equal to 1 for `most`, so that no two parts of one data set ever lie side by side.
            width = max(1, BLOCK // (count * runs))
            for start in range(0, len(parts), width):
                yield _Records.gather(self.samples, parts[start : start + width], count, self.thresholds)

    def _moments_suffice(self, theta: Array) -> NDArray[np.bool_]:
        """Whether moments give the gradients of a data set without harmful rounding, shape (data sets,)."""
        reach = np.sqrt(np.einsum("dkp,dkp->dk", theta, theta).max(1))
        size = self.largest[:, 0] + self.largest[:, 1] * reach
        return rounding_is_negligible(self.sizes, size, self.thresholds.min())

    def _all_rows(self, d: int, theta: Array) -> tuple[Array, Array]:
        """Mean of clipped gradients, shape (runs, p), and number of clipped ones, from every record of a data set."""
        sample, (_, runs, p) = self.samples[d], theta.shape
        total, count = np.zeros((runs, p)), np.zeros(runs)
        size = max(64, BLOCK // max(runs, p))
        for start in range(0, sample.n, size):
            block = _Records.block(sample, slice(start, start + size), d, self.thresholds)
            residual, kept = block.residuals(theta)
            count += (residual != kept)[0].sum(1)
            total += kept[0] @ block.X[0]
        return total / sample.n, count


@dataclass(frozen=True)
class _Records:
    """Equal numbers of records of some data sets.

    Attributes:
        owners: the data sets, shape (owners,).
        X, y: covariates and responses, shapes (owners, records, p) and (owners, 1, records).
        limit: largest residual that is not clipped, `gamma / |x_i|`, shape (owners, runs or 1, records).
    """

    owners: Index
    X: Array
    y: Array
    limit: Array

    @classmethod
    def gather(
        cls, samples: Sequence[LinearSample], parts: list[tuple[int, Index]], count: int, thresholds: Array
    ) -> "_Records":
        """The rows of data sets, given as pairs (data set, rows), padded to `count` with zeros, which add nothing."""
        X = np.zeros((len(parts), count, samples[0].p))
        y, norms = np.zeros((2, len(parts), 1, count))
        for i, (d, rows) in enumerate(parts):
            X[i, : len(rows)] = samples[d].X[rows]
            y[i, 0, : len(rows)], norms[i, 0, : len(rows)] = samples[d].y[rows], samples[d].norms[rows]
        return cls(np.array([d for d, _ in parts]), X, y, _limits(norms, thresholds))

    @classmethod
    def block(cls, sample: LinearSample, rows: slice, owner: int, thresholds: Array) -> "_Records":
        """Returns consecutive records of one data set as views."""
        limit = _limits(sample.norms[None, None, rows], thresholds)
        return cls(np.array([owner]), sample.X[None, rows], sample.y[None, None, rows], limit)

    def without(self, owners: list[int]) -> "_Records":
        """Returns the records of all data sets except `owners`."""
        stay = ~np.isin(self.owners, owners)
        return self if stay.all() else _Records(self.owners[stay], self.X[stay], self.y[stay], self.limit[stay])

    def residuals(self, theta: Array) -> tuple[Array, Array]:
        """Residuals and clipped residuals, both of shape (owners, runs, records)."""
        residual = theta[self.owners] @ self.X.swapaxes(1, 2)
        residual -= self.y
        kept = np.minimum(residual, self.limit)
        return residual, np.maximum(kept, -self.limit, out=kept)


def _shape(samples: Sequence[LinearSample], arms: DPGDArms, normals: Array) -> tuple[int, int, int]:
    """The shape (data sets, runs, p), after a check that all shapes fit."""
    dimensions = {sample.p for sample in samples}
    if len(dimensions) != 1:
        raise ValueError(f"the data sets of a batch must share p, but have p={sorted(dimensions)}")
    shape = len(samples), len(arms), dimensions.pop()
    # An axis of length 1 is shared, but never the last one, because the noise of two coordinates is independent.
    fits = normals.ndim == 4 and normals.shape[0] >= arms.steps and normals.shape[3] == shape[2]
    if not fits or any(have not in (1, want) for have, want in zip(normals.shape[1:], shape, strict=True)):
        raise ValueError(f"normals of shape {normals.shape} do not fit T={arms.steps} and (data sets, runs, p)={shape}")
    return shape


def _limits(norms: Array, thresholds: Array) -> Array:
    """Largest unclipped residuals `gamma / |x_i|`, shape (owners, runs or 1, records)."""
    limits: Array = thresholds[:, None] / np.maximum(norms, TINY)
    return limits


def _spread(arms: DPGDArms, p: int) -> float:
    """Rough largest distance of iterates from their mean for covariates of unit variance; it only affects speed."""
    eta = np.minimum(arms.eta, 1.0)
    # The largest norm of as many standard normal vectors as there are steps; such a norm is about sqrt(p) +- sqrt(1/2).
    largest = np.sqrt(p) + np.sqrt(np.log(arms.steps * len(arms)))
    return float((arms.noise_sd * np.sqrt(eta / (2.0 - eta))).max() * largest)
