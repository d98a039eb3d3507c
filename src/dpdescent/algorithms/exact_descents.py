"""Descents whose sums over records a machine computes exactly, one run at a time, for real releases.

The algorithms are those of `dp_gd`, `preconditioned_dp_gd`, `dp_2s_gd`, `dp_iv_gd` and `reduced_form`, in plain steps
over all records, and that of `dp_ambssgd`, over batches. The usual engines may add a correction for clipping to a sum
over all records. That is no sum of vectors within the bound, and a single record can change its rounding by any amount.
Here a record's gradient is computed from the record and released numbers alone, number by number, and clipped;
`exact_sums` does the rest.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_ambssgd, dp_iv_gd, preconditioned_dp_gd, preconditioning, reduced_form
from dpdescent.algorithms.sgd_arms import SGDArm
from dpdescent.data.iv import IVSample
from dpdescent.exact_sums import noisy_counts, noisy_moment, noisy_sum, product
from dpdescent.privacy.clipping import clip_factors, row_norms
from dpdescent.randomness import secure_generator

Array = NDArray[np.float64]


def linear(
    X: Array, y: Array, step_size: float, clip_norm: float, noise_sds: Array
) -> tuple[Array, float]:  # fmt: skip
    """One run of DP-GD from zero, as in `dp_gd.descend`.

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
        gradient, clipped = _noisy_mean(X, _residuals(X, theta, y), clip_norm, noise_sd)
        theta = theta - step_size * gradient[:, 0]
        path.append(theta)
        over += clipped
    return np.array(path), over / (len(X) * len(path))


def preconditioned(X: Array, y: Array, settings: preconditioned_dp_gd.Settings) -> preconditioned_dp_gd.Descent:
    """One run of preconditioned DP-GD from zero, as in `preconditioned_dp_gd.descend`."""
    bounded = preconditioning.bounded(X, settings.bound)
    white = whiten(bounded, settings.bound, settings.moment_share * settings.rho)
    sds = np.array(settings.noise_sds(len(X)))
    path, share = linear(product(bounded, white.transform), y, settings.eta, settings.gamma, sds)
    return preconditioned_dp_gd.Descent(path @ white.transform, white.moment, share)


def whiten(X: Array, bound: float, rho: float) -> preconditioning.Whitening:
    """Whitened coordinates of records within a bound, as in `preconditioning.whiten`."""
    n, p = X.shape
    release = preconditioning.moment_release(n, p, bound, rho)
    moment = noisy_moment(X, bound, n * Fraction(release.noise_sd)) / n
    return preconditioning.Whitening(moment, preconditioning.transform(moment, release.noise_sd), release)


