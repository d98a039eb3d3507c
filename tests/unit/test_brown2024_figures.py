"""Figures of brown2024: whole on the committed tables, with gaps for what is missing, at their numbers."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import committed as of
import pictures
from dpdescent.papers.brown2024 import clipping_figures as clipping
from dpdescent.papers.brown2024 import cost_of_privacy_figures as cost
from dpdescent.papers.brown2024 import dimension_figures as looks
from dpdescent.papers.brown2024 import intervals_figures as intervals
from dpdescent.replication.drawing import figures as style
from pictures import lines_of, runs_through

PAPER = "brown2024"
committed = partial(of.committed, PAPER)
FIGURES = pictures.Figures(PAPER)
DRAWN, draw, drawn_from, only = FIGURES.artefacts, FIGURES.draw, FIGURES.drawn_from, FIGURES.only


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_with_nothing_cut_off_or_hidden(name: str) -> None:
    figure = draw(name)
    shown = [axes for axes in figure.axes if axes.axison]
    assert not pictures.cut_off(figure)
    for legend in figure.legends:
        names = [text.get_text() for text in legend.get_texts()]
        assert len(set(names)) == len(names)
    for curve in (container for axes in shown for container in axes.containers):
        abscissas = list(curve[0].get_xdata())
        assert len(abscissas) == len(set(abscissas)), f"{curve.get_label()} mixes curves"


@pytest.mark.parametrize("name", DRAWN)
def test_a_single_point_of_a_single_trial_is_drawn(name: str) -> None:
    table = committed().tables[name].assign(trials=1, se=math.nan)
    axis = next(key for key in ("steps", "gamma", "clip_factor", "sigma", "n") if key in table)
    axis = "p" if name in ("fig01", "fig03", "fig09", "ext_large_dimension") else axis
    drawn_from(name, table[table[axis] == table.loc[table["series"] != "independent", axis].min()])


@pytest.mark.parametrize("name", DRAWN)
def test_an_empty_table_is_drawn_and_so_is_each_axis_with_one_value(name: str) -> None:
    table, spec = committed().tables[name], {"paper": PAPER, "place": "", "title": name, "label": ""}
    empty = style.drawn(partial(_called_with_rows, name), table[:0], spec | {"display": {}})
    assert "no rows" in empty.axes[0].get_xlabel()
    panels = [column for column in ("panel", "process", "variant") if column in table]
    for axis in sorted({"p", "n", "T", "gamma", "clip_factor", "steps", "sigma"} & {*table.columns}):
        first = table.groupby(panels, dropna=False)[axis].transform("min")
        drawn_from(name, table[(table[axis] == first) | table[axis].isna()])


def _called_with_rows(name: str, table: pd.DataFrame, display: object) -> Figure:
    assert len(table), f"{name} was to be drawn from no rows"
    return drawn_from(name, table)


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_missing_leaves_a_gap(name: str) -> None:
    assert all(pictures.curves_of(figure) <= pictures.curves_of(draw(name)) for figure in FIGURES.with_gaps(name))


# Numbers on pictures


MSE = "error_to == 'theta_hat' and series == 'mse'"
CURVES = [
    ("fig01", 0, "error_to == 'theta_star' and series == 'DP-GD'", "p", "mean"),
    ("fig01", 1, "error_to == 'theta_hat' and series == 'DP-GD'", "p", "mean"),
    ("fig02", 0, "clip_factor == 5 and series == 'privacy'", "n", "mean"),
    ("fig02", 0, "clip_factor == 5 and series == 'privacy'", "n", "predicted"),
    ("fig02", 2, "variant == 'step size 0.2' and clip_factor == 5 and series == 'privacy'", "n", "mean"),
    ("fig08", 1, "panel == 'b' and clip_factor == 3 and series == 'privacy'", "n", "mean"),
    ("fig04", 0, f"n == 1000 and {MSE}", "clip_factor", "mean"),
    ("fig04", 0, "n == 1000 and error_to == 'theta_hat' and series == 'variance'", "clip_factor", "mean"),
    ("fig04", 2, "n == 1000 and error_to == 'theta_star' and series == 'mse'", "clip_factor", "mean"),
    ("fig04", 2, f"variant == 'step size 0.2' and n == 1000 and {MSE}", "clip_factor", "mean"),
    ("fig06", 0, "process == 'clipped' and n == 10000 and series == 'checkpoints'", "steps", "predicted"),
    ("fig06", 0, "process == 'clipped' and n == 10000 and series == 'OLS'", "steps", "mean"),
    ("fig05", 5, "process == 'exact' and n == 10000 and series == 'checkpoints'", "steps", "guaranteed"),
    ("ext_small_noise", 0, "c == 10", "sigma", "mean / bound"),
    ("ext_small_noise", 1, "c == 10", "sigma", "clipped_at_start"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "panel", "rows", "x", "y"), CURVES)
def test_curves_run_through_their_numbers(name: str, panel: int, rows: str, x: str, y: str) -> None:
    assert runs_through(draw(name).axes[panel], only(name, rows), x, y)


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def crossings(axes: Axes) -> list[float]:
    return sorted(float(line.get_xdata()[0]) for line in lines_of(axes, linestyle="-."))


def rates(factors: dict[str, float]) -> pd.DataFrame:
    """Figure 2's table with errors that follow the two rates exactly, and are predicted to do so."""
    table = committed().tables["fig02"]
    private = factors["privacy"] * table["clip_factor"] / table["n"]
    mean = np.where(table["series"] == "privacy", private, factors["sampling"] / np.sqrt(table["n"]))
    return table.assign(mean=mean, predicted=mean, q025=0.9 * mean, q975=1.1 * mean)


