"""DP-SSGD: parameters and risks (varshney2022 Theorem 3.2, Lemmas 3.5 and A.9, eq. 5, 36, 39).

Lemma 3.5 excludes clipping: it stands beside the exact law without clipping, and beside runs that clip nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.papers.varshney2022.arms import SSGD
from dpdescent.papers.varshney2022.bounds.cases import problem_at, vacuous
from dpdescent.papers.varshney2022.experiments.bound_vs_run import UNCLIPPED
from dpdescent.papers.varshney2022.experiments.ssgd import COROLLARY, NO_PRIVACY, PRACTICAL, SGD, THEOREM
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import ssgd
from dpdescent.papers.varshney2022.theory.moments import LinearProblem
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import (
    equal,
    exact,
    finite,
    place,
    row,
    same,
    simulated,
)
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

KEYS = ("panel", "N", "d", "sigma", "eps", "delta", "zeta_factor", "step")
RUN_KEYS = ("kind", "N", "d", "sigma", "eps", "delta")
STEPS, RUNS = "ssgd", "bound_vs_run"


@dataclass(frozen=True)
class Case:
    """A row of a table of DP-SSGD, with what it ran with.

    Attributes:
        problem: the regression.
        parameters: of the run.
        found: the row.
        text: the setting in words.
    """

    problem: LinearProblem
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
    """Evaluates the bounds at the artefact about DP-SSGD, then at runs without clipping."""
    steps: set[tuple[float, ...]] = set()
    for case in cases(evidence):
        key = (case.problem.dimension, case.problem.records, case.parameters.eta)
        if key not in steps:
            steps.add(key)
            yield from _step(case)
        yield from _lemma(case)
        if case.found["panel"] != NO_PRIVACY:
            yield from _printed(case)
            yield from _run(case)
    for found in each(rows(evidence, RUNS, series="risk", algorithm=SSGD, kind=UNCLIPPED)):
        yield from _unclipped(evidence, found)


def cases(evidence: Evidence) -> Iterator[Case]:
    """Returns the rows of the artefact about DP-SSGD, at the ends of each panel's epsilons."""
    table = rows(evidence, STEPS)
    ends = table.groupby("panel")["eps"].transform("min"), table.groupby("panel")["eps"].transform("max")
    kept = table["eps"].isna() | (table["eps"] == ends[0]) | (table["eps"] == ends[1]) | (table["step"] == COROLLARY)
    for found in each(table[kept & table["series"].isin([SSGD, SGD])]):
        problem = problem_at(evidence, STEPS, found)
        yield Case(problem, _parameters_of(problem, found), found, place("DP-SSGD", found, *KEYS))


def _parameters_of(problem: LinearProblem, found: pd.Series) -> Parameters:
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


def _step(case: Case) -> Iterator[Bound]:
    """Evaluates what is left of the start, whatever the noise is."""
    problem, eta = case.problem, case.parameters.eta
    text = f"DP-SSGD: N={problem.records:g}, d={problem.dimension}, eta={eta:.6g}"
    bias = ssgd.bias(problem, eta)
    why = joined("measured is the exact risk without any noise", vacuous(problem, bias))
    yield exact("risk of the start", "(36)", text, bias, case.law(noise=False), why, met=case.small)


def _printed(case: Case) -> Iterator[Bound]:
    """Evaluates Theorem 3.2's parameters where they are used."""
    found, used, text = case.found, case.parameters, case.text
    own = ssgd.theorem_parameters(case.problem, used.alpha)
    if found["step"] == THEOREM:
        yield equal("eta of Theorem 3.2", "Thm 3.2, (30)", text, own.eta, used.eta, "measured is what was run")
        why = f"zeta={used.zeta:.4g}; measured is the share of clipped gradients of all trials: none may be"
        yield row(
            bound="clipped gradients", location="Lemma A.9", setting=text, value=0.0,
            measured=finite(found["clip_fraction"]), direction="at most", note=why,
        )  # fmt: skip


def _lemma(case: Case) -> Iterator[Bound]:
    """Evaluates Lemma 3.5 and its second part, beside the exact law without clipping, which meets all that they ask."""
    problem, used = case.problem, case.parameters
    if not case.small:
        return
    why = "measured is the exact risk without clipping"
    value, law = ssgd.lemma_3_5(problem, used), case.law()
    yield exact("risk, exact law", "Lemma 3.5", case.text, value, law, joined(why, vacuous(problem, value)))
    if case.found["step"] in (THEOREM, COROLLARY, PRACTICAL):
        value = ssgd.equation_5(problem, used)
        yield exact("risk, e^(-eta mu N/2)", "(5)", case.text, value, law, joined(why, vacuous(problem, value)))
    value = ssgd.variance(problem, used)
    why = joined("measured is the exact risk from w_0 = w*, without clipping", vacuous(problem, value))
    yield exact("risk of the noise", "(39)", case.text, value, case.law(start=False), why)


def _run(case: Case) -> Iterator[Bound]:
    """Evaluates the mean risk beside Lemma 3.5 and the exact law: open where something is clipped."""
    problem, used, found = case.problem, case.parameters, case.found
    why = joined("measured is the mean risk", case.clipping)
    if case.small:
        value = ssgd.lemma_3_5(problem, used)
        shown = joined(why, vacuous(problem, value))
        yield simulated("risk, runs", "Lemma 3.5", case.text, value, found, shown, met=case.unclipped)
    if math.isfinite(found["expected"]):
        yield same("exact law, runs", "App. A (ours)", case.text, found["expected"], found, why, met=case.unclipped)


def _unclipped(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Evaluates runs that clip nothing, by the bound and the law that stand beside them in their table."""
    text, problem = place("bound_vs_run, DP-SSGD", found, *RUN_KEYS), problem_at(evidence, RUNS, found)
    why = "measured is the mean risk; nothing is clipped"
    if math.isfinite(found["bound"]):
        shown = joined(why, vacuous(problem, found["bound"]))
        yield simulated("risk, runs", "Lemma 3.5", text, found["bound"], found, shown)
    if math.isfinite(found["expected"]):
        yield same("exact law, runs", "App. A (ours)", text, found["expected"], found, why)
