"""Figures of liang2025: each is drawn from a small table, shows every series once, and is the same when drawn again."""

import itertools
import math
import pkgutil
import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import made_up
import pictures
from dpdescent.papers.liang2025 import least_squares_figures
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from made_up import Rows, grid

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src/dpdescent/papers/liang2025"
PAPER = project.load({"scale": "paper", "seed": 7, "papers": ["liang2025"]}, ROOT).papers["liang2025"]
DRAWN = [name for name, artefact in PAPER.artefacts.items() if not artefact.is_table]
DISPLAY = {
    name: {"cells": artefact.cells, "arms": artefact.arms, "published": PAPER.published}
    for name, artefact in PAPER.artefacts.items()
}
LEVELS = (0.1, 1.0, 10.0)
SPLITS = ({"rho1": 1.0, "rho2": 9.0}, {"rho1": 5.0, "rho2": 5.0}, {"rho1": 9.0, "rho2": 1.0})
SERIES = {"series": "DP-2S-GD", "variant": "main"}
TERMS = ("optimisation", "privacy", "sampling", "total")
TARGETS = {"error_to": ("beta", "beta_hat")}
table_of = partial(made_up.table_of, spread=made_up.WIDE, defaults=SERIES)


def free_rows(**axes: Any) -> Rows:
    return grid(series="2S-GD", rho1=math.inf, rho2=math.inf, **axes)


def fig03_rows() -> Rows:
    axes = {"panel": ("a", "b"), "n": (500, 2000), **TARGETS}
    private = [{**split, **row} for split in SPLITS for row in grid(variant=("main", "clip constant 1"), **axes)]
    clipped = [row | {"series": "2S-GD, clipped"} for row in free_rows(**{**axes, "panel": "b"})]
    return private + free_rows(**axes) + clipped


def long_rows() -> Rows:
    return grid(n=200, T=(100, 30000), series="DP-2S-GD-beta", clip_fraction_stage2=(0.5,))


def angrist_rows(rho: float) -> Rows:
    axes = {"t": (0, 1, 2), "rho1": rho, "rho2": rho, "variant": ("main", "clip constant 1")}
    measures = {"two_sls": -7.6, "first_stage": 0.08}
    beta = [row | {"mean": -4.0 * row["t"]} for row in grid(parameter="beta", **axes, **measures)]
    return beta + [row | {"mean": 0.04 * row["t"]} for row in grid(parameter="Theta", **axes, **measures)]


def card_rows() -> Rows:
    measures = {"two_sls": 0.07, "first_stage": 0.1}
    names = ("beta", "Theta_1", "Theta_2", "Theta_3", "Theta_4")
    axes = {"parameter": names, "t": (0, 1, 2), "variant": ("main", "clip constant 1"), **measures}
    return [{"rho1": rho, "rho2": rho, **row} for rho in LEVELS for row in grid(**axes)]


def subset_rows() -> Rows:
    values = np.linspace(-20, 8, 30)
    return [
        {"n": 8065, "subset": k, "rho1": rho, "rho2": rho, "series": series, "mean": value + shift}
        for k, value in enumerate(values)
        for rho, series, shift in [(math.inf, "2SLS", 0.0), *((rho, "DP-2S-GD", k % 3 / rho) for rho in LEVELS)]
    ]


def fig07_rows() -> Rows:
    sizes = {"a": {"ceiling": 2.0, "approximate_optimum": 1.0}, "b": {"ceiling": 0.03, "approximate_optimum": 0.028}}
    axes = {"step_fraction": (0.5, 1.0, 1.5), **TARGETS, "variant": ("main", "recommended step held")}
    rows = [{"panel": panel, **size, **row} for panel, size in sizes.items() for row in grid(**axes)]
    # Redrawn parameters: every trial has steps of its own, so that a row is one trial.
    redrawn = grid(panel="b", step_fraction=(0.5, 1.0), ceiling=(0.02, 0.04), approximate_optimum=0.01, **TARGETS)
    rows += [row | {"variant": "parameters redrawn"} for row in redrawn]
    return [row | {"step": row["step_fraction"] * row["ceiling"]} for row in rows]


def fig08_rows() -> Rows:
    points = {
        1: (2.0, 1.0, 0.9),
        10: (0.5, 0.4, 0.6),
        100: (0.2, 0.0, 0.2),
        500: (0.9, 0.0, 0.005),
        1000: (2, 0, 0.004),
    }
    shares = ("clip_fraction_stage1", "clip_fraction_stage2")
    return [
        row | {"gamma": gamma, "mean": mean} | dict(zip(shares, clipped, strict=True))
        for gamma, (mean, *clipped) in points.items()
        for row in grid(**TARGETS, variant=("main", "step constants"))
    ]


