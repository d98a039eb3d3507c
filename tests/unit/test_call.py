"""What a call of Snakemake says and refuses, on a made-up workflow."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpdescent.replication.build import preflight
from dpdescent.replication.build.call import Call, is_newest, verdict
from dpdescent.replication.build.files import atomic, write_rows

COLUMNS = ["claim", "artefact", "quantity", "measured", "criterion", "verdict"]
SMALL = {
    "claim": "c1", "artefact": "fig01", "quantity": "mean error", "measured": "0.123456", "criterion": "at most 1",
    "verdict": "reproduced",
}  # fmt: skip


def project(**datasets: str) -> Any:
    """One paper with two figures."""
    figures = {
        name: SimpleNamespace(item=f"p2020/{name}", packs=[SimpleNamespace(name="1")]) for name in ("fig01", "fig02")
    }
    sources = {name: {"source": source} for name, source in datasets.items()}
    paper = SimpleNamespace(artefacts=figures, on_request={}, datasets=sources, yours=False)
    return SimpleNamespace(scale="paper", papers={"p2020": paper})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a build ended: packs first, then claims."""
    monkeypatch.chdir(tmp_path)
    for name in ("fig01", "fig02"):
        write_rows(f"build/paper/packs/p2020/{name}/1.csv", ["part"], [])
    other = SMALL | {"claim": "c2", "artefact": "fig02", "measured": "", "verdict": "not testable"}
    write_rows("build/paper/claims/p2020.csv", COLUMNS, [SMALL, other])
    return tmp_path


def call(targets: set[str], *, forced: set[str] | None = None, dryrun: bool = False, **datasets: str) -> Call:
    rules = [SimpleNamespace(name="p2020_fig01", input=["begun", "a.csv", "a.svg"], has_wildcards=lambda: False)]
    asked = SimpleNamespace(targets=targets, forcerun=forced or set(), forceall=False)
    naming = SimpleNamespace(is_main_snakefile=lambda: True, modify_rulename=str)
    workflow = SimpleNamespace(
        rules=rules, dag_settings=asked, dag=range(3), dryrun=dryrun, modifier=naming, main_snakefile="here/Snakefile",
        is_main_process=True,
    )  # fmt: skip
    return Call(workflow, project(**datasets), "begun", "reference", "results/paper", "build/paper")


def planned(*needed: str, dryrun: bool = False) -> set[str]:
    """Has a call planned that needs some files; returns those that it is forced to make again."""
    one = call(set(), dryrun=dryrun)
    dag = SimpleNamespace(forcefiles=set(), jobs=[])
    one.workflow.dag = dag
    one.workflow._build_dag = lambda: dag.jobs.append(SimpleNamespace(output=needed))
    one._look_once_planned()
    one.workflow._build_dag()
    return set(dag.forcefiles)


