"""Runs of Algorithm 1 for several artefacts, and the analysis of one seed: its margin, comparators and constants.

Arms share all but noise and step; steps are tuned on other seeds.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from dpdescent.algorithms import lambda_cgd, racing
from dpdescent.algorithms.lambda_cgd import KANProblem, Runs, State
from dpdescent.papers.wang2026 import explicit, network
from dpdescent.papers.wang2026.arms import FIXED, INDEPENDENT_OF, NO_NOISE, Arm, Noise, calibrated, engine
from dpdescent.papers.wang2026.network import Constants, Margin, comparator_distance
from dpdescent.papers.wang2026.setting import EMPIRICAL, GAIN, POPULATION, STEP, Analysed, Array, Part, Row, Size, Task
from dpdescent.privacy.events import Mechanism


def calibrated_noise(part: Part, size: Size, accountant: str, lam: float, eps: float, delta: float) -> Noise:
    """Returns the noise of an accountant for the batches of Algorithm 1, even if the accountant is for others."""
    return replace(calibrated(part, size, accountant, lam, eps, delta), sampler="fixed size")


def run(
    task: Task, trials: Sequence[int], arms: Sequence[Arm], problem: KANProblem | None = None, *,
    tested: bool = False, observe: Callable[[State], None] | None = None,
) -> lambda_cgd.Runs:  # fmt: skip
    """Runs all arms of all seeds on the seeds' records, starts, batches and normals.

    Args:
        task: records and network.
        trials: the seeds; the runs of a seed that comes twice share batches and normals.
        arms: the runs of each seed, all of one size.
        problem: other records or starts than the seeds' own.
        tested: whether every iterate is tried on fresh records.
        observe: function that is called at every iterate.

    Raises:
        ValueError: if the arms are of several sizes.
    """
    size, *others = dict.fromkeys(arm.size for arm in arms)
    if others:
        raise ValueError(f"arms of sizes {[size, *others]}: run those of one size together, as they share batches")
    noisy = any(arm.noise.kappa > 0.0 for arm in arms)
    return lambda_cgd.run(
        problem or task.problem(trials, size.n), engine(arms), task.batches(trials, size),
        task.normals(trials) if noisy else None, steps=size.T, test=task.tested_on(trials) if tested else None,
        per_step=task.per_step if tested else 1, observe=observe,
    )  # fmt: skip


def tuned(task: Task, arms: Sequence[Arm], eta: Sequence[float], tuning_seeds: int) -> list[Arm]:
    """Returns each arm with the step of the least mean population risk on seeds that the table does not have."""
    etas, seeds = sorted(eta), range(-tuning_seeds, 0)

    def scores(seed: int, asked: dict[int, list[int]]) -> dict[int, Array]:
        """Risks with their signs turned, at most 0, because they are losses; a run that diverged is the worst."""
        runs = [replace(arms[index], eta=etas[place]) for index, places in asked.items() for place in places]
        risks = np.nan_to_num(run(task, [seeds[seed]], runs, tested=True).population_average[0], nan=np.inf)
        ends = np.cumsum([len(places) for places in asked.values()])[:-1]
        return dict(zip(asked, np.split(-risks, ends), strict=True))

    best = racing.best_of_each(len(arms), len(etas), len(seeds), scores, highest=0.0)
    return [replace(arm, eta=etas[index]) for arm, index in zip(arms, best, strict=True)]


def columns(task: Task, noise: Noise) -> Row:
    """Returns the columns that identify a run, but for its threshold and step."""
    return {"n": noise.size.n, "B": noise.size.B, "m": task.m, "d": task.d, **noise.columns}


def risk_rows(task: Task, arms: Sequence[Arm], own: Row | None = None) -> Iterator[Row]:
    """Yields averaged risks of every arm and seed, and gains over the arm of the same kind without correlation.

    Args:
        task: records and network.
        arms: the runs.
        own: columns of the artefact's own.
    """
    runs = run(task, task.trials, arms, tested=True)
    plain = {_kind(arm): index for index, arm in enumerate(arms) if arm.noise.lam == 0.0}
    for index, arm in enumerate(arms):
        base = {"panel": task.panel, **columns(task, arm.noise), "C_clip": arm.C_clip, "eta": arm.eta}
        for place, trial in enumerate(task.trials):
            row = {**base, **(own or {}), "trial": trial, "clipped": float(runs.clipped[:, place, index].mean())}
            risk = runs.population_average[place]
            yield {**row, "series": POPULATION, "value": float(risk[index])}
            yield {**row, "series": EMPIRICAL, "value": float(runs.empirical_average[place, index])}
            if arm.noise.lam > 0.0 and _kind(arm) in plain:
                yield {**row, "series": GAIN, "value": float(risk[plain[_kind(arm)]] - risk[index])}


def with_steps(rows: Iterable[Row], *kind: str) -> Iterator[Row]:
    """Yields the rows, and the gains of every correlation over the next smaller correlation on the same seed.

    Args:
        rows: rows of runs, population risks among them.
        kind: columns that the two runs of a gain share, besides panel and seed.
    """
    runs_by_kind: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        yield row
        if row["series"] == POPULATION and row["kappa"] > 0.0:
            runs_by_kind.setdefault((row["panel"], row["trial"], *(row[name] for name in kind)), []).append(row)
    for same in runs_by_kind.values():
        for before, after in pairwise(sorted(same, key=lambda row: float(row["lam"]))):
            yield {**after, "series": STEP, "value": before["value"] - after["value"]}


def _kind(arm: Arm) -> tuple[str, float, float, float]:
    """Returns what two arms of a gain share: accountant and target, or a given multiplier and step."""
    noise = arm.noise
    own = (arm.eta, noise.kappa) if noise.accountant in (FIXED, NO_NOISE) else (noise.eps, noise.delta)
    # Independent noise counts as that of the accountant whose correlated noise is compared with it.
    names = {independent: name for name, independent in INDEPENDENT_OF.items()}
    return names.get(noise.accountant, noise.accountant), arm.C_clip, *own


def entries(
    part: Part, arms: Iterable[Arm], own: str = "", caveat: str = "", stand_in: str = ""
) -> Iterator[tuple[str, Mechanism, float]]:
    """Returns ledger entries of runs, one for all that differ in step or radius only, because they release the same.

    Args:
        part: the part.
        arms: the runs.
        own: words that tell the part from others, if variant, panel and size do not.
        caveat: why there is no guarantee all the same.
        stand_in: why these runs are listed in place of others.
    """
    listed = {}
    for arm in arms:
        noise, size = arm.noise, arm.size
        place = f"{part.variant}: {part.panel} n={size.n} B={size.B} T={size.T}{own}"
        target = f"kappa={noise.kappa:g}" if np.isnan(noise.eps) else f"eps={noise.eps:g}"
        name = f"{place}, {noise.accountant} {target} lam={noise.lam:g} C_clip={arm.C_clip:.4g}"
        listed[name] = (name, arm.event(caveat, stand_in), noise.delta)
    yield from listed.values()


def averages(curve: Array) -> Array:
    """Returns running averages over the iterates, in the shape of the curve (T, ...)."""
    counts = np.arange(1, len(curve) + 1).reshape(-1, *[1] * (curve.ndim - 1))
    means: Array = np.cumsum(curve, axis=0) / counts
    return means


AT_START, TRAINED, NTK = "W_0", "GD", "NTK"
OF_PAPER, SHARP = "paper", "sharp"
# The column `stand_in` of runs that are clipped at G_sharp.
FIRST_SEED = "every seed has a threshold of its own, the G_sharp of its frozen second layer; this is the first seed's"


@dataclass(frozen=True, eq=False)
class Target:
    """A comparator W*.

    Attributes:
        weights: shape (m, dp).
        loss: L_S(W*).
        distance: |W* - W_0|.
    """

    weights: Array
    loss: float
    distance: float

    @property
    def seen(self) -> explicit.Comparator:
        """Returns the loss and distance of this comparator, which the bounds use."""
        return explicit.Comparator(self.loss, self.distance)


@dataclass(frozen=True)
class Bounds:
    """G, nu and beta = G^2/4 + nu of one second layer."""

    gradient: float
    hessian: float

    @property
    def beta(self) -> float:
        return network.smoothness(self.gradient, self.hessian)


@dataclass(frozen=True, eq=False)
class Seed:
    """One seed's records and start, and their margin, comparators and constants.

    Attributes:
        task: records and network.
        trial: the seed.
        n: number of records.
    """

    task: Analysed
    trial: int
    n: int

    @cached_property
    def problem(self) -> KANProblem:
        """Returns records, start and second layer."""
        return self.task.problem([self.trial], self.n)

    @cached_property
    def factors(self) -> Array:
        """Returns the factors S of the gradients at W_0, shape (n, m)."""
        p = self.problem
        return np.asarray(p.kan.outputs_and_factors(p.start, p.features, p.heads)[1][0])

    @cached_property
    def margin(self) -> Margin:
        """Returns the NTK margin at the start."""
        return network.margin(self.problem.features[0], self.factors, self.problem.labels[0])

    @cached_property
    def sharp(self) -> Bounds:
        """Returns bounds that use the drawn second layer alone."""
        c = self.task.start(self.trial)[1]
        kinds = (network.sharp_gradient_bound, network.sharp_hessian_bound)
        return Bounds(*(float(bound(self.problem.kan, c)) for bound in kinds))

    def bounds(self, kind: str) -> Bounds:
        """Returns the paper's constants, which hold with probability 1 - delta_conf, or sharp ones.

        Raises:
            ValueError: if there is no such kind.
        """
        if kind not in (OF_PAPER, SHARP):
            raise ValueError(f"constants={kind!r} is none of {[OF_PAPER, SHARP]}")
        if kind == SHARP:
            return self.sharp
        constants, m, delta = Constants.paper(self.problem.kan.splines), self.problem.kan.width, self.failure
        return Bounds(constants.gradient_bound(m, delta), constants.hessian_bound(m, delta))

    @property
    def failure(self) -> float:
        """Returns a fifth of delta_conf, because there are five events (wang2026 Theorem C.13)."""
        return self.task.delta_conf / 5.0

    def loss(self, weights: Array) -> float:
        """Returns L_S at weights (m, dp)."""
        p = self.problem
        margins = p.labels[0] * p.kan.outputs(weights[None], p.features, p.heads)[0]
        return float(np.logaddexp(0.0, -margins).mean())

    def loss_and_gradient(self, weights: Array) -> tuple[Array, Array]:
        """Returns L_S, shape (arms,), and its gradient at weights (arms, m, dp)."""
        losses, gradients = self.problem.loss_and_gradient(weights[None])
        return losses[0], gradients[0]

    def target(self, weights: Array) -> Target:
        """Returns these weights as a comparator."""
        return Target(weights, self.loss(weights), float(np.linalg.norm(weights - self.problem.start[0])))

    @cached_property
    def trained(self) -> Target:
        """Returns the end of gradient descent without noise as a comparator; the bounds hold for any."""
        arm = Arm.without_noise(Size(self.n, self.n, self.task.comparator_steps + 1), self.task.comparator_eta)
        return self.target(self.run([arm]).final[0, 0])

    def along_margin(self, tau: float) -> Target:
        """Returns the comparator W_0 + tau u (wang2026 Lemma C.12)."""
        direction = self.margin.direction(self.problem.features[0], self.factors)
        return self.target(self.problem.start[0] + tau * direction)

    def comparator(self, name: str, T: int) -> Target:
        """Returns a comparator by name; the one along the margin is as far away as Lemma C.12's proof asks for.

        Raises:
            ValueError: if there is no comparator of that name.
        """
        if name == AT_START:
            return self.target(self.problem.start[0])
        if name == TRAINED:
            return self.trained
        if name != NTK:
            raise ValueError(f"comparator={name!r} is none of {[AT_START, TRAINED, NTK]}")
        constants = Constants.sharp(self.problem.kan.splines)
        return self.along_margin(comparator_distance(self.margin.value, self.n, T, constants, self.failure))

    def run(self, arms: Sequence[Arm], observe: Callable[[State], None] | None = None) -> Runs:
        """Runs Algorithm 1 on this seed's records, batches and noise."""
        return run(self.task, [self.trial], arms, self.problem, observe=observe)

    def setting(self, size: Size, arm: Arm, bounds: Bounds) -> explicit.Setting:
        """Returns the setting of the explicit bounds; batches, noise and potential fail with a fifth each."""
        c_priv = arm.C_clip * arm.noise.kappa / size.B if arm.noise.kappa > 0.0 else 0.0
        return explicit.Setting(
            n=size.n, B=size.B, T=size.T, parameters=self.problem.kan.parameters, eta=arm.eta, lam=arm.noise.lam,
            c_priv=c_priv, gradient_bound=bounds.gradient, hessian_bound=bounds.hessian, beta=bounds.beta,
            delta_Z=self.failure, delta_D=self.failure, delta_pot=self.failure,
        )  # fmt: skip


