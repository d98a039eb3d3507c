"""Results written anew from their own tables: in a scratch folder, by the rules that need tables alone.

Tables, figures, ledger and audits are copied there. Snakemake knows no outputs of the rules that are left out, so that
nothing is trained; the other rules run as in a whole build.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dpdescent.replication.build import compare
from dpdescent.replication.build.files import MANIFEST, listed, read_rows, record_of, write_rows
from dpdescent.replication.build.provenance import ON_REQUEST, hashes
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.ledger import entries

# Rules that read tables, ledger and audits and train, attack and draw nothing; the last one asks for all others.
STEPS = ("bounds", "claims", "findings", "collect", "letters", "summary", "settings", "report", "manifest")
# Signals that end a process from outside and can wait a moment.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def not_whole(results: Path) -> str | None:
    """The error line for results that are not finished or differ from their manifest; None for whole results."""
    for folder in (results, results / ON_REQUEST):
        if folder == results and not (folder / MANIFEST).is_file():
            return f"{folder} holds no finished results (no {MANIFEST}): build them first, make results"
        if (folder / MANIFEST).is_file() and (names := compare.edited(folder, hashes(folder))):
            more = f", nor are {len(names) - 1} more" if len(names) > 1 else ""
            return (
                f"{folder / names[0]} is not what {folder / MANIFEST} lists{more}: git checkout {results}, or finish"
                " the build, make results"
            )
    return None


def lay_out(whole: Project, results: Path, scratch: Path) -> Path:
    """Lays out the given files and the files that the rules read in a scratch folder; returns its folder of results."""
    for name in (*compare.SOURCES, *compare.SHOWN):
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        if Path(name).exists():
            (scratch / name).symlink_to(Path(name).resolve())
    new_results, build = scratch / "results" / whole.scale, scratch / "build" / whole.scale
    drawn = {artefact.item for artefact in whole.artefacts()} | {"audit"}
    for name in listed(results / MANIFEST):
        # The table of all audits is left out, because a rule collects it from the papers' tables.
        if str(Path(name).with_suffix("")) in drawn and name != "audit.csv":
            (new_results / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(results / name, new_results / name)
    if (results / ON_REQUEST).is_dir():
        shutil.copytree(results / ON_REQUEST, new_results / ON_REQUEST)
    for kind, rows in (("privacy", entries.read(results)), ("audit", read_rows(results / "audit.csv"))):
        _divide(rows, {build / f"audit/{key}/{kind}.csv": {"paper": key} for key in whole.papers})
    of_item = {artefact.item: {"paper": artefact.paper, "artefact": artefact.id} for artefact in whole.artefacts()}
    _divide(
        read_rows(results / "parts.csv"),
        {build / f"fingerprints/{item}.csv": wanted for item, wanted in of_item.items()},
    )
    begun = scratch / f".snakemake/dpdescent/{whole.scale}.begun"
    begun.parent.mkdir(parents=True)
    begun.write_text("Tables are given.\n", encoding="utf-8")
    return new_results


def _divide(rows: Sequence[Mapping[str, str]], shares: Mapping[Path, Mapping[str, str]]) -> None:
    """Writes rows, divided by their values, to the files from which they were collected."""
    for share, wanted in shares.items():
        mine = [row for row in rows if all(row[column] == value for column, value in wanted.items())]
        write_rows(share, list(rows[0]), mine)


def run(whole: Project, scratch: Path) -> None:
    """Runs the rules in the scratch folder.

    Raises:
        SystemExit: in one line, below what Snakemake printed, if one of them fails.
    """
    chosen = [f"scale={whole.scale}", f"seed={whole.seed}", f"papers=[{','.join(whole.papers)}]"]
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--config", *chosen]
    command += ["--allowed-rules", *STEPS, "--", STEPS[-1]]
    environment = compare.scratch_environment(scratch)
    done = subprocess.run(
        command, cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        print(done.stdout)
        sys.exit("Nothing is written: a rule failed, see above")


def changes(new_results: Path, results: Path) -> tuple[dict[Path, Path], list[Path]]:
    """New files by the file that they replace, where both differ, and the files that no rule makes any more."""
    files = (file for file in sorted(new_results.rglob("*")) if file.is_file())
    pairs = ((results / file.relative_to(new_results), file) for file in files)
    differing = {old: new for old, new in pairs if not old.is_file() or old.read_bytes() != new.read_bytes()}
    gone = sorted(listed(results / MANIFEST).keys() - listed(new_results / MANIFEST).keys())
    return differing, [results / name for name in gone]


def put(new: Mapping[Path, Path], gone: Sequence[Path]) -> None:
    """Gives new files the names of old ones: all of them or, where this is broken off, none.

    Args:
        new: files by the name that they get.
        gone: files that are removed.
    """
    beside = {target: target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}") for target in new}
    try:
        for target, file in new.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, beside[target])
        with _unbroken():
            for target, file in beside.items():
                _forget(target)
                file.replace(target)
            for target in gone:
                _forget(target)
                target.unlink()
    finally:
        for file in beside.values():
            file.unlink(missing_ok=True)


def _forget(file: Path) -> None:
    """Removes the hash that a build kept of a file, because the manifest has it now."""
    if (record := record_of(file)) is not None:
        record.unlink(missing_ok=True)


@contextmanager
def _unbroken() -> Iterator[None]:
    """Holds back the signals that would end the process while the names of many files change."""
    # Held back by handlers, because another thread would take a signal that this one blocks.
    received: list[int] = []
    before = {number: signal.signal(number, lambda got, _: received.append(got)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for got in received[:1]:
        signal.raise_signal(got)
