"""Data classes of wang2026 Algorithm 1: settings of arms, states that an observer sees, results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl import require_one_each
from dpdescent.checks import require_non_negative, require_positive

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Batch = Index | Sequence[Index]


@dataclass(frozen=True)
class CGDArms:
    """Settings of runs that share everything else.

    Attributes:
        eta: learning rates, shape (arms,).
        clip_norm: clipping threshold C, shape (arms,); inf switches clipping off, and then there must be no noise.
        noise_multiplier: kappa, sd of the noise Z on the sum of a batch's gradients, divided by C, shape (arms,).
        correlation: lambda in [0, 1), shape (arms,).
        radius: radius of the ball around W_0 onto which iterates are projected, shape (arms,); inf switches projection
            off.
    """

    eta: Array
    clip_norm: Array
    noise_multiplier: Array
    correlation: Array
    radius: Array

    def __post_init__(self) -> None:
        require_one_each(**vars(self))
        require_positive(eta=self.eta.min(), clip_norm=self.clip_norm.min(), radius=self.radius.min())
        require_non_negative(noise_multiplier=self.noise_multiplier.min(), correlation=self.correlation.min())
        if not self.correlation.max() < 1.0:
            raise ValueError(f"correlation={self.correlation.max()} must be below 1")
        if not self.noise_multiplier.max() < np.inf:
            raise ValueError(f"noise_multiplier={self.noise_multiplier.max()} must be finite")
        if np.isinf(self.clip_norm[self.noise_multiplier > 0]).any():
            raise ValueError("clip_norm=inf with noise: its sd is a multiple of the norm, so give a finite one")

    def __len__(self) -> int:
        return len(self.eta)

    def noise_scale(self, batch_size: int) -> Array:
        """Noise scale c_priv = C kappa / B, sd of the noise Z on a batch's mean gradient, shape (arms,)."""
        finite = np.where(self.noise_multiplier > 0, self.clip_norm, 0.0)
        return finite * self.noise_multiplier / batch_size


@dataclass(frozen=True)
class State:
    """State of all runs at an iterate, before its step. Copy arrays to keep them, because they are reused.

    Attributes:
        t: index of the iterate, 0..T-1.
        weights: W_t, shape (seeds, arms, m, d p).
        normals: Z_t, shape (seeds, 1, m, d p); zero at t = 0, and always where no arm has noise.
        gradient: mean of the clipped gradients at W_t over the next step's batch, shape of the weights.
        batch: rows of that batch, as supplied; None for all records.
        drift: eta c_priv of the arms, shape (arms,).
    """

    t: int
    weights: Array
    normals: Array
    gradient: Array
    batch: Batch | None
    drift: Array


def shifted(state: State) -> Array:
    """Shifted iterate U_t = W_t + eta c_priv Z_t (wang2026 App. C.1), shape of the weights.

    Without projection, the noise in one step of U is (1 - lambda) eta c_priv times one standard normal.
    """
    return state.weights + state.drift[:, None, None] * state.normals


@dataclass(frozen=True)
class Runs:
    """Results of runs of wang2026 Algorithm 1.

    Attributes:
        empirical: loss at W_t on the next step's batch, divided by the (nominal) batch size, shape (T, seeds, arms):
            unbiased for L_S(W_t) under fresh sampling, exact for full batches.
        population: loss at W_t on some test points, shape (T, seeds, arms); None without test points.
        clipped: share of the batch whose gradients were clipped, shape (T, seeds, arms); 0 for an empty batch.
        final: W_{T-1}, shape (seeds, arms, m, d p).
        projected: share of the steps in which the projection moved the iterate, shape (seeds, arms).
    """

    empirical: Array
    population: Array | None
    clipped: Array
    final: Array
    projected: Array

    @property
    def empirical_average(self) -> Array:
        """Average training loss (1/T) sum_t L_S(W_t), shape (seeds, arms)."""
        return _average(self.empirical)

    @property
    def population_average(self) -> Array:
        """Average test loss (1/T) sum_t L(W_t), shape (seeds, arms). Raises ValueError without test points."""
        if self.population is None:
            raise ValueError("population=None: run with test points")
        return _average(self.population)


def _average(values: Array) -> Array:
    """Mean along the first axis, summed in order, because other orders depend on the other axes."""
    total = np.zeros(values.shape[1:])
    for value in values:
        total += value
    return total / len(values)
