"""The regression problem of varshney2022, and what the moments of Gaussian records really are.

H = diag(lam); covariates have independent coordinates. K2 = sqrt(2) makes the paper's tail bound (4) true for normal
ones at every beta, where Definition 2.1 (3) cannot be met as printed: E exp(something not negative) <= 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2

from dpdescent.checks import require_non_negative, require_positive, require_probability

Array = NDArray[np.float64]

# K2 of the normal distribution: P(<x, v>^2 > K2^2 <v, H v> log(1/beta)) <= beta.
NORMAL_K2 = math.sqrt(2.0)


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Linear regression y = <x, w*> + z with E x x' = diag(lam), z independent of x.

    Attributes:
        lam: eigenvalues of H, positive, shape (d,).
        w_star: w*, shape (d,).
        sigma: sd of z.
        records: N.
        a: exponent of the tails: 1/2 sub-Gaussian, 1 sub-exponential (varshney2022 Def. 2.1).
        k2: K2 of the tails.
        fourth: E x_i^4 / lam_i^2, 3 for normal covariates.

    Raises:
        ValueError: if shapes differ, or a number is out of its range.
    """

    lam: Array
    w_star: Array
    sigma: float
    records: float
    a: float = 0.5
    k2: float = NORMAL_K2
    fourth: float = 3.0

    def __post_init__(self) -> None:
        if self.lam.ndim != 1 or not len(self.lam) or self.w_star.shape != self.lam.shape:
            raise ValueError(f"lam and w_star, of shapes {self.lam.shape} and {self.w_star.shape}, must be (d,) both")
        require_positive(lam=self.lam.min(), a=self.a, k2=self.k2)
        require_non_negative(sigma=self.sigma)
        _require_records(self.records)

    @property
    def dimension(self) -> int:
        """The dimension d."""
        return len(self.lam)

    @property
    def trace(self) -> float:
        """The trace of H."""
        return float(self.lam.sum())

    @property
    def trace_inverse(self) -> float:
        """The trace of the inverse of H."""
        return float((1.0 / self.lam).sum())

    @property
    def largest(self) -> float:
        """The largest eigenvalue of H, |H|."""
        return float(self.lam.max())

    @property
    def mu(self) -> float:
        """Smallest eigenvalue of H."""
        return float(self.lam.min())

    @property
    def kappa(self) -> float:
        """Condition number of H."""
        return self.largest / self.mu

    @property
    def w_norm_squared(self) -> float:
        """|w*|_H^2: twice the risk of the estimate 0."""
        return float(self.lam @ self.w_star**2)

    @property
    def euclidean_norm_squared(self) -> float:
        """The squared Euclidean norm of w*."""
        return float(self.w_star @ self.w_star)

    @property
    def bound_squared(self) -> float:
        """R_x^2, as `input_bound_squared` gives it."""
        return input_bound_squared(self.lam, self.fourth)

    def log_power(self, power: float) -> float:
        """log^power N of this regression's N."""
        return log_power(self.records, power)


def input_bound_squared(lam: ArrayLike, fourth: float = 3.0) -> float:
    """R_x^2, the smallest number with E |x|^2 x x' <= R_x^2 H: `Tr H + (fourth - 1) |H|` (varshney2022 Sec. 2).

    For normal covariates it is Tr H + 2 |H|, so d + 2 where Corollary 3.3 has d.

    Args:
        lam: eigenvalues of H, shape (d,); the coordinates of x are independent with mean zero.
        fourth: E x_i^4 / lam_i^2.

    Raises:
        ValueError: if lam is not positive, or fourth is below 1, which no distribution allows.
    """
    values = np.asarray(lam, dtype=np.float64)
    require_positive(lam=values.min())
    if not fourth >= 1.0:
        raise ValueError(f"fourth={fourth} must be at least 1: E x^4 >= (E x^2)^2")
    return float(values.sum() + (fourth - 1.0) * values.max())


def log_power(records: float, power: float) -> float:
    """Returns log(N)^power."""
    _require_records(records)
    return float(math.log(records) ** power)


def tail_probability_ratio(d: int, beta: float) -> float:
    """P(|x|^2 > d log(1/beta)) / beta for x ~ N(0, I): at most 1 by Definition 2.1 (2); exactly 1 at d = 2."""
    require_positive(d=d)
    require_probability(beta=beta)
    return float(chi2.sf(d * math.log(1.0 / beta), d)) / beta


@dataclass(frozen=True)
class Contraction:
    """Mean effect of B = I - (eta/b) sum of b x x' on squared errors, for normal x; exact and as claimed.

    Attributes:
        in_h: largest eigenvalue of H^-1/2 E[B'HB] H^-1/2.
        claimed_in_h: 1 - eta mu, by which (44) bounds it; Lemma B.5, to which (44) refers, does not show that.
        excess: largest eigenvalue of E[B'B] - (I - eta H), at most 0 by Lemma B.5.
    """

    in_h: float
    claimed_in_h: float
    excess: float


def contraction(lam: ArrayLike, eta: float, batch: float) -> Contraction:
    """`E[B'CB] = C - eta (HC + CH) + eta^2 ((b+1)/b HCH + Tr(HC) H / b)` at C = H and C = I (varshney2022 Lemma B.5).

    Args:
        lam: eigenvalues of H, shape (d,).
        eta: step size.
        batch: b.
    """
    values = np.asarray(lam, dtype=np.float64)
    require_positive(lam=values.min(), eta=eta, batch=batch)
    shared = 1.0 - 2.0 * eta * values + (eta * values) ** 2 * (batch + 1.0) / batch
    in_h = shared + eta**2 * (values @ values) / batch
    excess = shared + eta**2 * values * values.sum() / batch - (1.0 - eta * values)
    return Contraction(float(in_h.max()), 1.0 - eta * float(values.min()), float(excess.max()))


def norm_bound(lam: ArrayLike, records: float) -> float:
    """Public bound |X| of |x|, exceeded with probability 1/N at most (varshney2022 Lemma A.5 at t = log N).

    `|X|^2 = Tr H + 2 sqrt(Tr H^2 log N) + 2 |H| log N`, for normal x.
    """
    values = np.asarray(lam, dtype=np.float64)
    require_positive(lam=values.min())
    log = log_power(records, 1.0)
    return math.sqrt(values.sum() + 2.0 * math.sqrt((values @ values) * log) + 2.0 * values.max() * log)


def label_bound(w_norm: float, sigma: float, records: float) -> float:
    """Public bound |Y| of |y|: `sqrt(2 (|w*|_H^2 + sigma^2) log N)`, exceeded with probability 2/N at most."""
    require_non_negative(w_norm=w_norm, sigma=sigma)
    return math.sqrt(2.0 * (w_norm**2 + sigma**2) * log_power(records, 1.0))


def smallest_records(holds: Callable[[float], bool]) -> float:
    """Smallest N >= 16 from which a condition holds, N real; infinite where there is none below 1e60.

    Args:
        holds: the condition as a function of N. It is taken to hold from the first power of two on where it does, as
            those here do: one side grows as N over a power of log N, the other as powers of log N.
    """
    high = 16.0
    if holds(high):
        return high
    while not holds(high):
        high *= 2.0
        if high > 1e60:
            return math.inf
    low = high / 2.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _require_records(records: float) -> None:
    if not records > math.e:
        raise ValueError(f"records={records} must be at least 3, so that log N > 1")
