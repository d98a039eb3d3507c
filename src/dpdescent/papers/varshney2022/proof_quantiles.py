"""Equations (17) and (28) of varshney2022: their powers, on exact means, and what the proof makes of (28), by algebra.

With their constants they, (18) and (24) stand in the bounds, beside quantiles of simulated steps of DP-SSGD.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpdescent.papers.varshney2022 import batches, ssgd
from dpdescent.papers.varshney2022.criteria import EQUAL, RATE, claim_on_all_cells, rows
from dpdescent.papers.varshney2022.formulas import Array, LinearProblem
from dpdescent.papers.varshney2022.setting import PAPER, Design
from dpdescent.papers.varshney2022.single_pass_orders import ONE_SMALL, ORDER, SINGLE, excess, problem_of
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.bound_rows import exact_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

# Dimension, steps (N of a pass), draws; condition numbers, and steps as shares of 1 / R_x^2, below which the lemmas want
# eta. The noise alpha zeta is of the size of the labels'.
D, STEPS, DRAWS = 5, 400, 1000
KAPPAS, SHARES, SIGMA, NOISE = (1.0, 4.0), (0.5, 0.1), 1.0, 1.0
FAILURES = (0.1, 0.01)
CONFIDENCE = 0.975


def covariance_bound(problem: LinearProblem, eta: float, beta: float) -> float:
    """Bound on Tr Q that fails with probability beta: `d (101 log(1/beta) / (eta mu) + 3 beta^100)` (eq. 17).

    varshney2022 App. A: Q is the covariance of what independent normal vectors on every step add up to.
    """
    return problem.dimension * (101.0 * math.log(1.0 / beta) / (eta * problem.mu) + 3.0 * beta**100)


def labels_bound(problem: LinearProblem, eta: float, beta: float) -> float:
    """Bound on Tr V'V that fails with probability beta: `R_x^2 (101 log^{2a+1}(1/beta) / (eta mu) + 3 beta^100)` (eq. 24).

    varshney2022 App. A, all of its betas the same: V V' is the covariance of what the covariates, times independent
    noise of the labels, add up to.
    """
    log = math.log(1.0 / beta)
    within = math.pow(log, 2.0 * problem.a + 1.0)
    return problem.bound_squared * (101.0 * within / (eta * problem.mu) + 3.0 * beta**100)


def distance_bound(problem: LinearProblem, eta: float, noise: float) -> float:
    """Bound on |w_T - w*|, with noise = zeta alpha, that fails with a probability of some power of 1/N (eq. 28).

    `2 |w*| + 2 sqrt(1050 eta/mu) R_x sigma log^{a+1} N + 4 sqrt(210 eta d/mu) zeta alpha log N`, varshney2022 App. A.
    """
    rate = eta / problem.mu
    labels = 2.0 * math.sqrt(1050.0 * rate * problem.bound_squared) * problem.sigma * problem.log_power(problem.a + 1.0)
    private = 4.0 * math.sqrt(210.0 * rate * problem.dimension) * noise * problem.log_power(1.0)
    return 2.0 * math.sqrt(problem.euclidean_norm_squared) + labels + private


@dataclass(frozen=True, eq=False)
class Draws:
    """Tr Q, the norm of a normal vector of covariance Q, Tr V'V and |w_T - w*|, of simulated passes, shapes (draws,)."""

    traces: Array
    norms: Array
    labels: Array
    distances: Array

    @classmethod
    def of(cls, problem: LinearProblem, eta: float, rng: np.random.Generator) -> "Draws":
        """Simulates passes of `STEPS` steps on normal records, without clipping."""
        d, root = problem.dimension, np.sqrt(problem.lam)
        Q, V, e = np.zeros((DRAWS, d, d)), np.zeros((DRAWS, d, d)), np.tile(-problem.w_star, (DRAWS, 1))
        for _ in range(STEPS):
            X = root * rng.standard_normal((DRAWS, d))
            outer = X[:, :, None] * X[:, None, :]
            for M, fresh in ((Q, np.eye(d)), (V, outer)):
                # (I - eta x x') M (I - eta x x') + fresh, expanded.
                Mx = np.einsum("nij,nj->ni", M, X)
                cross = X[:, :, None] * Mx[:, None, :]
                M += eta**2 * np.vecdot(X, Mx)[:, None, None] * outer + fresh
                M -= eta * (cross + cross.swapaxes(1, 2))
            residual = np.vecdot(X, e) - problem.sigma * rng.standard_normal(DRAWS)
            e -= eta * (residual[:, None] * X + 2.0 * NOISE * rng.standard_normal((DRAWS, d)))
        traces, labels = (np.trace(M, axis1=1, axis2=2) for M in (Q, V))
        normal = np.einsum("nij,nj->ni", np.linalg.cholesky(Q), rng.standard_normal((DRAWS, d)))
        return cls(traces, np.linalg.norm(normal, axis=1), labels, np.linalg.norm(e, axis=1))


