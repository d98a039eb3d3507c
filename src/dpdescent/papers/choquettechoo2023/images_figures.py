"""The drawings of Figure 4(a) on real images: by a linear model, and its rates."""

import re
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.digits_figures import (
    FAR,
    LEAD,
    NU_LABEL,
    OVER_FAR,
    OVER_PLAIN,
    SHORT,
    accuracy_panel,
    beside_paper,
    in_paper,
    in_percent,
    mechanism_label,
)  # fmt: skip
from dpdescent.papers.choquettechoo2023.styles import INTERVALS, color_of, in_order, look
from dpdescent.replication.drawing.figures import legend_below, panels, select, variants_of
from dpdescent.replication.judging.statistics import Z95

ACCURACY, HELD_OUT = "test accuracy, %", "held-out accuracy, %"
# Markers of feature maps other than the headline's.
MARKERS = ("s", "^", "v")


def draw_fig04a_cifar10(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws test accuracies beside the published ones, which are of a deep net, and the lead of nu-DP-FTRL."""
    return _learning(table, display.get("published", {}).get("cifar", {}))


def draw_fig04a_fashion(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws test accuracies and the lead of nu-DP-FTRL; nothing is published on these images."""
    return _learning(table, {})


def _learning(table: pd.DataFrame, published: dict[str, Any]) -> Figure:
    accuracy, ahead = in_percent(select(table))
    figure, axes = panels(2, 3, size=(6.4, 4.0))
    far = ahead["mechanism"].isin(FAR)
    accuracy_panel(axes[0, 0], "scattering features", ACCURACY, in_paper(accuracy))
    stars(axes[0, 0], published)
    accuracy_panel(axes[0, 1], f"lead of {NU_LABEL}", LEAD, in_paper(ahead))
    accuracy_panel(axes[1, 0], "other mechanisms", ACCURACY, beside_paper(accuracy))
    accuracy_panel(axes[1, 1], OVER_PLAIN, LEAD, beside_paper(ahead[~far]))
    accuracy_panel(axes[2, 0], OVER_FAR, LEAD, ahead[far])
    _features(axes[2, 1], table)
    legend_below(figure, axes.ravel(), 4, f"{INTERVALS} over seeds; differences are of runs with the same seed")
    return figure


def stars(axes: Axes, published: dict[str, Any]) -> None:
    """Draws a star in the mechanism's colour for each accuracy that the paper prints of its deep net."""
    star: dict[str, Any] = {"marker": "*", "markersize": 11, "markeredgecolor": "black", "linestyle": "none"}
    shorts = {"nu": "nu-DP-FTRL", **SHORT}
    for key, value in published.items():
        if (match := re.fullmatch(r"(nu|me|dp_sgd)_at_(\d+)", key)) is not None:
            axes.plot(float(match[2]), 100 * value, color=color_of(shorts[match[1]]), zorder=4, **star)
    if published:
        axes.plot([], [], color="white", label="published, of a convolutional net", **star)


def _features(axes: Axes, table: pd.DataFrame) -> None:
    """Draws the lead at the variants' epsilon on each feature map, a line for every mechanism."""
    names = variants_of(table)
    budgets = set(table.loc[table["variant"] != "main", "eps"])
    ahead = in_percent(table[table["eps"].isin(budgets)])[1]
    ahead = ahead[~ahead["mechanism"].isin(FAR)]
    mechanisms = in_order(ahead["mechanism"])[::-1]
    for rank, name in enumerate(names):
        rows = select(ahead, name).set_index("mechanism").reindex(mechanisms)
        heights = [position + 0.22 * (rank - (len(names) - 1) / 2) for position in range(len(mechanisms))]
        axes.errorbar(
            rows["mean"], heights, xerr=Z95 * rows["se"], linestyle="none", marker=("o", *MARKERS)[rank], color="black",
            markerfacecolor="black" if rank == 0 else "white", markersize=4.5, elinewidth=0.9,
            label="scattering" if name == "main" else name,
        )  # fmt: skip
    axes.axvline(0.0, color=color_of("nu-DP-FTRL"), linewidth=1.2)
    copies = ahead.groupby("mechanism")
    axes.set_yticks(
        range(len(mechanisms)), [mechanism_label(mechanism, copies.get_group(mechanism)) for mechanism in mechanisms]
    )
    axes.tick_params(axis="y", labelsize=7.5)
    title = ", ".join(rf"$\varepsilon = {eps:g}$" for eps in sorted(budgets))
    axes.set(title=f"feature maps, {title}", xlabel=LEAD, ylabel="mechanism")


def draw_rates(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the held-out accuracy against the learning rate, a column for each epsilon, other mechanisms below."""
    rows = select(table)
    rows = rows.assign(mean=100 * rows["mean"])
    budgets = sorted(set(rows["eps"]))
    figure, axes = panels(max(len(budgets), 1), 2, size=(5.6, 3.6), squeeze=False)
    for column, eps in zip(axes.T, budgets, strict=False):
        own = rows[rows["eps"] == eps]
        for panel, chosen, which in zip(
            column, (in_paper(own), beside_paper(own)), ("", ", other mechanisms"), strict=True
        ):
            for name in in_order(chosen["mechanism"]):
                curve = chosen[chosen["mechanism"] == name].sort_values("learning_rate")
                panel.plot(curve["learning_rate"], curve["mean"], label=mechanism_label(name, curve), **look(name))
            panel.set(title=rf"$\varepsilon = {eps:g}${which}", xscale="log")
    for panel in axes.flat:
        panel.set(xlabel="learning rate", ylabel=HELD_OUT)
    legend_below(figure, axes.flat, 4, "points: mean over seeds; without momentum rates are larger")
    return figure


draw_fig04a_cifar10_rates = draw_fig04a_fashion_rates = draw_rates
