"""What is known of the code from an earlier call: equal fingerprints without parsing, and nothing from a bad file."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dpdescent.replication.build import fingerprint, known_code
from dpdescent.replication.build.fingerprint import Module, code_fingerprint


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Path]:
    """A script that imports a module in two ways, with nothing known of any file before and after the test."""
    (tmp_path / "dpdescent/room").mkdir(parents=True)
    for name, text in (
        ("dpdescent/__init__.py", ""), ("dpdescent/room/__init__.py", "from .. import ground\n"),
        ("dpdescent/ground.py", "x = 1\n"), ("script.py", "import dpdescent.room\nfrom dpdescent import ground\n"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
    forget()
    yield tmp_path / "script.py"
    forget()


def forget() -> None:
    """Leaves what a new process knows."""
    fingerprint.KNOWN.clear()
    fingerprint._module.cache_clear()
    fingerprint._first_party_imports.cache_clear()
    fingerprint._line.cache_clear()


def made(script: Path) -> str:
    return code_fingerprint(script.parent, [script])


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
    monkeypatch.setattr(fingerprint, "_parsed", refused)
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


def test_another_python_parses_anew(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, _ = kept(script)
    monkeypatch.setattr(known_code.sys, "version", "3.99")
    known_code.recall(file)
    assert not fingerprint.KNOWN


def test_what_is_kept_does_not_grow_without_end(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_code, "MOST", 3)
    file, _ = kept(script)
    known_code.recall(file)
    assert len(fingerprint.KNOWN) == 3
