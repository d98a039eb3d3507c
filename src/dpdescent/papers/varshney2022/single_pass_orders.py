"""Orders of DP-SSGD, exactly: its start, its term of privacy at Theorem 3.2's parameters, shuffling and its multiplier.

N is 10^17 and more here, and eta below 10^-17. Functions that `orders` shares are here too.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.checks import require_positive, require_probability
from dpdescent.papers.varshney2022 import criteria, formulas, ssgd
from dpdescent.papers.varshney2022.criteria import (
    EQUAL,
    FAR,
    LOGARITHMS,
    RATE,
    claim_on_all_cells,
    extent,
    rows,
)
from dpdescent.papers.varshney2022.formulas import (
    Array,
    EpsilonRanges,
    LinearProblem,
    local_multiplier,
    theorem_3_1,
    true_w,
)
from dpdescent.papers.varshney2022.privacy import theorem_a3
from dpdescent.papers.varshney2022.setting import Design
from dpdescent.privacy import shuffling
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import NOW_ALGEBRA, Place

# Reading, place on the axis, value, claimed value.
Along = Iterator[tuple[str, float, float, float]]

START, SINGLE, SHUFFLING, MULTIPLIER = "least N, Theorem 3.2", "DP-SSGD", "shuffling", "multiplier of DP-SSGD"
# Spectra with a condition number: geometric, and all eigenvalues at |H| but one, because the paper's R_x^2 <= d |H| and
# Tr H <= d |H| lose least there.
GEOMETRIC, ONE_SMALL = "geometric", "all but one at |H|"


def problem_of(d: int, kappa: float, sigma: float, records: float, spectrum: str = GEOMETRIC) -> LinearProblem:
    """Returns the regression of a dimension and spectrum with |w*|_H = 1."""
    if spectrum not in (GEOMETRIC, ONE_SMALL):
        raise ValueError(f"spectrum={spectrum!r} is none of {[GEOMETRIC, ONE_SMALL]}")
    if spectrum == GEOMETRIC:
        design = Design.of(d, kappa, 1.0)
        return LinearProblem(design.lam, design.w_star, sigma, records)
    lam = np.append(np.ones(d - 1), 1.0 / kappa)
    return LinearProblem(lam, true_w(lam, 1.0), sigma, records)


def at_least_eigenvalue(problem: LinearProblem) -> LinearProblem:
    """The regression with w* along the least eigenvector, where |w*|^2 is largest for its |w*|_H: |w*|_H^2 / mu."""
    w_star = np.zeros_like(problem.w_star)
    w_star[np.argmin(problem.lam)] = math.sqrt(problem.w_norm_squared / problem.mu)
    return replace(problem, w_star=w_star)


def abscissa(axis: str, value: float) -> float:
    """Place of a value on its axis: log(1/delta) for delta, because orders are powers of it, else the value itself."""
    return -math.log(value) if axis == "delta" else value


# Runs ------------------------------------------------------------------------------------------------------------------


def _start(arms: dict[str, Any], axis: str, values: list[float]) -> Along:
    """Least N at which Theorem 3.2's step forgets its start, without its logarithms, beside the theorem's condition."""
    for value in values:
        at = arms["start"] | {axis: value}
        problem = problem_of(at["d"], at["kappa"], 1.0, 1e6, ONE_SMALL)
        N = records_of_start(problem, at["delta"], at["eps"])
        claimed = at["kappa"] * at["d"] * -math.log(at["delta"]) / at["eps"]
        yield "eps fixed", abscissa(axis, value), N / math.log(N) ** 2.5, claimed
        if axis in ("kappa", "d"):
            N = records_of_start(problem, at["delta"], None)
            logs = math.log(N) ** 5 * math.log(N / at["delta"]) ** 2
            yield "eps = 1/sqrt(N)", value, N / logs, (at["kappa"] * at["d"]) ** 2


def records_of_start(problem: LinearProblem, delta: float, eps: float | None) -> float:
    """Least N at which Theorem 3.2's step forgets its start, at an eps or at 1/sqrt(N); alpha with the constant 1."""

    def alpha(records: float) -> float:
        return theorem_3_1(records**-0.5 if eps is None else eps, delta, records)

    return ssgd.smallest_records_for_start(problem, alpha)


