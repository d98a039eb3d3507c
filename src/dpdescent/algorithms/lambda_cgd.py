"""Mini-batch DP-SGD with correlated noise for KANs (wang2026 Algorithm 1), for seeds and arms side by side.

`W_t = Proj(W_{t-1} - eta (v_t + (C/B) kappa (Z_t - lambda Z_{t-1})))`, where v_t is the batch's mean of gradients
clipped to norm C. T - 1 updates make T iterates, including W_0. Arms of a seed share records, start, heads, batches and
normals. A run depends only on the arguments of its own seed and arm, to the last bit, because products are stacked over
runs and never widened. The tests contain a plain version, one run with explicit gradients.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice, repeat

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import memory
from dpdescent.algorithms.lambda_cgd_arms import Batch
from dpdescent.algorithms.lambda_cgd_arms import CGDArms as CGDArms
from dpdescent.algorithms.lambda_cgd_arms import Runs as Runs
from dpdescent.algorithms.lambda_cgd_arms import State as State
from dpdescent.algorithms.lambda_cgd_arms import shifted as shifted
from dpdescent.checks import require_finite_values, require_positive
from dpdescent.models.kan import KAN, Heads, logistic, logistic_slope
from dpdescent.privacy.clipping import clip_factors

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Piece = tuple[slice, slice]

# Number of outputs of units (seeds x arms x records x units) that are computed together, so that they stay in the
# cache.
BLOCK = 1 << 15

# Number of normals that are drawn together (1 MB), but at least those of one step.
DRAWN = 1 << 17

# Relative distance from the sphere within which an iterate counts as lying on it.
ROUNDING = 1e-12

memory.keep_freed()


@dataclass(frozen=True)
class KANProblem:
    """The learning problem of every seed: model, records, start and fixed second layers.

    Attributes:
        kan: the model.
        features: h(x) of the records, shape (seeds, n, d p).
        labels: labels -1 or 1, shape (seeds, n).
        start: W_0, shape (seeds, m, d p).
        heads: the second layers, with one leading axis (seeds,).

    Raises:
        ValueError: if shapes do not fit, a value is not finite, or a label is neither -1 nor 1.
    """

    kan: KAN
    features: Array
    labels: Array
    start: Array
    heads: Heads

    def __post_init__(self) -> None:
        seeds, dp = len(self.start), self.kan.inputs * self.kan.splines.count
        shapes = {
            "features": (self.features.shape, (*self.labels.shape, dp)), "labels": (self.labels.shape[:1], (seeds,)),
            "start": (self.start.shape, (seeds, self.kan.width, dp)), "heads": (self.heads.lead, (seeds,)),
        }  # fmt: skip
        for name, (have, want) in shapes.items():
            if have != want:
                raise ValueError(f"{name} of shape {have} must have shape {want}")
        if not (np.abs(self.labels) == 1.0).all():
            raise ValueError("labels must be -1 or 1")
        require_finite_values(features=self.features, start=self.start)

    def loss_and_gradient(self, W: Array) -> tuple[Array, Array]:
        """Loss L_S(W), shape (seeds, arms), and its unclipped gradient, for W of shape (seeds, arms, m, d p)."""
        n, unlimited = self.labels.shape[1], np.full(W.shape[1], np.inf)
        losses, gradient = np.empty(W.shape[:2]), np.empty(W.shape)
        for piece in _pieces(slice(0, len(W)), W.shape[1], n * self.kan.width):
            losses[piece], gradient[piece], _ = self.batch(W, piece, None, unlimited)
        return losses / n, gradient / n

    def batch(self, W: Array, piece: Piece, rows: Index | None, clip_norm: Array) -> tuple[Array, Array, Array]:
        """Sums losses and clipped gradients over a batch, for a piece (seeds, arms) of the runs.

        Args:
            W: weights of all runs, shape (seeds, arms, m, d p).
            piece: slices of the seeds and of the arms.
            rows: rows of the records of the piece's seeds, shape (seeds of the piece, batch); None for all in order.
            clip_norm: clipping threshold C, shape (arms,).

        Returns:
            losses, shape (seeds, arms); clipped gradients, shape (seeds, arms, m, d p); number clipped, (seeds, arms).
        """
        seeds, arms = piece
        if rows is None:
            H, y, sizes = self.features[seeds], self.labels[seeds], self._norms[seeds]
        else:
            where = rows + (np.arange(len(self.labels)) * self.labels.shape[1])[seeds, None]
            H, y, sizes = self._rows.take(where, axis=0), self.labels.take(where), self._norms.take(where)
        H, y = H[:, None], y[:, None]
        f, S = self.kan.outputs_and_factors(W[piece], H, self.heads[seeds, None])
        margins = y * f
        weights, limits = y * logistic_slope(margins), clip_norm[arms, None]
        clipped = np.zeros(weights.shape[:2])
        if (limits < np.inf).any():
            norms = np.abs(weights) * np.sqrt(np.vecdot(S, S)) * sizes[:, None]
            weights *= clip_factors(norms, limits)
            clipped += (norms > limits).sum(-1)
        S *= weights[..., None]
        return logistic(margins).sum(-1), np.matmul(S.swapaxes(-1, -2), H), clipped

    @cached_property
    def _norms(self) -> Array:
        """Norms |h(x)| of the features, shape (seeds, n)."""
        norms: Array = np.sqrt(np.vecdot(self.features, self.features))
        return norms

    @cached_property
    def _rows(self) -> Array:
        """Features of all seeds as one matrix, shape (seeds n, d p); copied only if they are scattered in memory."""
        return self.features.reshape(-1, self.features.shape[-1])


def run(
    problem: KANProblem, arms: CGDArms, batches: Iterable[Batch] | None,
    normals: Sequence[np.random.Generator] | None, *, steps: int, batch_size: int | None = None,
    test: tuple[Array, Array] | None = None, per_step: int = 100, observe: Callable[[State], None] | None = None,
) -> Runs:  # fmt: skip
    """Trains one KAN per seed and arm by wang2026 Algorithm 1.

    Args:
        problem: records, starts and heads of the seeds.
        arms: settings of the runs.
        batches: one batch for each of the T steps (the last only measures W_{T-1}): rows of every seed, an array of
            shape (seeds, B) or a sequence of one array per seed, whose sizes may differ. None for all records in order.
        normals: one generator per seed, from which Z_1, Z_2... are drawn; None where no arm has noise.
        steps: number of steps T.
        batch_size: nominal batch size B, the divisor of sums; must be given where sizes vary.
        test: features (seeds, N, d p) and labels (seeds, N) of test points.
        per_step: number of test points per iterate, taken in turn; a divisor of N.
        observe: function that is called with the state at every t = 0..T-1.

    Raises:
        ValueError: if shapes do not fit, batches end too soon, or something is missing.
    """
    require_positive(steps=steps, per_step=per_step)
    stream: Iterator[Batch | None] = iter(repeat(None) if batches is None else batches)
    first = list(islice(stream, 1))
    walk = _Walk(problem, arms, normals, _size_of(first, problem) if batch_size is None else batch_size)
    tester = None if test is None else _Tester(problem, *test, per_step)
    empirical, clipped, population = (np.empty((steps, *walk.projected.shape)) for _ in range(3))
    done = 0
    for t, batch in enumerate(islice(chain(first, stream), steps)):
        empirical[t], clipped[t] = walk.measure(batch, varying=batch_size is not None)
        if tester is not None:
            population[t] = tester.losses(t, walk.W)
        if observe is not None:
            observe(walk.state(t, batch))
        if t < steps - 1:
            walk.step()
        done += 1
    if done < steps:
        raise ValueError(f"batches end after {done} of T={steps} steps: give one a step")
    projected = walk.projected / max(steps - 1, 1)
    return Runs(empirical, None if tester is None else population, clipped, walk.W, projected)


class _Walk:
    """Current iterates of all runs, with the buffers and factors of a step."""

    def __init__(
        self, problem: KANProblem, arms: CGDArms, normals: Sequence[np.random.Generator] | None, batch_size: int
    ) -> None:
        require_positive(batch_size=batch_size)
        self.problem, self.arms, self.size = problem, arms, batch_size
        self.W = np.repeat(problem.start[:, None], len(arms), axis=1)
        self.total, self.projected = np.empty_like(self.W), np.zeros(self.W.shape[:2])
        self.rate = (arms.eta / batch_size)[:, None, None]
        self.drift = arms.eta * arms.noise_scale(batch_size)
        self.returned = (self.drift * arms.correlation)[:, None, None]
        self.Z, self.normals = np.zeros_like(problem.start)[:, None], None
        if arms.noise_multiplier.any():
            if normals is None or len(normals) != len(self.W):
                raise ValueError(f"normals={normals}, but an arm has noise: give one generator a seed")
            self.normals = _drawn(normals, self.W.shape[2:])

    def measure(self, batch: Batch | None, *, varying: bool) -> tuple[Array, Array]:
        """Sums the clipped gradients; returns the mean loss and the share clipped, shape (seeds, arms)."""
        losses, clipped = np.empty(self.projected.shape), np.empty(self.projected.shape)
        for seeds, rows in _groups(batch, len(self.W)):
            size = self.problem.labels.shape[1] if rows is None else rows.shape[1]
            if size != self.size and not varying:
                raise ValueError(f"batches of {self.size} and of {size} records: give batch_size, the nominal one")
            if rows is not None and not 0 <= rows.min(initial=0) <= rows.max(initial=0) < self.problem.labels.shape[1]:
                raise ValueError(f"rows of a batch must lie in 0..{self.problem.labels.shape[1] - 1}: sample from n")
            for piece in _pieces(seeds, len(self.arms), size * self.problem.kan.width):
                index = None if rows is None else rows[piece[0].start - seeds.start : piece[0].stop - seeds.start]
                losses[piece], self.total[piece], clipped[piece] = self.problem.batch(
                    self.W, piece, index, self.arms.clip_norm
                )
            clipped[seeds] /= max(size, 1)
        return losses / self.size, clipped

    def step(self) -> None:
        """Updates W_t to W_{t+1}, from the gradients of the last `measure` and fresh normals."""
        self.total *= self.rate
        self.W -= self.total
        if self.normals is not None:
            before, self.Z = self.Z, next(self.normals)
            self.W -= np.multiply(self.drift[:, None, None], self.Z, out=self.total)
            if self.returned.any():
                self.W += np.multiply(self.returned, before, out=self.total)
        if (self.arms.radius < np.inf).any():
            self._project()

    def state(self, t: int, batch: Batch | None) -> State:
        """State for an observer; to be called between `measure` and `step`."""
        return State(t, self.W, self.Z, self.total / self.size, batch, self.drift)

    def _project(self) -> None:
        """Moves iterates that have left the ball around W_0 radially to its surface."""
        start = self.problem.start[:, None]
        displaced = np.subtract(self.W, start, out=self.total)
        flat = displaced.reshape(*self.projected.shape, -1)
        factors = clip_factors(np.sqrt(np.vecdot(flat, flat)), self.arms.radius)
        # An iterate on the sphere is not moved, because rounding puts it inside or outside by chance.
        outside = factors < 1.0 - ROUNDING
        displaced *= factors[..., None, None]
        displaced += start
        self.W[outside] = displaced[outside]
        self.projected += outside


class _Tester:
    """Losses at test points; every step uses some of them."""

    def __init__(self, problem: KANProblem, features: Array, labels: Array, per_step: int) -> None:
        want = (*labels.shape, problem.features.shape[2])
        if features.shape != want or len(labels) != len(problem.start) or labels.shape[1] % per_step:
            raise ValueError(
                f"test features {features.shape} and labels {labels.shape} must be (seeds={len(problem.start)}, N, "
                f"d p={want[2]}) and (seeds, N), N a multiple of per_step={per_step}"
            )
        self.problem, self.features, self.labels, self.per_step = problem, features, labels, per_step

    def losses(self, t: int, W: Array) -> Array:
        """Mean loss of W at the test points of step t, shape (seeds, arms)."""
        at = t * self.per_step % self.labels.shape[1]
        points, kan = slice(at, at + self.per_step), self.problem.kan
        losses = np.empty(W.shape[:2])
        for seeds, arms in _pieces(slice(0, len(W)), W.shape[1], self.per_step * kan.width):
            H, y = self.features[seeds, None, points], self.labels[seeds, None, points]
            f = kan.outputs(W[seeds, arms], H, self.problem.heads[seeds, None])
            losses[seeds, arms] = logistic(y * f).sum(-1) / self.per_step
        return losses


def _size_of(first: Sequence[Batch | None], problem: KANProblem) -> int:
    """Number of records in the first batch of the first seed."""
    if not first:
        raise ValueError("batches is empty: give one a step")
    return problem.labels.shape[1] if first[0] is None else len(first[0][0])


def _groups(batch: Batch | None, seeds: int) -> list[tuple[slice, Index | None]]:
    """Groups of seeds that are computed together: all seeds if their batches have one size, otherwise each alone."""
    if batch is None:
        return [(slice(0, seeds), None)]
    if len(batch) != seeds:
        raise ValueError(f"a batch has rows for {len(batch)} seeds, but there are {seeds}")
    if isinstance(batch, np.ndarray) or len({len(rows) for rows in batch}) == 1:
        return [(slice(0, seeds), np.asarray(batch))]
    return [(slice(seed, seed + 1), rows[None]) for seed, rows in enumerate(batch)]


@lru_cache(maxsize=256)
def _cuts(count: int, length: int) -> tuple[tuple[int, int], ...]:
    """Pairs (start, stop) that cut a range into parts of at most a length."""
    return tuple((start, min(start + length, count)) for start in range(0, count, length))


def _pieces(seeds: slice, arms: int, units: int) -> Iterator[Piece]:
    """Yields pieces of the runs that fit the cache; one run needs `units` numbers. No result depends on the pieces."""
    together = max(1, BLOCK // max(1, units))
    for first, last in _cuts(seeds.stop - seeds.start, max(1, together // arms)):
        for piece in _cuts(arms, together):
            yield slice(seeds.start + first, seeds.start + last), slice(*piece)


def _drawn(normals: Sequence[np.random.Generator], shape: tuple[int, ...]) -> Iterator[Array]:
    """Yields Z_1, Z_2..., each of shape (seeds, 1, m, d p). The generators produce more normals than are used."""
    steps = max(1, DRAWN // (len(normals) * math.prod(shape)))
    while True:
        block = np.empty((len(normals), steps, *shape))
        for rng, own in zip(normals, block, strict=True):
            rng.standard_normal(out=own)
        for step in range(steps):
            yield block[:, step, None]
