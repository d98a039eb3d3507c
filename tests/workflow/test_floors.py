"""Three floors: imports go down only, no paper knows another, and the library knows no pipeline."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from dpdescent.public import NAMES
from dpdescent.replication.configuration import project
from dpdescent.replication.judging.evidence import Source

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src/dpdescent"
PAPERS = sorted(file.stem for file in (ROOT / "config/papers").glob("*.yaml"))

# By floor: what knows no algorithm, algorithms and what is done with them, what users call, the pipeline, the papers.
GROUND = {
    "checks", "gate", "randomness", "renamed", "secret_bits", "sums", "syntax", "privacy", "noise", "data", "models",
    "anderson_rubin", "exact_sums", "exact_grid", "exact_values", "interval_arithmetic",
}  # fmt: skip
MIDDLE = {"algorithms", "baselines", "attacks", "mixing", "intervals"}
PUBLIC = {"estimators", "public", "commands", "__main__"}
FLOORS = {
    **dict.fromkeys(GROUND, 0), **dict.fromkeys(MIDDLE, 1), **dict.fromkeys(PUBLIC, 2), "replication": 3, "papers": 4,
}  # fmt: skip

FILES = sorted(PACKAGE.rglob("*.py"))


def imported(file: Path) -> set[tuple[str, ...]]:
    """First-party modules that a file names, as tuples of names below the package."""
    package = file.relative_to(PACKAGE.parent).parent.parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
    found = {tuple(name.split(".")[1:]) for name in names if name.split(".")[0] == "dpdescent"}
    # The package by itself, and the names that it has for users.
    return {("public",) if not target or target[0] in NAMES else target for target in found}


def place(file: Path) -> tuple[str, ...]:
    return file.relative_to(PACKAGE).with_suffix("").parts


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(place(file)))
def test_imports_go_down_only(file: Path) -> None:
    room, *rest = place(file)
    if room == "__init__":
        assert imported(file) == set()
        return
    for target in imported(file):
        assert FLOORS[target[0]] <= FLOORS[room], f"{room} imports {'.'.join(target)}"
        if room == target[0] == "papers" and rest != ["__init__"]:
            assert target[1] == rest[0], f"{rest[0]} imports {'.'.join(target)}"


def test_every_room_has_its_floor() -> None:
    rooms = {place(file)[0] for file in FILES} - {"__init__"}
    assert rooms <= FLOORS.keys()
    assert {"replication", "algorithms", "papers"} <= rooms


def test_streams_depend_on_nothing_and_privacy_on_no_data() -> None:
    # Only `secure_generator`, which no training reaches, needs the cipher.
    assert imported(PACKAGE / "randomness.py") == {("secret_bits", "SecretBits")}
    for room in ("privacy", "data"):
        targets = {target[0] for file in (PACKAGE / room).rglob("*.py") for target in imported(file)}
        assert targets <= {room, "randomness", "sums", "checks", "gate", "syntax"}


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("__init__.py")), ids=lambda file: "/".join(place(file)))
def test_package_files_are_empty(file: Path) -> None:
    """Whatever stands in them would be a reason to train everything again; the top one loads public names by strings.

    What judges and draws a paper is imported by no training.
    """
    is_verb = file.parent.name in (*project.MODULES, "figures") and file.parents[2] == PACKAGE / "papers"
    assert (file.read_text(encoding="utf-8") == "") is not (file.parent == PACKAGE or is_verb)


GENERAL = [
    *(PACKAGE / "replication").rglob("*.py"),
    *(ROOT / "workflow").rglob("*.smk"),
    *(ROOT / "workflow").rglob("*.py"),
    ROOT / "Snakefile",
]


@pytest.mark.parametrize("file", GENERAL, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_general_knows_a_paper(file: Path) -> None:
    """Comments may take a paper as an example; code may not. `ours` is whose a claim is, too."""
    lines = [line.split("# ")[0] for line in file.read_text(encoding="utf-8").splitlines()]
    keys = set(PAPERS) - set(get_args(Source))
    assert not [line for line in lines if any(f'"{key}' in line or f".{key}" in line for key in keys)]
