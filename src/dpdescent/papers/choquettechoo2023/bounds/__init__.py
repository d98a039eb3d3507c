"""Every computable bound of choquettechoo2023 at its experiments' settings, beside what was measured.

Explicit bounds stand beside exact values, simulations beside the exact law. Orders, which hide their constants, bound
nothing: they are judged in claims, and Tables 1, 2 and 4 have theirs. The paper's conventions of F differ by a factor of
2: each row's note says whose F it is.
"""

from dpdescent.papers.choquettechoo2023.bounds import (
    adaptive,
    anti_pgd,
    asymptotic,
    clipping,
    exact_errors,
    finite_time,
    integrals,
    lemmas,
    mean_estimation,
    preliminaries,
    random_products,
    sensitivities,
    spectra,
    starts,
    strongly_convex,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    sensitivities, mean_estimation, exact_errors, asymptotic, anti_pgd, spectra, finite_time, starts, random_products,
    lemmas, clipping, adaptive, strongly_convex, integrals, preliminaries,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all rows, in the order of the paper's sections.

    Raises:
        ValueError: if the specification lacks what an artefact was run with, such as its budget.
    """
    return [bound for part in PARTS for bound in part.evaluate(evidence)]
