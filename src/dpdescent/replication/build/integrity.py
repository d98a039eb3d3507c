"""Before the first job: whether what lies there is what was written, so that no damage gets into a verdict.

Nothing here imports numpy, because Snakemake's start would pay for it.
"""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from dpdescent.replication.build import store
from dpdescent.replication.build.files import MANIFEST, is_damaged, listed, refusal, restored, written

# Of files that are not what was written: by file, those to remove so that it is made again.
Damage = Mapping[Path, list[Path]]


def looked_at(results: Path, build: Path, packs: Mapping[Path, Path]) -> tuple[Damage, set[Path]]:
    """Files of a build that are not what was written: those that nobody has written, and those that git has so.

    A file that is gone is no damage: it is made again when it is needed.

    Args:
        results: folder of the scale's results.
        build: folder of what the scale's results are made from.
        packs: by the list of a pack's parts, the folder of these parts.
    """
    # Again, because a job that is still running may have replaced a file between two looks.
    if not (_damaged(results, build, packs) and (found := _damaged(results, build, packs))):
        return {}, set()
    git_has = restored(found)
    return {file: mend for file, mend in found.items() if file not in git_has}, git_has


def line(damage: Damage, needed: Iterable[str], results: Path) -> str | None:
    """The line for damage to files that a call needs, and how they are made again; None if it needs none of them.

    Args:
        damage: the files that are not what was written.
        needed: names of the files that the call needs.
        results: folder of the scale's results.
    """
    asked = set(needed)
    found = {file: mend for file, mend in damage.items() if str(file) in asked or not asked.isdisjoint(map(str, mend))}
    if not found:
        return None
    if len(found) > 1 and results / MANIFEST in found and all(file.is_relative_to(results) for file in found):
        mend = f"rm -r {shlex.quote(str(results))}, then run the build again; what was trained here is kept"
        return f"{results} has other results than were written here ({len(found)} files): {mend}"
    return refusal(list(found), list(dict.fromkeys(file for files in found.values() for file in files)))


def folders(files: Iterable[str | Path]) -> str | None:
    """The line for a folder that lies where a file belongs; None if there is none."""
    found = [file for file in files if Path(file).is_dir()]
    if not found:
        return None
    return f"{found[0]} is a folder, where a file belongs: rm -r {shlex.quote(str(found[0]))}, then run the build again"


def _damaged(results: Path, build: Path, packs: Mapping[Path, Path]) -> dict[Path, list[Path]]:
    """The files to remove so that a damaged one is made again, by damaged file."""
    files = {*written(build), *(results / name for name in listed(results / MANIFEST))}
    found = {file: [file] for file in sorted(files) if is_damaged(file)}
    for pack, folder in packs.items():
        if pack.is_file() and pack not in found:
            found |= {part: store.mend(part, pack) for part in store.damaged(pack, folder)}
    return found
