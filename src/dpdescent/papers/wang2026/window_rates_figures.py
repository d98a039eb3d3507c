"""The figure of wang2026 on the corollaries' rates inside Theorem 4.1's window."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.setting import ADDED, POPULATION
from dpdescent.papers.wang2026.styles import (
    ACCOUNTANTS,
    BARS,
    curve,
    finish,
    guide,
    in_order,
    in_rows,
    label_of,
    look,
    panels_in,
    vacuous_line,
    value_ticks,
)
from dpdescent.papers.wang2026.window_figures import NAMES
from dpdescent.replication.drawing.figures import GREY, log_scale, positive, scientific, select, values_of, where
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.statistics import Z95

# By panel: its axis, the claimed slope, and the slope in words.
RATES = {
    "Corollary 5.3": ("n", -0.5, r"slope $-1/2$"), "Corollary 5.5": ("n", -0.5, r"slope $-1/2$"),
    "Corollary 5.6": ("n", -1.0, r"slope $-1$"), "DP-GD": ("n", -1.0, r"slope $-1$"), "GD": ("n", -1.0, r"slope $-1$"),
    "epsilon": ("eps", -1.0, r"slope $-1$"), "dimension": ("d", 0.5, r"slope $1/2$"),
    "margin": ("gamma", math.nan, ""),
}  # fmt: skip


# Axes along which the private part alone of a rate changes, so that what noise adds is drawn.
PRIVATE = ("eps", "d")


def draw_ext_window_rates(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws averaged population risks along the corollaries' prescriptions, one panel for each."""
    main = select(table)
    names = panels_in(main, display) or [""]
    figure, axes = in_rows(len(names), (4.2, 3.4))
    for panel, name in zip(axes, names, strict=False):
        x, *_ = RATES.get(name.split(",")[0], ("n",))
        series = ADDED if x in PRIVATE else POPULATION
        _rate(panel, where(main, panel=name, series=series), name)
    claim = r"Corollaries 5.3, 5.5: $1/(\gamma\sqrt{n})+\sqrt{d}/(\gamma^{4,3}n\varepsilon)$; 5.6: $1/(\gamma^2n)$"
    finish(figure, axes, 4, claim, f"{BARS}; with an arrow they reach 0 or less")
    return figure


def _slopes(rows: pd.DataFrame, x: str) -> str:
    """The beginning of a panel's title: the slopes of its curves, by least squares; empty where none has two points."""
    fits = [algebra.least_squares_slope(own, x).value for _, own in rows.groupby("accountant")]
    texts = dict.fromkeys(f"{slope:.2g}" for slope in sorted(fits) if not math.isnan(slope))
    return f"slope {' to '.join(texts)}: ".replace("-", "\N{MINUS SIGN}") if texts else ""


def _rate(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    x, slope, words = RATES.get(name.split(",")[0], ("n", math.nan, ""))
    noisy = rows[rows["kappa"] > 0]
    reaching = noisy[noisy["mean"] - Z95 * noisy["se"] <= 0] if x in PRIVATE else noisy[:0]
    if x in PRIVATE:
        noisy = rows = positive(noisy)
    else:
        curve(axes, rows[rows["kappa"] == 0], x, "without noise", color=GREY, marker="x")
    for accountant in in_order(noisy["accountant"], ACCOUNTANTS):
        own = where(noisy, accountant=accountant)
        curve(axes, own, x, label_of(accountant), **look(accountant))
        if not math.isnan(slope):
            guide(axes, own, x, slope, f"claimed: {words}")
    if not len(noisy) and not math.isnan(slope):
        guide(axes, rows, x, slope, f"claimed: {words}")
    if x not in PRIVATE:
        vacuous_line(axes)
    log_scale(axes)
    if x != "gamma":
        value_ticks(axes, values_of(rows, x), [scientific(value) for value in values_of(rows, x)] if x != "n" else None)
    # A logarithmic axis ends above 0, so that a bar that does not would seem to end there too.
    if len(reaching):
        axes.set_ylim(bottom=axes.get_ylim()[0] / 1.5)
    for accountant, own in reaching.groupby("accountant"):
        style = look(str(accountant)) | {"marker": "v", "markersize": 6, "linestyle": "none", "clip_on": False}
        axes.plot(own[x], [0.0] * len(own), transform=axes.get_xaxis_transform(), **style)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set(
        title=_slopes(noisy if len(noisy) else rows, x) + name,
        xlabel=NAMES[x],
        ylabel="added by noise" if x in PRIVATE else "averaged population risk",
    )
