"""Trained parts: each is a CSV with a record beside it, which has the hash of its inputs and its cost.

Snakemake knows packs of parts and runs a pack again when anything about it has changed. This module decides which parts
of a pack are still current, so that a new value on a grid trains only the new parts, wherever packs are cut.
"""

import csv
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpdescent.replication.build.files import atomic, checked, read_rows, refusal, write_rows

COLUMNS = ("part", "sha256")

# CPU time of this process with which parts have been charged.
_booked = {"cpu_s": 0.0}


def key(code: str, versions: Mapping[str, str], spec: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """Hash of everything from which a part is made.

    Args:
        code: fingerprint of the code that trains it.
        versions: versions of the packages with which it computes.
        spec: the specification that the experiment gets.
        inputs: hashes of the files that it reads.
    """
    made_from = [code, dict(versions), spec, inputs]
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()


def digest(path: str | Path) -> str:
    """SHA-256 of a file.

    Raises:
        SystemExit: in one line, if the file is not what was written.
    """
    return hashlib.sha256(checked(path)).hexdigest()


def is_current(file: Path, made_from: str) -> bool:
    """Whether a part exists, has the bytes that were written, and was made from the given inputs."""
    record = _record(file)
    return bool(record.get("key") == made_from) and _is_whole(file, str(record.get("sha256")))


Run = Callable[[dict[str, Any]], Iterable[Mapping[str, Any]]]


def train(file: Path, made_from: str, run: Run, spec: Mapping[str, Any], files: Mapping[str, Any]) -> int:
    """Runs one part and writes it, then its record.

    Args:
        file: the CSV to write.
        made_from: the part's key.
        run: the experiment's function from a part to its measurements, one row each.
        spec: the specification of the part.
        files: names of the files that it reads, which the experiment gets too.

    Returns:
        Number of its rows.
    """
    record_of_part(file).unlink(missing_ok=True)
    wall = time.perf_counter()
    rows = [{"variant": spec["variant"], **row} for row in run({**spec, **files})]
    write_rows(file, list(dict.fromkeys(column for row in rows for column in row)), rows)
    cost = {"wall_s": time.perf_counter() - wall, "cpu_s": _unbooked_cpu(), "peak_mb": peak_memory()}
    counts = {"rows": len(rows), "trials": spec["trials"]}
    with atomic(record_of_part(file)) as stream:
        json.dump({"key": made_from, "sha256": digest(file), **counts, **cost}, stream)
    return len(rows)


def write_pack(path: str | Path, folder: Path, names: Iterable[str]) -> None:
    """Lists the parts of a pack with their hashes."""
    write_rows(path, COLUMNS, [{"part": name, "sha256": digest(folder / f"{name}.csv")} for name in names])


def packs_in(folder: Path, count: int) -> list[Path]:
    """Files that list the parts of an artefact, in order: the packs' names are their places."""
    return [folder / f"{place}.csv" for place in range(1, count + 1)]


def parts_in(packs: Sequence[str | Path], folder: Path) -> dict[str, Path]:
    """Files of the parts that packs list, by name and in order.

    Raises:
        SystemExit: in one line, if a part is missing, is not what was trained, or has other trials than its name says.
    """
    files = {}
    for pack in packs:
        for row in read_rows(pack):
            file = files[row["part"]] = folder / f"{row['part']}.csv"
            if not _is_whole(file, row["sha256"]) or not _counts(file):
                raise SystemExit(refusal([file], mend(file, Path(pack))))
    return files


def mend(file: Path, pack: Path) -> list[Path]:
    """The files to remove so that a damaged part of a pack is trained again."""
    return [pack, *([file] if file.is_dir() else [])]


def damaged(pack: str | Path, folder: Path) -> list[Path]:
    """Parts of a pack that exist and differ from what was trained; a missing part is no damage, as its reader stops."""
    files = {folder / f"{row['part']}.csv": row["sha256"] for row in read_rows(pack)}
    return [file for file, sha256 in files.items() if file.exists() and not _is_whole(file, sha256)]


def _is_whole(file: Path, sha256: str) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256


def _counts(file: Path) -> bool:
    """Whether the counts in a part's name, record and table agree; records of older builds hold no counts."""
    record, range_in_name = _record(file), re.search(r"_t(\d+)-(\d+)\.csv$", file.name)
    if range_in_name is None or "rows" not in record:
        return True
    first, last = map(int, range_in_name.groups())
    with open(file, encoding="utf-8", newline="") as stream:
        rows = sum(1 for _ in csv.reader(stream)) - 1
    return bool(record["trials"] == [first, last + 1] and record["rows"] == rows)


def forget(folder: Path) -> None:
    """Removes the records of all parts below a folder, so that all are trained again when their packs run.

    Only records beside their part are removed, because a folder may have other JSON files.
    """
    for part in folder.rglob("*.csv"):
        record_of_part(part).unlink(missing_ok=True)


def costs(folder: Path, parts: Iterable[str]) -> list[dict[str, float]]:
    """The costs of parts: seconds of wall and CPU time, and peak memory of their process in MB."""
    records = (_record(folder / f"{part}.csv") for part in parts)
    return [record for record in records if record.keys() >= {"wall_s", "cpu_s", "peak_mb"}]


def _unbooked_cpu() -> float:
    """CPU seconds of this process since the last call, so that its first part pays for start and imports."""
    before, _booked["cpu_s"] = _booked["cpu_s"], time.process_time()
    return _booked["cpu_s"] - before


def peak_memory() -> float:
    """Largest resident memory of this process so far, in MB; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def record_of_part(file: Path) -> Path:
    """The record beside a part."""
    return file.with_name(f"{file.name.removesuffix('.csv')}.json")


def _record(file: Path) -> dict[str, Any]:
    """The record of a part; empty if it is missing or broken, because then the part counts for nothing."""
    try:
        record = json.loads(record_of_part(file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
