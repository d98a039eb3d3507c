"""Row algebra on made-up tables whose ratios, slopes and ends are known."""

import math

import numpy as np
import pandas as pd
import pytest

from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, mean_of, minus, pooled

UPPER = pd.DataFrame({"n": [1, 2, 4], "kind": ["a", "a", math.nan], "mean": [6.0, 8.0, 10.0], "se": 0.1, "trials": 5})
LOWER = pd.DataFrame({"n": [4, 2, 3], "kind": [math.nan, "a", "a"], "mean": [5.0, 2.0, 1.0], "se": 0.2, "trials": 5})


def test_places_are_told_by_what_has_a_value() -> None:
    assert algebra.place_of(UPPER.iloc[0], ["n", "kind"]) == "n = 1, kind = a"
    assert algebra.place_of(UPPER.iloc[2], ["n", "kind"]) == "n = 4"


def test_ratios_are_taken_at_equal_places_only() -> None:
    found = algebra.ratios(UPPER, LOWER, ["n", "kind"])
    assert {place: each.value for place, each in found.items()} == {"n = 2, kind = a": 4.0, "n = 4": 2.0}
    assert algebra.ratios(UPPER, LOWER, ["n", "kind"], named_by=["n"]).keys() == {"n = 2", "n = 4"}
    assert algebra.ratios(UPPER.assign(mean=-1.0), LOWER, ["n"]) == {}
    cost = algebra.differences(UPPER, LOWER, ["n", "kind"])
    assert cost["mean"].tolist() == [6.0, 5.0]
    assert cost["se"].tolist() == pytest.approx([math.hypot(0.1, 0.2)] * 2)


def test_means_have_the_interval_that_is_asked_for() -> None:
    """Student's for the five trials of each row, unless another law is asked for."""
    few, other = (algebra.means(UPPER, ["n"], law)["n = 2"] for law in (mean_of, lambda row: exactly(row["mean"])))
    assert few.value == other.value == 8.0
    assert few.high - 8.0 == pytest.approx(0.1 * 2.776, abs=1e-4)
    assert other.high == 8.0


def test_groups_without_a_value_are_left_out() -> None:
    found = algebra.measured_by(UPPER, ["kind"], lambda group: algebra.last_over_first(group, "n"))
    assert {place: each.value for place, each in found.items()} == {"kind = a": pytest.approx(8.0 / 6.0)}


def test_ends_and_steps() -> None:
    assert algebra.last_over_first(UPPER, "n").value == pytest.approx(10.0 / 6.0)
    assert algebra.rows_at_end(UPPER, "n", largest=False)["mean"].tolist() == [6.0]
    assert algebra.rows_at_end(UPPER.assign(n=math.nan), "n").empty
    assert math.isnan(algebra.last_over_first(UPPER[:1], "n").value)
    assert [each.value for each in algebra.step_ratios([1.0, 2.0, 0.0, 6.0])] == [2.0, 3.0]
    assert algebra.largest_over_smallest([2.0, 8.0, 4.0]).value == 4.0
    assert algebra.largest_over_first([2.0, 8.0, 4.0]).value == 4.0
    assert algebra.largest_over_first([4.0, 2.0]).value == 1.0
    assert algebra.largest_over_smallest([1.0]) is NOTHING


@pytest.mark.parametrize("power", [-1.0, 0.5])
def test_exponent_of_a_power_law_from_three_points_on(power: float) -> None:
    n = np.array([1.0, 10.0, 100.0])
    table = pd.DataFrame({"n": n, "mean": n**power, "se": math.nan})
    assert algebra.exponent(table, "n").value == pytest.approx(power)
    assert algebra.least_squares_slope(table, "n").value == pytest.approx(power)
    assert math.isnan(algebra.exponent(table[:2], "n").value)
    assert algebra.exponent(table[:2], "n", points=2).value == pytest.approx(power)
    bent = table.assign(mean=table["mean"] * [1.0, 3.0, 1.0])
    assert algebra.exponent(bent, "n").high > algebra.least_squares_slope(bent, "n").high == pytest.approx(power)


def test_scaling_leaves_out_what_has_no_positive_factor() -> None:
    found = algebra.scaled_rows(UPPER, np.array([2.0, 0.0, -1.0]))
    assert (found["mean"].tolist(), found["se"].tolist()) == ([12.0], [0.2])


def test_difference_and_geometric_mean_of_estimates() -> None:
    assert minus(Estimate(5.0, 4.0, 6.0), Estimate(1.0, 1.0, 1.0)) == Estimate(4.0, 3.0, 5.0)
    found = pooled([Estimate(2.0, 1.0, 4.0), Estimate(8.0, 4.0, 16.0)])
    assert (found.value, found.high) == (pytest.approx(4.0), pytest.approx(4.0 * 2.0 ** math.sqrt(0.5)))
    assert math.isnan(pooled([]).value)


def test_values_are_told_by_their_places() -> None:
    assert (
        algebra.places_text({"n = 1": Estimate(0.12345, 0.1, 0.2), "": Estimate(2.0, 1.0, 3.0)})
        == "0.123 at n = 1, 2 at all"
    )
    assert algebra.places_text({}) == "no rows"
