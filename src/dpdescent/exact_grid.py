"""The grid of exact releases: records' vectors as integers times a public power of two, and noise on integers.

`exact_sums` and `exact_values` say what is released of them. The spacing follows from the number of records, the bound
and the noise alone, so that it tells nothing else.

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


def positive(**values: float | Fraction) -> Fraction:
    """A number as a fraction, which is what a float is exactly."""
    ((name, value),) = values.items()
    if not 0 < value < math.inf:
        raise ValueError(f"{name}={float(value)} must be positive and finite")
    return Fraction(value)


def exponent_of(most: Fraction) -> int:
    """Exponent of the largest power of two up to a positive number."""
    found = most.numerator.bit_length() - most.denominator.bit_length()
    return found if Fraction(2) ** found <= most else found - 1


def of_products(rows: Array, bound: float, noise_sd: Fraction, added: int) -> tuple[int, int]:
    """Exponent of the spacing of rows whose products are added, and the sd of the noise in units of its square.

    Where rounding takes less than the spacing h off the numbers of an x of norm up to B, `x_i x_j` moves by less than
    `h (|x_i| + |x_j|)`: by sqrt(2) B h off the diagonal, where noise is less by sqrt(2), and by 2 B h on it; and |x|^2
    by less than `2 h |x|_1`.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
        added: |x|_1 over |x| at most where squares are added, else 1.
    """
    most = positive(noise_sd=noise_sd) / (2 * MOVED * len(rows) * added * positive(bound=bound))
    exponent = min(exponent_of(most), exponent_of(Fraction(noise_sd) / FINE) // 2)
    return exponent, whole_sd(noise_sd, 2 * exponent)


def whole_sd(noise_sd: Fraction, exponent: int) -> int:
    """The noise's sd in units of a power of two, rounded up."""
    return math.ceil(Fraction(noise_sd) * Fraction(1.0 + SPARE) / Fraction(2) ** exponent)


def largest_square(bound: float, exponent: int) -> int:
    """Largest square of a norm up to the bound, in squared units."""
    return math.floor((positive(bound=bound) / Fraction(2) ** exponent) ** 2)


def units_of(rows: Array, bound: float, exponent: int) -> Units:
    """Rows in units of a power of two, each within the bound, shape (n, p)."""
    n, p = rows.shape
    largest = largest_square(bound, exponent)
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


def blocks(units: Units, bound: float, exponent: int) -> Iterator[Units]:
    """Rows in blocks over which sums of products stay within 64 bits."""
    length = ROOM // max(largest_square(bound, exponent), 1)
    for start in range(0, len(units), length):
        yield units[start : start + length]


def with_noise(totals: Sequence[int], sds: Sequence[int], exponent: int) -> Array:
    """Totals with noise, from units of a power of two to floats."""
    noise = discrete_gaussian.draw(sds)
    return np.array([math.ldexp(total + each, exponent) for total, each in zip(totals, noise, strict=True)])
