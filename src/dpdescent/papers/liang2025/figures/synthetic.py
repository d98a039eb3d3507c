"""Figures of liang2025 on the synthetic design of Sec. 4.1: Figures 3, 4, 6, 7, 8 and 9."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    DARK_BLUE,
    DARK_VERMILION,
    GREEN,
    GREY,
    MARKERS,
    METHODS,
    ORANGE,
    PURPLE,
    SKY,
    curve,
    end_labels,
    legend_below,
    level_colors,
    log_scale,
    median_curve,
    panels,
    select,
    shades,
    slope_guide,
    thin_curve,
    variants_of,
    vertical,
)

N = "sample size $n$"
ITERATIONS = "number of iterations $T$"
ERROR = {"beta_hat": r"error $\|\beta^{(T)}-\hat\beta\|$", "beta": r"error to the truth $\|\beta^{(T)}-\beta\|$"}
SPREAD = "points: mean with standard error; shade: from 10 % to 90 % of the runs"
# Colour by rho1, darker for a larger share of the budget in the first stage.
SPLITS = {1.0: "#F2AE7F", 5.0: METHODS["DP-2S-GD"], 9.0: DARK_VERMILION}
VARIANTS = {
    "clip constant 1": PURPLE, "step constants": SKY, "parameters redrawn": DARK_BLUE, "forty iterations": ORANGE,
    "recommended step held": ORANGE, "clip constant 2": BLUE, "clip constant 15": GREEN, "clip constant 100": GREEN,
}  # fmt: skip
# What a panel of Figure 3 shows: the distance to just-identified 2SLS has no mean at p = 50.
AVERAGES: dict[str, Callable[..., None]] = {"a": curve, "b": median_curve}
PRIVACY = {0.1: "strong", 1.0: "moderate", 10.0: "weak"}


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against n for three splits of the budget and without noise, and below under other readings."""
    figure, axes = panels(2, 4, size=(5.6, 3.0))
    private = table[table["series"] == "DP-2S-GD"]
    rho1 = middle(private["rho1"])
    for row, target in zip(axes[:2], ERROR, strict=True):
        for panel, (part, cell) in zip(row, display["cells"].items(), strict=False):
            _splits(panel, select(table, panel=part, error_to=target), AVERAGES[part])
            panel.set(title=f"({part}) $p=q=r={cell['p']}$", xlabel=N, ylabel=ERROR[target])
        _root_n(row[0], select(private, panel="a", rho1=rho1, error_to=target))
    for column, target, part in zip(axes[2:].T, ERROR, display["cells"], strict=True):
        chosen = private[(private["panel"] == part) & (private["rho1"] == rho1) & (private["error_to"] == target)]
        for panel, (name, rows) in zip(column, _kinds(chosen).items(), strict=True):
            _readings(panel, rows, "n", draw=AVERAGES[part])
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


