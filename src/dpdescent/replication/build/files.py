"""Files of a build: they are written to a temporary name and renamed, and their hashes are kept for readers to check.

The hash of a file in `results/<scale>` or `build/<scale>` lies under `build/<scale>/hashes`. Trained parts have records
of their own (see `store`), files elsewhere have none. Results without one (those of a fresh clone, or after somebody
has removed `build`) are checked against the manifest beside them; other files without one are taken as they are.
Results whose bytes git has (restored, stashed, of another branch) were written by somebody, too: readers take them, and
a build that is asked for them makes them again (see `integrity`).
"""

import csv
import errno
import hashlib
import io
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from dpdescent.replication.build import git

# The manifest of a scale's results: the line that `sha256sum` prints for each file, named below their folder.
MANIFEST = "MANIFEST.sha256"
# The folders that builds write, each with a folder for every scale.
PLACES = ("results", "build")
# The folder in `build/<scale>` with a file per kept hash.
HASHES = "hashes"


@contextmanager
def atomic(path: str | Path, mode: str = "w") -> Any:
    """Opens a temporary sibling of `path` for writing; it takes the name `path` when the block ends without error.

    Raises:
        SystemExit: in one line, when the disk is full; what `path` held before is still there.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays, because matplotlib chooses its format by it.
    temporary = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    options: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with open(temporary, mode, **options) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        _put(temporary, target)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise SystemExit(f"{target}: the disk is full; free some space, then run the same command to go on") from None
    finally:
        temporary.unlink(missing_ok=True)


def _put(temporary: Path, target: Path) -> None:
    """Gives a finished file its name, then keeps its hash: an interruption leaves a whole file without a hash."""
    record = record_of(target)
    if record is not None:
        hashed = hashlib.sha256(temporary.read_bytes()).hexdigest()
        record.unlink(missing_ok=True)
    os.replace(temporary, target)
    if record is not None:
        with atomic(record) as stream:
            stream.write(f"{hashed}\n")


def seal(path: str | Path) -> None:
    """Keeps the hash of a file that was not written by `atomic`."""
    if (record := record_of(path)) is not None:
        with atomic(record) as stream:
            stream.write(f"{hashlib.sha256(Path(path).read_bytes()).hexdigest()}\n")


def record_of(path: str | Path) -> Path | None:
    """The file that keeps the hash of a file; None for trained parts, and for files of no build."""
    above, (place, *rest) = _place(path)
    if place not in PLACES or len(rest) < 2 or rest[1] in ("parts", HASHES):
        return None
    return Path(above, "build", rest[0], HASHES, place, *rest[1:-1], f"{rest[-1]}.sha256")


def written(build: Path) -> list[Path]:
    """The files of a scale whose hashes are kept, be they still there or not.

    Args:
        build: `build/<scale>`.
    """
    records = (record.relative_to(build / HASHES).with_suffix("") for record in (build / HASHES).rglob("*.sha256"))
    return [Path(build.parents[1], record.parts[0], build.name, *record.parts[1:]) for record in records]


def _place(path: str | Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that holds the folders of `PLACES`, and the path of a file from there.

    It is the working folder of all commands, unless a workflow that has this one as a module puts a prefix before all
    names; then it lies below the working folder.
    """
    parts = Path(os.path.relpath(path)).parts
    first = next((i for i, part in enumerate(parts) if part in PLACES), 0) if parts[:1] != ("..",) else 0
    return Path(*parts[:first]), parts[first:]


def recorded(path: str | Path) -> str | None:
    """The hash that a file had when it was written; None if no hash was kept."""
    record = record_of(path)
    if record is None:
        return None
    if record.is_file():
        return record.read_text(encoding="utf-8", errors="replace").strip()
    above, (place, scale, *rest) = _place(path)
    return listed(Path(above, place, scale, MANIFEST)).get("/".join(rest)) if place == "results" else None


def listed(manifest: Path) -> dict[str, str]:
    """The hashes in a manifest by file name; empty if there is no manifest."""
    if not manifest.is_file():
        return {}
    lines = manifest.read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: hashed for hashed, _, name in (line.partition("  ") for line in lines)}


def is_damaged(path: str | Path) -> bool:
    """Whether a file exists and differs from what was written; a folder in its place counts as damage."""
    file = Path(path)
    if not file.is_file():
        return file.exists()
    expected = recorded(file)
    return expected is not None and hashlib.sha256(file.read_bytes()).hexdigest() != expected


def checked(path: str | Path) -> bytes:
    """The content of a file.

    Raises:
        SystemExit: in one line, if it is not what was written; a build writes no folder and no empty file.
    """
    file = Path(path)
    content = b"" if file.is_dir() else file.read_bytes()
    empty = not content and _place(file)[1][0] in PLACES
    whole = not empty and recorded(file) in (None, hashlib.sha256(content).hexdigest())
    if not whole and not restored([file]):
        raise SystemExit(refusal([file]))
    return content


def restored(damaged: Iterable[Path]) -> set[Path]:
    """Damaged files that are results as git has them: git has their bytes, though no build here wrote them."""
    return git.keeps(file for file in damaged if _place(file)[1][0] == "results")


def refusal(damaged: Sequence[str | Path], removed: Sequence[str | Path] = ()) -> str:
    """The error line for files that differ from what was written, with the command that makes them again.

    Args:
        damaged: the files.
        removed: the files to remove so that they are made again, if these are other files.
    """
    verb = f"and {len(damaged) - 1} more are" if len(damaged) > 1 else "is"
    option = "-r " if any(Path(file).is_dir() for file in removed or damaged) else ""
    names = " ".join(shlex.quote(str(file)) for file in removed or damaged)
    return f"{damaged[0]} {verb} not what was written here: rm {option}{names}, then run the build again"


def write_rows(path: str | Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes dictionaries as CSV; floats get their shortest text that reads back the same.

    Raises:
        ValueError: if a row has a column that is not listed (a listed one may be missing and is left empty).
    """
    stream: IO[str]
    with atomic(path) as stream:
        writer = csv.DictWriter(stream, columns, restval="", extrasaction="raise", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _text(value) for key, value in row.items()} for row in rows)


def read_rows(path: str | Path) -> list[dict[str, str]]:
    """Reads a CSV file as dictionaries of text.

    Raises:
        SystemExit: in one line, if the file is not what was written.
    """
    return list(csv.DictReader(io.StringIO(checked(path).decode(), newline="")))


def _text(value: Any) -> Any:
    """A value for a CSV as Python's own number, because numpy's scalars print with the name of their type."""
    return value.item() if hasattr(value, "item") else value
