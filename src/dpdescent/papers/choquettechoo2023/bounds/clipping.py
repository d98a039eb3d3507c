"""What clips nothing with high probability: gradients and clip norms (choquettechoo2023 App. D.2 and D.4)."""

import math
from collections.abc import Iterator

from scipy.stats import norm

from dpdescent.papers.choquettechoo2023.bounds.finite_time import ARTEFACT, run_of
from dpdescent.papers.choquettechoo2023.reading import rows
from dpdescent.papers.choquettechoo2023.theory.finite_time import Run
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the labels' noise at every T of the clipped runs."""
    for found in each(rows(evidence, ARTEFACT, panel="clipped").drop_duplicates("T")):
        yield from _labels(run_of(evidence, found))


def _labels(run: Run) -> Iterator[Bound]:
    """Evaluates event (72) for Gaussian residuals: what one of T exceeds with probability p/T."""
    T, failure, variance = run.T, run.failure, run.label_variance
    if variance > 0.0:
        value = 2.0 * variance * math.log(2.0 * T / failure)
        measured = variance * float(norm.isf(failure / (2.0 * T))) ** 2
        why = "2 sigma_sgd^2 log(2T/p); measured is the exact quantile of level 1 - p/T of xi^2"
        yield row(
            bound="largest xi_t^2", location="(72)", setting=f"finite T, clipped: T={T:g}, p={failure:g}", value=value,
            measured=measured, note=why,
        )  # fmt: skip
