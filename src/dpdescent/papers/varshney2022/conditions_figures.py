"""Figures of varshney2022 on its conditions: the N that they require, and moments of normal covariates."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.styles import D, text_of
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import GREY, MARKERS, VERMILION, log_scale, panels, select, values_of, where

STATISTIC, BATCH, STATIONARY = "s >= 2 Gamma", "batch condition of Lemma 3.11", "eta mu N / 2 >= log N"
NEEDED, EXACT = "smallest N", "smallest N, exact alpha"
WIDTHS = {
    "B / N^200": (VERMILION, "$B/N^{200}$"),
    "B / N^100": (figures.BLUE, "$B/N^{100}$"),
    "B / N": (figures.GREEN, "$B/N$"),
}
EXPERIMENTS = (1e4, 1e6)
CONDITIONS, CHANCE = ("R_x^2", "E[B'HB] against H", "E[B'B] against I - eta H"), "P(|x|^2 > d log 1/beta) / beta"
# Dimension with marks; others have thin lines.
MAIN_D = 10
# Smallest ratio of a probability to the claimed one in the panel.
LEAST = 1e-9
# Least room above and below 0.
ROOM = 0.02


def draw_feasibility(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the smallest N by condition, with the noise multiplier as published (full) and exact (hollow)."""
    main = figures.positive(select(table))
    figure, axes = panels(3, size=(4.6, 4.2), squeeze=False, sharey=True)
    statistic, batch, stationary = axes[0]
    rows = where(main, condition=STATISTIC)
    for (width, (color, name)), marker in zip(WIDTHS.items(), MARKERS, strict=False):
        _two_multipliers(statistic, where(rows, width=width), "c1", rf"$\Delta=${name}", color, marker)
    rows = where(main, condition=BATCH)
    constants = values_of(rows, "c1")
    for c1, color, marker in zip(constants, figures.shades(len(constants)), MARKERS[::-1], strict=False):
        _two_multipliers(batch, where(rows, c1=c1), "d", rf"$c_1={c1:g}$", color, marker)
    _two_multipliers(stationary, where(main, condition=STATIONARY), "d", "Theorem 3.2's step", "black", "X")
    for panel in axes[0]:
        panel.axhspan(*EXPERIMENTS, color=GREY, alpha=0.2, linewidth=0, label="$N$ of most experiments here")
        log_scale(panel)
        panel.set(ylabel="smallest $N$", xlabel=D)
    statistic.set(title=r"$s\geq2\Gamma$ (Lemma 3.10)", xlabel=r"constant $c_1$ of $T=c_1\kappa\,\log N$")
    batch.set_title("condition on $b$ (Lemma 3.11)")
    stationary.set_title(r"$\eta\mu N/2\geq\log N$ (DP-SSGD, Theorem 3.2)")
    figures.legend_below(figure, axes[0], 4, r"full: $\alpha$ as published; hollow: exact $\alpha$")
    return figure


def _two_multipliers(axes: Axes, rows: pd.DataFrame, x: str, label: str, color: str, marker: str) -> None:
    """Draws the least N with either noise multiplier."""
    for series, dash, fill in ((NEEDED, "-", color), (EXACT, "--", "white")):
        curve = where(rows, series=series).sort_values(x)
        if len(curve):
            style: dict[str, Any] = {"color": color, "marker": marker, "linestyle": dash, "markerfacecolor": fill}
            axes.plot(curve[x], curve["mean"], label=label if series == NEEDED else None, **style)


def draw_moments(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws R_x^2 and the tail of |x|^2 divided by claimed values, and the coefficients of (44) minus claimed ones."""
    figure, axes = panels(3, size=(4.1, 4.0), squeeze=False)
    bound, tail, weighted = axes[0]
    main = select(table)
    rows = where(main, quantity=CONDITIONS[0])
    ratio = rows.assign(mean=rows["mean"] / rows["claimed"])
    conditions = values_of(main, "kappa")
    styles = list(zip(conditions, figures.shades(len(conditions)), MARKERS * len(conditions), strict=False))
    for kappa, color, marker in styles:
        curve = where(ratio, kappa=kappa).sort_values("d")
        bound.plot(curve["d"], curve["mean"], color=color, marker=marker, label=rf"$\kappa={kappa:g}$")
    _chances(tail, where(main, quantity=CHANCE))
    _excess(weighted, where(main, quantity=CONDITIONS[1]), styles)
    weighted.set(xlabel="batch size $b$", ylabel="exact minus claimed")
    for panel in (bound, tail):
        panel.axhline(1.0, color="black", linestyle="-.", linewidth=1.0, label="as claimed")
        log_scale(panel)
    chances = where(main, quantity=CHANCE)["mean"]
    # Not what the axis takes by itself, because a chance of zero makes it symmetric about 1.
    tail.set_ylim(LEAST, 10.0 * max(1.0, chances.max()) if len(chances) else 10.0)
    bound.set(title=r"$R_x^2$ over Corollary 3.3's $\mathrm{Tr}\,H$", xlabel=D, ylabel="ratio")
    tail.set(title=r"(2): $P(\|x\|^2>d\,\log(1/\beta))$ over $\beta$", xlabel=r"$\beta$", ylabel="ratio")
    weighted.set_title(r"(44): $E[B^\top HB]\preceq(1-\eta\mu)H$")
    figures.legend_below(figure, axes[0], 6)
    return figure


def _chances(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the tail of |x|^2 divided by the claimed one; the claim fails above 1."""
    dimensions = values_of(rows, "d")
    for d, marker, dash in zip(dimensions, MARKERS, ("-", "--", "-.", ":", (0, (5, 1))), strict=False):
        curve = figures.positive(where(rows, d=d)).sort_values("beta")
        color = VERMILION if (curve["mean"] > curve["claimed"] * (1 + 1e-9)).any() else GREY
        if (curve["mean"] >= LEAST).any():
            axes.plot(curve["beta"], curve["mean"], color=color, marker=marker, linestyle=dash, label=f"$d={d:g}$")


def _excess(axes: Axes, rows: pd.DataFrame, conditions: list[tuple[float, str, str]]) -> None:
    """Draws exact minus claimed coefficients against the batch size; by the claim these differences are at most 0.

    The main dimension has marks, others have thin lines.
    """
    dimensions = values_of(rows, "d")
    main = min(dimensions, key=lambda d: abs(d - MAIN_D)) if dimensions else MAIN_D
    for kappa, color, marker in conditions:
        for d in dimensions:
            curve = where(rows, kappa=kappa, d=d).sort_values("b")
            style: dict[str, Any] = {"marker": marker} if d == main else {"linewidth": 0.6, "alpha": 0.7}
            axes.plot(curve["b"], curve["mean"] - curve["claimed"], color=color, **style)
    axes.axhline(0.0, color="black", linestyle="-.", linewidth=1.0)
    # Room on both sides of 0, because the lemma is an equality for some H.
    low, high = axes.get_ylim()
    low, high = min(low, -ROOM), max(high, ROOM)
    axes.axhspan(0.0, high, color=VERMILION, alpha=0.08, linewidth=0, label="the claim fails")
    axes.set_ylim(low, high)
    axes.plot([], [], color=GREY, linewidth=0.6, label=f"thin: $d$ other than {text_of(main)}")
    log_scale(axes, "x")
