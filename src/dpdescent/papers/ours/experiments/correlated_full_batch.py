"""The exact variance that noise over time leaves in an estimate of full-batch descent, beside the least of any."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize

from dpdescent.noise import schedule
from dpdescent.papers.ours import noise_over_time as layout
from dpdescent.papers.ours.design import Array, Row, Spec, spectrum
from dpdescent.randomness import stream

SEARCHED = "best encoder found by search"
# How an estimate is made of the iterates 1 to T: their weights, by its name.
ESTIMATES = {
    "last iterate": layout.last_iterate,
    "mean of all iterates": lambda T: layout.mean_of_last(T, T),
    "mean of the last half": lambda T: layout.mean_of_last(T, T // 2),
    "iterates weighted by time": layout.weighted_by_time,
}


def run(spec: Spec) -> Iterator[Row]:
    """Yields variances in units of sensitivity^2 / (2 rho), and the least of any noise, of every estimate and arm."""
    cell, eta = spec["cell"], spec["settings"]["eta"]
    if spec["trials"][0] > 0:
        return
    eigenvalues = spectrum(cell["p"], cell["kappa"])
    for name, averaging in ESTIMATES.items():
        response = schedule.response(eta, eigenvalues, averaging(cell["T"]))
        weights = np.linalg.norm(response, axis=1)
        # In units of sensitivity^2 / (2 rho), which a sensitivity of 1 and rho = 1/2 make 1.
        shared = {"panel": spec["panel"], "estimate": name, "p": cell["p"], "kappa": cell["kappa"], "T": cell["T"],
                  "trial": 0, "least": schedule.least_variance(weights, 1.0, 0.5)}  # fmt: skip
        for arm in _arms(spec, weights):
            yield {**shared, "series": arm.name, "value": arm.relative_variance(response)}
        if cell.get("searches"):
            yield {**shared, "series": SEARCHED, "value": _searched(spec, response[:, 0], cell["searches"])}


def _arms(spec: Spec, weights: Array) -> Iterator[layout.Arm]:
    T, given = len(weights), spec["arms"]
    yield layout.uniform(T)
    yield layout.scheduled(layout.SCHEDULE, weights, spec["settings"]["floor"])
    yield layout.scheduled(layout.PURE, weights, 0.0)
    yield from (layout.correlated(family, value, T) for family in ("lambda", "nu") for value in given[family])


def _searched(spec: Spec, response: Array, starts: int) -> float:
    """The least variance of any encoder of a single coordinate that a search finds from random starts.

    The sensitivity is exact: a convex function of the gradients, which are within [-1, 1], is largest at a corner. The
    search minimises the variance over lower-triangular encoders of sensitivity 1 at most.
    """
    T = len(response)
    below = np.tril_indices(T)
    # Gradients and their negatives move a release alike, so that half of the corners suffice.
    corners = np.array([(1.0, *rest) for rest in itertools.product((-1.0, 1.0), repeat=T - 1)])

    def encoder(entries: Array) -> Array:
        found = np.zeros((T, T))
        found[below] = entries
        return found

    def variance(entries: Array) -> float:
        carried = np.linalg.solve(encoder(entries).T, response)
        return float(carried @ carried)

    def slack(entries: Array) -> Array:
        return np.asarray(1.0 - np.sum((corners @ encoder(entries).T) ** 2, axis=1))

    rng, best = stream(spec["seed"], "ours", "search", f"T={T}"), math.inf
    for _ in range(starts):
        first = np.eye(T) + 0.3 * np.tril(rng.standard_normal((T, T)))
        first /= np.sqrt(np.sum((corners @ first.T) ** 2, axis=1).max())
        found = minimize(variance, first[below], method="SLSQP", constraints={"type": "ineq", "fun": slack},
                         options={"maxiter": 500, "ftol": 1e-12})  # fmt: skip
        # What the search returns may break its constraint by rounding: it is scaled back to sensitivity 1.
        best = min(best, found.fun * float((1.0 - slack(found.x)).max()))
    return best
