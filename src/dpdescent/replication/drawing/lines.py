"""Lines of a drawn figure as numbers and words: panels with their axes, and what each line shows, in which look."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import Container, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpdescent.replication.drawing.labels import from_mathtext

# The fewest points of one line of a panel that is worth a look.
FEWEST = 3
# Points by which a scale that is neither linear nor logarithmic is told.
BENDS = 25
DASHES = {"-": 0, "--": 1, ":": 2, "-.": 3}
NONE = -1
# Colours that say which kind of line it is, where a legend has one entry for each kind and one for each colour.
NEUTRAL = ("#000000", "#666666", "#808080")

FAINTEST = 0.01
HOLLOW = (to_rgba("none"), to_rgba("white"))


@dataclass(frozen=True)
class Look:
    """What tells lines apart: the colour, the dashes (one of DASHES, or NONE for marks alone), and the mark."""

    color: str
    dash: int
    mark: str


def panels(figure: Figure) -> list[dict[str, Any]]:
    """Panels of a figure that have lines, each with its title, its two axes and its curves.

    A curve has its name in the legend, its look, and points: x, y and the two ends of its bar, where it has one. A band
    is a shade about it: x and two ends. An axis has its label, scale and limits; and the ticks that are drawn, where
    they say other things than their numbers.
    """
    found = [(axes, _curves(figure, axes)) for axes in figure.axes if axes.get_visible()]
    shown = [(axes, curves) for axes, curves in found if any(len(each["points"]) >= FEWEST for each in curves)]
    titles = _titles([axes for axes, _ in shown])
    return [
        {"title": title, "x": _axis(axes, "x"), "y": _axis(axes, "y"), "curves": curves}
        for title, (axes, curves) in zip(titles, shown, strict=True)
    ]


def _titles(shown: Sequence[Axes]) -> list[str]:
    """Titles of panels: the one at the top of their column, with the label of an axis where panels share it."""
    tops = [_text(next((title for axes in _above(panel) if (title := axes.get_title())), "")) for panel in shown]
    for name in ("y", "x"):
        labels = [_label(panel, name) for panel in shown]
        tops = [
            top if tops.count(top) == 1 or not label else f"{top}: {label}".removeprefix(": ")
            for top, label in zip(tops, labels, strict=True)
        ]
    places = [tops[: k + 1].count(top) for k, top in enumerate(tops)]
    return [top if tops.count(top) == 1 else f"{top} ({k})".strip() for top, k in zip(tops, places, strict=True)]


def _above(panel: Axes) -> list[Axes]:
    """A panel and those above it in its column, from the nearest."""
    return [panel, *_along(panel, "colspan", "rowspan", -1)]


def _along(panel: Axes, line: str, order: str, step: int) -> list[Axes]:
    """Panels of a row or column on one side of a panel, from the nearest.

    Args:
        panel: the panel where the row or column begins.
        line: `rowspan` of panels of one row, `colspan` of those of one column.
        order: the other of the two.
        step: -1 for panels that come before, 1 for those that come after.
    """
    place = panel.get_subplotspec()
    if panel.figure is None or place is None:
        return []
    distances = {}
    for axes in panel.figure.axes:
        other = axes.get_subplotspec()
        if other is None or other.get_gridspec() is not place.get_gridspec():
            continue
        if getattr(other, line) == getattr(place, line):
            distances[axes] = step * (getattr(other, order).start - getattr(place, order).start)
    return sorted((axes for axes, far in distances.items() if far > 0), key=lambda axes: distances[axes])


def _label(axes: Axes, name: str) -> str:
    """Label of an axis; that of a panel that shares it, or of the one at the edge, which has a row's or column's."""
    sharing = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
    known = [panel for panel in (axes.figure.axes if axes.figure else []) if panel in sharing]
    edge = _along(axes, "rowspan", "colspan", -1) if name == "y" else _along(axes, "colspan", "rowspan", 1)
    labels = (getattr(panel, f"get_{name}label")() for panel in (axes, *known, *edge))
    return _text(next(filter(None, labels), ""))


def _axis(axes: Axes, name: str) -> dict[str, Any]:
    axis: Axis = getattr(axes, f"{name}axis")
    scale, (low, high) = axis.get_scale(), axis.get_view_interval()
    told: dict[str, Any] = {"label": _label(axes, name), "scale": scale, "limits": [_rounded(low), _rounded(high)]}
    bent = scale not in ("linear", "log")
    if bent:
        start, end = axis.get_transform().transform(np.array([low, high]))
        steps = np.linspace(start, end, BENDS)
        values = axis.get_transform().inverted().transform(steps)
        told["bend"] = [[_rounded(value), _rounded(step)] for value, step in zip(values, steps, strict=True)]
    ticks = _ticks(axis) or next((found for other in _beside(axes, name) if (found := _ticks(other))), [])
    # Numbers beside a common factor are numbers.
    plain = axis.get_major_formatter().get_offset() or all(_says(text, value) for value, text in ticks)
    if bent or not ticks or not plain:
        told["ticks"] = [[_rounded(value), text] for value, text in ticks]
        factors = {_rounded((_number(text) or 0.0) / value) for value, text in ticks if value}
        if len(factors) == 1 and factors < {10.0, 100.0, 1000.0}:
            # Of numbers on this axis, such as those of shares that are written as percentages.
            told["factor"] = factors.pop()
    return told


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    low, high = sorted(axis.get_view_interval())
    at = [float(value) for value in axis.get_majorticklocs()]
    words = axis.get_major_formatter().format_ticks(at)
    return [(value, _text(text)) for value, text in zip(at, words, strict=True) if text and low <= value <= high]


def _beside(axes: Axes, name: str) -> Iterator[Axis]:
    """Axes with the same limits, of panels of the same row or column, whose ticks stand for those without labels."""
    way = ("rowspan", "colspan") if name == "y" else ("colspan", "rowspan")
    for panel in (each for step in (-1, 1) for each in _along(axes, *way, step)):
        axis: Axis = getattr(panel, f"{name}axis")
        if tuple(axis.get_view_interval()) == tuple(getattr(axes, f"get_{name}lim")()):
            yield axis


def _says(text: str, value: float) -> bool:
    """Whether the label of a tick is its number, within the digits that are written."""
    number = _number(text)
    return number is not None and bool(np.isclose(number, value, rtol=0.02, atol=1e-12))


def _number(text: str) -> float | None:
    match = re.fullmatch(r"([+-]?[\d.]+(?:e[+-]?\d+)?)?(?:×?10\^\{(-?\d+)\})?", text.replace("−", "-"))
    return None if match is None or not text else float(match[1] or 1) * 10.0 ** int(match[2] or 0)


def _curves(figure: Figure, axes: Axes) -> list[dict[str, Any]]:
    """Curves of a panel. Marks that are drawn one by one in one look, with one name, are one curve."""
    bars = {id(container.lines[0]): container for container in _with_bars(axes) if container.lines[0]}
    caps = {id(cap) for container in bars.values() for cap in container.lines[1]}
    names, curves = _Names(figure, axes), dict[Any, dict[str, Any]]()
    for number, line in enumerate(axes.lines):
        look, container, guide = _look(line), bars.get(id(line)), line.get_transform() != axes.transData
        points = _guide(axes, line) if guide else _points(line, container)
        name = names.of(container or line, look, guide)
        # Lines from edge to edge that nothing names stand beside words of their own; two points may join two marks.
        joins = len(points) == 2 and not look.mark and not _own_label(container or line)
        if not points or (guide and not name) or (joins and not guide) or id(line) in caps:
            continue
        name = name or _label(axes, "y") or _text(axes.get_title())
        alone = len(points) == 1
        curve = {
            "name": name, "color": look.color, "dash": NONE if alone else look.dash, "mark": look.mark,
            "width": round(float(line.get_linewidth()), 1), "points": points,
        }  # fmt: skip
        if look.mark and to_rgba(line.get_markerfacecolor()) in HOLLOW:
            curve["hollow"] = True
        if container is not None and container.has_xerr and not container.has_yerr:
            curve["across"] = True
        key = (name, look.color, look.mark, curve.get("across")) if alone else number
        if key in curves:
            curves[key]["points"] += points
        else:
            curves[key] = curve
    _add_shades(axes, list(curves.values()))
    return list(curves.values())


def _add_shades(axes: Axes, curves: Sequence[dict[str, Any]]) -> None:
    """Gives curves the shades of their colour that span all of their points."""
    for band in axes.collections:
        # One that cannot be seen is there because one function draws all curves.
        if not isinstance(band, FillBetweenPolyCollection) or (opacity := band.get_facecolor()[0][3]) < FAINTEST:
            continue
        points, color = _band(band), _color(band.get_facecolor()[0])
        places = {x for x, *_ in points}
        mine = (each for each in curves if each["color"] == color and {point[0] for point in each["points"]} <= places)
        if (curve := next(mine, None)) is not None and "band" not in curve:
            curve |= {"band": points, "shade": round(float(opacity), 2)}


def _band(band: FillBetweenPolyCollection) -> list[list[float]]:
    """The places of a shade along x, each with its lower and upper end."""
    ends: dict[float, list[float]] = {}
    for path in band.get_paths():
        for x, y in np.asarray(path.vertices, dtype=float):
            ends.setdefault(_rounded(x), []).append(_rounded(y))
    return [[x, min(ys), max(ys)] for x, ys in sorted(ends.items()) if np.isfinite([x, *ys]).all()]


def _with_bars(axes: Axes) -> list[ErrorbarContainer]:
    return [container for container in axes.containers if isinstance(container, ErrorbarContainer)]


def _look(line: Line2D) -> Look:
    mark = str(line.get_marker())
    dash = DASHES.get(str(line.get_linestyle()), NONE)
    return Look(_color(line.get_color()), dash, "" if mark in ("None", " ", "") else mark)


def _color(color: Any) -> str:
    return to_hex(color).upper()


def _points(line: Line2D, container: ErrorbarContainer | None) -> list[list[float]]:
    xs, ys = (np.asarray(values, dtype=float) for values in line.get_data(orig=False))
    ends: Sequence[tuple[float, ...]] = [()] * len(xs)
    if container is not None and (drawn := container.lines[2]):
        # Bars along y come last where a mark has both.
        way = 1 if container.has_yerr else 0
        segments = drawn[-1].get_segments()
        if len(segments) == len(xs):
            ends = [tuple(segment[:, way]) if len(segment) == 2 else () for segment in segments]
    points = [
        [x, y, *end] if all(map(np.isfinite, end)) and len(set(end)) == 2 else [x, y]
        for x, y, end in zip(xs, ys, ends, strict=True)
        if np.isfinite(x) and np.isfinite(y)
    ]
    return [[_rounded(value) for value in point] for point in points]


def _guide(axes: Axes, line: Line2D) -> list[list[float]]:
    """The two points of a line from edge to edge; none of a slanting one, which has no ends in numbers."""
    xs, ys = (np.asarray(values, dtype=float) for values in line.get_data(orig=False))
    if not len(xs):
        return []
    (x, x_end), (y, y_end) = xs[[0, -1]], ys[[0, -1]]
    if line.get_transform() == axes.get_yaxis_transform(which="grid") and y == y_end:
        ends = [(at, y) for at in axes.get_xlim()]
    elif line.get_transform() == axes.get_xaxis_transform(which="grid") and x == x_end:
        ends = [(x, at) for at in axes.get_ylim()]
    else:
        return []
    return [[_rounded(value) for value in end] for end in ends]


class _Names:
    """Names of the lines of a panel: their own, or those that a legend or a label beside them gives their look."""

    def __init__(self, figure: Figure, axes: Axes) -> None:
        legends = [legend for legend in (axes.get_legend(), *figure.legends) if legend is not None]
        self.entries = [*_labelled(axes), *(entry for legend in legends for entry in _entries(legend))]
        # What other panels name stands for all where the figure's legend says so, or where there is none.
        others = [entry for panel in figure.axes for entry in _labelled(panel)]
        shared = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
        self.entries += [entry for entry in others if entry[0] in shared or not legends]
        beside = [text for text in axes.texts if text.get_text() and text.get_transform() == axes.transAxes]
        self.beside = {_color(text.get_color()): text.get_text() for text in beside if "\n" not in text.get_text()}

    def of(self, artist: Artist | Container, look: Look, guide: bool) -> str:
        return _text(_own_label(artist) or self._of_look(look, guide))

    def _of_look(self, look: Look, guide: bool) -> str:
        ways = [("color", "dash", "mark"), ("color", "dash"), *([("color", "mark")] if look.mark else [])]
        for same in ways[: 1 if guide else None]:
            for name, known in self.entries:
                if all(getattr(known, each) == getattr(look, each) for each in same):
                    return name
        if guide or look.color in NEUTRAL:
            return self.beside.get(look.color, "")
        colored = [name for name, known in self.entries if known.color == look.color]
        colored += [self.beside[look.color]] if look.color in self.beside else []
        kinds = [
            name
            for name, known in self.entries
            if known.color in NEUTRAL and known.dash == look.dash and known.dash > 0
        ]
        return ", ".join([*colored[:1], *kinds[:1]])


def _own_label(artist: Artist | Container) -> str:
    """Its label; a line before it only keeps it from a legend of the whole figure."""
    label = str(artist.get_label())
    return "" if re.match(r"_(child|nolegend|container)", label) else label.removeprefix("_")


def _labelled(axes: Axes) -> Iterator[tuple[str, Look]]:
    """Lines of a panel that have labels of their own, with their looks."""
    for container in _with_bars(axes):
        if container.lines[0] and (label := _own_label(container)):
            yield label, _look(container.lines[0])
    for line in axes.lines:
        if label := _own_label(line):
            yield label, _look(line)


def _entries(legend: Legend) -> Iterator[tuple[str, Look]]:
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        if text.get_text() and (look := _look_of_handle(handle)):
            yield text.get_text(), look


def _look_of_handle(handle: Any) -> Look | None:
    if isinstance(handle, ErrorbarContainer):
        handle = handle.lines[0]
    if isinstance(handle, Line2D):
        return _look(handle)
    return Look(_color(handle.get_facecolor()), NONE, "") if isinstance(handle, Patch) else None


def _text(label: str) -> str:
    return " ".join(from_mathtext(label).split())


def _rounded(value: Any) -> float:
    # No negative zero.
    return float(f"{float(value):.4g}") + 0.0
