"""A wheel and a source archive by themselves: the one runs the page's and the help's examples, the other builds."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
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
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout's files without results, because a build leaves files beside the sources."""
    folder = tmp_path_factory.mktemp("copy")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in listed:
        if (ROOT / name).is_file() and not name.startswith("results/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    return folder


@pytest.fixture(scope="module")
def wheel(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        ".",
        cwd=copy,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a source archive holds, in a folder that is no git repository."""
    folder = tmp_path_factory.mktemp("archive")
    build = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"
    name = run(sys.executable, "-c", build, folder, cwd=copy).splitlines()[-1]
    with tarfile.open(folder / name) as archive:
        archive.extractall(folder)
    return folder / name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that has the wheel, its dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, cwd=folder)
    return folder / "bin"


def test_every_file_of_the_package_is_in_the_wheel(copy: Path, wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {str(file.relative_to(copy / "src")) for file in (copy / "src").rglob("*") if file.is_file()}
    assert held == {name for name in files if ".egg-info/" not in name}


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
    asked = PROJECT["optional-dependencies"]["replication"], PROJECT["dependencies"]
    extra, own = ({re.split("[<>=]", each)[0] for each in names} for names in asked)
    assert not installed & (extra - own)


def test_the_example_of_the_help_runs_as_printed(installed: Path, tmp_path: Path) -> None:
    told = run(installed / "dpdescent", "estimate", "--help", cwd=tmp_path)
    commands = told[told.index("\n\n  dpdescent ") :]
    script = f"set -e\nPATH={installed}:$PATH\n{commands}"
    assert "95 % interval" in run("bash", "-c", script, cwd=tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["estimate.json", "instruments.csv", "wages.csv"]


def test_a_wheel_tells_what_it_lacks_and_what_brings_it(wheel: Path, installed: Path, tmp_path: Path) -> None:
    def refused(*command: str | Path) -> str:
        done = subprocess.run(
            [*map(str, command)], capture_output=True, text=True, cwd=tmp_path, env=PLAIN, check=False
        )
        assert done.returncode != 0
        return done.stderr

    assert refused(installed / "dpdescent", "judge").startswith(f"{tmp_path} is no checkout of the project: ")
    told = refused(installed / "dpdescent", "compare", "a", "b")
    (advice,) = re.findall(r"pip install '(.*)'$", told)
    assert advice == f"dpdescent[replication] @ {wheel.as_uri()}"
    # Without dependencies, because what counts is that pip finds the package by these words.
    run(installed / "python", "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", advice, cwd=tmp_path)


def test_a_source_archive_has_all_but_results(copy: Path, unpacked: Path) -> None:
    def listed(folder: Path) -> set[str]:
        found = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
        return {name for name in found if not re.match(r"build/|PKG-INFO$|setup\.cfg$|.*\.egg-info/", name)}

    assert listed(unpacked) == listed(copy)


def test_a_source_archive_builds(unpacked: Path) -> None:
    own = PLAIN | {"PYTHONPATH": str(unpacked / "src")}

    def snakemake(*options: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "-c1", *options, "--config", "scale=quick", "papers=[liang2025]"],
            capture_output=True, text=True, cwd=unpacked, env=own, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "liang2025: judge claims" in snakemake("--dry-run")
    snakemake("liang2025_fig01")
    assert (unpacked / "results/quick/liang2025/fig01.svg").is_file()
