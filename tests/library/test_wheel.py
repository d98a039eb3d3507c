"""A wheel in an environment of its own, without the extra, runs the page's examples: newest and oldest packages."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXAMPLES, PAGE = Path(__file__).with_name("examples.py"), ROOT / "docs/library.md"

# The numbers of threads and kernels are the tests' own, the search path is that of the checkout.
PLAIN = {name: value for name, value in os.environ.items() if not re.match("PYTHON|OPENBLAS|OMP|MKL", name)}

pytestmark = pytest.mark.slow


def lowest(requirement: str) -> str:
    """The requirement with its lower bound as a pin."""
    name, bound = re.fullmatch(r"([\w-]+)>=([\d.]+),<\d+", requirement).groups()  # type: ignore[union-attr]
    return f"{name}=={bound}"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd, env=PLAIN, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, because a build leaves files beside the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    copied = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "pyproject.toml", "src", "README.md",
                 "LICENSE", cwd=ROOT).split()  # fmt: skip
    for name in copied:
        if (ROOT / name).is_file():
            (folder / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "copy" / name).write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ".",
        cwd=folder / "copy")  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


def test_types_are_in_the_wheel(wheel: Path) -> None:
    assert {"dpdescent/py.typed", "dpdescent/__init__.pyi"} <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("packages", ["newest", "lowest"])
def test_examples_run_from_a_wheel_without_the_extra(wheel: Path, packages: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    pins = [lowest(each) for each in PROJECT["dependencies"]] if packages == "lowest" else []
    run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, *pins, cwd=tmp_path)
    assert "examples ran" in run(python, EXAMPLES, PAGE, cwd=tmp_path)
    about = "import dpdescent; print(dpdescent.__version__, dpdescent.__file__)"
    version, path = run(python, "-c", about, cwd=tmp_path).split()
    assert version == PROJECT["version"]
    assert Path(path).is_relative_to(tmp_path)
    installed = {line.split("==")[0].lower() for line in run(python, "-m", "pip", "freeze", cwd=tmp_path).splitlines()}
    assert not installed & {"snakemake", "pandas", "matplotlib", "clarabel", "jinja2", "jsonschema", "pyyaml"}
