"""DP-SSGD: parameters and risks (varshney2022 Theorem 3.2, Corollary 3.3, Lemmas 3.5 and A.9, eq. 5, 6, 36, 39).

Lemma 3.5 excludes clipping: it stands beside the exact law without clipping, and beside runs that clip nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.descent.shuffled_moments import tail_risk
from dpdescent.papers.varshney2022.bounds.cases import (
    equal,
    exact,
    finite,
    joined,
    order,
    place,
    problem_at,
    same,
    settings_of,
    simulated,
    vacuous,
)
from dpdescent.papers.varshney2022.experiments.bound_vs_run import UNCLIPPED
from dpdescent.papers.varshney2022.experiments.ssgd import COROLLARY, NO_PRIVACY, SGD, THEOREM
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.single_pass import SSGD
from dpdescent.papers.varshney2022.theory import privacy, ssgd
from dpdescent.papers.varshney2022.theory.moments import Problem
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.privacy import shuffling
from dpdescent.replication.evidence import Bound, Evidence
from dpdescent.replication.judgement import each, is_met, row, stated

KEYS = ("panel", "N", "d", "sigma", "eps", "delta", "zeta_factor", "step")
STEPS, RUNS, SIZES = "ssgd", "bound_vs_run", "risk_vs_n"


@dataclass(frozen=True)
class Case:
    """A row of a table of DP-SSGD, with what it ran with.

    Attributes:
        problem: the regression.
        parameters: of the run.
        found: the row.
        text: the setting in words.
    """

    problem: Problem
    parameters: Parameters
    found: "pd.Series[float]"
    text: str

    @property
    def small(self) -> bool:
        """Whether the step is one that Lemma 3.5 is stated for: eta <= 1 / (2 R_x^2)."""
        return self.parameters.eta <= 0.5 / self.problem.bound_squared * (1.0 + 1e-12)

    @property
    def unclipped(self) -> bool:
        """Whether no gradient was clipped in any trial."""
        return bool(self.found["clip_fraction"] == 0.0)

    @property
    def clipping(self) -> str:
        """The share of clipped gradients, for a note."""
        return f"{self.found['clip_fraction']:.3g} of the gradients are clipped"

    def law(self, *, start: bool = True, noise: bool = True) -> float:
        """Exact risk without clipping, of the start alone or of the noise alone if so asked."""
        at, used = self.problem, self.parameters
        first = -at.w_star if start else np.zeros_like(at.w_star)
        sigma, variance = (at.sigma, used.noise_variance) if noise else (0.0, 0.0)
        N = int(at.records)
        with np.errstate(all="ignore"):
            return tail_risk(at.lam, first, used.eta, 1, sigma, variance, N, N // 2)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the artefact about DP-SSGD, of its runs without clipping, of its panel of sizes."""
    for case in cases(evidence):
        yield from _parameters(case)
        yield from _lemma(case)
        if case.found["panel"] != NO_PRIVACY:
            yield from _orders(case)
            yield from _run(case)
    for case in _unclipped(evidence):
        yield from _lemma(case)
        yield from _run(case)
    for case in _sizes(evidence):
        yield from _orders(case)
        yield from _run(case)


def cases(evidence: Evidence) -> Iterator[Case]:
    """All rows of the artefact about DP-SSGD."""
    table = rows(evidence, STEPS)
    for found in each(table[table["series"].isin([SSGD, SGD])]):
        problem = problem_at(evidence, STEPS, found)
        yield Case(problem, _parameters_of(problem, found), found, place("DP-SSGD", found, *KEYS))


def _parameters_of(problem: Problem, found: pd.Series) -> Parameters:
    eta, alpha = float(found["eta"]), float(found["alpha"])
    if found["step"] == COROLLARY:
        zeta = ssgd.corollary_parameters(problem, float(found["eps"]), float(found["delta"])).zeta
    elif found["step"] == THEOREM:
        zeta = ssgd.theorem_parameters(problem, alpha).zeta
    elif found["panel"] == NO_PRIVACY:
        return Parameters(eta, 1.0, 0.0)
    else:
        zeta = ssgd.practical_parameters(problem, alpha, float(found["zeta_factor"])).zeta
    return Parameters(eta, zeta, alpha)


def _unclipped(evidence: Evidence) -> Iterator[Case]:
    factor = _factor(evidence)
    for found in each(rows(evidence, RUNS, series="risk", algorithm=SSGD, kind=UNCLIPPED)):
        text = place("bound_vs_run, DP-SSGD", found, "kind", "N", "d", "sigma", "eps", "delta")
        yield _practical(evidence, RUNS, found, factor, text)


def _sizes(evidence: Evidence) -> Iterator[Case]:
    factor = float(settings_of(evidence, SIZES)["zeta_factor"])
    table = rows(evidence, SIZES, series=SSGD)
    # At sigma = 0 too: |w*| keeps the threshold positive.
    for found in each(table[table["sigma"].notna()]):
        text = place("risk_vs_n, DP-SSGD", found, "N", "d", "sigma", "eps", "delta")
        yield _practical(evidence, SIZES, found, factor, text)


