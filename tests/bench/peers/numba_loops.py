"""Loops that a user compiles with numba: one pass over the rows a step, nothing stored."""

import math

import numpy as np
from numba import njit
from scipy.spatial import ConvexHull

from dpdescent.algorithms.dp_2s_gd import TwoStageArms
from dpdescent.data.iv import IVSample
from peers import KanData


@njit
def _fill(rng, out):
    for i in range(len(out)):
        out[i] = rng.standard_normal()


def normals(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Standard normals by compiled code: numba's generator makes numpy's bits."""
    out = np.empty(shape)
    _fill(rng, out.reshape(-1))
    return out


@njit(fastmath=True)
def dp_gd(X, y, gamma, noise, eta):
    n, p = X.shape
    theta, norms = np.zeros(p), np.empty(n)
    for i in range(n):
        square = 0.0
        for j in range(p):
            square += X[i, j] * X[i, j]
        norms[i] = math.sqrt(square)
    for t in range(noise.shape[0]):
        gradient = np.zeros(p)
        for i in range(n):
            residual = -y[i]
            for j in range(p):
                residual += X[i, j] * theta[j]
            size = abs(residual) * norms[i]
            if size > gamma:
                residual *= gamma / size
            for j in range(p):
                gradient[j] += residual * X[i, j]
        for j in range(p):
            theta[j] -= eta * (gradient[j] / n - noise[t, j])
    return theta


@njit(fastmath=True)
def _one_instrument(zz, zx, zy, eta, alpha, gamma1, gamma2, lambda1, lambda2, stage1, stage2):
    n, runs, T = len(zz), stage1.shape[1], stage1.shape[0]
    betas = np.empty(runs)
    for k in range(runs):
        Theta, beta = 0.0, 0.0
        for t in range(T):
            u, first, second = Theta * beta, 0.0, 0.0
            limit = gamma2[k] / max(abs(Theta), 1e-300)
            for i in range(n):
                first += min(max(zz[i] * Theta - zx[i], -gamma1[k]), gamma1[k])
                second += min(max(zz[i] * u - zy[i], -limit), limit)
            beta -= alpha[k] * (Theta * second / n - lambda2[k] * stage2[t, k])
            Theta -= eta[k] * (first / n - lambda1[k] * stage1[t, k])
        betas[k] = beta
    return betas


def dp_2s_gd(sample: IVSample, arms: TwoStageArms, stage1: np.ndarray, stage2: np.ndarray, runs: int) -> np.ndarray:
    z = sample.Z[:, 0]
    betas: np.ndarray = _one_instrument(
        z * z, z * sample.X[:, 0], z * sample.y, arms.eta, arms.alpha, arms.gamma1, arms.gamma2, arms.lambda1,
        arms.lambda2, stage1[:, :runs, 0, 0], stage2[:, :runs, 0],
    )  # fmt: skip
    return betas[:, None]


@njit(fastmath=True)
def _from_moments(zz, zx, zy, hull1, hull2, eta, alpha, gamma1, gamma2, lambda1, lambda2, stage1, stage2):
    """As above, but a sum of which no term is clipped comes from means; a hull's corners have the largest terms."""
    n, runs, T = len(zz), stage1.shape[1], stage1.shape[0]
    mean_zz, mean_zx, mean_zy = zz.mean(), zx.mean(), zy.mean()
    betas = np.empty(runs)
    for k in range(runs):
        Theta, beta = 0.0, 0.0
        for t in range(T):
            u = Theta * beta
            limit = gamma2[k] / max(abs(Theta), 1e-300)
            largest1, largest2 = 0.0, 0.0
            for i in hull1:
                largest1 = max(largest1, abs(zz[i] * Theta - zx[i]))
            for i in hull2:
                largest2 = max(largest2, abs(zz[i] * u - zy[i]))
            first, second = mean_zz * Theta - mean_zx, mean_zz * u - mean_zy
            if largest1 > gamma1[k]:
                first = 0.0
                for i in range(n):
                    first += min(max(zz[i] * Theta - zx[i], -gamma1[k]), gamma1[k])
                first /= n
            if largest2 > limit:
                second = 0.0
                for i in range(n):
                    second += min(max(zz[i] * u - zy[i], -limit), limit)
                second /= n
            beta -= alpha[k] * (Theta * second - lambda2[k] * stage2[t, k])
            Theta -= eta[k] * (first - lambda1[k] * stage1[t, k])
        betas[k] = beta
    return betas


def dp_2s_gd_from_moments(
    sample: IVSample, arms: TwoStageArms, stage1: np.ndarray, stage2: np.ndarray, runs: int
) -> np.ndarray:
    z = sample.Z[:, 0]
    zz, zx, zy = z * z, z * sample.X[:, 0], z * sample.y
    hulls = (ConvexHull(np.column_stack([zz, other])).vertices for other in (zx, zy))
    betas: np.ndarray = _from_moments(
        zz, zx, zy, *hulls, arms.eta, arms.alpha, arms.gamma1, arms.gamma2, arms.lambda1, arms.lambda2,
        stage1[:, :runs, 0, 0], stage2[:, :runs, 0],
    )  # fmt: skip
    return betas[:, None]


@njit(fastmath=True)
def _stream(noise, rng, root, eta, sd, tail):
    T, d = noise.shape
    theta, x, total = np.zeros(d), np.empty(d), 0.0
    for t in range(T):
        product = 0.0
        for j in range(d):
            x[j] = root[j] * rng.standard_normal()
            product += x[j] * theta[j]
        for j in range(d):
            theta[j] -= eta * (product * x[j] + sd * noise[t, j])
        if t >= T - tail:
            for j in range(d):
                total += 0.5 * (root[j] * theta[j]) ** 2
    return total / tail


def dp_ftrl(
    noise: np.ndarray, rngs: list[np.random.Generator], lam: np.ndarray, eta: float, sd: float, tail: int
) -> np.ndarray:
    means = []
    for seed, rng in enumerate(rngs):
        # The engine draws the residuals' noise first.
        normals(rng, (len(noise),))
        means.append(_stream(np.ascontiguousarray(noise[:, seed]), rng, np.sqrt(lam), eta, sd, tail))
    return np.array(means)


@njit(fastmath=True)
def _kan(h, y, W, cubics, cells, eta, clip, kappa, batches, noise):
    """Units are the inner axis of every loop, so that the compiler takes several at once; W is (d p, m)."""
    width, m = W.shape
    B, d = batches.shape[1], width // (cells + 3)
    # Every coordinate of x has four basis functions that are not zero.
    where, a, slopes = np.empty(4 * d, np.int64), np.empty(m), np.empty(m)
    gradient = np.empty((width, m))
    for t in range(len(batches)):
        gradient[:] = 0.0
        for i in batches[t]:
            found, size = 0, 0.0
            a[:] = 0.0
            for k in range(width):
                if h[i, k] != 0.0:
                    where[found] = k
                    size += h[i, k] * h[i, k]
                    found += 1
                    for j in range(m):
                        a[j] += W[k, j] * h[i, k]
            f, steep = 0.0, 0.0
            for j in range(m):
                u = math.tanh(a[j] / math.sqrt(d))
                z = (u + 1.0) * (cells / 2.0)
                cell = int(z)
                z -= cell
                c0, c1, c2, c3 = cubics[0, j, cell], cubics[1, j, cell], cubics[2, j, cell], cubics[3, j, cell]
                f += ((c3 * z + c2) * z + c1) * z + c0
                slopes[j] = (1.0 - u * u) * ((3.0 * c3 * z + 2.0 * c2) * z + c1) * (cells / 2.0 / math.sqrt(m * d))
                steep += slopes[j] * slopes[j]
            weight = -y[i] / (1.0 + math.exp(y[i] * f / math.sqrt(m)))
            norm = abs(weight) * math.sqrt(steep * size)
            if norm > clip:
                weight *= clip / norm
            for place in range(found):
                k = where[place]
                for j in range(m):
                    gradient[k, j] += weight * h[i, k] * slopes[j]
        for k in range(width):
            for j in range(m):
                W[k, j] -= eta * (gradient[k, j] / B + clip * kappa / B * noise[t, j, k])
    return W


def dp_kan(data: KanData, seed: int, batches: np.ndarray, noise: np.ndarray) -> np.ndarray:
    # The cubic of every unit and cell, by the four basis functions that are not zero there; one cell more for u = 1.
    c = np.pad(data.c[seed], ((0, 0), (0, 1)), mode="edge")
    four = np.stack([c[:, k : k + data.cells + 1] for k in range(4)])
    basis = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6.0
    cubics = np.tensordot(basis, four, 1)
    weights: np.ndarray = _kan(
        data.features[seed], data.labels[seed], np.ascontiguousarray(data.start[seed].T), cubics, data.cells, data.eta,
        data.clip, data.kappa, batches, noise,
    )  # fmt: skip
    return weights.T
