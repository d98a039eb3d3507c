"""Accountants that condition on the batches: given them, a run with correlated noise is one Gaussian release.

If batches have the same law for neighbours, then a run's delta is at most the mean, over how a record takes part, of
the delta of a Gaussian release that it moves by `||C y||` (joint convexity; wang2026 Lemma F.9). Nothing is asked of
gradients, and nothing gained from what batches hide. The relation is in `sensitivity`: what one participation moves
the sum by, in units of kappa: 1 under zero-out, 2 under replace-one.

- `cyclic`: known batches visited in turn, so that y is known.
- `tail`: in every step a record takes part with probability r, independently. As in the proof of Theorem F.12, more
  than k participations are given up and up to k taken for k, but with the exact binomial tail, sensitivity and
  Gaussian delta, and the best k.
- `mixture`: of the same runs. k is averaged over instead of split; never above `tail`.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, xlog1py, xlogy

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.participation import gaussian
from dpdescent.privacy.participation.encoder import block_norms_squared, cyclic_norm_squared, require_steps
from dpdescent.privacy.participation.search import smallest

Array = NDArray[np.float64]
Rule = Literal["tail", "mixture"]


def delta(
    kappa: float, eps: float, T: int, rate: float, lam: float, sensitivity: float = 1.0, rule: Rule = "tail"
) -> float:
    """delta at eps of T steps in each of which a record takes part with probability `rate`, independently.

    Args:
        kappa: noise multiplier.
        eps: at least 0.
        T: steps.
        rate: r, in (0, 1].
        lam: correlation, in [0, 1).
        sensitivity: what a participation moves the sum by.
        rule: `mixture` is the tighter one.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(kappa=kappa, sensitivity=sensitivity)
    require_steps(T, rate, lam)
    norms, more, exactly = _participations(T, rate, lam)
    of_release = gaussian.delta(sensitivity / kappa * norms, eps)
    if rule == "mixture":
        return float(np.sum(exactly * of_release))
    return float(np.min(more + of_release))


def epsilon(
    kappa: float, delta: float, T: int, rate: float, lam: float, sensitivity: float = 1.0, rule: Rule = "tail"
) -> float:
    """Smallest eps whose delta is not above the one given; arguments as of `delta`."""
    return _smallest_epsilon(lambda eps: _delta(kappa, eps, T, rate, lam, sensitivity, rule), delta)


def multiplier(
    eps: float, delta: float, T: int, rate: float, lam: float, sensitivity: float = 1.0, rule: Rule = "tail"
) -> float:
    """Smallest kappa whose delta at eps is not above the one given; arguments as of `delta`."""
    zcdp.require_delta(delta)
    require_positive(eps=eps)
    return smallest(lambda kappa: _delta(kappa, eps, T, rate, lam, sensitivity, rule) <= delta)


def cyclic_epsilon(
    kappa: float, delta: float, T: int, period: int, lam: float, sensitivity: float = 1.0
) -> float:  # fmt: skip
    """epsilon at delta of a record in every period-th step, from the first on."""
    require_positive(kappa=kappa, period=period, sensitivity=sensitivity)
    return gaussian.epsilon(sensitivity / kappa * math.sqrt(cyclic_norm_squared(T, period, lam)), delta)


def cyclic_multiplier(eps: float, delta: float, T: int, period: int, lam: float, sensitivity: float = 1.0) -> float:
    """kappa for which `cyclic_epsilon` is eps."""
    require_positive(period=period, sensitivity=sensitivity)
    return sensitivity * math.sqrt(cyclic_norm_squared(T, period, lam)) / gaussian.mu(eps, delta)


_delta = delta


def _smallest_epsilon(falling: Callable[[float], float], delta: float) -> float:
    zcdp.require_delta(delta)
    return 0.0 if falling(0.0) <= delta else smallest(lambda eps: falling(eps) <= delta)


@cache
def _participations(T: int, rate: float, lam: float) -> tuple[Array, Array, Array]:
    """For k = 0..T participations: largest ||C y||, P(more than k), P(exactly k)."""
    k = np.arange(T + 1)
    log_exactly = gammaln(T + 1) - gammaln(k + 1) - gammaln(T - k + 1) + xlogy(k, rate) + xlog1py(T - k, -rate)
    return np.sqrt(block_norms_squared(T, lam)), np.asarray(bdtrc(k, T, rate)), np.exp(log_exactly)
