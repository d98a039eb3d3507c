"""The report's words: numbers in few digits, ranges, lists, and what a figure shows to those who do not see it."""

import re
from pathlib import Path

import pytest

from dpdescent.replication.report import wording
from dpdescent.replication.report.summary import VERDICTS


@pytest.mark.parametrize(
    ("value", "text"),
    [("0.30000000000000004", "0.3"), ("12345.678", "1.235e+04"), ("20", "20"), ("-3", "-3"), (1e-6, "1e-06"),
     ("inf", "inf"), ("", ""), ("main", "main"), ("123456789", "123456789")],
)  # fmt: skip
def test_numbers_have_four_digits_and_whole_ones_all(value: object, text: str) -> None:
    assert wording.number(value) == text


def test_ranges_that_are_one_number_are_written_so() -> None:
    assert wording.extent((0.1, 2.0)) == "0.1 to 2"
    assert wording.extent((1.0001, 1.0002)) == "1"
    assert wording.extent((1.0, 5.0, 9.0)) == "1 to 9"
    assert wording.extent(None) == ""


def test_estimate_has_its_interval_where_there_is_one() -> None:
    claim = {"measured": "0.5123", "low": "0.41", "high": "0.61"}
    assert wording.estimate(claim) == "0.512 [0.41, 0.61]"
    assert wording.estimate({**claim, "low": "0.5123", "high": "0.5123"}) == "0.512"
    assert wording.estimate({**claim, "measured": ""}) == ""


def test_long_lists_lose_their_middle_and_say_how_many_there_were() -> None:
    assert wording.values("1, 2, 3, 4, 5, 6") == "1, 2, 3, 4, 5, 6"
    long = ", ".join(str(10**k) for k in range(20))
    assert wording.values(long) == f"1, 10, 100, …, {10**19} (20 values)"
    prose = "one very long word after another without any comma at all, which stays as it is"
    assert wording.values(prose) == prose


def test_trials_name_only_the_variants_that_have_others() -> None:
    assert wording.trials({"main": [100], "a": [100], "b": [50]}) == "100; b: 50"
    assert wording.trials({"main": [1, 20]}) == "1 or 20"


def test_sentences_begin_and_end_as_such() -> None:
    assert wording.sentence("the error falls") == "The error falls."
    assert wording.sentence(" Is it so? ") == "Is it so?"
    assert wording.sentence("") == ""
    assert wording.sentence("a cost") == "A cost."


@pytest.mark.parametrize(
    "text", ["gamma and noise shrink", "max(sigma, 1)", "n of that order", "rho1 is small", "|x| = 1"]
)
def test_a_symbol_at_the_beginning_is_no_other_symbol(text: str) -> None:
    assert wording.sentence(text) == f"{text}."
    assert (wording.counted(1, "table"), wording.counted(2, "table")) == ("1 table", "2 tables")


def test_a_figures_alternative_says_what_it_is_and_what_was_measured_in_few_letters() -> None:
    artefact = {"place": "Figure 1", "title": "Error at rho2 = 1", "caption": "error against n. Blue is X"}
    claim = {"quantity": "slope", "measured": "-0.5", "low": "-0.6", "high": "-0.4", "verdict": "reproduced"}
    text = wording.alternative(artefact, [{**claim, "measured": ""}, claim, {**claim, "quantity": "other"}])
    assert text == "Figure 1: Error at ρ₂ = 1. Error against n. slope: −0.5 [−0.6, −0.4] (reproduced)."
    assert wording.alternative(artefact, []) == "Figure 1: Error at ρ₂ = 1. Error against n."
    long = wording.alternative({**artefact, "caption": "word " * 100}, [claim])
    assert len(long) <= wording.MOST_LETTERS
    assert long.endswith("word…")


@pytest.mark.parametrize(
    ("criterion", "limits"),
    [
        ("between -0.03 and 0.03", (-0.03, 0.03)), ("slope between 1 and 2, at every reading", (1.0, 2.0)),
        ("within 0.05 of 1: the same", (0.95, 1.05)), ("at most 1 (to rounding)", (None, 1.0)),
        ("below 2.5e-3", (None, 0.0025)),
        ("at least 0.9", (0.9, None)), ("above 0, and more", (0.0, None)), ("none: an opinion", None),
        ("at most beta = 0.1", None), ("at most 5% of it", None), ("all of them", None),
    ],
)  # fmt: skip
def test_limits_are_read_from_the_beginning_of_a_criterion(
    criterion: str, limits: tuple[float | None, float | None] | None
) -> None:
    found = wording.limits(criterion)
    assert (found and tuple(end if end is None else round(end, 9) for end in found)) == limits


def test_every_verdict_has_a_sign_of_its_own() -> None:
    style = (Path(wording.__file__).parent / "static/style.css").read_text(encoding="utf-8")
    signs = dict(re.findall(r'\.badge\.([a-z-]+)::before \{ content: "(.) "', style))
    assert signs.keys() == {wording.slug(verdict) for verdict in VERDICTS}
    assert len(set(signs.values())) == len(VERDICTS)


def test_anchors_have_no_signs_that_addresses_escape() -> None:
    assert wording.slug("brown2024", "lemma 2.1 (a)/b") == "brown2024-lemma-2.1-a-b"
