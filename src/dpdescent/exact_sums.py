"""Noisy sums over records that a machine computes exactly: integers on a grid, with discrete Gaussian noise.

A record's vector is rounded towards zero to integers times a public spacing, a power of two. A vector that is not
finite, or whose integers are longer than the bound, becomes 0. So the contribution of a record has the norm that the
account says, however the vector was computed, if it was computed only from this record, its position, and public or
released numbers. Integers are added without rounding, the noise is of integers (`noise.discrete_gaussian`), and the
result is converted to floats afterwards, which costs nothing. The spacing follows from the number of records, the bound
and the noise, so that rounding moves no number by more than a hundredth of the sd of its noise.

Second moments are sums of outer products of rounded vectors. The bound on the move of `sum xx'` by one record needs an
outer product of a vector within the bound, and rounding an outer product would destroy that form.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent import exact_grid as grid

Array = NDArray[np.float64]

# Facts that even this account leaves out.
LEFT_OUT = (
    "how long a run takes, what stays in memory, that records could be read, or why not, and public constants "
    "(settings, columns' names, the number of records)"
)


def noisy_sum(rows: Array, bound: float, noise_sd: Fraction) -> Array:
    """The sum of rows with norms up to the bound, with noise on every number.

    A replaced row moves the sum by 2 bound at most.

    Args:
        rows: one row per record, shape (n, p); a row that is longer than the bound, or not finite, counts as 0.
        bound: largest norm of a row, positive.
        noise_sd: sd of the noise on each number.

    Returns:
        The noisy sum, shape (p,).

    Raises:
        ValueError: if bound or noise are not positive and finite, or their ratio is so extreme that 64 bits do not
            suffice.
    """
    exponent = grid.exponent_of(grid.positive(noise_sd=noise_sd) / max(grid.MOVED * len(rows), grid.FINE))
    units = grid.units_of(rows, bound, exponent)
    sd = grid.whole_sd(noise_sd, exponent)
    return grid.with_noise(units.sum(axis=0).tolist(), [sd] * units.shape[1], exponent)


def noisy_moment(rows: Array, bound: float, noise_sd: Fraction) -> Array:
    """The sum of xx' over rows x with norms up to the bound, with symmetric noise, smaller off the diagonal.

    A replaced row moves it by `sqrt(2) bound^2` at most in Frobenius norm (`bound^2` with one column). Both triangles
    of the difference count in that norm, and the noise off the diagonal has half the variance.

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
    # The sd off the diagonal, at least sd / sqrt(2).
    off_diagonal = math.isqrt(sd * sd // 2) + 1
    sds = [sd if i == j else off_diagonal for i, j in zip(*below, strict=True)]
    moment = np.zeros((p, p))
    moment[below] = grid.with_noise(total[below].tolist(), sds, 2 * exponent)
    return np.tril(moment) + np.tril(moment, -1).T


def noisy_squares(rows: Array, bound: float, noise_sd: Fraction) -> float:
    """The sum of |x|^2 over rows x with norms up to the bound; a replaced row moves it by `bound^2` at most.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
    """
    # |x|_1 is at most sqrt(p) |x|.
    exponent, sd = grid.of_products(rows, bound, noise_sd, math.isqrt(rows.shape[1]) + 1)
    units = grid.units_of(rows, bound, exponent)
    total = sum(int((block * block).sum()) for block in grid.blocks(units, bound, exponent))
    return float(grid.with_noise([total], [sd], 2 * exponent)[0])


def noisy_counts(counts: Array, noise_sd: Fraction) -> Array:
    """Whole counts with noise on each, in the shape of the counts."""
    exponent = min(0, grid.exponent_of(grid.positive(noise_sd=noise_sd) / grid.FINE))
    units = [int(count) << -exponent for count in counts.ravel().tolist()]
    return grid.with_noise(units, [grid.whole_sd(noise_sd, exponent)] * len(units), exponent).reshape(counts.shape)


def product(rows: Array, matrix: Array) -> Array:
    """The product `rows @ matrix`, each row of which depends on no other row.

    Sums and products of single numbers are rounded one by one; libraries for matrices promise no such independence.

    Args:
        rows: shape (n, k).
        matrix: shape (k, p), or a vector of shape (k,).
    """
    total = np.zeros((len(rows), *matrix.shape[1:]))
    for k, weights in enumerate(matrix):
        total += np.multiply.outer(rows[:, k], weights)
    return total
