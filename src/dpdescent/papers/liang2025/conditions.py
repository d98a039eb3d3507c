"""What conditions (5) and (21) say of T, beside each other and beside the figures; and the switches of Remark 3.7.

Remark 3.6 says that (7) fails beyond (5), and Figure 3(b) lies there. The exponents of the cut-off are in `phases`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025 import appendices, cases, formulas, laws, setting
from dpdescent.papers.liang2025.criteria import (
    RATE,
    SIGNIFICANT,
    THEOREM,
    claim_on_all_cells,
    judged_claim,
    panel_rows,
)
from dpdescent.papers.liang2025.formulas import IVProblem
from dpdescent.papers.liang2025.sample_size import FIGURE_3B
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, median_of, ratio_of_estimates

PROOF: Place = {"artefact": "bounds", "location": "App. C, eq. (21) to (23)", "kind": "theorem", "source": "paper"}
ADDED = "The claim was added after a review."
# The budget of Figure 4(a) and of the panels on the cut-off, for which the remark speaks of a small one.
SMALL = 0.1
# The slack in the exponent of (5), "a small constant"; and where it is put to the test: a base case and its multiples.
SLACK, BASE = 0.1, {"n": 1e12, "p": 10.0, "q": 100.0, "tau": 100.0, "rho1": 1.0}
FACTORS = {"n": 1e6, "p": 10.0, "q": 100.0, "tau": 100.0, "rho1": 100.0}
# The same for the least n of Lemma D.1; rho falls.
ENOUGH = {"q": 50.0, "tau": 50.0, "T": 100.0, "rho": 1.0}
ENOUGH_FACTORS = {"q": 40.0, "tau": 40.0, "T": 1e4, "rho": 1e-4}
# Far sizes between which an exponent of a logarithm is computed.
HUGE = (10**4, 10**8, 10**16, 10**32, 10**64)
EQUAL = 1e-9
# Digits after which a quotient is rounding, which depends on the processor.
DIGITS = 12


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on (5), on the logarithm that it leaves out, and on the switches between the terms of (7)."""
    yield _beyond(evidence)
    yield _violated(evidence)
    yield _behind(evidence)
    yield _enough(evidence)
    yield _logarithm(evidence)
    yield _switches()


def _beyond(evidence: Evidence) -> Claim:
    """The claim at two readings of what is run: the descent of the proof, which does not clip, and Algorithm 1."""
    criterion = at_least(SIGNIFICANT, ": (7) needs another constant there")
    panels: algebra.Places = {
        f"{panel}, {axis} = {value:g}": _growth(evidence, rows)
        for panel, axis in (("cut-off n", "n"), ("cut-off p", "p"), ("cut-off q", "q"))
        for value, rows in panel_rows(evidence, panel, "error to beta_hat").groupby(axis)
    }
    clipped = _growth(evidence, evidence.select("fig04", panel="a", rho1=SMALL, error_to="beta_hat"))
    shared = records.agreement({
        "the descent without clipping": criterion.verdict_on_all(panels.values()), "Algorithm 1": criterion.verdict(clipped)
    })  # fmt: skip
    least = min(panels.values(), key=lambda estimate: estimate.value, default=NOTHING)
    return judged_claim(
        id="remark-3.6-beyond", **THEOREM | {"location": "Remark 3.6"},
        statement="with a small rho1 bound (7) fails at a T beyond (5)",
        quantity="median error over (7) at the largest T, over the largest such quotient at a T that (5) allows, rho1 = 0.1, hidden constants 1: without clipping, the least over n, p and q",
        measured=least, criterion=f"{criterion.words}; for Algorithm 1 at n = 1000, p = q = 5, too", verdict=shared.verdict, why=shared.why,
        changed=ADDED,
        note=f"{algebra.places_text(panels)}; {clipped.value:.3g} for Algorithm 1 in Figure 4(a), whose clipping keeps the error near that of the start, while (7) grows as sqrt(T); {shared.told}",
    )  # fmt: skip


def _growth(evidence: Evidence, rows: pd.DataFrame) -> Estimate:
    """The quotient of error and (7) at the last T, over the largest at a T that (5) allows at constant 1."""
    quotients = []
    for row in algebra.rows_of(rows.sort_values("T")):
        problem, bound = _bound(evidence, row)
        quotients.append((row["T"] <= laws.iteration_limit(problem, SMALL), row, bound))
    within = [(row, bound) for inside, row, bound in quotients if inside]
    if not within or len(within) == len(quotients):
        return NOTHING
    first, least = max(within, key=lambda each: each[0]["median"] / each[1])
    last, bound = quotients[-1][1:]
    ratio = ratio_of_estimates(median_of(last), median_of(first))
    return Estimate(*(end * least / bound for end in (ratio.value, ratio.low, ratio.high)))


