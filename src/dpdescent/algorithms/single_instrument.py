"""Clipped gradients of DP-2S-GD with one regressor and one instrument, where they are functions of one number.

With p = q = 1 the first stage's clipped gradient of a record, z (z Theta - x), is a linear function of Theta, cut off
at the threshold. So the sum over records is piecewise linear: with the records sorted by the places where they are
cut off, it is read from running sums. The second stage's, Theta z (z u - y) at u = Theta beta, has another threshold
in every run and step, |Theta| times smaller. There the records are tested at the smallest and largest u of all runs:
the gradient is largest at one of them, so that most records are seen to be clipped in no run, and enter by moments.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.iv import IVSample
from dpdescent.privacy.clipping import rounding_is_negligible

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Samples with fewer rows, or runs with more first-stage thresholds, each of which sorts the records, are left to matrix
# products, which are as fast there.
ROWS, THRESHOLDS = 256, 64

# Records this close to the threshold, relative to it, are tested in every run: more than the rounding of a test.
SLACK = 1e-6

# Numbers in one block of runs by records (2 MB); a constant, because it decides the last bits of sums.
BLOCK = 1 << 18


def worth(sample: IVSample, gamma1: Array) -> bool:
    """Whether runs with these first-stage thresholds are better computed here than by matrix products."""
    if sample.p != 1 or sample.q != 1 or sample.count is not None or len(sample.y) < ROWS:
        return False
    if len(np.unique(gamma1)) > THRESHOLDS:
        return False
    with np.errstate(over="ignore"):
        return bool(np.isfinite(sample.Z * sample.Z).all() and np.isfinite(sample.Z * sample.X).all()
                    and np.isfinite(sample.Z[:, 0] * sample.y).all())  # fmt: skip


@dataclass(frozen=True)
class Lines:
    """Lines `slope v - height` of the records, whose values are to be cut off and summed.

    Attributes:
        slope: z^2 of each record, shape (n,).
        height: z x (first stage) or z y (second stage) of each record, shape (n,).
        slopes, heights: their sums.
        largest: largest slope and largest |height|.
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
            slope, height, float(slope.sum()), float(height.sum()), (float(slope.max()), float(np.abs(height).max()))
        )

    def uncut(self, v: Array) -> Array:
        """Sums of the lines' values at every v, shape of `v`."""
        return self.slopes * v - self.heights

    def sums_suffice(self, v: Array, threshold: Array) -> bool:
        """Whether the rounding error of `uncut` is far below every threshold."""
        size = self.largest[0] * float(np.abs(v).max()) + self.largest[1]
        return bool(rounding_is_negligible(len(self.slope), np.asarray(size), float(threshold.min())))

    def cut(self, v: Array, threshold: Array) -> tuple[Array, Array]:
        """Sums of the values cut off at plus and minus a threshold, and how many are cut off, each of the shape of `v`.

        Args:
            v: places, shape (runs,).
            threshold: positive, shape (runs,).
        """
        suffice = self.sums_suffice(v, threshold)
        total, count = self.uncut(v) if suffice else np.zeros(v.shape), np.zeros(v.shape)
        for rows in self._undecided(v, float(threshold.min())) if suffice else _blocks(np.arange(len(self.slope)), v):
            values = np.multiply.outer(v, self.slope[rows]) - self.height[rows]
            kept = np.clip(values, -threshold[:, None], threshold[:, None])
            total += (kept - values if suffice else kept).sum(axis=1)
            count += (np.abs(values) > threshold[:, None]).sum(axis=1)
        return total, count

    def _undecided(self, v: Array, threshold: float) -> Iterator[Index]:
        """Yields blocks of the records whose value may exceed the threshold at some place between the outermost v."""
        low, high = (np.abs(self.slope * end - self.height) for end in (float(v.min()), float(v.max())))
        # Negated, because a value that is NaN must be looked at in every run.
        return _blocks(np.flatnonzero(~(np.maximum(low, high) <= threshold * (1.0 - SLACK))), v)


