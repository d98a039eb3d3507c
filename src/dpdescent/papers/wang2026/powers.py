"""Powers of the orders in wang2026, read off where the sizes are so large that nothing else is left (Secs. 1, 4.2, 5).

Two kinds of orders are compared: the terms of a theorem's bound with those of the explicit bound that its proof begins
with, and bounds at a corollary's prescription with what the text says of them. A power that is wrong in one parameter
shows in that parameter's slope. No table is read.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from scipy.optimize import brentq

from dpdescent.papers.wang2026 import corollaries, explicit, rates
from dpdescent.papers.wang2026.corollaries import Point, Power
from dpdescent.papers.wang2026.criteria import EQUAL, RATE, claim_on_all_cells
from dpdescent.papers.wang2026.explicit import Comparator, Setting
from dpdescent.papers.wang2026.rates import Run
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

ARTEFACT = "table_rates"
# The ratio of the two places at which a slope is read off.
STEP = 1.01
# Runs far inside Theorem 4.1's conditions: with batches of few records, with so many parameters that the mixed martingale
# leads the linear noise term, with batches of more records than steps, and with a lambda next to one.
FAR = Run(n=1e14, B=1e6, T=1e10, m=1e4, d=1e2, gamma=0.1, eta=1e-3, lam=0.5, kappa=1.0, delta=1e-6)
RUNS = {
    "few records in a batch": FAR,
    "many parameters": replace(FAR, m=1e18, d=1e4, kappa=1e-6),
    "many records in a batch": replace(FAR, B=1e12, T=1e8),
    "lambda next to one": replace(FAR, lam=1.0 - 1e-6),
}
# A run so far out that a power of a logarithm has a slope of some hundredths.
BEYOND = Run(n=1e44, B=1e36, T=1e40, m=1e4, d=1e2, gamma=0.1, eta=1e-3, lam=0.5, kappa=1e17, delta=1e-30)
# The parameters that are varied; lambda by its distance from one.
PARAMETERS = ("T", "B", "m", "d", "gamma", "eta", "kappa", "residue")
# Points at which the step of Corollary 5.5 is one, and smaller; and at which a rate is its first part, and its second.
STEPS = {"step 1": Point(1e20, 1e3, 1e-2, 1.0), "smaller step": Point(1e20, 1e30, 1e-2, 1e-3)}
PARTS = {"rate": Point(1e30, 1.0, 0.1, 1.0), "private": Point(1e30, 1e36, 0.1, 1e-3)}
AXES = ("n", "d", "gamma", "eps")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the theorems' terms and conditions, then those on prescriptions."""
    yield from _terms()
    yield _logarithms()
    yield _conditions()
    yield _lower_limit()
    yield _first_term()
    yield _lower_bound()
    yield from _passes()
    yield _step()
    yield _noise()


def rounded(value: float) -> Estimate:
    """A number without error and without the digits of rounding, which depend on the processor."""
    return exactly(round(value, 6) + 0.0)


def _changed(run: Run, parameter: str) -> Run:
    if parameter == "residue":
        return replace(run, lam=1.0 - (1.0 - run.lam) * STEP)
    return replace(run, **{parameter: getattr(run, parameter) * STEP})


def _reach(run: Run) -> float:
    """tau, the comparator's distance from the start (Lemma C.12)."""
    return (math.log(run.T) + math.sqrt(math.log(run.n / run.delta))) / run.gamma


def _explicit(run: Run) -> tuple[Setting, Comparator]:
    """The run as the explicit bounds have it, with G = 1, beta = 1/12 and C_clip = 1, and the comparator of Lemma C.12."""
    chance = run.delta / 5.0
    setting = Setting(
        n=int(run.n), B=int(run.B), T=int(run.T), parameters=int(run.m * run.d), eta=run.eta, lam=run.lam,
        c_priv=run.kappa / run.B, gradient_bound=1.0, hessian_bound=0.0, beta=1.0 / 12.0, delta_Z=chance, delta_D=chance,
        delta_pot=chance,
    )  # fmt: skip
    return setting, Comparator(1.0 / run.T, _reach(run))


