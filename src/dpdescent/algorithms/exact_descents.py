"""Descents whose sums over records are exact on a machine, one run each, for releases that are really made.

They are the algorithms of `dp_gd` and `dp_2s_gd` in plain steps over all records. Those engines add what clipping takes
off to sums of all records, which are no sums of vectors within the bound, and whose rounding a record moves as far as
it likes. Here a record's gradient is computed from the record and the iterate alone, by single numbers, and clipped;
`exact_sums` does the rest.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent.exact_sums import noisy_sum, product
from dpdescent.privacy.clipping import clip_factors

Array = NDArray[np.float64]


def linear(
    X: Array, y: Array, step_size: float, clip_norm: float, noise_sds: Array
) -> tuple[Array, float]:  # fmt: skip
    """DP-GD from zero, as `dp_gd.descend` runs it.

    Args:
        X: covariates, shape (n, p).
        y: responses, shape (n,).
        step_size: eta.
        clip_norm: gamma.
        noise_sds: sds of the noise on the mean gradients, shape (T,).

    Returns:
        Iterates 1 to T, shape (T, p), and the share of clipped gradients, which is not released.
    """
    theta, path, over = np.zeros(X.shape[1]), [], 0
    for noise_sd in noise_sds.tolist():
        gradient, clipped = _noisy_mean(X, (product(X, theta) - y)[:, None], clip_norm, noise_sd)
        theta = theta - step_size * gradient[:, 0]
        path.append(theta)
        over += clipped
    return np.array(path), over / (len(X) * len(path))


def two_stage(
    Z: Array, X: Array, y: Array, step_sizes: tuple[float, float], clip_norms: tuple[float, float],
    noise_sds: tuple[float, float], steps: int,
) -> tuple[Array, Array, float]:  # fmt: skip
    """DP-2S-GD from zero, as `dp_2s_gd.descend` runs it: both stages step at once.

    Args:
        Z, X, y: instruments, regressors and outcomes, shapes (n, q), (n, p) and (n,).
        step_sizes: eta and alpha.
        clip_norms: gamma1 and gamma2.
        noise_sds: sds of the noise on the mean gradients of both stages.
        steps: T.

    Returns:
        Iterates 0 to T of both stages, shapes (T + 1, q, p) and (T + 1, p), and the share of clipped gradients.
    """
    Theta, beta, over = np.zeros((Z.shape[1], X.shape[1])), np.zeros(X.shape[1]), 0
    Thetas, betas = [Theta], [beta]
    for _ in range(steps):
        W = product(Z, Theta)
        first, clipped1 = _noisy_mean(Z, W - X, clip_norms[0], noise_sds[0])
        second, clipped2 = _noisy_mean(W, (product(W, beta) - y)[:, None], clip_norms[1], noise_sds[1])
        Theta, beta = Theta - step_sizes[0] * first, beta - step_sizes[1] * second[:, 0]
        Thetas.append(Theta)
        betas.append(beta)
        over += clipped1 + clipped2
    return np.array(Thetas), np.array(betas), over / (2 * len(Z) * steps)


def _noisy_mean(rows: Array, residuals: Array, clip_norm: float, noise_sd: float) -> tuple[Array, int]:
    """Noisy mean of clipped gradients `x v'` of rows x and residuals v, shape (q, p), and how many were clipped.

    A gradient that overflows counts as none, because it is not finite.
    """
    (n, q), p = rows.shape, residuals.shape[1]
    factors = clip_factors(_norms(rows) * _norms(residuals), clip_norm)
    gradients = rows[:, :, None] * (residuals * factors[:, None])[:, None, :]
    total = noisy_sum(gradients.reshape(n, q * p), clip_norm, n * Fraction(noise_sd))
    return total.reshape(q, p) / n, int((factors < 1.0).sum())


def _norms(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
