"""Claims that are arithmetic on the text: whether the corollaries follow from the bounds, and what is improved.

Prescriptions and bounds are those of `theory`, constants 1 and logarithms dropped; no table can change these claims.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from dpdescent.papers.wang2026.reading import RATE, SAME_ORDER, claim
from dpdescent.papers.wang2026.theory import prescriptions, rates
from dpdescent.papers.wang2026.theory.prescriptions import Entry, Point
from dpdescent.papers.wang2026.theory.rates import Run
from dpdescent.replication.judging.criteria import about, at_most
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence
from dpdescent.replication.judging.statistics import exactly
from dpdescent.sums import added

Prescribe = Callable[[Point], Run]

ARTEFACT = "table_rates"
# n, gamma, d and eps where either term of a rate is the larger one, and how far they are moved: a power of any of them
# that is missing then shows. T is at least 1 throughout.
NEAR = ((1e4, 1e14), (0.1, 1.0), (1.0, 10.0), (0.1, 1.0))
WIDE = ((1e12, 1e14, 1e20, 1e30), (1e-3, 1e-2, 0.1, 1.0), (1.0, 10.0, 1e3, 1e5), (1e-3, 0.1, 1.0))
# Where powers are read off: so many records that the terms which fall faster are gone.
FAR, STEP = 1e30, 1.01


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on corollaries and improvements; the tables are not looked at."""
    yield from _corollaries()
    yield from _improvements()
    yield from _residuals()


def _entry(setting: str, source: str) -> Entry:
    """The line of what the paper compares, found by the beginnings of its names."""
    (found,) = (
        each for each in prescriptions.ENTRIES if each.setting.startswith(setting) and each.source.startswith(source)
    )
    return found


def _rate(entry: Entry, point: Point) -> float:
    """The rate that the paper claims of the population risk."""
    return added(power.value(point) for power in (entry.rate, entry.private) if power is not None)


def _bound(run: Run) -> rates.Rate:
    if run.kappa == 0.0:
        return rates.without_noise(run)
    return rates.correlated(run) if run.lam > 0.0 else rates.independent(run)


def _derived(prescribe: Prescribe, point: Point) -> float:
    """The bound of the population risk at the prescribed parameters."""
    run = prescribe(point)
    return rates.population(run, _bound(run).total)


# Id, location, kind, the setting and the source of the paper's line, what is prescribed.
CASES: tuple[tuple[str, str, ClaimKind, str, str, Prescribe], ...] = (
    ("corollary-5.3-follows", "Corollary 5.3", "theorem", "DP-SGD, correlated", "Corollary 5.3", prescriptions.corollary_5_3),
    ("corollary-5.5-follows", "Corollary 5.5", "theorem", "DP-SGD, independent", "Corollary 5.5", prescriptions.corollary_5_5),
    ("corollary-5.6-follows", "Corollary 5.6", "theorem", "mini-batch SGD", "Corollary 5.6", prescriptions.corollary_5_6),
    ("dp-gd-follows", "Sec. 5.2, App. D.3", "text", "DP-GD", "Sec. 5.2", prescriptions.full_batch_private),
    ("gd-follows", "Sec. 5.3, App. E", "text", "GD", "App. E", prescriptions.full_batch),
)  # fmt: skip
# Id of the claim on the margin, location, setting, what is prescribed, words, power of gamma.
IMPROVEMENTS: tuple[tuple[str, str, str, Prescribe, str, float], ...] = (
    ("dp-gd-margin", "Sec. 5.2 (comparison)", "DP-GD", prescriptions.full_batch_private,
     "reduces the privacy-dependent loss by one power of gamma", 1.0),
    ("gd-margin", "Sec. 5.3 (comparison)", "GD", prescriptions.full_batch,
     "yields the sharper rate 1/(gamma^2 n), where 1/(gamma^4 n) was known", 2.0),
)  # fmt: skip


