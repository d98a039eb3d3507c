"""Two runs that differ in one record, with start, batches and noise in common (wang2026 App. C.2).

a_{delta,m} is twice the Hessian bound nu and b_{delta,m} the gradient bound G (constants ours: the paper leaves
C_{sigma,b} open). Everything is evaluated along the runs themselves: the growth M_t and the push R_t of every step, and
their sums.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.models.kan import logistic
from dpdescent.papers.wang2026 import criteria, network, training, window
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.criteria import claim_on_all_cells
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.setting import Row, Size, Spec
from dpdescent.papers.wang2026.training import FixedNoise, Seed
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import quotient

Array = NDArray[np.float64]


def on_average(
    eta: float, gradient_bound: float, n: int, loss_sum: float, radius: float, failure: float, factor: float = math.e
) -> float:
    """Returns `2 e eta b / n sum_t E L_S(W_t) + 2 R_* delta_stab`, bounding the mean distance (wang2026 Theorem C.22).

    Args:
        eta: step size.
        gradient_bound: b.
        n: number of records.
        loss_sum: sum of the empirical risks of the iterates so far.
        radius: R_*.
        failure: delta_stab.
        factor: e, which stands for prod (1 + M_t) where sum M_t <= 1; 1 where curvature is left out.
    """
    require_positive(eta=eta, n=n)
    require_non_negative(loss_sum=loss_sum, failure=failure)
    drift = 2.0 * radius * failure if failure > 0.0 else 0.0
    return 2.0 * factor * eta * gradient_bound * loss_sum / n + drift


def batch_losses(loss_sum: float, loss_ceiling: float, T: int, B: int, delta_conf: float) -> float:
    """Returns a bound on sum_t L_{B_t}(W_t) (wang2026 Lemma C.19).

    `sum_t L_S(W_t) + U (sqrt(2 T log(1/delta)/B) + 2/3 log(1/delta))`, with the constants of its proof by
    Freedman's inequality (C.18).
    """
    require_positive(T=T, B=B)
    require_probability(delta_conf=delta_conf)
    log = math.log(1.0 / delta_conf)
    return loss_sum + loss_ceiling * (math.sqrt(2.0 * T * log / B) + 2.0 / 3.0 * log)


def growth_bound(eta: float, hessian_bound: float, losses: float) -> float:
    """Returns a bound on sum_t M_t, `4 nu eta` times the batches' losses; Lemma C.20 asks for at most 1 (wang2026).

    Args:
        eta: step size.
        hessian_bound: nu.
        losses: bound on the summed losses of the batches along either run.
    """
    require_positive(eta=eta)
    return 4.0 * hessian_bound * eta * losses


DISTANCE, BOUND, PLAIN = "mean distance", "bound", "bound without e"


@dataclass(frozen=True, kw_only=True)
class Neighbours(FixedNoise):
    """Runs on records and on `indices` copies of them, each with another record replaced."""

    indices: int

    def problem_of(self, seed: Seed) -> KANProblem:
        """Returns the seed's records and copies of them, of which the i-th has a fresh record in place of record i."""
        p = seed.problem
        x, y = self.records(seed.trial, self.indices, "replacements")
        H, labels = (np.repeat(values, self.indices + 1, axis=0) for values in (p.features, p.labels))
        H[np.arange(1, self.indices + 1), np.arange(self.indices)] = self.kan.features(x)
        labels[np.arange(1, self.indices + 1), np.arange(self.indices)] = y
        same = np.zeros(self.indices + 1, dtype=np.intp)
        return replace(p, features=H, labels=labels, start=p.start[same], heads=p.heads[same])


@dataclass(frozen=True, kw_only=True)
class Watched(Neighbours):
    """Runs on neighbouring records whose distance is read off at some steps."""

    t: tuple[int, ...]


