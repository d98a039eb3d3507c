"""Verdicts at other master seeds: what changes is listed, and what does not last is left open."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dpdescent.commands import __main__ as command
from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.commands import seedcheck
from dpdescent.replication.judging import other_seed, records
from dpdescent.replication.judging.criteria import at_least
from dpdescent.replication.judging.evidence import Claim
from dpdescent.replication.judging.statistics import Estimate, exactly


def claim(id: str, value: float, paper: str = "key") -> Claim:
    """A claim that asks for 1 at least."""
    return records.claim(
        paper, id=id, artefact="fig01", location="Sec. 1", kind="figure", source="paper", statement="it grows",
        quantity="slope", measured=exactly(value), criterion=at_least(1.0), note="a note",
    )  # fmt: skip


def checked(tmp_path: Path, here: list[Claim], there: list[Claim]) -> list[dict[str, str]]:
    """Rows as they are read again from the committed file."""
    write_rows(tmp_path / "other.csv", list(other_seed.COLUMNS), other_seed.compared(here, there, 7))
    return read_rows(tmp_path / "other.csv")


def test_changes_are_listed(tmp_path: Path) -> None:
    rows = checked(tmp_path, [claim("a", 2), claim("b", 0), claim("new", 0)], [claim("b", 3), claim("a", 4)])
    assert [(row["claim"], row["verdict"], row["other_verdict"], row["changes"]) for row in rows] == [
        ("a", "reproduced", "reproduced", ""), ("b", "not reproduced", "reproduced", "yes"),
    ]  # fmt: skip
    assert (rows[1]["other_seed"], float(rows[1]["other_measured"])) == ("7", 3.0)


def test_a_claim_without_a_number_has_none(tmp_path: Path) -> None:
    nothing = records.judged_claim(
        "key", id="a", artefact="fig01", location="", kind="figure", source="paper", statement="", quantity="",
        measured=None, criterion="none", verdict="not testable",
    )  # fmt: skip
    assert checked(tmp_path, [nothing], [nothing])[0]["measured"] == ""


def test_what_the_other_seed_contradicts_is_left_open(tmp_path: Path) -> None:
    here = [claim("lost", 0), claim("gained", 2), claim("kept", 0), claim("holds", 2), claim("new", 0)]
    there = [claim("lost", 2), claim("gained", 0), claim("kept", 0.5), claim("holds", 3)]
    lost, gained, *others = other_seed.lasting(here, checked(tmp_path, here[:4], there))
    assert (lost.verdict, lost.why) == (gained.verdict, gained.why) == ("inconclusive", "another seed")
    assert lost.note == "a note; at seed 7 it is reproduced, measured 2.0"
    assert gained.note == "a note; at seed 7 it is not reproduced, measured 0.0"
    assert others == here[2:]


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_an_open_verdict_elsewhere_leaves_both_verdicts_open(value: float, tmp_path: Path) -> None:
    wide = records.claim(
        "key", id="a", artefact="fig01", location="", kind="figure", source="paper", statement="", quantity="",
        measured=Estimate(1.0, 0.5, 1.5), criterion=at_least(1.0),
    )  # fmt: skip
    (left,) = other_seed.lasting([claim("a", value)], checked(tmp_path, [claim("a", value)], [wide]))
    assert (left.verdict, left.why) == ("inconclusive", "another seed")


def test_every_other_seed_must_repeat_a_verdict(tmp_path: Path) -> None:
    agreeing = checked(tmp_path, [claim("a", 2), claim("b", 2)], [claim("a", 3), claim("b", 3)])
    third = [row | {"other_seed": "8"} for row in checked(tmp_path, [claim("a", 2)], [claim("a", 0)])]
    first, second = other_seed.lasting([claim("a", 2), claim("b", 2)], [*agreeing, *third])
    assert (first.verdict, first.note) == ("inconclusive", "a note; at seed 8 it is not reproduced, measured 0.0")
    assert second.verdict == "reproduced"


@pytest.mark.parametrize("value", [0.0, 2.5])
def test_a_row_of_what_the_claim_was_before_counts_for_nothing(value: float, tmp_path: Path) -> None:
    """The claim had another value, or another verdict, when the other seed was looked at."""
    rows = checked(tmp_path, [claim("a", 2.0)], [claim("a", 0.0)])
    assert other_seed.lasting([claim("a", value)], rows) == [claim("a", value)]


def test_rows_that_count_for_nothing_are_named(tmp_path: Path) -> None:
    """Such as those of a claim whose trials became more, because the other seed's verdict would be lost unseen."""
    here = [claim("same", 2), claim("moved", 2), claim("gone", 2)]
    rows = checked(tmp_path, here, [claim("same", 3), claim("moved", 0), claim("gone", 2)])
    now = [claim("same", 2), claim("moved", 2.5), claim("new", 2)]
    assert other_seed.stale("key", now, rows) == ["moved at seed 7", "gone at seed 7"]
    assert other_seed.stale("other", now, rows) == []


