"""Tight conversion between rho and (epsilon, delta) for compositions of Gaussian releases, through dp-accounting.

dp-accounting 0.6.0 treats replace-one differently in its RDP and PLD accountants. It therefore gets only the ratio of
the noise sd to our own sensitivity, which does not depend on its relations.
"""

import math
from functools import lru_cache

import dp_accounting

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp


# Remembered, because each is a search, and the methods of a comparison ask for the same budget in every trial.
@lru_cache(4096)
def tight_epsilon(rho: float, delta: float) -> float:
    """Smallest epsilon of a composition of Gaussian releases whose zCDP costs add up to rho.

    The composition is sqrt(2 rho)-Gaussian-DP, that is, as private as one Gaussian release with noise sd over
    sensitivity 1/sqrt(2 rho); the analytic Gaussian formula is exact for that. Adaptive releases are covered.

    Raises:
        ValueError: if rho is negative or delta is not in (0, 1).
    """
    zcdp.require_delta(delta)
    mu = zcdp.gaussian_dp_mu(rho)
    if mu == 0.0:
        return 0.0
    return math.inf if math.isinf(mu) else float(dp_accounting.get_epsilon_gaussian(1.0 / mu, delta))


@lru_cache(4096)
def tight_rho(eps: float, delta: float) -> float:
    """Largest rho for which `tight_epsilon(rho, delta) <= eps`; it calibrates Gaussian noise to (eps, delta)."""
    require_positive(eps=eps)
    zcdp.require_delta(delta)
    sigma = float(dp_accounting.get_sigma_gaussian(eps, delta))
    return 0.5 / sigma**2
