"""Every claim of varshney2022 that a computation can judge, with a criterion made from the paper's words.

The paper is theory and has no experiment: its theorems, remarks and comparisons are the claims. The column `source`
says which are ours, because the paper does not make them; its scaling is judged at a fixed quantile, and notes say
what it is with our rule C = 1 for DP-STAT. The criteria were written before any run of the experiments; what a throw-away prototype had shown
was known. Where one was changed after a first look at the tables, or after a review of them, or what it is held
against, the claim's column `changed` says so. The words are read as numbers in `reading`,
the same for all claims.
"""

from dpdescent.papers.varshney2022.claims import (
    clipping,
    comparison,
    dimension,
    lemmas,
    levels,
    open_claims,
    orders,
    private,
    rates,
    shuffled,
    statistic,
    steps,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    levels,
    rates,
    dimension,
    comparison,
    clipping,
    statistic,
    steps,
    shuffled,
    private,
    lemmas,
    orders,
    open_claims,
)


def judge(evidence: Evidence) -> list[Claim]:
    """All claims: risks first, then what they rest on."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
