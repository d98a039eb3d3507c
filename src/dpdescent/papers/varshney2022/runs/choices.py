"""Runs of DP-AMBSSGD that differ in its choices, on the same records: what several artefacts share."""

from collections.abc import Iterator, Mapping

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.design import Array, Design, Spec, place_of, trial_stream

Outcomes = dict[str, tuple[dp_ambssgd.Runs, int]]


def runs_of(spec: Spec, choices: Mapping[str, Choice], X: Array, Y: Array, trial: int) -> Outcomes:
    """The runs by name, and the place of each among its arms.

    Choices of one T go through together; their batches are cut from the same permutation, and they share normals.
    """
    outcomes: Outcomes = {}
    for T in sorted({choice.T for choice in choices.values()}):
        mine = {name: choice for name, choice in choices.items() if choice.T == T}
        design = next(iter(mine.values())).design
        place, levels = place_of(design, len(X)), max(choice.levels for choice in mine.values())
        noise, order = (trial_stream(spec, place, trial, role) for role in ("noise", "permutation"))
        normals = dp_ambssgd.Normals.draw(noise, T, len(design.lam), levels)
        arms = [choice.arm(0) for choice in mine.values()]
        runs = dp_ambssgd.descend(dp_ambssgd.batches_of(X, Y, T, order), arms, normals, spec["settings"]["tail"])
        outcomes |= {name: (runs, a) for a, name in enumerate(mine)}
    return outcomes


def trials_of(spec: Spec, design: Design, N: int, sigma: float) -> Iterator[tuple[int, Array, Array]]:
    """The part's trials: number, covariates and labels."""
    for trial in range(*spec["trials"]):
        X, Y = design.draw(N, np.array([sigma]), trial_stream(spec, place_of(design, N), trial, "data"))
        yield trial, X, Y


def noise_variance(choice: Choice, thresholds: Array) -> Array:
    """Variance of a coordinate of the noise on the mean gradient, `(2 alpha zeta_t / b)^2`, shape (T,)."""
    variance: Array = (2.0 * choice.multiplier * thresholds / choice.b) ** 2
    return variance
