"""The figure of wang2026 on the widths that Theorem 4.1 admits."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.styles import ACCOUNTANTS, N, curve, finish, hollow_in_legend, in_order, joined, sizes
from dpdescent.papers.wang2026.width import DROPPED, EVERYWHERE, FOURTH, KEPT, LOWER, SIXTH, UPPER
from dpdescent.replication.drawing.figures import BLUE, GREY, log_scale, panels, positive, select, values_of, where

# Treatments of the logarithms with curves in every row of panels; other treatments have rows of their own.
PLAIN = (KEPT, DROPPED)
# The words of a title on the logarithms; the label of the curve without logarithms has its own.
LOGS = {
    KEPT: r"logarithms in $\kappa$ of F.12 alone",
    EVERYWHERE: r"logarithms in $\kappa$ and both limits",
}  # fmt: skip
EXPONENTS = {FOURTH: (r"$\gamma^{-4}$", ":"), SIXTH: (r"$\gamma^{-6}$: Corollary 5.3", "-.")}


def draw_admissible_width(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws lower and upper limits of the width against n, columns by margin, rows by step size and logarithms."""
    main = select(table)
    margins, views = values_of(main, "gamma") or [math.nan], _views(main) or [(math.nan, [])]
    figure, axes = panels(len(margins), len(views), size=(6.2, 3.7), squeeze=False)
    for row, (eta, logs) in zip(axes, views, strict=True):
        for panel, gamma in zip(row, margins, strict=True):
            rows = where(main[main["logs"].isin(logs)], gamma=gamma, eta=eta)
            _window(panel, rows)
            shown = joined(sizes(rows, "gamma", "eta"), *(LOGS.get(kind, kind) for kind in logs if kind != DROPPED))
            panel.set(title=shown, xlabel=N, ylabel="width $m$")
    hollow_in_legend(axes[0, 0], main, r"hollow: outside the condition of Theorem F.12")
    claim = r"Theorem 4.1 asks for $\gamma^{-4}\lesssim m\lesssim$ upper limit, Corollary 5.3 for $m\sim\gamma^{-6}$"
    finish(figure, axes.ravel(), 4, claim, joined(sizes(main, "lam", "eps"), "constants 1"))
    return figure


def _views(rows: pd.DataFrame) -> list[tuple[float, list[str]]]:
    """Returns step size and kinds of logarithms for each row of panels.

    At the largest step with all logarithms kept the fewest widths are admitted.
    """
    steps, kinds = values_of(rows, "eta"), in_order(rows["logs"], PLAIN)
    common = [kind for kind in kinds if kind in PLAIN]
    further = [(eta, [kind]) for eta in steps for kind in kinds if kind not in PLAIN]
    return [(eta, common) for eta in steps if common] + further


def _window(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the limits with the admitted widths shaded, and the two powers of the margin."""
    lower = positive(where(rows, series=LOWER)).sort_values("n")
    for name in in_order(where(rows, series=UPPER)["accountant"]):
        upper = positive(where(rows, series=UPPER, accountant=name)).sort_values("n")
        color, marker, text = ACCOUNTANTS.get(name, (BLUE, "o", f"{name}, no logarithms"))
        # One label for full and hollow points, because hollow points already say which are outside the condition.
        curve(axes, upper, "n", f"upper limit, {text}", color=color, marker=marker)
        both = upper.merge(lower.drop_duplicates("n"), on="n", suffixes=("", "_lower"))
        admitted = both["mean"] > both["mean_lower"]
        shade: dict[str, Any] = {"color": color, "alpha": 0.12, "linewidth": 0, "interpolate": True}
        axes.fill_between(both["n"], both["mean_lower"], both["mean"], where=admitted, label="widths admitted", **shade)
    lower = lower.drop_duplicates("n")
    axes.plot(lower["n"], lower["mean"], color="black", marker="^", label="lower limit")
    for series, (text, dash) in EXPONENTS.items():
        own = positive(where(rows, series=series)).drop_duplicates("n").sort_values("n")
        axes.plot(own["n"], own["mean"], color=GREY, linestyle=dash, linewidth=1.5, label=text)
    log_scale(axes)