def _privacy_term(arms: dict[str, Any], axis: str, values: list[float]) -> Along:
    """Cost of privacy for DP-SSGD by the exact law at Theorem 3.2's parameters, divided by log^{4a} N, beside its term.

    alpha is the accounted one; the risk with the alpha of (6), which has the constant 1, is beside (6).
    """
    for value in values:
        at = arms["single"] | {axis: value}
        N, eps, delta = float(at["N"]), at["eps"], at["delta"]
        problem = problem_of(at["d"], at["kappa"], at["sigma"], N, ONE_SMALL)
        used = ssgd.theorem_parameters(problem, shuffling.noise_multiplier(eps, int(N), delta))
        cost = tail_risk(problem, used) - tail_risk(problem, used, noise=False)
        place = math.log(N / delta) if axis == "delta" else value
        claimed = ssgd.theorem_3_2(replace(problem, sigma=0.0), eps, delta) * (1.0 + at["sigma"] ** 2)
        yield "term of privacy", place, cost / problem.log_power(4.0 * problem.a), claimed
        printed = ssgd.theorem_parameters(problem, theorem_3_1(eps, delta, N))
        risk, bound = tail_risk(problem, printed), ssgd.equation_6(problem, eps, delta)
        yield "risk, alpha with constant 1", place, risk, bound
        # With so large a constant that the first term of (6) is 0.
        noise = ssgd.equation_6(problem, eps, delta, 1e300)
        yield "(5) without its start", place, ssgd.variance(problem, printed), noise


def tail_risk(problem: LinearProblem, parameters: formulas.Parameters, *, noise: bool = True) -> float:
    """Risk of the mean of the last N/2 of N iterates where nothing is clipped, with or without noise for privacy.

    The law is that of `algorithms.sgd_moments` with one record for each step: second moments v follow v' = v - eta M v
    + eta^2 f with `M = diag(2 lam - 2 eta lam^2) - eta lam lam'`, f = sigma^2 lam + noise. All sums over steps are
    geometric, and are taken from logarithms of 1 - eta m, because a loop would be too long and powers of a matrix of
    floats too inexact. It is exact where steps forget their start, `eta mu N` above 10 or so; below, differences of
    sums lose digits.
    """
    lam, eta, N = problem.lam, parameters.eta, problem.records
    require_positive(eta=eta)
    half = N // 2.0
    fresh = problem.sigma**2 * lam + (parameters.noise_variance if noise else 0.0)
    step = np.diag(2.0 * lam - 2.0 * eta * lam**2) - eta * np.outer(lam, lam)
    limit = np.asarray(eta * np.linalg.solve(step, fresh), dtype=np.float64)
    rates, vectors = np.linalg.eig(step)
    rates, vectors = rates.real, vectors.real
    # Coordinates by mode: v_t = limit + parts e^{t logs}.
    parts = vectors * np.linalg.solve(vectors, problem.w_star**2 - limit)
    modes, means = np.log1p(-eta * rates), np.log1p(-eta * lam)
    first = N - half + 1.0
    after = 2.0 * (1.0 - eta * lam) / (eta * lam)
    started = np.exp(modes * first)
    plain = limit * half + parts @ (started * _geometric(half, modes))
    crossed = limit * _geometric(half, means)
    # The larger power is taken out of the sum, because the other way round it would overflow.
    gap, larger = modes - means[:, None], np.maximum(modes, means[:, None])
    crossed += (parts * np.exp(modes * first + larger * (half - 1.0)) * _geometric(half, -np.abs(gap))).sum(axis=1)
    return float(lam @ ((1.0 + after) * plain - after * crossed)) / (2.0 * half**2)


def _geometric(count: float, logs: Array) -> Array:
    """Sums 1 + q + ... + q^(count - 1) for values of log q, at most 0."""
    small = np.abs(logs) < 1e-300
    safe = np.where(small, -1.0, logs)
    sums: Array = np.where(small, count, np.expm1(count * safe) / np.expm1(safe))
    return sums


