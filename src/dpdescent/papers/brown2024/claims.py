"""Every claim of brown2024 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any paper-scale run; what a throw-away prototype had shown was known, and what was
changed later says so in its column `changed`. The words are read as numbers in `criteria`, the same for all claims.
"""

from dpdescent.papers.brown2024 import (
    accuracy,
    clipping,
    cost_of_privacy,
    coverage,
    dimension,
    guarantees,
    law,
    lengths,
    no_clipping,
    preliminaries,
    proofs,
    separation,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    guarantees, preliminaries, accuracy, dimension, cost_of_privacy, clipping, no_clipping, law, proofs, coverage,
    lengths, separation,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims: on guarantees and theorems, on accuracy, on clipping, on confidence intervals."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
