"""Every computable bound of brown2024 at its experiments' settings, beside what was measured.

Explicit bounds stand beside the quantile over runs that their probability belongs to, equalities beside means.
Theorems hide constants: evaluated at 1 they are orders, and so much is said in their notes. Orders, predictions and
conditions bound nothing: their rows are open, and `measured` is what they predict, or are to be compared with.
"""

from dpdescent.papers.brown2024.bounds import (
    accuracy,
    clipping,
    corners,
    coupling,
    intervals,
    lengths,
    predictions,
    preliminaries,
    proofs,
    runs,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    runs, predictions, coupling, clipping, accuracy, corners,
    intervals, lengths, preliminaries, proofs,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """All rows, in the order of the paper's sections: algorithm, error, clipping, accuracy, intervals, preliminaries.

    Raises:
        ValueError: if the specification lacks what an artefact was run with, such as its budget.
    """
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