def _shuffling(arms: dict[str, Any], axis: str, values: list[float]) -> Along:
    """Explicit bound for shuffled releases beside Theorem A.3, eq. (8), and the largest eps of Theorem 3.1."""
    for value in values:
        at = arms["shuffled"] | {axis: value}
        N, delta, eps_local = int(at["N"]), at["delta"], at["eps_0"]
        place = abscissa(axis, value)
        yield "Theorem A.3", place, shuffling.amplified(eps_local, N, delta), theorem_a3(eps_local, N, delta)
        local = shuffling.local_delta(0.0, delta, N)
        alpha = local_multiplier(min(eps_local, 0.5), local)
        reached = shuffling.epsilon(alpha, N, delta)
        yield "(8)", place, reached, eps_of_equation_8(alpha, N, delta / 2.0, local)
        if axis != "eps_0":
            largest = shuffling.epsilon(least_multiplier_of_proof(N, delta), N, delta)
            yield "largest eps", place, largest, formulas.EpsilonRanges.of(N, delta).theorem


def least_multiplier_of_proof(records: float, delta: float) -> float:
    """Smallest alpha that the proof of Theorem 3.1 allows: Lemma A.1's at eps_0 = 1/2, whatever eps is aimed at.

    Its delta_0 = c2 delta / (e^eps N) has the constants of `shuffling.local_delta`, and eps = 0.
    """
    require_positive(records=records)
    require_probability(delta=delta)
    return local_multiplier(0.5, shuffling.local_delta(0.0, delta, math.ceil(records)))


def eps_of_equation_8(
    alpha: float, records: float, delta: float, delta_local: float, constant: float = 1.0
) -> float:  # fmt: skip
    """Epsilon `c1 sqrt(2 log(1.25/delta_0) log(1/delta_hat)) / (alpha sqrt(N))` (varshney2022 eq. 8).

    Eq. (9) is eq. (8) at delta_hat = delta/2 and delta_0 = c2 delta / (e^eps N).
    """
    require_positive(alpha=alpha, records=records, constant=constant)
    require_probability(delta=delta, delta_local=delta_local)
    logs = 2.0 * math.log(1.25 / delta_local) * math.log(1.0 / delta)
    return constant * math.sqrt(logs / records) / alpha


def _multiplier(arms: dict[str, Any], axis: str, values: list[float]) -> Along:
    """Multiplier that DP-SSGD needs by the explicit bound, beside Theorem 3.1's with the constant 1."""
    for value in values:
        at = arms["multiplier"] | {axis: value}
        N, eps, delta = int(at["N"]), at["eps"], at["delta"]
        place = math.log(N / delta) if axis == "delta" else value
        yield "explicit bound", place, shuffling.noise_multiplier(eps, N, delta), theorem_3_1(eps, delta, N)


QUANTITIES: dict[str, Callable[[dict[str, Any], str, list[float]], Along]] = {
    START: _start, SINGLE: _privacy_term, SHUFFLING: _shuffling, MULTIPLIER: _multiplier,
}  # fmt: skip

# Claims ----------------------------------------------------------------------------------------------------------------

ORDER: Place = {"artefact": "ext_orders", "location": "Thm 3.2, Cor. 3.3", "kind": "theorem", "source": "paper"}
PLACES = ["axis", "reading"]
# Places of the far orders: sizes of each quantity. DP-SSGD's is inside Theorem 3.2's regime, and as small an N as has
# forgotten its start at these deltas.
FAR_FROM: dict[str, tuple[str, dict[str, float]]] = {
    SINGLE: ("single", {"N": 1e20, "eps": 1e-9}), MULTIPLIER: ("multiplier", {}), SHUFFLING: ("shuffled", {}),
}  # fmt: skip
OF_DELTA = (
    "After a first look at the tables the order was judged, growth by four allowed, not the slope in log(N/delta), because the explicit bound has sqrt(log(1/delta) log(N/delta)), "
    "which is never more, but steeper while N counts. After a third reading it is the slope where N counts little."
)
# Axes along which a term falls, so that too large an exponent there is one that is not negative enough.
FALLING = ("eps",)


def ratios_to_claimed(evidence: Evidence, quantity: str, **where: str) -> pd.DataFrame:
    """Rows of a quantity with the ratio of the exact value to the claimed one for a mean."""
    table = rows(evidence, "ext_orders", quantity=quantity, **where)
    return criteria.in_units(criteria.exact_rows(table, "mean"), lambda frame: floats(frame, "claimed"))


def growth(table: pd.DataFrame) -> Places:
    """Largest ratio along an axis divided by the first, by axis and reading."""
    return algebra.measured_by(table, PLACES, lambda group: algebra.largest_over_first(group.sort_values("at")["mean"]))


