"""Estimates that the claims of several sections need: gains, slopes, ratios at equal places, conditions that fail.

Rows that a grid of one's own lacks leave fewer values, or none; of none the estimate is NaN, hence not testable.
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026.reading import CHANGED, POINTS
from dpdescent.papers.wang2026.theory import constants
from dpdescent.replication.judging.algebra import listed, over, positive
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate, difference, log_log_slope

Array = NDArray[np.float64]

# Where multipliers of two accountants are compared.
SETTING = ("T", "r", "lam", "eps", "delta")


def floats(table: pd.DataFrame, column: str) -> Array:
    """A column as numbers."""
    return np.asarray(table[column], dtype=np.float64)


def setting(evidence: Evidence, name: str) -> float:
    """A number of the paper's settings; NaN where there is none."""
    return float(evidence.settings.get(name, math.nan))


def one_of(values: "pd.Series[float] | Array") -> float:
    """The first value, NaN of none."""
    found = np.asarray(values, dtype=np.float64)
    return float(found[0]) if len(found) else math.nan


def place_of(row: "pd.Series[float]", keys: Sequence[str]) -> str:
    """Where a row is, for a note; keys without a value are left out."""
    return ", ".join(f"{key} = {_short(row[key])}" for key in keys if not pd.isna(row[key]))


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, Real) else str(value)


def by(table: pd.DataFrame, keys: Sequence[str], measure: Callable[[pd.DataFrame], Estimate]) -> dict[str, Estimate]:
    """A measure of every group that has one, by what the group is."""
    groups = (group.reset_index(drop=True) for _, group in table.groupby(list(keys), sort=True, dropna=False))
    found = ((place_of(group.iloc[0], keys), measure(group)) for group in groups)
    return {place: each for place, each in found if not math.isnan(each.value)}


def told(found: Mapping[str, Estimate]) -> str:
    """The values of groups, for a note."""
    return listed((place or "all", each.value) for place, each in found.items()) or "no rows"


def values(table: pd.DataFrame, keys: Sequence[str], column: str = "mean") -> str:
    """A column, each value by its place, for a note."""
    found = ((place_of(row, keys) or "all", float(row[column])) for _, row in table.iterrows())
    return listed((place, each) for place, each in found if not math.isnan(each)) or "no rows"


# Gains ----------------------------------------------------------------------------------------------------------------


def drawn(row: "pd.Series[float]", among: int = 1) -> Estimate:
    """A mean over seeds with Student's interval, widened where it was picked among several (Bonferroni).

    A single seed says nothing.
    """
    if not (row["trials"] > 1 and math.isfinite(row["mean"]) and row["se"] >= 0):
        return NOTHING
    half = float(row["se"] * stdtrit(row["trials"] - 1, 1.0 - 0.025 / among))
    return Estimate(row["mean"], row["mean"] - half, row["mean"] + half)


def single(table: pd.DataFrame) -> Estimate:
    """That of the one row of a group; nothing of several."""
    return drawn(table.iloc[0]) if len(table) == 1 else NOTHING


def best(table: pd.DataFrame, times: int = 1) -> Estimate:
    """The largest of several means, which was looked for, in so many tables: its interval allows for that."""
    means = floats(table, "mean")
    return drawn(table.iloc[int(np.nanargmax(means))], len(table) * times) if np.isfinite(means).any() else NOTHING


def least(table: pd.DataFrame) -> Estimate:
    """The smallest, likewise."""
    return negative(best(table.assign(mean=-floats(table, "mean"))))


def negative(estimate: Estimate) -> Estimate:
    """Of minus the quantity."""
    return Estimate(-estimate.value, -estimate.high, -estimate.low)


def minus(first: Estimate, second: Estimate) -> Estimate:
    """Difference of two, as if they were independent, which widens the interval if they share seeds."""
    value = first.value - second.value
    return Estimate(
        value,
        value - math.hypot(first.value - first.low, second.high - second.value),
        value + math.hypot(first.high - first.value, second.value - second.low),
    )


def fall(table: pd.DataFrame, last: pd.DataFrame) -> Estimate:
    """The largest of several means less that of one row; nothing unless there is that row."""
    return minus(best(table), drawn(last.iloc[0])) if len(last) == 1 and len(table) else NOTHING


