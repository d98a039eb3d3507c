"""Attacks on DP-FTRL with known batches: one record in the steps that move the encoded sums furthest.

The differences of a run's iterates are the noisy sums of clipped gradients, `g + sd B w`. For a shift that does not
depend on earlier releases, the log likelihood ratio is linear in them, with the weights `(B B')^-1 shift`. Where the
encoder C is square these are `C'C shift`, and the pair attains the sensitivity.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from dpdescent.algorithms import dp_ftrl, dp_ftrl_epochs
from dpdescent.noise.strategies.base import Strategy, separation
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.noise.streams import correlate
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts

Index = NDArray[np.intp]

# Clipping threshold, and step size of the running mean; only the noise divided by the sensitivity matters.
CLIP_NORM, ETA = 1.0, 0.5

# Largest number of runs for strategies that need transforms or dense products.
MOST_RUNS = 20_000


class Watched:
    """A classifier with one parameter that keeps its iterates; the gradient of a record is its input.

    Each arm is a run on its own data set, and the label of a record is the index of its run. So one list of batches,
    with the records of all runs, is enough for the training loop.

    Attributes:
        iterates: parameter of every run before each step, shape (T, runs).
    """

    parameters = 1

    def __init__(self, steps: int, runs: int) -> None:
        self.iterates, self._seen = np.empty((steps, runs)), 0

    def initial(self, rng: np.random.Generator) -> Array:
        """Returns the initial parameter, zero."""
        return np.zeros(1)

    def clipped_gradient_sum(
        self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any], clip_norm: float
    ) -> Array:
        """Sums clipped gradients, shape (runs, 1), as `Classifier` requires, and keeps the parameters."""
        self.iterates[self._seen] = parameters[:, 0]
        self._seen += 1
        sums = np.bincount(labels, weights=np.clip(inputs, -clip_norm, clip_norm), minlength=len(parameters))
        return np.asarray(sums[:, None], dtype=np.float64)

    def accuracy(self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any]) -> Array:
        """Returns zeros, shape (runs,), because there is nothing to predict."""
        return np.zeros(len(parameters))


def released(
    gradients: Array, owners: Index, batches: Sequence[Index], noise: Array, noise_multiplier: float
) -> Array:  # fmt: skip
    """Noisy sums of clipped gradients, computed from the iterates of `dp_ftrl_epochs.train`, shape (T, runs).

    Args:
        gradients: gradient of every record at all parameters, shape (records,).
        owners: index of the run whose data set contains the record, shape (records,).
        batches: rows of each step's batch, for all runs together, repeated until all steps are made.
        noise: correlated noise w~, shape (T, runs).
        noise_multiplier: sd of the noise divided by the clipping threshold.
    """
    T, runs = noise.shape
    model, ones = Watched(T, runs), np.ones(runs)
    arms = dp_ftrl_epochs.EpochArms(ones, noise_multiplier * ones, 0.0 * ones)
    last = dp_ftrl_epochs.train(
        model, gradients, owners, batches, arms, noise[:, :, None], start=np.zeros(1), steps=T, batch_size=1,
        clip_norm=CLIP_NORM,
    )  # fmt: skip
    return -np.diff(model.iterates, axis=0, append=last.T)


def pattern(strategy: Strategy, T: int, participations: int) -> Array:
    """Worst participation pattern, shape (T,): 1 in the steps whose encoder columns have the largest sum, else 0."""
    apart = separation(T, participations)
    worst = int(strategy.participation_norms_squared(T, apart).argmax())
    return np.asarray(np.arange(T) % apart == worst, dtype=np.float64)


def weights(strategy: Strategy, shift: Array) -> tuple[Array, float]:
    """Weights of the log likelihood ratio of sums that a pair moves by `shift`, and its mu at noise multiplier 1."""
    B = strategy.decoder(len(shift))
    L = cholesky(B @ B.T, lower=True)
    whitened = solve_triangular(L, shift, lower=True)
    score: Array = solve_triangular(L, whitened, lower=True, trans="T")
    return score, mu_of_shifts(whitened, 1.0)


def fixed_order(strategy: Strategy, T: int, participations: int, mu: float) -> Attack:
    """Attack with a record in every (T/k)-th of T steps against a record with zero gradients (zero-out).

    Args:
        strategy: strategy of the noise.
        T: number of steps.
        participations: number of participations k.
        mu: Gaussian-DP parameter of the mechanism, sensitivity divided by noise sd; it sets the noise.

    Raises:
        ValueError: if k does not divide T.
    """
    shift = CLIP_NORM * pattern(strategy, T, participations)
    multiplier = strategy.sensitivity_squared(T, participations) ** 0.5 / mu
    score, mu_of_unit = weights(strategy, shift)
    apart = separation(T, participations)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        owners = np.arange(runs)
        batches = [owners if takes_part else owners[:0] for takes_part in shift[:apart]]
        normals = (rng.standard_normal((strategy.noises(T), runs)) for _ in range(2))
        first, second = (
            score @ released(np.full(runs, gradient), owners, batches, strategy.correlate(draws), multiplier)
            for gradient, draws in zip((0.0, 10.0 * CLIP_NORM), normals, strict=True)
        )
        return first, second

    return Attack(
        f"a record in every {apart}th of {T} steps, from step {int(shift.argmax()) + 1} on, with clipped gradient 0 or "
        f"G each time, all other gradients 0; noise of {strategy.name}; score: the likelihood ratio of the noisy sums, "
        "which is linear; a longer run is audited by as many steps at its mu",
        simulate,
        mu=mu_of_unit / (multiplier * CLIP_NORM),
        most_runs=MOST_RUNS,
    )


def single_pass(strategy: Toeplitz, T: int, mu: float) -> Attack:
    """Attack on the mean that DP-FTRL estimates on a stream: a record in step 1 against one with gradient zero.

    Args:
        strategy: strategy of the noise.
        T: number of steps.
        mu: Gaussian-DP parameter of the mechanism, sensitivity divided by noise sd; it sets the noise.
    """
    shift = CLIP_NORM * pattern(strategy, T, 1)
    noise_sd = CLIP_NORM * strategy.sensitivity_squared(T) ** 0.5 / mu
    score, mu_of_unit = weights(strategy, shift)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        noise = (noise_sd * correlate(strategy.coefficients(T), rng.standard_normal((T, runs))) for _ in range(2))
        first, second = (
            score @ _shown(np.outer(shift, np.full(runs, there)), side_noise)
            for there, side_noise in zip((0.0, 1.0), noise, strict=True)
        )
        return first, second

    return Attack(
        f"records of zero in all of {T} steps but step {int(shift.argmax()) + 1}, whose record is 0 or G; noise of "
        f"{strategy.name}; score: the likelihood ratio of the noisy gradients, which is linear; a longer run is "
        "audited by as many steps at its mu",
        simulate,
        mu=mu_of_unit / noise_sd,
        most_runs=MOST_RUNS,
    )


def _shown(values: Array, noise: Array) -> Array:
    """The records plus noise, computed from the iterates of the running mean, shape (T, runs)."""
    path = dp_ftrl.mean_estimation(np.array([ETA]), values, noise[:, None, :])[:, 0]
    before = np.vstack([np.zeros(path.shape[1]), path[:-1]])
    return (path - (1.0 - ETA) * before) / ETA
