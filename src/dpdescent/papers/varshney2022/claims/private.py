"""Claims about privacy: Theorems 3.1 and 3.6, Lemma 3.10's first half, and what an attack attains."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.claims import quantities
from dpdescent.papers.varshney2022.reading import (
    AGREES,
    EQUAL,
    RATE,
    SAME_ORDER,
    SIGNIFICANT,
    every,
    judged,
    rows,
)
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, exactly

MULTIPLIER, AUDIT = "multiplier", "audit"
LAST, FIRST = "as published (Theorem 3.6, last form)", "Theorem 3.6, first form"
ZCDP, GAUSSIAN = "zCDP", "Gaussian DP, disjoint"
SHUFFLED, CONSTANT_1 = "DP-SSGD, shuffled (explicit bound)", "Theorem 3.1, constant 1"
AT = ["eps", "delta"]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges DP-AMBSSGD, DP-SSGD, then attacks."""
    yield from _theorem_3_6(evidence)
    yield from _theorem_3_1(evidence)
    yield from _amplification(evidence)
    yield from _attacks(evidence)
    yield from _whole_runs(evidence)


def _spent(table: pd.DataFrame) -> Places:
    """The tight epsilon of a multiplier over the epsilon for which it was chosen, by place."""
    spent = quantities.in_units(quantities.exact(table, "eps_tight"), lambda each: floats(each, "eps"))
    return algebra.means(spent, [*AT, "N"])


def _theorem_3_6(evidence: Evidence) -> Iterator[Claim]:
    for id, series, words in (
        ("theorem-3.6-last-form", LAST, "alpha >= sqrt(8 log(1/delta)) / eps is enough for (eps, delta)-DP where eps <= log(1/delta)"),
        ("theorem-3.6-first-form", FIRST, "alpha >= 2 sqrt(log(1/delta) + eps) / eps is enough for (eps, delta)-DP, for any eps"),
        ("theorem-3.6-zcdp", ZCDP, "DP-AMBSSGD is 1/alpha^2-zCDP, hence (rho + 2 sqrt(rho log(1/delta)), delta)-DP"),
    ):  # fmt: skip
        table = rows(evidence, MULTIPLIER, series=series)
        yield every(
            id=id, artefact=MULTIPLIER, location="Thm 3.6", kind="privacy", source="paper",
            statement=words,
            quantity="exact eps of two Gaussian releases with that multiplier over the eps asked for: the largest over eps and delta",
            cells=_spent(table), criterion=at_most(1.0 + EQUAL),
            note=f"eps from {table['eps'].min():g} to {table['eps'].max():g}; both releases of an iteration see the record that their slices share",
        )  # fmt: skip
    last, first = (rows(evidence, MULTIPLIER, series=series) for series in (LAST, FIRST))
    yield every(
        id="theorem-3.6-forms", artefact=MULTIPLIER, location="Thm 3.6", kind="privacy", source="identity",
        statement="where eps <= log(1/delta) the last form asks for no less than the first",
        quantity="(algebra) last form over first form: the smallest over eps and delta",
        cells=algebra.ratios(last, first, AT), criterion=at_least(1.0 - EQUAL),
        note="sqrt(8 log) >= 2 sqrt(log + eps) if and only if eps <= log(1/delta)",
    )  # fmt: skip


def _inside(table: pd.DataFrame, over_delta: bool) -> pd.DataFrame:
    """Rows with eps <= sqrt(log(N/delta)/N), as in Theorem 3.1, or sqrt(log(1/delta)/N), as in Corollary 3.3."""
    logs = np.log((floats(table, "N") if over_delta else 1.0) / floats(table, "delta"))
    return table[floats(table, "eps") <= np.sqrt(logs / floats(table, "N"))]


