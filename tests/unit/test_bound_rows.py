"""Rows of bounds: whether a measurement lies where the bound puts it, and how rows are found again."""

import math
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import norm, t

from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound, Evidence

RESULTS = Path(__file__).resolve().parents[2] / "results/paper"
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
    row = bound_rows.bound_row(**AT, value=2, measured=measured, direction=direction, note="a note")
    number = None if measured is None or math.isnan(measured) else measured
    assert row == Bound(*AT.values(), 2.0, number, holds, "a note")


@pytest.mark.parametrize(
    ("measured", "direction", "allowed", "holds"),
    [
        (2.1, "at most", 0.2, True), (2.3, "at most", 0.2, False), (1.9, "at least", 0.2, True),
        (1.7, "at least", 0.2, False), (1.0, "at most", math.nan, None), (2.1, None, 0.2, None),
    ],
)  # fmt: skip
def test_row_allows_for_chance(
    measured: float, direction: bound_rows.Direction | None, allowed: float, holds: bool | None
) -> None:
    row = bound_rows.bound_row(**AT, value=2.0, measured=measured, direction=direction, note="a note", allowed=allowed)
    assert row.holds is holds


@pytest.mark.parametrize(
    ("measured", "allowed", "holds"),
    [
        (2.2, 0.25, True), (1.8, 0.25, True), (2.3, 0.25, False), (1.7, 0.25, False), (None, 1.0, None),
        (math.nan, 1.0, None), (2.0, math.nan, None), (2.0, 0.0, True),
    ],
)  # fmt: skip
def test_identity_holds_on_both_sides(measured: float | None, allowed: float, holds: bool | None) -> None:
    row = bound_rows.equality_row(**AT, value=2, measured=measured, allowed=allowed, note="a note")
    number = None if measured is None or math.isnan(measured) else measured
    assert row == Bound(*AT.values(), 2.0, number, holds, "a note")


def test_infinite_bound_is_called_vacuous_once() -> None:
    assert bound_rows.bound_row(**AT, value=math.inf).note == "vacuous: no finite value"
    assert bound_rows.bound_row(**AT, value=math.inf, note="why").note == "why; vacuous: no finite value"
    assert bound_rows.bound_row(**AT, value=math.inf, note="vacuous: a square").note == "vacuous: a square"
    assert bound_rows.unjudged_row(**AT, value=math.inf).note == ""


def test_stated_quantity_holds_nothing() -> None:
    assert bound_rows.unjudged_row(**AT, value=2.0, note="a note", measured=3.0) == Bound(
        *AT.values(), 2.0, 3.0, None, "a note"
    )


def simulated(mean: float, se: float = 1.0, trials: int = 5) -> "pd.Series[float]":
    return pd.Series({"mean": mean, "se": se, "trials": trials})


def test_chance_is_wider_where_trials_are_few() -> None:
    for trials in (2, 6, 100, 10**6):
        allowed = bound_rows.chance(simulated(0.0, 2.0, trials))
        assert t.sf(allowed / 2.0, trials - 1) == pytest.approx(norm.sf(4), rel=1e-6)
    assert bound_rows.chance(simulated(0.0, 2.0, 10**6)) == pytest.approx(8.0, rel=1e-3)
    assert math.isnan(bound_rows.chance(simulated(0.0, math.nan, 1)))


def test_mean_may_pass_a_bound_by_chance_of_the_mean_and_of_the_bound() -> None:
    chance = bound_rows.chance(simulated(0.0))
    for beyond, bound_chance, holds in ((0.9, 0.0, True), (1.1, 0.0, False), (1.1, 0.9, True), (1.4, 0.9, False)):
        found = simulated(2.0 + beyond * chance)
        row = bound_rows.simulated_row(*AT.values(), 2.0, found, "why", bound_chance=bound_chance * chance)
        assert (row.holds, row.note) == (holds, "why; 4 standard errors (Student's t) beyond allowed")
    assert bound_rows.simulated_row(*AT.values(), 2.0, simulated(0.0), "", direction="at least").holds is True
    assert bound_rows.simulated_row(*AT.values(), 2.0, simulated(2.0, math.nan, 1), "").holds is None


def test_mean_is_the_same_up_to_chance_on_either_side() -> None:
    chance = bound_rows.chance(simulated(0.0))
    for off, holds in ((-1.1, False), (-0.9, True), (0.9, True), (1.1, False)):
        row = bound_rows.mean_equality_row(*AT.values(), 2.0, simulated(2.0 + off * chance), "")
        assert (row.holds, row.note) == (holds, "equality, 4 standard errors (Student's t) either way allowed")


