"""The README: short, its Python runs as it stands, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dpdescent.commands.__main__ import COMMANDS
from dpdescent.public import NAMES

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FRONT = [README, *(ROOT / f"{name}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY"))]
PAGES = [*FRONT, ROOT / "config/README.md", *sorted((ROOT / "docs").glob("*.md"))]
# From here on a newcomer stops reading; docs and the report take the rest.
LONGEST = 10_240


def test_readme_is_short() -> None:
    assert len(README.read_bytes()) <= LONGEST


def test_its_python_runs_in_a_fresh_interpreter(tmp_path: Path) -> None:
    """From another folder, with warnings as errors; it prints ten estimates near 1, and a proved epsilon."""
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    command = [sys.executable, "-W", "error", "-c", block]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *estimates, epsilon = [float(number) for number in re.findall(r"\d+\.\d+", done.stdout)]
    assert len(estimates) == 10
    assert max(abs(value - 1.0) for value in estimates) < 0.2
    assert epsilon == pytest.approx(1.9945, abs=1e-3)
    assert done.stdout.split()[-1] == "proved"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        assert file.exists(), f"{page.name}: {target}"
        if anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}, target


def test_commands_of_the_front_pages_are_there() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in FRONT)
    # Within backquotes or at the start of a line of a program.
    targets = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, flags=re.MULTILINE))
    rules = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(targets) > 5
    assert targets - set(rules) == set()
    commands = re.findall(r"(?:`|^)(?:\.venv/bin/)?dpdescent ([a-z][a-z-]*)", text, flags=re.MULTILINE)
    assert len(commands) > 3
    assert set(commands) - set(COMMANDS) == set()
    names = set(re.findall(r"`dpdescent\.(\w+)", text))
    assert [name for name in names - set(NAMES) if find_spec(f"dpdescent.{name}") is None] == []


def test_architecture_names_what_is_there() -> None:
    """Every path in it exists, and `name` in `file.py` is defined in that file."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|config|docs|results|workflow)/[^`<>]+)`", text)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
    placed = re.findall(r"`(\w+)`(?: \([^)`]*\))? in `(src/[^`]+\.py)`", text)
    assert len(placed) > 10
    for name, path in placed:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|class) {name}\b|^{name} = ", source, flags=re.MULTILINE), f"{name} in {path}"
