"""Runs of all methods on the same records: many arms of an engine at once, and the methods beside DP-AMBSSGD."""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dpdescent.algorithms import dp_ambssgd, dp_ftrl, dp_gd
from dpdescent.algorithms.dp_ambssgd import Batch, tail_length
from dpdescent.algorithms.sgd_arms import Adaptive, SGDArm
from dpdescent.baselines import ada_ssp
from dpdescent.baselines.ada_ssp import Calibration
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import Gram, LinearSample
from dpdescent.papers.varshney2022.arms import Arm, Choice
from dpdescent.papers.varshney2022.formulas import Array
from dpdescent.papers.varshney2022.setting import ADA_SSP, Design, Part, Row

Key = TypeVar("Key", bound=Hashable)
# A series or another key, its risk, and the measures of its run.
Measured = tuple[Key, float, Row]

# Measures of least squares and AdaSSP, which have no iterations and no clipping threshold.
NO_STEPS: Row = dict.fromkeys(("T", "clip_fraction", "zeta_first", "zeta_last"), math.nan)
# Steps of DP-SSGD whose noise is drawn at once.
STEPS = 4096


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results of one arm's run of T iterations.

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


def trials_of(part: Part, design: Design, N: int, sigmas: Sequence[float]) -> Iterator[tuple[int, Array, Array]]:
    """Yields the part's trials: number, covariates and labels with every size of noise."""
    for trial in part.trials:
        yield trial, *records_of(part, design, N, sigmas, trial)


def records_of(part: Part, design: Design, N: int, sigmas: Sequence[float], trial: int) -> Batch:
    """Draws a trial's data set."""
    return design.draw(N, np.array(sigmas), part.stream(design.place(N), trial, "data"))


def shuffled(part: Part, design: Design, X: Array, Y: Array, trial: int, T: int) -> Iterator[Batch]:
    """Cuts the records into T batches in the trial's random order."""
    return dp_ambssgd.batches_of(X, Y, T, part.stream(design.place(len(X)), trial, "permutation"))


