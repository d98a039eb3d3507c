"""Runs inside Theorem 4.1's window, one axis of its bound at a time."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms.lambda_cgd import State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, problem_of, value
from dpdescent.papers.wang2026.runs import training, window
from dpdescent.privacy.events import Mechanism

# Iterates between two looks at the risk on all records, where batches are compared with all records.
EVERY = 10
DEPARTURE = "departure by batches"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: risks at every size, step and noise, and what noise or batches change of them."""
    if spec["panel"] == "batches":
        yield from _by_batches(spec)
        return
    for place in window.at_places(spec):
        yield from training.with_steps(window.rows(place, arms(place)), "kappa", "eta", "T")


def arms(spec: Spec) -> list[Arm]:
    """Returns a run of every step with every noise, and without noise where there is any."""
    cell = spec["cell"]
    size = Size(cell["n"], cell["B"], window.horizons(spec)[-1])
    delta, C_clip = value(spec, "delta"), value(spec, "C_clip")
    kappas = as_list(value(spec, "kappa"))
    noises = [
        Noise.fixed(size, kappa, lam, delta)
        for kappa in dict.fromkeys([0.0, *map(float, kappas)])
        for lam in (as_list(value(spec, "lam")) if kappa > 0.0 else [0.0])
    ]
    return [Arm(noise, C_clip, eta) for eta in as_list(value(spec, "eta")) for noise in noises]


class _Risk:
    """Observer that averages the risk on all records over some of the iterates, shape (seeds, arms)."""

    def __init__(self, spec: Spec, n: int) -> None:
        self.problem, self.total, self.count = problem_of(spec, range(*spec["trials"]), n), np.zeros(()), 0

    def __call__(self, state: State) -> None:
        if state.t % EVERY == 0:
            self.total = self.total + self.problem.loss_and_gradient(state.weights)[0]
            self.count += 1

    @property
    def average(self) -> Array:
        return np.asarray(self.total / self.count)


def _by_batches(spec: Spec) -> Iterator[Row]:
    """Yields how far the averaged risk on all records gets from that of full batches, of every batch size and step."""
    whole = _averages({**spec, "cell": spec["cell"] | {"B": spec["cell"]["n"]}})
    for place in window.at_places(spec):
        found, known = _averages(place), window.starts(place, spec["cell"]["n"])
        made = arms(place)
        for index, arm in enumerate(made):
            for row, trial in enumerate(range(*spec["trials"])):
                base = {
                    "panel": spec["panel"], **training.columns(place, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                    "jitter": value(spec, "jitter"), **known[trial], "trial": trial, "clipped": 0.0,
                    **dict.fromkeys(("projected", "largest_move", "largest_shift", "unit"), np.nan),
                }  # fmt: skip
                yield {**base, "series": training.EMPIRICAL, "value": float(found[row, index])}
                yield {**base, "series": DEPARTURE, "value": abs(float(found[row, index] - whole[row, index]))}


def _averages(spec: Spec) -> Array:
    risk = _Risk(spec, spec["cell"]["n"])
    training.run(spec, range(*spec["trials"]), arms(spec), risk.problem, observe=risk)
    return risk.average


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of a panel: noise of fixed multipliers at every size."""
    for place in window.at_places(spec):
        own = f" m={value(place, 'm')} d={value(place, 'd')} jitter={value(place, 'jitter'):g}"
        yield from training.entries(place, arms(place), own)
