"""`dpdescent judge --write`: what follows from tables, anew and without training, is what a whole build writes."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import copies
import forked
import pytest
import sixth_paper
from copies import Build

from dpdescent.replication.build import anew, compare
from dpdescent.replication.build.provenance import RECORD, hashes

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = f"src/dpdescent/papers/{sixth_paper.KEY}/means.py"
# Rules that stay out, because they train, attack or draw, or because other commands make what they make.
GIVEN = {
    "begin",
    "data",
    "train",
    "figure",
    "table",
    "privacy",
    "audit",
    "audit_figure",
    "on_request",
    "page",
    "compute",
}


def judge(folder: Path) -> str:
    command = [forked.python(), "-m", "dpdescent.commands", "judge", "--write"]
    environment = compare.scratch_environment(folder)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_each_rule_is_a_step_or_given() -> None:
    """A new rule is to be put on one side; names for people are no stages."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "workflow/rules").glob("*.smk"))
    assert set(re.findall(r"^rule (\w+):", text, re.MULTILINE)) == {*anew.STEPS} | GIVEN
    assert not GIVEN & {*anew.STEPS}


@pytest.mark.workflow
def test_a_changed_criterion_is_written_without_training_and_taken_back(sixth: Build, tmp_path: Path) -> None:
    """In a fresh clone, which has neither parts nor Snakemake's memory; then by a whole build, with equal bytes."""
    clone = copies.copy_without(sixth.folder, tmp_path / "clone", "build", ".snakemake")
    built = Path(shutil.copytree(sixth.folder, tmp_path / "built"))
    before = content(clone / "results/paper")
    with Build(clone).edited(CLAIMS, "at_most(10.0)", "at_most(-10.0)"):
        printed = judge(clone)
    after = content(clone / "results/paper")
    assert "means-small: was reproduced" in printed
    assert "is not reproduced" in printed
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert {"claims.csv", "README.md", "report/claims.html", "MANIFEST.sha256", RECORD} <= changed
    assert not [name for name in changed if name.startswith((sixth_paper.KEY, "privacy", "audit", "parts"))]
    assert not compare.edited(clone / "results/paper", hashes(clone / "results/paper"))
    record, own = json.loads(after[RECORD]), json.loads(before[RECORD])
    assert record.pop("verdicts")["python"] == own["python"]
    assert record == own
    with Build(built).edited(CLAIMS, "at_most(10.0)", "at_most(-10.0)"):
        copies.snakemake(built, "-c2")
    outside = {RECORD, "compute.csv", "report/compute.js"}
    whole = content(built / "results/paper")
    assert {name: after[name] for name in after.keys() - outside} == {
        name: whole[name] for name in whole.keys() - outside
    }
    judge(clone)
    assert content(clone / "results/paper") == before
    assert not (clone / "build").exists()
