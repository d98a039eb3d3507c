"""DP-SSGD by varshney2022: its parameters and its bounds with every constant that the paper gives, beside exact laws.

Sec. 3.1 and App. A. Noise of sd 2 alpha zeta is on every gradient. Lemma 3.5 excludes clipping, so that it is evaluated
beside the exact law without clipping, and beside runs that clip nothing.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpdescent.algorithms.sgd_moments import second_moments, tail_risk
from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.papers.varshney2022 import batches, formulas
from dpdescent.papers.varshney2022.arms import UNCLIPPED
from dpdescent.papers.varshney2022.criteria import problem_at, rows, vacuous
from dpdescent.papers.varshney2022.formulas import LinearProblem, Parameters, smallest_records, theorem_3_1
from dpdescent.papers.varshney2022.setting import SSGD
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import (
    exact_row,
    mean_equality_row,
    place_text,
    rounded_equality_row,
    simulated_row,
)
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

# c1 and c2 of Theorem 3.2's step size (varshney2022 eq. 30).
C1 = 1.0 / (64.0 * 210.0)
C2 = 1.0 / (4.0 * 1050.0)
# Rules of the step in the artefact on DP-SSGD; its panel without privacy, and the method's name in that panel.
COROLLARY, THEOREM, PRACTICAL = "Corollary 3.3", "Theorem 3.2", "practical"
NO_PRIVACY, SGD = "no privacy", "SGD"

# Parameters ------------------------------------------------------------------------------------------------------------


def theorem_parameters(problem: LinearProblem, alpha: float, c1: float = C1, c2: float = C2) -> Parameters:
    """Step and threshold of Theorem 3.2 (varshney2022 eq. 30, 31).

    `zeta = 4 K2 R_x log^{2a} N (sqrt|H| |w*| + sqrt(kappa) sigma)`, and eta the least of `1/(2 R_x^2)`,
    `c1 / (log^{4a+2} N K2^2 R_x^2 kappa d alpha^2)` and `c2 / (log^{2a+2} N R_x^2)`.
    """
    require_positive(alpha=alpha, c1=c1, c2=c2)
    R2, a = problem.bound_squared, problem.a
    signal = math.sqrt(problem.largest * problem.euclidean_norm_squared) + math.sqrt(problem.kappa) * problem.sigma
    zeta = 4.0 * problem.k2 * math.sqrt(R2) * problem.log_power(2.0 * a) * signal
    private = c1 / (problem.log_power(4.0 * a + 2.0) * problem.k2**2 * R2 * problem.kappa)
    private /= problem.dimension * alpha**2
    return Parameters(min(0.5 / R2, private, c2 / (problem.log_power(2.0 * a + 2.0) * R2)), zeta, alpha)


def corollary_parameters(problem: LinearProblem, eps: float, delta: float) -> Parameters:
    """Parameters printed for x ~ N(0, I): `eta = 1/(4d)`, `zeta = sqrt(d (|w*|^2 + sigma^2)) log N` (Cor. 3.3).

    The step lacks Theorem 3.2's factor 1/(d alpha^2), and alpha has the constant 1.
    """
    require_identity(problem)
    d = problem.dimension
    zeta = math.sqrt(d * (problem.euclidean_norm_squared + problem.sigma**2)) * problem.log_power(1.0)
    return Parameters(0.25 / d, zeta, theorem_3_1(eps, delta, problem.records))


def practical_parameters(problem: LinearProblem, alpha: float, factor: float = 3.0) -> Parameters:
    """Parameters of ours: a multiple of a gradient's size for zeta, and the largest step that keeps iterates near w*.

    `zeta = factor sqrt(Tr H (|w*|_H^2 + sigma^2))` and
    `eta = min(1/(2 R_x^2), (|w*|_H^2 + sigma^2) / (2 d alpha^2 zeta^2))`: the noise's stationary E |w_t - w*|_H^2,
    about `2 eta d alpha^2 zeta^2`, is then at most |w*|_H^2 + sigma^2, and gradients keep the size on which zeta rests.
    """
    require_positive(alpha=alpha)
    zeta, scale_squared = formulas.practical_threshold(problem, factor), problem.w_norm_squared + problem.sigma**2
    private = scale_squared / (2.0 * problem.dimension * alpha**2 * zeta**2)
    return Parameters(min(0.5 / problem.bound_squared, private), zeta, alpha)


# Bounds ----------------------------------------------------------------------------------------------------------------


def bias(problem: LinearProblem, eta: float) -> float:
    """Remaining risk of the start: `R_x^2 / 2 e^{-eta mu (N/2 + 1)} |w*|^2` (varshney2022 eq. 36)."""
    require_positive(eta=eta)
    decay = math.exp(-eta * problem.mu * (problem.records / 2.0 + 1.0))
    return 0.5 * problem.bound_squared * decay * problem.euclidean_norm_squared


def variance(problem: LinearProblem, parameters: Parameters) -> float:
    """Variance of the tail average: `(Tr(H^-1 M) + eta R_x^2 / (1 - eta R_x^2) d |M|_H) / N` (varshney2022 eq. 39).

    `M = sigma^2 H + 4 zeta^2 alpha^2 I`; |M|_H is the norm of H^-1/2 M H^-1/2.
    """
    spread = _spread(problem, parameters.eta) * problem.dimension * _m_norm(problem, parameters)
    return (trace_ratio(problem, parameters) + spread) / problem.records


def lemma_3_5(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound on the mean risk of DP-SSGD where nothing is clipped (varshney2022 Lemma 3.5)."""
    if not parameters.eta <= 0.5 / problem.bound_squared * (1.0 + 1e-12):
        raise ValueError(f"eta={parameters.eta} must be at most 1 / (2 R_x^2) = {0.5 / problem.bound_squared:.6g}")
    return bias(problem, parameters.eta) + variance(problem, parameters)


