"""Runs on streams: named random streams, correlated noise, and what a run releases."""

from collections.abc import Iterator, Sequence

import numpy as np

from dpdescent.checks import as_list
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.noise.streams import correlate
from dpdescent.papers.choquettechoo2023.design import PAPER, Array, Spec
from dpdescent.privacy.events import Mechanism, correlated_release
from dpdescent.randomness import stream

# Normals of the runs that go through the engine together (64 MB); their noise, of all steps, is what takes memory.
TOGETHER = 1 << 23


def generators(spec: Spec, place: str, trials: Sequence[int], role: str) -> list[np.random.Generator]:
    """A generator for each trial; arms that are compared share it, because its name has no arm in it."""
    return [stream(spec["seed"], PAPER, spec["artefact"], place, "trial", trial, role) for trial in trials]


def groups(spec: Spec, shape: tuple[int, int]) -> Iterator[range]:
    """The trials of a part, as many at a time as fit; shape is that of a trial's noise, (T, d)."""
    first, last = spec["trials"]
    size = max(1, TOGETHER // (shape[0] * shape[1]))
    for start in range(first, last, size):
        yield range(start, min(start + size, last))


def common_noise(spec: Spec, place: str, trials: Sequence[int], shape: tuple[int, int]) -> Array:
    """Standard normals of every trial, shape (T, trials, d): the noise w before any arm correlates it."""
    normals = np.empty((shape[0], len(trials), shape[1]))
    for i, rng in enumerate(generators(spec, place, trials, "noise")):
        normals[:, i] = rng.standard_normal(shape)
    return normals


def correlated(strategies: Sequence[Toeplitz], normals: Array) -> Array:
    """Noise w~ of every strategy from the same normals (T, trials, d), shape (T, strategies, trials, d)."""
    T = len(normals)
    flat = normals.reshape(T, -1)
    noise = np.empty((T, len(strategies), *normals.shape[1:]))
    for i, strategy in enumerate(strategies):
        noise[:, i] = correlate(strategy.coefficients(T), flat).reshape(normals.shape)
    return noise


def dp_ftrl(
    name: str, *, gamma_squared: float, noise_variance: float, clip_norm: float, rho: float, T: int
) -> Mechanism:  # fmt: skip
    """What T steps of DP-FTRL on a stream release: one Gaussian release of all encoded gradients together.

    Args:
        name: the algorithm.
        gamma_squared: gamma_T^2 of the noise coefficients.
        noise_variance: variance of a coordinate of w_t.
        clip_norm: G.
        rho: the zCDP budget that the paper claims.
        T: number of steps.
    """
    release = correlated_release(gamma_squared**0.5, clip_norm, noise_variance**0.5)
    return Mechanism(
        name, (release,), "zero-out", "single pass", rho, "proved",
        f"each record takes part in one of the {T} steps, with a gradient clipped at G; the encoder's largest column "
        "norm is gamma_T; its adaptive release is a Gaussian mechanism, and decoding is post-processing",
        conversion="Renyi",
    )  # fmt: skip


def without_clipping(name: str) -> Mechanism:
    """Noisy-FTRL: noise as for DP-FTRL, but gradients of any size."""
    return Mechanism(
        name, (), "zero-out", "single pass", float("inf"), "none",
        "gradients are not clipped: no sensitivity is bounded",
    )  # fmt: skip


def arms_of(spec: Spec) -> list[str]:
    """Names of the mechanisms that a part compares."""
    return [str(name) for name in as_list(spec["arms"]["mechanism"])]
