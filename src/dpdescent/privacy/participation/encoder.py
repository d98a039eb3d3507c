"""Encoder C of the noise Z_t - lambda Z_(t-1): `C_(t,u) = lambda^(t - u)` for u <= t (wang2026 eq. 25).

A record takes part in the steps that y in {0, 1}^T marks. It moves the encoded sums by at most the norm of `C y`,
whatever the directions of its gradients, because no entry of C is negative.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter

Array = NDArray[np.float64]


def encode(y: ArrayLike, lam: float) -> Array:
    """The encoded vector C y of y, shape (..., T), by the recursion `(C y)_t = lam (C y)_(t-1) + y_t`."""
    require_correlation(lam)
    return np.asarray(lfilter([1.0], [1.0, -lam], np.asarray(y, dtype=np.float64)), dtype=np.float64)


def column_sum(T: ArrayLike, lam: float) -> Array:
    """Sum `(1 - lam^T) / (1 - lam)` of the first column of C, the bound of wang2026 Lemma F.11 on its norm; T >= 0."""
    require_correlation(lam)
    steps = np.asarray(T, dtype=np.float64)
    if lam == 0.0:
        return np.minimum(steps, 1.0)
    return np.asarray(-np.expm1(steps * math.log(lam)) / (1.0 - lam))


def block_norms_squared(T: int, lam: float) -> Array:
    """Squared norms `||C (1^k 0^(T-k))||^2` for k = 0..T, shape (T + 1,).

    They are the largest norms for k participations, because the entries of C are not negative, and columns decrease
    with the distance from the diagonal and are shorter when they begin later.
    """
    k = np.arange(T + 1)
    states = column_sum(k, lam)
    # After the block the state decays by the factor lam per step: sum_{s=1}^{T-k} lam^2s.
    return np.asarray(np.cumsum(states**2) + (lam * states) ** 2 * column_sum(T - k, lam * lam))


def cyclic_norm_squared(T: int, period: int, lam: float) -> float:
    """Squared norm `||C y||^2` for a record in every `period`-th step from the first, the worst batch of a cycle."""
    y = np.zeros(T)
    y[::period] = 1.0
    return float(np.sum(encode(y, lam) ** 2))


def require_correlation(lam: float) -> None:
    """Raises ValueError unless 0 <= lam < 1."""
    if not 0.0 <= lam < 1.0:
        raise ValueError(f"lam={lam} must lie in [0, 1)")


def require_steps(T: int, rate: float, lam: float = 0.0) -> None:
    """Raises ValueError unless there is a step, 0 < rate <= 1 and 0 <= lam < 1."""
    require_correlation(lam)
    if T < 1:
        raise ValueError(f"T={T} must be at least 1")
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate={rate} must lie in (0, 1]")
