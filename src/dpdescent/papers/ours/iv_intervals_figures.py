"""Figures on private intervals for instrumental-variable estimates, and the layout of rows that those on sets share."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.ours.iv_intervals import CLASSICAL, ORACLE, OURS, PUBLISHED, REFUSED, SET, mostly_given
from dpdescent.papers.ours.iv_sets import PLACE
from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    FINE,
    GREEN,
    GREY,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    select,
)
from dpdescent.replication.judging.statistics import half_widths

# What varies in a group of rows, and how it is written.
AXES: dict[str, tuple[str, ...]] = {
    "strength": ("F",), "budget": ("rho",), "records": ("n",), "instruments": ("q",), "regressors": ("p",),
    "more records": ("p", "n"), "endogeneity": ("endogeneity",), "laws": ("errors",),
    "instrument laws": ("instruments",), "correlated": ("instruments",), "clipping": ("k",), "skewed": ("instruments",),
}  # fmt: skip
NAMES = {"rho": r"$\rho$", "endogeneity": "endogeneity", "k": "threshold $k$"}
NOMINAL = 0.95

Key = tuple[Any, ...]


def key_of(row: dict[str, Any]) -> Key:
    """What tells a row of the figure from others: its group, and the values of what varies in it."""
    return row["panel"], *(row[axis] for axis in AXES[row["panel"]])


def heights_of(main: pd.DataFrame) -> dict[Key, float]:
    """Height of every cell, groups in the order of AXES, downwards from zero."""
    order, keys = list(AXES), {key_of(row) for row in main.to_dict("records")}
    ranked = sorted(keys, key=lambda key: (order.index(key[0]), isinstance(key[1], str), key[1:]))
    return {key: -float(rank) for rank, key in enumerate(ranked)}


def rows_at(rows: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    """Selects the rows of a cell, copied once and not once a column."""
    return rows[np.logical_and.reduce([rows[name] == row[name] for name in PLACE])]


def label_rows(axes: tuple[Axes, ...], heights: dict[Key, float]) -> None:
    """Writes the cells' names beside the first axes, and draws a line between groups of rows on all."""
    axes[0].set_yticks(list(heights.values()), [_name(key) for key in heights])
    axes[0].set_ylim(-len(heights) + 0.4, 0.6)
    for (above, height), below in zip(heights.items(), list(heights)[1:], strict=False):
        if above[0] != below[0]:
            for each in axes:
                each.axhline(height - 0.5, color=GREY, linewidth=0.4)


def _name(key: Key) -> str:
    group, *values = key
    if isinstance(values[0], str):
        law = "heavy-tailed" if values[0] == "heavy tails" else values[0]
        words = {"skewed": f"{law} instruments, skewed errors", "laws": f"{law} errors"}
        return words.get(group, f"{law} instruments")
    axes = zip(AXES[group], values, strict=True)
    return ", ".join(f"{NAMES.get(axis, f'${axis}$')} = {value:g}" for axis, value in axes)


STYLES = {CLASSICAL: (BLACK, "D"), PUBLISHED: (VERMILION, "o"), ORACLE: (SKY, "^"), OURS: (BLUE, "s")}
LABELS = {OURS: "DP-IV-GD, public rule", CLASSICAL: "2SLS, not private"}
HELD_TO = (0.92, 0.98)
MANY_REFUSED = 0.1


def draw_iv_coverage(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage, and length over that of 2SLS, one row a cell of the design."""
    main = select(table)
    heights = heights_of(main)
    figure, ((left, right),) = panels(2, size=(5.2, 1.2 + 0.22 * len(heights)), sharey=True)
    for offset, (series, (color, marker)) in enumerate(STYLES.items()):
        rows = main[main["series"] == series]
        refused = main[main["series"] == f"{series}: {REFUSED}"]
        for row, half in zip(rows.to_dict("records"), half_widths(rows), strict=True):
            y = heights[key_of(row)] + 0.16 * (1.5 - offset)
            hollow = (rows_at(refused, row)["mean"] > MANY_REFUSED).any()
            face = "white" if hollow else color
            look = {"color": color, "marker": marker, "markersize": 4.5, "markerfacecolor": face}
            left.errorbar([row["mean"]], [y], xerr=[[half], [half]], label=LABELS.get(series, series), **look)
            base = rows_at(main[main["series"] == CLASSICAL], row)
            if len(base) and np.isfinite(row["half_width"]):
                right.plot([row["half_width"] / base["half_width"].iloc[0]], [y], linestyle="none", **look)
    left.axvspan(*HELD_TO, color=BLUE, alpha=0.10, linewidth=0)
    left.axvline(NOMINAL, color=GREY, linestyle="--", linewidth=0.9)
    right.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
    left.set(xlabel="coverage of 95 % intervals", xlim=(-0.02, 1.02))
    log_scale(right, "x")
    right.set_xlabel("mean half width over that of 2SLS")
    label_rows((left, right), heights)
    legend_below(figure, [left], 4, "bars: 95 % intervals over runs; hollow: more than a tenth refused")
    return figure


COLORS = (VERMILION, BLUE, GREEN)
TITLES = {OURS: "DP-IV-GD's interval", SET: "Anderson-Rubin set"}


def draw_iv_length(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws half lengths over that of 2SLS against the budget, with their laws."""
    main = select(table)
    figure, ((left, right),) = panels(2, size=(4.6, 4.0), sharey=True)
    strongest = main["F"].max()
    for axes, series in ((left, OURS), (right, SET)):
        rows = mostly_given(main) if series == OURS else main[main["series"] == series]
        for (n, F), curve in rows.sort_values("rho").groupby(["n", "F"]):
            color = COLORS[sorted(set(main["n"])).index(n) % len(COLORS)]
            full = strongest == F
            ends = [curve["median"] - curve["median_low"], curve["median_high"] - curve["median"]]
            axes.errorbar(
                curve["rho"] * (1.03 if full else 0.97), curve["median"], yerr=ends, color=color, marker="s",
                markersize=4.5, linestyle="none", markerfacecolor=color if full else "white",
                label=f"$n$ = {n:g}, $F$ = {F:g}",
            )  # fmt: skip
            axes.plot(curve["rho"], curve["predicted"], color=color, linestyle="-" if full else ":", linewidth=1.0)
        axes.axhline(1.0, color=GREY, linestyle="--", linewidth=0.9)
        log_scale(axes, "x")
        log_scale(axes, "y", FINE)
        axes.set(xlabel=r"budget $\rho$", title=TITLES[series])
    left.set_ylabel("median half length over that of 2SLS")
    legend_below(figure, [left, right], 3, "points: medians with 95 % intervals; lines: laws")
    return figure
