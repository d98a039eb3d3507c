"""What engines received in the tiny build is what privacy.csv lists, arm by arm (see tests/spy)."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from copies import ROOT, SPIED, VARIABLE, Build, spied

from dpdescent.papers.liang2025 import calibration
from dpdescent.replication.build.compare import scratch_environment
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.project import Artefact
from dpdescent.replication.ledger import entries

Row = dict[str, str]
Column = dict[str, Any]
Release = tuple[float, float, int, float, float | None]

PAPERS = sorted(path.stem for path in (ROOT / "config/papers").glob("*.yaml"))
EXACT = 1e-12


def heard(folder: Path) -> list[Column]:
    """Returns what engines received, each distinct column of an artefact once."""
    lines = {line for file in folder.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()}
    return [json.loads(line) for line in sorted(lines)]


@pytest.fixture(scope="session")
def columns(built: Build) -> list[Column]:
    return heard(built.folder / SPIED)


@pytest.mark.workflow
@pytest.mark.parametrize("paper", PAPERS)
def test_the_ledger_is_what_ran(paper: str, built: Build, columns: list[Column]) -> None:
    rows = [row for row in entries.read(built.folder / "results/tiny") if row["paper"] == paper]
    artefacts = project.load({"scale": "tiny", "seed": 0, "papers": [paper]}, built.folder).papers[paper].artefacts
    ran = [column for column in columns if column["paper"] == paper]
    assert ran, "no engine of this paper was heard"
    assert not differences(rows, [*ran, *read_by_others(ran, artefacts)], runs_together(artefacts))


def read_by_others(ran: list[Column], artefacts: dict[str, Artefact]) -> list[Column]:
    """What engines received for an artefact, once more for each that reads its runs in place of running again."""
    reads = {name: each.same_runs for name, each in artefacts.items() if each.same_runs}
    return [column | {"artefact": name} for name in reads for column in ran if column["artefact"] == reads[name]]


def runs_together(artefacts: dict[str, Artefact]) -> int:
    """The number of independent runs that may share a budget, which the ledger counts as one composition."""
    return max(int(part.spec["settings"].get("m", 1)) for each in artefacts.values() for part in each.parts)


def differences(rows: list[Row], ran: list[Column], together: int = 1) -> list[str]:
    """What ran and is not in the ledger, and what is in the ledger, stands for itself, and did not run."""
    found, met = [], set()
    for column in ran:
        mine = [i for i, row in enumerate(rows) if row["artefact"] == column["artefact"]]
        exact = [i for i in mine if not rows[i]["stand_in"] and explains(rows[i], column, together)]
        met.update(exact)
        if not exact and not any(rows[i]["stand_in"] and stands_for(rows[i], column) for i in mine):
            found.append(f"ran, but is not listed: {json.dumps(column)}")
    for i, row in enumerate(rows):
        if row["noise_sd"] and not row["stand_in"] and i not in met:
            found.append(f"listed, but did not run: {row['artefact']}, {row['arm']}: {releases_of(row)}")
    return found


def releases_of(row: Row) -> list[Release]:
    """(sensitivity, noise sd, count, correlation, rate) of every release of a row."""
    counts = [int(number) for number in re.findall(r"(?:^|; |\| |\+ )(\d+) x ", row["releases"])]
    correlation, rate = (re.search(f"{name} ([^,;]+)", row["releases"]) for name in ("correlation", "at rate"))
    common = float(correlation[1]) if correlation else 0.0, float(rate[1]) if rate else None
    numbers = ([float(each) for each in row[name].split("; ") if each] for name in ("sensitivity", "noise_sd"))
    return [(*release, *common) for release in zip(*numbers, counts, strict=True)]


def explains(row: Row, column: Column, together: int = 1) -> bool:
    """Whether a row lists exactly what a column of an engine received.

    Where the whole run is one release, or records are shuffled, that is one of the alternatives that the spy tells.
    """
    listed = releases_of(row)
    if "words" in column:
        return not listed and column["words"] in row["note"]
    return any(_equal(listed, told, together) for told in _told(row, column))


def stands_for(row: Row, column: Column) -> bool:
    """Whether a stand-in explains a column: as many releases, with the same noise for their sensitivity.

    One that lists no release says that the runs have no guarantee at all.
    """
    listed = releases_of(row)
    if not listed:
        return True
    return any(_equal(_scaled(listed), _scaled(told), 1) for told in _told(row, column))


def _told(row: Row, column: Column) -> Iterable[list[Release]]:
    return ([tuple(each) for each in told] for told in column.get("told", {}).get(row["relation"].split(",")[0], []))


def _scaled(releases: list[Release]) -> list[Release]:
    return [(1.0, noise_sd / sensitivity, *rest) for sensitivity, noise_sd, *rest in releases]


def _equal(listed: list[Release], told: list[Release], together: int) -> bool:
    if len(listed) != len(told):
        return False
    pairs = list(zip(*(sorted(each, key=lambda release: release[:2]) for each in (listed, told)), strict=True))
    return any(all(_same(one, other, times) for one, other in pairs) for times in {1, together})


def _same(one: Release, other: Release, times: int) -> bool:
    rates = {one[4], other[4]} - {None}
    close = all(math.isclose(one[k], other[k], rel_tol=EXACT) for k in (0, 1, 3))
    return close and one[2] == times * other[2] and max(rates, default=0.0) <= min(rates, default=0.0) * (1.0 + EXACT)


# What the comparison would miss if it could not fail


COLUMN: Column = {
    "artefact": "a", "told": {"replace-one": [[[0.1, 0.5, 20, 0.0, 0.2], [0.2, 0.7, 20, 0.0, 0.2]]]},
}  # fmt: skip
LISTED: Row = {
    "artefact": "a", "arm": "main: x", "stand_in": "", "relation": "replace-one", "sensitivity": "0.1; 0.2",
    "noise_sd": "0.5; 0.7", "releases": "20 x first mean; 20 x second mean", "note": "",
}  # fmt: skip


def test_equal_columns_and_rows_agree() -> None:
    assert not differences([LISTED], [COLUMN])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("noise_sd", "0.505; 0.7"), ("sensitivity", "1.0; 0.2"), ("releases", "19 x first mean; 20 x second mean"),
        ("releases", "20 x first mean, correlation 0.5, batches at rate 0.1; 20 x second mean"),
        ("releases", "20 x first mean, sampled at rate 0.1; 20 x second mean"),
        ("relation", "zero-out"), ("artefact", "b"),
    ],
)  # fmt: skip
def test_a_ledger_that_says_something_else_is_caught(name: str, text: str) -> None:
    found = differences([{**LISTED, name: text}], [COLUMN])
    assert [each.split(":")[0] for each in found] == ["ran, but is not listed", "listed, but did not run"]


def test_a_stand_in_has_the_same_ratio_of_noise_and_needs_no_run() -> None:
    far = {**LISTED, "stand_in": "another threshold", "sensitivity": "1.0; 2.0", "noise_sd": "5.0; 7.0"}
    assert not differences([far], [COLUMN])
    assert not differences([far], [])
    assert differences([{**far, "noise_sd": "5.05; 7.0"}], [COLUMN])


def test_runs_that_share_a_budget_are_one_composition() -> None:
    shared = {**LISTED, "releases": "200 x first mean; 200 x second mean"}
    assert not differences([shared], [COLUMN], together=10)
    assert differences([shared], [COLUMN], together=5)


def test_unclipped_noise_needs_an_entry_that_says_so() -> None:
    column = {"artefact": "a", "words": "clip"}
    row = {**LISTED, "sensitivity": "", "noise_sd": "", "releases": "", "note": "gradients are not clipped"}
    assert not differences([row], [column])
    assert differences([{**row, "note": "non-private baseline: no noise"}], [column])
    assert differences([LISTED], [column, COLUMN])


# One cell of liang2025's ext_calibration, with columns other than its arms'.
HEARD = """
import json, sys
from dataclasses import replace
from dpdescent.papers.liang2025 import calibration, setting
spec, name, factor = json.loads(sys.argv[1]), sys.argv[2], float(sys.argv[3])
made = setting.columns
setting.columns = lambda arms, n: replace(made(arms, n), **{name: factor * getattr(made(arms, n), name)})
list(calibration.run_ext_calibration(spec))
"""


@pytest.mark.parametrize(
    ("name", "factor", "differ"), [("eta", 0.5, 0), ("gamma1", 1.01, 8), ("gamma2", math.inf, 5), ("lambda2", 1.01, 8)]
)
def test_an_engine_that_receives_something_else_is_heard(tmp_path: Path, name: str, factor: float, differ: int) -> None:
    """Four arms run, and four are listed; without clipping all of them are alike, and need an entry that says so."""
    whole = project.load({"scale": "quick", "seed": 3, "papers": ["liang2025"]}, ROOT)
    spec = json.loads(whole.papers["liang2025"].artefacts["ext_calibration"].parts[0].json()) | {"trials": [0, 1]}
    environment = {**scratch_environment(ROOT), **spied(ROOT), VARIABLE: str(tmp_path)}
    command = [sys.executable, "-c", HEARD, json.dumps(spec), name, str(factor)]
    subprocess.run(command, env=environment, check=True, cwd=tmp_path)
    arms = list(calibration.releases_ext_calibration(spec))
    rows = [
        {key: str(value) for key, value in row.items()} for row in entries.rows("liang2025", "ext_calibration", arms)
    ]
    assert len(differences(rows, heard(tmp_path))) == differ
