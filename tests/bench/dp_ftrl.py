"""Noisy-FTRL of choquettechoo2023 on streams: its loop alone, and noise and loop together."""

import numpy as np
import peers
from workload import Cost, Way, Workload

import dpdescent.algorithms.dp_ftrl as engine
from dpdescent.noise import streams
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.replication.drawing.bench_figure import OURS, TEXTBOOK

T, D, SEEDS, TAIL, ETA, SD, NU = 16_000, 128, 10, 4_000, 0.02, 0.1, 0.01
LAM = 1.0 / np.arange(1, D + 1)


def generators(count: int = SEEDS) -> list[np.random.Generator]:
    return [np.random.Generator(np.random.PCG64(seed)) for seed in range(count)]


def textbook(noise: np.ndarray, seeds: int) -> np.ndarray:
    """Mean of F over the last steps of the first seeds, by choquettechoo2023 Algorithm 1; noise (T, seeds, d)."""
    root, means = np.sqrt(LAM), []
    for seed, rng in enumerate(generators(seeds)):
        # The engine draws the residuals' noise first; without any, it is drawn for nothing.
        rng.standard_normal(T)
        theta, total = np.zeros(D), 0.0
        for t in range(T):
            x = root * rng.standard_normal(D)
            theta = theta - ETA * ((x @ theta) * x + SD * noise[t, seed])
            if t >= T - TAIL:
                total += 0.5 * float(LAM @ theta**2)
        means.append(total / TAIL)
    return np.array(means)


def fast(noise: np.ndarray) -> np.ndarray:
    one = np.ones(1)
    arms = engine.FTRLArms(ETA * one, np.inf * one, SD * one)
    return engine.regression(LAM, arms, np.zeros(D), T, generators(), noise[:, None], tail=TAIL).tail_mean[0]


def workloads() -> list[Workload]:
    normals, beta = np.random.default_rng(1).standard_normal((T, SEEDS, D)), nu_family(NU).coefficients(T)
    noise = streams.correlate(beta, normals.reshape(T, -1)).reshape(normals.shape)

    def correlated() -> np.ndarray:
        return streams.correlate(beta, normals.reshape(T, -1)).reshape(normals.shape)

    loops = peers.dp_ftrl(LAM, ETA, SD, TAIL)
    name, drawn = f"d={D}, T={T}, {SEEDS} seeds", Cost(normals=T * (D + 1) * SEEDS)
    return [
        Workload(f"Noisy-FTRL, {name}", {
            OURS: Way(lambda: fast(noise)), TEXTBOOK: Way(lambda: textbook(noise, 1), 1 / SEEDS),
            **{peer: Way(lambda way=way: way(noise, generators())) for peer, way in loops.items()},
        }, drawn),
        Workload(f"nu-DP-FTRL with its noise, {name}", {
            OURS: Way(lambda: fast(correlated())),
            **{f"{peer}, noise by fftconvolve": Way(lambda way=way: way(peers.fft_noise(beta, normals), generators()))
               for peer, way in loops.items()},
        }, drawn),
    ]  # fmt: skip
