"""Formulas that several subjects of brown2024 use: errors on isotropic data, tails of normal vectors.

Errors hold for `Sigma` near the identity, without clipping and from `theta_0 = 0`; they follow from the law of the
iterates (Lemma 2.3). Clipping thresholds are given by their scale, `k = gamma / sqrt(p)`.
"""

import math

from dpdescent.checks import require_non_negative, require_positive, require_probability

# The step size of Lemma 2.6 and Theorem 2.7.
ETA = 0.25
# Bound on ||I - eta Sigma|| in part (i) of Condition 2.4.
CONTRACTION = 7.0 / 8.0


def privacy_constant(*, k: float, T: int, eta: float) -> float:
    """Returns C of the privacy error `C p / (sqrt(rho) n)`: `k sqrt(2 T eta / (2 - eta))` (from brown2024 Lemma 2.3).

    The stationary variance of a coordinate is `eta lambda^2 / (2 - eta)` where Sigma is the identity.
    """
    require_positive(k=k, T=T, eta=eta)
    if not eta < 2.0:
        raise ValueError(f"eta={eta} must be below 2: descent on an isotropic sample does not settle")
    return k * math.sqrt(2.0 * T * eta / (2.0 - eta))


def privacy_error(*, n: float, p: int, rho: float, T: int, eta: float, k: float) -> float:
    """Returns the root mean square of the noise in the last iterate, `C p / (sqrt(rho) n)` (brown2024 Lemma 2.3)."""
    require_positive(n=n, p=p, rho=rho)
    return privacy_constant(k=k, T=T, eta=eta) * p / (math.sqrt(rho) * n)


def sampling_error(*, n: float, p: int, sigma: float) -> float:
    """Returns the root mean square distance of least squares to theta*, to first order: `sigma sqrt(p / n)`."""
    require_positive(n=n, p=p)
    require_non_negative(sigma=sigma)
    return sigma * math.sqrt(p / n)


def remaining_bias(*, T: int, eta: float, start: float = 1.0) -> float:
    """Returns the distance of the mean iterate to least squares after T steps, `|1 - eta|^T start`.

    The distance at the start is ||theta_hat||, about 1 in the paper's designs.
    """
    require_non_negative(T=T, start=start)
    return abs(1.0 - eta) ** T * start


def crossing(*, p: int, rho: float, T: int, eta: float, k: float, sigma: float = 1.0) -> float:
    """Returns the n at which privacy error and sampling error are equal: `n* = p C^2 / (rho sigma^2)`.

    Above it sampling dominates, which brown2024 Sec. 4.1 calls privacy for free.
    """
    require_positive(p=p, rho=rho, sigma=sigma)
    return p * privacy_constant(k=k, T=T, eta=eta) ** 2 / (rho * sigma**2)


def gaussian_tail(sigma: float, beta: float) -> float:
    """Returns a bound that |x|, x ~ N(0, sigma^2), exceeds with probability at most beta (brown2024 Claim A.8)."""
    require_non_negative(sigma=sigma)
    require_probability(beta=beta)
    return sigma * math.sqrt(2.0 * math.log(2.0 / beta))


def gaussian_norm(trace: float, norm: float, beta: float) -> float:
    """Returns a bound that ||x||, x ~ N(0, Sigma), exceeds with probability at most beta (brown2024 Claim A.9).

    `sqrt(tr(Sigma)) + sqrt(2 ||Sigma|| ln(1/beta))`.
    """
    require_non_negative(trace=trace, norm=norm)
    require_probability(beta=beta)
    return math.sqrt(trace) + math.sqrt(2.0 * norm * math.log(1.0 / beta))


def least_squares_mean_square(*, n: int, p: int, sigma: float) -> float:
    """Returns E||theta_hat - theta*||^2 for covariates N(0, I): `sigma^2 p / (n - p - 1)`, the mean to Claim A.12.

    It is exact because `(X'X)^{-1}` is inverse Wishart; for covariates N(0, Lambda), p becomes tr(Lambda^{-1}).
    """
    require_positive(p=p)
    require_non_negative(sigma=sigma)
    if not n > p + 1:
        raise ValueError(f"n={n} must exceed p + 1 = {p + 1}: least squares has no finite mean square error")
    return sigma**2 * p / (n - p - 1)
