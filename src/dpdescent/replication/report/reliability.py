"""Content of the page on the reliability of the software, from the files of commands that tried it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpdescent.replication.bench import best_peer
from dpdescent.replication.build.files import read_rows

Row = dict[str, str]

# Trials whose tables are shown unchanged: name of the file, heading, words, caption, command.
TRIALS = (
    (
        "fuzz", "Mutated input",
        "Configurations, overlays, options and tables were mutated at random; each is accepted and makes sense, or is"
        " refused in one line, within two seconds.",
        "Outcomes by what was mutated", "make fuzz",
    ),
    (
        "cluster", "A cluster",
        "A Slurm of one node was started, one artefact built on it with job arrays, a job cancelled in the middle, and"
        " the same command given again.",
        "Each step, and what it took", "make test-slurm",
    ),
    (
        "scaling", "More trials, more parts",
        "The same artefacts with more trials, and plans of thousands of parts. An artefact's first row pays for the"
        " packages' imports.",
        "Trials, time and memory", "make scaling",
    ),
    (
        "training", "The dearest artefacts, before and now",
        "Both states of the code were trained in turns on one machine: of every variant and panel of an artefact a"
        " fifth of the parts, one at least, drawn in proportion to an estimate of their cost, and weighted by it."
        " Before is commit fe85197f; where parts are more, claims were added since.",
        "What training takes", "tests/bench/training.py",
    ),
)  # fmt: skip


def view(files: Iterable[Path]) -> dict[str, Any]:
    """Data of the page, from those CSVs of `pages.TRIALS` that exist."""
    tables = {file.stem: read_rows(file) for file in files if file.is_file() and file.suffix == ".csv"}
    return {
        "damage": _damage(tables.get("damage", [])), "trials": TRIALS,
        "bench": _bench(tables.get("bench", []), tables.get("cells", [])),
        "tried": tables.get("speed", []),
        "tables": {key: tables.get(key, []) for key, *_ in TRIALS},
    }  # fmt: skip


def _damage(rows: list[Row]) -> dict[str, Any] | None:
    """Outcomes by damage and file, and the places of each outcome."""
    table, outcomes = dict[str, dict[str, str]](), dict[str, list[str]]()
    for row in rows:
        table.setdefault(row["damage"], {})[row["file"]] = row["what happens"]
        outcomes.setdefault(row["what happens"], []).append(f"{row['file']}, {row['damage']}")
    files = list(dict.fromkeys(row["file"] for row in rows))
    return {"files": files, "rows": table, "outcomes": outcomes, "total": len(rows)} if rows else None


def _bench(rows: list[Row], earlier: list[Row]) -> dict[str, Any] | None:
    """Rows of the benchmark, the first of each workload marked, its cells, and the machine on which it was run.

    Args:
        rows: the benchmark.
        earlier: cells of an earlier one.
    """
    if not rows:
        return None
    names = [row["workload"] for row in rows]
    marked = [row | {"first": names.index(row["workload"]) == place} for place, row in enumerate(rows)]
    by_workload = [[row for row in rows if row["workload"] == name] for name in dict.fromkeys(names)]
    # Those behind first, because they are what a reader should know before an engine is recommended.
    cells = sorted(filter(None, map(_cell, by_workload)), key=lambda cell: -float(cell["ratio"]))
    before = {row["workload"]: row["ours divided by its"] for row in earlier}
    cells = [cell | {"before": before.get(cell["workload"], "")} for cell in cells]
    about = {column: rows[0][column] for column in ("machine", "versions", "rounds")}
    return {"rows": marked, "cells": cells, "behind": sum(float(cell["ratio"]) > 1.0 for cell in cells), **about}


def _cell(rows: list[Row]) -> dict[str, str] | None:
    """Our time divided by the best peer's for a workload, with its least and most over the rounds."""
    if (best := best_peer(rows)) is None:
        return None
    ratio, most, least = (f"{1.0 / float(best[column]):.2f}" for column in ("of_ours", "of_ours_least", "of_ours_most"))
    return {"workload": rows[0]["workload"], "ours": rows[0]["seconds"], "peer": best["way"],
            "theirs": best["seconds"], "ratio": ratio, "least": least, "most": most}  # fmt: skip
