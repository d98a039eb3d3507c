"""The small paper passes what the tests and checks ask of every paper, as `docs/sixth-paper.md` promises."""

import shutil
import subprocess
import sys
from pathlib import Path

import copies
import pytest
import sixth_paper
from copies import ROOT, Build

from dpdescent.replication.build.compare import scratch_environment

pytestmark = pytest.mark.workflow
# Tests with a case for each paper, or for each file of a paper.
OF_A_PAPER = (
    "tests/unit/test_claims_are_found.py", "tests/unit/test_statements.py", "tests/unit/test_references.py",
    "tests/workflow/test_floors.py", "tests/workflow/test_golden.py", "tests/unit/test_fingerprint.py",
)  # fmt: skip


@pytest.fixture(scope="module")
def joined(sixth: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sixth paper's build beside the tests, none of whose other papers is there."""
    folder = copies.copy_without(sixth.folder, tmp_path_factory.mktemp("joined") / "copy", "build", ".snakemake")
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for name in ("CITATION.cff", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def in_folder(folder: Path, *command: str) -> str:
    """What a command prints in a folder, where the package is the folder's."""
    environment = scratch_environment(folder)
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_it_passes_the_tests_of_papers(joined: Path) -> None:
    # What a part calls, and mutants of it, are looked for at the quick scale, which names other papers.
    chosen = f"{sixth_paper.KEY} and not (whatever or mutants)"
    told = in_folder(joined, "pytest", "-q", "-n0", "-p", "no:cacheprovider", *OF_A_PAPER, "-k", chosen)
    assert " passed" in told
    assert "failed" not in told


def test_its_code_is_clean(joined: Path) -> None:
    """But for types, which no paper of somebody else must have."""
    paper = f"src/dpdescent/papers/{sixth_paper.KEY}"
    in_folder(joined, "ruff", "check", paper)
    in_folder(joined, "ruff", "format", "--check", paper)
