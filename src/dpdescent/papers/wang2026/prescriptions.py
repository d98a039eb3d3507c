"""What wang2026's corollaries say of their prescriptions beside the displayed rate at one of them (Sec. 5, proofs).

Every power of a rate by itself, other choices that the text admits, the gap of generalization, and the conditions of the
theorems from which the corollaries are derived. Constants are 1 and logarithms dropped. No table is read.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from dpdescent.papers.wang2026 import corollaries, rates
from dpdescent.papers.wang2026.corollaries import DERIVED, Entry, Point, displayed_rate, near_and_wide
from dpdescent.papers.wang2026.criteria import RATE, claim_on_all_cells, range_of
from dpdescent.papers.wang2026.powers import ARTEFACT, AXES, PARTS, rounded, slope
from dpdescent.papers.wang2026.rates import Rate, Run
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence

ADDED_LATER = "The claim was added after a review"
# What a quantity is judged by; a power that is wrong by a half in one parameter shows in that one.
SLOPES = (
    "its log-log slope in n, 1/gamma, d and 1/eps where either part of a rate leads, at n = 1e30: the largest, over"
)
GROWTHS = "the exponent of its largest over a wide range of the others in n, 1/gamma, d and 1/eps: the largest, over"
NO_LARGER = at_most(RATE, ": no larger order")
# Sizes between whose ends conditions are compared. Either number of iterations of Corollary 5.3 is the smaller one at both
# ends of every axis, so that what is met with equality somewhere is so at each end; places of less than one iteration
# are left out.
SIZES = {"n": (1e20, 1e30, 1e50), "gamma": (1e-8, 1e-4, 1e-2, 1.0), "d": (1.0, 1e6, 1e12, 1e24), "eps": (1e-3, 1.0)}
WHOLE = [point for point in corollaries.points(tuple(SIZES.values())) if corollaries.corollary_5_3(point).T >= 1.0]
# Which way a rate grows along an axis.
UPWARDS = {"n": 1.0, "d": 1.0, "gamma": -1.0, "eps": -1.0}
# Numbers of times that T is above n^2/(gamma^2 B), and shares of gamma sqrt(n) that a batch is; it has one record at least.
LONGER, SMALLER = (1.0, 10.0, 1e3, 1e6), (1.0, 0.01, 0.0)
# "Fixed constants": rho in (0, 1), and lambda bounded away from 1.
RHO, LAM = (0.01, 0.2, 0.9, 0.99), (0.01, 0.5, 0.9, 0.99)


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claims on powers, on other choices, on gaps, and on conditions."""
    yield _every_power()
    yield _other_batches_and_iterations()
    yield _fixed_constants()
    yield _gaps()
    yield _conditions()
    yield _without_a_factor()


def _slopes(values: Mapping[str, Callable[[Point], float]]) -> Places:
    """The slope of each value along n, d, 1/gamma and 1/eps, where the first part of a rate leads and where the private does."""
    return {
        f"{name}, {part}, {axis}": rounded(UPWARDS[axis] * slope(value, point, axis))
        for (name, value), (part, point), axis in itertools.product(values.items(), PARTS.items(), AXES)
    }


def _growth(values: Mapping[str, Callable[[Point], float]]) -> Places:
    """The exponent of each value's largest, over the other sizes, in n, d, 1/gamma and 1/eps.

    A condition that is met by far may have a slope; it is its largest value that has to stay bounded.
    """
    found: Places = {}
    for (name, value), axis in itertools.product(values.items(), AXES):
        smallest, largest = (
            max(value(point) for point in WHOLE if getattr(point, axis) == end)
            for end in (SIZES[axis][0], SIZES[axis][-1])
        )
        ratio = math.log(largest / smallest) / math.log(SIZES[axis][-1] / SIZES[axis][0])
        found[f"{name}, {axis}"] = rounded(UPWARDS[axis] * ratio)
    return found


def _largest(values: Mapping[str, Callable[[Point], float]]) -> str:
    """The largest of each value over a wide range, in words."""
    wide = range_of(near_and_wide(value)[1] for value in values.values())
    return f"over a wide range of n, gamma, d and eps it is at most {wide}"


def _derived() -> Iterator[Entry]:
    """The entries whose rates are the paper's own."""
    return (entry for entry in corollaries.ENTRIES if entry.source in DERIVED)


def _empirical(source: str, point: Point) -> float:
    """The bound of the averaged empirical risk at the prescription of a source."""
    prescribe, bound = DERIVED[source]
    return bound(prescribe(point)).total


