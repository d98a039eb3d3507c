"""Runs that differ in one record, so short that Lemma C.20's condition holds: Lemmas C.16 to C.21, Theorem C.22.

Everything is evaluated along the runs themselves: growth M_t and push R_t of every step, and what they add up to.
"""

from collections.abc import Iterator

import numpy as np

from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.models.kan import logistic
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Array, Index, Row, Size, Spec, value
from dpdescent.papers.wang2026.experiments import stability as neighbouring
from dpdescent.papers.wang2026.runs import diagnostics, lemma_events, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import stability

ONE_STEP, GROWTH = "Lemma C.16, step over its bound", "Lemma C.20, sum of M_t"
ALLOWED = "Lemma C.20, sum of M_t over its bound"
REPLACED, AVERAGE = "Lemma C.21, distance over e sum R_t", "Theorem C.22, mean distance over its bound"
DISTANCE = "mean distance"


class Recursion:
    """Observer of runs on a data set and its neighbours: distances, and growth and push of every step."""

    def __init__(self, problem: KANProblem, seed: Seed, arms: list[Arm], B: int) -> None:
        self.problem, self.seed, self.B = problem, seed, B
        self.eta = np.array([arm.eta for arm in arms])
        shape = (len(problem.start) - 1, len(arms))
        self.growth, self.push, self.steps = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.allowed = self.distance = np.zeros(shape)

    def __call__(self, state: State) -> None:
        moved = state.weights[1:] - state.weights[:1]
        self.distance = np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2)
        if state.t > 0:
            ratios = np.divide(self.distance, self.allowed, out=np.zeros_like(self.distance), where=self.allowed > 0.0)
            self.steps = np.maximum(self.steps, ratios)
        rows = np.arange(self.problem.labels.shape[1]) if state.batch is None else np.asarray(state.batch[0])
        losses = self._losses(state.weights, rows)
        means, eta = losses.mean(axis=2), self.eta
        grow = 2.0 * self.seed.sharp.hessian * eta * (means[:1] + means[1:])
        add = np.zeros_like(grow)
        for i in np.flatnonzero(rows < len(add)):
            record = int(rows[i])
            both = losses[0, :, i] + losses[record + 1, :, i]
            add[record] = eta * self.seed.sharp.gradient / self.B * both
        self.growth, self.push = self.growth + grow, self.push + add
        self.allowed = (1.0 + grow) * self.distance + add

    def _losses(self, W: Array, rows: Index) -> Array:
        """Losses of the batch's records at every run, shape (data sets, arms, B)."""
        p = self.problem
        outputs = p.kan.outputs(W, p.features[:, None, rows], p.heads[:, None])
        return np.asarray(logistic(p.labels[:, None, rows] * outputs))


def rows(spec: Spec) -> Iterator[Row]:
    """Yields what the lemmas bound, over the bound, of every noise and seed at the last iterate."""
    size = Size.of(spec)
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, size.n)
        made, problem = diagnostics.arms(spec, float(value(spec, "C_clip"))), neighbouring.neighbours(spec, seed)
        seen = Recursion(problem, seed, made, size.B)
        runs = training.run(spec, [trial] * len(problem.start), made, problem, observe=seen)
        losses = runs.empirical[:-1, 0].sum(axis=0)
        for index, arm in enumerate(made):
            base = {
                "panel": spec["panel"], **training.columns(spec, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                "clipped": float(runs.clipped[:, :, index].mean()), "trial": trial,
                "admitted": 1.0 / (12.0 * seed.sharp.beta), "growth": float(seen.growth[:, index].max()),
            }  # fmt: skip
            bound = stability.on_average(arm.eta, seed.sharp.gradient, size.n, float(losses[index]), np.inf, 0.0)
            distance, push = seen.distance[:, index], seen.push[:, index]
            drawn = push > 0.0
            ceiling = lemma_events.loss_ceiling(spec, seed, size)
            chance = float(value(spec, "delta_event"))
            gone = stability.batch_losses(float(losses[index]), ceiling, size.T, size.B, chance)
            most = stability.growth_bound(arm.eta, seed.sharp.hessian, gone)
            values = {
                ALLOWED: base["growth"] / most, ONE_STEP: float(seen.steps[:, index].max()), GROWTH: base["growth"],
                REPLACED: float((distance[drawn] / (np.e * push[drawn])).max()) if drawn.any() else 0.0,
                AVERAGE: float(distance.mean()) / bound, DISTANCE: float(distance.mean()),
            }  # fmt: skip
            for series, number in values.items():
                yield {**base, "series": series, "value": number}