def moderate(table: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Rows whose correlation lies in a range, ends included."""
    lam = floats(table, "lam")
    return table[(lam >= low) & (lam <= high)].reset_index(drop=True)


def at_end(table: pd.DataFrame, column: str, largest: bool = True) -> pd.DataFrame:
    """Rows at the largest, or smallest, value of a column."""
    found = floats(table, column)
    if not np.isfinite(found).any():
        return table[:0]
    return table[found == (np.nanmax(found) if largest else np.nanmin(found))].reset_index(drop=True)


# Ratios and slopes ----------------------------------------------------------------------------------------------------


def ends(table: pd.DataFrame, axis: str) -> Estimate:
    """Mean at the last value of an axis over that at the first; of one value it says nothing."""
    if table[axis].nunique() < 2:
        return NOTHING
    return over(at_end(table, axis).iloc[0], at_end(table, axis, largest=False).iloc[0])


def pairs(
    upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]
) -> "list[tuple[pd.Series[float], pd.Series[float]]]":
    """Rows of two tables at equal places; places that one table lacks are left out."""
    places = {key: index for index, key in enumerate(_keys(lower, on))}
    found = ((index, places[key]) for index, key in enumerate(_keys(upper, on)) if key in places)
    return [(upper.iloc[first], lower.iloc[second]) for first, second in found]


def ratios(
    upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str], told_by: Sequence[str] = ()
) -> dict[str, Estimate]:
    """Ratios of means at equal places, by what the place is."""
    found = ((place_of(row, told_by or on), over(row, other)) for row, other in pairs(upper, lower, on))
    return {place: each for place, each in found if not math.isnan(each.value)}


def _keys(table: pd.DataFrame, on: Sequence[str]) -> list[tuple[object, ...]]:
    """Places of all rows; what has no value is the same place."""
    places = zip(*(table[name].tolist() for name in on), strict=True)
    return [tuple("" if pd.isna(value) else value for value in place) for place in places]


def exponent(table: pd.DataFrame, axis: str, points: int = POINTS) -> Estimate:
    """Log-log slope of the means; scatter about the line widens its interval. Fewer points have none."""
    x, mean = floats(table, axis), floats(table, "mean")
    table = table[(x > 0) & (mean > 0) & np.isfinite(mean)]
    return log_log_slope(table, axis) if table[axis].nunique() >= points else NOTHING


def scaled(table: pd.DataFrame, factors: Array) -> pd.DataFrame:
    """Means, with their errors, times factors that have none; rows without a positive factor are left out."""
    factors = np.where(factors > 0, factors, math.nan)
    made = table.assign(mean=floats(table, "mean") * factors, se=floats(table, "se") * factors)
    return made[np.isfinite(factors)].reset_index(drop=True)


def costs(noisy: pd.DataFrame, plain: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """What noise adds to a risk, at equal places; rows of the noisy table with the difference for a mean."""
    found = []
    for row, other in pairs(noisy, plain, on):
        added = difference(row, other)
        half = (added.high - added.low) / 2.0
        found.append(row.to_dict() | {"mean": added.value, "se": half / Z95})
    return pd.DataFrame(found, columns=noisy.columns)


# Conditions -----------------------------------------------------------------------------------------------------------


def outside(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    """Which conditions of the theorems runs do not meet, constants being 1 and logarithms left out, with numbers."""
    found = []
    if len(table):
        gamma = np.nan_to_num(floats(table, "gamma"), nan=setting(evidence, "gamma"))
        least_width = float(np.max(gamma**-4.0))
        width = float(np.min(floats(table, "m")))
        if not width >= least_width:
            found.append(f"width {width:g} below gamma^-4 = {least_width:.3g}")
        step, admitted = float(np.max(np.nan_to_num(floats(table, "eta")))), _largest_step(evidence, table)
        if step > admitted:
            found.append(f"step {step:g} above 1/(12 beta) = {admitted:.3g} (local supports, any second layer)")
        clipped = float(np.max(np.nan_to_num(floats(table, "clipped"))))
        if clipped > 0:
            found.append(f"up to {clipped:.3g} of the gradients clipped")
        found += [f"condition {each}" for each in ("not met", "T capped") if (table["precondition"] == each).any()]
    return found


def _largest_step(evidence: Evidence, table: pd.DataFrame) -> float:
    """1/(12 beta) by the constants of local supports at the smallest width of a table."""
    cells, width, delta = setting(evidence, "spline_cells"), floats(table, "m").min(), setting(evidence, "delta_conf")
    if not (cells >= 1 and width >= 1 and 0 < delta < 1):
        return math.nan
    sharp = constants.Constants.sharp(CubicSplines(int(cells)))
    beta = constants.smoothness(sharp.gradient_bound(int(width), delta), sharp.hessian_bound(int(width), delta))
    return constants.largest_step(beta)


def unless(reasons: Iterable[str], claim: Claim) -> Claim:
    """Where a claim's own conditions are not met, or constants are hidden, runs decide nothing: inconclusive both ways."""
    found = list(reasons)
    if not found:
        return claim
    said = [f"outside of what is proved: {', '.join(found)}"]
    told_as = {"reproduced": "consistent", "not reproduced": "not consistent"}.get(claim.verdict)
    if told_as is not None:
        said += [f"{claim.measured:.3g} is {told_as} with the claim"]
    if claim.verdict == "reproduced":
        said += [f"{CHANGED}: what is met outside of its conditions counted as reproduced"]
    verdict = claim.verdict if told_as is None else "inconclusive"
    return dataclasses.replace(claim, note="; ".join(filter(None, [claim.note, *said])), verdict=verdict)


def left_open(claim: Claim, reason: str) -> Claim:
    """The claim without a verdict, and why."""
    return dataclasses.replace(claim, note="; ".join(filter(None, [claim.note, reason])), verdict="inconclusive")


def spread_of(found: Iterable[Estimate]) -> tuple[float, float]:
    """Smallest and largest positive value, NaN of none."""
    each = positive(estimate.value for estimate in found)
    return (min(each), max(each)) if each else (math.nan, math.nan)
