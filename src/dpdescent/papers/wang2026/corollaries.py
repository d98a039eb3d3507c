"""Prescriptions of wang2026's corollaries, the rates that it derives and compares, and whether they follow (Secs. 1, 5).

Constants are 1 and logarithms dropped, also those that the text calls polylog in the width. The claims are arithmetic on
the text: no table can change them.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from dpdescent.checks import require_positive
from dpdescent.papers.wang2026 import rates
from dpdescent.papers.wang2026.criteria import RATE, SAME_ORDER, claim
from dpdescent.papers.wang2026.rates import Rate, Run
from dpdescent.papers.wang2026.setting import Row, Spec
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence
from dpdescent.replication.judging.statistics import exactly
from dpdescent.sums import added


@dataclass(frozen=True)
class Point:
    """A setting for which the paper prescribes a run: records, dimension of the inputs, NTK margin, epsilon."""

    n: float
    d: float
    gamma: float
    eps: float

    def __post_init__(self) -> None:
        require_positive(n=self.n, d=self.d, gamma=self.gamma, eps=self.eps)


def corollary_5_3(point: Point, *, rho: float = 0.2, lam: float = 0.5, eta: float = 1.0) -> Run:
    """Returns the run with correlated noise of wang2026 Corollary 5.3.

    `B = rho n`, `T = min(sqrt(n)/gamma, n eps gamma^2/sqrt(d))`, `m = gamma^-6`, where eta is of order 1; kappa of
    Theorem 5.1 without logarithms.
    """
    p = point
    T = min(math.sqrt(p.n) / p.gamma, p.n * p.eps * p.gamma**2 / math.sqrt(p.d))
    m = p.gamma**-6
    delta = min(1.0 / (p.n * math.sqrt(m)), p.gamma / p.n)
    kappa = theorem_5_1(T, rho, lam, p.eps)
    return Run(p.n, rho * p.n, T, m, p.d, p.gamma, eta, lam, kappa, delta)


def corollary_5_5(point: Point) -> Run:
    """Returns the run with independent noise of wang2026 Corollary 5.5.

    `B = gamma sqrt(n)`, `eta = min(1, gamma^2 sqrt(n) eps/sqrt(d))`, `T = sqrt(n)/gamma`, `m = gamma^-4`; kappa of
    Theorem 5.4 without logarithms.
    """
    p = point
    B, T = p.gamma * math.sqrt(p.n), math.sqrt(p.n) / p.gamma
    eta = min(1.0, p.gamma**2 * math.sqrt(p.n) * p.eps / math.sqrt(p.d))
    kappa = theorem_5_4(T, B / p.n, p.eps)
    return Run(p.n, B, T, p.gamma**-4, p.d, p.gamma, eta, 0.0, kappa, p.gamma / p.n)


def corollary_5_6(point: Point) -> Run:
    """Returns the run without noise of wang2026 Corollary 5.6.

    `B = gamma sqrt(n)`, `eta = B/n`, `T = n^2/(gamma^2 B)`, `m = gamma^-4`.
    """
    p = point
    B = p.gamma * math.sqrt(p.n)
    return Run(
        p.n,
        B,
        p.n**2 / (p.gamma**2 * B),
        p.gamma**-4,
        p.d,
        p.gamma,
        B / p.n,
        0.0,
        0.0,
        _failure_probability(1.0 / p.gamma, p),
    )


def full_batch_private(point: Point) -> Run:
    """Returns the run of DP-GD (wang2026 end of App. D.3).

    `B = n`, `eta = min(1, eps/(gamma sqrt(md)))`, `m = gamma^-4`, and `T = n`, as its kappa implies.
    """
    p = point
    m = p.gamma**-4
    eta = min(1.0, p.eps / (p.gamma * math.sqrt(m * p.d)))
    return Run(p.n, p.n, p.n, m, p.d, p.gamma, eta, 0.0, theorem_5_4(p.n, 1.0, p.eps), _failure_probability(p.gamma, p))


def full_batch(point: Point) -> Run:
    """Returns the run of GD: `B = n`, `eta = 1`, `T = n/gamma^2`, `m = gamma^-4` (wang2026 end of App. E)."""
    p = point
    return Run(
        p.n, p.n, p.n / p.gamma**2, p.gamma**-4, p.d, p.gamma, 1.0, 0.0, 0.0, _failure_probability(1.0 / p.gamma, p)
    )


def _failure_probability(scale: float, point: Point) -> float:
    """Returns scale / n, and at most 1/2, because it has to be a probability."""
    return min(0.5, scale / point.n)


def theorem_5_1(T: float, r: float, lam: float, eps: float) -> float:
    """Returns kappa of correlated noise, no logarithms: `(1-lam^T)/(1-lam) sqrt(rT) / eps` (wang2026 Theorem 5.1)."""
    require_positive(T=T, r=r, eps=eps)
    return float(math.sqrt(r * T) * (1.0 - lam**T) / (1.0 - lam) / eps)


def theorem_5_4(T: float, r: float, eps: float) -> float:
    """Returns kappa of independent noise without logarithms, `r sqrt(T) / eps` (wang2026 Theorem 5.4)."""
    require_positive(T=T, r=r, eps=eps)
    return r * math.sqrt(T) / eps


@dataclass(frozen=True)
class Power:
    """An order of magnitude, `n^a gamma^b d^c eps^e`, by its powers."""

    n: float
    gamma: float = 0.0
    d: float = 0.0
    eps: float = 0.0

    def value(self, point: Point) -> float:
        """Returns the value of this product of powers at a point."""
        return float(point.n**self.n * point.gamma**self.gamma * point.d**self.d * point.eps**self.eps)


@dataclass(frozen=True)
class Entry:
    """An algorithm and its rate, which the paper compares with others (wang2026 Secs. 1 and 5).

    Attributes:
        setting: algorithm.
        source: where the rate is stated, or the paper that it is from.
        rate: order of the part of the population risk that comes from sampling; None where none is quoted.
        private: order of the part that privacy adds; None without privacy.
        width: least power of gamma in the width; None where there is no width.
        empirical: order of the averaged empirical risk, where the text has another one than `rate`.
    """

    setting: str
    source: str
    rate: Power | None
    private: Power | None
    width: float | None
    empirical: Power | None = None


def _privacy_term(gamma: float) -> Power:
    return Power(-1.0, gamma, 0.5, -1.0)


ENTRIES = (
    Entry("GD", "Wang et al. 2026", Power(-1.0, -4.0), None, -6.0),
    Entry("GD, fixed second layer", "App. E", Power(-1.0, -2.0), None, -4.0, Power(-1.0)),
    Entry("mini-batch SGD", "Corollary 5.6", Power(-1.0, -2.0), None, -4.0, Power(-1.0)),
    Entry("DP-GD", "Wang et al. 2026", None, _privacy_term(-4.0), -6.0),
    Entry("DP-GD, fixed second layer", "Sec. 5.2, App. D.3", None, _privacy_term(-3.0), -4.0),
    Entry("DP-SGD, independent noise", "Corollary 5.5", Power(-0.5, -1.0), _privacy_term(-3.0), -4.0),
    Entry("DP-SGD, correlated noise", "Corollary 5.3", Power(-0.5, -1.0), _privacy_term(-4.0), -6.0),
    Entry("convex DP-SCO, lower bound", "Bassily et al. 2019", Power(-0.5), _privacy_term(0.0), None),
)  # fmt: skip


INSERTED = "general bound at the prescription"
# By source of an entry: the run that it prescribes, and the bound that is evaluated at that run.
DERIVED: dict[str, tuple[Callable[[Point], Run], Callable[[Run], Rate]]] = {
    "App. E": (full_batch, rates.without_noise),
    "Corollary 5.6": (corollary_5_6, rates.without_noise),
    "Sec. 5.2, App. D.3": (full_batch_private, rates.independent),
    "Corollary 5.5": (corollary_5_5, rates.independent),
    "Corollary 5.3": (corollary_5_3, rates.correlated),
}


def run_table_rates(spec: Spec) -> Iterator[Row]:
    """Yields the orders of every entry as powers and as values, and the general bound at its prescription."""
    point = Point(*(spec["cell"][name] for name in ("n", "d", "gamma", "eps")))
    for number, entry in enumerate(ENTRIES):
        own = {"row": number, "setting": entry.setting, "source": entry.source, "series": "order", "trial": 0}
        powers = {
            "rate": entry.rate, "rate, privacy": entry.private, "rate, empirical risk": entry.empirical,
            "width": None if entry.width is None else Power(0.0, entry.width),
        }  # fmt: skip
        for quantity, power in powers.items():
            if power is None:
                continue
            yield {
                **own, "quantity": quantity, "n_power": power.n, "gamma_power": power.gamma, "d_power": power.d,
                "eps_power": power.eps, "value": power.value(point),
            }  # fmt: skip
        if entry.source in DERIVED:
            blank = dict.fromkeys(("n_power", "gamma_power", "d_power", "eps_power"), math.nan)
            yield {**own, "quantity": INSERTED, **blank, "value": inserted(entry.source, point)}


def inserted(source: str, point: Point) -> float:
    """Returns the population bound at the prescription of a source."""
    prescribe, bound = DERIVED[source]
    run = prescribe(point)
    return rates.population(run, bound(run).total)


ARTEFACT = "table_rates"
# Grids of n, gamma, d and eps. Either term of a rate is the larger one somewhere on the wide one, so that a missing
# power shows. T is at least 1 throughout.
NEAR = ((1e4, 1e14), (0.1, 1.0), (1.0, 10.0), (0.1, 1.0))
WIDE = ((1e12, 1e14, 1e20, 1e30), (1e-3, 1e-2, 0.1, 1.0), (1.0, 10.0, 1e3, 1e5), (1e-3, 0.1, 1.0))
# The number of records at which powers are read off, so large that terms which fall faster are gone, and a ratio.
FAR, STEP = 1e30, 1.01


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on corollaries and improvements, which read no table."""
    yield from _corollaries()
    yield from _improvements()
    yield from _residual_and_width()


