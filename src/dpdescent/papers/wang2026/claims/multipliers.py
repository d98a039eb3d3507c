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
    ALGEBRA,
    EQUAL,
    INDEPENDENT,
    LOGARITHMS,
    PAIR,
    PUBLISHED,
    RATE,
    REPLACED,
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
from dpdescent.replication.judging.statistics import Estimate, exactly

# Where amplification is not lost: the least kappa at which scalings are compared.
LEAST = 1.0
# Id, panel and axis of the claims on slopes, and what an axis is called.
SLOPES = (
    ("remark-d.8-rate", "scaling in r", "r", "B/n"), ("remark-d.8-steps", "scaling in T", "T", "T"),
    ("remark-d.8-eps", "scaling in eps", "eps", "eps"), ("remark-d.8-delta", "scaling in delta", "delta", "log(1/delta)"),
)  # fmt: skip
EXACT = (("Poisson samples", PAIR), ("sampling without replacement", REPLACED))
ONE_AXIS = "Before a review grids of a factor of four were looked at, with multipliers below one and deltas near each other, whose slopes are not those of small deltas and much noise."


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
    """Judges Remark D.8 by exact multipliers over the closed form: their range, and their slope along every axis."""
    table = _over_the_closed_form(evidence)
    constants = algebra.floats(table[table["kappa"] >= LEAST], "mean")
    yield claim(
        id="remark-d.8", artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
        statement="a tighter accountant may improve the numerical constant, but not the scaling in B, n, T, eps and delta",
        quantity="exact kappa of independent noise (Poisson, zero-out) over Theorem D.9's, where it is at least 1: largest over smallest over T, r, eps and both deltas",
        measured=algebra.spread(constants), criterion=at_most(SAME_ORDER),
        changed="Before a review places that differ in delta alone counted once.",
        note=f"at kappa below 1 amplification is lost. The ratio is {range_of(constants)}",
    )  # fmt: skip
    for name, panel, axis, words in SLOPES:
        measured = {told: _slope(evidence, accountant, panel, axis) for told, accountant in EXACT}
        yield every(
            id=name, artefact=MULTIPLIERS, location="Remark D.8", kind="privacy", source="paper",
            statement=f"a tighter accountant does not improve the scaling in {words}",
            quantity=f"log-log slope in {words} of an exact kappa of independent noise over Theorem D.9's, kappa at least 1: that of Poisson samples (zero-out) and that proved for sampling without replacement (replace-one)",
            cells={told: each for told, each in measured.items() if not math.isnan(each.value)}, criterion=about(0.0, LOGARITHMS),
            changed=ONE_AXIS,
        )  # fmt: skip
    steps = multipliers(evidence, REPLACED, panel="scaling in T")
    yield claim(
        id="theorem-5.4-steps", artefact=MULTIPLIERS, location="Theorem 5.4", kind="privacy", source="paper",
        statement="the sufficient kappa^2 grows linearly with the number of steps at lambda = 0",
        quantity="log-log slope in T of the square of the kappa that is proved for sampling without replacement", measured=_squared(algebra.line(steps, "T")),
        criterion=about(1.0, RATE), note=f"T {range_of(steps['T'])}, kappa {range_of(steps['mean'])}",
    )  # fmt: skip


def _squared(slope: Estimate) -> Estimate:
    """The log-log slope of a square, from the slope of its root."""
    return Estimate(2.0 * slope.value, 2.0 * slope.low, 2.0 * slope.high)


def _slope(evidence: Evidence, accountant: str, panel: str, axis: str) -> Estimate:
    """The slope along one axis of an accountant's multiplier over Theorem D.9's; in log(1/delta) for delta."""
    both = algebra.pairs(
        multipliers(evidence, accountant, lam=0, panel=panel), multipliers(evidence, INDEPENDENT, panel=panel), SETTING
    )
    made = [
        {
            "x": -math.log(row["delta"]) if axis == "delta" else row[axis],
            "mean": row["mean"] / other["mean"],
            "se": math.nan,
        }
        for row, other in both
        if row["mean"] >= LEAST
    ]
    return algebra.line(pd.DataFrame(made, columns=["x", "mean", "se"]), "x")


def _over_the_closed_form(evidence: Evidence) -> pd.DataFrame:
    """The exact multiplier of independent noise over Theorem D.9's, and that multiplier itself, by place."""
    both = algebra.pairs(multipliers(evidence, PAIR, lam=0), multipliers(evidence, INDEPENDENT), SETTING)
    made = [
        {**{key: row[key] for key in SETTING}, "kappa": row["mean"], "mean": row["mean"] / other["mean"], "se": math.nan}
        for row, other in both
    ]  # fmt: skip
    return pd.DataFrame(made, columns=[*SETTING, "kappa", "mean", "se"])


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
    table = rows(evidence, MULTIPLIERS, series="noise multiplier", accountant=PUBLISHED).drop_duplicates(["T", "lam"])
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
