"""Claims about orders and conditions that hold exactly: the rows of ext_orders, along every axis that is claimed."""

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from dpdescent.papers.varshney2022.claims import quantities
from dpdescent.papers.varshney2022.reading import EQUAL, LOGARITHMS, RATE, SAME_ORDER, claim, every, judged, rows
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import Criterion, about, at_most
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence, Source
from dpdescent.replication.judging.records import agree

ARTEFACT = "ext_orders"
OPERATIONS, BATCH, START, SINGLE = "operations", "least N, Lemma 3.11", "least N, Theorem 3.2", "DP-SSGD"
SHUFFLING, MULTIPLIER, LEADING, CONTRACTION = "shuffling", "multiplier of DP-SSGD", "leading term", "contraction"
LOGARITHM, GRADIENT, CLIPPED = "logarithm of Lemma 3.10", "gradient norm", "norm after clipping"
# The spectrum at which the proof's inequalities lose least.
SHARP = "all but one at |H|"
PLACES = ["axis", "reading"]
# What the explicit bound has of delta is sqrt(log(1/delta) log(N/delta)): of that order, but no power of log(N/delta).
OF_DELTA = (
    "After a first look at the tables the order is judged, not the slope in log(N/delta), because the explicit bound has sqrt(log(1/delta) log(N/delta)), "
    "which is never more, but steeper while N counts."
)
# Axes along which a term falls: there too large an exponent is one that is not negative enough.
FALLING = ("eps",)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges costs, conditions, DP-SSGD's terms, its privacy, then what stands in lemmas and proofs."""
    yield _time(evidence)
    yield from _conditions(evidence)
    yield from _single(evidence)
    yield from _shuffled(evidence)
    yield from _leading(evidence)
    yield from _proofs(evidence)


def _over(evidence: Evidence, quantity: str, **where: str) -> pd.DataFrame:
    """Values over what is claimed for them."""
    table = rows(evidence, ARTEFACT, quantity=quantity, **where)
    return quantities.in_units(quantities.exact(table, "mean"), lambda each: floats(each, "claimed"))


def _growth(table: pd.DataFrame) -> Places:
    """The largest ratio along an axis over the first, by axis and reading."""
    return algebra.by(table, PLACES, lambda group: algebra.growth(group.sort_values("at")["mean"]))


def _excess(table: pd.DataFrame) -> Places:
    """The exponent beyond the claimed one, positive where the value is worse than claimed, by axis and reading."""

    def exponent(group: pd.DataFrame) -> statistics.Estimate:
        slope = algebra.line(group, "at")
        return statistics.negative(slope) if group["axis"].iloc[0] in FALLING else slope

    return algebra.by(table[floats(table, "at") > 0], PLACES, exponent)


def _time(evidence: Evidence) -> Claim:
    return every(
        id="time-linear", artefact=ARTEFACT, location="Sec. 1, Thm 1.1, remark (iii) after Thm 3.7", kind="theorem", source="paper",
        statement="DP-SSGD and DP-AMBSSGD take time O(N d), linear in the size of the input",
        quantity="operations of the printed lines over N d, T = 4 log N, s = b/10: the largest over the first along N and along d",
        cells=_growth(_over(evidence, OPERATIONS)), criterion=at_most(SAME_ORDER),
        changed="Before a review the claim was called true by construction.",
        note="DP-STAT compares every residual with each of its thresholds, and the printed width has 200 log2 N of them: "
        f"at most {_largest(_over(evidence, OPERATIONS)):.3g} N d",
    )  # fmt: skip


def _largest(table: pd.DataFrame) -> float:
    return float(table["mean"].max()) if len(table) else math.nan


