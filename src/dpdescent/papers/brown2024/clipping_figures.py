"""Figures of brown2024 on the effect of clipping: Figures 3, 4 and 7."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from dpdescent.papers.brown2024.clipping import lowest_of
from dpdescent.papers.brown2024.dimension_figures import DARK_DP_GD, DP_GD, ERROR, LINES, P
from dpdescent.replication.drawing.figures import (
    BACKGROUND,
    GREY,
    MARKERS,
    PURPLE,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    plain_number,
    select,
    shades,
    thin_curve,
    variants_of,
)

# Lower end of the colours, because a logarithmic scale has no place for a fraction of 0.
FLOOR = 1e-4
LEVELS = {0.01: "1 %", 0.1: "10 %", 0.5: "50 %"}
# The smallest fraction that is drawn, and the fractions that are named on the axis.
FEWEST, FRACTIONS = 1e-5, (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99)
PARTS = {
    "variance": ("variance", SKY, "^"), "bias2": ("squared bias", PURPLE, "s"),
    "mse": (r"error $\mathbb{E}\|\theta_T-\hat\theta\|^2$", DP_GD, "o"),
}  # fmt: skip


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the fraction of all gradients clipped by dimension and threshold, with curves gamma = k sqrt(p)."""
    figure, axes = panels(size=(7.6, 5.2))
    # Thresholds as rows, dimensions as columns.
    grids = {name: select(table, name).pivot(index="gamma", columns="p", values="mean") for name in variants_of(table)}
    main = grids["main"]
    edges = (_edges(main.columns), _edges(main.index))
    # Cells without any clipped gradient get the lowest colour, because 0 has none on a logarithmic scale.
    shown = main.clip(lower=FLOOR / 10)
    mesh = axes.pcolormesh(*edges, shown, norm=LogNorm(FLOOR, 1.0), cmap="cividis", rasterized=True)
    figure.colorbar(mesh, ax=axes, extend="min", label="fraction of all $nT$ gradients clipped", pad=0.09)
    for (name, grid), line in zip(grids.items(), ("-", *LINES), strict=False):
        _contours(axes, grid, name, line)
    axes.set(xlabel=P, ylabel=r"clipping threshold $\gamma$")
    axes.set(xlim=(max(edges[0][0], 0.0), edges[0][-1]), ylim=(edges[1][0], edges[1][-1]))
    axes.grid(False)
    # The curves gamma = k sqrt(p), named at the right edge.
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for k in (1, 2, 3, 5):
        p = np.linspace(low, high, 200)
        axes.plot(p, k * np.sqrt(p), color=VERMILION, linestyle="--", linewidth=1.4)
        if bottom < k * np.sqrt(high) < top:
            axes.text(
                1.01, k * np.sqrt(high), rf"${'' if k == 1 else k}\sqrt{{p}}$", color=VERMILION, va="center",
                transform=axes.get_yaxis_transform(),
            )  # fmt: skip
    if axes.get_legend_handles_labels()[0]:
        legend_below(figure, [axes], 4, "contours: 1 %, 10 % and 50 % clipped")
    return figure


def _edges(centres: "pd.Index[Any]") -> NDArray[np.float64]:
    """Returns the borders of cells: half way between neighbouring values, and equally far beyond the outermost."""
    values = centres.to_numpy(dtype=float)
    half = np.diff(values) / 2 if len(values) > 1 else np.array([0.5])
    return np.concatenate([[values[0] - half[0]], values[:-1] + half[: len(values) - 1], [values[-1] + half[-1]]])


def _contours(axes: Axes, grid: pd.DataFrame, name: str, line: Any) -> None:
    if min(grid.shape) < 2:
        return
    levels = [level for level in LEVELS if grid.min().min() < level < grid.max().max()]
    if levels:
        lines = axes.contour(
            grid.columns, grid.index, np.log(grid.clip(lower=FLOOR / 10)), np.log(levels), colors="black",
            linestyles=[line], linewidths=1.3 if name == "main" else 0.9,
        )  # fmt: skip
        if name == "main":
            names = axes.clabel(lines, fmt={np.log(level): LEVELS[level] for level in levels}, fontsize=8)
            for text in names or []:
                text.set_bbox(BACKGROUND)
        axes.plot([], [], color="black", linestyle=line, label="headline" if name == "main" else name)