def test_figure_is_told_with_its_own_claims(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = call({"p2020_fig01"})
    whole.finish()
    whole.print_verdicts()
    assert capsys.readouterr().out.splitlines() == [
        "p2020_fig01: a.csv, a.svg", "  reproduced     c1: mean error = 0.1235; criterion: at most 1",
    ]  # fmt: skip


def test_values_of_users_are_told_with_what_they_replaced(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = call({"p2020_fig01"})
    mine = {"value": 0.1, "yours": "mine.yaml, in place of 0.015"}
    figures = {
        name: {"uses": ["rho"], "cells": {}, "trials": {"value": 4, "chosen": "few"}} for name in ("fig01", "fig02")
    }
    whole.project.given = {}
    whole.project.papers["p2020"].yours = True
    whole.project.papers["p2020"].annotated = {"settings": {"rho": mine}, "artefacts": figures}
    whole.finish()
    assert capsys.readouterr().out.splitlines()[1:] == ["  yours: rho = 0.1 (mine.yaml, in place of 0.015)"]


def test_a_page_by_itself_does_not_hide_where_a_figure_lies(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = call({"p2020_fig01"})
    whole.workflow.rules[0].input += ["b.svg", "build/paper/pages/p2020/fig01.html"]
    whole.finish()
    assert capsys.readouterr().out == "p2020_fig01: a.csv, a.svg, b.svg\n"


def test_paper_s_claims_are_told_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call({"p2020_claims"}).print_verdicts()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["reproduced", "not"]
    assert "mean error = not measured" in lines[1]


def test_dry_run_and_failure_tell_no_verdict(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dry, failed = call({"p2020_claims"}, dryrun=True), call({"p2020_claims"})
    failed.ended_badly = True
    for each in (dry, failed):
        each.print_verdicts()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("spoil", ["older", "missing"])
def test_claims_that_are_older_than_a_pack_are_not_told(
    here: Path, capsys: pytest.CaptureFixture[str], spoil: str
) -> None:
    pack = here / "build/paper/packs/p2020/fig02/1.csv"
    if spoil == "missing":
        pack.unlink()
    else:
        os.utime(here / "build/paper/claims/p2020.csv", (0, 0))
    whole = call({"p2020_fig01"})
    whole.finish()
    whole.print_verdicts()
    told = capsys.readouterr().out
    assert "reproduced" not in told
    assert "all of its tables: .venv/bin/snakemake p2020_claims\n" in told


def test_claims_of_another_scale_are_judged_at_that_scale(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = call({"p2020_fig01"})
    whole.project.scale, whole.build = "quick", "build/quick"
    whole.finish()
    assert ": .venv/bin/snakemake p2020_claims --config scale=quick\n" in capsys.readouterr().out


def test_file_as_a_target_has_no_claims(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call({"results/paper/p2020/fig01.svg"}).finish()
    assert capsys.readouterr().out == "results/paper/p2020/fig01.svg: results/paper/p2020/fig01.svg\n"


@pytest.mark.parametrize(("forced", "kept"), [(set(), True), ({"table"}, True), ({"train"}, False)])
def test_forced_training_forgets_what_was_trained(here: Path, forced: set[str], kept: bool) -> None:
    record = here / "build/paper/parts/p2020/fig01/main.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    record.with_suffix(".csv").touch()
    call(set(), forced=forced).start()
    assert record.exists() is kept
    assert record.with_suffix(".csv").exists()


def test_own_data_are_named_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(set(), card="card", mine="mine.csv").start()
    assert capsys.readouterr().out.startswith(
        "Notice: mine.csv: a study, not a release: noise is from a seeded generator"
    )
    call(set(), card="card").start()
    assert capsys.readouterr().out == ""


def test_verdict_is_one_line() -> None:
    assert verdict(SMALL) == "  reproduced     c1: mean error = 0.1235; criterion: at most 1"


def test_newest_needs_all_to_be_there(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.touch()
    assert not is_newest(first, [second])
    assert not is_newest(second, [first])
    second.touch()
    os.utime(first, (5, 5))
    os.utime(second, (5, 5))
    assert is_newest(first, [second])
    os.utime(second, (6, 6))
    assert not is_newest(first, [second])


@pytest.mark.parametrize(
    ("begun", "locked", "running", "told"),
    [
        (False, False, False, False),
        (True, False, False, True),
        (True, False, True, True),
        (True, True, False, True),
        (True, True, True, False),
    ],
    ids=["not begun", "begun", "not locked", "killed", "running"],
)
def test_damage_is_told_once_a_build_has_begun_and_while_none_runs(
    here: Path, monkeypatch: pytest.MonkeyPatch, begun: bool, locked: bool, running: bool, told: bool
) -> None:
    claims = here / "build/paper/claims/p2020.csv"
    claims.write_text(claims.read_text() + "\n")
    monkeypatch.setattr(preflight, "builds_here", lambda: [7] if running else [])
    if begun:
        (here / "begun").touch()
    if locked:
        (here / ".snakemake/locks").mkdir(parents=True)
        (here / ".snakemake/locks/0.input.lock").touch()
    if not told:
        assert planned("build/paper/claims/p2020.csv") == set()
        return
    with pytest.raises(SystemExit) as stop:
        planned("build/paper/claims/p2020.csv")
    assert stop.value.code == (
        "build/paper/claims/p2020.csv is not what was written here: rm build/paper/claims/p2020.csv, then run the build"
        " again"
    )


def test_damage_is_no_matter_of_a_call_that_does_not_need_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither of one of another paper, nor of a dry run; and no verdict is told from it."""
    (here / "begun").touch()
    claims = here / "build/paper/claims/p2020.csv"
    claims.write_text(claims.read_text() + "\n")
    assert planned("results/paper/q2021/fig01.csv", "build/paper/claims/q2021.csv") == set()
    assert planned("build/paper/claims/p2020.csv", dryrun=True) == set()
    call({"p2020_claims"}).print_verdicts()
    assert capsys.readouterr().out == ""


def test_what_git_restored_is_made_again_when_it_is_asked_for(here: Path) -> None:
    (here / "begun").touch()
    for name in ("p2020/fig01.csv", "p2020/fig02.csv"):
        write_rows(f"results/paper/{name}", ["a"], [{"a": 1}])
    results = here / "results/paper/p2020"
    restored = "results/paper/p2020/fig01.csv"
    (here / restored).write_text("a\n2\n")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", restored], check=True)
    assert planned(restored, "results/paper/p2020/fig02.csv") == {restored}
    assert planned(restored, dryrun=True) == {restored}, "a dry run tells what would be made"
    (results / "fig02.csv").write_text("a\n3\n")
    assert planned(restored) == {restored}
    with pytest.raises(SystemExit, match=r"^results/paper/p2020/fig02\.csv is not what was written here: rm results/"):
        planned("results/paper/p2020/fig02.csv", restored)


def test_results_that_were_replaced_with_their_manifest_are_told_together(here: Path) -> None:
    """As an archive that is unpacked over a checkout that has made its own."""
    (here / "begun").touch()
    for name, text in (("table.csv", "a,b"), ("other.csv", "c,d"), ("MANIFEST.sha256", "abc  table.csv")):
        with atomic(here / "results/paper" / name) as stream:
            stream.write(text)
        (here / "results/paper" / name).write_text(f"{text}\n")
    names = ("table.csv", "other.csv", "MANIFEST.sha256")
    with pytest.raises(SystemExit) as stop:
        planned(*(f"results/paper/{name}" for name in names))
    assert stop.value.code == (
        "results/paper has other results than were written here (3 files): rm -r results/paper, then run the build"
        " again; what was trained here is kept"
    )


def test_folder_in_place_of_a_file_is_told_before_all(here: Path) -> None:
    (here / "results/paper/a b.csv").mkdir(parents=True)
    mend = "rm -r 'results/paper/a b.csv', then run the build again"
    with pytest.raises(SystemExit) as stop:
        planned("results/paper/none.csv", "results/paper/a b.csv")
    assert stop.value.code == f"results/paper/a b.csv is a folder, where a file belongs: {mend}"
    assert planned("results/paper/a b.csv", dryrun=True) == set()


@pytest.mark.parametrize("writable", [True, False])
def test_folder_that_cannot_be_written_to_is_told_before_the_first_job(
    here: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    known, closed = os.access, here / "results"
    closed.mkdir()
    monkeypatch.setattr(os, "access", lambda place, mode: known(place, mode) and (writable or Path(place) != closed))
    if writable:
        call(set()).start()
        return
    with pytest.raises(SystemExit) as stop:
        call(set()).start()
    elsewhere = f"snakemake -s {here}/here/Snakefile -d FOLDER"
    told = f"{closed} cannot be written to, where a build keeps results/paper: work in a folder of yours: {elsewhere}"
    assert stop.value.code == told
