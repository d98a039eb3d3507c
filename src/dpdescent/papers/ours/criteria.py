"""The records that carry the key of ours, the numbers that its conjectures are held to, and what several subjects judge by."""

import math
from collections.abc import Callable
from functools import partial

import pandas as pd

from dpdescent.papers.ours.setting import PAPER
from dpdescent.replication.judging import evidence, records
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.statistics import Estimate, mean_of, proportion

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)

# Every column of ours that a claim or a bound reads; a table that lacks one has nothing there.
COLUMNS = (
    "panel", "estimate", "n", "p", "q", "kappa", "T", "F", "rho", "endogeneity", "instruments", "errors", "k",
    "table", "eps", "sigma", "law", "variant", "series", "mean", "median", "median_low", "median_high",
    "se", "trials", "predicted", "least", "clip_fraction", "half_width", "unbounded",
    "tau_over_H", "noise_ratio", "worst", "typical", "low", "high", "correlation", "spread", "offset", "fit",
    "covariates", "units", "standard_errors", "level", "information", "outcome", "nonzero", "dummy", "ends",
)  # fmt: skip
rows = partial(evidence.rows, COLUMNS)

# "As predicted" where few gradients are clipped: root mean squares within eight hundredths.
AS_PREDICTED, FEW_CLIPPED = 0.08, 0.02

# Of claims on Anderson-Rubin sets, whose verdicts were known before.
MENDED = (
    "The criterion stayed, and the method changed after a verdict: sets took the slope of their equation for E[zz'], "
    "which is too large where gradients are clipped, and take it from the path now."
)


def mapped(estimate: Estimate, function: Callable[[float], float]) -> Estimate:
    """A rising function of an estimate, by its value and both ends."""
    return Estimate(*map(function, (estimate.value, estimate.low, estimate.high)))


def over_expected(row: "pd.Series[float]") -> Estimate:
    """A measured mean divided by the expected one, of a row of gaps whose `predicted` is what was expected."""
    return mapped(mean_of(row), lambda gap: 1.0 + gap / row["predicted"])


def root(estimate: Estimate) -> Estimate:
    """The square root of an estimate of a positive number."""
    return mapped(estimate, lambda end: math.sqrt(max(end, 0.0)))


def roots(squares: Places) -> Places:
    """Square roots of estimates: ratios of mean squares become ratios of root mean squares."""
    return {place: root(square) for place, square in squares.items()}


def coverage(row: "pd.Series[float]") -> Estimate:
    """A share with its interval; coordinates of one run hang together, so that runs count and not coordinates."""
    return proportion(row["mean"], row["trials"])
