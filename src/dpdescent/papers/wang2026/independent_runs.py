"""Independent noise along runs (wang2026 App. D.2): the sums of Lemma D.12, and Theorem D.13 without noise."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.papers.wang2026 import explicit, training
from dpdescent.papers.wang2026.criteria import claim_on_all_cells, range_of, regime, rows
from dpdescent.papers.wang2026.lemma_runs import CONDITION, EVENT, PROOF, RISK, SHIFT, Eventful, proof_rows
from dpdescent.papers.wang2026.setting import Array, Row, Spec
from dpdescent.papers.wang2026.training import Seed
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import proportion

# Series of the table, by the part of the lemma that bounds it.
NAMES = ("Lemma D.12a", "Lemma D.12b", "Lemma D.12c", "Lemma D.12d")


class Sums:
    """Observer of one arm of many seeds: the four sums of Lemma D.12, shape (4, seeds), to a comparator of each seed."""

    def __init__(self, problem: KANProblem, targets: Array) -> None:
        self.problem, self.targets = problem, targets
        self.values = np.zeros((4, len(targets)))
        self.before: Array | None = None

    def __call__(self, state: State) -> None:
        W = state.weights
        deviation = (state.gradient - self.problem.loss_and_gradient(W)[1]).reshape(len(W), -1)
        away = W.reshape(len(W), -1) - self.targets
        Z = np.broadcast_to(state.normals, W.shape).reshape(len(W), -1)
        self.values[0] += np.vecdot(deviation, deviation)
        self.values[2] -= 3.0 * np.vecdot(deviation, away)
        # The noise of a step meets the iterate before it.
        if self.before is not None:
            self.values[1] += np.vecdot(Z, Z)
            self.values[3] -= 3.0 * np.vecdot(Z, self.before)
        self.before = away


def rows_of_sums(spec: Spec) -> Iterator[Row]:
    """Yields, for every seed and part of Lemma D.12, the ratio of a sum to its bound, and whether it is exceeded.

    Runs are projected to Theorem 4.1's ball with constant 1. The comparator is gradient descent's end, or the last
    point of the ball on the way to it. Constants are those of the proofs of Lemmas C.7 and C.8, to which that of the
    lemma refers, for the distance 2 R_* and the factor 3.
    """
    part = Eventful.of(spec)
    size, delta, (plain,) = part.size, part.delta_event, part.arms(part.C_clip)
    R = training.theorem_radius(part, size.n, size.T)
    seeds = [Seed(part, trial, size.n) for trial in part.trials]
    starts = np.stack([seed.problem.start[0].ravel() for seed in seeds])
    ends = np.stack([seed.trained.weights.ravel() for seed in seeds])
    targets = starts + np.minimum(1.0, R / np.linalg.norm(ends - starts, axis=1))[:, None] * (ends - starts)
    sums = Sums(part.problem(part.trials, size.n), targets)
    runs = training.run(part, part.trials, [replace(plain, radius=R)], sums.problem, observe=sums)
    for place, seed in enumerate(seeds):
        setting = replace(seed.setting(size, plain, seed.sharp), delta_Z=delta, delta_D=delta, delta_pot=delta)
        root = math.sqrt(size.T * math.log(2.0 / delta))
        bounds = (
            # Lemma C.5's sum has log(2/delta), and T - 1 draws, which are those between T iterates.
            explicit.batch_sum(setting), explicit.noise_sum(replace(setting, delta_Z=2.0 * delta)),
            12.0 * math.sqrt(2.0 * setting.batch_deviation_squared) * R * root, 12.0 * R * root,
        )  # fmt: skip
        base = {
            "panel": part.panel, **training.columns(part, plain.noise), "eta": plain.eta, "C_clip": plain.C_clip,
            "clipped": float(runs.clipped[:, place].mean()), "trial": seed.trial,
        }  # fmt: skip
        for name, value, bound in zip(NAMES, np.abs(sums.values[:, place]), bounds, strict=True):
            yield {**base, "series": f"{name}, over its bound", "value": float(value / bound)}
            yield {**base, "series": f"{name}, exceeded", "value": float(value > bound)}


# Claims ----------------------------------------------------------------------------------------------------------------

# Of each part: id, source, and what it says.
PARTS: tuple[tuple[str, Source, str], ...] = (
    ("lemma-d.12-a", "paper", "the summed squared fluctuations of batches stay within 2 T G^2/B + 8 G^2 log(1/delta)"),
    ("lemma-d.12-b", "identity", "(algebra) the summed squared norms of the noise stay within T m d p + 2 sqrt(T m d p log(1/delta)) + 2 log(1/delta)"),
    ("lemma-d.12-c", "ours", "(ours, with the constants of the proofs of Lemmas C.7 and C.8 for 2 R_*) 3 times the sum of <Delta_t, W_(t-1) - W*> stays within an order of G R_* sqrt(T log(1/delta)/B)"),
    ("lemma-d.12-d", "ours", "(ours, with the constants of the proofs of Lemmas C.7 and C.8 for 2 R_*) 3 times the sum of <Z_t, W_(t-1) - W*> stays within an order of R_* sqrt(T log(1/delta))"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on Lemma D.12's four parts, and on Theorem D.13 without noise."""
    for lemma, (name, source, words) in zip(NAMES, PARTS, strict=True):
        share, size = proof_rows(evidence, f"{lemma}, exceeded"), proof_rows(evidence, f"{lemma}, over its bound")
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=f"Lemma D.12 ({lemma[-1]})", kind="theorem", source=source,
            statement=f"{words}, at lambda = 0 with probability 1 - delta",
            quantity=f"share of runs in which the bound is exceeded, delta = {EVENT:g}, W* gradient descent's end",
            cells=algebra.means(share, ("T", "B", "m", "kappa", "lam"), lambda row: proportion(row["mean"], row["trials"])), criterion=at_most(EVENT),
            regime=regime(share), changed="Added after a review.",
            note=f"on average {range_of(size['mean'])} of the bound, {range_of(size['q975'])} at the 97.5 % quantile, in {range_of(share['trials'])} runs",
        )  # fmt: skip
    yield _without_noise(evidence)


