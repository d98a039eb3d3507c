"""Restarts: a strategy runs on consecutive blocks of steps, with new noise in each block."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from dpdescent.checks import require_positive, require_whole
from dpdescent.noise.strategies.base import Draw, Strategy

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stamped(Strategy):
    """Strategy that restarts another one: encoder and decoder are block-diagonal, with one block per copy.

    Attributes:
        name: name of the base and the number of copies.
        anytime: equal to that of the base, because the times of restarts are fixed beforehand.
        base: strategy that is restarted.
        copies: number S of blocks, whose lengths differ by at most one step.
    """

    name: str
    anytime: bool
    base: Strategy
    copies: int

    def __post_init__(self) -> None:
        require_whole(copies=self.copies)
        require_positive(copies=self.copies)

    def lengths(self, T: int) -> list[int]:
        """Numbers of steps of all blocks; the first T mod S blocks have one step more than the others.

        Raises:
            ValueError: if there are more blocks than steps.
        """
        if self.copies > T:
            raise ValueError(f"copies={self.copies} must not exceed T={T}: each restart takes at least one step")
        short, longer = divmod(T, self.copies)
        return [short + 1] * longer + [short] * (self.copies - longer)

    def fewest_steps(self) -> int:
        return self.copies

    def noises(self, T: int) -> int:
        return sum(self.base.noises(L) for L in self.lengths(T))

    def encoder(self, T: int) -> Array:
        return _diagonal([self.base.encoder(L) for L in self.lengths(T)])

    def decoder(self, T: int) -> Array:
        return _diagonal([self.base.decoder(L) for L in self.lengths(T)])

    def participation_norms_squared(self, T: int, separation: int) -> Array:
        """Squared norms of sums of columns `separation` apart, per offset, shape (separation,).

        Columns of different blocks are orthogonal, so that the squared norms within the blocks add up.
        """
        lengths = self.lengths(T)
        of_block = {L: self.base.participation_norms_squared(L, separation) for L in set(lengths)}
        norms, start = np.zeros(separation), 0
        for L in lengths:
            norms += np.roll(of_block[L], start % separation)
            start += L
        return norms

    def prefix_errors_squared(self, T: int) -> Array:
        """Variances of the noise in prefix sums, shape (T,); every prefix contains the noise of all earlier blocks."""
        lengths = self.lengths(T)
        of_block = {L: self.base.prefix_errors_squared(L) for L in set(lengths)}
        before = np.cumsum([0.0, *(of_block[L][-1] for L in lengths)])
        return np.concatenate([of_block[L] + carried for L, carried in zip(lengths, before[:-1], strict=True)])

    def correlate(self, normals: Array) -> Array:
        ends = np.cumsum([self.base.noises(L) for L in self.lengths(self.steps(len(normals)))])
        return np.concatenate([self.base.correlate(part) for part in np.split(normals, ends[:-1])])

    def blocks(self, T: int, draw: Draw, rows: int) -> Iterator[Array]:
        """Yields the noise in blocks of at most `rows` steps, each within one copy."""
        for L in self.lengths(T):
            yield from self.base.blocks(L, draw, rows)


def stamped(strategy: Strategy, copies: int) -> Strategy:
    """Returns the strategy with restarts, so that it runs `copies` times; for one copy, the strategy itself."""
    require_whole(copies=copies)
    return strategy if copies == 1 else Stamped(f"{strategy.name} x{copies}", strategy.anytime, strategy, copies)


def _diagonal(blocks: list[Array]) -> Array:
    matrix: Array = block_diag(*blocks)
    return matrix
