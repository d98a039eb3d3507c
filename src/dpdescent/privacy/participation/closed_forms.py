"""Noise multipliers of wang2026: Theorem 5.1 (F.12) for correlated noise, Theorem 5.4 (D.9) for independent noise.

The formulas do not check their conditions: `correlated_precondition` checks the condition of the first theorem; the
paper does not state that of the second.
"""

import math

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.participation.encoder import column_sum, require_steps


def correlated_multiplier(T: int, rate: float, lam: float, eps: float, delta: float, factor: float = 8.0) -> float:
    """Noise multiplier kappa of wang2026 Theorem F.12; `factor` is 8 as published, or 2, which its proof needs.

    `kappa^2 = factor ((1-lam^T)/(1-lam))^2 (rT + sqrt(3 rT log(2/delta))) log(2.5/delta) / eps^2`.
    """
    require_steps(T, rate, lam)
    require_positive(eps=eps, factor=factor)
    zcdp.require_delta(delta)
    expected = rate * T
    # A record takes part more often than this with a probability of at most delta/2 (Lemma F.10).
    participations = expected + math.sqrt(3.0 * expected * math.log(2.0 / delta))
    return float(column_sum(T, lam)) / eps * math.sqrt(factor * participations * math.log(2.5 / delta))


def correlated_precondition(T: int, rate: float, eps: float, delta: float) -> bool:
    """Whether wang2026 Theorem F.12 covers this setting: `eps, delta <= 1` and `rT >= 3 log(2/delta)`."""
    return eps <= 1.0 and delta <= 1.0 and rate * T >= 3.0 * math.log(2.0 / delta)


def independent_multiplier(T: int, rate: float, eps: float, delta: float) -> float:
    """Noise multiplier of wang2026 Thm. D.9: `kappa^2 = 16 r^2 T / eps + 32 r^2 T log(1/delta) / eps^2`, lam = 0."""
    require_steps(T, rate)
    require_positive(eps=eps)
    zcdp.require_delta(delta)
    return rate * math.sqrt(16.0 * T / eps + 32.0 * T * math.log(1.0 / delta) / eps**2)
