"""Steps on batches of normal records: Lemmas B.3, B.4 and B.7 and (54) to (60) of varshney2022 beside exact laws."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms.sgd_moments import last_risk, second_moments, tail_risk
from dpdescent.checks import as_list, require_non_negative, require_positive
from dpdescent.papers.varshney2022.ambssgd import Setting, start_factor, threshold_bound
from dpdescent.papers.varshney2022.criteria import EQUAL, configured, rows
from dpdescent.papers.varshney2022.formulas import Array, LinearProblem, gaussian_multiplier, theorem_step
from dpdescent.papers.varshney2022.setting import Design
from dpdescent.replication.judging.bound_rows import (
    bound_row,
    distinct_values,
    ends_and_middle,
    exact_row,
    met_or_not,
    rounded_equality_row,
)
from dpdescent.replication.judging.evidence import Bound, Evidence

# Formulas --------------------------------------------------------------------------------------------------------------


def bias_last(problem: LinearProblem, eta: float, steps: float) -> float:
    """Noiseless risk of w_n: `kappa/2 (1 - eta mu)^n` of the start's (varshney2022 Lemma B.3).

    As printed. At H = I, for normal covariates and Theorem 3.7's step the risk is exactly (1 - eta mu)^n of the
    start's, twice the bound.
    """
    require_non_negative(steps=steps)
    return problem.kappa / 2.0 * float(_contraction(problem, eta) ** steps) * problem.w_norm_squared / 2.0


def bias_tail(problem: LinearProblem, eta: float, iterates: float, before: float) -> float:
    """Noiseless risk of the mean of n iterates from w_t on: `2 / (eta mu n)^2 (1 - eta mu)^t` of the start's.

    varshney2022 Lemma B.3. At n = T/2 and t = 1 it is varshney2022 eq. (57) with 1 - eta mu for e^{-eta mu}.
    """
    require_positive(iterates=iterates)
    require_non_negative(before=before)
    start = float(_contraction(problem, eta) ** before)
    return 2.0 / (eta * problem.mu * iterates) ** 2 * start * problem.w_norm_squared / 2.0


def inverse_of_step(problem: LinearProblem, eta: float, batch: float, noise: float = 0.0) -> Array:
    """Diagonal of T_b^-1 (Sigma + noise I) for normal covariates, shape (d,) (varshney2022 Lemma B.4).

    `T_b C = HC + CH - eta/b E[x x' C x x'] - eta (b-1)/b HCH`; eta / b times the diagonal is the stationary covariance
    of the iterates.
    """
    require_positive(eta=eta, batch=batch)
    require_non_negative(noise=noise)
    lam = problem.lam
    diagonal = 2.0 * lam - eta * lam**2 * (batch + 1.0) / batch
    step = np.diag(diagonal) - eta / batch * np.outer(lam, lam)
    return np.asarray(np.linalg.solve(step, problem.sigma**2 * lam + noise), dtype=np.float64)


def variance_last(problem: LinearProblem, eta: float, batch: float, noise: float = 0.0) -> float:
    """Risk of the last iterate from w_0 = w*: `eta / (2b) Tr(H T_b^-1 Sigma)` (varshney2022 Lemma B.4)."""
    return eta / (2.0 * batch) * float(problem.lam @ inverse_of_step(problem, eta, batch, noise))


def variance_tail(problem: LinearProblem, eta: float, batch: float, iterates: float, noise: float = 0.0) -> float:
    """Risk of the mean of n iterates from w_0 = w*: `2 / (n b) Tr(T_b^-1 Sigma)` (varshney2022 Lemma B.4)."""
    require_positive(iterates=iterates)
    return 2.0 / (iterates * batch) * float(inverse_of_step(problem, eta, batch, noise).sum())


def trace_bound(problem: LinearProblem, noise: float = 0.0) -> float:
    """Bound on Tr(T_b^-1 Sigma): 2 Tr(H^-1 Sigma) (varshney2022 Lemma B.4).

    It has two conditions on eta, `step_condition` and `second_step_condition`.
    """
    return 2.0 * (problem.sigma**2 * problem.dimension + noise * problem.trace_inverse)


def second_step_condition(problem: LinearProblem, batch: float, noise: float = 0.0) -> float:
    """Largest eta of Lemma B.4's last inequality: `2b Tr(S) / (R_x^2 d |S|)` with S = (H_L + H_R)^-1 Sigma."""
    halves = (problem.sigma**2 + noise / problem.lam) / 2.0
    return 2.0 * batch * float(halves.sum()) / (problem.bound_squared * problem.dimension * float(halves.max()))


def noise_covariance(problem: LinearProblem, batch: float, alpha: float, zeta_squared: float) -> Array:
    """Diagonal of E nu nu' = Sigma / b + 4 alpha^2 / b^2 E[zeta^2] I, shape (d,) (varshney2022 Lemma B.7, eq. 49).

    Eq. (55) itself leaves out the 4.
    """
    covariance: Array = problem.sigma**2 * problem.lam / batch + 4.0 * alpha**2 / batch**2 * zeta_squared
    return covariance


