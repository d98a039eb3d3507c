"""Colours, markers and labels of accountants, budgets and correlations in wang2026's figures, and axes for them."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from dpdescent.replication.drawing.figures import (
    BLUE,
    FINE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    legend_below,
    panels,
    scientific,
    values_of,
    where,
)
from dpdescent.replication.judging.statistics import Z95

DARK_PURPLE = "#7B2D5B"
BROWN = "#8C6D31"
DARK_GREEN = "#1B5E45"
# Colour, marker and name of every accountant.
ACCOUNTANTS: dict[str, tuple[str, str, str]] = {
    "F12x8": (VERMILION, "s", "Theorem F.12 as published"), "F12x2": (ORANGE, "D", "Theorem F.12 with factor 2"),
    "D9": (PURPLE, "v", "Theorem D.9 (replace-one; a guarantee at some places)"),
    "RDP19": (DARK_PURPLE, "^", "eq. (19) (replace-one)"),
    "WOR": (BROWN, "*", "sampling without replacement, dominating pair (replace-one)"),
    "tail": (BLUE, "o", "participation tail"),
    "F8": (SKY, "P", "Theorem F.8's pair (no guarantee for batches of fixed size)"),
    "bnb": (GREEN, ">", "balls in bins (Monte-Carlo estimate)"),
    "worst bin": (DARK_GREEN, "h", "balls in bins, not amplified"),
    "cyclic": ("black", "<", "fixed order, not amplified"), "fixed": (GREY, "x", "fixed multiplier"),
}  # fmt: skip
OTHER = (GREY, "x", "")
# Accountants whose claimed guarantee fails at some places, for the batches of Algorithm 1.
UNPROVED = ("D9", "F8")
MISSED = ("not met",)
HOLLOW = "hollow and dashed: no guarantee, or at some places only"
LAM, EPS, KAPPA, T, N, M, B, D, ETA = (
    r"correlation of the noise $\lambda$", r"$\varepsilon$", r"noise multiplier $\kappa$", "number of iterations $T$",
    "number of records $n$", "width $m$", "batch size $B$", "dimension $d$", r"step size $\eta$",
)  # fmt: skip
GAIN_LABEL = r"gain over $\lambda=0$ in risk"
BARS = "bars: 95 % intervals of means over seeds"
MARKERS = "os^Dv<>P"
# The loss of the output 0, above which a bound is vacuous.
VACUOUS = math.log(2)
# The ratio of its ends below which a logarithmic axis is narrow.
NARROW = 10.0
# The largest lambda that an axis distinguishes from 1.
NEAR_ONE = 1 - 1e-9


def look(name: str) -> dict[str, Any]:
    """Returns colour, marker and line of an accountant; accountants without a guarantee are dashed and hollow."""
    color, marker, _ = ACCOUNTANTS.get(name, OTHER)
    return {"color": color, "marker": marker} | (hollow(color) if name in UNPROVED else {})


def hollow(color: str) -> dict[str, Any]:
    """Returns the style of curves without a guarantee."""
    return {"color": color, "linestyle": "--", "markerfacecolor": "white"}


def missed(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Returns for each row whether it is outside the condition under which its accountant or claim is stated."""
    if "precondition" not in rows:
        return pd.Series(False, index=rows.index)
    return rows["precondition"].isin(MISSED)


