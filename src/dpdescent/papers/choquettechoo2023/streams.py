"""Runs on streams: DP-FTRL in a single pass, its ledger entry, and arms side by side on the same records and noise."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023.setting import PAPER, Array, RegressionProblem, Spec
from dpdescent.privacy.events import Mechanism, correlated_release
from dpdescent.randomness import stream

# Normals of the runs that go through the engine together (64 MB), because their noise, of all steps, takes memory.
TOGETHER = 1 << 23


@dataclass(frozen=True)
class StreamArm:
    """DP-FTRL over a single pass of T records (choquettechoo2023 Algorithm 1), or Noisy-FTRL, which does not clip.

    Attributes:
        algorithm: name of the algorithm in the ledger.
        strategy: correlation of the noise.
        eta: learning rate.
        T: number of steps.
        rho: zCDP budget that the noise is scaled to.
        clip_norm: G, by which the noise is scaled.
        limiting: whether the noise is scaled to the limit of the sensitivity in place of that of T steps.
        clipped: whether gradients are clipped at G; False is Noisy-FTRL.
    """

    algorithm: str
    strategy: Toeplitz
    eta: float
    T: int
    rho: float
    clip_norm: float
    limiting: bool = False
    clipped: bool = True

    @property
    def gamma_squared(self) -> float:
        """Squared sensitivity that the noise is scaled to, at clip norm 1."""
        return self.strategy.sensitivity_squared_limit() if self.limiting else self.strategy.sensitivity_squared(self.T)

    @property
    def noise_variance(self) -> float:
        """`G^2 gamma^2 / (2 rho)`, the variance of a coordinate of w_t (choquettechoo2023 Theorem 1.1)."""
        return self.clip_norm**2 * self.gamma_squared / (2.0 * self.rho)

    @property
    def noise_sd(self) -> float:
        """Standard deviation of a coordinate of w_t."""
        return float(self.noise_variance**0.5)

    def mechanism(self) -> Mechanism:
        """Returns the event of a run: one Gaussian release of all encoded gradients, or no private one unclipped."""
        if not self.clipped:
            reason = "gradients are not clipped: no sensitivity is bounded"
            return Mechanism.without_privacy(self.algorithm, reason, "zero-out", "single pass")
        # A run meets the sensitivity of its own steps, whatever its noise was scaled to.
        sensitivity = self.strategy.sensitivity_squared(self.T) ** 0.5
        return Mechanism(
            self.algorithm, (correlated_release(sensitivity, self.clip_norm, self.noise_sd),), "zero-out",
            "single pass", self.rho, "proved",
            f"each record takes part in one of the {self.T} steps, with a gradient clipped at G; the encoder's largest "
            "column norm is gamma_T; its adaptive release is a Gaussian mechanism, and decoding is post-processing",
            conversion="Renyi",
        )  # fmt: skip


def columns(arms: Sequence[StreamArm]) -> FTRLArms:
    """Returns the arms as runs of the engine that share a stream's records."""
    return FTRLArms(
        np.array([arm.eta for arm in arms]),
        np.array([arm.clip_norm if arm.clipped else math.inf for arm in arms]),
        np.array([arm.noise_sd for arm in arms]),
    )


def correlated(arms: Sequence[StreamArm], normals: Array) -> Array:
    """Returns the arms' noise at standard deviation 1, correlated from the same normals, shape (T, arms, trials, d).

    Args:
        arms: the arms; where all have the same correlation, the axis of the arms has length 1.
        normals: standard normals, shape (T, trials, d).
    """
    strategies = list(dict.fromkeys(arm.strategy for arm in arms))
    if len(strategies) > 1:
        strategies = [arm.strategy for arm in arms]
    noise = np.empty((len(normals), len(strategies), *normals.shape[1:]))
    for i, strategy in enumerate(strategies):
        noise[:, i] = strategy.correlate(normals)
    return noise


def generators(spec: Spec, place: str, trials: Sequence[int], role: str) -> list[np.random.Generator]:
    """Returns a generator for each trial; arms that are compared share it, because its name has no arm in it."""
    return [stream(spec["seed"], PAPER, spec["artefact"], place, "trial", trial, role) for trial in trials]


def groups(spec: Spec, shape: tuple[int, int]) -> Iterator[range]:
    """Yields the trials of a part, as many at a time as fit; shape is that of a trial's noise, (T, d)."""
    first, last = spec["trials"]
    size = max(1, TOGETHER // (shape[0] * shape[1]))
    for start in range(first, last, size):
        yield range(start, min(start + size, last))


def common_noise(spec: Spec, place: str, trials: Sequence[int], shape: tuple[int, int]) -> Array:
    """Returns standard normals of every trial, shape (T, trials, d): the noise w before any arm correlates it."""
    normals = np.empty((shape[0], len(trials), shape[1]))
    for i, rng in enumerate(generators(spec, place, trials, "noise")):
        normals[:, i] = rng.standard_normal(shape)
    return normals


def regression(
    spec: Spec, problem: RegressionProblem, compared: Sequence[StreamArm], place: str, trials: Sequence[int],
    start: Array, *, record: Sequence[int] = (), tail: int = 0,
) -> dp_ftrl.Runs:  # fmt: skip
    """Runs arms of linear regression that have the same T on the same records and normals.

    Args:
        spec: the part's specification.
        problem: law of the records: eigenvalues and sd of the label noise.
        compared: the arms.
        place: name of the cell in the names of random streams.
        trials: the seeds.
        start: theta_0 - theta*, shape (d,).
        record, tail: steps that are kept, as in `dp_ftrl.regression`.
    """
    T = compared[0].T
    noise = correlated(compared, common_noise(spec, place, trials, (T, problem.d)))
    data = generators(spec, place, trials, "data")
    return dp_ftrl.regression(
        problem.lam, columns(compared), start, T, data, noise, sigma_sgd=problem.sigma_sgd, record=record,
        tail=tail,
    )  # fmt: skip
