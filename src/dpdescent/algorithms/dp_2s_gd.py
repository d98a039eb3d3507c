"""Two-stage gradient descent for instrumental variables: 2S-GD, DP-2S-GD and DP-2S-GD-beta (liang2025 Alg. 1 to 3).

Runs on one data set ("arms") are columns of the same matrix products: they may differ in budget, clipping threshold,
step size and number of steps. Sums of clipped gradients come from matrix products (`two_stage_products`), or from
sorted rows where there is one regressor and one instrument (`single_instrument`). The tests contain a plain loop with
the same results.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import memory, single_instrument
from dpdescent.algorithms.two_stage_products import Products
from dpdescent.data.iv import IVSample

Array = NDArray[np.float64]

# Function that returns the sums of clipped gradients of both stages, (runs, p, q) and (runs, p), at iterates (runs, p,
# q) and (runs, p) with thresholds (runs,) each; it adds the numbers of clipped gradients, shape (2, runs), to its last
# argument.
Gradients = Callable[[Array, Array, Array, Array, Array], tuple[Array, Array]]

memory.keep_freed()


@dataclass(frozen=True)
class TwoStageArms:
    """Settings of runs that share one data set; every field has shape (arms,), and noise may differ between steps.

    Attributes:
        steps: number of iterations T of each arm.
        eta, alpha: step sizes of the first and second stage.
        gamma1, gamma2: clipping thresholds; inf switches clipping off.
        lambda1, lambda2: noise sd on the mean gradient of each stage, shape (arms,), or (T, arms) with one row per
            step; 0 switches noise off.
    """

    steps: NDArray[np.int64]
    eta: Array
    alpha: Array
    gamma1: Array
    gamma2: Array
    lambda1: Array
    lambda2: Array

    def __post_init__(self) -> None:
        if self.steps.min() < 1:
            raise ValueError(f"steps={self.steps.min()} must be at least 1")
        for name in ("eta", "alpha", "gamma1", "gamma2"):
            if not getattr(self, name).min() > 0.0:
                raise ValueError(f"{name}={getattr(self, name).min()} must be positive")
        for name in ("lambda1", "lambda2"):
            shape = getattr(self, name).shape
            if shape[-1:] != (len(self),) or (len(shape) > 1 and shape[0] < self.steps.max()):
                raise ValueError(f"{name} of shape {shape} must be ({len(self)},), or have a row for every step")
            if not getattr(self, name).min() >= 0.0:
                raise ValueError(f"{name}={getattr(self, name).min()} must not be negative")

    def __len__(self) -> int:
        return len(self.steps)

    def take(self, index: NDArray[np.int64] | slice) -> "TwoStageArms":
        """Returns the arms at `index`, in that order."""
        return TwoStageArms(
            self.steps[index],
            self.eta[index],
            self.alpha[index],
            self.gamma1[index],
            self.gamma2[index],
            self.lambda1[..., index],
            self.lambda2[..., index],
        )

    def noise_at(self, t: int, active: int) -> tuple[Array, Array]:
        """Returns the noise sds of both stages at a step, for the first arms, shape (active,) each."""
        lambda1, lambda2 = (sds if sds.ndim == 1 else sds[t] for sds in (self.lambda1, self.lambda2))
        return lambda1[:active], lambda2[:active]


@dataclass(frozen=True)
class Normals:
    """Standard normal draws; arms that share them (second axis of length 1) have common random numbers.

    Attributes:
        stage1: shape (T, arms or 1, p, q).
        stage2: shape (T, arms or 1, p).
    """

    stage1: Array
    stage2: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, steps: int, p: int, q: int) -> "Normals":
        """Draws the normals of one run of `steps` iterations, step by step, so that a shorter run uses a prefix."""
        return cls.split(rng.standard_normal((steps, p * q + p)), p, q)

    @classmethod
    def split(cls, both: Array, p: int, q: int) -> "Normals":
        """Divides the draws of one run, shape (steps, p q + p): in each row, p q for the first stage, then p."""
        return cls(both[:, : p * q].reshape(-1, 1, p, q), both[:, p * q :].reshape(-1, 1, p))

    @classmethod
    def stack(cls, runs: list["Normals"]) -> "Normals":
        """Puts the draws of several runs side by side, one arm each."""
        return cls(np.concatenate([run.stage1 for run in runs], 1), np.concatenate([run.stage2 for run in runs], 1))


@dataclass(frozen=True)
class Descent:
    """Outcome of `descend`.

    Attributes:
        Theta: last first-stage iterates, shape (arms, q, p).
        beta: last second-stage iterates, shape (arms, p).
        clipped1, clipped2: fraction of per-sample gradients that were clipped, over all steps, shape (arms,).
        Theta_path, beta_path: iterates 0 to T, shapes (T + 1, arms, q, p) and (T + 1, arms, p), or None if `record` is
            False; NaN after an arm's own last step.
    """

    Theta: Array
    beta: Array
    clipped1: Array
    clipped2: Array
    Theta_path: Array | None = None
    beta_path: Array | None = None


def descend(sample: IVSample, arms: TwoStageArms, normals: Normals, record: bool = False) -> Descent:
    """Runs liang2025's Algorithm 1 for every arm (Algorithm 2 and 3 are arms without clipping or noise).

    Both stages are updated simultaneously: the step from beta^(t) uses Theta^(t). Noise is added to the mean gradient,
    and the step size multiplies both.

    Args:
        sample: the data; its counts of repeated rows are honoured.
        arms: settings of the runs.
        normals: standard normals for at least max(arms.steps) steps.
        record: whether to keep the whole paths.

    Raises:
        ValueError: if there are fewer normals than steps.
    """
    total = int(arms.steps.max())
    if normals.stage1.shape[0] < total or normals.stage2.shape[0] < total:
        raise ValueError(f"{normals.stage1.shape[0]} steps of noise do not suffice for T={total}")
    sorted_serve = single_instrument.worth(sample)
    if sorted_serve and len(arms) == 1:
        return _one_run(sample, arms, normals, record)
    # The longest arms come first, because the arms still running are then a prefix of the columns.
    order = np.argsort(-arms.steps, kind="stable")
    state = _State.zeros(len(arms), sample, record, total)
    ordered, noise = arms.take(order), _ordered(normals, order)
    gradients = _one_instrument(sample) if sorted_serve else Products(sample, len(arms))
    running = np.searchsorted(-ordered.steps, -np.arange(total)).tolist()
    for t, active in enumerate(running):
        state.step(gradients, sample.n, ordered, noise, t, active)
    return state.outcome(sample.n, ordered, np.argsort(order, kind="stable"))


@dataclass
class _State:
    """Iterates of the arms, sorted by falling T; Theta is stored transposed, shape (arms, p, q)."""

    Theta: Array
    beta: Array
    clipped: Array
    Theta_path: Array | None = None
    beta_path: Array | None = None

    @classmethod
    def zeros(cls, arms: int, sample: IVSample, record: bool, total: int) -> "_State":
        p, q = sample.p, sample.q
        state = cls(np.zeros((arms, p, q)), np.zeros((arms, p)), np.zeros((2, arms)))
        if record:
            state.Theta_path = np.full((total + 1, arms, p, q), np.nan)
            state.beta_path = np.full((total + 1, arms, p), np.nan)
            state.Theta_path[0], state.beta_path[0] = 0.0, 0.0
        return state

    def step(self, gradients: Gradients, n: int, arms: TwoStageArms, noise: Normals, t: int, active: int) -> None:
        """Makes step t for the arms that are still running."""
        a, Theta, beta = slice(active), self.Theta[:active], self.beta[:active]
        gradient1, gradient2 = gradients(Theta, beta, arms.gamma1[a], arms.gamma2[a], self.clipped[:, a])
        Xi, nu = noise.stage1[t, a], noise.stage2[t, a]
        lambda1, lambda2 = arms.noise_at(t, active)
        Theta += arms.eta[a, None, None] * (lambda1[:, None, None] * Xi - gradient1 / n)
        beta += arms.alpha[a, None] * (lambda2[:, None] * nu - gradient2 / n)
        if self.Theta_path is not None and self.beta_path is not None:
            self.Theta_path[t + 1, a], self.beta_path[t + 1, a] = Theta, beta

    def outcome(self, n: int, arms: TwoStageArms, back: NDArray[np.int64]) -> Descent:
        """The results in the original order of the arms."""
        clipped1, clipped2 = (self.clipped / (n * arms.steps))[:, back]
        Theta = self.Theta[back].swapaxes(1, 2)
        if self.Theta_path is None or self.beta_path is None:
            return Descent(Theta, self.beta[back], clipped1, clipped2)
        Theta_path = self.Theta_path[:, back].swapaxes(2, 3)
        return Descent(Theta, self.beta[back], clipped1, clipped2, Theta_path, self.beta_path[:, back])


def _one_run(sample: IVSample, arms: TwoStageArms, normals: Normals, record: bool) -> Descent:
    """One run where p = q = 1, in Python numbers, because arrays of one number cost more than the arithmetic."""
    total, n = int(arms.steps[0]), sample.n
    run = single_instrument.Run(sample, float(arms.gamma1[0]), float(arms.gamma2[0]))
    eta, alpha = float(arms.eta[0]), float(arms.alpha[0])
    noise1, noise2 = (
        (sd.reshape(-1)[:total] * draws[:total].ravel()).tolist()
        for sd, draws in ((arms.lambda1, normals.stage1), (arms.lambda2, normals.stage2))
    )
    Thetas, betas, clipped = [0.0], [0.0], np.zeros(2)
    for added1, added2 in zip(noise1, noise2, strict=True):
        Theta, beta = Thetas[-1], betas[-1]
        sum1, sum2, *counts = run.clipped(Theta, beta)
        clipped += counts
        Thetas.append(Theta + eta * (added1 - sum1 / n))
        betas.append(beta + alpha * (added2 - sum2 / n))
    Theta_path, beta_path = np.array(Thetas)[:, None, None, None], np.array(betas)[:, None, None]
    clipped1, clipped2 = clipped[:, None] / (n * arms.steps)
    paths = (Theta_path, beta_path) if record else (None, None)
    return Descent(Theta_path[-1], beta_path[-1], clipped1, clipped2, *paths)


def _one_instrument(sample: IVSample) -> Gradients:
    """The gradients where p = q = 1, from sorted records."""
    scalar = single_instrument.Gradients(sample)

    def gradients(Theta: Array, beta: Array, gamma1: Array, gamma2: Array, clipped: Array) -> tuple[Array, Array]:
        sum1, sum2, *counts = scalar.clipped(Theta[:, 0, 0], beta[:, 0], gamma1, gamma2)
        clipped += counts
        return sum1[:, None, None], sum2[:, None]

    return gradients


def _ordered(normals: Normals, order: NDArray[np.int64]) -> Normals:
    if normals.stage1.shape[1] == 1:
        shape1, shape2 = normals.stage1.shape, normals.stage2.shape
        return Normals(
            np.broadcast_to(normals.stage1, (shape1[0], len(order), *shape1[2:])),
            np.broadcast_to(normals.stage2, (shape2[0], len(order), shape2[2])),
        )
    return Normals(normals.stage1[:, order], normals.stage2[:, order])
