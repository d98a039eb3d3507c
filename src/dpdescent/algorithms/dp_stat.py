"""DP-STAT: a private threshold that covers most residuals of a batch, found by doubling (varshney2022 Algorithm 3).

It counts residuals up to gamma = Delta, 2 Delta, 4 Delta, ..., adds Gaussian noise to every count, and returns the
first gamma whose noisy count is large enough. The stopping rule is a setting: the published one, `count >= s`, skips
each threshold above all residuals with probability 1/2, and so returns too large a threshold; the corrected rule
allows for the noise.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_known, require_non_negative, require_positive
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]
Rule = Literal["as published", "corrected", "quantile"]


@dataclass(frozen=True)
class Search:
    """Settings of the doubling search over L + 1 thresholds; the last is returned where no noisy count suffices.

    Noise of sd alpha sqrt(L) suffices, because the (L+1)-th comparison in Algorithm 3 has no effect: gamma_L is
    returned either way.

    Attributes:
        largest: B, the largest threshold (2^offset B with an offset), in the unit of the residuals.
        levels: L = log2(B / Delta), number of counts.
        noise_multiplier: alpha, sd of the noise divided by the sensitivity sqrt(L) of all counts together; 0 means no
            noise.
        rule: size of a noisy count at which the search stops: s (`as published`), s minus a bound on the noise of L
            counts (`corrected`), or a fixed share of s (`quantile`).
        margin: C of the corrected rule.
        quantile: the share of the rule `quantile`, in (0, 1].
        offset: number of octaves, in [0, 1), by which all thresholds are raised; public, so it must not depend on the
            data.

    Raises:
        ValueError: if a value is out of its range, or the rule is unknown.
    """

    largest: float
    levels: int
    noise_multiplier: float
    rule: Rule = "corrected"
    margin: float = 1.0
    quantile: float = 0.9
    offset: float = 0.0

    def __post_init__(self) -> None:
        require_positive(largest=self.largest, levels=self.levels, quantile=self.quantile)
        require_non_negative(noise_multiplier=self.noise_multiplier, margin=self.margin, offset=self.offset)
        for name in ("largest", "noise_multiplier", "margin"):
            if math.isinf(getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)} must be finite")
        if self.quantile > 1.0 or self.offset >= 1.0:
            raise ValueError(f"quantile={self.quantile} must not exceed 1 and offset={self.offset} must be below 1")
        require_known(Rule, rule=self.rule)

    @property
    def thresholds(self) -> Array:
        """Thresholds gamma_i = B 2^(i - L + offset) for i = 0..L, shape (L + 1,); 0 below the smallest float."""
        top = self.largest * 2.0**self.offset
        grid: Array = np.ldexp(top, np.arange(self.levels + 1) - self.levels)
        return grid

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on a count, alpha sqrt(L)."""
        return self.noise_multiplier * math.sqrt(self.levels)

    @property
    def guard(self) -> float:
        """Smallest useful number of records, 4 noise_sd sqrt(2 log L): with fewer, the noise alone stops the search."""
        return 4.0 * self._reach

    @property
    def _reach(self) -> float:
        """Approximate largest noise of L counts, noise_sd sqrt(2 log L)."""
        return self.noise_sd * math.sqrt(2.0 * math.log(self.levels))

    def enough(self, s: int) -> float:
        """Smallest noisy count of s residuals at which the search stops."""
        if self.rule == "as published":
            return float(s)
        return s - self.margin * self._reach if self.rule == "corrected" else self.quantile * s

    def counts(self, residuals: Array) -> Array:
        """Counts `#{j : |r_j| <= gamma_i}` for i < L, shape (..., L), of residuals of shape (..., s).

        Replacing one record changes each count by at most 1. A residual that is NaN is above all thresholds.
        """
        above = self._below(np.abs(residuals))
        rows = above.reshape(math.prod(above.shape[:-1]), above.shape[-1])
        # A row has one bin more than there are counts, because residuals may lie above all thresholds.
        width = self.levels + 1
        bins = rows + width * np.arange(len(rows))[:, None]
        per_bin = np.bincount(bins.ravel(), minlength=width * len(rows)).reshape(len(rows), width)
        counts: Array = per_bin[:, :-1].cumsum(1).reshape(*above.shape[:-1], self.levels).astype(np.float64)
        return counts

    def _below(self, sizes: Array) -> NDArray[np.intp]:
        """Number of thresholds among the L values gamma_0, gamma_1 ... below non-negative sizes, in their shape."""
        grid = self.thresholds
        if not grid[0] >= np.finfo(np.float64).tiny:
            return np.searchsorted(grid[:-1], sizes)
        # The bits of a float, read as an integer, grow with it, and by 2^52 from one power of two to the next.
        octaves = np.subtract(grid[-1:].view(np.int64), sizes.view(np.int64))
        octaves >>= 52
        np.subtract(self.levels, octaves, out=octaves)
        return np.clip(octaves, 0, self.levels, out=octaves)

    def select(self, counts: Array, normals: Array, s: int) -> Array:
        """Threshold gamma_i of the first i with `count + noise_sd normal >= enough(s)`, otherwise gamma_L, shape (...).

        Args:
            counts: numbers of small residuals, shape (..., L).
            normals: standard normals, shape (..., L).
            s: number of records that were counted.

        Raises:
            ValueError: if the shapes do not end in L, or s is not positive.
        """
        require_positive(s=s)
        if counts.shape[-1:] != (self.levels,) or normals.shape[-1:] != (self.levels,):
            raise ValueError(f"counts {counts.shape} and normals {normals.shape} must end in levels={self.levels}")
        stops = counts + self.noise_sd * normals >= self.enough(s)
        chosen: Array = self.thresholds[np.where(stops.any(-1), stops.argmax(-1), self.levels)]
        return chosen

    def release(self) -> GaussianReleases:
        """The releases of one search under replace-one: L counts, each of which a record changes by at most 1.

        The threshold is post-processing of the counts. Its zCDP cost is 1 / (2 alpha^2) (varshney2022 Lemma 3.10).
        """
        return GaussianReleases("counts of small residuals", 1.0, self.noise_sd, self.levels)
