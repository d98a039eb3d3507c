"""A two-layer KAN with a fixed second layer (wang2026 Sec. 3.1), with gradients as outer products.

`f_W(x) = m^(-1/2) sum_j <c_j, b(u_j)>`, `u_j = tanh(w_j . h(x) / sqrt d)`, where h(x) lists the p basis functions at
every coordinate of x. The gradient with respect to w_j is `S_j h(x)` (Lemma B.6), with norm `|S| |h|` over all j.
Leading axes of weights, features and heads (seeds and arms) broadcast. The tests contain a version with plain loops.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpdescent.checks import require_positive, require_whole
from dpdescent.models.activation import tanh
from dpdescent.models.spline import CubicSplines

Array = NDArray[np.float64]

# A cubic's coefficients (of 1, z, z^2, z^3) times this matrix are the coefficients of the same cubic in z - 1.
ONE_CELL_ON = np.array([[1.0, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]])


@dataclass(frozen=True)
class Heads:
    """Second layer as cubics, one per unit and cell; made by `KAN.heads`. Leading axes are seeds and arms.

    Attributes:
        cubics: coefficients of 1, z, z^2, z^3, divided by sqrt(m d) and the width of a cell, shape (4, ..., m, cells +
            1). The last cell stands for u = 1 alone.
    """

    cubics: Array

    def __getitem__(self, index: Any) -> "Heads":
        """Selects heads along the leading axes; None inserts an axis along which all runs share them."""
        return Heads(self.cubics[(slice(None), *(index if isinstance(index, tuple) else (index,)))])

    @property
    def lead(self) -> tuple[int, ...]:
        """Lengths of the leading axes."""
        return self.cubics.shape[1:-2]

    def at(self, u: Array) -> tuple[list[Array], Array]:
        """Four coefficients of the cubic at every u, each of shape (..., n, m), and the position z of u in its cell."""
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
    """A two-layer KAN; its parameters are the first layer's coefficients W, shape (m, d p).

    Attributes:
        inputs: d, the number of coordinates of an input.
        width: m, the number of units.
        splines: the basis functions of both layers.

    Raises:
        ValueError: if inputs or width is not positive.
    """

    inputs: int
    width: int
    splines: CubicSplines

    def __post_init__(self) -> None:
        require_whole(inputs=self.inputs, width=self.width)
        require_positive(inputs=self.inputs, width=self.width)

    @property
    def parameters(self) -> int:
        """Number of parameters, m d p."""
        return self.width * self.inputs * self.splines.count

    def initial(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draws W_0, shape (m, d p), and then c, shape (m, p), as independent standard normals."""
        p = self.splines.count
        return rng.standard_normal((self.width, self.inputs * p)), rng.standard_normal((self.width, p))

    def features(self, x: Array) -> Array:
        """Features h(x), shape (..., n, d p): the p basis functions at the first coordinate, then at the second...

        Args:
            x: inputs, shape (..., n, d), coordinates in [-1, 1].

        Raises:
            ValueError: if x does not have d coordinates, or one lies outside [-1, 1].
        """
        if x.shape[-1:] != (self.inputs,):
            raise ValueError(f"x of shape {x.shape} must have d={self.inputs} coordinates along its last axis")
        return self.splines.values(x).reshape(*x.shape[:-1], -1)

    def heads(self, c: Array) -> Heads:
        """The second layer with coefficients c, shape (..., m, p). Raises ValueError if the shape does not fit."""
        if c.shape[-2:] != (self.width, self.splines.count):
            raise ValueError(f"c of shape {c.shape} must end in (m, p) = ({self.width}, {self.splines.count})")
        cubics = self._scale * self.splines.polynomials(c)
        # One more cell contains the last cubic, expanded around its end, because u = 1 lies in cell `cells` at z = 0.
        end = np.matmul(cubics[..., -1:, :], ONE_CELL_ON)
        return Heads(np.ascontiguousarray(np.moveaxis(np.concatenate([cubics, end], axis=-2), -1, 0)))

    def outputs(self, W: Array, H: Array, heads: Heads) -> Array:
        """Outputs f_W(x), shape (..., n).

        Args:
            W: first layer, shape (..., m, d p).
            H: features, shape (..., n, d p).
            heads: the second layer, whose leading axes broadcast to those of the outputs.
        """
        (a0, a1, a2, a3), z = heads.at(self._units(W, H))
        for a in (a2, a1, a0):
            a3 *= z
            a3 += a
        return self._sum(a3, np.ones(self.width))

    def outputs_and_factors(self, W: Array, H: Array, heads: Heads) -> tuple[Array, Array]:
        """Outputs f_W(x), (..., n), and factors `S_j = (m d)^(-1/2) sigma'(a_j) <c_j, b'(u_j)>`, (..., n, m)."""
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
        """Curvatures v_j of the units, shape (..., n, m) (wang2026 Lemma B.6).

        `v_j = sigma''(a_j) <c_j, b'(u_j)> + sigma'(a_j)^2 <c_j, b''(u_j)>`. Diagonal block j of the Hessian of f is `(d
        sqrt m)^(-1) v_j h h'`, and blocks off the diagonal are zero.
        """
        u = self._units(W, H)
        (_, a1, a2, a3), z = heads.at(u)
        h, sigma_slope = self.splines.width, 1.0 - u * u
        first, second = (a1 + z * (2.0 * a2 + 3.0 * a3 * z)) / h, (2.0 * a2 + 6.0 * a3 * z) / h**2
        curvature: Array = (-2.0 * u * sigma_slope * first + sigma_slope**2 * second) / self._scale
        return curvature

    @property
    def _scale(self) -> float:
        """Factor of the cubics, chosen so that their derivative with respect to z, times sigma', is S_j."""
        return float(1.0 / (np.sqrt(self.width * self.inputs) * self.splines.width))

    def _units(self, W: Array, H: Array) -> Array:
        """Values u of the units, shape (..., n, m)."""
        a: Array = np.matmul(H, W.swapaxes(-1, -2))
        a *= 1.0 / np.sqrt(self.inputs)
        return tanh(a)

    def _sum(self, a: Array, b: Array) -> Array:
        """Sum `m^(-1/2) sum_j a_j b_j` along the last axis, with the factor of the cubics removed."""
        total: Array = np.vecdot(a, b)
        total *= 1.0 / (np.sqrt(self.width) * self._scale)
        return total


def logistic(z: Array) -> Array:
    """Logistic loss `log(1 + e^(-z))` of margins z = y f, shape of z."""
    # Not by logaddexp(0, -z), because that is slow: it is not vectorised.
    loss: Array = np.log1p(np.exp(-np.abs(z)))
    loss -= np.minimum(z, 0.0)
    return loss


def logistic_slope(z: Array) -> Array:
    """Derivative `-1 / (1 + e^z)` of the logistic loss, shape of z."""
    slope: Array = -expit(-z)
    return slope
