"""Checks before the first job: whether targets exist, whether the disk has room, who holds the lock of the directory.

Snakemake answers these questions by a page of text, or after hours; each answer here is one line. Nothing here imports
numpy, because Snakemake's start would pay for it.
"""

import difflib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

# Bytes that a job leaves on the disk (part, log, records), rounded up from the mean at paper scale, which is largest.
BYTES_OF_A_JOB = 300_000
# Bytes of Snakemake's own log and records, beside those of the jobs.
MARGIN = 20_000_000


@dataclass(frozen=True)
class Targets:
    """The targets that can be requested.

    Attributes:
        names: rules that make something definite, such as `all` or `liang2025_fig04`.
        stages: rules that make many files, such as `train`: they can be forced, and not requested.
        files: files worth suggesting.
        makes: whether a rule makes the file of this name.
        papers: keys of the papers.
        scale: the scale of this call.
    """

    names: Collection[str]
    stages: Collection[str]
    files: Collection[str]
    makes: Callable[[str], bool] = field(repr=False)
    papers: Collection[str]
    scale: str


def no_target(requested: Iterable[str], targets: Targets) -> str | None:
    """The error line for the first target that cannot be made; None if all can."""
    for target in sorted(requested):
        file = os.path.relpath(target) if os.path.isabs(target) else os.path.normpath(target)
        if target in targets.names or (
            target not in targets.stages and (targets.makes(file) or os.path.exists(target))
        ):
            continue
        return f"No target {target!r}{_mend(file, targets)}"
    return None


def not_begun(requested: Collection[str], targets: Targets, begun: str) -> str | None:
    """The error line for a requested file that came with the checkout, because it would pass for one made here."""
    if os.path.exists(begun) or "begin" in requested:
        return None
    shipped = [target for target in sorted(requested) if target not in targets.names and os.path.isfile(target)]
    producible = [target for target in shipped if targets.makes(os.path.relpath(target))]
    return (
        f"{producible[0]} came with this checkout; to make it here: snakemake begin {' '.join(producible)}"
        if producible
        else None
    )


def _mend(target: str, targets: Targets) -> str:
    if target in targets.stages:
        return f": it is a stage of many files; ask for one of them, or run the stage anew: --forcerun {target}"
    scale = re.match(r"results/([^/]+)/", target)
    if scale and scale[1] != targets.scale:
        return f" at scale {targets.scale!r}: for another scale, add --config scale={scale[1]}"
    if target.startswith(("results/", "build/")):
        return _did_you_mean(_close(target, targets.files)) or "; `snakemake --list-target-rules` shows what there is"
    # Names as people write them: with a slash, with the suffix of a file.
    return _by_name(
        re.sub(r"\.(png|svg|csv|md|tex)$", "", target.removeprefix("on_request/")).replace("/", "_"), targets
    )


def _by_name(name: str, targets: Targets) -> str:
    key, _, artefact = name.partition("_")
    paper = _close(key, targets.papers)
    if paper and artefact:
        here = [other for other in targets.names if other.startswith(f"{paper}_")]
        hint = _did_you_mean(_close(name, here)) or ";"
        return f"{hint} {paper} has: {', '.join(other.removeprefix(f'{paper}_') for other in here)}"
    # Several papers may have a figure such as `fig04`.
    ids = {other: other.partition("_")[2] for other in targets.names if other.partition("_")[0] in targets.papers}
    meant = _close(name, set(ids.values()) - {""})
    if meant:
        return f"; say of which paper: {', '.join(other for other, id_ in ids.items() if id_ == meant)}"
    return (
        _did_you_mean(_close(name, targets.names))
        or f"; there are: all, {', '.join(targets.papers)}, and <paper>_<figure>"
    )


def _close(name: str, names: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.75)), None)


def _did_you_mean(name: str | None) -> str:
    return f"; did you mean {name!r}?" if name else ""


def no_room(jobs: int, copied: int, folders: Iterable[str]) -> str | None:
    """The error line for a folder whose file system has no room for a build; None if all have.

    Args:
        jobs: number of jobs that are to run.
        copied: bytes that are copied before the jobs.
        folders: folders to which a build writes; those that do not exist yet count as the folder that will hold them.
    """
    needed = jobs * BYTES_OF_A_JOB + copied + MARGIN
    for folder in folders:
        place = Path(folder).absolute()
        while not place.exists():
            place = place.parent
        free = shutil.disk_usage(place).free
        if free < needed:
            room = f"{free / 1e6:,.0f} MB are free, {jobs} jobs need about {needed / 1e6:,.0f} MB"
            return f"No room in {folder}: {room}; free some, then run the same command, or build less: make quick"
    return None


def read_only(folders: Iterable[str], snakefile: str) -> str | None:
    """The error line for a folder in which a call would write and may not; None if it may write in all.

    Args:
        folders: the folders to which it writes; those that do not exist yet count as the folder that will hold them.
        snakefile: the Snakefile that is called.
    """
    for folder in folders:
        place = Path(folder).absolute()
        while not place.exists():
            place = place.parent
        if not os.access(place, os.W_OK | os.X_OK):
            elsewhere = f"snakemake -s {shlex.quote(os.path.abspath(snakefile))} -d FOLDER"
            return f"{place} cannot be written to, where a build keeps {folder}: work in a folder of yours: {elsewhere}"
    return None


def size(folder: str | Path) -> int:
    """Bytes of the files in a folder; 0 if there is none."""
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


def builds_here() -> list[int]:
    """Process ids of other Snakemake calls in this directory, on this machine."""
    import psutil  # type: ignore[import-untyped]

    own = {os.getpid(), *(process.pid for process in psutil.Process().parents())}
    processes = psutil.process_iter(["pid", "cwd", "cmdline"])
    return sorted(
        process.info["pid"]
        for process in processes
        if process.info["pid"] not in own
        and process.info["cwd"] == os.getcwd()
        and any(Path(word).name == "snakemake" for word in (process.info["cmdline"] or [])[:3])
    )


def locked(builds: list[int]) -> str:
    """The error line for a lock that stands in the way, given the builds that still run in this directory."""
    if builds:
        return f"Locked: a build of the same files is running here (process {builds[0]}); wait for it, or stop it"
    return (
        "Locked: a build was killed here, and none is running on this machine; `make unlock` (or `snakemake --unlock`),"
        " then the same command"
    )


def queued_here() -> list[str]:
    """Ids of the jobs in Slurm's queue that were submitted from this directory, also by a call that has ended."""
    if shutil.which("squeue") is None:
        return []
    try:
        queue = subprocess.run(["squeue", "--me", "-h", "-o", "%i %Z"], capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return []
    jobs = (line.split(" ", 1) for line in queue.stdout.splitlines() if " " in line)
    return [job for job, folder in jobs if folder.strip() == os.getcwd()]


def not_unlocked(builds: list[int], queued: list[str]) -> str | None:
    """The error line for an attempt to remove the locks of running builds or queued jobs; None if there are none."""
    if builds:
        return f"Not unlocked: a build is running here (process {builds[0]}); wait for it, or stop it"
    if queued:
        jobs = " ".join(queued)
        return f"Not unlocked: Slurm still has jobs of a build here; wait for them, or stop them: scancel {jobs}"
    return None
