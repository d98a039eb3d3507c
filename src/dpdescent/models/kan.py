"""Two-layer KAN with a frozen second layer (wang2026 Sec. 3.1), and gradients as the outer products that they are.

`f_W(x) = m^(-1/2) sum_j <c_j, b(u_j)>`, `u_j = tanh(w_j . h(x) / sqrt d)`, where h(x) lists the p basis functions at
every coordinate of x. The gradient by w_j is `S_j h(x)` (Lemma B.6), of norm `|S| |h|` over all j. Leading axes of
weights, features and heads broadcast: seeds and arms. The literal twin, by loops, is in the tests.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpdescent.checks import require_positive
from dpdescent.models.spline import CubicSplines

Array = NDArray[np.float64]

# Coefficients (1, z, z^2, z^3) of a cubic times this are those of the same cubic in z - 1.
ONE_CELL_ON = np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]])


@dataclass(frozen=True)
class Heads:
    """The second layer as cubics, one a unit and cell. Made by `KAN.heads`; leading axes belong to seeds and arms.

    Attributes:
        cubics: coefficients of 1, z, z^2, z^3, over sqrt(m d) and the width of a cell, shape (4, ..., m, cells + 1).
            The last cell stands for u = 1 alone.
    """

    cubics: Array

    def __getitem__(self, index: Any) -> "Heads":
        """Heads of a part of the leading axes; None is an axis along which all share them."""
        return Heads(self.cubics[(slice(None), *(index if isinstance(index, tuple) else (index,)))])

    @property
    def lead(self) -> tuple[int, ...]:
        """Lengths of the leading axes."""
        return self.cubics.shape[1:-2]

    def at(self, u: Array) -> tuple[list[Array], Array]:
        """The four coefficients of every u's cubic, of the shape of u, (..., n, m), and its place z in the cell."""
        width, cells = self.cubics.shape[-2], self.cubics.shape[-1] - 1
        z = u * (cells / 2.0)
        z += cells / 2.0
        cell = np.floor(z)
        z -= cell
        first = np.arange(0, self.cubics[0].size, cells + 1).reshape(*self.lead, 1, width)
        where = cell.astype(np.intp)
        where += first
        return [table.reshape(-1).take(where) for table in self.cubics], z


@dataclass(frozen=True)
class KAN:
    """The model; its parameters are the first layer's coefficients W, shape (m, d p).

    Attributes:
        inputs: d.
        width: m, the number of units.
        splines: the basis functions of both layers.

    Raises:
        ValueError: if inputs or width is not positive.
    """

    inputs: int
    width: int
    splines: CubicSplines

    def __post_init__(self) -> None:
        require_positive(inputs=self.inputs, width=self.width)

    @property
    def parameters(self) -> int:
        """m d p."""
        return self.width * self.inputs * self.splines.count

    def initial(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """W_0, shape (m, d p), and then c, shape (m, p), of independent standard normals."""
        p = self.splines.count
        return rng.standard_normal((self.width, self.inputs * p)), rng.standard_normal((self.width, p))

    def features(self, x: Array) -> Array:
        """h(x), shape (..., n, d p): the p basis functions at the first coordinate, then at the second...

        Args:
            x: shape (..., n, d), coordinates in [-1, 1].

        Raises:
            ValueError: if x does not have d coordinates, or one lies outside [-1, 1].
        """
        if x.shape[-1:] != (self.inputs,):
            raise ValueError(f"x of shape {x.shape} must have d={self.inputs} coordinates along its last axis")
        return self.splines.values(x).reshape(*x.shape[:-1], -1)

    def heads(self, c: Array) -> Heads:
        """The second layer of coefficients c, shape (..., m, p). Raises ValueError if the shape does not fit."""
        if c.shape[-2:] != (self.width, self.splines.count):
            raise ValueError(f"c of shape {c.shape} must end in (m, p) = ({self.width}, {self.splines.count})")
        cubics = self._scale * self.splines.polynomials(c)
        # At u = 1 the place is cell `cells`, z = 0: there the last cubic is expanded around its end.
        end = np.matmul(cubics[..., -1:, :], ONE_CELL_ON)
        return Heads(np.ascontiguousarray(np.moveaxis(np.concatenate([cubics, end], axis=-2), -1, 0)))

    def outputs(self, W: Array, H: Array, heads: Heads) -> Array:
        """f_W(x), shape (..., n).

        Args:
            W: shape (..., m, d p).
            H: features, shape (..., n, d p).
            heads: the second layer, whose leading axes broadcast to those of the outputs.
        """
        (a0, a1, a2, a3), z = heads.at(self._units(W, H))
        for a in (a2, a1, a0):
            a3 *= z
            a3 += a
        return self._sum(a3, np.ones(self.width))

    def outputs_and_factors(self, W: Array, H: Array, heads: Heads) -> tuple[Array, Array]:
        """f_W(x), shape (..., n), and `S_j = (m d)^(-1/2) sigma'(a_j) <c_j, b'(u_j)>`, shape (..., n, m)."""
        u = self._units(W, H)
        (a0, a1, a2, slope), z = heads.at(u)
        # Horner's scheme for the cubic and its derivative together, in the arrays of its coefficients.
        slope *= z
        a2 += slope
        slope += a2
        a2 *= z
        a2 += a1
        slope *= z
        slope += a2
        f = self._sum(a2, z) + self._sum(a0, np.ones(self.width))
        u *= u
        np.subtract(1.0, u, out=u)
        slope *= u
        return f, slope

    def curvature(self, W: Array, H: Array, heads: Heads) -> Array:
        """v_j, shape (..., n, m): block j of the Hessian of f is `(d sqrt m)^(-1) v_j h h'`, all others are zero.

        `v_j = sigma''(a_j) <c_j, b'(u_j)> + sigma'(a_j)^2 <c_j, b''(u_j)>` (Lemma B.6).
        """
        u = self._units(W, H)
        (_, a1, a2, a3), z = heads.at(u)
        h, sigma_slope = self.splines.width, 1.0 - u * u
        first, second = (a1 + z * (2.0 * a2 + 3.0 * a3 * z)) / h, (2.0 * a2 + 6.0 * a3 * z) / h**2
        curvature: Array = (-2.0 * u * sigma_slope * first + sigma_slope**2 * second) / self._scale
        return curvature

    @property
    def _scale(self) -> float:
        """What cubics are multiplied by: their derivative by z, times sigma', then is S_j without a pass of its own."""
        return float(1.0 / (np.sqrt(self.width * self.inputs) * self.splines.width))

    def _units(self, W: Array, H: Array) -> Array:
        """u, shape (..., n, m)."""
        a: Array = np.matmul(H, W.swapaxes(-1, -2))
        a *= 1.0 / np.sqrt(self.inputs)
        return np.tanh(a, out=a)

    def _sum(self, a: Array, b: Array) -> Array:
        """`m^(-1/2) sum_j a_j b_j`."""
        total: Array = np.vecdot(a, b)
        total *= 1.0 / (np.sqrt(self.width) * self._scale)
        return total


def logistic(z: Array) -> Array:
    """The loss of a margin z = y f: `log(1 + e^(-z))`."""
    # As logaddexp(0, -z), which goes through one number after the other.
    loss: Array = np.log1p(np.exp(-np.abs(z)))
    loss -= np.minimum(z, 0.0)
    return loss


def logistic_slope(z: Array) -> Array:
    """Its derivative, `-1 / (1 + e^z)`."""
    slope: Array = -expit(-z)
    return slope
