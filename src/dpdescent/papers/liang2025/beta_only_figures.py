"""Figures of liang2025 on Algorithm 3: Figure 6, and very long runs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025.drawing import ERROR, ITERATIONS, SPREAD, levels
from dpdescent.replication.drawing.figures import (
    GREY,
    METHODS,
    curve,
    legend_below,
    level_colors,
    log_scale,
    panels,
    select,
    thin_curve,
    vertical,
)

# Readings that are drawn as thin curves.
THIN = {"clip constant 1": "--", "step constants": ":"}
# tau of every experiment (Sec. 4), which the threshold's logarithm needs.
TAU = 5.0


def draw_fig06(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against T of Algorithm 1, of Algorithm 3, and of the valid way to publish beta alone."""
    figure, (axes,) = panels(3, size=(4.3, 4.1), sharey=True)
    cell = display["cells"]["a"]
    titles = {
        "a": rf"(a) Algorithm 1, $\rho_1={cell['rho1']:g}$", "b": "(b) Algorithm 3: not private as stated",
        "c": r"(c) ours: $\rho_1+\rho_2$ as claimed in (b)",
    }  # fmt: skip
    rows = table[table["error_to"] == "beta_hat"]
    for panel, (part, title) in zip(axes, titles.items(), strict=True):
        levels(panel, select(rows, panel=part), "T", "rho2")
        for level, color in level_colors(rows["rho2"]).items():
            for variant, line in THIN.items():
                thin_curve(panel, select(rows, variant, panel=part, rho2=level), "T", color=color, linestyle=line)
        panel.set(title=title, xlabel=ITERATIONS)
        vertical(panel, cell["n"], "$T=n$")
        log_scale(panel)
    for variant, line in THIN.items():
        axes[0].plot([], [], color=GREY, linestyle=line, linewidth=0.9, label=f"thin: {variant}")
    axes[0].set_ylabel(ERROR["beta_hat"])
    legend_below(figure, axes[:1], 4, rf"budget $\rho_2$ that is claimed for $\beta$;  {SPREAD}")
    return figure


def draw_ext_long_runs(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error divided by sqrt(T), level in Theorem F.1 but for a logarithm, and shares of clipped gradients."""
    figure, (axes,) = panels(2, size=(5.4, 4.0))
    rows = select(table).sort_values("T")
    root = np.sqrt(rows["T"].to_numpy(dtype=float))
    scaled = rows.assign(**{name: rows[name] / root for name in ("mean", "se", "q10", "q90")})
    n = float(rows["n"].iloc[0])
    curve(axes[0], scaled, "T", "Algorithm 3", color=METHODS["DP-2S-GD"])
    gamma = np.array([formulas.clipping_threshold(1.0, int(n), 1, T, TAU) for T in rows["T"]])
    level = scaled["mean"].iloc[0] * gamma / gamma[0]
    axes[0].plot(
        rows["T"], level, color=GREY, linestyle=":", label="the bound: level but for the threshold's logarithm"
    )
    axes[1].plot(rows["T"], rows["clip_fraction_stage2"], color=METHODS["DP-2S-GD"], marker="o")
    log_scale(axes[0])
    log_scale(axes[1], "x")
    axes[0].set(xlabel=ITERATIONS, ylabel=ERROR["beta_hat"] + r" / $\sqrt{T}$")
    axes[1].set(xlabel=ITERATIONS, ylabel="share of second-stage gradients clipped", ylim=(0, 1))
    for panel in axes:
        vertical(panel, n, "$T=n$")
    legend_below(figure, axes[:1], 2, SPREAD)
    return figure
