"""Trained parts carried from one checkout to another, so that machines without a shared disk share a build.

A part comes with its record, which has the hash of its inputs. A build trusts records and not places: a part that was
made with other code, packages, settings or inputs is trained again.
"""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dpdescent.replication.build import archive
from dpdescent.replication.build.files import atomic
from dpdescent.replication.build.store import record_of_part


def pack(parts: Path, output: Path, scale: str, papers: Iterable[str] = ()) -> int:
    """Writes an archive of the trained parts of a scale and returns their number.

    Args:
        parts: folder of the parts, with a folder per paper.
        output: `.tar.gz` to write.
        scale: name of the scale.
        papers: papers to which it is cut; without any it is whole.

    Raises:
        SystemExit: in one line, if nothing is trained.
    """
    folders = [parts / paper for paper in papers] or [parts]
    trained = sorted(part for folder in folders for part in folder.rglob("*.csv") if record_of_part(part).is_file())
    if not trained:
        raise SystemExit(f"Error: {parts} has no trained parts of {', '.join(papers) or 'any paper'}; train them first")
    files = {
        str(file.relative_to(parts)): file.read_bytes() for part in trained for file in (part, record_of_part(part))
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic(output, "wb") as stream:
        archive.write(stream, _top(scale), files)
    return len(trained)


def add(parts: Path, archives: Iterable[Path], scale: str) -> int:
    """Adds the parts of archives to those of a checkout and returns how many it did not have.

    Raises:
        SystemExit: in one line, if a file is no archive of parts of this scale; what was added before stays.
    """
    parts.mkdir(parents=True, exist_ok=True)
    return sum(_add_one(parts, file, scale) for file in archives)


def _add_one(parts: Path, source: Path, scale: str) -> int:
    with tempfile.TemporaryDirectory(prefix=".added-", dir=parts.parent) as unpacked:
        archive.extract(source, Path(unpacked))
        held = Path(unpacked) / _top(scale)
        if [held] != list(Path(unpacked).iterdir()):
            raise SystemExit(f"Error: {source} has no parts of scale {scale!r}; pack them by `make parts`")
        new = [part for part in held.rglob("*.csv") if not record_of_part(parts / part.relative_to(held)).exists()]
        for part in new:
            place = parts / part.relative_to(held)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(part, place)
            # The record is moved last, because a part counts once it has its record.
            os.replace(record_of_part(part), record_of_part(place))
        return len(new)


def _top(scale: str) -> str:
    return f"dpdescent-parts-{scale}"
