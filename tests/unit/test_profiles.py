"""The Slurm profile against what jobs were measured to need, and names of jobs against what executors take."""

import functools
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]

# Snakemake's own memory in a submitted job, and how much more than measured a job may take.
OVERHEAD_MB, MARGIN = 300, 1.25


@pytest.fixture(scope="module")
def profile() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def local_rules() -> set[str]:
    (block,) = re.findall(r"^LOCAL = \(\n((?:    \"\w+\",\n)+)", (ROOT / "Snakefile").read_text(), re.MULTILINE)
    return set(re.findall(r"\w+", block))


def test_memory_and_time_of_submitted_jobs_have_a_margin(profile: dict[str, Any], local_rules: set[str]) -> None:
    rows = [row for row in read_rows(ROOT / "results/paper/compute.csv") if row["stage"] not in local_rules]
    assert {row["stage"] for row in rows} == {"audit", "privacy", "train"}
    for row in rows:
        resources = profile["default-resources"] | profile["set-resources"].get(row["stage"], {})
        assert MARGIN * float(row["peak_mb"]) + OVERHEAD_MB <= resources["mem_mb"], row
        # A row has the seconds of all packs of its artefact together.
        assert 2.0 * float(row["wall_s"]) <= 60.0 * resources["runtime"] * max(1, _packs(row["item"])), row


def _packs(item: str) -> int:
    paper, _, name = item.partition("/")
    artefacts = whole().papers[paper].artefacts | whole().papers[paper].on_request
    return len(artefacts[name].packs) if name else 1


@functools.cache
def whole() -> project.Project:
    return project.load({"scale": "paper", "seed": 1, "papers": "all"}, ROOT)


def test_local_rules_are_rules(local_rules: set[str]) -> None:
    defined = {
        name
        for file in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
        for name in re.findall(r"^rule (\w+):", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert local_rules <= defined
    assert defined - local_rules == {"train", "privacy", "audit", "on_request"}


def test_no_job_and_no_part_has_a_comma_in_its_name() -> None:
    """Executors are given lists of jobs' targets that are separated by commas."""
    artefacts = [*whole().artefacts(), *whole().on_request()]
    names = [part.name for artefact in artefacts for part in artefact.parts]
    assert len(names) > 1000
    assert not [name for name in names if "," in name]
    assert any("all-women-worked" in name for name in names), "a variant whose own name has a comma"


def test_the_profile_is_read_by_snakemake(profile: dict[str, Any]) -> None:
    """Keys that Snakemake or the plug-in do not know would end the call; the plug-in's are left out where it is not."""
    own = {key.replace("_", "-") for key in profile if not key.startswith("slurm")}
    done = subprocess.run([sys.executable, "-m", "snakemake", "--help"], capture_output=True, text=True, check=True)
    assert [key for key in own if f"--{key}" not in done.stdout] == []
