"""`dpdescent judge`: what an edit of a criterion changes, from finished tables."""

import json
import shutil
from pathlib import Path

import pytest

from dpdescent.commands import __main__ as command
from dpdescent.replication.build import anew, asked, preflight
from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.commands import judge

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "results/paper"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the committed verdicts and of the tables of ours."""
    monkeypatch.chdir(ROOT)
    shutil.copytree(COMMITTED / "ours", tmp_path / "ours", ignore=shutil.ignore_patterns("*.png", "*.svg"))
    for name in ("claims.csv", "provenance.json"):
        shutil.copy2(COMMITTED / name, tmp_path)
    return tmp_path


def judged(results: Path, *options: str) -> None:
    command.main(["judge", "ours", "--results", str(results), *options])


def test_committed_verdicts_follow_from_committed_tables(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged(results, "--check")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("ours: ")
    assert line.endswith(f" claims judged, 0 differ from {results}")


def test_every_difference_is_a_line_and_nothing_is_written(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = read_rows(results / "claims.csv")
    ours = [row for row in rows if row["paper"] == "ours" and row["measured"]]
    ours[0]["verdict"], ours[1]["measured"] = "not testable", "7.5"
    # Rounding is no difference.
    ours[2]["measured"] = str(float(ours[2]["measured"]) * (1.0 + 1e-13))
    extra = ours[0] | {"claim": "a-claim-that-is-gone"}
    write_rows(results / "claims.csv", list(rows[0]), [*(row for row in rows if row is not ours[3]), extra])
    before = (results / "claims.csv").read_bytes()
    with pytest.raises(SystemExit) as stop:
        judged(results, "--check")
    told = capsys.readouterr().out.splitlines()
    assert stop.value.code == 1
    assert {line.split(":")[0] for line in told[:-1]} == {
        ours[0]["claim"], ours[1]["claim"], ours[3]["claim"], "a-claim-that-is-gone"
    }  # fmt: skip
    assert any("was not testable" in line for line in told)
    assert any(": new, " in line for line in told)
    assert (results / "claims.csv").read_bytes() == before


def test_papers_that_results_lack_are_named_and_are_no_claims_that_differ(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = results / "provenance.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"papers": ["ours"]}))
    # What the command looks at before and makes is not of interest here: nothing is in the way, and nothing changes.
    monkeypatch.setattr(preflight, "builds_here", list)
    monkeypatch.setattr(anew, "not_whole", lambda results: "")
    monkeypatch.setattr(asked, "difference", lambda whole, results, record: "")
    monkeypatch.setattr(judge, "_rebuilt", lambda *given: ({}, []))
    command.main(["judge", "--write", "--results", str(results)])
    *_, counted, missing = capsys.readouterr().out.splitlines()
    assert counted.startswith("0 claims differ; ")
    assert "brown2024" in missing
    assert ": not judged, because " in missing


def test_a_paper_that_is_not_there_is_one_line(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(["judge", "bassily2014", "--results", str(results)])
    assert stop.value.code == 2
    assert "bassily2014: " in capsys.readouterr().err.splitlines()[-1]


def test_a_wrong_value_of_the_configuration_is_one_line(results: Path) -> None:
    record = results / "provenance.json"
    record.write_text(record.read_text().replace('"scale": "paper"', '"scale": "papers"'))
    with pytest.raises(SystemExit, match=r"^Config error: scale: 'papers' is not a scale; did you mean 'paper'"):
        judged(results)