# Id, location, kind, the source of the paper's rate.
CASES: tuple[tuple[str, str, ClaimKind, str], ...] = (
    ("corollary-5.3-follows", "Corollary 5.3", "theorem", "Corollary 5.3"),
    ("corollary-5.5-follows", "Corollary 5.5", "theorem", "Corollary 5.5"),
    ("corollary-5.6-follows", "Corollary 5.6", "theorem", "Corollary 5.6"),
    ("dp-gd-follows", "Sec. 5.2, App. D.3", "text", "Sec. 5.2, App. D.3"),
    ("gd-follows", "Sec. 5.3, App. E", "text", "App. E"),
)
# Id of the claim on the margin, location, setting of the earlier rate, source of the new rate, words, power of gamma.
IMPROVEMENTS = (
    ("dp-gd-margin", "Sec. 5.2 (comparison)", "DP-GD", "Sec. 5.2, App. D.3",
     "reduces the privacy-dependent loss by one power of gamma", 1.0),
    ("gd-margin", "Sec. 5.3 (comparison)", "GD", "App. E",
     "yields the sharper rate 1/(gamma^2 n), where 1/(gamma^4 n) was known", 2.0),
)  # fmt: skip


def displayed_rate(source: str, point: Point, setting: str = "") -> float:
    """The rate of the population risk that the paper claims for a source, or for one setting of a source."""
    (entry,) = (
        candidate
        for candidate in ENTRIES
        if candidate.source == source and candidate.setting == (setting or candidate.setting)
    )
    return added(power.value(point) for power in (entry.rate, entry.private) if power is not None)