def _bound(evidence: Evidence, row: "pd.Series[float]") -> tuple[IVProblem, float]:
    """The problem of a row, and (7) with a first term of 1, its largest, so that a small kappa makes no failure."""
    tau = evidence.settings["tau"]
    p, q, n = (int(row.get(name, default)) for name, default in (("p", 5), ("q", 5), ("n", 1000)))
    problem = cases.problem_at(n, p, q, tau)
    return problem, laws.bound_terms(problem, 1.0, SMALL, float(row["rho2"]), float(row["T"])).total


def _violated(evidence: Evidence) -> Claim:
    """Both panels of Figure 3 at one constant of (5), which is hidden: one that admits (a) must exclude (b)."""
    admitted, excluded = (
        _limits(evidence, panel, design, extreme)
        for panel, design, extreme in (("a", cases.FIGURE_3A, min), ("b", cases.FIGURE_3B, max))
    )
    equal_n = [exactly(limit / admitted[n]) for n, limit in excluded.items() if n in admitted]
    whole = exactly(max(excluded.values()) / min(admitted.values())) if excluded and admitted else NOTHING
    criterion = at_most(1.0 - EQUAL, words="below 1")
    shared = records.agreement({
        "each n by itself": criterion.verdict_on_all(equal_n), "the whole grid of n, which is ours": criterion.verdict(whole)
    })  # fmt: skip
    largest = max((estimate.value for estimate in equal_n), default=math.nan)
    return judged_claim(
        id="fig03b-violates", **FIGURE_3B | {"location": "Sec. 4.1, Figure 3"},
        statement="T = 20 violates condition (5) at p = q = 50 and not at p = q = 5",
        quantity="largest T that (5) allows in (b) over the least that it allows in (a), over budgets and n, whatever the hidden constant: below 1 one constant admits (a) and excludes (b)",
        measured=whole, criterion=criterion.words, verdict=shared.verdict, why=shared.why, changed=ADDED,
        note=f"{largest:.2g} at equal n; n of the figure is not stated, and one constant serves if it varies by a factor of less than {math.sqrt(1.0 / largest):.2g}; {shared.told}",
    )  # fmt: skip


def _limits(
    evidence: Evidence, panel: str, design: cases.Design, extreme: Callable[[list[float]], float]
) -> dict[int, float]:
    """The least or the largest T that (5) allows a panel of Figure 3, over its budgets, by n."""
    rows = evidence.select("fig03", panel=panel, series="DP-2S-GD", error_to="beta_hat")
    return {
        int(n): extreme([
            laws.iteration_limit(cases.case(evidence, design, n=int(n)).problem, rho1) for rho1 in set(own["rho1"])
        ])
        for n, own in rows.groupby("n")
    }  # fmt: skip


def _behind(evidence: Evidence) -> Claim:
    """Condition (21), which the proof uses, along each axis, where n is so large that eps_bar is level."""
    constants, clip = setting.constants(evidence.spec), evidence.settings["clip_constant"]

    def over(values: dict[str, float]) -> float:
        n, p, q = (int(values[name]) for name in ("n", "p", "q"))
        problem = cases.problem_at(n, p, q, values["tau"])
        window = formulas.spectrum(problem, constants)
        eta = formulas.recommended_step_sizes(window).eta
        # The first stage's rate at a step that does not end in one iteration, whose noise would be level too.
        kappa = formulas.contraction(window, formulas.StepSizes(0.5 * eta, 1e-3)).theta
        explicit = laws.explicit_iteration_limit(
            problem, window, kappa, 0.5 * eta, values["rho1"], problem.theta_norm, clip_constant=clip
        )
        return explicit / laws.iteration_limit(problem, values["rho1"]) * math.pow(n, SLACK)

    base = over(BASE)
    cells = {
        name: exactly(math.log(over({**BASE, name: factor * BASE[name]}) / base) / math.log(factor))
        for name, factor in FACTORS.items()
    }
    return claim_on_all_cells(
        id="condition-5-implies-21", **PROOF,
        statement="a T of the order of (5) meets (21), under which the first stage stays near its limit, for all n, p, q, tau and rho1",
        quantity="exponent of the largest T of (21) over that of (5), at a slack of 0.1 in n^(2 - eps), in each of them, from n = 1e12, p = 10, q = 100, tau = 100 and rho1 = 1 on",
        cells=cells, criterion=at_least(-RATE, ": (5) is no weaker, up to a tenth in the exponent"), changed=ADDED,
        note="without the slack the quotient falls as the square of log(nT); with any it grows with n in the end",
    )  # fmt: skip


