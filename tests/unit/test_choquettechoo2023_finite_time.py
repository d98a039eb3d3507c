"""Noisy-FTRL over finitely many steps: the exact recursion against slow twins, and choquettechoo2023 App. D."""

import math

import numpy as np
import pytest

from dpdescent.papers.choquettechoo2023 import formulas, laws
from dpdescent.papers.choquettechoo2023.formulas import Run, Tuning
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem, power_law
from noisy_ftrl_twins import SecondMoments, nu_decoder

PROBLEM = RegressionProblem(power_law(5, 1.5), eta=0.12, rho=0.4, clip_norm=1.3, sigma_sgd=0.5)


def step_by_step(
    problem: RegressionProblem, beta: np.ndarray, sigma_squared: float, start: np.ndarray, steps: int
) -> np.ndarray:
    """Eq. 83 in the eigenbasis: r_j and q_j are sums of (1 - eta lam_j)^|t-s| over the coefficients so far."""
    rates, lam, eta = problem.rates, problem.lam, problem.eta
    r, q, s = np.zeros(problem.d), np.zeros(problem.d), start**2
    errors = [0.5 * lam @ s]
    for t in range(steps):
        b = beta[t] if t < len(beta) else 0.0
        q = q + b**2 + 2.0 * b * r
        r = (1.0 - rates) * (r + b)
        fourth = 2.0 * rates**2 * s + eta**2 * lam * (lam @ s)
        s = (1.0 - 2.0 * rates) * s + fourth + eta**2 * (lam * problem.sigma_sgd**2 + sigma_squared * q)
        errors.append(0.5 * lam @ s)
    return np.array(errors)


# The exact error


@pytest.mark.parametrize("block", [1 << 20, 35, 1])
@pytest.mark.parametrize("beta", [np.ones(1), nu_decoder(0.02, 700), nu_decoder(0.02, 90)], ids=["sgd", "nu", "cut"])
def test_risks_are_the_recursion(beta: np.ndarray, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "BLOCK", block)
    start = np.array([1.0, -0.5, 2.0, 0.0, 0.3])
    found = laws.risks(PROBLEM, beta, 0.7, start, 500)
    assert found == pytest.approx(step_by_step(PROBLEM, beta, 0.7, start, 500), rel=1e-11)


def test_risks_are_dense_second_moments() -> None:
    lam, rotation = np.array([1.1, 0.3]), np.array([[0.6, -0.8], [0.8, 0.6]])
    beta, start = np.array([1.0, -0.5, 0.3]), np.array([0.7, -1.2])
    problem = RegressionProblem(lam, eta=0.25, rho=1.0, sigma_sgd=0.4)
    moments = SecondMoments(rotation @ np.diag(lam) @ rotation.T, 0.25, beta, 0.6, 0.4)
    found = laws.risks(problem, beta, 0.6, start, 12)
    assert found == pytest.approx(moments.risks(rotation @ start, 12), rel=1e-12)


@pytest.mark.parametrize("nu", [None, 0.01])
def test_risks_settle_at_the_limit(nu: float | None) -> None:
    steps = math.ceil(20.0 / (PROBLEM.eta * PROBLEM.mu))
    beta, gamma_squared = np.ones(1), 1.0
    expected = laws.noisy_sgd(PROBLEM)
    if nu is not None:
        beta, gamma_squared = nu_decoder(nu, steps), laws.gamma_squared_nu(nu)
        expected = laws.nu_noisy_ftrl(PROBLEM, nu)
    found = laws.risks(PROBLEM, beta, PROBLEM.noise_variance(gamma_squared), np.zeros(5), steps)
    assert found[-1] == pytest.approx(expected, rel=1e-8)
    # Without a distance at the start the error grows from step to step (Lemma D.12).
    assert np.all(np.diff(found) > -1e-12 * expected)


def test_arguments_of_risks() -> None:
    start = np.ones(5)
    assert laws.risks(PROBLEM, np.ones(1), 1.0, start, 0) == pytest.approx([0.5 * PROBLEM.trace])
    with pytest.raises(ValueError, match=r"start \(4,\)"):
        laws.risks(PROBLEM, np.ones(1), 1.0, start[:4], 3)
    with pytest.raises(ValueError, match="steps"):
        laws.risks(PROBLEM, np.ones(1), 1.0, start, -1)
    assert laws.tail_mean(np.array([9.0, 2.0, 3.0, 7.0]), 3) == pytest.approx(4.0)
    with pytest.raises(ValueError, match="tail=5 must lie between 1 and 4"):
        laws.tail_mean(np.ones(4), 5)