def run_stability(spec: Spec) -> Iterator[Row]:
    """Yields rows of every noise, time and seed; the threshold is the seed's G_sharp, so that nothing is clipped."""
    runs = Watched.of(spec)
    size = runs.size
    for trial in runs.trials:
        seed = Seed(runs, trial, size.n)
        arms = runs.arms(seed.sharp.gradient)
        distances, losses = _coupled(runs, seed, arms)
        for index, arm in enumerate(arms):
            base = {
                "n": size.n, "T": size.T, "B": size.B, "m": runs.m, "d": runs.d, "eta": arm.eta,
                "lam": arm.noise.lam, "kappa": arm.noise.kappa, "C_clip": arm.C_clip, "trial": trial,
            }  # fmt: skip
            for t in runs.t:
                loss_sum = float(losses[:t, index].sum())
                with_e, without = (
                    # No term for failure, because there is no projection and the events are known to hold.
                    on_average(arm.eta, seed.sharp.gradient, size.n, loss_sum, np.inf, 0.0, factor)
                    for factor in (np.e, 1.0)
                )
                values = {DISTANCE: float(distances[t, :, index].mean()), BOUND: with_e, PLAIN: without}
                for series, number in values.items():
                    yield {**base, "t": t, "series": series, "value": number}


def _coupled(runs: Watched, seed: Seed, arms: list[Arm]) -> tuple[Array, Array]:
    """Returns distances of all runs to the first, (T, indices, arms), and the first one's batch risks, (T, arms)."""
    problem = runs.problem_of(seed)
    distances = np.empty((runs.size.T, runs.indices, len(arms)))

    def observe(state: State) -> None:
        moved = state.weights[1:] - state.weights[:1]
        distances[state.t] = np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2)

    # The seed is the same for all, so that they share batches and noise.
    ran = training.run(runs, [seed.trial] * len(problem.start), arms, problem, observe=observe)
    return distances, ran.empirical[:, 0]