def _without_noise(evidence: Evidence) -> Claim:
    """The claim on Theorem D.13, by the rows of Lemma C.11 without noise, at which its bound is half of that lemma's.

    Without noise and with one record only the comparator's terms are left, 4 L_S(W*) + (3/2) |W_0 - W*|^2/(eta T), where
    the lemma has 8 and 3.
    """
    risk, apart = (rows(evidence, PROOF, series=series, kappa=0.0, n=1) for series in (RISK, SHIFT))
    curvature = [float(row["condition"]) * float(row["q975"]) ** 2 for row in algebra.rows_of(apart) if row["q975"] > 0]
    unmet = tuple(f"nu D^2 = {value:.3g} above 1/2" for value in curvature if not value <= CONDITION)
    halves = risk.assign(mean=2.0 * algebra.floats(risk, "mean"), se=2.0 * algebra.floats(risk, "se"))
    return claim_on_all_cells(
        id="theorem-d.13", artefact=PROOF, location="Theorem D.13", kind="theorem", source="ours",
        statement="(ours) with the condition on the width met on the way from the iterates to the comparator, and not on the whole ball: at lambda = 0 the averaged empirical risk is at most the explicit bound, here its terms without noise and batches",
        quantity=f"averaged empirical risk over 4 L_S(W*) + 3/2 |W_0 - W*|^2/(eta T), in {range_of(risk['trials'])} runs of one record, T = {range_of(risk['T'])}, at kappa = 0",
        cells=algebra.means(halves, ("m", "kappa")), criterion=at_most(1.0), regime=Regime(unmet), changed="Until a second list of objections it did not say that kappa is 0.",
        note=f"nu D^2 along the runs is at most {range_of(curvature)}; the theorem's terms of noise are those of Lemmas D.11 and D.12",
    )  # fmt: skip
