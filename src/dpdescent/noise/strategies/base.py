"""Base class of all strategies of correlated noise: encoder, decoder, sensitivity, error, noise.

DP-FTRL adds `B w` to the gradients of T steps, where w are independent standard normals times the noise multiplier
(choquettechoo2023 Alg. 1). B is the decoder. The mechanism releases `C g + w`, where C, with B C = I, is the encoder.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_positive, require_whole

Array = NDArray[np.float64]
Draw = Callable[[int], Array]

# Matrix products take this many columns at a time, and the last block is padded, because the rounding of BLAS depends
# on the number of columns.
WIDTH = 128


class Strategy(ABC):
    """An immutable pair of encoder and decoder for every number of steps T.

    Attributes:
        name: name of the strategy, as in the papers' legends.
        anytime: whether the noise of a step depends neither on T nor on the noise of later steps.
    """

    name: str
    anytime: bool

    @abstractmethod
    def noises(self, T: int) -> int:
        """Number m of normals that T steps need, equal to the number of rows of the encoder."""

    @abstractmethod
    def encoder(self, T: int) -> Array:
        """Dense encoder C, shape (m, T)."""

    @abstractmethod
    def decoder(self, T: int) -> Array:
        """Dense decoder B, shape (T, m); row t gives the noise that is added to gradient t."""

    @abstractmethod
    def participation_norms_squared(self, T: int, separation: int) -> Array:
        """Squared norms `||sum_i C[:, o + i b]||^2` over columns o + i b < T, for all offsets o < b = `separation`.

        The shape is (separation,).

        Raises:
            ValueError: if a record can take part twice and C'C has negative entries (see `sensitivity_squared`).
        """

    def sensitivity_squared(self, T: int, participations: int = 1) -> float:
        """Squared sensitivity to a record with k participations, b = T/k steps apart, each of norm at most 1.

        It is the largest `||sum_i C[:, o + i b]||^2` over offsets o; for k = 1 this is gamma_T^2, the largest squared
        column norm (choquettechoo2023 Thm 1.1).

        Raises:
            ValueError: if k does not divide T, or if C'C has negative entries and k > 1, because contributions in
                different directions could then move the release further than the formula allows.
        """
        apart = separation(T, participations)
        return float(self.participation_norms_squared(int(T), apart).max())

    def prefix_errors_squared(self, T: int) -> Array:
        """Variance of the noise in the sum of the first t gradients, t = 1 to T, at noise multiplier 1; shape (T,)."""
        prefixes = np.cumsum(self.decoder(T), axis=0)
        errors: Array = np.einsum("tm,tm->t", prefixes, prefixes)
        return errors

    def prefix_error_squared(self, T: int) -> float:
        """Sum phi = `||A B||_F^2` of the prefix errors; A is lower-triangular with ones (choquettechoo2023 eq. 3)."""
        return float(self.prefix_errors_squared(T).sum())

    def normalised_rmse(self, T: int, participations: int = 1) -> float:
        """Root mean squared error of the T prefix sums under 1/2-zCDP, which is sensitivity times sqrt(phi/T)."""
        return float(np.sqrt(self.sensitivity_squared(T, participations) * self.prefix_error_squared(T) / T))

    def correlate(self, normals: Array) -> Array:
        """Computes B @ normals, shape (T, ...), for normals of shape (m, ...), each column independently of the others.

        Raises:
            ValueError: if no number of steps needs this number of normals.
        """
        B = self.decoder(self.steps(len(normals)))
        columns = normals.reshape(len(normals), -1)
        noise = np.empty((len(B), columns.shape[1]))
        block = np.zeros((len(normals), WIDTH))
        for start in range(0, columns.shape[1], WIDTH):
            piece = columns[:, start : start + WIDTH]
            block[:, : piece.shape[1]] = piece
            noise[:, start : start + WIDTH] = (B @ block)[:, : piece.shape[1]]
        return noise.reshape(-1, *normals.shape[1:])

    def blocks(self, T: int, draw: Draw, rows: int) -> Iterator[Array]:
        """Yields the noise of T steps in order, in blocks of at most `rows` steps; normals are drawn when needed.

        Args:
            T: number of steps.
            draw: function from a number of rows to the next rows of normals, in the order of the encoder's rows.
            rows: largest number of steps in a block.
        """
        noise = self.correlate(draw(self.noises(T)))
        for start in range(0, T, rows):
            yield noise[start : start + rows]

    def fewest_steps(self) -> int:
        """Smallest number of steps T for which the strategy exists."""
        return 1

    def steps(self, noises: int) -> int:
        """Number of steps T with `noises(T)` equal to the given number.

        Raises:
            ValueError: if there is no such T.
        """
        T = bisect_left(range(noises + 1), noises, lo=self.fewest_steps(), key=self.noises)
        if noises < T or self.noises(T) != noises:
            raise ValueError(f"{noises} normals fit no number of steps of {self.name}: noises(T) says how many do")
        return T


def separation(T: int, participations: int) -> int:
    """Number b = T/k of steps between two participations of a record.

    Raises:
        ValueError: unless k divides T.
    """
    require_whole(T=T, participations=participations)
    require_positive(T=T, participations=participations)
    if int(T) % int(participations):
        raise ValueError(f"participations={participations} must divide T={T}: records return every T/k steps")
    return int(T) // int(participations)
