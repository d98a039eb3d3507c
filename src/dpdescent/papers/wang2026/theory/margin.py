"""The NTK margin of a data set at the start, and the comparator that lies in its direction (wang2026 Ass. 3.3, C.12).

The margin is that of a hard-margin support vector machine in the tangent kernel at W_0. Gradients have rank one,
grad f(x) = S(x) h(x)', so that only the factors S (n, m) and the features h (n, dp) are needed.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from dpdescent.checks import require_positive
from dpdescent.papers.wang2026.theory.constants import Constants

Array = NDArray[np.float64]


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
    found, _ = nnls(design, np.append(np.zeros(len(signed)), 1.0), maxiter=30 * len(signed))
    return np.asarray(found / found.sum())


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
