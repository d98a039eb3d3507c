"""Concentration inequalities of brown2024 (appendix A.2 and A.3, Lemma C.6) as functions of their parameters.

A bound that holds with probability 1 - beta takes beta. Where the paper only says that a constant exists, it is the
argument `constant` with default 1, at which a value has the right order and is no bound.
"""

import math

import numpy as np

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.data.linear import Array, LinearSample


def gaussian_tail(sigma: float, beta: float) -> float:
    """Returns a bound that |x|, x ~ N(0, sigma^2), exceeds with probability at most beta (brown2024 Claim A.8).

    `sigma sqrt(2 ln(2/beta))`.
    """
    require_non_negative(sigma=sigma)
    require_probability(beta=beta)
    return sigma * math.sqrt(2.0 * math.log(2.0 / beta))


def gaussian_norm(trace: float, norm: float, beta: float) -> float:
    """Returns a bound that ||x||, x ~ N(0, Sigma), exceeds with probability at most beta (brown2024 Claim A.9).

    Args:
        trace: tr(Sigma), the expected squared norm.
        norm: ||Sigma||, the largest eigenvalue.
        beta: failure probability.

    Returns:
        `sqrt(trace) + sqrt(2 norm ln(1/beta))`.
    """
    require_non_negative(trace=trace, norm=norm)
    require_probability(beta=beta)
    return math.sqrt(trace) + math.sqrt(2.0 * norm * math.log(1.0 / beta))


def covariance_records(p: int, beta: float, constant: float = 1.0) -> float:
    """Returns the n from which I/2 <= X'X/n <= 2I holds with probability 1 - beta (brown2024 Claim A.10).

    `c (p + ln(1/beta))`.
    """
    require_positive(p=p, constant=constant)
    require_probability(beta=beta)
    return constant * (p + math.log(1.0 / beta))


def sphere_tail(p: int, t: float) -> float:
    """Returns a bound on P(|<u, z>| >= t), u uniform on the unit sphere of R^p, z a unit vector (brown2024 Lemma A.11).

    `exp(-(sqrt(p) - 1) t / 4)`, which is far above `sub_gaussian_sphere_tail`.
    """
    require_positive(p=p)
    require_non_negative(t=t)
    return math.exp(-(math.sqrt(p) - 1.0) * t / 4.0)


def least_squares_bound(*, n: float, p: int, sigma: float, beta: float, constant: float = 1.0) -> float:
    """Returns a bound that ||theta_hat - theta*||^2 exceeds with probability at most beta (brown2024 Claim A.12).

    `c' sigma^2 (p + ln(1/beta)) / n`, for n of at least `covariance_records`.
    """
    require_positive(n=n)
    require_non_negative(sigma=sigma)
    return sigma**2 * covariance_records(p, beta, constant) / n


def least_squares_mean_square(*, n: int, p: int, sigma: float) -> float:
    """Returns E||theta_hat - theta*||^2 for covariates N(0, I): `sigma^2 p / (n - p - 1)`, the mean to Claim A.12.

    It is exact because `(X'X)^{-1}` is inverse Wishart; for covariates N(0, Lambda), p becomes tr(Lambda^{-1}).

    Raises:
        ValueError: unless n > p + 1, because otherwise the mean is infinite.
    """
    require_positive(p=p)
    require_non_negative(sigma=sigma)
    if not n > p + 1:
        raise ValueError(f"n={n} must exceed p + 1 = {p + 1}: least squares has no finite mean square error")
    return sigma**2 * p / (n - p - 1)


def contracted_covariates(sample: LinearSample, eta: float, t: int) -> Array:
    """Returns `(I - eta Sigma)^t x_i` of every record, shape (n, p) (brown2024 Lemma C.6).

    Their law is spherically symmetric, because a rotation of all covariates rotates them and leaves the law of
    Gaussian covariates as it is.

    Raises:
        ValueError: if t is negative.
    """
    require_non_negative(t=t)
    M = np.eye(sample.p) - eta / sample.n * sample.gram.xx
    contracted: Array = sample.X @ np.linalg.matrix_power(M, t)
    return contracted
