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
    assert numbers.behind(rows, ["n", "rho"]) == {
        "constant": [("rho", "0.1")],
        "columns": ["n", "a", "b"],
        "rows": [["10", "0.1235 ± 0.012", "2"], ["20", "7.5", ""]],
    }


def test_what_is_too_much_for_a_page_is_left_to_the_table() -> None:
    assert numbers.behind([row(n, "a", "1") for n in range(numbers.MOST_ROWS + 1)], ["n"]) is None
    assert numbers.behind([row(1, f"curve {k}", "1") for k in range(numbers.MOST_CURVES + 1)], ["n"]) is None
    assert numbers.behind([], ["n"]) is None
