"""Sums of clipped gradients of DP-2S-GD by matrix products, which only visit rows that clipping may touch.

Per-sample gradients have rank one and are never formed. A sum of clipped gradients is the unclipped one, which only
needs second moments, minus the part that clipping removes from the rows that it touches. Near an anchor, the
least-squares estimate, the norm of a gradient is bounded by its norm at the anchor and the distance of the iterates
from it, so that most rows are known to be clipped in no run. All rows are tested again once an iterate leaves the
region, or when all iterates have been much nearer for a time. Any anchor gives correct results; a poor one only leaves
more rows.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.rows import Layout, Rows
from dpdescent.data.iv import IVSample
from dpdescent.privacy.clipping import clip_factors

Array = NDArray[np.float64]
Pair = tuple[float, float]

# Number of values per block of predictions (2 MB): smaller blocks lose more in calls than they gain in cache. A
# constant, because the positions of the cuts decide the last bits of sums.
BLOCK = 1 << 18

# Number of predictions below which visiting all rows costs less than following the iterates.
FEW = 4096

# The radius of a region is AHEAD times the distance of the iterates from the anchor. The region is renewed if for
# PATIENCE steps that distance was below NARROW times its radius.
AHEAD, NARROW, PATIENCE = 1.2, 0.5, 8

# Records this close to the threshold, relative to it, are visited; the margin exceeds the rounding of a test.
SLACK = 1e-6


class Products:
    """Sums of clipped gradients of both stages on one sample, for many runs at once."""

    def __init__(self, sample: IVSample, arms: int) -> None:
        self.layout, width = Layout.of(sample), arms * sample.p
        # One buffer for the predictions of every block: fresh memory would cost more than the product that fills it.
        self.scratch = np.empty(min(max(BLOCK, 64 * width), width * len(sample.y)))
        self.screen = _Screen(self.layout) if width * len(sample.y) >= FEW else None

    def __call__(
        self, Theta: Array, beta: Array, gamma1: Array, gamma2: Array, clipped: Array
    ) -> tuple[Array, Array]:  # fmt: skip
        """Sums of clipped gradients, shapes (arms, p, q) and (arms, p).

        Args:
            Theta, beta: iterates, the first transposed, shapes (arms, p, q) and (arms, p).
            gamma1, gamma2: thresholds, shape (arms,).
            clipped: counter to which the numbers of clipped gradients are added, shape (2, arms).
        """
        predictor, parts = np.einsum("kpq,kp->kq", Theta, beta), self.layout.parts
        limits = gamma1[:, None], gamma2[:, None]
        shortcut = self.layout.moments_suffice(Theta, limits[0]), False
        near = self.screen.near(Theta, predictor, gamma1, gamma2) if self.screen and shortcut[0] else None
        if near is not None and self.layout.outcomes_suffice(Theta, predictor, limits[1]):
            parts, shortcut = near, (True, True)
        before = clipped.copy()
        sums = _summed(self.layout, parts, (Theta, predictor), limits, clipped, self.scratch, shortcut)
        if self.screen:
            self.screen.clipped = float((clipped - before).max()) / self.layout.n
        return sums


def clipped_gradients(
    layout: Layout, Theta: Array, beta: Array, gamma1: Array, gamma2: Array, clipped: Array, scratch: Array
) -> tuple[Array, Array]:
    """The result of `Products`, from all rows; thresholds have shape (arms, 1), and `scratch` is a buffer."""
    predictor = np.einsum("kpq,kp->kq", Theta, beta)
    shortcut = layout.moments_suffice(Theta, gamma1), False
    return _summed(layout, layout.parts, (Theta, predictor), (gamma1, gamma2), clipped, scratch, shortcut)


def _summed(
    layout: Layout, parts: Sequence[Rows], at: tuple[Array, Array], limits: tuple[Array, Array], clipped: Array,
    scratch: Array, shortcut: tuple[bool, bool],
) -> tuple[Array, Array]:  # fmt: skip
    """Sums of clipped gradients; with a shortcut, the unclipped sum of a stage, corrected for the rows of `parts`."""
    (Theta, predictor), (gamma1, gamma2) = at, limits
    arms, p, q = Theta.shape
    flat = Theta.reshape(arms * p, q)
    sum1 = (Theta @ layout.ZZ - layout.XZ) if shortcut[0] else np.zeros(Theta.shape)
    sum2 = (predictor @ layout.ZZ - layout.yZ) if shortcut[1] else np.zeros((arms, q))
    for part in parts:
        for block in part.blocks(max(64, BLOCK // (arms * p))):
            product = scratch[: arms * p * block.Zt.shape[1]].reshape(arms * p, -1)
            V = np.matmul(flat, block.Zt, out=product).reshape(arms, p, -1)
            if block.y is not None:
                residual = predictor @ block.Zt - block.y
                norms = _row_norms(V) * np.abs(residual)
                rows, factors = _counted(norms, gamma2, block.weight, clipped[1], shortcut[1])
                sum2 += (residual[:, rows] * factors) @ block.Zt[:, rows].T
            if block.Xt is not None:
                V -= block.Xt
                norms = _row_norms(V) * block.z_norm
                rows, factors = _counted(norms, gamma1, block.weight, clipped[0], shortcut[0])
                counted = V[:, :, rows]
                counted *= factors[:, None]
                sum1 += (counted.reshape(arms * p, -1) @ block.Zt[:, rows].T).reshape(arms, p, q)
    # Every second-stage gradient is Theta' z times a number, so that Theta' is applied once, to their sum.
    return sum1, np.einsum("kpq,kq->kp", Theta, sum2)


class _Screen:
    """The rows that some run may clip while all iterates stay in a region about the anchor."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        info, ZZ = np.finfo(np.float64), layout.ZZ
        moment = ZZ + (info.eps * np.trace(ZZ) + info.tiny) * np.eye(len(ZZ))
        solved: Array = np.linalg.solve(moment, np.column_stack([layout.XZ.T, layout.yZ])).T
        self.Theta, self.predictor = solved[:-1], solved[-1]
        self.radii, self.widest, self.least = (-1.0, -1.0), (0.0, 0.0), (np.inf, np.inf)
        self.steps, self.rows = 0, list[Rows]()
        self.many = True
        # Largest share of the records that any run clipped in the last step, in either stage.
        self.clipped = 0.0

    def near(self, Theta: Array, predictor: Array, gamma1: Array, gamma2: Array) -> list[Rows] | None:
        """The rows to visit, by stage; None where they are many, which only some steps check."""
        # Clipped rows are among those to visit, so that there are still many to visit if many are clipped.
        if self.many and (self.steps % PATIENCE or 2.0 * self.clipped > 1.0):
            self.steps += 1
            return None
        least = float(gamma1.min()), float(gamma2.min())
        distances = _farthest(Theta - self.Theta), _farthest(predictor - self.predictor)
        self.steps, self.widest = self.steps + 1, (max(distances[0], self.widest[0]), max(distances[1], self.widest[1]))
        # Negated, because a distance that is NaN is within no region.
        if not (_within(distances, self.radii) and _within(self.least, least)):
            outgrown = zip(distances, self.radii, strict=True)
            first, second = (radius if distance <= radius else AHEAD * distance for distance, radius in outgrown)
            self._select((first, second), least)
        elif self.many or self.steps % PATIENCE == 0:
            if _within(self.widest, (NARROW * self.radii[0], NARROW * self.radii[1])):
                self._select((AHEAD * self.widest[0], AHEAD * self.widest[1]), least)
            self.widest = distances
        return None if self.many else self.rows

    def _select(self, radii: Pair, least: Pair) -> None:
        """Selects the rows for iterates within these distances of the anchor, and thresholds of at least `least`."""
        self.radii, self.least, self.widest, self.rows, self.many = radii, least, (0.0, 0.0), [], False
        for part in self.layout.parts:
            fitted = self.Theta @ part.Zt
            if part.y is not None:
                fit = _row_norms(fitted[None])[0] + radii[0] * part.z_norm
                residual = np.abs(self.predictor @ part.Zt - part.y) + radii[1] * part.z_norm
                self._keep(part, fit * residual, least[1], second=True)
            if part.Xt is not None:
                residual = _row_norms((fitted - part.Xt)[None])[0] + radii[0] * part.z_norm
                self._keep(part, residual * part.z_norm, least[0], second=False)

    def _keep(self, part: Rows, bounds: Array, threshold: float, second: bool) -> None:
        """Keeps the rows of a stage for which the threshold does not bound the norm of the gradient."""
        rows = np.flatnonzero(~(bounds <= threshold * (1.0 - SLACK)))
        self.many |= 2 * len(rows) > len(bounds)
        if len(rows):
            self.rows.append(part.taken(rows, second))


