"""Noisy sums over records that are exact on a machine: integers on a grid, with discrete Gaussian noise.

A record's vector is rounded towards zero to integers times a public spacing, a power of two; what is not finite, and
what is longer than its bound in integers, is 0. So what one record adds has the norm that the account says, however the
vector was computed, if it was computed from this record, its position, and public or released numbers alone. Integers
are added without rounding, noise is of integers (`noise.discrete_gaussian`), and the outcome is turned into floats
afterwards, which costs nothing. The spacing follows from the number of records, the bound and the noise, so that
rounding moves no number by more than a hundredth of its noise's sd.

Second moments are made of rounded vectors, because the bound on how far one record moves `sum xx'` needs an outer
product of a vector within the bound, which a rounded outer product is not.

Sizes: with Q the square of the bound in units, entries are at most sqrt(Q). p Q < 2^62 and n < 2^31 are asked for, so
that squared norms and sums of entries fit 64 bits; products, at most Q each, are added in blocks that fit.

Noise is larger than asked for by `SPARE` and up to a whole unit of the grid, at most a part of 1 / `FINE`, which covers
that sensitivities, noise and budgets of an account are rounded.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent.noise import discrete_gaussian

Array = NDArray[np.float64]
Units = NDArray[np.int64]

# Part of the noise that rounding of all records together may make is one over this.
MOVED = 128
# Least number of units in the sd of the noise.
FINE = 1 << 20
# What is taken off vectors, because one that floats clip to the bound may be longer by some last bits, and what is
# added to the noise.
SPARE = 2.0**-40
# Numbers that 64 bits can add with certainty.
ROOM = 1 << 62
MOST_RECORDS = 1 << 31

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
    exponent = _exponent(_positive(noise_sd=noise_sd) / max(MOVED * len(rows), FINE))
    units = _units(rows, bound, exponent)
    sd = _whole(noise_sd, exponent)
    return _told(units.sum(axis=0).tolist(), [sd] * units.shape[1], exponent)


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
    exponent, sd = _of_products(rows, bound, noise_sd, 1)
    units = _units(rows, bound, exponent)
    total = np.zeros((p, p), dtype=object)
    for block in _blocks(units, bound, exponent):
        for j in range(p):
            # Column by column, because products of matrices of integers are slow.
            total[j, : j + 1] += (block[:, : j + 1] * block[:, j, None]).sum(axis=0).astype(object)
    below = np.tril_indices(p)
    # At least sd / sqrt(2).
    beside = math.isqrt(sd * sd // 2) + 1
    sds = [sd if i == j else beside for i, j in zip(*below, strict=True)]
    found = np.zeros((p, p))
    found[below] = _told(total[below].tolist(), sds, 2 * exponent)
    return np.tril(found) + np.tril(found, -1).T


def noisy_squares(rows: Array, bound: float, noise_sd: Fraction) -> float:
    """The sum of |x|^2 over rows x, each of a norm up to the bound; a replaced one moves it by `bound^2` at most.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
    """
    # |x|_1 is at most sqrt(p) |x|.
    exponent, sd = _of_products(rows, bound, noise_sd, math.isqrt(rows.shape[1]) + 1)
    units = _units(rows, bound, exponent)
    total = sum(int((block * block).sum()) for block in _blocks(units, bound, exponent))
    return float(_told([total], [sd], 2 * exponent)[0])


def noisy_counts(counts: Array, noise_sd: Fraction) -> Array:
    """Counts, whole numbers, with noise on each, of their shape."""
    exponent = min(0, _exponent(_positive(noise_sd=noise_sd) / FINE))
    units = [int(each) << -exponent for each in counts.ravel().tolist()]
    return _told(units, [_whole(noise_sd, exponent)] * len(units), exponent).reshape(counts.shape)


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


def _positive(**values: float | Fraction) -> Fraction:
    """A number as a fraction, which is what a float is exactly."""
    ((name, value),) = values.items()
    if not 0 < value < math.inf:
        raise ValueError(f"{name}={float(value)} must be positive and finite")
    return Fraction(value)


def _exponent(most: Fraction) -> int:
    """Exponent of the largest power of two up to a positive number."""
    found = most.numerator.bit_length() - most.denominator.bit_length()
    return found if Fraction(2) ** found <= most else found - 1


def _of_products(rows: Array, bound: float, noise_sd: Fraction, added: int) -> tuple[int, int]:
    """Exponent of the spacing of rows whose products are added, and the sd of the noise in units of its square.

    Where rounding takes less than the spacing h off the numbers of an x of norm up to B, `x_i x_j` moves by less than
    `h (|x_i| + |x_j|)`: by sqrt(2) B h off the diagonal, where noise is less by sqrt(2), and by 2 B h on it; and |x|^2
    by less than `2 h |x|_1`.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
        added: |x|_1 over |x| at most where squares are added, else 1.
    """
    most = _positive(noise_sd=noise_sd) / (2 * MOVED * len(rows) * added * _positive(bound=bound))
    exponent = min(_exponent(most), _exponent(Fraction(noise_sd) / FINE) // 2)
    return exponent, _whole(noise_sd, 2 * exponent)


def _whole(noise_sd: Fraction, exponent: int) -> int:
    """The noise's sd in units of a power of two, rounded up."""
    return math.ceil(Fraction(noise_sd) * Fraction(1.0 + SPARE) / Fraction(2) ** exponent)


def _largest(bound: float, exponent: int) -> int:
    """Largest square of a norm up to the bound, in squared units."""
    return math.floor((_positive(bound=bound) / Fraction(2) ** exponent) ** 2)


def _units(rows: Array, bound: float, exponent: int) -> Units:
    """Rows in units of a power of two, each within the bound, shape (n, p)."""
    n, p = rows.shape
    largest = _largest(bound, exponent)
    if n >= MOST_RECORDS or p * largest >= ROOM:
        raise ValueError(
            f"n={n} records with such a budget are too many for exact sums in 64 bits, because noise is little beside "
            "what rounding takes off; take a smaller budget"
        )
    # What overflows is longer than any bound; what is not finite is 0 before it becomes an integer.
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.trunc(np.ldexp(rows * (1.0 - SPARE), -exponent))
        fits = np.all(np.abs(scaled) <= math.isqrt(largest), axis=1)
    units = np.where(fits[:, None], scaled, 0.0).astype(np.int64)
    units[(units * units).sum(axis=1) > largest] = 0
    return units


def _blocks(units: Units, bound: float, exponent: int) -> Iterator[Units]:
    """Rows in blocks over which sums of products stay within 64 bits."""
    length = ROOM // max(_largest(bound, exponent), 1)
    for start in range(0, len(units), length):
        yield units[start : start + length]


def _told(totals: Sequence[int], sds: Sequence[int], exponent: int) -> Array:
    """Totals with noise, from units of a power of two to floats."""
    noise = discrete_gaussian.draw(sds)
    return np.array([math.ldexp(total + each, exponent) for total, each in zip(totals, noise, strict=True)])
