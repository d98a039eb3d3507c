"""Figures of wang2026 that repeat Figure 1: accuracy against the correlation, and growth of cumulative noise."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter
from numpy.typing import ArrayLike, NDArray

from dpdescent.papers.wang2026.figure_1 import FORMULA, LEFT_PANEL, NOISE, SIMULATED
from dpdescent.papers.wang2026.images import ACCURACY
from dpdescent.papers.wang2026.setting import GAIN
from dpdescent.papers.wang2026.styles import (
    BARS,
    EPS,
    best,
    by_values,
    curve,
    eps_color,
    finish,
    in_order,
    joined,
    label_of,
    lam_axis,
    lam_color,
    look,
    percent,
    sizes,
    spaced,
    star_in_legend,
    zero_line,
)
from dpdescent.replication.drawing.figures import GREY, log_scale, panels, select, values_of, variants_of, where

CLAIM = (
    r"Fig. 1 claims: moderate $\lambda$ beats $\lambda=0$, especially for larger $\varepsilon$; the gain is not "
    r"monotone, and accuracy can drop as $\lambda\to1$; correlated noise accumulates more slowly"
)
# Ticks of accuracies, in per cent.
ACCURACIES = (0, 20, 40, 60, 70, 80, 85, 90, 92, 94, 95, 96, 97, 98, 99)
DASHES: tuple[Any, ...] = ("-", "-.", ":")
SHAPES = "osDv^"
# Labels of accountants that are named by their batches.
BATCHES = {"tail": "Algorithm 1's batches, participation tail"}
NOISES = {"fixed": r"$\kappa=1$ for every $\lambda$", "calibrated": r"$\kappa$ calibrated"}


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws accuracy and paired gain against lambda, by epsilon and by batches, and cumulative noise against t."""
    rows = where(table, panel=LEFT_PANEL)
    others = len(variants_of(rows)) > 1
    figure, axes = panels(2 + others, 2, size=(5.4, 3.6), squeeze=False)
    accuracies(axes[0, 0], axes[1, 0], rows)
    if others:
        by_batches(axes[0, 1], axes[1, 1], rows)
    noise = select(where(table, panel=NOISE))
    for panel, kind in zip(axes[:, -1], NOISES, strict=True):
        _cumulative(panel, where(noise, noise=kind), kind)
    finish(figure, axes.T.ravel(), 5, CLAIM, runs_caption(rows))
    return figure


