"""Algorithm 1 of wang2026 on KANs, fixed-size batches, correlated noise, without evaluation."""

from functools import partial

import numpy as np
import peers
from workload import Cost, Way, Workload

import dpdescent.algorithms.lambda_cgd as engine
from dpdescent.algorithms import lambda_cgd_arms
from dpdescent.algorithms.samplers import fixed_size
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines
from dpdescent.replication.bench import OURS, TEXTBOOK

MODEL = KAN(4, 64, CubicSplines(5))
ETA, CLIP, KAPPA, LAM, SEEDS, T = 8.0, 0.25, 2.65, 0.5, 10, 100


def problem(n: int) -> tuple[engine.KANProblem, np.ndarray]:
    """Records of every seed, and the second layers' coefficients."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-0.5, 0.5, (SEEDS, n, 4))
    W, c = (np.stack(layer) for layer in zip(*(MODEL.initial(rng) for _ in range(SEEDS)), strict=True))
    labels = np.where(np.sin(np.pi * x) @ [1, -1, 1, -1] > 0, 1.0, -1.0)
    return engine.KANProblem(MODEL, MODEL.features(x), labels, W, MODEL.heads(c)), c


def batches(n: int, B: int, seed: int) -> list[np.ndarray]:
    return list(fixed_size(n, B, T, np.random.default_rng(seed)))


def noises(seed: int) -> np.ndarray:
    """Correlated noise of a seed, (T - 1, m, d p), in units of its standard deviation."""
    normals = np.random.default_rng(1000 + seed).standard_normal((T - 1, *MODEL_SHAPE))
    normals[1:] -= LAM * normals[:-1].copy()
    return normals


MODEL_SHAPE = (MODEL.width, MODEL.inputs * MODEL.splines.count)


def fast(given: engine.KANProblem, B: int) -> np.ndarray:
    """Last weights, shape (seeds, m, d p)."""
    one, n = np.ones(1), given.labels.shape[1]
    arms = lambda_cgd_arms.CGDArms(ETA * one, CLIP * one, KAPPA * one, LAM * one, np.inf * one)
    chosen = zip(*(batches(n, B, seed) for seed in range(SEEDS)), strict=True)
    rngs = [np.random.default_rng(1000 + seed) for seed in range(SEEDS)]
    return engine.run(given, arms, chosen, rngs, steps=T).final[:, 0]


def textbook(given: engine.KANProblem, c: np.ndarray, B: int, seeds: int) -> np.ndarray:
    """wang2026 Algorithm 1 by its lines, seed after seed; gradients of a batch are rows of one array."""
    splines, d, m, n = MODEL.splines, MODEL.inputs, MODEL.width, given.labels.shape[1]
    last = []
    for seed in range(seeds):
        W, noise = given.start[seed].copy(), noises(seed)
        for t, rows in enumerate(batches(n, B, seed)[:-1]):
            h, y = given.features[seed, rows], given.labels[seed, rows]
            u = np.tanh(h @ W.T / np.sqrt(d))
            f = np.einsum("ijk,jk->i", splines.values(u), c[seed]) / np.sqrt(m)
            S = (1 - u**2) * np.einsum("ijk,jk->ij", splines.first(u), c[seed]) / np.sqrt(m * d)
            slope = -y / (1 + np.exp(y * f))
            gradients = ((slope[:, None] * S)[:, :, None] * h[:, None, :]).reshape(B, -1)
            gradients *= np.minimum(1.0, CLIP / np.linalg.norm(gradients, axis=1))[:, None]
            W -= ETA * (gradients.mean(axis=0).reshape(W.shape) + CLIP * KAPPA / B * noise[t])
        last.append(W)
    return np.stack(last)


def workloads() -> list[Workload]:
    n, B = 1000, 100
    given, c = problem(n)
    data = peers.KanData(given.features, given.labels, given.start, c, MODEL.splines.cells, ETA, CLIP, KAPPA)
    chosen = [np.stack(batches(n, B, seed)[:-1]) for seed in range(SEEDS)]
    ways = {
        OURS: Way(lambda: fast(given, B)),
        TEXTBOOK: Way(partial(textbook, given, c, B, 1), 1 / SEEDS),
        **{name: Way(partial(all_seeds, way, data, chosen)) for name, way in peers.dp_kan().items()},
    }
    width = MODEL_SHAPE[0] * MODEL_SHAPE[1]
    cost = Cost(flops=4.0 * B * width * (T - 1) * SEEDS, normals=width * (T - 1) * SEEDS)
    return [Workload(f"DP-SGD on a KAN, n={n}, B={B}, T={T}, m=64, {SEEDS} seeds", ways, cost)]


def all_seeds(way: peers.Kan, data: "peers.KanData", chosen: list[np.ndarray]) -> np.ndarray:
    return np.stack([way(data, seed, chosen[seed], noises(seed)) for seed in range(SEEDS)])
