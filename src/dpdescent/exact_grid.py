"""The grid of exact releases: records' vectors as integers times a public power of two, and noise on integers.

`exact_sums` and `exact_values` say which values are released on it. The spacing follows from the number of records, the
bound and the noise alone, so that it reveals nothing else.

Sizes: with Q the square of the bound in units, entries are at most sqrt(Q). p Q < 2^62 and n < 2^31 are required, so
that squared norms and sums of entries fit 64 bits; products, at most Q each, are added in blocks that fit.

The noise is larger than asked for, by the factor 1 + `SPARE` and by up to one unit of the grid, which is at most 1 /
`FINE` of its sd. This covers the rounding of sensitivities, noise and budgets in an account.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent.noise import discrete_gaussian

Array = NDArray[np.float64]
Units = NDArray[np.int64]

# Rounding of all records together may move a sum by the sd of the noise divided by this.
MOVED = 128
# Smallest number of units in the sd of the noise.
FINE = 1 << 20
# Relative amount by which vectors are shortened, because a vector that floats clip to the bound may be longer by some
# last bits, and by which the noise is enlarged.
SPARE = 2.0**-40
# Limit on sums that 64 bits can hold with certainty.
ROOM = 1 << 62
MOST_RECORDS = 1 << 31


def positive(**values: float | Fraction) -> Fraction:
    """A positive number as a fraction, which represents a float exactly."""
    ((name, value),) = values.items()
    if not 0 < value < math.inf:
        raise ValueError(f"{name}={float(value)} must be positive and finite")
    return Fraction(value)


def exponent_of(most: Fraction) -> int:
    """Exponent of the largest power of two that is at most a positive number."""
    exponent = most.numerator.bit_length() - most.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= most else exponent - 1


def of_products(rows: Array, bound: float, noise_sd: Fraction, added: int) -> tuple[int, int]:
    """Exponent of the spacing of rows whose products are added, and the sd of the noise in squared units.

    If rounding moves the entries of an x with norm up to B by less than the spacing h, then `x_i x_j` moves by less
    than `h (|x_i| + |x_j|)`: by sqrt(2) B h off the diagonal, where the noise is smaller by the factor sqrt(2), and by
    2 B h on the diagonal. |x|^2 moves by less than `2 h |x|_1`.

    Args:
        rows, bound, noise_sd: as in `noisy_sum`.
        added: largest ratio of |x|_1 to |x| where squares are added, otherwise 1.
    """
    most = positive(noise_sd=noise_sd) / (2 * MOVED * len(rows) * added * positive(bound=bound))
    exponent = min(exponent_of(most), exponent_of(Fraction(noise_sd) / FINE) // 2)
    return exponent, whole_sd(noise_sd, 2 * exponent)


def whole_sd(noise_sd: Fraction, exponent: int) -> int:
    """The sd of the noise in units of a power of two, rounded up."""
    return math.ceil(Fraction(noise_sd) * Fraction(1.0 + SPARE) / Fraction(2) ** exponent)


def largest_square(bound: float, exponent: int) -> int:
    """Largest square of a norm up to the bound, in squared units."""
    return math.floor((positive(bound=bound) / Fraction(2) ** exponent) ** 2)


def units_of(rows: Array, bound: float, exponent: int) -> Units:
    """The rows in units of a power of two, each row within the bound, shape (n, p)."""
    n, p = rows.shape
    largest = largest_square(bound, exponent)
    if n >= MOST_RECORDS or p * largest >= ROOM:
        raise ValueError(
            f"n={n} records with such a budget are too many for exact sums in 64 bits, because noise is little beside "
            "what rounding takes off; take a smaller budget"
        )
    # A row that overflows is longer than any bound; entries that are not finite become 0 before they become integers.
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.trunc(np.ldexp(rows * (1.0 - SPARE), -exponent))
        fits = np.all(np.abs(scaled) <= math.isqrt(largest), axis=1)
    units = np.where(fits[:, None], scaled, 0.0).astype(np.int64)
    units[(units * units).sum(axis=1) > largest] = 0
    return units


def blocks(units: Units, bound: float, exponent: int) -> Iterator[Units]:
    """Yields the rows in blocks over which sums of products fit 64 bits."""
    length = ROOM // max(largest_square(bound, exponent), 1)
    for start in range(0, len(units), length):
        yield units[start : start + length]


def with_noise(totals: Sequence[int], sds: Sequence[int], exponent: int) -> Array:
    """The totals plus noise, converted from units of a power of two to floats."""
    noise = discrete_gaussian.draw(sds)
    return np.array([math.ldexp(total + draw, exponent) for total, draw in zip(totals, noise, strict=True)])
