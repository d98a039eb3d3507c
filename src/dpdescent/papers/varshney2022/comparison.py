"""Other methods: their bounds as varshney2022 quotes them, constants set to 1, and their risks beside DP-AMBSSGD's.

The paper has no table; the entries stand in its abstract, Secs. 1, 1.3 and 3, and the remarks on its theorems. They are
quoted, not checked against the works themselves. Logarithms are left out, so that values are orders and no bounds.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from dpdescent.checks import as_list, require_non_negative, require_positive
from dpdescent.papers.varshney2022 import criteria
from dpdescent.papers.varshney2022.criteria import (
    MEDIAN,
    SAME_ORDER,
    SIGNIFICANT,
    SMALL_NOISE,
    Quantile,
    claim_on_all_cells,
    risks,
    rows,
)
from dpdescent.papers.varshney2022.setting import ADA_SSP, AMBSSGD, DP_GD, FIXED, OLS, SSGD, Row, Spec
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.bound_rows import place_text, rounded_equality_row
from dpdescent.replication.judging.criteria import at_least, at_most, between, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, ClaimKind, Evidence, Source, Unjudged
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly

# Quoted bounds ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """A size at which entries are evaluated, for x ~ N(0, I).

    Attributes:
        d: dimension.
        records: N.
        sigma: sd of the label noise.
        eps: privacy parameter.
        w_norm: |w*|.
    """

    d: int
    records: float
    sigma: float
    eps: float
    w_norm: float = 1.0

    def __post_init__(self) -> None:
        require_positive(d=self.d, records=self.records, eps=self.eps)
        require_non_negative(sigma=self.sigma, w_norm=self.w_norm)

    @property
    def sampling(self) -> float:
        """Term of sampling, sigma^2 d / N."""
        return self.sigma**2 * self.d / self.records

    @property
    def privacy(self) -> float:
        """Term of privacy d^2 / (eps N)^2 per unit of squared scale."""
        return (self.d / (self.eps * self.records)) ** 2


@dataclass(frozen=True)
class Entry:
    """One method with its bound and its sample size, as the paper quotes them.

    Attributes:
        method: name, with the quoted work.
        bound: excess risk as text.
        sample_size: N that it needs, as text; empty where none is quoted.
        risk: excess risk at a point, constants 1.
        holds: whether the bound is quoted for a point.
    """

    method: str
    bound: str
    sample_size: str
    risk: Callable[[Point], float]
    holds: Callable[[Point], bool] = lambda point: True


def dp_ambssgd(point: Point) -> float:
    """Bound `sigma^2 d / N + sigma^2 d^2 / (eps N)^2` (varshney2022 Thm 3.7 at kappa = 1)."""
    return point.sampling + point.sigma**2 * point.privacy


def dp_ssgd(point: Point) -> float:
    """Bound `sigma^2 d / N + (|w*|^2 + sigma^2) d^2 / (eps N)^2` (varshney2022 Cor. 3.3)."""
    return point.sampling + (point.w_norm**2 + point.sigma**2) * point.privacy


def cai(point: Point) -> float:
    """Bound `sigma^2 d / N + (d |w*|^2 + sigma^2) d^2 / (eps N)^2` (varshney2022, after Thm 1.1)."""
    return point.sampling + (point.d * point.w_norm**2 + point.sigma**2) * point.privacy


def efficient_without_noise(point: Point) -> float:
    """Bound `d^3 / (eps N)^2`, quoted for sigma = 0 (varshney2022, abstract)."""
    return point.d * point.w_norm**2 * point.privacy


def convex_optimisation(point: Point) -> float:
    """Bound `L |C| (1 / sqrt(N) + sqrt(d) / (eps N))` at L = d and |C| = |w*| (varshney2022 Sec. 1.3)."""
    rate = 1.0 / math.sqrt(point.records) + math.sqrt(point.d) / (point.eps * point.records)
    return point.d * point.w_norm * rate


FREE, CAI = "without privacy", "Cai et al. 2021"
# Without sufficient statistics (Sec. 1.3) and DP-SGD with replacement (Sec. 3), because only their sample sizes, d^1.5,
# are quoted.
ENTRIES = (
    Entry(FREE, "sigma^2 d/N", "d", lambda point: point.sampling),
    Entry("lower bound (Cai et al. 2021)", "sigma^2 d/N + sigma^2 d^2/(eps N)^2", "", dp_ambssgd),
    Entry(CAI, "sigma^2 d/N + (d |w*|^2 + sigma^2) d^2/(eps N)^2", "d^1.5", cai),
    Entry(
        "efficient methods at sigma = 0", "d^3/(eps N)^2", "d^1.5", efficient_without_noise,
        lambda point: point.sigma == 0.0,
    ),
    Entry(
        "DP-ERM, DP-SCO (Bassily et al. 2019, 2020)", "L |C| (1/sqrt(N) + sqrt(d)/(eps N)), L = d", "d^2",
        convex_optimisation,
    ),
    Entry("Liu et al. 2021", "as DP-AMBSSGD, in exponential time", "d", dp_ambssgd),
    Entry(
        SSGD, "sigma^2 d/N + (|w*|^2 + sigma^2) d^2/(eps N)^2", "d^2, at eps <= 1/sqrt(N)", dp_ssgd,
        lambda point: point.eps <= point.records**-0.5 * (1.0 + 1e-12),
    ),
    Entry(AMBSSGD, "sigma^2 d/N + sigma^2 d^2/(eps N)^2", "d", dp_ambssgd),
)  # fmt: skip


def run_table_bounds(spec: Spec) -> Iterator[Row]:
    """Yields a row for each method, label noise and epsilon for which the paper quotes a bound."""
    cell, arms = spec["cell"], spec["arms"]
    if spec["trials"][0] > 0:
        return
    for entry, sigma, eps in product(ENTRIES, as_list(arms["sigma"]), as_list(arms["eps"])):
        point = Point(cell["d"], cell["N"], sigma, eps, spec["settings"]["w_norm"])
        if not entry.holds(point):
            continue
        value, ours = entry.risk(point), dp_ambssgd(point)
        yield {
            "method": entry.method, "bound": entry.bound, "sample_size": entry.sample_size, "d": point.d,
            "N": cell["N"], "sigma": sigma, "eps": eps, "series": "bound, constants 1", "trial": 0, "value": value,
            "over_ours": value / ours if ours > 0.0 else float("nan" if value == 0.0 else "inf"),
        }  # fmt: skip


def free_epsilon(d: int, records: float) -> float:
    """Epsilon sqrt(d / N), above which privacy costs no more than sampling does (varshney2022 Sec. 1)."""
    require_positive(d=d, records=records)
    return math.sqrt(d / records)


def private_share(c: float) -> float:
    """Ratio 1/c^2 of privacy's term to sampling's at eps = c sqrt(d/N); the text has 1/c (varshney2022 Sec. 1)."""
    require_positive(c=c)
    return 1.0 / c**2


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the ratio of privacy's term to sampling's at eps = c sqrt(d / N) for two c at which privacy is free."""
    for row in algebra.rows_of(rows(evidence, "risk_vs_eps", series=AMBSSGD).drop_duplicates(["N", "d", "sigma"])):
        d, N = int(row["d"]), float(row["N"])
        for c in (2.0, 10.0):
            point = Point(d, N, 1.0, c * free_epsilon(d, N))
            where = f"{place_text('eps = c sqrt(d/N)', row, 'N', 'd', 'sigma')}, c={c:g}"
            ratio, why = point.privacy / point.sampling, "measured is the one term over the other"
            yield rounded_equality_row("privacy's term over sampling's", "Sec. 1", where, private_share(c), ratio, why)


