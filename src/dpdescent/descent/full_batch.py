"""DP-GD for linear regression: full-batch gradient descent with clipping and Gaussian noise (brown2024 Algorithm 1).

Runs on one data set are columns of the same products; several data sets go through as a batch. A clipped gradient is
the unclipped one, which needs second moments only, less what clipping takes off the records that it touches; which
records those can be is known without a look at most of them (`screening`). Where many records are touched, or where
second moments would round too coarsely, all rows go through in blocks that fit the cache. The slow, obvious twin is
in the tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.linear import LinearSample
from dpdescent.descent import memory
from dpdescent.descent.clipping import rounding_is_negligible
from dpdescent.descent.screening import Index, Screen

Array = NDArray[np.float64]

# Numbers in one block of residuals (2 MB), as in the two-stage descent; a constant, because the cut of the rows decides
# the last bits of their sums.
BLOCK = 1 << 18

memory.keep_freed()

# An infinite threshold and a record at the origin never clip; finite numbers do the same without inf / inf or 1 / 0.
LARGEST, TINY = np.finfo(np.float64).max / 2, 1e-300

# Above this share of records that may be clipped, one pass over all of them is cheaper than gathering those.
MANY = 0.25


@dataclass(frozen=True)
class Arms:
    """Settings of runs that share a data set.

    Attributes:
        steps: number of iterations T of every run.
        eta: step sizes, shape (runs,).
        gamma: clipping thresholds, shape (runs,); inf switches clipping off.
        noise_sd: lambda, sd of the noise on the mean gradient, shape (runs,); 0 switches noise off.
    """

    steps: int
    eta: Array
    gamma: Array
    noise_sd: Array

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps={self.steps} must be at least 1")
        if not len(self.eta) == len(self.gamma) == len(self.noise_sd) > 0:
            raise ValueError(f"eta, gamma and noise_sd must have one value a run, but have {len(self.eta)}, "
                             f"{len(self.gamma)} and {len(self.noise_sd)}")  # fmt: skip
        for name in ("eta", "gamma"):
            if not getattr(self, name).min() > 0.0:
                raise ValueError(f"{name}={getattr(self, name).min()} must be positive")
        if not self.noise_sd.min() >= 0.0:
            raise ValueError(f"noise_sd={self.noise_sd.min()} must not be negative")

    def __len__(self) -> int:
        return len(self.eta)

    @classmethod
    def alike(cls, runs: int, steps: int, eta: float, gamma: float, noise_sd: float) -> "Arms":
        """Equal settings for every run."""
        return cls(steps, np.full(runs, eta), np.full(runs, gamma), np.full(runs, noise_sd))


@dataclass(frozen=True)
class Descent:
    """What came out.

    Attributes:
        theta: last iterates, shape (data sets, runs, p).
        clipped: fraction of all n T per-sample gradients that were clipped, shape (data sets, runs).
        path: iterates 1 to T, shape (T, data sets, runs, p), if they were asked for.
    """

    theta: Array
    clipped: Array
    path: Array | None = None


def descend(samples: Sequence[LinearSample], arms: Arms, normals: Array, record: bool = False) -> Descent:
    """Runs DP-GD from zero, `theta <- theta - eta (mean clipped gradient - lambda z)`, for every arm on every sample.

    The clipped gradient of a record is `clip(r_i, gamma / |x_i|) x_i` with `r_i = x_i'theta - y_i`: the gradient of a
    Huber loss (brown2024 Sec. 2.5).

    Args:
        samples: data sets with the same number p of covariates.
        arms: settings of the runs.
        normals: standard normals, shape (at least T, data sets or 1, runs or 1, p); an axis of length 1 is shared.
        record: whether to keep all iterates.

    Raises:
        ValueError: if the samples differ in p, or the normals do not fit.
    """
    p = samples[0].p
    if any(sample.p != p for sample in samples):
        raise ValueError(f"data sets of one batch must share p, but have {sorted({sample.p for sample in samples})}")
    shape = (len(samples), len(arms), p)
    if normals.shape[0] < arms.steps or np.broadcast_shapes(normals.shape[1:], shape) != shape:
        raise ValueError(f"normals of shape {normals.shape} do not fit T={arms.steps} and (data sets, runs, p)={shape}")
    batch = _Batch(samples, arms)
    theta, clipped = np.zeros(shape), np.zeros(shape[:2])
    path = np.empty((arms.steps, *shape)) if record else None
    for t in range(arms.steps):
        gradient, fraction = batch.gradients(theta)
        theta += arms.eta[:, None] * (arms.noise_sd[:, None] * normals[t] - gradient)
        clipped += fraction / arms.steps
        if path is not None:
            path[t] = theta
    return Descent(theta, clipped, path)


class _Batch:
    """Data sets side by side: their moments, and the records that clipping may touch."""

    def __init__(self, samples: Sequence[LinearSample], arms: Arms) -> None:
        self.samples, self.screen = samples, Screen(samples, arms.gamma, _spread(arms, samples[0].p))
        self.moment = np.stack([sample.gram.xx / sample.n for sample in samples])
        self.cross = np.stack([sample.gram.xy / sample.n for sample in samples])[:, None, :]
        # One column where all thresholds are equal: limits are then computed once a record, not once a run.
        self.thresholds = arms.gamma[:1] if (arms.gamma == arms.gamma[0]).all() else arms.gamma
        self.largest = np.array([[(s.norms * np.abs(s.y)).max(), s.norms.max() ** 2] for s in samples])
        self.sizes = np.array([sample.n for sample in samples])
        self.near = [_Records.of(sample, slice(0), self.thresholds) for sample in samples]
        self.many = np.zeros(len(samples), dtype=bool)

    def gradients(self, theta: Array) -> tuple[Array, Array]:
        """Means of clipped gradients, shape (data sets, runs, p), and fractions clipped, shape (data sets, runs)."""
        self._follow(theta)
        gradient, clipped = np.matmul(theta, self.moment) - self.cross, np.zeros(theta.shape[:2])
        everything = self.many | ~self._moments_suffice(theta)
        for d, (near, n) in enumerate(zip(self.near, self.sizes.tolist(), strict=True)):
            if everything[d]:
                gradient[d], clipped[d] = self._all_rows(self.samples[d], theta[d])
            elif len(near.y):
                beyond, clipped[d] = near.beyond(theta[d])
                gradient[d] -= beyond / n
        return gradient, clipped / self.sizes[:, None]

    def _follow(self, theta: Array) -> None:
        """Selects anew the records of data sets whose iterates have moved away."""
        for d in self.screen.outgrown(theta):
            if not self.many[d]:
                rows, sample = self.screen.select(d), self.samples[d]
                # Regions only grow, so many records stay many.
                self.many[d] = len(rows) > MANY * sample.n
                self.near[d] = _Records.of(sample, slice(0) if self.many[d] else rows, self.thresholds)

    def _moments_suffice(self, theta: Array) -> NDArray[np.bool_]:
        """Whether moments give the gradients of a data set without harmful rounding, shape (data sets,)."""
        reach = np.sqrt(np.einsum("dkp,dkp->dk", theta, theta).max(1))
        size = self.largest[:, 0] + self.largest[:, 1] * reach
        return rounding_is_negligible(self.sizes, size, self.thresholds.min())

    def _all_rows(self, sample: LinearSample, theta: Array) -> tuple[Array, Array]:
        """Mean of clipped gradients, shape (runs, p), and number of clipped ones, from every record."""
        total, count = np.zeros(theta.shape), np.zeros(len(theta))
        size = max(64, BLOCK // max(theta.shape))
        for start in range(0, sample.n, size):
            block = _Records.of(sample, slice(start, start + size), self.thresholds)
            residual, kept = block.residuals(theta)
            count += (residual != kept).sum(0)
            total += kept.T @ block.X
        return total / sample.n, count


@dataclass(frozen=True)
class _Records:
    """Some records of a data set.

    Attributes:
        X, y: covariates and responses, shapes (records, p) and (records, 1).
        limit: largest residual that is not clipped, `gamma / |x_i|`, shape (records, runs or 1).
    """

    X: Array
    y: Array
    limit: Array

    @classmethod
    def of(cls, sample: LinearSample, rows: Index | slice, thresholds: Array) -> "_Records":
        limit = np.minimum(thresholds, LARGEST) / np.maximum(sample.norms[rows], TINY)[:, None]
        return cls(sample.X[rows], sample.y[rows, None], limit)

    def residuals(self, theta: Array) -> tuple[Array, Array]:
        """Residuals, and what clipping leaves of them, both of shape (records, runs)."""
        residual = self.X @ theta.T
        residual -= self.y
        kept = np.minimum(residual, self.limit)
        return residual, np.maximum(kept, -self.limit, out=kept)

    def beyond(self, theta: Array) -> tuple[Array, Array]:
        """Sum of what clipping takes off the gradients, shape (runs, p), and how many gradients it takes it off."""
        residual, kept = self.residuals(theta)
        count = (residual != kept).sum(0)
        residual -= kept
        return residual.T @ self.X, count


def _spread(arms: Arms, p: int) -> float:
    """How far iterates lie from their mean once they have settled, for covariates of unit variance: a hint only."""
    eta = np.minimum(arms.eta, 1.0)
    return float((arms.noise_sd * np.sqrt(p * eta / (2.0 - eta))).max())