def _within(distances: Pair, radii: Pair) -> bool:
    return distances[0] <= radii[0] and distances[1] <= radii[1]


def _farthest(apart: Array) -> float:
    """Largest Frobenius norm among the runs' matrices or vectors."""
    vectors = apart.reshape(len(apart), -1)
    return float(np.sqrt(np.vecdot(vectors, vectors).max()))


def _row_norms(V: Array) -> Array:
    """Euclidean norms of V, shape (arms, p, rows), along its middle axis, shape (arms, rows)."""
    if V.shape[1] == 1:
        return np.abs(V[:, 0])
    norms: Array = np.sqrt(np.einsum("kpn,kpn->kn", V, V))
    return norms


def _counted(
    norms: Array, gamma: Array, weight: Array | None, clipped: Array, shortcut: bool
) -> tuple[NDArray[np.int64] | slice, Array]:  # fmt: skip
    """Rows that contribute to a sum, and their factors; adds the numbers of clipped ones to `clipped`.

    With a shortcut only rows that some run clips contribute, with their factor minus 1. If at least half are clipped,
    all rows contribute, as a slice and therefore without a copy.
    """
    over = norms > gamma
    clipped += over.sum(1) if weight is None else over @ weight
    rows: NDArray[np.int64] | slice = slice(None)
    if shortcut:
        touched = np.flatnonzero(over.any(0))
        rows = touched if 2 * len(touched) < over.shape[1] else rows
    factors = clip_factors(norms[:, rows], gamma)
    if shortcut:
        factors -= 1.0
    return rows, factors if weight is None else factors * weight[rows]
