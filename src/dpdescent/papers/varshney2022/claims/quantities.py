"""Quantities that claims of several modules need: medians, risks in units of a bound's terms, quantiles asked for."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.reading import rows
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Array, Places, floats
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.statistics import Estimate

OURS, QUANTILE = "DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)"
# Panels of risk_vs_n by the term that they are about.
MODERATE, SMALL_EPS = "epsilon = 1", "epsilon = 0.2"
COST = "risk less sigma^2 d/N where that is at least sigma^2 d/N"
# Where two series of risks are compared; T is left out, since some methods have none.
PLACE = ("panel", "n_over_d", "N", "d", "sigma", "eps", "delta", "kappa")
MEDIAN = "medians over trials: the theorems hold with probability near one, and a threshold that overshoots in few trials rules the mean"
# The printed rule overshoots in every other iteration: nothing of it is rare.
PRINTED_MEDIAN = "medians over trials, which are kind to the printed rule"

# The prose has DP-STAT at a fixed quantile (99 %), Algorithm 3 at all residuals plus noise, which overshoots.
FIXED_QUANTILE = "(DP-STAT at a fixed quantile, as the prose has it; 90 %)"
NOT_OURS = (
    "Before a review the rule C = 1, which is ours and whose quantile moves along the curve, carried the paper's claim."
)
NOT_CONFIRMED = "but so few trials can refute such a probability and not confirm it"


def typical(table: pd.DataFrame) -> pd.DataFrame:
    """The same rows with medians for means; exact values, of one trial, stay as they are."""
    half = np.maximum(floats(table, "median_high") - floats(table, "median"), 0.0)
    half = np.maximum(half, floats(table, "median") - floats(table, "median_low"))
    drawn = floats(table, "trials") > 1
    return table.assign(
        mean=np.where(drawn, floats(table, "median"), floats(table, "mean")),
        se=np.where(drawn, half / statistics.Z95, math.nan),
    )


def risks(evidence: Evidence, artefact: str, series: str, variant: str = "main", **where: object) -> pd.DataFrame:
    """Median excess risks of one method."""
    return typical(rows(evidence, artefact, variant, series=series, **where))


def noisy(table: pd.DataFrame) -> pd.DataFrame:
    """Rows whose labels have noise."""
    return table[floats(table, "sigma") > 0]


def exact(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The same rows with another column, without an error, for the means."""
    return table.assign(mean=floats(table, column), se=math.nan)


def in_units(table: pd.DataFrame, unit: Callable[[pd.DataFrame], Array]) -> pd.DataFrame:
    """Means, with their errors, in a unit that has no error; NaN where the unit is not positive."""
    values = unit(table)
    values = np.where(values > 0, values, math.nan)
    return table.assign(mean=floats(table, "mean") / values, se=floats(table, "se") / values)


def first_term(table: pd.DataFrame) -> Array:
    """sigma^2 d / N, the first term of all bounds, without its constant."""
    return floats(table, "sigma") ** 2 * floats(table, "d") / floats(table, "N")


def privacy_term(table: pd.DataFrame) -> Array:
    """sigma^2 d^2 / (eps^2 N^2), the second term (varshney2022 Thm 3.7, remark ii)."""
    return (floats(table, "sigma") * (floats(table, "d") / (floats(table, "eps") * floats(table, "N")))) ** 2


def cost_of_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """Risk less sigma^2 d / N, where that difference dominates.

    One pass with a tail average has sigma^2 d / N without privacy; a slope of the rest tells of the other term only
    where the rest is larger.
    """
    first = first_term(table)
    cost = table.assign(mean=floats(table, "mean") - first)
    return cost[floats(cost, "mean") >= first].reset_index(drop=True)


def shares(table: pd.DataFrame, values: Iterable[float], keys: Sequence[str]) -> Places:
    """The mean of every row over a number of its own, by place, where that number is positive."""
    found = {
        algebra.place_of(row, keys): over_value(statistics.mean_of(row), value)
        for row, value in zip(algebra.each(table), values, strict=True)
        if value > 0
    }
    return {place: share for place, share in found.items() if not math.isnan(share.value)}


def over_value(estimate: Estimate, value: float) -> Estimate:
    """An estimate over a number without error."""
    return Estimate(estimate.value / value, estimate.low / value, estimate.high / value)


def departures(table: pd.DataFrame, values: Iterable[float], standard_errors: float, keys: Sequence[str]) -> Places:
    """How far means are from exact values, by place, over what chance makes of so many standard errors (Student's t)."""
    found = {
        algebra.place_of(row, keys): statistics.quotient(
            abs(row["mean"] - value), statistics.chance(row, standard_errors)
        )
        for row, value in zip(algebra.each(table), values, strict=True)
    }
    return {place: departure for place, departure in found.items() if not math.isnan(departure.value)}


def gains(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str] = PLACE) -> pd.DataFrame:
    """Rows of the upper table with the ratio of the means, and its error, for a mean; rows without one are left out."""
    found = ((row, algebra.over(row, other)) for row, other in algebra.pairs(upper, lower, on))
    made = [{**row, "mean": each.value, "se": _error(each)} for row, each in found if not math.isnan(each.value)]
    return pd.DataFrame(made, columns=upper.columns)


def _error(estimate: Estimate) -> float:
    """The standard error of a ratio, from its interval on the log scale."""
    return estimate.value * math.log(estimate.high / estimate.value) / statistics.Z95


def over_first(table: pd.DataFrame, axis: str, keys: Sequence[str]) -> Places:
    """Every mean over that at the first place of an axis, by place; the first itself is left out."""
    found: Places = {}
    for _, group in table.groupby(list(keys), sort=True):
        ordered = group.sort_values(axis)
        for row in algebra.each(ordered.iloc[1:]):
            found[algebra.place_of(row, [*keys, axis])] = algebra.over(row, ordered.iloc[0])
    return {place: each for place, each in found.items() if not math.isnan(each.value)}


def extent(values: Iterable[float]) -> str:
    """The smallest and the largest value, for a note."""
    found = list(values)
    return f"{min(found, default=math.nan):.3g} to {max(found, default=math.nan):.3g}"
