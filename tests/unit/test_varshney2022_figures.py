"""Figures of varshney2022: whole on the committed tables, with gaps for what is missing, at their numbers."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import committed as of
import pictures
from dpdescent.papers.varshney2022 import attacks_figures, styles
from dpdescent.papers.varshney2022.formulas import gaussian_multiplier
from dpdescent.replication.drawing import figures as style
from pictures import data_of, lines_of, runs_through

PAPER = "varshney2022"
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
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert not pictures.cut_off(figure)
    (legend,) = figure.legends
    place = legend.get_window_extent()
    assert place.x0 >= 0
    assert place.x1 <= figure.bbox.x1
    assert place.y1 <= min(axes.xaxis.label.get_window_extent().y0 for axes in shown if axes.get_xlabel())
    names = [text.get_text() for text in legend.get_texts()]
    assert len(set(names)) == len(names)
    assert figure.get_size_inches()[0] <= 17.5


@pytest.mark.parametrize("name", DRAWN)
def test_a_table_without_rows_or_with_one_trial_is_drawn(name: str) -> None:
    """Each number of the coarse grid has one value only, as far as a row has it."""
    table = committed().tables[name]
    empty = drawn_from(name, table.iloc[:0], {})
    assert empty.axes[0].get_xlabel()
    assert not [each for axes in empty.axes for each in axes.containers if len(each[0].get_xdata())]
    empty.canvas.draw()
    # As a file with a header alone is read.
    drawn_from(name, table.iloc[:0].astype(object), {}).canvas.draw()
    coarse = table.assign(trials=1, se=math.nan)
    for column in ("N", "d", "sigma", "eps", "kappa", "T", "s", "levels", "alpha", "delta", "c1", "b", "zeta_factor"):
        if column in coarse and coarse[column].notna().any():
            values = sorted(set(coarse[column].dropna()))
            fewer = coarse[coarse[column].isna() | (coarse[column] == values[len(values) // 2])]
            coarse = fewer if len(fewer) else coarse
    drawn_from(name, coarse)


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_missing_leaves_a_gap(name: str) -> None:
    assert all(pictures.curves_of(figure) <= pictures.curves_of(draw(name)) for figure in FIGURES.with_gaps(name))


# Numbers on pictures


AMB, PROSE = "series == 'DP-AMBSSGD'", "series == 'DP-AMBSSGD (q = 0.99)'"
SQUARES = "series == 'mean square ratio' and rule == 'corrected'"
PUBLISHED_BATCH = "series == 'smallest N' and condition == 'batch condition of Lemma 3.11'"
PROMISED = [
    ("risk_vs_n", 4, f"eps == 1 and sigma == 0.1 and {AMB}", "N", "median"),
    ("risk_vs_n", 5, "eps == 1 and sigma == 0.1 and series == 'AdaSSP'", "N", "median"),
    ("risk_vs_n", 2, f"variant == 'random grid' and eps == 0.2 and sigma == 1 and {AMB}", "N", "median"),
    ("risk_vs_n", 4, f"variant == 'q = 0.99' and eps == 1 and sigma == 0.1 and {PROSE}", "N", "median"),
    ("risk_vs_eps", 0, f"sigma == 1 and {AMB}", "eps", "median"),
    ("risk_vs_sigma", 2, f"variant == 'twelve levels' and sigma > 0 and {AMB}", "sigma", "median"),
    ("risk_vs_sigma", 3, f"sigma > 0 and {AMB}", "sigma", "median / (sigma ** 2 * d / (2 * N))"),
    ("risk_vs_d", 5, "panel == 'Wishart draw' and n_over_d == 2000 and series == 'AdaSSP'", "d", "median"),
    ("sample_complexity", 0, f"sigma == 0.5 and {AMB}", "d", "mean"),
    ("alg_stat", 4, f"{SQUARES} and s == 2000 and alpha == 4.2", "levels", "mean"),
    ("clip_path", 0, "kappa == 1 and sigma == 0.1 and series == 'zeta'", "t", "mean"),
    ("clip_path", 1, "kappa == 1 and sigma == 0.1 and series == 'clip fraction'", "t", "100 * mean"),
    ("clip_path", 2, "kappa == 1 and sigma == 0.1 and series == 'residual rms'", "t", "mean"),
    ("ssgd", 4, "panel == 'grid' and eps == 0.0316 and zeta_factor == 3 and step != 'practical'", "eta", "median"),
    ("ssgd", 4, "panel == 'grid' and eps == 0.0316 and zeta_factor == 3", "eta", "expected"),
    ("step_size", 4, "d == 10 and N == 1_000_000 and step == 'Theorem 3.7'", "T", "median"),
    ("step_size", 4, "d == 10 and N == 1_000_000 and step == 'Corollary 3.8'", "T", "expected"),
    ("ext_large", 0, "variant == 'main' and panel == 'dimension' and sigma == 1", "d", "median"),
    ("ext_large", 3, "panel == 'eigenvalues' and kappa == 8 and series == 'known eigenvalues'", "N", "median"),
    ("step_size", 4, "d == 10 and N == 1_000_000 and step == 'Corollary 3.8'", "T", "bias / 2"),
    ("feasibility", 0, "series == 'smallest N' and width == 'B / N^200'", "c1", "mean"),
    ("feasibility", 1, f"{PUBLISHED_BATCH} and c1 == 4", "d", "mean"),
    ("multiplier", 0, "series == 'zCDP' and delta == 1e-6", "eps", "mean"),
    ("multiplier", 2, "series == 'zCDP' and delta == 1e-6", "eps", "eps_tight / eps"),
    ("moments", 0, "quantity == 'R_x^2' and kappa == 4", "d", "mean / claimed"),
    ("moments", 2, "quantity == \"E[B'HB] against H\" and kappa == 4 and d == 10", "b", "mean - claimed"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "panel", "rows", "x", "y"), PROMISED)
def test_curves_run_through_their_numbers(name: str, panel: int, rows: str, x: str, y: str) -> None:
    assert runs_through(draw(name).axes[panel], only(name, rows), x, y)


LAWS: list[tuple[str, int, str, Callable[[Any], Any]]] = [
    ("risk_vs_n", 4, r"$8\sigma^2d/N$: first term of Theorem 3.7", lambda N: 8 * 0.01 * 10 / N),
    ("risk_vs_n", 4, r"$\sigma^2d/(2N)$: OLS in theory", lambda N: 0.01 * 10 / (2 * N)),
    ("risk_vs_n", 4, "trivial estimate 0: 1/2", lambda N: 0.5 + 0 * N),
    ("risk_vs_sigma", 3, r"$8\sigma^2d/N$: first term of Theorem 3.7", lambda sigma: 16 + 0 * sigma),
    ("risk_vs_kappa", 1, r"$T=8\kappa$", lambda kappa: 8 * kappa),
]


@pytest.mark.parametrize(("name", "panel", "label", "law"), LAWS)
def test_laws_are_drawn_as_their_labels_say(name: str, panel: int, label: str, law: Callable[[Any], Any]) -> None:
    (line,) = lines_of(draw(name).axes[panel], label=label)
    x, y = data_of(line)
    np.testing.assert_allclose(y, law(x))


SLOPES = [
    ("risk_vs_n", 4, "slope $N^{-2}$", -2.0), ("risk_vs_eps", 0, r"slope $\varepsilon^{-2}$", -2.0),
    ("risk_vs_sigma", 2, r"slope $\sigma^2$", 2.0), ("sample_complexity", 0, r"slope $d$; claimed: $d\,\log d$", 1.0),
    ("sample_complexity", 0, "slope $d^{3/2}$: sufficient statistics", 1.5),
    ("risk_vs_d", 5, r"$d^3/(\varepsilon N)^2$: slope $d$", 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "panel", "label", "slope"), SLOPES)
def test_guides_have_the_slope_of_their_label(name: str, panel: int, label: str, slope: float) -> None:
    (line,) = lines_of(draw(name).axes[panel], label=label)
    x, y = np.log(data_of(line))
    np.testing.assert_allclose(np.diff(y) / np.diff(x), slope)


def test_privacy_is_free_from_the_epsilon_of_each_reading_on() -> None:
    panel = draw("risk_vs_eps").axes[0]
    marked = sorted(x[0] for x, _ in map(data_of, lines_of(panel, linestyle="-.")) if x[0] == x[-1])
    first = math.sqrt(10 / 200_000)
    assert marked == pytest.approx([first, first * math.sqrt(math.log(1e6)) * math.log(200_000)])
    # The second lies within the data.
    assert 0.1 < marked[1] < 8


def test_titles_of_orders_are_told_apart_and_no_curve_hides_another() -> None:
    shown = [panel for panel in draw("ext_orders").axes if panel.get_visible()]
    titles = [panel.get_title() for panel in shown]
    assert len(set(titles)) == len(titles)
    names = [text.get_text() for panel in shown for text in panel.get_legend().get_texts()]
    assert names.count("(5) without its start; risk, alpha with constant 1") == 6
    # At kappa = 1 both spectra are one.
    assert names.count("all but one at |H|; geometric") == 3


def test_the_multiplier_of_the_runs_is_drawn_beside_the_printed_order() -> None:
    (line,) = lines_of(draw("ext_privacy").axes[1], label=r"exact $\alpha^2$ of the runs")
    logs, y = data_of(line)
    squares = np.array([gaussian_multiplier(0.1, math.exp(-log)) ** 2 for log in logs])
    np.testing.assert_allclose(y / y[0], squares / squares[0])


def test_bounds_stand_beside_runs() -> None:
    kinds = (("DP-AMBSSGD", "as run"), ("DP-AMBSSGD", "no clipping"), ("DP-SSGD", "no clipping"))
    for panel, (algorithm, kind) in zip(draw("bound_vs_run").axes, kinds, strict=True):
        assert lines_of(panel, label="trivial estimate 0: 1/2")[0].get_xdata()[0] == 0.5
        table = only("bound_vs_run", f"algorithm == '{algorithm}' and kind in ('{kind}', '{kind}, logs 1')")
        for column, mark in (("expected", "x"), ("bound", "D"), ("bound_without_logs", "<")):
            found = np.concatenate([[], *(line.get_xdata() for line in lines_of(panel, marker=mark))])
            np.testing.assert_allclose(np.sort(found), np.sort(table[column].dropna()))


def test_an_attack_stands_beside_what_is_accounted() -> None:
    (panel,) = draw("audit").axes
    names = [label.get_text() for label in panel.get_yticklabels()]
    table = committed().tables["audit"].set_index("mechanism").loc[names]
    assert names == [name for name in attacks_figures.MECHANISMS if name in set(names)]
    assert names[:6] == [*attacks_figures.SINGLE, "whole run, T = 1"]
    assert set(names) == set(committed().tables["audit"]["mechanism"])
    replaced, added = (data_of(each[0])[0] for each in panel.containers)
    is_added = [name.endswith("record added") for name in names]
    np.testing.assert_allclose(added, table["mean"][is_added])
    np.testing.assert_allclose(replaced, table["mean"][np.invert(is_added)])
    (accounted,) = lines_of(panel, label=r"accounted $\mu$")
    np.testing.assert_allclose(accounted.get_xdata(), table["accounted"])


def test_the_best_number_of_iterations_stands_beside_eight_kappa() -> None:
    """The multiple is read from the grid; where there are several or none, nothing is drawn of it."""
    table = only("risk_vs_kappa", AMB)
    made = (table["T"] / table["kappa"] / 16).map(lambda ratio: 1 + math.log2(ratio) ** 2)
    table = table.assign(**dict.fromkeys(("median", "median_low", "median_high", "mean"), made))
    (best,) = lines_of(drawn_from("risk_vs_kappa", table).axes[1], label="best $T$ of the grid")
    kappa, T = data_of(best)
    np.testing.assert_allclose(T, np.minimum(16 * kappa, table["T"].max()))
    for kept in ("kappa in (1, 2)", "T != 8 or kappa != 1"):
        by_steps, best_of_grid, by_kappa, _ = drawn_from("risk_vs_kappa", table.query(kept)).axes
        assert not lines_of(by_steps, markersize=11)
        assert by_kappa.get_title() == "at the best $T$"
        assert len(lines_of(best_of_grid)) == 1


# Looks and names


def test_an_expectation_that_diverges_is_left_out() -> None:
    corollary = draw("ssgd").axes[1]
    finite = (
        only("ssgd", "panel == 'Corollary 3.3'").groupby("N")["expected"].apply(lambda each: np.isfinite(each).sum())
    )
    assert [len(line.get_xdata()) for line in lines_of(corollary, marker="x")] == finite.tolist()


def test_zero_label_noise_has_a_place_of_its_own() -> None:
    risk = draw("risk_vs_sigma").axes[1]
    (none,) = lines_of(risk, label="OLS (not private) is 0 up to rounding")
    positive = only("risk_vs_sigma", "sigma > 0")["sigma"].min()
    assert none.get_xdata()[0] == pytest.approx(positive / 6)
    assert risk.xaxis.get_major_formatter()(risk.xaxis.get_major_locator()()[0]) == "0"


def test_names_that_were_read_as_numbers_are_names() -> None:
    for name, column, rows in (
        ("tails", "factor", "factor in ('1', '2')"),
        ("ssgd", "step", "step in ('0.05', '0.0002')"),
    ):
        plain = only(name, rows)
        figures = [drawn_from(name, table) for table in (plain, plain.assign(**{column: plain[column].astype(float)}))]
        assert not pictures.differences(*figures)
    assert styles.text_of(5e-05) == "5e-05"


def test_a_method_has_one_look_in_all_papers_and_no_two_look_alike() -> None:
    kinds = [tuple(map(str, styles.look(name).values())) for name in styles.METHODS]
    assert len(set(kinds)) == len(kinds)
    lines = {each.get_label(): each[0] for panel in draw("risk_vs_n").axes for each in panel.containers}
    for name in {*styles.risks_of(only("risk_vs_n", "N > 0"))["series"]}:
        assert lines[styles.label_of(name)].get_color() == style.METHODS.get(name, styles.look(name)["color"]), name
    assert styles.look("one of one's own")["color"] == style.GREY


def test_labels_say_what_is_not_private() -> None:
    tight = r"AdaSSP (bound $1.2\sqrt{d}$), Wishart draw (no guarantee)"
    for name, place in (("risk_vs_d", 3), ("sample_complexity", 0)):
        labels = {each.get_label() for each in draw(name).axes[place].containers}
        assert {"AdaSSP, Wishart draw (no guarantee)", tight} <= labels
        assert not {"AdaSSP", r"AdaSSP (bound $1.2\sqrt{d}$)"} & labels
    for name in ("risk_vs_n", "risk_vs_sigma", "risk_vs_eps", "risk_vs_d", "risk_vs_kappa"):
        legend = [text.get_text() for each in draw(name).legends for text in each.get_texts()]
        assert "OLS (not private)" in legend
        assert "OLS" not in legend


def test_levels_are_in_order_of_number_and_of_the_printed_choices() -> None:
    assert styles.ordered((), ("last", "12", "133", "8", "0.5")) == ["0.5", "8", "12", "133", "last"]
    assert styles.ordered(("b", "x", "a"), ("12", "a", "b", "8")) == ["b", "a", "8", "12"]
