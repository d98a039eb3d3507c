"""Bounds on the error that disturbed gradients cause on a strongly convex function (choquettechoo2023 App. E).

Gradient descent `theta_{t+1} = theta_t - eta (g_t + z_t)` reads `G = u Theta - Z` at every frequency, with
`u = (1 - e^{i omega}) / eta`. Gradients of convex functions meet the quadratic constraint (91) for every multiplier
`Lambda = R + i I`, so that `int |Theta|^2 <= int psi |Z|^2` wherever psi makes the 2 x 2 matrix of (93) positive
semidefinite. That matrix is psi times one of rank one, plus a constant: its determinant is linear in psi, and the
smallest psi is a quotient,

    psi = ((L - mu)^2 |Lambda|^2 + 2 R) / (2 R y + 2 (L - mu) I sin(omega) / eta - 1),
    y = mu L + (1 - cos omega) / eta (2/eta - mu - L).

The constraint holds for all convex functions if `Lambda = lambda_0 - sum_{t != 0} lambda_t e^{-i omega t}` with
nonnegative lambda_t and `sum lambda_t <= 2 lambda_0` (sign "minus"). (91) is printed with plus signs (sign "plus"),
which gradients that are not odd can violate. Here psi is the paper's divided by eta^2, as in (10), and even in omega.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import expit

from dpdescent.checks import require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.setting import Array

Complex = NDArray[np.complex128]
SIGNS = {"minus": -1.0, "plus": 1.0}
SOLVED = ("Solved", "AlmostSolved")


@dataclass(frozen=True)
class Descent:
    """Gradient descent on mu-strongly convex and L-smooth functions.

    Attributes:
        eta: learning rate, at most 2/(mu + L), below which every step contracts.
        mu, L: smallest and largest curvature.
    """

    eta: float
    mu: float
    L: float

    def __post_init__(self) -> None:
        require_positive(eta=self.eta, mu=self.mu, L=self.L)
        if self.mu > self.L:
            raise ValueError(f"mu={self.mu:g} must not exceed L={self.L:g}")
        if self.eta > 2.0 / (self.mu + self.L):
            raise ValueError(f"eta={self.eta:g} must not exceed 2/(mu + L) = {2.0 / (self.mu + self.L):g}: lower it")

    def inverse(self, frequencies: Array) -> Complex:
        """`u = (1 - e^{i omega}) / eta`, the inverse of the descent's transfer function, shape (n,)."""
        half = 0.5 * frequencies
        # 1 - cos(omega) as 2 sin^2(omega/2), which does not cancel at small frequencies.
        value: Complex = -2j * np.sin(half) * np.exp(1j * half) / self.eta
        return value

    def stiffness(self, frequencies: Array) -> Array:
        """`y - mu L`, which is not negative, shape (n,)."""
        value: Array = 2.0 * np.sin(0.5 * frequencies) ** 2 / self.eta * (2.0 / self.eta - self.mu - self.L)
        return value


@dataclass(frozen=True, eq=False)
class Multiplier:
    """The multiplier (lambda_t) of choquettechoo2023 Theorem E.1.

    Attributes:
        lambdas: values for t = -T_max..T_max, nonnegative and in sum at most 2 lambda_0, shape (2 T_max + 1,).
        sign: sign of the terms t != 0 in Lambda, "minus" or "plus".
    """

    lambdas: Array
    sign: str = "minus"

    def __post_init__(self) -> None:
        _require_sign(self.sign)
        if self.lambdas.ndim != 1 or len(self.lambdas) % 2 == 0:
            raise ValueError(f"lambdas {self.lambdas.shape} must have shape (2 T_max + 1,), lags from -T_max to T_max")
        largest = 2.0 * self.lambdas[self.T_max] * (1.0 + 1e-12)
        if not ((self.lambdas >= 0.0).all() and self.lambdas.sum() <= largest):
            raise ValueError(f"lambdas={self.lambdas} must be nonnegative with a sum of at most 2 lambda_0")

    @property
    def T_max(self) -> int:
        return len(self.lambdas) // 2

    def transform(self, frequencies: Array) -> Complex:
        """Lambda, the transform of the multiplier, shape (n,)."""
        value: Complex = _waves(frequencies, self.T_max, self.sign) @ self.lambdas
        return value

    def psi(self, descent: Descent, frequencies: Array) -> Array:
        """The smallest psi that the multiplier allows, shape (n,).

        Raises:
            ValueError: if it allows none at some frequency.
        """
        Lambda = self.transform(frequencies)
        R, I, spread = Lambda.real, Lambda.imag, descent.L - descent.mu
        y = descent.mu * descent.L + descent.stiffness(frequencies)
        room = 2.0 * R * y + 2.0 * spread * I * np.sin(frequencies) / descent.eta - 1.0
        if not (room > 0.0).all():
            raise ValueError(f"lambdas={self.lambdas} allow no psi at omega={frequencies[~(room > 0.0)][0]:g}")
        value: Array = (spread**2 * (R**2 + I**2) + 2.0 * R) / room
        return value