def two_stage(
    Z: Array, X: Array, y: Array, step_sizes: tuple[float, float], clip_norms: tuple[float, float],
    noise_sds: tuple[float, float], steps: int,
) -> tuple[Array, Array, float]:  # fmt: skip
    """One run of DP-2S-GD from zero, as in `dp_2s_gd.descend`: both stages step at once.

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
        second, clipped2 = _noisy_mean(W, _residuals(W, beta, y), clip_norms[1], noise_sds[1])
        Theta, beta = Theta - step_sizes[0] * first, beta - step_sizes[1] * second[:, 0]
        Thetas.append(Theta)
        betas.append(beta)
        over += clipped1 + clipped2
    return np.array(Thetas), np.array(betas), over / (2 * len(Z) * steps)


def instrumental(sample: IVSample, settings: dp_iv_gd.Settings, held: Array | None = None) -> dp_iv_gd.Descent:
    """One run of DP-IV-GD from zero, as in `dp_iv_gd.descend`; `held` is a released Theta, shape (q, p)."""
    Z, X, y = sample.Z, sample.X, sample.y
    share = 0.0
    if held is None:
        path, share = _held(Z, X, settings.eta, settings.gamma1, settings.lambda1, settings.steps1, settings.kept1)
        held = path.mean(axis=0)
    P, scale = dp_iv_gd.preconditioner(held[None], settings)
    W = product(Z, held / scale[0])
    beta, betas, over = np.zeros(sample.p), [], 0
    for _ in range(settings.steps2):
        gradient, clipped = _noisy_mean(W, _residuals(X, beta, y), settings.gamma2, settings.lambda2)
        beta = beta - settings.alpha * (P[0] @ gradient[:, 0])
        betas.append(beta)
        over += clipped
    mean = np.mean(betas[settings.burn_in :], axis=0)
    gradients, _ = _clipped(W, _residuals(X, mean, y), settings.gamma2)
    moment = noisy_moment(gradients, settings.gamma2, len(Z) * Fraction(settings.moment_sd)) / len(Z)
    return dp_iv_gd.Descent(
        held[None], scale, P, np.array(betas)[:, None], mean[None], moment[None], np.array([share]),
        np.array([over / (len(Z) * len(betas))]),
    )  # fmt: skip


def first_and_reduced(sample: IVSample, settings: reduced_form.Settings) -> reduced_form.Released:
    """One run of first stage and reduced form from zero, as in `reduced_form.descend`."""
    Z, n = sample.Z, len(sample.Z)
    columns = np.column_stack([sample.X, sample.y / settings.unit])
    path, share = _held(
        Z, columns, settings.eta, settings.gamma, settings.noise_sd, settings.steps, settings.kept
    )  # fmt: skip
    D = path.mean(axis=0)
    # The columns of a gradient follow each other.
    gradients, _ = _clipped(product(Z, D) - columns, Z, settings.gamma)
    moment = noisy_moment(gradients, settings.gamma, n * Fraction(settings.moment_sd)) / n
    return reduced_form.Released(D[None], moment[None], path[None], np.array([share]))


def batched(X: Array, y: Array, steps: int, arm: SGDArm, tail: float) -> dp_ambssgd.Runs:
    """One run of DP-AMBSSGD from zero, as in `dp_ambssgd.descend` over `dp_ambssgd.batches_of`.

    The account requires that the batches are disjoint and drawn without the data, but not that they are secret.

    Args:
        X, y: covariates and responses, shapes (n, d) and (n,).
        steps: T, number of batches.
        arm: settings, with a search for thresholds over records that the gradient does not use.
        tail: share of the iterates, the last ones, that is averaged.
    """
    clipping = arm.clipping
    if isinstance(clipping, dp_ambssgd.Fixed) or clipping.overlap or clipping.shared:
        raise ValueError(f"clipping={clipping} has no exact run: take Adaptive(search, stat_size, scale)")
    w, s = np.zeros(X.shape[1]), clipping.stat_size
    path, measured = [w], []
    for rows, labels in dp_ambssgd.batches_of(X, y[:, None], steps, secure_generator()):
        b, residuals = arm.gradient_size(len(rows)), _residuals(rows, w, labels[:, 0])
        counts = noisy_counts(clipping.search.counts(residuals[:s, 0]), Fraction(clipping.search.noise_sd))
        # Zeros instead of normals, because the counts have their noise already.
        zeta = clipping.scale * float(clipping.search.select(counts, np.zeros(clipping.search.levels), s))
        gradient, clipped = _noisy_mean(rows[s:], residuals[s:], zeta, arm.noise_sd(zeta, b))
        w = w - arm.eta * gradient[:, 0]
        path.append(w)
        measured.append([zeta, clipped / b, float(np.sqrt(np.mean(residuals[s:] ** 2)))])
    kept = path[-dp_ambssgd.tail_length(tail, steps) :]
    return dp_ambssgd.Runs(np.mean(kept, axis=0)[None], np.array(path)[:, None], *np.array(measured).T[:, :, None])


def _held(
    Z: Array, X: Array, step_size: float, clip_norm: float, noise_sd: float, steps: int, kept: int
) -> tuple[Array, float]:  # fmt: skip
    """The last iterates of a first stage from zero, shape (kept, q, p), and the share of clipped gradients."""
    Theta, path, over = np.zeros((Z.shape[1], X.shape[1])), [], 0
    for _ in range(steps):
        gradient, clipped = _noisy_mean(Z, product(Z, Theta) - X, clip_norm, noise_sd)
        Theta = Theta - step_size * gradient
        path.append(Theta)
        over += clipped
    return np.array(path[-kept:]), over / (len(Z) * steps)


def _residuals(X: Array, theta: Array, y: Array) -> Array:
    """Residuals of one outcome, shape (n, 1)."""
    return (product(X, theta) - y)[:, None]


def _noisy_mean(rows: Array, residuals: Array, clip_norm: float, noise_sd: float) -> tuple[Array, int]:
    """Noisy mean of clipped gradients `x v'` of rows x and residuals v, shape (q, p), and the number clipped."""
    n, shape = len(rows), (rows.shape[1], residuals.shape[1])
    gradients, clipped = _clipped(rows, residuals, clip_norm)
    return noisy_sum(gradients, clip_norm, n * Fraction(noise_sd)).reshape(shape) / n, clipped


def _clipped(rows: Array, residuals: Array, clip_norm: float) -> tuple[Array, int]:
    """Clipped gradients `x v'`, one per row, shape (n, q p), and the number of clipped ones.

    A gradient that overflows is not finite and counts as zero.
    """
    factors = clip_factors(row_norms(rows) * row_norms(residuals), clip_norm)
    gradients = rows[:, :, None] * (residuals * factors[:, None])[:, None, :]
    return gradients.reshape(len(rows), -1), int((factors < 1.0).sum())
