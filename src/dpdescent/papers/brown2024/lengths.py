"""Lengths of the confidence intervals of brown2024: Figures 6 and 11."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from dpdescent.papers.brown2024.cases import Experiment
from dpdescent.papers.brown2024.criteria import (
    CLOSE,
    COMPARABLE,
    NEW,
    RATE,
    SETTLED,
    claim_on_all_cells,
    of_series,
    over_readings,
)
from dpdescent.papers.brown2024.intervals import CONSTRUCTIONS, NAMES, of_every_size, runs_behind
from dpdescent.papers.brown2024.separation import batched
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.bound_rows import CHANCE, chance, equality_row
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate

FIGURE_6: records.Place = {
    "artefact": "fig06", "location": "Sec. 4.2, Figures 5, 6", "kind": "figure", "source": "paper",
}  # fmt: skip
FIGURE_11: records.Place = {
    "artefact": "fig11", "location": "Sec. 4.2, Figures 10, 11", "kind": "figure", "source": "paper",
}  # fmt: skip
BY_N = "Before a review one n was judged, though n is not stated."


class Ids(NamedTuple):
    """The ids of the claims on a figure on length; `law` and `comparable` by construction."""

    burn_in: str
    checkpoints: str
    better_use: str
    averages: str
    law: dict[str, str]
    comparable: dict[str, str]


FIGURES = (
    (FIGURE_6, Ids(
        "fig06-burn-in", "fig06-checkpoints", "fig06-better-use", "fig06-averages",
        {"independent": "fig06-law-independent", "checkpoints": "fig06-law-checkpoints", "batched": "fig06-law-batched"},
        {"independent": "fig06-comparable-independent", "checkpoints": "fig06-comparable-checkpoints",
         "batched": "fig06-comparable-batched"},
    )),
    (FIGURE_11, Ids(
        "fig11-burn-in", "fig11-checkpoints", "fig11-better-use", "fig11-averages",
        {"independent": "fig11-law-independent", "checkpoints": "fig11-law-checkpoints", "batched": "fig11-law-batched"},
        {"independent": "fig11-comparable-independent", "checkpoints": "fig11-comparable-checkpoints",
         "batched": "fig11-comparable-batched"},
    )),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on length, isotropic, then anisotropic."""
    for figure, ids in FIGURES:
        rows = of_every_size(evidence, figure["artefact"])
        yield from _lengths(rows, figure, ids)
        yield from _laws(evidence, figure, ids)
        yield from _comparable(evidence, rows, figure, ids)
        # Averages of final iterates are compared with the last one on the exact process at equal N.
        alone, averaged = (
            evidence.select(figure["artefact"], variant, process="exact", series="independent")
            for variant in ("last iterate only", "main")
        )
        yield over_readings(
            id=ids.averages, **_text_place(figure, "Sec. 3.2") | {"source": "ours"},
            statement="(ours, of what the paper calls slightly more practical) averages of iterates in place of the final one make shorter intervals",
            quantity="mean length of intervals from independent runs, last iterate over average after the burn-in",
            readings=algebra.ratios(alone, averaged, ["n", "steps"]), criterion=at_least(1.0, words="above 1"),
            unstated="n and N",
            changed=f"{NEW} Before a third one it counted as the paper's, which does not say that they are shorter, and averages the final few.",
        )  # fmt: skip


def _text_place(figure: records.Place, location: str) -> records.Place:
    """The place of a sentence in the text about a figure."""
    return figure | {"kind": "text", "location": figure["location"].replace("Sec. 4.2", location)}