def equation_55(moments: Array, eta: float) -> float:
    """Bound on the risk of the mean of w_1..w_n: `1 / (eta n^2) sum Tr E (w_t - w*)(w_t - w*)'` (varshney2022 eq. 55).

    The line before (55), at n = T/2; moments has shape (n, d).
    """
    require_positive(eta=eta)
    return float(moments.sum()) / (eta * len(moments) ** 2)


def equation_57(setting: Setting, start_risk: float) -> float:
    """Bias of the tail average: `8 / (eta mu T)^2 e^{-eta mu}` of the risk of w_{T/2} (varshney2022 eq. 57)."""
    return 8.0 * start_factor(setting) * start_risk


def equation_59(setting: Setting, zeta_squared: float) -> float:
    """Variance of the tail average: `8 / (T b) (Tr(H^-1 Sigma) + 4 zeta^2 alpha^2 / b Tr H^-1)` (varshney2022 eq. 59).

    With b = 10/11 N/T the first part is 8.8 sigma^2 d / N, which the theorem rounds to 8.
    """
    problem, b = setting.problem, setting.batch
    private = 4.0 * zeta_squared * setting.alpha**2 / b * problem.trace_inverse
    return 8.0 / (setting.steps * b) * (problem.sigma**2 * problem.dimension + private)


def equation_60(setting: Setting, start_risk: float, zeta_squared: float) -> float:
    """Risk of the tail average of the second half, started at w_{T/2} (varshney2022 eq. 60)."""
    return equation_57(setting, start_risk) + equation_59(setting, zeta_squared)


def _contraction(problem: LinearProblem, eta: float) -> float:
    """Factor 1 - eta mu of a step."""
    factor = 1.0 - eta * problem.mu
    if not 0.0 <= factor < 1.0:
        raise ValueError(f"eta={eta} must lie between 0 and 1/mu = {1.0 / problem.mu:.6g}")
    return factor


# Bounds beside exact laws ----------------------------------------------------------------------------------------------

BATCHES, CONDITIONS, SIZES = (1, 100, 10_000), (1.0, 16.0), (5.0, 10.0)
# Label noise. Its size does not matter, because where Delta = 0 all but the part of the start goes with its square.
SIGMA = 1.0


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds at every dimension, condition number and batch size, with and without privacy noise."""
    for setting in settings(evidence):
        problem = setting.problem
        text = f"d={problem.dimension}, kappa={problem.kappa:g}, b={setting.batch:g}, T={setting.steps:g}"
        yield from _bias(setting, text)
        for alpha in (0.0, setting.alpha):
            yield from _variance(replace(setting, alpha=alpha), text)
        yield from _noise(setting, text)
        yield from _second_half(setting, text)


def settings(evidence: Evidence) -> Iterator[Setting]:
    """Yields settings with T a multiple of kappa and Theorem 3.7's step size, for every size."""
    of_runs = evidence.settings_of("bound_vs_run")
    alpha = gaussian_multiplier(of_runs["eps"], of_runs["delta"])
    sizes = distinct_values(rows(evidence, "bound_vs_run")["d"].astype(float)) or SIZES
    batches = ends_and_middle(as_list(configured(evidence, "moments", "b", list(BATCHES))))
    kappas = distinct_values(as_list(configured(evidence, "moments", "kappa", list(CONDITIONS))))
    for d, kappa, b in product(sizes, sorted({kappas[0], kappas[-1]}), batches):
        T = 2 * math.ceil(of_runs["steps_per_kappa"] * kappa / 2)
        # Any N would do, because only its logarithm enters.
        problem = Design.of(int(d), kappa, of_runs["w_norm"]).problem(max(16, int(b) * T), SIGMA)
        yield Setting(problem, T, b, theorem_step(problem.lam, b), alpha, 0.0)


def _bias(setting: Setting, text: str) -> Iterator[Bound]:
    problem, T, b = setting.problem, int(setting.steps), int(setting.batch)
    common = (problem.lam, -problem.w_star, setting.eta, b, 0.0, 0.0)
    why = "eta of Theorem 3.7; measured is the exact risk without noise"
    value = bias_last(problem, setting.eta, T)
    at_identity = f"{why}, at H = I (1 - eta)^T of the start's" if problem.kappa == 1.0 else why
    yield exact_row("bias of the last iterate", "Lemma B.3", text, value, last_risk(*common, T), at_identity)
    half = T // 2
    value = bias_tail(problem, setting.eta, half, T - half + 1)
    yield exact_row("bias of the tail average", "Lemma B.3", text, value, tail_risk(*common, T, half), why)
    value = equation_57(setting, problem.w_norm_squared / 2.0)
    why = "restarted at |w - w*|_H = |w*|_H; measured is the exact risk without noise"
    yield exact_row("bias of the second half", "(57)", text, value, tail_risk(*common, half, half), why)


def _noise_in_sigma(setting: Setting) -> float:
    """Term 4 alpha^2 zeta^2 / b that the noise adds to Sigma, at the zeta that Lemma 3.11 allows at w*."""
    zeta_squared = threshold_bound(setting, 0.0) ** 2
    return 4.0 * setting.alpha**2 * zeta_squared / setting.batch


