"""Figure on the choice of a method."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.decision import ADVISED, ALWAYS, FITTED, MADE
from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, legend_below, log_scale, panels, select

PANELS = {MADE: "made data", "known": "real tables, known", "held out": "real tables, held out"}
COLORS = {ADVISED: BLUE, FITTED: GREEN}
LABELS = {ADVISED: "the rule, one question", FITTED: "fitted rule, four at most"}
ONE = ALWAYS.format("")


def draw_decision(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws typical and worst regret, one row a way to choose."""
    main = select(table)
    main = main[main["panel"].isin(PANELS)]
    heights = {series: -float(rank) for rank, series in enumerate(_order(main))}
    figure, (axes,) = panels(len(PANELS), size=(4.0, 1.3 + 0.24 * len(heights)), sharey=True)
    for axis, (panel, title) in zip(axes, PANELS.items(), strict=True):
        for row in main[main["panel"] == panel].to_dict("records"):
            y, color = heights[row["series"]], COLORS.get(row["series"], GREY)
            look = {"color": color, "markersize": 5, "linestyle": "none"}
            ends = [[row["typical"] - row["low"]], [row["high"] - row["typical"]]]
            axis.plot([row["typical"], row["worst"]], [y, y], color=color, linewidth=0.8)
            axis.errorbar([row["typical"]], [y], xerr=ends, marker="s", label=LABELS.get(row["series"]), **look)
            axis.plot([row["worst"]], [y], marker="o", markerfacecolor="white", **look)
        log_scale(axis, "x")
        axis.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
        axis.set(xlabel="excess risk over the best method's", title=title, ylim=(-len(heights) + 0.4, 0.6))
    axes[0].set_yticks(list(heights.values()), [_name(series) for series in heights])
    legend_below(figure, [axes[0]], 2, "filled: geometric mean over cells; hollow: worst cell")
    return figure


def _order(main: pd.DataFrame) -> list[str]:
    """The rules first, then single methods by what they cost on made data, or anywhere if that is not there."""
    cost = main.groupby("series")["typical"].first() if MADE not in set(main["panel"]) else (
        main[main["panel"] == MADE].set_index("series")["typical"]
    )  # fmt: skip
    return [
        *(name for name in (ADVISED, FITTED) if name in cost),
        *cost.drop([ADVISED, FITTED], errors="ignore").sort_values().index,
    ]


def _name(series: str) -> str:
    return LABELS.get(series, f"always {series.removeprefix(ONE)}")
