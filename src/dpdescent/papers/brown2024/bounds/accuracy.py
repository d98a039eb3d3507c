"""How close DP-GD comes to least squares by Theorem 2.7 of brown2024, beside high quantiles of the measured error.

A bound with probability 1 - beta stands beside the quantile of that level. Its proof needs that nothing is clipped, and
asks for more records than any experiment has (`bounds.clipping`): at the experiments' settings the explicit versions
say how far the argument carries, not that the theorem applies.
"""

import math
from collections.abc import Iterator
from typing import Any

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import SIGMA, Case, Experiment, beside_zero, compared, in_words, quantile
from dpdescent.papers.brown2024.theory import accuracy, errors, gaussian_data
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ORDER, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

ISOTROPIC = "||theta_hat|| taken as the root of its mean square, Sigma = I"
UNCLIPPED = "supposes that nothing is clipped"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every point of Figures 2 and 8, of Figure 4 at 5 sqrt(p), then norms."""
    for experiment in runs.costs(evidence):
        for case, found in runs.plotted(experiment):
            yield from _versions(case, float(found[quantile(case.beta)]))
    yield from _figure_4(Experiment(evidence, "fig04", "Figure 4"))
    for experiment in runs.costs(evidence):
        for case, _ in runs.at_ends(experiment):
            yield _norm_of_the_estimate(case)
    yield from _norm_of_the_series(evidence)


def _versions(case: Case, measured: float, whose: str = "") -> Iterator[Bound]:
    """Yields the bound (a) without data, (b) at ||theta_hat||, (c) by the exact law, and as the theorem has it."""
    at, given = case.setting, _run(case)
    whose = whose or f"measured is {in_words(quantile(case.beta))} over runs"
    free = accuracy.accuracy_without_data(n=at.n, sigma=SIGMA, **given)
    why = f"{whose}; ||theta_hat|| by (80) at c0 of Lemma 2.6; {UNCLIPPED}"
    yield _bound("bound (76) without data", "(76), (80)", case, free.total, measured, why)
    known = accuracy.accuracy_of_proof(estimate_norm=case.estimate_norm, **given)
    yield _bound("bound (76)", "(76)", case, known.total, measured, f"{whose}; {ISOTROPIC}; {UNCLIPPED}")
    tight = accuracy.accuracy_of_law(case.law, at.T, case.beta)
    why = f"{whose}; Claim A.9 at the exact covariance where Sigma = I; {ISOTROPIC}; {UNCLIPPED}"
    yield _bound("bound by the exact law", "Lemma 2.3, Claim A.9", case, tight.total, measured, why)
    why = f"{whose}; c' = 1, with T and gamma of the experiment, not the theorem's"
    yield _order("bound (11)", "(11)", case, theorem(case), measured, why)


def _run(case: Case) -> dict[str, Any]:
    at = case.setting
    return {"p": at.p, "T": at.T, "eta": at.eta, "noise_sd": at.noise_sd, "beta": case.beta}


def theorem(case: Case) -> float:
    """Bound (11) at c' = 1."""
    at = case.setting
    return accuracy.accuracy_bound(n=at.n, p=at.p, rho=at.rho, sigma=SIGMA, beta=case.beta)


def _bound(name: str, location: str, case: Case, value: float, measured: float, note: str) -> Bound:
    return row(
        bound=name, location=location, setting=case.text, value=value, measured=measured,
        note=note + beside_zero(value),
    )  # fmt: skip


def _order(name: str, location: str, case: Case, value: float, measured: float, note: str) -> Bound:
    why = f"{note}; {compared(measured, value)}; {ORDER}{beside_zero(value)}"
    return stated(bound=name, location=location, setting=case.text, value=value, note=why, measured=measured)


def _figure_4(experiment: Experiment) -> Iterator[Bound]:
    """Yields rows of Figure 4, which has mean squares over runs.

    Where the bound of a run is a sum, its root mean square is below it too.
    """
    k = experiment.evidence.settings["clip_factor"]
    rows = experiment.rows(series="mse", error_to="theta_hat", clip_factor=k)
    for found in each(rows):
        case = experiment.case(n=found["n"], k=k)
        name = quantile(case.beta)
        whose = f"measured is the root mean square over runs, {in_words(name)} over data sets"
        yield from _versions(case, math.sqrt(found[name]), whose)


def _norm_of_the_estimate(case: Case) -> Bound:
    at = case.setting
    norm = accuracy.estimate_norm_bound(
        c0=gaussian_data.constant_of_theorem(n=at.n, T=at.T, beta=case.beta), sigma=SIGMA, p=at.p
    )
    why = "at c0 of Lemma 2.6; no measurement: measured is its root mean square where Sigma = I"
    return row(
        bound="||theta_hat||", location="(80)", setting=case.text, value=norm, measured=case.estimate_norm, note=why,
    )  # fmt: skip


def _norm_of_the_series(evidence: Evidence) -> Iterator[Bound]:
    """Yields what the proof makes of ||A^(T)||, in units of eta lambda, where it is tightest: two covariates."""
    beta, T = evidence.settings["beta"], 20
    contraction = (1.0 - errors.ETA) ** 2
    exact = (1.0 - contraction**T) / (1.0 - contraction)
    why = f"no measurement: measured is its value where Sigma = I, at T = {T}"
    for name, norm in (("as printed", accuracy.SERIES_NORM_AS_PRINTED), ("64/15", accuracy.SERIES_NORM)):
        text = f"eta={errors.ETA:g}, ||I - eta Sigma|| <= 7/8"
        yield row(bound=f"||A^(T)||, {name}", location="below (77)", setting=text, value=norm, measured=exact, note=why)
        given = {"p": 2, "eta": 1.0, "noise_sd": 1.0, "beta": beta}
        derived = accuracy.noise_bound_by_norm(series_norm=norm, **given)
        reason = f"no measurement: measured is what Claim A.9 yields from ||A^(T)|| <= {norm:.3g}"
        bound = accuracy.noise_bound(**given)
        harmless = "; for small p and large beta it follows from 64/15 only: harmless" if derived > bound else ""
        yield row(
            bound=f"sqrt(32 p ln(4/beta)) from ||A^(T)||, {name}", location="below (77)",
            setting=f"p=2, beta={beta:g}, eta lambda = 1", value=bound, measured=derived, note=reason + harmless,
        )  # fmt: skip
