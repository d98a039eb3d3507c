"""Claims about what confidence intervals cover: Figures 5 and 10, and intervals under outliers."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import SETTLED, VALID, every, over_readings
from dpdescent.papers.brown2024.runs.constructions import SHORT
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.criteria import BELOW_0, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate

CONSTRUCTIONS = {"independent": "independent runs", "checkpoints": "checkpoints", "batched": "batched means"}


class Figure(NamedTuple):
    """A figure on coverage, and the ids of its claims.

    Attributes:
        valid, settled: by construction, at every number of gradients N and from that on at which all of them exist.
    """

    artefact: str
    location: str
    valid: dict[str, str]
    settled: dict[str, str]
    autocorrelation: str
    larger_batches: str
    short: str


FIGURES = (
    Figure(
        "fig05", "Figures 5, 6", {"checkpoints": "fig05-valid-checkpoints", "batched": "fig05-valid-batched"},
        {"independent": "fig05-valid-independent-settled", "checkpoints": "fig05-valid-checkpoints-settled",
         "batched": "fig05-valid-batched-settled"},
        "fig05-autocorrelation", "fig05-larger-batches", "fig05-short-batches",
    ),
    Figure(
        "fig10", "Figures 10, 11", {"checkpoints": "fig10-valid-checkpoints", "batched": "fig10-valid-batched"},
        {"independent": "fig10-valid-independent-settled", "checkpoints": "fig10-valid-checkpoints-settled",
         "batched": "fig10-valid-batched-settled"},
        "fig10-autocorrelation", "fig10-larger-batches", "fig10-short-batches",
    ),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on coverage, isotropic, then anisotropic, and those under outliers."""
    for figure in FIGURES:
        yield from _coverage(evidence, figure)
        yield _short(evidence, figure)
        yield from _autocorrelation(evidence, figure)
    yield from _outliers(evidence)


def of_every_size(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """The rows of DP-GD itself; sizes beyond those run with clipping come from the exact process."""
    table = evidence.select(artefact)
    clipped = table["process"] == "clipped"
    return table[clipped | (table["n"] > table[clipped]["n"].max())]


def _coverage(evidence: Evidence, figure: Figure) -> Iterator[Claim]:
    rows = of_every_size(evidence, figure.artefact)
    for series, name in CONSTRUCTIONS.items():
        own = rows[rows["series"] == series]
        statement = f"all constructions produce valid confidence intervals: {name}"
        if series in figure.valid:
            yield over_readings(
                id=figure.valid[series], artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}",
                kind="figure", source="paper", statement=f"{statement} (read at every N)",
                quantity="coverage of theta_hat, averaged over coordinates, nominal 0.95",
                found=algebra.means(own, ["n", "steps"]), criterion=at_least(VALID), unstated="n and N",
                changed="Before a review one n was judged, and the lowest of several noisy values decided, at an N of "
                "ours that the figure may not have.",
            )  # fmt: skip
        yield over_readings(
            id=figure.settled[series], artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}",
            kind="figure", source="paper", statement=f"{statement} (read from N = {SETTLED} on)",
            quantity=f"coverage of theta_hat, averaged over coordinates and over N >= {SETTLED}, nominal 0.95",
            found=algebra.by(own[own["steps"] >= SETTLED], ["n"], _average), criterion=at_least(VALID), unstated="n",
            changed="Before a review the lowest of several noisy values was judged with the interval of that one, which "
            "calls valid intervals false in half of the draws; now they are averaged, and every n is judged.",
            note="runs of different N share no noise, so that their errors are independent",
        )  # fmt: skip


def _short(evidence: Evidence, figure: Figure) -> Claim:
    """Judges batches that are short beside the autocorrelation time, by runs in which independent ones do not exist."""
    rows = of_every_size(evidence, figure.artefact)
    rows, place = rows[rows["steps"] < SETTLED], ["n", "steps"]
    less = algebra.differences(rows[rows["series"] == "batched"], rows[rows["series"] == "checkpoints"], place)
    return over_readings(
        id=figure.short, artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}", kind="figure", source="paper",
        statement="batches need to be large relative to the autocorrelation: short ones cover less than checkpoints do",
        quantity=f"coverage of theta_hat by batched means less that by checkpoints, N < {SETTLED}",
        found=algebra.means(less, place), criterion=BELOW_0, unstated="n and N", changed="Added after a review.",
        note="both come from the same runs, whose errors are taken as independent",
    )  # fmt: skip


