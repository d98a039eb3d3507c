"""Colours, markers and labels of the methods in all figures of choquettechoo2023, and functions that these share."""

import re
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpdescent.replication.drawing.figures import BLACK, DARK_BLUE, GREY
from dpdescent.replication.drawing.figures import METHODS as PALETTE
from dpdescent.replication.judging.statistics import Z95

# Colour and marker by the name of the noise. Independent noise looks the same in every algorithm. Methods that other
# papers have, too, take their colour from the palette of all papers.
INDEPENDENT, CORRELATED, OPTIMUM = (PALETTE["DP-SGD"], "o"), (PALETTE["nu-DP-FTRL"], "D"), (BLACK, "*")
UNDAMPED = (PALETTE["Optimal CC"], "s")
METHODS = {
    "non-private": (PALETTE["non-private"], ""), "ME": (PALETTE["ME"], "^"),
    "nu-DP-FTRL": CORRELATED, "nu-Noisy-FTRL": CORRELATED, "nu": CORRELATED,
    "optimum": OPTIMUM, "optimal noise": OPTIMUM, "Optimized": OPTIMUM,
    "Optimal CC": UNDAMPED, "FHU": UNDAMPED,
    "Full Honaker": ("#7A5200", "<"), "Honaker": (PALETTE["Honaker"], "v"), "TreeAgg": (PALETTE["TreeAgg"], "P"),
    "DP-SGD": INDEPENDENT, "Noisy-SGD": INDEPENDENT, "identity": INDEPENDENT,
    "damped anti-PGD": ("#882255", "X"),
    # nu-DP-FTRL away from its best damping, in shades of its colour.
    "nu = 0.1 eta": ("#7FB7DA", "<"), "nu = 10 eta": (DARK_BLUE, ">"),
    "nu-DP-FTRL, nu x 0.1": ("#7FB7DA", "<"), "nu-DP-FTRL, nu x 0.3": ("#4C98CB", "v"),
    "nu-DP-FTRL, nu x 3": ("#00517F", "^"), "nu-DP-FTRL, nu x 10": (DARK_BLUE, ">"),
}  # fmt: skip
# A method with one of these additions has the colour of the method without it.
ADDITION = re.compile(r", (amplified, Renyi|amplified|restarts)$")
# Other names of the same noise.
SYNONYMS = {"FHU": "Optimal CC"}
OTHER = (GREY, "x")
SUBOPTIMALITY = r"suboptimality $F_\infty$"
ETA, D, D_EFF = r"learning rate $\eta$", "dimension $d$", r"effective dimension $d_\mathrm{eff}$"
INTERVALS = "points: mean with 95 % interval"


def color_of(method: str) -> str:
    """Returns the colour of a method; additions to its name do not change it."""
    return METHODS.get(ADDITION.sub("", method), OTHER)[0]


def look(method: str) -> dict[str, Any]:
    """Returns colour, marker and line of a method; methods with an addition to their name are dashed and hollow."""
    color, marker = METHODS.get(ADDITION.sub("", method), OTHER)
    added = ADDITION.search(method) is not None
    return {
        "color": color, "marker": marker, "linestyle": "--" if added else "-",
        "markerfacecolor": "white" if added else color,
    }  # fmt: skip


def in_order(names: "pd.Series[str]") -> list[str]:
    """Returns the methods of a column, each once, in rising order of the error that is expected of them."""
    ranks = {name: rank for rank, name in enumerate(METHODS)}
    return sorted(set(names), key=lambda name: (ranks.get(ADDITION.sub("", name), len(ranks)), name))


def label_of(name: str) -> str:
    """Returns a name with Greek letters in place of `nu` and `eta`, one for each noise."""
    return re.sub(r"\b(nu|eta)\b", r"$\\\1$", SYNONYMS.get(name, name)).replace(" x ", r" $\times$ ")


def held_fixed(rows: pd.DataFrame, x: str) -> str:
    """Returns the label of the settings d, alpha and eta that are constant in a panel over x."""
    symbols = {"d": "d", "alpha": r"\alpha", "eta": r"\eta"}
    held = [name for name in symbols if name != x and name in rows and rows[name].nunique() == 1]
    return ", ".join(f"${symbols[name]}={rows[name].iloc[0]:g}$" for name in held)


def points(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, **style: Any) -> None:
    """Draws means with their 95 % intervals, which exact rows do not have."""
    rows = rows.sort_values(x)
    if len(rows):
        axes.errorbar(rows[x], rows["mean"], yerr=Z95 * rows["se"], label=label, **style)


def line(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, **style: Any) -> None:
    """Draws means joined by a line."""
    rows = rows.sort_values(x)
    if len(rows):
        axes.plot(rows[x], rows["mean"], label=label, **style)
