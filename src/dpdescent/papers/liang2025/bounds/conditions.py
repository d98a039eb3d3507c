"""What Theorem 3.1 of liang2025 asks for and presupposes at the experiments' settings: conditions, rates, costs."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.bounds.cases import Case, case
from dpdescent.papers.liang2025.reading import RARELY
from dpdescent.papers.liang2025.theory import error_bounds, lemmas, prescriptions
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.judging.bound_rows import ORDER, pick, row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Stands for a strict inequality.
STRICT = 1e-9


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every design and size, then of every run; then those of Figures 7 and 8."""
    yield from _conversions(evidence)
    for problem in sizes(evidence):
        for of_size in (_steps, _sample_size):
            yield from of_size(problem)
    yield from _best_steps(evidence)
    for run in runs(evidence):
        for of_run in (_privacy, _noise, _limits, _thresholds):
            yield from of_run(run)
    yield from _clipping_in_figure_8(evidence)


def sizes(evidence: Evidence) -> Iterator[Case]:
    """Yields every design at the ends of its grid in n."""
    for design in (cases.FIGURE_3A, cases.FIGURE_3B, cases.FIGURE_9):
        grid = _table(evidence, design)["n"]
        for n in sorted({int(grid.min()), int(grid.max())}):
            yield case(evidence, design, n=n)
    yield case(evidence, cases.FIGURE_4, place="Figures 4 and 6")
    yield case(evidence, cases.FIGURE_7, place="Figures 7 and 8")


def runs(evidence: Evidence) -> Iterator[Case]:
    """The private runs: Figure 3 at the ends of its grid, Figures 4 and 6 at the T of least error for each budget."""
    for design in (cases.FIGURE_3A, cases.FIGURE_3B):
        table = _table(evidence, design, series="DP-2S-GD")
        for _, found in table[table["n"].isin([table["n"].min(), table["n"].max()])].iterrows():
            yield case(evidence, design, n=found["n"], rho1=found["rho1"], rho2=found["rho2"])
    table = evidence.select("fig04", panel="a", error_to="beta_hat")
    for found in _least(table, "rho1"):
        yield case(evidence, cases.FIGURE_4, T=found["T"], rho1=found["rho1"], rho2=found["rho2"])
    table = evidence.select("fig06", panel="a", error_to="beta_hat")
    for found in _least(table, "rho2"):
        yield case(evidence, cases.FIGURE_6, T=found["T"], rho2=found["rho2"])
    yield case(evidence, cases.FIGURE_8, place="Figures 7 and 8")


def _table(evidence: Evidence, design: cases.Design, **where: Any) -> pd.DataFrame:
    panels = {cases.FIGURE_3A: {"panel": "a"}, cases.FIGURE_3B: {"panel": "b"}}
    return evidence.select(design.artefact, error_to="beta_hat", **panels.get(design, {}), **where)


def _least(table: pd.DataFrame, budget: str) -> Iterator[pd.Series]:
    """The row of least mean error for each value of a budget."""
    for _, rows in table.groupby(budget):
        yield rows.loc[rows["mean"].idxmin()]


def _conversions(evidence: Evidence) -> Iterator[Bound]:
    delta = evidence.settings["dp_delta"]
    for text in evidence.published["epsilon_at_rho"]:
        rho, note = float(text), "measured is the least epsilon of Gaussian releases with this rho"
        setting = f"rho={rho:g}, delta={delta:g}"
        tight = tight_epsilon(rho, delta)
        yield row(
            bound="epsilon of rho", location="footnote 3", setting=setting, value=zcdp.epsilon(rho, delta),
            measured=tight, note=note,
        )  # fmt: skip


def _steps(at: Case) -> Iterator[Bound]:
    text, ceilings, used = at.shape, prescriptions.step_size_ceilings(at.nominal), at.steps
    endless = prescriptions.Spectrum(delta=0.0, lower=at.problem.theta_min**2, upper=at.problem.theta_norm**2)
    limits = prescriptions.step_size_ceilings(endless)
    half = "measured is the step size of Sec. 4, half of it"
    yield row(bound="ceiling of eta", location="(3)", setting=text, value=ceilings.eta, measured=used.eta, note=half)
    yield row(
        bound="ceiling of alpha", location="(3)", setting=text, value=ceilings.alpha, measured=used.alpha, note=half,
    )  # fmt: skip
    yield row(
        bound="ceiling of eta for n to infinity", location="Remark 3.2", setting=text, value=limits.eta,
        measured=used.eta,
    )  # fmt: skip
    yield row(
        bound="ceiling of alpha for n to infinity", location="Remark 3.2", setting=text, value=limits.alpha,
        measured=used.alpha,
    )  # fmt: skip
    plain, why = 2 / at.problem.theta_norm**2, "gradient descent at the true Theta"
    yield row(
        bound="ceiling of alpha at the true Theta", location="Remark 3.2", setting=text, value=plain,
        measured=used.alpha, note=why,
    )  # fmt: skip


def _sample_size(at: Case) -> Iterator[Bound]:
    squares = error_bounds.minimum_sample_size(at.problem, math.inf, math.inf)
    yield row(
        bound="n of Lemmas D.6 to D.8", location="(6)", setting=at.shape, value=squares, measured=at.problem.n,
        direction="at least", note=ORDER,
    )  # fmt: skip


