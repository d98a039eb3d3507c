"""The drawing of errors of private prefix sums."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.digits_figures import grid_ticks, restarted
from dpdescent.papers.choquettechoo2023.styles import color_of, in_order, label_of, look, points
from dpdescent.replication.drawing.figures import end_labels, log_scale, panels, select


def draw_ext_prefix_sums(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error of prefix sums against the number of restarts, and epsilon at the error of independent noise."""
    main = select(table)
    # Largest first, because these are the paper's sizes.
    sizes = sorted(set(zip(main["T"], main["k"], strict=True)), reverse=True)
    shape = {"gridspec_kw": {"width_ratios": [1.3, 1.0]}, "squeeze": False}
    figure, axes = panels(2, max(len(sizes), 1), size=(5.6, 3.1), **shape)
    for (left, right), (T, k) in zip(axes, sizes, strict=False):
        rows = main[(main["T"] == T) & (main["k"] == k)]
        _by_copies(left, rows)
        _epsilons(right, rows)
        left.set_title(f"$T={T:g}$, {k:g} participation{'s' if k > 1 else ''}")
    for left, right in axes:
        left.set(xlabel="number of restarts", ylabel="sensitivity × RMSE")
        right.set(xlabel=r"$\varepsilon$ at the RMSE of independent noise", ylabel="mechanism at its best restarts")
    return figure


def _by_copies(axes: Axes, rows: pd.DataFrame) -> None:
    ends = []
    for name in in_order(rows["mechanism"]):
        own = rows[rows["mechanism"] == name].sort_values("copies")
        points(axes, own, "copies", **look(name))
        if len(own) == 1:
            axes.axhline(own["mean"].iloc[0], color=color_of(name), linewidth=0.8, linestyle=":")
        ends.append((float(own["mean"].iloc[-1]), label_of(name), color_of(name)))
    log_scale(axes, "y")
    # Only powers of two where there are many, because the labels of all would overlap.
    copies = sorted(set(rows["copies"]))
    grid_ticks(axes, copies if len(copies) < 8 else [count for count in copies if math.log2(count).is_integer()])
    end_labels(axes, ends, gap=0.06)


def _epsilons(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws a bar with its value for each mechanism at its best number of restarts."""
    best = rows.sort_values("mean").drop_duplicates("mechanism").sort_values("mean", ascending=False)
    pairs = zip(best["mechanism"], best["copies"], strict=True)
    names = [label_of(name) if copies == 1 else restarted(name, copies) for name, copies in pairs]
    colors = [color_of(name) for name in best["mechanism"]]
    bars = axes.barh(range(len(best)), best["epsilon_at_equal_noise"], color=colors, alpha=0.75, height=0.65)
    axes.bar_label(bars, fmt="%.2f", padding=2, fontsize=7.5)
    axes.set_yticks(range(len(best)), names, fontsize=7.5)
    axes.margins(x=0.12)
    axes.grid(visible=False, axis="y")
