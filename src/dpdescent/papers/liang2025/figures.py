"""Figures of liang2025: those of the theory and of our own experiments here; the rest by the kind of data."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.figures_real import (
    draw_ext_angrist_subsets, draw_fig05, draw_fig10, draw_fig11, draw_fig13,
)  # fmt: skip
from dpdescent.papers.liang2025.figures_synthetic import (
    ERROR, N, SPLITS, draw_fig03, draw_fig04, draw_fig06, draw_fig07, draw_fig08, draw_fig09,
)  # fmt: skip
from dpdescent.replication.figures import (
    BLUE, GREEN, GREY, LEVELS, ORANGE, PURPLE, VERMILION,
    curve, legend_below, log_scale, median_curve, panels, select, slope_guide, thin_curve, vertical,
)  # fmt: skip

__all__ = [
    "draw_ext_angrist_subsets", "draw_ext_calibration", "draw_ext_friendlycore", "draw_ext_overidentified",
    "draw_ext_parameter_draws", "draw_ext_weak_instrument", "draw_fig01", "draw_fig02", "draw_fig03", "draw_fig04",
    "draw_fig05", "draw_fig06", "draw_fig07", "draw_fig08", "draw_fig09", "draw_fig10", "draw_fig11", "draw_fig13",
]  # fmt: skip

NODES = {"z": (0.0, 0.0), "x": (2.0, 0.0), "y": (4.0, 0.0), "u": (3.0, 1.5)}
MEANINGS = {"z": "instrument", "x": "regressor", "y": "outcome", "u": "confounder (not observed)"}
BEND = 0.28


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """The causal diagram: arrows of the model, and the one that the exclusion restriction forbids."""
    figure, axes = panels(size=(7.0, 3.9))
    for name, (x, y) in NODES.items():
        axes.plot(x, y, "o", markersize=34, markerfacecolor="white", markeredgecolor="black", linestyle="none")
        axes.text(x, y, f"${name}$", fontsize=17, ha="center", va="center")
    for arrow in table.fillna({"label": ""}).itertuples():
        _arrow(axes, NODES[arrow.source], NODES[arrow.target], arrow.label, excluded=arrow.mean == 0)
    axes.set(aspect="equal", xlim=(-0.8, 4.8), ylim=(-1.5, 2.2))
    axes.axis("off")
    return figure


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str, excluded: bool) -> None:
    color, bend = (VERMILION, BEND) if excluded else ("black", 0.0)
    style = {"arrowstyle": "-|>", "mutation_scale": 18, "linewidth": 1.6, "color": color, "shrinkA": 19, "shrinkB": 19}
    style |= {"linestyle": "--" if excluded else "-", "connectionstyle": f"arc3,rad={bend}"}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)
    # Half way along the quadratic curve that matplotlib draws.
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - bend * (end[0] - start[0]) / 2
    if excluded:
        axes.plot(x, y, "X", color=color, markersize=15)
    axes.text(x, y - 0.22 if excluded else y + 0.12, label, color=color, ha="center", va="top" if excluded else "bottom")


def draw_fig02(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Bound (7) against the number of iterations, its three terms, and the boundaries of its regimes."""
    figure, axes = panels(size=(7.4, 4.4))
    colors = {"optimisation": GREEN, "privacy": VERMILION, "sampling": BLUE}
    for series, color in colors.items():
        rows = table[table["series"] == series]
        axes.plot(rows["T"], rows["mean"], color=color, linestyle="--", label=series)
    total = table[table["series"] == "total"]
    axes.plot(total["T"], total["mean"], color="black", linewidth=2.2, label="bound (7)")
    log_scale(axes)
    return figure


def draw_ext_parameter_draws(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Figures 3(a) and 8 for other draws of the parameters: a thin line for each draw, and the median over draws."""
    figure, (axes,) = panels(2, size=(5.2, 3.9))
    rows = select(table, error_to="beta_hat", series="DP-2S-GD", rho1=5.0)
    for panel, part, x in ((axes[0], "fig03", "n"), (axes[1], "fig08", "gamma")):
        part_rows = rows[rows["panel"] == part]
        for _, group in part_rows.groupby("draw"):
            thin_curve(panel, group, x, color=BLUE, linestyle="-")
        middle = part_rows.groupby(x)["mean"].median()
        panel.plot(middle.index, middle, color="black", marker="o", linewidth=2.2)
        log_scale(panel)
    return figure


def draw_ext_overidentified(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """More instruments than regressors."""
    figure, (axes,) = panels(3, size=(4.3, 3.9))
    return figure


def draw_ext_friendlycore(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """DP-2S-GD and FriendlyCore."""
    figure, (axes,) = panels(2, size=(5.2, 3.9))
    return figure


def draw_ext_calibration(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Noise as published and exact."""
    figure, (axes,) = panels(2, size=(5.2, 3.9))
    return figure


def draw_ext_weak_instrument(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Weak."""
    figure, (axes,) = panels(2, size=(5.2, 3.9))
    return figure
