"""The drawing of Figure 1: the optimal noise for mean estimation, in closed form."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from dpdescent.papers.choquettechoo2023.styles import ETA, OPTIMUM, line
from dpdescent.replication.drawing.figures import (
    BACKGROUND,
    GREY,
    MARKERS,
    VERMILION,
    log_scale,
    panels,
    plain_number,
    select,
    shades,
    where,
)  # fmt: skip

CLAIMED = r"as claimed, order-wise: $\eta\,\ln^2(1/\eta)$"
RATIOS = {
    "exact ratio": ("exact", {"color": OPTIMUM[0], "marker": "o"}),
    "order-wise proxy": (CLAIMED, {"color": GREY, "marker": "s", "linestyle": "--"}),
}
RATES = (1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999)


def draw_fig01(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the ratio of suboptimalities over learning rates, and optimal coefficients over time and frequency."""
    figure, axes = panels(3, size=(4.7, 4.0), squeeze=False)
    ratio, time, frequency = axes[0]
    main = select(table)
    _ratio(ratio, where(main, panel="ratio"))
    _coefficients(time, where(main, panel="time"), "t")
    _coefficients(frequency, where(main, panel="frequency"), "omega")
    time.axhline(0.0, color=GREY, linewidth=0.8)
    time.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    time.set(title="time domain", xlabel="step $t$", ylabel=r"optimal noise coefficient $\beta^*_t$")
    frequency.axhline(1.0, color=VERMILION, linewidth=0.9, linestyle="-.", label=r"DP-SGD: $|B(\omega)|^2=1$")
    frequency.set_xticks([0.0, math.pi / 2, math.pi], ["0", r"$\pi/2$", r"$\pi$"])
    frequency.set(title="frequency domain", xlabel=r"frequency $\omega$", ylabel=r"$|B^*(\omega)|^2$", ylim=(0.0, None))
    for panel in axes[0]:
        if panel.get_legend_handles_labels()[0]:
            panel.legend(loc={time: "lower right", frequency: "upper left"}.get(panel, "lower center"))
    return figure


def _ratio(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws both ratios over learning rates, on a logistic axis, which is logarithmic towards 0 and towards 1."""
    within, above = rows[(rows["eta"] < 1.0) & (rows["mean"] > 0.0)], rows[rows["eta"] == 1.0]
    for series, (label, style) in RATIOS.items():
        line(axes, within[within["series"] == series], "eta", label, markersize=3.5, **style)
    axes.axhline(1.0, color=VERMILION, linestyle="-.", linewidth=0.9)
    axes.text(
        0.02, 1.07, "no better than DP-SGD", transform=axes.get_yaxis_transform(), color=VERMILION, fontsize=7.5,
        va="bottom",
    )  # fmt: skip
    log_scale(axes, "y")
    axes.set_ylim(top=3.0)
    axes.set_xscale("logit")
    axes.xaxis.set_major_locator(FixedLocator(RATES))
    axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.xaxis.set_minor_locator(NullLocator())
    if len(within):
        axes.set_xlim(within["eta"].min() / 2, 1.0 - (1.0 - within["eta"].max()) / 10)
    _at_one(axes, above)
    axes.set(title="suboptimality, optimum over DP-SGD", xlabel=ETA, ylabel=r"ratio of $F_\infty$")


def _at_one(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the ratios at learning rate 1 at the right edge, because 1 is at infinity on a logistic axis."""
    for _, row in rows[rows["series"] == "exact ratio"].iterrows():
        place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False, "zorder": 5}
        axes.plot([1.0], [row["mean"]], "o", color=OPTIMUM[0], markerfacecolor="white", **place)
    names = dict(zip(RATIOS, ("exact", "order-wise"), strict=True))
    values = [f"{names[row['series']]}: {row['mean']:g}" for _, row in rows.iterrows() if row["series"] in names]
    if values:
        axes.text(
            0.98, 0.72, "\n".join([r"at $\eta=1$", *values]), transform=axes.transAxes, fontsize=7.5, ha="right",
            bbox=BACKGROUND,
        )  # fmt: skip


def _coefficients(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draws the coefficients, one curve for each learning rate."""
    rates = sorted(set(rows["eta"]))
    for eta, color, marker in zip(rates, shades(len(rates)), MARKERS * len(rates), strict=False):
        style = {"color": color, "marker": marker if x == "t" else ""}
        line(axes, rows[rows["eta"] == eta], x, rf"$\eta={eta:g}$", markersize=3.5, **style)
