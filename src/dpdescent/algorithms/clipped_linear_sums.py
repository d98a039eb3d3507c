"""Sums of linear functions that are clipped at a threshold, from sorted records.

Where a clipped gradient depends on one number and is linear in it, clipping cuts the line off at plus and minus the
threshold, and the sum over records is piecewise linear. With the records sorted by the points at which their lines are
cut off, running sums give that sum.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy.clipping import rounding_is_negligible

Array = NDArray[np.float64]

# Fewer records than this are summed by array functions, which are as fast for them.
ROWS = 256

# Number of values per block of runs times records (2 MB); a constant, because it decides the last bits of sums.
BLOCK = 1 << 18


@dataclass(frozen=True)
class Lines:
    """Lines `slope v - height`, one per record, whose values are clipped and summed.

    Attributes:
        slope: slope of each record's line, such as z^2, shape (n,).
        height: constant that each record's line subtracts, such as z x, shape (n,).
        slopes, heights: sums of the slopes and of the heights.
        largest: largest |slope| and largest |height|.
    """

    slope: Array
    height: Array
    slopes: float
    heights: float
    largest: tuple[float, float]

    @classmethod
    def of(cls, slope: Array, height: Array) -> "Lines":
        """The lines of all records, with their sums."""
        return cls(
            slope, height, float(slope.sum()), float(height.sum()),
            (float(np.abs(slope).max()), float(np.abs(height).max())),
        )  # fmt: skip

    def uncut(self, v: Array) -> Array:
        """Sums of the unclipped values of all lines at every v, shape of `v`."""
        return self.slopes * v - self.heights

    def sums_suffice(self, farthest: float, threshold: float) -> bool:
        """Whether the rounding error of `uncut` for |v| <= `farthest` is far below a threshold."""
        size = self.largest[0] * farthest + self.largest[1]
        return bool(rounding_is_negligible(len(self.slope), np.asarray(size), threshold))

    def every_cut(self, v: Array, threshold: Array) -> tuple[Array, Array]:
        """Sums of the clipped values, and numbers of clipped values, from all records; both have the shape of `v`.

        Args:
            v: points, shape (runs,).
            threshold: clipping thresholds, positive, shape (runs,).
        """
        total, count = np.zeros(v.shape), np.zeros(v.shape)
        for rows in blocks_of(len(self.slope), len(v)):
            values = np.multiply.outer(v, self.slope[rows]) - self.height[rows]
            total += np.clip(values, -threshold[:, None], threshold[:, None]).sum(axis=1)
            count += (np.abs(values) > threshold[:, None]).sum(axis=1)
        return total, count


@dataclass(frozen=True)
class ClippedLinearSums:
    """Lines that are clipped at one threshold, sorted by the two points at which they meet it.

    Attributes:
        lines: the lines.
        threshold: the clipping threshold of their values.
        low, high: points at which lines meet the threshold, in rising order: a line is clipped to the left of its point
            in `low`, and to the right of its point in `high`; records with slope 0 have none.
        below: sums over the lines that are clipped at and after each point of `low`: of the slope, and of the height
            minus the threshold (plus, where the slope is negative); the last entry is 0. Shape (2, points + 1).
        above: sums over the points of `high` before each one: of the slope, and of the height plus the threshold
            (minus, where the slope is negative).
        flat: sum of the changes that clipping makes to lines of slope 0, and the number of clipped ones.
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
        """The lines, sorted for one threshold; an infinite threshold gives no points."""
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
        """Sums of the clipped values, and numbers of clipped values, at the points v; both have shape (runs,)."""
        if not self.lines.sums_suffice(float(np.abs(v).max()), self.threshold):
            return self.lines.every_cut(v, np.full(v.shape, self.threshold))
        left, right = self.low.searchsorted(v, side="right"), self.high.searchsorted(v, side="left")
        below, above = self.below[:, left], self.above[:, right]
        # A clipped line contributes the threshold in place of its value.
        less = below[1] - below[0] * v
        more = above[0] * v - above[1]
        count = (self.flat[1] + len(self.low) - left + right).astype(float)
        return self.lines.uncut(v) + self.flat[0] + less - more, count


class Reader:
    """Reader of the sums of `ClippedLinearSums` for a single run, one point at a time.

    It exists because calls of array functions would take most of the time of a step. Results equal those of
    `ClippedLinearSums.cut`.
    """

    def __init__(self, cut: ClippedLinearSums) -> None:
        self.cut, self.suffices = cut, -1.0
        # Lists of Python numbers, because a search reads them fastest.
        self.low, self.high = cut.low.tolist(), cut.high.tolist()
        self.slopes, self.heights, (self.flat, count) = cut.lines.slopes, cut.lines.heights, cut.flat
        self.count = count + len(self.low)

    def at(self, v: float) -> tuple[float, int]:
        """Sum of the clipped values, and number of clipped values, at v."""
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
    """Whether sorted lines are better than array functions: enough records, and no product of theirs overflows."""
    with np.errstate(over="ignore"):
        return factor.shape[-1] >= ROWS and all(bool(np.isfinite(factor * other).all()) for other in others)


def descend(cut: ClippedLinearSums, rate: float, noise: Sequence[float]) -> tuple[list[float], int]:
    """Descends from zero along the mean of clipped lines, with given noise on the mean.

    Args:
        cut: the lines.
        rate: step size.
        noise: noise that is added to the mean in each step.

    Returns:
        The iterates after each step, and the number of clipped lines over all steps.
    """
    at, n, place, path, clipped = Reader(cut).at, len(cut.lines.slope), 0.0, list[float](), 0
    for added in noise:
        total, count = at(place)
        place -= rate * (total / n + added)
        path.append(place)
        clipped += count
    return path, clipped


def blocks_of(records: int, runs: int) -> Iterator[slice]:
    """Slices that cut the records into blocks; a block times the number of runs fits the cache."""
    size = max(64, BLOCK // runs)
    return (slice(start, start + size) for start in range(0, records, size))
