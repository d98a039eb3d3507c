"""Figures on noise over time: schedules of the budget, and correlation beside the least variance of any noise."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.ours.layouts import BLIND, PURE, SCHEDULE, UNIFORM
from dpdescent.papers.ours.noise_over_time import ESTIMATES, SEARCHED
from dpdescent.replication.drawing.figures import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    PURPLE,
    SKY,
    VERMILION,
    legend_below,
    log_scale,
    panels,
    plain_number,
    select,
)

# Colour, marker and line of an arm, and of families of correlated noise, whose strengths share one.
STYLES: dict[str, dict[str, Any]] = {
    UNIFORM: {"color": VERMILION, "marker": "o"},
    SCHEDULE: {"color": BLUE, "marker": "s"},
    BLIND: {"color": SKY, "marker": "^", "linewidth": 0.9},
    PURE: {"color": PURPLE, "marker": "D"},
    SEARCHED: {"color": BLACK, "marker": "x", "linestyle": "none", "markersize": 7, "zorder": 5},
}
FAMILIES = {"lambda": (GREY, "v", r"\lambda"), "nu": (GREEN, "P", r"\nu")}
ERROR = r"RMS of $\|\theta_T-\hat\theta\|$"
CONDITIONS = "condition number"
SPECTRA = ("isotropic", CONDITIONS, "slow direction", "search")
# An arm whose error is so many times the largest other one stands at the upper edge, with its value.
FAR = 20.0
# Below this ratio of largest to smallest a logarithmic axis has too few marks.
SHORT = 4.0
SYMBOLS = {"T": "iterations $T$", "n": "sample size $n$"}


def draw_schedule(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws errors against the number of iterations by condition number, and against n at brown2024's settings."""
    main = select(table)
    conditions = main[main["panel"] == CONDITIONS]
    others = [panel for panel in dict.fromkeys(main["panel"]) if main[main["panel"] == panel]["n"].nunique() > 1]
    kappas = sorted(set(conditions["kappa"]))
    columns = max(len(kappas), len(others))
    figure, axes = panels(columns, 2, size=(4.6, 3.9), squeeze=False)
    for panel, kappa in zip(axes[0], kappas, strict=False):
        rows = conditions[conditions["kappa"] == kappa]
        _errors(panel, rows, "T")
        _title(panel, rf"$\kappa={kappa:g}$", rows, display, CONDITIONS)
    for panel, name in zip(axes[1], others, strict=False):
        rows = main[main["panel"] == name]
        _errors(panel, rows, "n")
        _title(panel, f"brown2024, {name}", rows, display, name)
    drawn = [*axes[0][: len(kappas)], *axes[1][: len(others)]]
    for panel in (each for each in axes.flat if each not in drawn):
        panel.set_visible(False)
    legend_below(figure, drawn, 3, "points: root mean squares with standard errors; lines: predicted, without clipping")
    return figure


def _title(axes: Axes, name: str, rows: pd.DataFrame, display: dict[str, Any], cell: str) -> None:
    rho, (n, p) = display["cells"][cell]["rho"], (rows["n"].iloc[0], rows["p"].iloc[0])
    size = "" if rows["n"].nunique() > 1 else f", n={n:g}"
    axes.set_title(rf"{name}: $p={p:g}{size}$, $\rho={rho:g}$")


def _errors(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    largest = np.sqrt(rows[rows["series"] != PURE]["mean"].max())
    for series, style in _styles(rows).items():
        one = _of(rows, series).sort_values(x)
        beyond = one[np.sqrt(one["mean"]) > FAR * largest]
        for _, row in beyond.iterrows():
            _off_the_scale(axes, row[x], 2.0 * largest, float(np.sqrt(row["mean"])), style["color"])
        one = one.drop(beyond.index)
        mean = np.sqrt(one["mean"])
        # The standard error of a root is that of the mean over twice the root.
        style = {"linestyle": "none"} | {
            key: value for key, value in style.items() if key not in ("label", "linestyle")
        }
        axes.errorbar(one[x], mean, yerr=one["se"] / (2.0 * mean), label=_label(series, rows), **style)
        axes.plot(one[x], np.sqrt(one["predicted"]), color=style["color"], linewidth=0.9)
    log_scale(axes)
    axes.set(xlabel=SYMBOLS[x], ylabel=ERROR)


def _off_the_scale(axes: Axes, x: float, height: float, value: float, color: str) -> None:
    """Draws an arrow that points up, with the value that is too large to be shown."""
    axes.plot([x], [height], color=color, marker=r"$\uparrow$", markersize=9, linestyle="none")
    axes.annotate(
        f"{plain_number(float(f'{value:.1g}'))} ", (x, height), color=color, fontsize=7.5, ha="right", va="center"
    )


def draw_correlated_full_batch(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws variances over the least against the number of iterations, a row a spectrum and a column an estimate."""
    main = select(table)
    spectra = sorted(main.groupby(["panel", "kappa"]).groups, key=lambda each: (SPECTRA.index(each[0]), each[1]))
    names = [name for name in ESTIMATES if name in set(main["estimate"])]
    figure, axes = panels(len(names), len(spectra), size=(3.6, 2.6), squeeze=False)
    for row, (panel, kappa) in zip(axes, spectra, strict=True):
        rows = main[(main["panel"] == panel) & (main["kappa"] == kappa)]
        for place, name in zip(row, names, strict=True):
            _variances(place, rows[rows["estimate"] == name])
            place.set_title(name if place in axes[0] else "")
            place.set_xlabel(SYMBOLS["T"] if row is axes[-1] else "")
        shown = f"{kappa:g}" if kappa < 1e4 else f"10^{{{np.log10(kappa):g}}}"
        row[0].set_ylabel(f"{panel}, $p={rows['p'].iloc[0]:g}$,\n" + rf"$\kappa={shown}$: variance / least")
    legend_below(figure, axes.flat, 4)
    return figure


def _variances(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws one curve for each arm, and of each family of correlated noise the best member at each T."""
    ratios = rows.assign(ratio=rows["mean"] / rows["least"])
    for series, style in _styles(rows).items():
        best = _of(ratios, series).groupby("T")["ratio"].min()
        axes.plot(best.index, best, label=_label(series, rows), **{"markersize": 3.0} | style)
    axes.axhline(1.0, color=BLACK, linewidth=0.6)
    log_scale(axes, "xy" if ratios["ratio"].max() > SHORT else "x")
    axes.set_xticks(sorted(set(rows["T"])))


def _styles(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The look of every arm in some rows, independent noise first, then families of correlated noise."""
    present = {name.partition(" = ")[0] for name in rows["series"]}
    families = {name: {"color": color, "marker": mark, "linewidth": 0.9} for name, (color, mark, _) in FAMILIES.items()}
    return {name: style for name, style in (STYLES | families).items() if name in present}


def _of(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """Rows of an arm, or of all strengths of a family."""
    return rows[rows["series"].str.partition(" = ")[0] == series]


def _label(series: str, rows: pd.DataFrame) -> str:
    if series not in FAMILIES:
        labels = {UNIFORM: "equal parts (as published)", SCHEDULE: "schedule, a tenth divided equally"}
        return labels.get(series, series)
    strengths = sorted(set(_of(rows, series)["series"].str.partition(" = ")[2]))
    symbol = FAMILIES[series][2]
    return f"correlated, ${symbol}={strengths[0]}$" if len(strengths) == 1 else f"correlated, at the best ${symbol}$"
