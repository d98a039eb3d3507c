"""Lemma D.10 and Proposition C.11 of choquettechoo2023, whose expectations are exact for Gaussian inputs."""

from collections.abc import Iterator

import numpy as np

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.bounds.cases import FTRL, LABEL_NOISE, Point, asserted, at_ends
from dpdescent.papers.choquettechoo2023.theory import asymptotic_bounds, random_products
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Coefficients of which a product is made; steps of theta^(r).
TAPS, ORDERS = 50, (1, 2, 3)
EVEN = np.ones(2)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows at both ends of Figure 2's panels, the bound of C.11 with label noise too."""
    for point in at_ends(evidence):
        if asserted(point.problem):
            yield from _traces(point)
    for variant in ("main", LABEL_NOISE):
        for point in at_ends(evidence, variant):
            if asserted(point.problem):
                yield from _orders(point)


def _traces(point: Point) -> Iterator[Bound]:
    """Evaluates Lemma D.10 with the square of its proof."""
    problem = point.problem
    damped = toeplitz.nu_family(point.nu).coefficients(TAPS)
    for name, beta in ((f"eq. (7), tau = {TAPS - 1}", damped), ("beta = (1, 1), tau = 1", EVEN)):
        yield _trace(problem, point.text, name, beta)


def _trace(problem: RegressionProblem, setting: str, name: str, beta: Array) -> Bound:
    why = "d (sum |beta_k| (1 - eta mu)^((tau-k)/2))^2, with the square of the proof; measured is exact"
    return row(
        bound=f"E Tr V V', {name}", location="Lemma D.10", setting=setting,
        value=random_products.noise_trace_bound(problem, beta, 2),
        measured=random_products.noise_trace(problem, beta), note=why,
    )  # fmt: skip


def _orders(point: Point) -> Iterator[Bound]:
    """Evaluates Proposition C.11 beside the largest exact second moment of theta^(r)."""
    problem = point.problem
    moment = asymptotic_bounds.fourth_moment(problem.lam)
    for name in point.algorithms:
        given = (problem, point.weights(name), point.gamma_squared[name])
        exact = random_products.higher_orders(*given, max(ORDERS))
        for r in ORDERS if name == FTRL else ORDERS[:1]:
            yield row(
                bound=f"largest eigenvalue of E theta^(r) theta^(r)', {name}", location="Prop. C.11",
                setting=f"{point.text}, r={r}", value=random_products.higher_order_bound(*given, moment, r),
                measured=float(exact[r].max()), note="R^2 = Tr H + 2 lambda_1; measured is exact",
            )  # fmt: skip
