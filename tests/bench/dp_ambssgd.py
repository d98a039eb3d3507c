"""DP-AMBSSGD of varshney2022 in one pass over a large sample."""

import numpy as np
from workload import Cost, Way, Workload

import dpdescent.algorithms.dp_ambssgd as engine
from dpdescent.algorithms import sgd_arms
from dpdescent.algorithms.dp_stat import Search
from dpdescent.replication.bench import OURS, TEXTBOOK

T, ALPHA, LEVELS = 8, 4.2, 20


def arm_of(N: int, d: int) -> sgd_arms.SGDArm:
    m = N // T
    b = m - m // 11
    clipping = sgd_arms.Adaptive(Search(5.0, LEVELS, ALPHA), m // 11, 1.25 * (d + 2) ** 0.5)
    return sgd_arms.SGDArm(b / (d + 1 + b), ALPHA, clipping)


def records(N: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, d))
    return X, (X.sum(axis=1) / d**0.5 + 0.1 * rng.standard_normal(N))[:, None]


def fast(X: np.ndarray, Y: np.ndarray, arms: int) -> np.ndarray:
    """Tail averages, shape (arms, d)."""
    N, d = X.shape
    normals = engine.Normals.draw(np.random.default_rng(2), T, d, LEVELS)
    batches = engine.batches_of(X, Y, T, np.random.default_rng(3))
    return engine.descend(batches, [arm_of(N, d)] * arms, normals).average


def textbook(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """varshney2022 Algorithm 2 with the corrected rule, by its lines."""
    N, d = X.shape
    arm, order, m = arm_of(N, d), np.random.default_rng(3).permutation(N), N // T
    normals = engine.Normals.draw(np.random.default_rng(2), T, d, LEVELS)
    search, s = arm.clipping.search, arm.clipping.stat_size
    w, iterates = np.zeros(d), []
    for t in range(T):
        x, y = X[order[t * m : (t + 1) * m]], Y[order[t * m : (t + 1) * m], 0]
        gamma = search.thresholds[-1]
        for i in range(LEVELS):
            count = (np.abs(x[:s] @ w - y[:s]) <= search.thresholds[i]).sum()
            if count + search.noise_sd * normals.counts[t, 0, i] >= search.enough(s):
                gamma = search.thresholds[i]
                break
        zeta = arm.clipping.scale * gamma
        gradients = (x[s:] @ w - y[s:])[:, None] * x[s:]
        gradients *= np.minimum(1.0, zeta / np.maximum(np.linalg.norm(gradients, axis=1), 1e-300))[:, None]
        noise = 2.0 * arm.noise_multiplier * zeta / (m - s) * normals.gradient[t, 0]
        w = w - arm.eta * (gradients.mean(axis=0) + noise)
        iterates.append(w)
    return np.mean(iterates[T // 2 :], axis=0)[None]


def workload(N: int, d: int, arms: int) -> Workload:
    X, Y = records(N, d)
    ways = {OURS: Way(lambda: fast(X, Y, arms)), TEXTBOOK: Way(lambda: textbook(X, Y), 1 / arms)}
    # Batches are gathered from a shuffled order: read, written, read.
    return Workload(f"DP-AMBSSGD, N={N}, d={d}, T={T}, arms: {arms}", ways, Cost(bytes=3.0 * X.nbytes))


def workloads() -> list[Workload]:
    return [workload(1_000_000, 10, 1), workload(100_000, 100, 8)]
