"""Simulations on streams: random streams by name, and arms of DP-FTRL side by side on the same records."""

from collections.abc import Iterator, Sequence

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.papers.choquettechoo2023 import arms
from dpdescent.papers.choquettechoo2023.arms import StreamArm
from dpdescent.papers.choquettechoo2023.design import PAPER, Array, Spec
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem
from dpdescent.randomness import stream

# Normals of the runs that go through the engine together (64 MB); their noise, of all steps, is what takes memory.
TOGETHER = 1 << 23


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
        record, tail: which steps are kept, as of `dp_ftrl.regression`.
    """
    T = compared[0].T
    noise = arms.noise(compared, common_noise(spec, place, trials, (T, problem.d)))
    data = generators(spec, place, trials, "data")
    return dp_ftrl.regression(
        problem.lam, arms.columns(compared), start, T, data, noise, sigma_sgd=problem.sigma_sgd, record=record,
        tail=tail,
    )  # fmt: skip
