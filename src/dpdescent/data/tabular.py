"""Samples from tables: the bundled real data or a user's own CSV file, subsets of them, and their preparation.

Only the csv module and numpy are used, because the import of pandas would slow every short job.
"""

import csv
import hashlib
import io
import math
import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NoReturn

import numpy as np

from dpdescent.data.headers import (
    MISSING,
    did_you_mean,
    has_comma,
    hint,
    looks_like_a_value,
    unseen,
    visible,
)
from dpdescent.data.iv import Array, IVSample
from dpdescent.data.roles import conflict

# Name of every bundled table and the SHA-256 of its file; `files/README.md` gives their origins.
BUNDLED = {
    "angrist_evans_all_women": "c11438fdef08d8fe3bdf0ad0e451addd6da7d6126bfe5be391d4a1e54eead223",
    "angrist_evans_labsup": "496e6d396c0023eae97a8109a5a18827a54c0ac68524a35eaf4b2d04877673ac",
    "angrist_evans_married": "43bd295a70b0c3b7c3e4f6cb068f22c754a261c8281dbea9061e057643201054",
    "card": "61ace72efdeb371983d175d059ce71bad010bba5cfd0455199cddaaddb30f3ec",
    "digits": "1a8c0ce573804cf39bc6fdc9a6cc8f23d15cbf27a72575c1ca5fac15163717d0",
}

# Held while a table with long fields is read, so that no other reader resets the limit meanwhile.
_LIMIT = threading.Lock()


class TableError(ValueError):
    """Error for a table that cannot be read; its message is one line with the file, the place and the remedy."""


@dataclass(frozen=True)
class Bundled:
    """A table that is bundled with the package; made by `bundled`."""

    name: str

    def __str__(self) -> str:
        return f"bundled table '{self.name}'"


Source = Bundled | str | os.PathLike[str]


def bundled(name: str) -> Bundled:
    """Returns the bundled table with a name, a key of `BUNDLED`.

    Raises:
        TableError: if there is no such table.
    """
    if name not in BUNDLED:
        near = did_you_mean(name, list(BUNDLED))
        raise TableError(f"no bundled table '{name}'{near}; there are {', '.join(BUNDLED)}")
    return Bundled(name)


def read_sample(
    source: Source, instruments: Sequence[str], regressors: Sequence[str], outcome: str, count: str | None = None
) -> IVSample:
    """Reads a sample from columns of a CSV file with a header line.

    Args:
        source: `bundled(name)`, whose sha256 is checked on every read, or the path of a file (a string is a path).
        instruments: columns of Z, shape (rows, q).
        regressors: columns of X, shape (rows, p). An exogenous control belongs in both lists.
        outcome: column of y, shape (rows,).
        count: column with the number of records per row. With it, equal rows are merged, rows with count 0 are dropped
            and the rest is sorted by z, then x, then y; without it, rows keep the order of the file.

    Raises:
        TableError: if the file or a column is missing, a column has two roles, the checksum is wrong, there is no
            record, or a value is missing, not a finite number, or (in the column of counts) negative or fractional. It
            quotes no record, because it may be shown or logged where the data must not be.
    """
    if not instruments or not regressors:
        raise TableError(
            f"{source}: instruments {list(instruments)} and regressors {list(regressors)} must not be empty"
        )
    if problem := conflict(instruments, regressors, outcome, count):
        raise TableError(f"{source}: {problem}")
    names = [*instruments, *regressors, outcome] + ([] if count is None else [count])
    table = _parse_columns(source, _read_text(source), names, count)
    q, p = len(instruments), len(regressors)
    return _split(table, q, p) if count is None else compress(_split(table[:, :-1], q, p, table[:, -1]))


def read_columns(source: Source, names: Sequence[str]) -> Array:
    """Reads columns of a CSV file with a header line, shape (rows, names), rows in the order of the file.

    Raises:
        TableError: as for `read_sample`.
    """
    return _parse_columns(source, _read_text(source), names, None)


def compress(sample: IVSample) -> IVSample:
    """Merges equal rows of a sample into rows with counts, sorted by z, then x, then y; drops rows with count 0.

    Raises:
        ValueError: if no record is left.
    """
    weights = sample.weights
    table = np.column_stack([sample.Z, sample.X, sample.y])[weights > 0]
    if table.shape[0] == 0:
        raise ValueError(f"all {weights.shape[0]} rows have count 0")
    order = np.lexsort(table.T[::-1])
    table = table[order]
    starts = np.flatnonzero(np.r_[True, np.any(table[1:] != table[:-1], axis=1)])
    totals = np.add.reduceat(weights[weights > 0][order], starts)
    return _split(table[starts], sample.q, sample.p, totals)


