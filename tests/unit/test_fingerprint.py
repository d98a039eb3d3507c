"""Fingerprints of code: comments, docstrings and layout are no code; what is imported, is."""

from pathlib import Path

import pytest

from dpdescent.replication.build.fingerprint import KEEPING, code_fingerprint, reachable, versions

ROOT = Path(__file__).resolve().parents[2]

PACKAGE = {
    "dpdescent/__init__.py": "import os\n",
    "dpdescent/ground.py": "def one():\n    return 1\n",
    "dpdescent/alone.py": "x = 1\n",
    "dpdescent/room/__init__.py": "",
    "dpdescent/room/wall.py": "from . import window\nfrom ..ground import one\n",
    "dpdescent/room/window.py": "size = 2\n",
    "dpdescent/room/door.py": "import numpy\n",
    "script.py": "import json\n\nfrom dpdescent.room import wall\n",
}


def tree(folder: Path, **changes: str) -> Path:
    """The little package in a folder of its own, some of its files changed (named without folder and suffix)."""
    for name, text in PACKAGE.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(changes.get(file.stem, text), encoding="utf-8")
    return folder


def fingerprint(folder: Path) -> str:
    return code_fingerprint(folder, [folder / "script.py"])


@pytest.fixture
def plain(tmp_path: Path) -> str:
    return fingerprint(tree(tmp_path / "plain"))


@pytest.mark.parametrize(
    "text",
    [
        "# a comment\ndef one():\n    return 1  # another\n",
        '"""A docstring of the module."""\n\ndef one():\n    """And one of the function."""\n    return 1\n',
        "\n\ndef one( ) :\n\n        return (\n            1\n        )\n",
    ],
    ids=["comment", "docstring", "layout"],
)
def test_what_is_no_code_changes_nothing(tmp_path: Path, plain: str, text: str) -> None:
    assert fingerprint(tree(tmp_path / "changed", ground=text)) == plain


@pytest.mark.parametrize(
    "text",
    [
        "def one():\n    return 2\n",
        "def one(x=1):\n    return 1\n",
        'def one():\n    "docstring"\n    "no docstring"\n    return 1\n',
        "def one():\n    return 1\n\nx = '# a comment'\n",
    ],
    ids=["value", "argument", "second string", "string"],
)
def test_code_changes_it(tmp_path: Path, plain: str, text: str) -> None:
    assert fingerprint(tree(tmp_path / "changed", ground=text)) != plain


@pytest.mark.parametrize("module", ["window", "wall", "ground", "script"])
def test_every_module_on_the_way_matters(tmp_path: Path, plain: str, module: str) -> None:
    before = next(text for name, text in PACKAGE.items() if Path(name).stem == module)
    assert fingerprint(tree(tmp_path / "changed", **{module: before + "extra = 1\n"})) != plain


@pytest.mark.parametrize("module", ["alone", "door"])
def test_module_that_nobody_imports_does_not_matter(tmp_path: Path, plain: str, module: str) -> None:
    assert fingerprint(tree(tmp_path / "changed", **{module: "y = 5\n"})) == plain


def test_package_files_on_the_way_matter(tmp_path: Path, plain: str) -> None:
    """Importing a module runs the `__init__.py` of every package above it."""
    for name in ("dpdescent/__init__.py", "dpdescent/room/__init__.py"):
        changed = tree(tmp_path / name.replace("/", "-"))
        (changed / name).write_text("import sys\n", encoding="utf-8")
        assert fingerprint(changed) != plain


def test_docstring_of_an_empty_file_or_function_changes_nothing(tmp_path: Path) -> None:
    first = tree(tmp_path / "first", ground="def one():\n    pass\n")
    second = tree(tmp_path / "second", ground='def one():\n    """Nothing."""\n')
    (second / "dpdescent/room/__init__.py").write_text('"""The room."""\n', encoding="utf-8")
    assert fingerprint(first) == fingerprint(second)


def test_where_the_files_lie_and_their_order_do_not_matter(tmp_path: Path, plain: str) -> None:
    elsewhere = tree(tmp_path / "else" / "where")
    roots = [elsewhere / "script.py", elsewhere / "dpdescent/room/wall.py"]
    assert code_fingerprint(elsewhere, roots) == code_fingerprint(elsewhere, roots[::-1]) == plain


