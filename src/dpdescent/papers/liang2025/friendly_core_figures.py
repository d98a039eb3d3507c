"""The figure of liang2025 on FriendlyCore beside DP-2S-GD."""

from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, SPLITS, N
from dpdescent.replication.drawing.figures import (
    MARKERS,
    METHODS,
    legend_below,
    log_scale,
    median_curve,
    panels,
    select,
)

CORE = "FriendlyCore-2SLS"
# Colours of DP-2S-GD at a smaller and at the larger number of iterations.
FEWER_STEPS = (SPLITS[1.0], METHODS["DP-2S-GD"])
MEDIANS = "points: median with 95 % interval; shade: quartiles"


def draw_ext_friendlycore(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws DP-2S-GD beside FriendlyCore, a panel a total budget, and the share of records that FriendlyCore keeps."""
    budgets = select(table).groupby("rho")
    figure, (axes,) = panels(len(budgets) + 1, size=(5.6, 3.5))
    *errors, shares = axes
    lines = zip(MARKERS, cycle((":", "--", "-")), strict=False)
    for panel, (rho, group), (marker, line) in zip(errors, budgets, lines, strict=False):
        panel.sharey(errors[0])
        _beside_core(panel, group)
        core = group[group["series"] == CORE].sort_values("n")
        look: dict[str, Any] = {"color": METHODS[CORE], "marker": marker, "linestyle": line}
        shares.plot(core["n"], core["records_used"] / core["n"], label=rf"share at $\rho={rho:g}$", **look)
        failed, note = core[core["failed"] > 0], "core too small in some or all runs"
        for place, height in ((panel, failed["median"]), (shares, failed["records_used"] / failed["n"])):
            place.plot(failed["n"], height, "x", color="black", markersize=9, label=note)
        log_scale(panel)
        panel.set(title=rf"total budget $\rho={rho:g}$", xlabel=N, ylabel=ERROR["beta_hat"])
    log_scale(shares, "x")
    shares.set(title="core of FriendlyCore", xlabel=N, ylabel="share of the records", ylim=(-0.03, 1.03))
    for panel in axes:
        panel.set_xticks(sorted(set(table["n"])))
    legend_below(figure, axes, 4, MEDIANS)
    return figure


def _beside_core(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws DP-2S-GD by number of iterations, lighter for fewer, and FriendlyCore."""
    runs = [*rows[rows["T"] > 0].groupby("T"), (0, rows[rows["series"] == CORE])]
    colors = (*FEWER_STEPS[-len(runs) + 1 :], METHODS[CORE])
    for (T, own), color, marker in zip(runs, colors, MARKERS, strict=False):
        label = f"DP-2S-GD, $T={T}$" if T else "FriendlyCore"
        median_curve(axes, own, "n", label, color=color, marker=marker)
