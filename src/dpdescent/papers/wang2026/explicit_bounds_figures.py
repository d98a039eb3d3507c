"""The figure of wang2026 on explicit bounds beside runs."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.explicit_bounds import BOUND, TOTAL
from dpdescent.papers.wang2026.setting import EMPIRICAL
from dpdescent.papers.wang2026.styles import finish, in_order, joined, noise_label, panels_in, sizes, vacuous_line
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREEN,
    GREY,
    METHODS,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    log_scale,
    panels,
    positive,
    select,
    where,
)
from dpdescent.replication.judging.statistics import Z95

# Marker, colour and name of every bound. Orders with constants 1 are no bounds by themselves; two of them have the
# colour of their method.
BOUNDS = {
    "C.11": ("D", PURPLE, "Lemma C.11"), "D.13": ("s", ORANGE, "Theorem D.13"),
    "A_corr": ("^", SKY, r"$\mathcal{A}_\mathrm{corr}$, constants 1"),
    "A_van": ("v", METHODS["DP-SGD"], r"$\mathcal{A}_\mathrm{van}$, constants 1"),
    "A_non": ("<", METHODS["non-private"], r"$\mathcal{A}_\mathrm{non}$, constants 1"),
}  # fmt: skip
TERMS = {
    "8L*": (GREY, r"$8L_S(W^*)$"), "init": (BLUE, r"$3\|W_0-W^*\|^2/(\eta T)$"),
    "M": (ORANGE, r"$3M/(\eta T)$: martingales"),
    "V_D": (GREEN, r"$6\eta V_D/T$: batches"), "V_Z": (VERMILION, r"$V_Z$: noise"),
}  # fmt: skip
CONSTANTS = {"sharp": "sharp constants", "paper": "the paper's constants"}


def draw_bound_vs_run(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws bounds and measured risks by setting, and terms of the sharper explicit bound, a row for each step size."""
    main = select(table)
    names = panels_in(main, display) or [""]
    figure, axes = panels(2, len(names), size=(7.4, 4.0), squeeze=False)
    for (left, right), name in zip(axes, names, strict=True):
        rows = where(main, panel=name)
        settings = sorted({*zip(rows["T"], rows["kappa"], rows["lam"], strict=True)})
        # Settings without noise are drawn for lambda = 0 alone, because lambda has no effect on them.
        settings = [key for key in settings if key[1] > 0 or (*key[:2], 0.0) not in settings or key[2] == 0]
        _totals(left, rows, settings)
        _terms(right, rows, settings)
        step = joined(name, sizes(rows, "eta"))
        left.set_title(f"{step}: bounds and runs")
        right.set_title(f"{step}: terms of Lemma C.11, sharp constants")
        for panel in (left, right):
            _setting_axis(panel, settings)
    claim = "an upper bound lies right of what it bounds; right of the dotted line it says nothing"
    finish(figure, axes.ravel(), 5, joined(claim, sizes(main, "n", "B", "m", "d"), by="; "))
    return figure


def _setting_axis(axes: Axes, settings: list[tuple[float, float, float]]) -> None:
    names = [joined(f"$T={T:g}$", noise_label(kappa, lam)) for T, kappa, lam in settings]
    axes.set_yticks(range(len(settings)), names, fontsize=8)
    axes.set_ylim(max(len(settings), 1) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    # Lines separate the settings, because the bounds of one are drawn above and below its tick.
    between = np.arange(1, len(settings)) - 0.5
    axes.hlines(between, 0, 1, transform=axes.get_yaxis_transform(), color=GREY, linewidth=0.4, alpha=0.6)
    axes.set_xlabel("averaged empirical risk")


def _placed(rows: pd.DataFrame, settings: list[tuple[float, float, float]]) -> pd.DataFrame:
    """Returns rows with the place of their setting on the axis; rows of other settings are left out."""
    keys = list(zip(rows["T"], rows["kappa"], rows["lam"], strict=True))
    places = [settings.index(key) if key in settings else math.nan for key in keys]
    return rows.assign(place=places).dropna(subset="place")


def _totals(axes: Axes, rows: pd.DataFrame, settings: list[tuple[float, float, float]]) -> None:
    totals = positive(_placed(where(rows, series=BOUND, term=TOTAL), settings))
    for shift, name in zip(np.linspace(-0.28, 0.28, len(BOUNDS)), BOUNDS, strict=True):
        marker, color, text = BOUNDS[name]
        for constants in in_order(where(totals, bound=name)["constants"], ("sharp", "paper")):
            own = where(totals, bound=name, constants=constants)
            explicit = name in ("C.11", "D.13")
            face = color if constants != "paper" or not explicit else "white"
            label = joined(text, CONSTANTS.get(constants, "")) if explicit else text
            marks: dict[str, Any] = {"marker": marker, "color": color, "markerfacecolor": face, "markersize": 6}
            axes.plot(own["mean"], own["place"] + shift, label=label, linestyle="none", **marks)
    run = _placed(where(rows, series=EMPIRICAL), settings).drop_duplicates("place")
    style: dict[str, Any] = {"linestyle": "none", "marker": "*", "color": "black", "markersize": 9}
    axes.errorbar(run["mean"], run["place"], xerr=Z95 * run["se"], label="measured (95 % interval)", **style)
    vacuous_line(axes, vertical=True)
    log_scale(axes, "x")


def _terms(axes: Axes, rows: pd.DataFrame, settings: list[tuple[float, float, float]]) -> None:
    own = positive(_placed(where(rows, series=BOUND, bound="C.11", constants="sharp"), settings))
    for shift, (name, (color, text)) in zip(np.linspace(-0.24, 0.24, len(TERMS)), TERMS.items(), strict=True):
        term = where(own, term=name)
        axes.plot(term["mean"], term["place"] + shift, "|", color=color, markersize=9, markeredgewidth=3, label=text)
    vacuous_line(axes, vertical=True)
    log_scale(axes, "x")