def static_multiplier(descent: Descent, frequencies: Array, costs: Array) -> Multiplier:
    """The lambda_0 whose psi has the smallest `sum costs psi`, all other lambda_t zero.

    With q = 1/(2 lambda_0), `psi = (1 + (L - mu)^2/(4q)) / (y - q)` for q in (0, mu L): the only minimum of a convex
    function of lambda_0, found on a logistic scale. For mu = L, q tends to zero and psi to the exact `1/|u - mu|^2`.
    """
    curvature, spread = descent.mu * descent.L, descent.L - descent.mu
    above = descent.stiffness(frequencies)

    def cost(s: float) -> float:
        total = float(costs @ (1.0 / (above + curvature * expit(-s))))
        return total * (1.0 + spread**2 / (4.0 * curvature * float(expit(s))))

    search = minimize_scalar(cost, bounds=(-30.0, 30.0), method="bounded", options={"xatol": 1e-9})
    return Multiplier(np.array([0.5 / (curvature * float(expit(search.x)))]))


def best_multiplier(
    descent: Descent, frequencies: Array, costs: Array, *, T_max: int, sign: str = "minus"
) -> Multiplier:  # fmt: skip
    """The multiplier up to lag T_max whose psi has the smallest `sum costs psi`.

    Args:
        descent: learning rate and curvatures.
        frequencies, costs: points in [0, pi] and positive weights, shape (n,). The points must be dense beside
            2 pi / T_max, because psi has no condition between them.
        T_max: largest lag; 0 takes the closed form.
        sign: "minus" or "plus".
    """
    _require_sign(sign)
    require_non_negative(T_max=T_max)
    # Where all curvatures are equal the static psi is the smallest of all, reached as lambda_0 tends to infinity.
    if T_max == 0 or descent.mu == descent.L:
        return static_multiplier(descent, frequencies, costs)
    return conic_multiplier(descent, frequencies, costs, T_max=T_max, sign=sign)


def conic_multiplier(descent: Descent, frequencies: Array, costs: Array, *, T_max: int, sign: str) -> Multiplier:
    """The best multiplier by the second-order cone programme of choquettechoo2023 App. E.1, for T_max >= 0, mu < L.

    Unknowns are psi divided by the static psi and lambda divided by the static lambda_0, because without that and the
    scaling of `_cone_rows` the solver fails at large kappa.
    """
    static = static_multiplier(descent, frequencies, costs)
    unit, scale = static.psi(descent, frequencies), float(static.lambdas[0])
    constant, of_psi, of_R, of_I = _cone_rows(descent, frequencies, unit, scale)
    waves = _waves(frequencies, T_max, sign)
    n, lags = waves.shape
    of_lambdas = of_R[:, :, None] * waves.real[:, None, :] + of_I[:, :, None] * waves.imag[:, None, :]
    # Rows: lambda_t >= 0, then lambda_0 >= sum of the others, then four for the cone of each frequency.
    signs = np.vstack([np.eye(lags), -1.0 + 2.0 * (np.arange(lags) == T_max)])
    psi_columns = sparse.vstack([sparse.csc_matrix((lags + 1, n)), sparse.block_diag(list(of_psi[:, :, None]))])
    lambda_columns = sparse.csc_matrix(np.vstack([signs, of_lambdas.reshape(4 * n, lags)]))
    rows = sparse.hstack([psi_columns, lambda_columns], format="csc")
    offsets = np.concatenate([np.zeros(lags + 1), constant.ravel()])
    objective = np.concatenate([costs * unit / (costs @ unit), np.zeros(lags)])
    cones = [clarabel.NonnegativeConeT(lags + 1), *(clarabel.SecondOrderConeT(4) for _ in range(n))]
    nothing = sparse.csc_matrix((n + lags, n + lags))
    solution = clarabel.DefaultSolver(nothing, objective, -rows, offsets, cones, _solver_settings()).solve()
    if str(solution.status) not in SOLVED:
        raise RuntimeError(f"no multiplier found for {descent}, T_max={T_max}, sign={sign!r}: {solution.status}")
    return _projected(scale * np.array(solution.x[n:]), sign)


