"""Closed forms of choquettechoo2023 beyond any table, and moments of random products, against slow twins."""

import math

import numpy as np
import pytest

from dpdescent.papers.choquettechoo2023 import components, laws, mean_estimation, spectra
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem, power_law
from noisy_ftrl_twins import nu_decoder

PROBLEM = RegressionProblem(power_law(5, 1.5), eta=0.12, rho=0.4, clip_norm=1.3, sigma_sgd=0.5)
START = np.array([1.0, -0.5, 2.0, 0.0, 0.3])


@pytest.mark.parametrize("T", [1, 50, 400])
def test_the_start_s_part_is_the_recursion_without_noise(T: int) -> None:
    quiet = RegressionProblem(PROBLEM.lam, PROBLEM.eta, PROBLEM.rho)
    expected = laws.risks(quiet, np.ones(1), 0.0, START, T)[-1]
    assert laws.transient(quiet, START, T) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("damped", [False, True])
def test_the_closed_form_is_above_the_recursion_and_close(damped: bool) -> None:
    problem, T = RegressionProblem(power_law(4, 1.0), eta=0.02, rho=0.5), 2000
    nu = problem.eta * problem.mu
    beta, gamma_squared = (nu_decoder(nu, T), laws.gamma_squared_nu(nu)) if damped else (np.ones(1), 1.0)
    start = np.full(4, 0.5)
    exact = laws.risks(problem, beta, problem.noise_variance(gamma_squared), start, T)[-1]
    assert exact <= laws.error_after(problem, start, T, damped) * (1 + 1e-12)
    assert laws.error_after(problem, start, T, damped) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("T", [1e3, 1e18])
def test_the_best_rate_is_that_of_a_fine_grid(T: float, damped: bool) -> None:
    problem, start = RegressionProblem(power_law(4, 1.0), eta=0.01, rho=1.0), np.full(4, 0.5)
    found = laws.tuned_rate(problem, start, T, damped)
    rates = np.geomspace(0.1, 200.0, 300) / (problem.mu * T)
    errors = [
        laws.error_after(RegressionProblem(problem.lam, float(eta), 1.0), start, T, damped)
        for eta in rates[rates < 0.4]
    ]
    assert found.error <= min(errors) * (1 + 1e-9)
    assert found.error == pytest.approx(min(errors), rel=1e-3)


def test_powers_of_logarithms() -> None:
    """pi^2 times the ratio over eta is about 2 log^2(8/eta), whose power of log(1/eta) is known."""
    for large, small in ((1e-8, 1e-16), (1e-64, 1e-128)):
        power = 2.0 * math.log(math.log(8.0 / small) / math.log(8.0 / large))
        expected = power / math.log(math.log(small) / math.log(large))
        assert mean_estimation.optimum_exponent(large, small) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("spectrum", [spectra.one_large(64), spectra.dyadic(6)])
def test_the_gain_of_a_spectrum_by_levels_is_that_of_its_eigenvalues(spectrum: spectra.Levels) -> None:
    lam = np.repeat(spectrum.lam, spectrum.copies.astype(int))
    problem = RegressionProblem(lam, 0.1 / lam.sum(), 0.5)
    expected = laws.noisy_sgd(problem) / laws.nu_noisy_ftrl(problem, problem.eta * problem.mu)
    assert (len(lam), lam.sum()) == (spectrum.d, pytest.approx(spectrum.trace))
    assert spectra.gain(spectrum, 0.1) == pytest.approx(expected, rel=1e-10)
    assert lam.sum() / lam.max() < 2.0


def test_the_trace_of_random_products_is_that_of_quadrature() -> None:
    """One direction and three coefficients: A = b2 + Q' (b1 + Q b0) with Q = 1 - eta lam z^2, z standard normal."""
    problem, beta = RegressionProblem(np.array([0.8]), 0.2, 0.5), np.array([1.0, -0.4, 0.7])
    z, weights = np.polynomial.hermite_e.hermegauss(40)
    weights, Q = weights / weights.sum(), 1.0 - problem.eta * 0.8 * z**2
    A = beta[2] + Q[:, None] * (beta[1] + Q[None, :] * beta[0])
    found = components.noise_trace(problem, beta)
    assert found == pytest.approx(float(weights @ A**2 @ weights), rel=1e-10)
    lags = sum(abs(b) * (1 - 0.16) ** ((2 - k) / 2) for k, b in enumerate(beta))
    assert components.noise_trace_bound(problem, beta, 1) == pytest.approx(lags)
    assert components.noise_trace_bound(problem, beta, 2) == pytest.approx(lags**2)


def test_higher_orders_start_from_the_fixed_design() -> None:
    """In one direction theta^(r) has 2 rate / (2 - rate) times the moment of theta^(r-1)."""
    q, gamma_squared = laws.q_identity(PROBLEM), 1.0
    first, second = components.higher_orders(PROBLEM, q, gamma_squared, 1)
    noise = PROBLEM.noise_variance(gamma_squared) * q / PROBLEM.lam
    assert first == pytest.approx(PROBLEM.eta * (noise + PROBLEM.sigma_sgd**2) / (2 - PROBLEM.rates), rel=1e-12)
    assert second.shape == (5,)
    one = RegressionProblem(np.array([0.8]), 0.2, 0.5)
    first, second = components.higher_orders(one, np.ones(1), 1.0, 1)
    assert second == pytest.approx(first * 2 * 0.16 / (2 - 0.16))
    moment = components.higher_order_bound(one, np.ones(1), 1.0, 3 * 0.8, 2)
    assert moment == pytest.approx(0.2 * (0.2 * 2.4) ** 2 * 3.0 * 1.0 / 2.4)
