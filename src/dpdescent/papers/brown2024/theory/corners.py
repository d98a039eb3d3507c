"""Corners in which theorems of brown2024 fail as printed, all of them far from every experiment.

Theorem 2.7, as sigma -> 0 and as rho -> 0 at fixed n rho / p: the printed bound tends to zero while the error of DP-GD,
at the theorem's own settings, does not, whatever the absolute constants c and c'. As p grows at fixed n rho / p the
bound loses by powers of logarithms only. Theorem 3.1, where its logarithm is zero: it asks for no steps.
"""

import math
from dataclasses import dataclass

from dpdescent.checks import require_positive
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.theory import accuracy, concentration, errors


@dataclass(frozen=True)
class Corner:
    """One setting near a limit in which Theorem 2.7 fails.

    Attributes:
        setting: setting that the theorem prescribes.
        error: distance of DP-GD to theta_hat, or a lower bound on it.
        bound: the theorem's bound on this distance with c' = 1 (brown2024 eq. 11).
    """

    setting: Setting
    error: float
    bound: float


def movement_bound(setting: Setting, beta: float) -> float:
    """Returns a bound on the distance that T steps move an iterate, with probability 1 - beta.

    `T eta gamma + eta lambda sqrt(T) (sqrt(p) + sqrt(2 ln(1/beta)))`: each mean gradient is at most gamma long, and the
    noise adds up to N(0, T eta^2 lambda^2 I) (brown2024 Claim A.9).
    """
    variance = setting.T * setting.noise_sd**2
    noise = concentration.gaussian_norm(variance * setting.p, variance, beta)
    return setting.eta * (setting.T * setting.gamma + noise)


def small_noise(
    *, n: int, p: int, rho: float, sigma: float, beta: float, constant: float = 1.0, estimate_norm: float = 1.0
) -> Corner:  # fmt: skip
    """Returns Theorem 2.7's setting, error and bound at a small sigma, to which gamma and lambda are proportional.

    T is not. The iterate starts at zero and moves little, whatever the data, so that with probability 1 - beta the
    error is at least ||theta_hat|| less `movement_bound`. In the limit it is ||theta_hat||, while the bound (brown2024
    eq. 11) is proportional to sigma.

    Args:
        n, p, rho, sigma, beta: setting of the theorem; sigma is positive.
        constant: the theorem's c, in T and in gamma.
        estimate_norm: ||theta_hat||, which tends to ||theta*|| as sigma -> 0.

    Raises:
        ValueError: if sigma is not positive, or n rho <= p.
    """
    require_positive(sigma=sigma, estimate_norm=estimate_norm)
    setting = accuracy.theorem_setting(n=n, p=p, rho=rho, sigma=sigma, beta=beta, constant=constant)
    error = max(0.0, estimate_norm - movement_bound(setting, beta))
    return Corner(setting, error, accuracy.accuracy_bound(n=n, p=p, rho=rho, sigma=sigma, beta=beta))


def small_budget(
    *, rho: float, p: int, sigma: float, beta: float, ratio: float = 2.0, constant: float = 1.0,
    estimate_norm: float = 1.0,
) -> Corner:  # fmt: skip
    """Returns Theorem 2.7's setting, error and bound at n = ratio p / rho.

    T depends on the ratio alone, and the bound (brown2024 eq. 11) is of the order of sqrt(rho). The error is the bias
    that T steps leave where Sigma is the identity, (1 - eta)^T ||theta_hat||, without that of noise and clipping.

    Args:
        rho: zCDP budget.
        p, sigma, beta: the rest of the theorem's setting.
        ratio: n rho / p, more than 1; n is rounded up.
        constant: the theorem's c, in T and in gamma.
        estimate_norm: ||theta_hat||.

    Raises:
        ValueError: if the ratio does not exceed 1.
    """
    require_positive(rho=rho, p=p, estimate_norm=estimate_norm)
    if not ratio > 1.0:
        raise ValueError(f"ratio={ratio} must exceed 1: Theorem 2.7 prescribes no step at all otherwise")
    n = math.ceil(ratio * p / rho)
    setting = accuracy.theorem_setting(n=n, p=p, rho=rho, sigma=sigma, beta=beta, constant=constant)
    error = errors.remaining_bias(T=setting.T, eta=setting.eta, start=estimate_norm)
    return Corner(setting, error, accuracy.accuracy_bound(n=n, p=p, rho=rho, sigma=sigma, beta=beta))


def noise_over_bound(*, p: int, ratio: float, rho: float, beta: float, constant: float = 1.0) -> float:
    """Returns the noise of the last iterate over Theorem 2.7's bound (brown2024 eq. 11), c' = 1, at n = ratio p.

    The noise is that of the exact law at Sigma = I with the theorem's own T and gamma, its root mean square. As p grows
    at a fixed ratio it is of order ln^3(nT/beta) times a bound whose logarithm does not grow. sigma cancels.
    """
    n = math.ceil(ratio * p)
    setting = accuracy.theorem_setting(n=n, p=p, rho=rho, sigma=1.0, beta=beta, constant=constant)
    k = setting.gamma / math.sqrt(p)
    noise = errors.privacy_error(n=n, p=p, rho=rho, T=setting.T, eta=setting.eta, k=k)
    # The stationary variance, of which T steps have this share where Sigma is the identity.
    reached = math.sqrt(1.0 - (1.0 - setting.eta) ** (2 * setting.T))
    return noise * reached / accuracy.accuracy_bound(n=n, p=p, rho=rho, sigma=1.0, beta=beta)


def silent_theorem(*, sigma: float, m: int, p: int, eta: float, beta: float) -> float:
    """Returns the lambda from which Theorem 3.1 asks for no steps, whatever its c: `sigma m p / (eta beta)`."""
    require_positive(sigma=sigma, m=m, p=p, eta=eta, beta=beta)
    return sigma * m * p / (eta * beta)
