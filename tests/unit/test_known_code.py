"""What is known of the code from an earlier call: equal fingerprints without parsing, and nothing from a bad file."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import interpreters
from dpdescent import syntax
from dpdescent.replication.build import definitions, fingerprint, known_code
from dpdescent.replication.build.definitions import Module
from dpdescent.replication.build.fingerprint import code_fingerprint


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Path]:
    """A script that imports a module in two ways, with nothing known of any file before and after the test."""
    (tmp_path / "dpdescent/room").mkdir(parents=True)
    for name, text in (
        ("dpdescent/__init__.py", ""), ("dpdescent/room/__init__.py", "from .. import ground\n"),
        ("dpdescent/ground.py", "x = 1\n"),
        ("script.py", "import dpdescent.room\nfrom dpdescent import ground\nprint(ground.x)\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
    forget()
    yield tmp_path / "script.py"
    forget()


def forget() -> None:
    """Leaves what a new process knows."""
    fingerprint.KNOWN.clear()
    for each in vars(fingerprint).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


def made(script: Path) -> str:
    return code_fingerprint(script.parent, script)


def refused(text: str, path: Path) -> Module:
    raise AssertionError(f"{path} was parsed")


def kept(script: Path) -> tuple[Path, str]:
    """Keeps what a call knows, in a file; forgets it, and returns the file and the fingerprint."""
    file, found = script.with_name("known_code.json"), made(script)
    known_code.keep(file)
    forget()
    return file, found


def test_what_was_kept_is_not_parsed_again(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, found = kept(script)
    known_code.recall(file)
    monkeypatch.setattr(definitions, "parsed", refused)
    assert made(script) == found


def test_an_edited_file_is_parsed_again(script: Path) -> None:
    file, found = kept(script)
    (script.parent / "dpdescent/ground.py").write_text("x = 2\n", encoding="utf-8")
    known_code.recall(file)
    changed = made(script)
    forget()
    assert found != changed == made(script)


@pytest.mark.parametrize(
    "damage",
    [lambda text: text[:-5], lambda text: text.replace("ground", "bround"), lambda text: "", lambda text: "{}\n{}"],
    ids=["cut", "edited", "empty", "another's"],
)
def test_what_is_damaged_is_not_read(script: Path, damage: Callable[[str], str]) -> None:
    file, _ = kept(script)
    text = file.read_text(encoding="utf-8")
    assert damage(text) != text
    file.write_text(damage(text), encoding="utf-8")
    known_code.recall(file)
    assert not fingerprint.KNOWN


@pytest.mark.parametrize("module", [syntax, definitions, fingerprint], ids=lambda module: module.__name__)
def test_what_other_code_made_is_not_read(
    script: Path, module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, _ = kept(script)
    edited = tmp_path / "edited.py"
    edited.write_bytes(Path(str(module.__file__)).read_bytes() + b"# edited")
    monkeypatch.setattr(module, "__file__", str(edited))
    known_code.recall(file)
    assert not fingerprint.KNOWN


@pytest.mark.skipif(not interpreters.others(), reason=interpreters.NONE)
def test_another_interpreter_reads_what_was_kept(script: Path) -> None:
    file, _ = kept(script)
    code = (
        "import pathlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "from dpdescent.replication.build import fingerprint, known_code\n"
        "known_code.recall(pathlib.Path(sys.argv[2])); print(len(fingerprint.KNOWN))"
    )
    source = Path(str(syntax.__file__)).parents[1]
    for python in interpreters.others().values():
        done = subprocess.run([python, "-ISc", code, source, file], capture_output=True, text=True, check=True)
        assert int(done.stdout) == len(json.loads(file.read_text(encoding="utf-8").partition("\n")[2])) > 0


def test_what_is_kept_does_not_grow_without_end(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_code, "MOST", 3)
    file, _ = kept(script)
    known_code.recall(file)
    assert len(fingerprint.KNOWN) == 3
