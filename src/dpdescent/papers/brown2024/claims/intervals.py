"""Claims about the length of confidence intervals: Figures 6 and 11."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.claims.coverage import CONSTRUCTIONS, of_every_size
from dpdescent.papers.brown2024.reading import CLOSE, COMPARABLE, RATE, SETTLED, every, over_readings
from dpdescent.papers.brown2024.theory.coverage import at_identity
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate

BY_N = "Before a review one n was judged, though n is not stated."


class Figure(NamedTuple):
    """A figure on length, and the ids of its claims.

    Attributes:
        law, comparable: by construction.
    """

    artefact: str
    location: str
    burn_in: str
    checkpoints: str
    better_use: str
    averages: str
    law: dict[str, str]
    comparable: dict[str, str]


FIGURES = (
    Figure(
        "fig06", "Figures 5, 6", "fig06-burn-in", "fig06-checkpoints", "fig06-better-use", "fig06-averages",
        {"independent": "fig06-law-independent", "checkpoints": "fig06-law-checkpoints", "batched": "fig06-law-batched"},
        {"independent": "fig06-comparable-independent", "checkpoints": "fig06-comparable-checkpoints",
         "batched": "fig06-comparable-batched"},
    ),
    Figure(
        "fig11", "Figures 10, 11", "fig11-burn-in", "fig11-checkpoints", "fig11-better-use", "fig11-averages",
        {"independent": "fig11-law-independent", "checkpoints": "fig11-law-checkpoints", "batched": "fig11-law-batched"},
        {"independent": "fig11-comparable-independent", "checkpoints": "fig11-comparable-checkpoints",
         "batched": "fig11-comparable-batched"},
    ),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on length, isotropic, then anisotropic."""
    for figure in FIGURES:
        rows = of_every_size(evidence, figure.artefact)
        yield from _length(rows, figure)
        yield from _laws(evidence, figure)
        yield from _comparable(evidence, rows, figure)
        yield _last_iterate(evidence, figure)


def _length(rows: pd.DataFrame, figure: Figure) -> Iterator[Claim]:
    settled = rows[rows["steps"] >= SETTLED]
    first = settled["steps"].min()
    yield over_readings(
        id=figure.burn_in, artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}", kind="figure",
        source="paper", statement="with fewer iterations multiple runs yield wider confidence intervals",
        quantity=f"mean length, independent runs over batched means, at N = {first}",
        found=algebra.ratios(*_two(settled[settled["steps"] == first], "independent", "batched"), ["n"]),
        criterion=at_least(1.1, words="above 1.1"), unstated="n", changed=BY_N,
    )  # fmt: skip
    checkpoints = settled[settled["series"] == "checkpoints"]
    yield over_readings(
        id=figure.checkpoints, artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}", kind="figure",
        source="paper", statement="the checkpoints approach has a poor dependence on the number of iterations",
        quantity=f"log-log slope of the mean length in N, N >= {SETTLED}",
        found=algebra.by(checkpoints, ["n"], lambda own: statistics.log_log_slope(own, "steps")),
        criterion=at_least(0.5 - RATE, ": like the noise, sqrt(N)"), unstated="n", changed=BY_N,
    )  # fmt: skip
    yield over_readings(
        id=figure.better_use, artefact=figure.artefact, location=f"Sec. 3.1, {figure.location}", kind="text",
        source="paper", statement="batched means may make better use of the privacy budget than checkpoints",
        quantity=f"mean length, checkpoints over batched means, N >= {SETTLED}",
        found=algebra.ratios(*_two(settled, "checkpoints", "batched"), ["n", "steps"]),
        criterion=at_least(1.0, words="above 1"), unstated="n and N", changed="Added after a review.",
        note=f"at equal N, hence at equal budget; below N = {SETTLED} batches are too short to cover",
    )  # fmt: skip


def _two(rows: pd.DataFrame, first: str, second: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    return rows[rows["series"] == first], rows[rows["series"] == second]


def _laws(evidence: Evidence, figure: Figure) -> Iterator[Claim]:
    for series, name in CONSTRUCTIONS.items():
        exact = evidence.select(figure.artefact, process="exact", series=series)
        exact = exact[exact["steps"] >= SETTLED]
        yield every(
            id=figure.law[series], artefact=figure.artefact, location=f"Lemma 2.3, {figure.location}", kind="theorem",
            source="ours", statement=f"(ours) the exact law gives the length of the intervals: {name}",
            quantity=f"mean length of the exact process over its expected length, farthest from 1 over N >= {SETTLED} and n",
            cells=algebra.means(exact, ["n", "steps"], _over_predicted), criterion=between(1 - CLOSE, 1 + CLOSE),
        )  # fmt: skip


def _over_predicted(row: "pd.Series[float]") -> Estimate:
    mean = statistics.mean_of(row)
    return Estimate(*(each / row["predicted"] for each in (mean.value, mean.low, mean.high)))


def _last_iterate(evidence: Evidence, figure: Figure) -> Claim:
    """Judges averages of final iterates beside the last one, on the exact process at equal N."""
    alone, averaged = (
        evidence.select(figure.artefact, variant, process="exact", series="independent") for variant in ("last iterate only", "main")
    )  # fmt: skip
    return over_readings(
        id=figure.averages, artefact=figure.artefact, location=f"Sec. 3.1, {figure.location}", kind="text", source="paper",
        statement="an average of the final few iterates in place of the final one is slightly more practical: shorter intervals",
        quantity="mean length of intervals from independent runs, last iterate over average after the burn-in",
        found=algebra.ratios(alone, averaged, ["n", "steps"]), criterion=at_least(1.0, words="above 1"), unstated="n and N",
        changed="Added after a review.",
    )  # fmt: skip


def _population(evidence: Evidence) -> str:
    """What these intervals cover of the population parameter, exactly, at Sigma = I, for a note."""
    given, p, told = evidence.settings, 10, []
    for n in (10_000, 40_000):
        at = Setting(n, p, 520, given["rho"], given["eta"], given["clip_factor"] * p**0.5)
        made = at_identity(
            "batched means", steps=at.T, m=given["m"], noise_sd=at.noise_sd, start=p**-0.5, eta=at.eta,
            burn_in=given["burn_in"], target_sd=n**-0.5,
        )  # fmt: skip
        told.append(f"{made.coverage:.3f} at n = {n}")
    return (
        "; a comparable width does not make an interval for the population parameter (Sec. 1.3), which by the exact law "
        f"at Sigma = I is covered with {', '.join(told)}, N = 520"
    )


def _comparable(evidence: Evidence, rows: pd.DataFrame, figure: Figure) -> Iterator[Claim]:
    """Judges widths by n and N, which are not stated."""
    for series, name in CONSTRUCTIONS.items():
        yield over_readings(
            id=figure.comparable[series], artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}",
            kind="figure", source="paper",
            statement=f"the width is roughly comparable to that of the textbook nonprivate interval for the population parameter: {name}",
            quantity="mean length of the least-squares interval over that of the private one",
            found=algebra.ratios(*_two(rows, "OLS", series), ["n", "steps"]),
            criterion=at_least(1.0 / COMPARABLE, ": at most twice as long"), unstated="n and N",
            changed="Before a review there was a claim at every n, and later one at the N next to 520 alone.",
            note=f"the ratio grows as sqrt(n){_population(evidence) if series == 'batched' else ''}",
        )  # fmt: skip
