"""Estimates over runs of the same seeds, from the rows that a table has of every seed (wang2026).

Runs of a seed share records, start, batches and normals, so that a slope or a ratio varies from seed to seed far less
than its means do. An interval is by the jackknife over seeds, with Student's quantile: a statistic of the means over all
seeds, and over all but one. So values of single seeds may have any sign, as what noise adds to a risk has.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from dpdescent.papers.wang2026.setting import BY_SEED, Array
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate

# The risk above which a run is left out: half of the loss of an output of 0, which holds risks down there.
CEILING = 0.5 * math.log(2.0)
Statistic = Callable[[Array], float]


@dataclass(frozen=True)
class Seeds:
    """Values of a series by seed and place.

    Attributes:
        values: the series, shape (seeds, places), of seeds that have all places.
        places: a row for each place, whose numbers, such as the margin, are means over seeds.
    """

    values: Array
    places: pd.DataFrame

    @property
    def means(self) -> Array:
        """The means over seeds, shape (places,)."""
        return np.asarray(self.values.mean(axis=0)) if len(self.values) else np.full(len(self.places), math.nan)

    def where(self, chosen: NDArray[np.bool_]) -> "Seeds":
        """The chosen places."""
        return Seeds(self.values[:, chosen], self.places[chosen].reset_index(drop=True))

    def below_ceiling(self) -> "Seeds":
        """The places at which the mean risk is positive and below the ceiling."""
        means = self.means
        return self.where((means > 0) & (means <= CEILING))

    def estimate(self, statistic: Statistic) -> Estimate:
        """A statistic of the means over seeds; `NOTHING` of fewer than two seeds, or where it is not defined."""
        count = len(self.values)
        if count < 2 or not self.values.shape[1]:
            return NOTHING
        whole = statistic(self.means)
        without = np.array([statistic(np.delete(self.values, seed, axis=0).mean(axis=0)) for seed in range(count)])
        if not (math.isfinite(whole) and np.isfinite(without).all()):
            return NOTHING
        error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
        half = float(stdtrit(count - 1, 0.975)) * error
        return Estimate(whole, whole - half, whole + half)

    def exponent(self, scale: Array) -> Estimate:
        """The slope of log mean against log scale, shape (places,): the exponent of the series in the scale.

        It is `NOTHING` where the scale has one value or is not positive.
        """
        if not (scale > 0).all() or len(set(scale.tolist())) < 2:
            return NOTHING
        x = np.log(scale)
        weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
        return self.estimate(lambda means: float(weights @ _logarithms(means)))


def _logarithms(means: Array) -> Array:
    """Logarithms; NaN of what is not positive."""
    return np.log(np.where(means > 0, means, math.nan))


def of(
    rows: Callable[..., pd.DataFrame], evidence: Evidence, artefact: str, series: str, axis: str, **where: object
) -> Seeds:
    """The values of a series seed by seed along an axis.

    Args:
        rows: the paper's selection of rows.
        evidence, artefact, where: tables, and the rows of one of them.
        series: the series, without what the name of its rows by seed ends with.
        axis: the column that differs from place to place.
    """
    table = rows(evidence, artefact, series=series + BY_SEED, **where).dropna(subset=["seed", axis])
    wide = table.pivot(index="seed", columns=axis, values="mean").dropna()
    numbers = table.apply(pd.to_numeric, errors="coerce").astype(float).groupby(table[axis]).mean()
    places = numbers.loc[list(wide.columns)] if len(wide) else numbers[:0]
    return Seeds(wide.to_numpy(dtype=float), places.reset_index(drop=True))


def together(first: Seeds, second: Seeds) -> "Seeds":
    """Two series at the same places side by side, those of the second behind; none unless seeds and places agree."""
    if first.values.shape != second.values.shape:
        return Seeds(np.empty((0, 0)), first.places[:0])
    places = pd.concat([first.places, second.places], ignore_index=True)
    return Seeds(np.concatenate([first.values, second.values], axis=1), places)


def at_places(seeds: Seeds, axis: str, statistic: Callable[[int], Statistic]) -> Mapping[str, Estimate]:
    """A statistic for each place of an axis, by the place."""
    names = [algebra.place_of(row, (axis,)) for row in algebra.rows_of(seeds.places)]
    found = {name: seeds.estimate(statistic(place)) for place, name in enumerate(names)}
    return {name: estimate for name, estimate in found.items() if not math.isnan(estimate.value)}
