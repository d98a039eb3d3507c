"""Conditions and assumptions of Theorem 3.1 at the experiments' settings: steps, rates, T and n, noise."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025 import appendices, cases, formulas, laws, setting
from dpdescent.papers.liang2025.cases import Case
from dpdescent.papers.liang2025.choices import no_clipping_thresholds
from dpdescent.papers.liang2025.criteria import COMPARABLE, claim_on_all_cells
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import ORDER, bound_row
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.records import NOW_ALGEBRA, Place
from dpdescent.replication.judging.statistics import exactly

FORMULAS: Place = {"artefact": "bounds", "location": "Remark 3.3", "kind": "theorem", "source": "paper"}
# Fractions of the ceilings (3), and dimensions p = q with the n of (6) at constant 1.
FRACTIONS, DIMENSIONS = (0.01, 0.1, 0.5, 0.9, 0.99), (1, 2, 5, 10, 20)
FAR = 10**12
# A part of the range of Remark 3.2 that lies beyond it, and the steps of its recursion that are run.
OUTSIDE, STEPS_OF_POPULATION = 1.05, 200
# Relative steps about an optimum: no value there may be lower.
STEPS = (0.5, 0.9, 0.99, 1.01, 1.1, 1.5)
EQUAL = 1e-9
# Stands for a strict inequality.
STRICT = 1e-9


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims that formulas decide by themselves, in the paper's order."""
    yield from _step_sizes(evidence)
    yield _population(evidence)
    yield _weak_first_stage()
    yield _burn_in(evidence)
    yield _noise_complexity()


def _step_sizes(evidence: Evidence) -> Iterator[Claim]:
    tau, constants, factors = evidence.settings["tau"], setting.constants(evidence.spec), {}
    for p, one, other in product(DIMENSIONS, FRACTIONS, FRACTIONS):
        least = math.ceil(p * p * (tau + math.log(p * p)) ** 2)
        window = formulas.spectrum(cases.problem_at(least, p, p, tau), constants)
        ceilings = formulas.step_size_ceilings(window)
        steps = formulas.StepSizes(one * ceilings.eta, other * ceilings.alpha)
        kappa = formulas.contraction(window, steps).overall
        factors[f"p = {p}, eta at {one:g}, alpha at {other:g} of the ceiling"] = exactly(kappa)
    yield claim_on_all_cells(
        id="eq-10-factor", **FORMULAS | {"location": "Theorem 3.1, eq. (10)"},
        statement="the contraction factor lies between 0 and 1 for every pair of step sizes that (3) admits",
        quantity="kappa of (10) at the n of (6), p = q = 1 to 20, at our values of C0 and c0",
        cells=factors, criterion=Criterion("above 0 and below 1", low=5e-324, high=1.0 - 1e-12),
    )  # fmt: skip
    endless = cases.case(evidence, cases.FIGURE_3A, n=FAR)
    far, theta = formulas.step_size_ceilings(endless.nominal), endless.problem
    printed = {"eta": 2.0, "alpha": 4.0 / (2.0 * theta.theta_norm**2 + theta.theta_min**2)}
    yield claim_on_all_cells(
        id="remark-3.2-limits", **FORMULAS | {"location": "Remark 3.2", "source": "identity"},
        statement="(algebra) with infinitely many samples (3) becomes eta < 2 and alpha < 4 / (2 ||Theta||^2 + sigma_min(Theta)^2)",
        quantity="ceilings (3) at n = 1e12 over these limits, at the design of Figure 3(a)",
        cells={"eta": exactly(far.eta / printed["eta"]), "alpha": exactly(far.alpha / printed["alpha"])},
        criterion=within_of(1.0, 1e-3), changed=NOW_ALGEBRA,
    )  # fmt: skip
    near = cases.case(evidence, cases.FIGURE_3A, n=5000).nominal
    best = formulas.approximately_optimal_step_sizes(near)
    least_factors, ratios = formulas.contraction(near, best), {}
    for factor in STEPS:
        moved = formulas.contraction(near, formulas.StepSizes(factor * best.eta, factor * best.alpha))
        ratios[f"kappa_Theta at {factor:g} of eta*"] = exactly(moved.theta / least_factors.theta)
        ratios[f"kappa_beta at {factor:g} of alpha*"] = exactly(moved.beta / least_factors.beta)
    yield claim_on_all_cells(
        id="remark-3.3-steps", **FORMULAS | {"location": "Remark 3.3, eq. (8)", "source": "identity"},
        statement="(algebra) the step sizes (8) minimise the contraction factors (10)",
        quantity="factor at other steps over that at (8), at the design of Figure 3(a), n = 5000",
        cells=ratios, criterion=at_least(1.0 - EQUAL, words="at least 1"), changed=NOW_ALGEBRA,
    )  # fmt: skip
    high, low = (1.0 + near.delta) ** 2, (1.0 - near.delta) ** 2
    distant = formulas.contraction(endless.nominal, formulas.approximately_optimal_step_sizes(endless.nominal)).theta
    yield claim_on_all_cells(
        id="remark-3.3-factors", **FORMULAS,
        statement="at (8) the factors are gbar / (gbar + glow) and (high - low) / (high + low), and the latter tends to 0 as n grows",
        quantity="each factor less the printed one; the first stage's at n = 1e12",
        cells={
            "kappa_beta": exactly(least_factors.beta - near.upper / (near.upper + near.lower)),
            "kappa_Theta": exactly(least_factors.theta - (high - low) / (high + low)),
            "kappa_Theta, n = 1e12": exactly(distant),
        },
        criterion=within_of(0.0, 1e-5, words="within 1e-5 of 0"),
    )  # fmt: skip


