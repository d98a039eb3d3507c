"""The records that carry the key of ours, and the numbers that its conjectures are held to, the same for all claims."""

from functools import partial

from dpdescent.replication.judging import evidence, records

PAPER = "ours"

claim = partial(records.claim, PAPER, source="ours")
every = partial(records.every, PAPER, source="ours")
judged = partial(records.judged, PAPER, source="ours")

# Every column of ours that a claim or a bound reads; a table that lacks one has nothing there.
COLUMNS = (
    "panel", "estimate", "n", "p", "q", "kappa", "T", "F", "rho", "endogeneity", "instruments", "errors", "k",
    "table", "eps", "sigma", "law", "variant", "series", "mean", "median", "median_low", "median_high",
    "se", "trials", "predicted", "least", "clip_fraction", "half_width", "unbounded",
    "tau_over_H",
)  # fmt: skip
rows = partial(evidence.rows, COLUMNS)

# "As predicted" where few gradients are clipped: root mean squares within eight hundredths.
AS_PREDICTED, FEW_CLIPPED = 0.08, 0.02
