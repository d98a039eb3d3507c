"""Toeplitz strategies from the power |B|^2 of their decoder per frequency, and a test for a causal inverse.

A power determines the law of the noise, but not the decoder. Only one decoder with that power, the minimum-phase one,
has an encoder with square-summable coefficients; its squared sensitivity is the mean of `1/|B|^2`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from dpdescent.noise.strategies.toeplitz import Toeplitz

Array = NDArray[np.float64]

# Default number of frequencies on the whole circle, and largest number in a test.
GRID, FINEST = 2**17, 2**22

# Largest accepted cepstrum at the longest lags of the grid, relative to the largest one, because later lags alias into
# the grid.
FOLDED = 1e-7


@dataclass(frozen=True, eq=False)
class MinimumPhase(Toeplitz):
    """Strategy with coefficients of decoder and encoder that are known up to half the grid of their computation.

    Attributes:
        beta: decoder coefficients.
        c: encoder coefficients.
        limit: gamma_inf^2, the limit of the squared sensitivity.
    """

    beta: Array
    c: Array
    limit: float

    def coefficients(self, T: int) -> Array:
        return self._first(self.beta, T)

    def encoder_coefficients(self, T: int) -> Array:
        return self._first(self.c, T)

    def sensitivity_squared_limit(self) -> float:
        return self.limit

    def _first(self, known: Array, T: int) -> Array:
        """The first T coefficients, after a check that there are so many."""
        if len(known) < T:
            raise ValueError(f"T={T} must not exceed {len(known)}, half the grid that {self.name} was computed on")
        return known[:T]


def frequencies(grid: int = GRID) -> Array:
    """Frequencies from 0 to pi at which a power must be given, shape (grid/2 + 1,). The grid must be even."""
    if grid < 2 or grid % 2:
        raise ValueError(f"grid={grid} must be an even number")
    return np.pi * np.arange(grid // 2 + 1) / (grid // 2)


def from_power(name: str, power: Array) -> MinimumPhase:
    """Computes the strategy whose decoder has `|B(w)|^2 = power` at `frequencies(grid)`, by cepstral factorisation.

    The scale is that of the power: beta_0^2 is the geometric mean of the power.

    Raises:
        ValueError: if the power is not positive and finite, does not lie on such a grid, or varies so fast that the
            grid does not resolve it.
    """
    if power.ndim != 1 or len(power) < 3 or len(power) % 2 == 0:
        raise ValueError(f"power of shape {power.shape} must be given at `frequencies(grid)`, grid a multiple of 4")
    if not (np.isfinite(power).all() and power.min() > 0.0):
        raise ValueError(f"power has values from {power.min():.3g} to {power.max():.3g}: they must be positive, finite")
    half = len(power) - 1
    cepstrum = np.fft.irfft(0.5 * np.log(power))
    left = np.abs(cepstrum[half - half // 8 : half]).max()
    if left > FOLDED * np.abs(cepstrum).max():
        raise ValueError(f"{name}: log|B| at lags about {half} is still {left:.1e}: grid={2 * half} must be finer")
    # The causal part doubles the positive lags, because it replaces positive and negative ones.
    cepstrum[1:half] *= 2.0
    cepstrum[half + 1 :] = 0.0
    exponent = np.fft.rfft(cepstrum)
    beta, c = (np.fft.irfft(np.exp(sign * exponent))[:half] for sign in (1.0, -1.0))
    # irfft at lag 0 is the mean over the whole circle, which contains the two ends once and all other frequencies
    # twice.
    limit = float(np.fft.irfft(1.0 / power)[0])
    return MinimumPhase(name, beta, c, limit)


def is_minimum_phase(coefficients: Array) -> bool:
    """Whether `B(z) = sum_t beta_t z^t` has no zero with |z| <= 1, so that the encoder's coefficients decay.

    Zeros are counted by the winding number of B around 0. The grid is refined until it provably misses no turn;
    coefficients with zeros too close to the circle for the finest grid count as having a zero on it.
    """
    steepest = float(np.abs(coefficients) @ np.arange(len(coefficients)))
    grid = 2 * int(next_fast_len(max(128, 4 * len(coefficients))))
    while grid <= max(FINEST, 8 * len(coefficients)):
        B = np.fft.rfft(coefficients, grid)
        # No turn is missed, because between two frequencies B moves by less than its smallest modulus, and so by less
        # than half a turn.
        if np.abs(B).min() > steepest * 2.0 * np.pi / grid:
            return round(float(np.angle(B[1:] / B[:-1]).sum() / np.pi)) == 0
        grid *= 2
    return False
