"""Noise of private regression with sums that a machine computes exactly, for real releases.

It draws no continuous noise and takes no generator: bits come from the operating system (`noise.discrete_gaussian`).
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent import exact_sums
from dpdescent.algorithms.dp_regression import Noise

Array = NDArray[np.float64]


class ExactNoise(Noise):
    """Source of the noise whose `counts`, `mean`, `moment` and `mean_square` are the only releases of a run."""

    def __init__(self) -> None:
        # No generator, so that a release other than these sums fails and reveals nothing.
        pass

    def counts(self, counted: Array, noise_sd: float) -> Array:
        return exact_sums.noisy_counts(counted, Fraction(noise_sd))

    def mean(self, rows: Array, weights: Array, bound: float, noise_sd: float) -> Array:
        vectors = rows * weights[:, None]
        return exact_sums.noisy_sum(vectors, bound, len(rows) * Fraction(noise_sd)) / len(rows)

    def moment(self, rows: Array, bound: float, noise_sd: float) -> Array:
        return exact_sums.noisy_moment(rows, bound, len(rows) * Fraction(noise_sd)) / len(rows)

    def mean_square(self, rows: Array, bound: float, noise_sd: float) -> float:
        return exact_sums.noisy_squares(rows, bound, len(rows) * Fraction(noise_sd)) / len(rows)

    def product(self, rows: Array, matrix: Array) -> Array:
        return exact_sums.product(rows, matrix)
