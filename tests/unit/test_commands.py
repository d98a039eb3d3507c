"""The command `dpdescent`: what it offers, and what it says where something is not there."""

import importlib.metadata
import subprocess
import sys
from email.message import Message
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from dpdescent.commands import __main__ as command
from dpdescent.replication.build import compare
from dpdescent.replication.commands import checkout, spotcheck
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]


def end_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """Exit code and the line on standard error."""
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    return stop.value.code, capsys.readouterr().err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        command.main(arguments)
        told = capsys.readouterr().out
        assert all(f"  {name} " in told for name in command.COMMANDS)


@pytest.mark.parametrize("name", command.COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main([name, "--help"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: dpdescent {name} ")


def test_unknown_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, line = end_of(["estimat"], capsys)
    assert (code, line) == (
        2,
        "Error: there is no command 'estimat'; there are: estimate, example, verify, judge, draw, spotcheck, compare,"
        " seedcheck, artifacts, artifacts-diff, parts, fetch, on-request, readme, article, metadata\n",
    )  # fmt: skip


@pytest.mark.parametrize("how", [["-m", "dpdescent"], ["-m", "dpdescent.commands"]])
def test_version_and_help_are_told_by_the_module_too(how: list[str]) -> None:
    version, told = (
        subprocess.run([sys.executable, *how, option], capture_output=True, text=True, check=True).stdout
        for option in ("--version", "--help")
    )
    assert version == f"dpdescent {importlib.metadata.version('dpdescent')}\n"
    assert told.startswith("usage: dpdescent COMMAND ...\n       dpdescent --version\n")


def without(blocked: str, *arguments: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """The command in an interpreter that lacks some packages, names joined by a comma."""
    code = (
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] in {blocked.split(',')!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
        "from dpdescent.commands.__main__ import main\n"
        "main(sys.argv[1:])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


PIPELINE = "pandas,yaml,snakemake,jsonschema,jinja2,markdown_it,matplotlib,psutil,pygments"


def test_estimate_needs_the_library_only() -> None:
    found = without(PIPELINE, "estimate", "nowhere.csv")
    assert found.returncode == 2
    assert found.stderr.startswith("Error: --instruments is needed: ")


@pytest.mark.parametrize("name", ["verify", "spotcheck", "readme"])
def test_command_of_the_pipeline_says_what_to_install(name: str) -> None:
    found = without(PIPELINE, name)
    assert found.returncode == 2
    assert found.stderr.startswith(f"Error: dpdescent {name} needs ")
    assert found.stderr.endswith("which is not installed: pip install '.[replication]'\n")
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in command.COMMANDS if name not in command.ANYWHERE])
def test_what_needs_a_checkout_says_so_before_it_asks_for_packages(name: str, tmp_path: Path) -> None:
    found = without(PIPELINE, name, cwd=tmp_path)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1)
    assert found.stderr.startswith(f"{tmp_path} is no checkout of the project: ")
    assert "clone the project or unpack its source archive" in found.stderr


@pytest.mark.parametrize(
    ("origin", "advice"),
    [
        (None, "dpdescent[replication]"),
        ('{"url": "file:///a/b.whl"}', "dpdescent[replication] @ file:///a/b.whl"),
        ('{"url": "ssh://host/p", "vcs_info": {"vcs": "git"}}', "dpdescent[replication] @ git+ssh://host/p"),
    ],
)
def test_packages_come_from_where_the_library_came_from(
    origin: str | None, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name where it was installed by name, because there may be no such name elsewhere."""
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: SimpleNamespace(read_text=lambda file: origin))
    assert command._with_extra("compare") == advice
    assert Requirement(advice).extras == {"replication"}


def test_an_address_is_told_where_the_package_knows_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = Message()
    message["Project-URL"] = "Source, https://host.example/project"
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: message)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"unpack its source archive, see https://host\.example/project$"):
        checkout.require()


def test_the_example_is_written_once_and_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        command.main(["example"])
    for name in ("wages.csv", "instruments.csv"):
        assert Path(name).read_bytes() == (ROOT / "examples" / name).read_bytes()
    Path("wages.csv").unlink()
    Path("instruments.csv").write_text("mine")
    code, line = end_of(["example"], capsys)
    assert (code, line) == (2, "Error: instruments.csv exists and is another file; change to an empty folder\n")
    assert Path("instruments.csv").read_text() == "mine"
    assert not Path("wages.csv").exists()


@pytest.mark.parametrize("name", ["verify", "spotcheck", "readme"])
def test_outside_a_checkout_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"no checkout of the project: change to the folder that holds its Snakefile"):
        command.main([name])


def test_spot_check_compares_what_was_trained_for_artefacts_that_read_tables_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = project.load({"scale": "paper", "seed": 20250922, "papers": "all"}, ROOT)
    reading = next(artefact for artefact in whole.artefacts() if artefact.reads)
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(spotcheck, "_run", lambda *call: calls.append(call))
    monkeypatch.setattr(compare, "part_difference", lambda committed, artefact, name, file: str(file))
    part = reading.parts[0]
    compared = spotcheck._recompute(whole, reading, part, {}, "results/paper", tmp_path)
    assert compared == str(tmp_path / reading.item / f"{part.name}.csv")
    table = f"results/paper/{reading.paper}/{reading.reads[0]}.csv"
    assert table in calls[-1]
    assert str(tmp_path / reading.item) in calls[-1]
