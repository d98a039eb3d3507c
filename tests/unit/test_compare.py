"""Comparing two builds: what may differ between processors, and what may not differ at all."""

import dataclasses
from pathlib import Path

import pytest

from dpdescent.replication.build import compare, tables
from dpdescent.replication.configuration.project import Artefact

TABLE = "n,mean,name\n500,0.123456789012345,a\n1000,2.5,b\n"
CLAIMS = (
    "claim,paper,source,verdict\nc1,p1,paper,reproduced\nc2,p1,paper,not reproduced\nc3,p1,paper,reproduced\n"
    "c4,p1,ours,reproduced\nd1,p2,paper,inconclusive\n"
)


def results(folder: Path, **changes: str) -> Path:
    """A small folder of results; a keyword (a file's stem) changes the content of a file, None removes it."""
    files = {
        "p/fig01.csv": TABLE, "p/fig01.svg": "lines", "p/fig02.svg": "curves", "p/bounds.csv": "a\n1\n",
        "claims.csv": CLAIMS, "findings.csv": "finding\nf1\n", "README.md": "page", "compute.csv": "s\n1\n",
        "report/p.html": "pages", "MANIFEST.sha256": "", "provenance.json": "{}", "report/compute.js": "1",
    }  # fmt: skip
    for name, text in files.items():
        content = changes.get(name, changes.get(Path(name).name, text))
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
    return folder


def report(tmp_path: Path, **changes: str | None) -> compare.Report:
    reference = results(tmp_path / "reference")
    return compare.folders(results(tmp_path / "made", **changes), reference)  # type: ignore[arg-type]


def test_equal_folders(tmp_path: Path) -> None:
    found = report(tmp_path)
    assert len(found.same) == 8
    assert not found.differs
    assert found.text() == f"Compared with {tmp_path}/reference: 8 files have equal bytes."


def test_times_and_machine_are_not_compared(tmp_path: Path) -> None:
    changes = {"compute.csv": "s\n2\n", "MANIFEST.sha256": "x", "provenance.json": "{1}", "compute.js": "2"}
    assert len(report(tmp_path, **changes).same) == 8


def test_reports_pages_may_differ_with_any_table(tmp_path: Path) -> None:
    page = {"p.html": "other pages"}
    alone = report(tmp_path / "alone", **page)
    assert alone.different == {"report/p.html": "bytes differ, although its table is the same"}
    close = {"fig01.csv": TABLE.replace("0.123456789012345", "0.1234567890123")}
    assert report(tmp_path / "close", **page, **close).redrawn == ["report/p.html"]
    far = {"bounds.csv": "a\n2\n"}
    assert report(tmp_path / "far", **page, **far).different["report/p.html"] == compare.FOLLOWS


@pytest.mark.parametrize(
    ("cell", "close"),
    [
        ("0.1234567890123", True),
        ("0.12345678913", True),
        ("0.1234567892", False),
        ("0.2", False),
        ("", False),
        ("nan", False),
    ],
)
def test_numbers_agree_within_a_relative_tolerance(tmp_path: Path, cell: str, close: bool) -> None:
    found = report(tmp_path, **{"fig01.csv": TABLE.replace("0.123456789012345", cell)})
    assert (found.close == ["p/fig01.csv"]) is close
    assert found.differs is not close
    if not close:
        assert found.different == {"p/fig01.csv": f"line 2, mean: {cell} instead of 0.123456789012345"}
        assert f"DIFFERS  p/fig01.csv: line 2, mean: {cell}" in found.text()


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("1e-12", "9e-12", False),
        ("1e-13", "-3e-13", True),
        ("0", "9e-13", True),
        ("0", "2e-12", False),
        ("1e-7", "1.0000001e-7", True),
        ("1e-3", "1.0000001e-3", False),
        ("nan", "nan", True),
        ("inf", "inf", True),
        ("inf", "1e308", False),
        ("inf", "-inf", False),
        ("", "0", False),
        ("reproduced", "reproduced", True),
        ("reproduced", "inconclusive", False),
        ("500", "500.0", True),
    ],
)
def test_rounding_has_a_floor(one: str, other: str, agree: bool) -> None:
    assert compare.agree(one, other, 1.0) is agree
    assert compare.agree(other, one, 1.0) is agree