def upper_quantile(values: Array, beta: float) -> float:
    """Upper 97.5 % confidence limit of the 1 - beta quantile, an order statistic; inf where there are too few."""
    rank = int(binom.ppf(CONFIDENCE, len(values), 1.0 - beta))
    return float(np.sort(values)[rank]) if rank < len(values) else math.inf


# Claims ----------------------------------------------------------------------------------------------------------------

# Places of the orders of the proof of Lemma A.9, one axis varied at a time; steps are below 1 / R_x^2 at all of them, and
# d is so large that R_x^2, which is d + 2 at H = I, is near d.
PROOF = {"d": 32.0, "kappa": 4.0, "1/eta": 1e4}
PROOF_AXES = {"d": (32.0, 64.0, 128.0, 256.0), "kappa": (1.0, 4.0, 16.0, 64.0), "1/eta": (1e3, 1e4, 1e5, 1e6)}


def _powers(evidence: Evidence) -> Iterator[Claim]:
    """Judges (17) and (28) by their powers, because their constants are hundreds and leave no room for a failure."""
    places: dict[str, list[dict[str, object]]] = {"Tr Q": [], "labels' noise": []}
    there = len(rows(evidence, "ext_orders", quantity=SINGLE)) > 0
    for axis, value in ((axis, value) for axis, values in PROOF_AXES.items() if there for value in values):
        at = PROOF | {axis: value}
        problem, eta = problem_of(int(at["d"]), at["kappa"], 1.0, 1e6, ONE_SMALL), 1.0 / at["1/eta"]
        # Means after so many steps that the start is forgotten; a normal vector on every step has the covariance Q.
        noise = float(batches.inverse_of_step(replace(problem, sigma=0.0), eta, 1.0, 1.0).sum())
        labels = float(batches.inverse_of_step(problem, eta, 1.0).sum())
        for name, mean in (
            ("Tr Q", noise / (problem.dimension / problem.mu)),
            ("labels' noise", labels / (problem.bound_squared / problem.mu)),
        ):
            places[name].append({"axis": axis, "reading": name, "at": value, "mean": mean, "se": math.nan})

    for id, location, statement, name, note in (
        ("equation-17", "App. A, (17)", "(proof) no power of d, kappa or 1/eta is missing from Tr(Q) <= d (101 log(1/beta) / (eta mu) + 3 beta^100) for the mean of Tr Q, Q the covariance of what normal vectors on every step add up to", "Tr Q", "its slopes are those of the third term of (28) too"),
        ("equation-28", "App. A, (28)", "(proof) no power of d, kappa or 1/eta is missing from |w_T - w*| <= 2 |w*| + 2 sqrt(1050 eta/mu) R_x sigma log^{a+1} N + 4 sqrt(210 eta d/mu) zeta alpha log N for the mean of the labels' part of |w_T - w*|^2", "labels' noise", "the third term has the Tr Q of equation-17"),
    ):  # fmt: skip
        slopes = excess(
            pd.DataFrame(places[name], columns=["axis", "reading", "at", "mean", "se"]).astype({"mean": float})
        )
        yield claim_on_all_cells(
            id=id, **ORDER | {"location": location},
            statement=statement,
            quantity="log-log slope along d, kappa and 1/eta of the exact mean (of the squares, in (28)) without its start, less that of the bound: the largest",
            cells=slopes, criterion=at_most(RATE),
            changed="The claim was added after a review. After a third reading its statement says what is judged, and the third term of (28), whose numbers are those of (17), is judged there alone.",
            note=f"constants, log(1/beta) and log N stand beside simulated quantiles in the bounds, hundreds of times above them. Slopes less those of the bound, of which kappa's have room to spare: {algebra.places_text(slopes)}; {note}",
        )  # fmt: skip


# Multipliers in units of the one at which c_1 and c_2 give the same step: below it c_2 rules, above it c_1.
MULTIPLIERS, RECORDS = (0.95, 10.0), 1e6


