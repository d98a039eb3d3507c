"""Records of judgement: what key, estimate and criterion make of a claim, and a measurement of a bound."""

import math
from functools import partial

import pandas as pd
import pytest

from dpdescent.checks import as_list, require_non_negative, require_positive, require_probability
from dpdescent.replication.judging import judgement
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, Finding
from dpdescent.replication.judging.statistics import Estimate

TEXTS = ("name", "fig01", "Sec. 1", "it grows", "slope")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1.0, 2.0, "reproduced"), (0.9, 2.0, "inconclusive"), (2.1, 3.0, "not reproduced"), (0.1, 0.9, "not reproduced")],
)
def test_verdict_of_a_claim_follows_from_estimate_and_criterion(low: float, high: float, verdict: str) -> None:
    estimate = Estimate((low + high) / 2, low, high)
    found = judgement.claim("key", *TEXTS, estimate, "1 to 2", 1.0, 2.0, "a note")
    assert found == Claim(
        "name", "key", "fig01", "Sec. 1", "it grows", "slope", (low + high) / 2, low, high, "1 to 2", verdict, "a note"
    )


def test_claim_without_limits_is_reproduced_by_any_number() -> None:
    assert judgement.claim("key", *TEXTS, Estimate(-1e300, -math.inf, math.inf), "any").verdict == "reproduced"


def test_judged_takes_its_verdict_as_it_is_and_may_have_no_number() -> None:
    found = judgement.judged("key", *TEXTS, None, "none", "not testable")
    assert (found.measured, found.low, found.high) == (None, None, None)
    assert (found.paper, found.verdict, found.note) == ("key", "not testable", "")
    measured = judgement.judged("key", *TEXTS, Estimate(2.0, 1.0, 3.0), "none", "not testable")
    assert (measured.measured, measured.low, measured.high, measured.verdict) == (2.0, 1.0, 3.0, "not testable")


def test_key_is_bound_once() -> None:
    finding = partial(judgement.finding, "key")
    texts = {"statement": "says", "expected": "two", "measured": "one", "charitable": "half"}
    assert finding("slip", "eq. (1)", "mathematics", "low", "confirmed", "fig01", **texts) == Finding(
        "slip", "key", "eq. (1)", "mathematics", "says", "two", "one", "low", "confirmed", "half", "fig01"
    )


@pytest.mark.parametrize(
    ("measured", "direction", "holds"),
    [
        (1.0, "at most", True), (2.0, "at most", True), (2.1, "at most", False), (2.1, "at least", True),
        (2.0, "at least", True), (1.0, "at least", False), (1.0, None, None), (None, "at most", None),
        (math.nan, "at most", None),
    ],
)  # fmt: skip
def test_row_says_whether_the_measurement_lies_where_the_bound_puts_it(
    measured: float | None, direction: judgement.Direction | None, holds: bool | None
) -> None:
    row = judgement.row("error", "eq. (2)", "n=1", 2, measured, direction, "a note")
    number = None if measured is None or math.isnan(measured) else measured
    assert row == Bound("error", "eq. (2)", "n=1", 2.0, number, holds, "a note")


def test_infinite_bound_is_called_vacuous_once() -> None:
    assert judgement.row("b", "l", "s", math.inf).note == "vacuous: no finite value"
    assert judgement.row("b", "l", "s", math.inf, note="why").note == "why; vacuous: no finite value"
    assert judgement.row("b", "l", "s", math.inf, note="vacuous: a square").note == "vacuous: a square"
    assert judgement.stated("b", "l", "s", math.inf).note == ""


def test_stated_quantity_holds_nothing() -> None:
    assert judgement.stated("b", "l", "s", 2.0, "a note", 3.0) == Bound("b", "l", "s", 2.0, 3.0, None, "a note")


def test_pick_finds_the_one_row() -> None:
    table = pd.DataFrame({"n": [1, 1, 2], "T": [1, 2, 1], "mean": [0.1, 0.2, 0.3]})
    assert judgement.pick(table, "mean", n=1, T=2) == 0.2
    assert judgement.pick(table, "mean", n=2, T=2) is None
    with pytest.raises(ValueError, match=r"2 rows have .*'n': 1"):
        judgement.pick(table, "mean", n=1)


def test_bound_is_found_by_its_whole_name() -> None:
    bounds = pd.DataFrame({"bound": ["one", "one more", "two", "two"], "value": [1.0, 2.0, 3.0, 4.0]})
    evidence = Evidence({}, {"bounds": bounds})
    assert judgement.bound_value(evidence, "one") == 1.0
    for name, count in (("two", 2), ("three", 0)):
        with pytest.raises(ValueError, match=rf"bounds\.csv has {count} rows called '{name}'"):
            judgement.bound_value(evidence, name)


@pytest.mark.parametrize("value", [-1.0, -math.inf, math.nan])
def test_checks_name_the_argument_and_its_value(value: float) -> None:
    with pytest.raises(ValueError, match=rf"gamma must be positive, got {value}"):
        require_positive(n=1, gamma=value)
    with pytest.raises(ValueError, match=rf"gamma must not be negative, got {value}"):
        require_non_negative(n=0, gamma=value)


def test_zero_and_infinity() -> None:
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        require_positive(n=0)
    require_non_negative(n=0, rho=math.inf)
    require_positive(rho=math.inf)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_probability_lies_strictly_between_zero_and_one(value: float) -> None:
    require_probability(alpha=1e-300, beta=1 - 1e-16)
    with pytest.raises(ValueError, match=f"beta must lie strictly between 0 and 1, got {value}"):
        require_probability(alpha=0.5, beta=value)


def test_one_value_is_a_list_of_one() -> None:
    assert as_list(3) == [3]
    assert as_list([3, 4]) == [3, 4]
    assert as_list("ab") == ["ab"]