def draw_fig04(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws squared bias, variance and squared error against the threshold; below, the error under other readings."""
    rows, scale = table[table["error_to"] == "theta_hat"], math.sqrt(display["cells"]["all"]["p"])
    sizes = sorted(set(rows["n"]))
    figure, axes = panels(len(sizes), 2, size=(6.0, 3.9), sharex=True, squeeze=False)
    for (top, bottom), n in zip(axes.T, sizes, strict=True):
        _moments(top, select(rows, n=n))
        _errors(bottom, table[(table["n"] == n) & (table["series"] == "mse")])
        for panel in (top, bottom):
            log_scale(panel)
        # A second axis at the top with the threshold gamma itself.
        above = top.secondary_xaxis(
            "top", functions=(lambda k: np.multiply(k, scale), lambda gamma: np.divide(gamma, scale))
        )
        above.set_xlabel(r"clipping threshold $\gamma$")
        above.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        above.xaxis.set_major_formatter(FuncFormatter(plain_number))
        above.xaxis.set_minor_formatter(NullFormatter())
        # Leaves room above the highest point for its label.
        top.set_ylim(top=3.0 * top.get_ylim()[1])
        top.set_title(f"$n={n}$")
        bottom.set_xlabel(r"clipping threshold $\gamma/\sqrt{p}$")
    axes[0, 0].set_ylabel(r"squared distance from $\hat\theta$")
    axes[1, 0].set_ylabel("mean squared error")
    moments = "points: mean over data sets with standard error; numbers: percentage of all gradients clipped"
    legend_below(figure, axes[:, 0], 4, moments)
    return figure


def _moments(axes: Axes, rows: pd.DataFrame) -> None:
    for series, (label, color, marker) in PARTS.items():
        chosen = rows[rows["series"] == series].sort_values("clip_factor")
        # The squared bias is a difference of estimates, and hence near 0 or negative where there is no bias.
        clear = chosen["mean"] > chosen["se"].fillna(0.0)
        _means(axes, chosen[clear], "clip_factor", label, color=color, marker=marker)
        if not clear.all():
            hidden = chosen["clip_factor"][~clear]
            axes.plot(
                hidden, np.full(len(hidden), 0.02), "v", color=color, markerfacecolor="white",
                transform=axes.get_xaxis_transform(), label="squared bias below its standard error",
            )  # fmt: skip
    # Only every other point has a number, because numbers of neighbours would overlap.
    for _, row in rows[rows["series"] == "mse"].sort_values("clip_factor").iloc[::2].iterrows():
        axes.annotate(
            percent(row["clip_fraction"]), (row["clip_factor"], row["mean"]), xytext=(0, 5), ha="center",
            textcoords="offset points", fontsize=7.5, color=DP_GD,
        )  # fmt: skip


def _means(axes: Axes, rows: pd.DataFrame, x: str, label: str, **style: Any) -> None:
    if len(rows):
        axes.errorbar(rows[x], rows["mean"], yerr=rows["se"], label=label, **style)


def _errors(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws squared errors to the truth and to least squares, and to the latter under other readings of the paper."""
    near = rows[rows["error_to"] == "theta_hat"].sort_values("clip_factor")
    truth = select(rows, error_to="theta_star").sort_values("clip_factor")
    _means(axes, select(near), "clip_factor", PARTS["mse"][0], color=DP_GD, marker="o")
    # Hollow and in front, because the two errors are close.
    _means(
        axes, truth, "clip_factor", r"error to the truth $\mathbb{E}\|\theta_T-\theta^*\|^2$", color=DARK_DP_GD,
        marker="D", markerfacecolor="white", markersize=3.2, linewidth=1.0, zorder=3,
    )  # fmt: skip
    for name, line in zip(variants_of(near)[1:], LINES, strict=False):
        thin_curve(axes, select(near, name), "clip_factor", f"error, {name}", color=DP_GD, linestyle=line)


def percent(fraction: float) -> str:
    """Returns a fraction as a percentage with two digits, without the percent sign."""
    value = 100 * fraction
    return "0" if value == 0 else "<0.01" if value < 0.01 else f"{value:.2g}" if value < 99.5 else "100"


def draw_fig07(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against the fraction clipped, one curve for each number of iterations with its minimum.

    The axis of fractions is logistic, because it gives room both to fractions near 0 and to fractions near 1.
    """
    rows = table[table["error_to"] == "theta_hat"]
    sizes, steps = sorted(set(rows["n"])), sorted(set(rows["T"]))
    figure, axes = panels(len(sizes), size=(6.0, 4.5), squeeze=False)
    for panel, n in zip(axes[0], sizes, strict=True):
        panel.axvline(0.5, color=GREY, linestyle="-.", linewidth=0.9)
        for T, color, marker in zip(steps, shades(len(steps)), MARKERS * len(steps), strict=False):
            own = select(rows, n=n, T=T)
            own = own[own["clip_fraction"].between(0.0, 1.0, inclusive="neither")].sort_values("clip_factor")
            if len(own):
                _means(panel, own, "clip_fraction", f"$T={T}$", color=color, marker=marker)
                best = lowest_of(own)
                panel.plot(best["clip_fraction"], best["mean"], "o", markersize=11, markerfacecolor="none", color=color)
        low, high = panel.dataLim.intervalx
        panel.set_xscale("logit")
        panel.set_xlim(max(0.6 * low, FEWEST), 1.0 - 0.6 * (1.0 - min(high, 1.0 - FEWEST)))
        panel.xaxis.set_major_locator(FixedLocator(FRACTIONS))
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
        panel.xaxis.set_minor_locator(NullLocator())
        log_scale(panel, "y")
        panel.set(title=f"$n={n}$", xlabel="percentage of all gradients clipped", ylabel=ERROR["theta_hat"])
    legend_below(figure, axes[0], 7, "points: mean over data sets with standard error; circle: least error of a curve")
    return figure
