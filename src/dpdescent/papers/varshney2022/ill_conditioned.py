"""Lemmas of DP-SSGD where H is not I: Lemmas 3.5, A.6 and A.8 of varshney2022 and (36), (39) beside exact laws.

The runs of `ssgd` have H = I, where mu, Tr H^-1 and the norm of M are those of one number. Nothing is random.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms.sgd_moments import second_moments, tail_risk
from dpdescent.papers.varshney2022 import batches, ssgd
from dpdescent.papers.varshney2022.criteria import vacuous
from dpdescent.papers.varshney2022.formulas import LinearProblem, Parameters
from dpdescent.papers.varshney2022.single_pass_orders import GEOMETRIC, ONE_SMALL, at_least_eigenvalue, problem_of
from dpdescent.replication.judging.bound_rows import exact_row
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

D, KAPPAS, SPECTRA = 10, (4.0, 64.0), (GEOMETRIC, ONE_SMALL)
# Steps as shares of 1 / R_x^2.
SHARES = (0.5, 0.01)
# Values of eta mu N / 2, which fixes N: where most of the start is left, and where its rate rules what is left.
RATES = (0.5, 20.0)
# Number of steps of Lemma A.6; a start along the least eigenvector has then lost a part, even at the small step.
STEPS = 1000
# Variance of the labels' noise, and of the noise for privacy on a coordinate, which is the larger one: zeta = 1.
SIGMA, PRIVATE = 1.0, 10.0
FLAT, LEAST = "flat", "along the least eigenvector"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the lemmas at every condition number, spectrum, step and N, then those that depend on w*."""
    for kappa, spectrum, share, rate in product(KAPPAS, SPECTRA, SHARES, RATES):
        problem = problem_of(D, kappa, SIGMA, 1e6, spectrum)
        eta = share / problem.bound_squared
        problem = replace(problem, records=2 * math.ceil(rate / (eta * problem.mu)))
        text = f"d={D}, kappa={kappa:g}, {spectrum}, eta={share:g}/R_x^2"
        within = f"{text}, N={problem.records:g}"
        yield from _noise(problem, eta, within)
        for name, started in ((FLAT, problem), (LEAST, at_least_eigenvalue(problem))):
            yield from _start(started, eta, f"{within}, w* {name}")
            if rate == RATES[0]:
                # Once for each step, because the lemma has no N.
                yield _product(started, eta, f"{text}, z {name}")


def _law(problem: LinearProblem, eta: float, noise: float, *, start: bool = True) -> float:
    """Exact risk without clipping, with noise of a variance for privacy, from w_0 = 0 or from w*."""
    first, N = -problem.w_star if start else np.zeros_like(problem.w_star), int(problem.records)
    return tail_risk(problem.lam, first, eta, 1, problem.sigma, noise, N, N // 2)


def _noise(problem: LinearProblem, eta: float, text: str) -> Iterator[Bound]:
    """Evaluates the variance's bounds, of plain SGD in Lemma A.8 and with noise for privacy in (39)."""
    plain, private = Parameters(eta, 1.0, 0.0), Parameters(eta, 1.0, math.sqrt(PRIVATE) / 2.0)
    N = int(problem.records)
    why = "measured is the exact risk from w_0 = w*"
    value, measured = ssgd.variance(problem, private), _law(problem, eta, PRIVATE, start=False)
    yield exact_row("risk of the noise, H other than I", "(39)", text, value, measured, why)
    value, measured = ssgd.stationary_risk(problem, plain, N // 2), _law(problem, eta, 0.0, start=False)
    yield exact_row("risk of the tail from w*, H other than I", "Lemma A.8", text, value, measured, f"plain SGD; {why}")
    for used, whose in ((plain, "plain SGD"), (private, "Sigma + 4 zeta^2 alpha^2 I")):
        value = ssgd.trace_stationary(problem, used)
        measured = eta * float(batches.inverse_of_step(problem, eta, 1.0, used.noise_variance).sum())
        why = "measured is exact"
        yield exact_row("Tr C_inf, H other than I", "Lemma A.8", f"{text}, {whose}", value, measured, why)


def _start(problem: LinearProblem, eta: float, text: str) -> Iterator[Bound]:
    """Evaluates what the start leaves, and the whole risk."""
    silent = replace(problem, sigma=0.0)
    why = "measured is the exact risk without any noise"
    value, measured = ssgd.bias(problem, eta), _law(silent, eta, 0.0)
    yield exact_row("risk of the start, H other than I", "(36)", text, value, measured, why)
    value = ssgd.lemma_3_5(problem, Parameters(eta, 1.0, math.sqrt(PRIVATE) / 2.0))
    why = joined("measured is the exact risk", vacuous(problem, value))
    yield exact_row("risk, exact law, H other than I", "Lemma 3.5", text, value, _law(problem, eta, PRIVATE), why)


def _product(problem: LinearProblem, eta: float, text: str) -> Bound:
    """Evaluates products of steps on w*."""
    moments = second_moments(problem.lam, problem.w_star, eta, 1, 0.0, 0.0, STEPS).sum(axis=1)
    measured = float(moments[-1] / moments[0]) / ssgd.FAILURE
    value = ssgd.product_bound(problem, eta, STEPS, ssgd.FAILURE)
    why = f"beta={ssgd.FAILURE:g}; measured is the exact mean over beta, by Markov's inequality"
    return exact_row(f"|B ... B z|^2 / |z|^2, {STEPS} steps, H other than I", "Lemma A.6", text, value, measured, why)
