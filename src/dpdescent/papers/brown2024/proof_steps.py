"""Steps in the proofs of App. C.1 of brown2024 that one data set, or arithmetic, decides: (45), (62) and (73)."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.brown2024 import condition
from dpdescent.papers.brown2024.criteria import claim_on_all_cells
from dpdescent.papers.brown2024.formulas import ETA
from dpdescent.papers.brown2024.setting import Array, fixed_sample
from dpdescent.replication.judging import records
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly
from dpdescent.sums import added

PROOFS: records.Place = {"artefact": "bounds", "location": "App. C.1", "kind": "theorem", "source": "identity"}
# Steps of the fixed example.
STEPS = 20
# The number that (73) prints.
PRINTED_576 = 576.0


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on term (i) of (43), on the variance of part (v), and on the constant of the threshold."""
    yield _first_term()
    yield _variance()
    yield _constant()


def _first_term() -> Claim:
    """The claim on term (i) of (43), whose two forms (44) and (45) are compared on a fixed data set."""
    n, p, eta = 60, 5, ETA
    sample, theta, cells = fixed_sample(n, p), np.ones(p), {}
    sigma, away = sample.gram.xx / n, theta - linear_least_squares(sample.gram)
    M, A, power = np.eye(p) - eta * sigma, np.zeros((p, p)), np.eye(p)
    for t in range(1, STEPS + 1):
        # A_t = (I - M^t) Sigma^{-1} is eta times the sum of M^j, j < t (Fact A.7).
        A, power = A + eta * power, power @ M
        first = np.abs(sample.X @ (np.eye(p) - power) @ away)
        second = np.abs(sample.X @ A @ (sample.X.T @ (sample.y - sample.X @ theta))) / n
        cells[f"t = {t}"] = exactly(float(np.abs(first - second).max() / first.max()))
    return claim_on_all_cells(
        id="eq-45", **PROOFS | {"location": "(44), (45)"},
        statement="(algebra) |x_i'(I - (I - eta Sigma)^t)(theta - theta_hat)| is |sum_j (y_j - x_j'theta) x_i' A_t x_j| / n",
        quantity="largest difference of both sides over records, over the largest left side, on a fixed data set",
        cells=cells, criterion=at_most(1e-9), changed="Added after a fourth review.",
        note="(46) is part (v) of Condition 2.4 and no further step",
    )  # fmt: skip


def kernel(sigma: Array, t: int) -> Array:
    """A_t of Condition 2.4, `(I - (I - eta Sigma)^t) Sigma^{-1}`, by a solve."""
    eye = np.eye(len(sigma))
    found: Array = np.linalg.solve(sigma, eye - np.linalg.matrix_power(eye - ETA * sigma, t))
    return found


def _variance() -> Claim:
    """The claim on the variance of part (v), whose sum over records is compared with its closed form."""
    n, p = 60, 5
    sample, cells = fixed_sample(n, p), {}
    values, vectors = np.linalg.eigh(sample.gram.xx / n)
    for t in (1, 2, 5, STEPS):
        A = kernel(sample.gram.xx / n, t)
        summed = np.array([added(float(x @ A @ z) ** 2 for z in sample.X) for x in sample.X])
        closed = n * (sample.X @ vectors) ** 2 @ ((1.0 - (1.0 - ETA * values) ** t) ** 2 / values)
        cells[f"t = {t}"] = exactly(float(np.abs(summed - closed).max() / closed.max()))
    # The smallest wrong world: (I - eta Sigma)^(t + 1) in A_t.
    return claim_on_all_cells(
        id="eq-62", **PROOFS | {"location": "(59) to (64)"},
        statement="(algebra) sum_j (x_i' A_t x_j)^2 is n x_i'(I - (I - eta Sigma)^t) Sigma^{-1} (I - (I - eta Sigma)^t) x_i",
        quantity="largest difference of both sides over records, over the largest right side, on a fixed data set",
        cells=cells, criterion=at_most(1e-9), changed="Added after a later review; before it eq-67 had the right side alone.",
    )  # fmt: skip


def _constant() -> Claim:
    """The claim on the constant of the threshold in the proof of Theorem 2.7."""
    cells = {}
    for n, T, beta, p, sigma in product((10, 10**6), (1, 100), (0.5, 1e-6), (2, 1000), (0.1, 10.0)):
        c0 = condition.theorem_constant(n=n, T=T, beta=beta)
        printed = PRINTED_576 * float(np.log(20 * n * T / beta)) ** 3 * sigma * float(np.sqrt(p))
        required = condition.required_threshold(c0=c0, sigma=sigma, p=p)
        cells[f"n = {n:g}, T = {T}, beta = {beta:g}, p = {p}, sigma = {sigma:g}"] = exactly(required / printed)
    # The smallest wrong world: any other number.
    return claim_on_all_cells(
        id="eq-73", **PROOFS | {"location": "(73)"},
        statement="(algebra) with c0 of Lemma 2.6 at a quarter of beta, 4 c0^2 sigma sqrt(p) = 576 ln^3(20nT/beta) sigma sqrt(p)",
        quantity="left side over right side: the farthest from 1 over n, T, beta, p and sigma",
        cells=cells, criterion=within_of(1.0, 1e-9), changed="Added after a later review.",
    )  # fmt: skip