@pytest.mark.parametrize(
    ("column", "cell", "agree"),
    [
        (["3e-12", "1e-12", "2e-12"], "9e-12", False),
        (["3e-9", "1e-12", "2e-9"], "1.000001e-12", False),
        (["3e-9", "1e-21", "2e-9"], "2e-21", True),
        (["1e9", "1e-12", "1.0"], "9e-12", False),
        (["4e-13", "1e-13", "2e-13"], "3e-13", True),
        (["a", "0", "inf"], "1e-13", True),
    ],
    ids=["small", "mixed", "rounding of small", "one is large", "rounding of ones", "no scale"],
)
def test_cells_are_compared_on_the_scale_of_their_column(
    tmp_path: Path, column: list[str], cell: str, agree: bool
) -> None:
    files = [tmp_path / "made.csv", tmp_path / "reference.csv"]
    for file, second in zip(files, (cell, column[1]), strict=True):
        file.write_text("\n".join(["value", column[0], second, column[2], ""]))
    assert (compare.table_difference(*files) == "") is agree


def test_hand_edited_reference_is_told_by_its_own_manifest(tmp_path: Path) -> None:
    """Also where what is made has the edited numbers."""
    listed = "".join(f"{hashed}  {name}\n" for name, hashed in compare.hashes(results(tmp_path / "good")).items())
    edited = TABLE.replace("2.5", "2.6")
    reference = results(tmp_path / "reference", **{"fig01.csv": edited, "MANIFEST.sha256": listed})
    (reference / "p/bounds.csv").unlink()
    found = compare.folders(results(tmp_path / "made", **{"fig01.csv": edited, "bounds.csv": None}), reference)
    assert found.edited == ["p/bounds.csv", "p/fig01.csv"]
    assert found.differs
    assert "EDITED   p/fig01.csv: not what MANIFEST.sha256 lists there" in found.text()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TABLE + "1,1,c\n", "3 rows instead of 2"),
        (TABLE.replace("mean", "median"), r"columns \['mean', 'median'\] differ"),
        (TABLE.replace(",b", ",c"), "line 3, name: c instead of b"),
        (TABLE.replace(",2.5,b", ""), "line 3, mean: None instead of 2.5"),
        ("n,mean,name\n", "0 rows instead of 2"),
    ],
)
def test_other_differences_of_tables_are_told(tmp_path: Path, text: str, why: str) -> None:
    (made := tmp_path / "made.csv").write_text(text)
    (reference := tmp_path / "reference.csv").write_text(TABLE)
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(compare.table_difference(made, reference))


def test_missing_and_added_files(tmp_path: Path) -> None:
    found = report(tmp_path, **{"bounds.csv": None})
    assert found.missing == ["p/bounds.csv"]
    assert found.differs
    assert "MISSING  p/bounds.csv" in found.text()
    swapped = compare.folders(tmp_path / "reference", tmp_path / "made")
    assert swapped.added == ["p/bounds.csv"]
    assert not swapped.differs
    assert "NEW      p/bounds.csv" in swapped.text()


def test_nothing_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = compare.folders(results(tmp_path / "made"), tmp_path / "empty")
    assert not found.differs
    assert found.text().startswith("Nothing to compare with")


def test_all_files_gone_is_no_silence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = compare.folders(tmp_path / "empty", results(tmp_path / "reference"))
    assert found.differs
    assert "MISSING  p/fig01.csv" in found.text()


def test_figure_may_be_redrawn_only_with_a_table_that_agrees(tmp_path: Path) -> None:
    close = {"fig01.csv": TABLE.replace("2.5", "2.5000000001"), "fig01.svg": "other lines"}
    found = report(tmp_path / "close", **close)
    assert found.redrawn == ["p/fig01.svg"]
    assert not found.differs
    assert "1 figures and pages differ in bytes, their tables agree: p/fig01.svg" in found.text()

    found = report(tmp_path / "same", **{"fig01.svg": "other lines"})
    assert found.different == {"p/fig01.svg": "bytes differ, although its table is the same"}

    found = report(tmp_path / "other", **{"fig01.csv": TABLE.replace("2.5", "2.6"), "fig01.svg": "other lines"})
    assert found.different["p/fig01.svg"] == "its table differs"
    assert found.text().count("DIFFERS  p/") == 1
    assert "DIFFERS  1 figures and pages that are drawn from these tables" in found.text()
    assert found.redrawn == []


def test_page_of_verdicts_belongs_to_claims_and_findings(tmp_path: Path) -> None:
    found = report(tmp_path / "same", **{"README.md": "other"})
    assert found.different == {"README.md": "bytes differ, although its table is the same"}
    changed = {"README.md": "other", "claims.csv": CLAIMS.replace("inconclusive", "reproduced")}
    assert report(tmp_path / "other", **changed).different["README.md"] == "its table differs"