@dataclass(frozen=True)
class CutLines:
    """Lines that are cut off at one threshold, sorted by the two places where they meet it.

    Attributes:
        lines: the lines.
        threshold: where their values are cut off.
        low, high: places left of which a value is below minus, right of which it is above plus the threshold,
            in rising order; records with slope 0 have none.
        below: sums, over the lines that are cut off at and after each place of `low`, of slope and of height less
            threshold; the last entry is 0. Shape (2, places + 1).
        above: the same of slope and of height plus threshold over the places of `high` before each one.
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
    def of(cls, lines: Lines, threshold: float) -> "CutLines":
        """Sorts the lines for one threshold; without any (inf) no place is listed."""
        level = lines.height[lines.slope == 0.0]
        flat = float((np.clip(-level, -threshold, threshold) + level).sum()), int((np.abs(level) > threshold).sum())
        sloped = (lines.slope > 0.0) & np.isfinite(threshold)
        slope, height = lines.slope[sloped], lines.height[sloped]
        with np.errstate(over="ignore"):
            low, high = (height - threshold) / slope, (height + threshold) / slope
        first, second = np.argsort(low, kind="stable"), np.argsort(high, kind="stable")
        below, above = np.zeros((2, 2, len(slope) + 1))
        below[:, :-1] = np.cumsum(np.stack([slope, height - threshold])[:, first][:, ::-1], axis=1)[:, ::-1]
        above[:, 1:] = np.cumsum(np.stack([slope, height + threshold])[:, second], axis=1)
        return cls(lines, threshold, low[first], high[second], below, above, flat)

    def cut(self, v: Array) -> tuple[Array, Array]:
        """Sums of the values cut off, and how many are cut off, at places v, each of shape (runs,)."""
        if not self.lines.sums_suffice(v, np.asarray(self.threshold)):
            return self.lines.cut(v, np.full(v.shape, self.threshold))
        left, right = np.searchsorted(self.low, v, side="right"), np.searchsorted(self.high, v, side="left")
        # A line that is cut off counts its threshold in place of its value.
        less = self.below[1, left] - self.below[0, left] * v
        more = self.above[0, right] * v - self.above[1, right]
        count = (self.flat[1] + len(self.low) - left + right).astype(float)
        return self.lines.uncut(v) + self.flat[0] + less - more, count


class Gradients:
    """Sums of clipped gradients of both stages on one sample with p = q = 1, for many runs at once."""

    def __init__(self, sample: IVSample) -> None:
        z = sample.Z[:, 0]
        self.first, self.second = Lines.of(z * z, z * sample.X[:, 0]), Lines.of(z * z, z * sample.y)
        self.sorted: dict[float, CutLines] = {}

    def clipped(self, Theta: Array, beta: Array, gamma1: Array, gamma2: Array) -> tuple[Array, Array, Array, Array]:
        """Sums of both stages' clipped gradients, then the numbers of clipped ones; all arrays have shape (runs,)."""
        sum1, count1, sum2, count2 = np.zeros((4, len(Theta)))
        for gamma in np.unique(gamma1):
            members = np.flatnonzero(gamma1 == gamma)
            if gamma not in self.sorted:
                self.sorted[gamma] = CutLines.of(self.first, float(gamma))
            sum1[members], count1[members] = self.sorted[gamma].cut(Theta[members])
        for gamma in np.unique(gamma2):
            # At Theta = 0 every gradient is 0.
            members = np.flatnonzero((gamma2 == gamma) & (Theta != 0.0))
            if len(members):
                with np.errstate(over="ignore"):
                    threshold = gamma / np.abs(Theta[members])
                total, count2[members] = self.second.cut(Theta[members] * beta[members], threshold)
                sum2[members] = Theta[members] * total
        return sum1, sum2, count1, count2


def _blocks(rows: Index, v: Array) -> Iterator[Index]:
    """Cuts rows into blocks whose product with the runs fits the cache."""
    size = max(64, BLOCK // len(v))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
