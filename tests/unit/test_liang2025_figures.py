"""Figures of liang2025: whole on the committed tables, and at what they mark."""

import math
from collections.abc import Iterator

import pandas as pd
import pytest
from matplotlib.axes import Axes

import pictures
from dpdescent.papers.liang2025 import least_squares_figures
from dpdescent.replication.drawing import figures as style
from liang2025_worlds import committed

FIGURES = pictures.Figures("liang2025")
DRAWN, draw, drawn_from, only = FIGURES.artefacts, FIGURES.draw, FIGURES.drawn_from, FIGURES.only


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def texts(axes: Axes) -> str:
    return " ".join(text.get_text() for text in axes.texts)


def places(axes: Axes, linestyle: str = "-.") -> list[float]:
    """Abscissas of the vertical lines."""
    return sorted(float(line.get_xdata()[0]) for line in axes.lines if line.get_linestyle() == linestyle)


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_with_nothing_cut_off(name: str) -> None:
    figure = draw(name)
    assert not pictures.cut_off(figure)
    for curve in (container for axes in figure.axes for container in axes.containers if container[0] in axes.lines):
        abscissas = list(curve[0].get_xdata())
        assert len(abscissas) == len(set(abscissas)), f"{curve.get_label()} mixes curves"


@pytest.mark.parametrize("name", DRAWN)
def test_a_single_trial_and_a_missing_name_leave_a_gap(name: str) -> None:
    single = drawn_from(name, committed().tables[name].assign(trials=1, se=math.nan))
    assert pictures.curves_of(single) == pictures.curves_of(draw(name))
    for figure in FIGURES.with_gaps(name):
        assert pictures.curves_of(figure) <= pictures.curves_of(draw(name))


@pytest.mark.parametrize("name", DRAWN)
def test_every_axis_is_named(name: str) -> None:
    figure = draw(name)
    for axes in figure.axes:
        if axes.axison:
            named_ticks = any(letter.isalpha() for label in axes.get_xticklabels() for letter in label.get_text())
            shared = [other for other in figure.axes if other is not axes]
            x = [other.get_xlabel() for other in shared if axes.get_shared_x_axes().joined(axes, other)]
            y = [other.get_ylabel() for other in shared if axes.get_shared_y_axes().joined(axes, other)]
            assert axes.get_xlabel() or named_ticks or any(x), f"{axes.get_title()}: no name below"
            assert axes.get_ylabel() or any(y) or "other readings" in axes.get_title()


def test_figures_print_the_configured_values() -> None:
    changed = {
        "fig03": {"cells": {"a": {"p": 6}, "b": {"p": 60}}},
        "fig06": {"cells": {"a": {"n": 500, "rho1": 3.0}}},
        "fig07": {"cells": {"a": {"held_fraction": 0.7}, "b": {"held_fraction": 1.0}}},
        "fig05": {"published": {"angrist_beta": -5.5, "angrist_iterations": 12}},
    }
    seen = {}
    for name, display in changed.items():
        figure = drawn_from(name, committed().tables[name], FIGURES.specification(name)["display"] | display)
        seen[name] = " ".join(axes.get_title() + texts(axes) for axes in figure.axes)
    assert "p=q=r=60" in seen["fig03"]
    assert "rho_1=3" in seen["fig06"]
    assert "0.7" in seen["fig07"]
    assert "-5.5" in seen["fig05"]
    assert "about 12" in seen["fig05"]


@pytest.mark.parametrize("name", ["fig03", "ext_friendlycore"])
def test_a_panel_has_at_most_six_curves(name: str) -> None:
    for panel in draw(name).axes:
        assert len([line for line in panel.lines if line.get_linestyle() not in ("None", "")]) <= 6


def test_both_benchmarks_are_named_inside_their_panel_and_no_whisker_lies_on_its_frame() -> None:
    panel, _, boxes, _ = draw("fig05").axes
    assert len(panel.texts) == 2
    assert all(panel.bbox.y0 < text.get_window_extent().y0 for text in panel.texts)
    assert all(text.get_window_extent().y1 < panel.bbox.y1 for text in panel.texts)
    low, high = boxes.get_ylim()
    assert all(low < y < high for line in boxes.lines for y in line.get_ydata())


