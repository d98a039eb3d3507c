"""The criterion of a claim: an interval in which its estimate must lie, and the words that are printed for it.

A criterion is an object and no text, so that its number is written once: in code, or in the configuration where a
published value is the criterion. Its words are made from the number; where the paper's words say more, they are given,
and the number is not repeated by hand.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dpdescent.replication.judging.evidence import Verdict
from dpdescent.replication.judging.statistics import Estimate, verdict, verdict_on_all


@dataclass(frozen=True)
class Criterion:
    """An interval of values, ends included.

    Attributes:
        words: the text that is printed for it.
        low, high: its ends; infinite where it has none.
    """

    words: str
    low: float = -math.inf
    high: float = math.inf

    def verdict(self, estimate: Estimate) -> Verdict:
        """The verdict on an estimate: the whole interval of the estimate decides."""
        return verdict(estimate, self.low, self.high)

    def verdict_on_all(self, estimates: Iterable[Estimate]) -> Verdict:
        """The verdict on a statement about several estimates: one failure refutes it, one doubt leaves it open."""
        verdicts = [self.verdict(estimate) for estimate in estimates]
        return verdict_on_all(verdicts) if verdicts else "not testable"

    def margin(self, value: float) -> float:
        """The distance of a value from the nearer end; negative outside."""
        return min(value - self.low, self.high - value)


def at_least(value: float, also: str = "", *, words: str = "") -> Criterion:
    """The criterion `at least value`; `also` is printed behind it, `words` in place of all."""
    return Criterion(words or f"at least {value:.4g}{also}", low=value)


def at_most(value: float, also: str = "", *, words: str = "") -> Criterion:
    """The criterion `at most value`; `also` is printed behind it, `words` in place of all."""
    return Criterion(words or f"at most {value:.4g}{also}", high=value)


def between(low: float, high: float, *, words: str = "") -> Criterion:
    """The criterion `between low and high`; `words` are printed in place of that."""
    return Criterion(words or f"between {low:g} and {high:g}", low, high)


def within_of(value: float, within: float, *, words: str = "") -> Criterion:
    """The criterion `within so much of value`; `words` are printed in place of that."""
    return Criterion(words or f"within {within:g} of {value:g}", value - within, value + within)


# Zero itself is on neither side, because an interval that touches it leaves a sign open.
ABOVE_0 = Criterion("above 0", low=5e-324)
BELOW_0 = Criterion("below 0", high=-5e-324)