def test_fig02_fits_both_rates_and_marks_where_they_cross() -> None:
    table = rates({"privacy": 70.0, "sampling": 3.0})
    for panel, factor in zip(drawn_from("fig02", table).axes, (5, 3), strict=False):
        (private,), (sampling,) = (lines_of(panel, linestyle=dashes, color=looks.FIT) for dashes in (":", "--"))
        n = np.asarray(private.get_xdata(), dtype=float)
        np.testing.assert_allclose(private.get_ydata(), 70 * factor / n)
        np.testing.assert_allclose(sampling.get_ydata(), 3 / np.sqrt(n))
        names = [text.get_text().split(": ")[1] for text in panel.get_legend().get_texts()]
        assert names == [f"{70 * factor} / $n$", r"3 / $\sqrt{n}$"]
        # 70 k / n = 3 / sqrt(n)
        assert crossings(panel) == pytest.approx([(70 * factor / 3) ** 2])
    for kept in ("n < 4000", "n > 20000", "series == 'privacy'"):
        assert not crossings(drawn_from("fig02", table.query(kept)).axes[0])


def test_fits_have_a_constant_where_a_floor_bends_the_points() -> None:
    rows = pd.DataFrame({"n": [100.0, 1000.0, 10_000.0]})
    rows["mean"] = 70 / rows["n"] + 0.004
    assert cost.fitted(rows, 1.0) == pytest.approx((70, 0.004))
    assert cost.fitted(rows[:1], 1.0) == pytest.approx((70.4, 0.0))


def test_fig03_colours_every_cell_by_its_fraction_and_draws_multiples_of_root_p() -> None:
    axes = draw("fig03").axes[0]
    (mesh,) = (each for each in axes.collections if isinstance(each, QuadMesh))
    table = only("fig03", "series == 'clip_fraction'").pivot(index="gamma", columns="p", values="mean")
    shown = np.asarray(mesh.get_array()).reshape(table.shape)
    clear = table.to_numpy() > clipping.FLOOR
    np.testing.assert_allclose(shown[clear], table.to_numpy()[clear])
    assert (shown[~clear] > 0).all()
    multiples = [
        float(line.get_ydata()[-1] / np.sqrt(line.get_xdata()[-1])) for line in lines_of(axes, color=style.VERMILION)
    ]
    assert multiples == pytest.approx([1, 2, 3, 5])
    assert {"1 %", "10 %", "50 %", r"$\sqrt{p}$", r"$2\sqrt{p}$", r"$3\sqrt{p}$"} <= set(texts(axes))
    for kept in ("p == 20", "gamma == gamma.min()"):
        lone = drawn_from("fig03", committed().tables["fig03"].query(kept)).axes[0]
        assert not set(clipping.LEVELS.values()) & set(texts(lone))


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.0, "0"), (5e-5, "<0.01"), (0.00047, "0.047"), (0.337, "34"), (0.9951, "100")]
)  # fmt: skip
def test_percentages_have_two_digits(fraction: float, text: str) -> None:
    assert clipping.percent(fraction) == text


