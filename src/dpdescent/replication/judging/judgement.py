"""The records that judgement makes in every paper: claims with their verdicts, findings, rows of bounds.

A paper's `reading` binds its own key once: `claim = partial(judgement.claim, PAPER)`; likewise `judged` and `finding`.
"""

import math
from collections.abc import Iterator
from typing import Any, Literal

import pandas as pd

from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, Finding, Kind, Severity, Status, Verdict
from dpdescent.replication.judging.statistics import Estimate, verdict

Direction = Literal["at most", "at least"]

# Notes that more than one bound carries.
ORDER = "hidden constants are 1: an order, no bound"
VACUOUS = "vacuous"


def claim(
    paper: str, name: str, artefact: str, location: str, statement: str, quantity: str, measured: Estimate,
    criterion: str, at_least: float = -math.inf, at_most: float = math.inf, note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict follows from one estimate and its criterion."""
    result = verdict(measured, at_least, at_most)
    return judged(paper, name, artefact, location, statement, quantity, measured, criterion, result, note)


def judged(
    paper: str, name: str, artefact: str, location: str, statement: str, quantity: str, measured: Estimate | None,
    criterion: str, result: Verdict, note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict was reached otherwise."""
    value, low, high = (None, None, None) if measured is None else (measured.value, measured.low, measured.high)
    return Claim(name, paper, artefact, location, statement, quantity, value, low, high, criterion, result, note)


def finding(
    paper: str, name: str, location: str, kind: Kind, severity: Severity, status: Status, artefact: str, *,
    statement: str, expected: str, measured: str, charitable: str,
) -> Finding:  # fmt: skip
    """What is wrong or missing in the paper, demonstrated by a number of ours, with its charitable reading."""
    return Finding(name, paper, location, kind, statement, expected, measured, severity, status, charitable, artefact)


def row(
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
    bound: str, location: str, setting: str, value: float, note: str = "", measured: float | None = None
) -> Bound:
    """A row for a quantity that bounds nothing by itself; a measured value may stand beside it."""
    return row(bound, location, setting, value, measured, None, note)


def identity(
    bound: str, location: str, setting: str, value: float, measured: float | None, allowed: float, note: str = ""
) -> Bound:
    """A row for an equality: it holds if the measured value is within `allowed` of it; open where that is NaN."""
    number = _number(measured)
    holds = None if number is None or math.isnan(allowed) else bool(abs(number - value) <= allowed)
    return Bound(bound, location, setting, float(value), number, holds, note)


def _number(measured: float | None) -> float | None:
    return None if measured is None or math.isnan(measured) else float(measured)


def each(table: pd.DataFrame) -> "Iterator[pd.Series[Any]]":
    """The rows of a table."""
    return (found for _, found in table.iterrows())


def is_met(met: bool) -> str:
    """How a note says whether a condition is met."""
    return "met" if met else "not met"


def pick(table: pd.DataFrame, column: str, **where: object) -> float | None:
    """One value of the row of a table that has the given values; None where there is no such row.

    Raises:
        ValueError: if there is more than one.
    """
    found = _at_most_one(table, where)
    return None if found.empty else float(found[column].iloc[0])


def row_at(table: pd.DataFrame, **where: object) -> "pd.Series[float]":
    """The one row with these values; a row of NaN where there is none.

    Raises:
        ValueError: if there is more than one.
    """
    found = _at_most_one(table, where)
    return pd.Series(math.nan, index=table.columns) if found.empty else found.iloc[0]


def _at_most_one(table: pd.DataFrame, where: dict[str, object]) -> pd.DataFrame:
    for name, wanted in where.items():
        table = table[table[name] == wanted]
    if len(table) > 1:
        raise ValueError(f"{len(table)} rows have {where}; one is needed")
    return table


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
