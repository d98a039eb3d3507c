"""What Theorem 3.1 of liang2025 asks for and presupposes at the experiments' settings: conditions, rates, costs."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.bounds.cases import Case, case
from dpdescent.papers.liang2025.reading import RARELY
from dpdescent.papers.liang2025.theory import convergence, error_bounds, lemmas, prescriptions
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.judging.bound_rows import ORDER, VACUOUS, pick, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

# Stands for a strict inequality.
STRICT = 1e-9


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every design and size, then of every run; without direction where there is nothing to hold."""
    yield from _conversions(evidence)
    for problem in sizes(evidence):
        for of_size in (_window, _steps, _rates, _burn_in):
            yield from of_size(problem)
    yield from _best_steps(evidence)
    for run in runs(evidence):
        for of_run in (_privacy, _noise, _limits, _thresholds, _regimes, _proof_terms):
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


def _window(at: Case) -> Iterator[Bound]:
    window, text = at.nominal, at.shape
    why = "at the constants of the step sizes"
    yield stated(bound="delta", location="(10)", setting=text, value=window.delta, note=why)
    yield stated(
        bound="psi", location="(10)", setting=text, value=prescriptions.psi(at.problem, at.step_constants), note=why,
    )  # fmt: skip
    empty = "" if window.lower > 0 else f"; {VACUOUS}: psi exceeds sigma_min(Theta) = {at.problem.theta_min:.3g}"
    yield stated(bound="gamma underline", location="(10)", setting=text, value=window.lower, note=why + empty)
    yield stated(bound="gamma bar", location="(10)", setting=text, value=window.upper, note=why)


def _steps(at: Case) -> Iterator[Bound]:
    text, ceilings, used = at.shape, prescriptions.step_size_ceilings(at.nominal), at.steps
    endless = prescriptions.Spectrum(delta=0.0, lower=at.problem.theta_min**2, upper=at.problem.theta_norm**2)
    limits, best = prescriptions.step_size_ceilings(endless), prescriptions.approximately_optimal_step_sizes(at.nominal)
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
    yield stated(bound="approximately optimal eta", location="(8)", setting=text, value=best.eta)
    yield stated(bound="approximately optimal alpha", location="(8)", setting=text, value=best.alpha)


def _rates(at: Case) -> Iterator[Bound]:
    best = prescriptions.approximately_optimal_step_sizes(at.nominal)
    for name, location, steps in (("", "(10)", at.steps), (" at the steps of (8)", "Remark 3.3", best)):
        rates = prescriptions.contraction(at.nominal, steps)
        for stage, rate in (("kappa_Theta", rates.theta), ("kappa_beta", rates.beta)):
            note = "" if rate < 1 else f"{VACUOUS}: no contraction"
            yield stated(bound=f"{stage}{name}", location=location, setting=at.shape, value=rate, note=note)


def _burn_in(at: Case) -> Iterator[Bound]:
    window, text, norm = at.nominal, at.shape, at.problem.theta_norm
    kappa, why = prescriptions.contraction(window, at.steps).theta, "||Theta_hat|| taken as ||Theta||"
    yield stated(
        bound="eps_bar", location="(20)", setting=text, value=convergence.error_radius(window, norm), note=why,
    )  # fmt: skip
    t0 = convergence.burn_in(window, kappa, norm)
    empty = "" if math.isfinite(t0) else f"; {VACUOUS}: no T reaches it"
    yield stated(bound="t0", location="(22)", setting=text, value=t0, note=why + empty)
    limit = convergence.burn_in_limit(at.steps.eta, at.problem.theta_min, norm)
    yield stated(bound="t0 for n to infinity", location="below (25)", setting=text, value=limit, note="before rounding")
    squares = error_bounds.minimum_sample_size(at.problem, math.inf, math.inf)
    yield row(
        bound="n of Lemmas D.6 to D.8", location="(6)", setting=text, value=squares, measured=at.problem.n,
        direction="at least", note=ORDER,
    )  # fmt: skip


def _best_steps(evidence: Evidence) -> Iterator[Bound]:
    """Yields the approximate optimum (8) beside the step of least error in Figure 7, and what (3) excludes."""
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
    for panel, symbol in (("a", "eta"), ("b", "alpha")):
        table = evidence.select("fig07", panel=panel, error_to="beta_hat")
        least = table.loc[table["mean"].idxmin()]
        text = case(evidence, cases.FIGURE_7, place=f"Figure 7({panel})").text
        why = "measured is the step of least mean error on the figure's grid, the other step held"
        yield stated(
            bound=f"approximately optimal {symbol}", location="(8)", setting=text, value=least["approximate_optimum"],
            note=why, measured=least["step"],
        )  # fmt: skip


