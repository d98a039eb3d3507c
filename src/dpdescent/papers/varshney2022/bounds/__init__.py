"""Every bound of varshney2022 that can fail, at the experiments' settings, beside what was measured or is known.

The paper's explicit bounds exclude clipping: they stand beside exact laws, and beside runs that clip nothing. Rows of
runs that do not meet a bound's conditions are open. Orders and conditions bound nothing: claims judge them.
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
    """Evaluates all bounds: privacy, DP-SSGD, DP-AMBSSGD, least squares, moments."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
