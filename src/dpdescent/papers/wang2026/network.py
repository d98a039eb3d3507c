"""Bounds on a KAN with tanh and cubic B-splines, its NTK margin and the comparator along it (wang2026 Sec. 4.2, App. B, C).

Every bound is a product of bounds on activation and basis. The paper takes the largest value of a basis function times
sqrt(p); the sharp bounds use that at most four cubic B-splines differ from zero anywhere, and where the second layer c
is given, c itself, which is public. The margin is that of a hard-margin support vector machine in the tangent kernel at
W_0. Gradients have rank one, grad f(x) = S(x) h(x)', so that only the factors S (n, m) and the features h (n, dp) are
needed.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines, derivative

Array = NDArray[np.float64]
# |tanh'| <= 1 and |tanh''| <= 4 / (3 sqrt 3).
TANH_FIRST, TANH_SECOND = 1.0, 4.0 / (3.0 * math.sqrt(3.0))
# Pieces of a cell on each of which a polynomial is bounded by its Bernstein coefficients; 16 leave 0.1 % to spare.
PIECES = 16


@dataclass(frozen=True)
class Constants:
    """Bounds on the basis and the activation (wang2026 Assumption 3.2).

    Attributes:
        p: number of basis functions.
        norm_h: bound on |h(v)|, h the vector of the p basis functions.
        norm_h1: bound on |h'(v)|.
        norm_h2: bound on |h''(v)|.
        first: B'_sigma, bound on the activation's derivative.
        second: B''_sigma, bound on its second derivative.
    """

    p: int
    norm_h: float
    norm_h1: float
    norm_h2: float
    first: float = TANH_FIRST
    second: float = TANH_SECOND

    @classmethod
    def paper(cls, splines: CubicSplines) -> "Constants":
        """Returns sqrt(p) times the bound on one function, for |h|, |h'| and |h''| (proof of wang2026 Lemma B.6)."""
        root = math.sqrt(splines.count)
        return cls(
            splines.count, root * splines.largest_value, root * splines.largest_first, root * splines.largest_second
        )  # fmt: skip

    @classmethod
    def sharp(cls, splines: CubicSplines) -> "Constants":
        """Returns the norms' largest values (ours): of |h| and |h''| at a knot, of |h'| in the middle of a cell."""
        h = splines.width
        return cls(splines.count, math.sqrt(0.5), math.sqrt(13.0) / (4.0 * h), math.sqrt(6.0) / h**2)

    def gradient_bound(self, m: int, delta_conf: float) -> float:
        """Returns G_delta, a bound on |grad l| everywhere with probability 1 - delta_conf (wang2026 eq. 5).

        `B'_sigma |h| |h'| (4 sqrt(p) + 2 sqrt(log(2/delta)/m))`, which is eq. (5) for the paper's constants.
        """
        return self.first * self.norm_h * self.norm_h1 * layer_norm_bound(m, self.p, delta_conf) / math.sqrt(m)

    def hessian_bound(self, m: int, delta_conf: float) -> float:
        """Returns nu, a bound on the norm of the Hessian of f everywhere (wang2026 eq. 4).

        `|h|^2 (B''_sigma |h'| + B'_sigma^2 |h''|) (4 sqrt(p) + 2 sqrt(log(2m/delta))) / sqrt(m)`.
        """
        curvature = self.second * self.norm_h1 + self.first**2 * self.norm_h2
        return self.norm_h**2 * curvature * unit_norm_bound(m, self.p, delta_conf) / math.sqrt(m)

    def initial_output_bound(self, n: int, delta_conf: float) -> float:
        """Returns a bound on max_i |f_{W_0}(x_i)| with probability 1 - delta_conf / 2 (wang2026 eq. 15)."""
        require_positive(n=n)
        require_probability(delta_conf=delta_conf)
        return self.norm_h * math.sqrt(2.0 * math.log(2.0 * n / delta_conf))

    def output_ceiling(self, n: int, gradient_bound: float, radius: float, delta_conf: float) -> float:
        """Returns F, a bound on |f| at the records of S and its copy, within the radius (wang2026 Lemma C.17).

        The given gradient bound stands for b_{delta,m} (constants ours: the paper leaves C_{sigma,b} open).
        """
        require_non_negative(radius=radius, gradient_bound=gradient_bound)
        return self.initial_output_bound(2 * n, delta_conf) + gradient_bound * radius