def _corollaries() -> Iterator[Claim]:
    for name, place, kind, setting, source, prescribe in CASES:
        entry = _entry(setting, source)
        near, wide = (_largest(prescribe, entry, grid) for grid in (NEAR, WIDE))
        yield claim(
            id=name, artefact=ARTEFACT, location=place, kind=kind, source="identity",
            statement="(algebra) the theorem's bound at the prescribed B, T, eta, m and kappa is of the order of the displayed rate",
            quantity="bound of the population risk over the rate, logarithms dropped: its largest over a wide range of n, gamma, d and eps over that of a narrow range",
            measured=exactly(wide / near), criterion=at_most(SAME_ORDER, ": the same order"),
            note=f"the ratio is {near:.3g} at most over the narrow range and {wide:.3g} over the wide one; what is fixed in the text, rho and lambda, is in it",
        )  # fmt: skip


def _largest(prescribe: Prescribe, entry: Entry, grid: Sequence[Sequence[float]]) -> float:
    """Largest ratio of bound and rate over all places of a grid."""
    points = (Point(n, d, gamma, eps) for n, gamma, d, eps in itertools.product(*grid))
    return max(_derived(prescribe, point) / _rate(entry, point) for point in points)


def _power_of_gamma(value: Callable[[Point], float], gamma: float = 1e-4) -> float:
    """Exponent of gamma, read off two near places where n is very large."""
    low, high = (value(Point(FAR, 4.0, each, 1.0)) for each in (gamma, gamma * STEP))
    return math.log(high / low) / math.log(STEP)


def _improvements() -> Iterator[Claim]:
    for margin, place, setting, prescribe, words, powers in IMPROVEMENTS:
        before = _entry(setting, "Wang et al.")
        theirs, derived = _power_of_gamma(partial(_rate, before)), _power_of_gamma(partial(_derived, prescribe))
        yield claim(
            id=margin, artefact=ARTEFACT, location=place, kind="text", source="identity",
            statement=f"(algebra) specialised to B = n the bound {words}",
            quantity="power of gamma of the derived bound less that of Wang et al. (2026)",
            measured=exactly(derived - theirs), criterion=about(powers, RATE),
            note=f"derived {derived:.3g}, quoted {theirs:.3g}; the earlier result trains both layers, this one has a fixed second layer",
        )  # fmt: skip


def _residuals() -> Iterator[Claim]:
    entry = _entry("DP-SGD, correlated", "Corollary 5.3")
    points = [Point(n, d, gamma, eps) for n, gamma, d, eps in itertools.product(*WIDE)]
    yield claim(
        id="corollary-5.3-residual", artefact=ARTEFACT, location="Corollary 5.3", kind="theorem", source="identity",
        statement="(algebra) delta <= min(1/(n sqrt(m)), gamma/n) makes the residual term of lower order than the rate",
        quantity="(sqrt(m) + R_*) delta over the rate, R_* of the order of 1/gamma, logarithms dropped: its largest over a wide range of n, gamma, d and eps",
        measured=exactly(max(_residual(point) / _rate(entry, point) for point in points)), criterion=at_most(SAME_ORDER, ": no larger order"),
    )  # fmt: skip
    near, wide = (
        max(_summed(Point(n, d, gamma, eps)) for n, gamma, d, eps in itertools.product(*grid)) for grid in (NEAR, WIDE)
    )
    yield claim(
        id="corollary-c.24-width", artefact=ARTEFACT, location="Corollary C.24", kind="theorem", source="identity",
        statement="(algebra) in the representative regime T A_corr is of the order of gamma^-2",
        quantity="T A_corr gamma^2 at Corollary 5.3's run, logarithms dropped: its largest over a wide range of n, gamma, d and eps over that of a narrow range",
        measured=exactly(wide / near), criterion=at_most(SAME_ORDER, ": the same order"), note=f"at most {near:.3g} over the narrow range and {wide:.3g} over the wide one",
    )  # fmt: skip


def _residual(point: Point) -> float:
    run = prescriptions.corollary_5_3(point)
    return (math.sqrt(run.m) + 1.0 / point.gamma) * run.delta


def _summed(point: Point) -> float:
    run = prescriptions.corollary_5_3(point)
    return run.T * rates.correlated(run).total * point.gamma**2
