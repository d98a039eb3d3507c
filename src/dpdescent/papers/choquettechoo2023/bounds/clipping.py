"""What clips nothing with high probability: gradients and clip norms (choquettechoo2023 App. D.2 and D.4)."""

import math
from collections.abc import Iterator

import pandas as pd
from scipy.stats import norm

from dpdescent.papers.choquettechoo2023.arms import DP_SGD
from dpdescent.papers.choquettechoo2023.bounds.cases import HALF
from dpdescent.papers.choquettechoo2023.bounds.finite_time import (
    ARTEFACT,
    found_in,
    limit_of,
    run_of,
    setting_of,
    start_of,
    strategy_of,
)
from dpdescent.papers.choquettechoo2023.reading import rows
from dpdescent.papers.choquettechoo2023.theory import finite_time
from dpdescent.papers.choquettechoo2023.theory.finite_time import Run
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ORDER, is_met, order, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every T and mechanism of the clipped runs, then of the labels' noise at every T."""
    for found in found_in(evidence, "clipped"):
        yield from _runs(evidence, found)
    for found in each(rows(evidence, ARTEFACT, panel="clipped").drop_duplicates("T")):
        yield from _labels(run_of(evidence, found))


def _runs(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    run, setting = run_of(evidence, found), setting_of(found)
    problem, strategy = run.problem, strategy_of(run.problem, found["mechanism"])
    nu, T = problem.eta * problem.mu, int(found["T"])
    beta_norm = 1.0 if found["mechanism"] == DP_SGD else 2.0 - math.sqrt(nu)
    variance = problem.noise_variance(strategy.sensitivity_squared(T))
    clipped = f"measured is the tuned clip norm, which clips {found['clip_fraction']:.2%} of the gradients"
    value = math.sqrt(finite_time.gradient_bound(run, sigma_squared=variance, beta_norm=beta_norm, nu=nu))
    yield order("norm of a gradient, D.4", "Thm D.4", setting, value, problem.clip_norm, clipped)
    value = finite_time.required_clip_norm(run)
    yield order("clip norm that clips nothing, D.13", "Thm D.13", setting, value, problem.clip_norm, clipped)
    value = finite_time.required_clip_norm_of_summary(run)
    why = f"max(Tr H |theta_0 - theta*|, sigma_sgd sqrt(Tr H)), without polylog(T/p); {clipped}"
    yield order("clip norm that clips nothing, (9)", "(9)", setting, value, problem.clip_norm, why)
    given = {"nu_tilde": problem.mu, "gamma_squared": strategy.sensitivity_squared_limit(), "beta_norm": beta_norm}
    value = finite_time.largest_rate(run, **given)
    why = f"measured is the tuned learning rate: {is_met(problem.eta <= value)} at constant 1; {ORDER}"
    yield stated(
        bound="learning rate that clips nothing, D.13", location="Thm D.13", setting=setting, value=value, note=why,
        measured=problem.eta,
    )  # fmt: skip
    if problem.eta * run.moment < 1.0:
        yield from _on_no_clipping(run, found, setting)


def _on_no_clipping(run: Run, found: pd.Series, setting: str) -> Iterator[Bound]:
    """Evaluates Theorem D.13(c) at the tuned clip norm, not the theorem's; the table's error includes clipped runs."""
    problem = run.problem
    initial = 0.5 * float(problem.lam @ start_of(run) ** 2)
    value = finite_time.convergence_bound_without_clipping(
        problem, initial, limit_of(problem, found["mechanism"]), run.T
    )
    why = (
        f"F_inf at the tuned G and eta, not the theorem's; measured is the mean error, {found['mean'] / value:.3g} "
        f"times it, of all runs, the clipped ones too: nothing is asserted; {HALF}"
    )
    yield stated(
        bound="error of clipped runs after T steps", location="Thm D.13(c)", setting=setting, value=value, note=why,
        measured=found["mean"],
    )  # fmt: skip


def _labels(run: Run) -> Iterator[Bound]:
    """Evaluates event (72) for Gaussian residuals: what one of T exceeds with probability p/T."""
    T, failure, variance = run.T, run.failure, run.label_variance
    if variance > 0.0:
        value = 2.0 * variance * math.log(2.0 * T / failure)
        measured = variance * float(norm.isf(failure / (2.0 * T))) ** 2
        why = "2 sigma_sgd^2 log(2T/p); measured is the exact quantile of level 1 - p/T of xi^2"
        yield row(
            bound="largest xi_t^2", location="(72)", setting=f"finite T, clipped: T={T:g}, p={failure:g}", value=value,
            measured=measured, note=why,
        )  # fmt: skip
