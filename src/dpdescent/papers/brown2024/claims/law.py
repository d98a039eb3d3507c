"""Claims about the law of iterates where nothing, or little, is clipped: Lemmas 2.2 and 2.3."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.reading import CLOSE, LAWFUL, claim, every
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import BELOW_0, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate

# Series of the tables, and the columns of a level's quantiles with their values where it is uniform.
LEVEL, SHARE, UNCLIPPED = "level under the law", "P(some gradient is clipped)", "level, nothing clipped"
LEVELS = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
TESTED = "quantile of the level of theta_T in the law's chi-square distribution less that of a uniform one"
WITHIN = between(-LAWFUL, LAWFUL)
CHANGED = (
    "Before a review a mean distance was compared with the law's; now it is the distribution of the Mahalanobis "
    "distance, which mean and covariance decide together."
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on runs without clipping, on designs of any kind, then on what clipping moves."""
    yield from _unclipped(evidence)
    yield from _decay(evidence)
    yield from _clipped(evidence)


def as_predicted(rows: pd.DataFrame, id: str, artefact: str, source: Source, place: str) -> Claim:
    """The claim that DP-GD's last iterate has the normal law of Lemma 2.3 where few gradients are clipped.

    Args:
        rows: levels of one curve, a row for each point of the grid.
        id, artefact, source, place: of the claim.
    """
    found = rows[rows["series"] == LEVEL]
    told = f"; {found['clip_fraction'].max():.2%} of the gradients are clipped at most" if len(found) else ""
    return every(
        id=id, artefact=artefact, location=f"Lemma 2.3, {place}", kind="theorem", source=source,
        statement="where few gradients are clipped the iterate is Gaussian with the mean and the covariance of the lemma",
        quantity=f"{TESTED}, averaged over the grid, farthest of five quantiles", cells=deviations(found),
        criterion=WITHIN, changed=CHANGED,
        note=f"without any clipping the lemma is exact; here few are clipped{told}",
    )  # fmt: skip


def deviations(rows: pd.DataFrame) -> algebra.Places:
    """How far quantiles of levels lie from those of uniform ones, averaged over rows; of few trials, exactly.

    A sample quantile of N uniform values, by linear interpolation, has mean `(q (N - 1) + 1) / (N + 1)`.
    """
    if not len(rows):
        return {}
    trials = algebra.floats(rows, "trials")
    made = {}
    for column, level in LEVELS.items():
        expected = (level * (trials - 1) + 1) / (trials + 1)
        value = float((algebra.floats(rows, column) - expected).mean())
        half = Z95 * float(np.sqrt((expected * (1 - expected) / (trials + 2)).sum())) / len(rows)
        made[f"quantile {level:g}"] = Estimate(value, value - half, value + half)
    return made


def _unclipped(evidence: Evidence) -> Iterator[Claim]:
    levels = evidence.select("ext_law", series=LEVEL)
    for id, location, panel, statement in (
        ("law-without-clipping", "Sec. 2.2, Lemma 2.3", "normal", "without clipping every iterate has exactly this Gaussian law"),
        ("law-heavy-tails", "Lemma 2.3", "heavy tails", "the law needs no distributional assumption on the data: heavy-tailed covariates"),
        ("law-singular", "Lemma 2.3", "orthogonal", "the law needs no distributional assumption on the data: a fixed design with D = 0"),
    ):  # fmt: skip
        rows = levels[levels["panel"] == panel]
        cells = {
            f"T = {T:g}, {place}": each for T, group in rows.groupby("T") for place, each in deviations(group).items()
        }
        yield every(
            id=id, artefact="ext_law", location=location, kind="theorem", source="paper", statement=statement,
            quantity=f"{TESTED}, farthest over T and five quantiles", cells=cells, criterion=WITHIN,
            changed="Added after a review.",
        )  # fmt: skip
    means = evidence.select("ext_law", series="level of the mean over runs")
    yield every(
        id="law-mean", artefact="ext_law", location="Lemma 2.3", kind="theorem", source="paper",
        statement="without clipping theta_t has mean theta_hat + (I - eta Sigma)^t (theta_0 - theta_hat)",
        quantity="level of the mean over runs in the chi-square distribution of its own law less one half, farthest over T and design",
        cells={place: statistics.less(each, 0.5) for place, each in algebra.means(means, ["panel", "T"]).items()},
        criterion=between(-2 * LAWFUL, 2 * LAWFUL), changed="Added after a review.",
        note="each data set has one mean over its runs, a tenth of a run's sd; a wrong mean has levels near 1",
    )  # fmt: skip


