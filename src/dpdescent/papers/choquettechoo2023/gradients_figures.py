"""The drawing of gradients and iterates without clipping."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.styles import D, color_of, in_order, label_of, line, look
from dpdescent.replication.drawing.figures import GREY, legend_below, log_scale, panels, select, where

AXES = {
    "dimension": ("d", D, {}), "labels": ("sigma_sgd", r"noise of the labels $\sigma_\mathrm{sgd}$", {"d": 16}),
    "start": ("start", r"distance of the start $\|\theta_0-\theta^*\|$", {}), "steps": ("T", "number of steps $T$", {}),
}  # fmt: skip
RULES = {"rate of D.4": "-.", "rate of D.13": ":"}
# What does not move: distances at the learning rate of D.13.
STILL = ("largest distance", "rate of D.13")
SERIES = {
    "largest gradient": ("gradient_form", "largest gradient norm"),
    "largest distance": ("iterate_form", r"largest $\|\theta_t-\theta^*\|$"),
}


def draw_ext_gradients(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the quantiles of the largest gradient and distance with the bounds, a column for each rate at which they move.

    At the rate of D.13 no iterate leaves its start, so that the distances there are the start's and have no column.
    """
    main = select(table)
    columns = [(series, rule) for series in SERIES for rule in RULES if (series, rule) != STILL]
    figure, axes = panels(len(columns), len(AXES), size=(2.8, 2.7), squeeze=False)
    for row, (panel, (x, label, fixed)) in zip(axes, AXES.items(), strict=True):
        for ax, (series, rule) in zip(row, columns, strict=True):
            form, words = SERIES[series]
            _panel(ax, where(main, panel=panel, series=series, rule=rule, **fixed), x, form, rule)
            log_scale(ax, "y")
            # Decades only where there are several, because a narrow panel has no room for more.
            log_scale(ax, "x", (1, 2, 5) if panel == "dimension" else (1,))
            ax.set(title=rule, xlabel=label, ylabel=words)
    for ax, text in zip(axes[:, 0], ("dimension", r"labels, $d=16$", "start", "steps"), strict=True):
        ax.set_title(f"{text}: {ax.get_title()}")
    legend_below(figure, axes[0, :2], 4, "points: what 95 % of the runs do not exceed")
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, x: str, form: str, rule: str) -> None:
    """Draws both mechanisms with their bounds at one rate; beside the rate of D.13, the bound on gradients of (9)."""
    for name in in_order(rows["mechanism"]):
        own = where(rows, mechanism=name)
        style = look(name) | ({} if rule == "rate of D.4" else {"markerfacecolor": "white"})
        line(axes, own.assign(mean=own["q95"]), x, f"{label_of(name)}, {rule}", **(style | {"linewidth": 0.7}))
        label = f"D.4 at the {rule}" if name == "DP-SGD" else None
        line(axes, own.assign(mean=own[form]), x, label, color=color_of(name), linestyle=RULES[rule], linewidth=1.2)
    if form == "gradient_form" and rule == "rate of D.13":
        nine = where(rows, mechanism="DP-SGD")
        line(axes, nine.assign(mean=nine["summary"]), x, "(9)", color=GREY, linestyle="--", linewidth=1.2)
