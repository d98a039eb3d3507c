"""Pages of findings: what a letter holds, the drawing of pairs, and what judges a finding."""

import re
from typing import Any

import pytest

from dpdescent.replication.report import finding_pages, letters, plots

HEAD = ["sigma", "error", "bound (11)", "clipped"]
ROWS = [["1e-12", "1", "9.62e-12", "1"], ["1", "3.93", "9.62", "0"]]
LETTER = """\
| sigma | error \\| x | bound (11) |
|---|---|---|
| 1e-12 | 1 | 9.62e-12 |

To see it, run this script (`src/papers/p/demonstrations/small_sigma.py` of
our sources):

```python
print("| no row |")
x = 1
```

Have we misread?
"""


def test_a_letter_gives_its_table_and_its_script_back() -> None:
    assert letters.shown(LETTER) == (["sigma", "error | x", "bound (11)"], [["1e-12", "1", "9.62e-12"]])
    assert letters.script(LETTER) == ("src/papers/p/demonstrations/small_sigma.py", 'print("| no row |")\nx = 1')
    assert letters.shown("nothing") == ([], [])
    with pytest.raises(ValueError, match="must name its script"):
        letters.script("nothing")


def test_a_tables_claimed_column_and_the_one_before_it_are_drawn() -> None:
    measured, claimed, found = plots.pairs(HEAD, ROWS) or ("", "", [])
    assert (measured, claimed) == ("error", "bound (11)")
    assert found == [plots.Pair("sigma = 1e-12", 1.0, 9.62e-12), plots.Pair("sigma = 1", 3.93, 9.62)]
    assert plots.pairs(["n", "median risk"], [["1", "2"]]) is None


@pytest.mark.parametrize(
    ("text", "claimed", "numbers"),
    [("The check attains 0.24 instead of 0.00261, twice.", "claimed", (0.24, 0.00261)),
     ("The risk is 1.8e+06 instead of less than 0.5.", "less than", (1.8e6, 0.5))],
)  # fmt: skip
def test_a_headline_that_has_two_numbers_is_drawn(text: str, claimed: str, numbers: tuple[float, float]) -> None:
    assert plots.headline(text, "Lemma 1") == ("measured", claimed, [plots.Pair("Lemma 1", *numbers)])


def test_a_headline_with_one_number_is_not_drawn() -> None:
    assert plots.headline("The error is 16 times the noise.", "Lemma 1") is None


def test_drawing_puts_numbers_in_their_order_and_is_the_same_twice() -> None:
    measured, claimed, found = plots.pairs(HEAD, ROWS) or ("", "", [])
    drawn = plots.comparison(measured, claimed, found)
    first, second = (float(place) for place in re.findall(r'class="measured" cx="([\d.]+)" cy="(?!10")', drawn))
    bounds = [float(place) for place in re.findall(r'class="claimed" d="M([\d.]+) (?!4v)', drawn)]
    assert bounds[0] < first < second < bounds[1]
    assert all(plots.LEFT <= place <= plots.RIGHT for place in (first, second, *bounds))
    assert "σ = 10⁻¹²: 1 against 9.62 × 10⁻¹²" in drawn
    assert drawn == plots.comparison(measured, claimed, found)


@pytest.mark.parametrize(
    "numbers", [[1.0, 1.0], [0.0, 0.5], [-3.0, 4.0], [1e-9, 5.0], [0.49, 0.99], [2.0, 1130.0], [1e-30, 1e300]]
)
def test_axis_keeps_numbers_inside_with_few_round_ticks(numbers: list[float]) -> None:
    axis = plots.Axis(numbers, 0, 100)
    assert [axis.at(value) for value in sorted(numbers)] == sorted(axis.at(value) for value in numbers)
    assert all(0 <= axis.at(value) <= 100 for value in numbers)
    assert 1 <= len(axis.ticks()) <= 8
    assert all(0 <= axis.at(tick) <= 100 for tick in axis.ticks())


def claim(name: str, **changes: str) -> Any:
    row = {"claim": name, "paper": "p", "artefact": "fig01", "verdict": "reproduced"}
    return {**row, **dict.fromkeys(("statement", "quantity", "criterion", "note", "changed"), ""), **changes}


def test_claims_that_name_a_finding_or_fail_on_its_artefact_judge_it() -> None:
    claims = [
        claim("named", note="see finding step-44."), claim("longer", note="finding step-44-large"),
        claim("fails", artefact="fig02", verdict="not reproduced"), claim("holds", artefact="fig02"),
        claim("elsewhere", paper="q", note="finding step-44"),
    ]  # fmt: skip
    row = {"finding": "step-44", "paper": "p", "artefact": "fig02"}
    assert [each["claim"] for each in finding_pages.judged(claims, row)] == ["named", "fails"]
