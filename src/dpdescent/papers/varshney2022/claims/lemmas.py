"""Claims about bounds with printed constants and about moments: Lemmas 3.5, 3.11 and B.5, Definition 2.1, eq. (44)."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.bounds.cases import setting_of
from dpdescent.papers.varshney2022.claims import conditions, quantities
from dpdescent.papers.varshney2022.reading import CHANCE, EQUAL, LOGARITHMS, every, judged, rows
from dpdescent.papers.varshney2022.theory.ambssgd import batch_condition, theorem_step
from dpdescent.papers.varshney2022.theory.explicit import Law
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import about, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import Regime, agree
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly

RUNS, MOMENTS, SIZES = "bound_vs_run", "moments", "feasibility"
R_SQUARED, TAIL, CONTRACTION, PRODUCT = (
    "R_x^2", "P(|x|^2 > d log 1/beta) / beta", "E[B'HB] against H", "E[B'B] against I - eta H",
)  # fmt: skip
BATCH, START = "batch condition of Lemma 3.11", "eta mu N / 2 >= log N"
SSGD, AMBSSGD, UNCLIPPED = "DP-SSGD", "DP-AMBSSGD", "no clipping"
RUN = ["algorithm", "N", "d", "sigma"]
AT_MOST_1 = at_most(1.0)
EXACT_LAW = "After a first look at the tables the exact law is judged in place of the runs."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges bounds beside runs, then moments, then conditions."""
    yield from _bounds(evidence)
    yield from _moments(evidence)
    yield from _conditions(evidence)


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    found = {
        (algorithm, kind): rows(evidence, RUNS, series="risk", algorithm=algorithm, kind=kind)
        for algorithm, kind in ((SSGD, UNCLIPPED), (AMBSSGD, UNCLIPPED), (AMBSSGD, "as run"))
    }
    over = {place: quantities.shares(table, floats(table, "bound"), RUN[1:]) for place, table in found.items()}
    single = found[SSGD, UNCLIPPED]
    yield every(
        id="lemma-3.5", artefact=RUNS, location="Lemma 3.5", kind="theorem", source="paper",
        statement="the mean risk of DP-SSGD is at most the bound, all constants printed",
        quantity="exact expected risk over the bound: the largest over N, d and sigma",
        cells=quantities.shares(quantities.exact(single, "expected"), floats(single, "bound"), RUN[1:]), criterion=at_most(1.0), changed=EXACT_LAW,
        note=f"eta and zeta are ours; the bound takes any eta <= 1/(2 R_x^2); runs have {_extent(over[SSGD, UNCLIPPED])} of the bound",
    )  # fmt: skip
    yield _without_mean(single)
    yield every(
        id="lemma-3.11", artefact=RUNS, location="Lemma 3.11", kind="theorem", source="paper",
        statement="the mean risk of DP-AMBSSGD is at most the bound, all constants printed",
        quantity="exact expected risk without clipping, at the largest thresholds that the lemma allows, over the bound: the largest over N, d and sigma where its condition on b is met",
        cells=_at_largest_thresholds(evidence, found[AMBSSGD, UNCLIPPED]), criterion=at_most(1.0),
        changed=f"{EXACT_LAW} Before a review it was that of the least threshold that the lemma allows, and sizes that do not meet its condition on b were judged too.",
        note=f"the law is exact but for E |w_t - w*|_H, which is taken for the root of the mean square; runs, at the least threshold, have {_extent(over[AMBSSGD, UNCLIPPED])} of the bound",
    )  # fmt: skip
    yield every(
        id="lemma-3.11-as-run", artefact=RUNS, location="Lemma 3.11, Thm 3.7", kind="theorem", source="ours",
        statement="(ours) with DP-STAT and clipping, which Lemma 3.11 excludes, the mean risk of DP-AMBSSGD is at most the lemma's bound too",
        quantity="mean risk of the runs over the bound: the largest over N, d and sigma",
        cells=over[AMBSSGD, "as run"], criterion=at_most(1.0), changed="Before a review the claim was called the paper's.",
        note=f"runs have {_extent(over[AMBSSGD, 'as run'])} of the bound",
    )  # fmt: skip
    both = rows(evidence, RUNS, series="risk", kind="no clipping")
    expected = floats(both, "expected")
    yield every(
        id="exact-law", artefact=RUNS, location="Lemmas 3.5, 3.11", kind="theorem", source="ours",
        statement="(ours) runs without clipping agree with exact second moments",
        quantity=f"mean risk less the exact one, over {CHANCE:g} standard errors: the largest over N, d and sigma",
        cells=quantities.departures(both, expected, CHANCE, RUN), criterion=at_most(1.0),
        changed="After a first look at the tables standard errors decide; half of the risk was allowed.",
        note=f"{both['trials'].max():g} trials; mean risk over the exact one: {_extent(quantities.shares(both, expected, RUN))}",
    )  # fmt: skip


