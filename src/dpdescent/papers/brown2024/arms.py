"""DP-GD as brown2024 runs it: clipping threshold, noise, runs on data sets, and the privacy event of each run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """One setting of DP-GD (brown2024 Algorithm 1, Lemma 2.1).

    Attributes:
        n, p: sample size and dimension.
        T: number of iterations of a run.
        rho: zCDP budget of all runs together.
        eta: step size.
        gamma: clipping threshold.
        runs: number of runs that share the budget; m for independent runs, else 1.
    """

    n: int
    p: int
    T: int
    rho: float
    eta: float
    gamma: float
    runs: int = 1

    @classmethod
    def of(cls, spec: dict[str, Any], n: int, p: int, T: int, clip_factor: float, runs: int = 1) -> "Setting":
        """Returns the setting with threshold `clip_factor sqrt(p)`, at the cell's own budget if it has one."""
        settings = spec["settings"]
        rho = spec["cell"].get("rho", settings["rho"])
        return cls(n, p, T, rho, settings["eta"], clip_factor * float(np.sqrt(p)), runs)

    @property
    def releases(self) -> int:
        """Number of noisy gradients released over all runs."""
        return self.T * self.runs

    @property
    def noise_sd(self) -> float:
        """Noise sd lambda, with `lambda^2 = 2 (runs T) gamma^2 / (rho n^2)` (brown2024 Lemma 2.1)."""
        return zcdp.gaussian_noise_sd(mean_sensitivity(self.gamma, self.n), self.rho, self.releases)

    def arms(self, columns: int) -> dp_gd.DPGDArms:
        """Returns `columns` equal runs, to go through one descent together."""
        return dp_gd.DPGDArms.alike(columns, self.T, self.eta, self.gamma, self.noise_sd)

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of all runs together."""
        release = GaussianReleases(
            "mean of clipped gradients", mean_sensitivity(self.gamma, self.n), self.noise_sd, self.releases
        )
        return Mechanism(
            "DP-GD", (release,), "replace-one", "full batch", self.rho, "proved",
            "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n); n, "
            "step size and threshold are public; adaptive composition over all steps of all runs",
        )  # fmt: skip


def side_by_side(sample: LinearSample, settings: list[Setting], normals: Array) -> dp_gd.Descent:
    """Runs DP-GD on one data set at several thresholds, step sizes and noises, with the same normals, shape (T, p)."""
    columns = (
        np.array([getattr(setting, name) for setting in settings]) for name in ("eta", "gamma", "noise_sd")
    )  # fmt: skip
    arms = dp_gd.DPGDArms(settings[0].T, *columns)
    return dp_gd.descend([sample], arms, normals[:, None, None, :])