def test_fig04_puts_a_bias_that_cannot_be_told_from_none_at_the_edge() -> None:
    table = committed().tables["fig04"]
    at = (table["series"] == "bias2") & (table["clip_factor"] == 10)
    for mean, places in ((-1e-4, [10.0]), (1.0, [])):
        bias = table.assign(
            mean=table["mean"].abs().where(~at, mean), se=table["se"].where(table["series"] != "bias2", 1e-9)
        )
        marks = lines_of(drawn_from("fig04", bias).axes[0], marker="v")
        assert [x for line in marks for x in line.get_xdata()] == places


def test_fig07_leaves_out_that_nothing_was_clipped_and_marks_the_least_error() -> None:
    table = committed().tables["fig07"]
    panel = drawn_from(
        "fig07", table.assign(clip_fraction=table["clip_fraction"].where(table["clip_factor"] < 10, 0.0))
    ).axes[0]
    rings = {(ring.get_xdata()[0], ring.get_ydata()[0]) for ring in lines_of(panel, markersize=11.0)}
    own = table.query("variant == 'main' and n == 1000 and error_to == 'theta_hat' and clip_factor < 10")
    least = own.loc[own.groupby("T")["mean"].idxmin()]
    assert rings == set(zip(least["clip_fraction"], least["mean"], strict=True))
    assert {len(curve[0].get_xdata()) for curve in panel.containers} == {own["clip_factor"].nunique()}


def test_fig05_has_bars_over_the_central_coordinates_side_by_side() -> None:
    panel = draw("fig05").axes[0]
    expected = only("fig05", "process == 'clipped' and n == 10000 and series == 'checkpoints'")
    _, _, (bars,) = panel.containers[1]
    np.testing.assert_allclose(np.array([each[:, 1] for each in bars.get_segments()]), expected[["q025", "q975"]])
    places = [float(curve[0].get_xdata()[-1]) for curve in panel.containers]
    assert places == sorted(places)
    assert len(set(places)) == 3
    # A mean outside its quantiles has a bar of no length on that side.
    low = drawn_from("fig05", committed().tables["fig05"].assign(q975=0.5)).axes[0]
    for curve in low.containers:
        assert [each[1, 1] for each in curve[2][0].get_segments()] == curve[0].get_ydata().tolist()


def test_fig05_draws_the_configured_level_and_no_guarantee_that_promises_little() -> None:
    table, display = committed().tables["fig05"], FIGURES.specification("fig05")["display"]
    assert display["nominal"] == FIGURES.specification("ext_outliers")["display"]["nominal"] == 0.95
    weak = table.assign(guaranteed=np.where(table["series"] == "batched", 0.3, 0.9))
    figure = drawn_from("fig05", weak, display | {"nominal": 0.9})
    for panel in (panel for panel in figure.axes if panel.axison):
        assert [line.get_ydata()[0] for line in lines_of(panel, linestyle="--", color="black")] == [0.9]
    guarantees = [lines_of(panel, linewidth=1.2) for panel in figure.axes if "guaranteed" in panel.get_title()]
    assert len(guarantees) == 1
    assert {height for line in guarantees[0] for height in line.get_ydata()} == {0.9}


