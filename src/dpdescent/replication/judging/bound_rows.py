"""Rows of a paper's bounds: the value of a bound at a setting, the measured value, and whether the bound holds."""

import math
from collections.abc import Iterable
from functools import partial
from typing import Literal

import pandas as pd

from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.evidence import Bound, joined, places_of

Direction = Literal["at most", "at least"]

# Notes that more than one bound carries.
ORDER = "hidden constants are 1: an order, no bound"
VACUOUS = "vacuous"

# The rounding error that exact values may have, relative to the bound.
ROUNDING = 1e-9
# The number of standard errors by which chance may carry a mean of many trials past its bound; for few trials the
# distance is that of Student's t with the same probability.
STANDARD_ERRORS = 4.0
CHANCE = f"{STANDARD_ERRORS:g} standard errors (Student's t)"
chance = partial(statistics.distance_by_chance, standard_errors=STANDARD_ERRORS)


def bound_row(
    *,
    bound: str,
    location: str,
    setting: str,
    value: float,
    measured: float | None = None,
    direction: Direction | None = "at most",
    note: str = "",
    allowed: float = 0.0,
) -> Bound:
    """A row for a bound; `holds` says whether the measured value lies on the side where the bound puts it.

    A row without a direction is open. `allowed` is the distance that chance or rounding may carry the measured value to
    the wrong side, and the note is to say so. Where it is NaN, because a single trial tells nothing of chance, the row
    is open too.
    """
    number = _number(measured)
    holds = None
    if number is not None and direction is not None and not math.isnan(allowed):
        holds = bool(number <= value + allowed if direction == "at most" else number >= value - allowed)
    if math.isinf(value) and direction is not None and VACUOUS not in note:
        note = joined(note, f"{VACUOUS}: no finite value")
    return Bound(bound, location, setting, float(value), number, holds, note)


def unjudged_row(
    *, bound: str, location: str, setting: str, value: float, note: str = "", measured: float | None = None
) -> Bound:
    """A row for a quantity that bounds nothing by itself; a measured value may stand beside it."""
    return bound_row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, direction=None, note=note
    )


def equality_row(
    *, bound: str, location: str, setting: str, value: float, measured: float | None, allowed: float, note: str = ""
) -> Bound:
    """A row for an equality: it holds if the measured value is within `allowed` of it; open where that is NaN."""
    number = _number(measured)
    holds = None if number is None or math.isnan(allowed) else bool(abs(number - value) <= allowed)
    return Bound(bound, location, setting, float(value), number, holds, note)


def order_row(bound: str, location: str, setting: str, value: float, measured: float | None, note: str = "") -> Bound:
    """A row for a formula with hidden constants: open, with the constant that the formula would need."""
    number = finite(measured)
    needed = f"measured is {number / value:.3g} times it" if number is not None and value > 0.0 else ""
    return unjudged_row(
        bound=bound, location=location, setting=setting, value=value, note=joined(note, needed, ORDER), measured=number,
    )  # fmt: skip


def exact_row(
    bound: str, location: str, setting: str, value: float, measured: float | None, note: str, *, met: bool = True,
    direction: Direction = "at most",
) -> Bound:  # fmt: skip
    """A row for a bound beside an exact value; open where its conditions are not met or the value is not finite."""
    number = finite(measured)
    if not met or number is None:
        return unjudged_row(bound=bound, location=location, setting=setting, value=value, note=note, measured=number)
    return bound_row(
        bound=bound, location=location, setting=setting, value=value, measured=number, direction=direction, note=note,
        allowed=ROUNDING * abs(value),
    )  # fmt: skip


def simulated_row(
    bound: str, location: str, setting: str, value: float, trials: "pd.Series[float]", note: str, *, met: bool = True,
    direction: Direction = "at most", bound_chance: float = 0.0,
) -> Bound:  # fmt: skip
    """A row for a bound beside the mean over trials; open where its conditions are not met or it is not finite.

    `bound_chance` is the distance that chance may have carried the bound itself, where that is made of means.
    """
    measured = finite(trials["mean"])
    if not met or not math.isfinite(value):
        return unjudged_row(bound=bound, location=location, setting=setting, value=value, note=note, measured=measured)
    return bound_row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, direction=direction,
        note=joined(note, f"{CHANCE} beyond allowed"), allowed=math.hypot(chance(trials), bound_chance),
    )  # fmt: skip


def mean_equality_row(
    bound: str, location: str, setting: str, value: float, trials: "pd.Series[float]", note: str, *, met: bool = True
) -> Bound:
    """A row for an exact mean beside the mean over trials; open where conditions are not met or it is not finite."""
    measured = finite(trials["mean"])
    if not met or not math.isfinite(value):
        return unjudged_row(bound=bound, location=location, setting=setting, value=value, note=note, measured=measured)
    return equality_row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, allowed=chance(trials),
        note=joined(note, f"equality, {CHANCE} either way allowed"),
    )  # fmt: skip


def rounded_equality_row(
    bound: str, location: str, setting: str, value: float, measured: float | None, note: str = "",
    rounding: float = ROUNDING,
) -> Bound:  # fmt: skip
    """A row for an equality of exact values, up to rounding relative to them."""
    return equality_row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, allowed=rounding * abs(value),
        note=joined(note, f"equality up to rounding, {rounding:g} relative"),
    )  # fmt: skip


def _number(measured: float | None) -> float | None:
    return None if measured is None or math.isnan(measured) else float(measured)


def finite(value: float | None) -> float | None:
    """A number; None where it is infinite or NaN."""
    return float(value) if value is not None and math.isfinite(value) else None


def distinct_values(values: Iterable[float]) -> list[float]:
    """The distinct values in rising order, without NaN."""
    return sorted({float(value) for value in values if not math.isnan(value)})


def ends_and_middle(values: Iterable[float]) -> list[float]:
    """The smallest, the middle one and the largest of the distinct values."""
    ordered = distinct_values(values)
    return sorted({ordered[0], ordered[len(ordered) // 2], ordered[-1]}) if ordered else []


def place_text(name: str, table_row: "pd.Series[float]", *keys: str, digits: int = 6) -> str:
    """The place of a row in words: its table, and the keys that have a value, with at most `digits` digits."""
    pairs = ((key, table_row[key]) for key in keys if not pd.isna(table_row[key]))
    texts = (f"{key}={value if isinstance(value, str) else f'{value:.{digits}g}'}" for key, value in pairs)
    return f"{name}: {', '.join(texts)}"


def met_or_not(met: bool) -> str:
    """The words in which a note says whether a condition is met."""
    return "met" if met else "not met"


def value_at(table: pd.DataFrame, column: str, **where: object) -> float | None:
    """One value of the row of a table that has the given values; None where there is no such row.

    Raises:
        ValueError: if there is more than one.
    """
    position = _at_most_one(table, where)
    return None if position is None else float(table[column].iloc[position])


def row_at(table: pd.DataFrame, **where: object) -> "pd.Series[float]":
    """The one row with these values; a row of NaN where there is none.

    Raises:
        ValueError: if there is more than one.
    """
    position = _at_most_one(table, where)
    return pd.Series(math.nan, index=table.columns) if position is None else table.iloc[position]


def _at_most_one(table: pd.DataFrame, where: dict[str, object]) -> int | None:
    """The position of the one row that has the given values; None where there is none."""
    positions = places_of(table, where)
    if len(positions) > 1:
        raise ValueError(f"{len(positions)} rows have {where}; one is needed")
    return int(positions[0]) if len(positions) else None
