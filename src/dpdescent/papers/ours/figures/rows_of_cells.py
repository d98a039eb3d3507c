"""Figures with one row a cell of a design with instruments: heights, names and groups of rows."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpdescent.replication.drawing.figures import GREY

# What varies in a group of rows, and how it is written.
AXES: dict[str, tuple[str, ...]] = {
    "strength": ("F",), "budget": ("rho",), "records": ("n",), "instruments": ("q",), "regressors": ("p",),
    "more records": ("p", "n"), "endogeneity": ("endogeneity",), "laws": ("errors",),
    "instrument laws": ("instruments",), "correlated": ("instruments",), "clipping": ("k",), "skewed": ("instruments",),
}  # fmt: skip
NAMES = {"rho": r"$\rho$", "endogeneity": "endogeneity", "k": "threshold $k$"}
PLACE = ["n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"]


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a row of the figure from others: its group, and the values of what varies in it."""
    return row["panel"], *(row[axis] for axis in AXES[row["panel"]])


def places(main: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    """Height of every cell, groups in the order of AXES, downwards from zero."""
    order = list(AXES)
    keys = {key(row) for row in main.to_dict("records")}
    found = sorted(keys, key=lambda key: (order.index(key[0]), isinstance(key[1], str), key[1:]))
    return {key: -float(rank) for rank, key in enumerate(found)}


def of(rows: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    """Selects the rows of a cell, copied once and not once a column."""
    return rows[np.logical_and.reduce([rows[name] == row[name] for name in ("panel", *PLACE)])]


def name(key: tuple[Any, ...]) -> str:
    group, *values = key
    if isinstance(values[0], str):
        law = "heavy-tailed" if values[0] == "heavy tails" else values[0]
        told = {"skewed": f"{law} instruments, skewed errors", "laws": f"{law} errors"}
        return told.get(group, f"{law} instruments")
    axes = zip(AXES[group], values, strict=True)
    return ", ".join(f"{NAMES.get(axis, f'${axis}$')} = {value:g}" for axis, value in axes)


def separate(axes: tuple[Axes, ...], places: dict[tuple[Any, ...], float]) -> None:
    """Draws a line between groups of rows."""
    for (above, height), below in zip(places.items(), list(places)[1:], strict=False):
        if above[0] != below[0]:
            for each in axes:
                each.axhline(height - 0.5, color=GREY, linewidth=0.4)
