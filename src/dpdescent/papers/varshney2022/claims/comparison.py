"""Claims about other methods: the bounds that the text compares, and the measured risks beside them."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.claims.quantities import (
    MEDIAN,
    exponent,
    means,
    nearest,
    paired,
    risks,
    scaled,
    told,
)
from dpdescent.papers.varshney2022.reading import (
    CHANGED,
    LOGARITHMS,
    SAME_ORDER,
    SIGNIFICANT,
    SMALL_NOISE,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging.algebra import listed
from dpdescent.replication.judging.criteria import about, at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

BOUNDS = "table_bounds"
FREE, CAI = "without privacy", "Cai et al. 2021"
SSGD, OURS, FIXED = "DP-SSGD", "DP-AMBSSGD", "fixed clip"
# Variants of risk_vs_n that have fixed thresholds of their own.
THRESHOLDS = ("main", "threshold 1.5", "threshold for all records")
AT = ["d", "N", "sigma", "eps"]
OTHERS = {
    "fixed-clip": (FIXED, "a fixed threshold"),
    "statistics": ("AdaSSP", "perturbed sufficient statistics (AdaSSP)"),
}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Bounds first, then risks."""
    yield from _bounds(evidence)
    yield from _fixed(evidence)
    yield from _others(evidence)
    yield from _without_noise(evidence)


def private_terms(evidence: Evidence, method: str) -> pd.DataFrame:
    """What a bound has beyond sigma^2 d/N, where it has anything."""
    free = {tuple(row[name] for name in AT): row["mean"] for _, row in rows(evidence, BOUNDS, method=FREE).iterrows()}
    table = rows(evidence, BOUNDS, method=method)
    first = [free.get(tuple(row[name] for name in AT), math.nan) for _, row in table.iterrows()]
    return table.assign(mean=table["mean"].astype(float) - np.array(first, dtype=float), se=math.nan)


def _bounds(evidence: Evidence) -> Iterator[Claim]:
    ours = private_terms(evidence, OURS)
    against = {row_key(row): each for row, each in paired(private_terms(evidence, CAI), ours, AT)}
    yield every(
        id="bound-significantly-better", artefact=BOUNDS, location="Sec. 1 (after Thm 1.1)", kind="theorem", source="paper",
        statement="the bound of existing methods is significantly sub-optimal for sigma <= sqrt(d)",
        quantity="(algebra) term of privacy of the bound quoted for Cai et al. over that of DP-AMBSSGD, constants 1, at sigma <= sqrt(d): the smallest",
        cells=against.values(), criterion=at_least(SIGNIFICANT),
        note=f"(d |w*|_H^2 + sigma^2) / sigma^2; logarithms are left out of both. {told(against)}",
    )  # fmt: skip
    gains = [
        exactly(each.value * row["sigma"] ** 2 / row["d"])
        for row, each in paired(private_terms(evidence, CAI), ours, AT)
    ]
    yield every(
        id="bound-factor", artefact=BOUNDS, location="Remark (v) after Thm 3.7", kind="theorem", source="paper",
        statement="the second term is smaller than that of existing results by O(d) and a factor sigma^2",
        quantity="(algebra) the same ratio over d / sigma^2: the one that is furthest off",
        cells=gains, criterion=between(1 / SAME_ORDER, SAME_ORDER),
        note="at |w*|_H = 1",
    )  # fmt: skip
    worse = [
        (row, each.value / row["d"])
        for row, each in paired(private_terms(evidence, CAI), private_terms(evidence, SSGD), AT)
    ]
    yield every(
        id="bound-ssgd", artefact=BOUNDS, location="Remark (ii) after Thm 3.2", kind="theorem", source="paper",
        statement="the term of privacy of existing methods is O(d) worse than that of DP-SSGD",
        quantity="(algebra) their ratio, constants 1, over d: the one that is furthest off",
        cells=[exactly(each) for _, each in worse], criterion=between(1 / SAME_ORDER, SAME_ORDER),
        note="|w*|_H^2 / (|w*|_H^2 + sigma^2)",
    )  # fmt: skip


