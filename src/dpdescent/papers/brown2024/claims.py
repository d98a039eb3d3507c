"""Every claim of brown2024 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any paper-scale run; the numbers of a throw-away prototype were known, and later
changes stand in the column `changed`. `criteria` reads the paper's words as numbers, the same for all claims.
"""

from dpdescent.papers.brown2024 import (
    accuracy,
    ada_ssp_rate,
    clipped_loss,
    clipping,
    cost_of_privacy,
    coverage,
    dimension,
    failure_probability,
    guarantees,
    law,
    lengths,
    no_clipping,
    preliminaries,
    proof_steps,
    proofs,
    separation,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    guarantees, preliminaries, accuracy, failure_probability, dimension, ada_ssp_rate, cost_of_privacy, clipping,
    clipped_loss, no_clipping, law, proofs, proof_steps, coverage, lengths, separation,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """All claims: on guarantees and theorems, on accuracy, on clipping, on confidence intervals."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
