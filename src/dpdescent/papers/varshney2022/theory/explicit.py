"""Lemma 3.11 of varshney2022 in parts, with all its constants, and the exact law at the largest thresholds it allows.

The theorem hides constants and logarithms of the term of privacy; the lemma from which it follows prints them. No
experiment needs anything of this: it is what claims, findings and bounds compare with.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms.sgd_moments import second_moments, tail_risk
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.papers.varshney2022.theory.moments import Array


def two_terms(setting: Setting) -> float:
    """The two terms of Theorem 3.7 with the constants that Lemma 3.11 gives them.

    `8/(Tb) (Tr(H^-1 Sigma) + 12 alpha^2 / b K2^2 R_x^2 log^{4a} N (sigma^2 + Delta^2) Tr H^-1)`: all that the lemma has
    but what it multiplies with E |w_{T/2} - w*|_H^2, which the theorem takes for smaller (varshney2022 Lemma 3.11).
    """
    problem, b = setting.problem, setting.batch
    private = 12.0 * setting.alpha**2 / b * setting.threshold_factor * setting.floor * problem.trace_inverse
    return 8.0 / (setting.steps * b) * (problem.sigma**2 * problem.dimension + private)


def cross_term(setting: Setting) -> float:
    """Part of Lemma 3.11 that grows with kappa though nothing is private: what labels' noise leaves in w_{T/2}.

    `4 / (eta mu T)^2 e^{-eta mu} 2 eta / (mu b) Tr(H Sigma)`, Sigma = sigma^2 H (varshney2022 Lemma 3.11). Over
    8 sigma^2 d / N it is about kappa^2 / (c1 log N) at T = c1 kappa log N where all but one eigenvalue of H are |H|.
    """
    problem, rate = setting.problem, setting.eta * setting.problem.mu
    labels = 2.0 * setting.eta / (problem.mu * setting.batch) * problem.sigma**2 * float(problem.lam @ problem.lam)
    return 4.0 / (rate * setting.steps) ** 2 * math.exp(-rate) * labels


@dataclass(frozen=True)
class Law:
    """Moments without clipping at the largest thresholds that Lemma 3.11 allows.

    They are `zeta_t = R_x K2 log^{2a} N (sqrt(kappa) |w_t - w*|_H + sigma + Delta)`. Only E zeta_t^2 matters, which
    needs E |w_t - w*|_H besides E |w_t - w*|_H^2; by Jensen's inequality the root of the latter is no less. So all of
    these are exact but for that, and never below what they stand for.

    Attributes:
        distances_squared: E |w_t - w*|_H^2, shape (T + 1,).
        zetas_squared: E zeta_t^2, shape (T,).
        risk: of the mean of the last T/2 iterates.
    """

    distances_squared: Array
    zetas_squared: Array
    risk: float

    @classmethod
    def of(cls, setting: Setting) -> "Law":
        """Returns the law at a setting, with T and b cut down to whole numbers."""
        problem, T, b = setting.problem, int(setting.steps), int(setting.batch)
        common = (problem.lam, -problem.w_star, setting.eta, b, problem.sigma)
        distances, zetas = np.empty(T + 1), np.empty(T)
        v: Array = problem.w_star**2
        distances[0] = problem.w_norm_squared
        with np.errstate(all="ignore"):
            for t in range(T):
                residual = np.sqrt(problem.kappa * distances[t]) + problem.sigma + setting.width
                zetas[t] = setting.threshold_factor * residual**2
                noise = 4.0 * setting.alpha**2 * zetas[t] / b**2
                v = second_moments(problem.lam, np.sqrt(v), setting.eta, b, problem.sigma, noise, 1)[1]
                distances[t + 1] = problem.lam @ v
            risk = tail_risk(*common, 4.0 * setting.alpha**2 * zetas / b**2, T, max(1, T // 2))
        return cls(distances, zetas, risk)
