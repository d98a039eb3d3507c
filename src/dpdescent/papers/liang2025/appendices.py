"""The supporting lemmas of liang2025 (appendices D and E): probability bounds and the exact unclipped paths.

Where the paper hides a constant in `<~` or O(.), it is 1 here. The c0 of Lemmas D.3 to D.8 is `Constants.first_stage`.
Lemmas D.5 and D.6 are `formulas.psi` and `formulas.spectrum`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.two_stage_gd import Moments
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025.formulas import Constants, IVProblem, Spectrum

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A lower and an upper bound on one quantity."""

    lower: float
    upper: float


def first_stage_path(moments: Moments, eta: float, noise: Array) -> Array:
    """Computes Theta^(t) without clipping in closed form, from Theta^(0) = 0 (liang2025 App. E.1, below eq. 31).

    `Theta^(t) = Theta_hat - (I - eta A)^t Theta_hat + sum_{i<t} eta (I - eta A)^{t-1-i} Xi^(i)` with A = Z'Z/n.
    `noise` is Xi, shape (T, q, p); Theta^(0), ..., Theta^(T) have shape (T + 1, q, p).
    """
    if noise.shape[1:] != moments.zx.shape:
        raise ValueError(f"noise has shape {noise.shape}, but Theta has shape {moments.zx.shape}")
    eigenvalues, basis = np.linalg.eigh(moments.zz)
    factors = 1 - eta * eigenvalues
    steps = np.arange(noise.shape[0] + 1)
    ages = steps[:, None] - 1 - steps[None, :-1]
    powers = np.where(ages >= 0, factors[:, None, None] ** np.maximum(ages, 0), 0.0)
    accumulated = eta * np.einsum("kti,ikp->tkp", powers, basis.T @ noise)
    reached = (1 - factors[None, :] ** steps[:, None])[:, :, None] * (basis.T @ moments.theta_hat)
    path: Array = basis @ (reached + accumulated)
    return path


def second_stage_path(moments: Moments, theta_path: Array, alpha: float, noise: Array) -> Array:
    """Computes beta^(t) without clipping by the error recursion, from beta^(0) = 0 (liang2025 eq. 12 and 31).

    `theta_path` has shape (T + 1, q, p), its last element is not used, and `noise`, which is nu, has shape (T, p);
    beta^(0), ..., beta^(T) have shape (T + 1, p).
    """
    if theta_path.shape[0] != noise.shape[0] + 1:
        raise ValueError(f"theta_path has {theta_path.shape[0]} elements, expected {noise.shape[0] + 1}")
    A, r, theta_hat, beta_hat = moments.zz, moments.residual, moments.theta_hat, moments.beta_hat
    error = -beta_hat
    path = [beta_hat + error]
    for Theta, nu in zip(theta_path[:-1], noise, strict=True):
        H = Theta.T @ A @ Theta
        drift = Theta.T @ A @ (Theta - theta_hat) @ beta_hat + Theta.T @ r
        error = error - alpha * H @ error - alpha * drift + alpha * nu
        path.append(beta_hat + error)
    return np.array(path)


def no_clipping_first_stage(problem: IVProblem, rho_1: float, steps: float) -> float:
    """Returns the smallest gamma_1 at which no first-stage gradient is clipped (liang2025 eq. 32, Lemma D.1).

    `A / (1 - (A/n) sqrt(T/rho1) (sqrt p + sqrt q + s))`, `A = sigma_z^2 sigma_2 (sqrt q + s)^2`,
    `s = sqrt(tau + log(nT))`; infinity where the denominator is not positive: no threshold is large enough. The paper
    drops the factor 2 of lambda_1.
    """
    s = _uniform_deviation(problem, rho_1, steps)
    A = problem.sigma_z**2 * problem.sigma_2 * (math.sqrt(problem.q) + s) ** 2
    return _solve_threshold(A, problem.n, rho_1, steps, math.sqrt(problem.p) + math.sqrt(problem.q) + s)