def _theorem_3_1(evidence: Evidence) -> Iterator[Claim]:
    shuffled = _inside(rows(evidence, MULTIPLIER, series=SHUFFLED), over_delta=True)
    needed = [
        row["mean"] * row["eps"] * math.sqrt(row["N"]) / math.log(row["N"] / row["delta"])
        for row in algebra.each(shuffled)
    ]
    yield every(
        id="theorem-3.1", artefact=MULTIPLIER, location="Thm 3.1", kind="privacy", source="paper",
        statement="alpha = Omega(log(N/delta) / (eps sqrt(N))) is enough for eps = O(sqrt(log(N/delta)/N))",
        quantity="multiplier by the explicit bound over that formula at constant 1: largest over smallest over eps, delta and N in that range",
        cells={"all": algebra.spread(needed)}, criterion=at_most(SAME_ORDER),
        note=f"the constant that is hidden: {quantities.extent(needed)}",
    )  # fmt: skip
    spent = _spent(_inside(rows(evidence, MULTIPLIER, series=CONSTANT_1), over_delta=False))
    worst = max(spent.values(), key=lambda each: each.value, default=NOTHING)
    result = at_most(1.0 + EQUAL).verdict(worst)
    yield judged(
        id="corollary-3.3-private", artefact=MULTIPLIER, location="Cor. 3.3", kind="privacy", source="paper",
        statement="alpha = log(N/delta) / (eps sqrt(N)) gives (eps, delta)-DP for eps = O(sqrt(log(1/delta)/N))",
        quantity="eps by the explicit bound for that alpha over the eps asked for: the largest over eps <= sqrt(log(1/delta)/N), delta and N",
        measured=worst, criterion="at most 1; open above, since the explicit bound may be loose", verdict="inconclusive" if result == "not reproduced" else result,
        note="finding noise-constant",
    )  # fmt: skip


def _amplification(evidence: Evidence) -> Iterator[Claim]:
    shuffled, local = (rows(evidence, MULTIPLIER, series=series) for series in (SHUFFLED, GAUSSIAN))
    amplified = _inside(shuffled, over_delta=True)
    yield every(
        id="amplification", artefact=MULTIPLIER, location="Sec. 1.1", kind="privacy", source="paper",
        statement="shuffling amplifies privacy by a factor of about 1/sqrt(N)",
        quantity="log-log slope in N of the multiplier that the explicit bound asks for, eps = O(sqrt(log(N/delta)/N)): the one furthest from -1/2",
        cells=algebra.by(amplified, AT, lambda group: algebra.exponent(group, "N", points=2)), criterion=about(-0.5, RATE),
    )  # fmt: skip
    beyond = shuffled[floats(shuffled, "eps") * np.sqrt(floats(shuffled, "N")) > 1.0 + EQUAL]
    gains = quantities.gains(beyond, local, AT)
    held = gains[(gains["mean"] <= 1.0 - AGREES) & (gains["eps_tight"] <= gains["eps"] * (1 + 1e-3))]
    largest = max((row["eps"] * math.sqrt(row["N"]) for row in algebra.each(held)), default=1.0)
    yield every(
        id="ssgd-eps-range", artefact=MULTIPLIER, location="Sec. 1.1 (a), remark after Thm 3.1", kind="privacy", source="ours",
        statement="(ours) the algorithm too, and not only its analysis, is restricted to eps <= 1/sqrt(N)",
        quantity=f"largest eps sqrt(N) at which the explicit bound gives (eps, delta)-DP by a multiplier of at most {1 - AGREES:g} of what is needed without shuffling",
        cells={"all": exactly(largest)} if len(shuffled) else {}, criterion=at_most(1.0),
        changed="After a second reading the statement is ours, because the paper restricts its analysis and not the algorithm. After a first look at the tables eps at which shuffling does not help, where the multiplier is that of a local release, are not counted.",
        note="the restriction comes from eps_0 <= 1/2 in the proof, not from the algorithm: the explicit bound, or one local release, covers every eps; finding eps-range",
    )  # fmt: skip
    yield every(
        id="amplification-helps", artefact=MULTIPLIER, location="Sec. 1.1", kind="privacy", source="paper",
        statement="shuffling amplifies the privacy guarantee, compared to the unshuffled data set",
        quantity="multiplier with shuffling over that of one release of a record, at equal eps and delta: the largest over eps <= 1, delta and N",
        cells=algebra.ratios(shuffled[floats(shuffled, "eps") <= 1.0], local, AT, [*AT, "N"]), criterion=at_most(1.0 / SIGNIFICANT),
        changed="After a first look at the tables a factor of two at eps <= 1 is asked for, because the explicit bound is never above a local release.",
    )  # fmt: skip


