"""How accountants, budgets and correlations look, the same in all figures of wang2026, and the marks they share."""

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

from dpdescent.replication.drawing.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, legend_below
from dpdescent.replication.judging.statistics import Z95

DARK_PURPLE = "#7B2D5B"
# Colour, marker and name of every accountant.
ACCOUNTANTS: dict[str, tuple[str, str, str]] = {
    "F12x8": (VERMILION, "s", "Theorem F.12 as published"), "F12x2": (ORANGE, "D", "Theorem F.12 with factor 2"),
    "D9": (PURPLE, "v", "Theorem D.9 (replace-one; no guarantee)"),
    "RDP19": (DARK_PURPLE, "^", "eq. (19) (replace-one)"),
    "tail": (BLUE, "o", "participation tail"),
    "F8": (SKY, "P", "Theorem F.8's pair (no guarantee for batches of fixed size)"),
    "bnb": (GREEN, ">", "balls in bins (Monte-Carlo estimate)"),
    "cyclic": ("black", "<", "fixed order, not amplified"), "fixed": (GREY, "x", "fixed multiplier"),
}  # fmt: skip
OTHER = (GREY, "x", "")
# Accounts that the batches of Algorithm 1 do not have as a guarantee.
UNPROVED = ("D9", "F8")
MISSED = ("not met", "T capped")
HOLLOW = "hollow and dashed: no guarantee here"

LAM, EPS, KAPPA, T, N, M, B, D, ETA = (
    r"correlation of the noise $\lambda$", r"$\varepsilon$", r"noise multiplier $\kappa$", "number of iterations $T$",
    "number of records $n$", "width $m$", "batch size $B$", "dimension $d$", r"step size $\eta$",
)  # fmt: skip
POPULATION, EMPIRICAL, GAIN = "population risk", "empirical risk", "gain over lam = 0"
GAIN_LABEL = r"gain over $\lambda=0$ in risk"
BARS = "bars: 95 % intervals of means over seeds"
# The loss of an output that is 0: a bound above it says nothing.
VACUOUS = math.log(2)
# In inches: that titles and legends have room where a grid of one's own leaves few panels.
LEAST_WIDTH = 13.5
# Below this ratio of its ends a logarithmic axis is narrow; what it names is spread evenly.
NARROW, FINE = 10.0, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
# Where an axis of lambda stops resolving.
NEAR_ONE = 1 - 1e-9


def look(name: str) -> dict[str, Any]:
    """Colour, marker and line of an accountant; those without a guarantee are dashed and hollow."""
    color, marker, _ = ACCOUNTANTS.get(name, OTHER)
    return {"color": color, "marker": marker} | (hollow(color) if name in UNPROVED else {})


def hollow(color: str) -> dict[str, Any]:
    """The look of what has no guarantee."""
    return {"color": color, "linestyle": "--", "markerfacecolor": "white"}