def excess(table: pd.DataFrame) -> Places:
    """Exponents less the claimed ones, positive where the value is worse than claimed, by axis and reading."""

    def exponent(group: pd.DataFrame) -> statistics.Estimate:
        slope = algebra.least_squares_slope(group, "at")
        return statistics.negative(slope) if group["axis"].iloc[0] in FALLING else slope

    return algebra.measured_by(table[floats(table, "at") > 0], PLACES, exponent)


def far_out(evidence: Evidence, quantity: str, reading: str) -> Places:
    """Exponents less the claimed ones in log(N/delta), by the same formula at deltas of which N is a small part.

    There is none where the table lacks the quantity.
    """
    table = rows(evidence, "ext_orders", quantity=quantity, axis="delta", reading=reading)
    arms, (name, sizes) = evidence.spec["artefacts"]["ext_orders"]["arms"], FAR_FROM[quantity]
    # Probabilities below all floats are 0, which their logarithms may be told of.
    with np.errstate(divide="ignore"):
        drawn = list(QUANTITIES[quantity](arms | {name: arms[name] | sizes}, "delta", list(FAR) if len(table) else []))
    places = [
        {"axis": f"log(N/delta), delta to {FAR[-1]:g}", "reading": name, "at": place, "mean": value / claimed, "se": math.nan}
        for name, place, value, claimed in drawn
        if name == reading
    ]  # fmt: skip
    return excess(
        pd.DataFrame(places, columns=["axis", "reading", "at", "mean", "se"]).astype(
            {"at": float, "mean": float, "se": float}
        )
    )


def cells(table: pd.DataFrame) -> Places:
    return algebra.means(table, ["reading", "axis", "at"])


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the condition on the start, DP-SSGD's terms, then its privacy."""
    start = ratios_to_claimed(evidence, START)
    extents = ", ".join(
        f"{extent(group['mean'])} ({reading})" for reading, group in start.groupby("reading", sort=True)
    )
    yield claim_on_all_cells(
        id="ssgd-condition-axes", **ORDER | {"location": "Thm 3.2, remark (iii)"},
        statement="N >= C kappa d log(1/delta) / eps is enough for DP-SSGD's first term to vanish, and kappa^2 d^2 at eps = 1/sqrt(N)",
        quantity="log-log slope along kappa, d, 1/eps and log(1/delta) of the smallest N with eta mu N / 2 >= log N, its powers of log N divided out, less that of the order: the largest",
        cells=excess(start), criterion=at_most(LOGARITHMS),
        note=f"alpha of Theorem 3.1 with the constant 1; in place of log^(2a+1)(kappa d) the proof's step has log^(5/2) N here. It is {extents} times the order",
    )  # fmt: skip
    yield from _terms(evidence)
    yield from _privacy(evidence)


