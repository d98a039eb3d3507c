"""Figures of varshney2022 on the growth of risks with the dimension and with the condition number."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022.figures.styles import (
    DARK_GREEN,
    FIXED,
    NON_PRIVATE,
    OURS,
    POINTS,
    QUANTILE,
    RISK,
    SUFFICIENT,
    TIGHT,
    D,
    N,
    T,
    drawn_without_guarantee,
    guide,
    in_order,
    label_of,
    look,
    marks,
    risk_curve,
    sampling_lines,
    trivial_line,
    with_budget,
    working,
)
from dpdescent.replication.drawing.figures import (
    MARKERS,
    legend_below,
    log_scale,
    panels,
    positive,
    scientific,
    select,
    shades,
    slope_of,
    values_of,
    where,
)

DRAWN, CLIPPED = "Wishart draw", "records clipped"
# Dimensions from here on show the law d^{3/2} of sufficient statistics, because logarithms matter less.
LARGE = 80


def draw_risk_vs_d(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against the dimension, a column for each N / d: all but AdaSSP, and below AdaSSP beside ours."""
    main = select(table)
    ratios = values_of(main, "n_over_d")
    figure, axes = panels(max(len(ratios), 1), 2, size=(3.7, 3.5), squeeze=False, sharex=True, sharey=True)
    for (above, below), ratio in zip(axes.T, ratios, strict=False):
        rows = where(main, n_over_d=ratio)
        sums = rows["series"].isin((SUFFICIENT, TIGHT))
        for panel, shown in ((above, rows[~sums]), (below, rows[sums | (rows["series"] == OURS)])):
            for name in in_order(shown["series"]):
                _by_panel(panel, where(shown, series=name))
            trivial_line(panel)
        sampling_lines(above, rows, "d", display.get("published", {}))
        tight = where(rows, series=TIGHT, panel=DRAWN)
        guide(below, tight[tight["d"] >= LARGE], "d", 1.0, r"$d^3/(\varepsilon N)^2$: slope $d$", last=True)
        above.set_title(f"$N={ratio:g}\\,d$: all but AdaSSP")
        below.set_title(f"$N={ratio:g}\\,d$: AdaSSP, DP-AMBSSGD")
    for panel in axes.flat:
        log_scale(panel)
        panel.tick_params(labelbottom=True)
        panel.set_xlabel(D)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    legend_below(figure, axes.flat, 3, with_budget(main, POINTS))
    return figure


def _by_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each way in which statistics were made.

    The labels of AdaSSP say which it is, because the Wishart draw cannot clip records.
    """
    for part in values_of(rows, "panel"):
        own = where(rows, panel=part)
        name = own["series"].iloc[0]
        label = label_of(name)
        if name in (SUFFICIENT, TIGHT):
            label = drawn_without_guarantee(name) if part == DRAWN else f"{label}, {part}"
        if part == CLIPPED:
            style: dict[str, Any] = {"color": DARK_GREEN, "linestyle": "none", "markersize": 8, "markeredgewidth": 1.5}
            risk_curve(axes, own, "d", label, marker="x" if name == SUFFICIENT else "+", **style)
        else:
            risk_curve(axes, own, "d", label)


def draw_sample_complexity(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the records needed against the dimension, one panel for each target, with exponents and two power laws.

    The laws are d and d^{3/2}. Sufficient statistics are drawn by Wishart's law in every panel of the table.
    """
    main = positive(select(table))
    goals = sorted(set(zip(main["sigma"], main["target"], strict=True)), reverse=True)
    figure, axes = panels(max(len(goals), 1), size=(4.9, 4.6), squeeze=False)
    for panel, (sigma, target) in zip(axes[0], goals, strict=False):
        rows = where(main, sigma=sigma, target=target)
        _needed(panel, rows)
        log_scale(panel)
        _exponents(panel, rows)
        panel.set_title(rf"$\sigma={sigma:g}$, risk at most ${scientific(target)}$")
    for panel in axes[0]:
        panel.set(xlabel=D, ylabel=f"least {N}")
    runs = f"{display['arms']['draws']:g}" if "draws" in display.get("arms", {}) else "several"
    points = f"points: mean over scans with standard error; in each, the median of {runs} runs"
    legend_below(figure, axes[0], 4, with_budget(main, points))
    return figure


def _needed(axes: Axes, rows: pd.DataFrame) -> None:
    for name in in_order(rows["series"]):
        own = where(rows, series=name).sort_values("d")
        label = drawn_without_guarantee(name) if name in (SUFFICIENT, TIGHT) else label_of(name)
        axes.errorbar(own["d"], own["mean"], yerr=own["se"], label=label, **look(name))
    guide(axes, where(rows, series=OURS), "d", 1.0, "slope $d$: claimed here")
    guide(axes, where(rows, series=TIGHT), "d", 1.5, "slope $d^{3/2}$: sufficient statistics", last=True, dash="--")


