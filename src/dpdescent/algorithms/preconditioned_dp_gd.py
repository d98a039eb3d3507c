"""DP-GD in coordinates that a private second moment whitens, with a scheduled budget; in none of the papers.

The second moment of clipped covariates is released first. In the coordinates that it whitens, all directions contract
at one rate, so that the step size and the schedule for isotropic covariates serve.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_gd, preconditioning
from dpdescent.algorithms.preconditioning import Array
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

PROVED = (
    "in exact arithmetic: the mean of xx' of records clipped to the bound B moves by sqrt(2) B^2 / n (B^2 / n with one "
    "covariate) under replacement of one record of n, n public; each step adds Gaussian noise to the mean of gradients "
    "clipped at gamma, which moves by 2 gamma / n; costs add. Coordinates are computed from the released moment. All "
    "settings must be chosen without the data"
)
# Share of the budget for the second moment, number of steps, step size, and share of the steps' budget that is divided
# equally.
MOMENT_SHARE, STEPS, ETA, FLOOR = 0.3, 20, 0.5, 0.2


@dataclass(frozen=True)
class Settings:
    """Public settings of a run.

    Attributes:
        bound: B, the norm to which records x are clipped.
        gamma: clipping threshold of a record's gradient in the new coordinates.
        rho: zCDP budget of the run.
        steps, eta: number of steps, and step size in the new coordinates, below 2.
        moment_share: share of the budget for the second moment.
        floor: share of the steps' budget that is divided equally.
    """

    bound: float
    gamma: float
    rho: float
    steps: int = STEPS
    eta: float = ETA
    moment_share: float = MOMENT_SHARE
    floor: float = FLOOR

    def noise_sds(self, n: int) -> list[float]:
        """Noise sds of the mean gradients of all steps."""
        weights = schedule.weights_in_last(self.eta, np.ones(1), self.steps)
        budgets = (1.0 - self.moment_share) * self.rho * schedule.shares(weights, self.floor)
        return [zcdp.gaussian_noise_sd(mean_sensitivity(self.gamma, n), budget) for budget in budgets.tolist()]

    def mechanism(self, n: int, p: int) -> Mechanism:
        """Returns the privacy event of a run: the second moment, then one release per step."""
        moment = preconditioning.moment_release(n, p, self.bound, self.moment_share * self.rho)
        sensitivity = mean_sensitivity(self.gamma, n)
        steps = (GaussianReleases("mean of clipped gradients", sensitivity, sd, 1) for sd in self.noise_sds(n))
        return Mechanism(
            "preconditioned DP-GD", (moment, *steps), "replace-one", "full batch", math.inf, "proved", PROVED
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Descent:
    """Releases of a run, and the share of gradients that it clipped.

    Attributes:
        path: iterates 1 to T in the covariates' own units, shape (T, p).
        moment: second moment of the clipped covariates, with noise, shape (p, p).
        clipped: share of clipped gradients; not released.
    """

    path: Array
    moment: Array
    clipped: float


def descend(X: Array, y: Array, settings: Settings, normals: tuple[Array, Array]) -> Descent:
    """Runs preconditioned DP-GD once, from zero.

    Args:
        X: covariates, shape (n, p).
        y: responses, shape (n,).
        settings: public settings.
        normals: standard normals of the second moment, shape (p, p), and of the steps, shape (T, p).
    """
    bounded = preconditioning.bounded(X, settings.bound)
    whitening = preconditioning.whiten(bounded, settings.bound, settings.moment_share * settings.rho, normals[0])
    sds = np.array(settings.noise_sds(len(X)))[:, None]
    arms = dp_gd.DPGDArms(settings.steps, np.array([settings.eta]), np.array([settings.gamma]), sds)
    sample = LinearSample(bounded @ whitening.transform, y)
    out = dp_gd.descend([sample], arms, normals[1][:, None, None, :], record=True)
    assert out.path is not None
    return Descent(out.path[:, 0, 0] @ whitening.transform, whitening.moment, float(out.clipped[0, 0]))
