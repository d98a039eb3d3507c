"""Noisy sums over records that are exact on a machine: integers on a grid, with discrete Gaussian noise.

A record's vector is rounded towards zero to integers times a public spacing, a power of two; what is not finite, and
what is longer than its bound in integers, is 0. So what one record adds has the norm that the account says, however the
vector was computed, if it was computed from this record, its position, and public or released numbers alone. Integers
are added without rounding, noise is of integers (`noise.discrete_gaussian`), and the outcome is turned into floats
afterwards, which costs nothing. The spacing follows from the number of records, the bound and the noise, so that
rounding moves no number by more than a hundredth of its noise's sd.

Second moments are made of rounded vectors, because the bound on how far one record moves `sum xx'` needs an outer
product of a vector within the bound, which a rounded outer product is not.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent import exact_grid as grid

Array = NDArray[np.float64]

# What the account leaves out even so.
LEFT_OUT = (
    "how long a run takes, what stays in memory, that records could be read, or why not, and public constants "
    "(settings, columns' names, the number of records)"
)


def noisy_sum(rows: Array, bound: float, noise_sd: Fraction) -> Array:
    """The sum of the rows, each of a norm up to the bound, with noise on every number.

    A replaced row moves it by 2 bound at most.

    Args:
        rows: one a record, shape (n, p); one that is longer than the bound, or not finite, counts as 0.
        bound: largest norm of a row, positive.
        noise_sd: sd of the noise on a number.

    Returns:
        The noisy sum, shape (p,).

    Raises:
        ValueError: if bound or noise are not positive and finite, or so much below each other that 64 bits do not do.
    """
    exponent = grid.exponent_of(grid.positive(noise_sd=noise_sd) / max(grid.MOVED * len(rows), grid.FINE))
    units = grid.units_of(rows, bound, exponent)
    sd = grid.whole_sd(noise_sd, exponent)
    return grid.with_noise(units.sum(axis=0).tolist(), [sd] * units.shape[1], exponent)


def noisy_moment(rows: Array, bound: float, noise_sd: Fraction) -> Array:
    """The sum of xx' over rows x of norms up to the bound, with symmetric noise, less by sqrt(2) off the diagonal.

    A replaced row moves it by `sqrt(2) bound^2` at most in Frobenius norm (`bound^2` with one column): both triangles
    of the difference count there, and an entry's noise off the diagonal has half the variance.

    Args:
        rows, bound: as in `noisy_sum`.
        noise_sd: sd of the noise on the diagonal.

    Returns:
        The noisy sum, symmetric, shape (p, p).
    """
    p = rows.shape[1]
    exponent, sd = grid.of_products(rows, bound, noise_sd, 1)
    units = grid.units_of(rows, bound, exponent)
    total = np.zeros((p, p), dtype=object)
    for block in grid.blocks(units, bound, exponent):
        for j in range(p):
            # Column by column, because products of matrices of integers are slow.
            total[j, : j + 1] += (block[:, : j + 1] * block[:, j, None]).sum(axis=0).astype(object)
    below = np.tril_indices(p)
    # At least sd / sqrt(2).
    beside = math.isqrt(sd * sd // 2) + 1
    sds = [sd if i == j else beside for i, j in zip(*below, strict=True)]
    found = np.zeros((p, p))
    found[below] = grid.with_noise(total[below].tolist(), sds, 2 * exponent)
    return np.tril(found) + np.tril(found, -1).T


def noisy_squares(rows: Array, bound: float, noise_sd: Fraction) -> float:
    """The sum of |x|^2 over rows x, each of a norm up to the bound; a replaced one moves it by `bound^2` at most.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
    """
    # |x|_1 is at most sqrt(p) |x|.
    exponent, sd = grid.of_products(rows, bound, noise_sd, math.isqrt(rows.shape[1]) + 1)
    units = grid.units_of(rows, bound, exponent)
    total = sum(int((block * block).sum()) for block in grid.blocks(units, bound, exponent))
    return float(grid.with_noise([total], [sd], 2 * exponent)[0])


def noisy_counts(counts: Array, noise_sd: Fraction) -> Array:
    """Counts, whole numbers, with noise on each, of their shape."""
    exponent = min(0, grid.exponent_of(grid.positive(noise_sd=noise_sd) / grid.FINE))
    units = [int(each) << -exponent for each in counts.ravel().tolist()]
    return grid.with_noise(units, [grid.whole_sd(noise_sd, exponent)] * len(units), exponent).reshape(counts.shape)


def product(rows: Array, matrix: Array) -> Array:
    """`rows @ matrix` whose rows depend on no other row: sums and products of single numbers, rounded each by itself.

    Libraries for matrices promise no such thing.

    Args:
        rows: shape (n, k).
        matrix: shape (k, p), or a vector of shape (k,).
    """
    found = np.zeros((len(rows), *matrix.shape[1:]))
    for k, weights in enumerate(matrix):
        found += np.multiply.outer(rows[:, k], weights)
    return found
