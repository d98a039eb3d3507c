"""Figures of varshney2022 on thresholds at their best factor, and on the term of privacy by itself."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.figures.styles import (
    EPS,
    FIXED,
    OURS,
    POINTS,
    RISK,
    N,
    decades,
    in_order,
    look,
    risk_curve,
    sampling_lines,
    trivial_line,
    with_budget,
)
from dpdescent.replication.drawing.figures import legend_below, log_scale, panels, scientific, select, values_of, where

FACTOR = "factor of the threshold"
SYMBOLS = {"sigma": r"\sigma", "eps": r"\varepsilon"}
SMALL, DELTAS, REGIME, STATISTICS = "small epsilon", "delta", "privacy regime", "sufficient statistics"


def draw_ext_thresholds(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws median risks against the factor of the threshold, with columns by sigma.

    Rows by N have the best number of iterations at each factor; below, at one N, every other number has a line.
    """
    main = select(table)
    noises, sizes = sorted(values_of(main, "sigma"), reverse=True)[:4], values_of(main, "N")
    rows = [(size, "") for size in sizes] + [(sizes[len(sizes) // 2], name) for name in (FIXED, OURS) if sizes]
    figure, axes = panels(max(len(noises), 1), max(len(rows), 1), size=(3.7, 2.9), squeeze=False, sharey="col")
    for line, (size, method) in zip(axes, rows, strict=False):
        for panel, sigma in zip(line, noises, strict=False):
            here = where(main, N=size, sigma=sigma)
            for name in (method,) if method else (FIXED, OURS):
                (_by_steps if method else _at_best)(panel, where(here, series=name), name)
            sampling_lines(panel, here, "factor", {})
            trivial_line(panel)
            told = f", {method} by $T$" if method else ", at the best $T$"
            panel.set_title(rf"$\sigma={sigma:g}$, $N={scientific(size)}$" + told)
    for panel in axes.flat:
        log_scale(panel)
        decades(panel, "xy")
        panel.set_xlabel(FACTOR)
    for panel in axes[:, 0]:
        panel.set_ylabel(RISK)
    legend_below(figure, axes.flat, 4, with_budget(main, "medians over trials"))
    return figure


def _at_best(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    """Draws the least median over the numbers of iterations, and a ring at the best of all."""
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
        own = where(rows, T=T).sort_values("factor")
        axes.plot(
            own["factor"], own["median"], color=to_hex(colors(place)), marker=style["marker"], markersize=3,
            linestyle=style["linestyle"], label=f"{name}, $T={T:g}$",
        )  # fmt: skip


def draw_ext_privacy(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk against epsilon, log(1/delta) and N where the term of privacy rules, and AdaSSP without noise."""
    main = select(table)
    main = main.assign(logs=-np.log(main["delta"].astype(float)))
    parts = (
        (SMALL, "eps", EPS, -2.0, r"slope $\varepsilon^{-2}$"),
        (DELTAS, "logs", r"$\log(1/\delta)$", 1.0, r"slope $\log(1/\delta)$"),
        (REGIME, "N", N, -2.0, "slope $N^{-2}$"), (STATISTICS, "N", N, -2.0, "slope $N^{-2}$"),
    )  # fmt: skip
    figure, axes = panels(len(parts), size=(4.3, 4.2), squeeze=False)
    for panel, (part, axis, label, power, slope) in zip(axes[0], parts, strict=True):
        rows = where(main, panel=part)
        _curves(panel, rows, axis, display)
        _power(panel, rows, axis, power, slope)
        log_scale(panel)
        decades(panel, "xy")
        panel.set(title=_titled(part, rows), xlabel=label)
    axes[0, 0].set_ylabel(RISK)
    legend_below(figure, axes[0], 4, POINTS)
    return figure


def _titled(part: str, rows: pd.DataFrame) -> str:
    fixed = [rf"${name}={scientific(rows[name].iloc[0])}$" for name in ("N", "d") if rows[name].nunique() == 1]
    return ", ".join([part, *fixed])


def _curves(axes: Axes, rows: pd.DataFrame, axis: str, display: dict[str, Any]) -> None:
    """Draws a curve for each method, label noise and budget that the axis does not show."""
    others = ["sigma"] if axis != "N" else ["sigma", "eps"]
    for key, group in rows.groupby(others, sort=True):
        values = dict(zip(others, key, strict=True))
        for name in in_order(group["series"]):
            told = ", ".join(rf"${SYMBOLS[column]}={value:g}$" for column, value in values.items())
            fill = look(name)["color"] if values["sigma"] == max(rows["sigma"]) else "white"
            risk_curve(axes, where(group, series=name), axis, f"{name}, {told}", markerfacecolor=fill)
        sampling_lines(axes, group, axis, display.get("published", {}))


def _power(axes: Axes, rows: pd.DataFrame, axis: str, power: float, label: str) -> None:
    """Draws the claimed power through the first point, of the largest label noise."""
    if not len(rows):
        return
    through = rows[rows["sigma"] == rows["sigma"].max()].sort_values([axis, "median"]).iloc[0]
    places = np.geomspace(rows[axis].min(), rows[axis].max(), 40)
    axes.plot(places, through["median"] * (places / through[axis]) ** power, color="black", linestyle=":", label=label)
