"""Claims about step sizes, iterations, averaging and laws of the records: what DP-AMBSSGD may be run with."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.claims.quantities import MEDIAN, PRINTED_MEDIAN, nearest, ratios, risks
from dpdescent.papers.varshney2022.reading import CHANGED, EQUAL, SAME_ORDER, claim, every, rows
from dpdescent.replication.judging.algebra import listed, over
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly, known

STEPS, CHOICES, LAWS = "step_size", "ablation", "tails"
OURS = "DP-AMBSSGD"
THEOREM, COROLLARY = "Theorem 3.7", "Corollary 3.8"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Printed steps, then choices, then laws."""
    yield from _bias(evidence)
    yield from _risk(evidence)
    yield from _choices(evidence)
    yield from _laws(evidence)


def _bias(evidence: Evidence) -> Iterator[Claim]:
    factor, w_norm = float(evidence.published["variance_factor"]), float(evidence.settings["w_norm"])
    for name, step, location in (
        ("step-bias-theorem", THEOREM, "Thm 3.7"),
        ("step-bias-corollary", COROLLARY, "Cor. 3.8"),
    ):
        table = nearest(rows(evidence, STEPS, series=OURS, step=step), "T")
        found = {}
        for _, row in table.iterrows():
            allowed = factor * row["sigma"] ** 2 * row["d"] / row["N"]
            found[f"N = {row['N']:g}, d = {row['d']:g}"] = row["bias"] * w_norm**2 / 2 / allowed
        yield every(
            id=name, artefact=STEPS, location=location, kind="text", source="paper",
            statement=f"with the step size of {step} what is left of the start after T = O(log N) iterations is |w*|_H^2 / N^100",
            quantity="exact risk without any noise over 8 sigma^2 d/N, at the largest T: the largest over N and d",
            cells=known(map(exactly, found.values())), criterion=at_most(1.0, ": the start matters less than the labels' noise"),
            note=f"N^-100 itself needs c_1 = 400, since eq. (47) has the exponent eta mu kappa c_1 / 4. {listed(found.items())}",
        )  # fmt: skip


def _risk(evidence: Evidence) -> Iterator[Claim]:
    on = ["N", "d", "T"]
    theorem, corollary = (risks(evidence, STEPS, OURS, step=step) for step in (THEOREM, COROLLARY))
    best = [
        corollary[(corollary["N"] == N) & (corollary["d"] == d)]
        for N, d in sorted(set(zip(corollary["N"], corollary["d"], strict=True)))
    ]
    least = [group.loc[group["mean"].idxmin()] for group in best if group["mean"].notna().any()]
    floor = {(row["N"], row["d"]): row for row in least}
    groups = [(N, d, group) for (N, d), group in theorem.groupby(["N", "d"]) if group["mean"].notna().any()]
    found = {
        f"N = {N:g}, d = {d:g}": over(floor[N, d], group.loc[group["mean"].idxmin()])
        for N, d, group in groups
        if (N, d) in floor
    }
    yield every(
        id="corollary-3.8-risk", artefact=STEPS, location="Cor. 3.8", kind="theorem", source="paper",
        statement="with eta = 1/(4d) the risk obeys the bound of Theorem 3.7",
        quantity=f"risk with that step over that with Theorem 3.7's step, each at its best T: the largest over N and d; {MEDIAN}",
        cells=known(found.values()), criterion=at_most(SAME_ORDER),
        note=f"corrected rule and exact noise multiplier. Risks with 1/(4d): {listed((f'N = {N:g}, d = {d:g}', row['mean']) for (N, d), row in floor.items())}; finding corollary-3.8-step",
    )  # fmt: skip
    longest = nearest(theorem, "T")
    units = {
        f"N = {row['N']:g}, d = {row['d']:g}": row["mean"] / (row["sigma"] ** 2 * row["d"] / row["N"])
        for _, row in longest.iterrows()
    }
    shortest = nearest(theorem, "T", largest=False)
    yield every(
        id="more-iterations-harmless", artefact=STEPS, location="Thm 3.7", kind="theorem", source="ours",
        statement="(ours) the constant c_1 of T = c_1 log N does not matter",
        quantity=f"risk at the largest T over that at the smallest, Theorem 3.7's step: the largest over N and d; {MEDIAN}",
        cells=ratios(longest, shortest, on[:2]), criterion=at_most(SAME_ORDER),
        note=f"the theorem has \"c_1 > 0 is a global constant\": one that exists, not any. The batches shrink as T grows, and s with them. Risk over sigma^2 d/N at the largest T: {listed(units.items())}. {CHANGED}: it is called ours",
    )  # fmt: skip


