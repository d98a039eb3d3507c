"""The first build of a checkout, with and without results that came with it; the second; and one that is broken off."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import copies
import forked
import pytest
import sixth_paper
from copies import TINY, Build

from dpdescent.replication.build.compare import scratch_environment
from dpdescent.replication.report.pages import site_files

pytestmark = pytest.mark.workflow
PAPER = sixth_paper.KEY
TABLE = f"results/paper/{PAPER}/table_one.csv"


def checkout(build: Build, folder: Path) -> Path:
    """The sources and results of a build as git would bring them: without Snakemake's records and intermediates."""
    copies.copy_without(build.folder, folder, ".snakemake", "build")
    # The least favourable order: results are the newest files.
    for file in (folder / "results").rglob("*"):
        os.utime(file)
    return folder


def test_sixth_paper_is_built_from_its_folder_and_its_file(sixth: Build) -> None:
    results = sixth.folder / "results/paper"
    files = {str(file.relative_to(results)) for file in results.rglob("*") if file.is_file()}
    kinds = {"fig01": ("csv", "png", "svg"), "table_one": ("csv", "md", "tex")}
    assert files == {
        *(f"{PAPER}/{name}.{kind}" for name, of in kinds.items() for kind in of), f"{PAPER}/bounds.csv",
        f"{PAPER}/settings.csv", "claims.csv", "claims_cells.csv", "findings.csv", "privacy.csv", "privacy_notes.csv",
        "audit.csv", "audit.png", "audit.svg", "datapackage.json",
        "parts.csv", "README.md", "provenance.json", "MANIFEST.sha256", "compute.csv", "report/compute.js",
        *(f"report/{name}" for name in site_files([PAPER], [])),
    }  # fmt: skip
    assert "Nothing to compare with: there are no files among what lay in results/paper before" in sixth.output
    assert f"{PAPER}: 1 reproduced" in sixth.output
    assert copies.plan(sixth.folder) == []


def test_sixth_paper_beside_another_runs_its_jobs_only(sixth: Build, tmp_path: Path) -> None:
    """A paper that joins a finished project makes its own jobs run, and what all papers share."""
    folder = tmp_path / "copy"
    shutil.copytree(sixth.folder, folder)
    seventh = "seventh2026"
    config = folder / f"config/papers/{seventh}.yaml"
    config.write_text((folder / f"config/papers/{PAPER}.yaml").read_text())
    shutil.copytree(folder / f"src/dpdescent/papers/{PAPER}", folder / f"src/dpdescent/papers/{seventh}")
    jobs = copies.plan(folder)
    shared = {
        "collect claims, findings, privacy, audits and parts", "write the page of verdicts", "draw the audit",
        "write the report", "hash every table and figure", "sum up times and memory",
        "every result is there",
    }  # fmt: skip
    assert shared <= set(jobs)
    assert all(job.startswith(seventh) for job in jobs if job not in shared)
    assert len(copies.trained(jobs)) == 2


def test_results_that_came_along_are_made_anew_and_compared(sixth: Build, tmp_path: Path) -> None:
    everything = checkout(sixth, tmp_path / "counted")
    shutil.rmtree(everything / "results")
    all_jobs = copies.plan(everything)

    folder = checkout(sixth, tmp_path / "clone")
    table = folder / TABLE
    good = table.read_text()
    spoil(table, 3)
    spoilt = table.read_text().splitlines()[1].split(",")[3]
    (folder / f"results/paper/{PAPER}/old.csv").write_text("a\n1\n")
    (folder / "results/paper/claims.csv").unlink()

    assert copies.plan(folder) == all_jobs
    # A dry run must not be taken for the first build, nor an alias for the whole.
    assert copies.plan(folder, f"{PAPER}_fig01")
    output = copies.snakemake(folder, "-c2", f"{PAPER}_table_one")
    assert table.read_text() == good
    output = copies.snakemake(folder, "-c2")
    assert f"DIFFERS  {PAPER}/table_one.csv: line 2, mean: " in output
    assert f"instead of {spoilt}" in output
    assert "NEW      claims.csv" in output
    told = "what lay in results/paper before this build and may have come with this checkout (there is no git to ask)"
    assert f"Compared with {told}: " in output
    assert copies.plan(folder) == []


def test_whole_project_with_results_that_came_along_plans_every_job(built: Build, tmp_path: Path) -> None:
    folder = checkout(built, tmp_path / "clone")
    jobs = copies.plan(folder, *TINY)
    shutil.rmtree(folder / "results")
    assert jobs == copies.plan(folder, *TINY)
    assert len(jobs) > 100


def test_file_that_came_along_is_not_taken_for_made(sixth: Build, tmp_path: Path) -> None:
    """Asked for alone, it would look finished; the line says how to make it, and that does."""
    folder = checkout(sixth, tmp_path / "clone")
    spoil(folder / TABLE, 3)
    output = copies.snakemake(folder, "-c1", TABLE, code=1)
    assert output.splitlines()[-1] == f"{TABLE} came with this checkout; to make it here: snakemake begin {TABLE}"
    copies.snakemake(folder, "-c1", "begin", TABLE)
    assert (folder / TABLE).read_bytes() == (sixth.folder / TABLE).read_bytes()


