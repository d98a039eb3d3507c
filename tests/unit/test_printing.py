"""What commands print after they have written a file: no terminal, no pipe and no disk makes them look failed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpdescent.commands import __main__ as command

ROOT = Path(__file__).resolve().parents[2]
ESTIMATE = (
    "estimate", "table.csv", "--method", "dp-gd", "--regressors", "größe", "--outcome", "y", "--clip-norm", "12",
    "--step-size", ".2", "--rho", ".5", "--secure-noise", "--output", "made",
)  # fmt: skip
PARTS = ("parts", "--scale", "größe", "--output", "made")
ARTIFACTS = ("artifacts", "--scale", "größe", "--output", "made")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A checkout with a part and results of a scale whose name has a letter beyond ASCII, and a table."""
    (tmp_path / "table.csv").write_text("größe,y\n1,2\n3,4\n2,1\n", encoding="utf-8")
    (tmp_path / "config/papers").mkdir(parents=True)
    (tmp_path / "Snakefile").touch()
    # It runs its own code.
    (tmp_path / "src").symlink_to(ROOT / "src")
    results, parts = tmp_path / "results/größe", tmp_path / "build/größe/parts/p/fig01"
    for folder in (results, parts):
        folder.mkdir(parents=True)
    (results / "provenance.json").write_text("{}")
    (results / "MANIFEST.sha256").touch()
    (parts / "main.csv").write_text("a\n1\n")
    (parts / "main.json").write_text("{}")
    return tmp_path


def run(here: Path, arguments: tuple[str, ...], **options: object) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([sys.executable, "-m", "dpdescent.commands", *arguments], cwd=here, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("arguments", [ESTIMATE, PARTS, ARTIFACTS], ids=lambda words: words[0])
def test_letters_that_an_encoding_lacks_end_no_command(here: Path, arguments: tuple[str, ...]) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    found = run(here, arguments, env=environment, capture_output=True)
    assert (found.returncode, found.stderr) == (0, b"")
    assert (here / "made").stat().st_size
    assert rb"gr\xf6\xdfe" in found.stdout or arguments[0] != "estimate"


@pytest.mark.parametrize("target", ["closed pipe", "/dev/full"])
@pytest.mark.parametrize("arguments", [ESTIMATE, PARTS, ARTIFACTS], ids=lambda words: words[0])
def test_nobody_to_read_what_is_printed_ends_no_command(here: Path, arguments: tuple[str, ...], target: str) -> None:
    if target == "closed pipe":
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(target, os.O_WRONLY)
    found = run(here, arguments, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (found.returncode, found.stderr) == (0, b"")
    assert (here / "made").stat().st_size


def test_letters_in_an_error_are_printed_too(here: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    found = run(here, ("größe",), env=environment, capture_output=True)
    assert found.returncode == 2
    assert found.stderr.startswith(rb"Error: there is no command 'gr\xf6\xdfe'; there are: ")


def test_every_command_that_writes_tells_it_so_that_it_cannot_fail() -> None:
    """No plain `print` stands after a file was written: those of other commands print what they found."""
    printing = {
        name: re.findall(
            r"(?<!\w)print\(", (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        )
        for name, (module, _) in command.COMMANDS.items()
    }
    # `fetch` prints an error before it ends with 1.
    assert {name for name, found in printing.items() if found} == {
        "verify", "judge", "spotcheck", "compare", "artifacts-diff", "fetch"
    }  # fmt: skip


@pytest.mark.parametrize(("number", "words"), [(30, "Read-only file system"), (13, "Permission denied")])
def test_folder_that_cannot_be_written_to_is_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int, words: str
) -> None:
    monkeypatch.chdir(here)

    def closed(*arguments: object, **options: object) -> None:
        raise OSError(number, words, "build/größe.tar.gz")

    monkeypatch.setattr("dpdescent.replication.build.archive.atomic", closed)
    with pytest.raises(SystemExit) as stop:
        command.main(["artifacts", "--scale", "größe"])
    assert stop.value.code == 2
    told = f"Error: build/größe.tar.gz: {words}; give yourself access, or work in a copy of this folder\n"
    assert capsys.readouterr().err == told