def _terms(evidence: Evidence) -> Iterator[Claim]:
    table = ratios_to_claimed(evidence, SINGLE)
    risk, term, sums = (
        table[table["reading"] == reading]
        for reading in ("risk, alpha with constant 1", "term of privacy", "(5) without its start")
    )
    # At the largest delta, where the range is smallest.
    ranges = EpsilonRanges.of(FAR_FROM[SINGLE][1]["N"], FAR[0])
    yield claim_on_all_cells(
        id="theorem-3.2-risk", **ORDER | {"location": "Thm 3.2, (6)"},
        statement="with Theorem 3.2's parameters DP-SSGD's risk is at most (6), all constants printed",
        quantity="exact risk without clipping, which Lemma A.9 excludes, over the right-hand side of (6), alpha with the constant 1: the largest along N, eps, delta, kappa, d and sigma",
        cells=cells(risk) | (_risks_by_6(evidence) if len(risk) else {}), criterion=at_most(1.0 + EQUAL),
        changed="After a review w* lies along the least eigenvector too, where (6) has the least room for the threshold, and a = 1 is judged.",
        note="N of 10^23 and more, because at fewer records the printed step does not forget its start",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="theorem-3.2-rates", **ORDER,
        statement="the term of privacy is O~(d^2 K_2^2 kappa^2 (|w*|_H^2 + sigma^2) / (eps N)^2)",
        quantity="log-log slope along N, 1/eps, kappa, d, K_2 and sigma of what privacy costs by the exact law, over log^{4a} N, less that of the term: the largest",
        cells=excess(term[term["axis"] != "delta"]) | (_far_exponents(evidence) if len(term) else {}), criterion=at_most(LOGARITHMS),
        changed="After a third reading K_2 is an axis too, and after a review kappa with w* along the least eigenvector, where kappa^2 is attained.",
        note="alpha by the explicit bound for shuffling, threshold and step as printed; along kappa, with w* flat, the term is an upper bound: the cost grows like kappa",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="theorem-3.2-rate-delta", **ORDER,
        statement="the term of privacy is proportional to log^2(N/delta)",
        quantity=f"log-log slope in log(N/delta) of what privacy costs by the exact law, over log^{{4a}} N, delta from {FAR[0]:g} to {FAR[-1]:g} at N = 10^20 and eps = 1e-9, less 2",
        cells=far_out(evidence, SINGLE, "term of privacy"), criterion=within_of(0.0, RATE),
        changed=f"{OF_DELTA} After a third reading it is judged from both sides and within a tenth, at an N that counts less, where a quarter was allowed above alone.",
        note=f"this eps is inside Theorem 3.1's range, sqrt(log(N/delta)/N) >= {ranges.theorem:.2g}, and outside the remark's, 1/sqrt(N) = {ranges.remark:.2g}. At the deltas of the table, and N = 10^24: {algebra.places_text(excess(term[term['axis'] == 'delta']))}",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="equation-6", **ORDER | {"location": "(5), (6)", "source": "identity"},
        statement="(algebra) with the theorem's parameters (5) has 2 sigma^2 d/N and a term of privacy with the factor 128",
        quantity="(5) over (6), both without their first term: the largest along N, eps, delta, kappa, d and sigma",
        cells=cells(sums), criterion=at_most(1.0 + EQUAL),
        changed=NOW_ALGEBRA,
    )  # fmt: skip


# Condition numbers so large that what kappa^2 has beside it counts little.
LARGE_KAPPAS = (16.0, 32.0, 64.0, 128.0, 256.0)


def _ill_conditioned(evidence: Evidence) -> tuple[dict[str, Any], dict[float, LinearProblem]]:
    """The arms of DP-SSGD's orders, and their regression at large condition numbers, w* along the least eigenvector."""
    at = evidence.spec["artefacts"]["ext_orders"]["arms"]["single"]
    return at, {
        kappa: at_least_eigenvalue(problem_of(at["d"], kappa, at["sigma"], float(at["N"]), ONE_SMALL))
        for kappa in LARGE_KAPPAS
    }


def _risks_by_6(evidence: Evidence) -> Places:
    """The risk over (6) with w* along the least eigenvector, by kappa and a; at sigma = |w*|_H, where (6) has least room."""
    at, problems = _ill_conditioned(evidence)
    places: Places = {}
    # At a = 1 larger kappa do not forget the start.
    for a, kappa in [*product((0.5,), problems), (1.0, LARGE_KAPPAS[0])]:
        problem = replace(problems[kappa], sigma=1.0, a=a)
        used = ssgd.theorem_parameters(problem, theorem_3_1(at["eps"], at["delta"], problem.records))
        ratio = tail_risk(problem, used) / ssgd.equation_6(problem, at["eps"], at["delta"])
        places[f"a = {a:g}, kappa = {kappa:g}, w* along the least eigenvector"] = statistics.exactly(ratio)
    return places


def _far_exponents(evidence: Evidence) -> Places:
    """Exponents in the same cost, less 2: of K_2 over four doublings, and of kappa, w* along the least eigenvector.

    Threshold and step both have K_2. Where w* is flat in all coordinates, as along the table's kappa, the cost grows like
    kappa alone, because zeta has sqrt|H| |w*|, which is at most sqrt(kappa) |w*|_H, and is that along this vector.
    """
    at, ill = _ill_conditioned(evidence)
    N = float(at["N"])
    problem = problem_of(at["d"], at["kappa"], at["sigma"], N, ONE_SMALL)
    # Probabilities below all floats are 0, which their logarithms may be told of.
    with np.errstate(divide="ignore"):
        alpha = shuffling.noise_multiplier(at["eps"], int(N), at["delta"])
    axes = {
        "K_2": [(k2, replace(problem, k2=float(k2))) for k2 in problem.k2 * 2.0 ** np.arange(5)],
        "kappa, w* along the least eigenvector": list(ill.items()),
    }
    costs = []
    for axis, places in axes.items():
        for place, there in places:
            used = ssgd.theorem_parameters(there, alpha)
            cost = (tail_risk(there, used) - tail_risk(there, used, noise=False)) / place**2
            costs.append({"axis": axis, "at": place, "mean": cost, "reading": "term of privacy", "se": math.nan})
    return excess(pd.DataFrame(costs))