def _population(evidence: Evidence) -> Claim:
    """The recursion of Remark 3.2 run at the design of Figure 3(a), from zero."""
    parameters, cells = cases.case(evidence, cases.FIGURE_3A, n=FAR).parameters, {}
    hessian = parameters.Theta.T @ parameters.Theta
    limits = {"eta": 2.0, "alpha": 2.0 / float(np.linalg.norm(parameters.Theta, 2)) ** 2}
    for part in (*FRACTIONS, OUTSIDE):
        # E zz' is the identity, so that E z(z'Theta - x') is the error of Theta itself; the second stage has Theta'Theta.
        errors = {"eta": -parameters.Theta, "alpha": -parameters.beta}
        sizes: dict[str, list[float]] = {"eta": [], "alpha": []}
        for _ in range(STEPS_OF_POPULATION):
            for name, error in errors.items():
                sizes[name].append(float(np.linalg.norm(error)))
                errors[name] = error - part * limits[name] * (error if name == "eta" else hessian @ error)
        for name, norms in sizes.items():
            steps = algebra.step_ratios(norms)
            # Beyond the range the error must grow in the end, so that the inverse of the last ratio has to stay below 1.
            worst = 1.0 / steps[-1].value if part == OUTSIDE else max((step.value for step in steps), default=0.0)
            cells[f"{name} at {part:g} of its limit"] = exactly(worst)
    return claim_on_all_cells(
        id="remark-3.2-population", **FORMULAS | {"location": "Remark 3.2", "source": "identity"},
        statement="(algebra) population descent converges monotonically for 0 < eta < 2 and 0 < alpha < 2 / ||Theta||^2, and not beyond",
        quantity="largest ratio of the error of a step to that before; beyond the range the inverse of the last one",
        cells=cells, criterion=at_most(1.0 - EQUAL, words="below 1"), changed="Added after a review.",
    )  # fmt: skip


def _weak_first_stage() -> Claim:
    """The rate of (10) at ||Theta|| = 1, n to infinity, as the smallest singular value falls."""
    gaps = {}
    for theta_min in (1e-1, 1e-2, 1e-3, 1e-4):
        window = formulas.Spectrum(delta=0.0, lower=theta_min**2, upper=1.0)
        kappa = formulas.contraction(window, formulas.approximately_optimal_step_sizes(window)).overall
        gaps[f"sigma_min = {theta_min:g}"] = exactly((1.0 - kappa) / theta_min**2)
    return claim_on_all_cells(
        id="eq-10-weak", **FORMULAS | {"location": "eq. (10)", "source": "identity"},
        statement="(algebra) as the smallest singular value of Theta tends to 0, kappa tends to 1, and the descent slows down without limit",
        quantity="1 - kappa at the steps (8) over the square of the smallest singular value, ||Theta|| = 1, n to infinity",
        cells=gaps, criterion=Criterion("above 0 and at most 1", low=5e-324, high=1.0), changed="Added after a review.",
    )  # fmt: skip