def _lengths(rows: pd.DataFrame, figure: records.Place, ids: Ids) -> Iterator[Claim]:
    settled = rows[rows["steps"] >= SETTLED]
    first, last = settled["steps"].min(), settled["steps"].max()
    shortest, longest = (settled[settled["steps"] == steps] for steps in (first, last))
    several = of_series(shortest, "independent")
    yield over_readings(
        id=ids.burn_in, **figure, statement="with fewer iterations multiple runs yield wider confidence intervals",
        quantity=f"mean length of intervals from independent runs at N = {first} over that of others",
        readings={
            f"{name}, {place}": ratio
            for name, others in (
                (NAMES["batched"], of_series(shortest, "batched")), (NAMES["checkpoints"], of_series(shortest, "checkpoints")),
                (f"independent runs at N = {last}", of_series(longest, "independent")),
            )
            for place, ratio in algebra.ratios(several, others, ["n"]).items()
        },
        criterion=at_least(1.1, words="above 1.1"), unstated="wider than what, and of n",
        changed=f"{BY_N} Before a second one only batched means were compared with; checkpoints, of one run too, are wider. Before a third longer runs were not, which the words allow.",
    )  # fmt: skip
    checkpoints = of_series(settled, "checkpoints")
    yield over_readings(
        id=ids.checkpoints, **figure,
        statement="the checkpoints approach has a poor dependence on the number of iterations",
        quantity=f"log-log slope of the mean length in N, N >= {SETTLED}",
        readings=algebra.measured_by(checkpoints, ["n"], lambda own: statistics.log_log_slope(own, "steps")),
        criterion=at_least(0.5 - RATE, ": like the noise, sqrt(N)"), unstated="n", changed=BY_N,
    )  # fmt: skip
    yield over_readings(
        id=ids.better_use, **_text_place(figure, "Sec. 3.1"),
        statement="batched means may make better use of the privacy budget than checkpoints",
        quantity=f"mean length, checkpoints over batched means, N >= {SETTLED}",
        readings=algebra.ratios(checkpoints, of_series(settled, "batched"), ["n", "steps"]),
        criterion=at_least(1.0, words="above 1"), unstated="n and N", changed=NEW,
        note=f"at equal N, hence at equal budget; below N = {SETTLED} batches are too short to cover",
    )  # fmt: skip


def _laws(evidence: Evidence, figure: records.Place, ids: Ids) -> Iterator[Claim]:
    place = _text_place(figure, "Lemma 2.3") | {"kind": "theorem", "source": "ours"}
    for series in CONSTRUCTIONS:
        exact = evidence.select(figure["artefact"], process="exact", series=series)
        yield claim_on_all_cells(
            id=ids.law[series], **place, statement=f"(ours) the exact law gives the length of the intervals: {NAMES[series]}",
            quantity=f"mean length of the exact process over its expected length, farthest from 1 over N >= {SETTLED} and n",
            cells=algebra.means(exact[exact["steps"] >= SETTLED], ["n", "steps"], _ratio_to_predicted),
            criterion=between(1 - CLOSE, 1 + CLOSE),
        )  # fmt: skip


def _ratio_to_predicted(row: "pd.Series[float]") -> Estimate:
    mean = statistics.mean_of(row)
    return Estimate(*(value / row["predicted"] for value in (mean.value, mean.low, mean.high)))


def _comparable(evidence: Evidence, rows: pd.DataFrame, figure: records.Place, ids: Ids) -> Iterator[Claim]:
    """Yields the claims on widths, read at every n and N, which are not stated."""
    for series in CONSTRUCTIONS:
        population = ""
        if series == "batched":
            # The intervals' coverage of the population parameter is exact at Sigma = I.
            covered = [f"{batched(evidence, n, 520, 10, n**-0.5).coverage:.3f} at n = {n}" for n in (10_000, 40_000)]
            population = (
                "; a comparable width does not make an interval for the population parameter (Sec. 1.3), which by the exact law "
                f"at Sigma = I is covered with {', '.join(covered)}, N = 520"
            )
        yield over_readings(
            id=ids.comparable[series], **figure,
            statement=f"the width is roughly comparable to that of the textbook nonprivate interval for the population parameter: {NAMES[series]}",
            quantity="mean length of the least-squares interval over that of the private one",
            readings=algebra.ratios(of_series(rows, "OLS"), of_series(rows, series), ["n", "steps"]),
            criterion=at_least(1.0 / COMPARABLE, ": at most twice as long"), unstated="n and N",
            changed="Before a review there was a claim at every n, and later one at the N next to 520 alone.",
            note=f"the ratio grows as sqrt(n){population}",
        )  # fmt: skip


# Bounds


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Yields the expected length by the exact law beside every one of the exact process, where nothing is clipped."""
    for artefact, name in (("fig06", "Figure 6"), ("fig11", "Figure 11")):
        experiment = Experiment(evidence, artefact, name, "exact")
        rows = experiment.rows(process="exact")
        for point in algebra.rows_of(rows[rows["series"].isin(CONSTRUCTIONS)]):
            yield equality_row(
                bound="expected length by the exact law", location="Lemma 2.3", setting=runs_behind(experiment, point).text,
                value=point["predicted"], measured=point["mean"], allowed=chance(point),
                note=f"equality: measured is the mean length, {CHANCE} either way allowed",
            )  # fmt: skip
