"""Figures on the intervals of `dp_regression`: coverage of every cell, and lengths beside it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.checks import as_list
from dpdescent.papers.ours.criteria import coverage
from dpdescent.papers.ours.regression import BELOW, COVERED, LENGTH, PLACE, REFUSED, bounded, of_coefficients
from dpdescent.replication.drawing.figures import BLUE, GREY, VERMILION, WIDEST, legend_below, log_scale, panels, select
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.statistics import Estimate, median_of

# In points from the nominal level; what lies further off is an arrow with its number.
LOWEST, HIGHEST = -11.0, 6.5
# What varies in the row on top, which is the middle cell.
FIRST = "level"
NAMES = {
    "n": "$n$ = {:,g}", "p": "$p$ = {:g}", "correlation": "correlation {:g}", "spread": "sds from 1 to {:g}",
    "offset": "means of {:g} sds", "fit": "fit {:g}", "covariates": "{} covariates", "errors": "{} errors",
    "eps": r"$\varepsilon$ = {:g}", "units": "units {}", "standard_errors": "variances taken for {}",
    "level": "level {:g}", "outcome": "{} outcome", "nonzero": "ones {:g}", "dummy": "dummy {:g}", "ends": "{} ends",
}  # fmt: skip
WORDS = {
    "heavy covariates": "heavy-tailed covariates", "binary covariates": "dummies", "rare covariates": "rare dummies",
    "heavy errors": "heavy-tailed errors", "unequal errors": "unequal variances", "outliers errors": "outliers",
    "units released": "released units", "units 3 times too large": "units 3× too large",
    "units 3 times too small": "units 3× too small", "sds from 1 to 1": "",
    "binary outcome": "", "wages outcome": "wages", "ones 1": "", "dummy 0.5": "", "public ends": "",
    "none ends": "no ends", "units right": "sizes told",
}  # fmt: skip

Key = tuple[str, tuple[Any, ...]]


def draw_regression(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws coverage and lengths of all laws, with a rule between what varies alone."""
    return drawn(table, display, PLACE, (0.5, 4.0), ruled=False)


def drawn(
    table: pd.DataFrame, display: dict[str, Any], place: Sequence[str], lengths: tuple[float, float], *, ruled: bool
) -> Figure:
    """Draws coverage less the nominal level, and length beside it, one row a cell, in two halves of a slide.

    Args:
        table: the table that is drawn.
        display: its cells.
        place: columns that tell a cell.
        lengths: ends of the axis of lengths.
        ruled: whether there is a rule between any two panels.
    """
    main = select(table)
    cells = {panel: cell for panel, cell in display["cells"].items() if (main["panel"] == panel).any()}
    keys = list(_keys(cells))
    count = -(-len(keys) // 2)
    figure, spare = panels(size=(WIDEST, 1.5 + 0.2 * count))
    spare.remove()
    axes = figure.subplots(1, 4, width_ratios=[1.6, 1.0] * 2)
    # Bounds are for all rows of the table together.
    bounds = bounded(main[(main["series"] == COVERED) | of_coefficients(main)], place)
    for half, shown in enumerate((keys[:count], keys[count:])):
        left, right = axes[2 * half : 2 * half + 2]
        for rank, (panel, values) in enumerate(shown):
            cell = main[main["panel"] == panel]
            for axis, value in zip(cells[panel], values, strict=True):
                cell = cell[cell[axis] == value]
            _coverage(left, -float(rank), cell, bounds, place)
            _length(right, -float(rank), cell)
        left.axvspan(LOWEST, -100.0 * BELOW, color=VERMILION, alpha=0.08, linewidth=0)
        left.axvline(0.0, color=GREY, linestyle="--", linewidth=0.9)
        right.axvline(1.0, color=GREY, linestyle="--", linewidth=0.9)
        left.set_yticks(-np.arange(len(shown), dtype=float), [_name(cells[panel], each) for panel, each in shown])
        left.set(xlabel="points above nominal", xlim=(LOWEST, HIGHEST), ylim=(0.6 - count, 0.6))
        right.set(xlabel="length over OLS's", ylim=(0.6 - count, 0.6), xlim=lengths)
        right.set_yticks(-np.arange(len(shown), dtype=float), [])
        log_scale(right, "x")
        for each in (left, right):
            _separate(each, shown, ruled=ruled)
    legend_below(figure, axes, 3)
    return figure


def _keys(cells: dict[str, dict[str, Any]]) -> Iterator[Key]:
    """What tells rows from each other: the panel, and the values of what varies in it; one thing at a time first."""
    for panel in sorted(cells, key=lambda panel: (len(cells[panel]) > 1, FIRST not in cells[panel], panel)):
        yield from ((panel, found) for found in product(*(as_list(each) for each in cells[panel].values())))


def _name(cell: dict[str, Any], values: tuple[Any, ...]) -> str:
    """What differs from the middle, in words."""
    words = (NAMES[axis].format(value) for axis, value in zip(cell, values, strict=True))
    return ", ".join(filter(None, (WORDS.get(each, each) for each in words)))


def _coverage(
    axes: Axes, height: float, cell: pd.DataFrame, bounds: dict[tuple[str, str], Estimate], place: Sequence[str]
) -> None:
    """The mean over coefficients, and the coefficient that is covered least with its bounds."""
    means, single = cell[cell["series"] == COVERED], cell[of_coefficients(cell)]
    if not len(means) or not len(single):
        if (cell["series"] == REFUSED).any():
            axes.text(0.0, height, "refused", color=GREY, fontsize=8, ha="center", va="center")
        return
    mean, worst = means.iloc[0], single.loc[single["mean"].idxmin()]
    found = coverage(mean)
    ends = (each - mean["level"] for each in (found.value, found.low, found.high))
    _point(axes, height + 0.16, Estimate(*ends), BLUE, "s", "mean over coefficients, 95 % interval")
    least = bounds[algebra.place_of(worst, place), worst["series"]]
    _point(axes, height - 0.16, least, VERMILION, "o", "coefficient covered least, bounds for all together")


def _point(axes: Axes, height: float, found: Estimate, color: str, marker: str, label: str) -> None:
    """A point with its interval, in points; an arrow at the edge, with its coverage, where it is far below."""
    value, low, high = (100.0 * each for each in (found.value, found.low, found.high))
    look: dict[str, Any] = {"color": color, "markersize": 4.0, "linewidth": 1.0, "linestyle": "none"}
    if value < LOWEST:
        axes.plot([LOWEST + 0.3], [height], marker="<", clip_on=False, **look)
        axes.text(LOWEST + 0.8, height, f"{value:.0f}", color=color, fontsize=7, va="center")
        return
    axes.errorbar([value], [height], xerr=[[value - low], [high - value]], marker=marker, label=label, **look)


def _length(axes: Axes, height: float, cell: pd.DataFrame) -> None:
    """The median length over that of least squares."""
    for row in algebra.rows_of(cell[cell["series"] == LENGTH]):
        found = median_of(row)
        ends = [[found.value - found.low], [found.high - found.value]]
        axes.errorbar([found.value], [height], xerr=ends, color=BLUE, marker="s", markersize=4.0, linestyle="none")


def _separate(axes: Axes, shown: list[Key], *, ruled: bool) -> None:
    """Lines between what varies alone, and below all of that; or between any two panels."""
    for rank, ((above, values), (below, others)) in enumerate(pairwise(shown)):
        if above != below and (ruled or len(values) == 1 or len(others) == 1):
            axes.axhline(-rank - 0.5, color=GREY, linewidth=0.4)
