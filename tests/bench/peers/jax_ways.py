"""The workloads in JAX, compiled; per-sample gradients by jax-privacy where it serves, of rank one where one knows."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import clipping

from dpdescent.algorithms.dp_2s_gd import TwoStageArms
from dpdescent.data.iv import IVSample
from peers import KanData

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnames=("gamma", "eta"))
def _dp_gd(X, y, gamma, noise, eta):
    def loss(theta, x, target):
        return 0.5 * (x @ theta - target) ** 2

    clipped = clipping.clipped_grad(loss, l2_clip_norm=gamma, batch_argnums=(1, 2), keep_batch_dim=False,
                                    normalize_by=len(y))  # fmt: skip

    def step(theta, z):
        return theta - eta * (clipped(theta, X, y) - z), None

    return jax.lax.scan(step, jnp.zeros(X.shape[1]), noise)[0]


def dp_gd(X: np.ndarray, y: np.ndarray, gamma: float, noise: np.ndarray, eta: float) -> np.ndarray:
    return np.asarray(_dp_gd(X, y, gamma, noise, eta))


@jax.jit
def _two_stage(Z, X, y, eta, alpha, gamma1, gamma2, lambda1, lambda2, stage1, stage2):
    z_norm, n = jnp.linalg.norm(Z, axis=1), len(y)

    def step(state, noise):
        Theta, beta = state
        V = Z @ Theta
        first, residual = V - X, V @ beta - y
        factor1 = jnp.minimum(1.0, gamma1 / jnp.maximum(z_norm * jnp.linalg.norm(first, axis=1), 1e-300))
        factor2 = jnp.minimum(1.0, gamma2 / jnp.maximum(jnp.linalg.norm(V, axis=1) * jnp.abs(residual), 1e-300))
        return (
            Theta - eta * (Z.T @ (factor1[:, None] * first) / n - lambda1 * noise[0].T),
            beta - alpha * (V.T @ (factor2 * residual) / n - lambda2 * noise[1]),
        ), None

    start = jnp.zeros((Z.shape[1], X.shape[1])), jnp.zeros(X.shape[1])
    return jax.lax.scan(step, start, (stage1, stage2))[0][1]


def dp_2s_gd(sample: IVSample, arms: TwoStageArms, stage1: np.ndarray, stage2: np.ndarray, runs: int) -> np.ndarray:
    settings = (arms.eta, arms.alpha, arms.gamma1, arms.gamma2, arms.lambda1, arms.lambda2)
    data = sample.Z, sample.X, sample.y
    return np.stack(
        [
            np.asarray(_two_stage(*data, *(each[k] for each in settings), stage1[:, k], stage2[:, k]))
            for k in range(runs)
        ]
    )


@jax.jit
def _correlate(beta, normals):
    size = 2 * len(beta)
    spectrum = jnp.fft.rfft(normals, size, axis=0) * jnp.fft.rfft(beta, size)[:, None]
    return jnp.fft.irfft(spectrum, size, axis=0)[: len(beta)]


def correlate(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    return np.asarray(_correlate(beta, normals))


@partial(jax.jit, static_argnames=("cells", "eta", "clip", "kappa"))
def _kan(h, y, W, c, cells, eta, clip, kappa, batches, noise):
    m, width = W.shape
    d = width // (cells + 3)

    def loss(weights, row, label):
        u = jnp.tanh(weights @ row / jnp.sqrt(d))
        place = (u + 1) * cells / 2
        cell = jnp.clip(jnp.floor(place), 0, cells - 1)
        z = place - cell
        index = cell.astype(int)[:, None] + jnp.arange(4)
        basis = jnp.stack([(1 - z) ** 3, 4 - 6 * z**2 + 3 * z**3, 1 + 3 * z + 3 * z**2 - 3 * z**3, z**3], 1) / 6
        f = (jnp.take_along_axis(c, index, 1) * basis).sum() / jnp.sqrt(m)
        return jnp.log1p(jnp.exp(-label * f))

    clipped = clipping.clipped_grad(loss, l2_clip_norm=clip, batch_argnums=(1, 2), keep_batch_dim=False)

    def step(weights, now):
        rows, z = now
        return weights - eta / len(rows) * (clipped(weights, h[rows], y[rows]) + clip * kappa * z), None

    return jax.lax.scan(step, W, (batches, noise))[0]


def dp_kan(data: KanData, seed: int, batches: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return np.asarray(_kan(data.features[seed], data.labels[seed], data.start[seed], data.c[seed], data.cells, data.eta,
                           data.clip, data.kappa, batches, noise))  # fmt: skip