def _without_mean(single: pd.DataFrame) -> Claim:
    """Judges the lemma for the risk itself too, since it prints no expectation."""
    made = {
        "of the mean": quantities.shares(quantities.exact(single, "expected"), floats(single, "bound"), RUN[1:]),
        "of the risk": quantities.shares(quantities.exact(single, "q90"), floats(single, "bound"), RUN[1:]),
    }
    found = {reading: AT_MOST_1.verdict_on_all(cells.values()) for reading, cells in made.items()}
    agreed = agree(found)
    worst = max((each for each in made["of the risk"].values()), key=lambda each: each.value, default=NOTHING)
    return judged(
        id="lemma-3.5-without-mean", artefact=RUNS, location="Lemma 3.5, Thm 3.2", kind="theorem", source="paper",
        statement="the excess risk of DP-SSGD is at most the bound (no expectation is printed, and Theorem 3.2 is about high probability)",
        quantity="exact expected risk, and 90 % quantile over trials, over the bound: the largest over N, d and sigma",
        measured=worst, criterion=AT_MOST_1.words, verdict=agreed.verdict, why=agreed.why, note=agreed.told,
    )  # fmt: skip


def _at_largest_thresholds(evidence: Evidence, table: pd.DataFrame) -> Places:
    """The law's risk over the table's bound, by place, where Lemma 3.11's condition on b is met."""
    found: Places = {}
    for row in algebra.each(table.dropna(subset=conditions.NEEDED)):
        choice = conditions.choice_at(evidence, RUNS, row)
        # These runs have no statistic: all records of a batch are in its gradient.
        eta = theorem_step(choice.design.lam, choice.batch)
        setting = replace(setting_of(choice), batch=choice.batch, eta=eta)
        if setting.batch >= batch_condition(setting) and row["bound"] > 0:
            found[algebra.place_of(row, RUN[1:])] = exactly(Law.of(setting).risk / row["bound"])
    return found


def _extent(places: Places) -> str:
    return quantities.extent(each.value for each in places.values())