def _every_power() -> Claim:
    excess: Places = {}
    for entry in _derived():
        source = entry.source
        rate: Callable[[Point], float] = partial(displayed_rate, source)
        own = rate if entry.empirical is None else entry.empirical.value
        risks = {
            "population": (partial(corollaries.inserted, source), rate),
            "empirical": (partial(_empirical, source), own),
        }
        for (risk, (bound, displayed)), (part, point), axis in itertools.product(risks.items(), PARTS.items(), AXES):
            if getattr(entry, part) is not None:
                growth = slope(bound, point, axis) - slope(displayed, point, axis)
                excess[f"{source}, {risk}, {part}, {axis}"] = rounded(UPWARDS[axis] * growth)
    # A displayed rate that is smaller by half a power of one of them is refused in that one.
    return claim_on_all_cells(
        id="corollaries-every-power", artefact=ARTEFACT, location="Sec. 5, App. D.3, App. E", kind="theorem", source="identity",
        statement="(algebra) with the prescribed B, T, eta, m and kappa the bounds of empirical and population risk grow no faster than the displayed rate in n, 1/gamma, d and 1/eps, each by itself",
        quantity="log-log slope of the bound less that of the displayed rate, where its first part leads and where the private one does, at n = 1e30: the largest over corollaries, parts and axes",
        cells=excess, criterion=NO_LARGER,
        changed=f"{ADDED_LATER}: half a power of gamma less in Corollary 5.3 was within the factor that is allowed over the whole range.",
    )  # fmt: skip


def _smaller(point: Point, share: float) -> Run:
    """Corollary 5.6's run with that share of gamma sqrt(n) for its batches."""
    run = corollaries.corollary_5_6(point)
    B = max(1.0, share * run.B)
    return replace(run, B=B, eta=B / point.n, T=point.n**2 / (point.gamma**2 * B))


def _other_batches_and_iterations() -> Claim:
    def optimisation(share: float, longer: float, point: Point) -> float:
        run = _smaller(point, share)
        return point.n * rates.without_noise(replace(run, T=longer * run.T)).total

    def risk(share: float, point: Point) -> float:
        run = _smaller(point, share)
        return point.gamma**2 * point.n * rates.population(run, rates.without_noise(run).total)

    size = {share: f"B = {share:g} gamma sqrt(n)" if share else "B = 1" for share in SMALLER}
    values: dict[str, Callable[[Point], float]] = {
        f"optimisation, {size[share]}, T x {longer:g}": partial(optimisation, share, longer)
        for share, longer in itertools.product(SMALLER, LONGER)
    }
    values |= {f"population, {size[share]}": partial(risk, share) for share in SMALLER}
    return claim_on_all_cells(
        id="corollary-5.6-beyond", artefact=ARTEFACT, location="Corollary 5.6", kind="theorem", source="identity",
        statement="(algebra) for any B <~ gamma sqrt(n), eta = B/n and any T >~ n^2/(gamma^2 B) the bound of the optimisation risk is of the order of 1/n, free of gamma; at T of that order that of the population risk of 1/(gamma^2 n)",
        quantity=f"bound of the risk times n, or gamma^2 n, {SLOPES} B and T", cells=_slopes(values), criterion=NO_LARGER,
        changed=f"{ADDED_LATER}: B and T were held at equality, and the bound of the population risk alone was looked at.", note=_largest(values),
    )  # fmt: skip


def _fixed_constants() -> Claim:
    def ratio(rho: float, lam: float, point: Point) -> float:
        run = corollaries.corollary_5_3(point, rho=rho, lam=lam)
        return rates.population(run, rates.correlated(run).total) / displayed_rate("Corollary 5.3", point)

    values = {f"rho = {rho:g}, lambda = {lam:g}": partial(ratio, rho, lam) for rho, lam in itertools.product(RHO, LAM)}
    return claim_on_all_cells(
        id="corollary-5.3-fixed-constants", artefact=ARTEFACT, location="Corollary 5.3", kind="theorem", source="identity",
        statement="(algebra) for any fixed rho in (0, 1) and lambda bounded away from 1 the bound is of the order of the displayed rate",
        quantity=f"bound of the population risk over the rate, {SLOPES} rho and lambda", cells=_slopes(values), criterion=NO_LARGER,
        changed=f"{ADDED_LATER}: rho and lambda were 0.2 and 0.5 only.", note=_largest(values),
    )  # fmt: skip


