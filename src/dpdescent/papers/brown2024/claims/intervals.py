"""Claims about confidence intervals: Figures 5, 6, 10, 11, and what intervals cover under outliers."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import CLOSE, COMPARABLE, RATE, SETTLED, VALID, claim, judged
from dpdescent.papers.brown2024.runs.constructions import SHORT
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Verdict
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    difference,
    log_log_slope,
    mean_of,
    ratio,
    verdict,
    worst,
)

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
                id=f"{artefact}-valid-{series}{suffix}", artefact=artefact, location=f"Sec. 4.2, {place}", kind="text", source="paper",
                statement=f"all constructions produce valid confidence intervals: {name}",
                quantity=f"lowest coverage of theta_hat over {words}, averaged over coordinates, nominal 0.95, n = {n}",
                measured=worst([mean_of(row) for _, row in chosen.iterrows()], largest=False), criterion=at_least(VALID),
                note=f"the lowest of several noisy values; which N the figure shows is not stated{_edge(evidence, artefact, n, series)}",
            )  # fmt: skip


def _edge(evidence: Evidence, artefact: str, n: int, series: str) -> str:
    """How close the criterion is to what the exact process covers at the first N that counts as settled."""
    exact = evidence.select(artefact, process="exact", series=series, n=n)
    covered = row_at(exact, steps=SETTLED)["mean"]
    return "" if math.isnan(covered) else f"; without clipping the coverage at N = {SETTLED} is {covered:.3f}"


def _autocorrelation(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    """The sentence has two halves: autocorrelation grows with the run, and batches must therefore grow."""
    table = evidence.select(artefact, process="clipped")
    table = table[table["steps"] > 100]
    rises = {n: _growth(rows, "lag1") for n, rows in table.groupby("n")}
    yield _over_sizes(
        f"{artefact}-autocorrelation", artefact, place, "running the algorithm longer induces more autocorrelation between the iterates",
        "lag-1 autocorrelation at the largest N less that at the smallest above 100", rises, 0.02, "at least 0.02",
        "without clipping it is 1 - eta s at every N; longer runs have more noise, which clips more gradients",
    )  # fmt: skip
    falls = {n: _growth(rows, SHORT, sign=-1) for n, rows in table.groupby("n")}
    yield _over_sizes(
        f"{artefact}-larger-batches", artefact, place, "with longer runs a larger batch size is required to obtain valid intervals from batched means",
        "coverage of means over batches of fixed length at the smallest N less that at the largest", falls, 0.02,
        "at least 0.02: coverage falls as runs get longer",
        "since a review: before, batches grew with N, and their coverage improves with the run length: "
        + _listed({n: _growth(rows, "batched") for n, rows in table.groupby("n")}),
    )  # fmt: skip


def _growth(rows: pd.DataFrame, series: str, sign: int = 1) -> Estimate:
    """Change from the shortest run to the longest. Coordinates are taken as independent, which widens the interval."""
    rows = rows[rows["series"] == series].sort_values("steps")
    if rows["steps"].nunique() < 2:
        return NOTHING
    first, last = rows.iloc[0], rows.iloc[-1]
    return difference(last, first) if sign > 0 else difference(first, last)


def _over_sizes(
    name: str, artefact: str, place: str, statement: str, quantity: str, found: dict[Any, Estimate], at_least: float,
    criterion: str, note: str,
) -> Claim:  # fmt: skip
    """A claim that the paper makes at an n that it does not state: where our sizes disagree it is inconclusive."""
    values = [each.value for each in found.values() if not math.isnan(each.value)]
    if not values:
        return judged(
            id=name,
            artefact=artefact,
            location=f"Sec. 4.2, {place}",
            kind="text",
            source="paper",
            statement=statement,
            quantity=quantity,
            measured=NOTHING,
            criterion=criterion,
            verdict="not testable",
            note=note,
        )
    verdicts = {verdict(each, at_least) for each in found.values() if not math.isnan(each.value)}
    result: Verdict = verdicts.pop() if len(verdicts) == 1 else "inconclusive"
    return judged(
        id=name, artefact=artefact, location=f"Sec. 4.2, {place}", kind="text", source="paper",
        statement=statement,
        quantity=f"{quantity}; the interval is the range over n",
        measured=Estimate(float(np.median(values)), min(values), max(values)), criterion=f"{criterion}, at every n: n is not stated", verdict=result,
        note=f"{_listed(found)}; {note}",
    )  # fmt: skip


def _listed(found: dict[Any, Estimate]) -> str:
    return ", ".join(f"{each.value:.3g} at n = {n}" for n, each in found.items())


def _length(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    rows = _clipped(evidence, artefact)
    n, settled = rows["n"].iloc[0], rows[rows["steps"] >= SETTLED]
    first = settled["steps"].min()
    few = (row_at(settled, steps=first, series=series) for series in ("independent", "batched"))
    yield claim(
        id=f"{artefact}-burn-in", artefact=artefact, location=f"Sec. 4.2, {place}", kind="text", source="paper",
        statement="with fewer iterations multiple runs yield wider confidence intervals",
        quantity=f"mean length, independent runs over batched means, at N = {first}, n = {n}",
        measured=ratio(*few), criterion=at_least(1.1, words="above 1.1"),
    )  # fmt: skip
    checkpoints = settled[settled["series"] == "checkpoints"]
    yield claim(
        id=f"{artefact}-checkpoints", artefact=artefact, location=f"Sec. 4.2, {place}", kind="text", source="paper",
        statement="the checkpoints approach has a poor dependence on the number of iterations",
        quantity=f"log-log slope of the mean length in N, N >= {SETTLED}, n = {n}",
        measured=log_log_slope(checkpoints, "steps"), criterion=at_least(0.5 - RATE, ": like the noise, sqrt(N)"),
    )  # fmt: skip
    for series, name in CONSTRUCTIONS.items():
        exact = evidence.select(artefact, process="exact", series=series)
        exact = exact[exact["steps"] >= SETTLED]
        yield claim(
            id=f"{artefact}-law-{series}", artefact=artefact, location=f"Lemma 2.3, {place}", kind="theorem", source="ours",
            statement=f"(ours) the exact law gives the length of the intervals: {name}",
            quantity=f"mean length of the exact process over its expected length, farthest from 1 over N >= {SETTLED} and n",
            measured=_farthest([_over(row, row["predicted"]) for _, row in exact.iterrows()]), criterion=between(1 - CLOSE, 1 + CLOSE),
        )  # fmt: skip


def _over(row: pd.Series, value: float) -> Estimate:
    mean = mean_of(row)
    return Estimate(mean.value / value, mean.low / value, mean.high / value)


def _farthest(ratios: list[Estimate]) -> Estimate:
    if not ratios:
        return NOTHING
    return max(ratios, key=lambda each: abs(math.log(each.value)))


def _comparable(evidence: Evidence, artefact: str, place: str) -> Iterator[Claim]:
    """As a function of n, which is not stated; sizes beyond those that were run with clipping come from the exact law."""
    table = evidence.select(artefact)
    table = table[(table["process"] == "clipped") | (table["n"] > _clipped(evidence, artefact)["n"].max())]
    for series, name in CONSTRUCTIONS.items():
        ratios = {}
        for n, rows in table.groupby("n"):
            steps = _middle(rows)
            ratios[n] = ratio(row_at(rows, steps=steps, series="OLS"), row_at(rows, steps=steps, series=series))
        yield _over_sizes(
            f"{artefact}-comparable-{series}", artefact, place,
            f"the width is roughly comparable to that of the textbook nonprivate interval for the population parameter: {name}",
            "mean length of the least-squares interval over that of the private one, at the N next to 520", ratios, 1.0 / COMPARABLE,
            f"at least {1.0 / COMPARABLE:g}: at most twice as long",
            "since a review one claim a construction; the ratio grows as sqrt(n)",
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
        id="outliers-huber", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="with outliers the confidence intervals capture the minimum of the smoothed (Huberised) objective",
        quantity=f"lowest coverage of the Huberised minimiser over constructions and thresholds, N = {rows['steps'].max()}",
        measured=worst([mean_of(row) for _, row in huber.iterrows()], largest=False), criterion=at_least(VALID),
    )  # fmt: skip
    yield claim(
        id="outliers-not-least-squares", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="clipping introduces bias: DP-GD optimises a different objective function from least squares",
        quantity=f"highest coverage of the least squares estimate over constructions and thresholds, N = {rows['steps'].max()}",
        measured=worst([mean_of(row) for _, row in ols.iterrows()]), criterion=at_most(0.9, ": clearly below the nominal 0.95"),
    )  # fmt: skip
