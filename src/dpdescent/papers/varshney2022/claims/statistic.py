"""Claims about DP-STAT: both halves of Lemma 3.10's utility, and what the analysis of the noise needs of its threshold."""

import dataclasses
import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.claims import quantities
from dpdescent.papers.varshney2022.reading import SAME_ORDER, SIGNIFICANT, every, rows
from dpdescent.papers.varshney2022.theory.ambssgd import stat_slack
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import at_every_reading
from dpdescent.replication.judging.statistics import exactly

ARTEFACT = "alg_stat"
PRINTED, CORRECTED, WITH_BETA = "as published", "corrected", "corrected, beta"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges Lemma 3.10 for the printed rule, then the same for the corrected one."""
    yield from _halves(evidence)
    yield from _moments(evidence)
    yield from _corrected(evidence)


def _beta(evidence: Evidence) -> float:
    return float(evidence.spec["artefacts"][ARTEFACT]["arms"]["beta"])


def _enough(evidence: Evidence, series: str, rule: str) -> pd.DataFrame:
    """The rows with s >= 2 Gamma, because the lemma does not speak of smaller s."""
    table = rows(evidence, ARTEFACT, series=series, rule=rule).dropna(subset=["s", "levels", "alpha"])
    log = -math.log(_beta(evidence))
    slack = [stat_slack(row["alpha"], row["levels"], log) for row in algebra.each(table)]
    return table[floats(table, "s") >= 2.0 * pd.Series(slack, dtype=float).to_numpy()]


def _cells(table: pd.DataFrame) -> Places:
    return algebra.means(table, ["s", "levels", "alpha"])


def _halves(evidence: Evidence) -> Iterator[Claim]:
    beta = _beta(evidence)
    for id, series, statement in (
        ("lemma-3.10-enough-below", "first half", "with probability at least 1 - beta at least s - Gamma residuals are at most gamma"),
        ("lemma-3.10-not-too-large", "second half", "with probability at least 1 - beta fewer than s - Gamma residuals are at most max(gamma/2, Delta)"),
    ):  # fmt: skip
        yield every(
            id=id, artefact=ARTEFACT, location="Lemma 3.10 (utility)", kind="theorem", source="paper",
            statement=f"{statement}, Gamma = alpha sqrt(2 log(B/Delta) log(log(B/Delta)/beta))",
            quantity=f"share of draws, printed rule, beta = {beta:g}: the smallest over s, L and alpha with s >= 2 Gamma",
            cells=_cells(_enough(evidence, series, PRINTED)), criterion=at_least(1.0 - beta),
            note="logarithms of B/Delta to base 2; residuals |N(0, 1)|",
        )  # fmt: skip


def _moments(evidence: Evidence) -> Iterator[Claim]:
    yield every(
        id="threshold-second-moment", artefact=ARTEFACT, location="Proof of Thm 3.7, eq. (48)", kind="theorem", source="paper",
        statement="gamma_t is at most K2 log^a N times the scale of the residuals, so that E zeta_t^2 is bounded",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2, printed rule: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "mean square ratio", PRINTED)), criterion=at_most(SIGNIFICANT**2, ": a factor 2 of the dyadic grid, squared"),
        note="log^a N is in that smallest threshold already; the grid reaches eight octaves above it, and the mean grows with that reach",
    )  # fmt: skip
    yield _approximately(evidence)


def _approximately(evidence: Evidence) -> Claim:
    """Judges the estimate by its median and by its mean, because the text does not say in which sense it is near."""
    mean = _enough(evidence, "mean ratio", PRINTED)
    criterion = between(
        1 / SIGNIFICANT, SIGNIFICANT, words=f"between {1 / SIGNIFICANT:g} and {SIGNIFICANT:g}: a step of the grid"
    )
    found = {
        sense: every(
            id="approximately-maximum", artefact=ARTEFACT, location="Sec. 3.2, Algorithm 3", kind="text", source="paper",
            statement="DP-STAT approximately estimates the highest value",
            quantity="mean of gamma over the smallest threshold that covers all residuals, printed rule (median over trials): the one furthest off, s >= 2 Gamma",
            cells=cells, criterion=criterion,
        )
        for sense, cells in (("the mean", _cells(quantities.typical(mean))), ("the median draw", _medians(evidence)))
    }  # fmt: skip
    return dataclasses.replace(
        at_every_reading(found),
        changed="After a second reading the median draw is a reading too: 'approximately' names no moment, and the mean grows with the reach of the grid.",
    )  # fmt: skip


def _medians(evidence: Evidence) -> Places:
    """The median over draws of gamma over the smallest threshold that covers all residuals, a power of two, by cell."""
    found = {}
    for _, draws in _enough(evidence, "share", PRINTED).groupby(["s", "levels", "alpha"]):
        ordered = draws.sort_values("octaves")
        reached = ordered[ordered["mean"].cumsum() >= 0.5]
        if len(reached):
            found[algebra.place_of(reached.iloc[0], ["s", "levels", "alpha"])] = exactly(
                2.0 ** float(reached["octaves"].iloc[0])
            )
    return found


def _corrected(evidence: Evidence) -> Iterator[Claim]:
    beta = _beta(evidence)
    yield every(
        id="corrected-rule", artefact=ARTEFACT, location="Lemma 3.10 (utility)", kind="theorem", source="ours",
        statement="(ours) with the threshold lowered by sd sqrt(2 log(L/beta)) both halves hold, up to constants",
        quantity="share of draws with at least s - 2 sd sqrt(2 log(L/beta)) residuals below gamma and not all below gamma/2: the smallest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "corrected guarantee", WITH_BETA)), criterion=at_least(1.0 - beta),
        changed="Before a review the margin was sd sqrt(2 log L), which the noise of L counts exceeds more often than with probability beta.",
        note=f"with the margin sd sqrt(2 log L) of all runs: {quantities.extent(each.value for each in _cells(_enough(evidence, 'corrected guarantee', CORRECTED)).values())}",
    )  # fmt: skip
    yield every(
        id="corrected-second-moment", artefact=ARTEFACT, location="Proof of Thm 3.7, eq. (48)", kind="theorem", source="ours",
        statement="(ours) the corrected rule's threshold has the second moment that eq. (48) needs",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "mean square ratio", CORRECTED)), criterion=at_most(SAME_ORDER),
    )  # fmt: skip
    yield every(
        id="quantile-rule", artefact=ARTEFACT, location="Sec. 1.1, Sec. 3.2", kind="text", source="ours",
        statement="(ours) a rule that stops at 99 % of the residuals, as the prose has it, does not overshoot",
        quantity="share of draws in which the 99 % rule's threshold is twice the smallest that covers all residuals, or more: the largest over s, L and alpha with s >= 2 Gamma",
        cells=_cells(_enough(evidence, "overshoot", "q = 0.99")), criterion=at_most(beta),
        note="Sec. 1.1: a single point cannot significantly perturb, say, the 99th percentile; Algorithm 3 has no such quantile",
    )  # fmt: skip
