"""Figures of liang2025 on long runs and on consistency, which are designed here."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.figures.synthetic import ERROR, ITERATIONS, SPREAD, N
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.replication.drawing.figures import (
    DARK_BLUE,
    GREY,
    METHODS,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
    slope_guide,
    vertical,
)

# tau of every experiment (Sec. 4), which the threshold's logarithm needs.
TAU = 5.0


def draw_ext_consistency(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws both errors against n where T is a multiple of log n."""
    figure, axes = panels(size=(6.2, 4.2))
    colors = {"beta_hat": METHODS["DP-2S-GD"], "beta": DARK_BLUE}
    for (target, color), marker in zip(colors.items(), ("o", "s"), strict=True):
        rows = select(table, error_to=target).sort_values("n")
        curve(axes, rows, "n", ERROR[target], color=color, marker=marker)
    first = select(table, error_to="beta_hat").sort_values("n").iloc[0]
    slope_guide(axes, sorted(set(table["n"])), (first["n"], first["mean"]), -0.5, r"slope of $1/\sqrt{n}$")
    log_scale(axes)
    times = display["arms"]["iterations_per_log_n"]
    axes.set(xlabel=N, ylabel="error", title=rf"$T={times:g}\,\log n$, $\rho_1=\rho_2={display['arms']['rho1']:g}$")
    legend_below(figure, [axes], 3, SPREAD)
    return figure


def draw_ext_long_runs(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws error over sqrt(T), level in Theorem F.1 but for a logarithm, and the share of clipped gradients."""
    figure, (axes,) = panels(2, size=(5.4, 4.0))
    rows = select(table).sort_values("T")
    root = np.sqrt(rows["T"].to_numpy(dtype=float))
    scaled = rows.assign(**{name: rows[name] / root for name in ("mean", "se", "q10", "q90")})
    n = float(rows["n"].iloc[0])
    curve(axes[0], scaled, "T", "Algorithm 3", color=METHODS["DP-2S-GD"])
    gamma = np.array([prescriptions.clipping_threshold(1.0, int(n), 1, T, TAU) for T in rows["T"]])
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
