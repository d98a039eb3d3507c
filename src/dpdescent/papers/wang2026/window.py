"""Runs inside Theorem 4.1's window, one axis of its bound at a time (wang2026). Constants are taken as 1."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Self

import numpy as np

from dpdescent.algorithms import lambda_cgd
from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.papers.wang2026 import network, training
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.setting import (
    BY_BATCHES,
    BY_NOISE,
    BY_SEED,
    EMPIRICAL,
    GAIN,
    POPULATION,
    SHIFTED,
    Analysed,
    Array,
    Row,
    Spec,
)
from dpdescent.papers.wang2026.training import Clipped, Seed
from dpdescent.privacy.events import Mechanism

# The number of records on which a margin is measured, because its cost grows with the cube of their number.
FEW = 200
# Axes that a cell may list, besides the step, the noise and the number of iterations, which share a run.
PLACES = ("n", "B", "m", "d", "jitter")
# Iterates between two evaluations of the risk on all records, where small batches are compared with full ones.
EVERY = 10


class Moves:
    """Observer of runs: largest distances of iterates and shifted iterates from the start, both (seeds, arms)."""

    def __init__(self, problem: KANProblem) -> None:
        self.start = problem.start[:, None]
        self.largest_move = self.largest_shift = np.zeros(())

    def __call__(self, state: State) -> None:
        self.largest_move = np.maximum(self.largest_move, _norms(state.weights - self.start))
        self.largest_shift = np.maximum(self.largest_shift, _norms(lambda_cgd.shifted(state) - self.start))


def _norms(moved: Array) -> Array:
    return np.asarray(np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2))


@dataclass(frozen=True, kw_only=True)
class Projected(Analysed):
    """Runs on two clusters, whose margin is so wide that widths and steps that Theorem 4.1 admits can be run.

    Nothing is clipped, because the threshold is above the sharp gradient bound of the starts.

    Attributes:
        radius_factor: the projection's radius divided by Theorem 4.1's, at the settings' margin and with constant 1.
        by_seed: series that are listed seed by seed too.
    """

    radius_factor: float
    by_seed: tuple[str, ...] = ()

    @classmethod
    def at_places(cls, spec: Spec) -> Iterator[Self]:
        """Yields the part at every combination of its sizes."""
        axes = [name for name in PLACES if isinstance(spec["cell"].get(name), list)]
        for values in product(*(spec["cell"][name] for name in axes)):
            yield cls.of({**spec, "cell": spec["cell"] | dict(zip(axes, values, strict=True))})

    def starts(self, n: int) -> dict[int, Row]:
        """Returns the margin at every seed's start, and the largest step that its own beta admits."""
        seeds = [Seed(self, trial, min(n, FEW)) for trial in self.trials]
        return {
            seed.trial: {"gamma": seed.margin.value, "admitted": network.largest_step(seed.sharp.beta)}
            for seed in seeds
        }


def with_seeds(rows: Iterable[Row], names: Sequence[str]) -> Iterator[Row]:
    """Yields the rows, and those of the named series once more as rows of their seeds, which have no spread."""
    for row in rows:
        yield {**row, "seed": np.nan}
        if row["series"] in names:
            yield {**row, "series": row["series"] + BY_SEED, "seed": row["trial"]}


@dataclass(frozen=True, kw_only=True)
class Inside(Clipped, Projected):
    """Runs at given multipliers; risks are read off at every T, and noise is compared with the run without any."""

    def with_plain(self) -> list[Arm]:
        """Returns runs of every step with every noise, and without noise."""
        return replace(self, kappa=tuple(dict.fromkeys([0.0, *map(float, self.kappa)]))).arms(self.C_clip)


