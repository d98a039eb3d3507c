"""Figure on Anderson-Rubin sets."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.iv_intervals_figures import NOMINAL, heights_of, key_of, label_rows, rows_at
from dpdescent.papers.ours.iv_sets import CLASSICAL, INTERVAL, PRIVATE, RATIO
from dpdescent.replication.drawing.figures import BLACK, BLUE, GREY, legend_below, log_scale, panels, select
from dpdescent.replication.judging.statistics import half_widths

STYLES = {INTERVAL: (BLACK, "D"), CLASSICAL: (GREY, "^"), PRIVATE: (BLUE, "s")}
LABELS = {INTERVAL: "2SLS, not private", CLASSICAL: "Anderson-Rubin, not private", PRIVATE: "Anderson-Rubin, private"}
HELD_TO, MOSTLY = 0.92, 0.5


def draw_iv_weak(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage, length over that of 2SLS, and the share of unbounded sets, one row a cell of the design."""
    main = select(table)
    heights = heights_of(main)
    figure, ((left, middle, right),) = panels(3, size=(3.9, 1.2 + 0.24 * len(heights)), sharey=True)
    for offset, (series, (color, marker)) in enumerate(STYLES.items()):
        rows, ratios = (main[main["series"] == name] for name in (series, f"{series}: {RATIO}"))
        look = {"color": color, "marker": marker, "markersize": 4.5, "linestyle": "none"}
        for row, half in zip(rows.to_dict("records"), half_widths(rows), strict=True):
            y = heights[key_of(row)] + 0.2 * (1.0 - offset)
            left.errorbar([row["mean"]], [y], xerr=[[half], [half]], label=LABELS[series], **look)
            if series != INTERVAL:
                right.plot([row["unbounded"]], [y], **look)
            for ratio in rows_at(ratios, row).to_dict("records") if row["unbounded"] <= MOSTLY else []:
                ends = [[ratio["median"] - ratio["median_low"]], [ratio["median_high"] - ratio["median"]]]
                middle.errorbar([ratio["median"]], [y], xerr=ends, **look)
    left.axvspan(HELD_TO, 1.0, color=BLUE, alpha=0.10, linewidth=0)
    left.axvline(NOMINAL, color=GREY, linestyle="--", linewidth=0.9)
    middle.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
    left.set_xlabel("coverage of 95 % sets")
    log_scale(middle, "x")
    middle.set_xlabel("median half length over that of 2SLS")
    right.set(xlabel="share of unbounded sets", xlim=(-0.03, 1.03))
    label_rows((left, middle, right), heights)
    legend_below(figure, [left], 3)
    return figure