def draw_subset(sample: IVSample, size: int, rng: np.random.Generator) -> IVSample:
    """Draws `size` of the n records uniformly without replacement, in their order.

    If rows have counts, the drawn counts are multivariate hypergeometric, and rows that were not drawn are dropped.

    Raises:
        ValueError: if size < 1 or size > n.
    """
    if not 1 <= size <= sample.n:
        raise ValueError(f"size={size} must be between 1 and the {sample.n} records of the sample")
    if sample.count is None:
        rows = np.sort(rng.choice(sample.n, size, replace=False))
        return IVSample(sample.Z[rows], sample.X[rows], sample.y[rows])
    drawn = rng.multivariate_hypergeometric(sample.count.astype(np.int64), size, method="marginals")
    kept = np.flatnonzero(drawn)
    return IVSample(sample.Z[kept], sample.X[kept], sample.y[kept], drawn[kept].astype(np.float64))


def centre(sample: IVSample) -> IVSample:
    """Subtracts from every column of Z, X and y its mean over records. The means are not privatised."""
    w, n = sample.weights, sample.n
    return IVSample(
        sample.Z - w @ sample.Z / n, sample.X - w @ sample.X / n, sample.y - float(w @ sample.y) / n, sample.count
    )


def standardise_instruments(sample: IVSample) -> IVSample:
    """Gives every column of Z mean 0 and population standard deviation 1 (ddof=0) over records; not privatised.

    Raises:
        ValueError: if a column of Z is constant.
    """
    w, n = sample.weights, sample.n
    present = sample.Z[w > 0]
    constant = np.flatnonzero(present.max(axis=0) == present.min(axis=0))
    if constant.size:
        raise ValueError(f"column {constant[0]} of Z is constant: it has no unit of scale")
    Z = sample.Z - w @ sample.Z / n
    return IVSample(Z / np.sqrt(w @ Z**2 / n), sample.X, sample.y, sample.count)


def write_sample(sample: IVSample, path: str | os.PathLike[str]) -> None:
    """Writes columns z0.., x0.., y and, unless it is None, count; `read_prepared` returns exactly the same floats.

    The file is written completely or not at all.

    Raises:
        ValueError: if the sample has no records, a value that is not finite, or a negative or fractional count.
    """
    table = np.column_stack([sample.Z, sample.X, sample.y])
    if sample.n == 0 or not np.isfinite(table).all():
        raise ValueError(f"{path}: {sample.n} records with {(~np.isfinite(table)).sum()} non-finite values")
    names = [f"z{i}" for i in range(sample.q)] + [f"x{i}" for i in range(sample.p)] + ["y"]
    rows = [[repr(value) for value in row] for row in table.tolist()]
    if sample.count is not None:
        names.append("count")
        rows = [[*row, str(_whole(path, value))] for row, value in zip(rows, sample.count.tolist(), strict=True)]
    _write_whole(Path(path), "\n".join(",".join(row) for row in [names, *rows]) + "\n")


def read_prepared(path: str | os.PathLike[str]) -> IVSample:
    """Reads a file of `write_sample`, with the same rows, order, floats and counts.

    Raises:
        TableError: as for `read_sample`, or if the columns are not z0.., x0.., y and perhaps count.
    """
    text = _read_text(path)
    header = next(csv.reader(io.StringIO(text)), [])
    q, p = (sum(re.fullmatch(letter + "[0-9]+", name) is not None for name in header) for letter in "zx")
    names = [f"z{i}" for i in range(q)] + [f"x{i}" for i in range(p)] + ["y"]
    if min(q, p) == 0 or header not in (names, [*names, "count"]):
        raise TableError(
            f"{path}: its {len(header)} columns are not z0.., x0.., y[, count]: write the file with write_sample"
        )
    count = "count" if header[-1] == "count" else None
    table = _parse_columns(path, text, header, count)
    return _split(table, q, p, table[:, -1] if count else None)


def _split(table: Array, q: int, p: int, count: Array | None = None) -> IVSample:
    """The sample of a table whose columns are those of Z, X and y in this order."""
    # Contiguous copies, because BLAS may sum views in another order, and results must not depend on it.
    Z, X, y = (np.ascontiguousarray(part) for part in (table[:, :q], table[:, q : q + p], table[:, q + p]))
    return IVSample(Z, X, y, None if count is None else np.ascontiguousarray(count))


def _read_text(source: Source) -> str:
    content = _read_bundled(source) if isinstance(source, Bundled) else _read_own(Path(source))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{source}: byte {error.start} is not UTF-8; save the table as UTF-8 text") from None