def _average(rows: pd.DataFrame) -> Estimate:
    """The mean over rows whose errors are independent."""
    if not len(rows):
        return NOTHING
    value, half = float(rows["mean"].mean()), Z95 * float(np.sqrt(np.nansum(rows["se"] ** 2))) / len(rows)
    return Estimate(value, value - half, value + half)


def _autocorrelation(evidence: Evidence, figure: Figure) -> Iterator[Claim]:
    """Judges both halves of a sentence: autocorrelation grows with the run, and batches must therefore grow."""
    table = evidence.select(figure.artefact, process="clipped")
    table = table[table["steps"] > 100]
    yield over_readings(
        id=figure.autocorrelation, artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}", kind="text",
        source="paper", statement="running the algorithm longer induces more autocorrelation between the iterates",
        quantity="lag-1 autocorrelation at the largest N less that at the smallest above 100",
        found=algebra.by(table, ["n"], lambda rows: _growth(rows, "lag1")), criterion=at_least(0.02), unstated="n",
        note="without clipping it is 1 - eta s at every N; longer runs have more noise, which clips more gradients",
    )  # fmt: skip
    yield over_readings(
        id=figure.larger_batches, artefact=figure.artefact, location=f"Sec. 4.2, {figure.location}", kind="text",
        source="paper",
        statement="with longer runs a larger batch size is required to obtain valid intervals from batched means",
        quantity="coverage of means over batches of fixed length at the smallest N less that at the largest",
        found=algebra.by(table, ["n"], lambda rows: statistics.negative(_growth(rows, SHORT))),
        criterion=at_least(0.02, ": coverage falls as runs get longer"), unstated="n",
        changed="Before a review batches grew with N, and their coverage improves with the length of the run.",
    )  # fmt: skip


def _growth(rows: pd.DataFrame, series: str) -> Estimate:
    """Change from the shortest run to the longest. Coordinates are taken as independent, which widens the interval."""
    rows = rows[rows["series"] == series]
    if rows["steps"].nunique() < 2:
        return NOTHING
    last, first = (algebra.at_end(rows, "steps", largest=largest).iloc[0] for largest in (True, False))
    return statistics.difference(last, first)


def _outliers(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_outliers", panel="outliers")
    last, place = algebra.at_end(rows, "steps"), ["construction", "clip_factor"]
    yield every(
        id="outliers-huber", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="with outliers the confidence intervals capture the minimum of the smoothed (Huberised) objective",
        quantity=f"lowest coverage of the Huberised minimiser over constructions and thresholds, N = {rows['steps'].max()}",
        cells=algebra.means(last[last["series"] == "huber"], place), criterion=at_least(VALID),
    )  # fmt: skip
    yield every(
        id="outliers-not-least-squares", artefact="ext_outliers", location="Sec. 1.1, 2.5", kind="text", source="paper",
        statement="clipping introduces bias: DP-GD optimises a different objective function from least squares",
        quantity="coverage of least squares in the coordinate that outliers displace, highest over constructions and "
        f"thresholds, N = {rows['steps'].max()}",
        cells=algebra.means(last[last["series"] == "ols"], place, _displaced),
        criterion=at_most(0.9, ": clearly below the nominal 0.95"),
        changed="Before a review coordinates that outliers displace and those that they spare were averaged as if they "
        "were replicates.",
        note="outliers sit on records with a positive first covariate and displace the first of ten coordinates, the "
        "lowest tenth: its median is the 5 % quantile over coordinates, its range goes from the 2.5 % to the 10 % quantile",
    )  # fmt: skip


def _displaced(row: "pd.Series[float]") -> Estimate:
    """The lowest tenth of the coordinates: its middle, and the quantiles about its ends."""
    return Estimate(row["q05"], row["q025"], row["q10"])