def _decay(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_law")
    last = algebra.at_end(rows[rows["series"] == "last contraction over ||M||"], "T")
    yield every(
        id="bias-decays", artefact="ext_law", location="Lemma 2.3", kind="theorem", source="paper",
        statement="the bias decays geometrically, at the rate ||I - eta Sigma||",
        quantity=f"contraction of the distance to least squares in the last of {last['T'].max():g} steps without noise, over ||I - eta Sigma||",
        cells=algebra.means(last, ["panel"]), criterion=between(1 - CLOSE, 1 + 1e-9, words=f"between {1 - CLOSE:g} and 1"),
        changed="Added after a review.", note="earlier steps contract faster",
    )  # fmt: skip
    printed = rows[rows["series"] == "distance over (7/8)^t"]
    yield every(
        id="bias-seven-eighths", artefact="ext_law", location="(82), (76)", kind="theorem", source="paper",
        statement="the bias part of the error is at most (7/8)^T ||theta_hat||",
        quantity="distance to least squares of T steps without noise over (7/8)^T ||theta_hat||, largest over T and design",
        cells=algebra.means(printed, ["panel", "T"]), criterion=at_most(1.0), changed="Added after a review.",
    )  # fmt: skip


def _clipped(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_law", panel="clipped")
    yield every(
        id="lemma-2.2", artefact="ext_law", location="Lemma 2.2", kind="theorem", source="paper",
        statement="if nothing is clipped with probability 1 - beta, DP-GD is within total variation beta of its law without clipping",
        quantity="largest shift of a quantile of the level under that law less the share of runs that clip, by threshold",
        cells={f"gamma = {factor:g} sqrt(p)": _excess(group) for factor, group in rows.groupby("clip_factor")},
        criterion=at_most(0.0), changed="Before a review it counted as true by construction.",
        note="a distribution within beta in total variation of a uniform one has quantiles within beta of theirs; one sided, "
        "as it looks at one function of the iterate",
    )  # fmt: skip
    levels = rows[rows["series"] == UNCLIPPED].sort_values("clip_factor")
    shares = rows[rows["series"] == SHARE].sort_values("clip_factor")
    yield claim(
        id="conditioning-moves-the-law", artefact="ext_law", location="Sec. 2.2", kind="theorem", source="paper",
        statement="conditioning on the event of no clipping changes the distribution, which is then no longer exactly Gaussian",
        quantity="mean level of the runs that clip nothing less one half, at the smallest threshold at which there are any",
        measured=statistics.less(statistics.mean_of(levels.iloc[0]), 0.5) if len(levels) else NOTHING,
        criterion=BELOW_0, changed="Added after a review.",
        note=f"runs that clip nothing stay closer to the mean; {shares['mean'].iloc[0]:.0%} of the runs clip" if len(shares) else "",
    )  # fmt: skip


def _excess(rows: pd.DataFrame) -> Estimate:
    """The farthest quantile's shift less the share of runs that clip, with the chance of both."""
    level, share = row_at(rows, series=LEVEL), row_at(rows, series=SHARE)
    if math.isnan(level["mean"]) or math.isnan(share["mean"]):
        return NOTHING
    shifts = {column: abs(float(level[column]) - at) for column, at in LEVELS.items()}
    column = max(shifts, key=lambda name: shifts[name])
    at = LEVELS[column]
    # Quantiles of N values have an sd of sqrt(q (1 - q) / N) where the law is near uniform.
    half = Z95 * math.sqrt(at * (1 - at) / level["trials"])
    return statistics.minus(
        Estimate(shifts[column], shifts[column] - half, shifts[column] + half), statistics.mean_of(share)
    )
