"""Set-up of a checkout: real environments of a made-up project, whose packages lie in a folder."""

import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Builds any of the made-up packages, because setuptools is not among the made-up locks.
BACKEND = """
import zipfile
def build_wheel(folder, settings=None, metadata=None):
    return _write(folder, {"NAME.py": "WHERE = __file__\\n"})
def build_editable(folder, settings=None, metadata=None):
    import os
    return _write(folder, {"NAME.pth": os.path.abspath("src") + "\\n"})
def _write(folder, files):
    about = "NAME-1.0.dist-info"
    files[about + "/METADATA"] = "Metadata-Version: 2.1\\nName: NAME\\nVersion: 1.0\\n"
    files[about + "/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: tests\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[about + "/RECORD"] = "".join(name + ",,\\n" for name in files)
    with zipfile.ZipFile(folder + "/NAME-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "NAME-1.0-py3-none-any.whl"
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'

# An ordinary machine: nothing of this one's settings, and no uv.
PLAIN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def environment_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", ROOT / "workflow/environment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def backend(name: str) -> ModuleType:
    module = ModuleType("backend")
    exec(BACKEND.replace("NAME", name), module.__dict__)
    return module


def lock(files: Mapping[str, Path]) -> str:
    """The lines of a lock, as uv writes them."""
    lines = (f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n    # via dpdescent\n"
             for name, file in files.items())  # fmt: skip
    return "".join(lines)


class Checkout:
    """A made-up checkout with two packages in its lock, of which one has no wheel, and one in the lock of tests."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder, self.index = folder, index
        self.variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
        (folder / "workflow").mkdir(parents=True)
        (folder / "src/dpdescent").mkdir(parents=True)
        index.mkdir()
        shutil.copy(ROOT / "workflow/environment.py", folder / "workflow")
        shutil.copy(ROOT / "Makefile", folder)
        (folder / "src/dpdescent/__init__.py").touch()
        (folder / "pyproject.toml").write_text(PROJECT + '[project]\nname = "dpdescent"\nversion = "1.0"\n')
        (folder / "backend.py").write_text(BACKEND.replace("NAME", "dpdescent"))
        wheels = {name: index / backend(name).build_wheel(str(index)) for name in ("first", "tested")}
        self.write_lock("requirements.lock", {"first": wheels["first"], "connection-pool": self._source()})
        self.write_lock("requirements-test.lock", {"tested": wheels["tested"]})

    def _source(self) -> Path:
        files = {
            "backend.py": BACKEND.replace("NAME", "connection_pool"),
            "pyproject.toml": PROJECT,
            "PKG-INFO": "Metadata-Version: 2.1\nName: connection-pool\nVersion: 1.0\n",
        }
        archive = self.index / "connection-pool-1.0.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for name, text in files.items():
                entry = tarfile.TarInfo(f"connection-pool-1.0/{name}")
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text.encode()))
        return archive

    def write_lock(self, name: str, files: Mapping[str, Path]) -> None:
        (self.folder / name).write_text("# This file was made up\n" + lock(files))

    def make(self, *arguments: str, code: int = 0, **environment: str) -> str:
        """What make prints, with the index and a home folder of its own; PYTHON is the one that runs this test."""
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        variables = PLAIN | {"HOME": str(home)} | self.variables | environment
        done = subprocess.run(
            ["make", *(arguments or [".venv"]), f"PYTHON={sys.executable}"], cwd=self.folder, env=variables,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        return done.stdout

    def where(self, module: str) -> Path:
        """The file that .venv imports for a module."""
        command = [".venv/bin/python", "-I", "-c", f"import {module}; print({module}.__file__)"]
        done = subprocess.run(command, cwd=self.folder, env=PLAIN, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    def has_all(self) -> bool:
        """Whether packages lie in .venv, and the project where it is written."""
        inside = all(self.where(name).is_relative_to(self.folder / ".venv") for name in ("first", "connection_pool"))
        return inside and self.where("dpdescent") == self.folder / "src/dpdescent/__init__.py"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout", tmp_path / "index")


def test_set_up_once_and_what_is_new_later(checkout: Checkout) -> None:
    told = checkout.make().splitlines()
    assert re.fullmatch(r"Setting up \.venv: CPython 3\.\d+\.\d+ \(.*\), packages by pip", told[0])
    assert checkout.has_all()
    assert not list((checkout.folder / ".venv").rglob("tested.py")), "tests bring their packages when they are called"
    assert checkout.make() == ""
    kept = checkout.folder / ".venv/kept"
    kept.touch()
    checkout.make(".venv/test")
    assert checkout.where("tested").is_relative_to(checkout.folder / ".venv")
    assert checkout.make() == checkout.make(".venv/test") == ""
    wheel = checkout.index / backend("second").build_wheel(str(checkout.index))
    first = checkout.index / "first-1.0-py3-none-any.whl"
    source = checkout.index / "connection-pool-1.0.tar.gz"
    checkout.write_lock("requirements.lock", {"first": first, "second": wheel, "connection-pool": source})
    checkout.make()
    assert checkout.where("second").is_relative_to(checkout.folder / ".venv")
    assert kept.exists(), "another lock adds to what is there"


@pytest.mark.parametrize("way", ["moved", pytest.param("copied", marks=pytest.mark.slow)])
def test_a_checkout_that_was_moved_or_copied_is_set_up_anew(checkout: Checkout, way: str) -> None:
    checkout.make(".venv/test")
    place = checkout.folder.with_name(way)
    if way == "moved":
        checkout.folder.rename(place)
    else:
        shutil.copytree(checkout.folder, place, symlinks=True)
    checkout.folder = place
    assert "Setting up .venv: " in checkout.make()
    assert checkout.has_all()
    assert checkout.where("tested").is_relative_to(place / ".venv"), "what was there before is there again"


def test_wrong_bytes_are_refused_and_the_same_command_goes_on(checkout: Checkout) -> None:
    wheel = checkout.index / "first-1.0-py3-none-any.whl"
    right = wheel.read_bytes()
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("more.py", "")
    for _ in range(2):
        line = checkout.make(code=2).splitlines()[-2]
        assert line.startswith(
            "Set-up failed: could not install 1 packages of requirements.lock: ERROR: THESE PACKAGES DO NOT MATCH"
        )
        assert line.endswith("All that was said: .venv/environment.log")
        assert json.loads((checkout.folder / ".venv/.installed").read_text())["locks"] == {}
    wheel.write_bytes(right)
    checkout.make()
    assert checkout.has_all()


def test_an_index_that_is_not_reached_is_said(checkout: Checkout) -> None:
    nowhere = {
        "PIP_NO_INDEX": "0",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": "http://127.0.0.1:9",
        "PIP_RETRIES": "1",
    }
    line = checkout.make(code=2, **nowhere).splitlines()[-2]
    assert "The index of packages was not reached: mend the connection" in line


def test_a_package_without_a_wheel_is_said(checkout: Checkout) -> None:
    (checkout.index / "first-1.0-py3-none-any.whl").rename(checkout.index / "first-1.0-py2-none-any.whl")
    line = checkout.make(code=2).splitlines()[-2]
    assert "No matching distribution found for first==1.0. All have wheels for CPython 3.11 to 3.13" in line


def written(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize(
    "where", ["variables", "files", pytest.param("a file that a variable names", marks=pytest.mark.slow)]
)
def test_settings_of_a_user_send_nothing_elsewhere(checkout: Checkout, where: str, tmp_path: Path) -> None:
    elsewhere, home = tmp_path / "elsewhere", tmp_path / "home"
    elsewhere.mkdir()
    variables = {}
    if where == "variables":
        names = "PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_REQUIREMENT PYTHONPATH PYTHONUSERBASE PYTHONHOME"
        variables = dict.fromkeys(names.split(), str(elsewhere)) | {"PIP_USER": "1", "PIP_PYTHON": "/usr/bin/python3"}
        variables |= {"PIP_DRY_RUN": "1", "PIP_NO_BINARY": ":all:", "UV_SYSTEM_PYTHON": "1", "VIRTUAL_ENV": str(home)}
    elif where == "files":
        written(home / ".config/pip/pip.conf", f"[global]\ntarget = {elsewhere}\n[install]\nuser = true\n")
        written(home / ".pip/pip.conf", f"[install]\nprefix = {elsewhere}\nno-binary = :all:\n")
        written(home / ".pydistutils.cfg", f"[install]\nprefix = {elsewhere}\n")
    else:
        variables = {"PIP_CONFIG_FILE": written(tmp_path / "pip.conf", f"[install]\nroot = {elsewhere}\n")}
    checkout.make(**variables)
    assert checkout.has_all()
    assert not list(elsewhere.iterdir())


def test_how_a_user_reaches_packages_is_kept(checkout: Checkout, tmp_path: Path) -> None:
    """An index in a file, not in a variable."""
    written(tmp_path / "home/.config/pip/pip.conf", f"[global]\nno-index = true\nfind-links =\n  {checkout.index}\n")
    checkout.variables = {}
    checkout.make()
    assert checkout.has_all()


# --- the interpreter -------------------------------------------------------------------------------------------------


def interpreter(file: Path, version: str, kind: str = "CPython", modules: bool = True) -> None:
    """A command that answers as an interpreter would."""
    file.write_text(f"#!/bin/sh\nprintf '{kind}\\t{version}\\t{file}\\t{modules}\\n'\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("here", "taken"),
    [
        ({"python3": "3.12.4", "python3.13": "3.13.1"}, "python3"),
        ({"python3": "3.10.2", "python3.11": "3.11.0", "python3.12": "3.12.9"}, "python3.12"),
        ({"python3": "3.15.0", "python3.11": "3.11.0"}, "python3.11"),
        ({"python3": "PyPy 3.11.9", "python3.11": "3.11.0"}, "python3.11"),
        ({"python3": "3.10.2", "python3.13": "broken"}, None),
        ({}, None),
    ],
)
def test_the_newest_supported_interpreter_is_taken(
    here: dict[str, str], taken: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, version in here.items():
        kind, number = version.split() if " " in version else ("CPython", version)
        interpreter(tmp_path / name, number, kind)
    monkeypatch.setenv("PATH", str(tmp_path))
    environment = environment_module()
    if taken:
        assert environment.any_supported("pip")["path"] == str(tmp_path / taken)
    else:
        with pytest.raises(environment.Failure) as told:
            environment.any_supported("pip")
        assert len(str(told.value).splitlines()) == 3
        assert "none is on the PATH" in str(told.value)
        assert "apt-get install python3" in str(told.value)
        assert "uv python install 3.13" in str(told.value)


def test_python_without_venv_is_one_line(tmp_path: Path) -> None:
    """As Debian's without the package python3-venv."""
    environment = environment_module()
    interpreter(tmp_path / "python", "3.13.1", modules=False)
    with pytest.raises(
        environment.Failure, match=r"^\S+python lacks the modules venv and ensurepip\. On Debian .* python3-venv$"
    ):
        environment.supported(str(tmp_path / "python"))


@pytest.mark.parametrize("python", ["no-such-python", "false"])
def test_a_named_interpreter_that_is_none_is_said(python: str) -> None:
    environment = environment_module()
    with pytest.raises(environment.Failure, match=f"^dpdescent needs CPython 3.11 to 3.13, and {python} is none"):
        environment.supported(python)


def test_a_folder_that_cannot_be_written_to_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment = environment_module()
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    with pytest.raises(environment.Failure, match="cannot be written to: copy it to a folder of yours"):
        environment.set_up(set(), "")


def test_any_python_3_can_read_the_script() -> None:
    """Its grammar, and no name of a newer standard library: an old python3 looks for a newer one."""
    import ast

    text = (ROOT / "workflow/environment.py").read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 7))


# --- the locks -------------------------------------------------------------------------------------------------------


def test_locks_have_what_the_project_names() -> None:
    environment = environment_module()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    locks = {name: environment.packages(ROOT / name) for name in ("requirements.lock", "requirements-test.lock")}
    held = {name for lock in locks.values() for name, *_ in lock}
    groups = project["dependency-groups"]
    extra = project["project"]["optional-dependencies"]["replication"]
    for requirement in [*project["project"]["dependencies"], *extra, *groups["build"], *groups["test"]]:
        assert re.split(r"[><=]", requirement)[0] in held
    assert set(environment.SOURCE_ONLY) <= held
    (numpy,) = [version for name, version, *_ in locks["requirements.lock"] if name == "numpy"]
    assert re.fullmatch(r"[\d.]+", numpy), "one numpy for all interpreters and systems, because results depend on it"


@pytest.mark.parametrize("file", sorted(ROOT.glob("requirements*.lock")), ids=lambda file: file.name)
def test_each_package_has_hashes_and_no_lock_names_a_host(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    packages = environment_module().packages(file)
    assert len(packages) == len(re.findall(r"^[^#\s].*==", text, re.MULTILINE))
    assert all("--hash=sha256:" in block for *_, block in packages)
    assert "://" not in re.sub(r"#.*", "", text)
    alone = {"requirements.lock"} if file.name != "requirements.lock" else set()
    for other in alone:
        shared = {name for name, *_ in packages} & {name for name, *_ in environment_module().packages(ROOT / other)}
        assert not shared, "an extra's lock has only what is needed beside the pipeline's"


def test_supported_versions_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={environment_module().SUPPORTED[-1]}"