def test_name_of_a_module_matters(tmp_path: Path, plain: str) -> None:
    """Equal code under another name is other code: who imports it has changed."""
    changed = tree(tmp_path / "changed", script="from dpdescent.room import wall2\n")
    (changed / "dpdescent/room/wall2.py").write_text(PACKAGE["dpdescent/room/wall.py"], encoding="utf-8")
    assert fingerprint(changed) != plain


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import dpdescent.room.window", {"dpdescent/__init__", "dpdescent/room/__init__", "dpdescent/room/window"}),
        ("import dpdescent.ground as g, json", {"dpdescent/__init__", "dpdescent/ground"}),
        ("from dpdescent import ground, alone", {"dpdescent/__init__", "dpdescent/ground", "dpdescent/alone"}),
        ("from dpdescent.ground import one", {"dpdescent/__init__", "dpdescent/ground"}),
        ("def later():\n    import dpdescent.alone", {"dpdescent/__init__", "dpdescent/alone"}),
        ("try:\n    import dpdescent.alone\nexcept ImportError:\n    pass", {"dpdescent/__init__", "dpdescent/alone"}),
        ("import numpy, dpdescentish", set()),
    ],
)
def test_every_form_of_import_is_followed(tmp_path: Path, line: str, names: set[str]) -> None:
    folder = tree(tmp_path, script=line + "\n").resolve()
    found = reachable(folder, [folder / "script.py"]) - {folder / "script.py"}
    assert {str(path.relative_to(folder).with_suffix("")) for path in found} == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("from . import window", {"room/window"}),
        ("from .window import size", {"room/window"}),
        ("from .. import ground", {"ground"}),
        ("from ..room.door import numpy", {"room/door"}),
    ],
)
def test_relative_imports_are_followed(tmp_path: Path, line: str, names: set[str]) -> None:
    folder = tree(tmp_path, wall=line + "\n").resolve()
    wall = folder / "dpdescent/room/wall.py"
    found = {str(path.relative_to(folder / "dpdescent").with_suffix("")) for path in reachable(folder, [wall])}
    assert found - {"__init__", "room/__init__", "room/wall"} == names


def test_circles_end(tmp_path: Path) -> None:
    folder = tree(tmp_path, ground="from dpdescent.room import wall\n").resolve()
    assert folder / "dpdescent/ground.py" in reachable(folder, [folder / "script.py"])


def test_training_knows_nothing_of_tables_and_figures() -> None:
    """What training imports is a reason to train again, so it must not import what comes after it."""
    source = ROOT / "src"
    experiments = sorted((source / "dpdescent/papers").glob("*/experiments/[a-z]*.py"))
    assert experiments
    for experiment in experiments:
        files = reachable(source, [ROOT / "workflow/scripts/train.py", experiment])
        names = {str(path.relative_to(source)) for path in files if path.is_relative_to(source)}
        late = ("tables", "figures", "evidence", "statistics", "project")
        assert not names & {f"dpdescent/replication/{name}.py" for name in late}, experiment
        assert not {name for name in names if any(word in name for word in ("claims", "findings", "figures"))}, (
            experiment
        )


def test_versions_are_those_that_are_installed() -> None:
    import numpy

    assert versions("numpy") == {"numpy": numpy.__version__}


def test_how_files_are_kept_is_no_reason_to_train_again(tmp_path: Path) -> None:
    """Only modules that write nothing of their own are left out, and what they import counts."""
    store = "dpdescent/replication/build/store.py"
    assert all((ROOT / "src" / name).is_file() for name in KEEPING)
    found = []
    for number, text in enumerate(("import csv\n", "import json\n", "from dpdescent import ground\n")):
        folder = tree(tmp_path / str(number))
        (folder / store).parent.mkdir(parents=True)
        (folder / store).write_text(text)
        (folder / "script.py").write_text("from dpdescent.replication.build import store\n")
        found.append(fingerprint(folder))
    assert found[0] == found[1] != found[2]
