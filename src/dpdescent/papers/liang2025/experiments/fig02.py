"""Figure 2: bound (7) against the number of iterations, term by term, at stated constants."""

from collections.abc import Iterator

import numpy as np

from dpdescent.papers.liang2025 import design
from dpdescent.papers.liang2025.theory import error_bounds, prescriptions


def run(spec: design.Spec) -> Iterator[design.Row]:
    """Yields one row for each term and T; every row holds the boundaries of the three regimes (Remark 3.7)."""
    cell, rho = spec["cell"], spec["cell"]["rho1"]
    problem = prescriptions.IVProblem.of(design.parameters_of(spec, 0), cell["n"], spec["settings"]["tau"])
    window = prescriptions.spectrum(problem, design.constants(spec))
    kappa = prescriptions.contraction(window, prescriptions.recommended_step_sizes(window)).overall
    regimes = error_bounds.regime_boundaries(problem, kappa, rho, rho)
    boundaries = {
        "T1": regimes.optimisation_ends,
        "T2": regimes.sampling_ends,
        "T3": regimes.bound_ends,
        "kappa": kappa,
    }
    longest = 1.5 * regimes.bound_ends
    for T in np.unique(np.round(np.geomspace(1, longest, spec["arms"]["points"])).astype(int)):
        terms = error_bounds.bound_terms(problem, kappa, rho, rho, int(T))
        values = {name: getattr(terms, name) for name in ("optimisation", "privacy", "sampling", "total")}
        for series, value in values.items():
            yield {"T": int(T), "series": series, "trial": 0, "value": value, **boundaries}
