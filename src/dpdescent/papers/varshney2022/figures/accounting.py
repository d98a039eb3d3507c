"""Figures of varshney2022 on privacy: noise multipliers by accountant, and lower bounds from attacks."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022.figures.styles import EPS, METHODS, SINGLE, in_order
from dpdescent.replication.drawing.figures import (
    BLUE,
    DARK_BLUE,
    FINE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    positive,
    scientific,
    select,
    values_of,
    where,
)
from dpdescent.replication.judging.statistics import Z95

EXACT = "Gaussian DP, disjoint"
ACCOUNTANTS = {
    "as published (Theorem 3.6, last form)": (SKY, "o"), "Theorem 3.6, first form": (ORANGE, "s"), "zCDP": (GREEN, "^"),
    "zCDP, disjoint": (VERMILION, "D"), EXACT: (BLUE, "v"),
}  # fmt: skip
SHUFFLED, PRINTED = "DP-SSGD, shuffled (explicit bound)", "Theorem 3.1, constant 1"
BY_SIZE = {SHUFFLED: METHODS[SINGLE][0], PRINTED: "black"}
DASHES: tuple[Any, ...] = ("-", "--", ":", "-.")
MAIN_DELTA = 1e-6
ALPHA = r"noise multiplier $\alpha$"
MECHANISMS = (
    "gradient step", "DP-STAT, noisy counts", "DP-STAT, released threshold (corrected)",
    "DP-STAT, released threshold (as published)", "one iteration as published",
)  # fmt: skip


def draw_multiplier(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws noise multipliers, the tight epsilon of each, and below their ratio to the exact one, a panel a delta.

    Accountants of batches stand left of those of shuffled records, which depend on the number of records.
    """
    figure, axes = panels(4, 2, size=(2.8, 3.6), squeeze=False)
    everything = positive(select(table))
    deltas = values_of(everything, "delta")
    delta = min(deltas, key=lambda each: abs(math.log(each / MAIN_DELTA)), default=MAIN_DELTA)
    main = where(everything, delta=delta)
    # Outside of its range Theorem 3.1 promises nothing, and what it would give fills the axis.
    inside = main[(main["series"] != PRINTED) | (main["eps"] <= np.sqrt(np.log(main["N"] / main["delta"]) / main["N"]))]
    multipliers, budgets, by_delta = axes[0, :2], axes[0, 2:], axes[1, : max(len(deltas), 1)]
    for curves, noise, budget in zip((_curves, _curves_by_size), multipliers, budgets, strict=True):
        curves(noise, main, main["mean"])
        curves(budget, inside, inside["eps_tight"] / inside["eps"])
        budget.axhline(1.0, color="black", linestyle="-.", linewidth=1.0, label="what is promised")
    for panel, each in zip(by_delta, deltas, strict=False):
        _costs(panel, where(everything, delta=each))
        panel.sharey(by_delta[0])
        panel.set_title(rf"over {EXACT}, $\delta={scientific(each)}$")
    for panel in axes.flat:
        panel.set_visible(panel in axes[0] or panel in by_delta)
    for panel in (*axes[0], *by_delta):
        log_scale(panel, "x")
        panel.set_xlabel(EPS)
    for panel in axes[0]:
        log_scale(panel, "y", FINE if panel is budgets[0] else (1, 2, 5))
    for (panel, budget), part in zip(zip(multipliers, budgets, strict=True), ("batches", "by $N$"), strict=True):
        panel.set_title(rf"noise, {part}, $\delta={scientific(delta)}$")
        budget.set_title(f"what it gives, {part}")
        # Cut to ratios from 0.01 (more noise than needed) to 10^4 (promise not kept), others would flatten these.
        _cap(budget)
    multipliers[0].set_ylabel(ALPHA)
    budgets[0].set_ylabel(r"tight $\varepsilon$ over the promised one")
    by_delta[0].set_ylabel(rf"ratio of {ALPHA}")
    legend_below(figure, axes.flat, 3)
    return figure


def _shown(rows: pd.DataFrame, values: "pd.Series[float]") -> pd.DataFrame:
    return positive(rows.assign(shown=values), "shown").sort_values("eps")


def _curves(axes: Axes, rows: pd.DataFrame, values: "pd.Series[float]") -> None:
    """Draws one curve for each accountant of batches."""
    rows = _shown(rows, values)
    for name, (color, marker) in ACCOUNTANTS.items():
        own = where(rows, series=name)
        if len(own):
            axes.plot(own["eps"], own["shown"], color=color, marker=marker, label=name)


def _curves_by_size(axes: Axes, rows: pd.DataFrame, values: "pd.Series[float]") -> None:
    """Draws one curve for each accountant that uses shuffling and each number of records."""
    rows = _shown(rows, values)
    sizes = values_of(rows, "N")
    for name, color in BY_SIZE.items():
        for size, dash in zip(sizes, DASHES, strict=False):
            own = where(rows, series=name, N=size)
            if len(own):
                label = rf"{name}, $N={scientific(size)}$"
                axes.plot(own["eps"], own["shown"], color=color, linestyle=dash, linewidth=1.2, label=label)
                _end_of_range(axes, own, name, size)


def _end_of_range(axes: Axes, rows: pd.DataFrame, name: str, size: float) -> None:
    """Marks the points in the range of Theorem 3.1, epsilon <= sqrt(log(N/delta)/N)."""
    covered = rows[rows["eps"] <= np.sqrt(np.log(size / rows["delta"]) / size)]
    if name == PRINTED and len(covered):
        axes.plot(covered["eps"], covered["shown"], "o", color="black", markersize=5, label="in Theorem 3.1's range")


def _cap(axes: Axes) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 1e-2), min(high, 1e4))


def _costs(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws multipliers at one delta over the exact one."""
    exact = where(rows, series=EXACT).set_index("eps")["mean"]
    for name, (color, marker) in ACCOUNTANTS.items():
        own = where(rows, series=name).sort_values("eps")
        if len(own) and name != EXACT:
            axes.plot(
                own["eps"], own["mean"] / exact.reindex(own["eps"]).array, color=color, marker=marker, markersize=3
            )
    axes.axhline(1.0, color=ACCOUNTANTS[EXACT][0], linewidth=1.0)


def draw_audit(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the Gaussian DP parameter mu that an attack attains, beside the accounted one."""
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