def _gaps() -> Claim:
    def gap(prescribe: Callable[[Point], Run], bound: Callable[[Run], Rate], point: Point) -> float:
        run = prescribe(point)
        return run.eta * run.T / point.n * bound(run).total * point.gamma**2 * point.n

    # Of Corollary 5.3 no gap is stated.
    stated = {source: pair for source, pair in DERIVED.items() if source != "Corollary 5.3"}
    values = {source: partial(gap, *pair) for source, pair in stated.items()}
    return claim_on_all_cells(
        id="generalisation-gaps-follow", artefact=ARTEFACT, location="Corollaries 5.5, 5.6 (proofs), App. D.3, App. E", kind="theorem", source="identity",
        statement="(algebra) at the prescribed runs the bound of the generalization gap, (eta T/n) A, is of the order of 1/(gamma^2 n)",
        quantity=f"(eta T/n) A gamma^2 n, {SLOPES} corollaries", cells=_slopes(values), criterion=NO_LARGER,
        changed=f"{ADDED_LATER}: gaps of runs were looked at along n only.", note=_largest(values),
    )  # fmt: skip


def _conditions() -> Claim:
    def wide_enough(prescribe: Callable[[Point], Run], point: Point) -> float:
        run = prescribe(point)
        return max(rates.least_width(run), rates.population_width(run)) / run.m

    def narrow_enough(point: Point) -> float:
        run = corollaries.corollary_5_3(point)
        return run.m / rates.largest_width(run)

    def small_enough(point: Point) -> float:
        return rates.step_condition(corollaries.corollary_5_3(point))

    values: dict[str, Callable[[Point], float]] = {
        f"{source}, least width over m": partial(wide_enough, prescribe) for source, (prescribe, _) in DERIVED.items()
    }
    values |= {"Corollary 5.3, m over largest width": narrow_enough, "Corollary 5.3, step condition": small_enough}
    return claim_on_all_cells(
        id="prescriptions-meet-conditions", artefact=ARTEFACT, location="Corollaries 5.3, 5.5, 5.6 (proofs), App. D.3", kind="theorem", source="identity",
        statement="(algebra) the prescribed B, T, eta and m, of the order of gamma^-6 or gamma^-4, satisfy all conditions on width and step of the theorems from which the rates are derived, after adjusting constants",
        quantity=f"left over right side of a condition, {GROWTHS} conditions", cells=_growth(values), criterion=NO_LARGER,
        changed=f"{ADDED_LATER}: of the width of Theorem 5.2 one term was looked at, and the other conditions were not.", note=_largest(values),
    )  # fmt: skip


def narrower(point: Point) -> Run:
    """Returns Corollary 5.3's run at the width gamma^-4, with `T = min(sqrt(n)/gamma, n eps gamma/sqrt(d))`.

    That T is the largest that the upper limit on the width allows there.
    """
    run = corollaries.corollary_5_3(point)
    T = min(math.sqrt(point.n) / point.gamma, point.n * point.eps * point.gamma / math.sqrt(point.d))
    kappa = corollaries.theorem_5_1(T, run.B / run.n, run.lam, point.eps)
    return replace(run, T=T, m=point.gamma**-4, kappa=kappa)


def width_of_lemma_c_20(run: Run) -> float:
    """Returns what Lemma C.20 asks m to exceed: the width of Theorem 5.2 without its factor R_*^2."""
    return rates.population_width(run) * run.gamma**2


def narrower_bound(point: Point) -> float:
    """Returns the bound of the population risk at the narrower run."""
    run = narrower(point)
    return rates.population(run, rates.correlated(run).total)


def _without_a_factor() -> Claim:
    def over_rate(point: Point) -> float:
        return narrower_bound(point) / displayed_rate("Corollary 5.5", point)

    def wide_enough(point: Point) -> float:
        run = narrower(point)
        return max(width_of_lemma_c_20(run), rates.least_width(run)) / run.m

    values: dict[str, Callable[[Point], float]] = {
        "least width over m": wide_enough,
        "m over largest width": lambda point: narrower(point).m / rates.largest_width(narrower(point)),
        "step condition": lambda point: rates.step_condition(narrower(point)),
    }
    return claim_on_all_cells(
        id="corollary-5.3-narrower", artefact=ARTEFACT, location="Theorem 5.2, Lemma C.20, Corollary 5.3", kind="theorem", source="identity",
        statement="(algebra) (ours) with the width that Lemma C.20 asks for in place of Theorem 5.2's, m = gamma^-4 and T = min(sqrt(n)/gamma, n eps gamma/sqrt(d)) meet all conditions with correlated noise, and give Corollary 5.5's rate, sqrt(d)/(gamma^3 n eps) its private part",
        quantity=f"left over right side of a condition, {GROWTHS} conditions; and bound over that rate, {SLOPES} parts", cells=_growth(values) | _slopes({"bound over rate": over_rate}), criterion=NO_LARGER,
        changed=f"{ADDED_LATER}.", note=f"Theorem 5.2 has a factor R_*^2 that the lemma, from which its width comes, has not, nor have Theorems D.15 and D.16; {_largest(values)}",
    )  # fmt: skip
