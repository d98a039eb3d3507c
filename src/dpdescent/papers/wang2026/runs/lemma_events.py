"""The events of wang2026 Lemmas C.6 to C.10, C.17 and C.19 along runs: what is bounded, over its bound, by seed.

The comparator is the start. Bounds have the sharp constants of each seed's second layer; sums stop where the shifted
iterate leaves the radius of eq. (10), as the lemmas have it. Runs are not projected.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.lambda_cgd import State, shifted
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, problem_of, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import constants, explicit, stability
from dpdescent.papers.wang2026.theory.constants import Constants
from dpdescent.papers.wang2026.theory.explicit import Comparator

# Series of the table: what is bounded by which lemma.
NAMES = ("Lemma C.6", "Lemma C.7", "Lemma C.8", "Lemma C.9", "Lemma C.10", "Lemma C.17", "Lemma C.19")
DRIFT = "drift over its mean"


class Sums:
    """Observer of one arm of many seeds: the sums and martingales of the lemmas, and the largest outputs."""

    def __init__(self, spec: Spec, n: int, limits: Array, arm: Arm) -> None:
        self.problem, self.limits, self.lam = problem_of(spec, range(*spec["trials"]), n), limits, arm.noise.lam
        self.eta, seeds = arm.eta, len(limits)
        self.inside = np.ones(seeds, dtype=bool)
        self.squares, self.losses, self.output, self.drift = (np.zeros(seeds) for _ in range(4))
        self.sums, self.largest = np.zeros((3, seeds)), np.zeros((4, seeds))
        self.count = 0

    def __call__(self, state: State) -> None:
        W, start = state.weights, self.problem.start[:, None]
        losses, full = self.problem.loss_and_gradient(W)
        deviation, U = _flat(state.gradient - full), _flat(shifted(state) - start)
        Z = _flat(np.broadcast_to(state.normals, W.shape))
        self.inside &= np.linalg.norm(U, axis=1) <= self.limits
        drift = float(state.drift[0])
        steps = (
            -2.0 * self.eta * np.vecdot(deviation, U), -2.0 * (1.0 - self.lam) * drift * np.vecdot(Z, U),
            2.0 * (1.0 - self.lam) * self.eta * drift * np.vecdot(deviation, Z),
        )  # fmt: skip
        self.sums += np.where(self.inside, steps, 0.0)
        self.largest = np.maximum(self.largest, np.abs([*self.sums, self.sums.sum(axis=0)]))
        self.squares += np.where(self.inside, np.vecdot(deviation, deviation), 0.0)
        self.losses += losses[:, 0]
        p = self.problem
        outputs = p.kan.outputs(W, p.features[:, None], p.heads[:, None])
        self.output = np.maximum(self.output, np.abs(outputs).max(axis=(1, 2)))
        if state.t > 0:
            self.drift += np.vecdot(Z, _flat(W - start)) / (-drift * Z.shape[1])
            self.count += 1


def _flat(values: Array) -> Array:
    """Arrays of one arm, shape (seeds, parameters)."""
    return values[:, 0].reshape(len(values), -1)


def rows(spec: Spec) -> Iterator[Row]:
    """Yields, for every seed and lemma, what it bounds over the bound, and the drift of Sec. 4.1 over its mean."""
    size, trials = Size.of(spec), range(*spec["trials"])
    noise = Noise.fixed(size, value(spec, "kappa"), value(spec, "lam"), value(spec, "delta"))
    arm = Arm(noise, float(value(spec, "C_clip")), float(value(spec, "eta")))
    seeds = [Seed(spec, trial, size.n) for trial in trials]
    settings = [_setting(spec, seed, size, arm) for seed in seeds]
    targets = [Comparator(seed.loss(seed.problem.start[0]), 0.0) for seed in seeds]
    limits = np.array([explicit.shifted_radius(*each) for each in zip(settings, targets, strict=True)])
    sums = Sums(spec, size.n, limits, arm)
    runs = training.run(spec, trials, [arm], sums.problem, observe=sums)
    beyond = runs.empirical[:, :, 0].sum(axis=0) - sums.losses
    for place, (seed, setting, limit) in enumerate(zip(seeds, settings, limits, strict=True)):
        base = {
            "panel": spec["panel"], **training.columns(spec, noise), "eta": arm.eta, "C_clip": arm.C_clip,
            "clipped": float(runs.clipped[:, place].mean()), "trial": seed.trial,
        }  # fmt: skip
        found = [sums.squares[place], *sums.largest[:, place], sums.output[place], beyond[place]]
        bounds = [explicit.batch_sum(setting), *_martingales(setting, float(limit)), *_losses(spec, seed, size)]
        for name, measured, bound in zip(NAMES, found, bounds, strict=True):
            yield {**base, "series": f"{name}, over its bound", "value": float(measured / bound)}
            yield {**base, "series": f"{name}, exceeded", "value": float(measured > bound)}
        yield {**base, "series": DRIFT, "value": float(sums.drift[place] / sums.count)}


def _setting(spec: Spec, seed: Seed, size: Size, arm: Arm) -> explicit.Setting:
    """Returns the run's setting, every event with the failure probability that the cell names."""
    delta = float(value(spec, "delta_event"))
    return replace(seed.setting(size, arm, seed.sharp), delta_Z=delta, delta_D=delta, delta_pot=delta)


def _martingales(s: explicit.Setting, Rbar: float) -> list[float]:
    """Returns the bounds of Lemmas C.7, C.8, C.9 and C.10."""
    log, deviation = math.log(2.0 / s.delta_pot), math.sqrt(s.batch_deviation_squared)
    linear = 4.0 * (1.0 - s.lam) * s.eta * s.c_priv
    return [
        4.0 * math.sqrt(2.0) * s.eta * deviation * Rbar * math.sqrt(s.T * log), linear * Rbar * math.sqrt(s.T * log),
        linear * s.eta * deviation * math.sqrt(explicit.noise_sum(s) * log), explicit.potential(s, Rbar),
    ]  # fmt: skip


def _losses(spec: Spec, seed: Seed, size: Size) -> list[float]:
    """Returns the bounds of Lemma C.17 on outputs, at Theorem 4.1's radius, and of C.19 on the batches' losses."""
    delta, ceiling = float(value(spec, "delta_event")), loss_ceiling(spec, seed, size)
    return [_output(spec, seed, size), stability.batch_losses(0.0, ceiling, size.T, size.B, delta)]


def loss_ceiling(spec: Spec, seed: Seed, size: Size) -> float:
    """Returns U of Lemma C.17, at Theorem 4.1's radius with constant 1."""
    return constants.loss_ceiling(_output(spec, seed, size))


def _output(spec: Spec, seed: Seed, size: Size) -> float:
    known, radius = Constants.sharp(seed.problem.kan.splines), diagnostics.theorem_radius(spec, size.n, size.T)
    return known.output_ceiling(size.n, seed.sharp.gradient, radius, float(value(spec, "delta_event")))
