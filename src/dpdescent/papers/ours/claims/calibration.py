"""Conjectures on exact calibration: what the noise, and then the error, gains at one and the same (epsilon, delta)."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours.claims.noise_over_time import roots
from dpdescent.papers.ours.experiments.calibration import EXACT, GAP, HAT, SCHEDULED
from dpdescent.papers.ours.reading import claim_on_all_cells, over_expected, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

PLACE = ["panel", "n", "p", "estimate"]
# "Each predicted error ratio within 5 % of paired reruns."
WITHIN = 0.05
GAPS = [GAP.format(series) for series in (EXACT, SCHEDULED)]


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges ratios of noises and of errors at brown2024's settings."""
    table = rows(evidence, "calibration")
    exact = table[table["series"] == EXACT]
    yield claim_on_all_cells(
        id="calibration-noise", artefact="calibration", location="Sec. 4", kind="privacy",
        statement="brown2024's noise is 1.21 to 1.27 times what the exact accountant asks for at the same epsilon and delta",
        quantity="published over exact noise multiplier, by figure and n",
        cells=algebra.means(exact[exact["estimate"] == HAT], ["panel", "n"], lambda row: exactly(row["noise_ratio"])),
        criterion=between(1.20, 1.28),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="calibration-error-as-predicted", artefact="calibration", location="Sec. 4", kind="text",
        statement="the law predicts what exact calibration, and a schedule besides, make of the error",
        quantity="ratio of root mean square errors to that as published, over the predicted ratio, by figure, n, target and arm",
        cells=roots(algebra.means(table[table["series"].isin(GAPS)], [*PLACE, "series"], over_expected)),
        criterion=between(1.0 - WITHIN, 1.0 + WITHIN),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="schedule-beats-the-accountant", artefact="calibration", location="Sec. 4", kind="text",
        statement="the schedule is worth more than the exact accountant",
        quantity="root mean square distance to least squares with both, over that with the exact accountant alone: at most the gain of the accountant, by figure and n",
        cells=_gains(table[table["estimate"] == HAT]), criterion=at_most(1.0),
    )  # fmt: skip


def _gains(found: pd.DataFrame) -> Places:
    """The schedule's ratio of errors over the accountant's, which is one over the ratio of the noises without clipping."""
    exact, both = (found[found["series"] == series] for series in (EXACT, SCHEDULED))
    squares = {}
    for one, other in algebra.paired_rows(both, exact, PLACE):
        ratio, gain = algebra.ratio_of_rows(one, other), one["noise_ratio"] ** 2
        squares[algebra.place_of(one, PLACE)] = Estimate(
            *(each * gain for each in (ratio.value, ratio.low, ratio.high))
        )
    return roots(squares)
