"""The library where the pipeline's packages do not exist: it imports, changes no setting, and runs the examples."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, PAGE = Path(__file__).with_name("examples.py"), ROOT / "docs/library.md"

BLOCKED = """
import importlib, os, pkgutil, sys

REFUSED = {"snakemake", "pandas", "matplotlib", "yaml", "jsonschema", "jinja2", "markdown_it", "clarabel", "psutil",
           "pygments", "jax"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}: the library must do without it", name=name)

sys.meta_path.insert(0, Refuse())
before = dict(os.environ)
"""

IMPORT_ALL = """
import dpdescent

loaded = {name for name in sys.modules if name.startswith("dpdescent.")}
assert not loaded, loaded
assert "numpy" not in sys.modules
skipped = ("dpdescent.replication", "dpdescent.papers")
names = [each.name for each in pkgutil.walk_packages(dpdescent.__path__, "dpdescent.", onerror=lambda name: None)]
kept = [name for name in names if not name.startswith(skipped)]
assert len(kept) > 60, kept
without = set()
for name in kept:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "jax":
            raise
        without.add(name)
# What needs the optional group deep is imported by nothing else.
assert without == {"dpdescent.models.image_network", "dpdescent.algorithms.dp_ftrl_network"}, without
assert dict(os.environ) == before, set(os.environ.items()) ^ set(before.items())
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter without the settings that the tests' own process has."""
    unset = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_CORETYPE")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment["PYTHONPATH"] = str(ROOT / "src")
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


def test_library_imports_without_the_extra_and_changes_no_setting() -> None:
    call = python(BLOCKED + IMPORT_ALL)
    assert call.returncode == 0, call.stderr


def test_examples_run_without_the_extra() -> None:
    script = f"import runpy\nsys.argv = ['examples', {str(PAGE)!r}]\n"
    call = python(f"{BLOCKED}{script}runpy.run_path({str(EXAMPLES)!r}, run_name='__main__')")
    assert call.returncode == 0, call.stderr
    assert call.stdout == f"{PAGE.read_text(encoding='utf-8').count('```python')} examples ran\n"


def test_the_refusal_refuses() -> None:
    call = python(BLOCKED + "import dpdescent.replication.drawing.figures")
    assert call.returncode != 0
    assert "the library must do without it" in call.stderr


@pytest.mark.parametrize("file", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda file: file.stem)
def test_pins_are_the_first_import_of_every_stage(file: Path) -> None:
    """BLAS reads its settings when numpy is imported; a linter may remove or move an import whose name is not used."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    first = next(node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    assert isinstance(first, ast.Import)
    assert [alias.name for alias in first.names] == ["dpdescent.replication.pins"]