def no_clipping_second_stage(problem: IVProblem, rho_2: float, steps: float) -> float:
    """Returns the smallest gamma_2 at which no second-stage gradient is clipped (liang2025 eq. 35, Lemma D.1).

    `B / (1 - (B/n) sqrt(T/rho2) (sqrt p + sqrt(tau + log T)))`, `B = sigma_z^2 (sqrt q + sqrt(tau + log(nT)))^2`. The
    hidden constant of B contains ||Theta||, ||beta|| and the sigmas, so that 1 is far too small for it.
    """
    B = problem.sigma_z**2 * (math.sqrt(problem.q) + _uniform_deviation(problem, rho_2, steps)) ** 2
    noise = math.sqrt(problem.p) + math.sqrt(problem.tau + math.log(steps))
    return _solve_threshold(B, problem.n, rho_2, steps, noise)


def _uniform_deviation(problem: IVProblem, rho: float, steps: float) -> float:
    require_positive(rho=rho)
    if not steps >= 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    return math.sqrt(problem.tau + math.log(problem.n * steps))


def _solve_threshold(noiseless: float, n: int, rho: float, steps: float, noise: float) -> float:
    denominator = 1 - noiseless / n * math.sqrt(steps / rho) * noise
    return noiseless / denominator if denominator > 0 else math.inf


def no_clipping_sample_size(problem: IVProblem, rho_1: float, rho_2: float, steps: float) -> float:
    """Returns the n that liang2025 Lemma D.1 requires, `(sqrt q + sqrt tau)^3 sqrt(T / min rho)`.

    The paper's eq. (6) omits the root of T.
    """
    require_positive(rho_1=rho_1, rho_2=rho_2, steps=steps)
    return (math.sqrt(problem.q) + math.sqrt(problem.tau)) ** 3 * math.sqrt(steps / min(rho_1, rho_2))


def instrument_singular_values(problem: IVProblem, constants: Constants) -> Interval:
    """Returns bounds on the singular values of Z, with probability 1 - 2 e^-tau (liang2025 Lemma D.2).

    The lower bound is negative, hence trivial, where delta(tau) > 1.
    """
    deviation, root = formulas.delta(problem, constants), math.sqrt(problem.n)
    return Interval(lower=root * (1 - deviation), upper=root * (1 + deviation))


def instrument_regressor_error(problem: IVProblem, constants: Constants) -> float:
    """Returns the bound on ||Z'E2||, with probability 1 - e^-tau (liang2025 Lemma D.3)."""
    return _cross_moment(problem, constants, problem.sigma_2, problem.p * problem.q)


def instrument_outcome_error(problem: IVProblem, constants: Constants) -> float:
    """Returns the bound on ||Z'E1||, with probability 1 - e^-tau (liang2025 eq. 47).

    A c0 measured in Lemma D.3, where the paper uses the same letter, can be too small here, because the p q entries
    there leave more slack.
    """
    return _cross_moment(problem, constants, problem.sigma_1, problem.q)


def _cross_moment(problem: IVProblem, constants: Constants, sigma: float, entries: int) -> float:
    scale = constants.first_stage * problem.sigma_z * sigma
    return scale * math.sqrt(problem.n * entries) * (problem.tau + math.log(2 * entries))


def regressor_instrument_product(problem: IVProblem, constants: Constants) -> float:
    """Returns the bound on ||X'Z||, with probability 1 - 3 e^-tau (liang2025 eq. 48)."""
    signal = problem.n * (1 + formulas.delta(problem, constants)) ** 2 * problem.theta_norm
    return signal + instrument_regressor_error(problem, constants)


def noise_operator_norm(problem: IVProblem, lambda_1: float) -> float:
    """Returns the bound on ||Xi^(t)|| for one t, with probability 1 - e^-tau (liang2025 App. E.1)."""
    require_non_negative(lambda_1=lambda_1)
    return lambda_1 * (math.sqrt(problem.p) + math.sqrt(problem.q) + math.sqrt(2 * (math.log(2) + problem.tau)))


def accumulated_noise(problem: IVProblem, kappa_theta: float, eta: float, lambda_1: float) -> float:
    """Returns the bound on ||N^(t)||, the first stage's accumulated noise (liang2025 Lemma D.4).

    It holds with probability 1 - 3 e^-tau for each t. For all t at once tau would need an additional log T, which
    footnote 5 of the paper omits.
    """
    require_positive(eta=eta)
    require_non_negative(lambda_1=lambda_1)
    if not 0 <= kappa_theta < 1:
        raise ValueError(f"kappa_theta must lie in [0, 1), got {kappa_theta}")
    p, q = problem.p, problem.q
    spread = math.sqrt(p * q) + math.sqrt(2 * p * (math.log(p) + problem.tau))
    return eta * lambda_1 / math.sqrt(1 - kappa_theta**2) * spread


