"""Figure on the law of DP-2S-GD's path."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.iv_path_law import CORRELATION, MEAN, NAIVE
from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, VERMILION, legend_below, log_scale, panels, select
from dpdescent.replication.judging.statistics import half_widths

COLORS = {1: BLUE, 2: GREEN, 10: VERMILION}


def draw_iv_path_law(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the relative move of the mean against noise over signal, and autocorrelations at the largest budget."""
    main = select(table)
    figure, ((left, right),) = panels(2)
    lags = display["arms"]["lags"]
    for (q, kind), rows in main.groupby(["q", "instruments"]):
        correlated = kind == "correlated"
        color = GREY if correlated else COLORS.get(int(q), GREY)
        label = f"$q$ = {q:g}" + (", correlated instruments" if correlated else "")
        moves = rows[rows["series"] == MEAN].sort_values("tau_over_H")
        left.errorbar(
            moves["tau_over_H"], -moves["mean"], yerr=half_widths(moves), color=color, marker="o", linestyle="none",
            markersize=4, label=label,
        )  # fmt: skip
        left.plot(moves["tau_over_H"], -moves["predicted"], color=color)
        naive = rows[rows["series"] == NAIVE].sort_values("tau_over_H")
        left.plot(naive["tau_over_H"], -naive["predicted"], color=color, linestyle="--", linewidth=0.9)
        last = rows[rows["rho"] == rows["rho"].max()].set_index("series")
        shown = [lag for lag in lags if CORRELATION.format(lag) in last.index]
        names = [CORRELATION.format(lag) for lag in shown]
        right.plot(shown, last.loc[names, "mean"], color=color, marker="o", linestyle="none", markersize=4)
        right.plot(shown, last.loc[names, "predicted"], color=color)
    log_scale(left)
    left.set(xlabel=r"noise over signal, $\tau / H$", ylabel="relative move of the mean, negative")
    right.set(xlabel="lag", ylabel="autocorrelation of the path")
    legend_below(figure, [left], 4)
    return figure
