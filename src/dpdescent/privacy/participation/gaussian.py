"""Exact (epsilon, delta) of one Gaussian release, and the inverse functions."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr

from dpdescent.privacy.accounting import tight_epsilon, tight_rho

Array = NDArray[np.float64]


def delta(mu: ArrayLike, eps: ArrayLike) -> Array:
    """The exact delta `Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`, where mu is sensitivity divided by noise sd.

    The formula is from Balle & Wang (2018); it is computed from logarithms, because small values must be accurate.
    Arguments broadcast; mu may be 0 or infinite, eps must be finite.

    Raises:
        ValueError: if a mu or an eps is negative.
    """
    mu, eps = np.broadcast_arrays(np.asarray(mu, dtype=np.float64), np.asarray(eps, dtype=np.float64))
    if np.any(mu < 0.0) or np.any(eps < 0.0):
        raise ValueError(f"mu={mu} and eps={eps} must not be negative")
    # These values are replaced at the end, because delta is 0 at mu = 0 and 1 at infinity.
    inner = np.where((mu == 0.0) | np.isinf(mu), 1.0, mu)
    upper, lower = log_ndtr(0.5 * inner - eps / inner), log_ndtr(-0.5 * inner - eps / inner)
    result = np.exp(upper) * -np.expm1(np.minimum(eps + lower - upper, 0.0))
    return np.where(mu == 0.0, 0.0, np.where(np.isinf(mu), 1.0, result))


def epsilon(mu: float, delta: float) -> float:
    """Smallest epsilon at delta of a release with this mu."""
    return tight_epsilon(0.5 * mu * mu, delta)


def mu(eps: float, delta: float) -> float:
    """Largest mu of a release that is (eps, delta)-DP."""
    return math.sqrt(2.0 * tight_rho(eps, delta))
