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
from dpdescent.replication.judging.evidence import Bound, Evidence
from dpdescent.replication.judging.judgement import ORDER, VACUOUS, pick, row, stated


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every design and size, then of every run; without direction where there is nothing to hold."""
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
    """Every design at the ends of its grid in n."""
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
        yield row("epsilon of rho", "footnote 3", setting, zcdp.epsilon(rho, delta), tight, note=note)


def _window(at: Case) -> Iterator[Bound]:
    window, text = at.nominal, at.shape
    why = "at the constants of the step sizes"
    yield stated("delta", "(10)", text, window.delta, why)
    yield stated("psi", "(10)", text, prescriptions.psi(at.problem, at.step_constants), why)
    empty = "" if window.lower > 0 else f"; {VACUOUS}: psi exceeds sigma_min(Theta) = {at.problem.theta_min:.3g}"
    yield stated("gamma underline", "(10)", text, window.lower, why + empty)
    yield stated("gamma bar", "(10)", text, window.upper, why)


def _steps(at: Case) -> Iterator[Bound]:
    text, ceilings, used = at.shape, prescriptions.step_size_ceilings(at.nominal), at.steps
    endless = prescriptions.Spectrum(delta=0.0, lower=at.problem.theta_min**2, upper=at.problem.theta_norm**2)
    limits, best = prescriptions.step_size_ceilings(endless), prescriptions.approximately_optimal_step_sizes(at.nominal)
    half = "measured is the step size of Sec. 4, half of it"
    yield row("ceiling of eta", "(3)", text, ceilings.eta, used.eta, note=half)
    yield row("ceiling of alpha", "(3)", text, ceilings.alpha, used.alpha, note=half)
    yield row("ceiling of eta for n to infinity", "Remark 3.2", text, limits.eta, used.eta)
    yield row("ceiling of alpha for n to infinity", "Remark 3.2", text, limits.alpha, used.alpha)
    plain, why = 2 / at.problem.theta_norm**2, "gradient descent at the true Theta"
    yield row("ceiling of alpha at the true Theta", "Remark 3.2", text, plain, used.alpha, note=why)
    yield stated("approximately optimal eta", "(8)", text, best.eta)
    yield stated("approximately optimal alpha", "(8)", text, best.alpha)


def _rates(at: Case) -> Iterator[Bound]:
    best = prescriptions.approximately_optimal_step_sizes(at.nominal)
    for name, location, steps in (("", "(10)", at.steps), (" at the steps of (8)", "Remark 3.3", best)):
        rates = prescriptions.contraction(at.nominal, steps)
        for stage, rate in (("kappa_Theta", rates.theta), ("kappa_beta", rates.beta)):
            note = "" if rate < 1 else f"{VACUOUS}: no contraction"
            yield stated(f"{stage}{name}", location, at.shape, rate, note)


def _burn_in(at: Case) -> Iterator[Bound]:
    window, text, norm = at.nominal, at.shape, at.problem.theta_norm
    kappa, why = prescriptions.contraction(window, at.steps).theta, "||Theta_hat|| taken as ||Theta||"
    yield stated("eps_bar", "(20)", text, error_bounds.error_radius(window, norm), why)
    t0 = error_bounds.burn_in(window, kappa, norm)
    empty = "" if math.isfinite(t0) else f"; {VACUOUS}: no T reaches it"
    yield stated("t0", "(22)", text, t0, why + empty)
    limit = error_bounds.burn_in_limit(at.steps.eta, at.problem.theta_min, norm)
    yield stated("t0 for n to infinity", "below (25)", text, limit, "before rounding")
    squares = error_bounds.minimum_sample_size(at.problem, math.inf, math.inf)
    yield row("n of Lemmas D.6 to D.8", "(6)", text, squares, at.problem.n, "at least", ORDER)


def _best_steps(evidence: Evidence) -> Iterator[Bound]:
    """The approximate optimum (8) beside the step of least error in Figure 7."""
    for panel, symbol in (("a", "eta"), ("b", "alpha")):
        table = evidence.select("fig07", panel=panel, error_to="beta_hat")
        least = table.loc[table["mean"].idxmin()]
        text = case(evidence, cases.FIGURE_7, place=f"Figure 7({panel})").text
        why = "measured is the step of least mean error on the figure's grid, the other step held"
        yield stated(f"approximately optimal {symbol}", "(8)", text, least["approximate_optimum"], why, least["step"])


def _privacy(at: Case) -> Iterator[Bound]:
    n, text, stages = at.problem.n, at.text, (("1", at.lambda_1), ("2", at.lambda_2))
    sensitivity = 2 * at.gamma / n
    yield stated("gamma", "(4)", text, at.gamma)
    yield stated("sensitivity of a clipped mean", "Prop. 3.1", text, sensitivity)
    for stage, noise_sd in stages:
        cost = zcdp.gaussian_rho(sensitivity, noise_sd)
        yield stated(f"lambda{stage}", "(4)", text, noise_sd)
        why = "also its Renyi divergence of order a, over a"
        yield stated(f"zCDP cost of one release, stage {stage}", "App. B", text, cost, why)
    spent = error_bounds.proposition_3_1_budget(at.gamma, at.gamma, at.lambda_1, at.lambda_2, n, at.T)
    why = "measured is (2T/n^2)(gamma1^2/lambda1^2 + gamma2^2/lambda2^2): half of what is claimed"
    yield row("zCDP budget", "Prop. 3.1", text, at.rho1 + at.rho2, spent, note=why)


def _noise(at: Case) -> Iterator[Bound]:
    text = at.text
    yield stated("mu", "below (18)", text, error_bounds.first_stage_noise(at.problem, at.lambda_1))
    order = error_bounds.second_stage_noise(at.problem, at.lambda_2)
    yield stated("order of ||nu||", "above (16)", text, order, ORDER)
    R = error_bounds.noise_complexity(at.problem)
    ceiling = math.sqrt(at.problem.p) * (math.sqrt(at.problem.q) + math.sqrt(at.problem.tau)) ** 3
    yield row("R", "(24)", text, ceiling, R, note=f"measured is R; value its order; {ORDER}")


def _limits(at: Case) -> Iterator[Bound]:
    """What (5), (6), (21) and Lemma D.1 allow, beside T and n of the run."""
    text, records = at.text, at.problem.n
    limit = error_bounds.iteration_limit(at.problem, at.rho1)
    yield row("T of condition (5)", "(5)", text, limit, at.T, note=f"measured is T, slack 0; {ORDER}")
    yield row("T of condition (21)", "(21)", text, explicit_limit(at), at.T, note="measured is T")
    needed = error_bounds.minimum_sample_size(at.problem, at.rho1, at.rho2)
    yield row("n of condition (6)", "(6)", text, needed, records, "at least", ORDER)
    needed = lemmas.no_clipping_sample_size(at.problem, at.rho1, at.rho2, at.T)
    yield row("n of Lemma D.1", "Lemma D.1", text, needed, records, "at least", f"(6) leaves out its sqrt T; {ORDER}")


def explicit_limit(at: Case) -> float:
    """Largest T of (21) at the constants of the step sizes and of the threshold, ||Theta_hat|| taken as ||Theta||."""
    kappa = prescriptions.contraction(at.nominal, at.steps).theta
    return error_bounds.explicit_iteration_limit(
        at.problem, at.nominal, kappa, at.steps.eta, at.rho1, at.problem.theta_norm, clip_constant=at.clip_constant
    )


def _thresholds(at: Case) -> Iterator[Bound]:
    for name, least in no_clipping_thresholds(at).items():
        why = f"measured is the experiments' threshold; {ORDER}"
        yield row(name, "App. E.1", at.text, least, at.gamma, "at least", why)


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
        yield row(name, "App. E.1", at.text, threshold, measured, note=why)


def _regimes(at: Case) -> Iterator[Bound]:
    """T1, T2, T3; where nothing contracts the first regime never ends."""
    contracts = at.kappa < 1
    # T2 and T3 do not depend on kappa, so that any rate below 1 gives them.
    found = error_bounds.regime_boundaries(at.problem, at.kappa if contracts else 0.5, at.rho1, at.rho2)
    T1 = found.optimisation_ends if contracts else math.inf
    why = "end of the first regime" if contracts else f"{VACUOUS}: no contraction, so that the first regime never ends"
    why = why if T1 > 0 else "no first regime: kappa^(T/2) is below the third term from the start"
    yield stated("T1", "Remark 3.7", at.text, T1, f"{why}; {ORDER}")
    why = "end of the plateau" if found.sampling_ends > T1 else "no plateau: T2 is not above T1"
    yield stated("T2", "Remark 3.7", at.text, found.sampling_ends, f"{why}; {ORDER}")
    why = "end of the bound" if found.bound_ends > found.sampling_ends else "no third regime: T3 is not above T2"
    yield stated("T3", "Remark 3.7", at.text, found.bound_ends, f"{why}; {ORDER}")


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
        yield stated(f"(29) {name}", "(29)", at.text, value, ORDER)


def least_T(evidence: Evidence, artefact: str, **where: Any) -> float | None:
    """T of least mean error among a table's rows; None where there are none."""
    table = evidence.select(artefact, error_to="beta_hat", **where)
    return None if table.empty else pick(table.loc[[table["mean"].idxmin()]], "T")
