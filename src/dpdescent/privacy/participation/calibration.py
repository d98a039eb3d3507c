"""Noise multipliers from Monte Carlo: the same random outputs for every multiplier, so that delta falls smoothly."""

import math
from dataclasses import dataclass
from functools import cache

from scipy.optimize import brentq

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Relation, Sampler
from dpdescent.privacy.participation.divergence import Direction, Estimate, Pair, hockey_stick

# Multipliers are bracketed among powers of two, from this one on, and found to this relative accuracy: a hundredth of
# what the standard error of delta amounts to.
LOWEST_POWER, _ACCURACY = -6, 1e-4

# Where no output has any loss above epsilon, delta counts as this share of what is asked for.
_NOTHING = 1e-3


@dataclass(frozen=True)
class Calibrated:
    """A noise multiplier and what stands behind it.

    Attributes:
        multiplier: kappa, infinite where no noise is enough for the accountant.
        delta_attained: delta at the multiplier, by the accountant that found it; not a number where there is only a
            formula for epsilon or for the multiplier.
        standard_error: of delta_attained; 0 where it is exact or an upper bound.
        relation: under which neighbours the claim is made.
        sampler: for which batches.
        proved: whether the claim is proved for that sampler, up to nothing: not where delta is an estimate, not where
            the precondition is not met.
        precondition: of the theorem: `met`, `not met`, or `none` where it has none.
    """

    multiplier: float
    delta_attained: float
    standard_error: float
    relation: Relation
    sampler: Sampler
    proved: bool
    precondition: str


class Calibration:
    """Searches for multipliers of one pair; what is found for one (eps, delta) does not hang on what others there are.

    Args:
        pair: the two laws.
    """

    def __init__(self, pair: Pair) -> None:
        self._losses = cache(pair.losses)

    def multiplier(self, eps: float, delta: float, unamplified: float) -> tuple[float, Estimate]:
        """The multiplier at which delta at eps is the one given, and the estimate there, the larger of both directions.

        Args:
            eps: positive.
            delta: in (0, 1).
            unamplified: a multiplier that is proved to suffice; the search ends an octave above it.

        Raises:
            ValueError: if an argument is out of its range, or the multiplier is not inside the grid.
        """
        require_positive(eps=eps, unamplified=unamplified)
        zcdp.require_delta(delta)
        found = self._search(eps, delta, unamplified, ("P|Q",))
        there = self.estimate(found, eps, ("P|Q", "Q|P"))
        # P is the mixture and mostly further from Q than Q from it; where it is not, both count all along.
        if there.value > self.estimate(found, eps, ("P|Q",)).value:
            found = self._search(eps, delta, unamplified, ("P|Q", "Q|P"))
            there = self.estimate(found, eps, ("P|Q", "Q|P"))
        return found, there

    def estimate(self, kappa: float, eps: float, directions: tuple[Direction, ...]) -> Estimate:
        """The largest delta of these directions."""
        estimates = [hockey_stick(self._losses(kappa, direction), eps) for direction in directions]
        return max(estimates, key=lambda each: each.value)

    def _search(self, eps: float, delta: float, unamplified: float, directions: tuple[Direction, ...]) -> float:
        @cache
        def excess(log_kappa: float) -> float:
            """log of delta over the one asked for: it falls with kappa."""
            value = self.estimate(math.exp(log_kappa), eps, directions).value
            return math.log(max(value / delta, _NOTHING))

        highest = math.ceil(math.log2(unamplified)) + 1
        power = highest - 1 if excess((highest - 1) * math.log(2.0)) <= 0.0 else highest
        while power >= LOWEST_POWER and excess(power * math.log(2.0)) <= 0.0:
            power -= 1
        if not LOWEST_POWER <= power < highest:
            raise ValueError(
                f"the noise multiplier for eps={eps} and delta={delta} is at the edge of the grid from "
                f"2^{LOWEST_POWER} to 2^{highest}: ask for another eps or delta"
            )
        low, high = power * math.log(2.0), (power + 1) * math.log(2.0)
        return math.exp(brentq(excess, low, high, xtol=_ACCURACY, rtol=1e-12))
