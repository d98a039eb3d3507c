"""Sensitivity of correlated releases, from a dense encoder or from a decoder's coefficients.

Strategies compute their own sensitivity (`Strategy.sensitivity_squared`, `Toeplitz.sensitivity_squared_limit`); these
functions are for matrices and coefficients that do not belong to a strategy.
"""

import numpy as np
from numpy.typing import NDArray

from dpdescent.noise.strategies.base import separation
from dpdescent.noise.strategies.spectral import FINEST, is_minimum_phase

Array = NDArray[np.float64]

# Entries of C'C that are negative by less than this, relative to the largest, are zero up to rounding.
ROUNDING = 1e-10

# A mean over frequencies counts as the integral if a finer grid changes it by less than this, relatively.
CONVERGED = 1e-13


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


def squared_limit_of(coefficients: Array) -> float:
    """Limit gamma_inf^2 = sum of c_t^2, c being the inverse of these decoder coefficients (choquettechoo2023 eq. 5).

    Raises:
        ValueError: if the coefficients are not minimum phase: the sensitivity then grows without bound.
    """
    if not is_minimum_phase(coefficients):
        raise ValueError("the coefficients are not minimum phase, B(z) has a zero with |z| <= 1: their inverse is no "
                         "decaying encoder, and the mean of |B|^-2 is not its squared sensitivity")  # fmt: skip
    grid, coarser, mean = 8 * len(coefficients), 0.0, _mean_inverse_power(coefficients, 8 * len(coefficients))
    while abs(mean - coarser) > CONVERGED * mean and grid <= FINEST:
        grid *= 4
        coarser, mean = mean, _mean_inverse_power(coefficients, grid)
    return mean


def _mean_inverse_power(coefficients: Array, grid: int) -> float:
    power = np.abs(np.fft.rfft(coefficients, grid)) ** 2
    return float(np.fft.irfft(1.0 / power, grid)[0])