def _enough(evidence: Evidence) -> Claim:
    """The n from which (32) and (35) have a solution of the order of their numerators, along each axis, at p = q."""

    def over(values: dict[str, float], stage: str) -> float:
        solve = appendices.no_clipping_first_stage if stage == "(32)" else appendices.no_clipping_second_stage
        q, T, rho = int(values["q"]), values["T"], values["rho"]
        # The sigmas of the design of fixed singular values, which is not made because it takes time in this dimension.
        sigma = math.sqrt(2.0)
        one = IVProblem(n=1, p=q, q=q, tau=values["tau"], theta_min=5.0, theta_norm=5.0, sigma_1=sigma, sigma_2=sigma)

        def within(n: float) -> bool:
            problem = replace(one, n=int(n))
            # With no noise the threshold is the numerator.
            return solve(problem, rho, T) <= 2.0 * solve(problem, math.inf, T)

        low, high = 0.0, 40.0
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if within(math.exp(middle)) else (middle, high)
        return math.exp(high) / appendices.no_clipping_sample_size(one, rho, rho, T)

    cells = {}
    for stage, (name, factor) in product(("(32)", "(35)"), ENOUGH_FACTORS.items()):
        quotient = over({**ENOUGH, name: factor * ENOUGH[name]}, stage) / over(ENOUGH, stage)
        cells[f"{stage}, {name}"] = exactly(math.log(quotient) / abs(math.log(factor)))
    return claim_on_all_cells(
        id="lemma-D.1-n", **PROOF | {"location": "Lemma D.1, App. E.1, below (32) and (35)"},
        statement="n of the order (sqrt q + sqrt tau)^3 sqrt(T / rho) is enough for thresholds (32) and (35) to be of the order of (4)",
        quantity="exponent of the least n at which a threshold is at most twice its numerator over that order, in p = q, tau and T, and in 1/rho, from p = q = 50, tau = 50, T = 100 and rho = 1 on",
        cells=cells, criterion=at_most(RATE, ": no faster than the order, up to a tenth in the exponent"),
        changed=f"{ADDED} For a moment p varied by itself, at q = 100; the order has no p, because p is at most q, so that p = q is the hardest case.",
        note="logarithms of nT, which the proof leaves out by its own words, are in the measured exponents; (6) leaves out the root of T too (finding theorem-3.1-conditions)",
    )  # fmt: skip


def _logarithm(evidence: Evidence) -> Claim:
    """The factor by which threshold (4) exceeds that of R(tau), at the T and the shape of the panel along n."""
    tau, q, T = evidence.settings["tau"], 5, 50

    def dropped(n: int) -> float:
        return formulas.clipping_threshold(1.0, n, q, T, tau) / (math.sqrt(q) + math.sqrt(tau)) ** 2

    factors = {n: dropped(n) for n in HUGE}
    last = math.log(factors[HUGE[-1]] / factors[HUGE[-2]]) / math.log(HUGE[-1] / HUGE[-2])
    return claim_on_all_cells(
        id="app-C-logarithm", **PROOF | {"location": "App. C, footnote 5 and below (24)", "source": "identity"},
        statement="(algebra) the logarithm of nT that (4) has and (7) leaves out grows slower than any positive power of n",
        quantity="exponent in n of the factor by which threshold (4) exceeds that of R(tau), from n = 1e32 to 1e64, p = q = 5, T = 50",
        cells={"n": exactly(last)}, criterion=at_most(RATE), changed=ADDED,
        note=f"the factor itself has no bound: {algebra.values_text(((f'n = {float(n):g}', value) for n, value in factors.items()))}; "
        "footnote 5 announces that such terms are left out, so that constants that do not depend on n are meant up to logarithms",
    )  # fmt: skip


def _switches() -> Claim:
    """The printed T1 and T2 over a grid, with the terms of (7) that should be equal there."""
    cells = {}
    grid = product((1e4, 1e6), (1, 5), (1, 4), (1.0, 10.0), (0.1, 10.0), (0.5, 0.9))
    for n, p, wider, tau, rho, kappa in grid:
        q = p * wider
        level = tau + math.log(p * q)
        T1 = math.log(n / (p * q * level**2)) / math.log(1.0 / kappa)
        T2 = n * rho * q * level**2 / (math.sqrt(q) + math.sqrt(tau)) ** 6
        problem = cases.problem_at(int(n), p, q, tau)
        place = f"n = {n:g}, p = {p}, q = {q}, tau = {tau:g}, rho = {rho:g}, kappa = {kappa:g}"
        if T1 > 0:
            terms = laws.bound_terms(problem, kappa, rho, 2.0 * rho, T1)
            cells[f"T1, {place}"] = exactly(terms.optimisation / terms.sampling)
        terms = laws.bound_terms(problem, kappa, rho, 2.0 * rho, T2)
        cells[f"T2, {place}"] = exactly(terms.privacy / terms.sampling)
    worst = max(cells, key=lambda place: abs(np.log(cells[place].value)))
    return claim_on_all_cells(
        id="remark-3.7-switches", **PROOF | {"location": "Remark 3.7", "source": "identity"},
        statement="(algebra) at the printed T1 the first and third terms of (7) are equal, and at the printed T2 the second and third",
        quantity="quotient of both terms, over n, p, q, tau, budgets and kappa: the farthest from 1",
        cells={"all places": exactly(round(cells[worst].value, DIGITS))}, criterion=within_of(1.0, EQUAL), changed=ADDED, note=f"{len(cells)} places",
    )  # fmt: skip
