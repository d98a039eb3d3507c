"""Figures of brown2024: each is drawn from a small table, shows every series once, and is the same when drawn again."""

import itertools
import math
import pkgutil
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import made_up
import pictures
from dpdescent.papers.brown2024 import clipping_figures as clipping
from dpdescent.papers.brown2024 import cost_of_privacy_figures as cost
from dpdescent.papers.brown2024 import dimension_figures as looks
from dpdescent.papers.brown2024 import intervals_figures as intervals
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from made_up import Rows, grid

ROOT = Path(__file__).parents[2]
PAPER = project.load({"scale": "paper", "seed": 7, "papers": ["brown2024"]}, ROOT).papers["brown2024"]
DRAWN = [name for name, artefact in PAPER.artefacts.items() if not artefact.is_table]
# Sorted, as the specs of figures have them.
DISPLAY = {
    name: {"cells": dict(sorted(artefact.cells.items())), "arms": artefact.arms, "published": PAPER.published}
    | artefact.display
    for name, artefact in PAPER.artefacts.items()
}
TARGETS = ("theta_star", "theta_hat")
ADA_SSP = ("AdaSSP", "AdaSSP (public bounds)", "AdaSSP (zCDP-matched)")
CONSTRUCTIONS = ("independent", "checkpoints", "batched")
table_of = partial(made_up.table_of, spread=made_up.NARROW, defaults={"variant": "main"})


def ratio_rows(*variants: str, larger: tuple[str, ...] = ()) -> Rows:
    made = []
    for variant, n_over_p in [(each, 100) for each in ("main", *variants)] + [(each, 3000) for each in larger]:
        shared = {"p": (2, 10, 200), "variant": variant, "clip_fraction": 0.1}
        made += grid(error_to=TARGETS, series="DP-GD", predicted=0.4, **shared)
        made += grid(error_to=TARGETS, series=ADA_SSP, predicted=math.nan, **shared)
        made += grid(error_to="theta_star", series="OLS", predicted=0.1, **shared)
        made = [{"n": n_over_p * row["p"]} | row for row in made]
    return made


def cost_rows(panels: dict[str, tuple[int, ...]], factors: tuple[float, ...], *variants: str) -> Rows:
    """Errors that follow the two rates exactly, and are predicted to do so."""
    made = []
    for panel, sizes in panels.items():
        for row in grid(panel=panel, n=sizes, clip_factor=factors, variant=("main", *variants), clip_fraction=0.1):
            private, sampling = 70 * row["clip_factor"] / row["n"], 3 / math.sqrt(row["n"])
            made.append(row | {"series": "privacy", "mean": private, "predicted": private})
            made.append(row | {"series": "sampling", "mean": sampling, "predicted": sampling})
    return made


def clipped(p: float, gamma: float) -> float:
    """Fraction clipped, none at large thresholds."""
    fraction = math.exp(-0.9 * (gamma / math.sqrt(p)) ** 1.5)
    return fraction if fraction > 1e-5 else 0.0


def heat_rows() -> Rows:
    variants = ("main", "rho 0.1448")
    cells = grid(p=(5, 20, 60), gamma=(2.0, 4.0, 8.0, 16.0, 32.0), variant=variants, series="clip_fraction")
    return [row | {"mean": clipped(row["p"], row["gamma"]), "n": 100 * row["p"]} for row in cells]


def moment_rows() -> Rows:
    factors = {0.1: 0.932, 1.0: 0.337, 3.0: 0.0204, 10.0: 0.00004}
    variants = ("main", "step size 0.2", "ten iterations")
    made = []
    for factor, fraction in factors.items():
        shared = {"n": (1000, 5000), "clip_factor": factor, "error_to": TARGETS, "variant": variants}
        shared["clip_fraction"] = fraction
        bias, variance = (-1e-4 if factor > 5 else 0.5 / factor**2), 0.01 * factor**2
        for series, value in {"bias2": bias, "variance": variance, "mse": max(bias, 0) + variance}.items():
            made += grid(series=series, mean=value, **shared)
    return made


def interval_rows(series: tuple[str, ...], **measures: float) -> Rows:
    processes = {"clipped": (1000, 3000, 10000), "exact": (10000, 40000)}
    made = []
    for process, sizes in processes.items():
        made += grid(n=sizes, process=process, steps=(70, 220, 2020), series=series, clip_fraction=0.1, **measures)
    others = ("last iterate only", "step size 0.2")
    shared = {"n": 10000, "process": "exact", "steps": (70, 220, 2020), "clip_fraction": 0.0}
    made += grid(series=series, variant=others, **shared, **measures)
    return [row for row in made if row["series"] != "independent" or row["steps"] > 200]


