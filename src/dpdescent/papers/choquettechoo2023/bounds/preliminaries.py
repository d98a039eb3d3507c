"""The Hanson-Wright inequality of choquettechoo2023 with its constants (App. F.3)."""

import math
from collections.abc import Iterator

from scipy.stats import chi2

from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Constants of Remark F.7 for Gaussian vectors.
HANSON_WRIGHT, EIGHTH, FIRST, SECOND = 0.1457, 0.125, 8.0, 16.0
DIMENSIONS = (1, 8, 128)
FAILURES = (0.3, 0.05, 1e-5)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of Remark F.7, then of Lemma F.6."""
    yield from _constant()
    for d in DIMENSIONS:
        for failure in FAILURES:
            yield from _quantiles(d, failure)


def _constant() -> Iterator[Bound]:
    """Evaluates the constant c of Hanson-Wright that Chernoff's bound gives for Gaussian vectors.

    Its exponent is `(s - log(1+s)) |A|_F^2/(2 |A|_2^2)`, where `s = t |A|_2/|A|_F^2`. Over the minimum
    in Lemma F.6 it is least at s = 1; many equal eigenvalues reach it.
    """
    measured = (1.0 - math.log(2.0)) / 2.0
    why = "measured is (1 - log 2)/2, which Chernoff's bound gives for Gaussian vectors"
    for name, value in (("0.1457", HANSON_WRIGHT), ("1/8", EIGHTH)):
        yield row(
            bound=f"c of Hanson-Wright, {name}", location="Remark F.7", setting="Gaussian", value=value,
            measured=measured, direction="at least", note=why,
        )  # fmt: skip


def _quantiles(d: int, failure: float) -> Iterator[Bound]:
    """Evaluates Lemma F.6 at A = I, where the quadratic form is chi-square with d degrees of freedom."""
    setting, log = f"A=I, d={d}, probability {failure:g}", math.log(1.0 / failure)
    measured = float(chi2.isf(failure, d))
    why = "measured is the exact quantile of |xi|^2"
    value = FIRST * (d * math.sqrt(log) + log)
    yield row(
        bound="|xi|^2, C = 8", location="Lemma F.6, Remark F.7", setting=setting, value=value, measured=measured,
        note=f"C (Tr A sqrt(log 1/p) + |A|_2 log 1/p); {why}",
    )  # fmt: skip
    yield row(
        bound="|xi|^2, C' = 16", location="Lemma F.6, Remark F.7", setting=setting, value=SECOND * d * log,
        measured=measured, note=f"C' Tr A log 1/p; {why}",
    )  # fmt: skip
