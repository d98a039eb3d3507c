"""wang2026 Lemmas C.2 and D.11 step by step along runs, where their condition nu D^2 <= 1/2 holds, and far from there.

D is the distance of an iterate to the comparator, nu the sharp curvature bound of the seed's second layer. Comparators
are the start, gradient descent's end, and points between the two.
"""

from collections.abc import Iterator

import numpy as np

from dpdescent.algorithms.lambda_cgd import State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.diagnostics import Seed, Target
from dpdescent.papers.wang2026.theory import explicit

VIOLATED_C2, VIOLATED_D11 = "Lemma C.2, share violated", "Lemma D.11, share violated"
FAR, LOCAL = "slack far from the start", "local radius"
# The largest nu D^2 at which the lemmas speak.
CONDITION = 0.5


class Steps:
    """Observer of one seed: slacks of both inequalities at every iterate where they are claimed, by comparator."""

    def __init__(self, seed: Seed, targets: list[Target], arms: list[Arm]) -> None:
        self.seed, self.targets, self.arms = seed, targets, arms
        self.slacks: list[list[float]] = [[] for _ in arms]
        self.steps: list[list[float]] = [[] for _ in arms]
        self.before: tuple[Array, Array, Array, Array] | None = None

    def __call__(self, state: State) -> None:
        W, Z = state.weights[0], state.normals[0, 0]
        losses, gradients = self.seed.loss_and_gradient(W)
        if self.before is not None:
            self._one_step(W, Z, state.drift)
        for index, (loss, gradient, own) in enumerate(zip(losses, gradients, W, strict=True)):
            for target in self.targets:
                if self._local(own, target):
                    slack = explicit.comparator_slack(float(loss), gradient, own, target.weights, target.loss)
                    self.slacks[index].append(slack)
        self.before = (W.copy(), losses, gradients, state.gradient[0].copy())

    def _local(self, W: Array, target: Target) -> bool:
        return self.seed.sharp.hessian * float(np.sum((W - target.weights) ** 2)) <= CONDITION

    def _one_step(self, W: Array, Z: Array, drift: Array) -> None:
        """Notes the slack of Lemma D.11 for the step to W, of arms with independent noise."""
        assert self.before is not None
        before, losses, gradients, taken = self.before
        for index, arm in enumerate(self.arms):
            if arm.noise.lam > 0.0:
                continue
            eta, noise = arm.eta, drift[index] / arm.eta * Z
            deviation, own = taken[index] - gradients[index], before[index]
            spread = 6.0 * eta * (float(np.vdot(deviation, deviation)) + float(np.vdot(noise, noise)))
            for target in self.targets:
                if not self._local(own, target):
                    continue
                away = own - target.weights
                fall = float(np.vdot(away, away)) - float(np.sum((W[index] - target.weights) ** 2))
                right = 4.0 * target.loss + 1.5 / eta * fall + spread - 3.0 * float(np.vdot(deviation + noise, away))
                self.steps[index].append(right - float(losses[index]))


def rows(spec: Spec) -> Iterator[Row]:
    """Yields the shares of violations of every noise and seed, and the slack at starts that are scaled up."""
    size = Size.of(spec)
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, size.n)
        made, targets = _arms(spec, size), _targets(seed)
        steps = Steps(seed, targets, made)
        seed.run(made, steps)
        for index, arm in enumerate(made):
            base = {
                "panel": spec["panel"], **training.columns(spec, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                "clipped": 0.0, "trial": trial, "admitted": 1.0 / (12.0 * seed.sharp.beta),
            }  # fmt: skip
            for series, slacks in ((VIOLATED_C2, steps.slacks[index]), (VIOLATED_D11, steps.steps[index])):
                if slacks:
                    share = float((np.array(slacks) < 0.0).mean())
                    yield {**base, "series": series, "value": share, "checks": len(slacks)}
        yield from _far(spec, seed)


def _arms(spec: Spec, size: Size) -> list[Arm]:
    noises = [
        Noise.fixed(size, kappa, lam, value(spec, "delta"))
        for kappa in as_list(value(spec, "kappa"))
        for lam in (as_list(value(spec, "lam")) if kappa > 0.0 else [0.0])
    ]
    return [Arm(noise, float(value(spec, "C_clip")), float(value(spec, "eta"))) for noise in noises]


def _targets(seed: Seed) -> list[Target]:
    start, end = seed.problem.start[0], seed.trained.weights
    return [seed.target(start + share * (end - start)) for share in (0.0, 0.1, 0.3, 1.0)]


def _far(spec: Spec, seed: Seed) -> Iterator[Row]:
    """Yields the slack of Lemma C.2's inequality at multiples of the start, for the end of gradient descent."""
    start, target = seed.problem.start[0], seed.trained
    for factor in as_list(value(spec, "factor")):
        W = factor * start
        losses, gradients = seed.loss_and_gradient(W[None])
        distance = float(np.linalg.norm(W - target.weights))
        slack = explicit.comparator_slack(float(losses[0]), gradients[0], W, target.weights, target.loss)
        base = {"panel": spec["panel"], "n": seed.n, "m": value(spec, "m"), "d": value(spec, "d"), "trial": seed.trial}
        yield {**base, "factor": factor, "series": FAR, "value": slack, "distance": distance}
        local = (CONDITION / seed.sharp.hessian) ** 0.5
        yield {**base, "factor": factor, "series": LOCAL, "value": local, "distance": distance}
