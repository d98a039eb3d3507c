"""Widths between the limits of Theorem 4.1 at Corollary 5.3's batches and iterations, beside gamma^-4 and gamma^-6."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.theory import prescriptions, rates
from dpdescent.papers.wang2026.theory.prescriptions import Point
from dpdescent.papers.wang2026.theory.rates import Run
from dpdescent.privacy.participation import closed_forms

LOWER, UPPER, FOURTH, SIXTH = "lower limit", "upper limit", "gamma^-4", "gamma^-6"
# Logarithms: in neither, in kappa only (with the limits as printed), or in the limits too, as the proofs show them.
DROPPED, KEPT, EVERYWHERE = "dropped", "kept", "kept in the limits too"
# Factors of kappa^2: none in Theorem 5.1 without logarithms; Theorem F.12's as printed, and as its proof needs it.
FACTORS = {"Theorem 5.1, constants 1": None, "F12x8": 8.0, "F12x2": 2.0}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every n and margin: without logarithms, with those of kappa, and with all that the proofs show."""
    cell = spec["cell"]
    grid = product(*(as_list(cell[name]) for name in ("n", "gamma", "lam", "eps", "eta")))
    for n, gamma, lam, eps, eta in grid:
        point = Point(n, value(spec, "d"), gamma, eps)
        for accountant, factor in FACTORS.items():
            made = prescribed(point, cell["r"], lam, eta, factor)
            for logs in (DROPPED,) if factor is None else (KEPT, EVERYWHERE):
                values = {
                    LOWER: rates.least_width(made, logs=logs == EVERYWHERE),
                    UPPER: rates.largest_width(made, logs=logs == EVERYWHERE), FOURTH: gamma**-4.0, SIXTH: gamma**-6.0,
                }  # fmt: skip
                own = {
                    "n": n, "gamma": gamma, "lam": lam, "eps": eps, "eta": eta, "logs": logs,
                    "accountant": accountant,
                    "precondition": "none" if factor is None else _condition(made, cell["r"], eps),
                }  # fmt: skip
                for series, number in values.items():
                    yield {**own, "series": series, "trial": 0, "value": number}


def prescribed(point: Point, rho: float, lam: float, eta: float, factor: float | None) -> Run:
    """Returns Corollary 5.3's run; delta = n^-1.1 where a closed form asks for one, with whole iterations."""
    made = prescriptions.corollary_5_3(point, rho=rho, lam=lam, eta=eta)
    if factor is None:
        return made
    T, delta = max(1, round(made.T)), point.n**-1.1
    kappa = closed_forms.correlated_multiplier(T, rho, lam, point.eps, delta, factor)
    return replace(made, T=T, delta=delta, kappa=kappa)


def _condition(run: Run, rho: float, eps: float) -> str:
    """Returns whether the corollary's own run meets the condition of Theorem F.12."""
    met = closed_forms.correlated_precondition(round(run.T), rho, eps, run.delta)
    return "met" if met else "not met"
