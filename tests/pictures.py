"""What tests of figures share: a figure is drawn once a table, laid out once, and looked at by many tests."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

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
