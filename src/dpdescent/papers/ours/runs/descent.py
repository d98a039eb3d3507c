"""DP-GD under several layouts of its noise on one data set, and what the unclipped law says of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.papers.ours import noise_over_time as layout
from dpdescent.papers.ours.design import Array
from dpdescent.papers.ours.noise_over_time import Arm
from dpdescent.privacy.clipping import mean_sensitivity


def side_by_side(
    sample: LinearSample, arms: Sequence[Arm], rhos: Sequence[float], eta: float, gamma: float, normals: Array
) -> dp_gd.Descent:
    """Runs arms of equally many steps with the same normals, shape (T, p), each at its zCDP budget."""
    noise_sd = np.stack([arm.noise_sd(gamma, sample.n, rho) for arm, rho in zip(arms, rhos, strict=True)], axis=1)
    drawn = np.stack([arm.strategy.correlate(normals) if arm.is_correlated else normals for arm in arms], axis=1)
    settings = dp_gd.DPGDArms(arms[0].steps, np.full(len(arms), eta), np.full(len(arms), gamma), noise_sd)
    return dp_gd.descend([sample], settings, drawn[:, None])


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
        response = schedule.response(eta, eigenvalues, layout.last_iterate(T))
        return cls(sample.n, theta_hat - vectors @ left, float(np.sum(left**2)), response)

    def variance(self, arm: Arm, gamma: float, rho: float) -> float:
        """Variance of the last iterate, summed over coordinates."""
        return mean_sensitivity(gamma, self.n) ** 2 / (2.0 * rho) * arm.relative_variance(self.response)
