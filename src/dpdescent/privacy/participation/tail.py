"""Accountants that condition on the batches: given these, a run with correlated noise is one Gaussian release.

If batches have the same law for neighbours, then a run's delta is at most the mean, over the record's participations y,
of the delta of a Gaussian release with sensitivity `||C y||` (joint convexity; wang2026 Lemma F.9). This holds for all
gradients, and does not use amplification by the secrecy of batches. `sensitivity` expresses the relation: the shift of
the sum by one participation, in units of kappa, is 1 under zero-out and 2 under replace-one.

- `cyclic`: known batches visited in turn, so that y is known.
- `tail`: in every step a record takes part with probability r, independently. As in the proof of wang2026 Theorem F.12,
  the probability of more than k participations is added to delta, and up to k count as k; but the binomial tail, the
  sensitivity and the Gaussian delta are exact, and k is the best one.
- `mixture`: the same runs, with a mean over the number of participations instead; never above `tail`.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, xlog1py, xlogy

from dpdescent.checks import require_known, require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.participation import gaussian
from dpdescent.privacy.participation.encoder import block_norms_squared, cyclic_norm_squared, require_steps
from dpdescent.privacy.participation.search import smallest

Array = NDArray[np.float64]
Rule = Literal["tail", "mixture"]


def delta(
    kappa: float, eps: float, T: int, rate: float, lam: float, sensitivity: float = 1.0, rule: Rule = "tail"
) -> float:
    """The delta at eps of T steps, in each of which a record takes part with probability `rate`, independently.

    Args:
        kappa: noise multiplier.
        eps: at least 0.
        T: number of steps.
        rate: sampling rate r, in (0, 1].
        lam: correlation, in [0, 1).
        sensitivity: shift of the sum by one participation.
        rule: `tail` or `mixture`, of which the latter is tighter.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_known(Rule, rule=rule)
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
    """Smallest epsilon at which the module's `delta` is at most the given delta; arguments as for that function."""
    return _smallest_epsilon(lambda eps: _delta(kappa, eps, T, rate, lam, sensitivity, rule), delta)


def multiplier(
    eps: float, delta: float, T: int, rate: float, lam: float, sensitivity: float = 1.0, rule: Rule = "tail"
) -> float:
    """Smallest noise multiplier whose delta at eps is at most the given delta; arguments as for `delta`."""
    zcdp.require_delta(delta)
    require_positive(eps=eps)
    return smallest(lambda kappa: _delta(kappa, eps, T, rate, lam, sensitivity, rule) <= delta)


def cyclic_epsilon(
    kappa: float, delta: float, T: int, period: int, lam: float, sensitivity: float = 1.0
) -> float:  # fmt: skip
    """The epsilon at delta of a record that takes part in every period-th step, from the first on."""
    require_positive(kappa=kappa, period=period, sensitivity=sensitivity)
    return gaussian.epsilon(sensitivity / kappa * math.sqrt(cyclic_norm_squared(T, period, lam)), delta)


def cyclic_multiplier(eps: float, delta: float, T: int, period: int, lam: float, sensitivity: float = 1.0) -> float:
    """Noise multiplier kappa for which `cyclic_epsilon` is eps."""
    require_positive(period=period, sensitivity=sensitivity)
    return sensitivity * math.sqrt(cyclic_norm_squared(T, period, lam)) / gaussian.mu(eps, delta)


_delta = delta


def _smallest_epsilon(falling: Callable[[float], float], delta: float) -> float:
    """Smallest epsilon at which a falling delta is at most the given delta; possibly 0."""
    zcdp.require_delta(delta)
    return 0.0 if falling(0.0) <= delta else smallest(lambda eps: falling(eps) <= delta)


@cache
def _participations(T: int, rate: float, lam: float) -> tuple[Array, Array, Array]:
    """Arrays for k = 0..T participations: largest ||C y||, P(more than k), P(exactly k)."""
    k = np.arange(T + 1)
    log_exactly = gammaln(T + 1) - gammaln(k + 1) - gammaln(T - k + 1) + xlogy(k, rate) + xlog1py(T - k, -rate)
    return np.sqrt(block_norms_squared(T, lam)), np.asarray(bdtrc(k, T, rate)), np.exp(log_exactly)
