"""Bounds on noise over time: the least variance of any encoder, and the law of the unclipped descent."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import bound_row, unjudged_row
from dpdescent.replication.judging.evidence import Bound, Evidence

LEAST, LAW = "Sec. 2, Theorem", "Sec. 2, law"
# Rounding of sums over a few hundred steps.
ROUNDING = 1e-9
NONE = pd.DataFrame()


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the least variance beside every arm's, and the predicted beside the measured root mean square."""
    for found in rows_of(evidence.tables.get("correlated_full_batch", NONE)):
        setting = f"{found['panel']}, {found['estimate']}, kappa={found['kappa']:g} T={found['T']:g}: {found['series']}"
        yield bound_row(
            bound="variance over sensitivity^2 / (2 rho)", location=LEAST, setting=setting, value=found["least"],
            measured=found["mean"], direction="at least", allowed=ROUNDING * found["least"],
            note="the least of any noise over time",
        )  # fmt: skip
    for found in rows_of(evidence.tables.get("schedule", NONE)):
        place = f"{found['variant']}: {found['panel']}, n={found['n']:g} p={found['p']:g} kappa={found['kappa']:g}"
        yield unjudged_row(
            bound="RMS distance to least squares", location=LAW, setting=f"{place} T={found['T']:g}: {found['series']}",
            value=math.sqrt(found["predicted"]), measured=math.sqrt(found["mean"]),
            note=f"without clipping; {found['clip_fraction']:.2g} of the gradients were clipped",
        )  # fmt: skip