def correlated_terms(run: Run) -> dict[str, float]:
    """The terms of the explicit bound for correlated noise, Lemma C.11, by those of Theorem 4.1."""
    setting, comparator = _explicit(run)
    whole = explicit.correlated_bound(setting, comparator)
    scale = 3.0 / (run.eta * run.T)
    Rbar = explicit.shifted_radius(setting, comparator)
    plain = scale * explicit.potential(replace(setting, c_priv=0.0), Rbar)
    return {
        "start": whole.comparator + whole.start, "potential": plain, "batches": whole.batches,
        "linear": scale * explicit.potential(setting, Rbar) - plain, "quadratic": whole.noise,
    }  # fmt: skip


def independent_terms(run: Run) -> dict[str, float]:
    """The terms of the explicit bound for independent noise, Theorem D.13 at R_* = tau, by those of Theorem D.14."""
    setting, comparator = _explicit(run)
    whole = explicit.independent_bound(setting, comparator, comparator.distance)
    plain = explicit.independent_bound(replace(setting, c_priv=0.0), comparator, comparator.distance).potential
    return {
        "start": whole.comparator + whole.start, "potential": plain, "batches": whole.batches,
        "linear": whole.potential - plain, "quadratic": whole.noise,
    }  # fmt: skip


def _terms() -> Iterator[Claim]:
    independent = {name: replace(run, lam=0.0) for name, run in RUNS.items() if run.lam == 0.5}
    # Theorem E.1 leaves out eta log(1/delta)/T, which is below its first term because eta gamma is below 1.
    without = {name: replace(RUNS[name], lam=0.0, kappa=0.0) for name in ("few records in a batch",)}
    for name, place, runs, displayed, proved, source in (
        ("theorem-4.1-follows", "Theorem 4.1, Theorem C.13", RUNS, partial(rates.correlated, logs=True), correlated_terms, "Lemma C.11's"),
        ("theorem-d.14-follows", "Theorem D.14", independent, partial(rates.independent, logs=True), independent_terms, "Theorem D.13's"),
        ("theorem-e.1-follows", "Theorem E.1", without, rates.without_noise, correlated_terms, "Lemma C.11's, without noise"),
    ):  # fmt: skip
        # A term whose printed power is off by a half in one parameter is off by so much in that slope.
        yield claim_on_all_cells(
            id=name, artefact=ARTEFACT, location=place, kind="theorem", source="identity",
            statement="(algebra) the displayed terms have the powers of the terms of the explicit bound from which they are derived",
            quantity=f"log-log slope of {source} term less that of the displayed one, in {', '.join(PARAMETERS)} (1 - lambda), far inside the conditions: the furthest off",
            cells=_slopes(runs, displayed, proved), criterion=within_of(0.0, RATE, words=f"within {RATE:g} of 0: equal powers, up to logarithms"),
            note=f"at {', '.join(runs)}",
        )  # fmt: skip


def _slopes(
    runs: dict[str, Run], displayed: Callable[[Run], rates.Rate], proved: Callable[[Run], dict[str, float]]
) -> Places:
    found: Places = {}
    for name, run in runs.items():
        terms, orders = proved(run), displayed(run)
        for parameter in PARAMETERS:
            if (parameter == "residue" and run.lam == 0.0) or (parameter == "kappa" and run.kappa == 0.0):
                continue
            moved = _changed(run, parameter)
            after, order_after = proved(moved), displayed(moved)
            for term, value in terms.items():
                if value > 0.0 and getattr(orders, term) > 0.0:
                    growth = after[term] / value * getattr(orders, term) / getattr(order_after, term)
                    found[f"{term}, {parameter}, {name}"] = rounded(math.log(growth) / math.log(STEP))
    return found


