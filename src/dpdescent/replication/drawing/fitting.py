"""Text that fits its place: titles, labels and legends in as many lines and columns as a figure has room for."""

import re
from collections.abc import Sequence
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

# A space that is not in a formula.
_SPACE = r" (?=(?:[^$]*\$[^$]*\$)*[^$]*$)"


# Scales whose distances mislead a reader who does not know of them; a logarithmic scale shows by its numbers.
WARPED = {
    "logit": "logit scale", "function": "stretched scale", "symlog": "linear near 0, then logarithmic",
    "asinh": "linear near 0, then logarithmic",
}  # fmt: skip


def fit(figure: Figure) -> None:
    """Names warped scales, and breaks titles and labels that are wider than their places; call it last."""
    if figure._suptitle is not None:  # type: ignore[attr-defined]
        break_lines(figure, figure._suptitle, 0.98 * figure.bbox.width)  # type: ignore[attr-defined]
    for axes in figure.axes:
        name_scales(axes)
        for text in (axes.title, axes.xaxis.label):
            if text.get_text():
                break_lines(figure, text, _room(figure, axes))


def name_scales(axes: Axes) -> None:
    """Names the warped scales of a panel in the labels of its axes."""
    for axis, between in ((axes.xaxis, " "), (axes.yaxis, "\n")):
        label, words = axis.label.get_text(), WARPED.get(axis.get_scale())
        if label and words and "scale" not in label:
            axis.label.set_text(f"{label}{between}({words})")


def _room(figure: Figure, axes: Axes) -> float:
    """Width in pixels that text about a panel may have: most of the panel's width, where panels stand side by side."""
    place = axes.get_subplotspec()
    if place is None:
        return figure.bbox.width
    columns = place.get_gridspec().ncols
    return figure.bbox.width * len(place.colspan) / columns * (0.78 if columns > 1 else 1.0)


def break_lines(figure: Figure, text: Text, room: float) -> None:
    """Breaks each line of a text at spaces outside of formulas, where it is wider than its room, in pixels."""
    lines = text.get_text().split("\n")
    text.set_text("\n".join(part for line in lines for part in _broken(figure, text, line, room)))


def _broken(figure: Figure, text: Text, line: str, room: float) -> list[str]:
    whole = _width(figure, text, line)
    if whole <= room:
        return [line]
    greedy = _greedy(figure, text, line, room)
    # Lines of similar lengths, if that takes no more lines.
    balanced = _greedy(figure, text, line, min(room, 1.15 * whole / len(greedy)))
    return balanced if len(balanced) == len(greedy) else greedy


def _greedy(figure: Figure, text: Text, line: str, room: float) -> list[str]:
    lines: list[str] = []
    for word in re.split(_SPACE, line):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _width(figure, text, longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _width(figure: Figure, text: Text, line: str) -> float:
    whole = text.get_text()
    text.set_text(line)
    width = float(text.get_window_extent(_renderer(figure)).width)
    text.set_text(whole)
    return width


def _renderer(figure: Figure) -> Any:
    return cast(FigureCanvasAgg, figure.canvas).get_renderer()


def legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str], columns: int, title: str | None) -> Legend:
    """Draws a legend under all panels in at most `columns` columns, in fewer where they would exceed the figure."""
    room = 0.98 * figure.bbox.width
    while True:
        drawn = figure.legend(
            handles, labels, loc="outside lower center", ncols=columns, title=title, title_fontsize=7.5,
            columnspacing=1.4,
        )  # fmt: skip
        drawn.get_title().set_multialignment("center")
        break_lines(figure, drawn.get_title(), room)
        if columns <= 1 or drawn.get_window_extent(_renderer(figure)).width <= room:
            return drawn
        drawn.remove()
        columns -= 1
