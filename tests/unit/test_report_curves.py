"""Curves for the browser: along which column, which points with which intervals, and what tells them apart."""

import json
from typing import Any

from dpdescent.replication.report import curves


def row(**values: Any) -> dict[str, str]:
    empty = dict.fromkeys(("panel", "mean", "se", "median", "median_low", "median_high"), "")
    return {**empty, "series": "a", "variant": "main", **{name: str(value) for name, value in values.items()}}


def test_curve_runs_along_the_column_with_most_values() -> None:
    rows = [row(n=n, rho=rho, mean=1, se=0.5) for n in (10, 20, 30) for rho in (0.1, 1.0)]
    found = curves.curves(rows, ["n", "rho"])
    assert [each["along"] for each in found] == ["n", "n"]
    assert [each["name"] for each in found] == ["a, rho = 0.1", "a, rho = 1"]
    assert found[0]["points"] == [[n, 1.0, 0.02, 1.98] for n in (10.0, 20.0, 30.0)]


def test_medians_have_their_own_intervals_and_values_alone_have_none() -> None:
    rows = [row(n=n, median=2, median_low=1, median_high=4) for n in (1, 2, 3)]
    assert curves.curves(rows, ["n"])[0]["points"][0] == [1.0, 2.0, 1.0, 4.0]
    rows = [row(n=n, mean=2, se=0) for n in (1, 2, 3)]
    assert curves.curves(rows, ["n"])[0]["points"][0] == [1.0, 2.0]


def test_columns_that_move_with_another_do_not_cut_its_curves() -> None:
    """T and B follow from n, and N from n and the ratio, which does part curves."""
    rows = [row(n=n, T=25 * n, B=n, mean=1, se=0) for n in (10, 20, 40)]
    (found,) = curves.curves(rows, ["n", "T", "B"])
    assert (found["along"], len(found["points"]), found["name"]) == ("n", 3, "a")
    rows = [row(ratio=ratio, d=d, N=ratio * d, mean=1, se=0) for ratio in (7, 11) for d in (1, 2, 3)]
    found = curves.curves(rows, ["ratio", "N", "d"])
    assert [(each["name"], len(each["points"])) for each in found] == [("a, ratio = 7", 3), ("a, ratio = 11", 3)]


def test_columns_that_have_one_value_at_each_place_do_not_cut_curves_where_nothing_else_makes_lines() -> None:
    places = [(25, 100, "met"), (50, 200, "met"), (100, 250, "T capped"), (200, 250, "T capped")]
    rows = [row(n=n, T=T, state=state, mean=1, se=0) for n, T, state in places]
    (found,) = curves.curves(rows, ["n", "T", "state"])
    assert (found["along"], [point[0] for point in found["points"]]) == ("n", [25.0, 50.0, 100.0, 200.0])


def test_points_whose_place_is_a_word_are_left_out_where_the_others_make_a_line() -> None:
    rows = [row(factor=factor, law="normal", mean=1, se=0) for factor in (1, 2, 4, "log N")]
    (found,) = curves.curves(rows, ["law", "factor"])
    assert (found["along"], [point[0] for point in found["points"]]) == ("factor", [1.0, 2.0, 4.0])


def test_a_large_panel_leaves_room_for_small_ones() -> None:
    sizes = {"large": curves.MOST, "small": 5}
    rows = [
        row(panel=name, series=f"arm {arm}", n=n, mean=1, se=0)
        for name in sizes for arm in range(sizes[name]) for n in (1, 2, 3)
    ]  # fmt: skip
    names = [each["panel"] for each in curves.curves(rows, ["panel", "n"])]
    assert (names.count("large"), names.count("small")) == (curves.MOST - 5, 5)


def test_what_is_no_line_is_left_out() -> None:
    assert curves.curves([row(law=name, mean=1, se=0) for name in ("x", "y", "z")], ["law"]) == []
    assert curves.curves([row(n=n, mean=1, se=0) for n in (1, 2)], ["n"]) == []
    assert curves.curves([row(n=n, mean="nan") for n in (1, 2, 3)], ["n"]) == []


def test_columns_that_say_nothing_new_are_not_in_names() -> None:
    rows = [row(table=t, p=p, n=n, mean=1, se=0) for t, p in (("x", 3), ("y", 4)) for n in (1, 2, 3)]
    assert [each["name"] for each in curves.curves(rows, ["table", "p", "n"])] == ["a, table = x", "a, table = y"]


def test_script_holds_figures_with_lines_only() -> None:
    lines = [row(n=n, mean=1, se=0) for n in (1, 2, 3)]
    text = curves.script({"fig01": curves.curves(lines, ["n"]), "fig02": curves.curves(lines[:1], ["n"])})
    found = json.loads(text.removeprefix("window.dpdescentCurves = ").removesuffix(";\n"))
    assert list(found) == ["fig01"]