def _read_bundled(source: Bundled) -> bytes:
    """The verified bytes of a bundled table."""
    content = resources.files("dpdescent.data").joinpath("files", f"{source.name}.csv").read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != BUNDLED[source.name]:
        raise TableError(
            f"{source}: sha256 {sha256} is not the recorded {BUNDLED[source.name]}: the file was changed, reinstall it"
        )
    return content


def _read_own(path: Path) -> bytes:
    if path.is_file():
        return path.read_bytes()
    if path.exists():
        raise TableError(f"{path}: no regular file; save the table as one")
    if path.name in BUNDLED:
        raise TableError(f"{path}: no such file; for the bundled table say bundled('{path.name}')")
    siblings = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    raise TableError(f"{path}: no such file{did_you_mean(path.name, siblings)}")


def _parse_columns(source: Source, text: str, names: Sequence[str], count: str | None) -> Array:
    """The named columns of a table as floats, shape (rows, names)."""
    # Line ends of any system are accepted.
    reader = csv.reader(io.StringIO(text, newline=None))
    try:
        with _long_fields(text):
            header = [name.strip() for name in next(reader, [])]
            places = [_place(source, text, header, name, names) for name in names]
            rows = [_row(source, reader.line_num, header, places, fields, count) for fields in reader if fields]
    except csv.Error as error:
        raise TableError(f"{source}: line {reader.line_num}: {error}; mend the table") from None
    if not rows or (count is not None and not any(row[-1] for row in rows)):
        raise TableError(f"{source}: {len(rows)} rows below the header hold no record; at least one is needed")
    return np.array(rows, dtype=np.float64)


@contextmanager
def _long_fields(text: str) -> Iterator[None]:
    """Allows fields as long as the table, whose size is known; the limit belongs to the process, and is restored."""
    # Also for short texts, because another thread's limit might be restored while they are read.
    with _LIMIT:
        before = csv.field_size_limit(max(len(text), csv.field_size_limit()))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _row(
    source: Source, line: int, header: Sequence[str], places: Sequence[int], fields: Sequence[str], count: str | None
) -> list[float]:
    if len(fields) != len(header):
        mend = "fill the row up" if len(fields) < len(header) else "mend decimal commas, and quote texts with commas"
        _fail(source, line, f"{len(fields)} fields, but the header names {len(header)} columns; {mend}")
    values = [_number(source, line, header[j], fields[j]) for j in places]
    if count is not None and not (values[-1] >= 0 and values[-1].is_integer()):
        _fail(source, line, f"column '{count}' has a count that is no whole number, 0 or more; mend it")
    return values


def _place(source: Source, text: str, header: Sequence[str], name: str, asked: Sequence[str]) -> int:
    if header.count(name) > 1:
        raise TableError(f"{source}: column '{name}' occurs {header.count(name)} times in the header; rename one")
    if name not in header:
        raise TableError(f"{source}: no column '{name}'{hint(text, name, asked)}")
    return header.index(name)


def _number(source: Source, line: int, column: str, field: str) -> float:
    text = field.strip()
    if text.lower() in MISSING:
        _fail(source, line, f"column '{column}' is missing ('{text}'); drop the row or fill it in")
    try:
        # Underscores are rejected, because float() would accept them as digit separators.
        value = float("_" if "_" in text else text)
    except ValueError:
        _fail(source, line, f"column '{column}' holds {_no_number(text)}")
    if not math.isfinite(value):
        _fail(source, line, f"column '{column}' holds a number that is not finite; only finite ones can be used")
    return value


def _no_number(text: str) -> str:
    """Words on a field that is no number, and the mend; nothing of the field is shown."""
    if has_comma(text):
        return "a number with commas; write decimals with a point, and thousands without anything"
    if (letters := unseen(text)) and looks_like_a_value(visible(text)):
        return f"a number with an invisible {letters[0]}; take it out"
    if text.lower() in ("true", "false"):
        return "a logical value, which is not a number; write 1 and 0"
    return "a text, which is not a number; of a category make columns of 0 and 1, one fewer than it has values"


def _whole(path: str | os.PathLike[str], count: float) -> int:
    """A count as an integer, after a check that it is whole."""
    if not (count >= 0 and count.is_integer()):
        raise ValueError(f"{path}: count {count} is not a whole number, 0 or more")
    return int(count)


def _fail(source: Source, line: int, what: str) -> NoReturn:
    raise TableError(f"{source}: line {line}: {what}")


def _write_whole(path: Path, text: str) -> None:
    """Writes a file under a temporary name and renames it."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8", newline="\n")
    os.replace(partial, path)
