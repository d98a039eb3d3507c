"""Clipped gradients of DP-2S-GD with one regressor and one instrument, as functions of one number.

With p = q = 1 the first stage's clipped gradient of a record, z (z Theta - x), is a linear function of Theta that is
clipped at the threshold; sorted records give the sum of these (`clipped_linear_sums`). The second stage's gradient,
Theta z (z u - y) at u = Theta beta, has another threshold in every run and step, divided by |Theta|. There the records
are tested at the smallest and largest u of all runs. The gradient is largest at one of the two, so that most records
turn out to be clipped in no run; moments give their sum. So are they in the first stage if runs have many thresholds.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.clipped_linear_sums import ClippedLinearSums, Lines, Reader, blocks_of, worth_sorting
from dpdescent.data.iv import IVSample

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Largest number of different thresholds that have sorted records or a screen each. More of them are put into sets of
# near ones, each of which has one screen.
THRESHOLDS, SETS = 64, 8

# Records this close to the threshold, relative to it, are tested in every run; the margin exceeds the rounding of a
# test.
SLACK = 1e-6

# Number of runs below which they share a region of the screen that only grows, and the relative growth.
FEW, AHEAD = 64, 0.1


def worth(sample: IVSample) -> bool:
    """Whether runs are computed faster here than by matrix products."""
    if sample.p != 1 or sample.q != 1 or sample.count is not None:
        return False
    return worth_sorting(sample.Z[:, 0], sample.Z[:, 0], sample.X[:, 0], sample.y)


class Group(NamedTuple):
    """Runs that share a screen or sorted records.

    Attributes:
        least: the smallest of their thresholds.
        runs: their indices.
        alike: whether they have one threshold.
    """

    least: float
    runs: Index | slice
    alike: bool


class Screen:
    """The records whose values may exceed a threshold while points and thresholds stay in a region.

    A value is largest at one end of the region, so that two tests per record decide. For few runs, a region only grows,
    and with some margin, because testing all records would then cost more than the rest of a step.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.low, self.high, self.least = np.inf, -np.inf, np.inf
        self.slope, self.height = lines.slope[:0], lines.height[:0]
        self.suffices = True

    def cut(self, v: Array, threshold: Array) -> tuple[Array, Array]:
        """Sums of the clipped values, and numbers of clipped values; arguments and shapes as for `Lines.every_cut`."""
        low, high, least = float(v.min()), float(v.max()), float(threshold.min())
        # Negated, because a point that is NaN is in no region.
        if not (self.low <= low and high <= self.high and self.least <= least):
            self._select(low, high, least, few=len(v) < FEW)
        if not self.suffices:
            return self.lines.every_cut(v, threshold)
        total, count = self.lines.uncut(v), np.zeros(v.shape)
        for rows in blocks_of(len(self.slope), len(v)):
            values = np.multiply.outer(v, self.slope[rows])
            values -= self.height[rows]
            beyond = np.abs(values)
            beyond -= threshold[:, None]
            count += np.add.reduce(beyond > 0.0, axis=1)
            np.maximum(beyond, 0.0, out=beyond)
            total -= np.add.reduce(np.copysign(beyond, values, out=beyond), axis=1)
        return total, count

    def cut_at(self, v: float, threshold: float) -> tuple[float, int]:
        """The result of `cut` for one run."""
        if not (self.low <= v <= self.high and self.least <= threshold):
            self._select(v, v, threshold, few=True)
        if not self.suffices:
            total, count = self.lines.every_cut(np.array([v]), np.array([threshold]))
            return float(total[0]), int(count[0])
        uncut = self.lines.slopes * v - self.lines.heights
        if not len(self.slope):
            return uncut, 0
        values = self.slope * v
        values -= self.height
        less = np.minimum(values, threshold)
        np.maximum(less, -threshold, out=less)
        less -= values
        return uncut + float(np.add.reduce(less)), int(np.count_nonzero(less))

    def _select(self, low: float, high: float, least: float, few: bool) -> None:
        """Selects the records for the region between these extreme points and above this smallest threshold."""
        if few and math.isfinite(high - low):
            low, high, least = min(low, self.low), max(high, self.high), min(least, self.least)
            spare = AHEAD * (high - low)
            low, high, least = low - spare, high + spare, least / (1.0 + AHEAD)
        self.low, self.high, self.least = low, high, least
        self.suffices = self.lines.sums_suffice(max(-low, high), least)
        ends = [np.abs(self.lines.slope * end - self.lines.height) for end in (low, high)]
        # Negated, because a value that is NaN must be tested.
        rows = np.flatnonzero(~(np.maximum(*ends) <= least * (1.0 - SLACK)))
        self.slope, self.height = self.lines.slope[rows], self.lines.height[rows]