def _privacy(evidence: Evidence) -> Iterator[Claim]:
    table = ratios_to_claimed(evidence, SHUFFLING)
    forms: tuple[tuple[str, str, str, str], ...] = (
        ("theorem-a.3", "Theorem A.3", "Thm A.3", "n shuffled (eps_0, delta_0)-DP releases have eps = O((1 - e^-eps_0)(sqrt(e^eps_0 log(1/delta)/n) + e^eps_0/n))"),
        ("equation-8", "(8)", "(8)", "the shuffled eps is at most c_1 sqrt(2 log(1.25/delta_0) log(1/delta)) / (alpha sqrt(N))"),
    )  # fmt: skip
    by_four = "Before a third reading a spread by four was allowed, which is a power of N of a tenth, but one of log(1/delta) of two."
    for id, reading, location, statement in forms:
        ratios = table[table["reading"] == reading]
        yield claim_on_all_cells(
            id=id, **ORDER | {"location": location, "kind": "privacy"},
            statement=statement,
            quantity="log-log slope of the explicit bound along eps_0 <= 1/2, N and log(1/delta), less that of the form: the largest",
            cells=excess(ratios), criterion=at_most(RATE), changed=by_four,
            note=f"the constant that is hidden: {extent(ratios['mean'])}",
        )  # fmt: skip
    largest = table[table["reading"] == "largest eps"]
    yield claim_on_all_cells(
        id="theorem-3.1-range", **ORDER | {"location": "Thm 3.1", "kind": "privacy"},
        statement="the range of eps is O(sqrt(log(N/delta)/N))",
        quantity=f"log-log slope of the eps that the explicit bound has at the least multiplier of the proof, along N and, delta from {FAR[0]:g} to {FAR[-1]:g} at N = 10^6, along log(1/delta), less that of the form: the one furthest off",
        cells=excess(largest[largest["axis"] == "N"]) | far_out(evidence, SHUFFLING, "largest eps"), criterion=within_of(0.0, RATE),
        changed=f"{by_four} After a third reading it is judged from both sides, along log(1/delta) where N counts little, and within a tenth; at the deltas of the table a quarter was allowed above alone.",
        note=f"at the deltas of the table: {algebra.places_text(excess(largest[largest['axis'] == 'delta']))}; the constant that is hidden: {extent(largest['mean'])}",
    )  # fmt: skip
    needed = rows(evidence, "ext_orders", quantity=MULTIPLIER)
    yield claim_on_all_cells(
        id="theorem-3.1-rate-eps", **ORDER | {"location": "Thm 3.1", "kind": "privacy"},
        statement="the noise multiplier falls like 1/eps",
        quantity="log-log slope in eps of the multiplier that the explicit bound asks for, N = 10^6, eps <= sqrt(log(N/delta)/N)",
        cells=algebra.measured_by(needed[needed["axis"] == "eps"], PLACES, lambda group: algebra.least_squares_slope(group, "at")), criterion=within_of(-1.0, RATE),
    )  # fmt: skip
    ratios = ratios_to_claimed(evidence, MULTIPLIER, axis="delta")
    yield claim_on_all_cells(
        id="theorem-3.1-rate-delta", **ORDER | {"location": "Thm 3.1", "kind": "privacy"},
        statement="a noise multiplier that grows like log(N/delta) is enough",
        quantity=f"log-log slope in log(N/delta) of the multiplier that the explicit bound asks for, delta from {FAR[0]:g} to {FAR[-1]:g} at N = 10^6, less 1",
        cells=far_out(evidence, MULTIPLIER, "explicit bound"), criterion=at_most(RATE), changed=OF_DELTA,
        note=f"at the deltas of the table it is {extent(ratios['mean'])} times Theorem 3.1's at constant 1, and the slope less 1 {algebra.places_text(excess(ratios))}",
    )  # fmt: skip