def fresh(part: Part, design: Design, N: int, sigmas: Sequence[float], trial: int) -> Iterator[Batch]:
    """Draws each batch when its turn comes, unpermuted, because independent draws have one law in every order."""
    rng = part.stream(design.place(N), trial, "batches")
    return (design.draw(N // part.T, np.array(sigmas), rng) for _ in range(part.T))


def descend(
    arms: Mapping[Key, Arm[SGDArm]], batches: Iterable[Batch], normals: dp_ambssgd.Normals, tail: float
) -> dict[Key, Outcome]:
    """Runs all arms on the same batches with the same normals; the average is over a share `tail` of the iterates."""
    runs = dp_ambssgd.descend(batches, [arm.settings for arm in arms.values()], normals, tail)
    return {
        key: Outcome(
            runs.average[a], runs.path[:, a], runs.thresholds[:, a], runs.clipped[:, a], runs.residual_rms[:, a]
        )
        for a, key in enumerate(arms)
    }  # fmt: skip


def trial_of(
    part: Part, design: Design, N: int, trial: int, T: int, arms: Mapping[Key, Arm[SGDArm]], batches: Iterable[Batch],
    role: str = "noise",
) -> dict[Key, Outcome]:  # fmt: skip
    """Runs all arms on T batches with normals from a trial's stream for a role."""
    clippings = [arm.settings.clipping for arm in arms.values()]
    levels = max((clipping.search.levels for clipping in clippings if isinstance(clipping, Adaptive)), default=0)
    normals = dp_ambssgd.Normals.draw(part.stream(design.place(N), trial, role), T, design.d, levels)
    return descend(arms, batches, normals, part.settings.tail)


def risks_of(
    part: Part, design: Design, N: int, trial: int, arms: Mapping[Key, Arm[SGDArm]], batches: Iterable[Batch],
    role: str = "noise",
) -> list[Measured[Key]]:  # fmt: skip
    """Runs all arms as `trial_of` does, with T from the settings; returns key, risk and measures of each arm."""
    outcomes = trial_of(part, design, N, trial, part.T, arms, batches, role)
    risks = design.risk(np.stack([outcome.average for outcome in outcomes.values()])).tolist()
    measures = [{"T": part.T, **outcome.measures} for outcome in outcomes.values()]
    return list(zip(outcomes, risks, measures, strict=True))


def runs_of(part: Part, choices: Mapping[Key, Choice], X: Array, Y: Array, trial: int) -> dict[Key, Outcome]:
    """Runs DP-AMBSSGD on one data set by every choice.

    Choices with the same T run together; their batches are cut from the same permutation, and they share normals.
    """
    outcomes: dict[Key, Outcome] = {}
    for T in sorted({choice.T for choice in choices.values()}):
        arms = {key: choice.arm() for key, choice in choices.items() if choice.T == T}
        design = next(choice.design for choice in choices.values() if choice.T == T)
        outcomes |= trial_of(part, design, len(X), trial, T, arms, shuffled(part, design, X, Y, trial, T))
    return outcomes


def compared(
    part: Part, design: Design, arms: dict[str, Arm[Any]], X: Array, Y: Array, trial: int
) -> Iterator[Measured[str]]:
    """Runs other methods on a data set: AdaSSP, if it is among them, on clipped records, others on shuffled batches."""
    one_pass = dict(arms)
    if (arm := one_pass.pop(ADA_SSP, None)) is not None:
        w = ada_ssp_on_records(part, design, arm, X, Y[:, 0], trial)
        yield ADA_SSP, float(design.risk(w)), NO_STEPS
    yield from risks_of(part, design, len(X), trial, one_pass, shuffled(part, design, X, Y, trial, part.T))


# Methods beside DP-AMBSSGD -----------------------------------------------------------------------------------------


def least_squares(X: Array, Y: Array) -> Array:
    """Returns the least-squares estimates for every column of labels, shape (labels, d)."""
    xx, xy = X.T @ X, Y.T @ X
    return np.stack([linear_least_squares(Gram(len(X), xx, sums, math.nan)) for sums in xy])


def wishart_gram(design: Design, N: int, sigma: float, rng: np.random.Generator) -> Gram:
    """Draws X'X and X'y of N normal records from their law; no record is drawn, so that none can be clipped."""
    return ada_ssp.wishart_gram(design.w_star, N, rng, root=np.diag(np.sqrt(design.lam)), sigma=sigma)


def ada_ssp_on_records(
    part: Part, design: Design, arm: Arm[Calibration], X: Array, y: Array, trial: int
) -> Array:  # fmt: skip
    """Runs AdaSSP on records clipped to the arm's bounds, as its guarantee needs; the estimate has shape (d,)."""
    gram = ada_ssp.bounded_gram(LinearSample(X, y), arm.settings.bounds)
    return ada_ssp_on_sums(part, arm, gram, part.stream(design.place(len(X)), trial, "AdaSSP"))


def ada_ssp_on_sums(part: Part, arm: Arm[Calibration], gram: Gram, rng: np.random.Generator) -> Array:
    """Runs AdaSSP on X'X and X'y as they are; the estimate has shape (d,)."""
    return ada_ssp.ada_ssp(gram, arm.settings, rng, part.settings.failure).theta


def full_batch(
    part: Part, design: Design, arm: Arm[dp_gd.DPGDArms], X: Array, y: Array, trial: int
) -> tuple[float, Row]:  # fmt: skip
    """Runs DP-GD with a fixed threshold; returns the risk of the tail average and the measures of the run."""
    normals = part.stream(design.place(len(X)), trial, "DP-GD").standard_normal((part.T, design.d))
    run = dp_gd.descend([LinearSample(X, y)], arm.settings, normals[:, None, None, :], record=True)
    assert run.path is not None
    average, zeta = tail_average(run.path[:, 0, 0], part.settings.tail), float(arm.settings.gamma[0])
    measures = {"clip_fraction": float(run.clipped[0, 0]), "zeta_first": zeta, "zeta_last": zeta}
    return float(design.risk(average)), {"T": arm.settings.steps, **measures}


def tail_average(path: Array, tail: float) -> Array:
    """Returns the mean of the last share of iterates w_1, ..., w_T, shape (..., d), of a path of shape (T, ..., d)."""
    average: Array = path[len(path) - tail_length(tail, len(path)) :].mean(axis=0)
    return average


def single_passes(
    part: Part, design: Design, N: int, sigmas: Sequence[float], arms: Sequence[Arm[dp_ftrl.FTRLArms]]
) -> tuple[Array, Array]:
    """Runs DP-SSGD in all trials of a part side by side; returns risks and clipped shares, of shape (arms, trials).

    Arms share the records but for the size sigma of the label noise. A record is drawn when its turn comes, because
    independent draws have the same law in every order.
    """
    eta, clip_norm, noise_sd = (
        np.concatenate([getattr(arm.settings, name) for arm in arms]) for name in ("eta", "clip_norm", "noise_sd")
    )
    data, noise = (
        [part.stream(design.place(N), trial, f"DP-SSGD {role}") for trial in part.trials] for role in ("data", "noise")
    )
    # Overflow is no error here, because steps that are far too large are shown on purpose.
    with np.errstate(all="ignore"):
        runs = dp_ftrl.regression(
            design.lam, dp_ftrl.FTRLArms(eta, clip_norm, noise_sd), -design.w_star, N, data,
            _normals(noise, N, design.d), sigma_sgd=np.array(sigmas), tail=N // 2,
        )  # fmt: skip
    # One product for each estimate, because in a product with all estimates last bits depend on their number.
    return 0.5 * np.vecdot(runs.average**2, design.lam), runs.clipped


def _normals(rngs: Sequence[np.random.Generator], steps: int, d: int) -> Iterator[Array]:
    """Yields blocks of standard normals, shape (steps of a block, 1, trials, d)."""
    for start in range(0, steps, STEPS):
        size = min(STEPS, steps - start)
        yield np.stack([rng.standard_normal((size, d)) for rng in rngs], axis=1)[:, None]
