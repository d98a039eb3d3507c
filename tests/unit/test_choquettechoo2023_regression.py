"""The exact limiting error of Noisy-FTRL by three routes and by dense second moments; choquettechoo2023 App. C."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import toeplitz

from dpdescent.papers.choquettechoo2023 import components, elliptic, formulas, laws
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem, effective_dimension, power_law, spectrum
from noisy_ftrl_twins import SecondMoments, nu_decoder

# Every setting of Figure 2: dimension, decay of the spectrum and learning rate.
FIGURE_2 = [
    *((d, 1.0, 0.02) for d in (16, 32, 64, 128, 256)),
    *((128, alpha, 0.02) for alpha in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
    *((128, 1.0, float(eta)) for eta in np.geomspace(0.02, 0.175, 10)),
]
BASE = RegressionProblem(power_law(128, 1.0), eta=0.02, rho=0.5)
BASE_NU = BASE.eta * BASE.mu
NOISY = RegressionProblem(spectrum("k^-2", 6), eta=0.07, rho=0.3, clip_norm=1.7, sigma_sgd=0.6)


def root_distance(nu: float):
    """|B|^2 of the coefficients of eq. 7."""
    return lambda omega: np.sqrt(elliptic.distance_squared(nu, omega))


# Design


def test_spectra() -> None:
    assert power_law(3, 2.0) == pytest.approx([1.0, 0.25, 1.0 / 9.0], rel=1e-15)
    assert spectrum("one large", 4) == pytest.approx([1.0, 0.25, 0.25, 0.25])
    for name, alpha in [("flat", 0.0), ("k^-0.5", 0.5), ("k^-1", 1.0), ("k^-2", 2.0), ("k^-3", 3.0)]:
        assert np.array_equal(spectrum(name, 7), power_law(7, alpha))
    with pytest.raises(ValueError, match=r"name='k\^-4' is no spectrum"):
        spectrum("k^-4", 7)
    with pytest.raises(ValueError, match="d must be positive"):
        power_law(0, 1.0)


def test_effective_dimension_is_a_stable_rank() -> None:
    assert effective_dimension(power_law(128, 0.4)) == pytest.approx(29.57, abs=0.005)
    assert effective_dimension(power_law(128, 1.0)) == pytest.approx(5.43, abs=0.005)
    root = np.sqrt(3.0 * spectrum("one large", 10))
    assert effective_dimension(root**2) == pytest.approx((np.linalg.norm(root) / root.max()) ** 2, rel=1e-13)
    assert effective_dimension(spectrum("one large", 10)) <= 2.0


# Three routes


@pytest.mark.parametrize(("d", "alpha", "eta"), FIGURE_2)
def test_three_routes_agree(d: int, alpha: float, eta: float) -> None:
    problem = RegressionProblem(power_law(d, alpha), eta=eta, rho=0.5)
    nu = eta * problem.mu
    sgd, ftrl = laws.noisy_sgd(problem), laws.nu_noisy_ftrl(problem, nu)
    assert laws.by_quadrature(problem, np.ones_like, width=1.0) == pytest.approx(sgd, rel=1e-12)
    assert laws.by_quadrature(problem, root_distance(nu), width=nu) == pytest.approx(ftrl, rel=1e-11)
    assert laws.by_recursion(problem, np.ones(1), 1.0) == pytest.approx(sgd, rel=1e-10)
    beta = nu_decoder(nu, math.ceil(16 / nu))
    assert laws.by_recursion(problem, beta, laws.gamma_squared_nu(nu)) == pytest.approx(ftrl, rel=1e-10)


@pytest.mark.parametrize("nu", [0.01, 0.3])
def test_three_routes_agree_with_label_noise_and_damped_anti_pgd(nu: float) -> None:
    beta, gamma_squared = np.array([1.0, nu - 1.0]), laws.gamma_squared_damped(nu)
    expected = laws.damped_anti_pgd(NOISY, nu)
    assert laws.by_recursion(NOISY, beta, gamma_squared) == pytest.approx(expected, rel=1e-11)
    by_power = laws.by_quadrature(NOISY, lambda omega: elliptic.distance_squared(nu, omega), width=nu)
    assert by_power == pytest.approx(expected, rel=1e-11)
    encoder = (1.0 - nu) ** np.arange(math.ceil(20 / nu))
    assert gamma_squared == pytest.approx(float(encoder @ encoder), rel=1e-12)


@pytest.mark.parametrize("beta", [np.array([1.0]), np.array([1.0, -0.6]), np.array([1.0, -0.45, -0.2, 0.15])])
@pytest.mark.parametrize("sigma_sgd", [0.0, 0.8])
def test_dense_second_moments_agree(beta: np.ndarray, sigma_sgd: float) -> None:
    lam = np.array([1.3, 0.4])
    rotation = np.array([[0.6, -0.8], [0.8, 0.6]])
    problem = RegressionProblem(lam, eta=0.2, rho=0.8, clip_norm=1.5, sigma_sgd=sigma_sgd)
    gamma_squared = 1.9
    moments = SecondMoments(
        rotation @ np.diag(lam) @ rotation.T, problem.eta, beta, problem.noise_variance(gamma_squared), sigma_sgd
    )
    found = laws.suboptimality(problem, laws.q_of(problem, beta), gamma_squared)
    assert found == pytest.approx(moments.limit(), rel=1e-11)
    assert laws.by_recursion(problem, beta, gamma_squared) == pytest.approx(moments.limit(), rel=1e-11)


def test_variances_are_a_fixed_point() -> None:
    q, gamma_squared = laws.q_nu(NOISY, 0.003), laws.gamma_squared_nu(0.003)
    s = laws.variances(NOISY, q, gamma_squared)
    force = NOISY.noise_variance(gamma_squared) * q + NOISY.lam * NOISY.sigma_sgd**2
    assert laws.second_moment_step(NOISY) @ s + NOISY.eta**2 * force == pytest.approx(s, rel=1e-12)
    assert NOISY.lam @ s == pytest.approx(2.0 * laws.suboptimality(NOISY, q, gamma_squared), rel=1e-12)


def test_weights_are_quadratic_forms() -> None:
    beta = np.array([1.0, -0.5, 0.2, 0.0, -0.3])
    expected = [beta @ toeplitz((1.0 - rate) ** np.arange(5)) @ beta for rate in NOISY.rates]
    assert laws.q_of(NOISY, beta) == pytest.approx(expected, rel=1e-13)
    assert laws.q_of(NOISY, np.ones(1)) == pytest.approx(laws.q_identity(NOISY), rel=1e-15)
    assert laws.q_of(NOISY, np.array([1.0, -1.0])) == pytest.approx(laws.q_damped(NOISY, 0.0), rel=1e-12)
    assert laws.q_of(NOISY, np.array([1.0, -0.9])) == pytest.approx(laws.q_damped(NOISY, 0.1), rel=1e-12)
    long = laws.q_of(NOISY, nu_decoder(0.01, 3000))
    assert long == pytest.approx(laws.q_nu(NOISY, 0.01), rel=1e-11)


def test_scales() -> None:
    """F is proportional to G^2 gamma^2 / rho, and to the variance of the labels; eq. 22 has twice that of eq. 8."""
    quiet = RegressionProblem(NOISY.lam, NOISY.eta, NOISY.rho, NOISY.clip_norm)
    noise = laws.noisy_sgd(quiet)
    scaled = RegressionProblem(NOISY.lam, NOISY.eta, 2.0 * NOISY.rho, 3.0 * NOISY.clip_norm)
    assert laws.noisy_sgd(scaled) == pytest.approx(4.5 * noise, rel=1e-13)
    labels = [laws.noisy_sgd(RegressionProblem(NOISY.lam, NOISY.eta, 1e300, sigma_sgd=s)) for s in (1.0, 2.0)]
    assert labels[1] == pytest.approx(4.0 * labels[0], rel=1e-13)
    assert laws.noisy_sgd(NOISY) == pytest.approx(noise + 0.36 * labels[0], rel=1e-12)


def test_refusals() -> None:
    lam = power_law(128, 1.0)
    with pytest.raises(ValueError, match=r"eta=1\.0 times the largest eigenvalue, 1, must be below 1: take eta < 1"):
        laws.noisy_sgd(RegressionProblem(lam, eta=1.0, rho=0.5))
    assert laws.noisy_sgd(RegressionProblem(lam, eta=0.32, rho=0.5)) > 10.0
    for error in (laws.noisy_sgd, lambda p: laws.by_recursion(p, np.ones(1), 1.0)):
        with pytest.raises(ValueError, match=r"eta=0\.33 at Tr H=5\.43\d* makes the gain of second moments A=1\.0"):
            error(RegressionProblem(lam, eta=0.33, rho=0.5))
    with pytest.raises(ValueError, match="eta must be positive"):
        RegressionProblem(lam, eta=0.0, rho=0.5)
    with pytest.raises(ValueError, match="lam="):
        RegressionProblem(np.array([1.0, 0.0]), eta=0.1, rho=0.5)
    with pytest.raises(ValueError, match=r"nu=0\.0 must lie in \(0, 1\]"):
        laws.damped_anti_pgd(BASE, 0.0)
    with pytest.raises(ValueError, match=r"nu=1\.1 must lie in \[0, 1\]"):
        laws.q_damped(BASE, 1.1)
    assert laws.suboptimality(BASE, laws.q_nu(BASE, 0.0), math.inf) == math.inf


def test_the_stability_edge_is_that_of_the_step() -> None:
    for eta in (0.32, 0.33):
        problem = RegressionProblem(power_law(128, 1.0), eta=eta, rho=0.5)
        stable = np.linalg.eigvalsh(laws.second_moment_step(problem))[-1] < 1.0
        assert stable == (problem.gain < 1.0) == (eta == 0.32)


# Bounds

NOISES = [
    ("sgd", lambda problem: (laws.q_identity(problem), 1.0)),
    ("nu", lambda p: (laws.q_nu(p, p.eta * p.mu), laws.gamma_squared_nu(p.eta * p.mu))),
    ("damped", lambda p: (laws.q_damped(p, 0.2), laws.gamma_squared_damped(0.2))),
]


def fixed_design(problem: RegressionProblem, q: np.ndarray, gamma_squared: float) -> float:
    """F_inf with H in the place of every x x', a lower bound on F_inf."""
    (moments,) = components.higher_orders(problem, q, gamma_squared, 0)
    return 0.5 * float(problem.lam @ moments)