def _corollaries() -> Iterator[Claim]:
    for name, place, kind, source in CASES:
        near, wide = near_and_wide(partial(_over_rate, source))
        yield claim(
            id=name, artefact=ARTEFACT, location=place, kind=kind, source="identity",
            statement="(algebra) the theorem's bound at the prescribed B, T, eta, m and kappa is of the order of the displayed rate",
            quantity="bound of the population risk over the rate, logarithms dropped: its largest over a wide range of n, gamma, d and eps over that of a narrow range",
            measured=exactly(wide / near), criterion=at_most(SAME_ORDER, ": the same order"),
            note=f"the ratio is {near:.3g} at most over the narrow range and {wide:.3g} over the wide one; what is fixed in the text, rho and lambda, is in it",
        )  # fmt: skip


def points(grid: Sequence[Sequence[float]]) -> Iterator[Point]:
    """All points of a grid over n, gamma, d and eps."""
    return (Point(n, d, gamma, eps) for n, gamma, d, eps in itertools.product(*grid))


def near_and_wide(value: Callable[[Point], float]) -> tuple[float, float]:
    """The largest value over the narrow range of n, gamma, d and eps, and over the wide one."""
    near, wide = (max(map(value, points(grid))) for grid in (NEAR, WIDE))
    return near, wide


