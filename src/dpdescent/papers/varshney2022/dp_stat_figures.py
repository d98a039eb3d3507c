"""Figure of varshney2022 on DP-STAT: its threshold by rule, and Lemma 3.10."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.styles import RULES, in_order, look
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import GREY, log_scale, panels, positive, select, values_of, where

STATISTIC = "records of DP-STAT $s$"
RATIO = r"$\gamma/\gamma^*$"
GUARANTEES = {
    "first half": "Lemma 3.10,\nfirst half", "second half": "Lemma 3.10,\nsecond half",
    "corrected guarantee": "guarantee of\nthe corrected\nrule",
}  # fmt: skip
# Values at which histograms and other panels are drawn; the nearest one of the grid is taken.
MAIN = {"s": 2000, "levels": 20, "alpha": 4.2}


def draw_alg_stat(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws histograms of the threshold by rule, a row for each alpha on its moments, and the shares of Lemma 3.10."""
    main = select(table)
    levels, alphas = values_of(main, "levels")[:4], values_of(main, "alpha")
    figure, axes = panels(max(len(levels), 3), 1 + max(len(alphas), 1), size=(4.7, 3.3), squeeze=False)
    s, alpha, level = (_nearest(main, name) for name in ("s", "alpha", "levels"))
    for panel, L in zip(axes[0], levels, strict=False):
        _histogram(panel, where(main, series="share", s=s, alpha=alpha, levels=L))
        panel.set_title(rf"$L={L:g}$, $s={s:g}$, $\alpha={alpha:g}$")
    for panel in axes[0]:
        log_scale(panel, "y")
        panel.set(xlabel=f"$\\log_2$ of {RATIO}", ylabel="share of draws")
    for (overshoots, moments), row_alpha in zip(axes[1:, :2], alphas, strict=False):
        _by_rule(overshoots, where(main, series="overshoot", levels=level, alpha=row_alpha), "s")
        overshoots.set(title=rf"overshoot, $L={level:g}$, $\alpha={row_alpha:g}$", xlabel=STATISTIC)
        overshoots.set_ylabel(r"$P(\gamma\geq2\gamma^*)$")
        _by_rule(moments, where(main, series="mean square ratio", s=s, alpha=row_alpha), "levels")
        moments.set(title=rf"second moment, $s={s:g}$, $\alpha={row_alpha:g}$", xlabel="number of doublings $L$")
        moments.set_ylabel(rf"$E$ ({RATIO})$^2$")
    for column in axes[1:, :2].T:
        for panel in column[1:]:
            panel.sharey(column[0])
    places = axes[0, 0].get_gridspec()[1:, 2]
    for panel in axes[1:, 2:].flat:
        panel.remove()
    guarantees = figure.add_subplot(places)
    _guarantees(guarantees, main, {"s": s, "levels": level, "alpha": alpha}, display)
    figures.legend_below(figure, figure.axes, 4, "points: mean with standard error")
    return figure


def _nearest(rows: pd.DataFrame, name: str) -> float:
    """Returns the value of the grid that is nearest to the main one."""
    values = values_of(rows, name)
    return min(values, key=lambda value: abs(value - MAIN[name])) if values else MAIN[name]


def _histogram(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws shares by octave, and 2^{-k-1}, because the printed rule stops with chance 1/2 at levels from gamma* on."""
    names = in_order(rows["rule"], RULES)
    for rank, name in enumerate(names):
        shares = where(rows, rule=name).sort_values("octaves")
        heights = shares["mean"].where(shares["mean"] > 0)
        # Side by side, because several rules agree.
        beside = shares["octaves"] + 0.09 * (rank - (len(names) - 1) / 2)
        axes.errorbar(beside, heights, yerr=shares["se"], label=name, **look(name, RULES))
    octaves = np.array([octave for octave in values_of(rows, "octaves") if octave >= 0])
    if len(octaves):
        guess = 2.0 ** -(octaves + 1)
        label = "$2^{-k-1}$: a fair coin at every level from $\\gamma^*$ on"
        axes.plot(octaves, guess, color="black", linestyle=":", linewidth=1.1, label=label)
    axes.axvline(0.0, color=GREY, linewidth=0.8)


def _by_rule(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draws a quantity by rule; zeros are marks at the foot."""
    for name in in_order(rows["rule"], RULES):
        points, style = where(rows, rule=name).sort_values(x), look(name, RULES) | {"linestyle": "-"}
        above, zero = positive(points), points[points["mean"] == 0]
        if len(above):
            axes.errorbar(above[x], above["mean"], yerr=above["se"], **style)
        foot = axes.get_xaxis_transform()
        axes.plot(zero[x], np.full(len(zero), 0.02), **(style | {"linestyle": "none", "transform": foot}))
    log_scale(axes)


def _guarantees(axes: Axes, rows: pd.DataFrame, chosen: dict[str, float], display: dict[str, Any]) -> None:
    """Draws the share of draws for which each statement holds, at the chosen cell (large) and at all others."""
    names = in_order(rows["rule"], RULES)
    for place, series in enumerate(GUARANTEES):
        for rank, name in enumerate(names):
            shares = where(rows, series=series, rule=name)
            style = look(name, RULES) | {"linestyle": "none"}
            height = place + 0.14 * (rank - (len(names) - 1) / 2)
            axes.plot(shares["mean"], np.full(len(shares), height), **(style | {"markersize": 3, "alpha": 0.45}))
            large = where(shares, **chosen)
            axes.plot(large["mean"], np.full(len(large), height), **(style | {"markersize": 8}))
    if beta := display.get("arms", {}).get("beta"):
        label = rf"$1-\beta={1 - beta:g}$: what Lemma 3.10 claims"
        axes.axvline(1 - beta, color="black", linestyle="-.", linewidth=1.0, label=label)
    axes.set_yticks(range(len(GUARANTEES)), list(GUARANTEES.values()))
    axes.set(ylim=(len(GUARANTEES) - 0.5, -0.5), xlim=(-0.04, 1.04), xlabel="share of draws for which it holds")
    axes.set_title(rf"guarantees; large: $L={chosen['levels']:g}$, $s={chosen['s']:g}$, $\alpha={chosen['alpha']:g}$")