# Claims -------------------------------------------------------------------------------------------------------------

# Claims that no table can judge: id, artefact, location, kind, statement, kind of reason, reason.
OPEN: tuple[tuple[str, str, str, ClaimKind, str, Unjudged, str], ...] = (
    ("liu-exponential", "table_bounds", "Sec. 1", "text", "Liu et al. (2021) have strong error rates too, at a cost exponential in d and N", "literature", "cited; no such method is run here"),
    ("cai-restricted", "table_bounds", "Sec. 1 (after Thm 1.1)", "text", "the bound of Cai et al. (2021) is stated for sigma >= sqrt(d) only, so that matching bounds hold for specific sigma",
     "literature", "about another paper's text"),
    ("wang-lipschitz", "table_bounds", "Sec. 1 (after Thm 1.1)", "text", "the optimal dependence on d of Wang et al. (2017) hides a Lipschitz constant, an additional sqrt(d)", "literature", "about another paper's text"),
    ("warm-start", "risk_vs_n", "Remark (ii) after Thm 3.7", "theorem", "log(N/sigma) iterations of DP-SGD from the output remove the term |w*|_H^2 / N^100",
     "out of reach", "budget, threshold and noise of that stage are not given, and the term is N^-100; fewer iterations, which leave more of the start where kappa > 1, are not the theorem's, and log(N/sigma) steps without kappa would not remove it there"),
    ("phases", "risk_vs_kappa", "Remark (iv) after Thm 3.7", "theorem", "several batch sizes with tail averages of each phase can perhaps reduce the dependence on kappa",
     "opinion", "a conjecture about an algorithm that is not given"),
    ("kappa-optimal", "risk_vs_kappa", "Sec. 1, Sec. 4", "text", "for first-order methods a dependence on kappa is expected; the optimal one is not clear", "opinion", "an open question"),
    ("hyperparameters", "risk_vs_n", "Remark after Thm 3.1", "theorem", "R_x, |w*|, sigma, kappa and eigenvalues are known a priori, or can be estimated privately at the same rates",
     "opinion", "an assumption; our runs take them as public too"),
    ("any-data", "audit", "Remark after Thm 3.1, remark (vi) after Thm 3.7", "privacy", "the guarantee of privacy holds for every data set, whatever their law",
     "out of reach", "a statement about all data sets; attacks on one pair are in the claims called audit"),
    ("first-to-demonstrate", "risk_vs_n", "Sec. 1.1", "text", "DP-AMBSSGD is the first to demonstrate the advantage of adaptive clipping formally", "literature", "about the literature; the advantage itself is judged by adaptive-better"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges bounds, then measured risks beside that of DP-AMBSSGD; lists the claims that no table can judge."""
    yield from _bounds(evidence)
    yield from _risks(evidence)
    for id, artefact, location, kind, statement, why, because in OPEN:
        yield criteria.untestable_claim(
            id=id, artefact=artefact, location=location, kind=kind, source="paper", statement=statement, why=why,
            because=because,
        )  # fmt: skip


# Claims on bounds ------------------------------------------------------------------------------------------------------

QUOTED: Place = {"artefact": "table_bounds", "location": "Remark (v) after Thm 3.7", "kind": "theorem", "source": "identity"}  # fmt: skip
AT = ["d", "N", "sigma", "eps"]


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    """Judges the text's comparisons of bounds, which are algebra."""

    def private_terms(method: str) -> pd.DataFrame:
        """Rows of a method's bound less sigma^2 d/N."""
        whole, sampling = (rows(evidence, "table_bounds", method=name) for name in (method, FREE))
        return algebra.differences(whole, sampling, AT)

    others, ssgd, ours = (private_terms(method) for method in (CAI, SSGD, AMBSSGD))
    yield claim_on_all_cells(
        # An identity, because d |w*|_H^2 / sigma^2 + 1 is at least 2 wherever sigma <= sqrt(d).
        id="bound-significantly-better", **QUOTED | {"location": "Sec. 1 (after Thm 1.1)", "kind": "text"},
        statement="(algebra) the bound of existing methods is significantly sub-optimal for sigma <= sqrt(d)",
        quantity="(algebra) term of privacy of the bound quoted for Cai et al. over that of DP-AMBSSGD, constants 1, at sigma <= sqrt(d): the smallest",
        cells=algebra.ratios(others, ours, AT), criterion=at_least(SIGNIFICANT),
        note="(d |w*|_H^2 + sigma^2) / sigma^2; logarithms are left out of both",
    )  # fmt: skip
    dimensions = (10, 100, 1000)
    noisy = [Point(d, 1e6, c * math.sqrt(d), eps) for d, c, eps in product(dimensions, (1.0, 3.0, 10.0), (1e-3, 1.0))]
    yield claim_on_all_cells(
        # An identity, because (d |w*|^2 + sigma^2) / sigma^2 is 2 at most wherever sigma >= sqrt(d) |w*|.
        id="bound-matches-noisy", **QUOTED | {"location": "Sec. 1 (after Thm 1.1)", "kind": "text"},
        statement="(algebra) for sigma >= sqrt(d) the bound quoted for Cai et al. matches their lower bound, up to a constant",
        quantity="(algebra) bound quoted for Cai et al. over the lower bound, constants 1, N = 10^6, |w*| = 1: the largest over d from 10 to 1000, sigma from sqrt(d) to 10 sqrt(d) and eps",
        cells={f"d = {at.d}, sigma = {at.sigma:.3g}, eps = {at.eps:g}": exactly(cai(at) / dp_ambssgd(at)) for at in noisy}, criterion=at_most(SAME_ORDER),
        changed="The claim was added after a review.", note="that the text of Cai et al. has no smaller sigma is a matter of the literature",
    )  # fmt: skip
    least = [_records_of_convex_optimisation(d) for d in dimensions]
    yield criteria.claim(
        # An identity, because the bound is quoted, L = d is put in, and nothing of it is run.
        id="sco-sample-size", **QUOTED | {"location": "Sec. 1.3", "kind": "text"},
        statement="(algebra) private convex optimisation with L of about d gives N = Omega~(d^2) for linear regression",
        quantity="(algebra) log-log slope in d, d = 10 to 1000, of the least N at which L |C| (1/sqrt(N) + sqrt(d)/(eps N)) is at most 0.1, L = d, |C| = 1, eps = 1",
        measured=algebra.least_squares_slope(pd.DataFrame({"d": dimensions, "mean": least, "se": math.nan}), "d"), criterion=within_of(2.0, criteria.RATE),
        changed="Before a third reading it was called literature.", note="as all terms are printed; the second asks for d^1.5 alone",
    )  # fmt: skip
    ratios = criteria.gains(others, ours, AT)
    factors = algebra.scaled_rows(ratios, floats(ratios, "sigma") ** 2 / floats(ratios, "d"))
    yield claim_on_all_cells(
        id="bound-factor", **QUOTED,
        statement="(algebra) the second term is smaller than that of existing results by O(d) and a factor sigma^2",
        quantity="(algebra) term of privacy of the bound quoted for Cai et al. over that of DP-AMBSSGD, constants 1, over d / sigma^2: the one that is furthest off",
        cells=algebra.means(factors, AT), criterion=between(1 / SAME_ORDER, SAME_ORDER),
        note="at |w*|_H = 1",
    )  # fmt: skip
    worse = criteria.in_units(criteria.gains(others, ssgd, AT), lambda table: floats(table, "d"))
    yield claim_on_all_cells(
        id="bound-ssgd", **QUOTED | {"location": "Remark (ii) after Thm 3.2"},
        statement="(algebra) the term of privacy of existing methods is O(d) worse than that of DP-SSGD",
        quantity="(algebra) term of privacy of the bound quoted for Cai et al. over that of DP-SSGD, constants 1, over d: the one that is furthest off",
        cells=algebra.means(worse, AT), criterion=between(1 / SAME_ORDER, SAME_ORDER),
        note="|w*|_H^2 / (|w*|_H^2 + sigma^2)",
    )  # fmt: skip

    bound, lowest = (rows(evidence, "table_bounds", method=name) for name in (SSGD, ENTRIES[1].method))
    yield claim_on_all_cells(
        # An identity, because (1 + sigma^2) / sigma^2 is 2 at |w*| = sigma = 1.
        id="bound-ssgd-optimal", **QUOTED | {"location": "Sec. 1.1", "kind": "text"},
        statement="(algebra) for small eps and sigma of order 1 the bound of DP-SSGD is optimal",
        quantity="(algebra) bound of DP-SSGD over the lower bound quoted of Cai et al., constants 1, at sigma = 1 and eps <= 1/sqrt(N): the largest",
        cells=algebra.ratios(bound[floats(bound, "sigma") == 1.0], lowest, AT), criterion=at_most(SAME_ORDER),
        note="1 + |w*|_H^2 / sigma^2 in the second term; logarithms are left out of both",
    )  # fmt: skip


def _records_of_convex_optimisation(d: int) -> float:
    """Least N at which the bound that is quoted for private convex optimisation is at most 0.1."""

    def above(logarithm: float) -> float:
        return math.log(convex_optimisation(Point(d, math.exp(logarithm), 0.0, 1.0)) / 0.1)

    return math.exp(brentq(above, 0.0, 60.0))


# Claims on risks -------------------------------------------------------------------------------------------------------

EXISTING = {FIXED: "a fixed threshold", ADA_SSP: "perturbed sufficient statistics (AdaSSP)"}
# Columns that name a place of other methods beside DP-AMBSSGD.
BESIDE = ["series", "panel", "N", "sigma"]
SUB_OPTIMAL: Place = {"artefact": "risk_vs_n", "location": "Sec. 1 (after Thm 1.1)", "kind": "text", "source": "paper"}


def _risks(evidence: Evidence) -> Iterator[Claim]:
    for id, source, words, small in (
        ("better-small-noise", "paper", "existing methods are significantly sub-optimal, especially for small sigma", True),
        ("better-any-noise", "ours", "(ours) the measured risk of existing methods is significantly larger for noisy labels too", False),
    ):  # fmt: skip
        better = partial(_better, evidence, id, cast(Source, source), words, small)
        yield criteria.at_both_quantiles(better)
    yield criteria.at_both_quantiles(lambda quantile: claim_on_all_cells(
        id="sub-optimal-by-sigma", **SUB_OPTIMAL | {"location": "Remark (v) after Thm 3.7", "kind": "theorem"},
        statement=f"(measured) the second term is smaller than that of existing results by a factor sigma^2 {criteria.BOTH_QUANTILES}",
        quantity=f"log-log slope in sigma, 0 < sigma <= {SMALL_NOISE:g}, of the risk of AdaSSP and of DP-GD over that of DP-AMBSSGD, where either is at least {SIGNIFICANT**2:g} sigma^2 d/N, mean over N: the one furthest from -2 over methods and eps; {criteria.PAIRED}",
        cells=_by_sigma(evidence, quantile), criterion=within_of(-2.0, criteria.LOGARITHMS),
        changed="The claim was added after a review, because a ratio of two is slack where it grows like sigma^-2. After a third reading it is called measured, because the remark is on bounds.",
        note="bound-factor compares the bounds. AdaSSP and full-batch DP-GD stand for the methods that the paper names",
    ))  # fmt: skip
    kappas, laws = (criteria.paired(evidence, artefact, ADA_SSP, AMBSSGD) for artefact in ("risk_vs_kappa", "tails"))
    kappas = kappas[floats(kappas, "kappa") > 1]
    laws = laws[(laws["factor"].astype(str) == "1.25") & laws["law"].isin(["Laplace", "dependent noise"])]
    beyond = {
        f"{axis}, {where}": ratio
        for axis, table in (("kappa", kappas), ("law", laws))
        for where, ratio in criteria.paired_ratios(table, [axis]).items()
    }
    yield claim_on_all_cells(
        id="better-beyond-normal", **SUB_OPTIMAL | {"artefact": "risk_vs_kappa", "source": "ours"},
        statement="(ours) existing methods are significantly sub-optimal for small sigma at kappa > 1 and under the other laws of Definition 2.1 too",
        quantity=f"AdaSSP's risk over that of DP-AMBSSGD at sigma = {SMALL_NOISE:g}: the smallest over kappa > 1 and laws; {criteria.PAIRED}",
        cells=beyond, criterion=at_least(SIGNIFICANT), changed=criteria.WERE_APART,
        note="DP-AMBSSGD at 8 kappa iterations and the factor 1.25; AdaSSP clips to bounds of normal records",
    )  # fmt: skip
    for id, artefact, series, panel, changed in (
        ("existing-rate-n-fixed-clip", "risk_vs_n", FIXED, "epsilon = 0.2", ""),
        ("existing-rate-n-statistics", "ext_privacy", ADA_SSP, "sufficient statistics", "Before a review forty runs on records decided, whose interval straddled the criterion."),
    ):  # fmt: skip
        table = risks(evidence, artefact, series, panel=panel, sigma=0)
        yield criteria.claim(
            id=id, artefact=artefact, location="Abstract", kind="text", source="paper",
            statement=f"the error of {EXISTING[series]} at sigma = 0 is O(1 / (eps N)^2)",
            quantity=f"log-log slope in N of the risk at sigma = 0 and eps = 0.2; {MEDIAN}",
            measured=algebra.exponent(table, "N"), criterion=at_most(-2.0 + criteria.LOGARITHMS), changed=changed,
            note=algebra.places_text(algebra.means(table, ["N"])),
        )  # fmt: skip
    yield claim_on_all_cells(
        id="existing-rate-eps", artefact="risk_vs_eps", location="Abstract", kind="text", source="paper",
        statement="the error of existing methods for privacy is O(d^3 / (eps N)^2), even for sigma = 0, so that it grows like eps^-2",
        quantity=f"log-log slope in eps, at the smallest sigma of the table, of {criteria.COST}: the one furthest from -2 over AdaSSP, DP-GD and mini-batches with a fixed threshold; {MEDIAN}",
        cells=_slopes_in_eps(evidence), criterion=within_of(-2.0, criteria.LOGARITHMS),
        changed="The claim was added after a review, with the tolerance of the existing rates in N; slopes were known when its cells were chosen.",
        note="sigma = 0.1, because the table has no run at 0; d^3 is judged by risk-grows-statistics and risk-grows-gradient",
    )  # fmt: skip
    yield _least_squares(evidence)
    for id, series in (("plateau-fixed-clip", FIXED), ("plateau-statistics", ADA_SSP)):
        table = criteria.paired(evidence, "risk_vs_n", f"{series} at sigma = 0", series, panel=criteria.MODERATE)
        yield claim_on_all_cells(
            id=id, artefact="risk_vs_n", location="Abstract", kind="text", source="ours",
            statement=f"(ours) the error of {EXISTING[series]} for privacy stays even for sigma = 0, since its threshold, and with it its noise, has |w*|",
            quantity=f"risk at sigma = 0 over that at the smallest sigma > 0: the smallest over N; {criteria.PAIRED}",
            cells=criteria.paired_ratios(algebra.rows_at_end(table, "sigma", largest=False), ["N"]), criterion=at_least(1 / SAME_ORDER), changed=f"{criteria.WERE_APART} After a review it is called ours, because noise that is fixed beforehand stays by construction.",
            note="a check of the runs; the paper's d^3 is judged by risk-grows-statistics and risk-grows-gradient, its (eps N)^-2 at sigma = 0 by the existing rates",
        )  # fmt: skip


def _slopes_in_eps(evidence: Evidence) -> Places:
    """Log-log slopes in eps of what privacy costs existing methods, by method, at the smallest label noise."""
    slopes: Places = {}
    for series in (ADA_SSP, DP_GD, FIXED):
        table = algebra.rows_at_end(risks(evidence, "risk_vs_eps", series), "sigma", largest=False)
        slopes[series] = algebra.exponent(criteria.cost_of_privacy(table), "eps")
    return slopes


def _better(
    evidence: Evidence, id: str, source: Source, words: str, small: bool, quantile: Quantile
) -> Claim:  # fmt: skip
    """Judges risks of existing methods beside DP-AMBSSGD's, at small label noise or at larger one."""
    others, private = _others(evidence, quantile)
    is_small = floats(others, "sigma") <= SMALL_NOISE
    where = f"sigma <= {SMALL_NOISE:g}" if small else f"sigma > {SMALL_NOISE:g}"
    ratios = criteria.paired_ratios(_beside(evidence, quantile), BESIDE)

    def at(places: NDArray[np.bool_]) -> Places:
        """Ratios at some of the rows of other methods."""
        return {place: ratios[place] for place in algebra.means(others[places], BESIDE) if place in ratios}

    everywhere = {place: ratio for place, ratio in ratios.items() if place.startswith(f"series = {DP_GD},")}
    least = min(everywhere.items(), key=lambda item: item[1].value, default=("none", NOTHING))
    return claim_on_all_cells(
        id=id, **SUB_OPTIMAL | {"source": source},
        statement=f"{words} {criteria.BOTH_QUANTILES}",
        quantity=f"risk of AdaSSP and of DP-GD over that of DP-AMBSSGD at {where}, where either is at least {SIGNIFICANT**2:g} sigma^2 d/N: the smallest over N and eps; {criteria.PAIRED}",
        cells=at(private & (is_small == small)), criterion=at_least(SIGNIFICANT),
        changed=f"{criteria.NOT_OURS} Before a second reading AdaSSP alone was judged, at risks near sigma^2 d/N too. {criteria.WERE_APART} After a third reading places are those where the risk of either method is at least 4 sigma^2 d/N, where that of the other one had to be 2, at which no method of one pass can be twice as good by more than chance.",
        note=f"AdaSSP stands for perturbed sufficient statistics, full-batch DP-GD at a fixed threshold for DP-SGD and noisy gradient descent. Of DP-GD anywhere the smallest is {least[1].value:.3g} at {least[0]}. "
        f"At sigma <= {SMALL_NOISE:g} left out, because neither risk is {SIGNIFICANT**2:g} times the floor sigma^2 d/N: {algebra.places_text(at(~private & is_small))}.",
    )  # fmt: skip


def _others(evidence: Evidence, quantile: Quantile) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Risks of AdaSSP and DP-GD, and whether privacy is most of the risk of either method at a row's place.

    Of either, because the bounds that are compared differ in that term only: of one alone would choose places by their
    outcome.
    """
    others, ours = (
        pd.concat([criteria.noisy(risks(evidence, "risk_vs_n", name, quantile.runs)) for name in names]).reset_index(drop=True)
        for names in ((ADA_SSP, DP_GD), (quantile.series,))
    )  # fmt: skip

    def is_private(table: pd.DataFrame) -> NDArray[np.bool_]:
        """Whether risks are at least four times sigma^2 d/N, which one pass has without privacy."""
        return np.asarray(floats(table, "mean") >= SIGNIFICANT**2 * criteria.first_term(table))

    shared = {algebra.place_of(row, BESIDE[1:]) for row in algebra.rows_of(ours[is_private(ours)])}
    ours_is = np.array([algebra.place_of(row, BESIDE[1:]) in shared for row in algebra.rows_of(others)], dtype=bool)
    return others, is_private(others) | ours_is


def _beside(evidence: Evidence, quantile: Quantile) -> pd.DataFrame:
    """Rows with the ratio of the risk of AdaSSP or DP-GD to that of DP-AMBSSGD."""
    return pd.concat([
        criteria.paired(evidence, "risk_vs_n", series, quantile.series, quantile.runs).assign(series=series)
        for series in (ADA_SSP, DP_GD)
    ]).reset_index(drop=True)  # fmt: skip


def _by_sigma(evidence: Evidence, quantile: Quantile) -> Places:
    """Exponents of sigma in those ratios, by method and epsilon: means over N, which have records of their own.

    They are at the N at which privacy is most of the risk of either method at every small label noise.
    """
    others, is_private = _others(evidence, quantile)
    private = algebra.means(others[is_private], BESIDE)
    table = _beside(evidence, quantile)
    table = table[floats(table, "sigma") <= SMALL_NOISE]
    known = [algebra.place_of(row, BESIDE) in private for row in algebra.rows_of(table)]
    table = table[np.array(known, dtype=bool)]
    slopes: dict[str, list[Estimate]] = {}
    for (series, panel, _), group in table.groupby(["series", "panel", "N"]):
        if group["sigma"].nunique() > 1:
            slopes.setdefault(f"{series}, {panel}", []).append(algebra.least_squares_slope(group, "sigma"))
    return {place: _mean(estimates) for place, estimates in slopes.items()}


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates."""
    value = float(np.mean([estimate.value for estimate in estimates]))
    half = math.hypot(*(estimate.high - estimate.value for estimate in estimates)) / len(estimates)
    return Estimate(value, value - half, value + half)


def _least_squares(evidence: Evidence) -> Claim:
    ols = criteria.noisy(rows(evidence, "risk_vs_n", panel=criteria.MODERATE, series=OLS))
    # One label noise, because the risks at all are those of the same records and normals, but for a factor.
    ols = algebra.rows_at_end(ols, "sigma")
    d, N = floats(ols, "d"), floats(ols, "N")
    law = floats(ols, "sigma") ** 2 * d / (2 * (N - d - 1))
    ratios = algebra.means(criteria.in_units(ols, lambda _: law), ["N", "sigma"])
    return claim_on_all_cells(
        id="least-squares-law", artefact="risk_vs_n", location="Remark (i) after Thm 3.7", kind="theorem", source="ours",
        statement="(ours) least squares, the non-private optimum, has risk sigma^2 d / (2 (N - d - 1))",
        quantity=f"mean risk less that law, over what chance allows, {criteria.CHANCE:g} standard errors for all places together: the largest over N",
        cells=criteria.departures(ols, list(law), criteria.CHANCE, ["N", "sigma"]), criterion=at_most(1.0),
        regime=criteria.power(ols, list(law), criteria.CHANCE),
        changed="After a third reading standard errors decide, as of the other laws; half of the risk was allowed.",
        note=f"a check of the runs; mean risk over the law: {algebra.places_text(ratios)}",
    )  # fmt: skip
