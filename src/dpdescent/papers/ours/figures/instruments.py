"""Figures on intervals for instrumental-variable estimates."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.ours.experiments.iv_coverage import CLASSICAL, ORACLE, OURS, PUBLISHED, REFUSED
from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    select,
)
from dpdescent.replication.judging.statistics import half_widths

STYLES = {CLASSICAL: (BLACK, "D"), PUBLISHED: (VERMILION, "o"), ORACLE: (SKY, "^"), OURS: (BLUE, "s")}
LABELS = {OURS: "DP-IV-GD, public rule", CLASSICAL: "2SLS, not private"}
# What varies in a group of rows, and how it is written.
AXES = {
    "strength": "F", "budget": "rho", "records": "n", "instruments": "q", "regressors": "p",
    "endogeneity": "endogeneity", "laws": "errors", "instrument laws": "instruments", "correlated": "instruments",
    "clipping": "k", "skewed": "instruments",
}  # fmt: skip
NAMES = {"rho": r"$\rho$", "endogeneity": "endogeneity", "k": "threshold $k$"}
NOMINAL, HELD_TO = 0.95, (0.92, 0.98)
MANY_REFUSED = 0.1
PLACE = ["n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"]


def draw_iv_coverage(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage, and length over that of 2SLS, one row a cell of the design."""
    main = select(table)
    places = _places(main)
    figure, ((left, right),) = panels(2, size=(5.2, 1.2 + 0.22 * len(places)), sharey=True)
    for offset, (series, (color, marker)) in enumerate(STYLES.items()):
        rows = main[main["series"] == series]
        refused = main[main["series"] == f"{series}: {REFUSED}"]
        for row, half in zip(rows.to_dict("records"), half_widths(rows), strict=True):
            y = places[_key(row)] + 0.16 * (1.5 - offset)
            hollow = _share(refused, row) > MANY_REFUSED
            look = {
                "color": color,
                "marker": marker,
                "markersize": 4.5,
                "markerfacecolor": "white" if hollow else color,
            }
            left.errorbar([row["mean"]], [y], xerr=[[half], [half]], label=LABELS.get(series, series), **look)
            base = _of(main[main["series"] == CLASSICAL], row)
            if len(base) and np.isfinite(row["half_width"]):
                right.plot([row["half_width"] / base["half_width"].iloc[0]], [y], linestyle="none", **look)
    left.axvspan(*HELD_TO, color=BLUE, alpha=0.10, linewidth=0)
    left.axvline(NOMINAL, color=GREY, linestyle="--", linewidth=0.9)
    right.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
    left.set_yticks(list(places.values()), [_name(key) for key in places])
    left.set(xlabel="coverage of 95 % intervals", xlim=(-0.02, 1.02), ylim=(-len(places) + 0.4, 0.6))
    log_scale(right, "x")
    right.set_xlabel("mean half width over that of 2SLS")
    _separate((left, right), places)
    legend_below(figure, [left], 4, "bars: 95 % intervals over runs; hollow: more than a tenth refused")
    return figure


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a row of the figure from others: its group, what varies in it, and the budget of pairs of axes."""
    return row["panel"], row[AXES[row["panel"]]]


def _places(main: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    """Height of every cell, groups in the order of AXES, downwards from zero."""
    order = list(AXES)
    keys = {_key(row) for row in main.to_dict("records")}
    found = sorted(keys, key=lambda key: (order.index(key[0]), isinstance(key[1], str), key[1]))
    return {key: -float(rank) for rank, key in enumerate(found)}


def _of(rows: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    for name in ("panel", *PLACE):
        rows = rows[rows[name] == row[name]]
    return rows


def _share(refused: pd.DataFrame, row: dict[str, Any]) -> float:
    """Share of the intervals of a row that were refused."""
    found = _of(refused, row)
    return float(found["mean"].iloc[0]) if len(found) else 0.0


def _name(key: tuple[Any, ...]) -> str:
    group, value = key
    axis = AXES[group]
    if isinstance(value, str):
        law = "heavy-tailed" if value == "heavy tails" else value
        told = {"skewed": f"{law} instruments, skewed errors", "laws": f"{law} errors"}
        return told.get(group, f"{law} instruments")
    return f"{NAMES.get(axis, f'${axis}$')} = {value:g}"


def _separate(axes: tuple[Axes, ...], places: dict[tuple[Any, ...], float]) -> None:
    """Draws a line between groups of rows."""
    for (above, height), below in zip(places.items(), list(places)[1:], strict=False):
        if above[0] != below[0]:
            for each in axes:
                each.axhline(height - 0.5, color=GREY, linewidth=0.4)