def rows(task: Projected, arms: Sequence[Arm], horizons: Sequence[int]) -> Iterator[Row]:
    """Yields averaged risks of every arm, seed and number of iterations, and the changes by noise and correlation.

    Args:
        task: records and network.
        arms: the runs, of one size; noise is compared with the arm of the same step without noise.
        horizons: numbers of iterations at which averages are read off.
    """
    size, trials = arms[0].size, task.trials
    unit = training.theorem_radius(task, size.n, size.T)
    problem = task.problem(trials, size.n)
    moves, inside = Moves(problem), [replace(arm, radius=task.radius_factor * unit) for arm in arms]
    runs = training.run(task, trials, inside, problem, tested=True, observe=moves)
    assert runs.population is not None
    starts = task.starts(size.n)
    curves = {EMPIRICAL: training.averages(runs.empirical), POPULATION: training.averages(runs.population)}
    plain = {arm.eta: index for index, arm in enumerate(arms) if arm.noise.kappa == 0.0}
    # The multiplier is a key too, because gains are at a fixed one.
    independent = {(arm.eta, arm.noise.kappa): index for index, arm in enumerate(arms) if arm.noise.lam == 0.0}
    for (index, arm), (place, trial), T in product(enumerate(arms), enumerate(trials), sorted(horizons)):
        base = {
            "panel": task.panel, **training.columns(task, arm.noise), "T": T, "eta": arm.eta, "C_clip": arm.C_clip,
            "jitter": task.jitter, **starts[trial], "trial": trial, "unit": unit,
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
                yield {**base, "series": f"added to the {series}", "value": added}
                if series == EMPIRICAL:
                    yield {**base, "series": BY_NOISE, "value": abs(added)}
            shifts = moves.largest_shift[place, [index, plain[arm.eta]]]
            yield {**base, "series": SHIFTED, "value": float(shifts[0] ** 2 - shifts[1] ** 2)}
        other = independent.get((arm.eta, arm.noise.kappa))
        if arm.noise.lam > 0.0 and other is not None:
            risks = curves[POPULATION][T - 1, place]
            yield {**base, "series": GAIN, "value": float(risks[other] - risks[index])}


def run_ext_window(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: risks at every size, step and noise, and their changes by noise or batches."""
    if spec["panel"] == "batches":
        yield from with_seeds(_by_batches(spec), ())
        return
    for task in Inside.at_places(spec):
        stepped = training.with_steps(rows(task, task.with_plain(), task.T), "kappa", "eta", "T")
        yield from with_seeds(stepped, task.by_seed)


def releases_ext_window(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of a panel: noise of fixed multipliers at every size."""
    for task in Inside.at_places(spec):
        own = f" m={task.m} d={task.d} jitter={task.jitter:g}"
        yield from training.entries(task, task.with_plain(), own)


class _Risk:
    """Observer that averages the risk on all records over some of the iterates, shape (seeds, arms)."""

    def __init__(self, problem: KANProblem) -> None:
        self.problem, self.total, self.count = problem, np.zeros(()), 0

    def __call__(self, state: State) -> None:
        if state.t % EVERY == 0:
            self.total = self.total + self.problem.loss_and_gradient(state.weights)[0]
            self.count += 1


def _by_batches(spec: Spec) -> Iterator[Row]:
    """Yields the averaged risk on all records and its distance from the risk of full batches, by batch size and step."""
    full_batch = _averages(Inside.of({**spec, "cell": spec["cell"] | {"B": spec["cell"]["n"]}}))
    for task in Inside.at_places(spec):
        averages, starts = _averages(task), task.starts(task.n)
        for index, arm in enumerate(task.with_plain()):
            for row, trial in enumerate(task.trials):
                base = {
                    "panel": task.panel, **training.columns(task, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                    "jitter": task.jitter, **starts[trial], "trial": trial, "clipped": 0.0,
                    **dict.fromkeys(("projected", "largest_move", "largest_shift", "unit"), np.nan),
                }  # fmt: skip
                yield {**base, "series": EMPIRICAL, "value": float(averages[row, index])}
                yield {**base, "series": BY_BATCHES, "value": abs(float(averages[row, index] - full_batch[row, index]))}


def _averages(task: Inside) -> Array:
    risk = _Risk(task.problem(task.trials, task.n))
    training.run(task, task.trials, task.with_plain(), risk.problem, observe=risk)
    return np.asarray(risk.total / risk.count)
