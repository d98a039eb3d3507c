"""Every claim of wang2026 that a computation can judge, with a criterion made from the paper's words.

The paper is theory: its theorems, corollaries, lemmas and remarks are the claims, and the three sentences under a
figure that is another paper's, of which an analogue is judged. Claims of ours are called so. `criteria` reads the
paper's words as numbers, the same for all claims.
"""

from dpdescent.papers.wang2026 import (
    attained,
    cited,
    clipping,
    corollaries,
    correlation,
    domination,
    exact_tails,
    explicit_bounds,
    figure_1,
    guarantees,
    identities,
    independent_runs,
    lemma_runs,
    lemma_widths,
    lemmas,
    localisation,
    multipliers,
    network_identities,
    not_testable,
    parts_of_rates,
    powers,
    prescriptions,
    printed_multipliers,
    remark_4_2,
    stability,
    starts,
    terms,
    width,
    window_rates,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    figure_1, remark_4_2, correlation, terms, localisation, clipping, width, window_rates, parts_of_rates, corollaries, powers, prescriptions, guarantees,
    attained, multipliers, printed_multipliers, starts, explicit_bounds, stability, lemmas, lemma_runs, independent_runs,
    lemma_widths, identities, network_identities, cited, exact_tails, domination, not_testable,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """All claims: on the figure, on utility, on privacy, and on the lemmas beneath them."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
