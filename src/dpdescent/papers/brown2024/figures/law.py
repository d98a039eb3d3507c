"""Figures of brown2024 on the law of its iterates, and on large dimensions, both designed here."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.brown2024.figures.accuracy import DP_GD, ERROR, MEANS, METHODS, SHADES, P
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    legend_below,
    log_scale,
    panels,
    select,
    slope_guide,
)

LARGE = {
    **METHODS, "AdaSSP (public bounds)": (SHADES["AdaSSP (public bounds)"], "^"),
    "AdaSSP (bounds as sqrt(p))": (SHADES["AdaSSP (zCDP-matched)"], "v"), "projected descent": (PURPLE, "P"),
}  # fmt: skip
DESIGNS = {
    "normal": ("normal covariates", BLUE, "o"), "heavy tails": ("heavy-tailed covariates", ORANGE, "s"),
    "orthogonal": ("orthogonal covariates", GREEN, "^"),
}  # fmt: skip
LEVEL, SHARE = "level under the law", "P(some gradient is clipped)"
# Levels at which a clipped run is compared with the law; the outer ones are the bars of the left panel.
LEVELS = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}


def draw_ext_large_dimension(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error to the truth of every method against the dimension, with a guide of slope one half."""
    figure, axes = panels(size=(6.4, 4.6))
    rows = select(table)
    for name, (color, marker) in LARGE.items():
        chosen = rows[rows["series"] == name].sort_values("p")
        if len(chosen):
            axes.errorbar(chosen["p"], chosen["mean"], yerr=chosen["se"], color=color, marker=marker, label=name)
    rated = rows[rows["series"] == "AdaSSP (bounds as sqrt(p))"]
    if len(rated) > 1:
        last = rated.loc[rated["p"].idxmax()]
        slope_guide(axes, sorted(rated["p"]), (last["p"], last["mean"]), 0.5, r"claimed of AdaSSP: $\sqrt{p}$")
    log_scale(axes)
    axes.set(title=f"$n={display['arms']['n_over_p']:g}\\,p$", xlabel=P, ylabel=ERROR["theta_star"])
    legend_below(figure, [axes], 3, MEANS)
    return figure


def draw_ext_law(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws levels under the exact law against the steps, and how far clipping moves them, against the threshold."""
    figure, ((left, right),) = panels(2, size=(5.4, 4.2))
    rows = select(table)
    _designs(left, rows[rows["series"] == LEVEL])
    _moved(right, rows[rows["panel"] == "clipped"])
    legend_below(figure, [left, right], 4, "left: median, and from the 5 % to the 95 % quantile")
    return figure


def _designs(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the levels of runs without clipping by number of steps, one colour for each design."""
    for k, (name, (label, color, marker)) in enumerate(DESIGNS.items()):
        chosen = rows[rows["panel"] == name].sort_values("T")
        if len(chosen):
            bars = [chosen["median"] - chosen["q05"], chosen["q95"] - chosen["median"]]
            look: dict[str, Any] = {"color": color, "marker": marker, "label": label}
            axes.errorbar(chosen["T"] * 1.1 ** (k - 1), chosen["median"], yerr=bars, linestyle="none", **look)
    for level in (0.05, 0.5, 0.95):
        axes.axhline(level, color=GREY, linestyle="--", linewidth=0.9)
    log_scale(axes, "x")
    axes.set(title="Lemma 2.3: no clipping", xlabel="number of steps $T$", ylabel="level under the exact law")
    axes.set_ylim(0.0, 1.0)


def _moved(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the largest shift of a level's quantiles, beside the share of runs that clip, which is to bound it."""
    levels, shares = (rows[rows["series"] == name].sort_values("clip_factor") for name in (LEVEL, SHARE))
    shift = np.max([np.abs(levels[name] - level) for name, level in LEVELS.items()], axis=0) if len(levels) else []
    axes.plot(levels["clip_factor"], shift, color=DP_GD, marker="o", label="largest shift of a quantile")
    axes.plot(shares["clip_factor"], shares["mean"], color=GREY, marker="s", label="share of runs that clip")
    if len(rows):
        log_scale(axes, "y")
    threshold = r"clipping threshold $\gamma/\sqrt{p}$"
    axes.set(title="Lemma 2.2: DP-GD with clipping", xlabel=threshold, ylabel="probability")