def fig09_rows() -> Rows:
    descent = grid(n=(500, 5000), T=(100, 1000), series="2S-GD", condition_number=50.0, **TARGETS)
    return descent + grid(n=(500, 5000), T=0, series="2SLS", condition_number=50.0, error_to="beta")


def draws_rows() -> Rows:
    axes = {"draw": (1, 2, 3), "theta_norm": 7.0, **TARGETS}
    rows = [{**split, **row} for split in SPLITS for row in grid(panel="fig03", n=(500, 5000), gamma=math.nan, **axes)]
    rows += free_rows(panel="fig03", n=(500, 5000), gamma=math.nan, **axes)
    rows += grid(panel="fig08", n=2000, gamma=(1.0, 100.0), rho1=5.0, rho2=5.0, **axes)
    return [row | {"theta_min": 1.0 + row["draw"]} for row in rows]


def overidentified_rows() -> Rows:
    axes = {"n": (500, 5000), **TARGETS, "residual_moment": 0.2, "projected_moment": 1e-13}
    rows = grid(T=(20, 100, 1000), series="2S-GD", **axes) + grid(T=20, **axes) + grid(T=0, series="2SLS", **axes)
    # A descent that has converged is at 2SLS to the last bit.
    return [row | ({"mean": 0.0} if row["T"] == 1000 and row["error_to"] == "beta_hat" else {}) for row in rows]


def friendly_core_rows() -> Rows:
    axes = {"n": (500, 4000), "rho": (0.2, 2.0, 20.0)}
    core = grid(series="FriendlyCore-2SLS", records_used=400.0, T=0, **axes)
    failed = [row | {"failed": float(row["rho"] == 0.2 and row["n"] == 500)} for row in core]
    return grid(records_used=500.0, failed=0.0, T=(20, 50), **axes) + failed


def weak_rows() -> Rows:
    rows = grid(first_stage=(0.02, 5.0), rho1=LEVELS, predicted=0.5)
    rows = [row | {"mean": -500.0 if row["first_stage"] < 1 and row["rho1"] < 1 else 0.9} for row in rows]
    return rows + grid(first_stage=(0.02, 5.0), rho1=math.inf, predicted=1.0, series="2SLS", mean=1.0)


