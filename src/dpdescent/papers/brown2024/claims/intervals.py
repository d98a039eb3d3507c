"""Claims about confidence intervals: Figures 5, 6, 10, 11, and what intervals cover under outliers."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.reading import CLOSE, COMPARABLE, NOTHING, RATE, SETTLED, VALID, claim, row_at
from dpdescent.replication.evidence import Claim, Evidence
from dpdescent.replication.statistics import Estimate, difference, log_log_slope, mean_of, ratio, worst

CONSTRUCTIONS = {"independent": "independent runs", "checkpoints": "checkpoints", "batched": "batched means"}
PAIRS = (("fig05", "fig06", "Figures 5, 6"), ("fig10", "fig11", "Figures 10, 11"))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Coverage, then length, isotropic and anisotropic; then outliers."""
    for coverage, length, place in PAIRS:
        yield from _coverage(evidence, coverage, place)
        yield from _autocorrelation(evidence, coverage, place)
        yield from _length(evidence, length, place)
        yield from _comparable(evidence, length, place)
    yield from _outliers(evidence)


def _clipped(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """The headline: DP-GD itself, at the largest sample size that was run with clipping."""
    rows = evidence.select(artefact, process="clipped")
    return rows[rows["n"] == rows["n"].max()]


def _coverage(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    rows = _clipped(evidence, artefact)
    n = rows["n"].iloc[0]
    for series, name in CONSTRUCTIONS.items():
        own = rows[rows["series"] == series]
        for suffix, words, chosen in (
            ("", "every N", own), ("-settled", f"N >= {SETTLED}", own[own["steps"] >= SETTLED])
        ):  # fmt: skip
            if series == "independent" and not suffix:
                continue
            yield claim(
                f"{artefact}-valid-{series}{suffix}", artefact, f"Sec. 4.2, {place}", f"all constructions produce valid confidence intervals: {name}",
                f"lowest coverage of theta_hat over {words}, averaged over coordinates, nominal 0.95, n = {n}",
                worst([mean_of(row) for _, row in chosen.iterrows()], largest=False), f"at least {VALID:g}", VALID,
                note="the lowest of several noisy values; which N the figure shows is not stated",
            )  # fmt: skip


def _autocorrelation(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    """The sentence has two halves: autocorrelation grows with the run, and batches must therefore grow."""
    table = evidence.select(artefact, process="clipped")
    for n, group in table[table["steps"] > 100].groupby("n"):
        rows, lags = (group[group["series"] == series].sort_values("steps") for series in ("batched", "lag1"))
        first, last = lags.iloc[0], lags.iloc[-1]
        yield claim(
            f"{artefact}-autocorrelation-{n}", artefact, f"Sec. 4.2, {place}", "running the algorithm longer induces more autocorrelation between the iterates",
            f"lag-1 autocorrelation at N = {last['steps']} less that at N = {first['steps']}, n = {n}", _growth(first, last), "at least 0.02", 0.02,
            note=f"from {first['mean']:.3f} to {last['mean']:.3f}, while {first['clip_fraction']:.1%} to {last['clip_fraction']:.1%} of gradients are clipped: without "
            "clipping it is 1 - eta s at every N; n is not stated",
        )  # fmt: skip
        first, last = rows.iloc[0], rows.iloc[-1]
        yield claim(
            f"{artefact}-larger-batches-{n}", artefact, f"Sec. 4.2, {place}", "therefore a larger batch size is required to obtain valid intervals from batched means",
            f"coverage of batched means at N = {last['steps']} less that at N = {first['steps']}, n = {n}", _growth(first, last),
            "at most -0.02: coverage falls as runs get longer", at_most=-0.02,
            note="ten batches at every N, so that batches grow with N by themselves; the sentence may compare one long run with many short ones",
        )  # fmt: skip


def _growth(first: "pd.Series[float]", last: "pd.Series[float]") -> Estimate:
    return difference(last, first) if first["steps"] < last["steps"] else NOTHING


def _length(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    rows = _clipped(evidence, artefact)
    n, settled = rows["n"].iloc[0], rows[rows["steps"] >= SETTLED]
    first = settled["steps"].min()
    few = (row_at(settled, steps=first, series=series) for series in ("independent", "batched"))
    yield claim(
        f"{artefact}-burn-in", artefact, f"Sec. 4.2, {place}", "with fewer iterations multiple runs yield wider confidence intervals",
        f"mean length, independent runs over batched means, at N = {first}, n = {n}", ratio(*few), "above 1.1", 1.1,
    )  # fmt: skip
    checkpoints = settled[settled["series"] == "checkpoints"]
    yield claim(
        f"{artefact}-checkpoints", artefact, f"Sec. 4.2, {place}", "the checkpoints approach has a poor dependence on the number of iterations",
        f"log-log slope of the mean length in N, N >= {SETTLED}, n = {n}", log_log_slope(checkpoints, "steps"), f"at least {0.5 - RATE:g}: like the noise, sqrt(N)", 0.5 - RATE,
    )  # fmt: skip
    for series, name in CONSTRUCTIONS.items():
        exact = evidence.select(artefact, process="exact", series=series)
        exact = exact[exact["steps"] >= SETTLED]
        yield claim(
            f"{artefact}-law-{series}", artefact, f"Lemma 2.3, {place}", f"(ours) the exact law gives the length of the intervals: {name}",
            f"mean length of the exact process over its expected length, farthest from 1 over N >= {SETTLED} and n",
            _farthest([_over(row, row["predicted"]) for _, row in exact.iterrows()]), f"between {1 - CLOSE:g} and {1 + CLOSE:g}", 1 - CLOSE, 1 + CLOSE,
        )  # fmt: skip


def _over(row: pd.Series, value: float) -> Estimate:
    mean = mean_of(row)
    return Estimate(mean.value / value, mean.low / value, mean.high / value)


def _farthest(ratios: list[Estimate]) -> Estimate:
    if not ratios:
        return NOTHING
    return max(ratios, key=lambda each: abs(math.log(each.value)))


def _comparable(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    """As a function of n, which is not stated."""
    table = evidence.select(artefact)
    headline = _clipped(evidence, artefact)["n"].iloc[0]
    for (process, n), rows in table.groupby(["process", "n"]):
        if process == "exact" and n <= headline:
            continue
        steps = _middle(rows)
        textbook = row_at(rows, steps=steps, series="OLS")
        for series, name in CONSTRUCTIONS.items():
            yield claim(
                f"{artefact}-comparable-{series}-{n}", artefact, f"Sec. 1.2, Sec. 4.2, {place}",
                f"the width is roughly comparable to that of the textbook nonprivate interval for the population parameter: {name}",
                f"mean length over that of least squares at N = {steps}, n = {n}" + (" (exact process)" if process == "exact" else ""),
                ratio(row_at(rows, steps=steps, series=series), textbook), f"at most {COMPARABLE:g}", at_most=COMPARABLE,
                note="n is not stated, and the ratio falls as 1/sqrt(n): for batched means about 205 / sqrt(n) here",
            )  # fmt: skip


def _middle(rows: pd.DataFrame) -> float:
    """The number of gradients next to 520 at which all constructions exist; NaN if there is none."""
    grid = sorted(set(rows[rows["series"] == "independent"]["steps"]))
    return min(grid, key=lambda steps: abs(steps - 520), default=math.nan)


def _outliers(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_outliers", panel="outliers")
    settled = rows[rows["steps"] == rows["steps"].max()]
    huber, ols = (settled[settled["series"] == series] for series in ("huber", "ols"))
    yield claim(
        "outliers-huber", "ext_outliers", "Sec. 1.1, 2.5", "with outliers the confidence intervals capture the minimum of the smoothed (Huberised) objective",
        f"lowest coverage of the Huberised minimiser over constructions and thresholds, N = {rows['steps'].max()}",
        worst([mean_of(row) for _, row in huber.iterrows()], largest=False), f"at least {VALID:g}", VALID,
    )  # fmt: skip
    yield claim(
        "outliers-not-least-squares", "ext_outliers", "Sec. 1.1, 2.5", "clipping introduces bias: DP-GD optimises a different objective function from least squares",
        f"highest coverage of the least squares estimate over constructions and thresholds, N = {rows['steps'].max()}",
        worst([mean_of(row) for _, row in ols.iterrows()]), "at most 0.9: clearly below the nominal 0.95", at_most=0.9,
    )  # fmt: skip
