"""Coverage of the confidence intervals of brown2024: Figures 5 and 10, intervals under outliers, and guarantees.

Theorem 3.1 hides constants, and so does Claim C.11. Explicit expressions stand for them in the bounds: the divergence
of the estimates' joint law from m independent ones, and Pinsker's inequality (`algorithms.gaussian_law`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.cases import Experiment
from dpdescent.papers.brown2024.criteria import NEW, SETTLED, VALID, claim_on_all_cells, of_series, over_readings
from dpdescent.papers.brown2024.intervals import BATCHED, CONSTRUCTIONS, NAMES, SHORT, of_every_size, runs_behind
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.bound_rows import CHANCE, VACUOUS, bound_row, chance
from dpdescent.replication.judging.criteria import BELOW_0, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate

FIGURE_5: records.Place = {
    "artefact": "fig05", "location": "Sec. 4.2, Figures 5, 6", "kind": "figure", "source": "paper",
}  # fmt: skip
FIGURE_10: records.Place = {
    "artefact": "fig10", "location": "Sec. 4.2, Figures 10, 11", "kind": "figure", "source": "paper",
}  # fmt: skip
# Agreement of an autocorrelation with 1 - eta.
EXACTLY = 0.01
OUTLIERS: records.Place = {"artefact": "ext_outliers", "location": "Sec. 1.1, 2.5", "kind": "text", "source": "paper"}


class Ids(NamedTuple):
    """The ids of the claims on a figure on coverage.

    Attributes:
        valid: claims at every number of gradients N, by construction.
        settled: claims from the N on at which all constructions exist, by construction.
    """

    valid: dict[str, str]
    settled: dict[str, str]
    short: str
    autocorrelation: str
    larger_batches: str


FIGURES = (
    (FIGURE_5, Ids(
        {"checkpoints": "fig05-valid-checkpoints", "batched": "fig05-valid-batched"},
        {"independent": "fig05-valid-independent-settled", "checkpoints": "fig05-valid-checkpoints-settled",
         "batched": "fig05-valid-batched-settled"},
        "fig05-short-batches", "fig05-autocorrelation", "fig05-larger-batches",
    )),
    (FIGURE_10, Ids(
        {"checkpoints": "fig10-valid-checkpoints", "batched": "fig10-valid-batched"},
        {"independent": "fig10-valid-independent-settled", "checkpoints": "fig10-valid-checkpoints-settled",
         "batched": "fig10-valid-batched-settled"},
        "fig10-short-batches", "fig10-autocorrelation", "fig10-larger-batches",
    )),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on coverage, isotropic, then anisotropic, then under outliers."""
    for figure, ids in FIGURES:
        rows = of_every_size(evidence, figure["artefact"])
        yield from _valid(rows, figure, ids)
        yield _short(rows[rows["steps"] < SETTLED], figure, ids.short)
        yield from _autocorrelation(evidence, figure, ids)
    rows, eta = evidence.select("fig05", process="exact", series="lag1"), Experiment(evidence, "fig05", "").value("eta")
    # The smallest wrong world: an autocorrelation of 1 - eta less, or more, 0.013.
    yield claim_on_all_cells(
        id="iterates-dependent", **FIGURE_5 | {"location": "Lemma 2.3, Figures 5, 6", "kind": "theorem", "source": "identity"},
        statement="the noise terms of different times in one run are dependent",
        quantity="autocorrelation of neighbouring iterates after the burn-in, without clipping, farthest from 1 - eta over n and N",
        cells=algebra.means(rows, ["n", "steps"]), criterion=within_of(1.0 - eta, EXACTLY),
        changed="Added after a third review. Before a fourth it counted as the paper's, was above 0 by construction, and was read where gradients are clipped.",
        note="by the recurrence (2), itself an identity, it is 1 - eta s, where s, an eigenvalue of Sigma, is near 1; where gradients are clipped it is more (fig05-autocorrelation)",
    )  # fmt: skip
    yield from _outliers(evidence)


def _valid(rows: pd.DataFrame, figure: records.Place, ids: Ids) -> Iterator[Claim]:
    for series in CONSTRUCTIONS:
        own = of_series(rows, series)
        statement = f"all constructions produce valid confidence intervals: {NAMES[series]}"
        if series in ids.valid:
            yield over_readings(
                id=ids.valid[series], **figure, statement=f"{statement} (read at every N)",
                quantity="coverage of theta_hat, averaged over coordinates, nominal 0.95",
                readings=algebra.means(own, ["n", "steps"]), criterion=at_least(VALID), unstated="n and N",
                changed="Before a review one n was judged, and the lowest of several noisy values decided, at an N of "
                "ours that the figure may not have.",
            )  # fmt: skip
        yield over_readings(
            id=ids.settled[series], **figure, statement=f"{statement} (read from N = {SETTLED} on)",
            quantity=f"coverage of theta_hat, averaged over coordinates and over N >= {SETTLED}, nominal 0.95",
            readings=algebra.measured_by(own[own["steps"] >= SETTLED], ["n"], _average), criterion=at_least(VALID), unstated="n",
            changed="Before a review the lowest of several noisy values was judged with the interval of that one, which "
            "calls valid intervals false in half of the draws; now they are averaged, and every n is judged.",
            note="runs of different N share no noise, so that their errors are independent"
            + ("; the limit, nominal less two points, was fixed before the runs: means over batches at n = 1000 lie on it, and stay open" if series == BATCHED else ""),
        )  # fmt: skip


