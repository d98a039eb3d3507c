"""The drawing of linear regression at finite T: errors, their slopes, and the best learning rates."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.choquettechoo2023.styles import ETA, INTERVALS, color_of, in_order, label_of, line, look, points
from dpdescent.replication.drawing.figures import legend_below, log_scale, panels, select, slope_guide, slope_of, where

PARTS = {"exact": "exact recursion, no clipping", "clipped": "DP-FTRL with clipping"}
# Rates of Section 2.3 without their logarithms: exponent and label.
RATES = {"DP-SGD": (-1.0, "$1/T$"), "nu-DP-FTRL": (-2.0, "$1/T^2$")}


def draw_ext_finite_time(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error at the best learning rate against T, exact and with clipping, and that rate."""
    figure, axes = panels(3, size=(4.7, 4.1), squeeze=False)
    main = select(table)
    for panel, (part, title) in zip(axes[0], PARTS.items(), strict=False):
        rows = main[main["panel"] == part]
        _over_time(panel, rows, part)
        sizes = ", ".join(f"$d={d:g}$" for d in sorted(set(rows["d"])))
        panel.set(title=f"{title}, {sizes}" if sizes else title, ylabel=r"$\mathbb{E}\,F(\theta_T)-F(\theta^*)$")
        _best_rates(axes[0, 2], rows, part)
    for panel in axes[0]:
        # Whole decades on the axis of T, because a narrow panel has no room for more.
        log_scale(panel, "x", (1,))
        log_scale(panel, "y")
        panel.set_xlabel("number of steps $T$")
    axes[0, 2].set(title="the best learning rate", ylabel=ETA)
    legend_below(figure, axes[0], 4, f"{INTERVALS} over runs")
    return figure


def _over_time(axes: Axes, rows: pd.DataFrame, part: str) -> None:
    """Draws errors with their slopes, the main terms of the theorems, and the rates without logarithms."""
    entries = []
    for name, (rate, order) in RATES.items():
        own = rows[rows["mechanism"] == name]
        error = own[own["series"].str.startswith("error")].sort_values("T")
        bound = where(own, series="main terms, constants 1")
        points(axes, error, "T", label_of(name), **look(name))
        line(
            axes,
            bound,
            "T",
            "main terms of the theorems" if name == "DP-SGD" else None,
            color=color_of(name),
            linestyle="-.",
            linewidth=0.9,
        )
        if len(error):
            first = error.iloc[0]
            slope_guide(axes, error["T"], (first["T"], first["mean"]), rate, "rates without logarithms")
            entries.append((Line2D([], [], **look(name)), f"slope {slope_of(error, 'T')}, rate {order}"))
    if entries:
        axes.legend(*zip(*entries, strict=True), loc="lower left", fontsize=7.5)


def _best_rates(axes: Axes, rows: pd.DataFrame, part: str) -> None:
    for name in in_order(rows["mechanism"]):
        own = rows[(rows["mechanism"] == name) & rows["series"].str.startswith("error")].sort_values("T")
        style = look(name) | ({} if part == "exact" else {"linestyle": "--", "markerfacecolor": "white"})
        if len(own):
            axes.plot(
                own["T"], own["eta"], label="clipped" if part == "clipped" and name == "DP-SGD" else None, **style
            )
