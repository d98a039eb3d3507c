"""The drawing of Figure 3: the bound on strongly convex problems against the condition number."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.styles import color_of, label_of, line, look
from dpdescent.replication.drawing.figures import GREY, legend_below, log_scale, panels, select, thin_curve, variants_of

CONVEX = ("DP-SGD", "nu-DP-FTRL", "Optimized")
CONVEX_ROWS = (r"bound on $F_\infty$", r"$\nu$-DP-FTRL over Optimized", "bound, variant over main")
# nu-DP-FTRL has thick lines, because the optimised noise is close to it and drawn over it.
WEIGHTS: dict[str, dict[str, Any]] = {
    "DP-SGD": {"markersize": 3.5}, "nu-DP-FTRL": {"linewidth": 2.0, "markersize": 5},
    "Optimized": {"linewidth": 1.0, "markersize": 3.5},
}  # fmt: skip
# From this ratio of the largest to the smallest on, an axis is logarithmic.
WIDE_RATIOS = 4.0
READINGS = (":", "-.", (0, (6, 1, 1, 1, 1, 1)))


def draw_fig03(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the bound against the condition number for every learning rate, below ratios that lie too near to see."""
    rates, variants = sorted(set(table["eta"])), variants_of(table)[1:]
    figure, axes = panels(max(len(rates), 1), 3, size=(4.7, 3.0), squeeze=False)
    multipliers = sorted(set(table["multiplier"]) - {"static"})
    dashes = dict(zip(multipliers, ("-", *READINGS), strict=False)) | {"static": "--"}
    for column, eta in zip(axes.T, rates, strict=False):
        rows = table[table["eta"] == eta]
        _bounds(column[0], select(rows), dashes)
        _ratios(column[1], select(rows), dashes)
        _readings(column[2], rows, variants)
        column[0].set_title(rf"$\eta={eta:g}$")
    for column in axes.T:
        for panel, which, words in zip(column, ("xy", "x", "x"), CONVEX_ROWS, strict=True):
            # Ratios over more than a few times need a logarithmic axis, on which nearer ones have too few ticks.
            wide = panel.dataLim.ymin > 0 and panel.dataLim.ymax > WIDE_RATIOS * panel.dataLim.ymin
            log_scale(panel, "xy" if wide else which)
            panel.set(xlabel=r"condition number $\kappa=L/\mu$", ylabel=words)
    for name, dash in dashes.items():
        label = "static multiplier" if name == "static" else label_of_multiplier(name)
        axes[0, 0].plot([], [], color=GREY, linestyle=dash, label=label)
    for name, dash in zip(variants, READINGS, strict=False):
        axes[0, 0].plot([], [], color=GREY, linestyle=dash, linewidth=0.9, label=name)
    legend_below(figure, axes[0], 4)
    return figure


def label_of_multiplier(name: str) -> str:
    """Returns the label of a multiplier with lags up to T_max."""
    return rf"multiplier with $T_\max={name.removeprefix('T_max ')}$"


def _bounds(axes: Axes, rows: pd.DataFrame, dashes: dict[str, Any]) -> None:
    for name in CONVEX:
        own, labelled = rows[rows["series"] == name], False
        for multiplier, dash in dashes.items():
            chosen = own[own["multiplier"] == multiplier]
            label = None if labelled else label_of(name)
            line(axes, chosen, "kappa", label, **(look(name) | WEIGHTS[name] | {"linestyle": dash}))
            labelled = labelled or len(chosen) > 0


def _ratios(axes: Axes, rows: pd.DataFrame, dashes: dict[str, Any]) -> None:
    """Draws the ratio of nu-DP-FTRL's bound to that of the optimised noise, by multiplier."""
    axes.axhline(1.0, color=color_of("Optimized"), linewidth=0.9)
    for multiplier, dash in dashes.items():
        chosen = rows[rows["multiplier"] == multiplier].rename(columns={"series": "noise"})
        wide = chosen.pivot_table(index="kappa", columns="noise", values="mean").reindex(columns=list(CONVEX[1:]))
        ratio = (wide[CONVEX[1]] / wide[CONVEX[2]]).dropna().rename("mean").reset_index()
        line(axes, ratio, "kappa", **(look(CONVEX[1]) | {"linestyle": dash, "markersize": 3.5}))


def _readings(axes: Axes, rows: pd.DataFrame, variants: list[str]) -> None:
    """Draws the ratio of every variant's bound to that of the main setting."""
    keys = ["series", "multiplier", "kappa"]
    for variant, dash in zip(variants, READINGS, strict=False):
        both = select(rows, variant).merge(select(rows)[[*keys, "mean"]], on=keys, suffixes=("", "_main"))
        both = both.assign(mean=both["mean"] / both["mean_main"], se=float("nan"))
        for (name, _), chosen in both.groupby(["series", "multiplier"]):
            thin_curve(axes, chosen, "kappa", color=color_of(name), linestyle=dash)