def coverage_rows() -> Rows:
    made = interval_rows((*CONSTRUCTIONS, "lag1"), guaranteed=0.9)
    return [row | {"mean": 0.7 if row["series"] == "lag1" else 0.94 - 5 / row["steps"]} for row in made]


def length_rows() -> Rows:
    return interval_rows((*CONSTRUCTIONS, "OLS"), predicted=0.3, settled=0.31)


def fraction_rows() -> Rows:
    fractions = {0.1: 0.9, 1.0: 0.4, 3.0: 0.02, 10.0: 0.0}
    made = []
    for factor, fraction in fractions.items():
        shared = {"n": (1000, 5000), "clip_factor": factor, "error_to": TARGETS, "clip_fraction": fraction}
        made += grid(T=(5, 20, 200), series="DP-GD", mean=0.2 + abs(math.log(factor)), **shared)
    return made


def outlier_rows() -> Rows:
    targets = ("huber", "ols")
    keys = {"clip_factor": (1.0, 2.0, 5.0), "steps": (420, 1020), "construction": CONSTRUCTIONS, "series": targets}
    found = grid(panel="outliers", clip_fraction=0.32, apart=0.43, length=0.1, **keys)
    return found + grid(panel="clean", clip_fraction=0.0, apart=1e-15, length=0.1, **keys)


def no_clipping_rows() -> Rows:
    parts = (
        "(i) holds", "(ii) covariates", "(iii) residuals", "(iv) signal", "(v) cross terms", "c0", "c0 of Lemma 2.6",
    )  # fmt: skip
    required = [f"{what} required at {whose} c0" for what in ("gamma", "n") for whose in ("the data's", "the lemma's")]
    shared = {"T": 20, "clip_factor": math.nan}
    made = grid(panel="condition", n=(500, 10000), p=(10, 100), series=parts, mean=3.0, **shared)
    made += grid(panel="required", n=(500, 10000), p=(10, 100), series=tuple(required), mean=80.0, **shared)
    made += grid(panel="required", n=(500, 10000), p=(10, 100), series=("gamma used", "n used"), mean=20.0, **shared)
    shares = {"P(some gradient is clipped)": 0.5, "fraction clipped": 1e-4}
    for series, value in shares.items():
        made += grid(panel="coupling", n=(1000, 3000), p=10, T=20, clip_factor=(5.0, 10.0), series=series, mean=value)
    losses = ("TV bound, independent runs", "TV bound, checkpoints")
    made += grid(panel="coverage", n=10000, p=10, T=(5, 20, 50), clip_factor=math.nan, series=losses, mean=0.02)
    return [row | {"sigma": 1.0} for row in made]


def small_noise_rows() -> Rows:
    made = grid(sigma=(1.0, 1e-3, 1e-9), c=(1.0, 10.0), series="DP-GD", mean=1.0, T=7, clip_fraction=0.5)
    return [row | {"bound": 10.0 * row["sigma"], "clipped_at_start": float(row["sigma"] < 1e-6)} for row in made]


def large_dimension_rows() -> Rows:
    series = (*ADA_SSP[:2], "AdaSSP (bounds as sqrt(p))", "DP-GD", "OLS", "projected descent")
    return [row | {"n": 3000 * row["p"]} for row in grid(p=(80, 320, 1280), series=series)]


def law_rows() -> Rows:
    designs = ("normal", "heavy tails", "orthogonal")
    made = grid(panel=designs, n=1000, T=(1, 5, 60), clip_factor=math.nan, series="level under the law", mean=0.5)
    shares = {"level under the law": 0.5, "P(some gradient is clipped)": 0.2, "level, nothing clipped": 0.48}
    for series, mean in shares.items():
        made += grid(panel="clipped", n=3000, T=20, clip_factor=(6.0, 8.0), series=series, mean=mean)
    return made


ETA = ("step size 0.2",)
ROWS: dict[str, Rows] = {
    "fig01": ratio_rows(*ETA, "label noise of mean 1", larger=("n = 3000p",)), "fig09": ratio_rows(*ETA),
    "fig02": cost_rows({"a": (1000, 10000, 30000)}, (3.0, 5.0), *ETA, "ten iterations"),
    "fig03": heat_rows(), "fig04": moment_rows(), "fig05": coverage_rows(), "fig06": length_rows(),
    "fig07": fraction_rows(),
    "fig08": cost_rows({"a": (1000, 100000), "b": (500000, 1000000)}, (3.0, 5.0)),
    "fig10": coverage_rows(), "fig11": length_rows(),
    "ext_author_profile": cost_rows({"a": (1000, 9000), "b": (10000, 90000), "fig02": (500, 900)}, (3.0,), *ETA),
    "ext_large_dimension": large_dimension_rows(), "ext_law": law_rows(),
    "ext_outliers": outlier_rows(), "ext_no_clipping": no_clipping_rows(), "ext_small_noise": small_noise_rows(),
}  # fmt: skip

