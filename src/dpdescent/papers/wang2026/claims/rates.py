"""Claims about rates: Corollaries 5.3, 5.5 and 5.6, the full batch, and the two risks beside each other.

All are upper bounds: runs are consistent with a rate if their slope is no shallower, up to logarithms.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims import conditions
from dpdescent.papers.wang2026.claims.conditions import CONSTANT_1
from dpdescent.papers.wang2026.claims.quantities import range_of, setting
from dpdescent.papers.wang2026.reading import (
    EMPIRICAL,
    INDEPENDENT,
    LOGARITHMS,
    POPULATION,
    PROOF,
    PUBLISHED,
    RATE,
    SAME_ORDER,
    TAIL,
    claim,
    every,
    rows,
)  # fmt: skip
from dpdescent.papers.wang2026.theory import rates
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import Criterion, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, exactly

LONG, FULL, MINI, PRIVATE, EPS_D = "rate_T", "rate_n", "rate_minibatch", "private_rate_n", "eps_and_d"
# Id, risk in words, its series; for Corollary 5.6 the rate too.
FULL_BATCH = (("gd-rate-n-population", "population", POPULATION), ("gd-rate-n-empirical", "empirical", EMPIRICAL))
MINI_BATCH = (
    ("corollary-5.6-empirical", "empirical", EMPIRICAL, "1/n"),
    ("corollary-5.6-population", "population", POPULATION, "1/(gamma^2 n)"),
)
# Id, location, correlation, accountant, power of gamma, words for the noise, risk in words, its series.
PRIVATE_RATES = (
    ("corollary-5.3-population", "Corollary 5.3", 0.5, PUBLISHED, 4, "correlated noise, Theorem F.12's kappa", "population", POPULATION),
    ("corollary-5.3-empirical", "Corollary 5.3", 0.5, PUBLISHED, 4, "correlated noise, Theorem F.12's kappa", "empirical", EMPIRICAL),
    ("corollary-5.5-population", "Corollary 5.5", 0.0, INDEPENDENT, 3, "independent noise, Theorem D.9's kappa", "population", POPULATION),
    ("corollary-5.5-empirical", "Corollary 5.5", 0.0, INDEPENDENT, 3, "independent noise, Theorem D.9's kappa", "empirical", EMPIRICAL),
)  # fmt: skip
# Accountant, whose claims they are, words, and the ids on the slope in eps, on its direction, and on the slope in d.
EPS_AND_D: tuple[tuple[str, Source, str, str, str, str], ...] = (
    (PUBLISHED, "paper", "", "corollary-5.3-eps", "risk-falls-with-eps", "corollary-5.3-d"),
    (TAIL, "ours", "(ours: noise by the participation tail) ",
     "corollary-5.3-eps-tail", "risk-falls-with-eps-tail", "corollary-5.3-d-tail"),
)  # fmt: skip
# What every cut of these tables has in common but for its axis.
SIZES = ("n", "T", "B", "m", "d", "eps", "lam", "accountant")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims without noise, with noise, and on one risk against the other."""
    yield from _along_t(evidence)
    yield from _full_batch(evidence)
    yield from _mini_batch(evidence)
    yield from _private(evidence)
    yield from _both_noises(evidence)
    yield from _eps_and_d(evidence)
    yield from _gaps(evidence)


def _rate(power: float) -> Criterion:
    return at_most(power + RATE, f": consistent with an upper bound of power {power:g}")


def _without_logs(evidence: Evidence, table: pd.DataFrame) -> pd.DataFrame:
    """Risks over log^2 T + log(n/delta), by which the displayed rates are multiplied in the appendix (Theorem C.13).

    delta is the failure probability of the theorems.
    """
    delta = setting(evidence, "delta_conf")
    T, n = algebra.floats(table, "T"), algebra.floats(table, "n")
    known = (T > 0) & (n > 0) & (delta > 0)
    logs = np.log(np.where(known, T, 1.0)) ** 2 + np.log(np.where(known, n, 1.0) / (delta if delta > 0 else 1.0))
    return algebra.scaled(table, np.where(known & (logs > 0), 1.0 / np.where(logs > 0, logs, 1.0), math.nan))


LOGS_LEFT_OUT = "Before a review the logarithms of the bound were left out, which asks for more than it says."
ORDER = at_most(1.0, ": consistent with the order, hidden constants 1")


