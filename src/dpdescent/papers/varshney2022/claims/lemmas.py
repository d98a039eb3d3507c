"""Claims about bounds with printed constants and about moments: Lemmas 3.5, 3.11 and B.5, Definition 2.1, eq. (44)."""

import math
from collections.abc import Iterator

from dpdescent.papers.varshney2022.claims.quantities import by, departures, exponent, mean_over, told
from dpdescent.papers.varshney2022.reading import CHANCE, CHANGED, EQUAL, LOGARITHMS, every, rows
from dpdescent.replication.judging.algebra import listed
from dpdescent.replication.judging.criteria import about, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly, known

RUNS, MOMENTS, SIZES = "bound_vs_run", "moments", "feasibility"
R_SQUARED, TAIL, CONTRACTION, PRODUCT = (
    "R_x^2", "P(|x|^2 > d log 1/beta) / beta", "E[B'HB] against H", "E[B'B] against I - eta H",
)  # fmt: skip
STAT, BATCH, START = "s >= 2 Gamma", "batch condition of Lemma 3.11", "eta mu N / 2 >= log N"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Bounds beside runs, moments, conditions."""
    yield from _bounds(evidence)
    yield from _moments(evidence)
    yield from _conditions(evidence)


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    for name, algorithm, kind, location, extra in (
        ("lemma-3.5", "DP-SSGD", "no clipping", "Lemma 3.5", "eta and zeta are ours; the bound takes any eta <= 1/(2 R_x^2)"),
        ("lemma-3.11", "DP-AMBSSGD", "no clipping", "Lemma 3.11", "its condition on b is not met at these N with the paper's logarithms"),
        ("lemma-3.11-as-run", "DP-AMBSSGD", "as run", "Lemma 3.11, Thm 3.7", "with DP-STAT and clipping, which the lemma excludes"),
    ):  # fmt: skip
        table = rows(evidence, RUNS, series="risk", algorithm=algorithm, kind=kind)
        runs = mean_over(table, table["bound"].astype(float))
        exact = mean_over(table.assign(mean=table["expected"], se=math.nan), table["bound"].astype(float))
        law, judged = ("mean risk of the runs", runs) if kind == "as run" else ("exact expected risk", exact)
        shares = [each.value for each in runs]
        changed = "" if kind == "as run" else f". {CHANGED}: the exact law is judged, not the runs"
        yield every(
            id=name, artefact=RUNS, location=location, kind="text", source="paper",
            statement=f"the mean risk of {algorithm} is at most the bound, all constants printed",
            quantity=f"{law} over the bound: the largest over N, d and sigma",
            cells=judged, criterion=at_most(1.0),
            note=f"{extra}; runs have {min(shares, default=math.nan):.3g} to {max(shares, default=math.nan):.3g} of the bound{changed}",
        )  # fmt: skip
    both = rows(evidence, RUNS, series="risk", kind="no clipping")
    shares = [each.value for each in mean_over(both, both["expected"].astype(float))]
    yield every(
        id="exact-law", artefact=RUNS, location="Lemmas 3.5, 3.11", kind="theorem", source="ours",
        statement="(ours) runs without clipping agree with exact second moments",
        quantity=f"mean risk less the exact one, over {CHANCE:g} standard errors: the largest over N, d and sigma",
        cells=departures(both, both["expected"].astype(float), CHANCE), criterion=at_most(1.0),
        note=f"{both['trials'].max():g} trials; mean risk over the exact one: {min(shares, default=math.nan):.3g} to {max(shares, default=math.nan):.3g}. {CHANGED}: half of the risk was allowed",
    )  # fmt: skip


def _moments(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, MOMENTS, quantity=R_SQUARED)
    shares = {
        f"d = {row['d']:g}, kappa = {row['kappa']:g}": exactly(row["mean"] / row["claimed"])
        for _, row in table.iterrows()
    }
    yield every(
        id="r-squared-is-d", artefact=MOMENTS, location="Cor. 3.3, Cor. 3.8", kind="theorem", source="paper",
        statement="for x ~ N(0, I), R_x^2 = d",
        quantity="exact R_x^2 over Tr H: the one that is furthest off",
        cells=known(shares[place] for place in shares if place.endswith("kappa = 1")), criterion=about(1.0, EQUAL),
        note=f"R_x^2 = Tr H + 2 |H|: off by 2/d, which matters for small d only. {told(shares)}",
    )  # fmt: skip
    tail = rows(evidence, MOMENTS, quantity=TAIL)
    for name, chosen, words in (
        ("tail-normal", tail, "normal x and z satisfy Definition 2.1 with a = 1/2 (of (2), for every d)"),
        ("tail-normal-two", tail[tail["d"].astype(float) >= 2], "normal x satisfies (2) with a = 1/2 for d >= 2"),
    ):  # fmt: skip
        found = {f"d = {row['d']:g}, beta = {row['beta']:g}": exactly(row["mean"]) for _, row in chosen.iterrows()}
        yield every(
            id=name, artefact=MOMENTS, location="Def. 2.1 (2)", kind="text", source="paper",
            statement=words,
            quantity="P(|x|^2 > d log(1/beta)) over beta: the largest over d and beta",
            cells=known(found.values()), criterion=at_most(1.0 + EQUAL),
            note=f"{told(found)}. z is one-dimensional, but only (4) is used of it" if name == "tail-normal" else "",
        )  # fmt: skip
    product = rows(evidence, MOMENTS, quantity=PRODUCT)
    yield every(
        id="lemma-b.5", artefact=MOMENTS, location="Lemma B.5", kind="theorem", source="paper",
        statement="E[B'B] <= I - eta H, B = I - (eta/b) sum x x', at Theorem 3.7's step",
        quantity="largest eigenvalue of the difference, exact for normal covariates: the largest over d, kappa and b",
        cells=known(exactly(each) for each in product["mean"].astype(float)), criterion=at_most(EQUAL),
    )  # fmt: skip
    step = rows(evidence, MOMENTS, quantity=CONTRACTION)
    large = step[step["b"].astype(float) >= step["kappa"].astype(float) * step["d"].astype(float)]
    found = {
        f"d = {row['d']:g}, kappa = {row['kappa']:g}, b = {row['b']:g}": exactly(row["mean"] / row["claimed"])
        for _, row in large.iterrows()
        if row["claimed"] > 0
    }
    yield every(
        id="step-44-large-batch", artefact=MOMENTS, location="App. B, step to (44)", kind="theorem", source="paper",
        statement="E[B'HB] <= (1 - eta mu) H, for b >= kappa d, which Lemma 3.11's own condition implies up to constants",
        quantity="exact coefficient of the worst direction over 1 - eta mu: the largest over d, kappa and b",
        cells=known(found.values()), criterion=at_most(1.0 + EQUAL),
        note=f"above 1 in {sum(each.value > 1 + EQUAL for each in found.values())} of {len(found)} cells; smaller b: finding step-44. {CHANGED}: a claim about every b is left to the finding",
    )  # fmt: skip


def _conditions(evidence: Evidence) -> Iterator[Claim]:
    batch = by(rows(evidence, SIZES, condition=BATCH, series="smallest N"), ["c1"], lambda group: exponent(group, "d"))
    yield every(
        id="batch-condition-linear", artefact=SIZES, location="Thm 3.7, Lemma 3.11", kind="theorem", source="paper",
        statement="N = Omega~(d) is enough for the lemma's condition on the batch size",
        quantity="log-log slope in d of the smallest N that meets it: the largest over c_1",
        cells=batch.values(), criterion=at_most(1.0 + LOGARITHMS),
        note=f"constants: {_smallest(evidence, BATCH, 'c1')}",
    )  # fmt: skip
    start = by(
        rows(evidence, SIZES, condition=START, series="smallest N"), ["condition"], lambda group: exponent(group, "d")
    )
    yield every(
        id="ssgd-condition", artefact=SIZES, location="Thm 3.2, (6)", kind="theorem", source="paper",
        statement="with Theorem 3.2's step, N = Omega~(d^2) is enough for the first term to vanish",
        quantity="log-log slope in d of the smallest N with eta mu N / 2 >= log N",
        cells=start.values(), criterion=at_most(2.0 + LOGARITHMS),
        note=f"constants: {_smallest(evidence, START, 'd')}",
    )  # fmt: skip


def _smallest(evidence: Evidence, condition: str, axis: str) -> str:
    table = rows(evidence, SIZES, condition=condition, series="smallest N")
    return listed(
        (f"{axis} = {row[axis]:g}, d = {row['d']:g}" if axis != "d" else f"d = {row['d']:g}", row["mean"])
        for _, row in table.iterrows()
    )
