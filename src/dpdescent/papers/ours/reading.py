"""The records that carry the key of ours, and the numbers that its conjectures are held to, the same for all claims."""

from functools import partial

import pandas as pd

from dpdescent.replication.judging import evidence, records
from dpdescent.replication.judging.statistics import Estimate, mean_of

PAPER = "ours"

claim = partial(records.claim, PAPER, source="ours")
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER, source="ours")
judged_claim = partial(records.judged_claim, PAPER, source="ours")

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


def over_expected(row: "pd.Series[float]") -> Estimate:
    """What was measured over what was expected, of a row of gaps whose `predicted` is the mean that was expected."""
    gap = mean_of(row)
    return Estimate(*(1.0 + each / row["predicted"] for each in (gap.value, gap.low, gap.high)))