def _practical(evidence: Evidence, artefact: str, found: pd.Series, factor: float, text: str) -> Case:
    problem = problem_at(evidence, artefact, found)
    alpha = shuffling.noise_multiplier(float(found["eps"]), int(found["N"]), float(found["delta"]))
    return Case(problem, ssgd.practical_parameters(problem, alpha, factor), found, text)


def _factor(evidence: Evidence) -> float:
    arms = evidence.spec["artefacts"].get(RUNS, {}).get("arms", {})
    return float(arms.get("zeta_factor", settings_of(evidence, RUNS)["zeta_factor"]))


def _parameters(case: Case) -> Iterator[Bound]:
    """The printed parameters, where they are used, and what Lemma 3.5 asks of the step everywhere."""
    found, problem, used = case.found, case.problem, case.parameters
    allowed = 0.5 / problem.bound_squared
    why = f"1/(2 R_x^2), R_x^2 = {problem.bound_squared:g}; measured is eta: {is_met(case.small)}"
    yield stated("largest step", "Lemma 3.5", case.text, allowed, why, used.eta)
    if found["panel"] == NO_PRIVACY:
        return
    own = ssgd.theorem_parameters(problem, used.alpha)
    if found["step"] == THEOREM:
        yield equal("eta of Theorem 3.2", "Thm 3.2, (30)", case.text, own.eta, used.eta, "measured is what was run")
        why = f"zeta={used.zeta:.4g}; measured is the share of clipped gradients; of all trials, so that none may be"
        yield row(
            "clipped gradients", "Lemma A.9", case.text, 0.0, finite(found["clip_fraction"]), "at most", why
        )  # fmt: skip
        return
    why = f"at alpha={used.alpha:.4g}; measured is eta: {is_met(used.eta <= own.eta)}"
    yield stated("eta of Theorem 3.2", "Thm 3.2, (30)", case.text, own.eta, why, used.eta)
    why = f"measured is zeta, at which {case.clipping}"
    yield stated("zeta of Theorem 3.2", "Thm 3.2, (31)", case.text, own.zeta, why, used.zeta)


def _lemma(case: Case) -> Iterator[Bound]:
    """Lemma 3.5 and its parts, beside the exact law without clipping, which meets all that they ask."""
    problem, used = case.problem, case.parameters
    if not case.small:
        return
    why = "measured is the exact risk without clipping"
    law, both = case.law(), ssgd.lemma_3_5(problem, used)
    yield exact("risk, exact law", "Lemma 3.5", case.text, both, law, joined(why, vacuous(problem, both)))
    both = ssgd.equation_5(problem, used)
    yield exact("risk with N/2 steps, exact law", "(5)", case.text, both, law, joined(why, vacuous(problem, both)))
    bias = ssgd.bias(problem, used.eta)
    measured = case.law(noise=False)
    why = "measured is the exact risk without any noise"
    yield exact("risk of the start", "(36)", case.text, bias, measured, joined(why, vacuous(problem, bias)))
    variance = ssgd.variance(problem, used)
    why = "measured is the exact risk from w_0 = w*, without clipping"
    yield exact(
        "risk of the noise", "(39)", case.text, variance, case.law(start=False), joined(why, vacuous(problem, variance))
    )


def _orders(case: Case) -> Iterator[Bound]:
    """Theorem 3.2, its Corollary and (6), constants and logarithms 1."""
    problem, found = case.problem, case.found
    eps, delta, mean = float(found["eps"]), float(found["delta"]), float(found["mean"])
    inside = eps <= privacy.EpsilonRanges.of(problem.records, delta).theorem
    printed = "" if found["step"] in (THEOREM, COROLLARY) else "step and threshold are not the theorem's"
    reach = "" if inside else "eps is outside of the theorem's range at constant 1"
    shared = joined(printed, reach, case.clipping)
    for name, location, value in (
        ("risk of DP-SSGD", "Thm 3.2", ssgd.theorem_3_2(problem, eps, delta)),
        ("risk of DP-SSGD at H = I", "Cor. 3.3", _corollary(problem, eps, delta)),
        ("risk of DP-SSGD, c = 1", "(6)", ssgd.equation_6(problem, eps, delta)),
    ):
        if not math.isnan(value):
            yield order(name, location, case.text, value, mean, joined(shared, vacuous(problem, value)))


def _corollary(problem: Problem, eps: float, delta: float) -> float:
    return ssgd.corollary_3_3(problem, eps, delta) if problem.kappa == 1.0 else math.nan


def _run(case: Case) -> Iterator[Bound]:
    """The mean risk beside Lemma 3.5 and the exact law: open where something is clipped."""
    problem, used, found = case.problem, case.parameters, case.found
    why = joined("measured is the mean risk", case.clipping)
    if case.small:
        value = ssgd.lemma_3_5(problem, used)
        shown = joined(why, vacuous(problem, value))
        yield simulated("risk, runs", "Lemma 3.5", case.text, value, found, shown, met=case.unclipped)
    law = case.law()
    if math.isfinite(law):
        yield same("exact law, runs", "App. A (ours)", case.text, law, found, why, met=case.unclipped)
    value = ssgd.predictor(problem, used)
    yield stated(
        "Tr(H^-1 M) / N, runs", "(39), first term", case.text, value, f"our estimate; {why}", finite(found["mean"])
    )
