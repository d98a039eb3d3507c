"""Two machines without a shared disk: one trains, the other one makes the rest from its parts."""

import re
import subprocess
import sys
from pathlib import Path

import copies
import pytest
from copies import Build

from dpdescent.replication.build import compare
from dpdescent.replication.build.compare import scratch_environment


def parts(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "dpdescent.commands", "parts", *arguments]
    subprocess.run(command, cwd=folder, env=scratch_environment(folder), check=True, capture_output=True)


@pytest.mark.workflow
def test_parts_of_another_machine_are_not_trained_again(sixth: Build, tmp_path: Path) -> None:
    archive, here = tmp_path / "parts.tar.gz", tmp_path / "here"
    parts(sixth.folder, "--output", str(archive))
    copies.copy_without(sixth.folder, here, "build", "results", ".snakemake")
    copies.snakemake(here, "-c1", ".snakemake/dpdescent/paper.begun")
    parts(here, "--add", str(archive))
    copies.snakemake(here, "-c2")
    logs = [file.read_text() for file in (here / "build/paper/logs/train").rglob("*.log")]
    assert logs
    assert all(re.search(r"^0 of \d+ parts trained", each, re.MULTILINE) for each in logs)
    assert compare.hashes(here / "results/paper") == compare.hashes(sixth.folder / "results/paper")


@pytest.mark.workflow
def test_training_alone_makes_parts_and_no_figure(sixth: Build) -> None:
    jobs = copies.plan(sixth.folder, "trained", "-F")
    assert any(job.endswith(": train") for job in jobs)
    assert not any("draw" in job for job in jobs)
