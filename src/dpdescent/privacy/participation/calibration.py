"""Noise multipliers from Monte Carlo, with the same random outputs for every multiplier, so that delta is smooth."""

import math
from dataclasses import dataclass
from functools import cache

from scipy.optimize import brentq

from dpdescent.checks import require_known, require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Relation, Sampler
from dpdescent.privacy.participation.divergence import Array, Direction, Estimate, Pair, hockey_stick

# Multipliers are bracketed between powers of two, from this one up, and then found to this relative accuracy: a
# hundredth of the error that follows from the standard error of delta.
LOWEST_POWER, _ACCURACY = -6, 1e-4

# If no output has a loss above epsilon, delta counts as this share of the requested delta, because log 0 is infinite.
_NOTHING = 1e-3


@dataclass(frozen=True)
class Calibrated:
    """A noise multiplier and the status of its guarantee.

    Attributes:
        multiplier: kappa; infinite where no amount of noise suffices for the accountant.
        delta_attained: delta at the multiplier, by the accountant that found it; NaN where the accountant has only a
            formula for epsilon or for the multiplier.
        standard_error: standard error of delta_attained; 0 where it is exact or an upper bound.
        relation: neighbouring relation of the claim.
        sampler: sampler of the claim.
        proved: whether the claim is proved for that sampler; False where delta is an estimate or the precondition is
            not met.
        precondition: whether the precondition of the theorem is `met` or `not met`; `none` where it has none.
    """

    multiplier: float
    delta_attained: float
    standard_error: float
    relation: Relation
    sampler: Sampler
    proved: bool
    precondition: str

    def __post_init__(self) -> None:
        require_known(Relation, relation=self.relation)
        require_known(Sampler, sampler=self.sampler)


class Calibration:
    """Search for multipliers of one pair; the result for one (eps, delta) does not depend on other searches.

    Args:
        pair: the two laws.
    """

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        # For each multiplier and direction: the epsilon above which the losses are known, and the losses.
        self._known: dict[tuple[float, Direction], tuple[float, Array]] = {}

    def multiplier(self, eps: float, delta: float, unamplified: float) -> tuple[float, Estimate]:
        """Multiplier at which the larger delta of both directions at eps equals `delta`, and the estimate there.

        Args:
            eps: epsilon, positive.
            delta: delta, in (0, 1).
            unamplified: a multiplier that is proved to suffice; the search ends at twice its value.

        Raises:
            ValueError: if an argument is out of its range, or the multiplier is not inside the grid.
        """
        require_positive(eps=eps, unamplified=unamplified)
        zcdp.require_delta(delta)
        kappa = self._search(eps, delta, unamplified, ("P|Q",))
        estimate = self.estimate(kappa, eps, ("P|Q", "Q|P"))
        # P|Q alone is searched first, because it mostly has the larger delta; where it does not, both are searched.
        if estimate.value > self.estimate(kappa, eps, ("P|Q",)).value:
            kappa = self._search(eps, delta, unamplified, ("P|Q", "Q|P"))
            estimate = self.estimate(kappa, eps, ("P|Q", "Q|P"))
        return kappa, estimate

    def estimate(self, kappa: float, eps: float, directions: tuple[Direction, ...]) -> Estimate:
        """Estimate of delta at eps, the largest over these directions."""
        estimates = [hockey_stick(self._losses(kappa, direction, eps), eps) for direction in directions]
        return max(estimates, key=lambda estimate: estimate.value)

    def _losses(self, kappa: float, direction: Direction, eps: float) -> Array:
        """Privacy losses of a direction that are exact above eps, from memory where possible."""
        known = self._known.get((kappa, direction))
        if known is None or known[0] > eps:
            known = self._known[kappa, direction] = eps, self._pair.losses(kappa, direction, eps)
        return known[1]

    def _search(self, eps: float, delta: float, unamplified: float, directions: tuple[Direction, ...]) -> float:
        """The multiplier at which the largest delta over these directions equals `delta`."""

        @cache
        def excess(log_kappa: float) -> float:
            """Log of the ratio of delta to the requested delta; it decreases in kappa."""
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
