"""Every claim of choquettechoo2023 that a computation can judge, with a criterion made from the paper's words.

The criteria were written before any run of the experiments; what a throw-away prototype had shown was known, and what
was changed later says so in its column `changed`. The words are read as numbers in `reading`, the same for all claims.
"""

from dpdescent.papers.choquettechoo2023.claims import (
    coefficients,
    convex,
    costs,
    finite_forms,
    finite_time,
    gradients,
    learning,
    learning_choices,
    mean_estimation,
    mechanisms,
    orders,
    regression,
    regression_theory,
    slips,
    theory,
    untested,
)
from dpdescent.replication.judging.evidence import Claim, Evidence

PARTS = (
    theory, mean_estimation, regression, regression_theory, orders, coefficients, finite_time,
    finite_forms, gradients, slips, convex, untested,
    learning, learning_choices, costs, mechanisms,
)  # fmt: skip


def judge(evidence: Evidence) -> list[Claim]:
    """Judges all claims, in the order of the paper's sections."""
    return [claim for part in PARTS for claim in part.judge(evidence)]
