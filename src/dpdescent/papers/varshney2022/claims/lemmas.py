"""Claims about bounds with printed constants and about moments: Lemmas 3.5, 3.11 and B.5, Definition 2.1, eq. (44)."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.claims import quantities
from dpdescent.papers.varshney2022.reading import CHANCE, EQUAL, LOGARITHMS, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import about, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source

RUNS, MOMENTS, SIZES = "bound_vs_run", "moments", "feasibility"
R_SQUARED, TAIL, CONTRACTION, PRODUCT = (
    "R_x^2", "P(|x|^2 > d log 1/beta) / beta", "E[B'HB] against H", "E[B'B] against I - eta H",
)  # fmt: skip
BATCH, START = "batch condition of Lemma 3.11", "eta mu N / 2 >= log N"
RUN = ["algorithm", "N", "d", "sigma"]
EXACT_LAW = "After a first look at the tables the exact law is judged in place of the runs."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges bounds beside runs, then moments, then conditions."""
    yield from _bounds(evidence)
    yield from _moments(evidence)
    yield from _conditions(evidence)


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    for id, algorithm, kind, location, judged, changed, extra in (
        ("lemma-3.5", "DP-SSGD", "no clipping", "Lemma 3.5", "expected", EXACT_LAW, "eta and zeta are ours; the bound takes any eta <= 1/(2 R_x^2)"),
        ("lemma-3.11", "DP-AMBSSGD", "no clipping", "Lemma 3.11", "expected", EXACT_LAW, "bounds.csv says where its condition on b is met"),
        ("lemma-3.11-as-run", "DP-AMBSSGD", "as run", "Lemma 3.11, Thm 3.7", "mean", "", "with DP-STAT and clipping, which the lemma excludes"),
    ):  # fmt: skip
        table = rows(evidence, RUNS, series="risk", algorithm=algorithm, kind=kind)
        runs = quantities.shares(table, floats(table, "bound"), RUN[1:])
        law = quantities.shares(quantities.exact(table, "expected"), floats(table, "bound"), RUN[1:])
        yield every(
            id=id, artefact=RUNS, location=location, kind="theorem", source="paper",
            statement=f"the mean risk of {algorithm} is at most the bound, all constants printed",
            quantity=f"{'mean risk of the runs' if judged == 'mean' else 'exact expected risk'} over the bound: the largest over N, d and sigma",
            cells=runs if judged == "mean" else law, criterion=at_most(1.0), changed=changed,
            note=f"{extra}; runs have {_extent(runs)} of the bound",
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


def _extent(places: Places) -> str:
    return quantities.extent(each.value for each in places.values())


def _moments(evidence: Evidence) -> Iterator[Claim]:
    shares = _over_claimed(rows(evidence, MOMENTS, quantity=R_SQUARED), ["kappa", "d"])
    yield every(
        id="r-squared-is-d", artefact=MOMENTS, location="Cor. 3.3, Cor. 3.8", kind="theorem", source="paper",
        statement="for x ~ N(0, I), R_x^2 = d",
        quantity="exact R_x^2 over Tr H: the one that is furthest off",
        cells={place: share for place, share in shares.items() if place.startswith("kappa = 1,")}, criterion=about(1.0, EQUAL),
        note=f"R_x^2 = Tr H + 2 |H|: off by 2/d, which matters for small d only. {algebra.told(shares)}",
    )  # fmt: skip
    tail = rows(evidence, MOMENTS, quantity=TAIL)
    tails: tuple[tuple[str, float, Source, str, str], ...] = (
        ("tail-normal", 0.0, "paper", "normal x and z satisfy Definition 2.1 with a = 1/2 (of (2), for every d)", "z is one-dimensional, but only (4) is used of it"),
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
    for id, condition, axis, location, power, statement, quantity in (
        ("batch-condition-linear", BATCH, "c1", "Thm 3.7, Lemma 3.11", 1.0, "N = Omega~(d) is enough for the lemma's condition on the batch size",
         "log-log slope in d of the smallest N that meets it: the largest over c_1"),
        ("ssgd-condition", START, "condition", "Thm 3.2, (6)", 2.0, "with Theorem 3.2's step, N = Omega~(d^2) is enough for the first term to vanish",
         "log-log slope in d of the smallest N with eta mu N / 2 >= log N"),
    ):  # fmt: skip
        table = rows(evidence, SIZES, condition=condition, series="smallest N")
        yield every(
            id=id, artefact=SIZES, location=location, kind="theorem", source="paper",
            statement=statement, quantity=quantity,
            cells=algebra.by(table, [axis], lambda group: algebra.exponent(group, "d")), criterion=at_most(power + LOGARITHMS),
            note=f"constants: {algebra.told(algebra.means(table, ['c1', 'd']))}",
        )  # fmt: skip