def _along_t(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, LONG, panel="full batch", series=EMPIRICAL)
    yield every(
        id="gd-rate-t", artefact=LONG, location="App. E (full-batch GD)", kind="theorem", source="paper",
        statement="with B = n the averaged empirical risk is at most of the order of 1/(gamma^2 T)",
        quantity="log-log slope in T of the averaged risk over log^2 T + log(n/delta): the largest over eta",
        cells=algebra.by(_without_logs(evidence, table), ["eta"], lambda group: algebra.exponent(group, "T")),
        criterion=_rate(-1.0), regime=conditions.theorems(evidence, table), changed=LOGS_LEFT_OUT,
    )  # fmt: skip
    everything = rows(evidence, LONG, series=EMPIRICAL)
    order = [_without_noise(row, setting(evidence, "delta_conf")) for row in algebra.each(everything)]
    yield every(
        id="theorem-e.1-along-t", artefact=LONG, location="Theorem E.1", kind="theorem", source="paper",
        statement="1/T sum L_S(W_t) is at most of the order of A_non = 1/(gamma^2 eta T) + 1/(gamma sqrt(BT)) + eta/B",
        quantity="averaged empirical risk over A_non at the measured margin, with the logarithms of the appendix: the largest over batch sizes, eta and T",
        cells={
            algebra.place_of(row, ("panel", "eta", "T")): exactly(row["mean"] / unit)
            for row, unit in zip(algebra.each(everything), order, strict=True)
            if unit > 0
        },
        criterion=ORDER, regime=conditions.theorems(evidence, everything, CONSTANT_1), changed=LOGS_LEFT_OUT,
        note="the logarithms are those of Theorem D.14 without its noise, which Theorem E.1 hides",
    )  # fmt: skip


def _without_noise(row: "pd.Series[float]", delta: float) -> float:
    """The bound A_non at a run, with its logarithms; NaN where something that it needs is missing."""
    n, B, T, m, d, gamma, eta = (float(row[name]) for name in ("n", "B", "T", "m", "d", "gamma", "eta"))
    if not all(value > 0 for value in (n, B, T, m, d, gamma, eta, delta)):
        return math.nan
    return rates.independent(rates.Run(n, B, T, m, d, gamma, eta, 0.0, 0.0, delta), logs=True).total


def _full_batch(evidence: Evidence) -> Iterator[Claim]:
    for name, risk, series in FULL_BATCH:
        table = rows(evidence, FULL, series=series)
        yield claim(
            id=name, artefact=FULL, location="App. E (full-batch GD)", kind="theorem", source="paper",
            statement=f"with B = n, eta of order 1 and T of order n/gamma^2 the averaged {risk} risk is at most of the order of 1/n (1/(gamma^2 n) of the population)",
            quantity="log-log slope in n of the averaged risk times the square of the measured margin, over log^2 T + log(n/delta)",
            measured=_slope_at_the_margin(evidence, table), criterion=_rate(-1.0),
            regime=conditions.theorems(evidence, table), changed=LOGS_LEFT_OUT,
            note=f"T is n/gamma^2 for one gamma; the measured margins are {range_of(table['gamma'])}",
        )  # fmt: skip


def _slope_at_the_margin(evidence: Evidence, table: pd.DataFrame) -> Estimate:
    """The log-log slope in n of the risk times gamma^2, because the margin that the records have falls with n."""
    table = _without_logs(evidence, table)
    return algebra.exponent(algebra.scaled(table, algebra.floats(table, "gamma") ** 2), "n")


def _mini_batch(evidence: Evidence) -> Iterator[Claim]:
    for name, risk, series, order in MINI_BATCH:
        table = rows(evidence, MINI, series=series)
        yield claim(
            id=name, artefact=MINI, location="Corollary 5.6", kind="theorem", source="paper",
            statement=f"with B of order gamma sqrt(n), eta = B/n and T = n^2/(gamma^2 B) the averaged {risk} risk is at most of the order of {order}",
            quantity="log-log slope in n of the averaged risk times the square of the measured margin, over log^2 T + log(n/delta)",
            measured=_slope_at_the_margin(evidence, table), criterion=_rate(-1.0),
            regime=conditions.theorems(evidence, table), changed=LOGS_LEFT_OUT,
        )  # fmt: skip


