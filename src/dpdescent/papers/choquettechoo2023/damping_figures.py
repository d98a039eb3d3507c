"""The drawings of damping: damped anti-PGD, and nu of nu-Noisy-FTRL."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from dpdescent.papers.choquettechoo2023.damping import DAMPED
from dpdescent.papers.choquettechoo2023.styles import ETA, SUBOPTIMALITY, D, held_fixed, label_of, line, look
from dpdescent.replication.drawing.figures import (
    MARKERS,
    legend_below,
    log_scale,
    panels,
    select,
    shades,
    slope_of,
    vertical,
)  # fmt: skip


def draw_ext_anti_pgd(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws damped anti-PGD, Noisy-SGD and nu-Noisy-FTRL against learning rate, dimension and damping."""
    figure, axes = panels(3, size=(4.7, 4.1), squeeze=False)
    main = select(table)
    for panel, x, label in zip(axes[0], ("eta", "d", "nu"), (ETA, D, r"damping $\nu$"), strict=True):
        rows = main[main["panel"] == x]
        _anti_pgd(panel, rows, x)
        log_scale(panel)
        panel.set(title=held_fixed(rows, x), xlabel=label, ylabel=SUBOPTIMALITY)
    # Decades only, because rates below 0.001 are written as powers, which need room.
    axes[0, 0].xaxis.set_major_locator(LogLocator())
    best = main[main["panel"] == "nu"]["nu_best"].dropna()
    if len(best):
        vertical(axes[0, 2], best.iloc[0], rf"best $\nu={best.iloc[0]:.3g}$")
    legend_below(figure, axes[0], 5)
    return figure


def _anti_pgd(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    slopes = []
    for name in ("Noisy-SGD", DAMPED, "nu-Noisy-FTRL"):
        own = rows[rows["series"].str.startswith(name)]
        line(axes, own, x, label_of(name), **(look(name) | {"markersize": 4}))
        if x != "nu" and len(own):
            slopes.append((axes.lines[-1], slope_of(own, x)))
    damped = rows[rows["series"].str.startswith(DAMPED)]
    style = {"color": "black", "linestyle": ":", "linewidth": 1.4, "zorder": 3}
    line(axes, damped.assign(mean=damped["leading_order"]), x, f"{DAMPED}: leading order", **style)
    if slopes:
        axes.legend(*zip(*slopes, strict=True), title="slopes", title_fontsize=7.5, fontsize=7.5, loc="upper left")


def draw_ext_nu(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the ratio of the error to that of the best noise against the damping, by spectrum and by learning rate."""
    figure, axes = panels(2, size=(5.4, 4.1), squeeze=False)
    main = select(table)
    by_spectrum, by_rate = (main[main["panel"] == part] for part in ("spectra", "rates"))
    _over_optimum(axes[0, 0], by_spectrum, "alpha", r"\alpha")
    _over_optimum(axes[0, 1], by_rate, "eta", r"\eta")
    for panel, rows, fixed, title in (
        (axes[0, 0], by_spectrum, "eta", r"spectra $\lambda_k=k^{-\alpha}$"),
        (axes[0, 1], by_rate, "alpha", "learning rates"),
    ):
        values = ", ".join(rf"$\{fixed}={value:g}$" for value in sorted(set(rows[fixed])))
        panel.set_title(f"{title}, {values}" if values else title)
        panel.set(xlabel=r"damping $\nu$, in units of $\eta\mu$", ylabel=r"$F_\infty$ over that of the best noise")
    return figure


def _over_optimum(axes: Axes, rows: pd.DataFrame, by: str, symbol: str) -> None:
    """Draws one curve for each value of a column, labelled with its least ratio."""
    values = sorted(set(rows[by]))
    for value, color, marker in zip(values, shades(len(values)), MARKERS * len(values), strict=False):
        own = rows[rows[by] == value]
        label = rf"${symbol}={value:g}$: {own['value_at_best'].iloc[0]:.3f}"
        line(axes, own, "nu_over_eta_mu", label, color=color, marker=marker, markersize=3.5)
    axes.axhline(1.0, color="black", linewidth=0.9)
    log_scale(axes)
    if values:
        axes.legend(title=r"ratio at the best $\nu$", title_fontsize=7.5, loc="upper left")
        vertical(axes, 1.0, r"Theorem 2.2: $\nu\leq\eta\mu$")
