"""Figures of brown2024 on what clipping costs and gains: Figures 3, 4 and 7."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dpdescent.papers.brown2024.figures_accuracy import DP_GD, ERROR, LINES, P
from dpdescent.replication.figures import (
    BACKGROUND,
    GREY,
    MARKERS,
    ORANGE,
    PURPLE,
    VERMILION,
    curve,
    legend_below,
    log_scale,
    panels,
    plain_number,
    select,
    thin_curve,
    variants_of,
)

# A logarithmic colour scale cannot show that nothing was clipped.
FLOOR = 1e-4
LEVELS = {0.01: "1 %", 0.1: "10 %", 0.5: "50 %"}
FACTORS = (1, 2, 3, 5)
PARTS = {
    "mse": (r"error $\mathbb{E}\|\theta_T-\hat\theta\|^2$", DP_GD, "o"), "bias2": (r"squared bias", PURPLE, "s"),
    "variance": ("variance", ORANGE, "^"),
}  # fmt: skip
RATIO = r"clipping threshold $\gamma/\sqrt{p}$"
MOMENTS = "points: mean over data sets with standard error; numbers: percentage of all gradients clipped"


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Fraction of all gradients that are clipped over dimension and threshold, with curves gamma = k sqrt(p)."""
    figure, axes = panels(size=(7.6, 5.2))
    main = _fractions(select(table))
    edges = (_edges(main.columns), _edges(main.index))
    # Cells without any clipped gradient have the lowest colour.
    shown = main.clip(lower=FLOOR / 10)
    mesh = axes.pcolormesh(*edges, shown, norm=LogNorm(FLOOR, 1.0), cmap="cividis", rasterized=True)
    figure.colorbar(mesh, ax=axes, extend="min", label="fraction of all $nT$ gradients clipped", pad=0.09)
    for name, line in zip(variants_of(table), ("-", *LINES), strict=False):
        _contours(axes, _fractions(select(table, name)), name, line)
    axes.set(xlim=edges[0][[0, -1]], ylim=edges[1][[0, -1]], xlabel=P, ylabel=r"clipping threshold $\gamma$")
    axes.grid(False)
    _thresholds(axes)
    if axes.get_legend_handles_labels()[0]:
        legend_below(figure, [axes], 4, "white: contours")
    return figure


def _fractions(rows: pd.DataFrame) -> pd.DataFrame:
    """Fraction clipped, a row a threshold and a column a dimension."""
    return rows.pivot(index="gamma", columns="p", values="mean")


def _edges(centres: "pd.Index[Any]") -> NDArray[np.float64]:
    """Borders of cells: half way between neighbouring values, and as far beyond the outer ones."""
    values = centres.to_numpy(dtype=float)
    half = np.diff(values) / 2 if len(values) > 1 else np.array([0.5])
    return np.concatenate([[values[0] - half[0]], values[:-1] + half[: len(values) - 1], [values[-1] + half[-1]]])


def _contours(axes: Axes, grid: pd.DataFrame, name: str, line: Any) -> None:
    if min(grid.shape) < 2:
        return
    levels = [level for level in LEVELS if grid.min().min() < level < grid.max().max()]
    if levels:
        lines = axes.contour(
            grid.columns, grid.index, np.log(grid.clip(lower=FLOOR / 10)), np.log(levels), colors="white",
            linestyles=[line], linewidths=1.3,
        )  # fmt: skip
        if name == "main":
            axes.clabel(lines, fmt={np.log(level): LEVELS[level] for level in levels}, fontsize=8)
        axes.plot([], [], color=GREY, linestyle=line, label=name)


def _thresholds(axes: Axes) -> None:
    """The curves gamma = k sqrt(p), named where they leave the picture."""
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for k in FACTORS:
        p = np.linspace(max(low, 0.0), high, 200)
        axes.plot(p, k * np.sqrt(p), color=VERMILION, linestyle="--", linewidth=1.4)
        if bottom < k * np.sqrt(high) < top:
            axes.text(
                1.01, k * np.sqrt(high), rf"${'' if k == 1 else k}\sqrt{{p}}$", color=VERMILION, va="center",
                transform=axes.get_yaxis_transform(),
            )  # fmt: skip