def test_scorecard_counts_the_papers_own_claims(tmp_path: Path) -> None:
    assert compare.scorecard(results(tmp_path)) == "p1: 1 not reproduced, 2 reproduced\np2: 1 inconclusive"


# --- Parts -----------------------------------------------------------------------------------------------------------

ARTEFACT = Artefact("p", "fig01", "", "", "", "", [], ["extra"], {}, {}, [], [], False, {})


def part(folder: Path, text: str) -> Path:
    (folder / "part.csv").write_text(text)
    return folder / "part.csv"


def committed(tmp_path: Path, text: str) -> compare.PartSums:
    frame = tables.read(part(tmp_path, text))
    tables.write(tables.fingerprints("p/fig01", {"t0-1": frame}, ["extra"]), tmp_path / "parts.csv")
    return compare.part_sums(compare.read_rows(tmp_path / "parts.csv"))


PART = "trial,value,extra\n0,1e8,0.5\n1,-1e8,0.25\n2,0.125,inf\n"


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        (PART, ""),
        (PART.replace("0.125", "0.1250001"), ""),
        (PART.replace("0.125", "1.5"), "sum of value is 1.5 instead of 0.125"),
        (PART.replace("inf", "1"), "sum of extra is 1.75 instead of inf"),
        (PART.replace("2,0.125,inf\n", ""), "2 rows instead of 3"),
    ],
)
def test_recomputed_part_against_its_fingerprint(tmp_path: Path, text: str, difference: str) -> None:
    """The tolerance refers to the sum of sizes, because sums of many terms cancel."""
    known = committed(tmp_path, PART)
    assert compare.part_difference(known, ARTEFACT, "t0-1", part(tmp_path, text)) == difference


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")
@pytest.mark.parametrize(
    "text",
    [
        "trial,value,extra\n0,1.5,\n1,nan,0.5\n",
        "trial,value,extra\n0,inf,1\n1,-inf,2\n",
        "\n",
    ],
    ids=["not measured", "no sum", "no rows"],
)
def test_odd_parts_agree_with_themselves(tmp_path: Path, text: str) -> None:
    assert compare.part_difference(committed(tmp_path, text), ARTEFACT, "t0-1", part(tmp_path, text)) == ""


def test_an_artefact_declares_how_far_processors_differ(tmp_path: Path) -> None:
    """Its own table and tables that may quote any artefact get its tolerance, no other table does."""
    declared = {"provenance.json": '{"agrees_within": {"p/fig01": 0.01}}'}
    moved = {"fig01.csv": TABLE.replace("2.5", "2.501"), "bounds.csv": "a\n1.001\n"}
    found = compare.folders(results(tmp_path / "made", **moved), results(tmp_path / "reference", **declared))
    assert found.close == ["p/fig01.csv"]
    assert list(found.different) == ["p/bounds.csv"]
    further = {"fig01.csv": TABLE.replace("2.5", "2.6")}
    assert "p/fig01.csv" in compare.folders(results(tmp_path / "far", **further), tmp_path / "reference").different


def test_a_part_is_held_to_what_its_artefact_declares(tmp_path: Path) -> None:
    known, text = committed(tmp_path, "trial,value,extra\n0,2.5,1\n"), "trial,value,extra\n0,2.501,1\n"
    assert compare.part_difference(known, ARTEFACT, "t0-1", part(tmp_path, text))
    loose = dataclasses.replace(ARTEFACT, agrees_within=0.01)
    assert compare.part_difference(known, loose, "t0-1", part(tmp_path, text)) == ""


def test_part_without_a_fingerprint_is_told(tmp_path: Path) -> None:
    known = committed(tmp_path, PART)
    told = compare.part_difference(known, ARTEFACT, "t2-3", part(tmp_path, PART))
    assert told == "column value of this part is not in the committed fingerprints"


def test_scratch_environment_puts_the_copy_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("KEPT", "yes")
    environment = compare.scratch_environment(tmp_path)
    assert environment["PYTHONPATH"] == str(tmp_path / "src")
    assert environment["KEPT"] == "yes"


def test_who_asks_for_a_figure_is_told_of_it_and_not_of_all_verdicts(tmp_path: Path) -> None:
    reference, made = results(tmp_path / "reference"), results(tmp_path / "made", **{"p/fig02.svg": "others"})
    lines = compare.closing_lines(made, reference, "build", ["p/fig01.csv", "p/fig01.svg", "p/fig02.svg"]).splitlines()
    assert lines[-1] == "Among them is what was asked for: p/fig01.csv, p/fig01.svg"
    assert "Open" in compare.closing_lines(made, reference, "build").splitlines()[-1]
