"""Every computable bound of brown2024 at its experiments' settings, beside measured values.

Explicit bounds stand beside the quantile over runs at the bound's probability, equalities beside means.
Theorems hide constants: evaluated at 1 they are orders, and so much is said in their notes; their rows are open.
"""

from dpdescent.papers.brown2024 import (
    accuracy,
    cost_of_privacy,
    coverage,
    dimension,
    gaussian_releases,
    guarantees,
    lengths,
    no_clipping,
    preliminaries,
    proofs,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    guarantees.evaluate, gaussian_releases.evaluate, dimension.evaluate, cost_of_privacy.evaluate,
    no_clipping.evaluate, accuracy.evaluate, coverage.evaluate, lengths.evaluate, preliminaries.evaluate, proofs.evaluate,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """All rows, in the order of the paper's sections: algorithm, error, clipping, accuracy, intervals, preliminaries.

    Raises:
        ValueError: if the specification lacks a setting of an artefact, such as its budget.
    """
    return [bound for part in PARTS for bound in part(evidence)]
