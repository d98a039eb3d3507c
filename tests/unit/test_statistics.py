"""Estimates with intervals, and verdicts from them, on rows whose truth is known."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.statistics import Estimate

NORMAL = 1.959963984540054


def row(**values: Any) -> "pd.Series[float]":
    usual = {"mean": 1.0, "se": 0.1, "median": 1.0, "median_low": 0.5, "median_high": 2.0, "trials": 100}
    return pd.Series({**usual, **values})


def test_mean_and_median_of_a_row() -> None:
    estimate = statistics.mean_of(row(mean=4.0, se=0.5))
    assert estimate == Estimate(4.0, pytest.approx(4 - NORMAL / 2), pytest.approx(4 + NORMAL / 2))
    assert statistics.mean_of(row(mean=4.0, se=math.nan)) == Estimate(4.0, 4.0, 4.0)
    assert statistics.median_of(row(median=1.5)) == Estimate(1.5, 0.5, 2.0)


def test_difference_of_two_means() -> None:
    estimate = statistics.difference(row(mean=3.0, se=0.3), row(mean=1.0, se=0.4))
    assert estimate == Estimate(2.0, pytest.approx(2 - NORMAL / 2), pytest.approx(2 + NORMAL / 2))
    assert statistics.difference(row(mean=3.0, se=math.nan), row(mean=1.0, se=math.nan)) == Estimate(2.0, 2.0, 2.0)


def test_ratio_of_two_means_on_the_log_scale() -> None:
    estimate = statistics.ratio(row(mean=6.0, se=0.18), row(mean=2.0, se=0.08))
    factor = math.exp(NORMAL * 0.05)
    assert estimate == Estimate(3.0, pytest.approx(3 / factor), pytest.approx(3 * factor))
    inverse = statistics.ratio(row(mean=2.0, se=0.08), row(mean=6.0, se=0.18))
    assert (inverse.low, inverse.high) == (pytest.approx(1 / estimate.high), pytest.approx(1 / estimate.low))


def power_law(exponent: float, se: float = 0.0, factor: float = 7.0) -> pd.DataFrame:
    n = np.array([500.0, 1000.0, 3000.0, 10_000.0])
    return pd.DataFrame({"n": n, "mean": factor * n**exponent, "se": se * factor * n**exponent})


@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.0, 2.0])
def test_slope_of_a_power_law_is_its_exponent(exponent: float) -> None:
    estimate = statistics.log_log_slope(power_law(exponent), "n")
    assert estimate == Estimate(*[pytest.approx(exponent, abs=1e-12)] * 3)
    shuffled = statistics.log_log_slope(power_law(exponent).sample(frac=1, random_state=1), "n")
    assert shuffled.value == pytest.approx(exponent, abs=1e-12)


@pytest.mark.parametrize(("se", "least"), [(0.05, 0.93), (1e-6, 0.925)])
def test_interval_of_the_slope_covers_at_least_as_often_as_it_says(se: float, least: float) -> None:
    """Means that scatter by 5 %: the wider interval holds the exponent, also where the errors are understated."""
    rng = np.random.default_rng(1)
    hits, count = 0, 2000
    for _ in range(count):
        table = power_law(-0.5, se=se)
        table["mean"] *= np.exp(0.05 * rng.standard_normal(len(table)))
        estimate = statistics.log_log_slope(table, "n")
        hits += estimate.low <= -0.5 <= estimate.high
    assert hits / count > least


def test_a_bent_curve_is_no_precise_slope() -> None:
    bent = power_law(-0.5, se=1e-4)
    bent["mean"] += 0.1 * bent["mean"].iloc[0]
    estimate = statistics.log_log_slope(bent, "n")
    straight = statistics.log_log_slope(power_law(-0.5, se=1e-4), "n")
    assert estimate.high - estimate.low > 20 * (straight.high - straight.low)


def test_slope_of_exact_means_has_no_width() -> None:
    estimate = statistics.log_log_slope(power_law(-0.5).assign(se=math.nan), "n")
    assert estimate.high - estimate.low < 1e-12


def test_ratio_of_spreads() -> None:
    wide, narrow = row(q25=0.0, q75=6.0, trials=100), row(q25=1.0, q75=3.0, trials=400)
    estimate = statistics.spread_ratio(wide, narrow)
    factor = math.exp(NORMAL * 1.36 * math.hypot(0.1, 0.05))
    assert estimate == Estimate(3.0, pytest.approx(3 / factor), pytest.approx(3 * factor))


def test_interval_of_the_spreads_covers_normal_samples() -> None:
    """A margin is kept for heavier tails, so that normal samples are covered more often than 95 %."""
    rng = np.random.default_rng(2)
    hits, count, size = 0, 1000, 100
    for _ in range(count):
        quartiles = np.quantile(rng.standard_normal((2, size)), [0.25, 0.75], axis=1).T
        rows = [row(q25=low, q75=high, trials=size) for low, high in quartiles]
        estimate = statistics.spread_ratio(*rows)
        hits += estimate.low <= 1 <= estimate.high
    assert hits / count > 0.95


@pytest.mark.parametrize(
    ("low", "high", "criterion", "verdict"),
    [
        (1.0, 2.0, {"at_least": 1.0}, "reproduced"),
        (1.0, 2.0, {"at_least": 2.0}, "inconclusive"),
        (1.0, 2.0, {"at_least": 2.1}, "not reproduced"),
        (1.0, 2.0, {"at_most": 2.0}, "reproduced"),
        (1.0, 2.0, {"at_most": 1.5}, "inconclusive"),
        (1.0, 2.0, {"at_most": 0.9}, "not reproduced"),
        (1.0, 2.0, {"at_least": 0.5, "at_most": 2.5}, "reproduced"),
        (1.0, 3.0, {"at_least": 0.5, "at_most": 2.5}, "inconclusive"),
        (0.1, 3.0, {"at_least": 0.5, "at_most": 2.5}, "inconclusive"),
        (3.0, 4.0, {"at_least": 0.5, "at_most": 2.5}, "not reproduced"),
        (1.0, 2.0, {}, "reproduced"),
        (math.nan, math.nan, {"at_least": 0.0}, "not testable"),
    ],
)
def test_verdict_needs_the_whole_interval(low: float, high: float, criterion: dict[str, float], verdict: str) -> None:
    assert statistics.verdict(Estimate((low + high) / 2, low, high), **criterion) == verdict


def test_one_failure_refutes_and_one_doubt_leaves_open() -> None:
    assert statistics.verdict_on_all(["reproduced", "reproduced"]) == "reproduced"
    assert statistics.verdict_on_all(["reproduced", "inconclusive"]) == "inconclusive"
    assert statistics.verdict_on_all(["inconclusive", "not reproduced", "reproduced"]) == "not reproduced"
    assert statistics.verdict_on_all(["reproduced", "not testable"]) == "not testable"


def test_extremes() -> None:
    table = pd.DataFrame({"mean": [2.0, 8.0, 4.0], "se": [0.0, 0.0, 0.0]})
    assert statistics.extreme_ratio(table) == Estimate(4.0, 4.0, 4.0)
    estimates = [Estimate(1.0, 0.0, 9.0), Estimate(3.0, 2.0, 4.0)]
    assert statistics.worst(estimates) == estimates[1]
    assert statistics.worst(estimates, largest=False) == estimates[0]


def test_up_to_thirty_trials_an_interval_is_students() -> None:
    assert statistics.half_width(row(trials=5)) == pytest.approx(0.1 * 2.7764, abs=1e-4)
    assert statistics.half_width(row(trials=31)) == statistics.half_width(row(trials=1)) == pytest.approx(0.1 * NORMAL)
    assert statistics.half_width(row(se=math.nan, trials=5)) == 0.0
    table = pd.DataFrame([row(trials=5), row(trials=100), row(se=math.nan)])
    assert statistics.half_widths(table).tolist() == [statistics.half_width(each) for _, each in table.iterrows()]
    assert statistics.half_widths(table.drop(columns="trials"))[0] == pytest.approx(0.1 * NORMAL)


def test_students_interval_of_few_trials_covers() -> None:
    """The difference of two means over three and five normal trials."""
    rng = np.random.default_rng(5)
    hits, count = 0, 4000
    for _ in range(count):
        first, second = rng.standard_normal(3), 2.0 * rng.standard_normal(5)
        rows = [row(mean=x.mean(), se=x.std(ddof=1) / len(x) ** 0.5, trials=len(x)) for x in (first, second)]
        estimate = statistics.difference(*rows)
        hits += estimate.low <= 0.0 <= estimate.high
    assert hits / count > 0.95


def test_a_paired_ratio_has_the_covariance_of_its_rows() -> None:
    """Two arms whose errors are a common part and a small one of their own: by hand, from the trials."""
    rng = np.random.default_rng(3)
    common = 1.0 + 0.3 * rng.standard_normal(400)
    first, second = common + 0.02 * rng.standard_normal(400), 0.95 * common + 0.02 * rng.standard_normal(400)
    rows = [
        pd.Series({"mean": values.mean(), "se": values.std(ddof=1) / 20.0, "trials": 400})
        for values in (first, second, first - second)
    ]
    found = statistics.paired_ratio(*rows)
    slope = first.mean() / second.mean()
    by_hand = 1.96 * (first / first.mean() - second / second.mean()).std(ddof=1) / 20.0
    assert found.value == pytest.approx(slope)
    assert math.log(found.high / found.low) / 2 == pytest.approx(by_hand, rel=2e-3)
    apart = statistics.ratio(rows[0], rows[1])
    assert found.high - found.low < 0.2 * (apart.high - apart.low)
