"""Renyi accountant of independent noise on batches of fixed size: wang2026 eq. (19).

It is Theorem 9 of Wang, Balle & Kasiviswanathan (2019) for Gaussian noise, which holds for batches drawn without
replacement under replace-one. The formula accounts for the fact that a replaced record moves the sum by 2 clipping
thresholds.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.participation.encoder import require_steps
from dpdescent.privacy.participation.search import smallest

Array = NDArray[np.float64]

ORDERS = np.array([*range(2, 64), *range(64, 257, 8)], dtype=np.float64)


def epsilon(kappa: float, T: int, rate: float, delta: float) -> float:
    """The epsilon of T steps at delta, the minimum over orders of `T eps(alpha) + log(1/delta) / (alpha - 1)`.

    Args:
        kappa: noise sd on the sum, divided by the clipping threshold.
        T: number of steps.
        rate: sampling rate B/n.
        delta: in (0, 1).
    """
    require_positive(kappa=kappa)
    require_steps(T, rate)
    zcdp.require_delta(delta)
    return float(np.min(T * divergences(kappa, rate) - math.log(delta) / (ORDERS - 1.0)))


def multiplier(eps: float, T: int, rate: float, delta: float) -> float:
    """Smallest noise multiplier kappa for which `epsilon` is at most eps; infinite where no noise is large enough.

    From the third term on, the terms of (19) do not vanish as kappa grows, so that (19) cannot prove small epsilons.
    """
    require_positive(eps=eps)
    return smallest(lambda kappa: epsilon(kappa, T, rate, delta) <= eps)


def divergences(kappa: float, rate: float) -> Array:
    """Renyi divergence of one step at every order in `ORDERS`: the right-hand side of wang2026 eq. (19)."""
    j, log_binomials = _binomials()
    power = np.where(j > 2.0, math.log(2.0) + 2.0 * j * (j - 1.0) / kappa**2, _second(kappa))
    terms = log_binomials + j * math.log(rate) + power
    # logaddexp with 0, because the first term is 1 at every order.
    return np.asarray(np.logaddexp(0.0, logsumexp(terms, axis=1)) / (ORDERS - 1.0))


def second_term_share(kappa: float, rate: float, alpha: float) -> float:
    """Share of the term j = 2 among the terms from j = 2 on of wang2026 eq. (19), at an order alpha of at least 2."""
    j = np.arange(2.0, math.floor(alpha) + 1.0)
    binomials = gammaln(alpha + 1.0) - gammaln(j + 1.0) - gammaln(alpha - j + 1.0)
    power = np.where(j > 2.0, math.log(2.0) + 2.0 * j * (j - 1.0) / kappa**2, _second(kappa))
    terms = binomials + j * math.log(rate) + power
    return float(np.exp(terms[0] - logsumexp(terms)))


def _second(kappa: float) -> float:
    """Log factor of the second term, `log min{4 (e^(4/kappa^2) - 1), 2 e^(4/kappa^2)}`."""
    exponent = 4.0 / kappa**2
    # Written as x + log(1 - e^-x), because e^x may overflow in log(e^x - 1).
    return min(math.log(4.0) + exponent + math.log(-math.expm1(-exponent)), math.log(2.0) + exponent)


@cache
def _binomials() -> tuple[Array, Array]:
    """Integers j = 2..256 and log binomials log C(alpha, j), shape (orders, j); -inf for j > alpha."""
    j = np.arange(2.0, ORDERS[-1] + 1.0)
    alpha = ORDERS[:, None]
    rest = np.maximum(alpha - j, 0.0)
    logs = gammaln(alpha + 1.0) - gammaln(j + 1.0) - gammaln(rest + 1.0)
    return j, np.where(j <= alpha, logs, -math.inf)
