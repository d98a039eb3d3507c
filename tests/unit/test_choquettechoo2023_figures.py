"""Figures of choquettechoo2023 show the numbers of the committed tables, and bear tables that lack much."""

import json
import math
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import pictures
from choquettechoo2023_world import PAPER, PROJECT, ROOT
from dpdescent.papers.choquettechoo2023 import digits_figures, spectra, spectra_figures, styles
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project
from dpdescent.replication.drawing import figures as style
from dpdescent.replication.judging.statistics import Z95

ARTEFACTS = PROJECT.papers[PAPER].artefacts | PROJECT.papers[PAPER].on_request
DRAWN = [name for name, artefact in ARTEFACTS.items() if not artefact.is_table]


@cache
def table(name: str) -> pd.DataFrame:
    read = tables.read(ROOT / "results/paper" / f"{ARTEFACTS[name].item}.csv")
    return read.assign(se=read["se"].astype(float))


def draw(name: str, rows: pd.DataFrame | None = None) -> Figure:
    display = json.loads(project.figure_json(PROJECT, ARTEFACTS[name], ""))["display"]
    figure: Figure = pkgutil.resolve_name(ARTEFACTS[name].draw)(table(name) if rows is None else rows, display)
    return figure


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    with pictures.style_of_the_project():
        yield


def only(name: str, **values: Any) -> pd.DataFrame:
    """Rows with the given values, of the headline unless a variant is named."""
    found = table(name)
    for column, value in ({"variant": "main"} | values).items():
        found = found[found[column] == value]
    return found


def lines_of(axes: Axes, **look: Any) -> list[Line2D]:
    """Drawn lines with the given look: what only stands in the legend has no points."""
    found = [line for line in axes.lines if len(line.get_xdata())]
    for name, value in look.items():
        found = [line for line in found if getattr(line, f"get_{name}")() == value]
    return found


def drawn(axes: Axes, rows: pd.DataFrame, x: str, **look: Any) -> bool:
    """Whether a line of the panel runs through all means of the rows, and nowhere else."""
    rows = rows.sort_values(x)
    wanted = rows[[x, "mean"]].to_numpy(dtype=float)
    shown = (np.column_stack(line.get_data()).astype(float) for line in lines_of(axes, **look))
    return len(rows) > 0 and any(each.shape == wanted.shape and np.allclose(each, wanted, rtol=1e-12) for each in shown)


def bars_of(container: Any) -> Any:
    """Half lengths of a curve's error bars."""
    (bars,) = container[2]
    return np.array([np.ptp(segment[:, 1]) / 2 if np.size(segment) else math.nan for segment in bars.get_segments()])


def heights_of(container: Any) -> Any:
    return np.asarray(container[0].get_ydata(), dtype=float)


def color_of(artist: Any) -> str:
    return str(to_hex(artist.get_color())).upper()