def row_key(row: "pd.Series[float]") -> str:
    """Where a bound is evaluated, for a note."""
    return f"d = {row['d']:g}, sigma = {row['sigma']:g}, eps = {row['eps']:g}"


def _advantages(evidence: Evidence, other: str) -> dict[str, tuple[float, Estimate]]:
    """Risk of another method over that of DP-AMBSSGD, with sigma, by place; sigma > 0."""
    table = _best_fixed(evidence) if other == FIXED else risks(evidence, "risk_vs_n", other)
    found = paired(table, risks(evidence, "risk_vs_n", OURS))
    return {
        f"{row['panel']}, N = {row['N']:g}, sigma = {row['sigma']:g}": (float(row["sigma"]), each)
        for row, each in found
        if row["sigma"] > 0
    }


def _best_fixed(evidence: Evidence) -> pd.DataFrame:
    """Risks with a fixed threshold, at every place the least of those that were tried."""
    table = pd.concat([risks(evidence, "risk_vs_n", FIXED, variant) for variant in THRESHOLDS], ignore_index=True)
    table = table.dropna(subset=["mean"])
    return table.loc[table.groupby(["panel", *AT])["mean"].idxmin()].reset_index(drop=True)


def _where(found: dict[str, tuple[float, Estimate]]) -> str:
    """The sigmas at which the smallest ratio is at least one, for a note."""
    sigmas = sorted({sigma for sigma, _ in found.values()})
    kept = [sigma for sigma in sigmas if all(each.value >= 1 for other, each in found.values() if other == sigma)]
    return ", ".join(f"{sigma:g}" for sigma in kept) or "none"


def _fixed(evidence: Evidence) -> Iterator[Claim]:
    found = _advantages(evidence, FIXED)
    best = f"{CHANGED}: the fixed threshold is the best of three at eps = 1 ({', '.join(THRESHOLDS)}); it was 0.8 |X||Y| alone"
    yield every(
        id="adaptive-better", artefact="risk_vs_n", location="Sec. 1.1", kind="text", source="paper",
        statement="adaptive clipping has an advantage over fixed clipping",
        quantity=f"risk with the best fixed threshold over that of DP-AMBSSGD, at equal budget: the smallest over N, sigma > 0 and eps; {MEDIAN}",
        cells=[each for _, each in found.values()], criterion=at_least(1.0),
        note=f"at every N and eps it holds for sigma = {_where(found)}. {told({place: each for place, (_, each) in found.items()})}. {best}",
    )  # fmt: skip
    yield every(
        id="adaptive-better-small-noise", artefact="risk_vs_n", location="Sec. 1, Sec. 1.1", kind="text", source="paper",
        statement="the advantage is significant for small sigma",
        quantity=f"the same ratio at sigma <= {SMALL_NOISE:g}: the smallest; {MEDIAN}",
        cells=[each for sigma, each in found.values() if sigma <= SMALL_NOISE], criterion=at_least(SIGNIFICANT),
        note=best,
    )  # fmt: skip
    gains = paired(risks(evidence, "risk_vs_sigma", FIXED), risks(evidence, "risk_vs_sigma", OURS))
    small = [{**row, "mean": each.value, "se": math.nan} for row, each in gains if 0 < row["sigma"] <= SMALL_NOISE]
    table = pd.DataFrame(small, columns=rows(evidence, "risk_vs_sigma").columns)
    yield claim(
        id="adaptive-gain-rate", artefact="risk_vs_sigma", location="Thm 3.7, Sec. 3.2", kind="theorem", source="paper",
        statement="with a fixed threshold the term of privacy stays as sigma vanishes, with the adaptive one it falls like sigma^2",
        quantity=f"log-log slope in sigma, sigma <= {SMALL_NOISE:g}, of the risk with a fixed threshold over that of DP-AMBSSGD; {MEDIAN}",
        measured=exponent(table, "sigma"), criterion=about(-2.0, LOGARITHMS),
        note=listed(((f"sigma = {row['sigma']:g}"), row["mean"]) for row in small),
    )  # fmt: skip


