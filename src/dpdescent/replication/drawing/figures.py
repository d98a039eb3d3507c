"""Common style of all figures: palette, sizes, titles. Files have no dates, so that equal tables give equal bytes."""

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import is_math_text
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from dpdescent.replication.build.files import atomic
from dpdescent.replication.drawing import fitting
from dpdescent.replication.drawing.slim import slim
from dpdescent.replication.judging.evidence import places_of
from dpdescent.replication.judging.statistics import log_log_slope
from dpdescent.replication.notation import mathtext

# Okabe and Ito's palette, safe for colour-blind readers, in an order in which neighbours differ in lightness.
BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, YELLOW, GREY = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442", "#666666",
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P")
BLACK, DARK_BLUE, DARK_VERMILION = "#000000", "#003A5C", "#7A3300"
# One colour for each method in all papers. Black and grey methods are not private; each reading of a method has its own
# shade.
METHODS = {
    "OLS": BLACK, "2SLS": BLACK, "2S-GD": GREY, "non-private": GREY,
    "DP-GD": VERMILION, "DP-GD (adaptive)": DARK_VERMILION, "DP-2S-GD": VERMILION, "DP-SGD": VERMILION,
    "AdaSSP": GREEN, "FriendlyCore-2SLS": GREEN, "fixed clip": ORANGE,
    "DP-AMBSSGD": BLUE, "DP-AMBSSGD (q = 0.9)": DARK_BLUE, "DP-AMBSSGD (as published)": SKY, "DP-SSGD": PURPLE,
    "nu-DP-FTRL": BLUE, "ME": PURPLE, "Optimal CC": GREEN, "Honaker": ORANGE, "TreeAgg": SKY,
}  # fmt: skip
# Privacy levels from strong to weak, the same in every figure.
LEVELS = {0.1: VERMILION, 1.0: ORANGE, 10.0: BLUE}
# Background of text that is drawn over lines.
BACKGROUND = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.6}

# Digits of numbers on logarithmic axes of less than a decade, where 1, 2 and 5 would leave two of them.
FINE = (1, 1.5, 2, 3, 4, 5, 7)
PANEL = (5.0, 3.7)
# In inches: a page of the report shows a figure 900 pixels wide, on which letters of 7.5 points are then 8 pixels high.
WIDEST = 11.2
# The most marks and corners of data that an SVG has as shapes, which take at most 300 kB with everything around them.
# Where there are more, the artists with the most of them become one raster in it, with RASTER_DPI pixels per inch:
# twice those of a picture that is 1280 pixels wide.
MOST_SHAPES, RASTER_DPI = 5000, 240
# The most panels that stay in a single row; more go into rows of two.
MOST_IN_A_ROW = 3
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 10, "axes.labelsize": 9, "legend.fontsize": 8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "grid.linewidth": 0.6,
    "lines.linewidth": 1.4, "lines.markersize": 4.5, "errorbar.capsize": 2.5, "legend.frameon": False,
    "figure.dpi": 100, "savefig.dpi": 160, "svg.fonttype": "path", "svg.hashsalt": "dpdescent", "path.simplify": True,
}  # fmt: skip


def use_style() -> None:
    """Sets the style; every figure script calls it first."""
    mpl.rcdefaults()
    plt.rcParams.update(STYLE)


