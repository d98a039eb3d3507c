"""The comparison of figures sees whatever a drawing may do differently."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import pictures


def drawn(change: Callable[[Any], object] | None = None) -> Figure:
    figure = Figure()
    axes = figure.subplots()
    axes.errorbar([1, 2], [3.0, np.nan], yerr=[1, 1], label="curve")
    axes.fill_between([1, 2], [3, 4], [5, 6])
    axes.bar([1, 2], [0.5, 0.7])
    axes.imshow(np.eye(2))
    if change:
        change(axes)
    return figure


def test_equal_drawings_do_not_differ() -> None:
    assert pictures.differences(drawn(), drawn()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda axes: axes.lines[0].set_ydata([3.0 + 1e-15, np.nan]),
        lambda axes: axes.lines[0].set_color("red"),
        lambda axes: axes.lines[0].set_marker("o"),
        lambda axes: axes.lines[0].set_zorder(9),
        lambda axes: axes.containers[0].set_label("another") or axes.lines[0].set_label("another"),
        lambda axes: axes.collections[0].set_segments([[[1, 1], [1, 2]]]),
        lambda axes: axes.collections[0].set_facecolor("red"),
        lambda axes: axes.patches[0].set_height(0.6),
        lambda axes: axes.images[0].set_data(np.ones((2, 2))),
        lambda axes: axes.set_title("another"),
        lambda axes: axes.annotate("more", (1, 1)),
        lambda axes: axes.set_xlim(0, 9),
    ],
)
def test_each_change_is_seen(change: Callable[[Any], object]) -> None:
    assert pictures.differences(drawn(), drawn(change))
