"""Balls in bins: every record chooses one of b batches at random, and batches are visited in turn.

The dominating pair is `P = 1/b sum_j N(C y_j, kappa^2 I)` against `Q = N(0, kappa^2 I)`, where y_j is 1 in the steps j,
j + b, ... (Choquette-Choo, Ganesh, Haque, Steinke & Thakurta 2024, for encoders without negative entries, under
zero-out). Privacy losses depend only on the b inner products of noise and C y_j.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_known, require_positive
from dpdescent.privacy.participation.divergence import Direction, Estimate, hockey_stick
from dpdescent.privacy.participation.encoder import encode, require_steps

Array = NDArray[np.float64]

# Number of inner products whose losses are computed together, so that they stay in the processor's cache.
CACHED = 1 << 15


@dataclass(frozen=True, eq=False)
class BinnedPair:
    """Random outputs of the pair, stored as the values on which privacy losses depend.

    Attributes:
        gram: inner products of the vectors C y_j, shape (b, b).
        bins: the record's bin, shape (draws,).
        noise: inner products of standard normal noise with the vectors C y_j, shape (draws, b).
    """

    gram: Array
    bins: NDArray[np.int64]
    noise: Array

    @classmethod
    def draw(cls, T: int, period: int, lam: float, draws: int, rng: np.random.Generator) -> "BinnedPair":
        """Draws outputs of T steps with `period` bins; normals and bins are the same for every lam.

        Noise enters only through its b inner products with the encoded patterns, whose covariance is the Gram matrix of
        the patterns. So b normals per output, and not T, are drawn and multiplied by the root of that matrix.

        Raises:
            ValueError: if an argument is out of its range.
        """
        require_steps(T, 1.0, lam)
        require_positive(period=period, draws=draws)
        patterns = encoded_patterns(T, period, lam)
        bins = rng.integers(period, size=draws)
        gram = patterns @ patterns.T
        return cls(gram, bins, rng.standard_normal((draws, period)) @ _root(gram))

    def losses(self, kappa: float, direction: Direction, above: float = -math.inf) -> Array:
        """Privacy losses log dP/dQ at outputs from P, or log dQ/dP at outputs from Q, shape (draws,).

        All losses are exact, also those that are at most `above`, because no bound would be cheaper.
        """
        require_known(Direction, direction=direction)
        rows = max(1, CACHED // len(self.gram))
        pieces = [slice(start, start + rows) for start in range(0, len(self.bins), rows)]
        return np.concatenate([self._losses(kappa, direction, piece) for piece in pieces])

    def _losses(self, kappa: float, direction: Direction, piece: slice) -> Array:
        products = kappa * self.noise[piece]
        if direction == "P|Q":
            products += self.gram[self.bins[piece]]
            return _log_mean_exp(products, self.gram, kappa)
        return -_log_mean_exp(products, self.gram, kappa)


def _root(gram: Array) -> Array:
    """Symmetric root of a Gram matrix, which may be singular because a pattern is empty."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def encoded_patterns(T: int, period: int, lam: float) -> Array:
    """Encoded patterns C y_j of every bin j, shape (period, T); zero for a bin that T steps do not reach."""
    steps = np.arange(T)
    return encode(steps % period == np.arange(period)[:, None], lam)


def log_ratio(x: Array, kappa: float, period: int, lam: float) -> Array:
    """Log likelihood ratio `log dP/dQ` at outputs x of shape (N, T), shape (N,)."""
    require_positive(kappa=kappa, period=period)
    patterns = encoded_patterns(x.shape[-1], period, lam)
    return _log_mean_exp(x @ patterns.T, patterns @ patterns.T, kappa)


def deltas(
    kappa: float, eps: Sequence[float], T: int, period: int, lam: float, draws: int, rng: np.random.Generator,
    direction: Direction = "P|Q",
) -> list[Estimate]:  # fmt: skip
    """Estimates delta at every eps by Monte Carlo, in one direction; the pair's delta is the larger of both."""
    require_positive(kappa=kappa)
    losses = BinnedPair.draw(T, period, lam, draws, rng).losses(kappa, direction)
    return [hockey_stick(losses, order) for order in eps]


def _log_mean_exp(products: Array, gram: Array, kappa: float) -> Array:
    """Computes `log 1/b sum_j exp((x'C y_j - |C y_j|^2 / 2) / kappa^2)` from inner products x'C y_j, shape (N, b)."""
    exponents = products - 0.5 * np.diagonal(gram)
    exponents /= kappa**2
    largest = exponents.max(axis=1)
    exponents -= largest[:, None]
    return np.asarray(largest + np.log(np.exp(exponents, out=exponents).sum(axis=1)) - math.log(exponents.shape[1]))
