"""Claims and findings as records: verdicts from criteria, many cells, readings of an unstated value, regimes."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging import by_id, evidence, records
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, at_least, at_most, between, within_of
from dpdescent.replication.judging.evidence import Cell, Claim, Evidence, Finding
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, widened

TEXTS: dict[str, Any] = {
    "id": "name", "artefact": "fig01", "location": "Sec. 1", "kind": "figure", "source": "paper",
    "statement": "it grows", "quantity": "slope",
}  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1.0, 2.0, "reproduced"), (0.9, 2.0, "inconclusive"), (2.1, 3.0, "not reproduced"), (0.1, 0.9, "not reproduced")],
)
def test_verdict_of_a_claim_follows_from_estimate_and_criterion(low: float, high: float, verdict: str) -> None:
    estimate = Estimate((low + high) / 2, low, high)
    found = records.claim("key", **TEXTS, measured=estimate, criterion=between(1.0, 2.0), changed="a", note="b")
    assert found == Claim(
        "name", "key", "fig01", "Sec. 1", "figure", "paper", "it grows", "slope", (low + high) / 2, low, high,
        "between 1 and 2", verdict, "interval" if verdict == "inconclusive" else "", "a", "b",
    )  # fmt: skip


@pytest.mark.parametrize(
    "verb", [records.claim, records.claim_on_all_cells, records.judged_claim, records.untestable_claim, records.finding]
)
def test_records_take_keywords_only(verb: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        verb("key", "name", "fig01", "Sec. 1", "it grows", "slope")


def test_judged_takes_its_verdict_as_it_is_and_may_have_no_number() -> None:
    found = records.judged_claim("key", **TEXTS, measured=None, criterion="none", verdict="not testable")
    assert (found.measured, found.low, found.high) == (None, None, None)
    assert (found.paper, found.verdict, found.note, found.changed, found.cells) == ("key", "not testable", "", "", ())


def test_untestable_says_why() -> None:
    texts = {name: text for name, text in TEXTS.items() if name != "quantity"}
    found = records.untestable_claim("key", **texts, why="opinion", because="an opinion")
    assert (found.verdict, found.criterion, found.quantity) == ("not testable", "none: an opinion", "none")
    assert found.why == "opinion"


def test_an_interval_that_is_a_range_over_readings_is_open_for_another_reason() -> None:
    measured = Estimate(1.0, 0.0, 2.0)
    found = records.claim(
        "key", **TEXTS, measured=measured, criterion=at_least(1.0), straddles="unstated value decides"
    )
    assert (found.verdict, found.why) == ("inconclusive", "unstated value decides")
    met = records.claim("key", **TEXTS, measured=measured, criterion=at_least(0), straddles="unstated value decides")
    assert (met.verdict, met.why) == ("reproduced", "")


def test_key_is_bound_once() -> None:
    finding = partial(records.finding, "key")
    texts = {"statement": "says", "expected": "two", "measured": "one", "charitable": "half"}
    found = finding(
        id="slip", artefact="fig01", location="eq. (1)", kind="mathematics", severity="low", status="confirmed", **texts
    )
    assert found == Finding(
        "slip", "key", "eq. (1)", "mathematics", "says", "two", "one", "low", "confirmed", "half", "fig01"
    )


@pytest.mark.parametrize(
    ("criterion", "words", "inside", "outside"),
    [
        (at_least(2.0), "at least 2", 2.0, 1.9), (at_most(0.05, ": beta"), "at most 0.05: beta", 0.05, 0.06),
        (between(-1.5, 1.0), "between -1.5 and 1", -1.5, 1.1), (within_of(1.0, 0.25), "within 0.25 of 1", 0.75, 0.7),
        (ABOVE_0, "above 0", 1e-300, 0.0), (BELOW_0, "below 0", -1e-300, 0.0),
        (at_least(1.0, words="as printed"), "as printed", 1.0, 0.5),
    ],
)  # fmt: skip
def test_criteria_print_the_number_that_they_use(criterion: Any, words: str, inside: float, outside: float) -> None:
    assert criterion.words == words
    assert criterion.verdict(exactly(inside)) == "reproduced"
    assert criterion.verdict(exactly(outside)) == "not reproduced"
    assert criterion.margin(inside) >= 0.0
    assert criterion.margin(outside) < 0.0 or outside == 0.0
    assert criterion.verdict_on_all([exactly(inside), exactly(outside)]) == "not reproduced"
    assert criterion.verdict_on_all([]) == "not testable"


CELLS = {"n = 1": Estimate(3.0, 2.9, 3.1), "n = 2": Estimate(2.2, 2.1, 2.3), "n = 3": NOTHING}


def every(cells: Any, **more: Any) -> Claim:
    return records.claim_on_all_cells("key", **TEXTS, cells=cells, criterion=at_least(2.0), **more)


def test_every_cell_must_meet_the_criterion_and_the_closest_is_shown() -> None:
    found = every(CELLS)
    assert (found.verdict, found.measured, found.low, found.high) == ("reproduced", 2.2, 2.1, 2.3)
    assert found.cells == (Cell("n = 1", 3.0, 2.9, 3.1, "reproduced"), Cell("n = 2", 2.2, 2.1, 2.3, "reproduced"))
    doubtful = every(CELLS | {"n = 4": Estimate(2.0, 1.5, 2.5)})
    assert (doubtful.verdict, doubtful.measured) == ("inconclusive", 2.0)
    refuted = every(CELLS | {"n = 4": exactly(1.9), "n = 5": exactly(1.5)})
    assert (refuted.verdict, refuted.measured) == ("not reproduced", 1.5)
    assert every([]).verdict == every([NOTHING]).verdict == "not testable"
    assert [cell.cell for cell in every([exactly(3.0), exactly(4.0)]).cells] == ["1", "2"]


def test_a_refutation_by_one_of_many_cells_survives_a_wider_interval() -> None:
    narrow, wide = Estimate(1.0, 0.99, 1.01), Estimate(1.0, 0.0, 1.99)
    many = {f"n = {k}": Estimate(3.0, 2.9, 3.1) for k in range(20)}
    assert every(many | {"last": wide}).verdict == "inconclusive"
    assert every(many | {"last": narrow}).verdict == "not reproduced"
    assert every({"only": wide}).verdict == "not reproduced"
    assert every(CELLS).verdict == "reproduced"


def test_true_cells_at_the_criterion_are_seldom_called_false() -> None:
    """Twenty true cells that lie at the criterion exactly: one interval each would refute two draws in five."""
    rng, draws, refuted = np.random.default_rng(3), 1000, {"every": 0, "each": 0}
    for _ in range(draws):
        cells = [Estimate(value, value - 1.96, value + 1.96) for value in 2.0 + rng.standard_normal(20)]
        refuted["every"] += every(cells).verdict == "not reproduced"
        refuted["each"] += at_least(2.0).verdict_on_all(cells) == "not reproduced"
    assert refuted["every"] / draws < 0.05
    assert refuted["each"] / draws > 0.3


def test_widening_by_one_cell_changes_nothing_and_needs_a_cell() -> None:
    estimate = Estimate(1.0, 0.0, 3.0)
    one = widened(estimate, 1)
    assert (one.low, one.high) == (pytest.approx(0.0, abs=1e-9), pytest.approx(3.0))
    assert widened(estimate, 10).low < 0.0 < 3.0 < widened(estimate, 10).high
    with pytest.raises(ValueError, match="cells=0"):
        widened(estimate, 0)


def test_readings_of_an_unstated_value_must_agree() -> None:
    assert records.agreement({"n = 500": "reproduced", "n = 1000": "reproduced"})[:2] == ("reproduced", "")
    assert records.agreement({"n = 500": "inconclusive"})[:2] == ("inconclusive", "interval")
    verdict, why, told = records.agreement({"n = 500": "reproduced", "n = 1000": "not reproduced"})
    assert (verdict, why) == ("inconclusive", "unstated value decides")
    assert told == "the unstated value decides: reproduced at n = 500, not reproduced at n = 1000"
    # A reading that is open contradicts none: then it is not the unstated value that decides.
    mixed = records.agreement({"n = 500": "reproduced", "n = 1000": "inconclusive"})
    assert mixed == ("inconclusive", "interval", "reproduced at n = 500, inconclusive at n = 1000")
    # It confirms none either: beside a reading that refutes no value decides in favour of the claim.
    against = records.agreement({"n = 500": "not reproduced", "n = 1000": "inconclusive"})
    assert against == ("inconclusive", "interval", "not reproduced at n = 500, inconclusive at n = 1000")
    split = records.agreement({"n = 500": "not reproduced", "n = 1000": "inconclusive", "n = 2000": "reproduced"})
    assert split[:2] == ("inconclusive", "unstated value decides")
    assert records.agreement({"a": "not reproduced", "b": "not testable"})[:2] == ("inconclusive", "no rows")
    with pytest.raises(ValueError, match="readings is empty"):
        records.agreement({})


def test_a_claim_of_several_readings_is_that_of_the_first_with_the_verdict_of_all() -> None:
    def made(value: Estimate) -> Claim:
        return records.claim("key", **TEXTS, measured=value, criterion=at_most(1.0), note="own")

    small, large, none = made(exactly(0.5)), made(exactly(3.0)), made(NOTHING)
    assert (small.verdict, large.verdict, none.verdict) == ("reproduced", "not reproduced", "not testable")
    found = records.at_every_reading({"no rows": none, "n = 500": small, "n = 1000": large})
    assert found == replace(
        small, verdict="inconclusive", why="unstated value decides",
        note="the unstated value decides: reproduced at n = 500, not reproduced at n = 1000",
    )  # fmt: skip
    assert records.at_every_reading({"a": large, "no rows": none}) == replace(large, note="not reproduced at a")
    assert records.at_every_reading({"a": none}).verdict == "not testable"
    # A reading that is open contradicts none: then it is not the unstated value that decides.
    mixed = records.agreement({"n = 500": "reproduced", "n = 1000": "inconclusive"})
    assert mixed == ("inconclusive", "interval", "reproduced at n = 500, inconclusive at n = 1000")
    with pytest.raises(ValueError, match="readings is empty"):
        records.at_every_reading({})


@pytest.mark.parametrize("measured", [exactly(3.0), exactly(1.0), Estimate(2.0, 1.0, 3.0), NOTHING])
def test_outside_of_its_regime_a_claim_is_open_both_ways(measured: Estimate) -> None:
    regime = records.Regime.where(enough_records=False, small_steps=True)
    inside = records.claim("key", **TEXTS, measured=measured, criterion=at_least(2.0), note="why")
    found = records.claim("key", **TEXTS, measured=measured, criterion=at_least(2.0), note="why", regime=regime)
    if math.isnan(measured.value):
        assert found == inside or found.verdict == "not testable"
        return
    assert (found.verdict, found.why) == ("inconclusive", "outside the regime")
    assert found.note.startswith("why; outside of what is proved: enough records")
    assert records.claim("key", **TEXTS, measured=measured, criterion=at_least(2.0), note="why") == inside
    met = records.Regime.where(enough_records=True)
    assert records.claim("key", **TEXTS, measured=measured, criterion=at_least(2.0), regime=met, note="why") == inside


def test_a_value_above_a_hidden_constant_refutes_nothing() -> None:
    outside = records.Regime.where(enough_records=False)
    assert outside.otherwise(records.HIDDEN) is outside
    assert records.INSIDE.otherwise(records.HIDDEN) is records.HIDDEN
    found = {
        value: records.claim(
            "key", **TEXTS, measured=Estimate(value, value - 0.5, value + 0.5), criterion=at_most(2.0),
            regime=records.HIDDEN,
        )
        for value in (1.0, 2.0, 3.0)
    }  # fmt: skip
    assert [(each.verdict, each.why) for each in found.values()] == [
        ("reproduced", ""), ("inconclusive", "interval"),
        ("inconclusive", "hidden constant"),
    ]  # fmt: skip


def test_cells_stand_in_a_table_of_their_own(tmp_path: Any) -> None:
    made = [every(CELLS), records.claim("key", **TEXTS | {"id": "other"}, measured=exactly(1.0), criterion=ABOVE_0)]
    evidence.write(made, Claim, tmp_path / "claims.csv")
    evidence.write_cells(made, tmp_path / "cells.csv")
    (first, second), cells = read_rows(tmp_path / "claims.csv"), read_rows(tmp_path / "cells.csv")
    assert "cells" not in first
    assert (first["kind"], first["source"], second["criterion"]) == ("figure", "paper", "above 0")
    assert [(row["claim"], row["cell"], row["value"]) for row in cells] == [
        ("name", "n = 1", "3.0"), ("name", "n = 2", "2.2"),
    ]  # fmt: skip
    assert set(cells[0]) == {"paper", "claim", "cell", "value", "low", "high", "verdict"}


def test_one_claim_is_judged_without_modules_that_do_not_name_it(tmp_path: Any, monkeypatch: Any) -> None:
    source = 'from types import SimpleNamespace\ndef judge(evidence):\n    yield SimpleNamespace(claim="{id}")\n{more}'
    (tmp_path / "first_part.py").write_text(source.format(id="one", more="    raise AssertionError\n"))
    (tmp_path / "second_part.py").write_text(source.format(id="two", more=""))
    monkeypatch.syspath_prepend(tmp_path)
    parts: list[ModuleType] = [__import__("first_part"), __import__("second_part")]
    claims: Any = SimpleNamespace(PARTS=tuple(parts))
    assert by_id.judge_one(claims, Evidence({}, {}), "two").claim == "two"
    assert by_id.judge_one(claims, Evidence({}, {}), "one").claim == "one"
    with pytest.raises(ValueError, match="'three' is no claim"):
        by_id.judge_one(claims, Evidence({}, {}), "three")