# Curves with error bars in each panel, in the order of the panels.
CURVES = {
    "fig01": [3, 2, 3, 1, 1, 1], "fig02": [2, 2, 2], "fig03": [0, 0], "fig04": [3, 3, 2, 2],
    "fig05": [3, 3, 3, 3, 3, 0, 0, 0, 0], "fig06": [3, 3, 3, 3, 3, 0, 0, 0, 0], "fig07": [3, 3], "fig08": [3, 3],
    "fig09": [3, 2, 1, 1], "fig10": [3, 3, 3, 3, 3, 0, 0, 0, 0], "fig11": [3, 3, 3, 3, 3, 0, 0, 0, 0],
    "ext_author_profile": [2, 2, 2], "ext_outliers": [6, 6, 6, 6],
    "ext_no_clipping": [10, 0, 0, 2], "ext_small_noise": [2, 0], "ext_large_dimension": [6], "ext_law": [3, 0],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def draw_from(name: str, rows: Rows, trials: int = 20) -> Figure:
    figure: Figure = pkgutil.resolve_name(PAPER.artefacts[name].draw)(table_of(rows, trials), DISPLAY[name])
    return figure


@cache
def draw(name: str) -> Figure:
    """The figure of the small table, as it is printed, which tests share and leave as it is."""
    return pictures.captioned(lambda: draw_from(name, ROWS[name]), PAPER.key, "Figure 0", "a title")


def lines_of(axes: Axes, **look: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    for name, value in look.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def crossings(axes: Axes) -> list[float]:
    return sorted(float(line.get_xdata()[0]) for line in lines_of(axes, linestyle="-."))


def test_only_artefacts_have_a_draw_function_and_each_has_a_small_table() -> None:
    assert set(DRAWN) == {name for name, artefact in PAPER.artefacts.items() if not artefact.is_table}
    assert set(ROWS) == set(CURVES) == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_the_small_tables_have_the_columns_that_figures_may_use(name: str) -> None:
    artefact = PAPER.artefacts[name]
    used = set(table_of(ROWS[name])) - set(table_of([{}])) - {"series"}
    assert used <= {*artefact.keys, *artefact.measures}
    assert set(artefact.keys) <= used


@pytest.mark.parametrize("trials", [20, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_shows_every_series_once_without_warnings(name: str, trials: int) -> None:
    figure = draw(name) if trials > 1 else pictures.without_warnings(lambda: draw_from(name, ROWS[name], trials))
    found = [axes for axes in figure.axes if axes.axison]
    assert [len(axes.containers) for axes in found] == CURVES[name]
    for curve in (container for axes in found for container in axes.containers):
        abscissas = list(curve[0].get_xdata())
        assert len(abscissas) == len(set(abscissas)), f"{curve.get_label()} mixes curves"


def absences() -> Iterator[Any]:
    """Each value of each column; of many values in one column all but the first repeat what it shows."""
    for name, rows in ROWS.items():
        for column in ("series", "variant", "construction"):
            values = sorted({row.get(column, "main") for row in rows})
            missing = [value for value in values if len(values) > 1 and value != "main"]
            for rank, value in enumerate(missing):
                yield pytest.param(name, column, value, marks=pytest.mark.slow if rank else [])


@pytest.mark.parametrize(("name", "column", "value"), list(absences()))
def test_a_series_or_variant_that_is_missing_leaves_a_gap(name: str, column: str, value: str) -> None:
    rows = [row for row in ROWS[name] if row.get(column, "main") != value]
    figure = pictures.without_warnings(lambda: draw_from(name, rows))
    assert sum(len(axes.containers) for axes in figure.axes) <= sum(CURVES[name])


@pytest.mark.parametrize("name", DRAWN)
def test_a_single_point_of_a_single_trial_is_drawn(name: str) -> None:
    axis = next(key for key in ("steps", "gamma", "clip_factor", "sigma", "n") if key in ROWS[name][0])
    axis = "p" if name in ("fig01", "fig03", "fig09", "ext_large_dimension") else axis
    values = [row[axis] for row in ROWS[name] if row["series"] != "independent"]
    least = min(value for value in values if not math.isnan(value))
    rows = [row for row in ROWS[name] if row[axis] == least]
    pictures.without_warnings(lambda: draw_from(name, rows, trials=1))


@pytest.mark.parametrize("name", DRAWN)
def test_every_axis_is_named(name: str) -> None:
    figure = draw(name)
    for axes in (each for each in figure.axes if each.axison and each.get_label() != "<colorbar>"):
        named_ticks = any(letter.isalpha() for label in axes.get_xticklabels() for letter in label.get_text())
        place, shown = axes.get_subplotspec(), [other for other in figure.axes if other.get_subplotspec()]
        row = [other for other in shown if other.get_subplotspec().rowspan == place.rowspan]
        column = [other for other in shown if other.get_subplotspec().colspan == place.colspan]
        assert named_ticks or any(other.get_xlabel() for other in column)
        assert any(other.get_ylabel() for other in row)


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_written_is_cut_off(name: str) -> None:
    figure = draw(name)
    written = [*figure.texts, *(text for axes in figure.axes for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    groups = (text for axes in figure.axes for text in axes.get_xticklabels() if " " in text.get_text())
    written += list(groups)
    for text in written:
        extent = text.get_window_extent()
        if text.get_text() and text.get_visible():
            assert extent.x0 >= -1, text.get_text()
            assert extent.y0 >= -1, text.get_text()
            assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()


# Slow, because two builds of all figures are compared byte by byte (test_determinism).
@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_equal_tables_give_equal_figures(name: str) -> None:
    first, second = (draw_from(name, ROWS[name]) for _ in range(2))
    assert pictures.differences(first, second) == []


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_equal_figures_give_equal_bytes(suffix: str, tmp_path: Path) -> None:
    for copy in ("first", "second"):
        style.save(draw_from("fig07", ROWS["fig07"]), tmp_path / f"{copy}.{suffix}")
    first, second = ((tmp_path / f"{copy}.{suffix}").read_bytes() for copy in ("first", "second"))
    assert first == second
    assert len(first) > 1000


def test_a_method_has_one_colour_in_all_figures() -> None:
    descent = [draw("fig01").axes[0].containers[0], draw("fig02").axes[0].containers[0]]
    descent += [draw("fig08").axes[0].containers[0], draw("fig04").axes[0].containers[2]]
    assert {to_hex(curve[0].get_color()) for curve in descent} == {looks.DP_GD.lower()}
    closed = [draw("fig01").axes[0].containers[1], draw("fig02").axes[0].containers[1]]
    lengths = lines_of(draw("fig06").axes[0], linestyle="--")
    assert {to_hex(line.get_color()) for line in [*lengths, *(curve[0] for curve in closed)]} == {looks.OLS.lower()}
    methods = [look[0] for look in looks.METHODS.values()] + list(looks.SHADES.values())
    assert not {look[1] for look in intervals.CONSTRUCTIONS.values()} & set(methods)


def test_methods_have_the_colours_that_they_have_in_all_papers() -> None:
    drawn = {curve.get_label(): curve[0].get_color() for curve in draw("fig01").axes[0].containers}
    assert set(drawn) == {"DP-GD", "OLS", "AdaSSP"}
    (lengths,) = lines_of(draw("fig06").axes[0], linestyle="--")
    _, sampling = draw("ext_author_profile").axes[0].containers
    found = [*drawn.items(), ("OLS", lengths.get_color()), ("OLS", sampling[0].get_color())]
    for method, color in found:
        assert to_hex(color) == style.METHODS[method].lower()
    # Neither the exact law nor a fit is black.
    assert style.METHODS["OLS"] not in (looks.LAW, looks.FIT)


def test_fig01_draws_what_is_predicted_and_the_error_of_zero() -> None:
    left, right = draw("fig01").axes[:2]
    heights = [
        sorted({float(line.get_ydata()[0]) for line in lines_of(panel, color=looks.LAW, linestyle="-")})
        for panel in (left, right)
    ]
    assert heights == [[0.1, 0.4], [0.4]]
    for panel in (left, right):
        assert [line.get_ydata()[0] for line in lines_of(panel, linestyle="-.", color=style.GREY)] == [1.0]
        assert panel.get_ylim()[0] == 0.0
        assert panel.get_ylim()[1] > 1.0


def test_fig01_shows_other_readings_of_dp_gd_alone_as_thin_lines_below() -> None:
    rows = [row | {"mean": 0.3 if row["series"] == "DP-GD" else 0.7} for row in ROWS["fig01"]]
    panels = draw_from("fig01", rows).axes
    thin = lines_of(panels[3], linewidth=0.9, color=looks.DP_GD)
    assert {line.get_label() for line in thin} == {"DP-GD, step size 0.2", "DP-GD, label noise of mean 1"}
    assert {line.get_linestyle() for line in thin} == {"--", ":"}
    assert {height for line in thin for height in line.get_ydata()} == {0.3}
    assert not any(lines_of(panel, linewidth=0.9, color=looks.DP_GD) for panel in (*panels[:3], *panels[4:]))


def test_fig01_has_panels_with_a_guide_for_samples_that_are_larger() -> None:
    above, panel = draw("fig01").axes[2::3]
    assert above.get_title() == r"$n=3000\,p$"
    assert panel.get_title() == r"AdaSSP: calibrations, $n=3000\,p$"
    (guide,) = lines_of(panel, linestyle=":")
    x, y = (np.asarray(values, dtype=float) for values in guide.get_data())
    assert np.polyfit(np.log(x), np.log(y), 1)[0] == pytest.approx(0.5)
    assert y[-1] == panel.containers[0][0].get_ydata()[-1]
    assert len(draw("fig09").axes) == 4


def test_calibrations_of_adassp_stand_below_and_not_in_the_headline() -> None:
    for name in ("fig01", "fig09"):
        for panel in draw(name).axes:
            shades = {line.get_label() for color in looks.SHADES.values() for line in lines_of(panel, color=color)}
            assert shades == (set(looks.SHADES) if "calibrations" in panel.get_title() else set())


# Straight lines that stand for a single number are no curves: the nominal level, an error of zero.
@pytest.mark.parametrize("name", ["fig01", "fig05", "fig06", "fig09", "fig10", "fig11"])
def test_a_panel_has_at_most_six_curves(name: str) -> None:
    for panel in draw(name).axes:
        curves = [line for line in lines_of(panel) if line.get_linestyle() != "None" and len(line.get_xdata()) > 2]
        assert len(curves) <= 6, panel.get_title()


def test_fig02_fits_both_rates_and_names_their_coefficients() -> None:
    figure = draw("fig02")
    for panel, factor in zip(figure.axes, (5, 3), strict=False):
        (private,), (sampling,) = (lines_of(panel, linestyle=dashes, color=looks.FIT) for dashes in (":", "--"))
        np.testing.assert_allclose(private.get_ydata(), 70 * factor / np.array([1000, 10000, 30000]))
        np.testing.assert_allclose(sampling.get_ydata(), 3 / np.sqrt([1000, 10000, 30000]))
        names = [text.get_text() for text in panel.get_legend().get_texts()]
        assert [name.split(": ")[1] for name in names] == [f"{70 * factor} / $n$", r"3 / $\sqrt{n}$"]
        assert f"={factor}" in panel.get_title()


def test_fig02_marks_where_the_predictions_cross() -> None:
    # 70 k / n = 3 / sqrt(n)
    left, middle, _ = draw("fig02").axes
    assert crossings(left) == pytest.approx([(350 / 3) ** 2])
    assert crossings(middle) == pytest.approx([70**2])
    assert texts(left) == ["$n^*$ = 13,600"]


def test_no_crossing_is_marked_beyond_the_grid_or_without_both_predictions() -> None:
    shorter = [row for row in ROWS["fig02"] if row["n"] <= 10000]
    assert crossings(draw_from("fig02", shorter).axes[0]) == []
    alone = pd.DataFrame([row for row in ROWS["fig02"] if row["series"] == "privacy" and row["variant"] == "main"])
    assert cost.crossing_of(alone[alone["clip_factor"] == 5]) is None
    later = [row for row in ROWS["fig02"] if row["n"] > 20000]
    assert crossings(draw_from("fig02", later).axes[0]) == []


def test_fig02_draws_the_predictions_through_the_points() -> None:
    rows = [row | {"predicted": 2 * row["mean"]} for row in ROWS["fig02"]]
    panel = draw_from("fig02", rows).axes[0]
    for curve in panel.containers:
        (line,) = lines_of(panel, linewidth=0.9, linestyle="-", color=curve[0].get_color())
        measured = np.asarray(curve[0].get_ydata(), dtype=float)
        assert list(line.get_ydata()) == pytest.approx(list(2 * measured))


def test_fig02_shows_other_readings_at_the_paper_s_threshold() -> None:
    panel = draw("fig02").axes[2]
    assert "5" in panel.get_title()
    assert len(lines_of(panel, linewidth=0.9)) == 4
    assert list(panel.containers[0][0].get_ydata()) == pytest.approx([0.35, 0.035, 350 / 30000])


def test_fig08_has_both_thresholds_in_each_panel_and_the_sampling_error_once() -> None:
    figure = draw("fig08")
    assert [panel.get_title() for panel in figure.axes] == ["(a) $p=10$", "(b) $p=100$"]
    for panel in figure.axes:
        assert len(panel.get_legend().get_texts()) == 3
    assert crossings(figure.axes[0]) == pytest.approx([70**2, (350 / 3) ** 2])
    assert crossings(figure.axes[1]) == []


def test_the_author_s_profile_keeps_the_order_of_the_paper() -> None:
    titles = [panel.get_title() for panel in draw("ext_author_profile").axes]
    assert titles == ["Figure 2, $p=10$", "Figure 8(a), $p=10$", "Figure 8(b), $p=100$"]


def test_fig03_colours_every_cell_by_its_fraction() -> None:
    axes = draw("fig03").axes[0]
    (mesh,) = (each for each in axes.collections if isinstance(each, QuadMesh))
    shown = np.asarray(mesh.get_array())
    assert shown.shape == (5, 3)
    assert shown[1, 1] == pytest.approx(clipped(20, 4.0))
    assert clipped(5, 32.0) == 0.0
    assert 0 < shown[4, 0] < clipping.FLOOR
    corners = np.asarray(mesh.get_coordinates())
    assert corners[0, :, 0] == pytest.approx([-2.5, 12.5, 40.0, 80.0])
    assert corners[:, 0, 1] == pytest.approx([1.0, 3.0, 6.0, 12.0, 24.0, 40.0])
    assert axes.get_xlim() == (0.0, 80.0)


def test_fig03_draws_and_names_thresholds_in_proportion_to_root_p() -> None:
    axes = draw("fig03").axes[0]
    drawn = lines_of(axes, color=style.VERMILION)
    factors = [float(line.get_ydata()[-1] / np.sqrt(line.get_xdata()[-1])) for line in drawn]
    assert factors == pytest.approx([1, 2, 3, 5])
    assert {r"$\sqrt{p}$", r"$2\sqrt{p}$", r"$3\sqrt{p}$"} <= set(texts(axes))
    assert {"1 %", "10 %", "50 %"} <= set(texts(axes))
    # That of 5 sqrt(80) = 44.7 leaves the picture at its top.
    assert r"$5\sqrt{p}$" not in texts(axes)


def test_a_heat_map_that_is_one_cell_high_or_wide_has_no_contours() -> None:
    for axis, value in (("p", 20), ("gamma", 4.0)):
        rows = [row for row in ROWS["fig03"] if row[axis] == value]
        assert not set(clipping.LEVELS.values()) & set(texts(draw_from("fig03", rows).axes[0]))


def test_fig04_labels_the_error_with_the_percentage_clipped() -> None:
    for panel in draw("fig04").axes[:2]:
        places = {text.get_text(): text.xy for text in panel.texts}
        assert list(places) == ["93", "2"], "every other number"
        error = dict(zip(*panel.containers[2][0].get_data(), strict=True))
        assert dict(places.values()).items() <= error.items()


def test_fig04_labels_do_not_touch_on_the_paper_s_grid() -> None:
    made = []
    for factor in DISPLAY["fig04"]["arms"]["clip_factor"]:
        shared = {"n": (1000, 5000), "clip_factor": factor, "error_to": TARGETS, "clip_fraction": 0.00123}
        made += grid(series="mse", mean=math.exp(-5 * factor) + 0.04 * factor**2, **shared)
    figure = pictures.without_warnings(lambda: draw_from("fig04", made), arranged=True)
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 7
    assert not any(first.overlaps(second) for first, second in itertools.combinations(boxes, 2))


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.0, "0"), (5e-5, "<0.01"), (0.00047, "0.047"), (0.337, "34"), (0.9951, "100")]
)  # fmt: skip
def test_percentages_have_two_digits(fraction: float, text: str) -> None:
    assert clipping.percent(fraction) == text


def test_fig04_puts_a_bias_that_cannot_be_told_from_none_at_the_edge() -> None:
    for panel in draw("fig04").axes[:2]:
        (marks,) = lines_of(panel, marker="v")
        assert list(marks.get_xdata()) == [10.0]
        assert marks.get_transform() == panel.get_xaxis_transform()
        assert list(panel.containers[1][0].get_xdata()) == [0.1, 1.0, 3.0]
    rows = [row | {"mean": abs(row["mean"])} for row in ROWS["fig04"]]
    assert lines_of(draw_from("fig04", rows).axes[0], marker="v") == []


def test_fig04_has_the_threshold_itself_on_a_second_axis() -> None:
    figure = draw("fig04")
    (above,) = figure.axes[0].child_axes
    np.testing.assert_allclose(above.get_xlim(), np.multiply(figure.axes[0].get_xlim(), math.sqrt(10)))


def test_fig04_shows_the_error_to_both_targets_and_under_other_readings_below() -> None:
    rows = [row | {"mean": 0.3 if row["error_to"] == "theta_hat" else 0.4} for row in ROWS["fig04"]]
    for panel in draw_from("fig04", rows).axes[2:]:
        near, truth = panel.containers
        assert truth.get_label().startswith("error to the truth")
        assert (set(near[0].get_ydata()), set(truth[0].get_ydata())) == ({0.3}, {0.4})
        assert {line.get_label() for line in lines_of(panel, linewidth=0.9)} == {
            "error, step size 0.2", "error, ten iterations"
        }  # fmt: skip


def test_fig07_leaves_out_that_nothing_was_clipped_and_marks_the_least_error() -> None:
    for panel in draw("fig07").axes:
        for curve in panel.containers:
            assert list(curve[0].get_xdata()) == [0.9, 0.4, 0.02]
        rings = lines_of(panel, markersize=11.0)
        assert [(list(ring.get_xdata()), list(ring.get_ydata())) for ring in rings] == [([0.4], [0.2])] * 3
        assert [curve.get_label() for curve in panel.containers] == ["$T=5$", "$T=20$", "$T=200$"]


def test_numbers_of_iterations_get_lighter_as_they_grow() -> None:
    brightness = [np.dot(to_rgb(shade), [0.3, 0.6, 0.1]) for shade in style.shades(6)]
    assert brightness == sorted(brightness)
    assert len(set(brightness)) == 6


def test_interval_figures_begin_with_the_largest_clipped_sample() -> None:
    titles = [panel.get_title() for panel in draw("fig05").axes]
    assert titles == [
        "DP-GD, $n=10000$", "DP-GD, $n=3000$", "DP-GD, $n=1000$",
        "exact process, no clipping, $n=10000$", "exact process, no clipping, $n=40000$", "guaranteed without clipping",
        "readings, $n=10000$: independent runs", "readings, $n=10000$: checkpoints",
        "readings, $n=10000$: batched means",
    ]  # fmt: skip


def test_rows_of_panels_are_cut_where_there_are_many_sizes() -> None:
    more = [row | {"n": row["n"] + 1} for row in ROWS["fig05"] if row["process"] == "clipped"]
    axes = draw_from("fig05", [*ROWS["fig05"], *more]).axes
    assert len(axes) == 12
    assert [panel.axison for panel in axes[:6]] == [True] * 6
    assert axes[5].get_title() == "DP-GD, $n=1000$"


def test_fig05_has_bars_over_the_central_coordinates_side_by_side() -> None:
    table = table_of(ROWS["fig05"])
    panel = intervals.draw_fig05(table, DISPLAY["fig05"]).axes[0]
    expected = style.select(table, process="clipped", n=10000, series="checkpoints")
    _, _, (bars,) = panel.containers[1]
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    np.testing.assert_allclose(ends, expected[["q025", "q975"]])
    at_220 = [float(curve[0].get_xdata()[-2]) for curve in panel.containers]
    assert at_220 == sorted(at_220)
    assert len(set(at_220)) == 3
    assert min(at_220) > 200
    assert max(at_220) < 240


def test_a_mean_outside_its_quantiles_has_a_bar_of_no_length_on_that_side() -> None:
    table = table_of(ROWS["fig05"]).assign(q975=0.5)
    figure = intervals.draw_fig05(table, DISPLAY["fig05"])
    for curve in figure.axes[0].containers:
        for segment, mean in zip(curve[2][0].get_segments(), curve[0].get_ydata(), strict=True):
            assert segment[1, 1] == mean


def test_fig05_draws_the_configured_level_and_guarantees_without_clipping_only() -> None:
    display = DISPLAY["fig05"] | {"nominal": 0.9}
    figure = intervals.draw_fig05(table_of(ROWS["fig05"]), display)
    for panel in figure.axes:
        assert [line.get_ydata()[0] for line in lines_of(panel, linestyle="--", color="black")] == [0.9]
        guarantees = lines_of(panel, linewidth=1.2)
        assert len(guarantees) == (6 if "guaranteed" in panel.get_title() else 0)
        assert all(set(line.get_ydata()) == {0.9} for line in guarantees)
        assert {line.get_linestyle() for line in guarantees} <= {":", "--"}
    assert DISPLAY["fig05"]["nominal"] == DISPLAY["ext_outliers"]["nominal"] == 1 - PAPER.settings["alpha"]


def test_fig05_does_not_show_guarantees_that_promise_little() -> None:
    rows = [row | {"guaranteed": 0.3 if row["series"] == "batched" else 0.9} for row in ROWS["fig05"]]
    panel = draw_from("fig05", rows).axes[5]
    assert len(lines_of(panel, linestyle=":", linewidth=1.2)) == 2


def test_fig05_has_room_for_every_bar_and_for_no_more() -> None:
    # The autocorrelation, at .7, is no coverage.
    assert draw("fig05").axes[0].get_ylim()[0] == pytest.approx(0.75)
    lower = [row | {"mean": 0.5} for row in ROWS["fig05"]]
    assert draw_from("fig05", lower).axes[0].get_ylim()[0] == pytest.approx(0.4)


def test_fig06_draws_points_on_the_predicted_lengths_and_that_of_least_squares() -> None:
    panel = draw("fig06").axes[0]
    predicted = lines_of(panel, linestyle="-")
    assert [set(line.get_ydata()) for line in predicted] == [{0.3}] * 3
    assert len(lines_of(panel, linestyle="--", color=looks.OLS)) == 1
    assert [(line.get_color(), list(line.get_xdata())) for line in predicted] == [
        (curve[0].get_color(), list(curve[0].get_xdata())) for curve in panel.containers
    ]
    assert {curve[0].get_linestyle() for curve in panel.containers} == {"None"}


def test_fig06_draws_the_law_after_the_burn_in_by_itself() -> None:
    for panel in draw("fig06").axes:
        settled = lines_of(panel, linestyle=":", linewidth=1.6)
        assert len(settled) == (3 if panel.get_title() == "exact law, $n=10000$" else 0)
        assert all(set(line.get_ydata()) == {0.31} for line in settled)


def test_other_readings_are_lines_beside_the_headline_a_construction_a_panel() -> None:
    for panel, (series, look) in zip(draw("fig06").axes[6:], intervals.CONSTRUCTIONS.items(), strict=True):
        found = lines_of(panel)
        assert [line.get_linestyle() for line in found] == ["-", "--", ":"]
        assert {line.get_color() for line in found} == {look[1]}
        assert {tuple(line.get_xdata()) for line in found} == {
            (220, 2020) if series == "independent" else (70, 220, 2020)
        }


def test_fits_have_a_constant_where_a_floor_bends_the_points() -> None:
    rows = pd.DataFrame({"n": [100.0, 1000.0, 10_000.0]})
    rows["mean"] = 70 / rows["n"] + 0.004
    assert cost.fitted(rows, 1.0) == pytest.approx((70, 0.004))
    assert cost.fitted(rows[:1], 1.0) == pytest.approx((70.4, 0.0))


def test_lengths_of_one_sample_size_have_one_range() -> None:
    panels = draw("fig06").axes
    titles = ("DP-GD, $n=10000$", "exact process, no clipping, $n=10000$", "exact law, $n=10000$")
    ranges = [panel.get_ylim() for panel in panels if panel.get_title() in titles]
    assert len(ranges) == 3
    assert len(set(ranges)) == 1
    assert len({panel.get_ylim() for panel in panels}) > 1


def test_outliers_have_full_marks_for_the_target_of_the_theory_and_hollow_ones_for_least_squares() -> None:
    figure = draw("ext_outliers")
    assert [panel.get_title() for panel in figure.axes] == [
        "no outliers, $N=420$", "2 % outliers, $N=420$", "no outliers, $N=1020$", "2 % outliers, $N=1020$"
    ]  # fmt: skip
    for panel in figure.axes:
        faces = [curve[0].get_markerfacecolor() for curve in panel.containers]
        assert [face == "white" for face in faces] == [False] * 3 + [True] * 3
        places = sorted(float(x) for curve in panel.containers for x in curve[0].get_xdata())
        assert min(np.diff(places)) > 0.05
    names = [label.get_text() for label in figure.axes[1].get_xticklabels()]
    assert names[1] == "$\\gamma=2\\sqrt{p}$\n32 % clipped\ntargets 0.43 apart"
    assert figure.axes[0].get_xticklabels()[0].get_text() == "$\\gamma=\\sqrt{p}$\n0 % clipped\nsame targets"


def test_a_lone_panel_is_an_array_of_axes_where_that_is_asked_for() -> None:
    _, axes = style.panels(squeeze=False)
    assert axes.shape == (1, 1)
    assert isinstance(style.panels()[1], Axes)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e5, "$10^{5}$"), (2e5, r"$2\times10^{5}$"), (5e-4, r"$5\times10^{-4}$"), (1e-4, "$10^{-4}$"), (2e4, "20000")],
)
def test_ticks_between_decades_are_not_taken_for_decades(value: float, text: str) -> None:
    assert style.plain_number(value) == text


def test_required_values_stand_in_units_of_the_used_ones() -> None:
    panel = draw("ext_no_clipping").axes[1]
    curves = [line for line in lines_of(panel) if line.get_linestyle() != "-."]
    assert len(curves) == 8
    assert all(list(line.get_ydata()) == [4.0, 4.0] for line in curves)


def test_a_share_of_nothing_is_left_out_of_the_logarithmic_panel() -> None:
    rows = [row | ({"mean": 0.0} if row["clip_factor"] == 10.0 else {}) for row in no_clipping_rows()]
    panel = draw_from("ext_no_clipping", rows).axes[2]
    assert {tuple(line.get_xdata()) for line in lines_of(panel)} == {(5.0,)}


def test_small_noise_shows_the_error_in_units_of_the_bound() -> None:
    left, right = draw("ext_small_noise").axes
    errors = [list(line.get_ydata()) for line in lines_of(left) if len(line.get_xdata()) == 3]
    assert np.allclose(errors[0], [1e8, 100.0, 0.1])
    assert [list(line.get_ydata()) for line in lines_of(right)] == [[1.0, 0.0, 0.0]] * 2
