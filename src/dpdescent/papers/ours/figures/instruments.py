"""Figures on intervals for instrumental-variable estimates."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.experiments.iv_coverage import CLASSICAL, ORACLE, OURS, PUBLISHED, REFUSED
from dpdescent.papers.ours.figures import rows_of_cells as layout
from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    select,
)
from dpdescent.replication.judging.statistics import half_widths

STYLES = {CLASSICAL: (BLACK, "D"), PUBLISHED: (VERMILION, "o"), ORACLE: (SKY, "^"), OURS: (BLUE, "s")}
LABELS = {OURS: "DP-IV-GD, public rule", CLASSICAL: "2SLS, not private"}
NOMINAL, HELD_TO = 0.95, (0.92, 0.98)
MANY_REFUSED = 0.1


def draw_iv_coverage(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage, and length over that of 2SLS, one row a cell of the design."""
    main = select(table)
    places = layout.places(main)
    figure, ((left, right),) = panels(2, size=(5.2, 1.2 + 0.22 * len(places)), sharey=True)
    for offset, (series, (color, marker)) in enumerate(STYLES.items()):
        rows = main[main["series"] == series]
        refused = main[main["series"] == f"{series}: {REFUSED}"]
        for row, half in zip(rows.to_dict("records"), half_widths(rows), strict=True):
            y = places[layout.key(row)] + 0.16 * (1.5 - offset)
            hollow = _share(refused, row) > MANY_REFUSED
            look = {
                "color": color,
                "marker": marker,
                "markersize": 4.5,
                "markerfacecolor": "white" if hollow else color,
            }
            left.errorbar([row["mean"]], [y], xerr=[[half], [half]], label=LABELS.get(series, series), **look)
            base = layout.of(main[main["series"] == CLASSICAL], row)
            if len(base) and np.isfinite(row["half_width"]):
                right.plot([row["half_width"] / base["half_width"].iloc[0]], [y], linestyle="none", **look)
    left.axvspan(*HELD_TO, color=BLUE, alpha=0.10, linewidth=0)
    left.axvline(NOMINAL, color=GREY, linestyle="--", linewidth=0.9)
    right.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
    left.set_yticks(list(places.values()), [layout.name(key) for key in places])
    left.set(xlabel="coverage of 95 % intervals", xlim=(-0.02, 1.02), ylim=(-len(places) + 0.4, 0.6))
    log_scale(right, "x")
    right.set_xlabel("mean half width over that of 2SLS")
    layout.separate((left, right), places)
    legend_below(figure, [left], 4, "bars: 95 % intervals over runs; hollow: more than a tenth refused")
    return figure


def _share(refused: pd.DataFrame, row: dict[str, Any]) -> float:
    """Share of the intervals of a row that were refused."""
    found = layout.of(refused, row)
    return float(found["mean"].iloc[0]) if len(found) else 0.0
