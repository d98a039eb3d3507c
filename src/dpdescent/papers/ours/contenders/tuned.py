"""DP-GD with the best of a grid of constants, which an oracle knows: what no rule can reach."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contenders.full_batch import STEPWISE
from dpdescent.papers.ours.contest_design import Drawn, Public
from dpdescent.papers.ours.design import Array
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

NOT_PRIVATE = (
    "step size, threshold and number of steps are the best of a grid on data sets of the same law; " + STEPWISE
)


@dataclass(frozen=True)
class Grid:
    """Constants that are tried, by number of steps side by side.

    Attributes:
        eta: step sizes over the largest eigenvalue of the records' own second moment.
        k: thresholds over sqrt(p).
        steps: numbers of steps.
    """

    eta: tuple[float, ...]
    k: tuple[float, ...]
    steps: tuple[int, ...]

    @classmethod
    def of(cls, given: dict[str, Any]) -> "Grid":
        """Returns the grid of a configuration."""
        return cls(*(tuple(given[name]) for name in ("eta", "k", "steps")))

    def arms(self, public: Public, steps: int, largest: float) -> dp_gd.DPGDArms:
        """Returns the settings of all constants with this number of steps."""
        pairs = list(itertools.product(self.eta, self.k))
        gamma = np.array([k * math.sqrt(public.p) for _, k in pairs])
        sds = [zcdp.gaussian_noise_sd(mean_sensitivity(each, public.n), public.rho, steps) for each in gamma.tolist()]
        return dp_gd.DPGDArms(steps, np.array([eta for eta, _ in pairs]) / largest, gamma, np.array(sds))


def run(grid: Grid, public: Public, drawn: Iterable[tuple[Drawn, np.random.Generator]]) -> Array:
    """Returns the excess risks of the constants with the smallest mean, by data set, shape (data sets,).

    The constants are chosen by the data sets that they are judged on, which favours them slightly.
    """
    found = []
    for data, rng in drawn:
        largest = float(np.linalg.eigvalsh(data.sample.gram.xx)[-1]) / public.n
        normals = rng.standard_normal((max(grid.steps), 1, 1, public.p))
        found.append(np.concatenate([_errors(grid, public, steps, largest, data, normals) for steps in grid.steps]))
    errors = np.array(found)
    return np.asarray(errors[:, errors.mean(0).argmin()])


def _errors(grid: Grid, public: Public, steps: int, largest: float, data: Drawn, normals: Array) -> Array:
    sample = LinearSample(data.sample.X, data.sample.y)
    theta = dp_gd.descend([sample], grid.arms(public, steps, largest), normals[:steps]).theta[0]
    return np.array([data.excess(each) for each in theta])


def mechanism(grid: Grid, public: Public, steps: int) -> Mechanism:
    """Returns the event of one of the runs that are tried; the choice among them has no guarantee."""
    sensitivity = mean_sensitivity(grid.k[0] * math.sqrt(public.p), public.n)
    release = GaussianReleases(
        "mean of clipped gradients", sensitivity, zcdp.gaussian_noise_sd(sensitivity, public.rho, steps), steps
    )
    return Mechanism(
        "DP-GD", (release,), "replace-one", "full batch", math.inf, "none", NOT_PRIVATE,
        stand_in="the first threshold of the grid stands for the others, whose noise is in proportion",
    )  # fmt: skip
