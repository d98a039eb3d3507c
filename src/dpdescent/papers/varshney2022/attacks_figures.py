"""Figure of varshney2022 on the parameters that attacks on one iteration and on whole runs attain."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022.attacks import COUNTS, GRADIENT, ITERATION, RELEASED
from dpdescent.papers.varshney2022.styles import in_order
from dpdescent.replication.drawing.figures import BLUE, DARK_BLUE, GREY, legend_below, panels, select
from dpdescent.replication.judging.statistics import Z95

MECHANISMS = (GRADIENT, COUNTS, RELEASED.format("corrected"), RELEASED.format("as published"), ITERATION)


def draw_audit(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the Gaussian-DP parameter mu that an attack attains, beside the accounted parameter."""
    main = select(table)
    names = in_order(main["mechanism"], MECHANISMS)
    figure, axes = panels(size=(14.4, 1.9 + 0.5 * len(names)))
    rows = main.drop_duplicates("mechanism").set_index("mechanism").loc[names]
    places = range(len(names))
    axes.hlines(places, 0.0, rows["accounted"], color=GREY, linewidth=0.7)
    marks = {"markersize": 22, "markeredgewidth": 2.2, "linestyle": "none"}
    axes.plot(rows["accounted"], places, "|", color="black", label=r"accounted $\mu$", **marks)
    axes.hlines(places, rows["q10"], rows["q90"], color=BLUE, alpha=0.35, linewidth=7, label="10 % to 90 % of trials")
    style = {"color": DARK_BLUE, "marker": "o", "linestyle": "none"}
    axes.errorbar(
        rows["mean"], places, xerr=Z95 * rows["se"], label=r"attained $\mu$: mean with 95 % interval", **style
    )
    for place, (_, row) in zip(places, rows.iterrows(), strict=True):
        text = f"{row['mean']:.3f} of {row['accounted']:.3f}"
        axes.annotate(text, (1.01, place), xycoords=axes.get_yaxis_transform(), va="center", fontsize=8)
    axes.set_yticks(places, names)
    axes.set(ylim=(max(len(names), 1) - 0.5, -0.5), xlabel=r"parameter $\mu$ of Gaussian DP")
    axes.set_xlim(left=0.0)
    axes.grid(visible=False, axis="y")
    legend_below(figure, [axes], 3)
    # Smaller than in the panel, because at that size it would overlap the axis label.
    for legend in figure.legends:
        for handle in legend.legend_handles:
            if isinstance(handle, Line2D) and handle.get_marker() == "|":
                handle.set_markersize(11)
    return figure
