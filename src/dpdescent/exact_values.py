"""Noisy values that are no sums of records; a machine computes them exactly, on the grids of `exact_sums`.

**The smallest eigenvalue** of a second moment A. Floats propose it, and integers decide: for whole numbers k, the signs
of leading minors say whether A - k step I is positive definite (Sylvester). These minors are whole numbers, the pivots
of Bareiss's elimination. So the released value is a function of A alone that grows with A, whatever floats say.

**A vector on a grid**, such as a minimiser. The caller proves how far a record moves it.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent import exact_grid as grid

Array = NDArray[np.float64]
# Rows of a symmetric matrix.
Rows = Sequence[Sequence[int]]

# Smallest number of steps of the eigenvalue's grid in the sd of its noise, and in the square of the bound.
STEPS = grid.FINE


def noisy_smallest_eigenvalue(rows: Array, bound: float, noise_sd: Fraction) -> float:
    """The smallest eigenvalue of the sum of xx' over rows x with norms up to the bound, with noise; may be negative.

    A replaced row moves it by `bound^2` at most: with either row the eigenvalue lies between that of A, the sum over
    the other rows, and that of A plus `bound^2`. It is rounded down to a grid. A shift of c steps, where c is not
    whole, becomes a shift of at most ceil(c) steps, for which the noise is scaled; where a step is one unit, `bound^2`
    is whole, and rounding costs nothing.

    The smallest singular value of n rows in p columns is sqrt(n / p) B at most, and rounding by less than h moves it by
    less than sqrt(n p) h. So the eigenvalue moves by less than `2 n B h + n p h^2`, and never by more than `n B^2 / p`;
    that is below 2.42 n B h, a hundredth of the sd of the noise.

    Args:
        rows, bound, noise_sd: as in `exact_sums.noisy_sum`.
    """
    exponent, sd = grid.of_products(rows, bound, noise_sd, 1)
    units, largest = grid.units_of(rows, bound, exponent), grid.largest_square(bound, exponent)
    total = np.zeros((rows.shape[1], rows.shape[1]), dtype=object)
    for block in grid.blocks(units, bound, exponent):
        total += (block.T @ block).astype(object)
    # As coarse as noise and sensitivity permit, because an exact test decides each step from the float proposal on.
    shift = max((min(sd, largest) // STEPS).bit_length() - 1, 0)
    floor = smallest_eigenvalue(total.tolist(), 1 << shift)
    if shift:
        steps = math.ceil(Fraction(largest, 1 << shift))
        sd = math.ceil(Fraction(sd * steps, largest))
    return float(grid.with_noise([floor], [sd], 2 * exponent + shift)[0])


def noisy_vector(units: Sequence[int], exponent: int, noise_sd: Fraction) -> Array:
    """A vector of integers times a power of two, with noise on each number.

    The caller must prove how far a record moves these integers; the rounding to integers is part of the function.

    Args:
        units: the integers.
        exponent: exponent of the power of two, public; see `fine_exponent`.
        noise_sd: sd of the noise on each number.
    """
    return grid.with_noise(units, [grid.whole_sd(grid.positive(noise_sd=noise_sd), exponent)] * len(units), exponent)


def fine_exponent(noise_sd: Fraction) -> int:
    """Exponent of a spacing so much finer than the noise that rounding to it loses nothing that matters."""
    return grid.exponent_of(grid.positive(noise_sd=noise_sd) / grid.FINE**5)


def smallest_eigenvalue(matrix: Rows, step: int) -> int:
    """The largest whole k with matrix - k step I positive definite, which is `ceil(eigenvalue / step) - 1`.

    Args:
        matrix: rows of a symmetric matrix.
        step: spacing of the grid, positive.
    """
    proposed = 0.0
    with suppress(np.linalg.LinAlgError):
        proposed = float(np.linalg.eigvalsh(np.array(matrix, dtype=np.float64))[0])
    # Any proposal suffices, because the search below doubles its steps.
    proposed = proposed if math.isfinite(proposed) else 0.0
    low, width = int(proposed // step) - 1, 1
    while not is_positive_definite(matrix, low * step):
        low, width = low - width, 2 * width
    high, width = low + 1, 1
    while is_positive_definite(matrix, high * step):
        low, high, width = high, high + width, 2 * width
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_positive_definite(matrix, middle * step) else (low, middle)
    return low


def is_positive_definite(matrix: Rows, shift: int) -> bool:
    """Whether a symmetric matrix of integers, minus `shift` times the identity, is positive definite."""
    rows = [[value - shift * (i == j) for j, value in enumerate(row[: i + 1])] for i, row in enumerate(matrix)]
    before = 1
    for k, (*_, pivot) in enumerate(rows):
        if pivot <= 0:
            return False
        column = [row[k] for row in rows[k + 1 :]]
        for i, row in enumerate(rows[k + 1 :]):
            for j in range(i + 1):
                # The division leaves no remainder, because quotients are minors of the matrix.
                row[k + 1 + j] = (row[k + 1 + j] * pivot - column[i] * column[j]) // before
        before = pivot
    return True
