"""Equations (17) and (28) of varshney2022 with their constants, beside quantiles of simulated steps of DP-SSGD.

Their powers are judged by `single_pass_orders`, on exact means.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from dpdescent.papers.varshney2022.formulas import Array, LinearProblem
from dpdescent.papers.varshney2022.setting import PAPER, Design
from dpdescent.randomness import stream
from dpdescent.replication.judging.bound_rows import exact_row
from dpdescent.replication.judging.evidence import Bound, Evidence

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
    """Tr Q and |w_T - w*| of simulated passes, each of shape (draws,)."""

    traces: Array
    distances: Array

    @classmethod
    def of(cls, problem: LinearProblem, eta: float, rng: np.random.Generator) -> "Draws":
        """Simulates passes of `STEPS` steps on normal records, without clipping."""
        d, root = problem.dimension, np.sqrt(problem.lam)
        Q, e = np.zeros((DRAWS, d, d)), np.tile(-problem.w_star, (DRAWS, 1))
        for _ in range(STEPS):
            X = root * rng.standard_normal((DRAWS, d))
            Qx = np.einsum("nij,nj->ni", Q, X)
            # (I - eta x x') Q (I - eta x x') + I, expanded.
            cross = X[:, :, None] * Qx[:, None, :]
            Q += eta**2 * np.vecdot(X, Qx)[:, None, None] * X[:, :, None] * X[:, None, :] + np.eye(d)
            Q -= eta * (cross + cross.swapaxes(1, 2))
            residual = np.vecdot(X, e) - problem.sigma * rng.standard_normal(DRAWS)
            e -= eta * (residual[:, None] * X + 2.0 * NOISE * rng.standard_normal((DRAWS, d)))
        return cls(np.trace(Q, axis1=1, axis2=2), np.sqrt(np.vecdot(e, e)))


def upper_quantile(values: Array, beta: float) -> float:
    """Upper 97.5 % confidence limit of the 1 - beta quantile, an order statistic; inf where there are too few."""
    rank = int(binom.ppf(CONFIDENCE, len(values), 1.0 - beta))
    return float(np.sort(values)[rank]) if rank < len(values) else math.inf


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates (17) at two failure probabilities, and (28), at every condition number and step."""
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
            value, measured = distance_bound(problem, eta, NOISE), upper_quantile(drawn.distances, FAILURES[-1])
            why = f"measured is such a limit of the 99 % quantile, sigma={SIGMA:g}, zeta alpha={NOISE:g}"
            yield exact_row("|w_T - w*|, quantile", "(28)", text, value, measured, why)
