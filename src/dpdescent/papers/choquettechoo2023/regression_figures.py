"""The drawing of Figure 2: the limit of the error in linear regression, bounds, and slopes."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.choquettechoo2023.styles import (
    D_EFF,
    ETA,
    INTERVALS,
    SUBOPTIMALITY,
    D,
    color_of,
    held_fixed,
    label_of,
    line,
    look,
    points,
)  # fmt: skip
from dpdescent.replication.drawing.figures import (
    GREY,
    legend_below,
    log_scale,
    panels,
    select,
    slope_of,
    variants_of,
    where,
)  # fmt: skip
from dpdescent.replication.judging.statistics import log_log_slope

# Axis labels of Figure 2 by panel, which has the name of its axis, and short names of algorithms; both make the name of
# a published slope.
VARIED = {"d": D, "d_eff": D_EFF, "eta": ETA}
ALGORITHMS = {"Noisy-SGD": "sgd", "nu-Noisy-FTRL": "ftrl"}
SGD, FTRL = (color_of(name) for name in ALGORITHMS)
Look = tuple[str, str, Any, float]
# Constants of the limits as the learning rate vanishes, where the table has an order at constant 1: of two orders at
# unlike constants the curves seem to be unlike in tightness.
LIMITS = {"nu-Noisy-FTRL order with log": 1.0 / (4.0 * math.pi**2)}
ORDERS: dict[str, Look] = {
    "Noisy-SGD order": (r"order $\eta\,d/(8\rho)$", SGD, ":", 1.4),
    "nu-Noisy-FTRL order with log": (r"order $\eta^2 d_\mathrm{eff}\,\ln^2(1/\nu)/(4\pi^2\rho)$", FTRL, ":", 1.4),
}  # fmt: skip
BOUNDS: dict[str, Look] = {
    "lower bound (C.18)": ("lower bound (C.18), any noise", GREY, "--", 1.1),
    "upper bound (C.15), Noisy-SGD": ("upper bound (C.15), Noisy-SGD", SGD, "-.", 0.9),
    "upper bound (C.15), nu-Noisy-FTRL": (r"upper bound (C.15), $\nu$-Noisy-FTRL", FTRL, "-.", 0.9),
}
READINGS = "below, full: simulated with 95 % interval; hollow: exact; bar: exact over the same steps; dashed: published"
SPREAD = 0.16
# Upper bounds are shown up to this multiple of the largest error.
HIGHEST = 60.0


def draw_fig02(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against dimension, effective dimension and learning rate; below, bounds and all slopes."""
    shape = {"gridspec_kw": {"height_ratios": [1.5, 1.1, 1.1]}, "squeeze": False}
    figure, axes = panels(3, 3, size=(4.9, 3.5), **shape)
    published = display.get("published", {}).get("slopes", {})
    for top, bounds, bottom, (x, label) in zip(*axes, VARIED.items(), strict=True):
        rows = table[table["panel"] == x]
        claimed = {name: published.get(f"{short}_{x}") for name, short in ALGORITHMS.items()}
        _errors(top, select(rows), x)
        _exact(bounds, select(rows), x)
        _lines(bounds, select(rows), x, BOUNDS)
        for panel in (top, bounds):
            log_scale(panel)
            panel.set(xlabel=label, ylabel=SUBOPTIMALITY)
        exact = select(rows, kind="exact")
        if len(exact):
            # The panel's height is limited, because upper bounds tend to infinity.
            bounds.set_ylim(top=min(bounds.get_ylim()[1], HIGHEST * exact["mean"].max()))
        bounds.set_title("exact limits and bounds")
        # Padded, because the legend of slopes is between the title and the axes.
        top.set_title(held_fixed(select(rows), x), pad=32)
        _slope_legend(top, select(rows), x, claimed)
        _readings(bottom, rows, x, variants_of(table), claimed)
        bottom.set_xlabel(f"log-log slope in the {label}")
    for bottom in axes[2, 1:]:
        bottom.tick_params(labelleft=False)
    legend_below(figure, axes[:2].flat, 5, f"{INTERVALS} over runs; {READINGS}")
    return figure


def _errors(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Draws simulated points over exact lines, and the orders of the paper's bounds."""
    _exact(axes, rows, x)
    for name in ALGORITHMS:
        simulated = where(rows, series=name, kind="simulated")
        points(axes, simulated, x, label_of(name), **(look(name) | {"linestyle": "none"}))
    best = where(rows, kind="exact", series="optimum")
    line(axes, best, x, "best noise, exact", color=color_of("optimum"), linewidth=0.9)
    _lines(axes, rows, x, ORDERS)


def _exact(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    for name in ALGORITHMS:
        line(axes, where(rows, series=name, kind="exact"), x, f"{label_of(name)}, exact", color=color_of(name))


def _lines(axes: Axes, rows: pd.DataFrame, x: str, looks: dict[str, Look]) -> None:
    for series, (label, color, dashes, width) in looks.items():
        bound = where(rows, kind="bound", series=series)
        bound = bound.assign(mean=bound["mean"] * LIMITS.get(series, 1.0))
        line(axes, bound, x, label, color=color, linestyle=dashes, linewidth=width)


def _slope_legend(axes: Axes, rows: pd.DataFrame, x: str, claimed: dict[str, float | None]) -> None:
    """Adds a legend with the slopes of both algorithms: simulated, exact, and published."""
    names, handles = [], []
    for name, value in claimed.items():
        own, style = rows[rows["series"] == name], look(name)
        measured = [slope_of(where(own, kind=kind), x) for kind in ("simulated", "exact")]
        names.append(" / ".join([*measured, "–" if value is None else f"${value:.2f}$"]))
        handles.append(Line2D([], [], **(style | {"linestyle": "none"})))
    fitted = ", grid fitted" if x == "eta" else ""
    title = f"slopes: simulated / exact / published{fitted}"
    style = {"title_fontsize": 7.5, "fontsize": 7.5, "loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 2}
    axes.legend(handles, names, title=title, borderaxespad=0.2, **style)


def _readings(axes: Axes, rows: pd.DataFrame, x: str, variants: list[str], claimed: dict[str, float | None]) -> None:
    """Draws the slopes of both algorithms, one line for each variant."""
    for name, value in claimed.items():
        if value is not None:
            axes.axvline(value, color=color_of(name), linestyle="--", linewidth=1.0)
        for rank, variant in enumerate(variants):
            own = select(rows, variant, series=name)
            height = rank + (-SPREAD if name == "Noisy-SGD" else SPREAD)
            _slopes(axes, own, x, height, look(name) | {"linestyle": "none"})
    axes.set_yticks(range(len(variants)), ["as configured" if name == "main" else label_of(name) for name in variants])
    axes.set_ylim(len(variants) - 0.5, -0.5)


def _slopes(axes: Axes, rows: pd.DataFrame, x: str, height: float, style: dict[str, Any]) -> None:
    """Draws the slopes of an algorithm under a variant: exact, simulated, and exact over the simulation's steps."""
    exact, simulated = (log_log_slope(where(rows, kind=kind), x) for kind in ("exact", "simulated"))
    over_steps = where(rows, kind="simulated").dropna(subset=["expected"])
    if not math.isnan(exact.value):
        axes.plot(exact.value, height, **(style | {"markerfacecolor": "white"}))
    if len(over_steps) > 1:
        expected = log_log_slope(over_steps.assign(mean=over_steps["expected"], se=0.0), x).value
        axes.plot(expected, height, "|", color=style["color"], markersize=11)
    if not math.isnan(simulated.value):
        axes.errorbar(simulated.value, height, xerr=simulated.high - simulated.value, **style)
