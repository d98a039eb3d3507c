"""Claims about confidence intervals: Figures 5, 6, 10, 11, and what intervals cover under outliers."""

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import CLOSE, COMPARABLE, RATE, SETTLED, VALID, claim, every, judged
from dpdescent.papers.brown2024.runs.constructions import SHORT
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most, between
from dpdescent.replication.judging.evidence import Cell, Claim, ClaimKind, Evidence
from dpdescent.replication.judging.records import agree
from dpdescent.replication.judging.statistics import NOTHING, Estimate

CONSTRUCTIONS = {"independent": "independent runs", "checkpoints": "checkpoints", "batched": "batched means"}


class Pair(NamedTuple):
    """Two figures on the same runs, of coverage and of length, and the ids of their claims.

    Attributes:
        valid, settled: by construction, at every number of gradients N and from that on at which all of them exist.
        law, comparable: by construction.
    """

    coverage: str
    length: str
    location: str
    valid: dict[str, str]
    settled: dict[str, str]
    autocorrelation: str
    larger_batches: str
    burn_in: str
    checkpoints: str
    law: dict[str, str]
    comparable: dict[str, str]


PAIRS = (
    Pair(
        "fig05", "fig06", "Figures 5, 6",
        {"checkpoints": "fig05-valid-checkpoints", "batched": "fig05-valid-batched"},
        {"independent": "fig05-valid-independent-settled", "checkpoints": "fig05-valid-checkpoints-settled",
         "batched": "fig05-valid-batched-settled"},
        "fig05-autocorrelation", "fig05-larger-batches", "fig06-burn-in", "fig06-checkpoints",
        {"independent": "fig06-law-independent", "checkpoints": "fig06-law-checkpoints", "batched": "fig06-law-batched"},
        {"independent": "fig06-comparable-independent", "checkpoints": "fig06-comparable-checkpoints",
         "batched": "fig06-comparable-batched"},
    ),
    Pair(
        "fig10", "fig11", "Figures 10, 11",
        {"checkpoints": "fig10-valid-checkpoints", "batched": "fig10-valid-batched"},
        {"independent": "fig10-valid-independent-settled", "checkpoints": "fig10-valid-checkpoints-settled",
         "batched": "fig10-valid-batched-settled"},
        "fig10-autocorrelation", "fig10-larger-batches", "fig11-burn-in", "fig11-checkpoints",
        {"independent": "fig11-law-independent", "checkpoints": "fig11-law-checkpoints", "batched": "fig11-law-batched"},
        {"independent": "fig11-comparable-independent", "checkpoints": "fig11-comparable-checkpoints",
         "batched": "fig11-comparable-batched"},
    ),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on coverage and length, isotropic, then anisotropic, and those under outliers."""
    for pair in PAIRS:
        yield from _coverage(evidence, pair)
        yield from _autocorrelation(evidence, pair)
        yield from _length(evidence, pair)
        yield from _laws(evidence, pair)
        yield from _comparable(evidence, pair)
    yield from _outliers(evidence)


def _clipped(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """The rows of DP-GD itself, at the largest sample size that was run with clipping."""
    rows = evidence.select(artefact, process="clipped")
    return rows[rows["n"] == rows["n"].max()]


def _coverage(evidence: Evidence, pair: Pair) -> Iterator[Claim]:
    rows = _clipped(evidence, pair.coverage)
    n = rows["n"].iloc[0]
    for series, name in CONSTRUCTIONS.items():
        own = rows[rows["series"] == series]
        for ids, words, chosen in (
            (pair.valid, "every N", own), (pair.settled, f"N >= {SETTLED}", own[own["steps"] >= SETTLED]),
        ):  # fmt: skip
            if series not in ids:
                continue
            yield every(
                id=ids[series], artefact=pair.coverage, location=f"Sec. 4.2, {pair.location}", kind="figure", source="paper",
                statement=f"all constructions produce valid confidence intervals: {name}",
                quantity=f"lowest coverage of theta_hat over {words}, averaged over coordinates, nominal 0.95, n = {n}",
                cells=algebra.means(chosen, ["steps"]), criterion=at_least(VALID),
                note=f"the lowest of several noisy values; which N the figure shows is not stated{_edge(evidence, pair.coverage, n, series)}",
            )  # fmt: skip


def _edge(evidence: Evidence, artefact: str, n: int, series: str) -> str:
    """How close the criterion is to what the exact process covers at the first N that counts as settled, for a note."""
    exact = evidence.select(artefact, process="exact", series=series, n=n)
    covered = row_at(exact, steps=SETTLED)["mean"]
    return "" if math.isnan(covered) else f"; without clipping the coverage at N = {SETTLED} is {covered:.3f}"


def _autocorrelation(evidence: Evidence, pair: Pair) -> Iterator[Claim]:
    """Judges both halves of a sentence: autocorrelation grows with the run, and batches must therefore grow."""
    table = evidence.select(pair.coverage, process="clipped")
    table = table[table["steps"] > 100]
    yield _over_sizes(
        id=pair.autocorrelation, artefact=pair.coverage, location=pair.location, kind="text",
        statement="running the algorithm longer induces more autocorrelation between the iterates",
        quantity="lag-1 autocorrelation at the largest N less that at the smallest above 100",
        found=algebra.by(table, ["n"], lambda rows: _growth(rows, "lag1")), criterion=at_least(0.02),
        note="without clipping it is 1 - eta s at every N; longer runs have more noise, which clips more gradients",
    )  # fmt: skip
    yield _over_sizes(
        id=pair.larger_batches, artefact=pair.coverage, location=pair.location, kind="text",
        statement="with longer runs a larger batch size is required to obtain valid intervals from batched means",
        quantity="coverage of means over batches of fixed length at the smallest N less that at the largest",
        found=algebra.by(table, ["n"], lambda rows: statistics.negative(_growth(rows, SHORT))),
        criterion=at_least(0.02, ": coverage falls as runs get longer"),
        changed="Before a review batches grew with N, and their coverage improves with the length of the run.",
    )  # fmt: skip


def _growth(rows: pd.DataFrame, series: str) -> Estimate:
    """Change from the shortest run to the longest. Coordinates are taken as independent, which widens the interval."""
    rows = rows[rows["series"] == series]
    if rows["steps"].nunique() < 2:
        return NOTHING
    last, first = (algebra.at_end(rows, "steps", largest=largest).iloc[0] for largest in (True, False))
    return statistics.difference(last, first)


def _over_sizes(
    *, id: str, artefact: str, location: str, kind: ClaimKind, statement: str, quantity: str, found: Places,
    criterion: Criterion, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that the paper makes at an n that it does not state: where our sizes disagree it is inconclusive."""
    verdicts = {place: criterion.verdict(each) for place, each in found.items()}
    values = [each.value for each in found.values()]
    if not values:
        return judged(
            id=id, artefact=artefact, location=f"Sec. 4.2, {location}", kind=kind, source="paper", statement=statement,
            quantity=quantity, measured=NOTHING, criterion=criterion.words, verdict="not testable", changed=changed, note=note,
        )  # fmt: skip
    shared = agree(verdicts)
    return judged(
        id=id, artefact=artefact, location=f"Sec. 4.2, {location}", kind=kind, source="paper", statement=statement,
        quantity=f"{quantity}; the interval is the range over n",
        measured=Estimate(float(np.median(values)), min(values), max(values)), criterion=f"{criterion.words}, at every n: n is not stated", verdict=shared.verdict, why=shared.why,
        changed=changed, note="; ".join(filter(None, [shared.told, note])),
        cells=[Cell(place, each.value, each.low, each.high, verdicts[place]) for place, each in found.items()],
    )  # fmt: skip


def _length(evidence: Evidence, pair: Pair) -> Iterator[Claim]:
    rows = _clipped(evidence, pair.length)
    n, settled = rows["n"].iloc[0], rows[rows["steps"] >= SETTLED]
    first = settled["steps"].min()
    few = (row_at(settled, steps=first, series=series) for series in ("independent", "batched"))
    yield claim(
        id=pair.burn_in, artefact=pair.length, location=f"Sec. 4.2, {pair.location}", kind="figure", source="paper",
        statement="with fewer iterations multiple runs yield wider confidence intervals",
        quantity=f"mean length, independent runs over batched means, at N = {first}, n = {n}",
        measured=statistics.ratio(*few), criterion=at_least(1.1, words="above 1.1"),
    )  # fmt: skip
    checkpoints = settled[settled["series"] == "checkpoints"]
    yield claim(
        id=pair.checkpoints, artefact=pair.length, location=f"Sec. 4.2, {pair.location}", kind="figure", source="paper",
        statement="the checkpoints approach has a poor dependence on the number of iterations",
        quantity=f"log-log slope of the mean length in N, N >= {SETTLED}, n = {n}",
        measured=statistics.log_log_slope(checkpoints, "steps"), criterion=at_least(0.5 - RATE, ": like the noise, sqrt(N)"),
    )  # fmt: skip


def _laws(evidence: Evidence, pair: Pair) -> Iterator[Claim]:
    for series, name in CONSTRUCTIONS.items():
        exact = evidence.select(pair.length, process="exact", series=series)
        exact = exact[exact["steps"] >= SETTLED]
        yield every(
            id=pair.law[series], artefact=pair.length, location=f"Lemma 2.3, {pair.location}", kind="theorem", source="ours",
            statement=f"(ours) the exact law gives the length of the intervals: {name}",
            quantity=f"mean length of the exact process over its expected length, farthest from 1 over N >= {SETTLED} and n",
            cells=algebra.means(exact, ["n", "steps"], _over_predicted), criterion=between(1 - CLOSE, 1 + CLOSE),
        )  # fmt: skip


def _over_predicted(row: "pd.Series[float]") -> Estimate:
    mean = statistics.mean_of(row)
    return Estimate(*(each / row["predicted"] for each in (mean.value, mean.low, mean.high)))


def _comparable(evidence: Evidence, pair: Pair) -> Iterator[Claim]:
    """Judges widths by n, which is not stated; sizes beyond those run with clipping come from the exact law."""
    table = evidence.select(pair.length)
    table = table[(table["process"] == "clipped") | (table["n"] > _clipped(evidence, pair.length)["n"].max())]
    for series, name in CONSTRUCTIONS.items():
        yield _over_sizes(
            id=pair.comparable[series], artefact=pair.length, location=pair.location, kind="figure",
            statement=f"the width is roughly comparable to that of the textbook nonprivate interval for the population parameter: {name}",
            quantity="mean length of the least-squares interval over that of the private one, at the N next to 520",
            found=algebra.by(table, ["n"], partial(_least_squares_over, series)),
            criterion=at_least(1.0 / COMPARABLE, ": at most twice as long"),
            changed="Before a review there was a claim at every n.", note="the ratio grows as sqrt(n)",
        )  # fmt: skip


def _least_squares_over(series: str, rows: pd.DataFrame) -> Estimate:
    """The ratio of lengths, least squares over a construction, at the N next to 520 at which all constructions exist."""
    grid = sorted(set(rows[rows["series"] == "independent"]["steps"]))
    steps = min(grid, key=lambda steps: abs(steps - 520), default=math.nan)
    return statistics.ratio(*(row_at(rows, steps=steps, series=each) for each in ("OLS", series)))


def _outliers(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_outliers", panel="outliers")
    last, place = algebra.at_end(rows, "steps"), ["construction", "clip_factor"]
    huber, ols = (algebra.means(last[last["series"] == series], place) for series in ("huber", "ols"))
    yield every(
        id="outliers-huber", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="with outliers the confidence intervals capture the minimum of the smoothed (Huberised) objective",
        quantity=f"lowest coverage of the Huberised minimiser over constructions and thresholds, N = {rows['steps'].max()}",
        cells=huber, criterion=at_least(VALID),
    )  # fmt: skip
    yield every(
        id="outliers-not-least-squares", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="clipping introduces bias: DP-GD optimises a different objective function from least squares",
        quantity=f"highest coverage of the least squares estimate over constructions and thresholds, N = {rows['steps'].max()}",
        cells=ols, criterion=at_most(0.9, ": clearly below the nominal 0.95"),
    )  # fmt: skip
