"""Two machines without a shared disk: one trains, the other one makes the rest from its parts."""

import re
import subprocess
import sys
from pathlib import Path

import copies
import pytest
from copies import Build

import interpreters
from dpdescent.replication.build import compare
from dpdescent.replication.build.compare import scratch_environment


def parts(python: str | Path, folder: Path, *arguments: str) -> None:
    command = [python, "-m", "dpdescent.commands", "parts", *arguments]
    subprocess.run(command, cwd=folder, env=scratch_environment(folder), check=True, capture_output=True)


def made_from_parts(sixth: Build, here: Path, python: str | None = None) -> list[str]:
    """The logs of training where the parts of a finished build come as an archive, in a checkout without anything."""
    archive = here.with_suffix(".tar.gz")
    parts(sys.executable, sixth.folder, "--output", str(archive))
    copies.copy_without(sixth.folder, here, "build", "results", ".snakemake")
    copies.start(here, "-c1", ".snakemake/dpdescent/paper.begun", python=python).finish()
    parts(python or sys.executable, here, "--add", str(archive))
    copies.start(here, "-c2", python=python).finish()
    return [file.read_text() for file in (here / "build/paper/logs/train").rglob("*.log")]


def nothing_is_trained(logs: list[str]) -> bool:
    return bool(logs) and all(re.search(r"^0 of \d+ parts trained", each, re.MULTILINE) for each in logs)


@pytest.mark.workflow
def test_parts_of_another_machine_are_not_trained_again(sixth: Build, tmp_path: Path) -> None:
    assert nothing_is_trained(made_from_parts(sixth, tmp_path / "here"))
    assert compare.hashes(tmp_path / "here/results/paper") == compare.hashes(sixth.folder / "results/paper")


@pytest.mark.workflow
@pytest.mark.slow
@pytest.mark.skipif(not interpreters.others(), reason=interpreters.NONE)
def test_parts_of_another_interpreter_are_not_trained_again(sixth: Build, tmp_path: Path) -> None:
    """In an environment of the newest interpreter, made from the lock."""
    venv, newest = tmp_path / "venv", list(interpreters.others().values())[-1]
    subprocess.run([newest, "-m", "venv", venv], check=True)
    python = str(venv / "bin/python")
    lock = copies.ROOT / "requirements.lock"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--require-hashes", "-r", lock], check=True)
    assert nothing_is_trained(made_from_parts(sixth, tmp_path / "here", python))
    assert compare.hashes(tmp_path / "here/results/paper") == compare.hashes(sixth.folder / "results/paper")


@pytest.mark.workflow
def test_training_alone_makes_parts_and_no_figure(sixth: Build) -> None:
    jobs = copies.plan(sixth.folder, "trained", "-F")
    assert any(job.endswith(": train") for job in jobs)
    assert not any("draw" in job for job in jobs)