def _moments(evidence: Evidence) -> Iterator[Claim]:
    shares = _over_claimed(rows(evidence, MOMENTS, quantity=R_SQUARED), ["kappa", "d"])
    yield every(
        id="r-squared-is-d", artefact=MOMENTS, location="Cor. 3.3, Cor. 3.8", kind="theorem", source="paper",
        statement="for x ~ N(0, I), R_x^2 = d",
        quantity="exact R_x^2 over Tr H: the one that is furthest off",
        cells={place: share for place, share in shares.items() if place.startswith("kappa = 1,")}, criterion=about(1.0, EQUAL),
        regime=Regime(("R_x^2 as the least one of Sec. 2, because Theorems 3.2 and 3.7 ask for E|x|^2 <= R_x^2 alone, which d meets",), "two definitions", "unstated value decides", ("not reproduced",)),
        changed="After a second reading the theorems' own condition on R_x^2 is a reading too.",
        note=f"R_x^2 = Tr H + 2 |H|: off by 2/d, which matters for small d only. {algebra.told(shares)}",
    )  # fmt: skip
    tail = rows(evidence, MOMENTS, quantity=TAIL)
    tails: tuple[tuple[str, float, Source, str, str], ...] = (
        ("tail-normal", 0.0, "paper", "normal x and z satisfy Definition 2.1 with a = 1/2 ((2) for z, which is one-dimensional, and for x at every d)", "z is one-dimensional, but only (4) is used of it"),
        ("tail-normal-two", 2.0, "ours", "normal x satisfies (2) with a = 1/2 for d >= 2", "the paper has no limit on d"),
    )  # fmt: skip
    for id, smallest_d, source, words, note in tails:
        table = quantities.exact(tail[floats(tail, "d") >= smallest_d], "mean")
        yield every(
            id=id, artefact=MOMENTS, location="Def. 2.1 (2)", kind="text", source=source,
            statement=words,
            quantity="P(|x|^2 > d log(1/beta)) over beta: the largest over d and beta",
            cells=algebra.means(table, ["d", "beta"]), criterion=at_most(1.0 + EQUAL),
            note=note,
        )  # fmt: skip
    product = quantities.exact(rows(evidence, MOMENTS, quantity=PRODUCT), "mean")
    yield every(
        id="lemma-b.5", artefact=MOMENTS, location="Lemma B.5", kind="theorem", source="paper",
        statement="E[B'B] <= I - eta H, B = I - (eta/b) sum x x', at Theorem 3.7's step",
        quantity="largest eigenvalue of the difference, exact for normal covariates: the largest over d, kappa and b",
        cells=algebra.means(product, ["d", "kappa", "b"]), criterion=at_most(EQUAL),
    )  # fmt: skip
    step = rows(evidence, MOMENTS, quantity=CONTRACTION)
    large = step[floats(step, "b") >= floats(step, "kappa") * floats(step, "d")]
    yield every(
        id="step-44-large-batch", artefact=MOMENTS, location="App. B, step to (44)", kind="theorem", source="paper",
        statement="E[B'HB] <= (1 - eta mu) H, for b >= kappa d, which Lemma 3.11's own condition implies up to constants",
        quantity="exact coefficient of the worst direction over 1 - eta mu: the largest over d, kappa and b",
        cells=_over_claimed(large, ["d", "kappa", "b"]), criterion=at_most(1.0 + EQUAL),
        changed="After a first look at the tables a claim about every b is left to the finding.",
        note="smaller b: finding step-44",
    )  # fmt: skip


def _over_claimed(table: pd.DataFrame, keys: list[str]) -> Places:
    """What was computed over what is claimed, where that is positive."""
    return algebra.means(quantities.in_units(quantities.exact(table, "mean"), lambda t: floats(t, "claimed")), keys)


def _conditions(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, SIZES, condition=BATCH, series="smallest N")
    yield every(
        id="batch-condition-linear", artefact=SIZES, location="Thm 3.7, Lemma 3.11", kind="theorem", source="paper",
        statement="N = Omega~(d) is enough for the lemma's condition on the batch size",
        quantity="log-log slope in d of the smallest N that meets it: the largest over c_1",
        cells=algebra.by(table, ["c1"], _in_d), criterion=at_most(1.0 + LOGARITHMS),
        note=f"constants: {algebra.told(algebra.means(table, ['c1', 'd']))}",
    )  # fmt: skip
    table = rows(evidence, SIZES, condition=START, series="smallest N")
    N = np.maximum(floats(table, "mean"), math.e)
    # 1 / eta has log^4 N and alpha^2 = log^2(N/delta), and the condition one more log N.
    logs = np.log(N) ** 5 * np.log(N / float(evidence.settings["delta"])) ** 2
    yield every(
        id="ssgd-condition", artefact=SIZES, location="Thm 3.2, (6)", kind="theorem", source="paper",
        statement="with Theorem 3.2's step, N = Omega~(d^2) is enough for the first term to vanish",
        quantity="log-log slope in d of the smallest N with eta mu N / 2 >= log N, over log^5 N log^2(N/delta)",
        cells=algebra.by(algebra.scaled(table, 1.0 / logs), ["condition"], _in_d), criterion=at_most(2.0 + LOGARITHMS),
        changed="Before a review the logarithms, which Omega~ hides, were left in.",
        note=f"with them: {algebra.told(algebra.by(table, ['condition'], _in_d))}. Constants: {algebra.told(algebra.means(table, ['d']))}",
    )  # fmt: skip


def _in_d(group: pd.DataFrame) -> Estimate:
    return algebra.exponent(group, "d")
