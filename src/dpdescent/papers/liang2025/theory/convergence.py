"""Contraction of the two stages in the proof of liang2025 (App. C, eq. 13 to 25): radii, burn-in, explicit error.

Norms are operator norms. What of it has hidden constants is in `error_bounds`.
"""

import math

from dpdescent.checks import require_positive
from dpdescent.papers.liang2025.theory.lemmas import Interval, accumulated_noise
from dpdescent.papers.liang2025.theory.prescriptions import IVProblem, Spectrum


def error_radius(window: Spectrum, theta_hat_norm: float) -> float:
    """Returns eps_bar, the distance to Theta_hat within which the second stage contracts (liang2025 eq. 13 and 20)."""
    require_positive(theta_hat_norm=theta_hat_norm)
    gain = window.lower / (2 * (1 + window.delta) ** 2)
    # sqrt(a^2 + g) - a in the form g / (sqrt(a^2 + g) + a), because the difference loses digits for small g.
    return gain / (math.sqrt(theta_hat_norm**2 + gain) + theta_hat_norm)


def hessian_window(window: Spectrum) -> Interval:
    """Returns bounds on eigenvalues of H^(t) while ||Theta^(t) - Theta_hat|| <= eps_bar (liang2025, above eq. 14)."""
    return Interval(lower=window.lower / 2, upper=window.upper + window.lower / 2)


def first_stage_radius(
    problem: IVProblem, kappa_theta: float, eta: float, lambda_1: float, theta_hat_norm: float, burn_in: float
) -> float:
    """Returns eps, the bound on ||Theta^(k) - Theta_hat|| for k >= burn_in (liang2025 eq. 18; eq. 19 at burn_in 0).

    Raises:
        ValueError: if kappa_theta is not in [0, 1) or eta is not positive.
    """
    return math.pow(kappa_theta, burn_in) * theta_hat_norm + accumulated_noise(problem, kappa_theta, eta, lambda_1)


def burn_in(window: Spectrum, kappa_theta: float, theta_hat_norm: float) -> float:
    """Returns t0(n), the number of iterations until kappa_Theta^t ||Theta_hat|| <= eps_bar/2 (liang2025 eq. 22).

    Returns:
        A whole number, or infinity where the first stage does not contract or gamma underline is 0.
    """
    ratio = error_radius(window, theta_hat_norm) / (2 * theta_hat_norm)
    iterations = _iterations_to(ratio, kappa_theta)
    # At least 1, because a rate of 0 takes one iteration to forget the start, which the logarithm does not count.
    return iterations if ratio >= 1 or math.isinf(iterations) else float(max(1, math.ceil(iterations)))


def burn_in_limit(eta: float, theta_min: float, theta_norm: float) -> float:
    """Returns the limit of t0(n) before rounding as n grows, with 1 - eta read as |1 - eta| (liang2025, below eq. 25).

    Returns:
        The limit; 0 at eta = 1, where t0 itself stays at one iteration.
    """
    window = Spectrum(delta=0.0, lower=theta_min**2, upper=theta_norm**2)
    return _iterations_to(error_radius(window, theta_norm) / (2 * theta_norm), abs(1 - eta))


def second_stage_error(
    *,
    window: Spectrum,
    kappa_beta: float,
    alpha: float,
    radius: float,
    theta_hat_norm: float,
    beta_hat_norm: float,
    residual_norm: float,
    noise_norm: float,
    start_error: float,
    elapsed: float,
) -> float:
    """Returns the bound on ||beta^(T) - beta_hat|| with explicit constants (liang2025 eq. 16, second line).

    Args:
        window: delta(tau) and the eigenvalue bounds.
        kappa_beta: contraction rate of the second stage, below 1.
        alpha: step size of the second stage.
        radius: eps of eq. (18); the bound holds if it is at most `error_radius`.
        theta_hat_norm: ||Theta_hat||.
        beta_hat_norm: ||beta_hat||.
        residual_norm: ||Z'r||/n.
        noise_norm: bound on ||nu^(t)||.
        start_error: ||beta^(T0) - beta_hat||.
        elapsed: T - T0.

    Raises:
        ValueError: if kappa_beta is not in [0, 1).
    """
    if not 0 <= kappa_beta < 1:
        raise ValueError(f"kappa_beta must lie in [0, 1), got {kappa_beta}")
    theta_bound = theta_hat_norm + radius
    coupling = (1 + window.delta) ** 2 * beta_hat_norm * radius * theta_bound
    drift = alpha * (coupling + residual_norm * theta_bound + noise_norm)
    return math.pow(kappa_beta, elapsed) * start_error + drift / (1 - kappa_beta)


def _iterations_to(ratio: float, rate: float) -> float:
    if ratio >= 1:
        return 0.0
    if ratio == 0 or rate >= 1:
        return math.inf
    return math.log(ratio) / math.log(rate) if rate > 0 else 0.0