def test_boxes_of_a_negative_estimate_stand_upright_as_parts_of_2sls() -> None:
    table = committed().tables["fig05"]
    shares = {"q25": 6.4, "q75": 9.6, "two_sls": -7.6, "median": -8.0, "q025": -5.0, "q975": -11.0}
    beta = table["parameter"] == "beta"
    for column, value in (shares | {"q25": -9.6, "q75": -6.4, "q025": -11.0, "q975": -5.0}).items():
        table = table.assign(**{column: table[column].astype(float).where(~beta, value)})
    panel = drawn_from("fig05", table).axes[2]
    for patch in panel.patches:
        bottom, top = patch.get_path().vertices[:, 1].min(), patch.get_path().vertices[:, 1].max()
        assert (bottom, top) == pytest.approx((6.4 / 7.6, 9.6 / 7.6))
    whiskers = [sorted(line.get_ydata()) for line in panel.lines if len(set(line.get_xdata())) == 1]
    assert len(whiskers) == 2 * len(panel.patches)
    assert all(high == pytest.approx(bottom) or low == pytest.approx(top) for low, high in whiskers)


def test_fig08_marks_the_best_threshold_and_the_first_without_clipping() -> None:
    table = committed().tables["fig08"]
    own = only("fig08", "error_to == 'beta_hat'").sort_values("gamma")
    best, last = own.loc[own["mean"].idxmin(), "gamma"], own["gamma"].max()
    shares = ["clip_fraction_stage1", "clip_fraction_stage2"]
    for clipped, marks in ((own["gamma"].max(), [best, last]), (math.inf, [best])):
        share = (table["gamma"] < clipped) * 0.5
        top, bottom = drawn_from("fig08", table.assign(**dict.fromkeys(shares, share))).axes
        assert places(top) == places(bottom) == sorted(marks)


def test_a_distance_of_zero_stays_visible_on_a_logarithmic_axis() -> None:
    table = committed().tables["ext_overidentified"]
    zero = table.assign(mean=0.0, median=0.0, se=0.0)
    lowest = {
        height for curve in drawn_from("ext_overidentified", zero).axes[1].containers for height in curve[0].get_ydata()
    }
    assert lowest == {least_squares_figures.ROUNDING}


def test_variants_begin_with_the_headline_and_new_levels_have_a_colour_of_their_own() -> None:
    assert style.variants_of(pd.DataFrame({"variant": ["b", "main", "a", "b"]})) == ["main", "a", "b"]
    assert style.level_colors([10.0, 0.1, 3.0, 1.0, 3.0]) == {**style.LEVELS, 3.0: style.GREEN}


@pytest.mark.parametrize(("value", "text"), [(0.05, "0.05"), (20, "20"), (10000, "10000"), (1e-6, "$10^{-6}$")])
def test_ticks_are_plain_numbers_where_they_can_be_read(value: float, text: str) -> None:
    assert style.plain_number(value) == text


def test_names_at_the_ends_of_curves_keep_their_order_and_a_distance() -> None:
    _, axes = style.panels()
    axes.set_ylim(0, 1)
    style.end_labels(axes, [(0.99, "high", "red"), (0.5, "low", "blue"), (0.98, "middle", "green")], gap=0.1)
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert heights == pytest.approx({"low": 0.5, "middle": 0.9, "high": 1.0})


def test_a_legend_below_has_each_label_once_and_bare_lines_last() -> None:
    figure, ((left, right),) = style.panels(2)
    left.plot([0, 1], label="guide")
    for axes in (left, right):
        axes.errorbar([0, 1], [0, 1], yerr=[1, 1], label="curve")
    style.legend_below(figure, [left, right], 2)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["curve", "guide"]


def test_a_quick_figure_says_so_in_its_title() -> None:
    figure, _ = style.panels()
    spec = {"paper": "liang2025", "place": "Figure 0", "title": "a title"}
    style.caption(figure, spec | {"label": "few trials"})
    assert figure.get_suptitle() == "liang2025, Figure 0: a title\n(few trials)"
    style.caption(figure, spec | {"label": ""})
    assert figure.get_suptitle() == "liang2025, Figure 0: a title"