def _short(rows: pd.DataFrame, figure: records.Place, id: str) -> Claim:
    """The claim on batches that are short beside the autocorrelation time, by runs too short for independent ones."""
    place = ["n", "steps"]
    differences = algebra.differences(of_series(rows, "batched"), of_series(rows, "checkpoints"), place)
    return over_readings(
        id=id, **figure,
        statement="batches need to be large relative to the autocorrelation: short ones cover less than checkpoints do",
        quantity=f"coverage of theta_hat by batched means less that by checkpoints, N < {SETTLED}",
        readings=algebra.means(differences, place), criterion=BELOW_0, unstated="n and N", changed=NEW,
        note="both come from the same runs and count as independent, which widens the interval, because both miss together more often than by chance",
    )  # fmt: skip


def _average(rows: pd.DataFrame) -> Estimate:
    """The mean over rows whose errors are independent."""
    if not len(rows):
        return NOTHING
    value, half = float(rows["mean"].mean()), Z95 * float(np.sqrt(np.nansum(rows["se"] ** 2))) / len(rows)
    return Estimate(value, value - half, value + half)


def _autocorrelation(evidence: Evidence, figure: records.Place, ids: Ids) -> Iterator[Claim]:
    """Yields the claims on both halves of a sentence: autocorrelation grows with the run, so batches must grow."""
    table, place = evidence.select(figure["artefact"], process="clipped"), figure | {"kind": "text"}
    table = table[table["steps"] > 100]
    yield over_readings(
        id=ids.autocorrelation, **place,
        statement="running the algorithm longer induces more autocorrelation between the iterates",
        quantity="lag-1 autocorrelation at the largest N less that at the smallest above 100",
        readings=algebra.measured_by(table, ["n"], lambda rows: _growth(rows, "lag1")), criterion=at_least(0.02), unstated="n",
        note="without clipping it is 1 - eta s at every N; longer runs have more noise, which clips more gradients",
    )  # fmt: skip
    yield over_readings(
        id=ids.larger_batches, **place,
        statement="with longer runs a larger batch size is required to obtain valid intervals from batched means",
        quantity="coverage of means over batches of fixed length at the smallest N less that at the largest",
        readings=algebra.measured_by(table, ["n"], lambda rows: statistics.negative(_growth(rows, SHORT))),
        criterion=at_least(0.02, ": coverage falls as runs get longer"), unstated="n",
        changed="Before a review batches grew with N, and their coverage improves with the length of the run.",
    )  # fmt: skip


def _growth(rows: pd.DataFrame, series: str) -> Estimate:
    """The change from the shortest run to the longest; coordinates count as independent, which widens the interval."""
    rows = rows[rows["series"] == series]
    if rows["steps"].nunique() < 2:
        return NOTHING
    last, first = (algebra.rows_at_end(rows, "steps", largest=largest).iloc[0] for largest in (True, False))
    return statistics.difference(last, first)


def _outliers(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_outliers", panel="outliers")
    last, place = algebra.rows_at_end(rows, "steps"), ["construction", "clip_factor"]
    yield claim_on_all_cells(
        id="outliers-huber", **OUTLIERS,
        statement="with outliers the confidence intervals capture the minimum of the smoothed (Huberised) objective",
        quantity=f"lowest coverage of the Huberised minimiser over constructions and thresholds, N = {rows['steps'].max()}",
        cells=algebra.means(of_series(last, "huber"), place), criterion=at_least(VALID),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="outliers-not-least-squares", **OUTLIERS,
        statement="clipping introduces bias: DP-GD optimises a different objective function from least squares",
        quantity="coverage of least squares in the coordinate that outliers displace, highest over constructions and "
        f"thresholds, N = {rows['steps'].max()}",
        # The estimate is the middle of the lowest tenth of the coordinates, its interval the quantiles about its ends.
        cells=algebra.means(of_series(last, "ols"), place, lambda row: Estimate(row["q05"], row["q025"], row["q10"])),
        criterion=at_most(0.9, ": clearly below the nominal 0.95"),
        changed="Before a review coordinates that outliers displace and those that they spare were averaged as if they "
        "were replicates.",
        note="outliers sit on records with a positive first covariate and displace the first of ten coordinates, the "
        "lowest tenth: its median is the 5 % quantile over coordinates, its range goes from the 2.5 % to the 10 % quantile",
    )  # fmt: skip


# Bounds

COVERAGE = {"fig05": "Figure 5", "fig10": "Figure 10"}
C10 = "Claim C.10, Thm 3.1"
BY_PINSKER = "by the exact law on each data set and Pinsker's inequality"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Yields guarantees beside simulated coverage without clipping, as Theorem 3.1 supposes."""
    for artefact, name in COVERAGE.items():
        experiment = Experiment(evidence, artefact, name, "exact")
        table = experiment.rows(process="exact")
        for point in algebra.rows_of(table[table["series"].isin(CONSTRUCTIONS)]):
            theorem = "; the paper has no theorem for them" if point["series"] == BATCHED else ""
            empty = f"; {VACUOUS}" if point["guaranteed"] <= 0 else ""
            yield bound_row(
                bound="guaranteed coverage", location=C10, setting=runs_behind(experiment, point).text,
                value=point["guaranteed"], measured=point["mean"], direction="at least", allowed=chance(point),
                note=f"1 - alpha - TV, mean over coordinates, {BY_PINSKER}; {CHANCE} below allowed{theorem}{empty}",
            )  # fmt: skip
