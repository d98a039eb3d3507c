"""The record of a build: versions, processor, BLAS kernel, hashes of the outputs, CPU time and memory."""

import ctypes
import hashlib
import json
import platform
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dpdescent.replication.build.files import atomic
from dpdescent.replication.build.fingerprint import versions
from dpdescent.replication.build.store import costs

PACKAGES = ("dp-accounting", "matplotlib", "numpy", "pandas", "scipy", "snakemake")
# Files outside the manifest, because times, memory and machine differ between rebuilds that agree in every number.
RECORD = "provenance.json"
OUTSIDE = ("MANIFEST.sha256", RECORD, "compute.csv", "compute.js")
# Pictures that lie beside the committed SVG, drawn by the same job or by `make png`.
BESIDE = ".png"
# Folder of the artefacts that a build makes on request only.
ON_REQUEST = "on_request"


def environment() -> dict[str, Any]:
    """Interpreter, versions, processor class and BLAS kernel."""
    return {
        "python": platform.python_version(),
        "versions": versions(*PACKAGES),
        "machine": platform.machine(),
        "processor": _processor(),
        "blas_kernel": _blas_kernel(),
        "simd": sorted(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
    }


def judged_again(before: dict[str, Any], rejudged: dict[str, Any], manifest: str, new_manifest: str) -> dict[str, Any]:
    """The record of results whose verdicts were written again, with the environment of the verdicts apart.

    All other entries describe the tables, as the build of the tables recorded them. Where the results are again those
    of that build, the record has no entry for verdicts, because they are its own.

    Args:
        before: the earlier record of the results.
        rejudged: the record of the build of the verdicts.
        manifest, new_manifest: hashes of the lists of all results, before and now.

    Returns:
        The record; in `verdicts`, `instead_of` is the hash of the list that the build of the tables wrote.
    """
    here, verdicts = environment(), before.get("verdicts", {"instead_of": manifest})
    record = {name: value for name, value in (before | rejudged).items() if name != "verdicts"}
    record |= {name: before[name] for name in here if name in before}
    if new_manifest == verdicts["instead_of"]:
        return record
    if new_manifest == manifest:
        return record | {"verdicts": verdicts}
    return record | {"verdicts": {"instead_of": verdicts["instead_of"], **here}}


def write(record: dict[str, Any], path: Path) -> None:
    """Writes the record of results."""
    with atomic(path) as stream:
        json.dump(record, stream, indent=2, sort_keys=True)
        stream.write("\n")


def hashes(results: str | Path, read: Callable[[Path], bytes] = Path.read_bytes) -> dict[str, str]:
    """SHA-256 of every file that is committed below a folder, by relative name, sorted; without artefacts on request.

    Args:
        results: the folder.
        read: how a file is read, for a reader that refuses damaged files.
    """
    folder = Path(results)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in OUTSIDE)
    # A killed job leaves its temporary file, whose name begins with a dot.
    files = [path for path in files if not path.name.startswith(".") and path.suffix != BESIDE]
    files = [path for path in files if path.relative_to(folder).parts[0] != ON_REQUEST]
    return {str(path.relative_to(folder)): hashlib.sha256(read(path)).hexdigest() for path in files}


def compute_budget(build: str | Path, parts: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Jobs, wall and CPU seconds and peak memory by stage and artefact.

    The jobs of training are its parts, each with its own record; all other stages have Snakemake's benchmark files.

    Args:
        build: folder of the build.
        parts: (paper, artefact, part) of every part of the build; records of parts that are no more are left out.
    """
    rows = _stage_budget(Path(build) / "benchmarks")
    trained: dict[str, list[str]] = defaultdict(list)
    for paper, artefact, part in parts:
        trained[f"{paper}/{artefact}"].append(part)
    for item, names in trained.items():
        if records := costs(Path(build) / "parts" / item, names):
            sums = {column: round(sum(record[column] for record in records), 2) for column in ("wall_s", "cpu_s")}
            peak = round(max(record["peak_mb"] for record in records), 2)
            rows.append({"stage": "train", "item": item, "jobs": len(records), **sums, "peak_mb": peak})
    return sorted(rows, key=lambda row: (row["stage"], row["item"]))


def _stage_budget(folder: Path) -> list[dict[str, Any]]:
    """The cost of each stage and item (jobs, wall and CPU time, peak memory), from Snakemake's benchmark files."""
    jobs: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for path in sorted(folder.rglob("*.tsv")):
        stage, *rest = path.relative_to(folder).with_suffix("").parts
        if rest[:1] != [ON_REQUEST]:
            jobs[stage, "/".join(rest[:2])] += _benchmark(path)
    return [
        {
            "stage": stage, "item": item, "jobs": len(rows), "wall_s": _total(rows, "s"),
            "cpu_s": round(sum(_cpu_seconds(row) for row in rows), 2),
            "peak_mb": max(_number(row["max_rss"]) for row in rows),
        }
        for (stage, item), rows in jobs.items()
    ]  # fmt: skip


def _benchmark(path: Path) -> list[dict[str, str]]:
    header, *lines = path.read_text().splitlines()
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


def _total(rows: list[dict[str, str]], column: str) -> float:
    return round(sum(_number(row[column]) for row in rows), 2)


def _cpu_seconds(row: dict[str, str]) -> float:
    """CPU time of a job; its wall time where Snakemake took no sample (every job runs on one thread)."""
    return _number(row["cpu_time"]) or _number(row["s"])


def _number(text: str) -> float:
    """A number of a benchmark file; 0 where Snakemake has NA or -, because it samples no job of under a second."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _processor() -> str:
    try:
        info = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or "unknown"
    match = re.search(r"model name\s*:\s*(.+)", info)
    return match.group(1).strip() if match else "unknown"


def _blas_kernel() -> str:
    """The kernel that OpenBLAS chose for this processor: bytes are promised only between equal ones."""
    for library in sorted(Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*")):
        for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename"):
            function = getattr(ctypes.CDLL(str(library)), symbol, None)
            if function is not None:
                function.restype = ctypes.c_char_p
                return str(function().decode())
    return "unknown"
