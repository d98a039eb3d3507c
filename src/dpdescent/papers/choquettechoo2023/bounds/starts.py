"""What is left of the start (choquettechoo2023 App. D.3, Cor. D.14): it decays, and the limit does not know it."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpdescent.papers.choquettechoo2023.arms import DP_SGD
from dpdescent.papers.choquettechoo2023.bounds.cases import HALF, ends
from dpdescent.papers.choquettechoo2023.bounds.finite_time import found_in, run_of, start_of, strategy_of
from dpdescent.papers.choquettechoo2023.theory import finite_time, large_horizon
from dpdescent.papers.choquettechoo2023.theory.finite_time import Run
from dpdescent.replication.judging.bound_rows import identity, row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Relaxation times, 1/(eta mu), after which the limit is taken; how far the two starts may lie apart then.
RELAXATIONS, SETTLED = 20.0, 1e-9
# The exponent of Corollary D.14's first term at which it is compared.
EXPONENTS = (0.01, 0.1, 1.0, 10.0, 100.0)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of both mechanisms at the smallest T of the exact panel, then of Corollary D.14's first term."""
    found = found_in(evidence, "exact")
    first = [each for each in found if each["T"] in ends(row["T"] for row in found)[:1]]
    for each in first:
        run, name = run_of(evidence, each), str(each["mechanism"])
        yield _limit(run, name)
        if name == DP_SGD:
            yield from (_first_term(run, exponent) for exponent in EXPONENTS)


def _limit(run: Run, name: str) -> Bound:
    """Compares the errors of two starts, one of them theta*, after many relaxation times."""
    problem, strategy = run.problem, strategy_of(run.problem, name)
    steps = math.ceil(RELAXATIONS / (problem.eta * problem.mu))
    variance = problem.noise_variance(strategy.sensitivity_squared_limit())
    given = (problem, strategy.coefficients(steps), variance)
    near, far = (
        float(finite_time.risks(*given, start, steps)[-1]) for start in (np.zeros(problem.d), 10.0 * start_of(run))
    )
    return identity(
        bound="F_inf from another start", location="App. D.3", value=near, measured=far, allowed=SETTLED * near,
        setting=f"finite T: {name}, d={problem.d}, eta={problem.eta:.4g}, t={steps}",
        note=f"the exact recursion's error from theta*; measured is that from a start ten times as far as ours; {HALF}",
    )  # fmt: skip


def _first_term(run: Run, exponent: float) -> Bound:
    """Evaluates `kappa exp(-mu eta T)` at the learning rate and T that make the exponent that of Corollary D.14."""
    problem = run.problem
    T = _horizon(run, exponent)
    at = replace(problem, eta=exponent / (problem.mu * T))
    start = start_of(run)
    gap = 0.5 * float(problem.lam @ start**2)
    return row(
        bound="what is left of the start", location="Cor. D.14",
        value=gap * problem.largest / problem.mu * math.exp(-exponent),
        measured=large_horizon.transient(at, start, T),
        setting=f"finite T: d={problem.d}, T={T:.3g}, rho T/(kappa^2 d_eff^2 d log^5(T/p)) = {exponent:g}",
        note=(
            "kappa (F_0 - F*) exp(-rho T/(kappa^2 d_eff^2 d log^5(T/p))), the second factor not being printed; "
            f"measured is what is left of the start, exactly, at the learning rate whose eta mu T that is; {HALF}"
        ),
    )  # fmt: skip


def _horizon(run: Run, exponent: float) -> float:
    """T at which `rho T/(kappa^2 d_eff^2 d log^5(T/p))` is the exponent, by iteration."""
    size, T = finite_time.dp_sgd_steps(run), run.T
    for _ in range(200):
        T = exponent * size * math.log(T / run.failure) ** 5
    return T
