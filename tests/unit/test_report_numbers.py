"""The numbers behind a figure: one row a point, one column a curve, and nothing where there is too much."""

from typing import Any

from dpdescent.replication.report import numbers


def row(n: int, series: str, mean: str, se: str = "", variant: str = "main", **more: str) -> Any:
    return {
        "n": str(n),
        "rho": "0.10000000000000001",
        "series": series,
        "variant": variant,
        "mean": mean,
        "se": se,
    } | more


def test_curves_stand_side_by_side_at_each_point() -> None:
    rows = [
        row(10, "a", "0.123456", "0.01234"), row(10, "b", "2", "0"), row(20, "a", "", median="7.5"),
        row(10, "a", "9", variant="other"),
    ]  # fmt: skip
    assert numbers.behind(rows, ["n", "rho"]) == [{
        "panel": "",
        "constant": "rho = 0.1",
        "curves": ["a", "b"],
        "columns": ["n", "a", "b"],
        "rows": [["10", "0.1235 ± 0.012", "2"], ["20", "7.5", ""]],
    }]  # fmt: skip


def test_each_panel_has_its_own_curves_and_columns() -> None:
    rows = [row(10, "a", "1", panel="left"), row(20, "a", "2", panel="left"), row(30, "b", "3", panel="right")]
    left, right = numbers.behind(rows, ["panel", "n", "rho"])
    assert (left["panel"], left["columns"], left["constant"]) == ("left", ["n", "a"], "rho = 0.1")
    assert (right["panel"], right["columns"], right["constant"]) == ("right", ["b"], "n = 30, rho = 0.1")


def test_what_is_too_much_for_a_page_is_left_to_the_table() -> None:
    assert numbers.behind([row(n, "a", "1") for n in range(numbers.MOST_ROWS + 1)], ["n"]) == []
    assert numbers.behind([row(1, f"curve {k}", "1") for k in range(numbers.MOST_CURVES + 1)], ["n"]) == []
    assert numbers.behind([], ["n"]) == []
