"""DP-STAT: both halves of Lemma 3.10's utility, and the guarantee of the lowered threshold."""

import math
from collections.abc import Iterator

import pandas as pd
from scipy.special import ndtr

from dpdescent.papers.varshney2022.bounds.cases import configured
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import ambssgd
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import place, simulated
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

ARTEFACT, PRINTED, CORRECTED = "alg_stat", "as published", "corrected"
HALVES = {
    "first half": "P(#{|r| <= gamma} >= s - Gamma)",
    "second half": "P(#{|r| <= max(gamma/2, Delta)} < s - Gamma)",
}


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates Lemma 3.10 at every s, L, alpha and rule."""
    beta = float(configured(evidence, ARTEFACT, "beta", 0.01))
    for series in HALVES:
        for found in each(rows(evidence, ARTEFACT, series=series, rule=PRINTED)):
            yield _half(found, beta)
    for found in each(rows(evidence, ARTEFACT, series="corrected guarantee", rule=CORRECTED)):
        yield _guarantee(found, float(evidence.settings_of(ARTEFACT)["margin"]))


def _half(found: pd.Series, beta: float) -> Bound:
    """Evaluates one half of Lemma 3.10, which is stated for the printed rule."""
    slack = ambssgd.stat_slack(float(found["alpha"]), float(found["levels"]), math.log(1.0 / beta))
    text = place(f"DP-STAT, {found['series']}", found, "s", "levels", "alpha", "rule")
    above = "Gamma exceeds s" if slack >= found["s"] else ""
    why = joined(f"Gamma={slack:.4g}, beta={beta:g}; measured is a share of draws", above)
    return simulated(HALVES[found["series"]], "Lemma 3.10", text, 1.0 - beta, found, why, direction="at least")


def _guarantee(found: pd.Series, margin: float) -> Bound:
    """Evaluates a union bound: L noises may stop the search early, and one may keep it from stopping."""
    levels = float(found["levels"])
    value = 1.0 - (levels + 1.0) * float(ndtr(-margin * math.sqrt(2.0 * math.log(levels))))
    text = place("DP-STAT, lowered threshold", found, "s", "levels", "alpha", "rule")
    why = f"1 - (L + 1) P(g > {margin:g} sqrt(2 log L)), ours; measured is a share of draws"
    return simulated(
        "P(at least s less two margins below gamma, and not all below gamma/2)", "Lemma 3.10 (corrected)", text, value,
        found, why, direction="at least",
    )  # fmt: skip