def _logarithms() -> Claim:
    displayed, proved = rates.correlated(BEYOND), correlated_terms(BEYOND)
    slopes: Places = {}
    for parameter in ("T", "n", "delta"):
        moved = _changed(BEYOND, parameter)
        order, after = rates.correlated(moved), correlated_terms(moved)
        for term, value in proved.items():
            growth = after[term] / value * getattr(displayed, term) / getattr(order, term)
            slopes[f"{term}, {parameter}"] = rounded(math.log(growth) / math.log(STEP))
    # A prefactor that has a tenth of a power of T, n or 1/delta is refused.
    return claim_on_all_cells(
        id="theorem-c.13-logarithms", artefact=ARTEFACT, location="Theorem C.13", kind="theorem", source="identity",
        statement="(algebra) T, n and delta enter the prefactor of the displayed terms with no power",
        quantity="log-log slope of the terms of Lemma C.11's explicit bound over those of A_corr without logarithms, in T, n and delta, at T = 1e40: the furthest off",
        cells=slopes, criterion=within_of(0.0, RATE, words=f"within {RATE:g} of 0: no power"),
        changed='Until a second list of objections it said "a power of log(nT/delta)", which a slope of 0 does not show.',
    )  # fmt: skip


def _at_the_limit(run: Run) -> Run:
    """The run with the largest step and then the largest width that Theorem 4.1 admits, with constants 1."""
    run = replace(run, eta=_largest_step(run))
    return replace(run, m=rates.largest_width(run))


def _largest_step(run: Run) -> float:
    def left(log_eta: float) -> float:
        return rates.step_condition(replace(run, eta=math.exp(log_eta))) - 1.0

    return math.exp(brentq(left, -60.0, 60.0))


def _conditions() -> Claim:
    sizes = (1e10, 1e14)
    slopes: Places = {}
    for power, gamma, lam, kappa, inputs in product(
        (0.0, 0.5, 1.0), (1e-3, 0.1, 1.0), (0.0, 0.5, 0.999, 1.0 - 1e-6), (1e-3, 1.0, 1e3, 1e6), (0.0, 1.0)
    ):
        own = replace(FAR, gamma=gamma, lam=lam, kappa=kappa)
        runs = [_at_the_limit(replace(own, n=T**1.5, T=T, B=T**power, d=T**inputs)) for T in sizes]
        # Noise so large that the upper limit admits no parameter at all has no run; widths below one stand for larger d.
        if min(run.m * run.d for run in runs) >= 1.0:
            radii = [explicit.shifted_radius(*_explicit(run)) / _reach(run) for run in runs]
            place = f"B = T^{power:g}, d = T^{inputs:g}, gamma = {gamma:g}, lam = {lam:g}, kappa = {kappa:g}"
            slopes[place] = rounded(math.log(radii[1] / radii[0]) / math.log(sizes[1] / sizes[0]))
    # With a step condition that lets eta grow by another root of T, Rbar outgrows tau by as much.
    return claim_on_all_cells(
        id="theorem-4.1-conditions", artefact=ARTEFACT, location="Theorem 4.1", kind="theorem", source="identity",
        statement="(algebra) eta gamma sqrt(T) (1/sqrt(B) + kappa (1 - lambda)/B) + eta^2 gamma^2 (T/B + 1) of order 1, and the upper limit on the width, are enough for the radius of eq. (10) to be of the order of tau",
        quantity="log-log slope in T of the smallest Rbar of eq. (10) over tau, at runs whose step and width are the largest that the conditions admit: the largest over batches, inputs, gamma, lambda and kappa",
        cells=slopes, criterion=at_most(RATE, ": of the same order, up to logarithms"),
        changed="Until a second list of objections it was judged at one margin, correlation and multiplier, and at B = sqrt(T). Until a further one d was 1, so that the limit's power of d could not be seen.",
        note=f"{len(slopes)} places at which the limit on the width admits a parameter",
    )  # fmt: skip


