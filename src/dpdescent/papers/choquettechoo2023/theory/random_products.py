"""Second moments of sums of random products, exact for Gaussian inputs (choquettechoo2023 App. C.2.3 and Lemma D.10).

With `Q_t = I - eta x_t x_t'` all expectations are diagonal in the eigenbasis of H: each is a recursion of d numbers.
"""

import numpy as np

from dpdescent.papers.choquettechoo2023.theory.asymptotic_bounds import KURTOSIS
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem, second_moment_step


def noise_trace(problem: RegressionProblem, beta: Array) -> float:
    """`E Tr V V'` of `V = beta_tau I + beta_{tau-1} Q + ... + beta_0 Q ... Q` (eq. 65), tau + 1 coefficients.

    By the recursion (d) of Lemma D.10's proof, with equality: `A_{k+1} = beta_{k+1} I + Q A_k`.
    """
    step, contraction = second_moment_step(problem), 1.0 - problem.rates
    mean, square = np.full(problem.d, beta[0]), np.full(problem.d, beta[0] ** 2)
    for b in beta[1:]:
        square = b**2 + 2.0 * b * contraction * mean + step @ square
        mean = b + contraction * mean
    return float(square.sum())


def noise_trace_bound(problem: RegressionProblem, beta: Array, power: int) -> float:
    """Lemma D.10: `d (sum_k |beta_k| (1 - eta mu)^{(tau-k)/2})^power`; its proof has the power 2, the lemma 1."""
    lags = np.arange(len(beta))[::-1]
    total = float(np.abs(beta) @ (1.0 - problem.eta * problem.mu) ** (lags / 2.0))
    return problem.d * total**power


def higher_orders(problem: RegressionProblem, q: Array, gamma_squared: float, orders: int) -> list[Array]:
    """Stationary second moments of theta^(r) along the eigenvectors of H, r = 0..orders, each of shape (d,) (eq. 36).

    theta^(0) has H in the place of every x x'; theta^(r) is driven by `(H - x x') theta^(r-1)`, white noise of
    covariance `H S H + Tr(H S) H` for Gaussian inputs.
    """
    rates, lam = problem.rates, problem.lam
    force = problem.eta * problem.noise_variance(gamma_squared) * q + rates * problem.sigma_sgd**2
    moments = [force / (lam * (2.0 - rates))]
    for _ in range(orders):
        last = moments[-1]
        moments.append(problem.eta * (lam * last + lam @ last) / (2.0 - rates))
    return moments


def higher_order_bound(problem: RegressionProblem, q: Array, gamma_squared: float, moment: float, r: int) -> float:
    """Proposition C.11: `eta (eta R^2)^r (sigma_sgd^2 + C_kurt sigma^2/R^2 <beta, T beta>)` for r of at least 1."""
    noise = KURTOSIS * problem.noise_variance(gamma_squared) / moment * float(q.sum())
    return problem.eta * (problem.eta * moment) ** r * (problem.sigma_sgd**2 + noise)
