"""Formulas of varshney2022 that several subjects use: the regression, moments, noise multipliers, steps.

H = diag(lam); covariates have independent coordinates. K2 = sqrt(2) makes the paper's tail bound (4) true for normal
ones at every beta, where Definition 2.1 (3) cannot be met as printed: E exp(something not negative) <= 1. Risk is
1/2 |w - w*|_H^2. alpha is the sd of the noise divided by the sensitivity of one Gaussian release, under replacement of
a record. An absolute constant that the paper leaves open is an argument with default 1, at which a value has the right
order and is no bound.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.privacy.accounting import tight_rho

Array = NDArray[np.float64]

# K2 of the normal distribution: P(<x, v>^2 > K2^2 <v, H v> log(1/beta)) <= beta.
NORMAL_K2 = math.sqrt(2.0)

# The regression and its moments ----------------------------------------------------------------------------------------


def spectrum(d: int, kappa: float) -> Array:
    """Returns the eigenvalues of H, geometric with condition number kappa and trace d (1 at kappa = 1), shape (d,)."""
    require_positive(d=d)
    if not kappa >= 1.0 or (d == 1 and kappa > 1.0):
        raise ValueError(f"kappa={kappa} must be at least 1, and 1 where d=1: d={d}")
    lam = kappa ** np.linspace(1.0, 0.0, d)
    return np.asarray(lam * (d / lam.sum()))


def true_w(lam: Array, w_norm: float) -> Array:
    """Returns w*, equal in all coordinates, with |w*|_H = w_norm, shape (d,)."""
    require_non_negative(w_norm=w_norm)
    return np.full(len(lam), w_norm / float(lam.sum()) ** 0.5)


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Linear regression y = <x, w*> + z with E x x' = diag(lam), z independent of x.

    Attributes:
        lam: eigenvalues of H, positive, shape (d,).
        w_star: w*, shape (d,).
        sigma: sd of z.
        records: N, which may be real.
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
        return len(self.lam)

    @property
    def trace(self) -> float:
        return float(self.lam.sum())

    @property
    def trace_inverse(self) -> float:
        return float((1.0 / self.lam).sum())

    @property
    def largest(self) -> float:
        return float(self.lam.max())

    @property
    def mu(self) -> float:
        """Smallest eigenvalue of H."""
        return float(self.lam.min())

    @property
    def kappa(self) -> float:
        return self.largest / self.mu

    @property
    def w_norm_squared(self) -> float:
        """|w*|_H^2: twice the risk of the estimate 0."""
        return float(self.lam @ self.w_star**2)

    @property
    def euclidean_norm_squared(self) -> float:
        return float(self.w_star @ self.w_star)

    @property
    def bound_squared(self) -> float:
        """R_x^2 of `input_bound_squared`."""
        return input_bound_squared(self.lam, self.fourth)

    def log_power(self, power: float) -> float:
        """log^power N of the regression's number of records."""
        return log_power(self.records, power)


def input_bound_squared(lam: ArrayLike, fourth: float = 3.0) -> float:
    """Smallest number R_x^2 with E |x|^2 x x' <= R_x^2 H: `Tr H + (fourth - 1) |H|` (varshney2022 Sec. 2).

    For normal covariates it is Tr H + 2 |H|, so d + 2 where Corollary 3.3 has d.

    Raises:
        ValueError: if lam is not positive, or fourth is below 1, which no distribution allows.
    """
    values = np.asarray(lam, dtype=np.float64)
    require_positive(lam=values.min())
    if not fourth >= 1.0:
        raise ValueError(f"fourth={fourth} must be at least 1: E x^4 >= (E x^2)^2")
    return float(values.sum() + (fourth - 1.0) * values.max())


def log_power(records: float, power: float) -> float:
    """Returns log^power N."""
    _require_records(records)
    return float(math.log(records) ** power)


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
    """Smallest real N >= 16 from which on a condition holds; infinite where there is none below 1e60."""
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


# Noise multipliers -----------------------------------------------------------------------------------------------------


