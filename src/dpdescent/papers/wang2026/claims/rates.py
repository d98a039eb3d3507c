"""Claims about rates: Corollaries 5.3, 5.5 and 5.6, the full batch, and the two risks beside each other.

All are upper bounds: runs are consistent with a rate if their slope is no shallower, up to logarithms.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import (
    by,
    ends,
    exponent,
    floats,
    minus,
    outside,
    pairs,
    place_of,
    scaled,
    setting,
    told,
    unless,
    values,
)
from dpdescent.papers.wang2026.claims.theorem_4_1 import CONSTANT_1
from dpdescent.papers.wang2026.reading import (
    EMPIRICAL,
    INDEPENDENT,
    LOGARITHMS,
    POPULATION,
    PROOF,
    PUBLISHED,
    SAME_ORDER,
    TAIL,
    claim,
    every,
    rows,
)
from dpdescent.papers.wang2026.theory import rates
from dpdescent.replication.judging.algebra import over
from dpdescent.replication.judging.criteria import Criterion, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, known

LONG, FULL, MINI, PRIVATE, EPS_D = "rate_T", "rate_n", "rate_minibatch", "private_rate_n", "eps_and_d"
RISKS = (("population", POPULATION), ("empirical", EMPIRICAL))
# What every cut of these tables has in common but for its axis.
SIZES = ("n", "T", "B", "m", "d", "eps", "lam", "accountant")


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Without noise, with noise, one risk against the other."""
    yield from _full_batch(evidence)
    yield from _mini_batch(evidence)
    yield from _private(evidence)
    yield from _eps_and_d(evidence)
    yield from _gaps(evidence)


def _rate(power: float) -> Criterion:
    return at_most(power + LOGARITHMS, f": consistent with an upper bound of power {power:g}, up to logarithms")


def _full_batch(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, LONG, panel="full batch", series=EMPIRICAL)
    slopes = by(table, ["eta"], lambda group: exponent(group, "T"))
    made = every(
        id="gd-rate-t", artefact=LONG, location="App. E (full-batch GD)", kind="theorem", source="paper",
        statement="with B = n the averaged empirical risk is at most of the order of 1/(gamma^2 T)",
        quantity="log-log slope in T: the largest over eta",
        cells=slopes.values(), criterion=_rate(-1.0),
        note=told(slopes),
    )  # fmt: skip
    yield unless(outside(evidence, table), made)
    everything = rows(evidence, LONG, series=EMPIRICAL)
    order = [_without_noise(row, setting(evidence, "delta")) for _, row in everything.iterrows()]
    levels = {
        place_of(row, ("panel", "eta", "T")): Estimate(row["mean"] / unit, row["mean"] / unit, row["mean"] / unit)
        for (_, row), unit in zip(everything.iterrows(), order, strict=True)
        if unit > 0
    }
    made = every(
        id="theorem-e.1-along-t", artefact=LONG, location="Theorem E.1", kind="theorem", source="paper",
        statement="1/T sum L_S(W_t) is at most of the order of A_non = 1/(gamma^2 eta T) + 1/(gamma sqrt(BT)) + eta/B",
        quantity="averaged empirical risk over A_non at the measured margin: the largest over batch sizes, eta and T",
        cells=known(levels.values()), criterion=at_most(1.0, ": consistent with the order, hidden constants 1"),
    )  # fmt: skip
    yield unless([CONSTANT_1, *outside(evidence, everything)], made)
    for name, series in RISKS:
        chosen = rows(evidence, FULL, series=series)
        # T is n / gamma^2 for one gamma; the margin that the records have falls with n.
        slope = exponent(scaled(chosen, floats(chosen, "gamma") ** 2), "n")
        made = claim(
            id=f"gd-rate-n-{name}", artefact=FULL, location="App. E (full-batch GD)", kind="theorem", source="paper",
            statement=f"with B = n, eta of order 1 and T of order n/gamma^2 the averaged {name} risk is at most of the order of 1/n (1/(gamma^2 n) of the population)",
            quantity="log-log slope in n of the averaged risk times the square of the measured margin",
            measured=slope, criterion=_rate(-1.0),
            note=f"risks {values(chosen, ['n'])}; margins {values(chosen, ['n'], 'gamma')}",
        )  # fmt: skip
        yield unless(outside(evidence, chosen), made)


def _without_noise(row: "pd.Series[float]", delta: float) -> float:
    """A_non at a run; NaN where something that it needs is missing."""
    n, B, T, m, d, gamma, eta = (float(row[name]) for name in ("n", "B", "T", "m", "d", "gamma", "eta"))
    if not all(value > 0 for value in (n, B, T, m, d, gamma, eta, delta)):
        return math.nan
    return rates.without_noise(rates.Run(n, B, T, m, d, gamma, eta, 0.0, 0.0, delta)).total


