"""Writing results: to a temporary name first, then renamed, so that nothing half-written is ever seen."""

import csv
import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


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
        os.replace(temporary, target)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise SystemExit(f"{target}: the disk is full; free some space, then run the same command to go on") from None
    finally:
        temporary.unlink(missing_ok=True)


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
    """Reads a CSV file as dictionaries of text."""
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _text(value: Any) -> Any:
    """numpy's scalars print with their type's name; Python's print the shortest round trip."""
    return value.item() if hasattr(value, "item") else value
