"""Figures of varshney2022 on step sizes, on open choices, changed one at a time, and on heavier tails."""

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpdescent.papers.varshney2022 import styles
from dpdescent.papers.varshney2022.setting import AMBSSGD, OLS
from dpdescent.papers.varshney2022.styles import RISK, TRIVIAL, T, label_of, look, ordered, text_of, with_budget
from dpdescent.replication.drawing import figures
from dpdescent.replication.drawing.figures import BLUE, GREY, VERMILION, legend_below, log_scale, panels, select, where

STEPS = {"Theorem 3.7": (BLUE, "o"), "Corollary 3.8": (VERMILION, "s")}
CHOICES = {
    "rule": "DP-STAT's rule", "noise multiplier": r"noise multiplier $\alpha$", "factor": r"factor of $R_x\gamma_t$",
    "doublings": "doublings $L$", "statistic": "records of DP-STAT $s$", "iterations": "iterations $T$",
    "tail": "share of iterates averaged", "grid": "DP-STAT's grid",
    "printed, one by one": "printed choices, one by one",
}  # fmt: skip
REFERENCE = ("printed, one by one", "none")
# Changes made one after another; each keeps all changes before it.
PRINTED = (REFERENCE[1], "+ noise multiplier", "+ rule", "+ factor", "+ overlap", "+ Delta")
LAWS = {
    "normal": (BLUE, "o"),
    "Laplace": (VERMILION, "s"),
    "Student t5": (figures.GREEN, "^"),
    "dependent noise": (figures.PURPLE, "D"),
}
COLUMNS = 3
# Length of a dash of OLS, in line widths.
DASH = 4.0


