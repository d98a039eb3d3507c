"""Cubic B-splines on uniform knots, the basis functions of a KAN (wang2026 Assumption 3.2).

On any cell four of the functions are not zero, each a cubic of the place z in [0, 1) within the cell; a combination of
all of them therefore is one cubic a cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_positive

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Row r: the cubic of the r-th of the four functions that meet on a cell, coefficients of 1, z, z^2, z^3.
LOCAL = np.array([[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]]) / 6.0


@dataclass(frozen=True)
class CubicSplines:
    """Cubic B-splines b_1..b_p on [-1, 1], whose uniform knots go on beyond both ends; they add up to 1.

    Attributes:
        cells: number of cells that [-1, 1] is cut into; there are cells + 3 functions.

    Raises:
        ValueError: if there is no cell.
    """

    cells: int

    def __post_init__(self) -> None:
        require_positive(cells=self.cells)

    @property
    def count(self) -> int:
        """p."""
        return self.cells + 3

    @property
    def width(self) -> float:
        """Length of a cell."""
        return 2.0 / self.cells

    @property
    def largest_value(self) -> float:
        """B_b, the maximum of a basis function."""
        return 2.0 / 3.0

    @property
    def largest_first(self) -> float:
        """B'_b, the largest slope of a basis function."""
        return 2.0 / (3.0 * self.width)

    @property
    def largest_second(self) -> float:
        """B''_b, the largest second derivative of a basis function."""
        return 2.0 / self.width**2

    def values(self, u: Array) -> Array:
        """b_1(u)..b_p(u), shape (..., p). Raises ValueError if a u lies outside [-1, 1]."""
        return self._spread(u, LOCAL)

    def first(self, u: Array) -> Array:
        """Derivatives of `values`, of the same shape."""
        return self._spread(u, derivative(LOCAL) / self.width)

    def second(self, u: Array) -> Array:
        """Second derivatives of `values`, of the same shape."""
        return self._spread(u, derivative(derivative(LOCAL)) / self.width**2)

    def polynomials(self, c: Array) -> Array:
        """The cubic of `sum_k c_k b_k` on every cell, coefficients of 1, z, z^2, z^3, shape (..., cells, 4).

        Args:
            c: shape (..., p).
        """
        if c.shape[-1:] != (self.count,):
            raise ValueError(f"c of shape {c.shape} must have p={self.count} coefficients along its last axis")
        cubics: Array = np.matmul(np.lib.stride_tricks.sliding_window_view(c, 4, axis=-1), LOCAL)
        return cubics

    def locate(self, u: Array) -> tuple[Index, Array]:
        """The cell of every u, and the place z in it; u = 1 is the end (z = 1) of the last cell.

        Raises:
            ValueError: if a u lies outside [-1, 1].
        """
        if not (np.abs(u) <= 1.0).all():
            raise ValueError(f"u, from {np.min(u)} to {np.max(u)}, must lie between -1 and 1")
        place = (np.asarray(u) + 1.0) / self.width
        cell = np.minimum(place.astype(np.intp), self.cells - 1)
        return cell, place - cell

    def _spread(self, u: Array, local: Array) -> Array:
        """Values of the four local polynomials at their places among p, zero elsewhere."""
        cell, z = self.locate(u)
        out = np.zeros((*cell.shape, self.count))
        four = np.stack([horner(row, z) for row in local], axis=-1)
        np.put_along_axis(out, cell[..., None] + np.arange(4), four, axis=-1)
        return out


def derivative(coefficients: Array) -> Array:
    """Coefficients of the derivative by z, the last of them zero, of the same shape."""
    powers: Array = coefficients[..., 1:] * np.arange(1, coefficients.shape[-1])
    return np.concatenate([powers, np.zeros_like(powers[..., :1])], axis=-1)


def horner(coefficients: Array, z: Array) -> Array:
    """The polynomial at z; coefficients of 1, z, ... along the last axis, whose other axes broadcast with z."""
    value: Array = coefficients[..., -1] + np.zeros_like(z)
    for power in range(coefficients.shape[-1] - 2, -1, -1):
        value *= z
        value += coefficients[..., power]
    return value
