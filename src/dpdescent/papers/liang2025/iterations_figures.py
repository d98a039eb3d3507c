"""Figures of liang2025 against the number of iterations: the bound in Figure 2, the error in Figure 4."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, ITERATIONS, SPREAD, levels, middle, readings
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    VERMILION,
    legend_below,
    level_colors,
    log_scale,
    panels,
    select,
    thin_curve,
    vertical,
)

# The reading of "large" at which the curves of Figure 4(b) part.
LARGER = "first-stage budget 1000"


def draw_fig02(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws bound (7) against the number of iterations, its three terms, and the boundaries of its regimes."""
    figure, axes = panels(size=(8.2, 4.6))
    names = {
        "total": ("bound (7)", "black"), "optimisation": (r"optimisation: $\kappa^{T/2}$", GREEN),
        "sampling": (r"sampling: $1/\sqrt{n}$", BLUE), "privacy": (r"privacy: $\sqrt{T}/n$", VERMILION),
    }  # fmt: skip
    for series, (label, color) in names.items():
        style = {"linestyle": "-", "linewidth": 2.4} if series == "total" else {"linewidth": 1.4}
        thin_curve(axes, table[table["series"] == series], "T", label, color=color, **style)
    log_scale(axes)
    lowest = table[table["series"] == "privacy"]["mean"].min()
    axes.set_ylim(lowest / 1.5, 5 * table["mean"].max())
    _regimes(axes, table.iloc[0], float(table["T"].max()))
    axes.set(xlabel=ITERATIONS, ylabel=r"bound on $\|\beta^{(T)}-\hat\beta\|$, hidden constants set to 1")
    legend_below(figure, [axes], 4)
    return figure


def _regimes(axes: Axes, row: "pd.Series[Any]", longest: float) -> None:
    """Draws shades, names and boundaries of the regimes of Remark 3.7; beyond T3 condition (5) fails."""
    ends = [1.0, row["T1"], row["T2"], row["T3"], longest]
    names = ("drop:\noptimisation", "plateau:\nsampling", "rise:\nprivacy", "(5)\nfails")
    for low, high, name, shade in zip(ends, ends[1:], names, (GREEN, BLUE, VERMILION, GREY), strict=False):
        axes.axvspan(low, high, color=shade, alpha=0.08, linewidth=0)
        # The last regime is narrower than its name, which would leave the axes.
        place, side = (longest, "right") if high == longest else ((low * high) ** 0.5, "center")
        axes.text(place, 0.97, name, transform=axes.get_xaxis_transform(), ha=side, va="top")
    axes.set_xlim(1.0, longest)
    for name in ("T1", "T2", "T3"):
        vertical(axes, row[name], f"$T_{name[1]}={row[name]:.0f}$", height=0.5, side="left")


def draw_fig04(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against T for three budgets of either stage, with the limits of conditions (5) and (21).

    (b) stands at two values of the first stage's large budget, because at the smaller one its noise hides the curves.
    Below, one curve of (a) and of (b) has the readings to which the claims on it are held.
    """
    figure, axes = panels(3, 2, size=(4.6, 3.9), sharey=True)
    rows = table[table["error_to"] == "beta_hat"]
    shown = (
        (axes[0, 0], "a", "1", "2", "main"),
        (axes[0, 1], "b", "2", "1", "main"),
        (axes[0, 2], "b", "2", "1", LARGER),
    )
    for panel, part, varied, held, variant in shown:
        own = select(rows, variant, panel=part)
        levels(panel, own, "T", f"rho{varied}")
        title = rf"({part}) $\rho_{varied}$ varies, $\rho_{held}={own[f'rho{held}'].min():g}$"
        panel.set(title=title, xlabel=ITERATIONS, ylabel=ERROR["beta_hat"])
        log_scale(panel)
    _cutoffs(axes[0, 0], select(rows, panel="a"))
    # The middle curve of (a); of (b) that of the least budget, whose plateau the text describes.
    for panel, part, budget, choose in ((axes[1, 0], "a", "rho1", middle), (axes[1, 1], "b", "rho2", min)):
        own = rows[rows["panel"] == part]
        level = choose(own[budget])
        readings(panel, own[own[budget] == level], "T", level_colors(own[budget])[level])
        title = rf"({part}) other readings, $\rho_{budget[-1]}={level:g}$"
        panel.set(title=title, xlabel=ITERATIONS, ylabel=ERROR["beta_hat"])
    axes[1, 2].set_axis_off()
    legend_below(figure, axes[0, :1], 3, f"the budget that varies;  {SPREAD}")
    return figure


def _cutoffs(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the largest T of condition (5) as lines, and writes that of condition (21), which is below 1."""
    axes.set_ylim(top=2.2 * axes.get_ylim()[1])
    limits = rows.groupby("rho1")[["limit_condition_5", "limit_condition_21"]].mean()
    for level, color in level_colors(limits.index).items():
        limit = limits.loc[level, "limit_condition_5"]
        vertical(axes, limit, f"(5): $T={limit:.3g}$", color=color)
    # Below the axis, because a text in the panel would lie over a line.
    proved = ", ".join(f"{limit:.1g}" for limit in limits["limit_condition_21"])
    axes.set_xlabel(
        f"{ITERATIONS}\n(limit (5) at constant 1;\n(21), in the proof: $T\\leq$ {proved}, off the left edge)"
    )