def layer_norm_bound(m: int, p: int, delta_conf: float) -> float:
    """Returns `4 sqrt(pm) + 2 sqrt(log(2/delta))`, the bound on |c| on the event E_delta (wang2026 eq. 1)."""
    require_positive(m=m, p=p)
    require_probability(delta_conf=delta_conf)
    return 4.0 * math.sqrt(p * m) + 2.0 * math.sqrt(math.log(2.0 / delta_conf))


def unit_norm_bound(m: int, p: int, delta_conf: float) -> float:
    """Returns `4 sqrt(p) + 2 sqrt(log(2m/delta))`, the bound on max_j |c_j| on the event E_delta (wang2026 eq. 1)."""
    require_positive(m=m, p=p)
    require_probability(delta_conf=delta_conf)
    return 4.0 * math.sqrt(p) + 2.0 * math.sqrt(math.log(2.0 * m / delta_conf))


def initial_event(c: Array, delta_conf: float) -> bool:
    """Returns whether the event E_delta occurs, for a second layer c of shape (m, p) (wang2026 eq. 1)."""
    m, p = c.shape
    units: Array = np.linalg.norm(c, axis=1)
    within = np.linalg.norm(units) <= layer_norm_bound(m, p, delta_conf)
    return bool(within and units.max() <= unit_norm_bound(m, p, delta_conf))


def smoothness(gradient_bound: float, hessian_bound: float) -> float:
    """Returns beta = `G^2/4 + nu`, a bound on the eigenvalues of the loss's Hessian (wang2026 Lemma B.7).

    The constants are ours: the paper writes C_{sigma,b} p^3 for it. From it follows |grad L_S|^2 <= 4 beta L_S.
    """
    require_non_negative(gradient_bound=gradient_bound, hessian_bound=hessian_bound)
    return 0.25 * gradient_bound**2 + hessian_bound


def largest_step(beta: float) -> float:
    """Returns the largest step size that Theorem 4.1 allows, `1 / (12 beta)` (wang2026)."""
    require_positive(beta=beta)
    return 1.0 / (12.0 * beta)


def loss_ceiling(output: float) -> float:
    """Returns U = log(1 + e^F), the largest loss at outputs within F (wang2026 Lemma C.17)."""
    require_non_negative(output=output)
    return float(np.logaddexp(0.0, output))


def sharp_gradient_bound(kan: KAN, c: Array) -> Array:
    """Returns G_sharp (ours), a bound on |grad l| at every input and W, given c of shape (..., m, p): shape (...).

    `(1/m sum_j max_u ((1 - u^2) <c_j, h'(u)>)^2)^{1/2} max|h|`. As a clipping threshold it clips nothing and uses no
    data.
    """
    slopes = _largest(_times(_slopes(kan.splines, c), _one_minus_square(kan.splines)))
    return np.asarray(math.sqrt(0.5) * np.sqrt(np.mean(slopes**2, axis=-1)))


def sharp_hessian_bound(kan: KAN, c: Array) -> Array:
    """Returns nu given c (..., m, p): `max_j max_u |<c_j, v_j(u)>| max|h|^2 / sqrt(m)`, shape (...) (constants ours).

    With `v_j = -2u (1 - u^2) h'(u) + (1 - u^2)^2 h''(u)` (wang2026, above eq. 4, for tanh).
    """
    splines = kan.splines
    slope, square = _slopes(splines, c), _one_minus_square(splines)
    second = derivative(slope)[..., :2] / splines.width
    bend = _times(_times(second, square), square) - 2.0 * _times(_times(slope, _position(splines)), square)
    return np.asarray(0.5 * _largest(bend).max(axis=-1) / math.sqrt(kan.width))


def _slopes(splines: CubicSplines, c: Array) -> Array:
    """<c_j, h'(u)> on each cell in powers of the local variable z, shape (..., m, cells, 3)."""
    return derivative(splines.polynomials(c))[..., :3] / splines.width


def _position(splines: CubicSplines) -> Array:
    """u = -1 + h (cell + z) in powers of z, shape (cells, 2)."""
    edges = -1.0 + splines.width * np.arange(splines.cells)
    return np.stack([edges, np.full(splines.cells, splines.width)], axis=-1)


def _one_minus_square(splines: CubicSplines) -> Array:
    """1 - u^2 in powers of z, shape (cells, 3)."""
    u = _position(splines)
    square = -_times(u, u)
    square[:, 0] += 1.0
    return square


def _times(first: Array, second: Array) -> Array:
    """Product of polynomials with coefficients (..., cells, a) and (cells, b)."""
    product = np.zeros((*first.shape[:-1], first.shape[-1] + second.shape[-1] - 1))
    for k in range(second.shape[-1]):
        product[..., k : k + first.shape[-1]] += first * second[:, k, None]
    return product


