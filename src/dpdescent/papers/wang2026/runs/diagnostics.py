"""Quantities of the analysis of wang2026 for one seed: comparators, margin, the bounds' constants, observed runs."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpdescent.algorithms.lambda_cgd import KANProblem, Runs, State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Array, Size, Spec, kan_of, named, problem_of, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.theory import constants, explicit
from dpdescent.papers.wang2026.theory.constants import Constants
from dpdescent.papers.wang2026.theory.margin import Margin, comparator_distance, margin, radius
from dpdescent.privacy.events import Mechanism

AT_START, TRAINED, NTK = "W_0", "GD", "NTK"
PAPER, SHARP = "paper", "sharp"

# Of runs that are clipped at G_sharp.
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
        return constants.smoothness(self.gradient, self.hessian)


@dataclass(frozen=True, eq=False)
class Seed:
    """One seed's records and start, and what the analysis says of them.

    Attributes:
        spec: the cell.
        trial: the seed.
        n: number of records.
    """

    spec: Spec
    trial: int
    n: int

    @cached_property
    def problem(self) -> KANProblem:
        """Returns records, start and second layer."""
        return problem_of(self.spec, [self.trial], self.n)

    @cached_property
    def factors(self) -> Array:
        """Returns the factors S of the gradients at W_0, shape (n, m)."""
        p = self.problem
        return np.asarray(p.kan.outputs_and_factors(p.start, p.features, p.heads)[1][0])

    @cached_property
    def margin(self) -> Margin:
        """Returns the NTK margin at the start."""
        return margin(self.problem.features[0], self.factors, self.problem.labels[0])

    @cached_property
    def sharp(self) -> Bounds:
        """Returns bounds that use the drawn second layer alone."""
        c = second_layer(self.spec, self.trial)
        kinds = (constants.sharp_gradient_bound, constants.sharp_hessian_bound)
        return Bounds(*(float(bound(self.problem.kan, c)) for bound in kinds))

    def bounds(self, kind: str) -> Bounds:
        """Returns the paper's constants, which hold with probability 1 - delta_conf, or sharp ones.

        Raises:
            ValueError: if there is no such kind.
        """
        if kind not in (PAPER, SHARP):
            raise ValueError(f"constants={kind!r} is none of {[PAPER, SHARP]}")
        if kind == SHARP:
            return self.sharp
        known, m, delta = Constants.paper(self.problem.kan.splines), self.problem.kan.width, self.failure
        return Bounds(known.gradient_bound(m, delta), known.hessian_bound(m, delta))

    @property
    def failure(self) -> float:
        """Returns a fifth of delta_conf, because there are five events (wang2026 Theorem C.13)."""
        return float(value(self.spec, "delta_conf")) / 5.0

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
        """Returns where gradient descent without noise arrives; the bounds hold for any comparator."""
        steps, eta = value(self.spec, "comparator_steps"), value(self.spec, "comparator_eta")
        arm = Arm.without_noise(Size(self.n, self.n, steps + 1), eta)
        return self.target(self.run([arm]).final[0, 0])

    def along_margin(self, tau: float) -> Target:
        """Returns the comparator W_0 + tau u (wang2026 Lemma C.12)."""
        direction = self.margin.direction(self.problem.features[0], self.factors)
        return self.target(self.problem.start[0] + tau * direction)

    def comparator(self, name: str, T: int) -> Target:
        """Returns a comparator by name; that of the margin lies as far away as Lemma C.12's proof asks for.

        Raises:
            ValueError: if there is no comparator of that name.
        """
        if name == AT_START:
            return self.target(self.problem.start[0])
        if name == TRAINED:
            return self.trained
        if name != NTK:
            raise ValueError(f"comparator={name!r} is none of {[AT_START, TRAINED, NTK]}")
        known = Constants.sharp(self.problem.kan.splines)
        return self.along_margin(comparator_distance(self.margin.value, self.n, T, known, self.failure))

    def run(self, arms: Sequence[Arm], observe: Callable[[State], None] | None = None) -> Runs:
        """Runs Algorithm 1 on this seed's records, batches and noise."""
        return training.run(self.spec, [self.trial], arms, self.problem, observe=observe)

    def setting(self, size: Size, arm: Arm, bounds: Bounds) -> explicit.Setting:
        """Returns the setting of the explicit bounds; batches, noise and potential fail with a fifth each."""
        c_priv = arm.C_clip * arm.noise.kappa / size.B if arm.noise.kappa > 0.0 else 0.0
        return explicit.Setting(
            n=size.n, B=size.B, T=size.T, parameters=self.problem.kan.parameters, eta=arm.eta, lam=arm.noise.lam,
            c_priv=c_priv, gradient_bound=bounds.gradient, hessian_bound=bounds.hessian, beta=bounds.beta,
            delta_Z=self.failure, delta_D=self.failure, delta_pot=self.failure,
        )  # fmt: skip


def arms(spec: Spec, C_clip: float, radii: Sequence[float] = (math.inf,)) -> list[Arm]:
    """Returns a run of every multiplier with every correlation and radius; no noise has no correlation."""
    return [
        Arm(Noise.fixed(Size.of(spec), kappa, lam, value(spec, "delta")), C_clip, value(spec, "eta"), radius)
        for kappa in as_list(value(spec, "kappa"))
        for lam in (as_list(value(spec, "lam")) if kappa > 0.0 else [0.0])
        for radius in radii
    ]


def releases(spec: Spec, own: str = "") -> Iterator[tuple[str, Mechanism, float]]:
    """Returns ledger entries of runs that are clipped at each seed's G_sharp, with the first seed's."""
    return training.entries(spec, arms(spec, sharp_threshold(spec, 0)), own, stand_in=FIRST_SEED)


def theorem_radius(spec: Spec, n: int, T: int) -> float:
    """Returns R_* of Theorem 4.1 with constant 1, at the settings' margin: it uses no record."""
    return radius(float(value(spec, "gamma")), n, T, value(spec, "delta_conf"))


def second_layer(spec: Spec, trial: int) -> Array:
    """Returns the second layer c of a seed, shape (m, p)."""
    return kan_of(spec).initial(named(spec, trial, "start"))[1]


def sharp_threshold(spec: Spec, trial: int) -> float:
    """Returns G_sharp of a seed's second layer, which clips nothing and uses no record."""
    return float(constants.sharp_gradient_bound(kan_of(spec), second_layer(spec, trial)))
