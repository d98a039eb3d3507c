"""Least squares from sufficient statistics: the fit, its intervals, and what they refuse."""

import numpy as np
import pytest
from scipy import stats

from dpdescent.baselines.least_squares import linear_intervals, linear_least_squares
from dpdescent.data.linear import Gram, LinearSample, draw_linear, unit_sphere


def sample(n: int, p: int, seed: int, sigma: float = 1.0) -> LinearSample:
    rng = np.random.default_rng(seed)
    return draw_linear(unit_sphere(p, rng), n, rng, sigma=sigma)


@pytest.mark.parametrize(("n", "p"), [(1, 1), (7, 7), (50, 3), (5000, 60)])
def test_fit_is_that_of_the_rows(n: int, p: int) -> None:
    data = sample(n, p, n)
    reference = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    np.testing.assert_allclose(linear_least_squares(data.gram), reference, rtol=1e-8)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_are_the_textbook_ones(level: float) -> None:
    """With one covariate, scipy's regression through the origin; with more, the formula on the rows."""
    data = sample(40, 4, 1)
    theta = np.linalg.lstsq(data.X, data.y, rcond=None)[0]
    s2 = ((data.y - data.X @ theta) ** 2).sum() / 36
    covariance = s2 * np.linalg.inv(data.X.T @ data.X)
    expected = [2 * stats.t.isf((1 - level) / 2, 36) * np.sqrt(covariance[j, j]) for j in range(4)]
    np.testing.assert_allclose(linear_intervals(data.gram, level), expected, rtol=1e-9)


def test_the_level_is_95_percent_unless_it_is_given() -> None:
    gram = sample(40, 4, 1).gram
    np.testing.assert_array_equal(linear_intervals(gram), linear_intervals(gram, 0.95))


def test_intervals_cover_the_parameter_as_often_as_they_say() -> None:
    rng, theta, runs = np.random.default_rng(2), np.array([0.6, 0.0, -0.8]), 3000
    covered = 0
    for _ in range(runs):
        gram = draw_linear(theta, 8, rng, sigma=2.0).gram
        covered += (np.abs(linear_least_squares(gram) - theta) <= linear_intervals(gram, 0.8) / 2).sum()
    # Coordinates of one fit are dependent; three times the binomial error of the fits alone.
    assert covered / (3 * runs) == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / runs))


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(unit: float) -> None:
    data, units = sample(60, 3, 3), np.array([1.0, unit, 1 / unit])
    scaled = LinearSample(data.X * units, data.y).gram
    np.testing.assert_allclose(linear_least_squares(scaled) * units, linear_least_squares(data.gram), rtol=1e-10)
    np.testing.assert_allclose(linear_intervals(scaled) * units, linear_intervals(data.gram), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("fit", [linear_least_squares, linear_intervals])
def test_dependent_columns_are_refused(fit, scale: float) -> None:
    X, y = sample(30, 3, 4).X, np.ones(30)
    for singular in (X[:, [0, 1, 0]], np.column_stack([X[:, :2], X[:, 0] - 3 * X[:, 1]]), X * [1.0, 0.0, 1.0]):
        with pytest.raises(ValueError, match="X'X of n=30 records and p=3 covariates is singular"):
            fit(LinearSample(singular * [1.0, 1.0, scale], y).gram)


def test_fewer_records_than_coefficients_are_refused() -> None:
    gram = sample(4, 5, 5).gram
    with pytest.raises(ValueError, match="X'X of n=4 records and p=5 covariates is singular"):
        linear_least_squares(gram)
    with pytest.raises(ValueError, match="n=4 records leave no degree of freedom for p=5"):
        linear_intervals(gram)
    with pytest.raises(ValueError, match="n=5 records leave no degree of freedom for p=5"):
        linear_intervals(sample(5, 5, 5).gram)
    assert linear_intervals(sample(6, 5, 5).gram).shape == (5,)


def test_indefinite_statistics_are_refused() -> None:
    with pytest.raises(ValueError, match="n=9 records and p=2"):
        linear_least_squares(Gram(9, np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2), 1.0))


def test_nearly_dependent_columns_are_still_fitted() -> None:
    data = sample(100, 2, 6)
    near = LinearSample(np.column_stack([data.X[:, 0], data.X[:, 0] + 1e-5 * data.X[:, 1]]), data.y)
    reference = np.linalg.lstsq(near.X, near.y, rcond=None)[0]
    np.testing.assert_allclose(linear_least_squares(near.gram), reference, rtol=1e-4)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_levels_out_of_range_are_refused(level: float) -> None:
    with pytest.raises(ValueError, match=f"level={level}"):
        linear_intervals(sample(9, 2, 7).gram, level)


def test_residuals_below_rounding_give_no_interval() -> None:
    with pytest.raises(ValueError, match="within the rounding of y'y"):
        linear_intervals(sample(50, 3, 8, sigma=1e-12).gram)
    assert linear_intervals(sample(50, 3, 8, sigma=1e-5).gram).max() < 1e-5
