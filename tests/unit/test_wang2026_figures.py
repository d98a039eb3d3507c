"""Figures of wang2026: numbers and looks that are a promise, on the committed tables, and tables that lack much."""

import json
import pkgutil
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import pictures
from dpdescent.papers.wang2026 import styles
from dpdescent.papers.wang2026.setting import GAIN, POPULATION
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from dpdescent.replication.judging.statistics import Z95
from wang2026_world import PAPER, PROJECT, ROOT

ARTEFACTS = PROJECT.papers[PAPER].artefacts | PROJECT.papers[PAPER].on_request
DRAWN = [name for name, artefact in ARTEFACTS.items() if not artefact.is_table]
TEXTS = ("series", "variant", "panel", "accountant", "comparator", "bound", "term", "constants", "logs", "clip_rule")
NUMBERS = ("lam", "eps", "n", "T", "B", "m", "d", "kappa", "eta", "r", "delta", "norm_share", "t")


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


# Made on request, and not committed: tables of the same columns stand in.
ALIKE = {"fig01_fashion": "fig01", "kan_lambda_fashion": "kan_lambda"}


@cache
def whole(name: str) -> pd.DataFrame:
    read = tables.read(ROOT / "results/paper" / f"{ARTEFACTS[ALIKE.get(name, name)].item}.csv")
    return read.assign(se=read["se"].astype(float))