def _arm(evidence: Evidence, lam: float, accountant: str, series: str) -> pd.DataFrame:
    return rows(evidence, PRIVATE, series=series, lam=lam, accountant=accountant)


def _private(evidence: Evidence) -> Iterator[Claim]:
    for name, place, lam, accountant, power, words, risk, series in PRIVATE_RATES:
        table = _arm(evidence, lam, accountant, series)
        yield claim(
            id=name, artefact=PRIVATE, location=place, kind="theorem", source="paper",
            statement=f"the averaged {risk} risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^{power} n eps)",
            quantity=f"log-log slope in n of the averaged risk over log^2 T + log(n/delta), {words}, B = r n, T of order sqrt(n)",
            measured=algebra.exponent(_without_logs(evidence, table), "n"), criterion=_rate(-0.5), changed=LOGS_LEFT_OUT,
            regime=conditions.theorems(evidence, table, *_other_sizes(evidence, table)),
            note=f"kappa {range_of(table['kappa'])}",
        )  # fmt: skip


def _both_noises(evidence: Evidence) -> Iterator[Claim]:
    arms = {"independent": (0.0, TAIL), "correlated": (0.5, TAIL), "independent, D.9": (0.0, INDEPENDENT), "correlated, F.12": (0.5, PUBLISHED), "correlated, F.12 with 2": (0.5, PROOF)}  # fmt: skip
    tables = {name: _without_logs(evidence, _arm(evidence, *arm, POPULATION)) for name, arm in arms.items()}
    slopes = {name: algebra.exponent(table, "n") for name, table in tables.items()}
    own = rows(evidence, PRIVATE, series=POPULATION)
    yield every(
        id="both-attain-the-rate", artefact=PRIVATE, location="Sec. 1, Sec. 5", kind="text", source="paper",
        statement="both independent-noise and correlated-noise DP-SGD attain the rate O(1/sqrt(n) + sqrt(d)/(n eps))",
        quantity="log-log slope in n of the averaged population risk over log^2 T + log(n/delta), with noise by the participation tail: the larger of lambda = 0 and lambda = 0.5",
        cells={name: slopes[name] for name in ("independent", "correlated")}, criterion=_rate(-0.5), changed=LOGS_LEFT_OUT,
        regime=conditions.theorems(evidence, own[own["accountant"] == TAIL]), note=f"all arms: {algebra.told(slopes)}",
    )  # fmt: skip
    compared = own[own["accountant"].isin([PUBLISHED, INDEPENDENT])]
    yield claim(
        id="rates-match", artefact=PRIVATE, location="Sec. 5.1 (interpretation)", kind="text", source="ours",
        statement="the displayed rate matches the independent-noise rate asymptotically",
        quantity="log-log slope in n of the averaged population risk: correlated noise by Theorem F.12 less independent noise by Theorem D.9",
        measured=statistics.minus(slopes["correlated, F.12"], slopes["independent, D.9"]), criterion=about(0.0, LOGARITHMS),
        regime=conditions.theorems(evidence, compared, *_other_sizes(evidence, compared)),
        note=f"the paper compares printed rates, here runs are compared. Relations: {_relations(own)}",
    )  # fmt: skip


