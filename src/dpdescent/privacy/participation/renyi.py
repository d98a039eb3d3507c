"""Renyi accountant of independent noise on batches of fixed size: wang2026 eq. (19).

It is Theorem 9 of Wang, Balle & Kasiviswanathan (2019) for Gaussian noise, which holds for batches drawn without
replacement under replace-one. That a replaced record moves the sum by 2 clipping thresholds is in the formula.
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
    """epsilon at delta of T steps: the smallest over the orders of `T eps(alpha) + log(1/delta) / (alpha - 1)`.

    Args:
        kappa: noise sd over the clipping threshold, on the sum.
        T: steps.
        rate: B/n.
        delta: in (0, 1).
    """
    require_positive(kappa=kappa)
    require_steps(T, rate)
    zcdp.require_delta(delta)
    return float(np.min(T * divergences(kappa, rate) - math.log(delta) / (ORDERS - 1.0)))


def multiplier(eps: float, T: int, rate: float, delta: float) -> float:
    """Smallest kappa for which `epsilon` is at most eps; infinite where none is large enough.

    The terms of (19) from the third on do not vanish as kappa grows, so that small epsilons may be out of its reach.
    """
    require_positive(eps=eps)
    return smallest(lambda kappa: epsilon(kappa, T, rate, delta) <= eps)


def divergences(kappa: float, rate: float) -> Array:
    """The right-hand side of (19) for every order of `ORDERS`: Renyi divergence of one step."""
    j, log_binomials = _binomials()
    power = np.where(j > 2.0, math.log(2.0) + 2.0 * j * (j - 1.0) / kappa**2, _second(kappa))
    terms = log_binomials + j * math.log(rate) + power
    # An order's first term is 1.
    return np.asarray(np.logaddexp(0.0, logsumexp(terms, axis=1)) / (ORDERS - 1.0))


def _second(kappa: float) -> float:
    """`log min{4 (e^(4/kappa^2) - 1), 2 e^(4/kappa^2)}`."""
    exponent = 4.0 / kappa**2
    # log(e^x - 1) without overflow.
    return min(math.log(4.0) + exponent + math.log(-math.expm1(-exponent)), math.log(2.0) + exponent)


@cache
def _binomials() -> tuple[Array, Array]:
    """j = 2..256 and log C(alpha, j), of shape (orders, j); -inf for j > alpha."""
    j = np.arange(2.0, ORDERS[-1] + 1.0)
    alpha = ORDERS[:, None]
    rest = np.maximum(alpha - j, 0.0)
    logs = gammaln(alpha + 1.0) - gammaln(j + 1.0) - gammaln(rest + 1.0)
    return j, np.where(j <= alpha, logs, -math.inf)