def middle(values: Iterable[float]) -> float:
    """Returns the middle one of the distinct values, at which a split or privacy level is drawn alone."""
    distinct = sorted(set(values))
    return distinct[len(distinct) // 2]


def _root_n(axes: Axes, rows: pd.DataFrame) -> None:
    first = rows.loc[rows["n"].idxmin()]
    slope_guide(axes, sorted(rows["n"]), (first["n"], first["mean"]), -0.5, r"claimed rate $1/\sqrt{n}$")


def _readings(
    axes: Axes, rows: pd.DataFrame, x: str, main: str = METHODS["DP-2S-GD"], draw: Callable[..., None] = curve
) -> None:
    """Draws the main variant and, thin, other readings of the paper, each curve with its name at its end."""
    ends, colors = [], {**VARIANTS, "main": main}
    # Thin curves and names follow the column "mean", which is the median where the law has no mean.
    shown = rows.assign(mean=rows["median"]) if draw is median_curve else rows
    for variant in variants_of(rows):
        chosen, color = shown[shown["variant"] == variant].sort_values(x), colors.get(variant, GREY)
        if variant == "main":
            draw(axes, chosen, x, variant, color=color, marker=".")
        else:
            thin_curve(axes, chosen, x, color=color)
        ends.append((float(chosen["mean"].iloc[-1]), variant, color))
    log_scale(axes)
    end_labels(axes, ends)


def _levels(axes: Axes, rows: pd.DataFrame, x: str, budget: str) -> None:
    """Draws one curve for each privacy level of a budget (`rho1` or `rho2`)."""
    for (level, color), marker in zip(level_colors(rows[budget]).items(), MARKERS, strict=False):
        label = f"{level:g} ({PRIVACY[level]} privacy)" if level in PRIVACY else f"{level:g}"
        curve(axes, rows[rows[budget] == level], x, label, color=color, marker=marker)


def draw_fig04(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against T for three budgets of either stage, with the limits of conditions (5) and (21)."""
    figure, (axes,) = panels(3, size=(4.6, 4.2), gridspec_kw={"width_ratios": [1, 1, 0.75]})
    rows = table[table["error_to"] == "beta_hat"]
    for panel, part, varied, held in ((axes[0], "a", "1", "2"), (axes[1], "b", "2", "1")):
        main = select(rows, panel=part)
        _levels(panel, main, "T", f"rho{varied}")
        title = rf"({part}) $\rho_{varied}$ varies, $\rho_{held}={main[f'rho{held}'].iloc[0]:g}$"
        panel.set(title=title, xlabel=ITERATIONS, ylabel=ERROR["beta_hat"])
        log_scale(panel)
    _cutoffs(axes[0], select(rows, panel="a"))
    rho1 = middle(select(rows, panel="a")["rho1"])
    color = level_colors(rows["rho1"])[rho1]
    _readings(axes[2], rows[(rows["panel"] == "a") & (rows["rho1"] == rho1)], "T", color)
    axes[2].set(title=rf"(a) other readings, $\rho_1={rho1:g}$", xlabel=ITERATIONS)
    legend_below(figure, axes[:1], 3, f"the budget that varies;  {SPREAD}")
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
        f"{ITERATIONS}\n(limit (5) at constant 1; (21), in the proof: $T\\leq$ {proved}, off the left edge)"
    )


def draw_fig06(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against T of Algorithm 1, of Algorithm 3, and of the valid way to publish beta alone."""
    figure, (axes,) = panels(3, size=(4.3, 4.1), sharey=True)
    cell = display["cells"]["a"]
    titles = {
        "a": rf"(a) Algorithm 1, $\rho_1={cell['rho1']:g}$", "b": "(b) Algorithm 3: not private as stated",
        "c": r"(c) ours: Algorithm 1, $\rho_1+\rho_2$ = the claim of (b)",
    }  # fmt: skip
    rows = table[table["error_to"] == "beta_hat"]
    for panel, (part, title) in zip(axes, titles.items(), strict=True):
        _levels(panel, select(rows, panel=part), "T", "rho2")
        for level, color in level_colors(rows["rho2"]).items():
            thin_curve(panel, select(rows, "clip constant 1", panel=part, rho2=level), "T", color=color)
        panel.set(title=title, xlabel=ITERATIONS)
        vertical(panel, cell["n"], "$T=n$")
        log_scale(panel)
    axes[0].plot([], [], color=GREY, linestyle="--", linewidth=0.9, label="thin: clip constant 1")
    axes[0].set_ylabel(ERROR["beta_hat"])
    legend_below(figure, axes[:1], 4, rf"budget $\rho_2$ that is claimed for $\beta$;  {SPREAD}")
    return figure


def draw_fig07(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against either step size, with the ceilings of eq. (3) and the optima of Remark 3.3."""
    figure, (axes,) = panels(2, size=(5.6, 4.1))
    rows = table[table["error_to"] == "beta_hat"]
    names = {"a": (r"\eta", r"\alpha", "first-stage"), "b": (r"\alpha", r"\eta", "second-stage")}
    for panel, (part, (varied, held, stage)) in zip(axes, names.items(), strict=True):
        _step_sizes(panel, rows[rows["panel"] == part], varied, label_height={"a": 0.42, "b": 0.98}[part])
        fraction = display["cells"][part]["held_fraction"]
        factor = "" if fraction == 1 else rf"{fraction:g}\,"
        title = rf"({part}) ${held}={factor}{held}_{{\max}}$"
        panel.set(title=title, xlabel=f"{stage} step size ${varied}$", ylabel=ERROR["beta_hat"])
    figure.supxlabel(SPREAD, fontsize=7.5)
    return figure


def _step_sizes(axes: Axes, rows: pd.DataFrame, symbol: str, label_height: float) -> None:
    ceiling, optimum = select(rows)[["ceiling", "approximate_optimum"]].iloc[0]
    # Grouped by fraction, because every trial has a ceiling of its own where parameters are redrawn.
    rows = rows.groupby(["variant", "step_fraction"], as_index=False).mean(numeric_only=True)
    _readings(axes, rows.assign(step=rows["step_fraction"] * ceiling), "step")
    axes.set_xscale("linear")
    axes.set_xlim(0, axes.get_xlim()[1])
    axes.axvspan(ceiling, axes.get_xlim()[1], color=GREY, alpha=0.10, linewidth=0)
    vertical(axes, ceiling, rf"ceiling ${symbol}_{{\max}}={ceiling:.3g}$", BLACK, label_height)
    vertical(axes, optimum, rf"optimum ${symbol}^*={optimum:.3g}$", GREEN, side="left")


def draw_fig08(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the error against the clipping threshold, and below it the share of gradients clipped in each stage."""
    figure, axes = panels(1, 2, size=(6.6, 3.1), sharex=True)
    top, bottom = axes[:, 0]
    rows = table[table["error_to"] == "beta_hat"]
    main = select(rows).sort_values("gamma")
    _readings(top, rows, "gamma")
    for stage, color, marker in ((1, BLUE, "o"), (2, PURPLE, "s")):
        share = main[f"clip_fraction_stage{stage}"]
        bottom.plot(main["gamma"], share, color=color, marker=marker, label=f"stage {stage}")
    _thresholds(top, bottom, main)
    top.set_ylabel(ERROR["beta_hat"])
    bottom.set(xlabel=r"clipping threshold $\gamma_1=\gamma_2=\gamma$", ylabel="share of gradients clipped")
    bottom.legend(loc="lower left")
    figure.supxlabel(SPREAD, fontsize=7.5)
    return figure


def _thresholds(top: Axes, bottom: Axes, main: pd.DataFrame) -> None:
    """Marks the best threshold, and the smallest one at which less than one gradient in a hundred is clipped."""
    best = main.loc[main["mean"].idxmin()]
    clear = main[main[["clip_fraction_stage1", "clip_fraction_stage2"]].max(axis=1) < 0.01].head(1)
    for row, color, name in ((best, GREEN, "best"), *((row, GREY, "first below 1 %") for _, row in clear.iterrows())):
        vertical(top, row["gamma"], f"error {row['mean']:.2g}", color, side="left")
        share = 100 * row["clip_fraction_stage2"]
        vertical(bottom, row["gamma"], rf"{name}, $\gamma={row['gamma']:g}$: {share:.2g} % clipped", color)


def draw_fig09(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws 2S-GD and 2SLS against n: mean errors (as in the paper), medians, and the estimators' distance."""
    figure, (axes,) = panels(3, size=(4.3, 4.1))
    views = (
        ("beta", curve, "means, as in the paper"), ("beta", median_curve, "medians"),
        ("beta_hat", median_curve, "medians of the distance to 2SLS"),
    )  # fmt: skip
    for panel, (target, draw, title) in zip(axes, views, strict=True):
        _steps(panel, select(table, error_to=target), draw)
        log_scale(panel)
        panel.set(title=title, xlabel=N, ylabel=ERROR[target])
    legend_below(figure, axes, 4, f"left, {SPREAD}; else medians with 95 % interval and quartiles")
    return figure


def _steps(axes: Axes, rows: pd.DataFrame, draw: Callable[..., None]) -> None:
    """Draws one curve for each number of iterations, in shades that differ from black, and 2SLS, whose T is 0."""
    steps = rows[rows["T"] > 0].groupby("T")
    for (T, group), color, marker in zip(steps, shades(len(steps) + 1)[1:], MARKERS, strict=False):
        draw(axes, group, "n", f"2S-GD, $T={T}$", color=color, marker=marker)
    if (rows["T"] == 0).any():
        draw(axes, rows[rows["T"] == 0], "n", "2SLS", color=METHODS["2SLS"], marker="D")