def _exponents(axes: Axes, rows: pd.DataFrame) -> None:
    """Adds a legend with the exponent of each curve, over all dimensions and over the larger ones."""
    names, handles = in_order(rows["series"]), []
    texts = []
    for name in names:
        own = where(rows, series=name)
        texts.append(f"{slope_of(own, 'd')} / {slope_of(own[own['d'] >= LARGE], 'd')}")
        handles.append(Line2D([], [], **(look(name) | {"linestyle": "none"})))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.35)
    title = rf"exponent: all $d$ / $d\geq{LARGE}$"
    axes.legend(handles, texts, title=title, title_fontsize=7.5, fontsize=7.5, loc="upper left", ncols=2)


def draw_risk_vs_kappa(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against the number of iterations by condition number, and at the best T and at T = c kappa.

    c is the multiple of kappa that the grid has for every kappa; other methods have a panel of their own.
    """
    figure, axes = panels(2, 2, size=(5.6, 3.9), squeeze=False)
    by_steps, best, by_kappa, others = axes.flat
    main = select(table)
    rows = where(main, series=OURS)
    conditions, multiple = values_of(rows, "kappa"), _common_multiple(rows)
    law = rf"$T={multiple:g}\kappa$"
    for kappa, color, marker in zip(conditions, shades(len(conditions)), MARKERS * len(conditions), strict=False):
        own = where(rows, kappa=kappa)
        style: dict[str, Any] = {"color": color, "markerfacecolor": color, "marker": marker}
        risk_curve(by_steps, own, "T", rf"$\kappa={kappa:g}$", **style)
        _ring(by_steps, where(own, T=multiple * kappa), law)
    trivial_line(by_steps)
    at_best = rows.sort_values("mean").drop_duplicates("kappa").sort_values("kappa")
    configured = rows[rows["T"] == multiple * rows["kappa"]]
    _at_best(by_kappa, at_best, configured, law)
    sampling_lines(by_kappa, main, "kappa", display.get("published", {}))
    _others(others, main, configured, law)
    best.plot(at_best["kappa"], at_best["T"], label="best $T$ of the grid", **look(OURS))
    if not math.isnan(multiple):
        best.plot(conditions, [multiple * kappa for kappa in conditions], color="black", linestyle="--", label=law)
    for panel in axes.flat:
        log_scale(panel)
        panel.set(xlabel=r"condition number $\kappa$", ylabel=RISK)
    by_steps.set(title="risk against iterations", xlabel=T)
    by_kappa.set(title="at the best $T$" + (f", and at {law}" if not math.isnan(multiple) else ""))
    others.set(title="others")
    best.set(title="best number of iterations", ylabel=T)
    legend_below(figure, axes.flat, 4, with_budget(main, POINTS))
    return figure


def _common_multiple(rows: pd.DataFrame) -> float:
    """Returns the one value of T / kappa at which every kappa was run, or NaN if there is none or several."""
    found = [set(group["T"] / kappa) for kappa, group in rows.groupby("kappa")]
    common = set.intersection(*found) if found else set()
    return common.pop() if len(common) == 1 else math.nan


def _ring(axes: Axes, rows: pd.DataFrame, law: str) -> None:
    if len(rows):
        style = {"markersize": 11, "markerfacecolor": "none", "color": "black"}
        marks(axes, rows["T"], rows["mean"], "o", f"circle: {law}", **style)


def _at_best(axes: Axes, best: pd.DataFrame, configured: pd.DataFrame, law: str) -> None:
    """Draws the risk against kappa, and the law kappa^2 of the privacy term."""
    # Wide and pale, because the other curve may cover it.
    wide = {"linewidth": 6.0, "alpha": 0.35, "elinewidth": 6.0}
    risk_curve(axes, best, "kappa", "at the best $T$ of the grid", **wide)
    _configured(axes, configured, law)
    guide(axes, working(configured), "kappa", 2.0, r"slope $\kappa^2$: term of privacy")


def _others(axes: Axes, rows: pd.DataFrame, configured: pd.DataFrame, law: str) -> None:
    """Draws other methods against kappa, beside ours at T = c kappa; OLS has one curve for all T."""
    _configured(axes, configured, law)
    for name in (NON_PRIVATE, QUANTILE, FIXED, SUFFICIENT):
        own = where(rows, series=name)
        if len(own):
            risk_curve(axes, own.drop_duplicates("kappa") if name == NON_PRIVATE else own, "kappa")


def _configured(axes: Axes, rows: pd.DataFrame, law: str) -> None:
    style: dict[str, Any] = {"linestyle": "--", "markerfacecolor": "white"}
    risk_curve(axes, rows, "kappa", f"at {law}", **style)