def _conditions(evidence: Evidence) -> Iterator[Claim]:
    table = _over(evidence, BATCH)
    yield every(
        id="sample-size-condition", artefact=ARTEFACT, location="Thm 3.7, Cor. 3.8, Lemma 3.11", kind="theorem", source="paper",
        statement="N = Omega~(kappa^2 d (1 + sqrt(log(1/delta))/eps)) is enough for the lemma's condition on the batch size",
        quantity="log-log slope along kappa, d, 1/eps and log(1/delta) of the smallest N that meets it, over log^2 N, less that of the order: the largest, both spectra",
        cells=_excess(table), criterion=at_most(LOGARITHMS),
        note=f"printed alpha, c_1 = 4; log N of T and of log^{{4a}} N under a root. It is {quantities.extent(table['mean'])} times the order",
    )  # fmt: skip
    sharp = table[table["reading"] == SHARP]
    yield every(
        id="sample-size-condition-grows", artefact=ARTEFACT, location="Thm 3.7, remark (iv)", kind="theorem", source="paper",
        statement="the sample complexity increases like kappa^2, like 1/eps for small eps, like sqrt(log(1/delta)) and like d",
        quantity="the same slopes, where all eigenvalues but one are |H|: the one furthest off",
        cells=_excess(sharp), criterion=about(0.0, LOGARITHMS),
        note=f"with geometric eigenvalues: {algebra.told(_excess(table[table['reading'] != SHARP]))}",
    )  # fmt: skip
    start = _over(evidence, START)
    yield every(
        id="ssgd-condition-axes", artefact=ARTEFACT, location="Thm 3.2, remark (iii)", kind="theorem", source="paper",
        statement="N >= C kappa d log(1/delta) / eps is enough for DP-SSGD's first term to vanish, and kappa^2 d^2 at eps = 1/sqrt(N)",
        quantity="log-log slope along kappa, d, 1/eps and log(1/delta) of the smallest N with eta mu N / 2 >= log N, its powers of log N divided out, less that of the order: the largest",
        cells=_excess(start), criterion=at_most(LOGARITHMS),
        note=f"alpha of Theorem 3.1 with the constant 1; in place of log^(2a+1)(kappa d) the proof's step has log^(5/2) N here. It is {_extents(start)} times the order",
    )  # fmt: skip


def _extents(table: pd.DataFrame) -> str:
    return ", ".join(
        f"{quantities.extent(group['mean'])} ({reading})" for reading, group in table.groupby("reading", sort=True)
    )


def _single(evidence: Evidence) -> Iterator[Claim]:
    table = _over(evidence, SINGLE)
    risk, term, sums = (
        table[table["reading"] == reading]
        for reading in ("risk, alpha with constant 1", "term of privacy", "(5) without its start")
    )
    yield every(
        id="theorem-3.2-risk", artefact=ARTEFACT, location="Thm 3.2, (6)", kind="theorem", source="paper",
        statement="with Theorem 3.2's parameters DP-SSGD's risk is at most (6), all constants printed",
        quantity="exact risk without clipping, which Lemma A.9 excludes, over the right-hand side of (6), alpha with the constant 1: the largest along N, eps, delta, kappa, d and sigma",
        cells=_cells(risk), criterion=at_most(1.0 + EQUAL),
        note="N of 10^23 and more, because at fewer records the printed step does not forget its start",
    )  # fmt: skip
    yield every(
        id="theorem-3.2-rates", artefact=ARTEFACT, location="Thm 3.2, Cor. 3.3", kind="theorem", source="paper",
        statement="the term of privacy is O~(d^2 kappa^2 (|w*|_H^2 + sigma^2) / (eps N)^2)",
        quantity="log-log slope along N, 1/eps, kappa, d and sigma of what privacy costs by the exact law, over log^{4a} N, less that of the term: the largest",
        cells=_excess(term[term["axis"] != "delta"]), criterion=at_most(LOGARITHMS),
        note="alpha by the explicit bound for shuffling, threshold and step as printed; along kappa the term is an upper bound",
    )  # fmt: skip
    yield every(
        id="theorem-3.2-rate-delta", artefact=ARTEFACT, location="Thm 3.2, Cor. 3.3", kind="theorem", source="paper",
        statement="the term of privacy is proportional to log^2(N/delta)",
        quantity="the same cost over log^2(N/delta): the largest over the first along delta",
        cells=_growth(term[term["axis"] == "delta"]), criterion=at_most(SAME_ORDER), changed=OF_DELTA,
    )  # fmt: skip
    yield every(
        id="equation-6", artefact=ARTEFACT, location="(5), (6)", kind="theorem", source="paper",
        statement="with the theorem's parameters (5) has 2 sigma^2 d/N and a term of privacy with the factor 128",
        quantity="(5) over (6), both without their first term: the largest along N, eps, delta, kappa, d and sigma",
        cells=_cells(sums), criterion=at_most(1.0 + EQUAL),
    )  # fmt: skip


def _cells(table: pd.DataFrame) -> Places:
    return algebra.means(table, ["reading", "axis", "at"])


