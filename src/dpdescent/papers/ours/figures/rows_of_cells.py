"""Figures with one row a cell of a design with instruments: heights, names and groups of rows."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dpdescent.replication.drawing.figures import GREY

# What varies in a group of rows, and how it is written.
AXES = {
    "strength": "F", "budget": "rho", "records": "n", "instruments": "q", "regressors": "p", "more records": "p",
    "endogeneity": "endogeneity", "laws": "errors", "instrument laws": "instruments", "correlated": "instruments",
    "clipping": "k", "skewed": "instruments",
}  # fmt: skip
NAMES = {"rho": r"$\rho$", "endogeneity": "endogeneity", "k": "threshold $k$"}
PLACE = ["n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"]


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a row of the figure from others: its group, what varies in it, and the budget of pairs of axes."""
    if row["panel"] == "more records":
        return row["panel"], f"$p$ = {row['p']:g}, $n$ = {row['n']:,}"
    return row["panel"], row[AXES[row["panel"]]]


def places(main: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    """Height of every cell, groups in the order of AXES, downwards from zero."""
    order = list(AXES)
    keys = {key(row) for row in main.to_dict("records")}
    found = sorted(keys, key=lambda key: (order.index(key[0]), isinstance(key[1], str), key[1]))
    return {key: -float(rank) for rank, key in enumerate(found)}


def of(rows: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    """Selects the rows of a cell, copied once and not once a column."""
    return rows[np.logical_and.reduce([rows[name] == row[name] for name in ("panel", *PLACE)])]


def name(key: tuple[Any, ...]) -> str:
    group, value = key
    axis = AXES[group]
    if isinstance(value, str):
        law = "heavy-tailed" if value == "heavy tails" else value
        told = {"more records": value, "skewed": f"{law} instruments, skewed errors", "laws": f"{law} errors"}
        return told.get(group, f"{law} instruments")
    return f"{NAMES.get(axis, f'${axis}$')} = {value:g}"


def separate(axes: tuple[Axes, ...], places: dict[tuple[Any, ...], float]) -> None:
    """Draws a line between groups of rows."""
    for (above, height), below in zip(places.items(), list(places)[1:], strict=False):
        if above[0] != below[0]:
            for each in axes:
                each.axhline(height - 0.5, color=GREY, linewidth=0.4)
