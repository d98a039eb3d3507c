"""Selection of the records that clipping can touch, without computing most gradients.

The residual of a record is affine in theta. On the segment from the start of the descent, zero, to an anchor it is
therefore nowhere larger than at one of the two ends, and at distance d from that segment it is larger by at most d
|x_i|. A record whose gradient stays below its threshold by this bound can be skipped. Iterates move along the segment
and then around the anchor, the least-squares estimate, by about their noise, so that few records remain. Any anchor
gives correct results; a poor one only leaves more records.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.linear import LinearSample

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# The radius for which records are selected exceeds the necessary one by this factor, so that few steps select again.
AHEAD = 1.1

# Records this close to the threshold, relative to it, are selected as well. The margin exceeds the rounding of either
# side wherever a selection is used at all (`clipping.rounding_is_negligible`).
SLACK = 1e-6


class Screen:
    """Selects, for each data set of a batch, the records that descents with given thresholds may have to clip."""

    def __init__(self, samples: Sequence[LinearSample], gamma: Array, spread: float) -> None:
        """Prepares a screen for thresholds `gamma`, shape (runs,); `spread`, the expected noise, only affects speed."""
        self.samples = samples
        # One data set after the other, because the second pass over its rows then finds them in the cache.
        prepared = [(anchor := _anchor(sample), _reach(sample, anchor)) for sample in samples]
        self.anchors, self.reach = np.stack([anchor for anchor, _ in prepared]), [reach for _, reach in prepared]
        self.squared = np.einsum("dp,dp->d", self.anchors, self.anchors)[:, None]
        self.thresholds, self.group = np.unique(gamma, return_inverse=True)
        self.radius = np.full((len(samples), len(self.thresholds)), -1.0)
        self.spread = spread

    def outgrown(self, theta: Array) -> Index:
        """Data sets some of whose iterates theta, (data sets, runs, p), have left the region of the last selection."""
        distance = self._distance(theta)
        if len(self.thresholds) > 1:
            members = (self.group == g for g in range(len(self.thresholds)))
            widest = np.stack([distance[:, member].max(1) for member in members], 1)
        else:
            widest = distance.max(1, keepdims=True)
        # Negated, because a distance that is NaN (from a huge record) must count as outside.
        left = np.flatnonzero(~(widest <= self.radius).all(1))
        self.radius[left] = np.maximum(self.radius[left], AHEAD * np.maximum(widest[left], self.spread))
        return left

    def select(self, data_set: int) -> Index:
        """Selects the records of a data set that some run may clip while no iterate leaves the region."""
        # A gradient's norm is at most reach + stretch * distance.
        reach, stretch = self.reach[data_set], self.samples[data_set].norms ** 2
        may = np.zeros(len(reach), dtype=bool)
        for threshold, radius in zip(self.thresholds, self.radius[data_set], strict=True):
            may |= ~(stretch * radius + reach <= threshold * (1.0 - SLACK))
        return np.flatnonzero(may)

    def _distance(self, theta: Array) -> Array:
        """Distance of every iterate to the segment of its data set, shape (data sets, runs)."""
        along = np.einsum("dkp,dp->dk", theta, self.anchors) / np.maximum(self.squared, np.finfo(float).tiny)
        away = theta - np.clip(along, 0.0, 1.0)[:, :, None] * self.anchors[:, None, :]
        distance: Array = np.sqrt(np.einsum("dkp,dkp->dk", away, away))
        return distance


def _anchor(sample: LinearSample) -> Array:
    """The least-squares estimate, with a ridge of the size of rounding that makes every system solvable."""
    xx = sample.gram.xx
    ridge = np.finfo(float).eps * np.trace(xx) + np.finfo(float).tiny
    anchor: Array = np.linalg.solve(xx + ridge * np.eye(sample.p), sample.gram.xy)
    return anchor


def _reach(sample: LinearSample, anchor: Array) -> Array:
    """Largest gradient norm of every record on the segment, shape (n,)."""
    reach: Array = sample.X @ anchor
    reach -= sample.y
    np.abs(reach, out=reach)
    np.maximum(reach, np.abs(sample.y), out=reach)
    reach *= sample.norms
    return reach
