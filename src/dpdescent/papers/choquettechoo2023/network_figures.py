"""The drawing of Figure 4(a) with the paper's network."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.digits_figures import BUDGET, mechanism_label
from dpdescent.papers.choquettechoo2023.images_figures import ACCURACY, stars
from dpdescent.papers.choquettechoo2023.styles import in_order, look
from dpdescent.replication.drawing.figures import legend_below, panels, select
from dpdescent.replication.judging.statistics import half_widths


def draw_fig04a_cifar10_net(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws accuracies of the paper's network at best rates beside the published ones, and all runs by their rates."""
    rows = select(table, series="test accuracy")
    rows = rows.assign(mean=100 * rows["mean"])
    budgets = sorted(set(rows["eps"]))
    figure, (axes,) = panels(1 + max(len(budgets), 1), size=(4.2, 4.4))
    axes[0].set(title="at the rate of the best mean", xlabel=BUDGET, ylabel=ACCURACY)
    names = in_order(rows["mechanism"])
    for rank, name in enumerate(names):
        own = rows[rows["mechanism"] == name].sort_values(["eps", "learning_rate", "repeat"])
        by_rate = own.groupby(["eps", "learning_rate"], as_index=False)["mean"].agg(
            mean="mean", se="sem", trials="count"
        )
        best = by_rate.loc[by_rate.groupby("eps")["mean"].idxmax()]
        aside = 0.12 * (rank - (len(names) - 1) / 2)
        style = look(name)
        axes[0].errorbar(
            best["eps"] + aside, best["mean"], yerr=half_widths(best), label=mechanism_label(name, own), **style
        )
        for panel, eps in zip(axes[1:], budgets, strict=False):
            through, chosen = by_rate[by_rate["eps"] == eps], own[own["eps"] == eps]
            panel.plot(through["learning_rate"], through["mean"], **style | {"marker": ""})
            panel.plot(chosen["learning_rate"], chosen["mean"], **style | {"linestyle": ""})
            panel.set(title=rf"rates, $\varepsilon = {eps:g}$", xlabel="learning rate", ylabel=ACCURACY, xscale="log")
    stars(axes[0], display.get("published", {}).get("cifar", {}))
    devices = ", ".join(sorted(set(map(str, rows["device"]))))
    legend_below(
        figure,
        [axes[0]],
        4,
        f"left, means with Student's 95 % interval; right, every run, and lines through means; on {devices or 'no device'}",
    )
    return figure
