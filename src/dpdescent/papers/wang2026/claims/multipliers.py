"""Claims about sizes of noise multipliers, and about the two lemmas that Theorem F.12 rests on: F.10 and F.11."""

import dataclasses
import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpdescent.papers.wang2026.claims.privacy import MULTIPLIERS, multipliers
from dpdescent.papers.wang2026.claims.quantities import SETTING, range_of
from dpdescent.papers.wang2026.reading import (
    AGREES,
    ALGEBRA,
    EQUAL,
    INDEPENDENT,
    LOGARITHMS,
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
from dpdescent.replication.judging.criteria import about, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Regime, agree
from dpdescent.replication.judging.statistics import Estimate, exactly

# Where amplification is not lost: the least kappa at which scalings are compared, by two readings.
LEAST = (1.0, 2.0)
# Id and axis of the claims on slopes, and what an axis is called.
SLOPES = (("remark-d.8-rate", "r"), ("remark-d.8-steps", "T"), ("remark-d.8-eps", "eps"))
AXES = {"r": "B/n", "T": "T", "eps": "eps"}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on sharper accountants, then those on the lemmas."""
    yield from _sharper(evidence)
    yield from _scaling(evidence)
    yield _participations(evidence)
    yield _sensitivity(evidence)


def _sharper(evidence: Evidence) -> Iterator[Claim]:
    published = multipliers(evidence, PUBLISHED, precondition="met")
    found = {
        name: algebra.ratios(multipliers(evidence, name), published, SETTING) for name in (TAIL, PAIR, "bnb", "cyclic")
    }
    sizes = "; ".join(f"{name} {range_of(place.value for place in each.values())}" for name, each in found.items())
    yield every(
        id="tighter-accountants", artefact=MULTIPLIERS, location="Sec. 5.1", kind="privacy", source="identity",
        statement="tighter accountants may yield smaller noise multipliers",
        quantity="kappa by the exact tail of participations over Theorem F.12's, where its condition is met: the largest over T, r, lambda, eps and delta",
        cells=found[TAIL], criterion=at_most(1.0 - AGREES),
        changed=ALGEBRA,
        note=f"the same proof with its tail and its Gaussian exact, so that it cannot be larger; not comparable but in size: over F.12's {sizes}",
    )  # fmt: skip


def _scaling(evidence: Evidence) -> Iterator[Claim]:
    """Judges Remark D.8 by the exact multiplier over the closed form: its range, and its slope along every axis."""
    table = _over_the_closed_form(evidence)
    constants = algebra.floats(table[table["kappa"] >= LEAST[0]], "mean")
    yield claim(
        id="remark-d.8", artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
        statement="a tighter accountant may improve the numerical constant, but not the scaling in B, n, T, eps and delta",
        quantity="exact kappa of independent noise (Poisson, zero-out) over Theorem D.9's, where it is at least 1: largest over smallest over T, r, eps and both deltas",
        measured=algebra.spread(constants), criterion=at_most(SAME_ORDER),
        changed="Before a review places that differ in delta alone counted once.",
        note=f"at kappa below 1 amplification is lost. The ratio is {range_of(constants)}",
    )  # fmt: skip
    for name, axis in SLOPES:
        others = [each for each in ("T", "r", "eps", "delta") if each != axis]
        by_reading = {
            f"kappa of at least {least:g}": every(
                id=name, artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
                statement=f"a tighter accountant does not improve the scaling in {AXES[axis]}",
                quantity=f"log-log slope in {AXES[axis]} of the exact kappa (Poisson, zero-out) over Theorem D.9's: the one that is furthest from 0 over the other sizes",
                cells=algebra.by(table[table["kappa"] >= least], others, partial(algebra.line, axis=axis)),
                criterion=about(0.0, LOGARITHMS),
            )
            for least in LEAST
        }  # fmt: skip
        known = {reading: each.verdict for reading, each in by_reading.items() if each.verdict != "not testable"}
        found = agree(known or {"any kappa": "not testable"})
        first = next(iter(by_reading.values()))
        note = f"from which kappa on amplification holds is unstated: {found.told}"
        yield dataclasses.replace(first, verdict=found.verdict, why=found.why, note=note)
    yield _in_delta(table)


def _over_the_closed_form(evidence: Evidence) -> pd.DataFrame:
    """The exact multiplier of independent noise over Theorem D.9's, and that multiplier itself, by place."""
    both = algebra.pairs(multipliers(evidence, PAIR, lam=0), multipliers(evidence, INDEPENDENT), SETTING)
    made = [
        {**{key: row[key] for key in SETTING}, "kappa": row["mean"], "mean": row["mean"] / other["mean"], "se": math.nan}
        for row, other in both
    ]  # fmt: skip
    return pd.DataFrame(made, columns=[*SETTING, "kappa", "mean", "se"])


def _in_delta(table: pd.DataFrame) -> Claim:
    """Judges the scaling in log(1/delta), which a table of deltas that are close to each other cannot settle."""
    logs = table.assign(log=-np.log(algebra.floats(table, "delta")))
    near = f"deltas of {range_of(table['delta'])} alone, where the exact delta of a Gaussian still has a factor beside its exponential"
    return every(
        id="remark-d.8-delta", artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
        statement="a tighter accountant does not improve the scaling in delta",
        quantity="log-log slope in log(1/delta) of the exact kappa (Poisson, zero-out) over Theorem D.9's, where it is at least 1: the one that is furthest from 0 over T, r and eps",
        cells=algebra.by(logs[logs["kappa"] >= LEAST[0]], ["T", "r", "eps"], lambda group: algebra.line(group, "log")),
        criterion=about(0.0, LOGARITHMS), regime=Regime((near,), because="a power of a logarithm is told by small deltas"),
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