def _best_steps(evidence: Evidence) -> Iterator[Bound]:
    """Yields what the strict inequality of (3) excludes, and what it admits."""
    at = case(evidence, cases.FIGURE_7, place="Figure 7(a)")
    ceilings = prescriptions.step_size_ceilings(at.nominal)
    held = prescriptions.contraction(at.nominal, prescriptions.StepSizes(at.steps.eta, ceilings.alpha)).beta
    yield row(
        bound="kappa_beta of a step that is held", location="(3)", setting=at.shape, value=1.0 - STRICT, measured=held,
        note="Figure 7(a) holds alpha at its ceiling, which (3) excludes by a strict inequality",
    )  # fmt: skip
    yield row(
        bound="base of the logarithm in the limit of t0", location="below (25)", setting=at.shape, value=STRICT,
        measured=1.0 - ceilings.eta, direction="at least",
        note="measured is 1 - eta at the largest eta of (3); the logarithm needs a positive base",
    )  # fmt: skip


def _privacy(at: Case) -> Iterator[Bound]:
    n, text = at.problem.n, at.text
    spent = error_bounds.proposition_3_1_budget(at.gamma, at.gamma, at.lambda_1, at.lambda_2, n, at.T)
    why = "measured is (2T/n^2)(gamma1^2/lambda1^2 + gamma2^2/lambda2^2): half of what is claimed"
    yield row(
        bound="zCDP budget", location="Prop. 3.1", setting=text, value=at.rho1 + at.rho2, measured=spent, note=why,
    )  # fmt: skip


def _noise(at: Case) -> Iterator[Bound]:
    R = error_bounds.noise_complexity(at.problem)
    ceiling = math.sqrt(at.problem.p) * (math.sqrt(at.problem.q) + math.sqrt(at.problem.tau)) ** 3
    yield row(
        bound="R", location="(24)", setting=at.text, value=ceiling, measured=R,
        note=f"measured is R; value its order; {ORDER}",
    )  # fmt: skip


def _limits(at: Case) -> Iterator[Bound]:
    """Yields what (5), (6), (21) and Lemma D.1 allow, beside T and n of the run."""
    text, records = at.text, at.problem.n
    limit = error_bounds.iteration_limit(at.problem, at.rho1)
    yield row(
        bound="T of condition (5)", location="(5)", setting=text, value=limit, measured=at.T,
        note=f"measured is T, slack 0; {ORDER}",
    )  # fmt: skip
    yield row(
        bound="T of condition (21)", location="(21)", setting=text, value=explicit_limit(at), measured=at.T,
        note="measured is T",
    )  # fmt: skip
    needed = error_bounds.minimum_sample_size(at.problem, at.rho1, at.rho2)
    yield row(
        bound="n of condition (6)", location="(6)", setting=text, value=needed, measured=records, direction="at least",
        note=ORDER,
    )  # fmt: skip
    needed = lemmas.no_clipping_sample_size(at.problem, at.rho1, at.rho2, at.T)
    yield row(
        bound="n of Lemma D.1", location="Lemma D.1", setting=text, value=needed, measured=records,
        direction="at least", note=f"(6) leaves out its sqrt T; {ORDER}",
    )  # fmt: skip


def explicit_limit(at: Case) -> float:
    """Largest T of (21) at the constants of the step sizes and of the threshold, ||Theta_hat|| taken as ||Theta||."""
    kappa = prescriptions.contraction(at.nominal, at.steps).theta
    return error_bounds.explicit_iteration_limit(
        at.problem, at.nominal, kappa, at.steps.eta, at.rho1, at.problem.theta_norm, clip_constant=at.clip_constant
    )


def _thresholds(at: Case) -> Iterator[Bound]:
    for name, least in no_clipping_thresholds(at).items():
        why = f"measured is the experiments' threshold; {ORDER}"
        yield row(
            bound=name, location="App. E.1", setting=at.text, value=least, measured=at.gamma, direction="at least",
            note=why,
        )  # fmt: skip


def no_clipping_thresholds(at: Case) -> dict[str, float]:
    """Thresholds from which nothing is clipped, (32) and (35), at hidden constants 1; infinity where there is none."""
    return {
        "threshold (32), stage 1": lemmas.no_clipping_first_stage(at.problem, at.rho1, at.T),
        "threshold (35), stage 2": lemmas.no_clipping_second_stage(at.problem, at.rho2, at.T),
    }


def _clipping_in_figure_8(evidence: Evidence) -> Iterator[Bound]:
    at, table = case(evidence, cases.FIGURE_8), evidence.select("fig08", error_to="beta_hat")
    for stage, (name, threshold) in enumerate(no_clipping_thresholds(at).items(), start=1):
        spared = table[table[f"clip_fraction_stage{stage}"] <= RARELY]["gamma"]
        why = f"measured is the smallest threshold of the figure that clips at most {RARELY:.0%}; {ORDER}"
        measured = None if spared.empty else float(spared.min())
        yield row(bound=name, location="App. E.1", setting=at.text, value=threshold, measured=measured, note=why)


def least_T(evidence: Evidence, artefact: str, **where: Any) -> float | None:
    """T of least mean error among a table's rows; None where there are none."""
    table = evidence.select(artefact, error_to="beta_hat", **where)
    return None if table.empty else pick(table.loc[[table["mean"].idxmin()]], "T")