def contraction_of_threshold(problem: LinearProblem, eta: float, alpha: float) -> float:
    """Left side of (29): `1 - 4 sqrt(210 eta d / mu) alpha K_2 sqrt|H| R_x log^{2a+1} N` (varshney2022 App. A)."""
    scale = problem.k2 * math.sqrt(problem.largest * problem.bound_squared) * problem.log_power(2.0 * problem.a + 1.0)
    return 1.0 - 4.0 * math.sqrt(210.0 * eta * problem.dimension / problem.mu) * alpha * scale


def gradient_bound(problem: LinearProblem, distance: float) -> float:
    """Bound `K_2 R_x log^{2a} N (sqrt|H| |w_T - w*| + sigma)` on a gradient's norm (varshney2022 eq. 11)."""
    residual = math.sqrt(problem.largest) * distance + problem.sigma
    return problem.k2 * math.sqrt(problem.bound_squared) * problem.log_power(2.0 * problem.a) * residual


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges powers of (17) and (28), then the step and the threshold that the proof of Lemma A.9 makes of (28)."""
    yield from _powers(evidence)
    places: Places = {}
    for kappa, sigma, a, multiple in product((1.0, 16.0), (0.01, 1.0, 100.0), (0.5, 1.0), MULTIPLIERS):
        problem = replace(Design.of(D, kappa, 1.0).problem(int(RECORDS), sigma), a=a)
        equal = math.sqrt(ssgd.C1 / ssgd.C2 / (problem.kappa * problem.dimension)) / problem.k2
        alpha = multiple * equal / problem.log_power(a)
        used = ssgd.theorem_parameters(problem, alpha)
        distance = distance_bound(problem, used.eta, used.zeta * alpha)
        place = f"kappa = {kappa:g}, sigma = {sigma:g}, a = {a:g}, alpha = {alpha:.3g}"
        places[f"(29), {place}"] = exactly(0.5 / contraction_of_threshold(problem, used.eta, alpha))
        places[f"(31), {place}"] = exactly(gradient_bound(problem, distance) / used.zeta)
    yield claim_on_all_cells(
        id="equation-31", artefact="ssgd", location="App. A, (28) to (31)", kind="theorem", source="identity",
        statement="(algebra) the step of (30), with c_1 = 1/(64 210) and c_2 = 1/(4 1050), makes the left side of (29) 1/2 at least, and (28) put into (11) at most the zeta of (31)",
        quantity="1/2 over the left side of (29), and (11) with (28) over zeta: the largest over kappa, sigma, a and alpha, N = 10^6, on both sides of the step's minimum",
        cells=places, criterion=at_most(1.0 + EQUAL), changed="The claim was added after a review.",
        note="(28) itself is another claim",
    )  # fmt: skip


# Bounds ----------------------------------------------------------------------------------------------------------------


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates (17), (18) and (24) at two failure probabilities, and (28), at every condition number and step."""
    for kappa in KAPPAS:
        problem = Design.of(D, kappa, float(evidence.settings["w_norm"])).problem(STEPS, SIGMA)
        for share in SHARES:
            eta = share / problem.bound_squared
            text = f"d={D}, kappa={kappa:g}, eta={share:g}/R_x^2, N={STEPS}"
            drawn = Draws.of(problem, eta, stream(1, PAPER, "proof quantiles", text))
            for beta in FAILURES:
                why = f"measured is the upper 97.5 % limit of the 1 - beta quantile of {DRAWS} simulated passes"
                value, measured = covariance_bound(problem, eta, beta), upper_quantile(drawn.traces, beta)
                yield exact_row("Tr Q, quantile", "(17)", f"{text}, beta={beta:g}", value, measured, why)
                # Line two of (18); in line one, with Tr Q itself, a factor 2 is missing (finding equation-18).
                value, measured = math.sqrt(value * math.log(1.0 / beta)), upper_quantile(drawn.norms, beta)
                yield exact_row("|g + B g + ...|, quantile", "(18)", f"{text}, beta={beta:g}", value, measured, why)
                value, measured = labels_bound(problem, eta, beta), upper_quantile(drawn.labels, beta)
                yield exact_row("Tr V'V, quantile", "(24)", f"{text}, beta={beta:g}", value, measured, why)
            value, measured = distance_bound(problem, eta, NOISE), upper_quantile(drawn.distances, FAILURES[-1])
            why = f"measured is such a limit of the 99 % quantile, sigma={SIGMA:g}, zeta alpha={NOISE:g}"
            yield exact_row("|w_T - w*|, quantile", "(28)", text, value, measured, why)
