"""Cubic B-splines on uniform knots, the basis functions of a KAN (wang2026 Assumption 3.2).

On every cell four of the functions are not zero, and each is a cubic in the position z in [0, 1) within the cell. So a
linear combination of all functions is one cubic per cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_positive, require_whole

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Coefficients of 1, z, z^2, z^3; row r is for the r-th of the four functions that are not zero on a cell.
LOCAL = np.array([[1.0, -3.0, 3.0, -1.0], [4.0, 0.0, -6.0, 3.0], [1.0, 3.0, 3.0, -3.0], [0.0, 0.0, 0.0, 1.0]]) / 6.0


@dataclass(frozen=True)
class CubicSplines:
    """Cubic B-splines b_1..b_p on [-1, 1], with uniform knots also beyond both ends; they add up to 1.

    Attributes:
        cells: number of cells of [-1, 1]; there are cells + 3 functions.

    Raises:
        ValueError: if there is no cell.
    """

    cells: int

    def __post_init__(self) -> None:
        require_whole(cells=self.cells)
        require_positive(cells=self.cells)

    @property
    def count(self) -> int:
        """Number p of basis functions."""
        return self.cells + 3

    @property
    def width(self) -> float:
        """Length of a cell."""
        return 2.0 / self.cells

    @property
    def largest_value(self) -> float:
        """Maximum B_b of a basis function (wang2026 Assumption 3.2)."""
        return 2.0 / 3.0

    @property
    def largest_first(self) -> float:
        """Largest slope B'_b of a basis function (wang2026 Assumption 3.2)."""
        return 2.0 / (3.0 * self.width)

    @property
    def largest_second(self) -> float:
        """Largest second derivative B''_b of a basis function (wang2026 Assumption 3.2)."""
        return 2.0 / self.width**2

    def values(self, u: Array) -> Array:
        """Values b_1(u)..b_p(u), shape (..., p). Raises ValueError if a u lies outside [-1, 1]."""
        return self._spread(u, LOCAL)

    def first(self, u: Array) -> Array:
        """First derivatives b'_1(u)..b'_p(u), shape (..., p)."""
        return self._spread(u, derivative(LOCAL) / self.width)

    def second(self, u: Array) -> Array:
        """Second derivatives b''_1(u)..b''_p(u), shape (..., p)."""
        return self._spread(u, derivative(derivative(LOCAL)) / self.width**2)

    def polynomials(self, c: Array) -> Array:
        """Coefficients of 1, z, z^2, z^3 of the cubic `sum_k c_k b_k` on every cell, shape (..., cells, 4).

        Args:
            c: coefficients of the basis functions, shape (..., p).
        """
        if c.shape[-1:] != (self.count,):
            raise ValueError(f"c of shape {c.shape} must have p={self.count} coefficients along its last axis")
        cubics: Array = np.matmul(np.lib.stride_tricks.sliding_window_view(c, 4, axis=-1), LOCAL)
        return cubics

    def locate(self, u: Array) -> tuple[Index, Array]:
        """Finds the cell of every u, and its position z in the cell; u = 1 is the end (z = 1) of the last cell.

        Raises:
            ValueError: if a u lies outside [-1, 1]; the message has the number of such values only, because u may be
                private.
        """
        if not (inside := np.abs(u) <= 1.0).all():
            raise ValueError(
                f"u must lie between -1 and 1, but {np.size(inside) - np.count_nonzero(inside)} values do not"
            )
        place = (np.asarray(u) + 1.0) / self.width
        cell = np.minimum(place.astype(np.intp), self.cells - 1)
        return cell, place - cell

    def _spread(self, u: Array, local: Array) -> Array:
        """Values of all p functions, shape (..., p): the four local polynomials at their indices, zero elsewhere."""
        cell, z = self.locate(u)
        out = np.zeros((*cell.shape, self.count))
        four = np.stack([horner(row, z) for row in local], axis=-1)
        np.put_along_axis(out, cell[..., None] + np.arange(4), four, axis=-1)
        return out


def derivative(coefficients: Array) -> Array:
    """Coefficients of the derivative of a polynomial in z, in the same shape, the last of them zero."""
    powers: Array = coefficients[..., 1:] * np.arange(1, coefficients.shape[-1])
    return np.concatenate([powers, np.zeros_like(powers[..., :1])], axis=-1)


def horner(coefficients: Array, z: Array) -> Array:
    """Evaluates a polynomial at z; coefficients of 1, z, ... are along the last axis, the other axes broadcast."""
    value: Array = coefficients[..., -1] + np.zeros_like(z)
    for power in range(coefficients.shape[-1] - 2, -1, -1):
        value *= z
        value += coefficients[..., power]
    return value
