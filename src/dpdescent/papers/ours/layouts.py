"""How the noise of a descent on all records is laid out over its steps: schedules, and noise that is correlated.

Every arm spends one zCDP budget on T releases of the mean of clipped gradients, of sensitivity 2 gamma / n under
replace-one, and all records take part in all steps. A schedule draws independent noise, and divides the budget; a
strategy of correlated noise is one release of the encoded gradients of the whole run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.ours.setting import Array, Spec, proved
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism, correlated_release

UNIFORM, SCHEDULE, PURE, BLIND = "uniform", "schedule", "schedule without a floor", "schedule, spectrum unknown"

STEPWISE = (
    "each step adds Gaussian noise to the mean of gradients clipped at gamma, which one replaced record of n, n "
    "public, moves by 2 gamma / n at most; the parts of the budget are fixed without the data, and costs add"
)
ENCODED = (
    "the run is one Gaussian release of the encoded clipped gradients: a replaced record moves each by 2 gamma / n at "
    "most in any direction, and the encoder, which has no negative entry, most if all point in one"
)


@dataclass(frozen=True)
class Arm:
    """A layout of the noise over T steps.

    Attributes:
        name: the series that it is plotted as.
        shares: the part of the budget that every step gets, shape (T,); equal parts where noise is correlated.
        strategy: the correlation of the noise over time.
    """

    name: str
    shares: Array
    strategy: toeplitz.DampedDifference

    @property
    def steps(self) -> int:
        """Number of steps T."""
        return len(self.shares)

    @property
    def is_correlated(self) -> bool:
        """Whether the noise of a step depends on that of others."""
        return self.strategy.power > 0.0

    @property
    def _amplitudes(self) -> Array:
        """Sds of the noise, shape (T,), for sensitivity 1 and rho = 1/2, before it is correlated."""
        if self.is_correlated:
            return np.full(self.steps, math.sqrt(self.strategy.sensitivity_squared(self.steps, self.steps)))
        return np.asarray(self.shares**-0.5)

    def noise_sd(self, gamma: float, n: int, rho: float) -> Array:
        """Sds of the noise of every step before it is correlated, shape (T,)."""
        return self._amplitudes * mean_sensitivity(gamma, n) / math.sqrt(2.0 * rho)

    def relative_variance(self, response: Array) -> float:
        """Variance of an unclipped estimate, all coordinates, in units of sensitivity^2 / (2 rho).

        Args:
            response: W, what a unit of noise in each step's gradient adds to the estimate, shape (T, p).
        """
        carried = self.strategy.decoder(self.steps).T @ response if self.is_correlated else response
        return float(np.sum((self._amplitudes[:, None] * carried) ** 2))

    def mechanism(self, gamma: float, n: int, rho: float) -> Mechanism:
        """The privacy event of a run."""
        sensitivity, sds = mean_sensitivity(gamma, n), self.noise_sd(gamma, n, rho)
        if self.is_correlated:
            norm = math.sqrt(self.strategy.sensitivity_squared(self.steps, self.steps))
            return proved("DP-GD", [correlated_release(norm, sensitivity, float(sds[0]))], ENCODED)
        levels = dict.fromkeys(sds.tolist())
        what = "mean of clipped gradients"
        releases = [GaussianReleases(what, sensitivity, sd, int((sds == sd).sum())) for sd in levels]
        return proved("DP-GD", releases, STEPWISE)


def uniform(steps: int) -> Arm:
    """The arm of equal parts and independent noise, DP-GD as published."""
    return Arm(UNIFORM, np.full(steps, 1.0 / steps), toeplitz.identity())


def scheduled(name: str, weights: Array, floor: float) -> Arm:
    """The arm of independent noise whose parts of the budget follow the weights |W_t| of an estimate."""
    return Arm(name, schedule.shares(weights, floor), toeplitz.identity())


def correlated(family: str, value: float, steps: int) -> Arm:
    """An arm of correlated noise: family `lambda` subtracts that part of the last noise, `nu` is nu-DP-FTRL's.

    Raises:
        ValueError: for another family.
    """
    if family not in ("lambda", "nu"):
        raise ValueError(f"family={family!r} must be lambda or nu")
    strategy = toeplitz.damped_anti_pgd(1.0 - value) if family == "lambda" else toeplitz.nu_family(value)
    return Arm(f"{family} = {value:g}", np.full(steps, 1.0 / steps), strategy)


def last_iterate(steps: int) -> Array:
    """Weights of the iterates 1 to T where the last one is the estimate, shape (T,)."""
    return mean_of_last(steps, 1)


def mean_of_last(steps: int, tail: int) -> Array:
    """Weights of the iterates where the mean of the last `tail` is the estimate, shape (T,)."""
    return np.asarray(np.where(np.arange(steps) >= steps - tail, 1.0 / tail, 0.0))


def weighted_by_time(steps: int) -> Array:
    """Weights of the iterates in proportion to their number, of sum 1, shape (T,)."""
    numbers: Array = np.arange(1.0, steps + 1.0)
    return np.asarray(numbers / numbers.sum())


def threshold(spec: Spec) -> float:
    """The clipping threshold gamma of a cell."""
    return float(spec["settings"]["clip_factor"] * np.sqrt(spec["cell"]["p"]))


def side_by_side(
    sample: LinearSample, arms: Sequence[Arm], rhos: Sequence[float], eta: float, gamma: float, normals: Array
) -> dp_gd.Descent:
    """Runs arms of equally many steps with the same normals, shape (T, p), each at its zCDP budget."""
    noise_sd = np.stack([arm.noise_sd(gamma, sample.n, rho) for arm, rho in zip(arms, rhos, strict=True)], axis=1)
    noise = np.stack([arm.strategy.correlate(normals) if arm.is_correlated else normals for arm in arms], axis=1)
    settings = dp_gd.DPGDArms(arms[0].steps, np.full(len(arms), eta), np.full(len(arms), gamma), noise_sd)
    return dp_gd.descend([sample], settings, noise[:, None])


@dataclass(frozen=True, eq=False)
class Law:
    """The law of T steps without clipping, from zero, at a data set's own eigenvalues.

    Attributes:
        n: number of records.
        mean: of the last iterate, shape (p,).
        start: squared distance of that mean to least squares.
        response: what a unit of noise in each step's gradient adds to the last iterate, shape (T, p).
    """

    n: int
    mean: Array
    start: float
    response: Array

    @classmethod
    def of(cls, sample: LinearSample, theta_hat: Array, eta: float, T: int) -> "Law":
        """Returns the law on a data set with that least-squares estimate."""
        eigenvalues, vectors = np.linalg.eigh(sample.gram.xx / sample.n)
        left = (1.0 - eta * eigenvalues) ** T * (vectors.T @ theta_hat)
        response = schedule.response(eta, eigenvalues, last_iterate(T))
        return cls(sample.n, theta_hat - vectors @ left, float(np.sum(left**2)), response)

    def variance(self, arm: Arm, gamma: float, rho: float) -> float:
        """Variance of the last iterate, summed over coordinates."""
        return mean_sensitivity(gamma, self.n) ** 2 / (2.0 * rho) * arm.relative_variance(self.response)
