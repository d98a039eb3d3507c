"""Results written anew: only whole ones, from tables that are asked for, and all of it or nothing."""

import copy
import json
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpdescent.commands import __main__ as command
from dpdescent.replication.build import anew, asked, provenance
from dpdescent.replication.build.files import MANIFEST, atomic, record_of
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.report import about, pages

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path("results/paper")
RECORD = json.loads((ROOT / RESULTS / provenance.RECORD).read_text(encoding="utf-8"))
WHOLE = project.load({"scale": "paper", "seed": RECORD["seed"], "papers": "all"}, ROOT)


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(ROOT)
    return replace(WHOLE, papers={key: copy.copy(paper) for key, paper in WHOLE.papers.items()})


def change(whole: Project, name: str, **changed: Any) -> None:
    """Changes entries of an artefact of brown2024."""
    paper = whole.papers["brown2024"]
    made = paper.artefacts | {name: replace(paper.artefacts[name], **changed)}
    whole.papers["brown2024"] = replace(paper, artefacts=made)


def test_committed_tables_are_those_that_are_asked_for(whole: Project) -> None:
    assert anew.not_whole(RESULTS) is None
    assert asked.difference(whole, RESULTS, RECORD) is None


def longer(whole: Project) -> None:
    parts = whole.papers["brown2024"].artefacts["fig04"].parts
    change(whole, "fig04", parts=[*parts, replace(parts[-1], name="main_all_n=9000_t0-4")])


def other_setting(whole: Project) -> None:
    first, *rest = whole.papers["brown2024"].artefacts["fig04"].parts
    change(whole, "fig04", parts=[replace(first, spec=first.spec | {"settings": {"rho": 9}}), *rest])


def other_variant(whole: Project) -> None:
    parts = whole.papers["brown2024"].artefacts["fig04"].parts
    change(whole, "fig04", parts=[replace(part, spec=part.spec | {"variant": "main"}) for part in parts])


def new_artefact(whole: Project) -> None:
    paper = whole.papers["brown2024"]
    made = {"fig99": replace(paper.artefacts["fig04"], id="fig99"), **paper.artefacts}
    whole.papers["brown2024"] = replace(paper, artefacts=made)


def no_artefact(whole: Project) -> None:
    paper = whole.papers["brown2024"]
    made = {name: made for name, made in paper.artefacts.items() if name != "fig04"}
    whole.papers["brown2024"] = replace(paper, artefacts=made)


def requested(whole: Project) -> None:
    paper = whole.papers["choquettechoo2023"]
    changed = replace(paper.on_request["fig04a_cifar10"], measures=["mass"])
    whole.papers["choquettechoo2023"] = replace(paper, on_request=paper.on_request | {"fig04a_cifar10": changed})


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (longer, ("brown2024/fig04.csv lacks", "n=9000")),
        (lambda whole: change(whole, "fig04", parts=whole.papers["brown2024"].artefacts["fig04"].parts[1:]),
         ("brown2024/fig04.csv holds main_all_n=1000_t0-4",)),
        (lambda whole: change(whole, "fig04", measures=["mass"]), ("brown2024/fig04.csv was measured in", "mass")),
        (lambda whole: change(whole, "fig04", keys=["n", "mass"]), ("brown2024/fig04.csv has other columns", "mass")),
        (other_variant, ("brown2024/fig04.csv has a variant", "ten iterations")),
        (other_setting, ("provenance.json: config", "config/")),
        (new_artefact, ("brown2024/fig99 is configured",)),
        (no_artefact, ("brown2024/fig04.csv is the table of no artefact",)),
        (requested, ("on_request/choquettechoo2023/fig04a_cifar10.csv has other columns", "mass")),
    ],
)  # fmt: skip
def test_other_tables_are_refused_in_one_line(
    whole: Project, edit: Callable[[Project], None], words: tuple[str, ...]
) -> None:
    edit(whole)
    line = asked.difference(whole, RESULTS, RECORD) or ""
    assert line
    assert "\n" not in line
    assert not [word for word in words if word not in line], line


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small results and the hashes of their files, in a checkout of their own."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/paper")
    for name, text in (("claims.csv", "claim\n"), ("p/fig01.csv", "n\n1\n"), ("letters/a.md", "a")):
        with atomic(folder / name) as stream:
            stream.write(text)
    lines = [f"{digest}  {name}\n" for name, digest in provenance.hashes(folder).items()]
    (folder / MANIFEST).write_text("".join(lines), encoding="utf-8")
    return folder


