"""Every computable bound of varshney2022 at the experiments' settings, beside what was measured or is exactly known.

The paper's explicit bounds exclude clipping: they stand beside exact laws, and beside runs that clip nothing. Theorems
hide constants and logarithms: evaluated at 1 they are orders, and so much is said in their notes. Orders, conditions
and parts of bounds bound nothing: their rows are open, and so are those of runs that do not meet a bound's conditions.
"""

from dpdescent.papers.varshney2022.bounds import (
    batches,
    comparison,
    deviations,
    lemmas,
    moments,
    privacy,
    risks,
    shuffled,
    statistic,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (privacy, shuffled, deviations, risks, statistic, lemmas, batches, comparison, moments)


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all bounds: privacy, DP-SSGD, DP-AMBSSGD, what the paper compares itself with, moments."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
