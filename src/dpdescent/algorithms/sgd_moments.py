"""Exact risk of one pass of (mini-batch) SGD on Gaussian records where nothing is clipped, without any run.

Records are x ~ N(0, H) with H = diag(lam) and y = <x, w*> + z, where z is independent of x with variance sigma^2; every
step takes b new ones. The errors e_t = w_t - w* then follow

    e_{t+1} = B_t e_t + eta nu_t,   B_t = I - (eta / b) sum x x',   Cov nu_t = sigma^2 H / b + noise_variance I,

where B_t and nu_t are independent of e_t. Because E[x x' C x x'] = 2 H C H + Tr(H C) H, the second moments v_{t,i} = E
e_{t,i}^2 follow a recursion of their own, and E[e_{u,i} e_{t,i}] = (1 - eta lam_i)^{u-t} v_{t,i} for u >= t
(varshney2022 App. A, B, where they are only bounded). The law holds only for Gaussian covariates, because others have
other fourth moments.

Excess risk is 1/2 E |w - w*|_H^2, for the population loss 1/2 E (y - <x, w>)^2. Where steps are too large the moments
grow without bound and overflow to infinity.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpdescent.checks import require_non_negative, require_positive

Array = NDArray[np.float64]

# Number of steps above which, for constant noise, powers of the step's matrix are cheaper than a loop; for small d
# only.
LOOP_STEPS = 20_000
POWER_DIMENSION = 100


def second_moments(
    lam: ArrayLike, start: ArrayLike, eta: float, batch: int, sigma: float, noise_variance: ArrayLike, steps: int
) -> Array:
    """Second moments v_{t,i} = E (w_t - w*)_i^2 for t = 0..T, shape (T + 1, d), computed step by step.

    Args:
        lam: eigenvalues of H, positive, shape (d,).
        start: w_0 - w*, shape (d,).
        eta: step size.
        batch: b, the number of records per step; 1 is DP-SSGD.
        sigma: sd of the label noise.
        noise_variance: variance of the privacy noise on each coordinate of the mean gradient, (2 alpha zeta_t / b)^2:
            one number, or one per step, shape (T,).
        steps: number of steps T.

    Raises:
        ValueError: if an argument is out of its range or has the wrong shape.
    """
    lam, start, noise = _checked(lam, start, eta, batch, sigma, noise_variance, steps)
    v = np.empty((steps + 1, len(lam)))
    v[0] = start**2
    kept, mixed, fresh = _step(lam, eta, batch, sigma)
    for t, variance in enumerate(np.broadcast_to(noise, (steps,))):
        v[t + 1] = kept * v[t] + mixed * (lam @ v[t]) + fresh + eta**2 * variance
    return v


def last_risk(
    lam: ArrayLike, start: ArrayLike, eta: float, batch: int, sigma: float, noise_variance: ArrayLike, steps: int
) -> float:
    """Exact excess risk of the last iterate w_T; arguments as for `second_moments`."""
    return tail_risk(lam, start, eta, batch, sigma, noise_variance, steps, 1)


def tail_risk(
    lam: ArrayLike, start: ArrayLike, eta: float, batch: int, sigma: float, noise_variance: ArrayLike, steps: int,
    tail: int,
) -> float:  # fmt: skip
    """Exact excess risk of the mean of the last `tail` iterates of w_1..w_T; other arguments as for `second_moments`.

    Raises:
        ValueError: if an argument is out of its range or has the wrong shape, or `tail` is not between 1 and T.
    """
    lam, start, noise = _checked(lam, start, eta, batch, sigma, noise_variance, steps)
    if not 1 <= tail <= steps:
        raise ValueError(f"tail={tail} must lie between 1 and steps={steps}: it counts iterates of w_1..w_T")
    if noise.ndim == 0 and steps > LOOP_STEPS and len(lam) <= POWER_DIMENSION:
        return _risk_by_powers(lam, start, eta, batch, sigma, float(noise), steps, tail)
    v = second_moments(lam, start, eta, batch, sigma, noise, steps)[steps - tail + 1 :]
    return _risk_of_mean(lam, eta, v)


def _risk_of_mean(lam: Array, eta: float, v: Array) -> float:
    """Excess risk of the mean of consecutive iterates with second moments v, shape (k, d), from sums over pairs."""
    tail = len(v)
    powers = (1.0 - eta * lam) ** np.arange(1, tail)[:, None]
    after = np.zeros_like(v)
    after[:-1] = np.cumsum(powers, axis=0)[::-1]
    return float((v * (1.0 + 2.0 * after)).sum(axis=0) @ lam) / (2.0 * tail**2)


def _risk_by_powers(
    lam: Array, start: Array, eta: float, batch: int, sigma: float, variance: float, steps: int, tail: int
) -> float:
    """Excess risk of the tail mean at constant noise, by powers of the linear map of (v, s, total, 1), length 2 d + 2.

    Here s_t is the sum of E[e_u e_t] over u <= t in the tail, and total is the sum of lam (2 s_t - v_t) over t in the
    tail.
    """
    d = len(lam)
    kept, mixed, fresh = _step(lam, eta, batch, sigma)
    step = np.zeros((2 * d + 2, 2 * d + 2))
    step[:d, :d] = np.diag(kept) + np.outer(mixed, lam)
    step[:d, -1] = fresh + eta**2 * variance
    step[-1, -1] = 1.0
    state = np.append(start**2, np.zeros(d + 2))
    state[-1] = 1.0
    state = np.linalg.matrix_power(step, steps - tail) @ state
    step[d : 2 * d] = step[:d]
    step[d : 2 * d, d : 2 * d] = np.diag(1.0 - eta * lam)
    # 2 s' - v' with s' = (1 - eta lam) s + v' is written as a sum, because a difference could cancel.
    step[2 * d] = lam @ step[:d]
    step[2 * d, d : 2 * d] = 2.0 * lam * (1.0 - eta * lam)
    step[2 * d, 2 * d] = 1.0
    state = np.linalg.matrix_power(step, tail) @ state
    return float(state[2 * d]) / (2.0 * tail**2)


def _step(lam: Array, eta: float, batch: int, sigma: float) -> tuple[Array, Array, Array]:
    """Factors of v and of <lam, v>, and the variance that the label noise adds per step, each of shape (d,)."""
    kept = 1.0 - 2.0 * eta * lam + (eta * lam) ** 2 * (batch + 1) / batch
    mixed = eta**2 * lam / batch
    return kept, mixed, mixed * sigma**2


def _checked(
    lam: ArrayLike, start: ArrayLike, eta: float, batch: int, sigma: float, noise_variance: ArrayLike, steps: int
) -> tuple[Array, Array, Array]:
    """The arguments as arrays, after a check of their ranges and shapes."""
    lam, start = np.asarray(lam, dtype=np.float64), np.asarray(start, dtype=np.float64)
    noise = np.asarray(noise_variance, dtype=np.float64)
    require_positive(eta=eta, steps=steps, lam=lam.min(initial=np.inf))
    require_non_negative(sigma=sigma, noise_variance=noise.min(initial=np.inf))
    if not batch >= 1:
        raise ValueError(f"batch={batch} must be at least 1")
    if lam.ndim != 1 or not len(lam) or start.shape != lam.shape:
        raise ValueError(f"lam of shape {lam.shape} and start of shape {start.shape} must both have shape (d,)")
    if noise.shape not in ((), (steps,)):
        raise ValueError(f"noise_variance of shape {noise.shape} must be one number or have shape (steps={steps},)")
    return lam, start, noise
