"""Every computable bound of liang2025 that can fail at its experiments' settings, beside the measured values.

Lemmas are evaluated at constants that make them bounds and stand beside quantiles over trials. The theorems hide
constants; they are evaluated at 1 and stand beside mean errors.
"""

from dpdescent.papers.liang2025 import (
    beta_only,
    calibration,
    choices,
    far,
    friendly_core,
    iterations,
    least_squares,
    lemmas,
    paths,
    sample_size,
    theorem,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    calibration, theorem, lemmas, paths, far, sample_size, iterations, choices, beta_only, least_squares, friendly_core,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all rows, by subject.

    Raises:
        ValueError: if a sample size is so small that delta(tau) reaches 1, where eq. (10) is not defined.
    """
    return [row for part in PARTS for row in part.evaluate(evidence)]
