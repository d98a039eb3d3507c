"""Figures of varshney2022 on the growth of risks and of sample sizes with the dimension."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.setting import ADA_SSP, ADA_SSP_TIGHT, AMBSSGD, PROSE_QUANTILE
from dpdescent.papers.varshney2022.styles import (
    RISK,
    D,
    N,
    guide,
    in_order,
    label_of,
    look,
    risk_curve,
    with_budget,
    with_prose,
)
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import legend_below, log_scale, panels, slope_of, values_of, where

DRAWN, CLIPPED = "Wishart draw", "records clipped"
# Smallest dimension from which on the law d^{3/2} of sufficient statistics shows, because logarithms matter less there.
LARGE = 80


def draw_risk_vs_d(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against the dimension, a column for each N / d: above all but AdaSSP, below AdaSSP beside ours.

    The quantile of the prose stands below, because six curves are enough above.
    """
    main = with_prose(table)
    ratios = values_of(main, "n_over_d")
    figure, axes = panels(max(len(ratios), 1), 2, size=(3.7, 3.5), squeeze=False, sharex=True, sharey=True)
    for (above, below), ratio in zip(axes.T, ratios, strict=False):
        rows = where(main, n_over_d=ratio)
        beside = rows["series"].isin((ADA_SSP, ADA_SSP_TIGHT, PROSE_QUANTILE))
        for panel, shown in ((above, rows[~beside]), (below, rows[beside | (rows["series"] == AMBSSGD)])):
            for name in in_order(shown["series"]):
                _by_panel(panel, where(shown, series=name))
            styles.trivial_line(panel)
        styles.sampling_lines(above, rows, "d", display.get("published", {}))
        tight = where(rows, series=ADA_SSP_TIGHT, panel=DRAWN)
        guide(below, tight[tight["d"] >= LARGE], "d", 1.0, r"$d^3/(\varepsilon N)^2$: slope $d$", last=True)
        above.set_title(f"$N={ratio:g}\\,d$: all but AdaSSP")
        below.set_title(f"$N={ratio:g}\\,d$: AdaSSP, DP-AMBSSGD")
    for panel in axes.flat:
        log_scale(panel)
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(D)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    legend_below(figure, axes.flat, 3, with_budget(main, styles.POINTS))
    return figure


def _by_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws a method's curve of each panel of the table.

    The labels of AdaSSP name the panel, because the Wishart draw cannot clip records.
    """
    for part in values_of(rows, "panel"):
        curve = where(rows, panel=part)
        name = curve["series"].iloc[0]
        label = label_of(name)
        if name in (ADA_SSP, ADA_SSP_TIGHT):
            label = styles.drawn_without_guarantee(name) if part == DRAWN else f"{label}, {part}"
        if part == CLIPPED:
            style: dict[str, Any] = {"color": styles.DARK_GREEN, "linestyle": "none", "markersize": 8}
            marker = "x" if name == ADA_SSP else "+"
            risk_curve(axes, curve, "d", label, marker=marker, markeredgewidth=1.5, **style)
        else:
            risk_curve(axes, curve, "d", label)


def draw_sample_complexity(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the records needed against the dimension, one panel for each target, with exponents and two power laws.

    The laws are d and d^{3/2}. Sufficient statistics come from Wishart's law in every panel of the table.
    """
    main = figures.positive(with_prose(table))
    goals = sorted(set(zip(main["sigma"], main["target"], strict=True)), reverse=True)
    figure, axes = panels(max(len(goals), 1), size=(4.9, 4.6), squeeze=False)
    for panel, (sigma, target) in zip(axes[0], goals, strict=False):
        rows = where(main, sigma=sigma, target=target)
        _needed(panel, rows)
        log_scale(panel)
        _exponents(panel, rows)
        panel.set_title(rf"$\sigma={sigma:g}$, risk at most ${figures.scientific(target)}$")
    for panel in axes[0]:
        panel.set(xlabel=D, ylabel=f"least {N}")
    runs = f"{display['arms']['draws']:g}" if "draws" in display.get("arms", {}) else "several"
    points = f"points: mean over scans with standard error; in each, the median of {runs} runs"
    legend_below(figure, axes[0], 4, with_budget(main, points))
    return figure


def _needed(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the least N of every method, and both laws."""
    for name in in_order(rows["series"]):
        curve = where(rows, series=name).sort_values("d")
        label = styles.drawn_without_guarantee(name) if name in (ADA_SSP, ADA_SSP_TIGHT) else label_of(name)
        axes.errorbar(curve["d"], curve["mean"], yerr=curve["se"], label=label, **look(name))
    guide(axes, where(rows, series=AMBSSGD), "d", 1.0, r"slope $d$; claimed: $d\,\log d$")
    tight, label = where(rows, series=ADA_SSP_TIGHT), "slope $d^{3/2}$: sufficient statistics"
    guide(axes, tight, "d", 1.5, label, last=True, dash="--")


def _exponents(axes: Axes, rows: pd.DataFrame) -> None:
    """Adds a legend with the exponent of each curve, over all dimensions and over the larger ones."""
    handles, texts = [], []
    for name in in_order(rows["series"]):
        curve = where(rows, series=name)
        large = curve[curve["d"] >= LARGE]
        # No exponent from two points, because they have no scatter to tell by.
        texts.append(f"{slope_of(curve, 'd')} / {slope_of(large, 'd') if large['d'].nunique() > 2 else '–'}")
        handles.append(Line2D([], [], **(look(name) | {"linestyle": "none"})))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.35)
    title = rf"exponent: all $d$ / $d\geq{LARGE}$"
    axes.legend(handles, texts, title=title, title_fontsize=7.5, fontsize=7.5, loc="upper left", ncols=2)