def _power_of_gamma(value: Callable[[Point], float], gamma: float = 1e-4) -> float:
    """The exponent of gamma, read off two near margins where n is very large."""
    low, high = (value(Point(FAR, 4.0, margin, 1.0)) for margin in (gamma, gamma * STEP))
    return math.log(high / low) / math.log(STEP)


def _improvements() -> Iterator[Claim]:
    for margin, place, setting, source, words, powers in IMPROVEMENTS:
        quoted = _power_of_gamma(partial(displayed_rate, "Wang et al. 2026", setting=setting))
        derived = _power_of_gamma(partial(inserted, source))
        yield claim(
            id=margin, artefact=ARTEFACT, location=place, kind="text", source="identity",
            statement=f"(algebra) specialised to B = n the bound {words}",
            quantity="power of gamma of the derived bound less that of Wang et al. (2026)",
            measured=exactly(derived - quoted), criterion=within_of(powers, RATE),
            note=f"derived {derived:.3g}, quoted {quoted:.3g}; the earlier result trains both layers, this one has a fixed second layer",
        )  # fmt: skip


def _residual_and_width() -> Iterator[Claim]:
    residuals = []
    for point in points(WIDE):
        run = corollary_5_3(point)
        residuals.append((math.sqrt(run.m) + 1.0 / point.gamma) * run.delta / displayed_rate("Corollary 5.3", point))
    yield claim(
        id="corollary-5.3-residual", artefact=ARTEFACT, location="Corollary 5.3", kind="theorem", source="identity",
        statement="(algebra) delta <= min(1/(n sqrt(m)), gamma/n) makes the residual term of lower order than the rate",
        quantity="(sqrt(m) + R_*) delta over the rate, R_* of the order of 1/gamma, logarithms dropped: its largest over a wide range of n, gamma, d and eps",
        measured=exactly(max(residuals)), criterion=at_most(SAME_ORDER, ": no larger order"),
    )  # fmt: skip
    near, wide = near_and_wide(_scaled_total)
    yield claim(
        id="corollary-c.24-width", artefact=ARTEFACT, location="Corollary C.24", kind="theorem", source="identity",
        statement="(algebra) in the representative regime T A_corr is of the order of gamma^-2",
        quantity="T A_corr gamma^2 at Corollary 5.3's run, logarithms dropped: its largest over a wide range of n, gamma, d and eps over that of a narrow range",
        measured=exactly(wide / near), criterion=at_most(SAME_ORDER, ": the same order"), note=f"at most {near:.3g} over the narrow range and {wide:.3g} over the wide one",
    )  # fmt: skip


def _over_rate(source: str, point: Point) -> float:
    return inserted(source, point) / displayed_rate(source, point)


def _scaled_total(point: Point) -> float:
    run = corollary_5_3(point)
    return run.T * rates.correlated(run).total * point.gamma**2
