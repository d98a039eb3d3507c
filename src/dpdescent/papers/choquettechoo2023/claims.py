"""Every claim of choquettechoo2023 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any run of the experiments, with the results of a throw-away prototype known; the
column `changed` has later changes. The words are read as numbers in `criteria`, the same for all claims.
"""

from dpdescent.papers.choquettechoo2023 import (
    comparisons,
    costs,
    damping,
    digits,
    events,
    finite_time,
    frequencies,
    gradients,
    guarantees,
    limits,
    low_rank,
    mean_estimation,
    misprints,
    optimal_noise,
    orders,
    powers,
    prefix_sums,
    regression,
    sensitivities,
    spectra,
    strongly_convex,
)  # fmt: skip
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    guarantees, optimal_noise, mean_estimation, regression, limits, orders, spectra, low_rank, sensitivities, damping,
    finite_time, powers, gradients, events, misprints, strongly_convex, frequencies, comparisons, digits, costs,
    prefix_sums,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims, in the order of the paper's sections."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
