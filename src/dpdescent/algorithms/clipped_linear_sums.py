"""Sums of lines that are cut off at a threshold, by sorted records: clipped gradients that depend on one number.

Where a gradient is a linear function of one number, clipping cuts the line off at plus and minus the threshold, and the
sum over records is piecewise linear. With the records sorted by the places where they are cut off, it is read from
running sums.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy.clipping import rounding_is_negligible

Array = NDArray[np.float64]

# Fewer records are summed by array functions, which are as fast there.
ROWS = 256

# Numbers in one block of runs by records (2 MB); a constant, because it decides the last bits of sums.
BLOCK = 1 << 18


@dataclass(frozen=True)
class Lines:
    """Lines `slope v - height` of the records, whose values are to be cut off and summed.

    Attributes:
        slope: slope of each record's line, such as z^2, shape (n,).
        height: what each record's line is lowered by, such as z x, shape (n,).
        slopes, heights: their sums.
        largest: largest |slope| and largest |height|.
    """

    slope: Array
    height: Array
    slopes: float
    heights: float
    largest: tuple[float, float]

    @classmethod
    def of(cls, slope: Array, height: Array) -> "Lines":
        """Sums the lines of all records."""
        return cls(
            slope, height, float(slope.sum()), float(height.sum()),
            (float(np.abs(slope).max()), float(np.abs(height).max())),
        )  # fmt: skip

    def uncut(self, v: Array) -> Array:
        """Sums of the lines' values at every v, shape of `v`."""
        return self.slopes * v - self.heights

    def sums_suffice(self, farthest: float, threshold: float) -> bool:
        """Whether the rounding error of `uncut` at |v| <= `farthest` is far below a threshold."""
        size = self.largest[0] * farthest + self.largest[1]
        return bool(rounding_is_negligible(len(self.slope), np.asarray(size), threshold))

    def every_cut(self, v: Array, threshold: Array) -> tuple[Array, Array]:
        """Sums of the values cut off at plus and minus a threshold, and how many are cut off, each of the shape of `v`.

        Args:
            v: places, shape (runs,).
            threshold: positive, shape (runs,).
        """
        total, count = np.zeros(v.shape), np.zeros(v.shape)
        for rows in blocks_of(len(self.slope), len(v)):
            values = np.multiply.outer(v, self.slope[rows]) - self.height[rows]
            total += np.clip(values, -threshold[:, None], threshold[:, None]).sum(axis=1)
            count += (np.abs(values) > threshold[:, None]).sum(axis=1)
        return total, count


@dataclass(frozen=True)
class ClippedLinearSums:
    """Lines that are cut off at one threshold, sorted by the two places where they meet it.

    Attributes:
        lines: the lines.
        threshold: where their values are cut off.
        low, high: places left of which, and right of which a line is cut off, each in rising order; records with
            slope 0 have none.
        below: sums, over the lines that are cut off at and after each place of `low`, of slope and of height less
            threshold (plus, where the slope is negative); the last entry is 0. Shape (2, places + 1).
        above: the same of slope and of height plus threshold (less) over the places of `high` before each one.
        flat: sum of what cutting off adds to lines of slope 0, and how many are cut off.
    """

    lines: Lines
    threshold: float
    low: Array
    high: Array
    below: Array
    above: Array
    flat: tuple[float, int]

    @classmethod
    def of(cls, lines: Lines, threshold: float) -> "ClippedLinearSums":
        """Sorts the lines for one threshold; without any (inf) no place is listed."""
        level = lines.height[lines.slope == 0.0]
        flat = float((np.clip(-level, -threshold, threshold) + level).sum()), int((np.abs(level) > threshold).sum())
        sloped = (lines.slope != 0.0) & np.isfinite(threshold)
        slope, height = lines.slope[sloped], lines.height[sloped]
        rise = np.copysign(threshold, slope)
        with np.errstate(over="ignore"):
            low, high = (height - rise) / slope, (height + rise) / slope
        first, second = np.argsort(low, kind="stable"), np.argsort(high, kind="stable")
        below, above = np.zeros((2, 2, len(slope) + 1))
        below[:, :-1] = np.cumsum(np.stack([slope, height - rise])[:, first][:, ::-1], axis=1)[:, ::-1]
        above[:, 1:] = np.cumsum(np.stack([slope, height + rise])[:, second], axis=1)
        return cls(lines, threshold, low[first], high[second], below, above, flat)

    def cut(self, v: Array) -> tuple[Array, Array]:
        """Sums of the values cut off, and how many are cut off, at places v, each of shape (runs,)."""
        if not self.lines.sums_suffice(float(np.abs(v).max()), self.threshold):
            return self.lines.every_cut(v, np.full(v.shape, self.threshold))
        left, right = self.low.searchsorted(v, side="right"), self.high.searchsorted(v, side="left")
        below, above = self.below[:, left], self.above[:, right]
        # A line that is cut off counts its threshold in place of its value.
        less = below[1] - below[0] * v
        more = above[0] * v - above[1]
        count = (self.flat[1] + len(self.low) - left + right).astype(float)
        return self.lines.uncut(v) + self.flat[0] + less - more, count


class Reader:
    """Reads the sums of `ClippedLinearSums` for one run, number by number.

    Calls of array functions would take most of the time of a step. Results are those of `ClippedLinearSums.cut`.
    """

    def __init__(self, cut: ClippedLinearSums) -> None:
        self.cut, self.suffices = cut, -1.0
        # Lists of Python's numbers, which a search reads fastest.
        self.low, self.high = cut.low.tolist(), cut.high.tolist()
        self.slopes, self.heights, (self.flat, count) = cut.lines.slopes, cut.lines.heights, cut.flat
        self.count = count + len(self.low)

    def at(self, v: float) -> tuple[float, int]:
        """Sum of the values cut off, and how many are cut off, at v."""
        if not abs(v) <= self.suffices:
            if not self.cut.lines.sums_suffice(abs(v), self.cut.threshold):
                total, cut_off = self.cut.lines.every_cut(np.array([v]), np.array([self.cut.threshold]))
                return float(total[0]), int(cut_off[0])
            self.suffices = abs(v)
        left, right = bisect_right(self.low, v), bisect_left(self.high, v)
        below, above = self.cut.below.item, self.cut.above.item
        less, more = below(1, left) - below(0, left) * v, above(0, right) * v - above(1, right)
        return self.slopes * v - self.heights + self.flat + less - more, self.count - left + right


def worth_sorting(factor: Array, *others: Array) -> bool:
    """Whether sorted lines serve better than array functions: enough records, and no product of theirs overflows."""
    with np.errstate(over="ignore"):
        return factor.shape[-1] >= ROWS and all(bool(np.isfinite(factor * other).all()) for other in others)


def descend(cut: ClippedLinearSums, rate: float, noise: Sequence[float]) -> tuple[list[float], int]:
    """Descends from zero on the mean of lines that are cut off, with given noise on it.

    Args:
        cut: the lines.
        rate: step size.
        noise: what is added to the mean in each step.

    Returns:
        The iterates after each step, and how many lines were cut off over all steps.
    """
    at, n, place, path, clipped = Reader(cut).at, len(cut.lines.slope), 0.0, list[float](), 0
    for added in noise:
        total, count = at(place)
        place -= rate * (total / n + added)
        path.append(place)
        clipped += count
    return path, clipped


def blocks_of(records: int, runs: int) -> Iterator[slice]:
    """Cuts records into blocks whose product with the runs fits the cache."""
    size = max(64, BLOCK // runs)
    return (slice(start, start + size) for start in range(0, records, size))
