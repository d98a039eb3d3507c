"""Figure of varshney2022 on noise multipliers by accountant."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.varshney2022.privacy import CONSTANT_1, FIRST, GAUSSIAN, LAST, SHUFFLED, ZCDP
from dpdescent.papers.varshney2022.setting import SSGD
from dpdescent.papers.varshney2022.styles import EPS, METHODS
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import BLUE, FINE, SKY, log_scale, positive, scientific, values_of, where

COLORS = {
    LAST: (SKY, "o"),
    FIRST: (figures.ORANGE, "s"),
    ZCDP: (figures.GREEN, "^"),
    "zCDP, disjoint": (figures.VERMILION, "D"),
    GAUSSIAN: (BLUE, "v"),
}
BY_SIZE = {SHUFFLED: METHODS[SSGD][0], CONSTANT_1: "black"}
DASHES: tuple[Any, ...] = ("-", "--", ":", "-.")
MAIN_DELTA = 1e-6
ALPHA = r"noise multiplier $\alpha$"


def draw_multiplier(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws noise multipliers, their tight epsilons, and below their ratios to the exact one, a panel for each delta.

    Accountants of batches are left of those of shuffled records, which depend on the number of records.
    """
    figure, axes = figures.panels(4, 2, size=(2.8, 3.6), squeeze=False)
    everything = positive(figures.select(table))
    deltas = values_of(everything, "delta")
    delta = min(deltas, key=lambda value: abs(math.log(value / MAIN_DELTA)), default=MAIN_DELTA)
    main = where(everything, delta=delta)
    # Within the range of Theorem 3.1, because beyond it the theorem promises nothing, and its values fill the axis.
    inside = main[
        (main["series"] != CONSTANT_1) | (main["eps"] <= np.sqrt(np.log(main["N"] / main["delta"]) / main["N"]))
    ]
    multipliers, budgets, by_delta = axes[0, :2], axes[0, 2:], axes[1, : max(len(deltas), 1)]
    for curves, noise, budget in zip((_curves, _curves_by_size), multipliers, budgets, strict=True):
        curves(noise, main, main["mean"])
        curves(budget, inside, inside["eps_tight"] / inside["eps"])
        budget.axhline(1.0, color="black", linestyle="-.", linewidth=1.0, label="what is promised")
    for panel, value in zip(by_delta, deltas, strict=False):
        _costs(panel, where(everything, delta=value))
        panel.sharey(by_delta[0])
        panel.set_title(rf"over {GAUSSIAN}, $\delta={scientific(value)}$")
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
        # From 0.01 (more noise than needed) to 10^4 (promise not kept), because other ratios would flatten these.
        low, high = budget.get_ylim()
        budget.set_ylim(max(low, 1e-2), min(high, 1e4))
    multipliers[0].set_ylabel(ALPHA)
    budgets[0].set_ylabel(r"tight $\varepsilon$ over the promised one")
    by_delta[0].set_ylabel(rf"ratio of {ALPHA}")
    figures.legend_below(figure, axes.flat, 3)
    return figure


def _shown(rows: pd.DataFrame, values: "pd.Series[float]") -> pd.DataFrame:
    """Rows with positive values in the column `shown`, by epsilon."""
    return positive(rows.assign(shown=values), "shown").sort_values("eps")


def _curves(axes: Axes, rows: pd.DataFrame, values: "pd.Series[float]") -> None:
    """Draws one curve for each accountant of batches."""
    rows = _shown(rows, values)
    for name, (color, marker) in COLORS.items():
        curve = where(rows, series=name)
        if len(curve):
            axes.plot(curve["eps"], curve["shown"], color=color, marker=marker, label=name)


def _curves_by_size(axes: Axes, rows: pd.DataFrame, values: "pd.Series[float]") -> None:
    """Draws one curve for each accountant that uses shuffling and each number of records."""
    rows = _shown(rows, values)
    sizes = values_of(rows, "N")
    for name, color in BY_SIZE.items():
        for size, dash in zip(sizes, DASHES, strict=False):
            curve = where(rows, series=name, N=size)
            if len(curve):
                label = rf"{name}, $N={scientific(size)}$"
                axes.plot(curve["eps"], curve["shown"], color=color, linestyle=dash, linewidth=1.2, label=label)
                covered = curve[curve["eps"] <= np.sqrt(np.log(size / curve["delta"]) / size)]
                if name == CONSTANT_1 and len(covered):
                    mark: dict[str, Any] = {"color": "black", "markersize": 5, "label": "in Theorem 3.1's range"}
                    axes.plot(covered["eps"], covered["shown"], "o", **mark)


def _costs(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws ratios of the multipliers at one delta to the exact one."""
    exact = where(rows, series=GAUSSIAN).set_index("eps")["mean"]
    for name, (color, marker) in COLORS.items():
        curve = where(rows, series=name).sort_values("eps")
        if len(curve) and name != GAUSSIAN:
            ratios = curve["mean"] / exact.reindex(curve["eps"]).array
            axes.plot(curve["eps"], ratios, color=color, marker=marker, markersize=3)
    axes.axhline(1.0, color=COLORS[GAUSSIAN][0], linewidth=1.0)
