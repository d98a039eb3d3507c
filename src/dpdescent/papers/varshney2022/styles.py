"""Colours, markers and labels of the methods in all figures of varshney2022, and functions that these share."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from dpdescent.papers.varshney2022 import setting
from dpdescent.papers.varshney2022.setting import ADA_SSP, AMBSSGD, DP_GD, FIXED, OLS, PUBLISHED, QUANTILE, SSGD
from dpdescent.replication.drawing.figures import GREEN, GREY, PURPLE, positive, scientific, select, values_of, where
from dpdescent.replication.drawing.figures import METHODS as COLORS

# Colour of AdaSSP with clipped records, a shade of its green, because it is drawn on the curve of AdaSSP.
DARK_GREEN = "#00382A"
# Colour (the same in all papers), marker, and whether line and marker are dashed and hollow, because the entry is
# another reading of a method with the same or a similar colour.
METHODS: dict[str, tuple[str, str, bool]] = {
    OLS: (COLORS[OLS], ".", False),
    AMBSSGD: (COLORS[AMBSSGD], "o", False), QUANTILE: (COLORS[QUANTILE], "D", False),
    setting.PROSE_QUANTILE: (COLORS[QUANTILE], "d", True), PUBLISHED: (COLORS[PUBLISHED], "o", True),
    SSGD: (COLORS[SSGD], "P", False),
    setting.DP_GD_ADAPTIVE: (COLORS[setting.DP_GD_ADAPTIVE], "v", True), DP_GD: (COLORS[DP_GD], "v", False),
    FIXED: (COLORS[FIXED], "s", False),
    ADA_SSP: (COLORS[ADA_SSP], "^", False), setting.ADA_SSP_TIGHT: (COLORS[ADA_SSP], "^", True),
}  # fmt: skip
# The paper's algorithms, in its form and in ours. A panel shows these, or others beside ours: at most six curves.
OWN = (AMBSSGD, QUANTILE, PUBLISHED, SSGD)
PARTS = ("the paper's", "others")
# Rules of DP-STAT, in the colours of the methods that use them.
RULES: dict[str, tuple[str, str, bool]] = {
    "as published": METHODS[PUBLISHED], "corrected": METHODS[AMBSSGD], "q = 0.9": METHODS[QUANTILE],
    "q = 0.95": (PURPLE, "v", False), "q = 0.99": (GREEN, "s", False),
}  # fmt: skip
OTHER = (GREY, "x", False)

N, D, SIGMA, EPS, T = (
    "number of records $N$", "dimension $d$", r"sd of the label noise $\sigma$", r"$\varepsilon$",
    "number of iterations $T$",
)  # fmt: skip
RISK = r"excess risk $\frac{1}{2}\|\bar w-w^*\|_H^2$"
MEANS = "points: mean with standard error; shade: 10 % to 90 % of the trials"
POINTS = "points: median with 95 % interval, which claims judge; shade: 10 % to 90 % of the trials"
# Risk of w = 0, because |w*|_H = 1 in every experiment.
TRIVIAL = 0.5
# Risks below this are 0 up to rounding.
ROUNDING = 1e-26
# Risk below which a method works, well below the trivial one; guides go through such points.
WORKS = TRIVIAL / 10


def look(name: str, known: Mapping[str, tuple[str, str, bool]] = METHODS) -> dict[str, Any]:
    """Returns colour, marker and line of a method or of a rule."""
    color, marker, added = known.get(name, OTHER)
    return {
        "color": color, "marker": marker, "linestyle": "--" if added else "-",
        "markerfacecolor": "white" if added else color,
    }  # fmt: skip


def in_order(names: "pd.Series[str]", known: Iterable[str] = METHODS) -> list[str]:
    """Returns the names of a column, each once, in the order of the legend."""
    ranks = {name: rank for rank, name in enumerate(known)}
    return sorted(set(names.dropna()), key=lambda name: (ranks.get(name, len(ranks)), name))


def label_of(name: str) -> str:
    """Returns the label of a method: its name with formulas, `not private`, and values that are not as published."""
    if name == OLS:
        return f"{name} (not private)"
    written = re.sub(r"\b1\.2 sqrt d\b", r"$1.2\\sqrt{d}$", re.sub(r"\bq = (0\.\d+)", r"$q=\1$", name))
    return f"{written.removesuffix(')')}, but for $L$ and $T$)" if name == PUBLISHED else written


def with_prose(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the main variant, and those at the quantile of the prose, which are in a variant."""
    return pd.concat([select(table), where(table, series=setting.PROSE_QUANTILE)], ignore_index=True)


