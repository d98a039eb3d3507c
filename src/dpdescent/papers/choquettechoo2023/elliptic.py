"""The integrals over frequencies in which the errors of choquettechoo2023 are written (App. C.4, F.4 and F.5).

All are made of `|1 - a - e^{i omega}|`, the root of `a^2 + 4 (1 - a) sin^2(omega/2)`, a form that does not cancel. The
elliptic integrals are Carlson's, for the same reason; `Quadrature` does without them.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ellipkm1, elliprf, elliprj

from dpdescent.checks import require_positive
from dpdescent.papers.choquettechoo2023.setting import Array


def distance_squared(a: ArrayLike, frequencies: Array) -> Array:
    """`|1 - a - e^{i omega}|^2`: the shape of a, then that of the frequencies."""
    a = np.asarray(a, dtype=np.float64)[..., None]
    squared: Array = a**2 + 4.0 * (1.0 - a) * np.sin(0.5 * frequencies) ** 2
    return squared


def integrals(a: ArrayLike, b: ArrayLike) -> Array:
    """`I(a, b)`, the integral of `|1-a-e^{i omega}| / |1-b-e^{i omega}|^2` over -pi to pi (choquettechoo2023 eq. 49).

    Lemma F.16 gives it as `2 a^2 / (b^2 (1 - a/2)) Pi(alpha^2, k)`, where `1 - k^2 = (a / (2-a))^2` and
    `1 - alpha^2 = (a (1 - b/2) / (b (1 - a/2)))^2`. For a > b, where alpha^2 is negative, Pi is taken at
    `(k^2 - alpha^2) / (1 - alpha^2)` instead, by the identity that has positive terms only (DLMF 19.7.9).

    Args:
        a: values of nu in [0, 1]; 0 is the undamped noise.
        b: values of eta lambda in (0, 1], broadcast against a.
    """
    a, b = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    if not ((a >= 0.0) & (a <= 1.0)).all():
        raise ValueError(f"a={a} must lie in [0, 1]: it is nu, a damping")
    if not ((b > 0.0) & (b <= 1.0)).all():
        raise ValueError(f"b={b} must lie in (0, 1]: it is eta lambda, and I(a, b) diverges as b tends to 0")
    positive = np.where(a > 0.0, a, 1.0)
    modulus = (positive / (2.0 - positive)) ** 2  # 1 - k^2
    characteristic = (positive * (1.0 - b / 2.0) / (b * (1.0 - positive / 2.0))) ** 2  # 1 - alpha^2
    third = np.where(characteristic <= 1.0, _third(modulus, characteristic), _third_reflected(modulus, characteristic))
    value: Array = 2.0 * positive**2 / (b**2 * (1.0 - positive / 2.0)) * third
    return np.where(a > 0.0, value, _undamped(b))


def integral(a: float, b: float) -> float:
    """`I(a, b)` of two numbers: see `integrals`."""
    return float(integrals(a, b))


def diagonal(a: float) -> float:
    """`I(a, a) = 4/(2-a) K(sqrt(1-a) / (1-a/2))`, the integral of `1 / |1-a-e^{i omega}|` (choquettechoo2023 F.15).

    2 pi times the limiting squared sensitivity of the noise coefficients with nu = a (eq. 5 and 28).
    """
    if not 0.0 < a <= 1.0:
        raise ValueError(f"a={a} must lie in (0, 1]: the integral diverges as a tends to 0")
    return 4.0 / (2.0 - a) * float(ellipkm1((a / (2.0 - a)) ** 2))


def _third(modulus: Array, characteristic: Array) -> Array:
    """Pi(alpha^2, k) from 1 - k^2 and 1 - alpha^2 (DLMF 19.25.2); no cancellation where 0 <= alpha^2 < 1."""
    third: Array = elliprf(0.0, modulus, 1.0) + (1.0 - characteristic) / 3.0 * elliprj(
        0.0, modulus, 1.0, characteristic
    )
    return third


def _third_reflected(modulus: Array, characteristic: Array) -> Array:
    """Pi(alpha^2, k) where alpha^2 < 0, hence 1 - alpha^2 > 1 >= 1 - k^2."""
    gap = np.where(characteristic > 1.0, characteristic - modulus, 1.0)
    factor = (characteristic - 1.0) * modulus / (characteristic * gap)
    first = (1.0 - modulus) / gap * elliprf(0.0, modulus, 1.0)
    third: Array = factor * _third(modulus, modulus / characteristic) + first
    return third


def _undamped(b: Array) -> Array:
    """`I(0, b) = 8/(2-b)^2 artanh(k)/k` with `k = sqrt(1-b)/(1-b/2)`, by the substitution u = cos(omega/2)."""
    k = np.sqrt(1.0 - b) / (1.0 - b / 2.0)
    # artanh(k) = log((1 + k)(2 - b)/b), as 1 - k^2 = (b/(2-b))^2; the series where k is small and the quotient 0/0.
    quotient = np.where(k > 1e-4, np.log((1.0 + k) * (2.0 - b) / b) / np.where(k > 1e-4, k, 1.0), 1.0 + k**2 / 3.0)
    value: Array = 8.0 / (2.0 - b) ** 2 * quotient
    return value


def diagonal_bound(a: float) -> float:
    """Bound on I(a, a) for a in (0, 1): `5 log(8/a)` (choquettechoo2023 Lemma C.21(i))."""
    require_positive(a=a)
    return 5.0 * math.log(8.0 / a)


def integral_bound(a: float) -> float:
    """Bound on I(a, b) for a <= b <= 1/4: `(128/49) log(8/a)` (choquettechoo2023 Lemma C.21(ii)).

    Stated up to a factor 1 + O(a), for which the constant leaves room: the tests find it a bound as it stands.
    """
    require_positive(a=a)
    return 128.0 / 49.0 * math.log(8.0 / a)


def first_kind_bounds(complementary: float) -> tuple[float, float, float]:
    """Property F.10's bounds on K(k), k' = sqrt(1 - k^2): log(4/k') and (1 + k'^2/4, 5/4 coarsely) times it."""
    require_positive(complementary=complementary)
    log = math.log(4.0 / complementary)
    return log, (1.0 + complementary**2 / 4.0) * log, 1.25 * log


@dataclass(frozen=True, eq=False)
class Quadrature:
    """Nodes and weights for integrals over -pi to pi of even functions with features of some width around zero.

    Attributes:
        frequencies: nodes in (0, pi), ascending, shape (n,).
        weights: weights of both halves, shape (n,); they sum to 2 pi.
    """

    frequencies: Array
    weights: Array

    @classmethod
    def graded(cls, width: float, panels: int = 48, order: int = 16) -> "Quadrature":
        """Gauss-Legendre panels in x of `omega = width sinh(x asinh(pi/width))`, as fine at zero as the width.

        Args:
            width: the smallest of the dampings nu and eta lambda in the integrand.
            panels, order: number of panels and nodes in each; the default leaves errors near 1e-14.
        """
        require_positive(width=width, panels=panels, order=order)
        nodes, weights = np.polynomial.legendre.leggauss(order)
        x = ((np.arange(panels)[:, None] + 0.5 + 0.5 * nodes) / panels).ravel()
        scale = math.asinh(math.pi / width)
        slope = width * scale * np.cosh(x * scale)
        return cls(width * np.sinh(x * scale), np.tile(weights / panels, panels) * slope)

    def integrate(self, values: Array) -> Array:
        """Returns the integral over -pi to pi of a function given at the nodes, along the last axis."""
        total: Array = values @ self.weights
        return total
