"""Every claim of wang2026 that a computation can judge, with a criterion made from the paper's words.

The paper is theory: its theorems, corollaries, lemmas and remarks are the claims, and the three sentences under a
figure that is another paper's, of which an analogue is judged. What is ours is called so. The criteria were written
before any run of the experiments; what a throw-away prototype had shown was known. The words are read as numbers in
`reading`, the same for all claims. A bound up to constants, or one whose conditions no run here meets, is not refuted
by a run: where that is missed the claim is inconclusive (`conditions`), and its note says which conditions fail.
"""

from dpdescent.papers.wang2026.claims import (
    arithmetic,
    correlation,
    figure_1,
    lemmas,
    multipliers,
    open_claims,
    privacy,
    proof,
    remark_4_2,
    terms,
    theorem_4_1,
    widths,
    window,
    window_rates,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    figure_1, remark_4_2, correlation, terms, window, theorem_4_1, widths, window_rates, arithmetic, privacy,
    multipliers, lemmas, proof, open_claims,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """All claims: the figure first, then utility, privacy, and what they rest on."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
