"""Generation of correlated noise: Toeplitz sums of normals by real FFT, and noise that is made during a descent.

The values do not depend, to the last bit, on the number of columns that are made together, or on the blocks.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from dpdescent.checks import require_finite_values, require_positive, require_whole
from dpdescent.gate import generator
from dpdescent.noise.strategies.base import Strategy

Array = NDArray[np.float64]

# Largest number of coefficients for which sums of shifted rows are faster than transforms.
FEW = 4

# Number of values per block of columns in a transform, so that the block fits the second-level cache (measured). A
# block has at least 8 columns, because fewer would not fill a cache line.
CACHED, NARROWEST = 2**17, 8


def correlate(coefficients: Array, normals: Array, out: Array | None = None) -> Array:
    """Computes `sum_s coefficients[s] normals[t - s]` for every t, a lower-triangular Toeplitz matrix times normals.

    Beside normals and noise it takes the memory of a block of columns: two megabytes, or 32 T numbers if that is more.
    By measurement, blocks in time as well are no faster at any length.

    Args:
        coefficients: beta, padded with zeros to length T; coefficients after the T-th are not used.
        normals: standard normals, shape (T, ...).
        out: contiguous array for the noise; the normals themselves are allowed.

    Returns:
        The noise, in the shape of the normals.

    Raises:
        ValueError: if `out` is not contiguous, or a coefficient is not finite.
    """
    if out is not None and not out.flags.c_contiguous:
        raise ValueError("out must be contiguous in memory: noise would be written into a copy")
    require_finite_values(coefficients=coefficients[: len(normals)])
    beta = np.trim_zeros(coefficients[: len(normals)], "b")
    out = np.empty(normals.shape) if out is None else out
    if len(beta) <= FEW:
        out[...] = _by_shifts(beta, normals)
    else:
        _by_transforms(beta, normals.reshape(len(normals), -1), out.reshape(len(normals), -1))
    return out


@dataclass(frozen=True)
class NoiseStream:
    """Blocks of the correlated noise of one descent, made when they are needed. It can be iterated once.

    The noise equals `strategy.correlate` of the same normals up to rounding, for every block size. The memory is that
    of a block for decoders with few coefficients, that of a block and log2 T rows for online trees, that of the steps
    between two restarts for stamped strategies, and that of all T rows for others.

    Attributes:
        strategy: strategy of the correlation.
        steps: number of steps T.
        columns: number of noise values per step, for instance the dimension.
        rng: generator of the normals, which are drawn row after row of the encoder: `secure_generator()` for a release;
            otherwise a generator, a seed or None.
        block: largest number of steps in a block.

    Raises:
        ValueError: if a number is not a positive integer, or rng is not one of these.
        RuntimeError: in a process that was forked after the first block, because its noise would equal that of its
            parent.
    """

    strategy: Strategy
    steps: int
    columns: int
    rng: np.random.Generator | int | None
    block: int = 64

    def __post_init__(self) -> None:
        require_whole(steps=self.steps, columns=self.columns, block=self.block)
        require_positive(steps=self.steps, columns=self.columns, block=self.block)
        # A single generator for all blocks, also where a seed is given.
        object.__setattr__(self, "rng", generator(self.rng))

    def __iter__(self) -> Iterator[Array]:
        """Yields blocks in the order of time, shape (block or less, columns)."""
        process = os.getpid()
        for block in self.strategy.blocks(self.steps, self._draw, self.block):
            if os.getpid() != process:
                raise RuntimeError("a forked process would go on with its parent's noise: begin its own NoiseStream")
            yield block

    def _draw(self, rows: int) -> Array:
        return generator(self.rng).standard_normal((rows, self.columns))


def _by_shifts(beta: Array, normals: Array) -> Array:
    noise = beta[0] * normals if len(beta) else np.zeros(normals.shape)
    for shift in range(1, len(beta)):
        noise[shift:] += beta[shift] * normals[:-shift]
    return noise


def _by_transforms(beta: Array, normals: Array, out: Array) -> None:
    """Computes the sums by FFT; blocks of columns are stored as rows, because contiguous transforms are fast."""
    T, total = normals.shape
    length = int(next_fast_len(2 * T - 1, real=True))
    width = min(total, max(NARROWEST, CACHED // length))
    response = np.fft.rfft(beta, length)
    padded, spectra = np.empty((width, length)), np.empty((width, length // 2 + 1), dtype=np.complex128)
    for start in range(0, total, width):
        piece = slice(start, min(start + width, total))
        rows, spectrum = padded[: piece.stop - start], spectra[: piece.stop - start]
        rows[:, :T], rows[:, T:] = normals[:, piece].T, 0.0
        np.fft.rfft(rows, axis=1, out=spectrum)
        spectrum *= response
        np.fft.irfft(spectrum, length, axis=1, out=rows)
        out[:, piece] = rows[:, :T].T
