"""Runs on two clusters, whose margin is so wide that widths and steps that Theorem 4.1 admits can be run.

Constants are taken as 1. Nothing is clipped, because the threshold is above the sharp gradient bound of the starts; the
projection's radius is a multiple of Theorem 4.1's, at the margin that the settings name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms import lambda_cgd
from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, problem_of, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed

# Records on which a margin is measured, because its cost grows with the cube of their number.
FEW = 200
# Axes that a cell may list, besides the step, the noise and the number of iterations, which share a run.
PLACES = ("n", "B", "m", "d", "jitter")
# What noise adds to an averaged risk, with its sign, and the size of that for the empirical risk.
ADDED, DEPARTURE = "added to the {}", "departure by noise"
# What noise adds to the square of the largest distance of the shifted iterate from the start.
SHIFTED = "added to the largest shift squared"


def at_places(spec: Spec) -> Iterator[Spec]:
    """Yields the cell at every combination of its sizes, as cells without lists of sizes."""
    axes = [name for name in PLACES if isinstance(spec["cell"].get(name), list)]
    for values in product(*(spec["cell"][name] for name in axes)):
        yield {**spec, "cell": spec["cell"] | dict(zip(axes, values, strict=True))}


def radius(spec: Spec, size: Size) -> float:
    """Returns the radius of the projection: `radius_factor` times Theorem 4.1's with constant 1."""
    return float(value(spec, "radius_factor")) * diagnostics.theorem_radius(spec, size.n, size.T)


class Moves:
    """Observer of runs that notes how far iterates and shifted iterates get from the start, both (seeds, arms)."""

    def __init__(self, problem: KANProblem) -> None:
        self.start = problem.start[:, None]
        self.largest_move = self.largest_shift = np.zeros(())

    def __call__(self, state: State) -> None:
        self.largest_move = np.maximum(self.largest_move, _norms(state.weights - self.start))
        self.largest_shift = np.maximum(self.largest_shift, _norms(lambda_cgd.shifted(state) - self.start))


def _norms(moved: Array) -> Array:
    return np.asarray(np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2))


def starts(spec: Spec, n: int) -> dict[int, Row]:
    """Returns what is known of every seed's start: its margin, and the largest step that its own beta admits."""
    found = {}
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, min(n, FEW))
        found[trial] = {"gamma": seed.margin.value, "admitted": 1.0 / (12.0 * seed.sharp.beta)}
    return found


def run(
    spec: Spec, arms: Sequence[Arm], *, tested: bool = True
) -> tuple[lambda_cgd.Runs, Moves]:  # fmt: skip
    """Runs all arms of all seeds of the part, within the radius, and notes how far they get."""
    size = arms[0].size
    trials, kept = range(*spec["trials"]), radius(spec, size)
    problem = problem_of(spec, trials, size.n)
    moves = Moves(problem)
    inside = [replace(arm, radius=kept) for arm in arms]
    return training.run(spec, trials, inside, problem, tested=tested, observe=moves), moves


def rows(spec: Spec, arms: Sequence[Arm], *, tested: bool = True) -> Iterator[Row]:
    """Yields averaged risks of every arm, seed and number of iterations, and what noise changes of the same arm.

    Args:
        spec: a cell without lists of sizes.
        arms: the runs, of one size; noise is compared with the arm of the same step that has none.
        tested: whether every iterate is tried on fresh records.
    """
    size, trials = arms[0].size, range(*spec["trials"])
    runs, moves = run(spec, arms, tested=tested)
    known, unit = starts(spec, size.n), diagnostics.theorem_radius(spec, size.n, size.T)
    curves = {training.EMPIRICAL: training.averages(runs.empirical)}
    if runs.population is not None:
        curves[training.POPULATION] = training.averages(runs.population)
    plain = {arm.eta: index for index, arm in enumerate(arms) if arm.noise.kappa == 0.0}
    # Of a given multiplier: what another accountant asks for differs from it.
    independent = {(arm.eta, arm.noise.kappa): index for index, arm in enumerate(arms) if arm.noise.lam == 0.0}
    for (index, arm), (place, trial), T in product(enumerate(arms), enumerate(trials), horizons(spec)):
        base = {
            "panel": spec["panel"], **training.columns(spec, arm.noise), "T": T, "eta": arm.eta, "C_clip": arm.C_clip,
            "jitter": value(spec, "jitter"), **known[trial], "trial": trial, "unit": unit,
            "clipped": float(runs.clipped[:, place, index].mean()),
            "projected": float(runs.projected[place, index]),
            "largest_move": float(moves.largest_move[place, index]),
            "largest_shift": float(moves.largest_shift[place, index]),
        }  # fmt: skip
        for series, curve in curves.items():
            yield {**base, "series": series, "value": float(curve[T - 1, place, index])}
        if arm.noise.kappa > 0.0 and arm.eta in plain:
            for series, curve in curves.items():
                added = float(curve[T - 1, place, index] - curve[T - 1, place, plain[arm.eta]])
                yield {**base, "series": ADDED.format(series), "value": added}
                if series == training.EMPIRICAL:
                    yield {**base, "series": DEPARTURE, "value": abs(added)}
            shifts = moves.largest_shift[place, [index, plain[arm.eta]]]
            yield {**base, "series": SHIFTED, "value": float(shifts[0] ** 2 - shifts[1] ** 2)}
        other = independent.get((arm.eta, arm.noise.kappa))
        if tested and arm.noise.lam > 0.0 and other is not None:
            at = curves[training.POPULATION][T - 1, place]
            yield {**base, "series": training.GAIN, "value": float(at[other] - at[index])}


def horizons(spec: Spec) -> list[int]:
    """Returns the numbers of iterations at which averages are read off one run."""
    return sorted(as_list(value(spec, "T")))
