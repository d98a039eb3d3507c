"""The largest gradient and the largest iterate of a descent without clipping, of many arms and seeds side by side."""

import numpy as np

from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.papers.choquettechoo2023.design import Array


def largest(arms: FTRLArms, inputs: Array, labels: Array, noise: Array, start: Array) -> tuple[Array, Array]:
    """Runs `theta <- theta - eta (g_t + noise_sd w~_t)`, `g_t = x_t (x_t'theta - xi_t)`, and keeps what is largest.

    Args:
        arms: settings of the runs; their clip norms are not used.
        inputs: x_t, shape (T, seeds, d).
        labels: xi_t, shape (T, seeds).
        noise: correlated noise w~, shape (T, arms or 1, seeds, d).
        start: theta_0 - theta*, shape (d,).

    Returns:
        The largest norm of g_t over t < T and that of theta_t - theta* over t < T, each of shape (arms, seeds).
    """
    theta = np.broadcast_to(start, (len(arms), *inputs.shape[1:])).copy()
    gradients, distances = np.zeros(theta.shape[:2]), np.zeros(theta.shape[:2])
    lengths = np.sqrt(np.vecdot(inputs, inputs))
    scale, eta = (arms.eta * arms.noise_sd)[:, None, None], arms.eta[:, None]
    for x, length, xi, w in zip(inputs, lengths, labels, noise, strict=True):
        residual = np.vecdot(x, theta) - xi
        np.maximum(gradients, np.abs(residual) * length, out=gradients)
        np.maximum(distances, np.vecdot(theta, theta), out=distances)
        theta -= (eta * residual)[:, :, None] * x + scale * w
    return gradients, np.sqrt(distances)