def _privacy(at: Case) -> Iterator[Bound]:
    n, text, stages = at.problem.n, at.text, (("1", at.lambda_1), ("2", at.lambda_2))
    sensitivity = 2 * at.gamma / n
    yield stated(bound="gamma", location="(4)", setting=text, value=at.gamma)
    yield stated(bound="sensitivity of a clipped mean", location="Prop. 3.1", setting=text, value=sensitivity)
    for stage, noise_sd in stages:
        cost = zcdp.gaussian_rho(sensitivity, noise_sd)
        yield stated(bound=f"lambda{stage}", location="(4)", setting=text, value=noise_sd)
        why = "also its Renyi divergence of order a, over a"
        yield stated(
            bound=f"zCDP cost of one release, stage {stage}", location="App. B", setting=text, value=cost, note=why,
        )  # fmt: skip
    spent = error_bounds.proposition_3_1_budget(at.gamma, at.gamma, at.lambda_1, at.lambda_2, n, at.T)
    why = "measured is (2T/n^2)(gamma1^2/lambda1^2 + gamma2^2/lambda2^2): half of what is claimed"
    yield row(
        bound="zCDP budget", location="Prop. 3.1", setting=text, value=at.rho1 + at.rho2, measured=spent, note=why,
    )  # fmt: skip


def _noise(at: Case) -> Iterator[Bound]:
    text = at.text
    yield stated(
        bound="mu", location="below (18)", setting=text, value=error_bounds.first_stage_noise(at.problem, at.lambda_1),
    )  # fmt: skip
    order = error_bounds.second_stage_noise(at.problem, at.lambda_2)
    yield stated(bound="order of ||nu||", location="above (16)", setting=text, value=order, note=ORDER)
    R = error_bounds.noise_complexity(at.problem)
    ceiling = math.sqrt(at.problem.p) * (math.sqrt(at.problem.q) + math.sqrt(at.problem.tau)) ** 3
    yield row(
        bound="R", location="(24)", setting=text, value=ceiling, measured=R,
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


def _regimes(at: Case) -> Iterator[Bound]:
    """Yields T1, T2, T3; where nothing contracts the first regime never ends."""
    contracts = at.kappa < 1
    # T2 and T3 do not depend on kappa, so that any rate below 1 gives them.
    found = error_bounds.regime_boundaries(at.problem, at.kappa if contracts else 0.5, at.rho1, at.rho2)
    T1 = found.optimisation_ends if contracts else math.inf
    why = "end of the first regime" if contracts else f"{VACUOUS}: no contraction, so that the first regime never ends"
    why = why if T1 > 0 else "no first regime: kappa^(T/2) is below the third term from the start"
    yield stated(bound="T1", location="Remark 3.7", setting=at.text, value=T1, note=f"{why}; {ORDER}")
    why = "end of the plateau" if found.sampling_ends > T1 else "no plateau: T2 is not above T1"
    yield stated(bound="T2", location="Remark 3.7", setting=at.text, value=found.sampling_ends, note=f"{why}; {ORDER}")
    why = "end of the bound" if found.bound_ends > found.sampling_ends else "no third regime: T3 is not above T2"
    yield stated(bound="T3", location="Remark 3.7", setting=at.text, value=found.bound_ends, note=f"{why}; {ORDER}")


def _proof_terms(at: Case) -> Iterator[Bound]:
    rates = prescriptions.contraction(at.nominal, at.steps)
    found = error_bounds.proof_terms(at.problem, rates, at.rho1, at.rho2, at.T)
    terms = {
        "(i) contraction of beta": found.second_stage,
        "(ii) error of Theta": found.first_stage,
        "(iii) noise on beta": found.second_stage_noise,
        "(iv) residual": found.residual,
    }
    for name, value in terms.items():
        yield stated(bound=f"(29) {name}", location="(29)", setting=at.text, value=value, note=ORDER)


def least_T(evidence: Evidence, artefact: str, **where: Any) -> float | None:
    """T of least mean error among a table's rows; None where there are none."""
    table = evidence.select(artefact, error_to="beta_hat", **where)
    return None if table.empty else pick(table.loc[[table["mean"].idxmin()]], "T")
