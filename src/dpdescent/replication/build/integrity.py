"""A check before the first job that files are as they were written, so that no damage gets into a verdict.

Nothing here imports numpy, because Snakemake's start would pay for it.
"""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from dpdescent.replication.build import store
from dpdescent.replication.build.files import MANIFEST, is_damaged, listed, refusal, restored, written

# Damaged files, each with the files to remove so that it is made again.
Damage = Mapping[Path, list[Path]]


def altered(results: Path, build: Path, packs: Mapping[Path, Path]) -> tuple[Damage, set[Path]]:
    """Files of a build that differ from what was written: those that no build wrote, and those whose bytes git has.

    A file that is gone is no damage: it is made again when it is needed.

    Args:
        results: folder of the scale's results.
        build: folder of the files from which the scale's results are made.
        packs: the folder of a pack's parts, by the file that lists them.
    """
    # Checked twice, because a job that still runs may replace a file between the readings of its hash and its bytes.
    if not (_damaged(results, build, packs) and (damage := _damaged(results, build, packs))):
        return {}, set()
    git_has = restored(damage)
    return {file: mend for file, mend in damage.items() if file not in git_has}, git_has


def line(damage: Damage, needed: Iterable[str], results: Path) -> str | None:
    """The error line for damaged files that a call needs, with the remedy; None if it needs none of them.

    Args:
        damage: the files that differ from what was written.
        needed: names of the files that the call needs.
        results: folder of the scale's results.
    """
    names = set(needed)
    hit = {file: mend for file, mend in damage.items() if str(file) in names or not names.isdisjoint(map(str, mend))}
    if not hit:
        return None
    if len(hit) > 1 and results / MANIFEST in hit and all(file.is_relative_to(results) for file in hit):
        mend = f"rm -r {shlex.quote(str(results))}, then run the build again; what was trained here is kept"
        return f"{results} has other results than were written here ({len(hit)} files): {mend}"
    return refusal(list(hit), list(dict.fromkeys(file for files in hit.values() for file in files)))


def folders(files: Iterable[str | Path]) -> str | None:
    """The error line for a folder that lies where a file belongs; None if there is none."""
    stray = [file for file in files if Path(file).is_dir()]
    if not stray:
        return None
    return f"{stray[0]} is a folder, where a file belongs: rm -r {shlex.quote(str(stray[0]))}, then run the build again"


def _damaged(results: Path, build: Path, packs: Mapping[Path, Path]) -> dict[Path, list[Path]]:
    """The files to remove so that a damaged one is made again, by damaged file."""
    files = {*written(build), *(results / name for name in listed(results / MANIFEST))}
    mends = {file: [file] for file in sorted(files) if is_damaged(file)}
    for pack, folder in packs.items():
        if pack.is_file() and pack not in mends:
            mends |= {part: store.mend(part, pack) for part in store.damaged(pack, folder)}
    return mends
