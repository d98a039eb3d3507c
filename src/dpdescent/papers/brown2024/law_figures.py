"""Figure of brown2024 on the law of its iterates, designed here."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.dimension_figures import DP_GD
from dpdescent.papers.brown2024.law import LEVEL, SHARE, SHIFT
from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, ORANGE, legend_below, log_scale, panels, select

DESIGNS = {
    "normal": ("normal covariates", BLUE, "o"), "heavy tails": ("heavy-tailed covariates", ORANGE, "s"),
    "orthogonal": ("orthogonal covariates", GREEN, "^"),
}  # fmt: skip


def draw_ext_law(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws levels under the exact law against the steps, and how far clipping moves them, against the threshold."""
    figure, ((left, right),) = panels(2, size=(5.4, 4.2))
    rows = select(table)
    # Levels of runs without clipping by number of steps, one colour for each design.
    for k, (name, (label, color, marker)) in enumerate(DESIGNS.items()):
        chosen = rows[(rows["series"] == LEVEL) & (rows["panel"] == name)].sort_values("T")
        if len(chosen):
            bars = [chosen["median"] - chosen["q05"], chosen["q95"] - chosen["median"]]
            look: dict[str, Any] = {"color": color, "marker": marker, "label": label}
            left.errorbar(chosen["T"] * 1.1 ** (k - 1), chosen["median"], yerr=bars, linestyle="none", **look)
    for level in (0.05, 0.5, 0.95):
        left.axhline(level, color=GREY, linestyle="--", linewidth=0.9)
    log_scale(left, "x")
    left.set(title="Lemma 2.3: no clipping", xlabel="number of steps $T$", ylabel="level under the exact law")
    left.set_ylim(0.0, 1.0)
    # How far clipping moves probabilities, beside the share of runs that clip, which bounds it.
    clipped = rows[rows["panel"] == "clipped"]
    for series, color, marker, label in (
        (SHIFT, DP_GD, "o", "largest change of a probability by clipping"), (SHARE, GREY, "s", "share of runs that clip"),
    ):  # fmt: skip
        curve = clipped[(clipped["series"] == series) & (clipped["mean"] > 0)].sort_values("clip_factor")
        right.plot(curve["clip_factor"], curve["mean"], color=color, marker=marker, label=label)
    if len(clipped):
        log_scale(right, "y")
    threshold = r"clipping threshold $\gamma/\sqrt{p}$"
    right.set(title="Lemma 2.2: DP-GD with clipping", xlabel=threshold, ylabel="probability")
    legend_below(figure, [left, right], 4, "left: median, and from the 5 % to the 95 % quantile")
    return figure
