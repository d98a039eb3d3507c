"""Noisy-FTRL of choquettechoo2023 on streams: its loop alone, and noise and loop together."""

from functools import partial

import numpy as np
import peers
from workload import Cost, Way, Workload

import dpdescent.algorithms.dp_ftrl as engine
from dpdescent.noise import streams
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.replication.bench import OURS, TEXTBOOK

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
    shape = normals.shape
    noise = streams.correlate(beta, normals.reshape(T, -1)).reshape(shape)

    def drawn(draw: peers.Draw) -> np.ndarray:
        return draw(np.random.default_rng(1), (T, SEEDS * D))

    def ours() -> np.ndarray:
        made = drawn(lambda rng, size: rng.standard_normal(size))
        return fast(streams.correlate(beta, made, out=made).reshape(shape))

    def theirs(loop: peers.Stream, correlate: peers.Correlate, draw: peers.Draw) -> np.ndarray:
        return loop(np.ascontiguousarray(correlate(beta, drawn(draw))).reshape(shape), generators())

    loops, name, each = peers.dp_ftrl(LAM, ETA, SD, TAIL), f"d={D}, T={T}, {SEEDS} seeds", T * (D + 1) * SEEDS
    return [
        Workload(f"Noisy-FTRL, {name}", {
            OURS: Way(lambda: fast(noise)), TEXTBOOK: Way(lambda: textbook(noise, 1), 1 / SEEDS),
            **{peer: Way(lambda way=way: way(noise, generators())) for peer, way in loops.items()},
        }, Cost(normals=each)),
        Workload(f"nu-DP-FTRL with its noise, {name}", {
            OURS: Way(ours),
            **{f"{peer}, noise by {way}": Way(partial(theirs, loop, correlate, peers.normals()[peer]))
               for peer, loop in loops.items() for way, correlate in peers.correlation().items()},
        }, Cost(normals=each + T * SEEDS * D)),
    ]  # fmt: skip
