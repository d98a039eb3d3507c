"""How the methods of choquettechoo2023 look, the same in all its figures, and the marks that its figures share."""

import math
import re
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dpdescent.replication.drawing.figures import BLACK, DARK_BLUE, GREY
from dpdescent.replication.drawing.figures import METHODS as PALETTE
from dpdescent.replication.judging.statistics import Z95, log_log_slope

# By the name of the noise; independent noise is DP-SGD, whether it is clipped, simulated or merely summed. Names that
# other papers have, too, take their colour from the palette of all papers.
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
    # The same family of noise off its best damping.
    "nu = 0.1 eta": ("#7FB7DA", "<"), "nu = 10 eta": (DARK_BLUE, ">"),
}  # fmt: skip
# Of the same hue as the method without the addition.
ADDITION = re.compile(r", (amplified|restarts)$")
OTHER = (GREY, "x")

SUBOPTIMALITY = r"suboptimality $F_\infty$"
ETA, D, D_EFF = r"learning rate $\eta$", "dimension $d$", r"effective dimension $d_\mathrm{eff}$"
INTERVALS = "points: mean with 95 % interval"


def color_of(method: str) -> str:
    """Colour of a method; additions do not change it."""
    return METHODS.get(ADDITION.sub("", method), OTHER)[0]


def look(method: str) -> dict[str, Any]:
    """Colour, marker and line of a method; those with an addition are dashed and hollow."""
    color, marker = METHODS.get(ADDITION.sub("", method), OTHER)
    added = ADDITION.search(method) is not None
    return {
        "color": color, "marker": marker, "linestyle": "--" if added else "-",
        "markerfacecolor": "white" if added else color,
    }  # fmt: skip


def in_order(names: "pd.Series[str]") -> list[str]:
    """The methods of a column, each once, from the least error that is to be expected to the largest."""
    ranks = {name: rank for rank, name in enumerate(METHODS)}
    return sorted(set(names), key=lambda name: (ranks.get(ADDITION.sub("", name), len(ranks)), name))


def label_of(name: str) -> str:
    """A name with its Greek letters."""
    return re.sub(r"\b(nu|eta)\b", r"$\\\1$", name)


def where(rows: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Rows that have the given values, of whatever variant."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def held_fixed(rows: pd.DataFrame, x: str) -> str:
    """What does not vary in a panel over x."""
    symbols = {"d": "d", "alpha": r"\alpha", "eta": r"\eta"}
    held = [name for name in symbols if name != x and name in rows and rows[name].nunique() == 1]
    return ", ".join(f"${symbols[name]}={rows[name].iloc[0]:g}$" for name in held)


def points(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, **style: Any) -> None:
    """Means with their 95 % intervals; exact rows have none."""
    rows = rows.sort_values(x)
    if len(rows):
        axes.errorbar(rows[x], rows["mean"], yerr=Z95 * rows["se"], label=label, **style)


def line(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, **style: Any) -> None:
    """Means, joined."""
    rows = rows.sort_values(x)
    if len(rows):
        axes.plot(rows[x], rows["mean"], label=label, **style)


def slope_of(rows: pd.DataFrame, x: str) -> str:
    """The log-log slope of the means with two decimals; a dash where there are not two points."""
    value = log_log_slope(rows, x).value
    return "–" if math.isnan(value) else f"${value:.2f}$"
