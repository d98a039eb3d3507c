"""Figures on the synthetic design of liang2025 Sec. 4.1: Figures 3, 4, 6, 7, 8 and 9."""

from collections.abc import Callable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.replication.figures import (
    BLUE, GREEN, GREY, LEVELS, MARKERS, ORANGE, PURPLE, SKY, VERMILION,
    curve, end_labels, legend_below, log_scale, median_curve, panels, select, slope_guide, thin_curve, vertical,
)  # fmt: skip

N = "sample size $n$"
ITERATIONS = "number of iterations $T$"
ERROR = {"beta_hat": r"error $\|\beta^{(T)}-\hat\beta\|$", "beta": r"error to the truth $\|\beta^{(T)}-\beta\|$"}
# What the panels stand for in the paper; the tables hold their letters.
DIMENSIONS = {"a": "$p=q=r=5$", "b": "$p=q=r=50$"}
# n of Figure 6 (App. F.1), which its table does not hold.
RECORDS_FIG06 = 1000
SPLITS = {1.0: PURPLE, 5.0: GREEN, 9.0: SKY}
# Iterations of Figure 9; 0 is the closed form.
STEPS = {100: VERMILION, 1000: GREEN, 10000: BLUE, 0: "black"}
VARIANTS = {
    "main": "black", "clip constant 1": PURPLE, "step constants": SKY, "parameters redrawn": GREEN,
    "fifty iterations": ORANGE, "recommended step held": ORANGE,
}  # fmt: skip


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against n for three splits of the budget, without noise, and (right) under other readings of the paper."""
    figure, axes = panels(3, 2, size=(4.5, 3.5), gridspec_kw={"width_ratios": [1, 1, 0.8]})
    for row, target in zip(axes, ERROR, strict=True):
        rows = table[table["error_to"] == target]
        for panel, part in zip(row, DIMENSIONS, strict=False):
            _splits(panel, select(rows, panel=part))
            panel.set(title=f"({part}) {DIMENSIONS[part]}", xlabel=N, ylabel=ERROR[target])
        _readings(row[2], rows[(rows["panel"] == "a") & (rows["rho1"] == 5)], "n")
        row[2].set(title=r"(a) read otherwise, $\rho_1=\rho_2=5$", xlabel=N)
    legend_below(figure, axes[0, :1], 5)
    return figure


def _splits(axes: Axes, rows: pd.DataFrame) -> None:
    private, free = (rows[rows["series"] == series] for series in ("DP-2S-GD", "2S-GD"))
    for (rho1, color), marker in zip(SPLITS.items(), MARKERS, strict=False):
        split = private[private["rho1"] == rho1]
        label = rf"DP-2S-GD, $\rho_1={rho1:g}$, $\rho_2={split['rho2'].iloc[0]:g}$"
        curve(axes, split, "n", label, color=color, marker=marker)
    curve(axes, free, "n", "2S-GD, no noise", color="black", marker=".", linestyle="--")
    _root_n(axes, private[private["rho1"] == 5])
    log_scale(axes)


def _root_n(axes: Axes, rows: pd.DataFrame) -> None:
    first = rows.loc[rows["n"].idxmin()]
    slope_guide(axes, sorted(rows["n"]), (first["n"], first["mean"]), -0.5, r"rate $1/\sqrt{n}$ (claimed)")


def _readings(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """The headline and, thin, what other readings of the paper give; every curve has its name at its end."""
    ends = []
    for variant, color in VARIANTS.items():
        chosen = rows[rows["variant"] == variant].sort_values(x)
        if len(chosen):
            thin_curve(axes, chosen, x, color=color, **({"linestyle": "-", "linewidth": 1.8} if variant == "main" else {}))
            ends.append((float(chosen["mean"].iloc[-1]), variant, color))
    log_scale(axes)
    end_labels(axes, ends)


def _levels(axes: Axes, rows: pd.DataFrame, x: str, budget: str) -> None:
    """One curve for each privacy level of a budget (`rho1` or `rho2`)."""
    for (level, color), marker in zip(LEVELS.items(), MARKERS, strict=False):
        chosen = rows[rows[budget] == level]
        curve(axes, chosen, x, rf"$\rho_{budget[-1]}={level:g}$", color=color, marker=marker)


def draw_fig04(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against T for three budgets of either stage, with the cut-offs of conditions (5) and (21)."""
    figure, (axes,) = panels(3, size=(4.6, 4.0), gridspec_kw={"width_ratios": [1, 1, 0.8]})
    rows = table[table["error_to"] == "beta_hat"]
    for panel, part, varied, held in ((axes[0], "a", "rho1", "rho2"), (axes[1], "b", "rho2", "rho1")):
        main = select(rows, panel=part)
        _levels(panel, main, "T", varied)
        title = rf"({part}) $\rho_{varied[-1]}$ varies, $\rho_{held[-1]}={main[held].iloc[0]:g}$"
        panel.set(title=title, xlabel=ITERATIONS, ylabel=ERROR["beta_hat"])
        log_scale(panel)
        panel.legend(loc="lower right")
    _cutoffs(axes[0], select(rows, panel="a"))
    _readings(axes[2], rows[(rows["panel"] == "a") & (rows["rho1"] == 1)], "T")
    axes[2].set(title=r"(a) read otherwise, $\rho_1=1$", xlabel=ITERATIONS)
    return figure


