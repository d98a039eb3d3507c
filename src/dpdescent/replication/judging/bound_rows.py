"""Rows of a paper's bounds: a bound's value at a setting, what was measured there, and whether the bound holds."""

import math
from typing import Literal

import pandas as pd

from dpdescent.replication.judging.evidence import Bound, Evidence, places_of

Direction = Literal["at most", "at least"]

# Notes that more than one bound carries.
ORDER = "hidden constants are 1: an order, no bound"
VACUOUS = "vacuous"


def row(
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
    """A row of bounds; `holds` says whether the measured value lies where the bound puts it.

    Without a direction it is open. `allowed` is how far on the wrong side chance or rounding may carry the measured
    value; the note is to say so. Where it is NaN, because a single trial tells nothing of chance, the row is open too.
    """
    number = _number(measured)
    holds = None
    if number is not None and direction is not None and not math.isnan(allowed):
        holds = bool(number <= value + allowed if direction == "at most" else number >= value - allowed)
    if math.isinf(value) and direction is not None and VACUOUS not in note:
        note = "; ".join(filter(None, [note, f"{VACUOUS}: no finite value"]))
    return Bound(bound, location, setting, float(value), number, holds, note)


def stated(
    *, bound: str, location: str, setting: str, value: float, note: str = "", measured: float | None = None
) -> Bound:
    """A row for a quantity that bounds nothing by itself; a measured value may stand beside it."""
    return row(
        bound=bound, location=location, setting=setting, value=value, measured=measured, direction=None, note=note
    )


def identity(
    *, bound: str, location: str, setting: str, value: float, measured: float | None, allowed: float, note: str = ""
) -> Bound:
    """A row for an equality: it holds if the measured value is within `allowed` of it; open where that is NaN."""
    number = _number(measured)
    holds = None if number is None or math.isnan(allowed) else bool(abs(number - value) <= allowed)
    return Bound(bound, location, setting, float(value), number, holds, note)


def _number(measured: float | None) -> float | None:
    return None if measured is None or math.isnan(measured) else float(measured)


def is_met(met: bool) -> str:
    """How a note says whether a condition is met."""
    return "met" if met else "not met"


def pick(table: pd.DataFrame, column: str, **where: object) -> float | None:
    """One value of the row of a table that has the given values; None where there is no such row.

    Raises:
        ValueError: if there is more than one.
    """
    found = _at_most_one(table, where)
    return None if found is None else float(table[column].iloc[found])


def row_at(table: pd.DataFrame, **where: object) -> "pd.Series[float]":
    """The one row with these values; a row of NaN where there is none.

    Raises:
        ValueError: if there is more than one.
    """
    found = _at_most_one(table, where)
    return pd.Series(math.nan, index=table.columns) if found is None else table.iloc[found]


def _at_most_one(table: pd.DataFrame, where: dict[str, object]) -> int | None:
    """The place of the row."""
    found = places_of(table, where)
    if len(found) > 1:
        raise ValueError(f"{len(found)} rows have {where}; one is needed")
    return int(found[0]) if len(found) else None


def bound_value(evidence: Evidence, name: str) -> float:
    """The value of the one bound of that name, among those that were evaluated.

    Raises:
        ValueError: if no row of the bounds, or more than one, has that name.
    """
    table = evidence.tables["bounds"]
    found = table[table["bound"] == name]["value"]
    if len(found) != 1:
        raise ValueError(f"bounds.csv has {len(found)} rows called {name!r}; one is needed")
    return float(found.iloc[0])
