"""Figures of varshney2022 on thresholds along runs (eq. 48), and on thresholds at their best factor."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022.setting import AMBSSGD, FIXED
from dpdescent.papers.varshney2022.styles import MEANS, RISK, decades, look, sampling_lines, trivial_line, with_budget
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import GREY, curve, log_scale, panels, scientific, select, values_of, where

FACTOR = "factor of the threshold"


def draw_clip_path(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws threshold, share clipped and residuals along a run, with one row for each condition number."""
    main = select(table)
    conditions, noises = values_of(main, "kappa"), sorted(values_of(main, "sigma"), reverse=True)
    figure, axes = panels(3, max(len(conditions), 1), size=(4.7, 3.4), squeeze=False)
    for row, kappa in zip(axes, conditions, strict=False):
        for sigma, color, marker in zip(
            noises, figures.shades(len(noises)), figures.MARKERS * len(noises), strict=False
        ):
            rows = where(main, kappa=kappa, sigma=sigma)
            _path(row, rows, sigma, color, marker)
        row[0].set_title(rf"clipping threshold $\zeta_t$, $\kappa={kappa:g}$")
        row[1].set_title(rf"gradients clipped, $\kappa={kappa:g}$")
        row[2].set_title(rf"residuals, $\kappa={kappa:g}$")
    for row in axes:
        for panel in row:
            panel.set_xlabel("iteration $t$")
        log_scale(row[0], "y")
        log_scale(row[2], "y")
        row[0].set_ylabel(r"$\zeta_t$, largest norm of a gradient")
        row[1].set_ylabel("gradients clipped, per cent")
        row[2].set_ylabel(r"root mean square of $\langle x,w_t\rangle-y$")
    scale = Line2D([], [], color=GREY, linestyle="--")
    axes[0, 0].add_line(scale)
    scale.set_label(r"$R_x(\|w_t-w^*\|_H^2+\sigma^2)^{1/2}$: what $\zeta_t$ should follow")
    floor = axes[0, 0].plot([], [], color=GREY, linestyle=":", label=r"$\sigma$: what residuals fall to")[0]
    floor.set_linewidth(1.1)
    figures.legend_below(figure, axes.ravel(), 5, with_budget(main, MEANS))
    return figure


def _path(row: Any, rows: pd.DataFrame, sigma: float, color: str, marker: str) -> None:
    """Draws the run of one label noise into the three panels of a row."""
    # Without bars and shades where there are many points, because they would hide the curves.
    many = rows["t"].nunique() > 20
    style: dict[str, Any] = {"color": color, "linewidth": 1.1, "markersize": 3.0}
    style |= {"marker": "", "capsize": 0, "elinewidth": 0} if many else {"marker": marker}
    draw = _line if many else curve
    label = rf"$\sigma={scientific(sigma)}$"
    zeta, clipped, residual, claimed = (
        where(rows, series=name).sort_values("t") for name in ("zeta", "clip fraction", "residual rms", "claimed scale")
    )
    if len(zeta):
        draw(row[0], zeta, "t", label, **style)
    row[0].plot(claimed["t"], claimed["mean"], color=color, linestyle="--", linewidth=1.1)
    if len(clipped):
        percent = [name for name in ("mean", "se", "q10", "q90") if name in clipped]
        draw(row[1], clipped.assign(**{name: 100 * clipped[name] for name in percent}), "t", label, **style)
    if len(residual):
        draw(row[2], residual, "t", label, **style)
        if sigma > 0:
            row[2].axhline(sigma, color=color, linestyle=":", linewidth=1.1)


def _line(axes: Axes, rows: pd.DataFrame, x: str, label: str, **style: Any) -> None:
    """Draws means without shades, because those of many iterations would lie on each other."""
    axes.errorbar(rows[x], rows["mean"], label=label, **style)


def draw_ext_thresholds(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws median risks against the factor of the threshold, with columns by sigma.

    Rows by N have the best number of iterations at each factor; below, at one N, every other number has a line.
    """
    main = select(table)
    noises, sizes = sorted(values_of(main, "sigma"), reverse=True)[:4], values_of(main, "N")
    rows = [(size, "") for size in sizes] + [(sizes[len(sizes) // 2], name) for name in (FIXED, AMBSSGD) if sizes]
    figure, axes = panels(max(len(noises), 1), max(len(rows), 1), size=(3.7, 2.9), squeeze=False, sharey="col")
    for line, (size, method) in zip(axes, rows, strict=False):
        for panel, sigma in zip(line, noises, strict=False):
            here = where(main, N=size, sigma=sigma)
            for name in (method,) if method else (FIXED, AMBSSGD):
                (_by_steps if method else _at_best)(panel, where(here, series=name), name)
            sampling_lines(panel, here, "factor", {})
            trivial_line(panel)
            steps = f", {method} by $T$" if method else ", at the best $T$"
            panel.set_title(rf"$\sigma={sigma:g}$, $N={scientific(size)}$" + steps)
    for panel in axes.flat:
        log_scale(panel)
        decades(panel, "xy")
        panel.set_xlabel(FACTOR)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    figures.legend_below(figure, axes.flat, 4, with_budget(main, "medians over trials"))
    return figure


def _at_best(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    """Draws the least median of all numbers of iterations by factor, and a ring at the best factor."""
    least = rows.groupby("factor", as_index=False)["median"].min()
    axes.plot(least["factor"], least["median"], label=f"{name}, best $T$", **(look(name) | {"markersize": 3}))
    if least["median"].notna().any():
        best = least.loc[[least["median"].idxmin()]]
        ring: dict[str, Any] = {"marker": "o", "markersize": 12, "markerfacecolor": "none", "linestyle": "none"}
        axes.plot(best["factor"], best["median"], color=look(name)["color"], label=f"{name}: the best", **ring)


def _by_steps(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    """Draws a line for every other number of iterations, from pale to dark."""
    steps, style = values_of(rows, "T")[::2], look(name)
    colors = LinearSegmentedColormap.from_list("", ["#e4e4e4", style["color"], "#101010"])
    for T, place in zip(steps, np.linspace(0.25, 0.8, max(len(steps), 1)), strict=False):
        line = where(rows, T=T).sort_values("factor")
        axes.plot(
            line["factor"], line["median"], color=to_hex(colors(place)), marker=style["marker"], markersize=3,
            linestyle=style["linestyle"], label=f"{name}, $T={T:g}$",
        )  # fmt: skip