def _cone_rows(descent: Descent, frequencies: Array, unit: Array, scale: float) -> Array:
    """(93) at each frequency as `|(a - c, 2 Re b, 2 Im b)| <= a + c` for a Hermitian matrix (a, b; b*, c).

    In (Theta, G - mu Theta), where `a = psi |u - mu|^2 - 1`, `b = -psi (u - mu)* - (L - mu) Lambda*` and
    `c = psi + 2 R`: nothing cancels there, neither as kappa tends to 1 nor as it grows.

    Returns:
        Coefficients of 1, psi/unit, R/scale and I/scale in the rows of the cones, shape (4, n, 4).
    """
    u, spread = descent.inverse(frequencies) - descent.mu, descent.L - descent.mu
    one, zero = np.ones_like(frequencies), np.zeros_like(frequencies)
    sizes = np.array([one, unit, scale * one, scale * one])
    a = sizes * np.array([-one, np.abs(u) ** 2, zero, zero])
    b = sizes * np.array([zero, -u.conj(), -spread * one, 1j * spread * one])
    c = sizes * np.array([zero, one, 2.0 * one, zero])
    # Diagonals of one at psi = 2 unit, R = scale, I = 0: well inside, where no diagonal nearly vanishes.
    inside = np.array([1.0, 2.0, 1.0, 0.0])
    a_scale, c_scale = inside @ a, inside @ c
    a, b, c = a / a_scale, b / np.sqrt(a_scale * c_scale), c / c_scale
    return np.stack([a + c, a - c, 2.0 * b.real, 2.0 * b.imag], axis=-1)


def _solver_settings() -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    # One solver and one thread, because others round differently.
    settings.direct_solve_method = "qdldl"
    settings.max_threads = 1
    return settings


def _projected(lambdas: Array, sign: str) -> Multiplier:
    """Returns a multiplier nearby that meets its constraints exactly; psi remains finite as lambda_0 grows."""
    lambdas, centre = np.maximum(lambdas, 0.0), len(lambdas) // 2
    lambdas[centre] = max(lambdas[centre], lambdas.sum() - lambdas[centre])
    return Multiplier(lambdas, sign)


def _waves(frequencies: Array, T_max: int, sign: str) -> Complex:
    """Returns the factors of lambda_t in Lambda, shape (n, 2 T_max + 1)."""
    lags = np.arange(-T_max, T_max + 1)
    waves: Complex = np.exp(-1j * np.outer(frequencies, lags)) * np.where(lags == 0, 1.0, SIGNS[sign])
    return waves


def _require_sign(sign: str) -> None:
    if sign not in SIGNS:
        raise ValueError(f"sign={sign!r} is unknown: take one of {[*SIGNS]}")


def certified_share(path: Array, gradients: Array, multiplier: Multiplier, descent: Descent) -> float:
    """The mean square that (90) to (92) certify for a path that is repeated for ever, divided by the path's own.

    A share below 1 refutes the multiplier: the path solves the descent under the disturbance that it is certified for.
    """
    frequencies = 2.0 * np.pi * np.arange(len(path)) / len(path)
    disturbance = descent.inverse(frequencies) * np.fft.fft(path) - np.fft.fft(gradients)
    certified = multiplier.psi(descent, frequencies) @ np.abs(disturbance) ** 2
    return float(certified / np.sum(np.abs(np.fft.fft(path)) ** 2))


def multiplier_form(
    path: Array, gradients: Array, lambdas: Sequence[float] | Array, mu: float, L: float, sign: str = "minus"
) -> float:  # fmt: skip
    """Half the integral of (91) divided by 2 pi, in the time domain; the proof of Theorem E.1 needs it nonnegative.

    `sum_t +-lambda_t sum_s <L theta_s - g_s, g_{s+t} - mu theta_{s+t}>`, with sign + at t = 0, for a path that is zero
    before and after.

    Args:
        path, gradients: theta_s and the gradients there, shape (n,) or (n, d).
        lambdas: those of a `Multiplier`.
        mu, L: smallest and largest curvature of the function.
        sign: "minus" or "plus", of the terms t != 0.
    """
    weights = Multiplier(np.asarray(lambdas, dtype=np.float64), sign)
    left, right = L * path - gradients, gradients - mu * path
    total = 0.0
    for lag, weight in enumerate(weights.lambdas, start=-weights.T_max):
        first, second = (left[: len(left) - lag], right[lag:]) if lag >= 0 else (left[-lag:], right[:lag])
        total += (1.0 if lag == 0 else SIGNS[sign]) * weight * float(np.sum(first * second))
    return total