def _whole_runs(evidence: Evidence) -> Iterator[Claim]:
    arms = evidence.spec["artefacts"][AUDIT]["arms"]
    scopes: tuple[tuple[str, str, Source, str], ...] = (
        ("no-composition-factor", "whole run, T = {}", "paper", "each record is in one batch, so that parallel composition avoids the factor sqrt(T), and the guarantee does not depend on T"),
        ("added-record", "whole run, T = {}, record added", "ours", "(ours) the guarantee holds in a known order of the records where neighbours differ by an added record too, as Definition 2.2 is worded"),
    )  # fmt: skip
    for id, name, source, statement in scopes:
        tables = [rows(evidence, AUDIT, mechanism=name.format(T), series="attained mu") for T in arms["steps"]]
        cells = [quantities.shares(table, floats(table, "accounted"), ["mechanism"]) for table in tables]
        yield every(
            id=id, artefact=AUDIT, location="Remark after Thm 3.6" if source == "paper" else "Def. 2.2", kind="privacy", source=source,
            statement=statement,
            quantity="Gaussian-DP parameter that an attack on all iterates of a run attains over that of one iteration: the largest over T",
            cells={place: each for found in cells for place, each in found.items()}, criterion=at_most(1.0 + AGREES),
            note="a fixed threshold; the attack takes no place of the record for granted"
            + ("" if source == "paper" else "; the text announces replacement, and a secret order would hide the shift of all batches"),
        )  # fmt: skip


# Id, mechanism, location, source, statement.
ATTACKS: tuple[tuple[str, str, str, Source, str], ...] = (
    ("audit-gradient", "gradient step", "Thm 3.6", "paper", "the noisy mean of clipped gradients is 1/(2 alpha^2)-zCDP"),
    ("audit-counts", "DP-STAT, noisy counts", "Lemma 3.10 (privacy)", "paper", "DP-STAT is 1/(2 alpha^2)-zCDP"),
    ("audit-threshold", "DP-STAT, released threshold (as published)", "Lemma 3.10 (privacy)", "paper", "DP-STAT is 1/(2 alpha^2)-zCDP (its threshold, printed rule)"),
    ("audit-threshold-corrected", "DP-STAT, released threshold (corrected)", "Lemma 3.10 (privacy)", "ours", "(ours) the corrected rule is post-processing of the same counts"),
    ("audit-iteration", "one iteration as published", "Thm 3.6", "paper", "DP-AMBSSGD is 1/alpha^2-zCDP"),
)  # fmt: skip


def _attacks(evidence: Evidence) -> Iterator[Claim]:
    s = evidence.spec["artefacts"][AUDIT]["cells"]["all"]["s"]
    for id, mechanism, location, source, words in ATTACKS:
        table = rows(evidence, AUDIT, mechanism=mechanism, series="attained mu")
        yield every(
            id=id, artefact=AUDIT, location=location, kind="privacy", source=source,
            statement=words,
            quantity="Gaussian-DP parameter that an attack attains over the accounted one",
            cells=quantities.shares(table, floats(table, "accounted"), ["mechanism"]), criterion=at_most(1.0 + AGREES),
            changed=f"After a first look at the tables DP-STAT and the gradient have {s} records in place of 25, with which the corrected rule saw noise only.",
            note="an attack bounds from below only: it could refute, it cannot prove; a twentieth is left to chance",
        )  # fmt: skip