def accumulated_noise_covariance(gram: Array, eta: float, lambda_1: float, t: int) -> Array:
    """Returns the exact covariance of each column of the accumulated noise N^(t) (liang2025 App. E.4).

    N^(t) = sum_{i<=t} eta (I - eta A)^{t-i} Xi^(i) has covariance
    `eta^2 lambda1^2 [I - (I - eta A)^2]^{-1} [I - (I - eta A)^{2(t+1)}]`, or its limit where there is no inverse,
    with A = Z'Z/n, the `gram` matrix; both have shape (q, q).
    """
    require_non_negative(t=t)
    eigenvalues, basis = np.linalg.eigh(gram)
    factors = (1 - eta * eigenvalues) ** 2
    sums = np.divide(1 - factors ** (t + 1), 1 - factors, out=np.full_like(factors, t + 1.0), where=factors != 1)
    covariance: Array = (eta * lambda_1) ** 2 * (basis * sums) @ basis.T
    return covariance


def reduced_form_sigma(problem: IVProblem, beta_norm: float) -> float:
    """Returns sigma~, the printed sub-Gaussian parameter of beta'eps2 + eps1 (liang2025 App. E.1 and E.8).

    It can be too small, by a factor of at most sqrt 2, because it presumes independent errors and they share the
    confounder.
    """
    return math.hypot(problem.sigma_2 * beta_norm, problem.sigma_1)


def two_stage_least_squares_rate(problem: IVProblem) -> float:
    """Returns the rate of ||beta_hat - beta||, with probability 1 - 4 e^-tau (liang2025 Lemma D.7, eq. 49)."""
    return math.sqrt(problem.q) * (problem.tau + math.log(problem.q)) / math.sqrt(problem.n)


def two_stage_least_squares_bound(problem: IVProblem, constants: Constants) -> float:
    """Returns the bound on ||beta_hat - beta|| with explicit constants (liang2025 App. E.7).

    It is eq. (45) with (46), (47), (48) inserted; infinity where gamma underline is 0.
    """
    window = formulas.spectrum(problem, constants)
    if window.lower == 0:
        return math.inf
    inverses = 1 / (window.lower * problem.n * (1 - window.delta) ** 2)
    products = regressor_instrument_product(problem, constants) * instrument_outcome_error(problem, constants)
    return inverses * products / problem.n


def residual_rate(problem: IVProblem) -> float:
    """Returns the rate of ||Z'r||, `sqrt(npq) (tau + log pq)` (liang2025 Lemma D.8)."""
    p, q = problem.p, problem.q
    return math.sqrt(problem.n * p * q) * (problem.tau + math.log(p * q))


def residual_bound(problem: IVProblem, constants: Constants, beta_norm: float) -> float:
    """Returns the bound on ||Z'r|| with explicit constants (liang2025 App. E.8, last display, first line)."""
    gram = problem.n * (1 + formulas.delta(problem, constants)) ** 2
    first, second = formulas.psi(problem, constants), two_stage_least_squares_bound(problem, constants)
    total = _cross_moment(problem, constants, reduced_form_sigma(problem, beta_norm), problem.q)
    return gram * first * (beta_norm + second) + gram * problem.theta_norm * second + total


def transient_growth(window: Spectrum, alpha: float, theta_norm: float, error_norm: float, burn_in: float) -> float:
    """Returns c_L^{C2}, the bound on the product of ||I - alpha H^(t)|| before contraction (liang2025 Lemma D.9).

    `c_L = 1 + alpha (1 + delta)^2 (||e_Theta|| + ||Theta_hat||)^2` (App. E.9). The paper's order treats the bound as a
    constant, although it is large. `error_norm` is eq. (19), and `burn_in` is C2 of eq. (22).
    """
    require_non_negative(burn_in=burn_in)
    return float((1 + alpha * (1 + window.delta) ** 2 * (error_norm + theta_norm) ** 2) ** burn_in)
