"""The public names: all of them load, the stub and the page say the same, and the package itself uses none of them."""

import ast
import importlib.metadata
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

import dpdescent
from dpdescent.public import NAMES
from dpdescent.replication.build.fingerprint import reachable

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "dpdescent"


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_and_is_documented(name: str) -> None:
    found = getattr(dpdescent, name)
    assert found.__doc__
    assert isinstance(found, ModuleType) is (":" not in NAMES[name])
    assert name in dir(dpdescent)


def test_other_names_are_refused_in_one_line() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'dp_sgd'; docs/library\.md"):
        _ = dpdescent.dp_sgd  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="dp_sgd"):
        from dpdescent import dp_sgd  # type: ignore[attr-defined]  # noqa: F401


def test_the_stub_says_the_same() -> None:
    imported: dict[str, str] = {}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name
                # A package gives a module, a module a name of its own.
                package = (PACKAGE.parent / str(node.module).replace(".", "/")).is_dir()
                imported[name] = f"{node.module}{'.' if package else ':'}{alias.name}"
        elif isinstance(node, ast.Assign):
            # `import run as audit` would not be re-exported.
            (target,), value = node.targets, node.value
            assert isinstance(target, ast.Name)
            assert isinstance(value, ast.Name)
            imported[target.id] = imported.pop(value.id)
    assert imported == NAMES


def test_the_page_lists_all_names_and_no_others() -> None:
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    table = page.partition("## Public names")[2].partition("\n\nEverything else")[0]
    listed = [name for row in table.splitlines()[4:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(listed) == sorted(NAMES)


def test_the_page_says_which_algorithms_may_be_exact_and_which_not() -> None:
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    estimators = {name for name, path in NAMES.items() if path.startswith("dpdescent.estimators.") and "dp_" in name}
    exact = {name for name in estimators if "arithmetic" in inspect.signature(getattr(dpdescent, name)).parameters}
    (listed,) = re.findall(r"may really be made\*\* has `arithmetic=\"exact\"` \((.*?)\):", page)
    assert set(re.findall(r"`(\w+)`", listed)) == exact
    table = page.partition("What stays in floating point:")[2].partition("\n\n#")[0]
    rows = [row for row in table.splitlines() if row.startswith("|")]
    named = [name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])]
    assert estimators - exact == {name for name in named if name.startswith("dp_")} != set()
    baselines = {path.stem for path in (PACKAGE / "baselines").glob("*.py")} - {"__init__", "least_squares"}
    made = (PACKAGE / "estimators/exact_fits.py").read_text(encoding="utf-8")
    (found,) = re.findall(r"^from dpdescent.baselines import (.*)$", made, re.MULTILINE)
    left = {name.removeprefix("baselines.") for name in named if name.startswith("baselines.")}
    assert baselines == left | set(found.split(", "))
    assert not left & set(found.split(", "))


def test_the_package_uses_no_public_name() -> None:
    """Fingerprints follow imports and would miss one: a job would not run again when what it uses changes."""
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "workflow/scripts").glob("*.py")]
    assert len(files) > 400
    assert [(file, name) for file in files for name in public_names_in(file.read_text(encoding="utf-8"))] == []
    used = "from dpdescent import dp_gd, checks\nimport dpdescent\nimport dpdescent.checks"
    assert list(public_names_in(used)) == ["dp_gd", "dpdescent"]


def public_names_in(code: str) -> Iterator[str]:
    """What a module takes of `dpdescent` itself and is no module, and `dpdescent` where that is imported whole."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == "dpdescent":
            paths = {alias.name: PACKAGE / alias.name for alias in node.names}
            yield from (
                name for name, path in paths.items() if not (path.is_dir() or path.with_suffix(".py").is_file())
            )
        elif isinstance(node, ast.Import):
            yield from ("dpdescent" for alias in node.names if alias.name == "dpdescent")


def test_training_does_not_depend_on_public_names() -> None:
    found = reachable(SOURCE, [PACKAGE / "papers/brown2024/clipping.py"])
    assert PACKAGE / "__init__.py" in found
    assert PACKAGE / "public.py" not in found
    assert not [path for path in found if path.is_relative_to(PACKAGE / "estimators")]


def test_one_version() -> None:
    assert dpdescent.__version__ == importlib.metadata.version("dpdescent")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert re.findall(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0] == version
    assert re.findall(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE) == [
        version
    ]


def test_the_lock_fits_the_ranges_and_names_its_command() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for each in [*project["dependencies"], *project["optional-dependencies"]["replication"]]:
        asked = Requirement(each)
        assert asked.specifier.contains(pinned[asked.name]), each
    for file in ROOT.glob("requirements*.lock"):
        assert file.read_text(encoding="utf-8").splitlines()[1].strip("# ") == "make lock"