def _other_sizes(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    """Says where B and T of runs by Theorem D.9 are not of the order of Corollary 5.5's, gamma sqrt(n) and sqrt(n)/gamma."""
    gamma, own = setting(evidence, "gamma"), table[table["accountant"] == INDEPENDENT]
    root = algebra.floats(own, "n") ** 0.5
    found = []
    for name, order, unit in (("B", "gamma sqrt(n)", gamma * root), ("T", "sqrt(n)/gamma", root / gamma)):
        shares = algebra.positive(algebra.floats(own, name) / unit)
        if shares and not (min(shares) >= 1.0 / SAME_ORDER and max(shares) <= SAME_ORDER):
            found.append(f"{name} {min(shares):.3g} to {max(shares):.3g} times Corollary 5.5's {order}")
    return found


def _relations(table: pd.DataFrame) -> str:
    kinds = table.drop_duplicates(["accountant", "relation"])
    return ", ".join(f"{row['accountant']} {row['relation']}" for row in algebra.each(kinds)) or "no rows"


def _eps_and_d(evidence: Evidence) -> Iterator[Claim]:
    for accountant, source, ours, slope, direction, dimension in EPS_AND_D:
        by_eps, by_d = (
            rows(evidence, EPS_D, panel=panel, series=POPULATION, accountant=accountant) for panel in ("eps", "d")
        )
        yield claim(
            id=slope, artefact=EPS_D, location="Corollary 5.3", kind="theorem", source=source,
            statement=f"{ours}risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps): it grows no faster than 1/eps",
            quantity="log-log slope in eps of the averaged population risk",
            measured=algebra.exponent(by_eps, "eps"),
            criterion=at_least(-1.0 - LOGARITHMS, ": consistent with an upper bound of power -1, up to logarithms"),
            regime=conditions.theorems(evidence, by_eps), note=_saturation(by_eps),
        )  # fmt: skip
        yield claim(
            id=direction, artefact=EPS_D, location="Corollary 5.3", kind="theorem", source="ours",
            statement=f"{ours}the privacy-dependent part of the rate falls with eps",
            quantity="averaged population risk at the largest eps over that at the smallest",
            measured=algebra.ends(by_eps, "eps"), criterion=at_most(1.0), regime=conditions.theorems(evidence, by_eps),
            note="the paper speaks of the bound, here runs are judged",
        )  # fmt: skip
        yield claim(
            id=dimension, artefact=EPS_D, location="Corollary 5.3", kind="theorem", source=source,
            statement=f"{ours}risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps): it grows no faster than sqrt(d)",
            quantity="log-log slope in d of the averaged population risk",
            measured=algebra.exponent(by_d, "d"),
            criterion=at_most(0.5 + LOGARITHMS, ": consistent with an upper bound of power 0.5, up to logarithms"), regime=conditions.theorems(evidence, by_d),
            note=f"the margin of the designs moves with d, and is not held; {_saturation(by_d)}",
        )  # fmt: skip


def _saturation(table: pd.DataFrame) -> str:
    """Says how near risks are to that of an output of 0, near which they cannot rise and a slope says little."""
    shares = range_of(algebra.positive(algebra.floats(table, "mean") / math.log(2.0)))
    return f"risks are {shares} of log 2, the loss of an output of 0, near which they saturate" if len(table) else ""


def _gaps(evidence: Evidence) -> Iterator[Claim]:
    population, empirical = (rows(evidence, PRIVATE, series=series) for series in (POPULATION, EMPIRICAL))
    yield every(
        id="theorem-5.2-factor", artefact=PRIVATE, location="Theorem 5.2", kind="theorem", source="paper",
        statement="the averaged population risk is at most of the order of (1 + eta T/n) times the bound of the empirical one",
        quantity="averaged population over empirical risk, over 1 + eta T/n: the largest over n and arms",
        cells=_over_the_factor(population, empirical), criterion=ORDER,
        regime=conditions.theorems(evidence, population, CONSTANT_1),
    )  # fmt: skip
    yield every(
        id="generalisation-gap", artefact=FULL, location="Theorem E.1, Theorem 5.2", kind="theorem", source="paper",
        statement="the gap between population and empirical risk is at most of the order of (eta/n) sum_t L_S(W_t)",
        quantity="difference of averaged risks of gradient descent over (eta T/n) times the empirical one: the largest over n",
        cells=_gap_over_its_order(evidence), criterion=ORDER,
        regime=conditions.theorems(evidence, rows(evidence, FULL), CONSTANT_1),
        note="averages over iterates, where the theorem has the last one",
    )  # fmt: skip


def _over_the_factor(population: pd.DataFrame, empirical: pd.DataFrame) -> Places:
    found = {}
    for row, other in algebra.pairs(population, empirical, SIZES):
        factor, each = 1.0 + row["eta"] * row["T"] / row["n"], algebra.over(row, other)
        if factor > 0:
            place = algebra.place_of(row, ("n", "lam", "accountant"))
            found[place] = Estimate(each.value / factor, each.low / factor, each.high / factor)
    return found


def _gap_over_its_order(evidence: Evidence) -> Places:
    population, empirical = (rows(evidence, FULL, series=series) for series in (POPULATION, EMPIRICAL))
    found = {}
    for row, other in algebra.pairs(population, empirical, ("n", "T")):
        unit = row["eta"] * row["T"] / row["n"] * other["mean"]
        if unit > 0:
            found[algebra.place_of(row, ("n",))] = exactly((row["mean"] - other["mean"]) / unit)
    return found