def drawn_without_guarantee(name: str) -> str:
    """Returns the label of a method whose statistics are drawn by Wishart's law.

    It says that there is no guarantee, because no record is clipped.
    """
    return f"{label_of(name)}, Wishart draw (no guarantee)"


def text_of(value: Any) -> str:
    """Returns a name as text, because a name such as 0.5 may have been read as a number."""
    return value if isinstance(value, str) else f"{value:g}"


def risks_of(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of a table but those of log-ratios, which are no risks."""
    return table[~table["series"].astype(str).str.startswith(setting.over("", "").split()[0])]


def budget(rows: pd.DataFrame, span: bool = False) -> str:
    """Returns the label of epsilon and delta of some rows.

    A value that varies is left out, or with `span` shown by its smallest and largest value.
    """
    written = []
    for column, symbol in (("eps", EPS), ("delta", r"$\delta$")):
        values = [scientific(float(f"{value:.3g}")) for value in values_of(rows, column)]
        if len(values) == 1:
            written.append(f"{symbol[:-1]}={values[0]}$")
        elif values and span:
            written.append(f"{symbol} from ${values[0]}$ to ${values[-1]}$")
    return ", ".join(written)


def common_sizes(rows: pd.DataFrame) -> list[str]:
    """Returns the labels of N and d, each only where it is the same in all rows."""
    return [rf"${name}={scientific(rows[name].iloc[0])}$" for name in ("N", "d") if rows[name].nunique() == 1]


def with_budget(rows: pd.DataFrame, text: str) -> str:
    """Returns the title of a legend: epsilon and delta of all panels, and the meaning of points."""
    return "; ".join(filter(None, (budget(rows), text)))


def ordered(known: Iterable[str], present: Iterable[str]) -> list[str]:
    """Returns the names that are present: known names first in their order, then rising numbers, then words."""
    first = [name for name in dict.fromkeys(known) if name in set(present)]
    return [*first, *sorted(set(present) - set(first), key=_numbers_first)]


def _numbers_first(name: str) -> tuple[float, str]:
    try:
        return float(name), ""
    except ValueError:
        return math.inf, name


def part_of(rows: pd.DataFrame, part: str) -> pd.DataFrame:
    """Returns the rows of one of PARTS."""
    of_paper = rows["series"].isin(OWN)
    return rows[of_paper if part == PARTS[0] else ~of_paper | (rows["series"] == AMBSSGD)]


def risk_curve(
    axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, shade: float = 0.13, **style: Any
) -> None:  # fmt: skip
    """Draws the risks of each series over its trials, in the style of the series.

    Points are medians with their 95 % intervals, because a threshold that overshoots rules the mean; the shade is from
    the 10 % to the 90 % quantile. Risks that are 0 up to rounding are arrows at the foot of the panel.
    """
    for name in in_order(rows["series"]):
        curve = where(rows, series=name).sort_values(x)
        middle, bars = middle_of(curve)
        zero = middle < ROUNDING
        if (~zero).any():
            above = curve[~zero]
            drawn = look(name) | {"elinewidth": 1.0} | style
            axes.errorbar(above[x], middle[~zero], yerr=bars[:, ~zero], label=label or label_of(name), **drawn)
            if (above["trials"] > 1).any() and drawn["linestyle"] != "none":
                axes.fill_between(above[x], above["q10"], above["q90"], color=drawn["color"], alpha=shade, linewidth=0)
        if zero.any():
            axes.plot(
                curve[x][zero], np.full(zero.sum(), 0.025), color=look(name)["color"], linestyle="none",
                marker=r"$\downarrow$", markersize=8, transform=axes.get_xaxis_transform(),
                label=f"{label_of(name)} is 0 up to rounding",
            )  # fmt: skip


def middle_of(rows: pd.DataFrame) -> tuple["pd.Series[float]", Any]:
    """Returns the medians of a series, and the lengths of their bars downwards and upwards."""
    middle = rows["median"]
    return middle, np.array([middle - rows["median_low"], rows["median_high"] - middle])


def sampling_lines(axes: Axes, rows: pd.DataFrame, x: str, published: Mapping[str, Any]) -> None:
    """Draws sigma^2 d / (2N), the risk of OLS, and the paper's 8 sigma^2 d / N (Theorems 1.1 and 3.7)."""
    frame = rows.drop_duplicates(x).sort_values(x)
    unit = frame["sigma"] ** 2 * frame["d"] / frame["N"]
    frame, unit = frame[unit > 0], unit[unit > 0]
    if not len(frame):
        return
    axes.plot(frame[x], unit / 2, color=GREY, linewidth=0.8, label=r"$\sigma^2d/(2N)$: OLS in theory")
    if "variance_factor" in published:
        factor = published["variance_factor"]
        label = rf"${factor:g}\sigma^2d/N$: first term of Theorem 3.7"
        axes.plot(frame[x], factor * unit, color="black", linestyle="-.", linewidth=1.0, label=label)


def trivial_line(axes: Axes) -> None:
    """Draws the risk of the estimate 0."""
    axes.axhline(TRIVIAL, color="black", linestyle=(0, (1, 1)), linewidth=1.0, label="trivial estimate 0: 1/2")


def guide(
    axes: Axes, rows: pd.DataFrame, x: str, slope: float, label: str, last: bool = False, dash: Any = ":"
) -> None:
    """Draws a power law through the first (or last) point of a curve: of medians where there are trials enough."""
    column = "median" if (rows["trials"] > 3).any() else "mean"
    rows = rows[rows[column] > ROUNDING].sort_values(x)
    if len(rows) > 1:
        through = rows.iloc[-1 if last else 0]
        places = np.geomspace(rows[x].min(), rows[x].max(), 60)
        heights = through[column] * (places / through[x]) ** slope
        # Cut off below the curves, because a longer axis would flatten them.
        shown = heights >= axes.dataLim.minposy
        axes.plot(places[shown], heights[shown], color="black", linestyle=dash, linewidth=1.1, label=label, zorder=1.5)


def working(rows: pd.DataFrame, name: str = AMBSSGD) -> pd.DataFrame:
    """Returns the rows of a method whose risk is well below the trivial one."""
    rows = where(rows, series=name)
    return rows[rows["mean"] < WORKS]


def decades(axes: Axes, which: str = "x") -> None:
    """Labels powers of ten only, if the axis has at least two, because a narrow panel has no room for more."""
    for name in which:
        axis = getattr(axes, f"{name}axis")
        low, high = np.log10(axis.get_view_interval())
        if math.floor(high + 1e-9) - math.ceil(low - 1e-9) >= 1:
            axis.set_major_locator(LogLocator())


def marks(axes: Axes, x: Any, y: Any, marker: str, label: str, **style: Any) -> None:
    """Draws points without a line."""
    axes.plot(x, y, **({"marker": marker, "linestyle": "none", "label": label} | style))


def measured(axes: Axes, rows: pd.DataFrame, x: str, label: str, color: str, marker: str) -> None:
    """Draws medians with their 95 % intervals and a shade from the 10 % to the 90 % quantile.

    Risks that are not finite are left out.
    """
    rows = positive(rows)
    if len(rows):
        middle, bars = middle_of(rows)
        axes.errorbar(rows[x], middle, yerr=bars, color=color, marker=marker, linewidth=1.0, label=label)
        axes.fill_between(rows[x], rows["q10"], rows["q90"], color=color, alpha=0.13, linewidth=0)


def expected_marks(axes: Axes, rows: pd.DataFrame, x: str, color: str) -> None:
    """Marks the expected risk without clipping, except where it is far above the measured risks."""
    rows = positive(rows, "expected")
    highest = 1e3 * max(rows["mean"].max(), 1.0) if len(rows) else 0.0
    rows = rows[rows["expected"] < highest]
    if len(rows):
        label = "expected without clipping (exact)"
        marks(axes, rows[x], rows["expected"], "x", label, color=color, markersize=7, zorder=5)
