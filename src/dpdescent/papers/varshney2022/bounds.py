"""Every bound of varshney2022 that can fail, at the experiments' settings, beside a measured or a known value.

The paper's explicit bounds exclude clipping: they are evaluated beside exact laws and beside runs that clip nothing.
Rows of runs that do not meet a bound's conditions are open. Orders and conditions bound nothing: claims judge them.
"""

from dpdescent.papers.varshney2022 import (
    attacks,
    batches,
    comparison,
    conditions,
    dp_stat,
    ill_conditioned,
    lemmas,
    privacy,
    probabilities,
    proof_quantiles,
    risk,
    sampling,
    ssgd,
    tails,
)  # fmt: skip
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    privacy, attacks, ssgd, ill_conditioned, sampling, proof_quantiles, probabilities, risk, dp_stat, lemmas, batches, comparison, conditions,
    tails,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all bounds: privacy, DP-SSGD, DP-AMBSSGD, the methods that the paper compares itself with, moments."""
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