def _mini_batch(evidence: Evidence) -> Iterator[Claim]:
    for name, series, order in (("empirical", EMPIRICAL, "1/n"), ("population", POPULATION, "1/(gamma^2 n)")):
        table = rows(evidence, MINI, series=series)
        slope = exponent(scaled(table, floats(table, "gamma") ** 2), "n")
        made = claim(
            id=f"corollary-5.6-{name}", artefact=MINI, location="Corollary 5.6", kind="theorem", source="paper",
            statement=f"with B of order gamma sqrt(n), eta = B/n and T = n^2/(gamma^2 B) the averaged {name} risk is at most of the order of {order}",
            quantity="log-log slope in n of the averaged risk times the square of the measured margin",
            measured=slope, criterion=_rate(-1.0),
            note=f"risks {values(table, ['n', 'T'])}",
        )  # fmt: skip
        yield unless(outside(evidence, table), made)


def _arm(evidence: Evidence, lam: float, accountant: str, series: str) -> pd.DataFrame:
    return rows(evidence, PRIVATE, series=series, lam=lam, accountant=accountant)


def _private(evidence: Evidence) -> Iterator[Claim]:
    for corollary, lam, accountant, words in (
        ("5.3", 0.5, PUBLISHED, "correlated noise, Theorem F.12's kappa"), ("5.5", 0.0, INDEPENDENT, "independent noise, Theorem D.9's kappa"),
    ):  # fmt: skip
        for name, series in RISKS:
            table = _arm(evidence, lam, accountant, series)
            made = claim(
                id=f"corollary-{corollary}-{name}", artefact=PRIVATE, location=f"Corollary {corollary}", kind="theorem", source="paper",
                statement=f"the averaged {name} risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^{4 if corollary == '5.3' else 3} n eps)",
                quantity=f"log-log slope in n, {words}, B = r n, T of order sqrt(n)",
                measured=exponent(table, "n"), criterion=_rate(-0.5),
                note=f"risks {values(table, ['n'])}; kappa {values(table, ['n'], 'kappa')}",
            )  # fmt: skip
            yield unless(
                [*outside(evidence, table), *(_other_sizes(evidence, table) if corollary == "5.5" else [])], made
            )
    arms = {"independent": (0.0, TAIL), "correlated": (0.5, TAIL), "independent, D.9": (0.0, INDEPENDENT), "correlated, F.12": (0.5, PUBLISHED), "correlated, F.12 with 2": (0.5, PROOF)}  # fmt: skip
    slopes = {name: exponent(_arm(evidence, *arm, POPULATION), "n") for name, arm in arms.items()}
    made = every(
        id="both-attain-the-rate", artefact=PRIVATE, location="Sec. 1, Sec. 5", kind="text", source="paper",
        statement="both independent-noise and correlated-noise DP-SGD attain the rate O(1/sqrt(n) + sqrt(d)/(n eps))",
        quantity="log-log slope in n of the averaged population risk with noise by the participation tail: the larger of lambda = 0 and lambda = 0.5",
        cells=[slopes["independent"], slopes["correlated"]], criterion=_rate(-0.5),
        note=told(slopes),
    )  # fmt: skip
    yield unless(outside(evidence, rows(evidence, PRIVATE, series=POPULATION, accountant=TAIL)), made)
    made = claim(
        id="rates-match", artefact=PRIVATE, location="Sec. 5.1 (interpretation)", kind="text", source="paper",
        statement="the displayed rate matches the independent-noise rate asymptotically",
        quantity="log-log slope in n of the averaged population risk: correlated noise by Theorem F.12 less independent noise by Theorem D.9",
        measured=minus(slopes["correlated, F.12"], slopes["independent, D.9"]), criterion=about(0.0, LOGARITHMS),
        note=f"{told(slopes)}. Relations: {_relations(evidence)}",
    )  # fmt: skip
    own = rows(evidence, PRIVATE, series=POPULATION)
    compared = own[own["accountant"].isin([PUBLISHED, INDEPENDENT])]
    yield unless(
        [*outside(evidence, compared), *_other_sizes(evidence, compared[compared["accountant"] == INDEPENDENT])], made
    )


