"""The sampling term sigma^2 d/N of varshney2022's theorems: exponents, constants, and the eps from which it dominates.

All of it is by exact laws, and nothing is random. Each of N, d, sigma and kappa is varied alone, at the parameters that
the theorems print.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pandas as pd
from scipy.optimize import brentq

from dpdescent.algorithms import sgd_moments
from dpdescent.papers.varshney2022 import ambssgd, single_pass_orders, ssgd
from dpdescent.papers.varshney2022.ambssgd import STAT_SHARE, Setting, steps_of_theorem
from dpdescent.papers.varshney2022.criteria import LOGARITHMS, RATE, claim_on_all_cells, extent
from dpdescent.papers.varshney2022.formulas import LinearProblem, published_multiplier, theorem_3_1, theorem_step
from dpdescent.papers.varshney2022.single_pass_orders import problem_of
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.bound_rows import exact_row
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.records import Place

# Budget at which Theorem 3.2's step is taken, within its range at all of these N; the noise itself is left out.
EPS, DELTA = 1e-12, 1e-26
# c_1 of T = c_1 kappa log N, which is not given: as in the experiments, and for a start of N^-100.
CONSTANTS = (4.0, 400.0)


@dataclass(frozen=True)
class Law:
    """The exact risk of a method without noise for privacy, with sizes at which the start is forgotten.

    Attributes:
        risk: of a regression.
        at: N, d, sigma and kappa where they are not varied.
        axes: values of each that is varied.
    """

    risk: Callable[[LinearProblem], float]
    at: dict[str, float]
    axes: dict[str, tuple[float, ...]]

    def along(self, axis: str) -> list[tuple[LinearProblem, float]]:
        """The regressions along an axis, each with its risk over sigma^2 d/N."""
        places = [self.at | {axis: value} for value in self.axes[axis]]
        problems = [problem_of(int(at["d"]), at["kappa"], at["sigma"], at["N"]) for at in places]
        return [(problem, self.risk(problem) / sampling_term(problem)) for problem in problems]


def sampling_term(problem: LinearProblem) -> float:
    """Order sigma^2 d/N of all bounds' first term."""
    return problem.sigma**2 * problem.dimension / problem.records


def of_single_pass(problem: LinearProblem) -> float:
    """Exact risk of DP-SSGD at Theorem 3.2's step, with the labels' noise alone."""
    used = ssgd.theorem_parameters(problem, theorem_3_1(EPS, DELTA, problem.records))
    return single_pass_orders.tail_risk(problem, used, noise=False)