def draw_fig01_fashion(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws accuracy and paired gain on Fashion-MNIST against lambda, by epsilon."""
    rows = where(table, panel=LEFT_PANEL)
    figure, axes = panels(2, size=(6.4, 4.2), squeeze=False)
    accuracies(axes[0, 0], axes[0, 1], rows)
    finish(figure, axes[0], 4, CLAIM, runs_caption(rows))
    return figure


def runs_caption(rows: pd.DataFrame) -> str:
    values = sizes(select(rows), "n", "T", "r", "delta", "C_clip")
    return joined(values, f"{BARS}; gains are of runs with the same seed", by="; ")


def accuracies(top: Axes, bottom: Axes, rows: pd.DataFrame, *, linear: bool = False) -> None:
    """Draws accuracy and gain of the main variant, one curve for each epsilon with its best lambda."""
    main = percent(select(rows))
    names = in_order(main["accountant"])
    for rank, (eps, own) in enumerate((eps, own) for (eps,), own in by_values(main, "eps")):
        style = {"color": eps_color(eps), "marker": SHAPES[rank % len(SHAPES)]}
        for panel, series in ((top, ACCURACY), (bottom, GAIN)):
            shown = where(own, series=series)
            curve(panel, shown, "lam", f"{EPS} = {eps:g}", **style)
            best(panel, shown, "lam", style["color"], largest=True)
    star_in_legend(top)
    _decorate(top, bottom, main, " and ".join(map(label_of, names)), linear=linear)


def by_batches(top: Axes, bottom: Axes, rows: pd.DataFrame, *, linear: bool = False) -> None:
    """Draws accuracy and gain by batches and their accountants, at the epsilons that the variants have too."""
    rows = percent(rows)
    budgets = values_of(rows[rows["variant"] != "main"], "eps")
    for rank, eps in enumerate(reversed(budgets)):
        dash = {"linestyle": DASHES[rank % len(DASHES)]}
        for name in in_order(rows["accountant"]):
            own, label = where(rows, accountant=name, eps=eps), BATCHES.get(name, label_of(name))
            for panel, series in ((top, ACCURACY), (bottom, GAIN)):
                curve(panel, where(own, series=series), "lam", label, **(look(name) | dash))
        top.plot([], [], color=GREY, label=f"by batches: {EPS} = {eps:g}", **dash)
    _decorate(top, bottom, rows, "by batches and accountants", linear=linear)


def _decorate(top: Axes, bottom: Axes, rows: pd.DataFrame, title: str, *, linear: bool) -> None:
    """Labels the axes and stretches them, unless they are `linear`, because no accuracy there is near 0 or 100 %."""
    zero_line(bottom)
    for panel in (top, bottom):
        lam_axis(panel, values_of(rows, "lam"))
    if not linear:
        _by_errors(top)
        _plain_symlog(bottom)
    top.set(title=title, ylabel="test accuracy, %" + " (log scale of errors)" * (not linear))
    bottom.set(title=r"against $\lambda=0$", ylabel="gain, points" + " (log scale beyond 4)" * (not linear))


def _by_errors(axes: Axes) -> None:
    """Sets an axis of accuracies with logarithmic errors, so that a collapse does not flatten high accuracies."""
    axes.set_yscale("function", functions=(_errors, lambda place: 100 - np.exp(-np.asarray(place))))
    axes.autoscale_view(scalex=False)
    low, high = axes.get_ylim()
    ticks = [tick for tick in ACCURACIES if low <= tick <= high]
    axes.yaxis.set_major_locator(FixedLocator(spaced(ticks, _errors(ticks), 0.07) if ticks else []))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _errors(accuracy: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(-np.log(np.maximum(100 - np.asarray(accuracy, dtype=float), 1e-6)))


def _plain_symlog(axes: Axes) -> None:
    """Sets an axis of percentage points that is linear near 0, and logarithmic where accuracy collapses."""
    axes.set_yscale("symlog", linthresh=4.0, linscale=1.5)
    axes.autoscale_view(scalex=False)
    low, high = axes.get_ylim()
    ticks = [tick for tick in (-50, -10, -4, -2, 0, 2, 4, 10) if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks], minor=False)
    axes.yaxis.minorticks_off()


def _cumulative(axes: Axes, rows: pd.DataFrame, kind: str) -> None:
    """Draws simulated sums of noise with the formula as a line, with one colour for each lambda."""
    for (lam,), own in by_values(rows, "lam"):
        formula = where(own, series=FORMULA).sort_values("t")
        axes.plot(formula["t"], formula["mean"], color=lam_color(lam), label=rf"noise: $\lambda={lam:g}$")
        curve(axes, where(own, series=SIMULATED), "t", color=lam_color(lam), linestyle="none")
    if kind == "fixed":
        label = r"$\kappa\sqrt{1+(1-\lambda)^2(t-1)}$ (lines; points: simulated)"
        axes.plot([], [], color=GREY, marker="o", label=label)
    log_scale(axes)
    budget = sizes(rows, "eps") if kind == "calibrated" else ""
    names = [label_of(name) for name in in_order(rows["accountant"]) if kind == "calibrated"]
    axes.set_title(", ".join([NOISES[kind], *names, *([budget] if budget else [])]))
    axes.set(xlabel="step $t$", ylabel=r"$\|\sum_{s\leq t}\xi_s\|\,/\,\sqrt{\mathrm{dimension}}$")
