"""Runs of DP-AMBSSGD's engine on the same records, arm by arm."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.algorithms.sgd_arms import Adaptive
from dpdescent.papers.varshney2022.arms import ADA_SSP, Arm, Choice
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec, iterations, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One arm's run of T iterations.

    Attributes:
        average: mean of the last iterates, shape (d,).
        path: w_0..w_T, shape (T + 1, d).
        thresholds: zeta_t, shape (T,).
        clipped: share of the gradients that were clipped, shape (T,).
        residual_rms: root mean square of the gradients' residuals, shape (T,).
    """

    average: Array
    path: Array
    thresholds: Array
    clipped: Array
    residual_rms: Array

    @property
    def measures(self) -> Row:
        """The share of gradients clipped over the run, and the thresholds of its first and last step."""
        zeta = self.thresholds
        return {"clip_fraction": float(self.clipped.mean()), "zeta_first": zeta[0], "zeta_last": zeta[-1]}


def descend(
    arms: Mapping[Key, Arm[dp_ambssgd.SGDArm]], batches: Iterable[dp_ambssgd.Batch], normals: dp_ambssgd.Normals,
    tail: float,
) -> dict[Key, Outcome]:  # fmt: skip
    """Runs all arms on the same batches with the same normals; of the iterates the share `tail` is averaged."""
    runs = dp_ambssgd.descend(batches, [arm.settings for arm in arms.values()], normals, tail)
    return {
        key: Outcome(
            runs.average[a], runs.path[:, a], runs.thresholds[:, a], runs.clipped[:, a], runs.residual_rms[:, a]
        )
        for a, key in enumerate(arms)
    }  # fmt: skip


def trial_of(
    spec: Spec, design: Design, N: int, trial: int, T: int, arms: Mapping[Key, Arm[dp_ambssgd.SGDArm]],
    batches: Iterable[dp_ambssgd.Batch], role: str = "noise",
) -> dict[Key, Outcome]:  # fmt: skip
    """Runs all arms on T batches with normals from a trial's stream for a role."""
    clippings = [arm.settings.clipping for arm in arms.values()]
    levels = max((each.search.levels for each in clippings if isinstance(each, Adaptive)), default=0)
    noise = trial_stream(spec, place_of(design, N), trial, role)
    return descend(arms, batches, dp_ambssgd.Normals.draw(noise, T, len(design.lam), levels), spec["settings"]["tail"])


def risks_of(
    spec: Spec, design: Design, N: int, trial: int, arms: Mapping[Key, Arm[dp_ambssgd.SGDArm]],
    batches: Iterable[dp_ambssgd.Batch], role: str = "noise",
) -> Iterator[tuple[Key, float, Row]]:  # fmt: skip
    """Runs all arms as `trial_of`, T from the settings, and yields key, risk and measures of each."""
    T = iterations(spec)
    for key, outcome in trial_of(spec, design, N, trial, T, arms, batches, role).items():
        yield key, float(design.risk(outcome.average)), {"T": T, **outcome.measures}


def runs_of(spec: Spec, choices: Mapping[Key, Choice], X: Array, Y: Array, trial: int) -> dict[Key, Outcome]:
    """Runs DP-AMBSSGD on one data set by every choice.

    Choices of one T go through together; their batches are cut from the same permutation, and they share normals.
    """
    outcomes: dict[Key, Outcome] = {}
    for T in sorted({choice.T for choice in choices.values()}):
        mine = {key: choice for key, choice in choices.items() if choice.T == T}
        arms, design = {key: choice.arm() for key, choice in mine.items()}, next(iter(mine.values())).design
        outcomes |= trial_of(spec, design, len(X), trial, T, arms, shuffled(spec, design, X, Y, trial, T))
    return outcomes


def ada_ssp_of(
    spec: Spec, design: Design, arms: dict[str, Arm[Any]], X: Array, Y: Array, trial: int
) -> Iterator[tuple[str, float, Row]]:  # fmt: skip
    """Takes AdaSSP out of some arms, if it is there, and runs it on records clipped to its bounds."""
    arm = arms.pop(ADA_SSP, None)
    if arm is not None:
        rng = trial_stream(spec, place_of(design, len(X)), trial, "AdaSSP")
        w = baselines.ada_ssp_on_records(arm, X, Y[:, 0], spec["settings"]["failure"], rng)
        yield ADA_SSP, float(design.risk(w)), baselines.NO_STEPS


def shuffled(spec: Spec, design: Design, X: Array, Y: Array, trial: int, T: int) -> Iterator[dp_ambssgd.Batch]:
    """Cuts the records into T batches in the trial's random order."""
    return dp_ambssgd.batches_of(X, Y, T, trial_stream(spec, place_of(design, len(X)), trial, "permutation"))


def trials_of(spec: Spec, design: Design, N: int, sigma: float) -> Iterator[tuple[int, Array, Array]]:
    """Yields the part's trials: number, covariates and labels."""
    for trial in range(*spec["trials"]):
        X, Y = design.draw(N, np.array([sigma]), trial_stream(spec, place_of(design, N), trial, "data"))
        yield trial, X, Y