def test_edited_and_unfinished_results_are_refused_and_restored_ones_are_not(made: Path) -> None:
    assert anew.not_whole(made) is None
    before = (made / "p/fig01.csv").read_bytes()
    (made / "p/fig01.csv").write_text("n\n2\n")
    line = anew.not_whole(made) or ""
    assert line.startswith(f"{made}/p/fig01.csv is not what {made}/{MANIFEST} lists: git checkout")
    (made / "p/fig01.csv").write_bytes(before)
    assert anew.not_whole(made) is None
    (made / MANIFEST).unlink()
    assert "no finished results" in (anew.not_whole(made) or "")


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def news(made: Path, folder: Path) -> dict[Path, Path]:
    """Other bytes for two of the files."""
    new = {made / name: folder / name.replace("/", "-") for name in ("claims.csv", "p/fig01.csv")}
    for file in new.values():
        file.write_text("new\n")
    return new


def test_what_is_broken_off_before_the_end_changes_nothing(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, before, copied = news(made, tmp_path), files_below(made), shutil.copyfile

    def broken(source: Path, target: Path) -> None:
        copied(source, target)
        if source.name == "p-fig01.csv":
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfile", broken)
    with pytest.raises(KeyboardInterrupt):
        anew.put(new, [made / "letters/a.md"])
    assert files_below(made) == before


def test_an_interrupt_among_the_renames_waits_for_the_last(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A shell that starts a call in the background makes it ignore interrupts, and so the tests.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    new, forget = news(made, tmp_path), anew._forget

    def interrupted(file: Path) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        forget(file)

    monkeypatch.setattr(anew, "_forget", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            anew.put(new, [made / "letters/a.md"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert {name: text for name, text in files_below(made).items() if name != MANIFEST} == {
        "claims.csv": b"new\n", "p/fig01.csv": b"new\n"
    }  # fmt: skip
    # What a build kept of the old bytes is gone, because it would call the new ones damaged.
    assert not [file for file in new if (record := record_of(file)) is not None and record.exists()]


def test_an_interrupt_on_the_way_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All is laid out by then, and nothing of the committed results is other than before."""
    monkeypatch.chdir(ROOT)
    before, left = provenance.hashes(RESULTS), []

    def interrupted(whole: Project, scratch: Path) -> None:
        left.append(scratch)
        assert (scratch / "build/paper/audit/brown2024/privacy.csv").is_file()
        # What the report shows of a checkout is there.
        assert about.software(scratch) == about.software(ROOT)
        assert pages.trials(scratch) == pages.trials(ROOT)
        raise KeyboardInterrupt

    monkeypatch.setattr(anew, "run", interrupted)
    with pytest.raises(SystemExit, match="Interrupted: nothing is written"):
        command.main(["judge", "--write"])
    assert provenance.hashes(RESULTS) == before
    assert not left[0].exists()


def test_verdicts_that_are_written_again_say_so_apart_until_they_are_the_builds_own() -> None:
    here = provenance.environment()
    built = {"scale": "paper", "agrees_within": {}} | here | {"python": "3.0"}
    again = provenance.judged_again(built, {"scale": "paper", "agrees_within": {"a": 1}} | here, "one", "two")
    assert again == built | {"agrees_within": {"a": 1}, "verdicts": {"instead_of": "one"} | here}
    # Once more, to other verdicts: the tables are still those of the first list.
    third = provenance.judged_again(again, {}, "two", "three")
    assert third["verdicts"]["instead_of"] == "one"
    assert provenance.judged_again(again | {"verdicts": {"instead_of": "one"}}, {}, "two", "two")["verdicts"] == {
        "instead_of": "one"
    }
    assert provenance.judged_again(third, {"agrees_within": {}}, "three", "one") == built
    assert provenance.judged_again(built, {}, "one", "one") == built
