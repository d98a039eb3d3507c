"""What the proof about DP-SSGD rests on (varshney2022 Lemmas A.6 and A.8), beside exact moments."""

from collections.abc import Iterator

import numpy as np

from dpdescent.algorithms.sgd_moments import second_moments, tail_risk
from dpdescent.papers.varshney2022.bounds.shuffled import Case, cases
from dpdescent.papers.varshney2022.experiments.ssgd import NO_PRIVACY, PRACTICAL, THEOREM
from dpdescent.papers.varshney2022.theory import ambssgd, ssgd
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.replication.judging.bound_rows import exact
from dpdescent.replication.judging.evidence import Bound, Evidence

# Failure probability of Lemma A.6, and numbers of steps; more than a thousand cost time.
FAILURE = 0.05
PRODUCTS = (10, 1000)
# Shares of 1 / R_x^2, below which the lemmas want eta.
SHARES = (0.5, 0.01)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds at every regression of the artefact about DP-SSGD, then of its steps."""
    seen: set[tuple[float, ...]] = set()
    for case in cases(evidence):
        problem = case.problem
        for key, part in (
            ((float(problem.dimension),), _products),
            ((problem.dimension, problem.records, problem.sigma), _plain),
        ):
            if key not in seen:
                seen.add(key)
                yield from (bound for share in SHARES for bound in part(problem, share))
    for case in cases(evidence):
        if case.found["panel"] != NO_PRIVACY and case.found["step"] in (THEOREM, PRACTICAL) and case.small:
            yield from _steps(case)


def _products(problem: LinearProblem, share: float) -> Iterator[Bound]:
    """Evaluates products of steps, which neither N nor the noise changes."""
    eta = share / problem.bound_squared
    text = f"d={problem.dimension}, eta={share:g}/R_x^2"
    moments = second_moments(problem.lam, problem.w_star, eta, 1, 0.0, 0.0, max(PRODUCTS)).sum(axis=1)
    for steps in PRODUCTS:
        value = ssgd.product_bound(problem, eta, steps, FAILURE)
        measured = float(moments[steps] / moments[0]) / FAILURE
        why = f"beta={FAILURE:g}; measured is the exact mean over beta, by Markov's inequality"
        yield exact(f"|B ... B z|^2 / |z|^2, {steps} steps", "Lemma A.6", text, value, measured, why)


def _plain(problem: LinearProblem, share: float) -> Iterator[Bound]:
    """Evaluates the bounds of plain SGD from w*."""
    eta, N = share / problem.bound_squared, int(problem.records)
    text = f"d={problem.dimension}, N={N}, sigma={problem.sigma:g}, eta={share:g}/R_x^2"
    plain = Parameters(eta, 1.0, 0.0)
    value = ssgd.stationary_risk(problem, plain, N // 2)
    measured = tail_risk(problem.lam, np.zeros_like(problem.w_star), eta, 1, problem.sigma, 0.0, N, N // 2)
    why = "plain SGD from w_0 = w*; measured is the exact risk"
    yield exact("risk of the tail from w*", "Lemma A.8", text, value, measured, why)
    yield from _stationary(problem, plain, text, "plain SGD")


def _stationary(problem: LinearProblem, used: Parameters, text: str, whose: str) -> Iterator[Bound]:
    measured = used.eta * float(ambssgd.inverse_of_step(problem, used.eta, 1.0, used.noise_variance).sum())
    why = f"{whose}; measured is exact"
    yield exact("Tr C_inf", "Lemma A.8", text, ssgd.trace_stationary(problem, used), measured, why)


def _steps(case: Case) -> Iterator[Bound]:
    """Evaluates the trace of the iterates' covariance with the noise of the settings that were run."""
    yield from _stationary(case.problem, case.parameters, case.text, "Sigma + 4 zeta^2 alpha^2 I, as in (39)")
