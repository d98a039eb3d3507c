"""Figures of liang2025 against choices of a user: step sizes in Figure 7, thresholds in Figure 8."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, SPREAD, readings
from dpdescent.papers.liang2025.setting import ALONG
from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    end_labels,
    log_scale,
    panels,
    select,
    shades,
    vertical,
)


def draw_fig07(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against either step size, with the ceilings of eq. (3) and the optima of Remark 3.3."""
    figure, axes = panels(2, 2, size=(5.6, 3.7))
    rows = table[table["error_to"] == "beta_hat"]
    names = {"a": (r"\eta", r"\alpha", "first-stage"), "b": (r"\alpha", r"\eta", "second-stage")}
    for below, panel, (part, (varied, held, stage)) in zip(axes[1], axes[0], names.items(), strict=True):
        own = rows[rows["panel"] == part]
        last = own["series"] == "DP-2S-GD"
        _step_sizes(panel, own[last], varied, label_height={"a": 0.42, "b": 0.98}[part])
        _paths(below, select(own[own["series"] == ALONG]), varied)
        fraction = display["cells"][part]["held_fraction"]
        factor = "" if fraction == 1 else rf"{fraction:g}\,"
        title = rf"({part}) ${held}={factor}{held}_{{\max}}$"
        panel.set(title=title, xlabel=f"{stage} step size ${varied}$", ylabel=ERROR["beta_hat"])
    figure.supxlabel(SPREAD, fontsize=7.5)
    return figure


def _paths(axes: Axes, rows: pd.DataFrame, symbol: str) -> None:
    """Draws the error along the iterations, one curve for each of some step sizes, darker for a smaller one."""
    steps, ends = rows.groupby("step_fraction"), []
    for (fraction, path), color in zip(steps, shades(len(steps)), strict=True):
        ordered = path.sort_values("t")
        axes.plot(ordered["t"], ordered["mean"], color=color)
        ends.append((float(ordered["mean"].iloc[-1]), rf"{fraction:g} of ${symbol}_{{\max}}$", color))
    axes.set(title=rf"along the iterations, by ${symbol}$", xlabel="iteration $t$", ylabel=ERROR["beta_hat"])
    log_scale(axes, "y")
    end_labels(axes, ends)


def _step_sizes(axes: Axes, rows: pd.DataFrame, symbol: str, label_height: float) -> None:
    ceiling, optimum = select(rows)[["ceiling", "approximate_optimum"]].iloc[0]
    # Grouped by fraction, because every trial has a ceiling of its own where parameters are redrawn.
    rows = rows.groupby(["variant", "step_fraction"], as_index=False).mean(numeric_only=True)
    readings(axes, rows.assign(step=rows["step_fraction"] * ceiling), "step")
    axes.set_xscale("linear")
    axes.set_xlim(0, axes.get_xlim()[1])
    axes.axvspan(ceiling, axes.get_xlim()[1], color=GREY, alpha=0.10, linewidth=0)
    vertical(axes, ceiling, rf"ceiling ${symbol}_{{\max}}={ceiling:.3g}$", BLACK, label_height)
    vertical(axes, optimum, rf"optimum ${symbol}^*={optimum:.3g}$", GREEN, side="left")


def draw_fig08(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against the clipping threshold, and below it the share of gradients clipped in each stage."""
    figure, axes = panels(1, 2, size=(6.6, 3.1), sharex=True)
    top, bottom = axes[:, 0]
    rows = table[table["error_to"] == "beta_hat"]
    main = select(rows).sort_values("gamma")
    readings(top, rows, "gamma")
    for stage, color, marker in ((1, BLUE, "o"), (2, PURPLE, "s")):
        share = main[f"clip_fraction_stage{stage}"]
        bottom.plot(main["gamma"], share, color=color, marker=marker, label=f"stage {stage}")
    _thresholds(top, bottom, main)
    top.set_ylabel(ERROR["beta_hat"])
    bottom.set(xlabel=r"clipping threshold $\gamma_1=\gamma_2=\gamma$", ylabel="share of gradients clipped")
    bottom.legend(loc="lower left")
    figure.supxlabel(SPREAD, fontsize=7.5)
    return figure


def _thresholds(top: Axes, bottom: Axes, main: pd.DataFrame) -> None:
    """Marks the best threshold, and the smallest one at which less than one gradient in a hundred is clipped."""
    best = main.loc[main["mean"].idxmin()]
    clear = main[main[["clip_fraction_stage1", "clip_fraction_stage2"]].max(axis=1) < 0.01].head(1)
    for row, color, name in ((best, GREEN, "best"), *((row, GREY, "first below 1 %") for _, row in clear.iterrows())):
        vertical(top, row["gamma"], f"error {row['mean']:.2g}", color, side="left")
        share = 100 * row["clip_fraction_stage2"]
        vertical(bottom, row["gamma"], rf"{name}, $\gamma={row['gamma']:g}$: {share:.2g} % clipped", color)
