"""A paper's page: its verdict in words, what leads a figure's caption, published values, and the strips."""

import re
from pathlib import Path
from typing import Any

import pytest

from dpdescent.replication.report import about, paper_pages, plots, wording


def claim(name: str, verdict: str = "reproduced", **changes: str) -> Any:
    row = {
        "claim": name, "paper": "p", "artefact": "fig01", "verdict": verdict, "why": "", "source": "paper",
        "kind": "figure", "location": "Figure 1", "statement": "it is so", "quantity": "slope", "measured": "1",
        "low": "0.5", "high": "1.5", "criterion": "at most 2",
    }  # fmt: skip
    return row | changes


def test_verdict_counts_what_holds_what_does_not_and_why_the_rest_is_open() -> None:
    found = paper_pages.verdict(
        [
            claim("a"), claim("b", kind="theorem"), claim("c", "not reproduced"),
            claim("d", "not testable", why="opinion"),
            claim("e", "inconclusive", why="unstated value decides", location="Sec. 4"),
            claim("f", "inconclusive", why="unstated value decides", location="Sec. 4"),
            claim("g", "inconclusive", why="interval"),
        ]
    )  # fmt: skip
    assert (found["held"], found["testable"], found["untestable"]) == (2, 6, 1)
    assert found["kinds"] == [("figure", 1, 5), ("theorem", 1, 1)]
    assert [each["claim"] for each in found["failed"]] == ["c"]
    assert (len(found["undecided"]), found["places"], found["others"]) == (2, ["Sec. 4"], [("interval", 1)])


def test_a_refuted_claim_of_the_paper_leads_a_caption_then_its_first() -> None:
    ours, first, refuted = claim("x", "not reproduced", source="ours"), claim("a"), claim("b", "not reproduced")
    lead = [paper_pages.result(claims)["lead"]["claim"] for claims in ([ours, first, refuted], [ours, first], [ours])]  # type: ignore[index]
    assert lead == ["b", "a", "x"]
    assert paper_pages.result([claim("n", measured="")]) is None


def test_a_figure_of_which_most_is_open_is_not_headed_by_what_is_reproduced() -> None:
    held, open_, second = claim("a"), claim("b", "inconclusive"), claim("c", "inconclusive")
    mostly_open = paper_pages.result([held, open_, second])
    assert mostly_open is not None
    assert (mostly_open["lead"]["claim"], mostly_open["held"], mostly_open["judged"]) == ("b", 1, 3)
    assert mostly_open["others"] == [("inconclusive", 2)]
    half = paper_pages.result([held, open_, claim("x", "inconclusive", source="ours")])
    assert half is not None
    assert half["lead"]["claim"] == "a"
    assert half["others"] == [("inconclusive", 2)]


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({"statement": "a slope of -0.5", "location": "Figure 3(a), Sec. 4.1"}, "-0.5"),
        ({"criterion": "between -0.6 and -0.4", "location": "Sec. 4.1"}, "-0.5"),
        ({"statement": "a slope of -0.5", "location": "Sec. 9"}, ""),
        ({"statement": "a slope", "location": "Sec. 4.1"}, ""),
        ({"statement": "a slope of -0.5", "location": "Sec. 4.1", "source": "ours"}, ""),
        ({"statement": "a slope of -0.55", "location": "Sec. 4.1"}, ""),
    ],
)  # fmt: skip
def test_published_value_is_one_that_the_claim_names_at_its_place(changes: dict[str, str], number: str) -> None:
    values = [{"number": "-0.5", "place": "Sec. 4.1 (Figure 3a)"}, {"number": "7", "place": "Sec. 9"}]
    assert paper_pages.published(claim("a", **changes), values) == number


def test_published_numbers_are_taken_out_of_lists_and_mappings() -> None:
    node = {
        "a": {"value": {"x": 0.925, "y": [1, True, None]}, "stated": "Sec. 4"},
        "b": {"value": -4.3, "stated": "App. B"},
    }
    assert about.published(node) == [
        {"number": "0.925", "place": "Sec. 4"}, {"number": "1", "place": "Sec. 4"},
        {"number": "-4.3", "place": "App. B"},
    ]  # fmt: skip


def test_files_that_judge_are_found_by_the_ids_in_them(tmp_path: Path) -> None:
    folder = tmp_path / "src/dpdescent/papers/p"
    folder.mkdir(parents=True)
    judge = 'claim(id="fig01-{}", location="Figure 1", kind="figure")\n'
    for name, text in {
        "__init__": "# nothing\n", "claims": judge.format("order"), "rates": judge.format("rate-2.5"),
        "findings": judge.format("told"),
    }.items():  # fmt: skip
        (folder / f"{name}.py").write_text(text)
    assert about.judging(tmp_path, "p") == {
        "src/dpdescent/papers/p/claims.py": ["fig01-order"], "src/dpdescent/papers/p/rates.py": ["fig01-rate-2.5"],
    }  # fmt: skip


def test_long_tables_are_cut_and_say_so() -> None:
    rows = [{"n": str(n), "mean": "1"} for n in range(paper_pages.MOST_ROWS + 5)]
    found = paper_pages.shown(rows, {"columns": ["n"]})
    assert (len(found["rows"]), found["left_out"], found["rows"][0]) == (paper_pages.MOST_ROWS, 5, ["0"])
    assert paper_pages.shown(rows[:2], {"columns": []})["left_out"] == 0


def numbers(drawn: str) -> tuple[float, ...]:
    found = re.search(r'x="([\d.]+)" y="0" width="([\d.]+)".*M([\d.]+) 8H([\d.]+)".*cx="([\d.]+)"', drawn)
    assert found is not None
    return tuple(float(group) for group in found.groups())


def test_a_strip_has_the_interval_inside_or_outside_of_its_criterion() -> None:
    left, width, low, high, value = numbers(plots.strip(claim("a")))
    assert left == 0 < low < value < high < width < plots.STRIP
    left, width, low, high, value = numbers(plots.strip(claim("a", criterion="at least 2")))
    assert low < value < high < left
    assert left + width == plots.STRIP
    left, width, low, high, value = numbers(plots.strip(claim("a", criterion="between 0.9 and 1.1")))
    assert low < left < value < left + width < high


@pytest.mark.parametrize(
    "changes", [{"measured": ""}, {"criterion": "all of them"}, {"measured": "inf", "low": "inf", "high": "inf"}]
)
def test_no_strip_without_numbers(changes: dict[str, str]) -> None:
    assert plots.strip(claim("a", **changes)) == ""


def test_infinite_ends_of_an_interval_end_with_the_strip() -> None:
    drawn = plots.strip(claim("a", low="-inf", high="inf"))
    assert numbers(drawn)[2:4] == (4.0, plots.STRIP - 4.0)


def test_names_of_files_lead_to_the_code_where_its_address_is_known() -> None:
    assert wording.code_file("", "src/a.py") == "<code>src/a.py</code>"
    assert (
        wording.code_file("https://host/x/", "src/a.py", "a.py")
        == '<a href="https://host/x/src/a.py"><code>a.py</code></a>'
    )