def published_multiplier(eps: float, delta: float) -> float:
    """Noise multiplier alpha = sqrt(8 log(1/delta)) / eps of DP-AMBSSGD (varshney2022 Thm 3.6, last form; Cor. 3.8)."""
    log = log_inverse(eps, delta)
    if not eps <= log:
        raise ValueError(f"eps={eps} must not exceed log(1/delta)={log:.6g}: use theorem_multiplier there")
    return math.sqrt(8.0 * log) / eps


@functools.cache
def gaussian_multiplier(eps: float, delta: float) -> float:
    """Smallest alpha with which one Gaussian release is (eps, delta)-private, by the exact conversion."""
    # Cached, because the conversion takes tens of milliseconds and every size of a curve asks for the same one.
    return math.sqrt(0.5 / tight_rho(eps, delta))


def theorem_3_1(eps: float, delta: float, records: float, constant: float = 1.0) -> float:
    """Order of DP-SSGD's alpha: `c3 log(N/delta) / (eps sqrt(N))` (varshney2022 Thm 3.1; Cor. 3.3 with c3 = 1)."""
    require_positive(eps=eps, records=records, constant=constant)
    require_probability(delta=delta)
    return constant * math.log(records / delta) / (eps * math.sqrt(records))


@dataclass(frozen=True)
class EpsilonRanges:
    """Largest eps of DP-SSGD in the three places that print one, each up to a constant.

    Attributes:
        theorem: sqrt(log(N/delta) / N) (varshney2022 Thm 3.1).
        corollary: sqrt(log(1/delta) / N) (varshney2022 Cor. 3.3).
        remark: 1 / sqrt(N) (varshney2022, remark (iii) after Thm 3.2).
    """

    theorem: float
    corollary: float
    remark: float

    @classmethod
    def of(cls, records: float, delta: float) -> "EpsilonRanges":
        """Returns the three ranges at N records and delta."""
        require_positive(records=records)
        require_probability(delta=delta)
        root = math.sqrt(records)
        return cls(math.sqrt(math.log(records / delta)) / root, math.sqrt(math.log(1.0 / delta)) / root, 1.0 / root)


def local_multiplier(eps_local: float, delta_local: float) -> float:
    """Noise multiplier alpha = sqrt(2 log(1.25/delta_0)) / eps_0 of one step of DP-SSGD (varshney2022 Lemma A.1).

    It is the classical Gaussian mechanism, whose proof needs eps_0 < 1; the lemma leaves this out.
    """
    require_probability(eps_local=eps_local, delta_local=delta_local)
    return math.sqrt(2.0 * math.log(1.25 / delta_local)) / eps_local


def log_inverse(eps: float, delta: float) -> float:
    require_positive(eps=eps)
    require_probability(delta=delta)
    return math.log(1.0 / delta)


# Steps and thresholds --------------------------------------------------------------------------------------------------


def theorem_step(lam: Array, batch: float, fourth: float = 3.0) -> float:
    """Step size eta = b / (R_x^2 + (b - 1) |H|) (varshney2022 Thm 3.7)."""
    require_positive(batch=batch)
    return float(batch / (input_bound_squared(lam, fourth) + (batch - 1.0) * lam.max()))


def practical_threshold(problem: LinearProblem, factor: float) -> float:
    """Our threshold zeta = `factor sqrt(Tr H (|w*|_H^2 + sigma^2))`, a multiple of the size of a gradient at w = 0."""
    scale_squared = problem.w_norm_squared + problem.sigma**2
    require_positive(factor=factor, scale_squared=scale_squared)
    return factor * math.sqrt(problem.trace * scale_squared)


@dataclass(frozen=True)
class Parameters:
    """Step size, threshold and noise multiplier of DP-SSGD.

    Attributes:
        eta: step size.
        zeta: clipping threshold.
        alpha: noise multiplier.
    """

    eta: float
    zeta: float
    alpha: float

    @property
    def noise_variance(self) -> float:
        """Variance 4 zeta^2 alpha^2 of the noise on a coordinate of a gradient."""
        return 4.0 * self.zeta**2 * self.alpha**2