def percent(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns rows whose shares, and their errors, are in per cent."""
    return rows.assign(mean=100 * rows["mean"], se=100 * rows["se"])


def label_of(name: str, rows: pd.DataFrame | None = None) -> str:
    """Returns an accountant's name, with a note if all rows are outside its condition."""
    text = ACCOUNTANTS.get(name, OTHER)[2] or name
    return f"{text}, outside its condition" if rows is not None and len(rows) and missed(rows).all() else text


def in_order(names: Iterable[Any], known: Iterable[Any] = ACCOUNTANTS) -> list[Any]:
    """Returns names, each once: known ones first and in their order, then the others."""
    present = {name for name in names if not pd.isna(name)}
    first = [name for name in known if name in present]
    return [*first, *sorted(present - set(first), key=str)]


def curve(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, y: str = "mean", **style: Any) -> None:
    """Draws means with 95 % intervals, if known; points outside a condition are hollow, and if all are, dashed."""
    if not len(rows):
        return
    rows = rows.sort_values(x)
    outside = missed(rows)
    color = style["color"]
    line: dict[str, Any] = {"marker": "o", "elinewidth": 1.0} | style | (hollow(color) if outside.all() else {})
    bars = Z95 * rows["se"] if y == "mean" and rows["se"].notna().any() else None
    axes.errorbar(rows[x], rows[y], yerr=bars, label=label, **line)
    if outside.any() and not outside.all():
        marker = line["marker"]
        few = rows[outside]
        axes.plot(few[x], few[y], linestyle="none", marker=marker, color=color, markerfacecolor="white", zorder=3)


def by_accountant(axes: Axes, rows: pd.DataFrame, x: str, y: str = "mean", **style: Any) -> None:
    """Draws one curve for each accountant."""
    for name in in_order(rows["accountant"]):
        own = where(rows, accountant=name)
        curve(axes, own, x, label_of(name, own), y, **(look(name) | style))


def best(axes: Axes, rows: pd.DataFrame, x: str, color: str, largest: bool = False) -> None:
    """Draws a star at the best point of a curve, the smallest or, with `largest`, the largest."""
    finite = rows[np.isfinite(rows["mean"])]
    if len(finite) < 2:
        return
    top = finite.loc[finite["mean"].idxmax() if largest else finite["mean"].idxmin()]
    style: dict[str, Any] = {"markersize": 13, "markeredgecolor": "black", "markeredgewidth": 0.7, "zorder": 5}
    axes.plot(top[x], top["mean"], "*", color=color, **style)


def star_in_legend(axes: Axes, label: str = r"star: best $\lambda$") -> None:
    """Adds an entry for the star to the legend."""
    axes.plot([], [], "*", color="white", markeredgecolor="black", markersize=11, linestyle="none", label=label)


def hollow_in_legend(axes: Axes, rows: pd.DataFrame, label: str = HOLLOW) -> None:
    """Adds an entry for hollow points to the legend, if there are any."""
    unproved = "accountant" in rows and rows["accountant"].isin(UNPROVED).any()
    if unproved or missed(rows).any():
        axes.plot([], [], marker="o", markerfacecolor="white", color=GREY, linestyle="--", label=label)


def guide(axes: Axes, rows: pd.DataFrame, x: str, slope: float, label: str, dash: Any = ":") -> None:
    """Draws a power law through the first of some points, if there are at least two."""
    rows = rows[(rows["mean"] > 0) & (rows[x] > 0)].sort_values(x)
    if rows[x].nunique() < 2:
        return
    places = np.geomspace(rows[x].min(), rows[x].max(), 50)
    heights = rows["mean"].iloc[0] * (places / rows[x].iloc[0]) ** slope
    axes.plot(places, heights, color="black", linestyle=dash, linewidth=1.1, label=label, zorder=1.5)


def vacuous_line(axes: Axes, vertical: bool = False) -> None:
    """Draws the loss of the output 0, above which bounds are vacuous."""
    draw = axes.axvline if vertical else axes.axhline
    style: dict[str, Any] = {"color": "black", "linestyle": (0, (1, 1)), "linewidth": 1.0}
    draw(VACUOUS, label=r"$\log 2$: loss of the output 0 (vacuous)", **style)


def zero_line(axes: Axes) -> None:
    """Draws a line at a difference of 0."""
    axes.axhline(0.0, color="black", linewidth=0.8)


def stretched(lam: ArrayLike) -> NDArray[np.float64]:
    """Returns -log(1 - lam), a scale on which 0.9, 0.95 and 0.99 are easy to tell apart."""
    return np.asarray(-np.log1p(-np.minimum(np.asarray(lam, dtype=float), NEAR_ONE)))


def _unstretched(place: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(-np.asarray(place, dtype=float)))


def lam_axis(axes: Axes, values: Sequence[float], room: float = 0.075) -> None:
    """Sets an axis of lambda, stretched towards 1, with labels at the values of the grid that have room."""
    axes.set_xscale("function", functions=(stretched, _unstretched))
    axes.set_xlabel(LAM)
    if not values:
        return
    places = stretched(values)
    edge = 0.05 * max(float(np.ptp(places)), 0.1)
    axes.set_xlim(*_unstretched([places.min() - edge, places.max() + edge]))
    axes.xaxis.set_major_locator(FixedLocator(spaced(values, places, room)))
    axes.xaxis.set_minor_locator(FixedLocator(list(values)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def spaced(values: Sequence[float], places: NDArray[np.float64], room: float) -> list[float]:
    """Returns the values that have room for a label: the smallest, and others from the largest downwards.

    Args:
        values: candidates.
        places: their places on the axis.
        room: least distance of two labels, as a part of the length of the axis.
    """
    least = room * float(np.ptp(places))
    ordered = sorted(zip(values, places, strict=True))
    named, last = [ordered[0][0]], math.inf
    for value, place in reversed(ordered[1:]):
        if last - place >= least <= place - ordered[0][1]:
            named.append(value)
            last = place
    return sorted(named)


def value_ticks(axes: Axes, values: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Sets ticks at the grid's values only; to be called after the scale is set, because that resets ticks."""
    axes.set_xticks(list(values), labels or [f"{value:g}" for value in values])
    axes.xaxis.set_minor_locator(NullLocator())


def lam_color(lam: float) -> str:
    """Returns the colour of a lambda, from dark (0) to light (near 1), the same in all figures."""
    return to_hex(mpl.colormaps["plasma"](0.87 * min(float(stretched(lam)) / 4.7, 1.0) ** 0.5))


def eps_color(eps: float) -> str:
    """Returns the colour of an epsilon, from dark (0.5) to light (8), the same in all figures."""
    place = (math.log2(eps) + 1) / 4 if eps > 0 else 0.0
    return to_hex(mpl.colormaps["viridis"](0.87 * min(max(place, 0.0), 1.0)))


def by_values(rows: pd.DataFrame, *columns: str) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Yields the rows by the values of some columns, in rising order; rows that lack a value are left out."""
    if len(rows):
        yield from rows.groupby(list(columns), sort=True)


def panels_in(rows: pd.DataFrame, display: Mapping[str, Any]) -> list[str]:
    """Returns the panels in the order of the configuration, others after them."""
    return in_order(rows["panel"], display.get("cells", {}))


def noise_label(kappa: float, lam: float) -> str:
    """Returns the label of a noise multiplier and a correlation, which is left out without noise."""
    return rf"$\kappa={kappa:g}$, $\lambda={lam:g}$" if kappa else r"$\kappa=0$"


def sizes(rows: pd.DataFrame, *columns: str) -> str:
    """Returns a label of the columns that have one value in all rows, for the title of a legend."""
    names = {name: rf"\{name}" for name in ("delta", "eta", "kappa", "gamma")}
    names |= {"eps": r"\varepsilon", "C_clip": r"C_\mathrm{clip}", "lam": r"\lambda"}
    values_by_name = [(names.get(name, name), values_of(rows, name)) for name in columns if name in rows]
    return ", ".join(f"${name}={scientific(values[0])}$" for name, values in values_by_name if len(values) == 1)


def joined(*parts: str, by: str = ", ") -> str:
    """Returns the parts of a title that are not empty, joined."""
    return by.join(part for part in parts if part)


def finish(figure: Figure, axes: Iterable[Axes], columns: int, *sentences: str) -> None:
    """Adds the legend of all panels, with the sentences as its title, one line for each, and refines narrow axes."""
    shown = list(axes)
    for panel in shown:
        low, high = panel.get_ylim()
        if panel.get_yscale() == "log" and 0 < low < high < NARROW * low:
            # There are more ticks on less than a decade, because 1, 2 and 5 give at most two there.
            panel.yaxis.set_major_locator(LogLocator(subs=FINE, numticks=12))
            panel.yaxis.set_minor_locator(NullLocator())
    legend_below(figure, shown, columns, joined(*sentences, by="\n"))


def legend_inside(axes: Axes) -> None:
    """Draws a panel's own legend, whose entries the figure's legend then leaves out."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(handles, labels, fontsize=7.5, frameon=True, facecolor="white", framealpha=0.8, edgecolor="none")
    for handle in handles:
        handle.set_label(f"_{handle.get_label()}")


def caption(rows: pd.DataFrame, *columns: str) -> str:
    """Returns the title of a legend: the columns that have one value in all rows, and what bars are."""
    return joined(sizes(rows, *columns), BARS, by="; ")


def in_rows(count: int, size: tuple[float, float], columns: int = 3) -> tuple[Figure, list[Axes]]:
    """Returns a figure with a number of panels in rows of three; surplus panels are hidden."""
    figure, axes = panels(columns, max(1, math.ceil(count / columns)), size=size, squeeze=False)
    shown = list(axes.ravel())
    for panel in shown[max(count, 1) :]:
        panel.set_visible(False)
    return figure, shown[: max(count, 1)]