def _shuffled(evidence: Evidence) -> Iterator[Claim]:
    table = _over(evidence, SHUFFLING)
    forms: tuple[tuple[str, str, str, str], ...] = (
        ("theorem-a.3", "Theorem A.3", "Thm A.3", "n shuffled (eps_0, delta_0)-DP releases have eps = O((1 - e^-eps_0)(sqrt(e^eps_0 log(1/delta)/n) + e^eps_0/n))"),
        ("equation-8", "(8)", "(8)", "the shuffled eps is at most c_1 sqrt(2 log(1.25/delta_0) log(1/delta)) / (alpha sqrt(N))"),
        ("theorem-3.1-range", "largest eps", "Thm 3.1", "the range of eps is O(sqrt(log(N/delta)/N))"),
    )  # fmt: skip
    for id, reading, location, statement in forms:
        own = table[table["reading"] == reading]
        yield claim(
            id=id, artefact=ARTEFACT, location=location, kind="privacy", source="paper",
            statement=statement,
            quantity="the explicit bound over that form at constant 1: largest over smallest along eps_0 <= 1/2, N and delta",
            measured=algebra.spread(own["mean"]), criterion=at_most(SAME_ORDER),
            note=f"the constant that is hidden: {quantities.extent(own['mean'])}",
        )  # fmt: skip
    needed = rows(evidence, ARTEFACT, quantity=MULTIPLIER)
    yield every(
        id="theorem-3.1-rate-eps", artefact=ARTEFACT, location="Thm 3.1", kind="privacy", source="paper",
        statement="the noise multiplier falls like 1/eps",
        quantity="log-log slope in eps of the multiplier that the explicit bound asks for, N = 10^6, eps <= sqrt(log(N/delta)/N)",
        cells=algebra.by(needed[needed["axis"] == "eps"], PLACES, lambda group: algebra.line(group, "at")), criterion=about(-1.0, RATE),
    )  # fmt: skip
    over = _over(evidence, MULTIPLIER, axis="delta")
    yield every(
        id="theorem-3.1-rate-delta", artefact=ARTEFACT, location="Thm 3.1", kind="privacy", source="paper",
        statement="a noise multiplier that grows like log(N/delta) is enough",
        quantity="that multiplier over Theorem 3.1's at constant 1, N = 10^6: the largest over the first along delta",
        cells=_growth(over), criterion=at_most(SAME_ORDER), changed=OF_DELTA,
        note=f"it is {quantities.extent(over['mean'])}",
    )  # fmt: skip


def _leading(evidence: Evidence) -> Iterator[Claim]:
    table = _over(evidence, LEADING)
    yield every(
        id="leading-term-log-n", artefact=ARTEFACT, location="Remark (iv) after Thm 3.7", kind="theorem", source="paper",
        statement="the leading term sigma^2 d/N is independent of log N",
        quantity="exact risk without noise for privacy over sigma^2 d/N at T = c_1 log N: the largest over the first along N, for every c_1",
        cells=_growth(table[table["axis"] == "N"]), criterion=at_most(SAME_ORDER),
        note=f"it is {quantities.extent(table[table['axis'] == 'N']['mean'])}",
    )  # fmt: skip
    lemma = table[table["axis"] == "kappa"]
    readings = {c1: lemma[lemma["reading"].astype(str).str.contains(f"c_1 = {c1:g},", regex=False)] for c1 in (4, 400)}
    yield _agreed(
        id="leading-term-cross", location="Lemma 3.11, Thm 3.7, remark (iv)", kind="theorem", source="ours",
        statement="(ours) of what Lemma 3.11 has without privacy 8 sigma^2 d/N is the leading term, whatever kappa is",
        quantity="all of it but the start over 8 Tr(H^-1 Sigma)/(T b), at d = 50, N = 10^6 and T = c_1 kappa log N: the largest over the first along kappa, both spectra",
        cells={f"c_1 = {c1:g}": _growth(own) for c1, own in readings.items()}, criterion=at_most(SAME_ORDER),
        note="finding leading-term-cross: the cross term is up to kappa^2 / (c_1 log N) times the leading one",
    )  # fmt: skip


def _agreed(
    *, id: str, location: str, kind: ClaimKind, statement: str, quantity: str, cells: Mapping[str, Places],
    criterion: Criterion, note: str, source: Source = "paper",
) -> Claim:  # fmt: skip
    """A claim that must hold at every reading of what the paper leaves open; that which is worst is shown."""
    # A reading without rows says nothing; of none nothing is testable.
    kept = {reading: each for reading, each in cells.items() if each} or dict(list(cells.items())[:1])
    found = {
        reading: every(
            id=id, artefact=ARTEFACT, location=location, kind=kind, source=source, statement=statement,
            quantity=quantity, cells=each, criterion=criterion,
        )
        for reading, each in kept.items()
    }  # fmt: skip
    agreed = agree({reading: each.verdict for reading, each in found.items()})
    worst = max(found.values(), key=lambda each: -math.inf if each.measured is None else each.measured)
    measured = None if worst.measured is None else statistics.exactly(worst.measured)
    return judged(
        id=id, artefact=ARTEFACT, location=location, kind=kind, source=source, statement=statement, quantity=quantity,
        measured=measured or statistics.NOTHING, criterion=criterion.words, verdict=agreed.verdict, why=agreed.why,
        note=f"{agreed.told}; {note}", cells=[cell for each in found.values() for cell in each.cells],
    )  # fmt: skip


