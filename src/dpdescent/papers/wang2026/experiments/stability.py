"""Distance of runs whose records differ in one, with batches and noise in common, and the bound on its mean."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, kan_of, records, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import stability
from dpdescent.privacy.events import Mechanism

DISTANCE, BOUND, PLAIN = "mean distance", "bound", "bound without e"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every noise, time and seed; the threshold is the seed's G_sharp, so that nothing is clipped."""
    size = Size.of(spec)
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, size.n)
        made = diagnostics.arms(spec, seed.sharp.gradient)
        distances, losses = _coupled(spec, seed, size, made)
        for index, arm in enumerate(made):
            base = {
                "n": size.n, "T": size.T, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"), "eta": arm.eta,
                "lam": arm.noise.lam, "kappa": arm.noise.kappa, "C_clip": arm.C_clip, "trial": trial,
            }  # fmt: skip
            for t in as_list(value(spec, "t")):
                gone = float(losses[:t, index].sum())
                with_e, without = (
                    # No term for failure, because there is no projection and the events are known to hold.
                    stability.on_average(arm.eta, seed.sharp.gradient, size.n, gone, np.inf, 0.0, factor)
                    for factor in (np.e, 1.0)
                )
                values = {DISTANCE: float(distances[t, :, index].mean()), BOUND: with_e, PLAIN: without}
                for series, number in values.items():
                    yield {**base, "t": t, "series": series, "value": number}


def _coupled(spec: Spec, seed: Seed, size: Size, made: list[Arm]) -> tuple[Array, Array]:
    """Returns distances of all runs to the first, (T, indices, arms), and the first one's batch risks, (T, arms)."""
    problem = neighbours(spec, seed)
    distances = np.empty((size.T, len(problem.start) - 1, len(made)))

    def observe(state: State) -> None:
        moved = state.weights[1:] - state.weights[:1]
        distances[state.t] = np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2)

    # All have the same seed's number, so that they share batches and noise.
    trials = [seed.trial] * len(problem.start)
    runs = training.run(spec, trials, made, problem, observe=observe)
    return distances, runs.empirical[:, 0]


def neighbours(spec: Spec, seed: Seed) -> KANProblem:
    """Returns the seed's records and copies of them, of which the i-th has a fresh record in place of record i."""
    p, count = seed.problem, value(spec, "indices")
    x, y = records(spec, seed.trial, count, "replacements")
    H = np.repeat(p.features, count + 1, axis=0)
    labels = np.repeat(p.labels, count + 1, axis=0)
    H[np.arange(1, count + 1), np.arange(count)] = kan_of(spec).features(x)
    labels[np.arange(1, count + 1), np.arange(count)] = y
    same = np.zeros(count + 1, dtype=np.intp)
    return replace(p, features=H, labels=labels, start=p.start[same], heads=p.heads[same])


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries with the first seed's threshold; each run on neighbours counts by itself."""
    return diagnostics.releases(spec)