ARROWS = [("z", "x", "relevance", 1.0), ("x", "y", math.nan, 1.0), ("u", "x", math.nan, 1.0), ("u", "y", math.nan, 1.0)]
ARROWS += [("z", "y", "exclusion", 0.0)]
ROWS: dict[str, Rows] = {
    "fig01": [{"source": a, "target": b, "label": label, "mean": value} for a, b, label, value in ARROWS],
    "fig02": grid(T=(1, 30, 900, 15000), series=TERMS, T1=30.0, T2=900.0, T3=1e4, kappa=0.9),
    "fig03": fig03_rows(),
    "fig04": [
        {**row, "rho1": level if row["panel"] == "a" else 10.0, "rho2": 10.0 if row["panel"] == "a" else level,
         "limit_condition_5": 25 * level, "limit_condition_21": 0.002 * level}
        for level in LEVELS
        for row in grid(panel=("a", "b"), T=(1, 10, 100), variant=("main", "step constants"), **TARGETS)
    ],
    "fig05": angrist_rows(1.0), "fig10": angrist_rows(0.1), "fig11": angrist_rows(10.0),
    "fig06": grid(panel=("a", "b", "c"), T=(1, 10, 2000), rho2=LEVELS, variant=("main", "clip constant 1"), **TARGETS),
    "fig07": fig07_rows(), "fig08": fig08_rows(), "fig09": fig09_rows(), "fig13": card_rows(),
    "ext_parameter_draws": draws_rows(), "ext_angrist_subsets": subset_rows(),
    "ext_overidentified": overidentified_rows(), "ext_friendlycore": friendly_core_rows(),
    "ext_calibration": [
        {**row, "series": series, "noise_sd": 0.1 * spent, "achieved_rho": spent}
        for series, spent in (
            ("as published", 5.0), ("exact", 10.0), ("exact accountant", 15.0), ("exact accountant and schedule", 15.0)
        )
        for row in grid(n=(500, 5000), **TARGETS)
    ],
    "ext_weak_instrument": weak_rows(), "ext_long_runs": long_rows(),
    "ext_consistency": [row | {"T": 8 + row["n"] // 1000} for row in grid(n=(1000, 100000), **TARGETS)],
}  # fmt: skip

# Curves with error bars (for the histogram: its bars) in each panel, in the order of the panels.
CURVES = {
    "fig01": [0], "fig02": [0], "fig03": [4, 5, 4, 5, 1, 1, 1, 1], "fig04": [3, 3, 1], "fig05": [0, 1, 0, 1],
    "fig06": [3, 3, 3], "fig07": [1, 1], "fig08": [1, 0], "fig09": [3, 3, 2], "fig10": [0, 1, 0, 1],
    "fig11": [0, 1, 0, 1], "fig13": [0, 0, 0, 1, 1, 1], "ext_parameter_draws": [0, 0, 3],
    "ext_angrist_subsets": [1, 0], "ext_overidentified": [5, 4, 0], "ext_friendlycore": [3, 3, 3, 0],
    "ext_calibration": [4, 0, 0], "ext_weak_instrument": [4, 0], "ext_long_runs": [1, 0], "ext_consistency": [2],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def drawn(name: str, table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    figure: Figure = pkgutil.resolve_name(PAPER.artefacts[name].draw)(table, display)
    return figure


def draw_from(name: str, rows: Rows, trials: int = 20) -> Figure:
    return drawn(name, table_of(rows, trials), DISPLAY[name])


@cache
def draw(name: str, trials: int = 20) -> Figure:
    """The figure of the small table, as it is printed, which tests share and leave as it is."""
    return pictures.captioned(lambda: draw_from(name, ROWS[name], trials), PAPER.key, "Figure 0", "a title")


def texts(axes: Axes) -> str:
    return " ".join(text.get_text() for text in axes.texts)


def places(axes: Axes, linestyle: str = "-.") -> list[float]:
    """Abscissas of the vertical lines."""
    return sorted(float(line.get_xdata()[0]) for line in axes.lines if line.get_linestyle() == linestyle)


def test_every_artefact_but_tables_has_a_draw_function_and_no_other_has() -> None:
    functions = re.findall(r"\bdraw_(\w+)(?= =|\()", "".join(file.read_text() for file in FOLDER.glob("*_figures.py")))
    assert sorted(functions) == sorted(DRAWN)
    assert set(ROWS) == set(CURVES) == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_the_small_tables_have_the_columns_that_figures_may_use(name: str) -> None:
    artefact = PAPER.artefacts[name]
    used = set(table_of(ROWS[name])) - set(table_of([{}]))
    assert used <= {*artefact.keys, *artefact.measures}
    assert set(artefact.keys) <= used


@pytest.mark.parametrize("trials", [20, 1])
@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_without_warnings(name: str, trials: int) -> None:
    figure = draw(name) if trials > 1 else pictures.without_warnings(lambda: draw_from(name, ROWS[name], trials))
    assert [len(axes.containers) for axes in figure.axes] == CURVES[name]
    for curve in (container for axes in figure.axes for container in axes.containers if container[0] in axes.lines):
        abscissas = list(curve[0].get_xdata())
        assert len(abscissas) == len(set(abscissas)), f"{curve.get_label()} mixes curves"


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


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_written_is_cut_off(name: str) -> None:
    figure = draw(name)
    written = [*figure.texts, *(text for axes in figure.axes for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for text in written:
        extent = text.get_window_extent()
        if text.get_text() and text.get_visible():
            assert extent.x0 >= -1, text.get_text()
            assert extent.y0 >= -1, text.get_text()
            assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()


def test_figures_print_the_configured_values() -> None:
    changed = {
        "fig03": {"cells": {"a": {"p": 6}, "b": {"p": 60}}},
        "fig06": {"cells": {"a": {"n": 500, "rho1": 3.0}}},
        "fig07": {"cells": {"a": {"held_fraction": 0.7}, "b": {"held_fraction": 1.0}}},
        "fig05": {"published": {"angrist_beta": -5.5, "angrist_iterations": 12}},
    }
    seen = {}
    for name, display in changed.items():
        figure = drawn(name, table_of(ROWS[name], 20), DISPLAY[name] | display)
        seen[name] = " ".join(axes.get_title() + texts(axes) for axes in figure.axes)
    assert "p=q=r=60" in seen["fig03"]
    assert "rho_1=3" in seen["fig06"]
    assert "0.7" in seen["fig07"]
    assert "-5.5" in seen["fig05"]
    assert "about 12" in seen["fig05"]


def test_fig03_shows_clipping_constants_and_other_readings_apart_below() -> None:
    more = [row | {"variant": "ten iterations"} for row in ROWS["fig03"] if row.get("variant") == "clip constant 1"]
    both = [row | {"variant": "clip constant 1 at T = 10"} for row in more]
    panels = draw_from("fig03", [*ROWS["fig03"], *more, *both]).axes[4:]
    for panel, (reading, part) in zip(
        panels, itertools.product(("clip constant 1", "ten iterations"), "ab"), strict=True
    ):
        assert panel.get_title().startswith(f"({part})")
        assert {text.get_text() for text in panel.texts} == {"main", reading}
    assert [panel.get_ylabel() for panel in panels[:2]] == [panel.get_ylabel() for panel in draw("fig03").axes[0:4:3]]


@pytest.mark.parametrize("name", ["fig03", "ext_friendlycore"])
def test_a_panel_has_at_most_six_curves(name: str) -> None:
    for panel in draw(name).axes:
        assert len([line for line in panel.lines if line.get_linestyle() not in ("None", "")]) <= 6


def test_both_benchmarks_are_named_inside_their_panel() -> None:
    figure = draw("fig05", trials=1)
    panel = figure.axes[0]
    assert len(panel.texts) == 2
    assert all(panel.bbox.y0 < text.get_window_extent().y0 for text in panel.texts)
    assert all(text.get_window_extent().y1 < panel.bbox.y1 for text in panel.texts)


def test_boxes_of_a_negative_estimate_stand_upright_as_parts_of_2sls() -> None:
    table = table_of(angrist_rows(1.0))
    panel = drawn("fig05", table, DISPLAY["fig05"]).axes[2]
    for patch in panel.patches:
        bottom, top = patch.get_path().vertices[:, 1].min(), patch.get_path().vertices[:, 1].max()
        assert (bottom, top) == pytest.approx((6.4 / 7.6, 9.6 / 7.6))
    whiskers = [sorted(line.get_ydata()) for line in panel.lines if len(set(line.get_xdata())) == 1]
    assert len(whiskers) == 2 * len(panel.patches)
    assert all(high == pytest.approx(bottom) or low == pytest.approx(top) for low, high in whiskers)


def test_fig07_marks_ceiling_and_optimum_and_puts_redrawn_parameters_at_their_fractions() -> None:
    first, second = draw("fig07").axes
    assert places(first) == [1.0, 2.0]
    assert places(second) == [0.028, 0.03]
    dashed = [list(line.get_xdata()) for line in second.lines if line.get_linestyle() == "--"]
    assert pytest.approx([0.015, 0.03]) in dashed


def test_fig08_marks_the_best_threshold_and_the_first_without_clipping() -> None:
    top, bottom = draw("fig08").axes
    assert places(top) == places(bottom) == [100.0, 500.0]
    assert "20 % clipped" in texts(bottom)


def test_fig08_has_no_second_mark_where_every_threshold_clips() -> None:
    rows = [row | {"clip_fraction_stage1": 0.5} for row in ROWS["fig08"]]
    assert places(draw_from("fig08", rows).axes[0]) == [100.0]


def test_private_estimates_are_compared_with_the_2sls_of_their_own_subset() -> None:
    rows = [row | ({"mean": ROWS["ext_angrist_subsets"][k - k % 4]["mean"]}) for k, row in enumerate(subset_rows())]
    boxes = draw_from("ext_angrist_subsets", rows).axes[1].patches
    heights = [np.ptp(patch.get_path().vertices[:, 1]) for patch in boxes]
    assert heights[0] > 1
    assert heights[1:] == [0.0, 0.0, 0.0]


def test_a_distance_of_zero_stays_visible_on_a_logarithmic_axis() -> None:
    lowest = min(min(curve[0].get_ydata()) for curve in draw("ext_overidentified").axes[1].containers)
    assert lowest == least_squares_figures.ROUNDING


def test_friendly_core_marks_runs_without_a_core() -> None:
    figure = draw("ext_friendlycore")
    marked = [[list(line.get_xdata()) for line in axes.lines if line.get_marker() == "x"] for axes in figure.axes]
    assert [places for panel in marked[:-1] for places in panel] == marked[-1]
    assert [500] in marked[-1]
    assert sum(map(len, marked[-1])) == 1


def test_no_whisker_lies_on_the_frame() -> None:
    panel = draw("fig05").axes[2]
    low, high = panel.get_ylim()
    assert all(low < y < high for line in panel.lines for y in line.get_ydata())


def test_weak_instrument_writes_out_medians_that_leave_the_panel() -> None:
    left, right = draw("ext_weak_instrument").axes
    assert "-510" in texts(left)
    assert len([line for line in left.lines if line.get_linestyle() == "--" and len(line.get_xdata())]) == 3
    assert len(right.lines) == 4


def test_a_level_that_the_paper_does_not_have_is_drawn_in_a_colour_of_its_own() -> None:
    assert style.level_colors([10.0, 0.1, 3.0, 1.0, 3.0]) == {**style.LEVELS, 3.0: style.GREEN}
    rows = ROWS["fig06"] + grid(panel="a", T=(1, 10), rho2=3.0, error_to="beta_hat")
    assert len(draw_from("fig06", rows).axes[0].containers) == 4


def test_variants_begin_with_the_headline() -> None:
    assert style.variants_of(pd.DataFrame({"variant": ["b", "main", "a", "b"]})) == ["main", "a", "b"]


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
