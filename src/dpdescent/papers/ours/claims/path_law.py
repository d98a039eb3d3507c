"""Conjectures on the law of DP-2S-GD's path."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.ours.experiments.iv_path_law import GAP, MEAN, NAIVE
from dpdescent.papers.ours.reading import claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, mean_of

PLACE = ["q", "rho", "instruments"]
# Noise over signal up to which the law should hold to second order, and from which it should fail; below the least
# value the move is too small to be told from none.
LEAST, SMALL, LARGE = 0.01, 0.1, 0.5
# Why intervals are not as first written.
PAIRED = (
    "At first the spread of the law between data sets, which measured and predicted share, was in the interval; the "
    "criterion is as it was."
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges autocorrelations, the mean that the law predicts, and what is simpler."""
    table = rows(evidence, "iv_path_law")
    small = table[table["tau_over_H"] <= SMALL]
    lags = small[small["series"].astype(str).str.fullmatch(r"autocorrelation.*law's") & (small["tau_over_H"] <= LEAST)]
    yield claim_on_all_cells(
        id="path-autocorrelation", artefact="iv_path_law", location="Sec. 1", kind="theorem",
        statement="the path of beta has the autocorrelation of a vector autoregression with the first stage's noise, and is none by itself",
        quantity=f"measured autocorrelation less that of the law, tau / H up to {LEAST:g}, by lag",
        cells=algebra.means(lags, [*PLACE, "series"]), criterion=between(-0.02, 0.02), changed=PAIRED,
    )  # fmt: skip
    moves = small[small["tau_over_H"] >= LEAST]
    yield claim_on_all_cells(
        id="path-attenuation", artefact="iv_path_law", location="Sec. 1", kind="theorem",
        statement="the mean of the path lies from 2SLS where the law to second order says",
        quantity=f"relative move of the mean over the law's, tau / H from {LEAST:g} to {SMALL:g}",
        cells=algebra.means(moves[moves["series"] == GAP.format(MEAN)], PLACE, _ratio), criterion=between(0.9, 1.1),
        changed=PAIRED,
    )  # fmt: skip
    naive = moves[(moves["series"] == GAP.format(NAIVE)) & (moves["q"] == 1)]
    yield claim_on_all_cells(
        id="naive-attenuation", artefact="iv_path_law", location="Sec. 1", kind="text",
        statement="with one instrument the naive rule, that the mean is drawn to zero by tau / H, is wrong by a factor of about two",
        quantity=f"relative move of the mean over the naive rule's, tau / H from {LEAST:g} to {SMALL:g}, q = 1",
        cells=algebra.means(naive, PLACE, _ratio), criterion=at_most(2.0 / 3.0), changed=PAIRED,
    )  # fmt: skip
    far = table[(table["series"] == GAP.format(MEAN)) & (table["tau_over_H"] >= LARGE)]
    yield claim_on_all_cells(
        id="path-law-fails-far-out", artefact="iv_path_law", location="Sec. 1", kind="text",
        statement="where the first stage's noise is as large as what the instruments explain the law means nothing",
        quantity=f"the law's relative move of the mean over the measured one, tau / H from {LARGE:g} on",
        cells=algebra.means(far, PLACE, lambda row: _inverse(_ratio(row))), criterion=at_least(1.25),
        changed=PAIRED,
    )  # fmt: skip


def _ratio(row: "pd.Series[float]") -> Estimate:
    """The measured mean over the predicted one, from the row of their differences by data set."""
    found = mean_of(row)
    ends = sorted(1.0 + each / row["predicted"] for each in (found.low, found.high))
    return Estimate(1.0 + found.value / row["predicted"], *ends)


def _inverse(estimate: Estimate) -> Estimate:
    if not estimate.low > 0.0:
        return Estimate(1.0 / estimate.value, 0.0, float("inf"))
    return Estimate(1.0 / estimate.value, 1.0 / estimate.high, 1.0 / estimate.low)
