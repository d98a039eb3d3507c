"""Tight conversion between rho and (epsilon, delta) for compositions of Gaussian releases.

The search for epsilon, or for the noise, is the same as in dp-accounting 0.6.0 and gives the same answers to the last
bit, which a test checks. dp-accounting takes the normal law from scipy.stats, which makes the same search seventy times
as slow, and experiments calibrate noise thousands of times. Only the ratio of the noise sd to our own sensitivity
enters, which does not depend on a neighbouring relation.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

from dpdescent.checks import require_positive, require_real
from dpdescent.privacy import zcdp

# Largest epsilon for which noise is searched, and smallest epsilon for which the search is exact. Below the latter,
# delta is a difference of two numbers that rounding makes equal, so that users are refused there.
LARGEST, LEAST = 1e9, 1e-7


def tight_epsilon(rho: float, delta: float) -> float:
    """Smallest epsilon of a composition of Gaussian releases whose zCDP costs add up to rho.

    The composition is sqrt(2 rho)-Gaussian-DP: as private as one Gaussian release whose noise sd divided by its
    sensitivity is 1/sqrt(2 rho). The analytic Gaussian formula is exact for that. Adaptive releases are covered.

    Raises:
        ValueError: if rho is negative or delta is not in (0, 1).
    """
    require_real(rho=rho, delta=delta)
    return _tight_epsilon(float(rho), float(delta))


# Cached, because each call is a search, and the methods of a comparison ask for the same budget in every trial.
@lru_cache(4096)
def _tight_epsilon(rho: float, delta: float) -> float:
    zcdp.require_delta(delta)
    mu = zcdp.gaussian_dp_mu(rho)
    if mu == 0.0:
        return 0.0
    if math.isinf(mu):
        return math.inf
    sigma, wanted = 1.0 / mu, float(np.log(delta))
    if _log_delta(sigma, 0.0) < wanted:
        return 0.0
    low, high = 0.0, 1.0
    while _log_delta(sigma, high) > wanted:
        low, high = high, 10.0 * high
    return _root(lambda eps: _log_delta(sigma, eps) - wanted, low, high)


def tight_rho(eps: float, delta: float) -> float:
    """Largest rho for which `tight_epsilon(rho, delta) <= eps`; it calibrates Gaussian noise to (eps, delta).

    For an eps below 1e-7 rounding may make it too large.

    Raises:
        ValueError: if eps is not positive or above `LARGEST`, or delta is not in (0, 1).
    """
    require_real(eps=eps, delta=delta)
    return _tight_rho(float(eps), float(delta))


@lru_cache(4096)
def _tight_rho(eps: float, delta: float) -> float:
    require_positive(eps=eps)
    zcdp.require_delta(delta)
    if eps > LARGEST:
        raise ValueError(f"eps={eps} must be at most {LARGEST:.0e}: beyond, double precision cannot tell the noise")
    wanted = float(np.log(delta))
    low, high = 0.1, 1.0
    while _log_delta(low, eps) < wanted:
        low, high = low / 10.0, low
    while _log_delta(high, eps) > wanted:
        low, high = high, 10.0 * high
    sigma = _root(lambda sigma: _log_delta(sigma, eps) - wanted, low, high)
    return 0.5 / sigma**2


def _log_delta(sigma: float, eps: float) -> float:
    """Log delta at eps of one Gaussian release; sigma is noise sd divided by sensitivity (Balle & Wang 2018, eq. 6)."""
    threshold = eps * sigma + 1.0 / (2.0 * sigma)
    first, second = log_ndtr(1.0 / sigma - threshold), eps + log_ndtr(-threshold)
    return float(first + np.log1p(-np.exp(second - first))) if second <= first else -math.inf


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(function, low, high, xtol=1e-12))