def names_of(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


# Tables that lack much


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_has_labels_and_nothing_is_cut_off(name: str) -> None:
    artefact = ARTEFACTS[name]
    figure = pictures.captioned(lambda: draw(name), PAPER, artefact.place, artefact.title)
    written = [*figure.texts, *(text for axes in figure.axes for text in [axes.title, *axes.texts])]
    written += [axis.label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for text in (each for each in written if each.get_text()):
        extent = text.get_window_extent()
        assert min(extent.x0, extent.y0) >= -1, text.get_text()
        assert extent.x1 <= figure.bbox.x1 + 1, text.get_text()
        assert extent.y1 <= figure.bbox.y1 + 1, text.get_text()
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel() or (name == "fig02" and axes in figure.axes[6:])


MISSING = [
    (name, column)
    for name in DRAWN
    for column in ("series", "variant", "mechanism", "kind", "panel", "multiplier")
    if column in ("series", "variant", *ARTEFACTS[name].keys)
]


@pytest.mark.parametrize(("name", "column"), MISSING)
def test_what_is_missing_leaves_a_gap(name: str, column: str) -> None:
    whole = table(name)
    kept = whole[whole[column].isin(sorted(set(whole[column]))[1::2])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(name, kept)


@pytest.mark.parametrize("name", DRAWN)
def test_an_empty_table_and_a_single_trial_at_a_point_are_drawn(name: str) -> None:
    axis = {"fig03": "kappa", "ext_finite_time": "T", "ext_spectra": "d", "ext_prefix_sums": "T", "ext_nu": "nu"}
    key = "eps" if name.startswith("fig04") else axis.get(name, "eta")
    point = table(name)[table(name)[key] == table(name)[key].dropna().iloc[-1]].assign(se=math.nan, trials=1)
    pictures.without_warnings(lambda: draw(name, point))
    empty = pictures.without_warnings(lambda: draw(name, table(name).iloc[:0]))
    assert empty.axes[0].get_xlabel()


# What is shown


def test_accuracies_are_percentages_side_by_side_with_intervals_at_95_per_cent() -> None:
    for panel, series in zip(draw("fig04a").axes, ("test accuracy", "nu minus this"), strict=False):
        rows = digits_figures.in_paper(only("fig04a", series=series))
        names = styles.in_order(rows["mechanism"])
        for name, curve in zip(names, panel.containers, strict=True):
            wanted = rows[rows["mechanism"] == name].sort_values("eps")
            np.testing.assert_allclose(heights_of(curve), 100 * wanted["mean"])
            np.testing.assert_allclose(bars_of(curve), 100 * Z95 * wanted["se"])
            np.testing.assert_allclose(np.asarray(curve[0].get_xdata(), dtype=float), wanted["eps"], rtol=0.08)
            plain = name.removesuffix(", amplified").removesuffix(", restarts")
            assert color_of(curve[0]) == style.METHODS[plain]
        assert min(np.diff([float(curve[0].get_xdata()[0]) for curve in panel.containers])) > 0.01


def test_simulated_mean_estimation_is_compared_with_what_is_exact() -> None:
    errors, ratios, excess = draw("ext_mean_estimation").axes
    least = only("ext_mean_estimation", kind="exact", mechanism="optimal noise").set_index("eta")["mean"]
    for k, name in enumerate(styles.in_order(only("ext_mean_estimation")["mechanism"])):
        exact, simulated = (
            only("ext_mean_estimation", mechanism=name, kind=kind).sort_values("eta") for kind in ("exact", "simulated")
        )
        assert drawn(errors, exact, "eta", linestyle="-")
        assert drawn(errors, simulated, "eta", linestyle="None")
        np.testing.assert_allclose(heights_of(ratios.containers[k]), simulated["mean"] / simulated["eta"].map(least))
        relative = 100 * (simulated["mean"] / simulated["exact"] - 1)
        np.testing.assert_allclose(heights_of(excess.containers[k]), relative, atol=1e-9)
        np.testing.assert_allclose(bars_of(excess.containers[k]), 100 * Z95 * simulated["se"] / simulated["exact"])


def test_finite_time_writes_slopes_and_draws_both_rates() -> None:
    exact, clipped, rates = draw("ext_finite_time").axes
    slopes = []
    for panel, part, which in ((exact, "exact", "best"), (clipped, "clipped", "tuned")):
        for name, power in (("DP-SGD", -1), ("nu-DP-FTRL", -2)):
            series = f"error at the {which} rate"
            own = only("ext_finite_time", panel=part, mechanism=name, series=series).sort_values("T")
            assert drawn(panel, own, "T", color=styles.color_of(name))
            guide = own.assign(mean=own["mean"].iloc[0] * (own["T"] / own["T"].iloc[0]) ** power)
            assert drawn(panel, guide, "T", linestyle=":")
            assert drawn(rates, own.assign(mean=own["eta"]), "T", color=styles.color_of(name))
            slopes.append(f"{np.polyfit(np.log(own['T']), np.log(own['mean']), 1)[0]:.2f}")
    assert names_of(exact) == [f"slope ${slopes[0]}$, rate $1/T$", f"slope ${slopes[1]}$, rate $1/T^2$"]


def test_gains_over_spectra_have_the_claimed_separation_through_their_last_point() -> None:
    gain, loss, *errors = draw("ext_spectra").axes
    for spectrum in spectra_figures.SPECTRA:
        own = only("ext_spectra", spectrum=spectrum)
        ratio = own[own["series"] == spectra.GAIN]
        assert drawn(gain, ratio.assign(mean=ratio["mean"] / ratio["d"]), "d")
        wide = own.pivot_table(index="d", columns="series", values="mean")
        assert drawn(loss, (wide["nu-Noisy-FTRL"] / wide["optimum"]).rename("mean").reset_index(), "d")
        for panel, series in zip(errors, ("Noisy-SGD", "nu-Noisy-FTRL"), strict=True):
            assert drawn(panel, own[own["series"] == series], "d")
    (guide,) = lines_of(gain, linestyle=":")
    d, height = (np.asarray(values, dtype=float) for values in guide.get_data())
    np.testing.assert_allclose(height * np.log(d), height[-1] * math.log(d[-1]))
    last = only("ext_spectra", spectrum="one large", series=spectra.GAIN).sort_values("d")["mean"].iloc[-1]
    assert height[-1] == pytest.approx(last / d[-1])


def powers_of(name: str, power: Callable[[pd.DataFrame], Any]) -> pd.DataFrame:
    """The rows of Figure 2 with means that are powers of what is varied."""
    rows = table(name).copy()
    moved = rows["panel"].map({"d": "d", "d_eff": "d_eff", "eta": "eta"})
    base = pd.Series([row[axis] for axis, (_, row) in zip(moved, rows.iterrows(), strict=True)], index=rows.index)
    return rows.assign(mean=base.astype(float) ** power(rows), expected=base.astype(float) ** 3.0)


def test_fig02_writes_measured_slopes_beside_published_ones() -> None:
    power = {"Noisy-SGD": 1.0, "nu-Noisy-FTRL": 2.0}
    figure = draw("fig02", powers_of("fig02", lambda r: r["series"].map(power).fillna(1.5) + (r["kind"] == "exact")))
    assert [names_of(panel) for panel in figure.axes[:3]] == [
        ["$1.00$ / $2.00$ / $1.00$", "$2.00$ / $3.00$ / –"], ["$1.00$ / $2.00$ / $0.18$", "$2.00$ / $3.00$ / $0.94$"],
        ["$1.00$ / $2.00$ / $1.27$", "$2.00$ / $3.00$ / $2.03$"],
    ]  # fmt: skip
    for panel, (sgd, ftrl) in zip(figure.axes[6:], ((1.0, None), (0.18, 0.94), (1.27, 2.03)), strict=True):
        dashed = {color_of(line): line.get_xdata()[0] for line in lines_of(panel, linestyle="--")}
        assert dashed == {key: value for key, value in ((style.VERMILION, sgd), (style.BLUE, ftrl)) if value}
        for series, color in (("Noisy-SGD", style.VERMILION), ("nu-Noisy-FTRL", style.BLUE)):
            hollow = lines_of(panel, color=color, markerfacecolor="white")
            assert {round(float(line.get_xdata()[0]), 9) for line in hollow} == {power[series] + 1}
            full = lines_of(panel, color=color, markerfacecolor=color, marker=styles.look(series)["marker"])
            assert [float(line.get_xdata()[0]) for line in full] == pytest.approx([power[series]] * 2)
            aside = -1 if series == "Noisy-SGD" else 1
            assert [aside * (float(line.get_ydata()[0]) - k) > 0 for k, line in enumerate(full)] == [True, True]
            over_steps = lines_of(panel, color=color, marker="|", markersize=11)
            assert [float(line.get_xdata()[0]) for line in over_steps] == pytest.approx([3.0, 3.0])


def test_fig02_cuts_upper_bounds_but_nothing_else() -> None:
    rows = table("fig02").copy()
    rows.loc[rows["series"].str.startswith("upper"), "mean"] = 1e9
    for panel, x in zip(draw("fig02", rows).axes[3:6], ("d", "d_eff", "eta"), strict=True):
        low, high = panel.get_ylim()
        shown = only("fig02", panel=x, kind="exact").query("series != 'optimum'")["mean"]
        assert low < shown.min() < 2 * shown.max() < high < 1e6


def test_restarts_are_named_and_dashed_where_their_number_is_above_one() -> None:
    rows = pd.DataFrame({"copies": [2.0, 4.0]})
    assert digits_figures.mechanism_label("Optimal CC, restarts", rows) == "Optimal CC, restarts"
    # It is not to be taken for the mechanism that is not tuned.
    once = digits_figures.mechanism_label("Optimal CC, restarts", rows.assign(copies=1.0))
    assert once == r"Optimal CC $\times1$"
    whole, single = table("fig04a"), table("fig04a").assign(copies=1.0)
    for made, restarted in ((single, set()), (whole, {"Honaker, restarts", "Optimal CC, restarts"})):
        names = styles.in_order(digits_figures.in_paper(only("fig04a"))["mechanism"])
        curves = zip(names, draw("fig04a", made).axes[0].containers, strict=True)
        assert {name for name, each in curves if each[0].get_linestyle() == "--"} == {"DP-SGD, amplified"} | restarted


def test_names_that_are_not_known_have_a_look_of_their_own() -> None:
    assert styles.look("a mechanism of one's own")["color"] == style.GREY
    assert styles.label_of("nu = 0.1 eta") == r"$\nu$ = 0.1 $\eta$"
    assert styles.label_of("a nuance") == "a nuance"