def test_rows_of_another_paper_count_for_nothing(tmp_path: Path) -> None:
    rows = checked(tmp_path, [claim("a", 0, "other")], [claim("a", 2, "other")])
    assert other_seed.lasting([claim("a", 0)], rows) == [claim("a", 0)]


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"scale": "paper", "seed": 20250922}, "another seed than 20250922"),
        ({"scale": "quick", "seed": 7}, "has scale quick"),
        (None, "holds no finished results"),
    ],
)
def test_results_that_cannot_be_compared_are_one_line(
    tmp_path: Path, there: dict[str, object] | None, told: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    if there is not None:
        (tmp_path / "provenance.json").write_text(json.dumps(there))
    with pytest.raises(SystemExit) as stop:
        command.main(["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv")])
    assert told in capsys.readouterr().err + str(stop.value.code)
    assert not (tmp_path / "made.csv").exists()


@pytest.mark.parametrize(("seed", "papers", "kept"), [(7, [], 1), (7, ["wang2026"], 0), (8, ["wang2026"], 1)])
def test_a_build_renews_the_rows_of_its_papers_at_its_seed_only(
    seed: int, papers: list[str], kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: [])
    (tmp_path / "provenance.json").write_text(json.dumps({"scale": "paper", "seed": seed, "papers": papers}))
    row = dict.fromkeys(other_seed.COLUMNS, "") | {"paper": "wang2026", "claim": "a", "other_seed": "7"}
    write_rows(tmp_path / "made.csv", list(other_seed.COLUMNS), [row])
    command.main(["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv")])
    assert read_rows(tmp_path / "made.csv") == [row] * kept


def test_each_build_is_judged_at_its_own_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Because a claim may draw data sets of its own."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    seeds = []
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: seeds.append((results, whole.seed)) or [])
    (tmp_path / "provenance.json").write_text(json.dumps({"scale": "paper", "seed": 7, "papers": ["liang2025"]}))
    command.main(["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv")])
    own = json.loads(Path("results/paper/provenance.json").read_bytes())["seed"]
    assert seeds == [(Path("results/paper"), own), (tmp_path, 7)]


def test_a_variant_that_the_other_build_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: [])
    (tmp_path / "provenance.json").write_text(json.dumps({"scale": "paper", "seed": 7, "papers": ["varshney2022"]}))
    (tmp_path / "varshney2022").mkdir()
    table = tmp_path / "varshney2022/risk_vs_sigma.csv"
    for variants, told in ((["main"], True), (["main", "twelve levels", "thirty levels", "q = 0.99"], False)):
        write_rows(table, ["variant"], [{"variant": name} for name in variants])
        command.main(["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv")])
        said = capsys.readouterr()
        assert (f"{table} lacks q = 0.99, thirty levels, twelve levels: " in said.out + said.err) == told


def test_a_committed_table_among_those_of_another_seed_is_told_and_its_claims_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a build of one artefact in a clone, in which the other tables are those of the committed seed."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    claims = [replace(claim(name, 2, "wang2026"), artefact=name) for name in ("fig01", "width", "lambda_tradeoff")]
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: claims)
    (tmp_path / "provenance.json").write_text(json.dumps({"scale": "paper", "seed": 7, "papers": ["wang2026"]}))
    (tmp_path / "wang2026").mkdir()
    # Of the last two one has no errors, and one is not there.
    for name in ("fig01", "lambda_tradeoff"):
        shutil.copy(f"results/paper/wang2026/{name}.csv", tmp_path / "wang2026")
    command.main(["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv")])
    said = capsys.readouterr()
    assert "wang2026/fig01.csv is the committed table, byte for byte" in said.out + said.err
    assert [row["claim"] for row in read_rows(tmp_path / "made.csv")] == ["width", "lambda_tradeoff"]


def test_rows_of_some_artefacts_alone_are_renewed_in_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build of one artefact has no tables for claims on the others, whose rows stay."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    others = [replace(claim("moved", 2, "wang2026"), artefact="width"), claim("other", 2, "wang2026")]
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: others)
    (tmp_path / "provenance.json").write_text(json.dumps({"scale": "paper", "seed": 7, "papers": ["wang2026"]}))
    row = dict.fromkeys(other_seed.COLUMNS, "") | {"paper": "wang2026", "other_seed": "7"}
    earlier = [row | {"claim": name} for name in ("moved", "other", "third")]
    write_rows(tmp_path / "made.csv", list(other_seed.COLUMNS), earlier)
    asked = ["seedcheck", "--other", str(tmp_path), "--output", str(tmp_path / "made.csv"), "--only"]
    command.main([*asked, "wang2026/fig01"])
    made = read_rows(tmp_path / "made.csv")
    assert [each["claim"] for each in made] == ["moved", "other", "third"]
    assert [each["verdict"] for each in made] == ["", "reproduced", ""]
    write_rows(tmp_path / "made.csv", list(other_seed.COLUMNS), earlier)
    monkeypatch.setattr(seedcheck, "judged", lambda whole, key, results: [claim("theorem-e.1-order", 2, "wang2026")])
    command.main([*asked, "wang2026/theorem-e.1-order"])
    assert [each["verdict"] for each in read_rows(tmp_path / "made.csv")] == ["", "", "", "reproduced"]
    with pytest.raises(SystemExit):
        command.main([*asked, "wang2026/fig99"])
    assert "--only wang2026/fig99 is neither an artefact nor a claim; nearest are " in capsys.readouterr().err