def equation_5(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound of Lemma 3.5 with e^{-eta mu N / 2} in the bias, which is a little larger (varshney2022 eq. 5)."""
    step_back = math.exp(parameters.eta * problem.mu)
    return bias(problem, parameters.eta) * step_back + variance(problem, parameters)


def equation_6(problem: LinearProblem, eps: float, delta: float, c: float = 1.0) -> float:
    """Eq. (5) at Theorem 3.2's parameters, alpha with the constant 1 (varshney2022 eq. 6).

    The factor 128 leaves out the third term of (5), which may double it, and the first term a kappa.
    """
    require_positive(eps=eps, c=c)
    R2, N, a, d = problem.bound_squared, problem.records, problem.a, problem.dimension
    logs = math.log(N / delta) ** 2
    rate = problem.mu * c * eps**2 * N / (2.0 * R2 * problem.k2**2 * problem.kappa * d * logs)
    start = math.exp(-rate / problem.log_power(4.0 * a + 2.0) * N) * d / 2.0 * problem.w_norm_squared
    noise = 128.0 * d * R2 * problem.k2**2 * problem.kappa * problem.log_power(4.0 * a) * logs
    noise *= (problem.w_norm_squared + problem.sigma**2) / (problem.mu * eps**2 * N**2)
    return start + 2.0 * problem.sigma**2 * d / N + noise


def theorem_3_2(problem: LinearProblem, eps: float, delta: float, constant: float = 1.0) -> float:
    """Order of the risk: `sigma^2 d/N + d^2 log^2(N/delta) / (eps N)^2 K2^2 kappa^2 (|w*|_H^2 + sigma^2)` (Thm 3.2).

    varshney2022 Theorem 3.2 hides a constant and logarithms, for which `constant` stands.
    """
    require_positive(eps=eps, constant=constant)
    require_probability(delta=delta)
    N, d = problem.records, problem.dimension
    private = (d * math.log(N / delta) * problem.k2 * problem.kappa / (eps * N)) ** 2
    return constant * (problem.sigma**2 * d / N + private * (problem.w_norm_squared + problem.sigma**2))


def trace_ratio(problem: LinearProblem, parameters: Parameters) -> float:
    """Trace Tr(H^-1 M) = sigma^2 d + 4 zeta^2 alpha^2 Tr H^-1."""
    return problem.sigma**2 * problem.dimension + parameters.noise_variance * problem.trace_inverse


def product_bound(problem: LinearProblem, eta: float, steps: float, beta: float) -> float:
    """Bound `e^{-eta mu (T-j)} / beta` that |B_{T-1} ... B_j z|^2 / |z|^2 exceeds with probability beta at most.

    varshney2022 Lemma A.6, for B = I - eta x x' and eta < 1 / R_x^2; steps is T - j.
    """
    _spread(problem, eta)
    require_non_negative(steps=steps)
    require_probability(beta=beta)
    return math.exp(-eta * problem.mu * steps) / beta


def trace_stationary(problem: LinearProblem, parameters: Parameters) -> float:
    """Bound on Tr C_inf: `eta^2 R_x^2 / (1 - eta R_x^2) d |M|_H / 2 + eta Tr(H^-1 M) / 2` (varshney2022 Lemma A.8).

    The lemma is for plain SGD, M = Sigma; its use in (39) puts M = Sigma + 4 zeta^2 alpha^2 I.
    """
    eta = parameters.eta
    spread = _spread(problem, eta) * problem.dimension * _m_norm(problem, parameters)
    return 0.5 * eta * (spread + trace_ratio(problem, parameters))


def stationary_risk(problem: LinearProblem, parameters: Parameters, iterates: float) -> float:
    """Bound on the risk of the mean of `iterates` = T - t + 1 iterates from w_0 = w* (varshney2022 Lemma A.8)."""
    require_positive(iterates=iterates)
    return trace_stationary(problem, parameters) / (parameters.eta * iterates)


def smallest_records_for_start(problem: LinearProblem, alpha: Callable[[float], float]) -> float:
    """Least N at which Theorem 3.2's step leaves 1/N of the squared start at most: `eta mu N / 2 >= log N` (eq. 5)."""

    def holds(records: float) -> bool:
        eta = theorem_parameters(replace(problem, records=records), alpha(records)).eta
        return eta * problem.mu * records / 2.0 >= math.log(records)

    return smallest_records(holds)


def _spread(problem: LinearProblem, eta: float) -> float:
    """Factor eta R_x^2 / (1 - eta R_x^2)."""
    product = eta * problem.bound_squared
    if not 0.0 < product < 1.0:
        raise ValueError(f"eta={eta} must lie between 0 and 1 / R_x^2 = {1.0 / problem.bound_squared:.6g}")
    return product / (1.0 - product)


def _m_norm(problem: LinearProblem, parameters: Parameters) -> float:
    """Norm |M|_H = sigma^2 + 4 zeta^2 alpha^2 / mu."""
    return problem.sigma**2 + parameters.noise_variance / problem.mu


def require_identity(problem: LinearProblem) -> None:
    if not (problem.lam == 1.0).all():
        raise ValueError(f"lam from {problem.mu} to {problem.largest} must be 1: the corollary is for x ~ N(0, I)")


# Bounds beside exact laws and runs -------------------------------------------------------------------------------------

KEYS = ("panel", "N", "d", "sigma", "eps", "delta", "zeta_factor", "step")
# Failure probability of Lemma A.6 and its numbers of steps, a thousand at most, because more cost time.
FAILURE, PRODUCTS = 0.05, (10, 1000)
# Steps as shares of 1 / R_x^2, below which the lemmas want eta.
SHARES = (0.5, 0.01)


@dataclass(frozen=True)
class Case:
    """A row of the artefact's table, with the regression and the parameters of its runs.

    Attributes:
        problem: the regression.
        parameters: of the runs.
        row: the row.
        text: the setting in words.
    """

    problem: LinearProblem
    parameters: Parameters
    row: "pd.Series[float]"
    text: str

    @property
    def small(self) -> bool:
        """Whether the step meets the condition of Lemma 3.5, eta <= 1 / (2 R_x^2)."""
        return self.parameters.eta <= 0.5 / self.problem.bound_squared * (1.0 + 1e-12)

    @property
    def unclipped(self) -> bool:
        """Whether no gradient was clipped in any trial."""
        return bool(self.row["clip_fraction"] == 0.0)

    def law(self, *, start: bool = True, noise: bool = True) -> float:
        """Exact risk without clipping: without the start's part, or without the noise's, where these are False."""
        problem, used = self.problem, self.parameters
        first = -problem.w_star if start else np.zeros_like(problem.w_star)
        sigma, variance = (problem.sigma, used.noise_variance) if noise else (0.0, 0.0)
        N = int(problem.records)
        with np.errstate(all="ignore"):
            return tail_risk(problem.lam, first, used.eta, 1, sigma, variance, N, N // 2)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds at the artefact about DP-SSGD, at runs without clipping, then the lemmas of the proof."""
    seen: set[tuple[float, ...]] = set()
    settings = list(cases(evidence))
    for case in settings:
        problem, eta = case.problem, case.parameters.eta
        # Once for each step, because the noise does not matter to the start.
        if (key := (problem.dimension, problem.records, eta)) not in seen:
            seen.add(key)
            text = f"DP-SSGD: N={problem.records:g}, d={problem.dimension}, eta={eta:.6g}"
            value = bias(problem, eta)
            why = joined("measured is the exact risk without any noise", vacuous(problem, value))
            yield exact_row("risk of the start", "(36)", text, value, case.law(noise=False), why, met=case.small)
        yield from _lemma(case)
        if case.row["panel"] != NO_PRIVACY:
            yield from _printed(case)
            yield from _run(case)
    for run in algebra.rows_of(rows(evidence, "bound_vs_run", series="risk", algorithm=SSGD, kind=UNCLIPPED)):
        text = place_text("bound_vs_run, DP-SSGD", run, "kind", "N", "d", "sigma", "eps", "delta")
        why = "measured is the mean risk; nothing is clipped"
        if math.isfinite(run["bound"]):
            shown = joined(why, vacuous(problem_at(evidence, "bound_vs_run", run), run["bound"]))
            yield simulated_row("risk, runs", "Lemma 3.5", text, run["bound"], run, shown)
        if math.isfinite(run["expected"]):
            yield mean_equality_row("exact law, runs", "App. A (ours)", text, run["expected"], run, why)
    yield from _proof(settings)


def cases(evidence: Evidence) -> Iterator[Case]:
    """Yields the rows of the artefact about DP-SSGD at the ends of each panel's epsilons."""
    table = rows(evidence, "ssgd")
    ends = table.groupby("panel")["eps"].transform("min"), table.groupby("panel")["eps"].transform("max")
    taken = table["eps"].isna() | (table["eps"] == ends[0]) | (table["eps"] == ends[1]) | (table["step"] == COROLLARY)
    for row in algebra.rows_of(table[taken & table["series"].isin([SSGD, SGD])]):
        problem = problem_at(evidence, "ssgd", row)
        yield Case(problem, _parameters_at(problem, row), row, place_text("DP-SSGD", row, *KEYS))


def _parameters_at(problem: LinearProblem, row: pd.Series) -> Parameters:
    """The parameters of a row's runs; the threshold, which has no column, is that of the rule of its step."""
    eta, alpha = float(row["eta"]), float(row["alpha"])
    if row["step"] == COROLLARY:
        zeta = corollary_parameters(problem, float(row["eps"]), float(row["delta"])).zeta
    elif row["step"] == THEOREM:
        zeta = theorem_parameters(problem, alpha).zeta
    elif row["panel"] == NO_PRIVACY:
        return Parameters(eta, 1.0, 0.0)
    else:
        zeta = practical_parameters(problem, alpha, float(row["zeta_factor"])).zeta
    return Parameters(eta, zeta, alpha)


def _printed(case: Case) -> Iterator[Bound]:
    """Evaluates Theorem 3.2's parameters where they are used."""
    used, text = case.parameters, case.text
    if case.row["step"] == THEOREM:
        eta = theorem_parameters(case.problem, used.alpha).eta
        yield rounded_equality_row(
            "eta of Theorem 3.2", "Thm 3.2, (30)", text, eta, used.eta, "measured is what was run"
        )


def _lemma(case: Case) -> Iterator[Bound]:
    """Evaluates Lemma 3.5 and its parts beside the exact law without clipping, which meets all of their conditions."""
    problem, used = case.problem, case.parameters
    if not case.small:
        return
    why = "measured is the exact risk without clipping"
    value, law = lemma_3_5(problem, used), case.law()
    yield exact_row("risk, exact law", "Lemma 3.5", case.text, value, law, joined(why, vacuous(problem, value)))
    if case.row["step"] in (THEOREM, COROLLARY, PRACTICAL):
        value = equation_5(problem, used)
        yield exact_row("risk, e^(-eta mu N/2)", "(5)", case.text, value, law, joined(why, vacuous(problem, value)))
    value = variance(problem, used)
    why = joined("measured is the exact risk from w_0 = w*, without clipping", vacuous(problem, value))
    yield exact_row("risk of the noise", "(39)", case.text, value, case.law(start=False), why)


def _run(case: Case) -> Iterator[Bound]:
    """Evaluates the mean risk beside Lemma 3.5 and the exact law: open where something is clipped."""
    problem, row = case.problem, case.row
    why = joined("measured is the mean risk", f"{row['clip_fraction']:.3g} of the gradients are clipped")
    if case.small:
        value = lemma_3_5(problem, case.parameters)
        shown = joined(why, vacuous(problem, value))
        yield simulated_row("risk, runs", "Lemma 3.5", case.text, value, row, shown, met=case.unclipped)
    if math.isfinite(row["expected"]):
        yield mean_equality_row(
            "exact law, runs", "App. A (ours)", case.text, row["expected"], row, why, met=case.unclipped
        )


def _proof(settings: list[Case]) -> Iterator[Bound]:
    """Evaluates Lemmas A.6 and A.8 at every regression of the artefact, then Lemma A.8 at the noise of the runs."""
    seen: set[tuple[float, ...]] = set()
    for case in settings:
        problem = case.problem
        for key, bounds in (
            ((float(problem.dimension),), _products),
            ((problem.dimension, problem.records, problem.sigma), _plain),
        ):
            if key not in seen:
                seen.add(key)
                yield from (bound for share in SHARES for bound in bounds(problem, share))
    for case in settings:
        if case.row["panel"] != NO_PRIVACY and case.row["step"] in (THEOREM, PRACTICAL) and case.small:
            yield _stationary(case.problem, case.parameters, case.text, "Sigma + 4 zeta^2 alpha^2 I, as in (39)")


def _products(problem: LinearProblem, share: float) -> Iterator[Bound]:
    """Evaluates the bound on products of steps, which neither N nor the noise changes."""
    eta = share / problem.bound_squared
    text = f"d={problem.dimension}, eta={share:g}/R_x^2"
    moments = second_moments(problem.lam, problem.w_star, eta, 1, 0.0, 0.0, max(PRODUCTS)).sum(axis=1)
    for steps in PRODUCTS:
        value = product_bound(problem, eta, steps, FAILURE)
        measured = float(moments[steps] / moments[0]) / FAILURE
        why = f"beta={FAILURE:g}; measured is the exact mean over beta, by Markov's inequality"
        yield exact_row(f"|B ... B z|^2 / |z|^2, {steps} steps", "Lemma A.6", text, value, measured, why)


def _plain(problem: LinearProblem, share: float) -> Iterator[Bound]:
    """Evaluates the bounds of plain SGD from w*."""
    eta, N = share / problem.bound_squared, int(problem.records)
    text = f"d={problem.dimension}, N={N}, sigma={problem.sigma:g}, eta={share:g}/R_x^2"
    plain = Parameters(eta, 1.0, 0.0)
    value = stationary_risk(problem, plain, N // 2)
    measured = tail_risk(problem.lam, np.zeros_like(problem.w_star), eta, 1, problem.sigma, 0.0, N, N // 2)
    why = "plain SGD from w_0 = w*; measured is the exact risk"
    yield exact_row("risk of the tail from w*", "Lemma A.8", text, value, measured, why)
    yield _stationary(problem, plain, text, "plain SGD")


def _stationary(problem: LinearProblem, used: Parameters, text: str, whose: str) -> Bound:
    """Evaluates the bound on the trace of the stationary covariance."""
    measured = used.eta * float(batches.inverse_of_step(problem, used.eta, 1.0, used.noise_variance).sum())
    why = f"{whose}; measured is exact"
    return exact_row("Tr C_inf", "Lemma A.8", text, trace_stationary(problem, used), measured, why)
