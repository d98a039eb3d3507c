"""How the paper's words are read as numbers, and the shape of its claims: shared by all of its judgements."""

from dpdescent.replication.evidence import Claim, Verdict
from dpdescent.replication.statistics import Estimate, verdict

PAPER = "liang2025"

# "significantly larger", "grows significantly", "diverges": at least twice.
SIGNIFICANT = 2.0
# "comparable", "fairly insensitive", "stable": within a factor of two.
COMPARABLE = 2.0
# "consistent with", "converges": within a tenth of the 2SLS estimate.
CLOSE = 0.1
# "decreases at the rate": the exponent within a tenth.
RATE = 0.1
# "clipping does not occur with high probability": at most one gradient in a hundred.
RARELY = 0.01


def claim(
    name: str, artefact: str, location: str, statement: str, quantity: str, measured: Estimate, criterion: str,
    at_least: float = float("-inf"), at_most: float = float("inf"), note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict follows from one estimate and its criterion."""
    result = verdict(measured, at_least, at_most)
    return judged(name, artefact, location, statement, quantity, measured, criterion, result, note)


def judged(
    name: str, artefact: str, location: str, statement: str, quantity: str, measured: Estimate | None, criterion: str,
    result: Verdict, note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict was reached otherwise."""
    value, low, high = (None, None, None) if measured is None else (measured.value, measured.low, measured.high)
    return Claim(name, PAPER, artefact, location, statement, quantity, value, low, high, criterion, result, note)
