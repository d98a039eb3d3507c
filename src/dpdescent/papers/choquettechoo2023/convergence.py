"""Convergence over T steps (App. D.3, D.4) beside the exact recursion, and the start's part of the error."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import DampedDifference
from dpdescent.papers.choquettechoo2023 import formulas, laws, sensitivities
from dpdescent.papers.choquettechoo2023.criteria import HALF, configured, ends, rows
from dpdescent.papers.choquettechoo2023.finite_time import ARTEFACT
from dpdescent.papers.choquettechoo2023.formulas import Run, Tuning
from dpdescent.papers.choquettechoo2023.setting import DP_SGD, Array, RegressionProblem, power_law
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import bound_row, equality_row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Points of the logarithm of eta among which the minimum of Lemma F.21 is looked for.
GRID = 400
WORDS = {"exact": "error at the best rate", "clipped": "error at the tuned rate"}
# Relaxation times, 1/(eta mu), after which the limit is taken; the relative gap that two starts may have then.
RELAXATIONS, SETTLED = 20.0, 1e-9
# Steps over which moments are followed; the relative step that rounding may make of 0.
FOLLOWED, ROUNDED = 4000, 1e-13
# The exponent of the corollaries' first terms at which they are compared.
EXPONENTS = (0.01, 0.1, 1.0, 10.0, 100.0)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of Half-Expo Decay, of convergence, of the lemma on tuning, and on the start."""
    yield from _decay(evidence)
    for row in error_rows(evidence, "exact"):
        yield from _convergence(evidence, row)
    for row in error_rows(evidence, "clipped"):
        if row["mechanism"] != DP_SGD:
            yield from _tuning(evidence, row)
    yield from _starts(evidence)


def error_rows(evidence: Evidence, panel: str) -> list[pd.Series]:
    """The rows of errors of a panel."""
    return list(rows_of(rows(evidence, ARTEFACT, panel=panel, series=WORDS[panel])))


def problem_at(evidence: Evidence, row: pd.Series) -> RegressionProblem:
    """The problem at the learning rate and clip norm of a row."""
    alpha, sigma_sgd = (configured(evidence, ARTEFACT, symbol, row["panel"]) for symbol in ("alpha", "sigma_sgd"))
    lam, rho = power_law(int(row["d"]), float(as_list(alpha)[0])), configured(evidence, ARTEFACT, "rho")
    return RegressionProblem(lam, float(row["eta"]), rho, float(row["clip_norm"]), sigma_sgd)


def run_of(evidence: Evidence, row: pd.Series) -> Run:
    """The run of a row: its problem, steps and probability of failing, as the theorems of App. D have them."""
    problem = problem_at(evidence, row)
    start, failure = (configured(evidence, ARTEFACT, symbol) for symbol in ("start", "failure"))
    return Run(problem, start, float(row["T"]), failure, formulas.fourth_moment(problem.lam))


def setting_of(row: pd.Series) -> str:
    """The setting of a row, in words."""
    return f"finite T, {row['panel']}: {row['mechanism']}, T={row['T']:g}, d={row['d']:g}, eta={row['eta']:.4g}"


def strategy_of(problem: RegressionProblem, mechanism: str) -> DampedDifference:
    """Noise coefficients: independent, or with nu = eta mu."""
    return toeplitz.identity() if mechanism == DP_SGD else toeplitz.nu_family(problem.eta * problem.mu)


def limit_of(problem: RegressionProblem, mechanism: str) -> float:
    """F_inf at the limiting sensitivity."""
    if mechanism == DP_SGD:
        return laws.noisy_sgd(problem)
    return laws.nu_noisy_ftrl(problem, problem.eta * problem.mu)


def start_of(run: Run) -> Array:
    """theta_0 - theta*, equal in all coordinates."""
    d = run.problem.d
    return np.full(d, run.distance / math.sqrt(d))


