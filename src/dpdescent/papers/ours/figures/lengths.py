"""Figure on the length of private intervals for instrumental-variable estimates."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.claims.lengths import mostly_given
from dpdescent.papers.ours.experiments.iv_length import INTERVAL, SET
from dpdescent.replication.drawing.figures import (
    BLUE,
    FINE,
    GREEN,
    GREY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    select,
)

COLORS = (VERMILION, BLUE, GREEN)
TITLES = {INTERVAL: "DP-IV-GD's interval", SET: "Anderson-Rubin set"}


def draw_iv_length(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws half lengths over that of 2SLS against the budget, with their laws."""
    main = select(table)
    figure, ((left, right),) = panels(2, size=(4.6, 4.0), sharey=True)
    strongest = main["F"].max()
    for axes, series in ((left, INTERVAL), (right, SET)):
        rows = mostly_given(main) if series == INTERVAL else main[main["series"] == series]
        for (n, F), curve in rows.sort_values("rho").groupby(["n", "F"]):
            color = COLORS[sorted(set(main["n"])).index(n) % len(COLORS)]
            full = strongest == F
            ends = [curve["median"] - curve["median_low"], curve["median_high"] - curve["median"]]
            axes.errorbar(
                curve["rho"] * (1.03 if full else 0.97), curve["median"], yerr=ends, color=color, marker="s",
                markersize=4.5, linestyle="none", markerfacecolor=color if full else "white",
                label=f"$n$ = {n:g}, $F$ = {F:g}",
            )  # fmt: skip
            axes.plot(curve["rho"], curve["predicted"], color=color, linestyle="-" if full else ":", linewidth=1.0)
        axes.axhline(1.0, color=GREY, linestyle="--", linewidth=0.9)
        log_scale(axes, "x")
        log_scale(axes, "y", FINE)
        axes.set(xlabel=r"budget $\rho$", title=TITLES[series])
    left.set_ylabel("median half length over that of 2SLS")
    legend_below(figure, [left, right], 3, "points: medians with 95 % intervals; lines: laws")
    return figure
