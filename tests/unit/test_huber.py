"""The Huberised minimiser: its gradient is the mean of clipped gradients, and it minimises."""

import tracemalloc

import numpy as np
import pytest
from scipy import optimize

from dpdescent.baselines.ada_ssp import Bounds, bounded_gram
from dpdescent.baselines.least_squares import huber_minimiser, linear_least_squares
from dpdescent.data import linear
from dpdescent.data.linear import LinearSample, draw_linear, plant_outliers, unit_sphere
from twins import clip

# n, p, threshold over sqrt(p), with outliers; from hardly any clipping to nine gradients in ten.
CASES = [(60, 3, 3.0, False), (300, 4, 1.0, True), (300, 4, 0.1, True), (500, 6, 0.05, False), (200, 1, 0.3, True)]


def sample(n: int, p: int, outliers: bool, seed: int = 1) -> LinearSample:
    rng = np.random.default_rng(seed)
    data = draw_linear(unit_sphere(p, rng), n, rng)
    return plant_outliers(data, 0.05, 30.0) if outliers else data


def clipped_gradient(data: LinearSample, theta: np.ndarray, gamma: float) -> tuple[np.ndarray, float]:
    """Mean of the explicitly formed and clipped gradients, and the fraction clipped."""
    gradients = -data.X * (data.y - data.X @ theta)[:, None]
    return clip(gradients, gamma).mean(0), float((np.linalg.norm(gradients, axis=1) > gamma).mean())


def loss(data: LinearSample, theta: np.ndarray, gamma: float) -> float:
    """Mean of the Huber losses with B_i = gamma / |x_i|, record by record (brown2024 Sec. 2.5)."""
    total = 0.0
    for x, y in zip(data.X, data.y, strict=True):
        r, B = abs(y - x @ theta), gamma / np.linalg.norm(x)
        total += 0.5 * r**2 if r <= B else B * (r - B / 2)
    return total / data.n


def test_the_gradient_of_the_loss_is_the_mean_of_clipped_gradients() -> None:
    for n, p, k, outliers in CASES:
        data, gamma = sample(n, p, outliers), k * p**0.5
        theta = np.random.default_rng(n).standard_normal(p)
        numerical = optimize.approx_fprime(theta, lambda at: loss(data, at, gamma), 1e-6)  # noqa: B023
        np.testing.assert_allclose(numerical, clipped_gradient(data, theta, gamma)[0], atol=1e-4 * gamma)


@pytest.mark.parametrize(("n", "p", "k", "outliers"), CASES)
def test_the_clipped_gradient_vanishes_at_the_minimiser(n: int, p: int, k: float, outliers: bool) -> None:
    data, gamma = sample(n, p, outliers), k * p**0.5
    theta = huber_minimiser(data, gamma)
    gradient, fraction = clipped_gradient(data, theta, gamma)
    assert np.linalg.norm(gradient) < 1e-11 * gamma
    assert (fraction > 0.85) if k <= 0.1 else (0.0 < fraction < 0.8)
    # Least squares is another point: there the clipped gradients do not cancel.
    assert np.linalg.norm(clipped_gradient(data, linear_least_squares(data.gram), gamma)[0]) > 1e-5 * gamma


@pytest.mark.parametrize(("n", "p", "k", "outliers"), CASES)
def test_it_is_what_a_general_optimiser_finds(n: int, p: int, k: float, outliers: bool) -> None:
    data, gamma = sample(n, p, outliers), k * p**0.5
    theta = huber_minimiser(data, gamma)
    found = optimize.minimize(
        lambda at: loss(data, at, gamma), np.zeros(p), jac=lambda at: clipped_gradient(data, at, gamma)[0],
        method="BFGS", options={"gtol": 1e-9 * gamma},
    )  # fmt: skip
    assert loss(data, theta, gamma) <= found.fun * (1 + 1e-12)
    np.testing.assert_allclose(theta, found.x, atol=1e-5)


@pytest.mark.parametrize("gamma", [1e6, np.inf])
def test_without_clipping_it_is_least_squares(gamma: float) -> None:
    data = sample(100, 3, True)
    np.testing.assert_allclose(huber_minimiser(data, gamma), linear_least_squares(data.gram), rtol=1e-11)


def test_an_outlier_hardly_moves_it() -> None:
    data = sample(200, 2, False)
    before = huber_minimiser(data, 1.0)
    data.y[0] += 1e9
    planted = LinearSample(data.X, data.y)
    assert np.linalg.norm(linear_least_squares(planted.gram) - before) > 1e5
    # One record pulls with gamma at most, against a curvature of at least a third of the records.
    assert np.linalg.norm(huber_minimiser(planted, 1.0) - before) < 2 * 3 / 200


def test_records_at_the_origin_do_not_count() -> None:
    data = sample(100, 3, True)
    more = LinearSample(np.vstack([data.X, np.zeros((5, 3))]), np.append(data.y, [1e6] * 5))
    np.testing.assert_allclose(huber_minimiser(more, 1.0), huber_minimiser(data, 1.0), rtol=1e-10)


def test_units_of_a_covariate_do_not_decide_when_to_stop() -> None:
    """Columns that nearly coincide in a coordinate of large coefficients: the clipped gradient still vanishes."""
    data = sample(400, 2, True)
    near = LinearSample(np.column_stack([data.X[:, 0], data.X[:, 0] + 1e-4 * data.X[:, 1]]), data.y)
    theta = huber_minimiser(near, 0.5)
    assert np.linalg.norm(clipped_gradient(near, theta, 0.5)[0]) < 1e-10


def test_the_cut_into_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sample(2500, 4, True)
    whole = huber_minimiser(data, 1.0)
    monkeypatch.setattr(linear, "BLOCK", 1)
    assert len(list(linear.blocks(data.n, data.p))) == 3
    fresh = LinearSample(data.X, data.y)
    np.testing.assert_allclose(huber_minimiser(fresh, 1.0), whole, rtol=1e-10)


def test_rows_are_not_copied_all_at_once() -> None:
    data = sample(30_000, 64, False)
    assert data.gram.n == 30_000
    tracemalloc.start()
    huber_minimiser(data, 4.0, tolerance=1e-3)
    bounded_gram(data, Bounds(7.0, 1.0, "public"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < data.X.nbytes / 2


def test_it_says_when_it_has_not_converged() -> None:
    with pytest.raises(RuntimeError, match=r"gamma=0\.2 still moves after 3 steps"):
        huber_minimiser(sample(300, 4, True), 0.2, limit=3)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan])
def test_thresholds_that_are_not_positive_are_refused(gamma: float) -> None:
    with pytest.raises(ValueError, match="gamma must be positive"):
        huber_minimiser(sample(50, 2, False), gamma)


def test_dependent_columns_are_refused() -> None:
    data = sample(50, 2, False)
    with pytest.raises(ValueError, match="n=50 records and p=2"):
        huber_minimiser(LinearSample(data.X[:, [0, 0]], data.y), 1.0)
