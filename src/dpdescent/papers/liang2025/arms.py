"""Arms of liang2025's experiments: their clipping thresholds, noise and privacy events."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_2s_gd
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Guarantee, Mechanism

Algorithm = Literal[
    "DP-2S-GD", "2S-GD", "2S-GD, clipped", "DP-2S-GD-beta", "DP-2S-GD, publish beta", "DP-2S-GD, unclipped"
]  # fmt: skip
NOISE_FREE = ("2S-GD", "2S-GD, clipped")
Calibration = Literal["as published", "exact"]
Labels = dict[str, Any]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Arm:
    """One run of an algorithm with its budgets, step sizes, clipping thresholds and the labels of its rows.

    Attributes:
        algorithm: `DP-2S-GD` (Alg. 1), `2S-GD` (Alg. 2), `DP-2S-GD-beta` (Alg. 3), `DP-2S-GD, publish beta`
            (Algorithm 1 of which only the beta path is published, the valid way to release beta alone),
            `DP-2S-GD, unclipped` (the noise of Algorithm 1 on unclipped gradients, which guarantees nothing) or
            `2S-GD, clipped` (its clipping without its noise, which hides nothing).
        T: number of iterations.
        rho1, rho2: zCDP budgets of the two stages; inf means no noise.
        steps: step sizes.
        gamma: clipping threshold to which the noise is calibrated; inf means no clipping.
        calibration: noise of Prop. 3.1 as printed, or the least noise that the same budget needs.
        shares: parts of each stage's budget by step, shape (T,) each; None for equal parts.
        labels: columns of its rows beyond `series`, by symbol.
        series: name of its curve; empty for the name of the algorithm.
        data_used: what else was taken from the data without account (centring, step sizes); empty if nothing was.
    """

    algorithm: Algorithm
    T: int
    rho1: float
    rho2: float
    steps: prescriptions.StepSizes
    gamma: float
    calibration: Calibration = "as published"
    labels: Labels = field(default_factory=dict)
    series: str = ""
    data_used: str = ""
    shares: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        if self.algorithm in ("DP-2S-GD-beta", *NOISE_FREE) and not math.isinf(self.rho1):
            raise ValueError(f"{self.algorithm} has no noise in its first stage, but rho1={self.rho1}")

    @property
    def gamma1(self) -> float:
        """Clipping threshold of the first stage; inf for Algorithm 3, which does not clip there."""
        return math.inf if self.algorithm == "DP-2S-GD-beta" else self.gamma2

    @property
    def gamma2(self) -> float:
        """Clipping threshold of the second stage; inf for the unclipped run."""
        return math.inf if self.algorithm == "DP-2S-GD, unclipped" else self.gamma

    def noise_sd(self, rho: float, n: int) -> float:
        """Returns the noise sd lambda on the mean gradient of a stage with budget rho; 0 for an infinite budget."""
        if math.isinf(rho):
            return 0.0
        if self.calibration == "exact":
            return zcdp.gaussian_noise_sd(mean_sensitivity(self.gamma, n), rho, self.T)
        return prescriptions.noise_scale(self.gamma, n, self.T, rho)

    def noise_by_step(self, stage: int, n: int) -> Array:
        """Returns the noise sds of a stage, 0 or 1, shape (T,); of a schedule the least that its budget asks for."""
        rho = (self.rho1, self.rho2)[stage]
        if self.shares is None:
            return np.full(self.T, self.noise_sd(rho, n))
        moved = mean_sensitivity(self.gamma, n)
        return np.array([zcdp.gaussian_noise_sd(moved, rho * share) for share in self.shares[stage]])


def columns(arms: list[Arm], n: int) -> dp_2s_gd.TwoStageArms:
    """Returns the arms as columns of one descent on a data set of n records."""
    if any(arm.shares is not None for arm in arms):
        lambda1, lambda2 = (np.stack([arm.noise_by_step(stage, n) for arm in arms], axis=1) for stage in (0, 1))
    else:
        lambda1, lambda2 = (
            np.array([arm.noise_sd(rho, n) for arm, rho in zip(arms, rhos, strict=True)])
            for rhos in ([arm.rho1 for arm in arms], [arm.rho2 for arm in arms])
        )
    return dp_2s_gd.TwoStageArms(
        steps=np.array([arm.T for arm in arms]),
        eta=np.array([arm.steps.eta for arm in arms]),
        alpha=np.array([arm.steps.alpha for arm in arms]),
        gamma1=np.array([arm.gamma1 for arm in arms]),
        gamma2=np.array([arm.gamma2 for arm in arms]),
        lambda1=lambda1,
        lambda2=lambda2,
    )


def mechanism(arm: Arm, n: int) -> Mechanism:
    """Returns the privacy event of an arm on a data set of n records, with its guarantee."""
    if arm.algorithm == "2S-GD":
        return Mechanism.without_privacy(arm.algorithm)
    if arm.algorithm == "2S-GD, clipped":
        return Mechanism.without_privacy(arm.algorithm, "diagnostic run without noise: any record shows")
    if arm.algorithm == "DP-2S-GD, unclipped":
        return Mechanism.without_privacy(arm.algorithm, "diagnostic run without clipping: no finite sensitivity")
    guarantee, reason = _guarantee(arm)
    return Mechanism(arm.algorithm, _releases(arm, n), "replace-one", "full batch", _claimed(arm), guarantee, reason)


def _releases(arm: Arm, n: int) -> tuple[GaussianReleases, ...]:
    stage1 = ("first-stage clipped mean gradient", arm.gamma1, arm.rho1)
    stage2 = ("second-stage clipped mean gradient", arm.gamma2, arm.rho2)
    if arm.shares is not None:
        return tuple(
            GaussianReleases(what, mean_sensitivity(gamma, n), sd, noise.count(sd))
            for (what, gamma, _), noise in zip(
                (stage1, stage2), (arm.noise_by_step(stage, n).tolist() for stage in (0, 1)), strict=True
            )
            for sd in dict.fromkeys(noise)
        )
    chosen = [stage2] if arm.algorithm == "DP-2S-GD-beta" else [stage1, stage2]
    return tuple(
        GaussianReleases(what, mean_sensitivity(gamma, n), arm.noise_sd(rho, n), arm.T) for what, gamma, rho in chosen
    )


def _claimed(arm: Arm) -> float:
    return arm.rho2 if arm.algorithm == "DP-2S-GD-beta" else arm.rho1 + arm.rho2


def _guarantee(arm: Arm) -> tuple[Guarantee, str]:
    if arm.algorithm == "DP-2S-GD-beta":
        return "none", (
            "Lemma F.1 is refuted for replacement of a full record: the noise-free first stage carries the record into "
            "every second-stage gradient (finding release-beta-only); it holds if only y_i may change"
        )
    if arm.data_used:
        return "none", f"used from the data without account: {arm.data_used}"
    return "proved", (
        "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n, n public); "
        "adaptive composition over T steps and both stages; publishing less is post-processing"
    )
