"""Steps on batches of normal records: Lemmas B.3, B.4 and B.7 and (57) to (60) of varshney2022 beside exact laws."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms.sgd_moments import last_risk, second_moments, tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.bounds.cases import configured
from dpdescent.papers.varshney2022.design import Design
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import ambssgd, privacy
from dpdescent.papers.varshney2022.theory.ambssgd import Setting
from dpdescent.replication.judging.bound_rows import distinct, ends_and_middle, equal, exact, is_met
from dpdescent.replication.judging.evidence import Bound, Evidence

RUNS, MOMENTS = "bound_vs_run", "moments"
BATCHES, CONDITIONS, SIZES = (1, 100, 10_000), (1.0, 16.0), (5.0, 10.0)
# Label noise; where Delta = 0, all but what is left of the start goes with its square.
SIGMA = 1.0


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates them at every dimension, condition number and batch size, with and without privacy noise."""
    for setting in settings(evidence):
        problem = setting.problem
        text = f"d={problem.dimension}, kappa={problem.kappa:g}, b={setting.batch:g}, T={setting.steps:g}"
        yield from _bias(setting, text)
        for alpha in (0.0, setting.alpha):
            yield from _variance(replace(setting, alpha=alpha), text)
        yield from _noise(setting, text)
        yield from _second_half(setting, text)


def settings(evidence: Evidence) -> Iterator[Setting]:
    """Evaluates bounds of T = 8 kappa steps with Theorem 3.7's step size; zeta is the least that Lemma 3.11 covers."""
    given = evidence.settings_of(RUNS)
    alpha = privacy.gaussian_multiplier(given["eps"], given["delta"])
    sizes = distinct(rows(evidence, RUNS)["d"].astype(float)) or SIZES
    batches = ends_and_middle(as_list(configured(evidence, MOMENTS, "b", list(BATCHES))))
    kappas = distinct(as_list(configured(evidence, MOMENTS, "kappa", list(CONDITIONS))))
    for d, kappa, b in product(sizes, sorted({kappas[0], kappas[-1]}), batches):
        T = 2 * math.ceil(given["steps_per_kappa"] * kappa / 2)
        # N serves the logarithm only.
        problem = Design.of(int(d), kappa, given["w_norm"]).problem(max(16, int(b) * T), SIGMA)
        yield Setting(problem, T, b, ambssgd.theorem_step(problem.lam, b), alpha, 0.0)


def _bias(setting: Setting, text: str) -> Iterator[Bound]:
    problem, T, b = setting.problem, int(setting.steps), int(setting.batch)
    common = (problem.lam, -problem.w_star, setting.eta, b, 0.0, 0.0)
    why = "eta of Theorem 3.7; measured is the exact risk without noise"
    value = ambssgd.bias_last(problem, setting.eta, T)
    own = f"{why}, at H = I (1 - eta)^T of the start's" if problem.kappa == 1.0 else why
    yield exact("bias of the last iterate", "Lemma B.3", text, value, last_risk(*common, T), own)
    kept = T // 2
    value = ambssgd.bias_tail(problem, setting.eta, kept, T - kept + 1)
    yield exact("bias of the tail average", "Lemma B.3", text, value, tail_risk(*common, T, kept), why)
    value = ambssgd.equation_57(setting, problem.w_norm_squared / 2.0)
    why = "restarted at |w - w*|_H = |w*|_H; measured is the exact risk without noise"
    yield exact("bias of the second half", "(57)", text, value, tail_risk(*common, kept, kept), why)


def _noise_of(setting: Setting) -> float:
    """The term 4 alpha^2 zeta^2 / b that the noise adds to Sigma."""
    zeta_squared = ambssgd.threshold_bound(setting, 0.0) ** 2
    return 4.0 * setting.alpha**2 * zeta_squared / setting.batch


def _variance(setting: Setting, text: str) -> Iterator[Bound]:
    problem, T, b, eta = setting.problem, int(setting.steps), int(setting.batch), setting.eta
    noise = _noise_of(setting)
    text = f"{text}, {'no privacy' if setting.alpha == 0.0 else f'alpha={setting.alpha:.4g}'}"
    common = (problem.lam, np.zeros_like(problem.lam), eta, b, problem.sigma, noise / b)
    why = "eta of Theorem 3.7, w_0 = w*, nothing clipped; measured is the exact risk"
    value = ambssgd.variance_last(problem, eta, b, noise)
    yield exact("variance of the last iterate", "Lemma B.4", text, value, last_risk(*common, T), why)
    kept = T // 2
    value = ambssgd.variance_tail(problem, eta, b, kept, noise)
    yield exact("variance of the tail average", "Lemma B.4", text, value, tail_risk(*common, T, kept), why)
    largest = ambssgd.second_step_condition(problem, b, noise)
    met = eta <= largest
    measured = float(ambssgd.inverse_of_step(problem, eta, b, noise).sum())
    why = f"eta={eta:.4g} must be at most {largest:.4g} besides: {is_met(met)}; measured is exact"
    yield exact("Tr T_b^-1 Sigma", "Lemma B.4", text, ambssgd.trace_bound(problem, noise), measured, why, met=met)
    value = ambssgd.equation_59(setting, noise * b / (4.0 * setting.alpha**2) if setting.alpha > 0.0 else 0.0)
    why = f"second half from w*; the condition of Lemma B.4 on eta is {is_met(met)}; measured is the exact risk"
    measured = tail_risk(*common, kept, kept)
    yield exact("variance of the second half", "(59)", text, value, measured, why, met=met)


def _noise(setting: Setting, text: str) -> Iterator[Bound]:
    """Evaluates the bounds on one step from w*."""
    problem, b, eta = setting.problem, int(setting.batch), setting.eta
    zeta_squared = ambssgd.threshold_bound(setting, 0.0) ** 2
    variance = 4.0 * setting.alpha**2 * zeta_squared / b**2
    moved = second_moments(problem.lam, np.zeros_like(problem.lam), eta, b, problem.sigma, variance, 1)[1]
    measured = float(moved.sum()) / eta**2
    value = float(ambssgd.noise_covariance(problem, b, setting.alpha, zeta_squared).sum())
    why = "measured is E |w_1 - w*|^2 / eta^2 from w_0 = w*"
    yield equal("trace of the noise's covariance", "Lemma B.7, (49), (58)", text, value, measured, why)


def _second_half(setting: Setting, text: str) -> Iterator[Bound]:
    """Evaluates the bound on a restart at w_{T/2}, which is w_0 here."""
    problem, b, kept = setting.problem, int(setting.batch), int(setting.steps) // 2
    start, noise = problem.w_norm_squared / 2.0, _noise_of(setting)
    met = setting.eta <= ambssgd.second_step_condition(problem, b, noise)
    common = (problem.lam, -problem.w_star, setting.eta, b)
    why = "restarted at |w - w*|_H = |w*|_H; measured is the exact risk"
    zeta_squared = ambssgd.threshold_bound(setting, 0.0) ** 2
    value = ambssgd.equation_60(setting, start, zeta_squared)
    measured = tail_risk(*common, problem.sigma, noise / b, kept, kept)
    why = f"{why}; the condition of Lemma B.4 on eta is {is_met(met)}"
    yield exact("risk of the second half", "(60)", text, value, measured, why, met=met)