def theorem_radius(task: Analysed, n: int, T: int) -> float:
    """Returns R_* of Theorem 4.1 with constant 1, at the settings' margin: it uses no record."""
    return network.radius(task.gamma, n, T, task.delta_conf)


def sharp_threshold(task: Task, trial: int) -> float:
    """Returns G_sharp of a seed's second layer, which clips nothing and uses no record."""
    return float(network.sharp_gradient_bound(task.kan, task.start(trial)[1]))


@dataclass(frozen=True, kw_only=True)
class FixedNoise(Analysed):
    """Runs at given noise multipliers.

    Attributes:
        n, B, T: the size of the runs; of several numbers of iterations the largest is run.
        kappa, lam: noise multipliers, each with every correlation; without noise there is no correlation.
        delta: the one at which the ledger gives an epsilon.
        eta: step sizes.
    """

    n: int
    B: int
    T: tuple[int, ...]
    kappa: tuple[float, ...]
    lam: tuple[float, ...]
    delta: float
    eta: tuple[float, ...]

    @property
    def size(self) -> Size:
        """n, B and the largest T."""
        return Size(self.n, self.B, max(self.T))

    def arms(self, C_clip: float, radius: float = math.inf) -> list[Arm]:
        """Returns a run of every step and noise."""
        noises = [
            Noise.fixed(self.size, kappa, lam, self.delta)
            for kappa in self.kappa
            for lam in (self.lam if kappa > 0.0 else (0.0,))
        ]
        return [Arm(noise, C_clip, eta, radius) for eta in self.eta for noise in noises]


@dataclass(frozen=True, kw_only=True)
class Clipped(FixedNoise):
    """Runs at given noise multipliers with one threshold."""

    C_clip: float


def entries_at_sharp_thresholds(runs: FixedNoise) -> Iterator[tuple[str, Mechanism, float]]:
    """Returns ledger entries of runs that are clipped at each seed's G_sharp, with the first seed's."""
    return entries(runs, runs.arms(sharp_threshold(runs, 0)), stand_in=FIRST_SEED)
