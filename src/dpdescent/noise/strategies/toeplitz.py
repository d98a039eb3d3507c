"""Strategies with the same coefficients at every step: independent noise, nu-DP-FTRL, Optimal CC, anti-PGD.

Encoder and decoder are lower-triangular Toeplitz matrices, given by their first columns c and beta. The four families
are the powers 0, 1/2 and 1 of the damped difference `1 - (1 - nu) z`: beta are the coefficients of its power series,
and c are those of the inverse. Only `encoder` and `decoder` form dense matrices.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import toeplitz
from scipy.special import ellipkm1

from dpdescent.checks import require_real
from dpdescent.gate import plain_number
from dpdescent.noise import streams
from dpdescent.noise.strategies.base import Draw, Strategy

Array = NDArray[np.float64]

# Encoder coefficients that are negative, but smaller than this part of the largest one, are zero up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Toeplitz(Strategy):
    """A strategy given by its coefficients. Methods except `encoder` and `decoder` take O(T) or O(T log T) time."""

    name: str
    anytime = True

    @abstractmethod
    def coefficients(self, T: int) -> Array:
        """Coefficients beta_0 to beta_(T-1), the first column of the decoder, shape (T,)."""

    @abstractmethod
    def encoder_coefficients(self, T: int) -> Array:
        """Coefficients c_0 to c_(T-1), the first column of the encoder, shape (T,)."""

    @abstractmethod
    def sensitivity_squared_limit(self) -> float:
        """Limit gamma_inf^2 of the squared sensitivity for one participation as T grows; infinite if it diverges."""

    def noises(self, T: int) -> int:
        return T

    def encoder(self, T: int) -> Array:
        return _lower(self.encoder_coefficients(T))

    def decoder(self, T: int) -> Array:
        return _lower(self.coefficients(T))

    def participation_norms_squared(self, T: int, separation: int) -> Array:
        """Squared norms of sums of columns `separation` apart, per offset, shape (separation,).

        Offset o shifts the sum of columns down by o, so that offset 0 has the largest norm.
        """
        c = self.encoder_coefficients(T)
        if separation < T and c.min() < -ROUNDING * np.abs(c).max():
            raise ValueError(f"{self.name} has the encoder coefficient {c.min():.3g}: for repeated participations none "
                             "may be negative, or signs could add up to more than the sum of the columns")  # fmt: skip
        rounds = -(-T // separation)
        summed = np.zeros((rounds, separation))
        summed.flat[:T] = np.abs(c) if separation < T else c
        norms = np.cumsum(summed.cumsum(axis=0).ravel()[:T] ** 2)[::-1]
        return np.pad(norms[:separation], (0, max(0, separation - T)))

    def prefix_errors_squared(self, T: int) -> Array:
        """Variances of the noise in prefix sums, shape (T,); A B is Toeplitz with the coefficients `cumsum(beta)`."""
        return np.cumsum(np.cumsum(self.coefficients(T)) ** 2)

    def correlate(self, normals: Array) -> Array:
        return streams.correlate(self.coefficients(len(normals)), normals)

    def blocks(self, T: int, draw: Draw, rows: int) -> Iterator[Array]:
        """Yields the noise in blocks; few coefficients need a few rows of earlier normals, many need all of them."""
        beta = np.trim_zeros(self.coefficients(T), "b")
        if len(beta) > streams.FEW:
            normals = draw(T)
            noise = streams.correlate(beta, normals, out=normals)
            yield from (noise[start : start + rows] for start in range(0, T, rows))
            return
        past = draw(0)
        for start in range(0, T, rows):
            known = np.concatenate([past, draw(min(rows, T - start))])
            yield streams.correlate(beta, known)[len(past) :]
            past = known[len(known) - min(len(known), len(beta) - 1) :]


@dataclass(frozen=True)
class DampedDifference(Toeplitz):
    """Strategy with the decoder `(1 - (1 - nu) z)^power`; made by the constructors of this module.

    Attributes:
        power: 0, 1/2 or 1.
        nu: damping, from 0 to 1; at 1 the noise is independent.
    """

    power: float
    nu: float

    def __post_init__(self) -> None:
        require_real(power=self.power, nu=self.nu)
        # As a Python number, because the coefficients of a narrow numpy number would have its few digits.
        object.__setattr__(self, "nu", plain_number(self.nu))
        if self.power not in (0.0, 0.5, 1.0):
            raise ValueError(f"power={self.power} must be 0, 1/2 or 1")
        if not 0.0 <= self.nu <= 1.0:
            raise ValueError(f"nu={self.nu} must lie between 0 and 1")

    def coefficients(self, T: int) -> Array:
        """Coefficients beta, `beta_t = beta_(t-1) (1 - nu) (t - 3/2)/t` for power 1/2 (choquettechoo2023 eq. 7)."""
        return _power_series(self.power, self.nu, T)

    def encoder_coefficients(self, T: int) -> Array:
        """Coefficients c, `c_t = c_(t-1) (1 - nu) (t - 1/2)/t` for power 1/2, from their own power series."""
        return _power_series(-self.power, self.nu, T)

    def sensitivity_squared_limit(self) -> float:
        """Limit gamma_inf^2: `(2/pi) K` at modulus 1 - nu for power 1/2, `1/(nu (2 - nu))` for power 1.

        K is the complete elliptic integral. By Landen's transformation the former is `(1/2pi) (4/(2 - nu)) K` at
        modulus sqrt(1 - nu)/(1 - nu/2), the form of choquettechoo2023 eq. (49).
        """
        if self.power == 0.0:
            return 1.0
        if self.nu == 0.0:
            return math.inf
        kept_out = self.nu * (2.0 - self.nu)
        return 2.0 / math.pi * float(ellipkm1(kept_out)) if self.power == 0.5 else 1.0 / kept_out


def identity() -> DampedDifference:
    """Returns the strategy of independent noise: DP-SGD, Noisy-SGD."""
    return DampedDifference("DP-SGD", 0.0, 0.0)


def nu_family(nu: float) -> DampedDifference:
    """Returns nu-DP-FTRL (choquettechoo2023 eq. 7), 0 <= nu <= 1."""
    return DampedDifference("nu-DP-FTRL", 0.5, nu)


def optimal_cc() -> DampedDifference:
    """Returns optimal continual counting of Fichtenberger et al., which is nu-DP-FTRL with nu = 0."""
    return DampedDifference("Optimal CC", 0.5, 0.0)


def anti_pgd() -> DampedDifference:
    """Returns anti-PGD of Orvieto et al.: each step subtracts the noise of the step before."""
    return DampedDifference("anti-PGD", 1.0, 0.0)


def damped_anti_pgd(nu: float) -> DampedDifference:
    """Returns anti-PGD that subtracts 1 - nu of the noise (choquettechoo2023 App. C.4), 0 <= nu <= 1."""
    return DampedDifference("damped anti-PGD", 1.0, nu)


def _power_series(power: float, nu: float, T: int) -> Array:
    """Coefficients of `(1 - (1 - nu) z)^power`, shape (T,)."""
    t = np.arange(1, T)
    return np.concatenate([[1.0], np.cumprod((1.0 - nu) * (t - 1.0 - power) / t)])


def _lower(column: Array) -> Array:
    """The lower-triangular Toeplitz matrix with this first column."""
    matrix: Array = toeplitz(column, np.zeros(len(column)))
    return matrix
