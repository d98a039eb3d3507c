"""The best noise for linear regression: over all coefficients, and within a family of one parameter.

F_inf is a product of two integrals, of `1/|B|^2` (sensitivity) and of `|B|^2` times a weight. By Cauchy-Schwarz |B|^2
is best as the weight to the power -1/2 (choquettechoo2023 Theorem C.18). The paper takes the weight h of its lower
bound (eq. 21); for Gaussian inputs the weight of the exact error is h_x, whose terms are those of h times
`(2 - eta lambda) / (1 - eta lambda)`: the same as eta tends to zero, up to a factor of 2.
"""

import math

import numpy as np
from scipy.optimize import minimize_scalar

from dpdescent.papers.choquettechoo2023.theory.elliptic import Array, Quadrature, distance_squared
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem, nu_noisy_ftrl

# Range in which the best nu is looked for, as multiples of eta mu; nu stays below 1.
SEARCH = (1e-6, 1e6)
LARGEST_NU = 0.999


def h(problem: RegressionProblem, frequencies: Array) -> Array:
    """`sum_j lambda_j / |1 - e^{i omega} - eta lambda_j|^2`, the shape of the frequencies (eq. 21)."""
    return _weighted(problem, problem.lam, frequencies)


def h_x(problem: RegressionProblem, frequencies: Array) -> Array:
    """h_x of the exact error: h where `(2 - eta lambda_j) / (1 - eta lambda_j)` multiplies every term.

    Raises:
        ValueError: if eta lambda_j reaches 1.
    """
    problem.require_stable()
    rates = problem.rates
    return _weighted(problem, problem.lam * (2.0 - rates) / (1.0 - rates), frequencies)


def _weighted(problem: RegressionProblem, weights: Array, frequencies: Array) -> Array:
    total = np.zeros_like(frequencies)
    # A direction at a time, because all of them at once would take d times the memory of the grid.
    for weight, rate in zip(weights, problem.rates, strict=True):
        total += weight / distance_squared(rate, frequencies)
    return total


def root_integral(problem: RegressionProblem, exact: bool = True) -> float:
    """Integral of sqrt(h_x) over -pi to pi, or of sqrt(h)."""
    grid = Quadrature.graded(float(problem.rates.min()))
    weight = h_x if exact else h
    return float(grid.integrate(np.sqrt(weight(problem, grid.frequencies))))


def best(problem: RegressionProblem, half: bool = True) -> float:
    """The smallest F_inf of any noise coefficients, exact for Gaussian inputs.

    `eta^2 G^2 / (8 rho) (1/(2 pi) int sqrt(h_x))^2 / (1 - A)` and the term of the label noise, which no noise changes.

    Args:
        problem: the problem.
        half: the error of eq. 8, or that of eq. 22.

    Raises:
        ValueError: if second moments do not converge.
    """
    problem.require_stable()
    unit = problem.noise_variance(1.0)
    noise = unit * (0.5 * problem.eta * root_integral(problem) / math.pi) ** 2 / 2.0
    total = (problem.gain * problem.sigma_sgd**2 + noise) / (1.0 - problem.gain)
    return 0.5 * total if half else total


def best_power(problem: RegressionProblem, frequencies: Array, exact: bool = True) -> Array:
    """|B*|^2 up to a factor, the shape of the frequencies: `h_x^{-1/2}`, or the paper's `h^{-1/2}` (Theorem C.18)."""
    power: Array = (h_x if exact else h)(problem, frequencies) ** -0.5
    return power


def best_nu(problem: RegressionProblem, half: bool = True) -> tuple[float, float]:
    """The nu of the least error of nu-Noisy-FTRL, and that error; the paper's choice is at most eta mu.

    Raises:
        ValueError: if second moments do not converge.
    """
    eta_mu = float(problem.rates.min())
    bounds = (math.log(SEARCH[0] * eta_mu), math.log(min(SEARCH[1] * eta_mu, LARGEST_NU)))
    found = minimize_scalar(lambda log_nu: nu_noisy_ftrl(problem, math.exp(log_nu)), bounds=bounds, method="bounded",
                            options={"xatol": 1e-9})  # fmt: skip
    nu = math.exp(float(found.x))
    return nu, nu_noisy_ftrl(problem, nu, half)


def best_damped_nu(problem: RegressionProblem) -> float:
    """The nu of the least error of damped anti-PGD, `2 / (1 + sqrt(1 + d/A))`, near `sqrt(2 eta Tr H / d)`.

    The root of a quadratic: F_inf is proportional to `(nu^2 (A + d/2) + 2 (1-nu) A) / (nu (2 - nu))`.
    """
    return 2.0 / (1.0 + math.sqrt(1.0 + problem.d / problem.gain))
