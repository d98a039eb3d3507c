"""Widths that lemmas of wang2026 ask for, and whether they are enough for what their proofs need, in every parameter.

A width has its own logarithm on its right side, as `m >~ log(m/delta) ...`, and is the least that satisfies it. The bound
nu on the Hessian is that of Lemma B.6 with C_{sigma,b} = 1.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dpdescent.papers.wang2026 import network
from dpdescent.papers.wang2026.criteria import RATE, claim_on_all_cells
from dpdescent.papers.wang2026.powers import rounded
from dpdescent.papers.wang2026.stability import batch_losses, growth_bound
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence

Values = Mapping[str, float]


@dataclass(frozen=True)
class Lemma:
    """A lemma by its width, as a function of its parameters and of m, and by what has to stay bounded at that width.

    Attributes:
        ranges: the parameters, each by its two ends; the others are at their first one while it is varied.
        width: the right side of the condition on m.
        needed: what the proof needs to be at most a constant, as a function of the parameters and of nu.
    """

    ranges: Mapping[str, tuple[float, float]]
    width: Callable[[Values, float], float]
    needed: Callable[[Values, float], float]


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claim on widths; no table is read."""
    slopes: Places = {}
    for name, lemma in LEMMAS.items():
        base = {parameter: ends[0] for parameter, ends in lemma.ranges.items()}
        first = _at_least_width(lemma, base)
        for parameter, (start, end) in lemma.ranges.items():
            growth = math.log(_at_least_width(lemma, base | {parameter: end}) / first)
            slopes[f"{name}, {parameter}"] = rounded(growth / abs(math.log(end / start)))
    # A width that lacks half a power of a parameter is refused.
    yield claim_on_all_cells(
        id="widths-are-enough", artefact="admissible_width", location="Lemmas C.2, C.12, C.16, C.20, D.11", kind="theorem", source="identity",
        statement="(algebra) the widths that the lemmas ask for are enough: nu D^2 of eq. (7), of Lemma C.16 and of D.11, the curvature along Lemma C.12's comparator, and Lemma C.20's sum of M_t stay bounded",
        quantity="exponent of each at its least width in each of its parameters, from one end of a range to the other: the largest over lemmas and parameters",
        cells=slopes, criterion=at_most(RATE, ": no larger order, up to logarithms"),
        changed="The claim was added after a review: what the lemmas assume was not held against what they need.",
    )  # fmt: skip


def _at_least_width(lemma: Lemma, values: Values) -> float:
    """What the proof needs bounded, at the least width."""
    m = 2.0
    for _ in range(200):
        # It converges, because the width is on its right side in a logarithm only.
        m = max(2.0, lemma.width(values, m))
    p, delta = int(values.get("p", BASIS)), values["delta"]
    # At widths beyond whole numbers of a machine the bound needs no whole number.
    nu = p**1.5 * network.unit_norm_bound(max(1, round(m)), p, delta) / math.sqrt(m)
    return lemma.needed(values, nu)


def _curvature_width(values: Values, m: float) -> float:
    p = values["p"]
    return p**3 * (math.log(m / values["delta"]) + p) * values["D"] ** 4


def _comparator_width(values: Values, m: float) -> float:
    return math.log(m / values["delta"]) * _reach_squared(values) / values["gamma"] ** 4


def _stability_width(values: Values, m: float) -> float:
    p = values["p"]
    log = math.log(1.0 / values["delta"])
    losses = values["T A"] + values["U"] * (math.sqrt(values["T/B"] * log) + log)
    return p**3 * (math.log(m / values["delta"]) + p) * (values["eta"] * losses) ** 2


def _reach_squared(values: Values) -> float:
    """(gamma tau)^2 = log^2 T + log(n/delta), of Lemma C.12."""
    return math.log(values["T"]) ** 2 + math.log(values["n"] / values["delta"])


def _bend(values: Values, nu: float) -> float:
    """tau^2 nu/2 over tau gamma/4, by which the proof of Lemma C.12 loses nothing but a constant."""
    return 2.0 * math.sqrt(_reach_squared(values)) / values["gamma"] * nu / values["gamma"]


def _growth(values: Values, nu: float) -> float:
    """The bound on Lemma C.20's sum, with the losses of Lemma C.19."""
    # T enters by T/B alone, a whole number here, so that B is 1.
    losses = batch_losses(values["T A"], values["U"], round(values["T/B"]), 1, values["delta"])
    return growth_bound(values["eta"], nu, losses)


# The number of basis functions where a lemma's width does not tell it.
BASIS = 8
SMALL = (1e-2, 1e-200)
LEMMAS = {
    "Lemmas C.2, C.16, D.11": Lemma(
        {"D": (10.0, 1e20), "p": (4.0, 4e4), "delta": SMALL}, lambda *given: _curvature_width(*given),
        lambda values, nu: nu * values["D"] ** 2,
    ),
    "Lemma C.12": Lemma(
        {"gamma": (0.1, 1e-20), "T": (1e2, 1e200), "n": (1e2, 1e200), "delta": SMALL}, lambda *given: _comparator_width(*given), _bend,
    ),
    "Lemma C.20": Lemma(
        {"p": (4.0, 4e4), "eta": (1.0, 1e20), "T A": (1e2, 1e30), "U": (1.0, 1e20), "T/B": (1.0, 1e30), "delta": SMALL},
        lambda *given: _stability_width(*given), _growth,
    ),
}  # fmt: skip