def draw_step_size(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws risk and bias against the number of iterations by step size, a column for each d and a row for each N."""
    main = select(table)
    dimensions, sizes = figures.values_of(main, "d")[:4], figures.values_of(main, "N")
    figure, axes = panels(max(len(dimensions), 1), max(len(sizes), 1), size=(4.6, 3.3), squeeze=False, sharey=True)
    for row, size in zip(axes, sizes, strict=False):
        for panel, d in zip(row, dimensions, strict=True):
            rows = where(main, N=size, d=d)
            for step, (color, marker) in STEPS.items():
                _by_iterations(panel, where(rows, step=step).sort_values("T"), step, color, marker)
            styles.sampling_lines(panel, rows, "T", display.get("published", {}))
            panel.set_title(rf"$d={d:g}$, $N={figures.scientific(size)}$")
    for panel in axes.ravel():
        styles.trivial_line(panel)
        log_scale(panel)
        panel.set_xlabel(T)
    for row in axes:
        row[0].set_ylabel(RISK)
    dashed = axes[0, 0].add_line(Line2D([], [], color=GREY, linestyle="--"))
    dashed.set_label("bias: exact, without noise and clipping")
    points = f"{AMBSSGD}; points: median with 95 % interval; shade: 10 % to 90 %"
    legend_below(figure, axes.ravel(), 3, with_budget(main, points))
    return figure


def _by_iterations(axes: Axes, rows: pd.DataFrame, step: str, color: str, marker: str) -> None:
    """Draws the risks of one step size, measured and expected, and its bias."""
    formula = {"Theorem 3.7": r"$\eta=b/(R_x^2+(b-1)\|H\|)$", "Corollary 3.8": r"$\eta=1/(4d)$"}[step]
    styles.measured(axes, rows, "T", f"{step}: {formula}", color, marker)
    styles.expected_marks(axes, rows, "T", color)
    # The column `bias` is relative to the risk of the start, which is the trivial risk.
    bias = TRIVIAL * rows["bias"]
    low = max(1e-12, rows["mean"].min() / 10) if len(rows) else 0.0
    axes.plot(rows["T"], bias.where(bias > low), color=color, linestyle="--", linewidth=0.9)


def draw_ablation(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws medians with quantiles of the trials, and means, by level; a panel for each choice."""
    main = styles.risks_of(select(table))
    main = main.assign(level=main["level"].map(text_of))
    order = _levels_of(main, display.get("arms", {}).get("choices", {}))
    rows = max(math.ceil(len(order) / COLUMNS), 1)
    figure, axes = panels(COLUMNS, rows, size=(4.6, 2.5), squeeze=False, sharex=True)
    reference = where(main, choice=REFERENCE[0], level=REFERENCE[1])
    for panel, (choice, levels) in zip(axes.ravel(), order.items(), strict=False):
        _levels(panel, where(main, choice=choice), levels)
        _reference_lines(panel, main, reference, display.get("published", {}))
        panel.set_title(CHOICES.get(choice, choice))
    for panel in axes.ravel()[max(len(order), 1) :]:
        panel.set_visible(False)
    for panel in axes.ravel()[: max(len(order), 1)]:
        log_scale(panel, "x")
        styles.decades(panel)
        panel.tick_params(labelbottom=True)
        panel.grid(visible=False, axis="y")
    for panel in axes.ravel()[: max(len(order), 1)][-COLUMNS:]:
        panel.set_xlabel(RISK)
    legend_below(figure, axes.ravel(), 4, with_budget(main, "") or None)
    return figure


def _levels_of(rows: pd.DataFrame, configured: dict[str, list[Any]]) -> dict[str, list[str]]:
    """Returns the levels of every choice in the order of the configuration, others after them by number or name."""
    known = {choice: [text_of(level) for level in levels] for choice, levels in configured.items()}
    present = {choice: set(group["level"]) for choice, group in rows.groupby("choice")}
    order = ordered([*known, *CHOICES], present)
    return {choice: ordered([*known.get(choice, []), *PRINTED], present[choice]) for choice in order}


def _levels(axes: Axes, rows: pd.DataFrame, levels: list[str]) -> None:
    """Draws the levels of one choice, one below another."""
    risks = rows.set_index("level").loc[levels]
    color, places = look(AMBSSGD)["color"], range(len(levels))
    axes.hlines(
        places, risks["q10"], risks["q90"], color=color, alpha=0.35, linewidth=5, label="10 % to 90 % of the trials"
    )
    bars = [risks["median"] - risks["median_low"], risks["median_high"] - risks["median"]]
    style = {"color": color, "marker": "o", "linestyle": "none", "capsize": 0}
    axes.errorbar(risks["median"], places, xerr=bars, label="median with 95 % interval", **style)
    axes.plot(risks["mean"], places, "D", color=color, markerfacecolor="white", markersize=4, label="mean")
    axes.set_yticks(places, [level.replace("log^a N", r"$\log^aN$").replace("Delta", r"$\Delta$") for level in levels])
    axes.set_ylim(len(levels) - 0.4, -0.6)


def _reference_lines(axes: Axes, main: pd.DataFrame, reference: pd.DataFrame, published: dict[str, Any]) -> None:
    """Draws the median of the main setting, and sigma^2 d / N times the factors of OLS and of the paper."""
    if len(reference):
        label = "median of the main setting"
        axes.axvline(reference["median"].iloc[0], color=BLUE, linewidth=0.9, linestyle="--", label=label)
    first = main.iloc[0]
    unit = first["sigma"] ** 2 * first["d"] / first["N"]
    if unit > 0:
        axes.axvline(unit / 2, color=GREY, linewidth=0.8, label=r"$\sigma^2d/(2N)$: OLS in theory")
        if "variance_factor" in published:
            label = rf"${published['variance_factor']:g}\sigma^2d/N$: first term of Theorem 3.7"
            axes.axvline(published["variance_factor"] * unit, color="black", linestyle="-.", linewidth=1, label=label)


def draw_tails(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the risk by the factor of the threshold for each law, beside OLS, and the share of gradients clipped."""
    main = styles.risks_of(select(table))
    main = main.assign(factor=main["factor"].map(text_of, na_action="ignore"))
    ours = where(main, series=AMBSSGD)
    factors = ordered([*map(text_of, display.get("arms", {}).get("factor", []))], set(ours["factor"].dropna()))
    laws = ordered(LAWS, set(main["law"]))
    figure, axes = panels(2, size=(5.6, 4.1), squeeze=False)
    risk, clipped = axes[0]
    for rank, law in enumerate(laws):
        color, marker = LAWS.get(law, (GREY, "x"))
        rows = where(ours, law=law)
        places = rows["factor"].map({name: place for place, name in enumerate(factors)})
        shift = 0.07 * (rank - (len(laws) - 1) / 2)
        _by_factor(risk, clipped, rows.assign(place=places + shift).sort_values("place"), law, color, marker)
        for _, row in where(main, series=OLS, law=law).drop_duplicates("law").iterrows():
            # Dashes of one law lie in the gaps of the others, because OLS has the same risk under laws of equal covariance.
            dashes = (DASH * rank, (DASH, DASH * max(len(laws) - 1, 1)))
            risk.axhline(row["mean"], color=color, linestyle=dashes)
            risk.plot([], [], color=color, linestyle="--", label=f"{label_of(OLS)}: mean, {law}")
    for panel in (risk, clipped):
        log_scale(panel, "y")
        panel.set_xticks(range(len(factors)), [name.replace("log^a N", r"$\log^aN$") for name in factors])
        panel.set_xlabel(r"factor of the threshold $\zeta_t=$ factor $\times\,R_x\gamma_t$")
    risk.set(title="risk", ylabel=RISK)
    clipped.set(title="clipping", ylabel="share of gradients clipped")
    points = "points: median with 95 % interval, which claims judge; thick: 10 % to 90 % of the trials"
    legend_below(figure, (risk, clipped), 4, with_budget(main, points))
    return figure


def _by_factor(risk: Axes, clipped: Axes, rows: pd.DataFrame, law: str, color: str, marker: str) -> None:
    """Draws risks and shares clipped of one law."""
    if not len(rows):
        return
    middle, bars = styles.middle_of(rows)
    label = f"{label_of(AMBSSGD)}, {law}"
    risk.vlines(rows["place"], rows["q10"], rows["q90"], color=color, alpha=0.3, linewidth=5)
    risk.errorbar(rows["place"], middle, yerr=bars, color=color, marker=marker, linewidth=1.0, label=label)
    above = rows[rows["clip_fraction"] > 0]
    clipped.plot(above["place"], above["clip_fraction"], color=color, marker=marker, linewidth=1.0)
