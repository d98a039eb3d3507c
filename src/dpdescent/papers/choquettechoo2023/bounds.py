"""Every computable bound of choquettechoo2023 at its experiments' settings, beside the measured values.

Explicit bounds stand beside exact values, simulations beside the exact law. Orders hide their constants and bound
nothing: they are judged in claims, also those of Tables 1, 2 and 4. The paper's conventions of F differ by a factor of
2: the note of each row names the convention.
"""

from dpdescent.papers.choquettechoo2023 import (
    components,
    convergence,
    damping,
    decompositions,
    events,
    exact_errors,
    frequencies,
    gradients,
    guarantees,
    identities,
    limits,
    mean_estimation,
    noise_matrices,
    nonquadratic,
    optimal_noise,
    preliminaries,
    sensitivities,
    spectra,
    strongly_convex,
)  # fmt: skip
from dpdescent.replication.judging.evidence import Bound, Evidence

PARTS = (
    identities.evaluate, sensitivities.evaluate, mean_estimation.evaluate, optimal_noise.evaluate, exact_errors.evaluate, limits.evaluate,
    damping.evaluate, spectra.evaluate, damping.evaluate_nu, convergence.evaluate, components.evaluate,
    decompositions.evaluate, events.evaluate, gradients.evaluate, noise_matrices.evaluate, guarantees.evaluate, strongly_convex.evaluate,
    nonquadratic.evaluate, frequencies.evaluate, preliminaries.evaluate,
)  # fmt: skip


def evaluate(evidence: Evidence) -> list[Bound]:
    """Evaluates all rows, in the order of the paper's sections.

    Raises:
        ValueError: if the specification lacks a setting of an artefact's run, such as its budget.
    """
    return [bound for part in PARTS for bound in part(evidence)]
