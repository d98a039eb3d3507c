"""DP-STAT: a private threshold that about covers the residuals of a batch, by doubling (varshney2022 Algorithm 3).

It counts residuals below gamma = Delta, 2 Delta, 4 Delta, ..., adds Gaussian noise to every count, and returns the
first gamma whose noisy count is large enough. Only that rule of stopping is a choice: the printed one, `count >= s`,
passes thresholds above all residuals with probability 1/2 each, and overshoots; the corrected one allows for noise.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]
Rule = Literal["as published", "corrected", "quantile"]


@dataclass(frozen=True)
class Search:
    """The doubling search over `levels` + 1 thresholds, of which the last is returned where no other is.

    Noise of sd alpha sqrt(L) suffices: the (L+1)-th comparison that Algorithm 3 makes decides nothing, because gamma_L
    is returned either way.

    Attributes:
        largest: B, the largest threshold (2^offset B with an offset), in the unit of the residuals.
        levels: L = log2(B / Delta), number of counts.
        noise_multiplier: alpha, sd of the noise over the sensitivity sqrt(L) of all counts together; 0 means no noise.
        rule: which noisy count is large enough: s (`as published`), s less what the noise of L counts reaches
            (`corrected`), or a fixed share of s (`quantile`).
        margin: C of the corrected rule.
        quantile: the share of the rule `quantile`, in (0, 1].
        offset: octaves in [0, 1) by which all thresholds are moved up; public, so drawn independently of the data.

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
        if self.rule not in get_args(Rule):
            raise ValueError(f"rule={self.rule!r} must be one of {get_args(Rule)}")

    @property
    def thresholds(self) -> Array:
        """gamma_i = B 2^(i - L + offset) for i = 0..L, shape (L + 1,); those below the smallest float are 0."""
        top = self.largest * 2.0**self.offset
        grid: Array = np.ldexp(top, np.arange(self.levels + 1) - self.levels)
        return grid

    @property
    def noise_sd(self) -> float:
        """sd of the noise on a count: alpha sqrt(L)."""
        return self.noise_multiplier * math.sqrt(self.levels)

    @property
    def guard(self) -> float:
        """Fewest records that make sense, 4 noise_sd sqrt(2 log L): with fewer, the noise alone stops the search."""
        return 4.0 * self._reach

    @property
    def _reach(self) -> float:
        """About the largest of the noises of L counts."""
        return self.noise_sd * math.sqrt(2.0 * math.log(self.levels))

    def enough(self, s: int) -> float:
        """The noisy count of s residuals at which the search stops."""
        if self.rule == "as published":
            return float(s)
        return s - self.margin * self._reach if self.rule == "corrected" else self.quantile * s

    def counts(self, residuals: Array) -> Array:
        """`#{j : |r_j| <= gamma_i}` for i < L, shape (..., L), of residuals of shape (..., s).

        Replacing one record moves each count by at most 1. A residual that is no number is above all thresholds.
        """
        above = np.searchsorted(self.thresholds[:-1], np.abs(residuals))
        rows = above.reshape(math.prod(above.shape[:-1]), above.shape[-1])
        # A row has one bin more than counts, for residuals above all thresholds.
        width = self.levels + 1
        bins = rows + width * np.arange(len(rows))[:, None]
        found = np.bincount(bins.ravel(), minlength=width * len(rows)).reshape(len(rows), width)
        counts: Array = found[:, :-1].cumsum(1).reshape(*above.shape[:-1], self.levels).astype(np.float64)
        return counts

    def select(self, counts: Array, normals: Array, s: int) -> Array:
        """gamma_i of the first i with `count + noise_sd normal >= enough(s)`, gamma_L if there is none, shape (...).

        Args:
            counts: numbers of small residuals, shape (..., L).
            normals: standard normals, shape (..., L).
            s: number of records that the rule compares with.

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
        """What one search lets out, under replace-one: L counts, of which a record moves each by at most 1.

        The threshold is post-processing of them. Its zCDP cost is 1 / (2 alpha^2) (Lemma 3.10).
        """
        return GaussianReleases("counts of small residuals", 1.0, self.noise_sd, self.levels)