def _others(evidence: Evidence) -> Iterator[Claim]:
    found = _advantages(evidence, "AdaSSP")
    small = {place: each for place, (sigma, each) in found.items() if sigma <= SMALL_NOISE}
    noisy = {place: each for place, (sigma, each) in found.items() if sigma > SMALL_NOISE}
    yield every(
        id="better-small-noise", artefact="risk_vs_n", location="Sec. 1 (after Thm 1.1)", kind="theorem", source="paper",
        statement="existing methods are significantly sub-optimal, especially for small sigma",
        quantity=f"AdaSSP's risk over that of DP-AMBSSGD at sigma <= {SMALL_NOISE:g}: the smallest over N and eps; {MEDIAN}",
        cells=small.values(), criterion=at_least(SIGNIFICANT),
        note=f"AdaSSP stands for the perturbed sufficient statistics that are cited. {told(small)}",
    )  # fmt: skip
    yield every(
        id="better-any-noise", artefact="risk_vs_n", location="Sec. 1 (after Thm 1.1)", kind="theorem", source="paper",
        statement="for sigma <= sqrt(d), a fairly practical setting, the bound of existing methods is significantly sub-optimal",
        quantity=f"the same ratio at sigma > {SMALL_NOISE:g}: the smallest; {MEDIAN}",
        cells=noisy.values(), criterion=at_least(SIGNIFICANT),
        note=f"the sentence is about bounds, risks are measured here. {told(noisy)}",
    )  # fmt: skip
    for name, (series, label) in OTHERS.items():
        table = risks(evidence, "risk_vs_n", series, panel="epsilon = 0.2", sigma=0)
        yield claim(
            id=f"existing-rate-n-{name}", artefact="risk_vs_n", location="Abstract", kind="text", source="paper",
            statement=f"the error of {label} at sigma = 0 is O(1 / (eps N)^2)",
            quantity=f"log-log slope in N of the risk at sigma = 0 and eps = 0.2; {MEDIAN}",
            measured=exponent(table, "N"), criterion=at_most(-2.0 + LOGARITHMS),
            note=listed(zip(table["N"], table["mean"], strict=True)),
        )  # fmt: skip
    ols = rows(evidence, "risk_vs_n", panel="epsilon = 1", series="OLS")
    ols = ols[ols["sigma"].astype(float) > 0]
    dimension = float(ols["d"].min()) if len(ols) else math.nan
    law = scaled(
        ols,
        lambda t: (
            t["sigma"].astype(float) ** 2
            * t["d"].astype(float)
            / (2 * (t["N"].astype(float) - t["d"].astype(float) - 1))
        ),
    )
    yield every(
        id="least-squares-law", artefact="risk_vs_n", location="Remark (i) after Thm 3.7", kind="theorem", source="ours",
        statement="(ours) least squares, the non-private optimum, has risk sigma^2 d / (2 (N - d - 1))",
        quantity="mean risk over that law: the one that is furthest off",
        cells=means(law), criterion=about(1.0, 0.5),
        note=f"a check of the runs: trials share data over sigma, and a run's risk varies by sqrt(2/d): {100 * math.sqrt(2 / dimension):.0f} %",
    )  # fmt: skip


def _without_noise(evidence: Evidence) -> Iterator[Claim]:
    for name, (series, label) in OTHERS.items():
        table = risks(evidence, "risk_vs_n", series, panel="epsilon = 1")
        zero, noisy = table[table["sigma"] == 0], table[table["sigma"].astype(float) > 0]
        on = ["panel", "N"]
        found = {f"N = {row['N']:g}": each for row, each in paired(zero, nearest(noisy, "sigma", largest=False), on)}
        yield every(
            id=f"plateau-{name}", artefact="risk_vs_n", location="Abstract", kind="text", source="paper",
            statement=f"the error of {label} does not vanish with sigma: it is d^3 / (eps N)^2 even for sigma = 0",
            quantity=f"risk at sigma = 0 over that at the smallest sigma > 0: the smallest over N; {MEDIAN}",
            cells=found.values(), criterion=at_least(1 / SAME_ORDER),
            note=told(found),
        )  # fmt: skip
