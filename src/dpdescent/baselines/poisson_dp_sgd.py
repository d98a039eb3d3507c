"""DP-SGD for linear regression: every step takes each record with one probability, independently (Poisson batches).

Clipped gradients of a batch are summed, Gaussian noise is added, and the sum is divided by the batch's expected size, a
constant. A record adds a vector with a norm of at most gamma. Privacy comes from the noise and from the secrecy of the
batches; `privacy.sampling` accounts for both. The account is exact for a record that is added or removed, and treats a
replacement as a removal and an addition.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.algorithms.dp_gd import TINY
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import sampling
from dpdescent.privacy.events import Mechanism, SubsampledGaussianReleases

Array = NDArray[np.float64]

PROVED = (
    "each step releases a sum of gradients clipped at gamma over a Poisson batch, divided by a constant; amplification "
    "by sampling; a replaced record counts as one removed and one added, by group privacy"
)


@dataclass(frozen=True)
class Settings:
    """Public settings of a fit under replace-one.

    Attributes:
        n: number of records.
        gamma: clipping threshold of a record's gradient.
        eta: step size.
        rate: probability that a record is in a batch.
        steps: number of steps.
        eps, delta: budget.
    """

    n: int
    gamma: float
    eta: float
    rate: float
    steps: int
    eps: float
    delta: float

    def __post_init__(self) -> None:
        plain_fields(self)

    @property
    def release(self) -> SubsampledGaussianReleases:
        """The releases of all steps."""
        half = 0.5 * self.eps
        delta = sampling.replaced_delta(half, self.delta)
        multiplier = sampling.noise_multiplier(half, self.rate, self.steps, delta)
        return SubsampledGaussianReleases(
            "sum of clipped gradients", self.gamma, multiplier * self.gamma, self.rate, self.steps
        )

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        return Mechanism(
            "DP-SGD (Poisson)", (self.release,), "replace-one", "Poisson", math.inf, "proved", PROVED,
            claimed_eps_delta=(self.eps, self.delta),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Fit:
    """Releases of a fit.

    Attributes:
        theta: last iterate, shape (p,).
        sums: sums of clipped gradients of every step, with noise, shape (T, p).
    """

    theta: Array
    sums: Array


def fit(sample: LinearSample, settings: Settings, rng: np.random.Generator) -> Fit:
    """Runs all steps from coefficients of 0.

    Args:
        sample: the data.
        settings: public settings.
        rng: generator of batches and noise.

    Raises:
        ValueError: if the sample does not have the number of records for which the settings were made.
    """
    if sample.n != settings.n:
        raise ValueError(f"the sample has {sample.n} records, and the settings are for n={settings.n}")
    noise_sd, expected = settings.release.noise_sd, settings.rate * settings.n
    limits = settings.gamma / np.maximum(sample.norms, TINY)
    theta, sums = np.zeros(sample.p), np.empty((settings.steps, sample.p))
    for t in range(settings.steps):
        (batch,) = samplers.poisson(sample.n, settings.rate, 1, rng)
        X, limit = sample.X[batch], limits[batch]
        cut = np.clip(X @ theta - sample.y[batch], -limit, limit)
        sums[t] = cut @ X + noise_sd * rng.standard_normal(sample.p)
        theta = theta - settings.eta / expected * sums[t]
    return Fit(theta, sums)