@pytest.mark.parametrize("noise", [noise for _, noise in NOISES], ids=[name for name, _ in NOISES])
@pytest.mark.parametrize("name", ["flat", "k^-0.5", "k^-1", "k^-2", "one large"])
@pytest.mark.parametrize("sigma_sgd", [0.0, 2.0])
def test_bounds_hold_and_are_ordered(noise, name: str, sigma_sgd: float) -> None:
    lam = spectrum(name, 24)
    problem = RegressionProblem(lam, eta=0.1 / lam.sum(), rho=0.4, clip_norm=1.3, sigma_sgd=sigma_sgd)
    q, gamma_squared = noise(problem)
    exact = laws.suboptimality(problem, q, gamma_squared)
    lower = [
        formulas.universal_lower_bound_as_stated(problem),
        formulas.universal_lower_bound(problem),
        formulas.lower_bound(problem, q, gamma_squared),
        fixed_design(problem, q, gamma_squared),
        exact,
    ]
    assert formulas.lower_bound_by_time(problem, q, gamma_squared) <= lower[2]
    upper = [formulas.upper_bound(problem, q, gamma_squared),
             formulas.upper_bound_by_frequency(problem, q, gamma_squared),
             formulas.upper_bound_by_frequency(problem, q, gamma_squared,
                                             moment=formulas.fourth_moment_bound(lam))]  # fmt: skip
    # At equal eigenvalues nu = eta mu is the optimum, and two of the lower bounds are one.
    for smaller, larger in itertools.pairwise([*lower, *upper]):
        assert smaller <= larger * (1.0 + 1e-12)


