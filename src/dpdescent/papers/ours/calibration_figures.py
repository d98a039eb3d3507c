"""Figure on exact calibration: errors over those of the runs as published."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.ours.calibration import EXACT, GAP, HAT, PUBLISHED, SCHEDULED, TRUTH
from dpdescent.papers.ours.criteria import over_expected
from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, legend_below, log_scale, panels, select
from dpdescent.replication.judging import algebra

STYLES = {EXACT: (BLUE, "o"), SCHEDULED: (GREEN, "s")}
TARGETS = {HAT: r"distance to $\hat\theta$, ratio", TRUTH: r"distance to $\theta^*$, ratio"}
FIGURES = {
    "Figure 1, p = 10": "Figure 1",
    "Figure 1, p = 100": "Figure 1",
    "Figure 2": "Figure 2",
    "Figure 8a": "Figure 8(a)",
}
PLACE = ["panel", "n", "p", "estimate"]


def draw_calibration(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws ratios of root mean squares against n, a row a target and a column a figure of brown2024."""
    main = select(table).assign(figure=lambda rows: rows["panel"].map(FIGURES))
    names = list(dict.fromkeys(main["figure"]))
    figure, axes = panels(len(names), 2, size=(4.2, 3.3), squeeze=False, sharey=True)
    for row, (target, label) in zip(axes, TARGETS.items(), strict=True):
        for panel, name in zip(row, names, strict=True):
            rows = main[(main["figure"] == name) & (main["estimate"] == target)]
            _ratios(panel, rows)
            log_scale(panel, "x")
            panel.set_xlabel("sample size $n$" + (" $= 100p$" if name == "Figure 1" else ""))
            panel.set_title(rf"brown2024, {name}: $\rho={rows['rho'].iloc[0]:g}$")
        row[0].set_ylabel(label)
    axes[0][0].set_ylim(0.0, 1.08)
    legend_below(figure, [axes[0][0]], 3, "lines: predicted, without clipping; dotted: one over the ratio of noises")
    return figure


def _ratios(axes: Any, rows: pd.DataFrame) -> None:
    published = rows[rows["series"] == PUBLISHED]
    axes.axhline(1.0, color=GREY, linewidth=0.9)
    axes.axhline(1.0 / rows["noise_ratio"].max(), color=GREY, linestyle=":", linewidth=0.9)
    for series, (color, marker) in STYLES.items():
        pairs = algebra.paired_rows(rows[rows["series"] == series].sort_values("n"), published, PLACE)
        n, predicted = [one["n"] for one, _ in pairs], [one["predicted"] / other["predicted"] for one, other in pairs]
        axes.plot(n, np.sqrt(predicted), color=color, linewidth=0.9)
        gaps = {gap["n"]: over_expected(gap) for _, gap in rows[rows["series"] == GAP.format(series)].iterrows()}
        for size, ratio in zip(n, predicted, strict=True):
            if size in gaps:
                found = [ratio * max(each, 0.0) for each in (gaps[size].value, gaps[size].low, gaps[size].high)]
                middle, low, high = np.sqrt(found)
                ends = [[middle - low], [high - middle]]
                axes.errorbar([size], [middle], yerr=ends, color=color, marker=marker, linestyle="none", label=series)
