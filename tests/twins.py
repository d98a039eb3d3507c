"""Slow, obvious twins of the fast paths: what the papers write, term by term, with every per-sample gradient formed."""

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.dp_2s_gd import Normals, TwoStageArms
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample


def expand(sample: IVSample) -> IVSample:
    """One row a record."""
    times = sample.weights.astype(int)
    return IVSample(np.repeat(sample.Z, times, 0), np.repeat(sample.X, times, 0), np.repeat(sample.y, times))


def clip(gradients: np.ndarray, threshold: float) -> np.ndarray:
    """CLIP_g(v) = v min(1, g / |v|) over the first axis; the Frobenius norm for matrices."""
    norms = np.sqrt((gradients.reshape(len(gradients), -1) ** 2).sum(1))
    factors = np.array([1.0 if norm <= threshold else threshold / norm for norm in norms])
    return gradients * factors.reshape(-1, *[1] * (gradients.ndim - 1))


def two_stage(
    sample: IVSample, arms: TwoStageArms, normals: Normals, k: int
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """liang2025 Algorithm 1 for arm k: paths of Theta and beta and the fractions of clipped gradients."""
    data = expand(sample)
    Z, X, y = data.Z, data.X, data.y
    (n, q), p = Z.shape, X.shape[1]
    Theta, beta, clipped = np.zeros((q, p)), np.zeros(p), np.zeros(2)
    Thetas, betas = [Theta], [beta]
    shared = normals.stage1.shape[1] == 1
    for t in range(arms.steps[k]):
        Xi, nu = normals.stage1[t, 0 if shared else k].T, normals.stage2[t, 0 if shared else k]
        first = Z[:, :, None] * (Z @ Theta - X)[:, None, :]
        second = (Z @ Theta) * (Z @ Theta @ beta - y)[:, None]
        clipped += [
            (np.sqrt((first**2).sum((1, 2))) > arms.gamma1[k]).mean(),
            (np.sqrt((second**2).sum(1)) > arms.gamma2[k]).mean(),
        ]
        Theta, beta = (
            Theta - arms.eta[k] * clip(first, arms.gamma1[k]).sum(0) / n + arms.eta[k] * arms.lambda1[k] * Xi,
            beta - arms.alpha[k] * clip(second, arms.gamma2[k]).sum(0) / n + arms.alpha[k] * arms.lambda2[k] * nu,
        )
        Thetas.append(Theta)
        betas.append(beta)
    return np.array(Thetas), np.array(betas), *(clipped / arms.steps[k])


def dp_gd(sample: LinearSample, arms: dp_gd.DPGDArms, normals: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """brown2024 Algorithm 1 for arm k: theta_1 to theta_T, shape (T, p), and how many gradients were clipped in all.

    `normals` are those of this run, shape (T, p).
    """
    X, y = sample.X, sample.y
    theta, path, clipped = np.zeros(sample.p), [], 0
    for t in range(arms.steps):
        gradients = -X * (y - X @ theta)[:, None]
        clipped += int((np.sqrt((gradients**2).sum(1)) > arms.gamma[k]).sum())
        g, z = clip(gradients, arms.gamma[k]).sum(0) / sample.n, arms.noise_by_step[t, k] * normals[t]
        theta = theta - arms.eta[k] * g + arms.eta[k] * z
        path.append(theta)
    return np.array(path), clipped
