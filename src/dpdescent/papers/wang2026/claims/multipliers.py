"""Claims about sizes of noise multipliers, and about the two lemmas that Theorem F.12 rests on: F.10 and F.11."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpdescent.papers.wang2026.claims.privacy import MULTIPLIERS, multipliers
from dpdescent.papers.wang2026.claims.quantities import SETTING, range_of
from dpdescent.papers.wang2026.reading import (
    AGREES,
    EQUAL,
    INDEPENDENT,
    PAIR,
    PUBLISHED,
    SAME_ORDER,
    TAIL,
    claim,
    every,
    rows,
)  # fmt: skip
from dpdescent.privacy.participation import encoder
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on sharper accountants, then those on the lemmas."""
    yield from _sharper(evidence)
    yield _participations(evidence)
    yield _sensitivity(evidence)


def _sharper(evidence: Evidence) -> Iterator[Claim]:
    published = multipliers(evidence, PUBLISHED, precondition="met")
    found = {
        name: algebra.ratios(multipliers(evidence, name), published, SETTING) for name in (TAIL, PAIR, "bnb", "cyclic")
    }
    sizes = "; ".join(f"{name} {range_of(place.value for place in each.values())}" for name, each in found.items())
    yield every(
        id="tighter-accountants", artefact=MULTIPLIERS, location="Sec. 5.1", kind="privacy", source="paper",
        statement="tighter accountants may yield smaller noise multipliers",
        quantity="kappa by the exact tail of participations over Theorem F.12's, where its condition is met: the largest over T, r, lambda, eps and delta",
        cells=found[TAIL], criterion=at_most(1.0 - AGREES),
        note=f"same relation, sampler and guarantee; not comparable but in size: over F.12's {sizes}",
    )  # fmt: skip
    tight = multipliers(evidence, PAIR, lam=0)
    # Of places that differ in delta alone the last one counts, because the name of a place leaves delta out.
    independent = multipliers(evidence, INDEPENDENT)
    constants = algebra.ratios(tight[tight["mean"] >= 1.0], independent, SETTING, ("T", "r", "eps"))
    yield claim(
        id="remark-d.8", artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
        statement="a tighter accountant may improve the numerical constant, but not the scaling in B, n, T, eps and delta",
        quantity="exact kappa of independent noise (Poisson, zero-out) over Theorem D.9's, where it is at least 1: largest over smallest over T, r, eps and delta",
        measured=algebra.spread(each.value for each in constants.values()), criterion=at_most(SAME_ORDER),
        note=f"at kappa below 1 amplification is lost. The ratio is {range_of(each.value for each in constants.values())}",
    )  # fmt: skip


def _participations(evidence: Evidence) -> Claim:
    """Judges Lemma F.10 at c_1 = 1/2, by the exact binomial tail."""
    table = multipliers(evidence, PUBLISHED, precondition="met").drop_duplicates(["T", "r", "delta"])
    return every(
        id="lemma-f.10", artefact=MULTIPLIERS, location="Lemma F.10", kind="privacy", source="paper",
        statement="more than tau = rT + sqrt(3 rT log(2/delta)) participations have a probability of delta/2 at most",
        quantity="exact binomial tail over delta/2, where rT >= 3 log(2/delta): the largest over T, r and delta",
        cells={algebra.place_of(row, ("T", "r", "delta")): _tail(row) for row in algebra.each(table)},
        criterion=at_most(1.0),
    )  # fmt: skip


def _tail(row: "pd.Series[float]") -> Estimate:
    """The probability of more participations than tau, over delta/2."""
    expected, log = row["r"] * row["T"], math.log(2.0 / row["delta"])
    above = float(binom.sf(math.floor(expected + math.sqrt(3.0 * expected * log)), int(row["T"]), row["r"]))
    return exactly(2.0 * above / row["delta"])


def _sensitivity(evidence: Evidence) -> Claim:
    """Judges Lemma F.11 against the worst pattern of k participations, for every k."""
    table = rows(evidence, MULTIPLIERS, series="noise multiplier").drop_duplicates(["T", "lam"])
    table = table[(table["T"] >= 1) & (table["lam"] >= 0.0) & (table["lam"] < 1.0)]
    return every(
        id="lemma-f.11", artefact=MULTIPLIERS, location="Lemma F.11", kind="privacy", source="paper",
        statement="for |y|_0 <= tau, |Cy| <= (1 - lambda^T)/(1 - lambda) sqrt(tau)",
        quantity="largest |Cy| / sqrt(k) over y with k participations and over k, over (1 - lambda^T)/(1 - lambda): the largest over T and lambda",
        cells={algebra.place_of(row, ("T", "lam")): _norm(row) for row in algebra.each(table)},
        criterion=at_most(1.0 + EQUAL), note="attained by participations in a row",
    )  # fmt: skip


def _norm(row: "pd.Series[float]") -> Estimate:
    """The largest |Cy| / sqrt(k) over what the lemma says it is."""
    T, lam = int(row["T"]), float(row["lam"])
    norms = np.sqrt(encoder.block_norms_squared(T, lam)[1:] / np.arange(1, T + 1))
    return exactly(float(norms.max() / encoder.column_sum(T, lam)))
