"""Figures on the contest between methods: a row for a cell of the design, or a table and a budget."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from dpdescent.papers.ours.methods import FIELD, OLS, PRIVATE, TUNED
from dpdescent.replication.drawing.figures import BLACK, panels, select

PLACE = ["panel", "n", "p", "eps", "sigma", "kappa", "law"]
TABLE = ["panel", "table", "n", "eps"]
# What varies in a group of rows, and how it is written.
VARIES = {
    "records": ("n",), "covariates": ("p",), "budget": ("eps",), "label noise": ("sigma",), "condition": ("kappa",),
    "laws": ("law",), "cube": ("n", "eps", "kappa"), "hopeless": ("n", "p", "eps"),
    "few records": ("n", "eps"), "small noise": ("n", "sigma", "kappa"), "correlated": ("n", "kappa"),
}  # fmt: skip
GROUPS = tuple(VARIES)
SYMBOLS = {"n": "$n$", "p": "$p$", "eps": r"$\varepsilon$", "sigma": r"$\sigma$", "kappa": r"$\kappa$"}
# Methods that are no choice stand apart, after a gap.
COLUMNS = (*PRIVATE, None, OLS, TUNED)
# Ratios to the best private method from which a colour is darkest.
WORST = 1000.0


Key = tuple[Any, ...]


def draw_win_map(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws median excess risks, one row a cell of the design."""
    return _drawn(select(table), PLACE, lambda key: (GROUPS.index(key[0]), *key[1:6], str(key[6])), _told)


def draw_real_tables(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws median excess risks, one row a table and a budget, tables that were held out last."""
    main = select(table)
    sizes = {row["table"]: row["n"] for row in main.to_dict("records")}
    return _drawn(
        main, TABLE, lambda key: (key[0] != "known", sizes[key[1]], key[1], key[3]),
        lambda key: f"{key[1]}, $n$ = {key[2]:,g}, " + rf"$\varepsilon$ = {key[3]:g}",
    )  # fmt: skip


def _drawn(main: pd.DataFrame, keys: list[str], rank: Callable[[Key], Key], told: Callable[[Key], str]) -> Figure:
    """Draws colours for the ratio to the best private method of a row, and numbers for the medians themselves."""
    rows = main.to_dict("records")
    places = sorted({tuple(row[name] for name in keys) for row in rows}, key=rank)
    values = np.full((len(places), len(COLUMNS)), np.nan)
    for row in rows:
        values[places.index(tuple(row[name] for name in keys)), COLUMNS.index(row["series"])] = row["median"]
    figure, axes = panels(1, size=(1.5 + 0.62 * len(COLUMNS), 2.2 + 0.23 * len(places)))
    private = values[:, : len(PRIVATE)]
    # What is missing is never the best.
    best = np.where(np.isnan(private), np.inf, private).min(axis=1)
    ratios = np.clip(values / best[:, None], 1.0, WORST)
    shown = axes.imshow(ratios, cmap="Blues", norm=LogNorm(1.0, WORST), aspect="auto")
    for k in range(len(places)):
        _numbers(axes, k, values[k], ratios[k])
    _labels(axes, places, told)
    bar = figure.colorbar(shown, ax=axes, orientation="horizontal", shrink=0.4, pad=0.02, ticks=[1, 10, 100, 1000])
    bar.set_label("median excess risk over that of the best private method of the row")
    bar.ax.set_xticklabels(["1", "10", "100", "1000 and more"])
    return figure


def _numbers(axes: Axes, k: int, values: "np.ndarray[Any, Any]", ratios: "np.ndarray[Any, Any]") -> None:
    """Writes the values of a row, and frames the best private method."""
    for j, value in enumerate(values):
        if np.isfinite(value):
            dark = ratios[j] > WORST**0.5
            axes.text(j, k, _short(value), ha="center", va="center", fontsize=7.2, color="white" if dark else BLACK)
    if np.isfinite(values[: len(PRIVATE)]).any():
        j = int(np.nanargmin(values[: len(PRIVATE)]))
        axes.add_patch(Rectangle((j - 0.5, k - 0.5), 1.0, 1.0, fill=False, edgecolor=BLACK, linewidth=1.3, zorder=3))


def _short(value: float) -> str:
    """A number in at most two digits, as text that fits a cell."""
    if value == 0.0:
        return "0"
    return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e") if value < 1e-2 or value >= 100 else f"{value:.2g}"


def _labels(axes: Axes, places: list[Key], told: Callable[[Key], str]) -> None:
    names = [name or "" for name in COLUMNS]
    assert set(names) - {""} <= {*FIELD, TUNED}
    written = [name.replace("nu-", r"$\nu$-").replace(", as published", ",\nas published") for name in names]
    axes.set_xticks(range(len(COLUMNS)), written, rotation=55, ha="left", rotation_mode="anchor")
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    axes.set_yticks(range(len(places)), [told(key) for key in places])
    for k, (above, below) in enumerate(pairwise(places)):
        if above[0] != below[0]:
            axes.axhline(k + 0.5, color="white", linewidth=3)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _told(key: Key) -> str:
    """The values that vary in a row of the figure, in words."""
    row = dict(zip(PLACE, key, strict=True))
    if row["panel"] == "laws":
        return str(row["law"])
    return ", ".join(f"{SYMBOLS[name]} = {row[name]:,g}" for name in VARIES[row["panel"]])