def _decay(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the universal constant of Half-Expo Decay, at the dampings of Figure 2 and of the runs."""
    damped = [row for panel in WORDS for row in error_rows(evidence, panel) if row["mechanism"] != DP_SGD]
    nus = [problem.eta * problem.mu for problem in (problem_at(evidence, row) for row in damped)]
    for nu in sorted({*ends(sensitivities.damped(evidence)["nu"]), *ends(nus)}):
        beta = toeplitz.nu_family(nu).coefficients(math.ceil(sensitivities.SUMMED / nu))
        value = formulas.half_expo_constant_nu(nu)
        why = (
            f"2 bounds 2 - sqrt(1 - sqrt(1-nu)) = {value:.6g}; no measurement: measured is the sum of {len(beta)} terms"
        )
        yield bound_row(
            bound="C of Half-Expo Decay, eq. (7)", location="Def. D.3", setting=f"nu={nu:.4g}", value=2.0,
            measured=formulas.half_expo_constant(beta, nu), note=why,
        )  # fmt: skip


def _convergence(evidence: Evidence, row: pd.Series) -> Iterator[Bound]:
    """Evaluates Theorems D.11 and D.13(c) at T and at earlier t, each with the sensitivity of so many steps."""
    run = run_of(evidence, row)
    problem, T, name = run.problem, int(row["T"]), row["mechanism"]
    if not problem.eta * run.moment < 1.0:
        return
    strategy, limit = strategy_of(problem, name), limit_of(problem, name)
    variance = problem.noise_variance(strategy.sensitivity_squared_limit())
    errors = laws.risks(problem, strategy.coefficients(T), variance, start_of(run), T)
    table_error, recursion = "the table's exact error, with gamma_T for gamma_inf", "the exact recursion's error"
    for t, measured in ({t: errors[t] for t in (T // 100, T // 10)} | {T: row["mean"]}).items():
        why = f"F_inf = {limit:.3g}, eta < 1/R^2; measured is {table_error if t == T else recursion}; {HALF}"
        arguments = (problem, float(errors[0]), limit, t)
        setting = f"{setting_of(row)}, t={t}"
        yield bound_row(
            bound="error after t steps", location="Thm D.11", setting=setting,
            value=formulas.convergence_bound(*arguments), measured=float(measured), note=why,
        )  # fmt: skip
        yield bound_row(
            bound="error after t steps, no clipping", location="Thm D.13(c)", setting=setting,
            value=formulas.convergence_bound_without_clipping(*arguments), measured=float(measured),
            note=f"{why}; no clipping, and neither G nor eta of the theorem",
        )  # fmt: skip


def _tuning(evidence: Evidence, row: pd.Series) -> Iterator[Bound]:
    """Evaluates Lemma F.21 on (87), with eta_max = 1/R^2, because eta_max of the corollary needs more steps."""
    run, setting = run_of(evidence, row), setting_of(row)
    problem, eta_max = run.problem, 1.0 / run.moment
    tuning = Tuning(
        A=problem.largest / problem.mu, B=run.label_variance * run.moment,
        C=run.moment * problem.clip_norm**2 / problem.rho, mu=problem.mu, T=run.T,
    )  # fmt: skip
    if problem.mu * run.T * eta_max >= 1.0 and tuning.B > 0.0:
        why = "(87) at clip norm G, eta <= 1/R^2; measured is its smallest value over eta"
        yield bound_row(
            bound="smallest value of (87)", location="Lemma F.21", setting=setting, value=tuning.bound(eta_max),
            measured=_least(tuning, eta_max), note=why,
        )  # fmt: skip


def _least(tuning: Tuning, eta_max: float) -> float:
    """The smallest error over (0, eta_max], refined about the best point of a grid."""
    logs = np.linspace(math.log(eta_max) - math.log(tuning.T) - 5.0, math.log(eta_max), GRID)
    values = [tuning.at(math.exp(log)) for log in logs]
    best = int(np.argmin(values))
    bounds = (logs[max(best - 1, 0)], logs[min(best + 1, GRID - 1)])
    refined = minimize_scalar(lambda log: tuning.at(math.exp(log)), bounds=bounds, method="bounded")
    return min(float(refined.fun), float(values[best]))


def _starts(evidence: Evidence) -> Iterator[Bound]:
    """Rows on both mechanisms' starts at the smallest T of the exact panel, on the corollaries' first terms, and on Lemma D.12."""
    exact = error_rows(evidence, "exact")
    shortest = ends(row["T"] for row in exact)[:1]
    for row in (row for row in exact if row["T"] in shortest):
        run, name = run_of(evidence, row), str(row["mechanism"])
        yield _other_start(run, name)
        yield from (_first_term(run, name, exponent) for exponent in EXPONENTS)
        yield from _growing(run, name)


def _other_start(run: Run, name: str) -> Bound:
    """Compares the errors of two starts, one of them theta*, after many relaxation times."""
    problem, strategy = run.problem, strategy_of(run.problem, name)
    steps = math.ceil(RELAXATIONS / (problem.eta * problem.mu))
    variance = problem.noise_variance(strategy.sensitivity_squared_limit())
    arguments = (problem, strategy.coefficients(steps), variance)
    near, far = (
        float(laws.risks(*arguments, start, steps)[-1]) for start in (np.zeros(problem.d), 10.0 * start_of(run))
    )
    return equality_row(
        bound="F_inf from another start", location="App. D.3", value=near, measured=far, allowed=SETTLED * near,
        setting=f"finite T: {name}, d={problem.d}, eta={problem.eta:.4g}, t={steps}",
        note=f"the exact recursion's error from theta*; measured is that from a start ten times as far as ours; {HALF}",
    )  # fmt: skip


def _first_term(run: Run, name: str, exponent: float) -> Bound:
    """Evaluates `kappa exp(-mu eta T)` at the learning rate and T that make the exponent that of D.14, or of D.15."""
    problem, T = run.problem, run.T
    sgd = name == DP_SGD
    size, power = (formulas.dp_sgd_steps(run), 5) if sgd else (formulas.nu_dp_ftrl_steps(run), 7)
    # By iteration, because T is in the logarithm of its own condition, rho T/(kappa^2 d_eff^2 d log^5(T/p)).
    for _ in range(200):
        T = exponent * size * math.log(T / run.failure) ** power
    at_rate = replace(problem, eta=exponent / (problem.mu * T))
    start = start_of(run)
    gap = 0.5 * float(problem.lam @ start**2)
    text = f"rho T/(kappa^2 d_eff^2 d log^{power}(T/p){'' if sgd else ' log(kappa^2 d_eff^2 d/rho)'})"
    return bound_row(
        bound="what is left of the start" if sgd else "what is left of the start, nu-DP-FTRL",
        location="Cor. D.14" if sgd else "Cor. D.15", value=gap * problem.largest / problem.mu * math.exp(-exponent),
        measured=laws.transient(at_rate, start, T), setting=f"finite T: d={problem.d}, T={T:.3g}, {text} = {exponent:g}",
        note=(
            f"kappa (F_0 - F*) exp(-{text}), the second factor not being printed; "
            f"measured is what is left of the start, exactly, at the learning rate whose eta mu T that is; {HALF}"
        ),
    )  # fmt: skip


def _growing(run: Run, name: str) -> Iterator[Bound]:
    """Evaluates Lemma D.12(a) step by step, with labels' noise and without."""
    if not run.problem.eta * run.moment <= 1.0:
        return
    strategy = strategy_of(run.problem, name)
    for sigma_sgd in (0.0, 1.0):
        problem = replace(run.problem, sigma_sgd=sigma_sgd)
        steps = step_moments(problem, strategy.coefficients(FOLLOWED), strategy.sensitivity_squared_limit())
        increments = np.diff(steps, axis=0) / steps[1:]
        yield bound_row(
            bound="relative step of E theta~' theta~''", location="Lemma D.12", value=0.0, measured=float(increments.min()),
            setting=f"finite T: {name}, d={problem.d}, eta={problem.eta:.4g}, sigma_sgd={sigma_sgd:g}, t up to {FOLLOWED}",
            direction="at least", allowed=ROUNDED,
            note=f"0; the smallest over steps and eigenvectors of H, along which the covariance is diagonal; exact, from theta*, up to rounding, {ROUNDED:g}",
        )  # fmt: skip


def step_moments(problem: RegressionProblem, beta: Array, gamma_squared: float) -> Array:
    """Second moments of theta_t - theta* from theta_0 = theta*, shape (T + 1, d), by (83), Gaussian inputs.

    The weights q of the first coefficients may fall from step to step, so that it is not plain that moments never do.
    """
    step, contraction = laws.second_moment_step(problem), 1.0 - problem.rates
    sigma_squared = problem.noise_variance(gamma_squared)
    memory, q, moments = np.zeros(problem.d), np.zeros(problem.d), [np.zeros(problem.d)]
    for b in beta:
        q, memory = q + b**2 + 2.0 * b * memory, contraction * (memory + b)
        moments.append(step @ moments[-1] + problem.eta**2 * (problem.lam * problem.sigma_sgd**2 + sigma_squared * q))
    return np.array(moments)
