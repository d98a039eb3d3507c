"""Curves for the browser: the panels, labels, colours and values of the drawn figures, and nothing else."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import report_made
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.drawing import figures, lines
from dpdescent.replication.report import curves

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results/paper"
Panel = dict[str, Any]


@pytest.fixture(autouse=True)
def _style() -> Iterator[None]:
    figures.use_style()
    yield
    plt.close("all")


@cache
def committed(item: str) -> list[Panel]:
    """The panels of a figure of the papers."""
    key, _, name = item.partition("/")
    (paper,) = (paper for paper in report_made.papers() if paper["key"] == key)
    (artefact,) = (artefact for artefact in paper["artefacts"] if artefact["id"] == name)
    return curves.panels(artefact, RESULTS / f"{item}.csv")


def every() -> list[str]:
    return [
        f"{paper['key']}/{artefact['id']}"
        for paper in report_made.papers()
        for artefact in paper["artefacts"]
        if not artefact["table"]
    ]


def texts(panels: list[Panel]) -> Iterator[str]:
    for panel in panels:
        yield from (panel["title"], panel["x"]["label"], panel["y"]["label"])
        yield from (text for name in "xy" for _, text in panel[name].get("ticks", []))
        yield from (curve["name"] for curve in panel["curves"])


def looks(panel: Panel) -> dict[str, tuple[str, str]]:
    return {curve["name"]: (curve["color"], curve["mark"]) for curve in panel["curves"]}


# --- the papers' figures --------------------------------------------------------------------------------------------


def test_a_figure_has_its_own_panels_labels_and_colours() -> None:
    first, second, *_ = committed("brown2024/fig04")
    assert [panel["title"].split(":")[0] for panel in committed("brown2024/fig04")] == ["n = 1000", "n = 5000"] * 2
    for panel in (first, second):
        assert (panel["x"]["label"], panel["x"]["scale"]) == ("clipping threshold γ/√p", "log")
        assert (panel["y"]["label"], panel["y"]["scale"]) == ("squared distance from θ̂", "log")
        assert looks(panel) == {
            "variance": (figures.SKY, "^"), "squared bias": (figures.PURPLE, "s"),
            "error E‖θ_{T}−θ̂‖^{2}": (figures.VERMILION, "o"),
        }  # fmt: skip


def test_values_and_bars_are_those_of_the_table() -> None:
    (panel, *_) = committed("brown2024/fig02")
    curve = panel["curves"][0]
    rows = [
        row for row in read_rows(RESULTS / "brown2024/fig02.csv")
        if (row["series"], row["variant"], row["clip_factor"]) == ("privacy", "main", "5.0")
    ]  # fmt: skip
    expected = [
        [float(row["n"]), mean := float(row["mean"]), mean - float(row["se"]), mean + float(row["se"])]
        for row in sorted(rows, key=lambda row: float(row["n"]))
    ]
    assert np.allclose(curve["points"], expected, rtol=1e-3)
    bands = [
        [float(row[name]) for name in ("n", "q10", "q90")] for row in sorted(rows, key=lambda row: float(row["n"]))
    ]
    assert np.allclose(curve["band"], bands, rtol=1e-3)
    assert curve["shade"] == 0.1


def test_values_of_all_figures_are_in_their_tables() -> None:
    """Three of four: some figures draw ratios and sums of what their tables hold."""
    known = total = 0
    for item in every():
        table = {
            f"{float(text):.4g}"
            for row in read_rows(RESULTS / f"{item}.csv")
            for text in row.values()
            if re.fullmatch(r"-?\d[\d.]*(e[+-]?\d+)?", text)
        }
        drawn = [
            point[0 if curve.get("across") else 1]
            for panel in committed(item) for curve in panel["curves"] if curve["mark"] for point in curve["points"]
        ]  # fmt: skip
        known += sum(f"{value:.4g}" in table for value in drawn)
        total += len(drawn)
    assert known > 0.75 * total


def test_every_colour_is_in_the_drawing_and_no_label_has_a_formula_left() -> None:
    shown = [item for item in every() if committed(item)]
    assert len(shown) > 0.9 * len(every())
    for item in shown:
        drawing = (RESULTS / f"{item}.svg").read_text(encoding="utf-8").upper()
        colors = {curve["color"] for panel in committed(item) for curve in panel["curves"]}
        # Black is a shape's colour where it has none.
        assert {color for color in colors - {figures.BLACK} if color not in drawing} == set(), item
        assert [text for text in texts(committed(item)) if re.search(r"[\\$\n]|[{}](?<![_^]\{)(?<!\})", text)] == [], (
            item
        )
        assert all(curve["name"] for panel in committed(item) for curve in panel["curves"]), item
        titles = [panel["title"] for panel in committed(item)]
        assert len(set(titles)) == len(titles), item


def test_marks_that_stand_aside_are_told_at_their_setting() -> None:
    panel = committed("choquettechoo2023/fig04a")[0]
    (curve,) = (curve for curve in panel["curves"] if curve["name"] == "ME")
    assert curve["at"] == [2.0, 5.0, 10.0, 20.0]
    assert [point[0] for point in curve["points"]] != curve["at"]
    assert "at" not in committed("brown2024/fig02")[0]["curves"][0]


def test_a_scale_in_percent_says_so() -> None:
    (panel, *_) = committed("brown2024/fig07")
    assert panel["x"]["label"] == "percentage of all gradients clipped (logit scale)"
    assert (panel["x"]["factor"], [0.5, "50"] in panel["x"]["ticks"]) == (100.0, True)
    values, places = zip(*panel["x"]["bend"], strict=True)
    assert np.allclose(np.log10(np.array(values) / (1 - np.array(values))), places, atol=1e-2)


def test_script_holds_figures_with_lines_only() -> None:
    panels = committed("brown2024/fig02")
    text = curves.script({"fig01": panels, "fig02": []})
    found = json.loads(text.removeprefix("window.dpdescentCurves = ").removesuffix(";\n"))
    assert found == {"fig01": panels}


# --- figures of another kind ----------------------------------------------------------------------------------------


def of(axes: Any) -> Panel:
    (panel,) = lines.panels(axes.figure)
    return panel


def test_what_has_no_label_has_that_of_its_look() -> None:
    figure, axes = figures.panels()
    axes.plot([1, 2, 3], [1, 2, 3], color=figures.BLUE, label="$\\rho_1=1$")
    axes.plot([], [], color=figures.GREY, linestyle="--", label="predicted")
    axes.plot([1, 2, 3], [1, 2, 4], color=figures.BLUE, linestyle="--")
    axes.errorbar([1, 2, 3], [2, 3, 4], yerr=[1, 1, 0], color=figures.GREEN, label="_kept from the figure's legend")
    axes.axhline(2, color=figures.BLACK, linestyle=":")
    axes.axhline(3, color=figures.BLACK, linestyle="-.", label="nominal")
    figures.legend_below(figure, [axes], columns=2)
    assert [curve["name"] for curve in of(axes)["curves"]] == [
        "ρ_{1} = 1", "ρ_{1} = 1, predicted", "kept from the figure's legend", "nominal",
    ]  # fmt: skip
    assert of(axes)["curves"][2]["points"] == [[1.0, 2.0, 1.0, 3.0], [2.0, 3.0, 2.0, 4.0], [3.0, 4.0]]


def test_marks_one_by_one_in_one_look_are_one_curve_and_what_joins_them_is_none() -> None:
    _, axes = figures.panels()
    for place in range(4):
        axes.errorbar([place], [-place], xerr=[0.5], marker="s", color=figures.BLUE, label="a" if place == 0 else None)
        axes.plot([place, place + 1], [-place, -place], color=figures.GREY)
    axes.set_yticks([0, -1, -2, -3], ["none", "$p=5$", "$p=10$", "all"])
    (curve,) = of(axes)["curves"]
    assert (curve["name"], curve["across"], curve["dash"], len(curve["points"])) == ("a", True, lines.NONE, 4)
    assert of(axes)["y"]["ticks"] == [[0.0, "none"], [-1.0, "p = 5"], [-2.0, "p = 10"], [-3.0, "all"]]
    assert "ticks" not in of(axes)["x"]


def test_panels_share_labels_and_have_titles_of_their_own() -> None:
    figure, axes = figures.panels(2, 2, sharex=True)
    for panel in axes.flat:
        panel.plot([1, 10, 100], [1, 2, 3])
    for column, title in enumerate(("left", "right")):
        axes[0, column].set_title(title)
        axes[1, column].set_xlabel("n")
    axes[0, 0].set_ylabel("error")
    axes[1, 0].set_ylabel("ratio")
    found = lines.panels(figure)
    assert [panel["title"] for panel in found] == ["left: error", "right: error", "left: ratio", "right: ratio"]
    assert [panel["x"]["label"] for panel in found] == ["n"] * 4


@pytest.mark.parametrize("points", [[], [(1, 2)], [(1, 2), (2, float("nan"))]])
def test_what_is_no_line_is_left_out(points: list[tuple[float, float]]) -> None:
    figure, axes = figures.panels()
    axes.plot([x for x, _ in points], [y for _, y in points], "o")
    assert lines.panels(figure) == []
