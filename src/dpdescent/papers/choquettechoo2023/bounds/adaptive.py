"""Adaptive adversaries (choquettechoo2023 App. A.2): the exact Renyi divergence of two releases, the second chosen."""

from collections.abc import Iterator

import numpy as np

from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.design import Array
from dpdescent.papers.choquettechoo2023.theory import components
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence

DAMPINGS, ORDERS, THRESHOLDS = (0.0, 0.1, 1.0), (1.01, 2.0, 10.0), (-3.0, 0.0, 1.0, 3.0)
DIRECTIONS = {False: "with the record against without", True: "without the record against with it"}


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of a record that comes twice, for every damping, order and adversary; no table is needed."""
    for nu in DAMPINGS:
        encoder = toeplitz.nu_family(nu).encoder(2)
        squared = float(np.square(np.abs(encoder).sum(axis=1)).sum())
        for alpha in ORDERS:
            yield from _divergences(nu, alpha, encoder, squared)


def _divergences(nu: float, alpha: float, encoder: Array, squared: float) -> Iterator[Bound]:
    for reverse, words in DIRECTIONS.items():
        for threshold in THRESHOLDS:
            yield row(
                bound="Renyi divergence, adaptive adversary", location="App. A.2",
                setting=f"nu={nu:g}, two participations, alpha={alpha:g}, threshold {threshold:g}, {words}",
                value=components.printed_order(squared, alpha),
                measured=components.adaptive_divergence(encoder, alpha, threshold, reverse),
                note=(
                    "alpha rho, rho by the squared sensitivity; the second gradient is 1 where the first release is "
                    "above the threshold, -1 elsewhere; measured is exact"
                ), allowed=1e-12 * squared * alpha,
            )  # fmt: skip
