"""Every claim of liang2025 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any paper-scale run, with the results of a throw-away prototype known; the column
`changed` has later changes. Where the paper gives no number, the words "significantly",
"comparable", "insensitive" are read as the factors of `criteria`, the same for all claims. Where it leaves a value open
and a table has variants for it, a claim is held to all of them (`criteria.at_readings`).
"""

from dpdescent.papers.liang2025 import (
    angrist,
    beta_only,
    calibration,
    choices,
    conditioning,
    conditions,
    convergence,
    definitions,
    far,
    friendly_core,
    friendly_moments,
    in_range,
    iterations,
    least_squares,
    lemma_f1,
    lemmas,
    paths,
    phases,
    plateau,
    proofs,
    rates,
    real_data,
    sample_size,
    tails,
    theorem,
    transient,
    whole_bound,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

# The guarantee that is at stake first; then in the paper's order: bounds, synthetic data, other estimators, real data.
PARTS = (
    lemma_f1, definitions, calibration, theorem, phases, conditions, rates, whole_bound, convergence, lemmas, tails, paths, transient, proofs,
    far, sample_size, plateau, iterations, choices, beta_only, least_squares, friendly_core, friendly_moments, conditioning, real_data,
    angrist, in_range,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims, by subject."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
