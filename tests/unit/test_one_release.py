"""Noisy sums and noisy minimisers: their solutions, their sensitivities by a search over pairs, and an attack."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dpdescent.attacks.one_release import minimiser_moves
from dpdescent.baselines import output_perturbation, sufficient_statistics
from dpdescent.baselines.ada_ssp import Bounds
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE

BOUNDS = Bounds(3.0, 2.0, "public")


def sample(n: int = 200, p: int = 3, seed: int = 1) -> LinearSample:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return LinearSample(X, 0.3 * X.sum(1) + 0.2 * rng.standard_normal(n))


def test_sums_with_hardly_any_noise_are_least_squares() -> None:
    data = sample()
    inside = LinearSample(data.X[data.norms < 3.0], data.y[data.norms < 3.0])
    found = sufficient_statistics.fit(inside, sufficient_statistics.Calibration(BOUNDS, 1e14), np.random.default_rng(2))
    np.testing.assert_allclose(found, np.linalg.lstsq(inside.X, inside.y, rcond=None)[0], rtol=1e-5)


def test_sums_spend_the_budget_at_the_sensitivities_of_replacement() -> None:
    calibration = sufficient_statistics.Calibration(BOUNDS, 0.4)
    moments, products = calibration.releases
    assert (moments.sensitivity, products.sensitivity) == (math.sqrt(2.0) * 9.0, 12.0)
    assert calibration.mechanism().rho == pytest.approx(0.4, rel=1e-12)


@pytest.mark.parametrize(("gamma", "ridge"), [(0.3, 0.1), (5.0, 0.7)])
def test_the_minimiser_minimises_the_ridge_objective(gamma: float, ridge: float) -> None:
    data = sample()

    def objective(theta: np.ndarray) -> float:
        r, limit = np.abs(data.y - data.X @ theta), gamma / data.norms
        losses = np.where(r <= limit, 0.5 * r**2, limit * (r - 0.5 * limit))
        return float(losses.mean() + 0.5 * ridge * theta @ theta)

    found = output_perturbation.minimiser(data, gamma, ridge)
    best = minimize(
        objective, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 9999}
    )
    np.testing.assert_allclose(found, best.x, atol=1e-6)


def test_no_record_moves_the_minimiser_further_than_its_sensitivity() -> None:
    rng, n, gamma, ridge, most = np.random.default_rng(3), 4, 1.0, 0.3, 0.0
    sensitivity = output_perturbation.Calibration(n, gamma, ridge, 1.0).release.sensitivity
    for k in range(600):
        X = rng.standard_normal((n, 1 + k % 2)) * 10.0 ** rng.uniform(-1, 1)
        y = rng.standard_normal(n) * 10.0 ** rng.uniform(-1, 3)
        found = []
        for side in (1.0, -1.0):
            y[0] = side * 1e6
            found.append(output_perturbation.minimiser(LinearSample(X.copy(), y.copy()), gamma, ridge))
        most = max(most, float(np.linalg.norm(found[0] - found[1])))
        assert most <= sensitivity
    assert most > 0.9 * sensitivity


def test_a_record_whose_norm_underflows_moves_the_minimiser_no_further() -> None:
    """Squares of 1e-170 are 0; a gradient of 1e-170 times 1e300 is clipped all the same."""
    rng, gamma, ridge = np.random.default_rng(2), 1.0, 0.5
    X, y = rng.standard_normal((20, 2)), rng.standard_normal(20)
    near, far = LinearSample(X, y), LinearSample(np.vstack([X[:-1], [[1e-170, 0.0]]]), np.append(y[:-1], 1e300))
    one, other = (output_perturbation.minimiser(each, gamma, ridge) for each in (near, far))
    release = output_perturbation.Calibration(20, gamma, ridge, 1.0).release
    assert np.linalg.norm(one - other) <= release.sensitivity


def test_where_the_solver_stops_counts_towards_the_sensitivity() -> None:
    """Neighbours whose objectives have the ridge's curvature alone, each left where the slope is just small enough."""
    n, gamma, ridge, tolerance = 2, 2.0, 0.25, 1e-9
    stops = []
    for side in (1.0, -1.0):
        data = LinearSample(np.array([[1.0], [0.0]]), np.array([side * 1e6, 0.0]))
        stop = output_perturbation.minimiser(data, gamma, ridge)[0] + side * tolerance * gamma / ridge
        slope = np.clip(data.y - data.X[:, 0] * stop, -gamma, gamma) @ data.X[:, 0] / n - ridge * stop
        assert abs(slope) == pytest.approx(output_perturbation.TOLERANCE * gamma, rel=1e-5)
        stops.append(stop)
    exact, release = 2.0 * gamma / (n * ridge), output_perturbation.Calibration(n, gamma, ridge, 0.5).release
    assert stops[0] - stops[1] - exact == pytest.approx(2.0 * tolerance * gamma / ridge, rel=1e-5)
    assert release.sensitivity == pytest.approx(stops[0] - stops[1], rel=1e-14)
    many = output_perturbation.Calibration(10**9, gamma, ridge, 0.5).release
    assert many.noise_sd == pytest.approx(2.0 * 2.0 * gamma / (10**9 * ridge), rel=1e-12)


def test_a_solver_that_fails_says_that_this_is_not_to_be_told() -> None:
    """Sizes that double precision cannot resolve beside each other."""
    data = LinearSample(np.array([[0.03, 0.0], [-4e3, -0.1], [0.01, 0.0]]), np.array([0.0, -1.0, 2e9]))
    with pytest.raises(RuntimeError, match=r"still moves after 2000 steps, .*do not publish that it failed"):
        output_perturbation.minimiser(data, 1.0, 0.01)


def test_the_ridge_balances_noise_and_bias() -> None:
    n, p, gamma, rho = 2000, 10, 4.0, 0.1
    best = output_perturbation.balanced_ridge(n, p, gamma, rho)

    def risk(ridge: float) -> float:
        return p * output_perturbation.Calibration(n, gamma, ridge, rho).release.noise_sd ** 2 + ridge**2

    assert all(risk(best) <= risk(best * factor) for factor in (0.8, 1.25))


def test_another_number_of_records_is_refused() -> None:
    calibration = output_perturbation.Calibration(100, 1.0, 0.1, 1.0)
    with pytest.raises(ValueError, match="200 records, and the noise is for n=100"):
        output_perturbation.fit(sample(), calibration, np.random.default_rng(1))


def test_the_attack_on_the_minimiser_attains_the_account() -> None:
    built = minimiser_moves(1.0)
    assert built.mu == pytest.approx(1.0, rel=1e-6)
    found = attack.run(built, 20_000, np.random.default_rng(4))
    assert found.mu_low() >= 0.9
    assert found.mu_low(SURE) <= 1.0
