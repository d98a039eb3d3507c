"""Every claim of varshney2022 that a computation can judge, with a criterion made from the paper's words.

The paper is theory and has no experiment: its theorems, remarks and comparisons are the claims. The column `source`
says which are ours, because the paper does not make them. The paper's scaling is judged at a fixed quantile, and notes
give it with our rule C = 1 for DP-STAT too. The criteria were written before any run of the experiments, but with the
results of a throw-away prototype known. Where a criterion, or the quantity that it is about, was changed after a first
look at the tables or after a review of them, the claim's column `changed` says so. `criteria` reads the words as
numbers, the same for all claims.
"""

from dpdescent.papers.varshney2022 import (
    attacks,
    beyond_runs,
    choices,
    comparison,
    conditions,
    dimension,
    dp_stat,
    large_samples,
    lemmas,
    orders,
    privacy,
    probabilities,
    proof_quantiles,
    rates,
    risk,
    sampling,
    single_pass,
    single_pass_orders,
    tails,
    thresholds,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    risk, probabilities, rates, large_samples, dimension, comparison, thresholds, dp_stat, choices, single_pass, privacy, attacks, lemmas, beyond_runs, conditions, tails,
    orders, single_pass_orders, sampling, proof_quantiles,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Returns all claims: those on risks first, then those on the statements that risks rest on."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
