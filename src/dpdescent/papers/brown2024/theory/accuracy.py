"""Bounds of brown2024 Theorem 2.7 on the distance of DP-GD to least squares: as printed, from the proof, and corrected.

The paper gives no value to the theorem's absolute constants c and c'. Here they are arguments with default 1, at which
a value has the right order and is no bound. What the proof makes explicit is computed with the proof's constants.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.theory import concentration, errors, gaussian_data, no_clipping

# Bound on ||A^(T)|| as the proof states it (below eq. 77), and as ||I - eta Sigma|| <= 7/8 implies it: 64/15.
SERIES_NORM_AS_PRINTED = 16.0
SERIES_NORM = 1.0 / (1.0 - no_clipping.CONTRACTION**2)


@dataclass(frozen=True)
class Accuracy:
    """A bound on ||theta_T - theta_hat||, by its two terms (brown2024 eq. 76).

    Attributes:
        bias: bound on what T steps leave of the distance at the start.
        noise: bound on the accumulated noise of T steps.
    """

    bias: float
    noise: float

    @property
    def total(self) -> float:
        """Sum of the two terms."""
        return self.bias + self.noise


def estimate_norm_bound(*, c0: float, sigma: float, p: int) -> float:
    """Returns the bound on ||theta_hat|| under Condition 2.4 at ||theta*|| <= 1 (brown2024 eq. 80).

    `1 + 2 c0^2 sigma sqrt(p)`.
    """
    require_non_negative(c0=c0, sigma=sigma)
    require_positive(p=p)
    return 1.0 + 2.0 * c0**2 * sigma * math.sqrt(p)


def noise_bound(*, p: int, eta: float, noise_sd: float, beta: float) -> float:
    """Returns a bound on ||eta z'_T|| that holds with probability 1 - beta/4 (brown2024, below eq. 77).

    `eta lambda sqrt(32 p ln(4/beta))`. It follows from Claim A.9 with ||A|| <= 64/15, not in every case with the
    printed 16: see `noise_bound_by_norm`.
    """
    require_positive(p=p, eta=eta)
    require_non_negative(noise_sd=noise_sd)
    require_probability(beta=beta)
    return eta * noise_sd * math.sqrt(32.0 * p * math.log(4.0 / beta))


def noise_bound_by_norm(
    *, p: int, eta: float, noise_sd: float, beta: float, series_norm: float = SERIES_NORM
) -> float:  # fmt: skip
    """Returns a bound on ||eta z'_T|| that holds with probability 1 - beta/4, by brown2024 Claim A.9.

    Args:
        p: number of covariates.
        eta: step size.
        noise_sd: lambda.
        beta: failure probability of the theorem.
        series_norm: bound on ||A^(T)||.
    """
    require_positive(p=p, eta=eta, series_norm=series_norm)
    require_non_negative(noise_sd=noise_sd)
    return eta * noise_sd * concentration.gaussian_norm(p * series_norm, series_norm, beta / 4.0)


def accuracy_of_proof(
    *, estimate_norm: float, p: int, T: int, eta: float, noise_sd: float, beta: float
) -> Accuracy:  # fmt: skip
    """Returns the proof's bound on ||theta_T - theta_hat|| at a known ||theta_hat|| (brown2024 eq. 76).

    `(7/8)^T ||theta_hat|| + eta lambda sqrt(32 p ln(4/beta))`, where Condition 2.4 holds and nothing is clipped.
    """
    require_non_negative(estimate_norm=estimate_norm, T=T)
    bias = no_clipping.CONTRACTION**T * estimate_norm
    return Accuracy(bias, noise_bound(p=p, eta=eta, noise_sd=noise_sd, beta=beta))


def accuracy_without_data(
    *, n: float, p: int, T: int, sigma: float, eta: float, noise_sd: float, beta: float
) -> Accuracy:  # fmt: skip
    """Returns the proof's bound on ||theta_T - theta_hat|| without any data (brown2024 eq. 76 to 80).

    ||theta_hat|| is bounded by eq. 80 at the c0 of Lemma 2.6.
    """
    norm = estimate_norm_bound(c0=gaussian_data.constant_of_theorem(n=n, T=T, beta=beta), sigma=sigma, p=p)
    return accuracy_of_proof(estimate_norm=norm, p=p, T=T, eta=eta, noise_sd=noise_sd, beta=beta)


def accuracy_of_law(law: IterateLaw, T: int, beta: float) -> Accuracy:
    """Returns the bound on ||theta_T - theta_hat|| from the exact law of the iterates.

    Its terms are ||M^T (theta_0 - theta_hat)|| and Claim A.9 at the covariance of theta_T. It holds with probability
    1 - beta over the noise, on the law's own data set and where nothing is clipped.
    """
    variances = law.variances(T)
    bias = float(np.linalg.norm(law.mean(T) - law.theta_hat))
    return Accuracy(bias, concentration.gaussian_norm(float(variances.sum()), float(variances.max()), beta))


def accuracy_bound(*, n: float, p: int, rho: float, sigma: float, beta: float, constant: float = 1.0) -> float:
    """Returns the theorem's bound on ||theta_hat - theta_T|| (brown2024 Thm 2.7, eq. 11 and 72).

    `c' ln^4(n rho / (beta p)) sigma p / (sqrt(rho) n)`, with the settings of `theorem_setting`.
    """
    require_positive(n=n, p=p, rho=rho, constant=constant)
    require_non_negative(sigma=sigma)
    require_probability(beta=beta)
    return constant * math.log(n * rho / (beta * p)) ** 4 * sigma * p / (math.sqrt(rho) * n)


def theorem_steps(*, n: float, p: int, rho: float, constant: float = 1.0) -> float:
    """Returns T of the theorem before rounding (brown2024 Thm 2.7, eq. 9).

    `c ln(n rho / p)`, which is not positive where n rho <= p.
    """
    require_positive(n=n, p=p, rho=rho, constant=constant)
    return constant * math.log(n * rho / p)


def theorem_threshold(*, n: float, p: int, T: float, sigma: float, beta: float, constant: float = 1.0) -> float:
    """Returns gamma of the theorem, `c sigma sqrt(p) ln^3(n T / beta)` (brown2024 Thm 2.7, eq. 10)."""
    require_positive(n=n, p=p, T=T, constant=constant)
    require_non_negative(sigma=sigma)
    require_probability(beta=beta)
    return constant * sigma * math.sqrt(p) * math.log(n * T / beta) ** 3


def theorem_setting(
    *, n: int, p: int, rho: float, sigma: float, beta: float, constant: float = 1.0
) -> Setting:  # fmt: skip
    """Returns the setting of DP-GD that Theorem 2.7 prescribes, with T rounded up (brown2024 eq. 9 and 10).

    Raises:
        ValueError: if n rho <= p, where the prescribed number of steps is not positive.
    """
    steps = theorem_steps(n=n, p=p, rho=rho, constant=constant)
    if not steps > 0.0:
        raise ValueError(f"n={n:g} must exceed p/rho = {p / rho:g}: Theorem 2.7 prescribes no step at all otherwise")
    T = math.ceil(steps)
    gamma = theorem_threshold(n=n, p=p, T=T, sigma=sigma, beta=beta, constant=constant)
    return Setting(n=n, p=p, T=T, rho=rho, eta=errors.ETA, gamma=gamma)


def theorem_records(*, p: int, rho: float, beta: float, constant: float = 1.0) -> float:
    """Returns the n that the theorem requires, as printed: `c (p + sqrt(p) ln^4(rho / beta))` (brown2024 Thm 2.7).

    The second term vanishes at rho = beta, and it grows as rho -> 0 only because the power of the logarithm is even.
    """
    require_positive(p=p, rho=rho, constant=constant)
    require_probability(beta=beta)
    return constant * (p + math.sqrt(p) * math.log(rho / beta) ** 4)


def proof_records(*, n: float, p: int, rho: float, beta: float, constant: float = 1.0) -> float:
    """Returns the n that the proof requires, up to a constant: `sqrt(p) ln^4(n rho / (beta p))` (brown2024 eq. 75)."""
    require_positive(n=n, p=p, rho=rho, constant=constant)
    require_probability(beta=beta)
    return constant * math.sqrt(p) * math.log(n * rho / (beta * p)) ** 4


def corrected_records(*, n: float, p: int, rho: float, T: float, beta: float, constant: float = 1.0) -> float:
    """Returns the n that follows from brown2024 eq. 74, up to a constant: `(p / sqrt(rho)) sqrt(T) ln^3.5(n T / beta)`.

    With the proof's own constants it is `no_clipping.required_records` at `gaussian_data.constant_of_theorem`.
    """
    require_positive(n=n, p=p, rho=rho, T=T, constant=constant)
    require_probability(beta=beta)
    return constant * p / math.sqrt(rho) * math.sqrt(T) * float(math.log(n * T / beta) ** 3.5)
