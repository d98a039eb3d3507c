"""Figures of liang2025 against the sample size: Figure 3, other draws of its parameters, and consistency."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.liang2025.drawing import ERROR, SPLITS, SPREAD, N, middle, readings
from dpdescent.papers.liang2025.sample_size import LONGER, LONGEST, SHORTER
from dpdescent.replication.drawing.figures import (
    BLACK,
    DARK_BLUE,
    GREY,
    MARKERS,
    METHODS,
    curve,
    legend_below,
    log_scale,
    median_curve,
    panels,
    select,
    slope_guide,
    thin_curve,
)
from dpdescent.replication.judging.statistics import log_log_slope

# Averages by panel of Figure 3, because the distance to just-identified 2SLS has no mean at p = 50.
AVERAGES: dict[str, Callable[..., None]] = {"a": curve, "b": median_curve}


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against n for three splits of the budget and without noise, and below under other readings."""
    figure, axes = panels(2, 4, size=(5.6, 3.0))
    private = table[table["series"] == "DP-2S-GD"]
    # The runs with half the iterations stand in the same parts as those with twice as many.
    fewer = table[(table["series"] == SHORTER.format(LONGEST // 4)) & (table["variant"] == LONGER)]
    private = pd.concat([private, fewer.assign(series="DP-2S-GD", variant="ten iterations")], ignore_index=True)
    rho1 = middle(private["rho1"])
    for row, target in zip(axes[:2], ERROR, strict=True):
        for panel, (part, cell) in zip(row, display["cells"].items(), strict=False):
            _splits(panel, select(table, panel=part, error_to=target), AVERAGES[part])
            panel.set(title=f"({part}) $p=q=r={cell['p']}$", xlabel=N, ylabel=ERROR[target])
        rows = select(private, panel="a", rho1=rho1, error_to=target)
        first = rows.loc[rows["n"].idxmin()]
        slope_guide(row[0], sorted(rows["n"]), (first["n"], first["mean"]), -0.5, r"claimed rate $1/\sqrt{n}$")
    for column, target, part in zip(axes[2:].T, ERROR, display["cells"], strict=True):
        chosen = private[(private["panel"] == part) & (private["rho1"] == rho1) & (private["error_to"] == target)]
        for panel, (name, rows) in zip(column, _kinds(chosen).items(), strict=True):
            readings(panel, rows, "n", draw=AVERAGES[part])
            panel.set(title=rf"({part}) {name}, $\rho_1={rho1:g}$", xlabel=N, ylabel=ERROR[target])
    legend_below(figure, axes[:2].flat, 3, f"(a), {SPREAD}; (b), points: median with 95 % interval, shade: quartiles")
    return figure


def _kinds(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Readings of the clipping constant, and all others; each with the main one, none that changes c0 and T at once."""
    main, variant = rows["variant"] == "main", rows["variant"]
    clip, both = variant.str.startswith("clip constant"), variant.str.contains(" at ")
    return {"clipping constants": rows[main | clip & ~both], "other readings": rows[main | ~clip & ~both]}


def _splits(axes: Axes, rows: pd.DataFrame, draw: Callable[..., None]) -> None:
    private, free, clipped = (rows[rows["series"] == series] for series in ("DP-2S-GD", "2S-GD", "2S-GD, clipped"))
    for (rho1, split), marker in zip(private.groupby("rho1"), MARKERS, strict=False):
        label = rf"DP-2S-GD, $\rho_1={rho1:g}$, $\rho_2={split['rho2'].iloc[0]:g}$"
        draw(axes, split, "n", label, color=SPLITS.get(rho1), marker=marker)
    draw(axes, free, "n", "2S-GD: no noise, no clipping", color=METHODS["2S-GD"], marker=".", linestyle="--")
    if not clipped.empty:
        draw(axes, clipped, "n", "clipping, but no noise", color=BLACK, marker=".", linestyle="-.")
    log_scale(axes)


def draw_ext_parameter_draws(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws Figures 3(a) and 8 for other draws of the parameters, and the slope in n of each draw."""
    figure, (axes,) = panels(3, size=(4.4, 4.1))
    rows = select(table, error_to="beta_hat", series="DP-2S-GD")
    rho1 = middle(rows["rho1"])
    by_n = _draws(axes[0], rows[(rows["panel"] == "fig03") & (rows["rho1"] == rho1)], "n")
    _draws(axes[1], rows[rows["panel"] == "fig08"], "gamma")
    slope_guide(axes[0], by_n.index, (by_n.index[0], by_n.iloc[0]), -0.5, r"claimed rate $1/\sqrt{n}$")
    axes[0].set(title=rf"Figure 3(a), $\rho_1={rho1:g}$", xlabel=N, ylabel=ERROR["beta_hat"])
    axes[1].set(title="Figure 8", xlabel=r"clipping threshold $\gamma$", ylabel=ERROR["beta_hat"])
    _slopes(axes[2], rows[rows["panel"] == "fig03"])
    legend_below(figure, axes, 7)
    return figure


def _draws(axes: Axes, rows: pd.DataFrame, x: str) -> "pd.Series[float]":
    """Draws a thin line for each draw and a thick one for the median over draws, and returns the median."""
    for k, (_, group) in enumerate(rows.groupby("draw")):
        label = None if k else "one draw of the parameters"
        thin_curve(axes, group, x, label, color=METHODS["DP-2S-GD"], linestyle="-", alpha=0.5)
    typical = rows.groupby(x)["mean"].median()
    axes.plot(typical.index, typical, color=METHODS["DP-2S-GD"], marker="o", linewidth=2.2, label="median over draws")
    log_scale(axes)
    return typical


def _slopes(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one point for each draw and split of the budget, splits moved aside so that no bar hides another."""
    axes.axhline(-0.5, color=GREY, linestyle=":", linewidth=1.2)
    aside = 0.013 * (rows["theta_min"].max() - rows["theta_min"].min())
    for k, ((rho1, split), marker) in enumerate(zip(rows.groupby("rho1"), MARKERS, strict=False)):
        draws = [group for _, group in split.groupby("draw")]
        slopes = [log_log_slope(group, "n") for group in draws]
        axes.errorbar(
            [group["theta_min"].iloc[0] + (k - 1) * aside for group in draws], [slope.value for slope in slopes],
            yerr=[slope.high - slope.value for slope in slopes], color=SPLITS.get(rho1), marker=marker,
            linestyle="none", label=rf"$\rho_1={rho1:g}$, $\rho_2={split['rho2'].iloc[0]:g}$",
        )  # fmt: skip
    axes.set(title="log-log slope in $n$, one point a draw", xlabel=r"smallest singular value of $\Theta$")
    axes.set_ylabel("slope with 95 % interval")


def draw_ext_consistency(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws both errors against n where T is a multiple of log n."""
    figure, axes = panels(size=(6.2, 4.2))
    colors = {"beta_hat": METHODS["DP-2S-GD"], "beta": DARK_BLUE}
    for (target, color), marker in zip(colors.items(), ("o", "s"), strict=True):
        rows = select(table, error_to=target).sort_values("n")
        curve(axes, rows, "n", ERROR[target], color=color, marker=marker)
    first = select(table, error_to="beta_hat").sort_values("n").iloc[0]
    slope_guide(axes, sorted(set(table["n"])), (first["n"], first["mean"]), -0.5, r"slope of $1/\sqrt{n}$")
    log_scale(axes)
    times = display["arms"]["iterations_per_log_n"]
    axes.set(xlabel=N, ylabel="error", title=rf"$T={times:g}\,\log n$, $\rho_1=\rho_2={display['arms']['rho1']:g}$")
    legend_below(figure, [axes], 3, SPREAD)
    return figure
