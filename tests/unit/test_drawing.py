"""What all papers' figures share: how rows of a table are chosen, and how numbers are written."""

import math

import pandas as pd
import pytest

from dpdescent.replication.drawing import figures

TABLE = pd.DataFrame(
    {"variant": ["main", "main", "other", "other"], "n": [2, 1, 2, math.nan], "mean": [0.0, 3.0, math.inf, 5.0]},
    index=[5, 6, 7, 8],
)


def test_rows_are_chosen_by_their_values_in_one_variant_or_in_all() -> None:
    assert list(figures.select(TABLE).index) == [5, 6]
    assert list(figures.select(TABLE, "other", n=2).index) == [7]
    assert list(figures.where(TABLE, n=2).index) == [5, 7]
    assert list(figures.where(TABLE).index) == [5, 6, 7, 8]
    assert figures.where(TABLE, n=3).empty


def test_logarithmic_axes_show_finite_positive_values() -> None:
    assert list(figures.positive(TABLE).index) == [6, 8]
    assert list(figures.positive(TABLE, "n").index) == [5, 6, 7]


def test_values_are_each_named_once_in_rising_order() -> None:
    assert figures.values_of(TABLE, "n") == [1, 2]
    assert figures.values_of(TABLE[:0], "n") == []


def test_slope_is_a_dash_where_points_have_none() -> None:
    line = pd.DataFrame({"n": [1.0, 10.0, 100.0], "mean": [100.0, 10.0, 1.0], "se": 0.0})
    assert figures.slope_of(line, "n") == "$-1.00$"
    assert figures.slope_of(line[:1], "n") == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.05, "0.05"), (20, "20"), (1 / 3, "0.333"), (1234, "1234"), (0, "0"), (1e5, "10^{5}"), (1e-6, "10^{-6}"),
        (3e5, r"3\cdot10^{5}"), (math.inf, "inf"),
    ],
)  # fmt: skip
def test_numbers_in_formulas_are_plain_or_powers_of_ten(value: float, text: str) -> None:
    assert figures.scientific(value) == text
