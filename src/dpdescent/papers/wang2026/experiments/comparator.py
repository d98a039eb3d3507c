"""Lemma C.2's inequality along runs, for three comparators, and how low the risk lies in the margin's direction."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms.lambda_cgd import State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import AT_START, NTK, TRAINED, Seed, Target
from dpdescent.papers.wang2026.theory import explicit
from dpdescent.privacy.events import Mechanism

VIOLATIONS, SLACK, ALONG = "violations", "smallest slack", "L_S(W_0 + tau u)"


class Check:
    """Observer of runs: the inequality's slack, (checks, arms) a comparator, and the largest |W - W*|, (arms,)."""

    def __init__(self, seed: Seed, targets: dict[str, Target]) -> None:
        self.seed, self.targets = seed, targets
        self.slacks: dict[str, list[list[float]]] = {name: [] for name in targets}
        self.largest: dict[str, Array] = {name: np.zeros(()) for name in targets}

    def __call__(self, state: State) -> None:
        # Not at every iterate, because a check takes the gradient of all records.
        if state.t % value(self.seed.spec, "check_every"):
            return
        W = state.weights[0]
        losses, gradients = self.seed.loss_and_gradient(W)
        for name, target in self.targets.items():
            self.slacks[name].append(
                [
                    explicit.comparator_slack(float(loss), gradient, own, target.weights, target.loss)
                    for loss, gradient, own in zip(losses, gradients, W, strict=True)
                ]
            )
            moved = np.linalg.norm((W - target.weights).reshape(len(W), -1), axis=1)
            self.largest[name] = np.maximum(self.largest[name], moved)


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one width."""
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, spec["cell"]["n"])
        rows = _along_margin(spec, seed) if spec["panel"] == "ntk" else _along_runs(spec, seed)
        for row in rows:
            yield {
                "panel": spec["panel"], "n": seed.n, "m": value(spec, "m"), "d": value(spec, "d"),
                "T": spec["cell"]["T"], "gamma": seed.margin.value, "trial": trial, **row,
            }  # fmt: skip


def _along_runs(spec: Spec, seed: Seed) -> Iterator[Row]:
    size = Size.of(spec)
    targets = {name: seed.comparator(name, size.T) for name in (AT_START, TRAINED, NTK)}
    check, made = Check(seed, targets), diagnostics.arms(spec, value(spec, "C_clip"))
    seed.run(made, check)
    for name in targets:
        slacks = np.array(check.slacks[name])
        for index, arm in enumerate(made):
            row = {
                "B": size.B, "eta": arm.eta, "kappa": arm.noise.kappa, "lam": arm.noise.lam, "comparator": name,
                "condition": seed.sharp.hessian * float(check.largest[name][index]) ** 2,
            }  # fmt: skip
            yield {**row, "series": VIOLATIONS, "value": float((slacks[:, index] < 0.0).mean())}
            yield {**row, "series": SLACK, "value": float(slacks[:, index].min())}


def _along_margin(spec: Spec, seed: Seed) -> Iterator[Row]:
    for tau_gamma in as_list(value(spec, "tau_gamma")):
        target = seed.along_margin(tau_gamma / seed.margin.value)
        yield {
            "comparator": NTK, "tau_gamma": tau_gamma, "condition": seed.sharp.hessian * target.distance**2,
            "series": ALONG, "value": target.loss,
        }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of the runs of one width; in the direction of the margin nothing is trained."""
    if spec["panel"] == "ntk":
        return ()
    return training.entries(spec, diagnostics.arms(spec, value(spec, "C_clip")), f" m={value(spec, 'm')}")