@pytest.mark.parametrize("nu", [None, 0.002])
def test_convergence_bounds_hold(nu: float | None) -> None:
    problem = RegressionProblem(power_law(16, 1.0), eta=0.02, rho=0.5, sigma_sgd=0.2)
    assert problem.eta < 1.0 / formulas.fourth_moment(problem.lam)
    steps, start = 4000, np.full(16, 0.25)
    beta = np.ones(1) if nu is None else nu_decoder(nu, steps)
    limit = laws.noisy_sgd(problem) if nu is None else laws.nu_noisy_ftrl(problem, nu)
    gamma_squared = 1.0 if nu is None else laws.gamma_squared_nu(nu)
    errors = laws.risks(problem, beta, problem.noise_variance(gamma_squared), start, steps)
    for t in range(0, steps + 1, 100):
        bound = formulas.convergence_bound(problem, errors[0], limit, t)
        assert errors[t] <= bound <= formulas.convergence_bound_without_clipping(problem, errors[0], limit, t)
    assert formulas.convergence_bound(problem, 2.0, 3.0, 0) == pytest.approx((math.sqrt(32.0) + math.sqrt(3.0)) ** 2)
    late = formulas.convergence_bound_without_clipping(problem, 2.0, 3.0, 800.0)
    assert late == pytest.approx(64.0 * math.exp(-1.0) + 6.0)


# Conditions and bounds of App. D


@pytest.mark.parametrize("nu", [0.001, 0.1, 0.7])
def test_half_expo_decay(nu: float) -> None:
    beta = nu_decoder(nu, 60)
    needed = [
        sum(abs(beta[k]) * (1.0 - nu) ** ((tau - k) / 2.0) for k in range(tau + 1)) / (1.0 - nu) ** (tau / 2.0)
        for tau in range(60)
    ]
    assert formulas.half_expo_constant(beta, nu) == pytest.approx(max(needed), rel=1e-12)
    assert formulas.half_expo_constant(beta, nu) <= formulas.half_expo_constant_nu(nu) <= 2.0


def test_half_expo_constant_of_all_coefficients() -> None:
    for nu, golden in [(0.001, 1.977), (0.1, 1.773)]:
        whole = formulas.half_expo_constant(nu_decoder(nu, math.ceil(70 / nu)), nu)
        assert whole == pytest.approx(formulas.half_expo_constant_nu(nu), rel=1e-12)
        assert whole == pytest.approx(golden, abs=1e-3)
    with pytest.raises(ValueError, match="nu must lie strictly between 0 and 1"):
        formulas.half_expo_constant_nu(1.0)


def run_of(problem: RegressionProblem = PROBLEM, distance: float = 1.5, T: float = 1e4) -> Run:
    return Run(problem, distance, T, failure=0.05, moment=formulas.fourth_moment(problem.lam))


def test_norm_bounds_by_hand() -> None:
    problem = RegressionProblem(np.array([2.0, 0.5]), eta=0.1, rho=1.0, sigma_sgd=2.0)
    run = Run(problem, distance=3.0, T=0.5 * math.e**2, failure=0.5, moment=4.0)
    assert run.log == pytest.approx(2.0)
    # 9 + 0.1*4*4/0.5 + 0.01*5*2*2.25/0.3 = 9 + 3.2 + 0.75
    noise = {"sigma_squared": 5.0, "beta_norm": 1.5, "nu": 0.3}
    assert formulas.iterate_bound(run, **noise) == pytest.approx(12.95 * 8.0)
    assert formulas.gradient_bound(run, **noise) == pytest.approx(16.0 * 13.95 * 32.0)
    assert formulas.required_clip_norm_of_summary(run, 2.0) == pytest.approx(2.0 * 7.5)
    assert run.stiffness == pytest.approx(5.0)


