"""A checkout with the environment of another one: copied, moved, or with another one's `src` on the search path."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import copies
import pytest

pytestmark = pytest.mark.workflow

# What is called in a checkout: the Snakefile, a stage's script, a command, and a script of the tests.
CALLS = {
    "Snakefile": ("-m", "snakemake", "-n", "begin"),
    "script": ("workflow/scripts/table.py", "--help"),
    "command": ("-m", "dpdescent.commands", "judge", "--results", "nowhere"),
    "bench": ("tests/bench/run.py", "--help"),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources in a folder of their own, which no environment knows."""
    folder = copies.copy_project(tmp_path_factory.mktemp("own") / "checkout")
    shutil.copytree(copies.ROOT / "tests/bench", folder / "tests/bench")
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `src` of another copy."""
    return copies.copy_project(tmp_path_factory.mktemp("other") / "checkout") / "src"


def call(checkout: Path, name: str, python: str | Path = sys.executable, path: Path | None = None) -> tuple[int, str]:
    """Exit code and the last line of a call, with a search path or without one."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"PYTHONPATH": str(path)} if path else {}
    command = [python, *CALLS[name]]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()[-1]


@pytest.mark.parametrize("name", CALLS)
def test_copied_checkout_does_not_run_the_code_of_its_original(checkout: Path, name: str) -> None:
    assert call(checkout, name) == (
        1,
        f"This checkout would run another one's code: dpdescent is imported from {copies.ROOT / 'src'}, and not from"
        f" {checkout / 'src'}. Run: rm -rf .venv, then the same command (make sets it up anew)",
    )


@pytest.mark.parametrize("name", CALLS)
def test_another_source_on_the_search_path_is_refused(checkout: Path, other: Path, name: str) -> None:
    assert call(checkout, name, path=other) == (
        1,
        f"This checkout would run another one's code: dpdescent is imported from {other}, and not from"
        f" {checkout / 'src'}. Run: unset PYTHONPATH, then the same command",
    )


def test_moved_checkout_says_that_its_environment_is_to_be_made_anew(checkout: Path, tmp_path: Path) -> None:
    """Its environment names a folder that is no more, so that all packages but ours are found."""
    venv.create(tmp_path / "moved")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = tmp_path / f"moved/lib/{version}/site-packages/others.pth"
    packages.write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    code, line = call(checkout, "Snakefile", tmp_path / "moved/bin/python")
    assert (code, line.split(": ")[1:]) == (
        1,
        [
            f"dpdescent is not installed in {tmp_path / 'moved'}, where {checkout / 'src'} is expected. Run",
            "rm -rf .venv, then the same command (make sets it up anew)",
        ],
    )


@pytest.mark.parametrize("name", CALLS)
def test_own_source_on_the_search_path_runs(checkout: Path, name: str) -> None:
    """So `dpdescent verify` builds in a scratch copy, also through a link."""
    link = checkout.with_name("link")
    if not link.exists():
        link.symlink_to(checkout)
    code, line = call(checkout, name, path=link / "src")
    assert code == (2 if name == "command" else 0)
    assert "another one's code" not in line
