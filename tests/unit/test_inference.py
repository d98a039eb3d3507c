"""Constructions of estimates against literal loops, and intervals whose coverage is known."""

import statistics

import numpy as np
import pytest
from scipy import stats

from dpdescent import interval_arithmetic as intervals
from dpdescent.interval_arithmetic import Intervals, t_intervals

# Trailing axes: one number, replications of a vector, replications of a matrix (first stage of an IV regression).
SHAPES = [(), (3, 4), (2, 3, 2)]


def path_of(steps, *shape):
    return np.random.default_rng(1).standard_normal((steps, *shape)).cumsum(axis=0)


def mean_of(iterates):
    return sum(iterates) / len(iterates)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("steps", "m", "burn_in"), [(120, 10, 20), (60, 10, 0), (27, 4, 3), (14, 4, 10)])
def test_estimates_of_one_run_equal_literal_loops(steps, m, burn_in, shape):
    path = path_of(steps, *shape)
    iterate = {t: path[t - 1] for t in range(1, steps + 1)}
    L = (steps - burn_in) // m
    points = [iterate[burn_in + l * L] for l in range(1, m + 1)]
    means = [mean_of([iterate[burn_in + (l - 1) * L + i] for i in range(1, L + 1)]) for l in range(1, m + 1)]
    np.testing.assert_array_equal(intervals.checkpoints(path, m, burn_in), points)
    np.testing.assert_allclose(intervals.batched_means(path, m, burn_in), means, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("burn_in", "tail", "first"), [(20, None, 21), (20, 3, 23), (0, 1, 25), (0, None, 1)])
def test_estimates_of_independent_runs_equal_literal_loops(burn_in, tail, first, shape):
    runs = path_of(25, 4, *shape)
    expected = [mean_of([runs[t - 1, k] for t in range(first, 26)]) for k in range(4)]
    np.testing.assert_allclose(intervals.independent_runs(runs, burn_in, tail), expected, rtol=1e-13, atol=1e-13)


def test_which_iterates_are_taken():
    """Iterate number t has the value t, so that the estimates say where they come from."""
    path = np.arange(1.0, 121.0)
    np.testing.assert_array_equal(intervals.checkpoints(path, 10, 20), np.arange(30.0, 121.0, 10.0))
    np.testing.assert_array_equal(intervals.checkpoints(path, 4, 0), [30.0, 60.0, 90.0, 120.0])
    np.testing.assert_array_equal(intervals.batched_means(path, 10, 20), np.arange(25.5, 120.0, 10.0))
    runs = np.tile(path[:, None], (1, 2))
    np.testing.assert_array_equal(intervals.independent_runs(runs, 0, tail=1), [120.0, 120.0])
    np.testing.assert_array_equal(intervals.independent_runs(runs, 100), [110.5, 110.5])


@pytest.mark.parametrize(("m", "level"), [(2, 0.95), (10, 0.95), (7, 0.8)])
def test_interval_equals_its_formula(m, level):
    estimates = path_of(m, 3, 2)
    found = t_intervals(estimates, level)
    quantile = stats.t(m - 1).ppf(1 - (1 - level) / 2)
    for index in np.ndindex(3, 2):
        values = [float(value) for value in estimates[:, *index]]
        half = quantile * statistics.stdev(values) / m**0.5
        assert found.centre[index] == pytest.approx(statistics.mean(values), rel=1e-12, abs=1e-12)
        assert found.half_width[index] == pytest.approx(half, rel=1e-12)
        assert found.length[index] == pytest.approx(2 * half, rel=1e-12)


def test_ten_estimates_have_the_tabulated_quantile():
    """t_.975 with 9 degrees of freedom, as printed in every table of it."""
    assert intervals.t_factor(10, 0.95) * 10**0.5 == pytest.approx(2.262, abs=5e-4)


@pytest.mark.parametrize(("m", "level"), [(2, 0.9), (5, 0.5), (10, 0.95)])
def test_coverage_of_ideal_estimates_is_exact(m, level):
    """brown2024 Claim C.9, for correlated coordinates of different scales."""
    rng, count = np.random.default_rng(2), 60_000
    mean, root = np.array([5.0, -0.1]), np.array([[3.0, 0.0], [0.02, 0.05]])
    estimates = mean + rng.standard_normal((m, count, 2)) @ root.T
    coverage = t_intervals(estimates, level).covers(mean).mean(axis=0)
    assert np.abs(coverage - level).max() < 4 * (level * (1 - level) / count) ** 0.5


def test_intervals_are_closed_and_targets_broadcast():
    found = Intervals(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[0.5, 0.5], [0.25, 2.0]]))
    np.testing.assert_array_equal(found.covers(1.5), [[False, True], [False, True]])
    np.testing.assert_array_equal(found.covers(np.array([0.5, 1.0])), [[True, True], [False, True]])
    np.testing.assert_array_equal(found.covers(np.array([[-0.5], [2.25]])), [[True, False], [True, True]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intervals.checkpoints(np.zeros(125), 10, 20), "105 must be a positive multiple of m=10"),
        (lambda: intervals.batched_means(np.zeros(125), 10, 20), "105 must be a positive multiple of m=10"),
        (lambda: intervals.checkpoints(np.zeros(20), 10, 20), "= 0 must be a positive multiple"),
        (lambda: intervals.batched_means(np.zeros(10), 10, 20), "= -10 must be a positive multiple"),
        (lambda: intervals.checkpoints(np.zeros(20), 1, 0), "m=1 must be at least 2"),
        (lambda: intervals.batched_means(np.zeros(20), 10, -10), "burn_in=-10 must not be negative"),
        (lambda: intervals.independent_runs(np.zeros((20, 5)), 20), "burn_in=20 must .* T=20"),
        (lambda: intervals.independent_runs(np.zeros((20, 5)), -1), "burn_in=-1 must"),
        (lambda: intervals.independent_runs(np.zeros((25, 5)), 20, tail=6), "tail=6 must lie between 1 and the 5"),
        (lambda: intervals.independent_runs(np.zeros((25, 5)), 20, tail=0), "tail=0 must"),
        (lambda: intervals.independent_runs(np.zeros((25, 1)), 20), r"\(25, 1\) must be \(T, m"),
        (lambda: intervals.independent_runs(np.zeros(25), 20), r"\(25,\) must be \(T, m"),
        (lambda: t_intervals(np.zeros((1, 3))), "m=1 estimates"),
        (lambda: t_intervals(np.zeros((4, 3)), level=95.0), r"level=95.0 must"),
        (lambda: t_intervals(np.zeros((4, 3)), level=1.0), r"level=1.0 must"),
        (lambda: t_intervals(np.array([1.0, np.nan, 2.0])), "NaN or infinite"),
        (lambda: t_intervals(np.array([1.0, np.inf, 2.0])), "NaN or infinite"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
