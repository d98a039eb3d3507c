"""Noisy-FTRL for linear regression with Gaussian inputs: its exact limiting error (choquettechoo2023 Sec. 2.2, App. C).

The paper bounds `F_inf = lim E F(theta_t) - F(theta*)`. For x ~ N(0, H), `E[x x' S x x'] = 2 H S H + Tr(H S) H` makes
d scalar recursions, in the eigenbasis of H, of that of second moments (eq. 83), coupled by Tr(H S) only. Coefficients
beta enter by their weights `q_j = <beta, T_j beta>` (eq. 32) and their squared sensitivity gamma^2 (eq. 5).

Three routes lead to F_inf: closed forms of the weights (`q_identity`, `q_nu`, `q_damped`), `by_quadrature` from |B|^2,
and `by_recursion` from the coefficients and one step of the recursion. Errors are those of eq. 8, with its factor 1/2;
eq. 22 has twice that (`half=False`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.theory.elliptic import (
    Array,
    Quadrature,
    diagonal,
    distance_squared,
    integrals,
)


@dataclass(frozen=True, eq=False)
class RegressionProblem:
    """Linear regression in the eigenbasis of H, and how Noisy-FTRL is run on it.

    Attributes:
        lam: eigenvalues of the input covariance H, in any order, shape (d,).
        eta: learning rate.
        rho: zCDP budget that the noise is scaled to.
        clip_norm: G, to which the noise is scaled; nothing is clipped.
        sigma_sgd: sd of the label noise.

    Raises:
        ValueError: if lam is not a vector, an eigenvalue, eta, rho or clip_norm is not positive, or sigma_sgd negative.
    """

    lam: Array
    eta: float
    rho: float
    clip_norm: float = 1.0
    sigma_sgd: float = 0.0

    def __post_init__(self) -> None:
        require_positive(eta=self.eta, rho=self.rho, clip_norm=self.clip_norm)
        require_non_negative(sigma_sgd=self.sigma_sgd)
        if self.lam.ndim != 1 or not len(self.lam) or not (self.lam > 0.0).all():
            raise ValueError(f"lam={self.lam} must be a vector of positive eigenvalues")

    @property
    def d(self) -> int:
        return len(self.lam)

    @property
    def trace(self) -> float:
        """Tr H."""
        return float(self.lam.sum())

    @property
    def largest(self) -> float:
        """L, the largest eigenvalue."""
        return float(self.lam.max())

    @property
    def mu(self) -> float:
        """The smallest eigenvalue."""
        return float(self.lam.min())

    @property
    def rates(self) -> Array:
        """eta lambda_j, shape (d,)."""
        return self.eta * self.lam

    @property
    def gain(self) -> float:
        """`A = 1/2 sum eta lambda_j / (1 - eta lambda_j)`, by which the inputs' randomness feeds the error back.

        Second moments converge if and only if it is below 1.

        Raises:
            ValueError: if eta lambda_j reaches 1.
        """
        if not self.eta * self.largest < 1.0:
            raise ValueError(f"eta={self.eta} times the largest eigenvalue, {self.largest:g}, must be below 1: "
                             f"take eta < {1.0 / self.largest:g}")  # fmt: skip
        return float(0.5 * (self.rates / (1.0 - self.rates)).sum())

    def require_stable(self) -> None:
        """Raises ValueError if second moments do not converge, so that F_inf is infinite."""
        if not self.gain < 1.0:
            raise ValueError(f"eta={self.eta} at Tr H={self.trace:g} makes the gain of second moments A={self.gain:g}: "
                             "it must be below 1; take a smaller eta")  # fmt: skip

    def noise_variance(self, gamma_squared: float) -> float:
        """`sigma^2 = G^2 gamma^2 / (2 rho)`, the variance of a coordinate of w_t (choquettechoo2023 Theorem 1.1)."""
        require_non_negative(gamma_squared=gamma_squared)
        return self.clip_norm**2 * gamma_squared / (2.0 * self.rho)


def gamma_squared_nu(nu: float) -> float:
    """Limiting squared sensitivity of the coefficients of eq. 7, `I(nu, nu) / (2 pi)`, about log(8/nu) / pi."""
    return diagonal(nu) / (2.0 * math.pi)


def gamma_squared_damped(nu: float) -> float:
    """Limiting squared sensitivity of damped anti-PGD, `1 / (nu (2 - nu))` (choquettechoo2023 Prop. C.24's proof)."""
    if not 0.0 < nu <= 1.0:
        raise ValueError(f"nu={nu} must lie in (0, 1]: without damping the sensitivity of anti-PGD diverges")
    return 1.0 / (nu * (2.0 - nu))


def q_identity(problem: RegressionProblem) -> Array:
    """Weights of beta = (1, 0, ...), independent noise: 1 in every direction, shape (d,)."""
    return np.ones(problem.d)


def q_nu(problem: RegressionProblem, nu: float) -> Array:
    """Weights of the coefficients of eq. 7: `eta lam (2 - eta lam) I(nu, eta lam) / (2 pi)`, shape (d,).

    Raises:
        ValueError: if nu is outside [0, 1] or eta lambda_j exceeds 1.
    """
    rates = problem.rates
    weights: Array = rates * (2.0 - rates) * integrals(nu, rates) / (2.0 * math.pi)
    return weights


def q_damped(problem: RegressionProblem, nu: float) -> Array:
    """Weights of beta = (1, -(1-nu), 0, ...), anti-PGD, nu from 0 to 1: `nu^2 + 2 (1-nu) eta lam`, shape (d,)."""
    if not 0.0 <= nu <= 1.0:
        raise ValueError(f"nu={nu} must lie in [0, 1]: it is a damping")
    return nu**2 + 2.0 * (1.0 - nu) * problem.rates


def q_of_power(problem: RegressionProblem, power: Callable[[Array], Array], width: float) -> Array:
    """Weights by quadrature of `|B|^2 / |1 - eta lam - e^{i omega}|^2` (the identity behind choquettechoo2023 C.4).

    Args:
        problem: the problem, eta lambda_j at most 1.
        power: |B|^2 as a function of frequencies, even.
        width: the smallest scale in the power, such as nu.
    """
    rates = problem.rates
    grid = Quadrature.graded(min(width, float(rates.min())))
    values = power(grid.frequencies)
    # A direction at a time, because all of them at once would take d times the memory of the grid.
    whole = [float(grid.integrate(values / distance_squared(rate, grid.frequencies))) for rate in rates]
    weights: Array = rates * (2.0 - rates) * np.array(whole) / (2.0 * math.pi)
    return weights


def q_of(problem: RegressionProblem, beta: Array) -> Array:
    """Weights of any finite list of coefficients: `sum beta_t beta_s (1 - eta lam)^|t-s|`, shape (d,) (eq. 32).

    Args:
        problem: the problem.
        beta: the coefficients, shape (taps,). For infinitely many, the tail must be negligible: those of eq. 7 are
            exact to 1e-11 with 16/nu of them.
    """
    weights = np.empty(problem.d)
    for j, rate in enumerate(problem.rates):
        smoothed = lfilter([1.0], [1.0, rate - 1.0], beta)
        weights[j] = beta @ (2.0 * smoothed - beta)
    return weights


def suboptimality(problem: RegressionProblem, q: Array, gamma_squared: float, half: bool = True) -> float:
    """F_inf of noise coefficients by their weights and squared sensitivity, exact for Gaussian inputs.

    `Tr(H S) = (A sigma_sgd^2 + (eta sigma^2 / 2) sum q_j / (1 - eta lam_j)) / (1 - A)` with A of `Problem.gain`.

    Args:
        problem: the problem.
        q: weights, shape (d,).
        gamma_squared: squared sensitivity; may be infinite, as F_inf then is.
        half: the error of eq. 8, `Tr(H S) / 2`, or that of eq. 22.

    Raises:
        ValueError: if second moments do not converge.
    """
    problem.require_stable()
    sigma_squared = problem.noise_variance(gamma_squared)
    noise = 0.5 * problem.eta * sigma_squared * float((q / (1.0 - problem.rates)).sum())
    total = (problem.gain * problem.sigma_sgd**2 + noise) / (1.0 - problem.gain)
    return 0.5 * total if half else total


def variances(problem: RegressionProblem, q: Array, gamma_squared: float) -> Array:
    """Stationary second moments of theta - theta* along the eigenvectors of H, shape (d,).

    Arguments are those of `suboptimality`.
    """
    total = suboptimality(problem, q, gamma_squared, half=False)
    sigma_squared = problem.noise_variance(gamma_squared)
    force = total + problem.sigma_sgd**2 + sigma_squared * q / problem.lam
    return problem.eta * force / (2.0 * (1.0 - problem.rates))


def noisy_sgd(problem: RegressionProblem, half: bool = True) -> float:
    """F_inf of Noisy-SGD."""
    return suboptimality(problem, q_identity(problem), 1.0, half)


def nu_noisy_ftrl(problem: RegressionProblem, nu: float, half: bool = True) -> float:
    """F_inf of nu-Noisy-FTRL, the coefficients of eq. 7; nu = eta mu is the largest that Theorem 2.2 allows."""
    return suboptimality(problem, q_nu(problem, nu), gamma_squared_nu(nu), half)


def damped_anti_pgd(problem: RegressionProblem, nu: float, half: bool = True) -> float:
    """F_inf of anti-PGD with damping (choquettechoo2023 App. C.5)."""
    return suboptimality(problem, q_damped(problem, nu), gamma_squared_damped(nu), half)


def by_quadrature(
    problem: RegressionProblem, power: Callable[[Array], Array], width: float, half: bool = True
) -> float:
    """F_inf from |B|^2 alone, for a minimum-phase B; the arguments are those of `q_of_power`."""
    grid = Quadrature.graded(width)
    gamma_squared = float(grid.integrate(1.0 / power(grid.frequencies))) / (2.0 * math.pi)
    return suboptimality(problem, q_of_power(problem, power, width), gamma_squared, half)


def second_moment_step(problem: RegressionProblem) -> Array:
    """The matrix of one step of the second moments s of theta - theta* without noise, symmetric, shape (d, d).

    `s -> (1 - 2 eta lam + 2 (eta lam)^2) s + eta^2 lam (lam . s)`, from choquettechoo2023 eq. 62 and 83.
    """
    rates = problem.rates
    step: Array = np.diag(1.0 - 2.0 * rates + 2.0 * rates**2) + np.outer(rates, rates)
    return step


def by_recursion(problem: RegressionProblem, beta: Array, gamma_squared: float, half: bool = True) -> float:
    """F_inf as the limit of the recursion of second moments, by doubling the number of steps.

    Args:
        problem: the problem.
        beta: coefficients, shape (taps,), as in `q_of`.
        gamma_squared: their squared sensitivity.
        half: as in `suboptimality`.

    Raises:
        ValueError: if second moments do not converge.
    """
    problem.require_stable()
    force = problem.noise_variance(gamma_squared) * q_of(problem, beta) + problem.lam * problem.sigma_sgd**2
    steps, s = second_moment_step(problem), problem.eta**2 * force
    while np.abs(steps).max() > 0.0:
        # Doubling: the moments after 2n steps are the n-step map of those after n, plus those of n steps themselves.
        previous, s = s, s + steps @ s
        if np.array_equal(previous, s):
            break
        steps = steps @ steps
    total = float(problem.lam @ s)
    return 0.5 * total if half else total