def _variance(setting: Setting, text: str) -> Iterator[Bound]:
    problem, T, b, eta = setting.problem, int(setting.steps), int(setting.batch), setting.eta
    noise = _noise_in_sigma(setting)
    text = f"{text}, {'no privacy' if setting.alpha == 0.0 else f'alpha={setting.alpha:.4g}'}"
    common = (problem.lam, np.zeros_like(problem.lam), eta, b, problem.sigma, noise / b)
    why = "eta of Theorem 3.7, w_0 = w*, nothing clipped; measured is the exact risk"
    value = variance_last(problem, eta, b, noise)
    yield exact_row("variance of the last iterate", "Lemma B.4", text, value, last_risk(*common, T), why)
    half = T // 2
    value = variance_tail(problem, eta, b, half, noise)
    yield exact_row("variance of the tail average", "Lemma B.4", text, value, tail_risk(*common, T, half), why)
    largest = second_step_condition(problem, b, noise)
    met = eta <= largest
    measured = float(inverse_of_step(problem, eta, b, noise).sum())
    why = f"eta={eta:.4g} must be at most {largest:.4g} besides: {met_or_not(met)}; measured is exact"
    yield exact_row("Tr T_b^-1 Sigma", "Lemma B.4", text, trace_bound(problem, noise), measured, why, met=met)
    value = equation_59(setting, noise * b / (4.0 * setting.alpha**2) if setting.alpha > 0.0 else 0.0)
    why = f"second half from w*; the condition of Lemma B.4 on eta is {met_or_not(met)}; measured is the exact risk"
    measured = tail_risk(*common, half, half)
    yield exact_row("variance of the second half", "(59)", text, value, measured, why, met=met)


def _noise(setting: Setting, text: str) -> Iterator[Bound]:
    """Evaluates the noise's covariance, by one step from w*."""
    problem, b, eta = setting.problem, int(setting.batch), setting.eta
    zeta_squared = threshold_bound(setting, 0.0) ** 2
    variance = 4.0 * setting.alpha**2 * zeta_squared / b**2
    after = second_moments(problem.lam, np.zeros_like(problem.lam), eta, b, problem.sigma, variance, 1)[1]
    measured = float(after.sum()) / eta**2
    value = float(noise_covariance(problem, b, setting.alpha, zeta_squared).sum())
    why = "measured is E |w_1 - w*|^2 / eta^2 from w_0 = w*"
    yield rounded_equality_row("trace of the noise's covariance", "Lemma B.7, (49), (58)", text, value, measured, why)


def _second_half(setting: Setting, text: str) -> Iterator[Bound]:
    """Evaluates (60), the bound on the last T/2 steps, from a start as far from w* as w_0 is."""
    problem, b, half = setting.problem, int(setting.batch), int(setting.steps) // 2
    start, noise = problem.w_norm_squared / 2.0, _noise_in_sigma(setting)
    met = setting.eta <= second_step_condition(problem, b, noise)
    common = (problem.lam, -problem.w_star, setting.eta, b)
    why = "restarted at |w - w*|_H = |w*|_H; measured is the exact risk"
    zeta_squared = threshold_bound(setting, 0.0) ** 2
    value = equation_60(setting, start, zeta_squared)
    measured = tail_risk(*common, problem.sigma, noise / b, half, half)
    why = f"{why}; the condition of Lemma B.4 on eta is {met_or_not(met)}"
    yield exact_row("risk of the second half", "(60)", text, value, measured, why, met=met)
    # w_0 = w* for the variance's part, no noise of either kind for the start's.
    at_w_star, silent = np.zeros_like(problem.lam), (problem.lam, -problem.w_star, setting.eta, b, 0.0, 0.0)
    variance = second_moments(problem.lam, at_w_star, setting.eta, b, problem.sigma, noise / b, half)
    whole = second_moments(*common, problem.sigma, noise / b, half)
    why = "restarted at |w - w*|_H = |w*|_H; measured is the exact risk"
    by_traces = equation_55(whole[1:], setting.eta)
    yield exact_row("risk of the second half, by traces", "(55)", text, by_traces, measured, why)
    value = 2.0 * (equation_55(second_moments(*silent, half)[1:], setting.eta) + equation_55(variance[1:], setting.eta))
    why = "the start's part and the noise's, each by traces; measured is the sum of traces that it is to bound"
    yield exact_row("start and noise of the second half", "(54), (56)", text, value, by_traces, why)
    # Of a non-decreasing sequence no step goes down, but for rounding.
    falls = float(-np.diff(variance, axis=0).min() / variance.max())
    why = "measured is the largest fall of a coordinate's second moment in a step, over the largest moment; w_0 = w*"
    yield bound_row(
        bound="covariance does not decrease", location="App. B, before (59)", setting=text, value=0.0, measured=falls,
        direction="at most", note=why, allowed=EQUAL**2,
    )  # fmt: skip