def _lower_limit() -> Claim:
    margins = (1e-6, 1e-3)
    slopes: Places = {}
    for T, B, d, lam, kappa in product((1e2, 1e6), (1.0, 1e4), (1.0, 1e4), (0.0, 0.5, 0.999), (1e-12, 1e-6, 1e-3)):
        own = replace(FAR, n=1e12, T=T, B=B, d=d, lam=lam, kappa=kappa)
        runs = [_at_the_least_width(replace(own, gamma=gamma)) for gamma in margins]
        # Noise so large that no width is admitted has no run.
        if all(run.m <= rates.largest_width(run) for run in runs):
            curved = [_localisation(run) for run in runs]
            slopes[f"T = {T:g}, B = {B:g}, d = {d:g}, lam = {lam:g}, kappa = {kappa:g}"] = rounded(
                math.log(curved[0] / curved[1]) / math.log(margins[1] / margins[0])
            )
    # A width of gamma^-3.5 lets the left side grow as gamma^-0.25.
    return claim_on_all_cells(
        id="theorem-4.1-lower-width", artefact=ARTEFACT, location="Theorem 4.1, eq. (7)", kind="theorem", source="identity",
        statement="(algebra) a width of the order of gamma^-4 is enough for the local curvature condition, eq. (7), at the radius of eq. (10), whatever the margin",
        quantity="exponent in 1/gamma of nu (Rbar + eta c z)^2 with nu = 1/sqrt(m), at the least width and the largest step up to 1 that the conditions admit: the largest over T, B, d, lambda and kappa",
        cells=slopes, criterion=at_most(RATE, ": no larger order, up to logarithms"),
        changed="The claim was added after a review: eq. (7) was evaluated at no limit of the conditions.",
        note=f"{len(slopes)} places at which the least width is admitted",
    )  # fmt: skip


def _at_the_least_width(run: Run) -> Run:
    """The run with the least width of Theorem 4.1 and the largest step up to 1 that it admits, with constants 1."""
    run = replace(run, eta=min(1.0, _largest_step(run)))
    return replace(run, m=rates.least_width(run))


def _localisation(run: Run) -> float:
    """The left side of eq. (7), in the form of its proof, at the radius of eq. (10)."""
    setting, comparator = _explicit(run)
    setting = replace(setting, hessian_bound=run.m**-0.5)
    return explicit.localisation(setting, explicit.shifted_radius(setting, comparator))


def _first_term() -> Claim:
    shares: Places = {}
    for T, B, d, gamma, lam, kappa in product(
        (1e2, 1e4, 1e8), (1.0, 1e2, 1e6), (1.0, 1e4), (1e-3, 1.0), (0.0, 0.5, 0.999), (1e-3, 1e3)
    ):
        run = _at_the_limit(replace(FAR, n=1e12, T=T, B=B, d=d, gamma=gamma, lam=lam, kappa=kappa))
        rate = rates.correlated(run)
        shares[f"T = {T:g}, B = {B:g}, d = {d:g}, gamma = {gamma:g}, lam = {lam:g}, kappa = {kappa:g}"] = exactly(
            rate.total / rate.start
        )
    # The two conditions bound the linear terms and those of the batches together by the first term, and either other
    # term by it: four of them. Without its T the limit on the width lets the quadratic term grow as T.
    return claim_on_all_cells(
        id="theorem-4.1-first-term", artefact=ARTEFACT, location="Theorem 4.1", kind="theorem", source="identity",
        statement="(algebra) (ours) inside its own conditions, constants 1 and logarithms dropped, the bound is at most four times its first term, 1/(gamma^2 eta T)",
        quantity="A_corr over its first term at the largest step and width that the conditions admit, over T, B, d, gamma, lambda and kappa: the largest",
        cells=shares, criterion=at_most(4.0), changed="Until a review d was 1.",
        note="so that batches and noise show in the bound through the largest step and width only, and in runs through what they add",
    )  # fmt: skip


def slope(value: Callable[[Point], float], point: Point, axis: str) -> float:
    """The log-log slope of a value at a point, along records, dimension, margin or epsilon."""
    moved = replace(point, **{axis: getattr(point, axis) * STEP})
    return math.log(value(moved) / value(point)) / math.log(STEP)


def _entry(setting: str) -> corollaries.Entry:
    (entry,) = (entry for entry in corollaries.ENTRIES if entry.setting == setting)
    return entry


