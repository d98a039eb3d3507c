"""Powers of logarithms in the orders of choquettechoo2023, from closed forms far beyond what a table can hold.

Over a few decades a logarithm is nearly a constant, so that a spread within a factor tells one power from the next only
where its argument moves over tens of decades.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_positive
from dpdescent.papers.choquettechoo2023.theory import mean_estimation
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array, diagonal, integrals


def optimum_exponent(large: float, small: float) -> float:
    """The power of log(1/eta) in the least F_inf over eta^2 (Theorem 2.1), between two learning rates, by closed form.

    It is that of the ratio to DP-SGD over eta, because DP-SGD's error is eta/(2 - eta) times a constant.
    """
    values = [mean_estimation.ratio(eta) / (eta * (2.0 - eta)) for eta in (large, small)]
    return math.log(values[1] / values[0]) / math.log(math.log(small) / math.log(large))


@dataclass(frozen=True, eq=False)
class Levels:
    """A spectrum of few distinct eigenvalues, however large its dimension.

    Attributes:
        lam: the distinct eigenvalues, shape (levels,).
        copies: how often each occurs, shape (levels,).
    """

    lam: Array
    copies: Array

    @property
    def d(self) -> float:
        return float(self.copies.sum())

    @property
    def trace(self) -> float:
        return float(self.lam @ self.copies)


def one_large(d: float) -> Levels:
    """The spectrum (1, 1/d, ..., 1/d) of choquettechoo2023 Sec. 2.2."""
    require_positive(d=d)
    return Levels(np.array([1.0, 1.0 / d]), np.array([1.0, d - 1.0]))


def dyadic(levels: int) -> Levels:
    """A decay like k^-2 in few distinct values: 4^-j, 2^j times, for j below the number of levels; d_eff is below 2."""
    require_positive(levels=levels)
    j = np.arange(levels, dtype=np.float64)
    return Levels(4.0**-j, 2.0**j)


def gain(spectrum: Levels, eta_times_trace: float) -> float:
    """F_inf of Noisy-SGD over that of nu-Noisy-FTRL with nu = eta mu, without label noise, exact.

    The factor 1/(1 - A) by which the inputs' randomness feeds the error back is the same for both.
    """
    require_positive(eta_times_trace=eta_times_trace)
    eta = eta_times_trace / spectrum.trace
    rates, nu = eta * spectrum.lam, eta * float(spectrum.lam.min())
    weights = rates * (2.0 - rates) * integrals(nu, rates) / (2.0 * math.pi)
    shares = spectrum.copies / (1.0 - rates)
    return float(shares.sum() / (diagonal(nu) / (2.0 * math.pi) * (shares @ weights)))


def gain_exponent(small: Levels, large: Levels, eta_times_trace: float) -> float:
    """The power p of log d if the gain is of the order d / log^p d, between two sizes of a spectrum."""
    lost = [each.d / gain(each, eta_times_trace) for each in (small, large)]
    return math.log(lost[1] / lost[0]) / math.log(math.log(large.d) / math.log(small.d))