def draw_fig04(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Squared bias, variance and squared error against the clipping threshold, one panel a sample size."""
    rows = table[table["error_to"] == "theta_hat"]
    sizes = sorted(set(rows["n"]))
    figure, axes = panels(len(sizes), size=(6.0, 4.6), sharey=True, squeeze=False)
    for panel, n in zip(axes[0], sizes, strict=True):
        _moments(panel, select(rows, n=n))
        _errors_under(panel, rows[(rows["n"] == n) & (rows["series"] == "mse")])
        truth = select(table, error_to="theta_star", n=n, series="mse")
        thin_curve(panel, truth, "clip_factor", r"error to the truth", color="black", linestyle="-")
        log_scale(panel)
        panel.set(title=f"$n={n}$", xlabel=RATIO)
    axes[0, 0].set_ylabel(r"squared distance from $\hat\theta$")
    legend_below(figure, axes[0], 4, MOMENTS)
    return figure


def _moments(axes: Axes, rows: pd.DataFrame) -> None:
    for series, (label, color, marker) in PARTS.items():
        chosen = rows[rows["series"] == series].sort_values("clip_factor")
        # The bias is what is left of a difference: next to nothing, or less, where there is none.
        clear = chosen[chosen["mean"] > chosen["se"].fillna(0.0)]
        if len(clear):
            curve(axes, clear.assign(q10=np.nan, q90=np.nan), "clip_factor", label, color=color, marker=marker)
        unclear = chosen["clip_factor"][~chosen.index.isin(clear.index)]
        if len(unclear):
            axes.plot(
                unclear, np.full(len(unclear), 0.015), "v", color=color, markerfacecolor="white",
                transform=axes.get_xaxis_transform(), label="squared bias below its standard error",
            )  # fmt: skip
    for _, row in rows[rows["series"] == "mse"].iterrows():
        axes.annotate(
            percent(row["clip_fraction"]), (row["clip_factor"], row["mean"]), xytext=(0, 6), ha="center",
            textcoords="offset points", fontsize=7, color=DP_GD, bbox=BACKGROUND,
        )  # fmt: skip


def _errors_under(axes: Axes, rows: pd.DataFrame) -> None:
    for name, line in zip(variants_of(rows)[1:], LINES, strict=False):
        thin_curve(axes, select(rows, name), "clip_factor", f"error, {name}", color=DP_GD, linestyle=line)


def percent(fraction: float) -> str:
    """A fraction as a percentage with two digits, without its sign."""
    value = 100 * fraction
    return "0" if value == 0 else "<0.01" if value < 0.01 else f"{value:.2g}" if value < 99.5 else "100"


def draw_fig07(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against the fraction clipped, a curve for each number of iterations, and where each is least.

    The axis of fractions is logistic: it gives room to few clipped gradients and to many.
    """
    rows = table[table["error_to"] == "theta_hat"]
    sizes, steps = sorted(set(rows["n"])), sorted(set(rows["T"]))
    figure, axes = panels(len(sizes), size=(6.0, 4.5), squeeze=False)
    for panel, n in zip(axes[0], sizes, strict=True):
        for T, color, marker in zip(steps, shades(len(steps)), MARKERS * len(steps), strict=False):
            _against_clipping(panel, select(rows, n=n, T=T), T, color, marker)
        panel.set_xscale("logit")
        panel.set(title=f"$n={n}$", xlabel="fraction of all gradients clipped", ylabel=ERROR["theta_hat"])
        log_scale(panel, "y")
    legend_below(figure, axes[0], 7, "")
    return figure


def shades(count: int) -> list[str]:
    """Colours of an ordered quantity, from dark to light."""
    return [to_hex(color) for color in mpl.colormaps["viridis"](np.linspace(0.0, 0.85, count))]


def _against_clipping(axes: Axes, rows: pd.DataFrame, T: int, color: str, marker: str) -> None:
    rows = rows[rows["clip_fraction"] > 0].sort_values("clip_factor")
    if rows.empty:
        return
    axes.errorbar(rows["clip_fraction"], rows["mean"], yerr=rows["se"], color=color, marker=marker, label=f"$T={T}$")
    best = rows.loc[rows["mean"].idxmin()]
    axes.plot(best["clip_fraction"], best["mean"], "o", markersize=11, markerfacecolor="none", color=color)