def of_mini_batches(problem: LinearProblem, c1: float) -> float:
    """Exact risk of DP-AMBSSGD at Theorem 3.7's T, b and step, with the labels' noise alone."""
    T = math.ceil(steps_of_theorem(problem.records, problem.kappa, c1))
    b = int(problem.records / T * (1.0 - STAT_SHARE))
    eta = theorem_step(problem.lam, b)
    return sgd_moments.tail_risk(problem.lam, -problem.w_star, eta, b, problem.sigma, 0.0, T, T // 2)


SINGLE = {
    "DP-SSGD": Law(
        of_single_pass, {"N": 1e24, "d": 2.0, "sigma": 1.0, "kappa": 1.0},
        {"N": (1e23, 1e24, 1e25), "d": (2.0, 4.0, 8.0, 16.0), "sigma": (0.01, 1.0, 100.0), "kappa": (1.0, 4.0, 16.0)},
    )
}  # fmt: skip
# So many records that a batch has many for each dimension, at c_1 = 400 too.
BATCHES = {
    f"c_1 = {c1:g}": Law(
        functools.partial(of_mini_batches, c1=c1), {"N": 1e9, "d": 10.0, "sigma": 1.0, "kappa": 1.0},
        {"N": (1e8, 1e9, 1e10), "d": (2.0, 20.0, 200.0), "sigma": (0.01, 1.0, 100.0)},
    )
    for c1 in CONSTANTS
}  # fmt: skip

# Claims ----------------------------------------------------------------------------------------------------------------

TERM: Place = {"artefact": "ext_orders", "location": "Thm 3.2, remark (i)", "kind": "theorem", "source": "paper"}
ADDED = "The claim was added after a review."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the exponents of the sampling term, of DP-SSGD and of DP-AMBSSGD, then the eps of equal terms."""
    yield claim_on_all_cells(
        id="theorem-3.2-sampling-term", **TERM,
        statement="DP-SSGD's error due to the noise in observations is of the order sigma^2 d/N, minimax optimal up to a constant, whatever kappa is",
        quantity="log-log slope along N, d, sigma and kappa of the exact risk without noise for privacy, at Theorem 3.2's step, over sigma^2 d/N: the one furthest from 0",
        cells=slopes(SINGLE), criterion=within_of(0.0, RATE), changed=ADDED,
        note=f"N of 10^23 and more, because at fewer records the printed step does not forget its start; the risk is {_constants(SINGLE)} sigma^2 d/N; at the theorem's eps the term of privacy is far larger",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="theorem-3.7-sampling-term", **TERM | {"location": "Thm 3.7, remark (i)"},
        statement="DP-AMBSSGD's term without privacy is of the order sigma^2 d/N, which is optimal",
        quantity="log-log slope along N, d and sigma of the exact risk without noise for privacy, at Theorem 3.7's T, b and step, over sigma^2 d/N: the one furthest from 0 over c_1",
        cells=slopes(BATCHES), criterion=within_of(0.0, RATE), changed=ADDED,
        note=f"the risk is {_constants(BATCHES)} sigma^2 d/N; leading-term-log-n and leading-term-kappa are about log N and kappa",
    )  # fmt: skip
    places = {axis: _crossings(axis) for axis in CROSSINGS}
    yield claim_on_all_cells(
        id="free-from-root", **TERM | {"location": "Sec. 1 (after Thm 1.1)", "kind": "text"},
        statement="the eps above which the first term dominates, so that privacy is free, is of the order of sqrt(d/N), log factors hidden",
        quantity=f"log-log slope in d and in N of the eps at which half of the exact risk is from privacy, at Lemma 3.11's largest thresholds and c_1 = {CONSTANTS[0]:g}, over sqrt(d/N): the one furthest from 0",
        cells={f"in {axis}": algebra.least_squares_slope(table, "at") for axis, table in places.items()}, criterion=within_of(0.0, LOGARITHMS), changed=ADDED,
        note=f"that eps is {extent(value for table in places.values() for value in table['mean'])} times sqrt(d/N), which is log^{{2a}} N, sqrt(log N), sqrt(log(1/delta)) and constants; privacy-for-free is about runs",
    )  # fmt: skip


# Sizes along which the eps of equal terms is found.
CROSSINGS = {"d": (10.0, 40.0, 160.0), "N": (1e8, 1e10, 1e12)}
# Where alpha is printed for eps up to log(1/delta).
BUDGET_DELTA, RANGE = 1e-6, (1e-9, 13.0)


def eps_of_equal_terms(d: int, records: float) -> float:
    """The eps at which privacy costs DP-AMBSSGD as much as the labels' noise, by the exact law of Lemma 3.11."""
    problem = problem_of(d, 1.0, 1.0, records)
    silent = Setting.of(problem, steps_of_theorem(records, 1.0, CONSTANTS[0]), 0.0)
    quiet = ambssgd.Law.of(silent).risk

    def excess(log_eps: float) -> float:
        alpha = published_multiplier(math.exp(log_eps), BUDGET_DELTA)
        return math.log(ambssgd.Law.of(replace(silent, alpha=alpha)).risk / (2.0 * quiet))

    return math.exp(brentq(excess, *map(math.log, RANGE), xtol=1e-3))


def _crossings(axis: str) -> pd.DataFrame:
    """The eps of equal terms over sqrt(d/N) along an axis."""
    sizes = [{"d": 10.0, "N": 1e10} | {axis: value} for value in CROSSINGS[axis]]
    ratios = [eps_of_equal_terms(int(at["d"]), at["N"]) / math.sqrt(at["d"] / at["N"]) for at in sizes]
    return pd.DataFrame({"at": CROSSINGS[axis], "mean": ratios, "se": math.nan})


def slopes(laws: dict[str, Law]) -> Places:
    """Log-log slopes of the risk over sigma^2 d/N, by axis and law."""
    places: Places = {}
    for name, law in laws.items():
        for axis, values in law.axes.items():
            ratios = pd.DataFrame({"at": values, "mean": [ratio for _, ratio in law.along(axis)], "se": math.nan})
            places[f"{name}, in {axis}"] = algebra.least_squares_slope(ratios, "at")
    return places


def _constants(laws: dict[str, Law]) -> str:
    return extent(ratio for law in laws.values() for axis in law.axes for _, ratio in law.along(axis))


# Bounds ----------------------------------------------------------------------------------------------------------------


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the constants of the sampling terms, 2 and 8, along d and sigma."""
    for laws, constant, location in ((SINGLE, 2.0, "(6)"), (BATCHES, 8.0, "Thm 1.1, Thm 3.7")):
        for name, law in laws.items():
            for problem, ratio in law.along("d"):
                text = f"{name}: N={problem.records:g}, d={problem.dimension}"
                value = constant * sampling_term(problem)
                why = "measured is the exact risk without noise for privacy and clipping, at the theorem's step"
                yield exact_row("sampling term", location, text, value, ratio * sampling_term(problem), why)
