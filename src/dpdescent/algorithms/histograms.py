"""Noisy counts of values in bins between public edges, and functions of them: a quantile, a unit.

A replaced record leaves one bin and enters another, so that it moves the counts of a histogram by sqrt(2) at most in
Euclidean norm, and the counts of k histograms together by sqrt(2 k). Bins beyond both ends are counted too, so that
every record is in one bin.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy import zcdp
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]


def release(what: str, rho: float, histograms: int = 1) -> GaussianReleases:
    """The release of histograms that contain each record once, at zCDP cost rho under replace-one."""
    sensitivity = math.sqrt(2.0 * histograms)
    return GaussianReleases(what, sensitivity, zcdp.gaussian_noise_sd(sensitivity, rho), 1)


def powers(first: int, last: int, base: float) -> Array:
    """Edges `base ** k` for k from `first` to `last`, shape (last - first + 1,)."""
    return np.asarray(base ** np.arange(first, last + 1, dtype=np.float64))


def counts(values: Array, edges: Array) -> Array:
    """Counts of values up to the first edge, between neighbouring edges, and beyond; bins contain their upper edge.

    Args:
        values: one value per record, not negative, shape (n,).
        edges: increasing, shape (k,).

    Returns:
        The counts, shape (k + 1,).
    """
    return np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1).astype(np.float64)


def quantile(counted: Array, edges: Array, wanted: float) -> float:
    """First edge up to which the noisy counts add up to `wanted` records; the last edge if there is none."""
    enough = np.cumsum(counted)[:-1] >= wanted
    return float(edges[np.argmax(enough)] if enough.any() else edges[-1])


def largest(counted: Array, edges: Array, sure: float) -> float | None:
    """Lower edge of the last bin with more than `sure` records by the noisy counts; None if there is none.

    The bin up to the first edge is not considered.
    """
    filled = np.flatnonzero(counted[1:] > sure)
    return float(edges[filled[-1]]) if len(filled) else None
