"""Exact laws of Noisy-FTRL for linear regression with Gaussian inputs: limiting error, error after t steps, best noise.

The paper bounds `F_inf = lim E F(theta_t) - F(theta*)`. For x ~ N(0, H), `E[x x' S x x'] = 2 H S H + Tr(H S) H` makes
d scalar recursions, in the eigenbasis of H, of that of second moments (eq. 83), coupled by Tr(H S) only. Coefficients
beta enter by their weights `q_j = <beta, T_j beta>` (eq. 32) and their squared sensitivity gamma^2 (eq. 5). Errors are
those of eq. 8, with its factor 1/2; eq. 22 has twice that.

The best noise: F_inf is a product of two integrals, of `1/|B|^2` and of `|B|^2` times a weight, and by Cauchy-Schwarz
|B|^2 is best as the weight to the power -1/2 (Theorem C.18). The paper's weight is h of its lower bound (eq. 21); that
of the exact error is h_x, whose terms are those of h times `(2 - eta lambda) / (1 - eta lambda)`.

After very many steps, as in Corollaries D.14 and D.15, the start's part of the error is exact in closed form, and
the noise's part is taken at its limit F_inf, which it never exceeds (Lemma D.12) and comes close to.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.signal import lfilter

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.elliptic import Quadrature, diagonal, distance_squared, integrals
from dpdescent.papers.choquettechoo2023.setting import Array, RegressionProblem

# Range in which the best nu is looked for, as multiples of eta mu; nu stays below 1.
SEARCH = (1e-6, 1e6)
LARGEST_NU = 0.999
# Numbers, over all directions, that are held at a time, because those of all steps would not fit in memory.
BLOCK = 1 << 20
# Range of eta mu T in which the best learning rate is looked for, and the largest gain of second moments there, because
# they diverge at a gain of 1.
SMALLEST, LARGEST, STABLE = 0.05, 500.0, 0.9


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
    """Weights of the coefficients of eq. 7: `eta lam (2 - eta lam) I(nu, eta lam) / (2 pi)`, shape (d,)."""
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


def suboptimality(problem: RegressionProblem, q: Array, gamma_squared: float) -> float:
    """F_inf of noise coefficients by their weights and squared sensitivity, exact for Gaussian inputs.

    Half of `Tr(H S) = (A sigma_sgd^2 + (eta sigma^2 / 2) sum q_j / (1 - eta lam_j)) / (1 - A)` with A of `gain`.
    """
    problem.require_stable()
    sigma_squared = problem.noise_variance(gamma_squared)
    noise = 0.5 * problem.eta * sigma_squared * float((q / (1.0 - problem.rates)).sum())
    return 0.5 * ((problem.gain * problem.sigma_sgd**2 + noise) / (1.0 - problem.gain))


def variances(problem: RegressionProblem, q: Array, gamma_squared: float) -> Array:
    """Stationary second moments of theta - theta* along the eigenvectors of H, shape (d,).

    Arguments are those of `suboptimality`.
    """
    total = 2.0 * suboptimality(problem, q, gamma_squared)
    sigma_squared = problem.noise_variance(gamma_squared)
    force = total + problem.sigma_sgd**2 + sigma_squared * q / problem.lam
    return problem.eta * force / (2.0 * (1.0 - problem.rates))


def noisy_sgd(problem: RegressionProblem) -> float:
    """F_inf of Noisy-SGD."""
    return suboptimality(problem, q_identity(problem), 1.0)


def nu_noisy_ftrl(problem: RegressionProblem, nu: float) -> float:
    """F_inf of nu-Noisy-FTRL, the coefficients of eq. 7; nu = eta mu is the largest that Theorem 2.2 allows."""
    return suboptimality(problem, q_nu(problem, nu), gamma_squared_nu(nu))


def damped_anti_pgd(problem: RegressionProblem, nu: float) -> float:
    """F_inf of anti-PGD with damping (choquettechoo2023 App. C.5)."""
    return suboptimality(problem, q_damped(problem, nu), gamma_squared_damped(nu))


def by_quadrature(problem: RegressionProblem, power: Callable[[Array], Array], width: float) -> float:
    """F_inf from |B|^2 alone, for a minimum-phase B; the arguments are those of `q_of_power`."""
    grid = Quadrature.graded(width)
    gamma_squared = float(grid.integrate(1.0 / power(grid.frequencies))) / (2.0 * math.pi)
    return suboptimality(problem, q_of_power(problem, power, width), gamma_squared)


def second_moment_step(problem: RegressionProblem) -> Array:
    """The matrix of one step of the second moments s of theta - theta* without noise, symmetric, shape (d, d).

    `s -> (1 - 2 eta lam + 2 (eta lam)^2) s + eta^2 lam (lam . s)`, from choquettechoo2023 eq. 62 and 83.
    """
    rates = problem.rates
    step: Array = np.diag(1.0 - 2.0 * rates + 2.0 * rates**2) + np.outer(rates, rates)
    return step


def by_recursion(problem: RegressionProblem, beta: Array, gamma_squared: float) -> float:
    """F_inf as the limit of the recursion of second moments, by doubling the number of steps."""
    problem.require_stable()
    force = problem.noise_variance(gamma_squared) * q_of(problem, beta) + problem.lam * problem.sigma_sgd**2
    steps, s = second_moment_step(problem), problem.eta**2 * force
    while np.abs(steps).max() > 0.0:
        # Doubling: the moments after 2n steps are the n-step map of those after n, plus those of n steps themselves.
        previous, s = s, s + steps @ s
        if np.array_equal(previous, s):
            break
        steps = steps @ steps
    return 0.5 * float(problem.lam @ s)


def h(problem: RegressionProblem, frequencies: Array) -> Array:
    """`sum_j lambda_j / |1 - e^{i omega} - eta lambda_j|^2`, the shape of the frequencies (eq. 21)."""
    return _weighted(problem, problem.lam, frequencies)


def h_x(problem: RegressionProblem, frequencies: Array) -> Array:
    """The weight h_x of the exact error: h with each term times `(2 - eta lambda_j) / (1 - eta lambda_j)`."""
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


def least_error(problem: RegressionProblem) -> float:
    """The smallest F_inf of any noise coefficients, exact for Gaussian inputs.

    Half of `eta^2 G^2 / (8 rho) (1/(2 pi) int sqrt(h_x))^2 / (1 - A)` and the term of the label noise.
    """
    problem.require_stable()
    unit = problem.noise_variance(1.0)
    noise = unit * (0.5 * problem.eta * root_integral(problem) / math.pi) ** 2 / 2.0
    return 0.5 * ((problem.gain * problem.sigma_sgd**2 + noise) / (1.0 - problem.gain))


def best_power(problem: RegressionProblem, frequencies: Array, exact: bool = True) -> Array:
    """|B*|^2 up to a factor, the shape of the frequencies: `h_x^{-1/2}`, or the paper's `h^{-1/2}` (Theorem C.18)."""
    power: Array = (h_x if exact else h)(problem, frequencies) ** -0.5
    return power


