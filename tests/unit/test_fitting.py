"""Figures at the width of a report's page: no wider than letters allow, text within, warped scales named."""

from collections.abc import Iterator

import numpy as np
import pytest

import pictures
from dpdescent.replication.drawing import figures, fitting


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def test_letters_of_the_widest_figure_are_eight_pixels_high_on_a_page() -> None:
    figure, _ = figures.panels(3, size=(9.0, 3.0), squeeze=False)
    width = figure.get_size_inches()[0]
    assert 7.5 / 72 * 900 / width >= 8.0


@pytest.mark.parametrize(("columns", "shape"), [(3, (1, 3)), (4, (2, 2)), (5, (3, 2))])
def test_a_long_row_becomes_rows_of_two_and_is_returned_as_a_row(columns: int, shape: tuple[int, int]) -> None:
    figure, axes = figures.panels(columns, squeeze=False)
    assert axes.shape == (1, columns)
    assert len(figure.axes) == columns
    assert axes[0, 0].get_gridspec().get_geometry() == shape


def test_titles_break_at_spaces_outside_of_formulas_and_keep_their_words() -> None:
    figure, (axes,) = figures.panels(2)
    title = "a long title with $\\frac{a b}{c d}$ in its middle " * 3
    axes[0].set_title(title.strip())
    figures.heading(figure, "short", "")
    lines = axes[0].get_title().split("\n")
    assert len(lines) > 1
    assert " ".join(lines) == title.strip()
    assert all(line.count("$") % 2 == 0 for line in lines)
    assert figure.get_suptitle() == "short"


def test_legend_takes_fewer_columns_where_these_are_wider_than_the_figure() -> None:
    figure, axes = figures.panels(size=(4.0, 3.0))
    for k in range(6):
        axes.plot([0, 1], [k, k], label=f"a name of some length, number {k}")
    figures.legend_below(
        figure, [axes], 6, "a note that is longer than the figure is wide, and must be broken somewhere"
    )
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width
    assert len(figure.legends) == 1


@pytest.mark.parametrize(("scale", "words"), [("logit", " (logit scale)"), ("log", ""), ("linear", "")])
def test_warped_scales_are_named_once(scale: str, words: str) -> None:
    figure, axes = figures.panels()
    axes.plot(np.linspace(0.1, 0.9, 5), np.arange(5))
    axes.set_xscale(scale)
    axes.set(xlabel="share", ylabel="height")
    for _ in range(2):
        fitting.fit(figure)
    assert (axes.get_xlabel(), axes.get_ylabel()) == (f"share{words}", "height")
