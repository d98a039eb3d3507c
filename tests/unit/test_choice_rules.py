"""Rules of questions that a search fits, and what the contest's cells tell of them."""

import math

import pytest

from dpdescent.papers.ours import decision
from dpdescent.papers.ours.methods import WHITENED
from report_made import RESULTS

TABLES = {name: RESULTS / "ours" / f"{name}.csv" for name in decision.CELLS}
FACTS = [{"n": float(n), "p": float(p)} for n in (1, 2, 3, 4) for p in (1, 2)]


def losses(*best: str) -> list[dict[str, float]]:
    """A loss of one wherever another method than the best is taken."""
    return [{name: float(name != method) for name in "abc"} for method in best]


def test_a_rule_that_there_is_is_found() -> None:
    found = decision.fit(FACTS, losses(*"aaaabcbc"), {"n": [1, 2, 3], "p": [1]}, 4)
    assert "".join(found.answer(each) for each in FACTS) == "aaaabcbc"
    assert len(found.questions) == 2


def test_no_more_is_asked_than_gains_and_than_is_allowed() -> None:
    alone = decision.fit(FACTS, losses(*"aaaaaaaa"), {"n": [1, 2, 3], "p": [1]}, 4)
    assert (alone.questions, alone.otherwise) == ((), "a")
    for most in (1, 2):
        assert len(decision.fit(FACTS, losses(*"aabbbbcc"), {"n": [1, 2, 3], "p": [1]}, most).questions) == most


def test_a_method_that_did_not_run_is_no_answer_there() -> None:
    missing = losses(*"aaaaaaaa")
    del missing[3]["a"]
    found = decision.fit(FACTS, missing, {"n": [1]}, 1)
    assert found.answer(FACTS[3]) != "a"


def test_ratios_of_medians_have_ends_of_independent_logarithms() -> None:
    one = {"median": 2.0, "median_low": 1.0, "median_high": 4.0}
    value, low, high = decision.ratio(one, {"median": 1.0, "median_low": 0.5, "median_high": 2.0})
    assert (value, low, high) == pytest.approx((2.0, 2.0 * 2 ** -math.sqrt(2), 2.0 * 2 ** math.sqrt(2)))
    assert math.isnan(decision.ratio({**one, "median_low": 0.0}, one)[0])


def spec(panel: str) -> dict[str, object]:
    arms = {"fitted": {"questions": 2, "cuts": {decision.INFORMATION: [3, 50]}}}
    return {"panel": panel, "settings": {"dp_delta": 1e-6}, "arms": arms, "tables": TABLES}


def test_answers_are_those_of_the_advice_and_every_cell_has_one() -> None:
    rows = list(decision.run_decision(spec(decision.BY_ANSWER)))
    assert {row["series"] for row in rows} == {method for _, method in decision.RUNGS} == set(decision.conditions())
    cells = list(decision.regrets({name: decision.read_rows(path) for name, path in TABLES.items()}, 1e-6))
    assert sorted(row["trial"] for row in rows) == list(range(len(cells)))
    assert all(row["value"] == cells[row["trial"]].ratios[row["series"]][0] for row in rows)
    assert all(row["worst"] >= row["value"] >= 1.0 for row in rows)
    asked = list(decision.run_decision(spec(decision.QUESTIONS)))
    assert sorted(row["trial"] for row in asked) == [k for k, cell in enumerate(cells) if cell.group == decision.MADE]


def test_every_group_has_the_rules_and_single_methods() -> None:
    for panel in (decision.MADE, "known", "held out"):
        rows = list(decision.run_decision(spec(panel)))
        told = {row["series"] for row in rows}
        assert {decision.ADVISED, decision.FITTED, decision.ALWAYS.format(WHITENED)} <= told
        assert all(row["low"] <= row["typical"] <= row["high"] for row in rows)