def releases_stability(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries with the first seed's threshold; each run on neighbouring records counts by itself."""
    return training.entries_at_sharp_thresholds(Watched.of(spec))


ONE_STEP, GROWTH = "Lemma C.16, step over its bound", "Lemma C.20, sum of M_t"
APART = "Lemma C.16, nu times the squared distance"
ALLOWED = "Lemma C.20, sum of M_t over its bound"
REPLACED, AVERAGE = "Lemma C.21, distance over e sum R_t", "Theorem C.22, mean distance over its bound"


class Recursion:
    """Observer of runs on a data set and its neighbours: distances, and growth and push of every step."""

    def __init__(self, problem: KANProblem, seed: Seed, arms: list[Arm], B: int) -> None:
        self.problem, self.seed, self.B = problem, seed, B
        self.eta = np.array([arm.eta for arm in arms])
        shape = (len(problem.start) - 1, len(arms))
        self.growth, self.push, self.steps = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.allowed = self.distance = self.furthest = np.zeros(shape)

    def __call__(self, state: State) -> None:
        moved = state.weights[1:] - state.weights[:1]
        self.distance = np.linalg.norm(moved.reshape(*moved.shape[:2], -1), axis=2)
        self.furthest = np.maximum(self.furthest, self.distance)
        if state.t > 0:
            ratios = np.divide(self.distance, self.allowed, out=np.zeros_like(self.distance), where=self.allowed > 0.0)
            self.steps = np.maximum(self.steps, ratios)
        rows = np.arange(self.problem.labels.shape[1]) if state.batch is None else np.asarray(state.batch[0])
        p = self.problem
        outputs = p.kan.outputs(state.weights, p.features[:, None, rows], p.heads[:, None])
        # Losses of the batch's records at every run have the shape (data sets, arms, B).
        losses: Array = np.asarray(logistic(p.labels[:, None, rows] * outputs))
        means, eta = losses.mean(axis=2), self.eta
        grow = 2.0 * self.seed.sharp.hessian * eta * (means[:1] + means[1:])
        add = np.zeros_like(grow)
        for i in np.flatnonzero(rows < len(add)):
            record = int(rows[i])
            both = losses[0, :, i] + losses[record + 1, :, i]
            add[record] = eta * self.seed.sharp.gradient / self.B * both
        self.growth, self.push = self.growth + grow, self.push + add
        self.allowed = (1.0 + grow) * self.distance + add


@dataclass(frozen=True, kw_only=True)
class Short(Neighbours):
    """Runs on neighbouring records, of so few steps that the growth factors of the recursion should stay small.

    Attributes:
        C_clip: a threshold above every gradient.
        delta_event: failure probability of Lemma C.19.
    """

    C_clip: float
    delta_event: float


def rows_of_neighbours(spec: Spec) -> Iterator[Row]:
    """Yields the ratios of quantities to their bounds by Lemmas C.16 to C.21 and Theorem C.22, by noise and seed."""
    runs = Short.of(spec)
    size = runs.size
    for trial in runs.trials:
        seed = Seed(runs, trial, size.n)
        arms, problem = runs.arms(runs.C_clip), runs.problem_of(seed)
        recursion = Recursion(problem, seed, arms, size.B)
        ran = training.run(runs, [trial] * len(problem.start), arms, problem, observe=recursion)
        losses = ran.empirical[:-1, 0].sum(axis=0)
        for index, arm in enumerate(arms):
            base = {
                "panel": runs.panel, **training.columns(runs, arm.noise), "eta": arm.eta, "C_clip": arm.C_clip,
                "clipped": float(ran.clipped[:, :, index].mean()), "trial": trial,
                "admitted": network.largest_step(seed.sharp.beta), "growth": float(recursion.growth[:, index].max()),
            }  # fmt: skip
            bound = on_average(arm.eta, seed.sharp.gradient, size.n, float(losses[index]), np.inf, 0.0)
            distance, push = recursion.distance[:, index], recursion.push[:, index]
            pushed = push > 0.0
            ceiling = loss_ceiling(seed, size, runs.delta_event)
            batch_loss_sum = batch_losses(float(losses[index]), ceiling, size.T, size.B, runs.delta_event)
            growth_limit = growth_bound(arm.eta, seed.sharp.hessian, batch_loss_sum)
            values = {
                ALLOWED: base["growth"] / growth_limit, ONE_STEP: float(recursion.steps[:, index].max()), GROWTH: base["growth"],
                REPLACED: float((distance[pushed] / (np.e * push[pushed])).max()) if pushed.any() else 0.0,
                AVERAGE: float(distance.mean()) / bound, DISTANCE: float(distance.mean()),
                APART: seed.sharp.hessian * float(recursion.furthest[:, index].max()) ** 2,
            }  # fmt: skip
            rows: list[Row] = [{**base, "series": series, "value": number} for series, number in values.items()]
            yield from window.with_seeds(rows, (GROWTH, APART, DISTANCE))


def output_ceiling(seed: Seed, size: Size, delta: float) -> float:
    """Returns F, Lemma C.17's bound on outputs, at Theorem 4.1's radius with constant 1."""
    constants, radius = Constants.sharp(seed.problem.kan.splines), training.theorem_radius(seed.task, size.n, size.T)
    return constants.output_ceiling(size.n, seed.sharp.gradient, radius, delta)


def loss_ceiling(seed: Seed, size: Size, delta: float) -> float:
    """Returns U of Lemma C.17, the largest loss at outputs within F."""
    return network.loss_ceiling(output_ceiling(seed, size, delta))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claim on common noise."""
    distance = criteria.rows(evidence, "stability", series=DISTANCE)
    noisy, plain = distance[distance["kappa"] > 0], distance[distance["kappa"] == 0]
    yield claim_on_all_cells(
        id="stability-noise", artefact="stability", location="App. D.3", kind="text", source="ours",
        statement="the stability and generalization analysis is noise-agnostic: (ours) common noise does not drive runs apart",
        quantity="mean distance with noise over that without at the same t: the largest over t and lambda",
        cells={
            algebra.place_of(row, ("kappa", "lam", "t")): quotient(row["mean"], other["mean"])
            for row, other in algebra.paired_rows(noisy, plain, ("n", "T", "B", "eta", "t"))
        },
        criterion=at_most(1.0),
    )  # fmt: skip