def _level(table: pd.DataFrame, choice: str, level: str) -> "pd.Series[float]":
    return row_at(table, choice=choice, level=level)


def _choices(evidence: Evidence) -> Iterator[Claim]:
    table = risks(evidence, CHOICES, OURS)
    yield claim(
        id="tail-average", artefact=CHOICES, location="Sec. 3", kind="text", source="paper",
        statement="with techniques like tail averaging the risk is nearly optimal",
        quantity=f"risk of the last iterate over that of the average over the last half; {MEDIAN}",
        measured=over(_level(table, "tail", "last iterate"), _level(table, "tail", "0.5")), criterion=at_least(1.0),
        note=_levels(table, "tail"),
    )  # fmt: skip
    for name, choice, kept, location, statement in (
        ("statistic-share", "statistic", "1136", "Thm 3.7", "s = b/10 records for DP-STAT"),
        ("printed-rule", "rule", "as published", "Lemma 3.10, Thm 3.7", "the printed rule of DP-STAT gives thresholds within a constant of the best"),
        ("printed-factor", "factor", "log^a N", "Algorithm 2, Sec. 4", "zeta_t = R_x gamma_t log^a N costs no more than logarithms"),
    ):  # fmt: skip
        levels = table[table["choice"] == choice]
        best = levels.loc[levels["mean"].idxmin()] if levels["mean"].notna().any() else _level(table, choice, kept)
        # zeta_t enters squared: log^{2a} N = log N at a = 1/2.
        logs = math.log(float(best["N"])) if choice == "factor" and best["N"] > 1 else 1.0
        yield claim(
            id=name, artefact=CHOICES, location=location, kind="text", source="paper",
            statement=statement,
            quantity=f"risk at {choice} = {kept} over the smallest over its levels; {PRINTED_MEDIAN if choice == 'rule' else MEDIAN}",
            measured=over(_level(table, choice, kept), best), criterion=at_most(SAME_ORDER * logs, ": a constant times log N" if choice == "factor" else ""),
            note=_levels(table, choice),
        )  # fmt: skip


def _levels(table: pd.DataFrame, choice: str) -> str:
    levels = table[table["choice"] == choice]
    return listed(zip(levels["level"], levels["mean"], strict=True))


def _law(evidence: Evidence, law: str, factor: str) -> pd.DataFrame:
    return risks(evidence, LAWS, OURS, law=law, factor=factor)


def _laws(evidence: Evidence) -> Iterator[Claim]:
    share = 1.0 - float(evidence.published["quantile"])
    for name, law, statement, location in (
        ("dependent-noise", "dependent noise", "the results hold when z depends on x", "Sec. 2"),
        ("sub-exponential", "Laplace", "the results hold for sub-exponential covariates, with a = 1", "Def. 2.1"),
    ):  # fmt: skip
        normal, other = (_law(evidence, each, "log^a N") for each in ("normal", law))
        N = float(other["N"].iloc[0]) if len(other) else math.nan
        # log^{2a} N of zeta^2 at a = 1 is log N times that at a = 1/2.
        allowed = SAME_ORDER * (math.log(N) if law == "Laplace" and N == N else 1.0)
        plain = ratios(_law(evidence, law, "1.25"), _law(evidence, "normal", "1.25"), ["N", "d", "sigma"])
        yield every(
            id=name, artefact=LAWS, location=location, kind="text", source="paper",
            statement=statement,
            quantity=f"risk at zeta_t = R_x gamma_t log^a N over that for normal covariates and independent noise; {MEDIAN}",
            cells=ratios(other, normal, ["N", "d", "sigma"]), criterion=at_most(allowed, ": a constant times log N, what log^{2a} N adds at a = 1" if law == "Laplace" else ""),
            note=f"with the factor 1.25 for log^a N the ratio is {', '.join(f'{each.value:.3g}' for each in plain)}",
        )  # fmt: skip
    printed = rows(evidence, LAWS, series=OURS, factor="log^a N")
    covered = printed[printed["law"] != "Student t5"]
    outside = rows(evidence, LAWS, series=OURS, law="Student t5")
    yield every(
        id="tail-clipping", artefact=LAWS, location="Def. 2.1, Sec. 3.2", kind="text", source="paper",
        statement="with zeta_t = R_x gamma_t log^a N hardly any gradient is clipped, for all laws of Definition 2.1",
        quantity="share of gradients clipped over a run: the largest over normal, Laplace and dependent noise",
        cells=known(exactly(each) for each in covered["clip_fraction"].astype(float)), criterion=at_most(share + EQUAL, ""),
        note=f"Student t5, outside of the definition: {listed(zip(outside['factor'], outside['clip_fraction'], strict=True))}",
    )  # fmt: skip