def _lower_bound() -> Claim:
    bound = _entry("convex DP-SCO, lower bound")
    differences: Places = {}
    for source in ("Corollary 5.3", "Corollary 5.5"):
        for part, point in PARTS.items():
            power: Power = getattr(bound, part)
            for axis in ("n", "d", "eps"):
                own = slope(partial(corollaries.inserted, source), point, axis)
                differences[f"{source}, {part}, {axis}"] = rounded(own - getattr(power, axis))
    return claim_on_all_cells(
        id="convex-lower-bound", artefact=ARTEFACT, location="Sec. 1", kind="text", source="identity",
        statement="(algebra) the resulting rate matches the convex DP-SCO lower bound of Bassily et al. (2019), up to logarithmic factors",
        quantity="log-log slope in n, d and eps of the theorem's bound at the prescriptions of Corollaries 5.3 and 5.5, less the lower bound's power, where sampling leads and where privacy does: the furthest off",
        cells=differences, criterion=within_of(0.0, RATE, words=f"within {RATE:g} of 0: equal powers"),
        changed="It was called reproduced at first, by powers that are printed, and then by construction.",
        note="gamma is not in the lower bound, whose d is the number of parameters, not the dimension of the inputs",
    )  # fmt: skip


def _passes() -> Iterator[Claim]:
    # Of the gradients n (n/gamma^2)^power are expected.
    for name, location, prescribe, power, words in (
        ("corollary-5.5-passes", "Corollary 5.5", corollaries.corollary_5_5, 0.0, "n, a single pass over the data in expectation"),
        ("corollary-5.6-passes", "Corollary 5.6", corollaries.corollary_5_6, 1.0, "n^2/gamma^2 gradients, n/gamma^2 passes over the data"),
    ):  # fmt: skip
        shares: Places = {}
        for point in corollaries.points(corollaries.NEAR):
            run = prescribe(point)
            place = f"n = {point.n:g}, d = {point.d:g}, gamma = {point.gamma:g}, eps = {point.eps:g}"
            shares[place] = rounded(run.B * run.T / (point.n * (point.n / point.gamma**2) ** power))
        yield claim_on_all_cells(
            id=name, artefact=ARTEFACT, location=location, kind="text", source="identity",
            statement=f"(algebra) with the prescribed B and T, B T is {words}",
            quantity="B T over that, over n, gamma, d and eps: the furthest off", cells=shares, criterion=within_of(1.0, EQUAL),
        )  # fmt: skip


def _step() -> Claim:
    def excess(point: Point) -> float:
        """The bound at the prescribed step over the least over all steps up to 1."""
        run = corollaries.corollary_5_5(point)

        def bound(eta: float) -> float:
            moved = replace(run, eta=eta)
            return rates.population(moved, rates.independent(moved).total)

        steps = [10.0 ** (-0.05 * power) for power in range(600)]
        return bound(run.eta) / min(map(bound, steps))

    growth = {f"{name}, {axis}": rounded(slope(excess, point, axis)) for name, point in STEPS.items() for axis in AXES}
    return claim_on_all_cells(
        id="corollary-5.5-step", artefact=ARTEFACT, location="Corollary 5.5", kind="theorem", source="identity",
        statement="(algebra) eta = min(1, gamma^2 sqrt(n) eps/sqrt(d)) is the right choice in both branches: no step has a bound of smaller order",
        quantity="log-log slope in n, d, gamma and eps of the bound of the population risk at that step over its least over steps up to 1: the furthest off",
        cells=growth, criterion=within_of(0.0, RATE, words=f"within {RATE:g} of 0: of the same order"),
    )  # fmt: skip


def _noise() -> Claim:
    def constant(point: Point) -> float:
        run = corollaries.corollary_5_3(point)
        return run.kappa * point.eps / math.sqrt(run.T)

    return claim_on_all_cells(
        id="corollary-c.24-noise", artefact=ARTEFACT, location="Corollary C.24", kind="theorem", source="identity",
        statement="(algebra) in the representative regime the calibrated noise has kappa^2 of the order of T/eps^2",
        quantity="log-log slope in n, d, gamma and eps of kappa eps/sqrt(T) at Corollary 5.3's run: the furthest off",
        cells={f"{name}, {axis}": rounded(slope(constant, point, axis)) for name, point in PARTS.items() for axis in AXES},
        criterion=within_of(0.0, RATE, words=f"within {RATE:g} of 0: of the same order"),
    )  # fmt: skip