def _burn_in(evidence: Evidence) -> Claim:
    case, cells = cases.case(evidence, cases.FIGURE_3A, n=FAR), {}
    for eta in (0.1, 0.3, 0.5, 0.9):
        kappa = formulas.contraction(case.nominal, formulas.StepSizes(eta, 1e-3)).theta
        t0 = laws.burn_in(case.nominal, kappa, case.problem.theta_norm)
        cells[f"eta = {eta:g}"] = exactly(t0 - laws.burn_in_limit(eta, case.problem.theta_min, case.problem.theta_norm))
    return claim_on_all_cells(
        id="eq-22-limit", **FORMULAS | {"location": "App. C, below eq. (25)"},
        statement="the burn-in t0(n) of (22) tends to a constant that eta and the singular values of Theta set",
        quantity="t0 at n = 1e12, a whole number, less its limit before rounding, for eta below 1",
        cells=cells, criterion=Criterion("between 0 and 1: the limit rounded up", low=-1e-3, high=1.0 + 1e-3),
        note="for eta above 1, which (3) admits, the printed logarithm to the base 1 - eta has no value",
    )  # fmt: skip


def _noise_complexity() -> Claim:
    cells = {}
    for p, wider, tau in product((1, 10, 1000, 10**6), (1, 10), (0.1, 5.0, 50.0)):
        problem = formulas.IVProblem(
            n=1000, p=p, q=p * wider, tau=tau, theta_min=1.0, theta_norm=1.0, sigma_1=1.0, sigma_2=1.0
        )
        cells[f"p = {p}, q = {problem.q}, tau = {tau:g}"] = exactly(
            laws.noise_complexity(problem) / laws.noise_order(problem)
        )
    return claim_on_all_cells(
        id="eq-24-order", **FORMULAS | {"location": "App. C, eq. (24)"},
        statement="R(tau) is at most of order sqrt(p) (sqrt q + sqrt tau)^3",
        quantity="R over that order, p = 1 to 1e6, q = p and 10 p, tau = 0.1 to 50",
        cells=cells, criterion=at_most(COMPARABLE, ": bounded"),
    )  # fmt: skip


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every design and size, then of every run, then those that are looked up by name."""
    for case in _sizes(evidence):
        yield from _of_size(case)
    yield from _edges(evidence)
    for case in _runs(evidence):
        yield from _of_run(case)


def _sizes(evidence: Evidence) -> Iterator[Case]:
    """Yields every design at the ends of its grid in n."""
    for design in (cases.FIGURE_3A, cases.FIGURE_3B, cases.FIGURE_9):
        grid = _table(evidence, design)["n"]
        for n in sorted({int(grid.min()), int(grid.max())}):
            yield cases.case(evidence, design, n=n)
    yield cases.case(evidence, cases.FIGURE_4, place="Figures 4 and 6")
    yield cases.case(evidence, cases.FIGURE_7, place="Figures 7 and 8")


def _runs(evidence: Evidence) -> Iterator[Case]:
    """The private runs: Figure 3 at the ends of its grid, Figures 4 and 6 at the T of least error for each budget."""
    for design in (cases.FIGURE_3A, cases.FIGURE_3B):
        table = _table(evidence, design, series="DP-2S-GD")
        for _, point in table[table["n"].isin([table["n"].min(), table["n"].max()])].iterrows():
            yield cases.case(evidence, design, n=point["n"], rho1=point["rho1"], rho2=point["rho2"])
    for design, budget in ((cases.FIGURE_4, "rho1"), (cases.FIGURE_6, "rho2")):
        for _, rows in _table(evidence, design).groupby(budget):
            point = rows.loc[rows["mean"].idxmin()]
            yield cases.case(evidence, design, T=point["T"], rho1=point.get("rho1", 0.0), rho2=point["rho2"])
    yield cases.case(evidence, cases.FIGURE_8, place="Figures 7 and 8")


def _table(evidence: Evidence, design: cases.Design, **where: Any) -> pd.DataFrame:
    _, artefact, panel = design
    panels = {} if panel == "all" else {"panel": panel}
    return evidence.select(artefact, error_to="beta_hat", **panels, **where)


def _of_size(case: Case) -> Iterator[Bound]:
    """Yields ceilings of step sizes beside those of Sec. 4, and the n of the lemmas."""
    text, ceilings, used, theta = case.shape, formulas.step_size_ceilings(case.nominal), case.steps, case.problem
    endless = formulas.Spectrum(delta=0.0, lower=theta.theta_min**2, upper=theta.theta_norm**2)
    limits, half = formulas.step_size_ceilings(endless), "measured is the step size of Sec. 4, half of it"
    for name, location, value, measured, note in (
        ("ceiling of eta", "(3)", ceilings.eta, used.eta, half),
        ("ceiling of alpha", "(3)", ceilings.alpha, used.alpha, half),
        ("ceiling of eta for n to infinity", "Remark 3.2", limits.eta, used.eta, ""),
        ("ceiling of alpha for n to infinity", "Remark 3.2", limits.alpha, used.alpha, ""),
        (
            "ceiling of alpha at the true Theta", "Remark 3.2", 2 / theta.theta_norm**2, used.alpha,
            "gradient descent at the true Theta",
        ),
    ):  # fmt: skip
        yield bound_row(bound=name, location=location, setting=text, value=value, measured=measured, note=note)
    needed = laws.minimum_sample_size(theta, math.inf, math.inf)
    yield cases.order_row(
        bound_row(
            bound="n of Lemmas D.6 to D.8", location="(6)", setting=text, value=needed, measured=theta.n, direction="at least",
            note=ORDER,
        )
    )  # fmt: skip


def _edges(evidence: Evidence) -> Iterator[Bound]:
    """Yields a step that the strict inequalities of (3) exclude, and a consequence of those that they admit."""
    figure_7 = cases.case(evidence, cases.FIGURE_7, place="Figure 7(a)")
    ceilings = formulas.step_size_ceilings(figure_7.nominal)
    held = formulas.contraction(figure_7.nominal, formulas.StepSizes(figure_7.steps.eta, ceilings.alpha)).beta
    yield bound_row(
        bound="kappa_beta of a step that is held", location="(3)", setting=figure_7.shape, value=1.0 - STRICT, measured=held,
        note="Figure 7(a) holds alpha at its ceiling, which (3) excludes by a strict inequality",
    )  # fmt: skip
    yield bound_row(
        bound="base of the logarithm in the limit of t0", location="below (25)", setting=figure_7.shape, value=STRICT,
        measured=1.0 - ceilings.eta, direction="at least",
        note="measured is 1 - eta at the largest eta of (3); the logarithm needs a positive base",
    )  # fmt: skip


def _of_run(case: Case) -> Iterator[Bound]:
    """Yields the budget that the noise spends, and T and n by (5), (6), (21) and Lemma D.1."""
    text, problem, n = case.text, case.problem, case.problem.n
    yield bound_row(
        bound="zCDP budget", location="Prop. 3.1", setting=text, value=case.rho1 + case.rho2,
        measured=laws.proposition_3_1_budget(case.gamma, case.gamma, case.lambda_1, case.lambda_2, n, case.T),
        note="measured is (2T/n^2)(gamma1^2/lambda1^2 + gamma2^2/lambda2^2): half of what is claimed",
    )  # fmt: skip
    orders = (
        (
            "T of condition (5)", "(5)", laws.iteration_limit(problem, case.rho1), case.T, False,
            f"measured is T, slack 0; {ORDER}",
        ),
        (
            "n of condition (6)", "(6)", laws.minimum_sample_size(problem, case.rho1, case.rho2), n, True,
            f"measured is n; {ORDER}",
        ),
        (
            "n of Lemma D.1", "Lemma D.1", appendices.no_clipping_sample_size(problem, case.rho1, case.rho2, case.T), n,
            True, f"(6) leaves out its sqrt T; {ORDER}",
        ),
        *(
            (name, "App. E.1", least, case.gamma, True, f"measured is the experiments' threshold; {ORDER}")
            for name, least in no_clipping_thresholds(case).items()
        ),
    )  # fmt: skip
    for bound, location, value, measured, least, note in orders:
        row = bound_row(
            bound=bound, location=location, setting=text, value=value, measured=measured, note=note,
            direction="at least" if least else "at most",
        )  # fmt: skip
        yield cases.order_row(row)
    limit = _explicit_limit(case)
    yield bound_row(
        bound="T of condition (21)", location="(21)", setting=text, value=limit, measured=case.T,
        note=f"measured is T; ||Theta_hat|| taken as ||Theta||{'' if limit >= 1 else '; no T >= 1 is admitted'}",
    )  # fmt: skip


def _explicit_limit(case: Case) -> float:
    """Largest T of (21) at the constants of the step sizes and of the threshold, ||Theta_hat|| taken as ||Theta||."""
    kappa, problem = formulas.contraction(case.nominal, case.steps).theta, case.problem
    return laws.explicit_iteration_limit(
        problem, case.nominal, kappa, case.steps.eta, case.rho1, problem.theta_norm, clip_constant=case.clip_constant
    )
