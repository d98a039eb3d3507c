"""Sensitivity of correlated releases from a dense encoder that belongs to no strategy.

Strategies compute their own (`Strategy.sensitivity_squared`, `Toeplitz.sensitivity_squared_limit`).
"""

import numpy as np
from numpy.typing import NDArray

from dpdescent.noise.strategies.base import separation

Array = NDArray[np.float64]

# Entries of C'C that are negative by less than this, relative to the largest, are zero up to rounding.
ROUNDING = 1e-10


def squared_of(encoder: Array, participations: int = 1) -> float:
    """Squared sensitivity of an encoder, shape (m, T), to k participations T/k steps apart; gamma_T^2 for k = 1.

    Raises:
        ValueError: if k does not divide T, or if C'C has a negative entry between two participations.
    """
    return float(norms_squared(encoder, separation(encoder.shape[1], participations)).max())


def norms_squared(encoder: Array, separation: int) -> Array:
    """Sums of the entries of C'C over the columns o, o + b, o + 2b, ..., for every offset o < b; shape (separation,).

    Absolute values are summed, because rounding must not make the sum too small.

    Raises:
        ValueError: if such an entry is negative, because gradients of opposite signs could then move the release
            further.
    """
    norms = np.zeros(separation)
    for offset in range(min(separation, encoder.shape[1])):
        columns = encoder[:, offset::separation]
        gram = columns.T @ columns
        if gram.min() < -ROUNDING * gram.max():
            raise ValueError(f"C'C has the entry {gram.min():.3g} between steps {separation} or a multiple apart: for "
                             "repeated participations none may be negative")  # fmt: skip
        norms[offset] = np.abs(gram).sum()
    return norms