def test_fig05_has_room_for_every_bar_and_fig06_one_range_for_a_sample_size() -> None:
    table = committed().tables["fig05"]
    lower = table.assign(q025=np.where(table["series"] == "lag1", 0.0, 0.5))
    assert drawn_from("fig05", lower).axes[0].get_ylim()[0] == pytest.approx(0.45)
    panels = draw("fig06").axes
    titles = ("DP-GD, $n=10000$", "exact process, no clipping, $n=10000$", "exact law, $n=10000$")
    ranges = [panel.get_ylim() for panel in panels if panel.get_title() in titles]
    assert len(ranges) == 3
    assert len(set(ranges)) == 1 < len({panel.get_ylim() for panel in panels})


def test_what_is_not_in_the_table_is_not_in_the_legend() -> None:
    figure = drawn_from("fig06", committed().tables["fig06"].query("series != 'OLS'"))
    assert "least squares" not in [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_rows_of_panels_are_cut_where_there_are_many_sizes() -> None:
    table = committed().tables["fig05"]
    more = table[table["process"] == "clipped"].assign(n=lambda rows: rows["n"] + 1)
    axes = drawn_from("fig05", pd.concat([table, more])).axes
    clipped = [panel.get_title() for panel in axes if panel.get_title().startswith("DP-GD")]
    assert clipped == [f"DP-GD, $n={n}$" for n in (10001, 10000, 3001, 3000, 1001, 1000)]


def test_outliers_have_full_marks_for_the_target_of_the_theory_and_hollow_ones_for_least_squares() -> None:
    for panel in draw("ext_outliers").axes:
        faces = [curve[0].get_markerfacecolor() for curve in panel.containers]
        assert [face == "white" for face in faces] == [False] * 3 + [True] * 3
        places = sorted(float(x) for curve in panel.containers for x in curve[0].get_xdata())
        assert min(np.diff(places)) > 0.05


def test_required_values_stand_in_units_of_the_used_ones_and_a_share_of_nothing_is_left_out() -> None:
    table = committed().tables["ext_no_clipping"]
    required = table["series"].str.contains("required")
    made = table.assign(
        mean=np.where(required, 80.0, np.where(table["series"].str.endswith("used"), 20.0, table["mean"]))
    )
    made.loc[(made["panel"] == "coupling") & (made["clip_factor"] != 5.0), "mean"] = 0.0
    _, units, shares, _ = drawn_from("ext_no_clipping", made).axes
    curves = [line for line in lines_of(units) if line.get_linestyle() != "-."]
    assert curves
    assert {height for line in curves for height in line.get_ydata()} == {4.0}
    assert {tuple(line.get_xdata()) for line in lines_of(shares)} == {(5.0,)}


def test_a_method_has_one_colour_in_all_figures_and_papers() -> None:
    found = {curve.get_label(): to_hex(curve[0].get_color()) for curve in draw("fig01").axes[0].containers}
    assert found == {method: style.METHODS[method].lower() for method in ("DP-GD", "OLS", "AdaSSP")}
    descent, closed = (draw("fig02").axes[0].containers[k][0].get_color() for k in (0, 1))
    (lengths,) = lines_of(draw("fig06").axes[0], linestyle="--")
    assert to_hex(descent) == found["DP-GD"] == looks.DP_GD.lower()
    assert to_hex(closed) == to_hex(lengths.get_color()) == found["OLS"] == looks.OLS.lower()
    methods = {look[0] for look in looks.METHODS.values()} | set(looks.SHADES.values())
    assert not {look[1] for look in intervals.CONSTRUCTIONS.values()} & methods


def test_calibrations_of_adassp_stand_below_and_not_in_the_headline() -> None:
    for name in ("fig01", "fig09"):
        for panel in draw(name).axes:
            shades = {line.get_label() for color in looks.SHADES.values() for line in lines_of(panel, color=color)}
            named = {label for label in shades if not label.startswith("_")} - {*looks.NARROWER}
            assert named == (set(looks.SHADES) if "calibrations" in panel.get_title() else set())


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e5, "$10^{5}$"), (2e5, r"$2\times10^{5}$"), (5e-4, r"$5\times10^{-4}$"), (1e-4, "$10^{-4}$"), (2e4, "20000")],
)
def test_ticks_between_decades_are_not_taken_for_decades(value: float, text: str) -> None:
    assert style.plain_number(value) == text