def test_lower_bound_is_the_fixed_design() -> None:
    """Without label noise Theorem C.18 is the error of the linear system with every x x' replaced by H."""
    q, gamma_squared = laws.q_nu(BASE, BASE_NU), laws.gamma_squared_nu(BASE_NU)
    expected = fixed_design(BASE, q, gamma_squared)
    assert formulas.lower_bound(BASE, q, gamma_squared) == pytest.approx(expected, rel=1e-13)


def test_weight_integral_is_one() -> None:
    grid = elliptic.Quadrature.graded(1e-3)
    h = sum(lam / elliptic.distance_squared(NOISY.eta * lam, grid.frequencies) for lam in NOISY.lam)
    expected = grid.integrate(np.sqrt(elliptic.distance_squared(0.003, grid.frequencies)) * h)
    assert formulas.weight_integral(NOISY, laws.q_nu(NOISY, 0.003)) == pytest.approx(float(expected), rel=1e-11)


def test_direction_errors_are_equation_44() -> None:
    nu = 0.01
    found = formulas.direction_errors(NOISY, laws.q_nu(NOISY, nu))
    assert found == pytest.approx([lam * elliptic.integral(nu, NOISY.eta * lam) for lam in NOISY.lam], rel=1e-13)


def test_fourth_moment_is_the_smallest() -> None:
    rng = np.random.default_rng(0)
    lam = np.array([2.0, 0.5, 0.1])
    # E|x|^2 x x' = 2 H^2 + Tr(H) H, of which 2 lam_1 + Tr H is the largest eigenvalue relative to H.
    x = rng.standard_normal((400_000, 3)) * np.sqrt(lam)
    moments = ((x**2).sum(1)[:, None] * x**2).mean(0)
    assert formulas.fourth_moment(lam) == pytest.approx((moments / lam).max(), rel=0.02)
    assert lam.sum() <= formulas.fourth_moment(lam) <= formulas.fourth_moment_bound(lam)