def test_exact_values_may_be_rounded_and_no_more() -> None:
    for off, holds in ((0.5e-9, True), (2e-9, False)):
        assert bound_rows.exact_row(*AT.values(), 2.0, 2.0 * (1.0 + off), "").holds is holds
        assert bound_rows.rounded_equality_row(*AT.values(), 2.0, 2.0 * (1.0 - off)).holds is holds
    assert bound_rows.rounded_equality_row(*AT.values(), 2.0, 2.0 + 1e-9, rounding=1e-10).holds is False
    assert (
        bound_rows.rounded_equality_row(*AT.values(), 2.0, None, "why").note
        == "why; equality up to rounding, 1e-09 relative"
    )


@pytest.mark.parametrize(("met", "value"), [(False, 2.0), (True, math.inf), (True, math.nan)])
def test_rows_are_open_where_conditions_are_not_met_or_nothing_is_finite(met: bool, value: float) -> None:
    for make in (bound_rows.simulated_row, bound_rows.mean_equality_row):
        row = make(*AT.values(), value, simulated(1.0), "a note", met=met)
        assert (row.measured, row.holds, row.note) == (1.0, None, "a note")
    row = bound_rows.exact_row(*AT.values(), 2.0, 1.0 if math.isfinite(value) else value, "a note", met=met)
    assert (row.measured, row.holds, row.note) == (1.0 if math.isfinite(value) else None, None, "a note")


@pytest.mark.parametrize(
    ("values", "distinct", "middle"),
    [
        ([], [], []), ([2.0], [2.0], [2.0]), ([3, 1, 2, 1], [1, 2, 3], [1, 2, 3]), ([math.nan, 1.0], [1.0], [1.0]),
        ([5, 4, 3, 2, 1], [1, 2, 3, 4, 5], [1, 3, 5]),
    ],
)  # fmt: skip
def test_values_at_which_a_bound_is_evaluated(values: list[float], distinct: list[float], middle: list[float]) -> None:
    assert bound_rows.distinct_values(values) == distinct
    assert bound_rows.ends_and_middle(values) == middle


def test_place_names_the_keys_that_a_row_has() -> None:
    found = pd.Series({"n": 1e6, "r": 1 / 600, "rule": "one", "eps": math.nan})
    assert bound_rows.place_text("a table", found, *found.index) == "a table: n=1e+06, r=0.00166667, rule=one"
    assert bound_rows.place_text("a table", found, "n", "r", digits=8) == "a table: n=1000000, r=0.0016666667"


def test_artefact_has_its_own_settings_and_those_of_the_paper() -> None:
    about = {"one": {"settings": {"gamma": 2.0}}, "other": {}}
    evidence = Evidence({"settings": {"gamma": 1.0, "norm": 3.0}, "artefacts": about}, {})
    assert evidence.settings_of("one") == {"gamma": 2.0, "norm": 3.0}
    assert evidence.settings_of("other") == evidence.settings_of("none") == evidence.settings


def test_pick_finds_the_one_row() -> None:
    table = pd.DataFrame({"n": [1, 1, 2], "T": [1, 2, 1], "mean": [0.1, 0.2, 0.3]})
    assert bound_rows.value_at(table, "mean", n=1, T=2) == 0.2
    assert bound_rows.value_at(table, "mean", n=2, T=2) is None
    assert bound_rows.row_at(table, n=1, T=2)["mean"] == 0.2
    assert math.isnan(bound_rows.row_at(table, n=3)["mean"])
    for pick in (bound_rows.row_at, partial(bound_rows.value_at, column="mean")):
        with pytest.raises(ValueError, match=r"2 rows have .*'n': 1"):
            pick(table, n=1)


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*/bounds.csv")), ids=lambda file: file.parent.name)
def test_every_bound_of_the_results_can_be_judged_somewhere(file: Path) -> None:
    """What never has a verdict is a prediction or a summand; an order is open where a hidden constant would decide."""
    table = pd.read_csv(file, keep_default_na=False)
    judged = table[(table["holds"] != "") | table["note"].str.contains(bound_rows.ORDER)]
    assert set(table["bound"]) == set(judged["bound"])
    assert not table["note"].str.contains("by definition").any()