def missed(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Rows outside the condition under which their account, or their claim, is stated."""
    if "precondition" not in rows:
        return pd.Series(False, index=rows.index)
    return rows["precondition"].isin(MISSED)


def label_of(name: str, rows: pd.DataFrame | None = None) -> str:
    """An accountant's name; it says so if all rows lie outside its condition."""
    text = ACCOUNTANTS.get(name, OTHER)[2] or name
    return f"{text}, outside its condition" if rows is not None and len(rows) and missed(rows).all() else text


def in_order(names: Iterable[Any], known: Iterable[Any] = ACCOUNTANTS) -> list[Any]:
    """Names, each once: known ones first and in their order, then the others."""
    found = {name for name in names if not pd.isna(name)}
    first = [name for name in known if name in found]
    return [*first, *sorted(found - set(first), key=str)]


def curve(axes: Axes, rows: pd.DataFrame, x: str, label: str | None = None, y: str = "mean", **style: Any) -> None:
    """Means with 95 % intervals, if known; points outside a condition are hollow, and the line dashed if all are."""
    if not len(rows):
        return
    rows = rows.sort_values(x)
    outside = missed(rows)
    color = style["color"]
    drawn: dict[str, Any] = {"marker": "o", "elinewidth": 1.0} | style | (hollow(color) if outside.all() else {})
    bars = Z95 * rows["se"] if y == "mean" and rows["se"].notna().any() else None
    axes.errorbar(rows[x], rows[y], yerr=bars, label=label, **drawn)
    if outside.any() and not outside.all():
        marker = drawn["marker"]
        few = rows[outside]
        axes.plot(few[x], few[y], linestyle="none", marker=marker, color=color, markerfacecolor="white", zorder=3)


def by_accountant(axes: Axes, rows: pd.DataFrame, x: str, y: str = "mean", **style: Any) -> None:
    """One curve an accountant."""
    for name in in_order(rows["accountant"]):
        own = where(rows, accountant=name)
        curve(axes, own, x, label_of(name, own), y, **(look(name) | style))


def best(axes: Axes, rows: pd.DataFrame, x: str, color: str, largest: bool = False) -> None:
    """A star at the best point of a curve."""
    kept = rows[np.isfinite(rows["mean"])]
    if len(kept) < 2:
        return
    top = kept.loc[kept["mean"].idxmax() if largest else kept["mean"].idxmin()]
    style: dict[str, Any] = {"markersize": 13, "markeredgecolor": "black", "markeredgewidth": 0.7, "zorder": 5}
    axes.plot(top[x], top["mean"], "*", color=color, **style)


def star_in_legend(axes: Axes, label: str = r"star: best $\lambda$") -> None:
    """The star's entry."""
    axes.plot([], [], "*", color="white", markeredgecolor="black", markersize=11, linestyle="none", label=label)


def hollow_in_legend(axes: Axes, rows: pd.DataFrame, label: str = HOLLOW) -> None:
    """What hollow points mean, if there are any."""
    unproved = "accountant" in rows and rows["accountant"].isin(UNPROVED).any()
    if unproved or missed(rows).any():
        axes.plot([], [], marker="o", markerfacecolor="white", color=GREY, linestyle="--", label=label)


def guide(axes: Axes, rows: pd.DataFrame, x: str, slope: float, label: str, dash: Any = ":") -> None:
    """A power law through the first of some points; it needs two of them."""
    rows = rows[(rows["mean"] > 0) & (rows[x] > 0)].sort_values(x)
    if rows[x].nunique() < 2:
        return
    places = np.geomspace(rows[x].min(), rows[x].max(), 50)
    heights = rows["mean"].iloc[0] * (places / rows[x].iloc[0]) ** slope
    axes.plot(places, heights, color="black", linestyle=dash, linewidth=1.1, label=label, zorder=1.5)


def vacuous_line(axes: Axes, vertical: bool = False) -> None:
    """The loss of an output that is 0."""
    draw = axes.axvline if vertical else axes.axhline
    style: dict[str, Any] = {"color": "black", "linestyle": (0, (1, 1)), "linewidth": 1.0}
    draw(VACUOUS, label=r"$\log 2$: loss of the output 0 (vacuous)", **style)


def zero_line(axes: Axes) -> None:
    """No difference."""
    axes.axhline(0.0, color="black", linewidth=0.8)


def stretched(lam: ArrayLike) -> NDArray[np.float64]:
    """-log(1 - lam), by which 0.9, 0.95 and 0.99 stand apart."""
    return np.asarray(-np.log1p(-np.minimum(np.asarray(lam, dtype=float), NEAR_ONE)))


def _unstretched(place: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(-np.asarray(place, dtype=float)))


def lam_axis(axes: Axes, values: Sequence[float], room: float = 0.075) -> None:
    """An axis of lambda stretched towards 1 that names the grid's values, as far as there is room."""
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
    """The smallest value, and from the largest downwards those that have room (a part of the whole) to both sides."""
    least = room * float(np.ptp(places))
    ordered = sorted(zip(values, places, strict=True))
    named, last = [ordered[0][0]], math.inf
    for value, place in reversed(ordered[1:]):
        if last - place >= least <= place - ordered[0][1]:
            named.append(value)
            last = place
    return sorted(named)


def value_ticks(axes: Axes, values: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Ticks at the grid's values only; call it after the scale is set."""
    axes.set_xticks(list(values), labels or [f"{value:g}" for value in values])
    axes.xaxis.set_minor_locator(NullLocator())


def lam_color(lam: float) -> str:
    """A colour of lambda, from dark (0) to light (near 1), the same in all figures."""
    return to_hex(mpl.colormaps["plasma"](0.87 * min(float(stretched(lam)) / 4.7, 1.0) ** 0.5))


def eps_color(eps: float) -> str:
    """A colour of epsilon, from dark (0.5) to light (8), the same in all figures."""
    place = (math.log2(eps) + 1) / 4 if eps > 0 else 0.0
    return to_hex(mpl.colormaps["viridis"](0.87 * min(max(place, 0.0), 1.0)))


def where(rows: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Rows that have the given values, of whatever variant."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def each(rows: pd.DataFrame, *columns: str) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Rows by the values of some columns, in rising order; rows without one of the values are left out."""
    if len(rows):
        yield from rows.groupby(list(columns), sort=True)


def values_of(rows: pd.DataFrame, column: str) -> list[Any]:
    """The values of a column, each once, in rising order."""
    return sorted(set(rows[column].dropna()))


def positive(rows: pd.DataFrame, column: str = "mean") -> pd.DataFrame:
    """Rows whose value a logarithmic axis can show."""
    return rows[np.isfinite(rows[column]) & (rows[column] > 0)]


def panels_in(rows: pd.DataFrame, display: Mapping[str, Any]) -> list[str]:
    """Panels in the order of the configuration; others after them."""
    return in_order(rows["panel"], display.get("cells", {}))


def noise_label(kappa: float, lam: float) -> str:
    """Noise multiplier and correlation; the latter means nothing without noise."""
    return rf"$\kappa={kappa:g}$, $\lambda={lam:g}$" if kappa else r"$\kappa=0$"


def sizes(rows: pd.DataFrame, *columns: str) -> str:
    """Those numbers of an experiment that are the same in all rows, for the title of a legend."""
    names = {name: rf"\{name}" for name in ("delta", "eta", "kappa", "gamma")}
    names |= {"eps": r"\varepsilon", "C_clip": r"C_\mathrm{clip}", "lam": r"\lambda"}
    found = [(names.get(name, name), values_of(rows, name)) for name in columns if name in rows]
    return ", ".join(f"${name}={scientific(values[0])}$" for name, values in found if len(values) == 1)


def scientific(value: float) -> str:
    """A number in a formula: 0.05, 20, 10^5, 3 10^5."""
    if 1e-3 <= abs(value) < 1e4 or value == 0 or not math.isfinite(value):
        return f"{value:.3g}" if abs(value) < 1e3 else f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    factor = f"{value / 10**power:.3g}"
    return f"10^{{{power}}}" if factor == "1" else rf"{factor}\cdot10^{{{power}}}"


def joined(*parts: str, by: str = ", ") -> str:
    """Those parts of a title that are not empty."""
    return by.join(part for part in parts if part)


def finish(figure: Figure, axes: Iterable[Axes], columns: int, *sentences: str) -> None:
    """The legend of all panels; its title says what is claimed and how points are drawn, a line each."""
    shown = list(axes)
    for panel in shown:
        _finer_ticks(panel)
    legend_below(figure, shown, columns, joined(*sentences, by="\n"))
    figure.legends[-1].get_title().set(fontsize=9, multialignment="center")
    width, height = figure.get_size_inches()
    figure.set_size_inches(max(width, LEAST_WIDTH), height)


def _finer_ticks(axes: Axes) -> None:
    """More ticks on a logarithmic axis of y that spans less than a decade, on which 1, 2 and 5 are two at most."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log" and 0 < low < high < NARROW * low:
        axes.yaxis.set_major_locator(LogLocator(subs=FINE, numticks=12))
        axes.yaxis.set_minor_locator(NullLocator())