class Run:
    """Sums of clipped gradients of both stages on one sample with p = q = 1, for a single run, in Python numbers.

    Results equal those of `Gradients`.
    """

    def __init__(self, sample: IVSample, gamma1: float, gamma2: float) -> None:
        z = sample.Z[:, 0]
        self.first = Reader(ClippedLinearSums.of(Lines.of(z * z, z * sample.X[:, 0]), gamma1))
        self.second, self.gamma2 = Screen(Lines.of(z * z, z * sample.y)), gamma2

    def clipped(self, Theta: float, beta: float) -> tuple[float, float, int, int]:
        """Sums of both stages' clipped gradients, then the numbers of clipped ones."""
        sum1, count1 = self.first.at(Theta)
        if Theta == 0.0:
            return sum1, 0.0, count1, 0
        total, count2 = self.second.cut_at(Theta * beta, self.gamma2 / abs(Theta))
        return sum1, Theta * total, count1, count2


class Gradients:
    """Sums of clipped gradients of both stages on one sample with p = q = 1, for many runs at once."""

    def __init__(self, sample: IVSample) -> None:
        z = sample.Z[:, 0]
        self.first, self.second = _Stage(z * z, z * sample.X[:, 0]), _Stage(z * z, z * sample.y)
        self.groups: dict[bytes, list[Group]] = {}

    def clipped(self, Theta: Array, beta: Array, gamma1: Array, gamma2: Array) -> tuple[Array, Array, Array, Array]:
        """Sums of both stages' clipped gradients, then the numbers of clipped ones; all arrays have shape (runs,)."""
        sum2, count2 = np.zeros((2, len(Theta)))
        sum1, count1 = self.first.fixed(Theta, gamma1, self._groups(gamma1))
        # At Theta = 0 every gradient of the second stage is 0.
        some = slice(None) if Theta.all() else np.flatnonzero(Theta)
        if len(Theta[some]):
            with np.errstate(over="ignore"):
                v, thresholds = Theta[some] * beta[some], gamma2[some] / np.abs(Theta[some])
            total, count2[some] = self.second.moving(v, thresholds, self._groups(gamma2[some]))
            sum2[some] = Theta[some] * total
        return sum1, sum2, count1, count2

    def _groups(self, gammas: Array) -> list[Group]:
        """Runs with one threshold each, or with near ones where there are many."""
        if (key := gammas.tobytes()) not in self.groups:
            self.groups[key] = list(_grouped(gammas))
        return self.groups[key]


class _Stage:
    """Sums of a stage's clipped lines for groups of runs, from sorted records and screens that stay between steps."""

    def __init__(self, slope: Array, height: Array) -> None:
        self.lines = Lines.of(slope, height)
        self.sorted: dict[float, ClippedLinearSums] = {}
        self.screens: dict[float, Screen] = {}

    def fixed(self, v: Array, threshold: Array, groups: list[Group]) -> tuple[Array, Array]:
        """Sums of the clipped values, and their numbers, of a stage whose thresholds are the same in every step."""
        if not groups[0].alike:
            return self.moving(v, threshold, groups)
        total, count = np.zeros((2, len(v)))
        for group in groups:
            if group.least not in self.sorted:
                self.sorted[group.least] = ClippedLinearSums.of(self.lines, group.least)
            total[group.runs], count[group.runs] = self.sorted[group.least].cut(v[group.runs])
        return total, count

    def moving(self, v: Array, threshold: Array, groups: list[Group]) -> tuple[Array, Array]:
        """Sums of the clipped values, and their numbers, of a stage whose thresholds change from step to step."""
        total, count = np.zeros((2, len(v)))
        for group in groups:
            if group.least not in self.screens:
                self.screens[group.least] = Screen(self.lines)
            screen = self.screens[group.least]
            total[group.runs], count[group.runs] = screen.cut(v[group.runs], threshold[group.runs])
        return total, count


def _grouped(gammas: Array) -> Iterator[Group]:
    distinct = np.unique(gammas).tolist()
    if len(distinct) == 1:
        yield Group(distinct[0], slice(None), alike=True)
    elif len(distinct) <= THRESHOLDS:
        yield from (Group(gamma, np.flatnonzero(gammas == gamma), alike=True) for gamma in distinct)
    else:
        for runs in np.array_split(np.argsort(gammas, kind="stable"), SETS):
            yield Group(float(gammas[runs[0]]), runs, alike=False)
