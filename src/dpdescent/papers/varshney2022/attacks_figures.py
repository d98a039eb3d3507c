"""Figure of varshney2022 on the parameters that attacks on one iteration and on whole runs attain."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from dpdescent.papers.varshney2022.attacks import ADDED, COUNTS, GRADIENT, ITERATION, RELEASED, RUN, is_added
from dpdescent.papers.varshney2022.styles import in_order
from dpdescent.replication.drawing.figures import BLUE, DARK_BLUE, GREY, legend_below, panels, select
from dpdescent.replication.judging.statistics import Z95

SINGLE = (GRADIENT, COUNTS, RELEASED.format("corrected"), RELEASED.format("as published"), ITERATION)
# More iterations than any whole run has, in their order.
LONGEST = 100
MECHANISMS = (*SINGLE, *(name.format(T) for name in (RUN, ADDED) for T in range(1, LONGEST + 1)))


def draw_audit(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the Gaussian-DP parameter mu that an attack attains, beside the accounted parameter."""
    main = select(table)
    names = in_order(main["mechanism"], MECHANISMS)
    figure, axes = panels(size=(14.4, 1.9 + 0.5 * len(names)))
    rows = main.drop_duplicates("mechanism").set_index("mechanism").loc[names]
    places = range(len(names))
    low = 0.6 * min(rows["accounted"].min(), rows["q10"].min()) if len(rows) else 0.1
    axes.hlines(places, low, rows["accounted"], color=GREY, linewidth=0.7)
    marks = {"markersize": 22, "markeredgewidth": 2.2, "linestyle": "none"}
    axes.plot(rows["accounted"], places, "|", color="black", label=r"accounted $\mu$", **marks)
    axes.hlines(places, rows["q10"], rows["q90"], color=BLUE, alpha=0.35, linewidth=7, label="10 % to 90 % of trials")
    added = np.array([is_added(name) for name in names], dtype=bool)
    style = {"color": DARK_BLUE, "marker": "o", "linestyle": "none"}
    for kind, fill, words in ((~added, DARK_BLUE, "a replaced record"), (added, "white", "an added record")):
        label = rf"attained $\mu$, {words}: mean with 95 % interval"
        axes.errorbar(
            rows["mean"][kind], np.flatnonzero(kind), xerr=Z95 * rows["se"][kind], markerfacecolor=fill, label=label, **style,
        )  # fmt: skip
    for place, (_, row) in zip(places, rows.iterrows(), strict=True):
        text = f"{row['mean']:.3f} of {row['accounted']:.3f}"
        axes.annotate(text, (1.01, place), xycoords=axes.get_yaxis_transform(), va="center", fontsize=8)
    axes.set_yticks(places, names)
    axes.set(ylim=(max(len(names), 1) - 0.5, -0.5), xlabel=r"parameter $\mu$ of Gaussian DP")
    axes.set_xscale("log")
    axes.set_xlim(left=low)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=False, axis="y")
    legend_below(figure, [axes], 3)
    # Smaller than in the panel, because at that size it would overlap the axis label.
    for legend in figure.legends:
        for handle in legend.legend_handles:
            if isinstance(handle, Line2D) and handle.get_marker() == "|":
                handle.set_markersize(11)
    return figure