def _proofs(evidence: Evidence) -> Iterator[Claim]:
    table = _over(evidence, CONTRACTION)
    at, below = (table[table["reading"] == f"{share:g} of the least b"] for share in (1.0, 0.25))
    yield every(
        id="batch-condition-contracts", artefact=ARTEFACT, location="Lemma 3.11, (47)", kind="theorem", source="paper",
        statement="from the least b of Lemma 3.11 on E |w_t - w*|_H^2 shrinks by 1 - eta mu / 2 in every iteration",
        quantity="slowest exact contraction without labels' noise, at the largest thresholds that the lemma allows, over 1 - eta mu / 2: the largest over kappa",
        cells=_cells(at), criterion=at_most(1.0 + EQUAL),
        note=f"with a quarter of that b: {algebra.told(_cells(below))}",
    )  # fmt: skip
    yield _agreed(
        id="lemma-3.10-logarithm", location="Lemma 3.10", kind="theorem",
        statement="with Gamma = alpha sqrt(2 log(B/Delta) log(log(B/Delta)/beta)) the first half fails with probability beta at most",
        quantity="probability over beta, where every count is just below s - Gamma: the largest over L and beta",
        cells={base: _cells(_begins(evidence, LOGARITHM, base)) for base in ("base 2", "base e")},
        criterion=at_most(1.0 + EQUAL),
        note="the noise of a count has the binary logarithm; Gamma's is written log",
    )  # fmt: skip
    slopes = {
        reading: algebra.by(_raw(evidence, GRADIENT, reading), ["axis"], lambda group: algebra.line(group, "at"))
        for reading in ("along x", "same index twice")
    }
    yield _agreed(
        id="gradient-norm-dependent", location="Sec. 3", kind="text",
        statement="with replacement w can depend on x_i, so that for x ~ N(0, I) a gradient has a norm of about d",
        quantity="log-log slope in d of the root mean square norm, less 1, by what w has to do with x: the one furthest off",
        cells={reading: {place: statistics.less(slope, 1.0) for place, slope in found.items()} for reading, found in slopes.items()},
        criterion=about(0.0, RATE),
        note="\"e.g. if the same index i is sampled twice in a row\": after one step of size 1/(2 R_x^2) the gradient is smaller, not larger; along x is the worst that there is",
    )  # fmt: skip
    alone = algebra.by(_raw(evidence, GRADIENT, "independent"), ["axis"], lambda group: algebra.line(group, "at"))
    yield every(
        id="gradient-norm-independent", artefact=ARTEFACT, location="Sec. 3", kind="text", source="paper",
        statement="in one pass w is independent of x_i, which implies a significantly better bound on the gradient",
        quantity="log-log slope in d of the root mean square norm of a gradient at |w - w*| = 1",
        cells=alone, criterion=at_most(0.5 + RATE, ": sqrt(d)"),
    )  # fmt: skip
    yield _agreed(
        id="clipping-norm", location="Sec. 1.1, proofs of Thms 3.1 and 3.6", kind="privacy",
        statement="a clipped gradient has norm zeta at most",
        quantity="norm over zeta of a gradient of norm zeta/10, zeta and 10 zeta, clipped as printed: the largest",
        cells={place: _cells(_begins(evidence, CLIPPED, place)) for place in ("min, Sec. 1.1", "max, App. A")},
        criterion=at_most(1.0 + EQUAL),
        note="a slip in the appendix: privacy is proved for min, which the algorithms have",
    )  # fmt: skip


def _raw(evidence: Evidence, quantity: str, reading: str) -> pd.DataFrame:
    return rows(evidence, ARTEFACT, quantity=quantity, reading=reading)


def _begins(evidence: Evidence, quantity: str, reading: str) -> pd.DataFrame:
    """Rows whose reading begins with some words, over what is claimed."""
    table = _over(evidence, quantity)
    return table[table["reading"].astype(str).str.startswith(reading)]