def panels(columns: int = 1, rows: int = 1, *, size: tuple[float, float] = PANEL, **options: Any) -> tuple[Figure, Any]:
    """Makes a grid of panels, narrowed where it would be wider than WIDEST, and a long single row in rows of two.

    Returns the figure and the array of axes as if nothing had been rearranged (one axes object if there is one panel).
    """
    wrapped = rows == 1 and columns > MOST_IN_A_ROW
    across, down = (2, -(-columns // 2)) if wrapped else (columns, rows)
    width = min(size[0] * across, WIDEST)
    options = {"figsize": (width, size[1] * down), "squeeze": rows * columns == 1} | options
    figure, axes = plt.subplots(down, across, layout="constrained", **options)
    if not wrapped:
        return figure, axes
    for spare in axes.flat[columns:]:
        spare.remove()
    return figure, axes.reshape(1, -1)[:, :columns]


def caption(figure: Figure, spec: Mapping[str, Any]) -> None:
    """Sets the title: paper, place, title and, for a scale that is not the paper's, its label."""
    heading(figure, f"{spec['paper']}, {mathtext(spec['place'])}: {mathtext(spec['title'])}", spec["label"])


def heading(figure: Figure, title: str, label: str) -> None:
    """Sets a title and, below it, the label of a scale; a formula that cannot be read stands as it is written."""
    # The label is the title's second line, because a corner may hold a legend or an axis label.
    text = figure.suptitle(f"{title}\n({label})" if label else title, fontsize=11, fontweight="bold")
    text.set_parse_math(all(_is_readable(line) for line in text.get_text().split("\n")))
    fitting.fit(figure)


def _is_readable(line: str) -> bool:
    """Whether a line has no formula, or one that matplotlib can draw, because it would end the job otherwise."""
    try:
        return not is_math_text(line) or MathTextParser("path").parse(line) is not None
    except ValueError:
        return False


Draw = Callable[[pd.DataFrame, dict[str, Any]], Figure]


def drawn(
    draw: Callable[[pd.DataFrame, dict[str, Any]], Figure], table: pd.DataFrame, spec: Mapping[str, Any]
) -> Figure:
    """The figure of an artefact.

    Args:
        draw: the paper's function that draws it; callers import it, because code that looked it up here by its name
            would count as using the code of all papers.
        table: table of the artefact.
        spec: its title, label and further values to draw (see `configuration.project.figure_json`).
    """
    use_style()
    figure = draw(table, spec["display"]) if len(table) else _without_rows()
    caption(figure, spec)
    return figure


def _without_rows() -> Figure:
    """One panel that says that its table has no rows, because most drawings take their panels from the rows."""
    figure, axes = panels()
    axes.set(xlabel="the table has no rows", xticks=[], yticks=[])
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Writes a figure in the format of its suffix, without anything that depends on time or machine.

    Raises:
        ValueError: for another format than SVG and PNG.
    """
    suffix = Path(path).suffix
    if suffix not in (".png", ".svg"):
        raise ValueError(f"{path}: figures are saved as .png, .svg")
    _lay_out(figure)
    written = io.BytesIO()
    if suffix == ".png":
        figure.savefig(written, format="png", metadata={"Software": None})
        content = written.getvalue()
    else:
        _rasterise(figure)
        figure.savefig(written, format="svg", dpi=RASTER_DPI, metadata={"Date": None, "Creator": None})
        content = slim(written.getvalue().decode()).encode()
    with atomic(path, "wb") as stream:
        stream.write(content)


def _rasterise(figure: Figure) -> None:
    """Makes the artists of the most marks and corners a raster, until no more than MOST_SHAPES others are left."""
    artists = [artist for axes in figure.axes for artist in axes.get_children()]
    sizes = [(_shapes(artist), artist) for artist in artists if isinstance(artist, (Line2D, Collection, Patch))]
    left = sum(size for size, _ in sizes)
    for size, artist in sorted(sizes, key=lambda sized: -sized[0]):
        if left <= MOST_SHAPES:
            return
        artist.set_rasterized(True)
        left -= size


def _shapes(artist: Line2D | Collection | Patch) -> int:
    """Number of marks and corners of an artist."""
    if isinstance(artist, Line2D):
        layers = (artist.get_linestyle() != "None") + (artist.get_marker() not in ("None", "", " ", None))
        return int(layers * np.size(artist.get_xdata()))
    paths = artist.get_paths() if isinstance(artist, Collection) else [artist.get_path()]
    corners = sum(len(np.asarray(path.vertices)) for path in paths)
    # One mark may stand at many places.
    return max(corners, len(np.asarray(artist.get_offsets()))) if isinstance(artist, Collection) else corners


def _lay_out(figure: Figure) -> None:
    """Places the panels once for all formats, and removes the engine, with which each file would be drawn twice."""
    engine = figure.get_layout_engine()
    if engine is not None:
        figure.set_dpi(mpl.rcParams["savefig.dpi"])
        engine.execute(figure)
        figure.set_layout_engine(None)


def select(table: pd.DataFrame, variant: str = "main", **values: Any) -> pd.DataFrame:
    """Selects rows of a variant that have the given values in the named columns."""
    return where(table, variant=variant, **values)


def where(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Selects rows, of all variants, that have the given values in the named columns."""
    return table.take(places_of(table, values))


def positive(table: pd.DataFrame, column: str = "mean") -> pd.DataFrame:
    """Selects rows whose value is finite and positive, which a logarithmic axis can show."""
    # As floats, because the columns of a table without rows are read as objects.
    values = table[column].astype(float)
    return table[np.isfinite(values) & (values > 0)]


def values_of(table: pd.DataFrame, column: str) -> list[Any]:
    """Values of a column, each once, in rising order."""
    return sorted(set(table[column].dropna()))


def variants_of(table: pd.DataFrame) -> list[str]:
    """Names of the variants in a table, the headline `main` first."""
    return ["main", *sorted(set(table["variant"]) - {"main"})]


def level_colors(levels: Iterable[float]) -> dict[float, str]:
    """Colours of privacy levels in rising order: those of LEVELS, and other colours for levels without one."""
    others = cycle((GREEN, PURPLE, SKY))
    return {level: LEVELS.get(level) or next(others) for level in sorted(set(levels))}


def shades(count: int) -> list[str]:
    """Colours for the values of an ordered quantity, from dark to light."""
    return [to_hex(color) for color in mpl.colormaps["viridis"](np.linspace(0.0, 0.85, count))]


def log_scale(axes: Axes, which: str = "xy", digits: Sequence[float] = (1, 2, 5)) -> None:
    """Sets logarithmic axes with numbers at 1, 2 and 5 (or other digits), or at decades if there are many.

    Call it after plotting.
    """
    for name in which:
        getattr(axes, f"set_{name}scale")("log")
        axis = getattr(axes, f"{name}axis")
        low, high = axis.get_view_interval()
        if not low > 0 and not np.isfinite(getattr(axes.dataLim, f"minpos{name}")):
            # A line without points has left margins about 0, at which no tick of this scale can stand.
            low, high = getattr(axes, f"set_{name}lim")(1.0, 10.0)
        axis.set_major_locator(LogLocator(subs=digits if high < 1000 * low else (1,), numticks=9))
        axis.set_major_formatter(FuncFormatter(plain_number))
        axis.set_minor_formatter(NullFormatter())
        # Hundreds of empty labels would be measured again and again.
        axis.set_tick_params(which="minor", **{"labelbottom" if name == "x" else "labelleft": False})


def plain_number(value: float, _: object = None) -> str:
    """Label of a tick: a plain number such as 0.05 or 10000, or a multiple of a power of ten if that is too long."""
    if 1e-3 <= value < 1e5:
        return f"{value:g}"
    power = np.floor(np.log10(value) + 1e-9)
    factor = f"{value / 10**power:.3g}"
    return f"$10^{{{power:.0f}}}$" if factor == "1" else rf"${factor}\times10^{{{power:.0f}}}$"


def scientific(value: float) -> str:
    """A number as LaTeX for a formula: 0.05, 20, 10^5, 3 10^5."""
    if 1e-3 <= abs(value) < 1e4 or value == 0 or not math.isfinite(value):
        return f"{value:.3g}" if abs(value) < 1e3 else f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    factor = f"{value / 10**power:.3g}"
    return f"10^{{{power}}}" if factor == "1" else rf"{factor}\cdot10^{{{power}}}"


def slope_of(table: pd.DataFrame, x: str) -> str:
    """The log-log slope of the means as text with two decimals, or a dash for fewer than two points."""
    value = log_log_slope(table, x).value
    return "–" if math.isnan(value) else f"${value:.2f}$"


def legend_below(figure: Figure, axes: Iterable[Axes], columns: int, title: str | None = None) -> None:
    """Draws one legend under all panels, where it hides no data; each label once, plain lines last."""
    entries: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    labels = sorted(entries, key=lambda label: isinstance(entries[label], Line2D))
    handles = [entries[label] for label in labels]
    fitting.legend(figure, handles, labels, columns, title)


def end_labels(axes: Axes, ends: Sequence[tuple[float, str, str]], gap: float = 0.06) -> None:
    """Writes names right of the axes at the heights where curves end, moved apart where they overlap; call it last.

    Args:
        axes: a panel whose limits are final.
        ends: for each curve the ordinate of its end, its name and its colour.
        gap: smallest distance of two names, as a share of the axes' height.
    """
    low, high = axes.get_ylim()
    bottom, top, *heights = axes.yaxis.get_transform().transform([low, high, *(end[0] for end in ends)])
    floor = 0.0
    for rank, (height, (_, name, color)) in enumerate(sorted(zip(heights, ends, strict=True))):
        ceiling = 1.0 - gap * (len(ends) - 1 - rank)
        place = max(min((height - bottom) / (top - bottom), ceiling), floor)
        axes.text(1.015, place, name, color=color, transform=axes.transAxes, fontsize=7.5, va="center")
        floor = place + gap


def curve(axes: Axes, table: pd.DataFrame, x: str, label: str, **style: Any) -> None:
    """Draws the mean with its standard error as bars, and the band from the 10 % to the 90 % quantile as a shade."""
    table = table.sort_values(x)
    points = axes.errorbar(table[x], table["mean"], yerr=table["se"], label=label, **({"marker": "o"} | style))
    if (table["trials"] > 1).any():
        axes.fill_between(table[x], table["q10"], table["q90"], color=points[0].get_color(), alpha=0.10, linewidth=0)


def median_curve(axes: Axes, table: pd.DataFrame, x: str, label: str, shade: float = 0.10, **style: Any) -> None:
    """Draws the median with its 95 % interval as bars, and the quartiles as a shade, for laws without a mean."""
    table = table.sort_values(x)
    bars = [table["median"] - table["median_low"], table["median_high"] - table["median"]]
    points = axes.errorbar(table[x], table["median"], yerr=bars, label=label, **({"marker": "o"} | style))
    axes.fill_between(table[x], table["q25"], table["q75"], color=points[0].get_color(), alpha=shade, linewidth=0)


def thin_curve(axes: Axes, table: pd.DataFrame, x: str, label: str | None = None, **style: Any) -> None:
    """Draws the mean only, thin and dashed, for a sensitivity variant beside its main curve."""
    table = table.sort_values(x)
    look: dict[str, Any] = {"linestyle": "--", "linewidth": 0.9, "alpha": 0.8} | style
    axes.plot(table[x], table["mean"], label=label, **look)


def slope_guide(axes: Axes, x: Iterable[float], through: tuple[float, float], slope: float, label: str) -> None:
    """Draws a straight line of the given slope in a log-log plot."""
    x = np.asarray(list(x), dtype=float)
    axes.plot(x, through[1] * (x / through[0]) ** slope, color=GREY, linestyle=":", linewidth=1.2, label=label)


def vertical(axes: Axes, x: float, label: str, color: str = GREY, height: float = 0.98, side: str = "right") -> None:
    """Draws a labelled vertical line; the label begins at `height` (a share of the axes') on one side of it."""
    axes.axvline(x, color=color, linestyle="-.", linewidth=0.9)
    axes.annotate(
        label, (x, height), xycoords=axes.get_xaxis_transform(), xytext=(3 if side == "right" else -3, 0),
        textcoords="offset points", color=color, fontsize=7.5, ha="left" if side == "right" else "right", va="top",
        rotation=90, bbox=BACKGROUND,
    )  # fmt: skip


def box(axes: Axes, row: "pd.Series[Any]", position: float, color: str, width: float = 0.5) -> None:
    """Draws a box plot from a table row: quartiles, median, whiskers at the 2.5 % and 97.5 % quantiles."""
    stats = {
        "med": row["median"], "q1": row["q25"], "q3": row["q75"], "whislo": row["q025"], "whishi": row["q975"],
        "fliers": [],
    }  # fmt: skip
    face = {"facecolor": color, "alpha": 0.35, "edgecolor": color}
    axes.bxp(
        [stats], positions=[position], widths=width, showfliers=False, patch_artist=True, boxprops=face,
        medianprops={"color": color, "linewidth": 1.8}, whiskerprops={"color": color}, capprops={"color": color},
        manage_ticks=False,
    )  # fmt: skip