def draw(name: str, table: pd.DataFrame | None = None) -> Figure:
    """A figure, drawn without a warning."""
    display = json.loads(project.figure_json(PROJECT, ARTEFACTS[name], ""))["display"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A panel of a single place has no width of its own.
        warnings.filterwarnings("ignore", "Attempting to set identical")
        figure: Figure = pkgutil.resolve_name(ARTEFACTS[name].draw)(whole(name) if table is None else table, display)
    return figure


def only(name: str, **values: Any) -> pd.DataFrame:
    """Rows with the given values, of the headline unless a variant is named."""
    table = whole(name)
    for column, value in ({"variant": "main"} | values).items():
        table = table[table[column] == value]
    assert len(table), values
    return table


def shown(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


def lines_of(axes: Axes, **wanted: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    for name, value in wanted.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def data_of(line: Any) -> tuple[Any, Any]:
    x, y = line.get_data()
    return np.array(x, dtype=float), np.array(y, dtype=float)


def line_through(axes: Axes, table: pd.DataFrame, x: str, **wanted: Any) -> Line2D:
    """The line of the panel that runs through all points of the table, and nowhere else."""
    table = table.sort_values(x)
    for line in lines_of(axes, **wanted):
        found = data_of(line)
        if len(found[0]) == len(table) and np.allclose(found, [table[x], table["mean"]], rtol=1e-12, atol=0):
            return line
    raise AssertionError(f"{axes.get_title()!r} has no line through {table[[x, 'mean']].to_numpy().tolist()}")


def bars_of(axes: Axes, line: Line2D) -> Any:
    """Half the length of the vertical error bars of a curve."""
    (container,) = [each for each in axes.containers if each[0] is line]
    return np.array([np.ptp(segment[:, 1]) / 2 for segment in container[2][0].get_segments()])


def is_hollow(line: Line2D) -> bool:
    return bool(line.get_markerfacecolor() == "white")


# Layout, and tables that lack much


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_has_labels_and_nothing_is_cut_off_or_outside_its_panel(name: str) -> None:
    artefact = ARTEFACTS[name]
    figure = pictures.captioned(lambda: draw(name), PAPER, artefact.place, artefact.title)
    axes = shown(figure)
    written = [*figure.texts, *(text for panel in axes for text in [panel.title, *panel.texts])]
    written += [axis.label for panel in axes for axis in (panel.xaxis, panel.yaxis)]
    for text in (each for each in written if each.get_text()):
        extent = text.get_window_extent()
        assert min(extent.x0, extent.y0) >= -1, text.get_text()
        assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
        assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(set(names)) == len(names)
    for panel in axes:
        assert panel.get_xlabel()
        assert panel.get_title()
        assert panel.get_ylabel() or panel.get_yticklabels()


@pytest.mark.parametrize("name", DRAWN)
def test_tables_that_lack_much_are_drawn(name: str) -> None:
    """No row; every other name of each column missing; one value of each number, of a single trial."""
    table = whole(name)
    for panel in draw(name, table.iloc[:0]).axes:
        assert not [each for each in panel.containers if hasattr(each, "has_yerr") and len(data_of(each[0])[0])]
    gaps, coarse = table, table.assign(se=np.nan, trials=1)
    for column in (each for each in TEXTS if each in table and table[each].nunique() > 1):
        fewer = gaps[gaps[column].isin(sorted(set(gaps[column].dropna()))[::2]) | gaps[column].isna()]
        gaps = fewer if len(fewer) else gaps
    for column in (each for each in NUMBERS if each in table and table[each].notna().any()):
        values = sorted(set(coarse[column].dropna()))
        kept = values[len(values) // 2 :][:1]
        coarse = coarse[coarse[column].isna() | coarse[column].isin(kept)]
    for made in (gaps, coarse):
        assert 0 < len(made) < len(table)
        draw(name, made)


# What is promised


def test_an_accountant_has_one_colour_and_no_two_share_it() -> None:
    colors = [color for color, _, _ in styles.ACCOUNTANTS.values()]
    assert len(set(colors)) == len(colors)
    assert styles.look("one of one's own")["color"] == style.GREY


def test_what_has_no_guarantee_is_hollow_and_dashed_and_said_so() -> None:
    figure = draw("kan_lambda")
    first = next(panel for panel in shown(figure) if r"T = 100, $\varepsilon$ = 1" in panel.get_title())
    for name, solid in (("F12x8", False), ("F8", False), ("tail", True)):
        table = only("kan_lambda", panel="T = 100", eps=1.0, accountant=name, series="population risk")
        line = line_through(first, table, "lam", color=styles.ACCOUNTANTS[name][0])
        assert (is_hollow(line), line.get_linestyle()) == ((False, "-") if solid else (True, "--"))
    assert styles.HOLLOW in [text.get_text() for text in figure.legends[0].get_texts()]
    sound = draw("kan_lambda", whole("kan_lambda").query("accountant == 'tail'"))
    assert styles.HOLLOW not in [text.get_text() for text in sound.legends[0].get_texts()]


def test_an_axis_of_lambda_resolves_values_near_one() -> None:
    panel = draw("fig01").axes[0]
    places = panel.transAxes.inverted().transform(
        panel.transData.transform([(lam, 90) for lam in (0, 0.9, 0.95, 0.99)])
    )
    assert np.diff(places[1:, 0]).min() > 0.1
    lam = np.array([0.0, 0.3, 0.9, 0.999])
    np.testing.assert_allclose(styles._unstretched(styles.stretched(lam)), lam, atol=1e-12)
    assert np.isfinite(styles.stretched([1.0, 2.0])).all()
    assert styles.spaced([0, 1, 2, 3, 10], np.array([0.0, 1, 2, 3, 10]), 0.2) == [0, 3, 10]


def test_accuracies_and_gains_are_drawn_with_intervals_and_the_best_lambda() -> None:
    accuracy, _, fixed, gain, _, calibrated = draw("fig01").axes
    for eps in (0.5, 1.0, 2.0, 4.0, 8.0):
        for panel, series in ((accuracy, "test accuracy"), (gain, "gain over lam = 0")):
            table = only("fig01", panel="accuracy", eps=eps, series=series).sort_values("lam")
            table = table.assign(mean=100 * table["mean"])
            line = line_through(panel, table, "lam", color=styles.eps_color(eps))
            np.testing.assert_allclose(bars_of(panel, line), 100 * Z95 * table["se"])
            (star,) = lines_of(panel, marker="*", color=styles.eps_color(eps))
            top = table.loc[table["mean"].idxmax()]
            assert [value[0] for value in data_of(star)] == [top["lam"], top["mean"]]
    for panel, noise in ((fixed, "fixed"), (calibrated, "calibrated")):
        for lam in (0.0, 0.4, 0.8, 0.9, 0.99):
            for series, dash in (("formula", "-"), ("simulated", "None")):
                table = only("fig01", panel="noise", noise=noise, lam=lam, series=series)
                line_through(panel, table, "t", color=styles.lam_color(lam), linestyle=dash)


def test_multipliers_are_drawn_plain_and_scaled_by_what_is_left_of_the_noise() -> None:
    axes = draw("kappa_tables").axes
    at = {"panel": "grid", "T": 100, "r": 0.1, "delta": 1e-3}
    for column, eps in ((0, 1.0), (1, 8.0)):
        for name in ("F12x8", "tail", "cyclic"):
            table, color = only("kappa_tables", **at, eps=eps, accountant=name), styles.ACCOUNTANTS[name][0]
            line_through(axes[column], table, "lam", color=color)
            line_through(axes[column + 2], table.assign(mean=(1 - table["lam"]) * table["mean"]), "lam", color=color)


def test_what_is_below_the_floor_is_an_arrow() -> None:
    table = whole("closed_form_validity").copy()
    low = (table["panel"] == "regime") & (table["series"] == "attained delta") & (table["n"] == 1000)
    table.loc[low, "mean"] = 0.0
    _, regime, _ = draw("closed_form_validity", table).axes
    places = [data_of(arrow) for arrow in lines_of(regime, marker=r"$\downarrow$")]
    assert 1000 in {x for found, _ in places for x in found}
    assert all(regime.get_ylim()[0] < y < 1e-12 for _, found in places for y in found)


def test_a_bar_that_reaches_zero_has_an_arrow() -> None:
    table = whole("ext_window_rates").copy()
    place = (table["panel"] == "epsilon, Corollary 5.3") & (table["series"] == "added to the population risk")
    table.loc[place, ["mean", "se"]] = [0.01, 0.001]
    table.loc[place & (table["eps"] == 2.0), "se"] = 0.006
    (panel,) = [
        axes for axes in draw("ext_window_rates", table).axes if axes.get_title().endswith(": epsilon, Corollary 5.3")
    ]
    assert [data_of(arrow)[0].tolist() for arrow in lines_of(panel, marker="v")] == [[2.0]]


TITLES = [
    ("ext_window_rates", {"panel": "GD"}, {"mean": lambda rows: 3.0 / rows["n"]}, "slope \N{MINUS SIGN}1: GD"),
    ("kan_lambda", {"series": GAIN}, {"mean": -0.25}, "gain at most \N{MINUS SIGN}0.25\nT = 100, $\\varepsilon$ = 8"),
    (
        "kan_lambda", {"series": POPULATION}, {"mean": lambda rows: 1 - rows["lam"]},
        "best $\\lambda$: 0.95\nT = 250, $\\varepsilon$ = 1",
    ),
    ("comparator", {"panel": "inequality"}, {"condition": 0.7}, r"never met: $\nu D^2$ is 0.7 or more"),
    ("comparator", {"panel": "inequality"}, {"condition": 0.3}, "met in 100% of runs: the width condition"),
    (
        "comparator", {"panel": "ntk"}, {"mean": lambda rows: (64 / rows["m"]) / rows["T"]},
        "$1/T$ reached at $m=64, 256, 1024, 4096$: NTK comparator",
    ),
    ("comparator", {"panel": "ntk"}, {"mean": 1.0}, "$1/T$ reached at no width: NTK comparator"),
    ("ext_proof", {"panel": "neighbours"}, {"mean": 1.0}, "runs that differ in one record"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "values", "title"), TITLES)
def test_a_title_begins_with_what_the_table_says(
    name: str, where: dict[str, str], values: dict[str, Any], title: str
) -> None:
    table = whole(name).copy()
    assert title not in [panel.get_title() for panel in draw(name).axes]
    mask = (table[list(where)] == pd.Series(where)).all(axis=1)
    for column, value in values.items():
        table.loc[mask, column] = value(table[mask]) if callable(value) else value
    assert title in [panel.get_title() for panel in draw(name, table).axes]


def test_hessians_have_a_guide_with_the_claimed_slope() -> None:
    (guide,) = lines_of(draw("initialisation").axes[3], label=r"slope $-1/2$ in $m$")
    x, y = np.log(data_of(guide))
    assert np.diff(y) / np.diff(x) == pytest.approx(-0.5)


def test_admitted_widths_are_shaded_where_the_upper_limit_is_above_the_lower() -> None:
    for panel in shown(draw("admissible_width")):
        for shade in (each for each in panel.collections if each.get_label() == "widths admitted"):
            for path in (each for each in shade.get_paths() if len(each.vertices) > 2):
                limits = pd.DataFrame(path.vertices[:, :2], columns=["n", "m"]).groupby("n")["m"].agg(["min", "max"])
                lower = next(line for line in lines_of(panel, label="lower limit"))
                known = dict(zip(*data_of(lower), strict=True))
                assert all(limits["min"][n] == pytest.approx(known[n]) for n in limits.index if n in known)
