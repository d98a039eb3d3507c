"""Binary trees: sums of gradients over dyadic intervals of time are released, and prefix sums are computed from them.

The last step of a node's interval finishes the node. TreeAgg adds the finished nodes that make up a prefix. Honaker's
estimates also use the nodes below them: a sum of 2^h gradients is known from its own node, with variance 1, and as the
sum of the estimates of its halves, with variance 2 v_(h-1). Weighted by precision they have the variance `v_h =
2^h/(2^(h+1) - 1)`. Full Honaker, least squares with all nodes, needs later nodes too (choquettechoo2023 Table 3,
Kairouz et al. 2021).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from dpdescent.noise.strategies.base import Draw, Strategy

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree(Strategy):
    """Strategy with the encoder of a tree with 2^ceil(log2 T) leaves, T of which are steps.

    The rows of the encoder are the nodes in the order in which steps finish them, lower ones first, and then the nodes
    that are unfinished at T.

    Attributes:
        name: name of the strategy, as in the papers' legends.
        finished_only: whether nodes that are unfinished at T are left out. No online decoder uses them, but the matrix
            mechanisms of choquettechoo2023 release them, and they raise the sensitivity.
    """

    name: str
    finished_only: bool

    def noises(self, T: int) -> int:
        return finished_nodes(T) + len(self._unfinished(T))

    def encoder(self, T: int) -> Array:
        stretches = [(t + 1 - 2**h, t + 1) for t in range(T) for h in range(height_finished(t) + 1)]
        stretches += [((T >> h) << h, T) for h in self._unfinished(T)]
        t = np.arange(T)
        return np.array([(start <= t) & (t < stop) for start, stop in stretches], dtype=np.float64)

    def participation_norms_squared(self, T: int, separation: int) -> Array:
        """Squared norms of sums of columns `separation` apart, per offset, shape (separation,).

        The entry of a node in such a sum is the number of participations in its interval, so that no entry is negative.
        """
        steps = np.arange(-(-T // separation) * separation).reshape(-1, separation).T
        offset = np.broadcast_to(np.arange(separation)[:, None], steps.shape)[steps < T]
        steps, norms = steps[steps < T], np.zeros(separation)
        for h in range(_levels(T)):
            node = steps >> h
            first = np.flatnonzero(np.diff(node, prepend=-1) | np.diff(offset, prepend=-1))
            counts = np.diff(first, append=len(node))
            kept = ((node[first] + 1) << h <= T) | (not self.finished_only)
            norms += np.bincount(offset[first], kept * counts.astype(np.float64) ** 2, separation)
        return norms

    def _unfinished(self, T: int) -> list[int]:
        """Heights of the nodes that are unfinished at T, if they are released."""
        return [] if self.finished_only else [h for h in range(1, _levels(T)) if T % 2**h]


@dataclass(frozen=True)
class OnlineTree(Tree):
    """Tree strategy whose prefix sums use finished nodes only; made by the constructors of this module.

    Attributes:
        pooled: whether the estimate of a node also uses the nodes below it.
    """

    pooled: bool
    anytime = True

    def decoder(self, T: int) -> Array:
        return self.correlate(np.eye(self.noises(T)))

    def prefix_errors_squared(self, T: int) -> Array:
        """Variances of the noise in prefix sums, shape (T,); t steps have a node of height h for every bit h of t."""
        t = np.arange(1, T + 1)
        errors = np.zeros(T)
        for h in range(_levels(T)):
            errors += (t >> h & 1) * self._variance(h)
        return errors

    def correlate(self, normals: Array) -> Array:
        T = self.steps(len(normals))
        return next(self.blocks(T, lambda count: normals[:count], T))

    def blocks(self, T: int, draw: Draw, rows: int) -> Iterator[Array]:
        """Yields the noise in blocks; the estimates of at most log2 T nodes are kept between blocks."""
        kept: list[Array] = []
        for start in range(0, T, rows):
            stop = min(start + rows, T)
            normals = iter(draw(finished_nodes(stop) - finished_nodes(start)))
            yield np.array([self._step(t, normals, kept) for t in range(start, stop)])
        # Normals of unfinished nodes are drawn too, so that later draws from the same stream come after all rows.
        draw(self.noises(T) - finished_nodes(T))

    def _step(self, t: int, normals: Iterator[Array], kept: list[Array]) -> Array:
        """Noise of step t: the estimate of the finished node minus those of the nodes that it replaces in the prefix.

        Args:
            t: step, counted from 0.
            normals: normals of the nodes in the order of the nodes.
            kept: estimates of the nodes that make up the prefix, largest first; updated in place.
        """
        node = next(normals)
        replaced = np.zeros(node.shape)
        for h in range(1, height_finished(t) + 1):
            half = kept.pop()
            replaced += half
            weight = self._variance(h)
            own = next(normals)
            node = weight * own + (1.0 - weight) * (half + node) if self.pooled else own
        kept.append(node)
        return node - replaced

    def _variance(self, h: int) -> float:
        """Variance of the estimate of a finished node of height h, also the weight of the node's own noise in it."""
        return 2.0**h / (2.0 ** (h + 1) - 1.0) if self.pooled else 1.0


@dataclass(frozen=True)
class FullTree(Tree):
    """Tree strategy by least squares with all nodes; the decoder is the encoder's pseudo-inverse."""

    anytime = False

    def decoder(self, T: int) -> Array:
        C = self.encoder(T)
        B: Array = cho_solve(cho_factor(C.T @ C), C.T)
        return B


def tree_aggregation(finished_only: bool = False) -> OnlineTree:
    """Returns TreeAgg: each prefix is the sum of the fewest nodes."""
    return OnlineTree("TreeAgg", finished_only, pooled=False)


def online_honaker(finished_only: bool = False) -> OnlineTree:
    """Returns Honaker's estimates from below: each prefix has the smallest variance that finished nodes allow."""
    return OnlineTree("Honaker", finished_only, pooled=True)


def full_honaker(finished_only: bool = False) -> FullTree:
    """Returns Honaker's full estimates: each prefix has the smallest variance that all nodes allow."""
    return FullTree("full Honaker", finished_only)


def height_finished(t: int) -> int:
    """Height of the largest node that ends with step t, counted from 0."""
    return ((t + 1) & -(t + 1)).bit_length() - 1


def finished_nodes(T: int) -> int:
    """Number of nodes that the first T steps finish."""
    return 2 * T - T.bit_count()


def _levels(T: int) -> int:
    """Number of levels of the tree, 1 + ceil(log2 T)."""
    return 1 + (T - 1).bit_length()