def test_lost_records_rebuild_everything(sixth: Build, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(sixth.folder, folder)
    assert copies.plan(folder) == []
    shutil.rmtree(folder / ".snakemake")
    jobs = copies.plan(folder)
    assert f"{PAPER}/fig01: summarise trials and draw" in jobs
    assert len(copies.trained(jobs)) == 2


def test_broken_off_build_leaves_no_halves_and_resumes(sixth: Build, tmp_path: Path) -> None:
    """Ctrl-C unlocks and cleans up; the same command goes on, and ends with the same bytes."""
    folder = checkout(sixth, tmp_path / "clone")
    call = copies.start(folder, "-c1", python=sys.executable)
    parts = folder / f"build/paper/parts/{PAPER}"
    while call.process.poll() is None and not list(parts.rglob("*.csv")):
        time.sleep(0.05)
    call.process.send_signal(signal.SIGINT)
    call.process.wait()
    assert not list(folder.rglob(".*.csv"))
    finished = {file.name: file.stat().st_mtime_ns for file in parts.rglob("*.csv")}
    output = copies.snakemake(folder, "-c2")
    assert "LockException" not in output
    # The job at which the signal came may have written its file, but was not recorded as done.
    kept = finished.items() & {file.name: file.stat().st_mtime_ns for file in parts.rglob("*.csv")}.items()
    assert len(kept) >= len(finished) - 1
    manifests = [(place / "results/paper/MANIFEST.sha256").read_text() for place in (folder, sixth.folder)]
    assert manifests[0] == manifests[1]


def test_failed_job_says_why_and_leaves_no_result(sixth: Build, tmp_path: Path) -> None:
    folder = checkout(sixth, tmp_path / "clone")
    shutil.rmtree(folder / "results")
    experiment = folder / f"src/dpdescent/papers/{PAPER}/table.py"
    experiment.write_text(experiment.read_text().replace('"series": "mean"', '"serie": "mean"'))
    output = copies.snakemake(folder, "-c2", code=1)
    assert "ValueError: the experiment returned no column 'series'; it returned [" in output
    assert "Not finished. The log of the failed job is printed above" in output
    assert not (folder / TABLE).exists()
    # The rest is made all the same.
    assert (folder / f"results/paper/{PAPER}/fig01.png").exists()


def command_of(folder: Path, name: str, *arguments: str, code: int) -> str:
    """A command of the package in a copy, with the copy's package."""
    command = [forked.python(), "-m", "dpdescent.commands", name, *arguments]
    environment = scratch_environment(folder)
    found = subprocess.run(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert found.returncode == code, found.stdout
    return found.stdout


def spoil(table: Path, column: int) -> None:
    """The first number of a column made larger by a millionth."""
    head, first, *rest = table.read_text(encoding="utf-8").splitlines()
    row = first.split(",")
    row[column] = repr(float(row[column]) * (1 + 1e-6))
    table.write_text("\n".join([head, ",".join(row), *rest, ""]), encoding="utf-8")


def test_verification_in_a_scratch_directory_finds_the_spoilt_number(sixth: Build, tmp_path: Path) -> None:
    folder = checkout(sixth, tmp_path / "clone")
    spoil(folder / TABLE, 3)
    output = command_of(folder, "verify", code=1)
    assert [line.split(": ")[0] for line in output.splitlines() if "DIFFERS" in line] == [
        f"DIFFERS  {PAPER}/table_one.csv"
    ]
    listed = (folder / "results/paper/MANIFEST.sha256").read_text(encoding="utf-8").splitlines()
    assert f"{len(listed) - 1} files have equal bytes" in output
    assert f"EDITED   {PAPER}/table_one.csv: not what results/paper/MANIFEST.sha256 lists" in output
    assert not (folder / "build").exists()


def test_spot_check_recomputes_parts(sixth: Build, tmp_path: Path) -> None:
    folder = checkout(sixth, tmp_path / "clone")
    assert "2 of 2 artefacts checked" in command_of(folder, "spotcheck", code=0)
    parts, listed = folder / "results/paper/parts.csv", folder / "results/paper/MANIFEST.sha256"
    good = parts.read_text()
    parts.write_text(good + "\n")
    assert "results/paper/parts.csv is not what was written here" in command_of(folder, "spotcheck", code=1)
    listed.unlink()
    parts.write_text(good)
    for row in range(1, len(parts.read_text().splitlines())):
        lines = parts.read_text().splitlines()
        cells = lines[row].split(",")
        lines[row] = ",".join([*cells[:-1], repr(float(cells[-1]) + 1)])
        parts.write_text("\n".join([*lines, ""]))
    assert "sum of value is" in command_of(folder, "spotcheck", code=1)
