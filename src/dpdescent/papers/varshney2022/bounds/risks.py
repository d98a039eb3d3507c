"""DP-AMBSSGD's risk: Theorems 1.1 and 3.7 and Corollary 3.8 at constants and logarithms 1, beside the runs."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.arms import AMBSSGD, OLS, PUBLISHED
from dpdescent.papers.varshney2022.bounds.cases import choice_at, problem_at, vacuous
from dpdescent.papers.varshney2022.experiments.step_size import COROLLARY, THEOREM
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import ambssgd
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ORDER, is_met, order, place, same, stated
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

RISKS = ("risk_vs_n", "risk_vs_sigma", "risk_vs_eps", "risk_vs_d", "risk_vs_kappa")
# Where least squares and the first part of the theorem stand beside the bounds: elsewhere they tell the same.
EXACT, SAMPLING = ("risk_vs_n", "risk_vs_eps"), ("risk_vs_n", "risk_vs_sigma", "risk_vs_kappa")
KEYS = ("panel", "N", "d", "sigma", "eps", "delta", "kappa", "T")
STEPS, DRAWN = "step_size", "Wishart draw"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds at every artefact of risks, then of both step sizes."""
    for artefact in RISKS:
        table = rows(evidence, artefact)
        own = table[table["series"] == AMBSSGD]
        if artefact == "risk_vs_kappa":
            own = own[own["T"] == own.groupby("kappa")["kappa"].transform("first") * _steps_per_kappa(evidence)]
        printed = table[table["series"] == PUBLISHED] if artefact == "risk_vs_n" else table[:0]
        for found in (*each(own), *each(printed)):
            yield from _theorem(evidence, artefact, found)
        for found in each(table[table["series"] == OLS] if artefact in EXACT else table[:0]):
            yield from _least_squares(evidence, artefact, found)
    table = rows(evidence, STEPS, series=AMBSSGD)
    for found in each(table):
        yield from _step(evidence, found)
    for found in each(table[table["step"] == COROLLARY].drop_duplicates("d")):
        yield _printed_step(evidence, found)


def _steps_per_kappa(evidence: Evidence) -> float:
    return float(evidence.settings_of("risk_vs_kappa")["steps_per_kappa"])


def _theorem(evidence: Evidence, artefact: str, found: pd.Series) -> Iterator[Bound]:
    problem, eps, delta = problem_at(evidence, artefact, found), float(found["eps"]), float(found["delta"])
    text = place(f"{artefact}, {found['series']}", found, *KEYS)
    why = f"measured is the mean risk; {found['clip_fraction']:.3g} of the gradients are clipped"
    needed = ambssgd.records_of_theorem(problem.dimension, problem.kappa, eps, delta)
    asked = f"N = {problem.records:g} is {problem.records / needed:.3g} times the theorem's at constant 1"
    value = ambssgd.theorem_3_7(problem, eps, delta)
    shown = joined(why, asked, vacuous(problem, value))
    yield order("risk of DP-AMBSSGD", "Thm 3.7", text, value, found["mean"], shown)
    if found["series"] == PUBLISHED or artefact not in SAMPLING:
        return
    sampling = 8.0 * problem.sigma**2 * problem.dimension / problem.records
    share = f"measured is {found['mean'] / sampling:.3g} times it" if sampling > 0.0 else ""
    shown = joined(why, share, "one term of the bound: no verdict")
    yield stated(
        bound="8 sigma^2 d / N", location="Thm 3.7, first part", setting=text, value=sampling, note=shown,
        measured=found["mean"],
    )  # fmt: skip
    if artefact == "risk_vs_n" and problem.sigma == rows(evidence, artefact)["sigma"].max():
        value = ambssgd.theorem_1_1(problem.dimension, problem.sigma, problem.records, eps)
        yield order(
            "risk of DP-AMBSSGD, informal", "Thm 1.1", text, value, found["mean"], joined(why, vacuous(problem, value))
        )


def _least_squares(evidence: Evidence, artefact: str, found: pd.Series) -> Iterator[Bound]:
    """Evaluates the risk of least squares, whose mean risk on normal records is known."""
    if math.isnan(found["N"]) or not found["N"] > found["d"] + 1:
        return
    value = 0.5 * found["sigma"] ** 2 * found["d"] / (found["N"] - found["d"] - 1)
    text = place(f"{artefact}, {OLS}", found, *KEYS)
    if found["sigma"] == 0.0:
        why = "no noise: what is left is rounding"
        yield stated(
            bound="risk of least squares", location="Sec. 1 (ours)", setting=text, value=value, note=why,
            measured=found["mean"],
        )  # fmt: skip
        return
    why = "sigma^2 d / (2 (N - d - 1)), exact; measured is the mean risk"
    yield same("risk of least squares", "Sec. 1 (ours)", text, value, found, why)


def _step(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Evaluates the theorem with its step, the corollary with its own, and what is left of the start."""
    problem, eps, delta = problem_at(evidence, STEPS, found), float(found["eps"]), float(found["delta"])
    text = place("step_size", found, "step", "N", "d", "sigma", "eps", "delta", "T")
    why = f"measured is the mean risk; {found['clip_fraction']:.3g} of the gradients are clipped"
    corollary = found["step"] == COROLLARY
    # The corollary has log(1/delta) d / (N eps^2) as a factor beside 8 sigma^2 d / N.
    location, constant = ("Cor. 3.8", 8.0) if corollary else ("Thm 3.7", 1.0)
    if found["step"] in (COROLLARY, THEOREM):
        value = ambssgd.theorem_3_7(problem, eps, delta, constant)
        yield order(
            "risk with the printed step", location, text, value, found["mean"], joined(why, vacuous(problem, value))
        )
    if problem.records < rows(evidence, STEPS)["N"].max():
        return
    c1 = found["T"] / (problem.kappa * math.log(problem.records))
    claimed = 2.0 * math.exp(-ambssgd.BIAS_POWER * math.log(problem.records))
    why = f"2 N^-100; T = c1 kappa log N with c1={c1:.3g}; measured is exact, without noise and clipping; {ORDER}"
    yield stated(
        bound="share of the start's risk that is left", location=location, setting=text, value=claimed, note=why,
        measured=found["bias"],
    )  # fmt: skip


def _printed_step(evidence: Evidence, found: pd.Series) -> Bound:
    problem, choice = problem_at(evidence, STEPS, found), choice_at(evidence, STEPS, found)
    theirs = ambssgd.corollary_step(problem.dimension)
    why = f"measured is Theorem 3.7's at b={choice.b}, up to which the lemmas allow it: {is_met(theirs <= choice.eta)}"
    return stated(
        bound="step 1/(4d)", location="Cor. 3.8", setting=place("step_size", found, "d"), value=theirs, note=why,
        measured=choice.eta,
    )  # fmt: skip
