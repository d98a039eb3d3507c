"""The figure of liang2025 on less noise with the guarantee of Prop. 3.1."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, SPREAD, N
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    METHODS,
    PURPLE,
    curve,
    legend_below,
    log_scale,
    panels,
    select,
)

CALIBRATIONS = (
    ("as published", METHODS["DP-2S-GD"], "o"), ("exact", BLUE, "s"), ("exact accountant", PURPLE, "^"),
    ("exact accountant and schedule", GREEN, "D"),
)  # fmt: skip


def draw_ext_calibration(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws errors, noise and budget spent with the noise of Prop. 3.1 and with the least noise of that guarantee."""
    figure, (axes,) = panels(3, size=(4.3, 4.0))
    rows = select(table, error_to="beta_hat")
    for series, color, marker in CALIBRATIONS:
        chosen = rows[rows["series"] == series].sort_values("n")
        curve(axes[0], chosen, "n", series, color=color, marker=marker)
        for panel, column in ((axes[1], "noise_sd"), (axes[2], "achieved_rho")):
            # Dashed, because the schedule spends what equal parts spend, and would hide them.
            line = "--" if series == CALIBRATIONS[-1][0] else "-"
            panel.plot(chosen["n"], chosen[column], color=color, marker=marker, linestyle=line)
    log_scale(axes[0])
    log_scale(axes[1])
    log_scale(axes[2], "x")
    axes[0].set(title="error", xlabel=N, ylabel=ERROR["beta_hat"])
    axes[1].set(title="noise", xlabel=N, ylabel=r"noise on the mean gradient, sd $\lambda_1=\lambda_2$")
    claimed = rows[rows["series"] == "exact"]["achieved_rho"].max()
    highest = 1.12 * rows["achieved_rho"].max()
    axes[2].set(title="budget that is spent", xlabel=N, ylabel="zCDP cost of the releases", ylim=(0, highest))
    axes[2].text(rows["n"].min(), 1.03 * claimed, rf"claimed: $\rho_1+\rho_2={claimed:g}$")
    legend_below(figure, axes[:1], 4, SPREAD)
    return figure