def _largest(polynomials: Array) -> Array:
    """Bound on the absolute value on all cells, (..., cells, degree + 1) to (...)."""
    bernstein = polynomials @ _bernstein(polynomials.shape[-1] - 1).T
    return np.asarray(np.abs(bernstein).max(axis=(-2, -1)))


def _bernstein(degree: int) -> Array:
    """Power coefficients to Bernstein coefficients on every piece of [0, 1], (pieces (degree + 1), degree + 1)."""
    powers = np.zeros((PIECES, degree + 1, degree + 1))
    for k in range(degree + 1):
        # z^k = ((piece + s) / PIECES)^k in powers of s, each of which is a sum of Bernstein polynomials.
        for i in range(k + 1):
            share = math.comb(k, i) * (np.arange(PIECES) / PIECES) ** (k - i) / PIECES**i
            column = [math.comb(j, i) / math.comb(degree, i) for j in range(degree + 1)]
            powers[:, :, k] += share[:, None] * np.array(column)
    return powers.reshape(-1, degree + 1)


@dataclass(frozen=True, eq=False)
class Margin:
    """The margin gamma of Assumption 3.3 and its direction.

    Attributes:
        value: min_i y_i <grad f(x_i), u>, which u attains; not positive where the records can't be separated.
        dual: |sum_i q_i y_i grad f(x_i)|, which no direction exceeds.
        weights: q, on the simplex, shape (n,).
        coefficients: a with u = sum_i a_i grad f(x_i), shape (n,).
    """

    value: float
    dual: float
    weights: Array
    coefficients: Array

    def direction(self, features: Array, factors: Array) -> Array:
        """Returns u, of norm one, shape (m, dp), from features (n, dp) and factors (n, m)."""
        return np.asarray((self.coefficients[:, None] * factors).T @ features)


def kernel(features: Array, factors: Array) -> Array:
    """Returns the tangent kernel <S_i, S_j> <h_i, h_j> of features (n, dp) and factors (n, m), shape (n, n)."""
    return np.asarray((factors @ factors.T) * (features @ features.T))


def margin(features: Array, factors: Array, labels: Array) -> Margin:
    """Returns the largest margin of labels in {-1, +1} in the tangent kernel (wang2026 Assumption 3.3).

    Its direction is the point closest to 0 in the convex hull of y_i grad f(x_i), found by non-negative least squares
    of `|A q|^2 + (1'q - 1)^2`, whose solution is a multiple of the weights q.
    """
    signed = labels[:, None] * kernel(features, factors) * labels
    weights = _simplex(signed)
    products = signed @ weights
    dual = math.sqrt(max(float(weights @ products), 0.0))
    # With dual = 0 the records cannot be separated; the scale only avoids a division by zero.
    scale = dual if dual > 0.0 else 1.0
    return Margin(float(products.min()) / scale, dual, weights, weights * labels / scale)


def _simplex(signed: Array) -> Array:
    """Returns the minimiser of q' K q on the simplex, shape (n,)."""
    values, vectors = np.linalg.eigh(signed)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    # Scaled, because least squares would lose the smaller of two squares of very different size.
    root /= math.sqrt(max(float(np.trace(signed)) / len(signed), 1e-300))
    design = np.vstack([root, np.ones(len(signed))])
    solution, _ = nnls(design, np.append(np.zeros(len(signed)), 1.0), maxiter=30 * len(signed))
    return np.asarray(solution / solution.sum())


def comparator_distance(gamma: float, n: int, T: float, constants: Constants, delta_conf: float) -> float:
    """Returns tau = |W* - W_0| of the NTK comparator, `max(2 max|f_0|, 4 log T) / gamma` (wang2026 Lemma C.12).

    The constants are ours: the proof needs `tau gamma / 2 >= max_i |f_0(x_i)|`, bounded by eq. (15), and
    `tau gamma / 4 >= log T`.
    """
    require_positive(gamma=gamma, T=T)
    return max(2.0 * constants.initial_output_bound(n, delta_conf), 4.0 * math.log(T)) / gamma


def radius(gamma: float, n: int, T: float, delta_conf: float) -> float:
    """Returns R_*, also the order of tau: `(log T + sqrt(log(n/delta))) / gamma`, constant 1 (wang2026 Theorem 4.1)."""
    require_positive(gamma=gamma, n=n, T=T)
    return (math.log(T) + math.sqrt(math.log(n / delta_conf))) / gamma