def best_nu(problem: RegressionProblem) -> tuple[float, float]:
    """The nu of the least error of nu-Noisy-FTRL, and that error; the paper's choice is at most eta mu."""
    eta_mu = float(problem.rates.min())
    bounds = (math.log(SEARCH[0] * eta_mu), math.log(min(SEARCH[1] * eta_mu, LARGEST_NU)))
    search = minimize_scalar(lambda log_nu: nu_noisy_ftrl(problem, math.exp(log_nu)), bounds=bounds, method="bounded",
                            options={"xatol": 1e-9})  # fmt: skip
    nu = math.exp(float(search.x))
    return nu, nu_noisy_ftrl(problem, nu)


def best_damped_nu(problem: RegressionProblem) -> float:
    """The nu of the least error of damped anti-PGD, `2 / (1 + sqrt(1 + d/A))`, near `sqrt(2 eta Tr H / d)`.

    The root of a quadratic: F_inf is proportional to `(nu^2 (A + d/2) + 2 (1-nu) A) / (nu (2 - nu))`.
    """
    return 2.0 / (1.0 + math.sqrt(1.0 + problem.d / problem.gain))


def risks(problem: RegressionProblem, beta: Array, sigma_squared: float, start: Array, steps: int) -> Array:
    """E F(theta_t) - F(theta*) of Noisy-FTRL for every t, exact for Gaussian inputs (from choquettechoo2023 eq. 83).

    The d second moments follow a linear recursion with a symmetric matrix: along its eigenvectors they are first-order
    filters, which run over time without a Python loop. An unstable eta gives errors that grow without bound.

    Args:
        problem: the problem.
        beta: noise coefficients; those beyond its length are zero, those beyond the steps are not used.
        sigma_squared: variance of a coordinate of w_t, such as `problem.noise_variance(gamma_squared)`.
        start: theta_0 - theta* along the eigenvectors of H, shape (d,).
        steps: number of steps.

    Returns:
        The error of eq. 8 at t = 0..steps, shape (steps + 1,).
    """
    require_non_negative(steps=steps, sigma_squared=sigma_squared)
    if start.shape != problem.lam.shape:
        raise ValueError(f"start {start.shape} must have the shape of lam, {problem.lam.shape}: one number a direction")
    taps = np.zeros(steps)
    taps[: min(steps, len(beta))] = beta[:steps]
    factors, V = np.linalg.eigh(second_moment_step(problem))
    rotated, memory, weights = V.T @ start**2, np.zeros(problem.d), np.zeros(problem.d)
    readout = 0.5 * (problem.lam @ V)
    errors = [[readout @ rotated]]
    length = max(1, BLOCK // problem.d)
    for first in range(0, steps, length):
        block = taps[first : first + length]
        smoothed = _filtered(np.broadcast_to(block, (problem.d, len(block))), 1.0 - problem.rates, memory)
        # The weights of the first t coefficients, for every t of the block.
        q = weights[:, None] + np.cumsum(block * (2.0 * smoothed - block), axis=1)
        memory, weights = smoothed[:, -1], q[:, -1]
        force = problem.eta**2 * (problem.lam[:, None] * problem.sigma_sgd**2 + sigma_squared * q)
        moments = _filtered(V.T @ force, factors, rotated)
        rotated = moments[:, -1]
        errors.append(readout @ moments)
    return np.concatenate(errors)


def _filtered(force: Array, factors: Array, before: Array) -> Array:
    """`y_t = factor y_{t-1} + force_t` along the rows, from y before the first."""
    filtered = np.empty_like(force)
    for j, factor in enumerate(factors):
        filtered[j], _ = lfilter([1.0], [1.0, -factor], force[j], zi=[factor * before[j]])
    return filtered


def tail_mean(errors: Array, tail: int) -> float:
    """Mean of the last `tail` errors."""
    if not 1 <= tail <= len(errors):
        raise ValueError(f"tail={tail} must lie between 1 and {len(errors)}, the number of errors")
    return float(errors[-tail:].mean())


@dataclass(frozen=True)
class Tuned:
    """The least error over learning rates, and the rate."""

    error: float
    eta: float


def transient(problem: RegressionProblem, start: Array, T: float) -> float:
    """The start's part of the error after T steps, `1/2 sum lam_j E theta_j^2` without any noise, exact.

    The decay rates are those of the recursion's generator divided by eta, because 1 - eta lambda rounds to 1 at small
    eta.

    Args:
        problem: the problem; its noise does not enter.
        start: theta_0 - theta* along the eigenvectors of H, shape (d,).
        T: number of steps.
    """
    require_positive(T=T)
    lam, rates = problem.lam, problem.rates
    decay, V = np.linalg.eigh(np.diag(2.0 * lam * (1.0 - rates)) - problem.eta * np.outer(lam, lam))
    remaining = np.exp(T * np.log1p(-problem.eta * decay))
    return float(0.5 * (lam @ V) @ (remaining * (V.T @ start**2)))


def error_after(problem: RegressionProblem, start: Array, T: float, damped: bool) -> float:
    """The start's part after T steps plus F_inf of independent noise, or of that with nu = eta mu (`damped`)."""
    limit = nu_noisy_ftrl(problem, problem.eta * problem.mu) if damped else noisy_sgd(problem)
    return transient(problem, start, T) + limit


def tuned_rate(problem: RegressionProblem, start: Array, T: float, damped: bool) -> Tuned:
    """The least error over learning rates, arguments as of `error_after`; the problem's own rate does not enter."""
    require_positive(T=T)

    def error_at(log: float) -> float:
        return error_after(replace(problem, eta=math.exp(log)), start, T, damped)

    low = math.log(SMALLEST / (problem.mu * T))
    # The gain A is at most (Tr H) eta / (2 (1 - eta L)), which is `STABLE` at this rate.
    stable = STABLE / (0.5 * problem.trace + STABLE * problem.largest)
    high = min(math.log(LARGEST / (problem.mu * T)), math.log(stable))
    search = minimize_scalar(error_at, bounds=(low, high), method="bounded", options={"xatol": 1e-6})
    return Tuned(float(search.fun), math.exp(float(search.x)))
