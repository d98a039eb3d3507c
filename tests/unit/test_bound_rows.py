"""Rows of bounds: whether a measurement lies where the bound puts it, and how rows are found again."""

import math

import pandas as pd
import pytest

from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound, Evidence

AT = {"bound": "error", "location": "eq. (2)", "setting": "n=1"}


@pytest.mark.parametrize(
    ("measured", "direction", "holds"),
    [
        (1.0, "at most", True), (2.0, "at most", True), (2.1, "at most", False), (2.1, "at least", True),
        (2.0, "at least", True), (1.0, "at least", False), (1.0, None, None), (None, "at most", None),
        (math.nan, "at most", None),
    ],
)  # fmt: skip
def test_row_says_whether_the_measurement_lies_where_the_bound_puts_it(
    measured: float | None, direction: bound_rows.Direction | None, holds: bool | None
) -> None:
    row = bound_rows.row(**AT, value=2, measured=measured, direction=direction, note="a note")
    number = None if measured is None or math.isnan(measured) else measured
    assert row == Bound(*AT.values(), 2.0, number, holds, "a note")


def test_infinite_bound_is_called_vacuous_once() -> None:
    assert bound_rows.row(**AT, value=math.inf).note == "vacuous: no finite value"
    assert bound_rows.row(**AT, value=math.inf, note="why").note == "why; vacuous: no finite value"
    assert bound_rows.row(**AT, value=math.inf, note="vacuous: a square").note == "vacuous: a square"
    assert bound_rows.stated(**AT, value=math.inf).note == ""


def test_stated_quantity_holds_nothing() -> None:
    assert bound_rows.stated(**AT, value=2.0, note="a note", measured=3.0) == Bound(
        *AT.values(), 2.0, 3.0, None, "a note"
    )


def test_pick_finds_the_one_row() -> None:
    table = pd.DataFrame({"n": [1, 1, 2], "T": [1, 2, 1], "mean": [0.1, 0.2, 0.3]})
    assert bound_rows.pick(table, "mean", n=1, T=2) == 0.2
    assert bound_rows.pick(table, "mean", n=2, T=2) is None
    with pytest.raises(ValueError, match=r"2 rows have .*'n': 1"):
        bound_rows.pick(table, "mean", n=1)


def test_bound_is_found_by_its_whole_name() -> None:
    bounds = pd.DataFrame({"bound": ["one", "one more", "two", "two"], "value": [1.0, 2.0, 3.0, 4.0]})
    evidence = Evidence({}, {"bounds": bounds})
    assert bound_rows.bound_value(evidence, "one") == 1.0
    for name, count in (("two", 2), ("three", 0)):
        with pytest.raises(ValueError, match=rf"bounds\.csv has {count} rows called '{name}'"):
            bound_rows.bound_value(evidence, name)
