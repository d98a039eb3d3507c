"""A paper's committed tables, which tests share and leave as they are, and edits of copies of them."""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.judging.evidence import Evidence

ROOT = Path(__file__).parents[1]

Tables = dict[str, pd.DataFrame]
Edit = Callable[[Tables], object]
# What says how large a value is; the errors of the mean stand apart.
VALUES = (
    "mean", "median", "median_low", "median_high", "q025", "q05", "q10", "q25", "q75", "q90", "q95", "q975",
)  # fmt: skip


@functools.cache
def printed(paper: str) -> Project:
    return project.load({"scale": "paper", "seed": 20250922, "papers": [paper]}, ROOT)


@functools.cache
def committed(paper: str) -> Evidence:
    spec = json.loads(project.judging_json(printed(paper), paper))
    return Evidence.read(spec, ROOT / f"results/paper/{paper}")


def _edit(artefact: str, column: str | None, where: dict[str, object], change: Callable[..., object]) -> Edit:
    """Changes a column, or all that say how large a value is, in rows with given values, or of which functions hold."""

    def edit(made: Tables) -> None:
        table = made[artefact] = made[artefact].copy()
        mask = pd.Series(True, index=table.index)
        for name, wanted in where.items():
            mask &= table[name].map(wanted) if callable(wanted) else table[name] == wanted
        assert mask.any(), (artefact, where)
        for name in [each for each in (*VALUES, "se") if each in table] if column is None else [column]:
            table[name] = table[name].astype(object if table[name].dtype == object else float)
            table.loc[mask, name] = change(table.loc[mask], name)

    return edit


def change(artefact: str, by: float, column: str | None = None, /, **where: object) -> Edit:
    """Multiplies."""
    return _edit(artefact, column, where, lambda rows, name: by * rows[name])


def put(artefact: str, column: str, value: float, /, **where: object) -> Edit:
    """Replaces; the mean with all that says how large the value is, and no error."""
    every = None if column == "mean" else column
    return _edit(artefact, every, where, lambda rows, name: math.nan if name == "se" and every is None else value)


def tilt(artefact: str, axis: str, power: float, column: str | None = None, /, **where: object) -> Edit:
    """Multiplies by a power of the place on an axis."""
    return _edit(artefact, column, where, lambda rows, name: rows[name] * rows[axis].astype(float) ** power)


def times(artefact: str, by: float, axis: str | None = None, power: float = 0.0, /, **where: object) -> Edit:
    """Multiplies what a table has the logarithm of, by a number and by a power of the place on an axis."""

    def moved(rows: pd.DataFrame, name: str) -> object:
        along = 0.0 if axis is None else power * rows[axis].astype(float).map(math.log)
        return rows[name] if name == "se" else rows[name] + math.log(by) + along

    return _edit(artefact, None, where, moved)


def both(*edits: Edit) -> Edit:
    return lambda made: [edit(made) for edit in edits]