def _other_sizes(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    """Where B and T are not of the order of Corollary 5.5's, gamma sqrt(n) and sqrt(n)/gamma, constants 1."""
    gamma = setting(evidence, "gamma")
    found = []
    for name, order, unit in (
        ("B", "gamma sqrt(n)", gamma * floats(table, "n") ** 0.5),
        ("T", "sqrt(n)/gamma", floats(table, "n") ** 0.5 / gamma),
    ):
        shares = floats(table, name) / unit
        shares = shares[shares > 0]
        if len(shares) and not (shares.min() >= 1.0 / SAME_ORDER and shares.max() <= SAME_ORDER):
            found.append(f"{name} {shares.min():.3g} to {shares.max():.3g} times Corollary 5.5's {order}")
    return found


def _relations(evidence: Evidence) -> str:
    table = rows(evidence, PRIVATE, series=POPULATION).drop_duplicates(["accountant", "relation"])
    return ", ".join(f"{row['accountant']} {row['relation']}" for _, row in table.iterrows()) or "no rows"


def _eps_and_d(evidence: Evidence) -> Iterator[Claim]:
    for accountant, suffix, ours in ((PUBLISHED, "", ""), (TAIL, "-tail", "(ours: noise by the participation tail) ")):
        table = rows(evidence, EPS_D, panel="eps", series=POPULATION, accountant=accountant)
        slope = exponent(table, "eps")
        made = claim(
            id=f"corollary-5.3-eps{suffix}", artefact=EPS_D, location="Corollary 5.3", kind="theorem", source="paper",
            statement=f"{ours}risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps): it grows no faster than 1/eps",
            quantity="log-log slope in eps of the averaged population risk",
            measured=slope, criterion=at_least(-1.0 - LOGARITHMS, ": consistent with an upper bound of power -1, up to logarithms"),
            note=f"{values(table, ['eps'])}{_saturation(table)}",
        )  # fmt: skip
        yield unless(outside(evidence, table), made)
        made = claim(
            id=f"risk-falls-with-eps{suffix}", artefact=EPS_D, location="Corollary 5.3", kind="theorem", source="paper",
            statement=f"{ours}the privacy-dependent part of the rate falls with eps",
            quantity="averaged population risk at the largest eps over that at the smallest",
            measured=ends(table, "eps"), criterion=at_most(1.0),
            note=values(table, ["eps"]),
        )  # fmt: skip
        yield unless(outside(evidence, table), made)
        by_d = rows(evidence, EPS_D, panel="d", series=POPULATION, accountant=accountant)
        made = claim(
            id=f"corollary-5.3-d{suffix}", artefact=EPS_D, location="Corollary 5.3", kind="theorem", source="paper",
            statement=f"{ours}risk is at most of the order of 1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps): it grows no faster than sqrt(d)",
            quantity="log-log slope in d of the averaged population risk",
            measured=exponent(by_d, "d"), criterion=_rate(0.5),
            note=f"the margin of the designs moves with d, and is not held. {values(by_d, ['d'])}{_saturation(by_d)}",
        )  # fmt: skip
        yield unless(outside(evidence, by_d), made)


def _saturation(table: pd.DataFrame) -> str:
    """How near risks are to that of an output of 0, near which they cannot rise and a slope says little."""
    shares = floats(table, "mean") / math.log(2.0)
    shares = shares[shares > 0]
    return (
        f". Risks are {shares.min():.3g} to {shares.max():.3g} of log 2, the loss of an output of 0, near which they saturate"
        if len(shares)
        else ""
    )


def _gaps(evidence: Evidence) -> Iterator[Claim]:
    found = {}
    population, empirical = (rows(evidence, PRIVATE, series=series) for series in (POPULATION, EMPIRICAL))
    for row, other in pairs(population, empirical, SIZES):
        allowed = 1.0 + row["eta"] * row["T"] / row["n"]
        each = over(row, other) if allowed > 0 else NOTHING
        found[place_of(row, ("n", "lam", "accountant"))] = Estimate(
            each.value / allowed, each.low / allowed, each.high / allowed
        )
    made = every(
        id="theorem-5.2-factor", artefact=PRIVATE, location="Theorem 5.2", kind="theorem", source="paper",
        statement="the averaged population risk is at most of the order of (1 + eta T/n) times the bound of the empirical one",
        quantity="averaged population over empirical risk, over 1 + eta T/n: the largest over n and arms",
        cells=known(found.values()), criterion=at_most(1.0, ": consistent with the order, hidden constants 1"),
        note=told(found),
    )  # fmt: skip
    yield unless([CONSTANT_1, *outside(evidence, population)], made)
    gaps = {}
    population, empirical = (rows(evidence, FULL, series=series) for series in (POPULATION, EMPIRICAL))
    for row, other in pairs(population, empirical, ("n", "T")):
        unit = row["eta"] * row["T"] / row["n"] * other["mean"]
        if unit > 0:
            gap = (row["mean"] - other["mean"]) / unit
            gaps[place_of(row, ("n",))] = Estimate(gap, gap, gap)
    made = every(
        id="generalisation-gap", artefact=FULL, location="Theorem E.1, Theorem 5.2", kind="theorem", source="paper",
        statement="the gap between population and empirical risk is at most of the order of (eta/n) sum_t L_S(W_t)",
        quantity="difference of averaged risks of gradient descent over (eta T/n) times the empirical one: the largest over n",
        cells=gaps.values(), criterion=at_most(1.0, ": consistent with the order, hidden constants 1"),
        note=f"averages over iterates, where the theorem has the last one. {told(gaps)}",
    )  # fmt: skip
    yield unless([CONSTANT_1, *outside(evidence, rows(evidence, FULL))], made)