def test_upper_bound_by_hand() -> None:
    problem = RegressionProblem(np.array([0.5, 0.25]), eta=0.08, rho=2.0, clip_norm=3.0, sigma_sgd=0.5)
    # eta R^2 = 0.08 * 3.125 = 1/4, so that (1 - 1/2)^-2 = 4; sigma^2 = 9 * 1.5 / 4.
    found = formulas.upper_bound(problem, np.array([0.3, 0.4]), 1.5, moment=3.125)
    assert found == pytest.approx(5.0 * 0.25 * 0.25 + 13.0 * 0.08 * 3.375 * 0.7, rel=1e-14)
    assert math.isnan(formulas.upper_bound(problem, np.array([0.3, 0.4]), 1.5, moment=12.5))


@pytest.mark.parametrize("multiple", [1.0, 0.01])
def test_constants_of_proposition_c22(multiple: float) -> None:
    nu = multiple * BASE_NU
    stated, before = (
        formulas.nu_upper_bound(BASE, nu),
        formulas.upper_bound_by_frequency(BASE, laws.q_nu(BASE, nu), laws.gamma_squared_nu(nu)),
    )
    assert laws.nu_noisy_ftrl(BASE, nu) <= before <= stated
    assert math.isnan(formulas.nu_upper_bound(BASE, 1.1 * BASE_NU))
    with pytest.raises(ValueError, match=r"sigma_sgd=0\.6 must be 0"):
        formulas.nu_upper_bound(NOISY, 1e-6)


@pytest.mark.parametrize("name", ["flat", "k^-1", "k^-3"])
def test_leading_orders(name: str) -> None:
    lam = spectrum(name, 16)
    problem = RegressionProblem(lam, eta=1e-7, rho=0.4, clip_norm=1.5)
    sgd = problem.eta * problem.d * problem.clip_norm**2 / (8.0 * problem.rho)
    assert laws.noisy_sgd(problem) == pytest.approx(sgd, rel=1e-5)
    # I(nu, eta lambda_j) has the logarithm of 1/(eta lambda_j), not of 1/nu.
    nu = problem.eta * problem.mu
    scale = problem.eta**2 * problem.clip_norm**2 / (16.0 * math.pi**2 * problem.rho)
    ftrl = scale * elliptic.diagonal(nu) * float(lam @ elliptic.integrals(nu, problem.rates))
    assert laws.nu_noisy_ftrl(problem, nu) == pytest.approx(ftrl, rel=1e-5)
    nu = math.sqrt(2.0 * problem.eta * problem.trace / problem.d)
    leading = formulas.damped_leading_order(problem, nu)
    assert laws.damped_anti_pgd(problem, nu) == pytest.approx(leading, rel=3e-3)
    assert leading == pytest.approx(formulas.best_damped_order(problem), rel=1e-13)
