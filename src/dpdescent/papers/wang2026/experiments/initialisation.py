"""Norms of the second layer, outputs, gradients and Hessians at the start, beside the bounds on them."""

from collections.abc import Iterator

import numpy as np

from dpdescent.papers.wang2026.design import Row, Spec, kan_of, problem_of, value
from dpdescent.papers.wang2026.runs import diagnostics
from dpdescent.papers.wang2026.theory import constants
from dpdescent.papers.wang2026.theory.constants import Constants

EVENT = "E_delta holds"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one width: one a quantity and draw, at the drawn records."""
    n, m, d = spec["cell"]["n"], value(spec, "m"), value(spec, "d")
    for trial in range(*spec["trials"]):
        for series, number in _quantities(spec, trial, n).items():
            yield {"m": m, "n": n, "d": d, "series": series, "trial": trial, "value": number}


def _quantities(spec: Spec, trial: int, n: int) -> dict[str, float]:
    kan, delta = kan_of(spec), value(spec, "delta_conf")
    made = problem_of(spec, [trial], n)
    W, H, heads = made.start, made.features, made.heads
    outputs, factors = kan.outputs_and_factors(W, H, heads)
    lengths_squared = np.vecdot(H, H)
    # The Hessian of f is block diagonal, a multiple of h h' in each unit.
    bends = np.abs(kan.curvature(W, H, heads)).max(axis=-1) * lengths_squared
    paper = Constants.paper(kan.splines)
    c = diagnostics.second_layer(spec, trial)
    return {
        EVENT: float(constants.initial_event(c, delta)),
        "largest |f_0|": float(np.abs(outputs).max()),
        "bound Q8": paper.initial_output_bound(n, delta),
        "largest gradient": float(np.sqrt((np.vecdot(factors, factors) * lengths_squared).max())),
        "G_delta": paper.gradient_bound(kan.width, delta),
        "G_sharp": float(constants.sharp_gradient_bound(kan, c)),
        "largest Hessian": float(bends.max()) / (kan.inputs * kan.width**0.5),
        "nu": paper.hessian_bound(kan.width, delta),
    }
