"""Estimates that the claims of several sections need: medians, ratios of rows, costs of privacy, slopes, worst cells.

Rows that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import functools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from dpdescent.algorithms.dp_stat import Search
from dpdescent.papers.varshney2022.reading import POINTS, rows
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.replication.judging.algebra import listed, over
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Z95,
    Estimate,
    chance,
    known,
    log_log_slope,
    mean_of,
    quotient,
)

# Where two series of risks are compared; T is left out, since some methods have none.
PLACE = ("panel", "n_over_d", "N", "d", "sigma", "eps", "delta", "kappa")
MEDIAN = "medians over trials: the theorems hold with probability near one, and a threshold that overshoots in few trials rules the mean"
# The printed rule overshoots in every other iteration: nothing of it is rare.
PRINTED_MEDIAN = "medians over trials, which are kind to the printed rule"


def typical(table: pd.DataFrame) -> pd.DataFrame:
    """The same rows with medians for means; exact values, of one trial, stay as they are."""
    half = np.maximum(_floats(table, "median_high") - _floats(table, "median"), 0.0)
    half = np.maximum(half, _floats(table, "median") - _floats(table, "median_low"))
    drawn = _floats(table, "trials") > 1
    return table.assign(
        mean=np.where(drawn, _floats(table, "median"), _floats(table, "mean")),
        se=np.where(drawn, half / Z95, math.nan),
    )


def risks(evidence: Evidence, artefact: str, series: str, variant: str = "main", **where: object) -> pd.DataFrame:
    """Median excess risks of one method."""
    return typical(rows(evidence, artefact, variant, series=series, **where))


def scaled(table: pd.DataFrame, unit: Callable[[pd.DataFrame], "pd.Series[float]"]) -> pd.DataFrame:
    """Means, with their errors, in a unit that has no error."""
    values = unit(table).astype(float).to_numpy()
    values = np.where(values > 0, values, math.nan)
    return table.assign(mean=_floats(table, "mean") / values, se=_floats(table, "se") / values)


def first_term(table: pd.DataFrame) -> "pd.Series[float]":
    """sigma^2 d / N, the first term of all bounds, without its constant."""
    return table["sigma"].astype(float) ** 2 * table["d"].astype(float) / table["N"].astype(float)


def privacy_term(table: pd.DataFrame) -> "pd.Series[float]":
    """sigma^2 d^2 / (eps^2 N^2), the second one (varshney2022 Thm 3.7, remark ii)."""
    scale = table["d"].astype(float) / (table["eps"].astype(float) * table["N"].astype(float))
    return (table["sigma"].astype(float) * scale) ** 2


def cost_of_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """Risk less sigma^2 d / N, where that difference dominates.

    One pass with a tail average has sigma^2 d / N without privacy; a slope of the rest tells of the other term only
    where the rest is larger.
    """
    first = first_term(table).to_numpy()
    cost = table.assign(mean=_floats(table, "mean") - first)
    return cost[_floats(cost, "mean") >= first].reset_index(drop=True)


def _floats(table: pd.DataFrame, column: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return np.asarray(table[column], dtype=np.float64)


def means(table: pd.DataFrame) -> list[Estimate]:
    """The value of every row, with its interval."""
    return known(mean_of(row) for _, row in table.iterrows())


def mean_over(table: pd.DataFrame, values: Iterable[float]) -> list[Estimate]:
    """The value of every row over a number of its own, where that is positive."""
    found = zip((mean_of(row) for _, row in table.iterrows()), values, strict=False)
    return known(Estimate(each.value / unit, each.low / unit, each.high / unit) for each, unit in found if unit > 0)


def departures(table: pd.DataFrame, exact: Iterable[float], standard_errors: float) -> list[Estimate]:
    """How far means are from exact values, over what chance makes of so many standard errors (Student's t)."""
    found = zip((row for _, row in table.iterrows()), exact, strict=True)
    return known(quotient(abs(row["mean"] - value), chance(row, standard_errors)) for row, value in found)


def quantile_asked(evidence: Evidence, artefact: str, N: float, eps: float) -> float:
    """Share of the residuals that the corrected rule asks for at kappa = 1: 1 - C sd sqrt(2 log L) / s."""
    node = evidence.spec["artefacts"][artefact]["settings"]
    given = evidence.settings | {name: value for name, value in node.items() if value is not None}
    if not (N > 0 and eps > 0):
        return math.nan
    search = Search(1.0, int(given["levels"]), _multiplier(eps, float(given["delta"])), margin=float(given["margin"]))
    batch = int(N) // int(given["steps_per_kappa"])
    wanted = max(round(given["stat_share"] * batch), math.ceil(given["stat_guard"] * search.guard))
    s = min(wanted, batch // 2)
    return search.enough(s) / s if s > 0 else math.nan


# The exact conversion takes tens of milliseconds, and every N of a curve asks for the same one.
_multiplier = functools.cache(privacy.gaussian_multiplier)


def paired(
    upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str] = PLACE
) -> "list[tuple[pd.Series[float], Estimate]]":
    """Ratios at equal places, each with the row that was the numerator; places that one table lacks are left out."""
    places = {_place(row, on): row for _, row in lower.iterrows()}
    found = [(row, over(row, places[_place(row, on)])) for _, row in upper.iterrows() if _place(row, on) in places]
    return [(row, each) for row, each in found if not math.isnan(each.value)]


def ratios(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str] = PLACE) -> list[Estimate]:
    """Ratios at equal places."""
    return [each for _, each in paired(upper, lower, on)]


def _place(row: "pd.Series[float]", on: Sequence[str]) -> tuple[object, ...]:
    values = (row[name] for name in on)
    return tuple("" if value != value else value for value in values)


def exponent(table: pd.DataFrame, axis: str, points: int = POINTS) -> Estimate:
    """Log-log slope of the means; scatter about the line widens its interval. Fewer points have none."""
    x, mean = _floats(table, axis), _floats(table, "mean")
    table = table[(x > 0) & (mean > 0) & np.isfinite(mean)]
    return log_log_slope(table, axis) if table[axis].nunique() >= points else NOTHING


def by(table: pd.DataFrame, keys: Sequence[str], measure: Callable[[pd.DataFrame], Estimate]) -> dict[str, Estimate]:
    """A measure of every group that has one, by what the group is."""
    groups = ((", ".join(f"{k} = {_short(v)}" for k, v in zip(keys, place, strict=True)), group)
              for place, group in table.groupby(list(keys), sort=True))  # fmt: skip
    found = {place: measure(group) for place, group in groups}
    return {place: each for place, each in found.items() if not math.isnan(each.value)}


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def less(estimate: Estimate, value: float) -> Estimate:
    """An estimate less a number."""
    return Estimate(estimate.value - value, estimate.low - value, estimate.high - value)


def told(found: dict[str, Estimate]) -> str:
    """The values of groups, for a note."""
    return listed((place, each.value) for place, each in found.items())


def nearest(table: pd.DataFrame, column: str, largest: bool = True) -> pd.DataFrame:
    """Rows at the largest (or smallest) value of a column."""
    values = _floats(table, column)
    return table[values == (values.max() if largest else values.min())] if len(table) else table
