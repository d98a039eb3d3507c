"""Orders that varshney2022 states, exactly: along each quantity that they depend on, beside what is claimed."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.design import Row, Spec
from dpdescent.papers.varshney2022.theory import ambssgd, operations, orders, privacy, slow, ssgd
from dpdescent.papers.varshney2022.theory.orders import GEOMETRIC, ONE_SMALL
from dpdescent.privacy import shuffling

# What a row says of a place: reading, place on the axis, value, what is claimed.
Place = tuple[str, float, float, float]

# Doublings of DP-STAT: those of the experiments, and those of Algorithm 2, 200 log2 N.
OURS, PRINTED = "20 doublings", "200 log2 N doublings"


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each quantity, axis, reading and place."""
    if spec["trials"][0] > 0:
        return
    for axis, values in spec["cell"].items():
        for reading, at, value, claimed in QUANTITIES[spec["panel"]](spec["arms"], axis, as_list(values)):
            yield {
                "quantity": spec["panel"], "axis": axis, "at": float(at), "reading": reading, "series": "exact",
                "trial": 0, "value": value, "claimed": claimed,
            }  # fmt: skip


def _operations(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Operations over N d."""
    for value in values:
        at = arms["records"] | {axis: value}
        N, d = at["N"], at["d"]
        yield "DP-SSGD", value, operations.single_pass(N, d), N * d
        for name, levels in ((OURS, 20.0), (PRINTED, 200.0 * math.log2(N))):
            T = ambssgd.steps_of_theorem(N, 1.0, 4.0)
            yield f"DP-AMBSSGD, {name}", value, operations.mini_batches(N, d, T, levels), N * d


def _batch_condition(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Least N of Lemma 3.11's condition on b at the printed alpha, over log^2 N, beside Theorem 3.7's order."""
    for value in values:
        at = arms["condition"] | {axis: value}
        alpha = privacy.published_multiplier(at["eps"], at["delta"])
        claimed = ambssgd.records_of_theorem(at["d"], at["kappa"], at["eps"], at["delta"])
        for spectrum in (GEOMETRIC, ONE_SMALL):
            problem = orders.problem_of(at["d"], at["kappa"], 1.0, 1e6, spectrum)
            N = ambssgd.smallest_records_for_batch(problem, alpha, arms["c1"])
            yield spectrum, _place(axis, value), N / math.log(N) ** 2, claimed


def _start(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Least N at which Theorem 3.2's step forgets its start, over log^{5/2} N, beside the theorem's condition."""
    for value in values:
        at = arms["start"] | {axis: value}
        problem = orders.problem_of(at["d"], at["kappa"], 1.0, 1e6, ONE_SMALL)
        N = orders.records_of_start(problem, at["delta"], at["eps"])
        claimed = at["kappa"] * at["d"] * -math.log(at["delta"]) / at["eps"]
        yield "eps fixed", _place(axis, value), N / math.log(N) ** 2.5, claimed
        if axis in ("kappa", "d"):
            N = orders.records_of_start(problem, at["delta"], None)
            logs = math.log(N) ** 5 * math.log(N / at["delta"]) ** 2
            yield "eps = 1/sqrt(N)", value, N / logs, (at["kappa"] * at["d"]) ** 2


def _privacy_term(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """What privacy costs DP-SSGD by the exact law at Theorem 3.2's parameters, over log^{4a} N, beside its term.

    alpha is the accounted one; with the constant 1, which (6) takes, the risk stands beside (6).
    """
    for value in values:
        at = arms["single"] | {axis: value}
        N, eps, delta = float(at["N"]), at["eps"], at["delta"]
        problem = orders.problem_of(at["d"], at["kappa"], at["sigma"], N, ONE_SMALL)
        used = ssgd.theorem_parameters(problem, shuffling.noise_multiplier(eps, int(N), delta))
        cost = slow.tail_risk(problem, used) - slow.tail_risk(problem, used, noise=False)
        place = math.log(N / delta) if axis == "delta" else value
        claimed = ssgd.theorem_3_2(replace(problem, sigma=0.0), eps, delta) * (1.0 + at["sigma"] ** 2)
        yield "term of privacy", place, cost / problem.log_power(4.0 * problem.a), claimed
        printed = ssgd.theorem_parameters(problem, privacy.theorem_3_1(eps, delta, N))
        yield (
            "risk, alpha with constant 1",
            place,
            slow.tail_risk(problem, printed),
            ssgd.equation_6(problem, eps, delta),
        )
        # A c of that size leaves nothing of the first term of (6).
        noise = ssgd.equation_6(problem, eps, delta, 1e300)
        yield "(5) without its start", place, ssgd.variance(problem, printed), noise


def _shuffling(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """The explicit bound for shuffled releases beside Theorem A.3, eq. (8), and the largest eps of Theorem 3.1."""
    for value in values:
        at = arms["shuffled"] | {axis: value}
        N, delta, eps_local = int(at["N"]), at["delta"], at["eps_0"]
        place = _place(axis, value)
        yield "Theorem A.3", place, shuffling.amplified(eps_local, N, delta), privacy.theorem_a3(eps_local, N, delta)
        local = shuffling.local_delta(0.0, delta, N)
        alpha = privacy.local_multiplier(min(eps_local, 0.5), local)
        reached = shuffling.epsilon(alpha, N, delta)
        yield "(8)", place, reached, privacy.eps_of_equation_8(alpha, N, delta / 2.0, local)
        if axis != "eps_0":
            largest = shuffling.epsilon(privacy.least_multiplier_of_proof(N, delta), N, delta)
            yield "largest eps", place, largest, privacy.EpsilonRanges.of(N, delta).theorem


def _multiplier(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """The multiplier that DP-SSGD needs by the explicit bound, beside Theorem 3.1's with the constant 1."""
    for value in values:
        at = arms["multiplier"] | {axis: value}
        N, eps, delta = int(at["N"]), at["eps"], at["delta"]
        place = math.log(N / delta) if axis == "delta" else value
        yield "explicit bound", place, shuffling.noise_multiplier(eps, N, delta), privacy.theorem_3_1(eps, delta, N)


def _leading(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Exact risk without privacy at T = c1 log N over sigma^2 d/N, or the lemma's terms over their leading one."""
    for value in values:
        at = arms["leading"] | {axis: value}
        for c1 in as_list(arms["constants"]):
            if axis == "N":
                T = math.ceil(ambssgd.steps_of_theorem(value, 1.0, c1))
                b = int(value / T * (1.0 - ambssgd.STAT_SHARE))
                lam = orders.problem_of(at["d"], 1.0, 1.0, value).lam
                start = -orders.problem_of(at["d"], 1.0, 1.0, value).w_star
                risk = tail_risk(lam, start, ambssgd.theorem_step(lam, b), b, 1.0, 0.0, T, max(1, T // 2))
                yield f"exact risk, c_1 = {c1:g}", value, risk, at["d"] / value
                continue
            for spectrum in (GEOMETRIC, ONE_SMALL):
                problem = orders.problem_of(at["d"], value, 1.0, float(at["N"]), spectrum)
                yield f"Lemma 3.11, c_1 = {c1:g}, {spectrum}", value, orders.cross_over_leading(problem, c1), 1.0


def _contraction(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Slowest contraction at shares of Lemma 3.11's least b, at the printed alpha."""
    at = arms["condition"]
    alpha = privacy.published_multiplier(at["eps"], at["delta"])
    for kappa in values:
        for share in as_list(arms["shares"]):
            problem = orders.problem_of(at["d"], kappa, 1.0, 1e6, ONE_SMALL)
            found, claimed = orders.slowest_contraction(problem, alpha, arms["c1"], share)
            yield f"{share:g} of the least b", kappa, found, claimed


def _logarithm(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Lemma 3.10's failure over beta, by the base of Gamma's logarithm."""
    for beta in values:
        for levels in as_list(arms["levels"]):
            for name, natural in (("base 2", False), ("base e", True)):
                yield f"{name}, L = {levels:g}", beta, orders.count_failure(levels, beta, natural), 1.0


def _gradient(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Size of a gradient by what w has to do with x."""
    for d in values:
        for dependence in ("along x", "same index twice", "independent"):
            yield dependence, d, orders.gradient_norm(int(d), dependence), d


def _clipping(arms: dict[str, Any], axis: str, values: list[float]) -> Iterator[Place]:
    """Norm after clipping over zeta as it is printed in two places."""
    for size in values:
        for name, choose in (("min, Sec. 1.1", min), ("max, App. A", max)):
            yield name, size, orders.clipped_norm(size, choose), 1.0


def _place(axis: str, value: float) -> float:
    """The abscissa of a value: log(1/delta) for delta, because the orders are powers of that, else the value itself."""
    return -math.log(value) if axis == "delta" else value


QUANTITIES: dict[str, Callable[[dict[str, Any], str, list[float]], Iterator[Place]]] = {
    "operations": _operations, "least N, Lemma 3.11": _batch_condition, "least N, Theorem 3.2": _start,
    "DP-SSGD": _privacy_term, "shuffling": _shuffling, "multiplier of DP-SSGD": _multiplier,
    "leading term": _leading, "contraction": _contraction, "logarithm of Lemma 3.10": _logarithm,
    "gradient norm": _gradient, "norm after clipping": _clipping,
}  # fmt: skip
