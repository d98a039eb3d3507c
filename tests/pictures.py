"""What tests of figures share: a figure is drawn once a table, laid out once, and looked at by many tests."""

import json
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import zip_longest
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from committed import committed, printed
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style


@contextmanager
def style_of_the_project() -> Iterator[None]:
    """Sets the figures' style, few pixels an inch because no test looks at pixels, and closes what was drawn."""
    style.use_style()
    plt.rcParams["savefig.dpi"] = 40
    yield
    plt.close("all")


def without_warnings(draw: Callable[[], Figure], *, arranged: bool = False) -> Figure:
    """Draws a figure and everything on it but the pixels; any warning is an error.

    Panels move to where they are printed only if the figure is to be `arranged`, because that takes most of the time.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw()
        if not arranged:
            figure.set_layout_engine("none")
        figure.draw_without_rendering()
    return figure


def captioned(draw: Callable[[], Figure], paper: str, place: str, title: str) -> Figure:
    """Draws and arranges a figure, which must leave its title to the caller, with a caption of two lines."""

    def drawn() -> Figure:
        figure = draw()
        assert figure.get_suptitle() == ""
        style.caption(figure, {"paper": paper, "place": place, "title": title, "label": "few trials"})
        return figure

    return without_warnings(drawn, arranged=True)


class Figures:
    """A paper's figures: of its committed tables, as they are printed, and of others."""

    def __init__(self, paper: str) -> None:
        self.paper = paper
        self.artefacts = {k: each for k, each in printed(paper).papers[paper].artefacts.items() if not each.is_table}
        # Kept, because many tests look at one figure, and leave it as it is.
        self.specification, self.draw = cache(self._specification), cache(self._draw)

    def _specification(self, name: str) -> Any:
        return json.loads(project.figure_json(printed(self.paper), self.artefacts[name], ""))

    def _draw(self, name: str) -> Figure:
        spec, table = self.specification(name), committed(self.paper).tables[name]
        return captioned(lambda: self.drawn_from(name, table), self.paper, spec["place"], spec["title"])

    def drawn_from(self, name: str, table: pd.DataFrame, display: dict[str, Any] | None = None) -> Figure:
        """Draws another table without a warning."""
        known = self.specification(name)["display"] if display is None else display
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure: Figure = pkgutil.resolve_name(self.artefacts[name].draw)(table, known)
        return figure

    def only(self, name: str, rows: str) -> pd.DataFrame:
        """The committed rows of which an expression holds, of the headline unless it names a variant."""
        table = committed(self.paper).tables[name]
        return table.query(rows if "variant" in rows else f"variant == 'main' and {rows}")

    def with_gaps(self, name: str) -> Iterator[Figure]:
        """Figures in which every other name of one column is missing; each column has its turn."""
        table = committed(self.paper).tables[name]
        texts = [each for each in table if table[each].dtype == object and table[each].nunique() > 1]
        for k, column in enumerate(texts):
            kept = sorted(table[column].dropna().unique())[k % 2 :: 2]
            yield self.drawn_from(name, table[table[column].isin(kept)])


def curves_of(figure: Figure) -> int:
    return sum(len(axes.containers) for axes in figure.axes)


def cut_off(figure: Figure) -> list[str]:
    """What is written on a figure and does not lie within it."""
    shown = [axes for axes in figure.axes if axes.get_visible()]
    written = [*figure.texts, *(text for axes in shown for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in shown for axis in (axes.xaxis, axes.yaxis)]
    extents = {each.get_text(): each.get_window_extent() for each in written if each.get_text() and each.get_visible()}
    return [
        text for text, at in extents.items()
        if min(at.x0, at.y0) < -1 or at.x1 > figure.bbox.x1 + 1 or at.y1 > figure.bbox.y1 + 1
    ]  # fmt: skip


def lines_of(axes: Axes, **wanted: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    return [line for line in found if all(getattr(line, f"get_{name}")() == value for name, value in wanted.items())]


def data_of(line: Line2D) -> Any:
    return np.array(line.get_data(), dtype=float)


def runs_through(axes: Axes, table: pd.DataFrame, x: str, y: str) -> bool:
    """Whether a line of the panel runs through all points of the table, and nowhere else."""
    points = np.array([table.eval(x), table.eval(y)], dtype=float)
    points = points[:, np.argsort(points[0], kind="stable")]
    lines = [each for each in map(data_of, lines_of(axes)) if each.shape == points.shape and len(table)]
    return any(np.allclose(each, points, rtol=1e-12, atol=0) for each in lines)


def differences(first: Figure, second: Figure) -> list[tuple[Any, Any]]:
    """Returns pairs of what differs in kind, label, order, look or, to the last bit, in what it shows."""
    contents = [
        [(type(each).__name__, str(each.get_label()), each.get_zorder(), *_shown(each)) for each in figure.findobj()]
        for figure in (first, second)
    ]
    return [(one, other) for one, other in zip_longest(*contents) if one != other]


def _shown(artist: Any) -> tuple[Any, ...]:
    match artist:
        case Line2D():
            look = (artist.get_color(), artist.get_linestyle(), artist.get_marker())
            return (*map(str, look), np.asarray(artist.get_xydata(), dtype=float).tobytes())
        case Text():
            return artist.get_text(), str(artist.get_color()), *map(str, artist.get_position())
        case Patch():
            return str(artist.get_facecolor()), artist.get_patch_transform().transform(
                artist.get_path().vertices
            ).tobytes()
        case AxesImage():
            return (np.ma.getdata(artist.get_array()).tobytes(),)
        case Collection():
            paths = [path.vertices.tobytes() for path in artist.get_paths()]
            return np.asarray(artist.get_facecolor()).tobytes(), np.asarray(artist.get_offsets()).tobytes(), *paths
    return ()
