"""Claims about DP-STAT: both halves of Lemma 3.10's utility, and what the analysis of the noise needs of its threshold."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.claims.quantities import means, typical
from dpdescent.papers.varshney2022.reading import SAME_ORDER, SIGNIFICANT, every, rows
from dpdescent.papers.varshney2022.theory.ambssgd import stat_slack
from dpdescent.replication.judging.algebra import listed
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence

ARTEFACT = "alg_stat"
PRINTED, CORRECTED = "as published", "corrected"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Lemma 3.10 for the printed rule, then the same for the corrected one."""
    yield from _halves(evidence)
    yield from _moments(evidence)
    yield from _corrected(evidence)


def _series(evidence: Evidence, series: str, rule: str) -> pd.DataFrame:
    return rows(evidence, ARTEFACT, series=series, rule=rule)


def _beta(evidence: Evidence) -> float:
    return float(evidence.spec["artefacts"][ARTEFACT]["arms"]["beta"])


def _enough(evidence: Evidence, table: pd.DataFrame) -> pd.DataFrame:
    """Cells with s >= 2 Gamma, in which the lemma says something."""
    table, log = table.dropna(subset=["s", "levels", "alpha"]), -math.log(_beta(evidence))
    slack = [stat_slack(row["alpha"], row["levels"], log) for _, row in table.iterrows()]
    return table[table["s"].to_numpy(dtype=float) >= 2.0 * pd.Series(slack, dtype=float).to_numpy()]


def _cells(table: pd.DataFrame) -> str:
    return listed(
        (f"s = {row['s']:g}, L = {row['levels']:g}, alpha = {row['alpha']:g}", row["mean"])
        for _, row in table.iterrows()
    )


def _halves(evidence: Evidence) -> Iterator[Claim]:
    beta = _beta(evidence)
    for name, series, statement in (
        ("lemma-3.10-enough-below", "first half", "with probability at least 1 - beta at least s - Gamma residuals are at most gamma"),
        ("lemma-3.10-not-too-large", "second half", "with probability at least 1 - beta fewer than s - Gamma residuals are at most max(gamma/2, Delta)"),
    ):  # fmt: skip
        table = _enough(evidence, _series(evidence, series, PRINTED))
        yield every(
            id=name, artefact=ARTEFACT, location="Lemma 3.10 (utility)", kind="theorem", source="paper",
            statement=f"{statement}, Gamma = alpha sqrt(2 log(B/Delta) log(log(B/Delta)/beta))",
            quantity=f"share of draws, printed rule, beta = {beta:g}: the smallest over s, L and alpha with s >= 2 Gamma",
            cells=means(table), criterion=at_least(1.0 - beta),
            note=f"{_cells(table)}; logarithms of B/Delta to base 2; residuals |N(0, 1)|",
        )  # fmt: skip


def _moments(evidence: Evidence) -> Iterator[Claim]:
    table = _enough(evidence, _series(evidence, "mean square ratio", PRINTED))
    yield every(
        id="threshold-second-moment", artefact=ARTEFACT, location="Proof of Thm 3.7, eq. (48)", kind="theorem", source="paper",
        statement="gamma_t is at most K2 log^a N times the scale of the residuals, so that E zeta_t^2 is bounded",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2, printed rule: the largest over s, L and alpha with s >= 2 Gamma",
        cells=means(table), criterion=at_most(SIGNIFICANT**2, ": a factor 2 of the dyadic grid, squared"),
        note=f"log^a N is in that smallest threshold already. {_cells(table)}",
    )  # fmt: skip
    middle = typical(_enough(evidence, _series(evidence, "mean ratio", PRINTED)))
    yield every(
        id="approximately-maximum", artefact=ARTEFACT, location="Sec. 3.2, Algorithm 3", kind="theorem", source="paper",
        statement="DP-STAT approximately estimates the highest value",
        quantity="mean of gamma over the smallest threshold that covers all residuals, printed rule (median over trials): the one furthest off, s >= 2 Gamma",
        cells=means(middle), criterion=between(1 / SIGNIFICANT, SIGNIFICANT, words=f"between {1 / SIGNIFICANT:g} and {SIGNIFICANT:g}: a step of the grid"),
        note=_cells(middle),
    )  # fmt: skip


def _corrected(evidence: Evidence) -> Iterator[Claim]:
    beta = _beta(evidence)
    kept = _enough(evidence, _series(evidence, "corrected guarantee", CORRECTED))
    yield every(
        id="corrected-rule", artefact=ARTEFACT, location="Lemma 3.10 (utility)", kind="theorem", source="ours",
        statement="(ours) with the threshold lowered by a Gaussian quantile both halves hold, up to constants",
        quantity="share of draws with at least s - 2 sd sqrt(2 log L) residuals below gamma and not all below gamma/2: the smallest over s, L and alpha with s >= 2 Gamma",
        cells=means(kept), criterion=at_least(1.0 - beta),
        note=_cells(kept),
    )  # fmt: skip
    square = _enough(evidence, _series(evidence, "mean square ratio", CORRECTED))
    yield every(
        id="corrected-second-moment", artefact=ARTEFACT, location="Proof of Thm 3.7, eq. (48)", kind="theorem", source="ours",
        statement="(ours) the corrected rule's threshold has the second moment that eq. (48) needs",
        quantity="mean of (gamma over the smallest threshold that covers all residuals)^2: the largest over s, L and alpha with s >= 2 Gamma",
        cells=means(square), criterion=at_most(SAME_ORDER),
        note=_cells(square),
    )  # fmt: skip
    loose = _enough(evidence, _series(evidence, "overshoot", "q = 0.99"))
    yield every(
        id="quantile-rule", artefact=ARTEFACT, location="Sec. 1.1, Sec. 3.2", kind="text", source="ours",
        statement="(ours) a rule that stops at 99 % of the residuals, as the prose has it, does not overshoot",
        quantity="share of draws in which the 99 % rule's threshold is twice the smallest that covers all residuals, or more: the largest over s, L and alpha with s >= 2 Gamma",
        cells=means(loose), criterion=at_most(beta),
        note=f"Sec. 1.1: a single point cannot significantly perturb, say, the 99th percentile; Algorithm 3 has no such quantile. {_cells(loose)}",
    )  # fmt: skip
