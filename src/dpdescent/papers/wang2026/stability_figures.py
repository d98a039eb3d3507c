"""The figure of wang2026 on two runs that differ in one record."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.stability import BOUND, DISTANCE, PLAIN
from dpdescent.papers.wang2026.styles import by_values, caption, curve, finish, noise_label
from dpdescent.replication.drawing.figures import BLUE, ORANGE, VERMILION, log_scale, panels, select, where


def draw_stability(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the distance of runs that differ in one record against t beside its bounds, one panel for each noise."""
    main = select(table)
    runs = [key for key, _ in by_values(main[(main["kappa"] > 0) | (main["lam"] == 0)], "kappa", "lam")] or [(0.0, 0.0)]
    figure, axes = panels(len(runs), size=(4.8, 4.0), squeeze=False, sharey=True)
    looks: dict[str, dict[str, Any]] = {
        BOUND: {"color": VERMILION, "marker": "^"}, PLAIN: {"color": ORANGE, "marker": "v"},
        DISTANCE: {"color": BLUE, "marker": "o"},
    }  # fmt: skip
    names = {BOUND: "bound of Theorem C.22", PLAIN: r"bound without its factor $e$"}
    for panel, (kappa, lam) in zip(axes[0], runs, strict=True):
        rows = where(main, kappa=kappa, lam=lam)
        for series, style in looks.items():
            label = names.get(series, r"measured: mean over $i$ of $\|W_t-W_t^{(i)}\|$")
            curve(panel, where(rows, series=series), "t", label, **style)
        panel.set(title=noise_label(kappa, lam), xlabel="step $t$", ylabel="distance of the runs")
    for panel in axes[0]:
        log_scale(panel, "y")
    claim = "Theorem C.22 bounds the distance by the losses along the run; both runs have the same noise"
    finish(figure, axes[0], 3, claim, caption(main, "n", "T", "B", "m", "d", "eta", "C_clip"))
    return figure