@pytest.mark.parametrize("distance", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("eta", [0.001, 0.05])
def test_clip_norm_covers_the_gradients(distance: float, eta: float) -> None:
    """Theorem D.13's G is the largest of the three terms of D.4 where that has their squares' sum, noise aside."""
    problem = RegressionProblem(power_law(5, 1.5), eta=eta, rho=0.4, sigma_sgd=0.5)
    run = run_of(problem, distance)
    squared = formulas.gradient_bound(run, sigma_squared=0.0, beta_norm=1.0, nu=1.0)
    assert squared / 3.0 <= formulas.required_clip_norm(run) ** 2 <= squared * (1.0 + 1e-12)


def test_largest_rate_leaves_a_quarter_of_the_clip_norm_to_the_noise() -> None:
    """What the proof of Theorem D.13 needs it for, at constants of 1."""
    nu_tilde, gamma_squared, beta_norm, G = 0.01, 3.0, 1.9, 0.7
    run = run_of()
    eta = formulas.largest_rate(run, nu_tilde=nu_tilde, gamma_squared=gamma_squared, beta_norm=beta_norm)
    problem = RegressionProblem(PROBLEM.lam, eta, PROBLEM.rho, clip_norm=G)
    quiet = Run(problem, 0.0, run.T, run.failure, run.moment)
    noise = formulas.gradient_bound(
        quiet, sigma_squared=problem.noise_variance(gamma_squared), beta_norm=beta_norm, nu=eta * nu_tilde
    )
    assert noise == pytest.approx((G / 4.0) ** 2, rel=1e-12)
    generous = formulas.largest_rate(run, nu_tilde=1e9, gamma_squared=1.0, beta_norm=1.0)
    assert generous == pytest.approx(1.0 / (run.moment * run.log), rel=1e-14)


def test_utility_terms_by_hand() -> None:
    problem = RegressionProblem(np.array([2.0, 0.5]), eta=1.0, rho=0.5, sigma_sgd=2.0)
    run = Run(problem, distance=3.0, T=1000.0, failure=0.1, moment=4.0)
    # kappa d_eff = 5: 5 * 2/(0.5 * 1000) * 2.5 * 9, 5 * 2/500 * 4, 5 * 4/1000.
    assert formulas.dp_sgd_utility(run) == pytest.approx(0.45 + 0.08 + 0.02)
    # The dimension 2 becomes kappa d_eff / T = 0.005 (Sec. 2.3).
    assert formulas.nu_dp_ftrl_utility(run) == pytest.approx((0.45 + 0.08) / 400.0 + 0.02)
    size = 25.0 * 2.0 / 0.5
    assert formulas.dp_sgd_steps(run) == pytest.approx(size)
    assert formulas.nu_dp_ftrl_steps(run) == pytest.approx(size * math.log(size))


def test_tuning_lemma() -> None:
    rng = np.random.default_rng(0)
    tightest = 0.0
    for _ in range(300):
        A, B, C = (float(x) for x in 10.0 ** rng.uniform(-6.0, 6.0, 3))
        mu, T = float(10.0 ** rng.uniform(-4.0, 0.0)), float(10.0 ** rng.uniform(0.5, 6.0))
        eta_max = float(10.0 ** rng.uniform(0.0, 4.0)) / (mu * T)
        if eta_max * mu >= 1.0:
            continue
        tuning = Tuning(A, B, C, mu, T)
        smallest = min(tuning.at(float(eta)) for eta in np.geomspace(1e-7 * eta_max, eta_max, 300))
        tightest = max(tightest, smallest / tuning.bound(eta_max))
    assert 0.1 < tightest <= 1.0


def test_tuning_by_hand() -> None:
    tuning = Tuning(A=2.0, B=3.0, C=5.0, mu=0.1, T=1000.0)
    assert tuning.at(0.01) == pytest.approx(2.0 * math.exp(-1.0) + 0.03 + 5e-4 * math.log(1000.0) ** 2)
    linear = 0.09 * math.log(200.0 / 3.0)
    square = 15e-4 * (math.log(4000.0) * math.log(1000.0)) ** 2
    assert tuning.bound(0.02) == pytest.approx(2.0 * math.exp(-2.0) + linear + square)
    floored = Tuning(A=1e-9, B=3.0, C=5.0, mu=0.1, T=1000.0).bound(0.02)
    assert floored == pytest.approx(0.09 + 15e-4 * math.log(1000.0) ** 2)
    with pytest.raises(ValueError, match=r"T=1000\.0 must reach 1/\(mu eta_max\) = 10000"):
        tuning.bound(0.001)


def test_run_checks() -> None:
    with pytest.raises(ValueError, match="failure"):
        Run(PROBLEM, 1.0, 10.0, failure=0.0, moment=1.0)
    with pytest.raises(ValueError, match="distance"):
        Run(PROBLEM, -1.0, 10.0, failure=0.1, moment=1.0)
