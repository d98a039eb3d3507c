"""Row algebra: from the rows of a table to estimates by place, in one way for all papers.

Functions over several places return a dictionary from the place, in words, to its estimate:
`records.claim_on_all_cells` takes it, and `claims_cells.csv` lists it. Where a user's own grid lacks rows, there are
fewer places or none; without any place the estimate is `NOTHING`, and the claim not testable.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    exactly,
    half_widths,
    log_log_slope,
    mean_of,
    ratio,
)

Array = NDArray[np.float64]
Places = dict[str, Estimate]

# The fewest points for which a log-log slope is given.
POINTS = 3


def rows_of(table: pd.DataFrame) -> "Iterator[pd.Series[Any]]":
    """The rows of a table."""
    return (row for _, row in table.iterrows())


def floats(table: pd.DataFrame, column: str) -> Array:
    """A column as numbers, shape (rows,)."""
    return np.asarray(table[column], dtype=np.float64)


def place_of(row: "pd.Series[float]", keys: Sequence[str]) -> str:
    """The place of a row in words; keys without a value are left out."""
    return ", ".join(f"{key} = {_short(row[key])}" for key in keys if not pd.isna(row[key]))


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, Real) else str(value)


def means(
    table: pd.DataFrame, keys: Sequence[str], interval: "Callable[[pd.Series[float]], Estimate]" = mean_of
) -> Places:
    """The mean of every row by its place, with an interval by the given function."""
    return _with_value((place_of(row, keys), interval(row)) for row in rows_of(table))


def measured_by(table: pd.DataFrame, keys: Sequence[str], measure: Callable[[pd.DataFrame], Estimate]) -> Places:
    """A measure of every group of rows, by the place of the group; groups without a value are left out."""
    groups = (group.reset_index(drop=True) for _, group in table.groupby(list(keys), sort=True, dropna=False))
    return _with_value((place_of(group.iloc[0], keys), measure(group)) for group in groups)


def ratio_of_rows(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """The ratio of the means of two rows; `NOTHING` unless both are positive and finite."""
    usable = all(math.isfinite(row["mean"]) and row["mean"] > 0 for row in (first, second))
    return ratio(first, second) if usable else NOTHING


def paired_rows(
    upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]
) -> "list[tuple[pd.Series[float], pd.Series[float]]]":
    """Rows of two tables at equal places; places that only one table has are left out."""
    places = {key: index for index, key in enumerate(_keys(lower, on))}
    matches = ((index, places[key]) for index, key in enumerate(_keys(upper, on)) if key in places)
    return [(upper.iloc[first], lower.iloc[second]) for first, second in matches]


def _keys(table: pd.DataFrame, on: Sequence[str]) -> list[tuple[object, ...]]:
    """Places of all rows; values that are missing count as equal."""
    places = zip(*(table[name].tolist() for name in on), strict=True)
    return [tuple("" if pd.isna(value) else value for value in place) for place in places]


def ratios(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str], named_by: Sequence[str] = ()) -> Places:
    """Ratios of means at equal places; `named_by` are the columns that name a place, if fewer than `on` suffice."""
    return _with_value(
        (place_of(row, named_by or on), ratio_of_rows(row, other)) for row, other in paired_rows(upper, lower, on)
    )


def differences(upper: pd.DataFrame, lower: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Rows of the upper table at places that both tables have; their mean is the difference of both means."""
    rows = []
    for row, other in paired_rows(upper, lower, on):
        errors = [0.0 if math.isnan(operand["se"]) else operand["se"] for operand in (row, other)]
        rows.append(row.to_dict() | {"mean": row["mean"] - other["mean"], "se": math.hypot(*errors)})
    return pd.DataFrame(rows, columns=upper.columns)


def rows_at_end(table: pd.DataFrame, column: str, largest: bool = True) -> pd.DataFrame:
    """Rows at the largest, or smallest, value of a column."""
    values = floats(table, column)
    if not np.isfinite(values).any():
        return table[:0]
    return table[values == (np.nanmax(values) if largest else np.nanmin(values))].reset_index(drop=True)


def last_over_first(table: pd.DataFrame, axis: str) -> Estimate:
    """The mean at the last value of an axis divided by that at the first; `NOTHING` where the axis has one value."""
    if table[axis].nunique() < 2:
        return NOTHING
    return ratio_of_rows(rows_at_end(table, axis).iloc[0], rows_at_end(table, axis, largest=False).iloc[0])


def scaled_rows(table: pd.DataFrame, factors: Array) -> pd.DataFrame:
    """Rows whose means and errors are multiplied by exact factors; rows without a positive factor are left out."""
    factors = np.where(factors > 0, factors, math.nan)
    product = table.assign(mean=floats(table, "mean") * factors, se=floats(table, "se") * factors)
    return product[np.isfinite(factors)].reset_index(drop=True)


def exponent(table: pd.DataFrame, axis: str, points: int = POINTS) -> Estimate:
    """The log-log slope of the means, with an interval that scatter widens; `NOTHING` for fewer points."""
    table = _with_logarithms(table, axis)
    return log_log_slope(table, axis) if table[axis].nunique() >= points else NOTHING


def least_squares_slope(table: pd.DataFrame, axis: str) -> Estimate:
    """The log-log slope of a least-squares line through the means, as the caption of a figure gives it.

    Only the standard errors of the means widen its interval, and scatter about the line does not: through exact points
    the slope is a number without error.
    """
    table = _with_logarithms(table, axis)
    if table[axis].nunique() < 2:
        return NOTHING
    x, mean = floats(table, axis), floats(table, "mean")
    centred = np.log(x) - np.log(x).mean()
    weights = centred / (centred @ centred)
    value, half = float(weights @ np.log(mean)), float(np.linalg.norm(weights * half_widths(table) / mean))
    return Estimate(value, value - half, value + half)


def _with_logarithms(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Rows that are positive and finite on both axes."""
    x, mean = floats(table, axis), floats(table, "mean")
    return table[(x > 0) & (mean > 0) & np.isfinite(mean)]


def positive(values: Iterable[float]) -> list[float]:
    """The values that are positive and finite."""
    return [float(value) for value in values if value > 0 and math.isfinite(value)]


def step_ratios(values: Iterable[float]) -> list[Estimate]:
    """Every positive value divided by the one before it."""
    return [exactly(after / before) for before, after in pairwise(positive(values))]


def largest_over_smallest(values: Iterable[float]) -> Estimate:
    """The largest value divided by the smallest; `NOTHING` for fewer than two values."""
    usable = positive(values)
    return exactly(max(usable) / min(usable)) if len(usable) > 1 else NOTHING


def largest_over_first(values: Iterable[float]) -> Estimate:
    """The largest value divided by the first; `NOTHING` for fewer than two values."""
    usable = positive(values)
    return exactly(max(usable) / usable[0]) if len(usable) > 1 else NOTHING


def values_text(values: Iterable[tuple[object, float]], form: str = ".3g") -> str:
    """Text for a note: the values, each with its place."""
    return ", ".join(f"{value:{form}} at {place}" for place, value in values)


def places_text(places: Mapping[str, Estimate]) -> str:
    """Text for a note: the value at every place."""
    return values_text((place or "all", estimate.value) for place, estimate in places.items()) or "no rows"


def _with_value(estimates: Iterable[tuple[str, Estimate]]) -> Places:
    return {place: estimate for place, estimate in estimates if not math.isnan(estimate.value)}