def _cutoffs(axes: Axes, rows: pd.DataFrame) -> None:
    limits = rows.groupby("rho1")[["limit_condition_5", "limit_condition_21"]].mean()
    for level, limit in limits["limit_condition_5"].items():
        vertical(axes, limit, f"(5): $T={limit:.3g}$", color=LEVELS[level])
    proved = ", ".join(f"{limit:.1g}" for limit in limits["limit_condition_21"])
    text = f"condition (21) of the proof:\n$T\\leq$ {proved}\n(off the left edge)"
    axes.text(0.02, 0.02, text, transform=axes.transAxes, fontsize=7, color=GREY, va="bottom")


def draw_fig06(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against T of Algorithm 1, of Algorithm 3, and of the valid way to publish beta alone."""
    figure, (axes,) = panels(3, size=(4.3, 4.0), sharey=True)
    titles = {
        "a": r"(a) Algorithm 1, $\rho_1=1$", "b": "(b) Algorithm 3: not private as stated",
        "c": r"(c) ours: Algorithm 1, $\rho_1+\rho_2$ as (b) claims",
    }  # fmt: skip
    rows = table[table["error_to"] == "beta_hat"]
    for panel, (part, title) in zip(axes, titles.items(), strict=True):
        _levels(panel, select(rows, panel=part), "T", "rho2")
        for level, color in LEVELS.items():
            other = select(rows, "clip constant 1", panel=part, rho2=level)
            thin_curve(panel, other, "T", "clip constant 1" if level == 1 else None, color=color)
        panel.set(title=title, xlabel=ITERATIONS)
    for panel in axes:
        log_scale(panel)
        vertical(panel, RECORDS_FIG06, "$T=n$", height=0.06)
    axes[0].set_ylabel(ERROR["beta_hat"])
    legend_below(figure, axes[:1], 4)
    return figure


def draw_fig07(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against either step size, with the ceilings of eq. (3) and the approximate optima of Remark 3.3."""
    figure, (axes,) = panels(2, size=(5.4, 4.0))
    rows = table[table["error_to"] == "beta_hat"]
    names = {"a": (r"\eta", "first-stage"), "b": (r"\alpha", "second-stage")}
    for panel, (part, (symbol, stage)) in zip(axes, names.items(), strict=True):
        _step_sizes(panel, rows[rows["panel"] == part], symbol)
        panel.set(title=f"({part})", xlabel=f"{stage} step size ${symbol}$", ylabel=ERROR["beta_hat"])
    return figure


def _step_sizes(axes: Axes, rows: pd.DataFrame, symbol: str) -> None:
    main = select(rows)
    ceiling, optimum = main["ceiling"].iloc[0], main["approximate_optimum"].iloc[0]
    curve(axes, main, "step", "main", color="black")
    axes.set_xlim(left=0)
    axes.axvspan(ceiling, axes.get_xlim()[1], color=GREY, alpha=0.10, linewidth=0)
    ends = [(float(main.sort_values("step")["mean"].iloc[-1]), "main", "black")]
    for variant, group in rows[rows["variant"] != "main"].groupby("variant"):
        # Where parameters are redrawn, every trial has a ceiling of its own: fractions of it are what is comparable.
        means = group.groupby("step_fraction", as_index=False)["mean"].mean()
        thin_curve(axes, means.assign(step=means["step_fraction"] * ceiling), "step", color=VARIANTS[variant])
        ends.append((float(means["mean"].iloc[-1]), variant, VARIANTS[variant]))
    log_scale(axes, "y")
    vertical(axes, ceiling, rf"ceiling ${symbol}_{{\max}}={ceiling:.3g}$", color=VERMILION)
    vertical(axes, optimum, rf"approximate optimum ${symbol}^*={optimum:.3g}$", color=BLUE)
    end_labels(axes, ends)


def draw_fig08(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Error against the clipping threshold, and below it the share of gradients that are clipped in each stage."""
    figure, ((top,), (bottom,)) = panels(1, 2, size=(6.4, 3.0), sharex=True)
    axes = (top, bottom)
    rows = table[table["error_to"] == "beta_hat"]
    main = select(rows).sort_values("gamma")
    curve(axes[0], main, "gamma", "main", color="black")
    _readings(axes[0], rows[rows["variant"] != "main"], "gamma")
    for stage, color, marker in ((1, BLUE, "o"), (2, VERMILION, "s")):
        axes[1].plot(main["gamma"], main[f"clip_fraction_stage{stage}"], color=color, marker=marker, label=f"stage {stage}")
    _thresholds(axes, main)
    axes[0].set_ylabel(ERROR["beta_hat"])
    axes[1].set(xlabel=r"clipping threshold $\gamma_1=\gamma_2=\gamma$", ylabel="share of gradients clipped")
    axes[1].legend(loc="lower left")
    return figure


def _thresholds(axes: Any, main: pd.DataFrame) -> None:
    """The best threshold, and the smallest one that clips less than one gradient in a hundred."""
    best = main.loc[main["mean"].idxmin()]
    clear = main[main["clip_fraction_stage2"] < 0.01]
    marks = [(best, GREEN, "best")] + [(row, GREY, "first below 1 % clipped") for _, row in clear.head(1).iterrows()]
    for row, color, name in marks:
        vertical(axes[0], row["gamma"], rf"{name}: $\gamma={row['gamma']:g}$, error {row['mean']:.2g}", color=color)
        vertical(axes[1], row["gamma"], f"stage 2: {row['clip_fraction_stage2']:.1%} clipped", color=color)


def draw_fig09(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """2S-GD and 2SLS against n: mean errors (the paper's), medians, and what is left between the two estimators."""
    figure, (axes,) = panels(3, size=(4.3, 3.9))
    main = select(table)
    _steps(axes[0], main[main["error_to"] == "beta"], curve)
    _steps(axes[1], main[main["error_to"] == "beta"], median_curve)
    _steps(axes[2], main[main["error_to"] == "beta_hat"], median_curve)
    titles = ("mean (as in the paper)", "median", "median distance to 2SLS: optimisation error")
    for panel, title, target in zip(axes, titles, ("beta", "beta", "beta_hat"), strict=True):
        log_scale(panel)
        panel.set(title=title, xlabel=N, ylabel=ERROR[target])
    legend_below(figure, axes, 4)
    return figure


def _steps(axes: Axes, rows: pd.DataFrame, draw: Callable[..., None]) -> None:
    for (T, color), marker in zip(STEPS.items(), MARKERS, strict=False):
        chosen = rows[rows["T"] == T]
        if len(chosen):
            draw(axes, chosen, "n", f"2S-GD, $T={T}$" if T else "2SLS", color=color, marker=marker)
