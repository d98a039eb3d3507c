"""What a call is told before its first job: targets that are not there, a disk that is full, a lock that was left."""

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from dpdescent.replication.build import preflight
from dpdescent.replication.build.preflight import Targets

NAMES = [
    "all", "collect", "audit_figure", "liang2025", "liang2025_fig04", "liang2025_fig05", "liang2025_table_lemmas",
    "brown2024", "brown2024_fig04", "brown2024_fig07", "wang2026", "wang2026_fashion",
]  # fmt: skip
FILES = ["results/paper/liang2025/fig04.svg", "results/paper/liang2025/fig05.svg", "results/paper/audit.csv"]
PART = "build/paper/parts/liang2025/fig04/main_t0-9.csv"
PAPERS = ["brown2024", "liang2025", "wang2026"]
KNOWN = Targets(NAMES, ["train", "figure"], [*FILES, PART], [*FILES, PART].__contains__, PAPERS, "paper")


@pytest.mark.parametrize("target", [*NAMES, *FILES, PART, "./" + FILES[0], "build/../" + FILES[0]])
def test_what_can_be_made_is_not_complained_of(target: str) -> None:
    assert preflight.no_target([target], KNOWN) is None


def test_files_that_exist_and_absolute_paths_are_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text("")
    assert preflight.no_target(["own.csv", f"{tmp_path}/{FILES[0]}"], KNOWN) is None
    assert preflight.no_target(["own.tsv"], KNOWN) is not None


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (
            "liang2025_fig4",
            "'liang2025_fig4'; did you mean 'liang2025_fig04'? liang2025 has: fig04, fig05, table_lemmas",
        ),
        (
            "liang2025/fig04.svg",
            "'liang2025/fig04.svg'; did you mean 'liang2025_fig04'? liang2025 has: fig04, fig05, table_lemmas",
        ),
        (
            "on_request/wang2026/fashion",
            "'on_request/wang2026/fashion'; did you mean 'wang2026_fashion'? wang2026 has: fashion",
        ),
        ("brown2024_lemma", "'brown2024_lemma'; brown2024 has: fig04, fig07"),
        ("fig04", "'fig04'; say of which paper: liang2025_fig04, brown2024_fig04"),
        ("fig7", "'fig7'; say of which paper: brown2024_fig07"),
        ("colect", "'colect'; did you mean 'collect'?"),
        ("nothing", "'nothing'; there are: all, brown2024, liang2025, wang2026, and <paper>_<figure>"),
        (
            "train",
            "'train': it is a stage of many files; ask for one of them, or run the stage anew: --forcerun train",
        ),
        (
            "results/paper/liang2025/fig4.svg",
            "'results/paper/liang2025/fig4.svg'; did you mean 'results/paper/liang2025/fig04.svg'?",
        ),
        (
            "results/quick/liang2025/fig04.svg",
            "'results/quick/liang2025/fig04.svg' at scale 'paper': for another scale, add --config scale=quick",
        ),
        ("results/paper/x", "'results/paper/x'; `snakemake --list-target-rules` shows what there is"),
        ("lian2025", "'lian2025'; did you mean 'liang2025'?"),
        (PART.replace("t0-9", "t0-8"), f"'{PART.replace('t0-9', 't0-8')}'; did you mean '{PART}'?"),
    ],
)
def test_unknown_target_is_one_line_with_the_mend(
    target: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file that exists, such as one of a quick build in the checkout, may be asked for.
    monkeypatch.chdir(tmp_path)
    assert preflight.no_target(["all", target], KNOWN) == f"No target {line}"


Usage = namedtuple("Usage", "total used free")


def test_disk_without_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = tmp_path / "results"
    full.mkdir()
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0, 0, 35e6 if place == full else 1e9))
    folders = [str(tmp_path / "build" / "not" / "yet"), str(full / "paper")]
    line = preflight.no_room(100, 5_000_000, folders)
    assert line == (
        f"No room in {folders[1]}: 35 MB are free, 100 jobs need about 55 MB; free some, then run the same command,"
        " or build less: make quick"
    )
    # Fewer jobs are left after an interruption: they need less.
    assert preflight.no_room(20, 5_000_000, folders) is None


def test_size_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one").write_bytes(b"12345")
    (tmp_path / "two").write_bytes(b"123")
    assert preflight.size(tmp_path) == 8
    assert preflight.size(tmp_path / "none") == 0


def test_builds_are_processes_of_snakemake_in_this_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snakemake").write_text("import time\nprint(flush=True)\ntime.sleep(60)\n")
    (tmp_path / "train.py").write_text((tmp_path / "snakemake").read_text())
    (tmp_path / "elsewhere").mkdir()
    calls = [("snakemake", tmp_path), ("train.py", tmp_path), ("snakemake", tmp_path / "elsewhere")]
    monkeypatch.chdir(tmp_path)
    running = [
        subprocess.Popen([sys.executable, tmp_path / name], cwd=folder, stdout=subprocess.PIPE)
        for name, folder in calls
    ]
    try:
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()
        assert preflight.builds_here() == [running[0].pid]
    finally:
        for process in running:
            process.kill()
            process.communicate()
    assert preflight.builds_here() == []


def test_lock_says_whether_to_wait_or_to_unlock() -> None:
    assert "(process 77); wait for it" in preflight.locked([77, 88])
    assert "make unlock" in preflight.locked([])
    assert "make unlock" not in preflight.locked([77])
    assert (preflight.not_unlocked([77], ["5"]) or "").startswith("Not unlocked: a build is running here (process 77)")
    assert (preflight.not_unlocked([], ["5", "6_1"]) or "").endswith("scancel 5 6_1")
    assert preflight.not_unlocked([], []) is None


def test_jobs_of_a_build_here_are_asked_of_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs go on where the call that submitted them was killed; other directories' jobs are none of ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert preflight.queued_here() == []
    squeue = tmp_path / "squeue"
    squeue.write_text(f"#!/bin/sh\necho '12 {os.getcwd()}'\necho '13 /elsewhere'\necho '14_[1-3] {os.getcwd()}'\n")
    squeue.chmod(0o755)
    assert preflight.queued_here() == ["12", "14_[1-3]"]


def test_start_of_snakemake_does_not_pay_for_numpy() -> None:
    code = (
        "import sys, dpdescent.replication.build.preflight; sys.exit('numpy' in sys.modules or 'psutil' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0


def test_file_that_came_along_is_told_how_to_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of rules ask for the beginning themselves, files that are not there are made anyway."""
    monkeypatch.chdir(tmp_path)
    (file := Path(FILES[0])).parent.mkdir(parents=True)
    file.write_text("")
    line = preflight.not_begun([FILES[0], FILES[1], "liang2025"], KNOWN, "begun")
    assert line == f"{FILES[0]} came with this checkout; to make it here: snakemake begin {FILES[0]}"
    assert preflight.not_begun(["begin", FILES[0]], KNOWN, "begun") is None
    assert preflight.not_begun([FILES[1], "liang2025"], KNOWN, "begun") is None
    Path("begun").touch()
    assert preflight.not_begun([FILES[0]], KNOWN, "begun") is None
