"""Data sets, random streams and settings of DP-GD in brown2024 (Sec. 4, App. B), and the releases of an arm."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import IterateLaw, expected_norm
from dpdescent.data.linear import LinearSample, anisotropic_root, draw_linear, unit_sphere
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]
# An arm's name in the ledger, its privacy event, and the delta at which its epsilon is given.
Release = tuple[str, Mechanism, float]

PAPER = "brown2024"


def trial_stream(spec: Spec, p: int, n: int, trial: int, role: str) -> np.random.Generator:
    """Returns a trial's random stream for a role (theta, data, noise ...).

    Its name holds the design, p and n only, so that variants and the author's profile share the draws.
    """
    design = spec["settings"]["design"]
    return stream(spec["seed"], PAPER, design, f"p={p}_n={n}", "trial", trial, role)


def true_theta(spec: Spec, p: int, n: int, trial: int) -> Array:
    """Returns theta* of a trial, uniform on the unit sphere, shape (p,)."""
    return unit_sphere(p, trial_stream(spec, p, n, trial, "theta"))


def sample_of(spec: Spec, p: int, n: int, trial: int, sigma: float = 1.0) -> tuple[LinearSample, Array]:
    """Returns a trial's data set and its theta*; in the anisotropic design each trial draws its own covariance."""
    settings, root = spec["settings"], None
    if settings["design"] == "anisotropic":
        root = anisotropic_root(p, trial_stream(spec, p, n, trial, "covariance"))
    theta = true_theta(spec, p, n, trial)
    rng = trial_stream(spec, p, n, trial, "data")
    return draw_linear(theta, n, rng, root=root, sigma=sigma, noise_mean=settings["noise_mean"]), theta


def fixed_sample(n: int, p: int) -> LinearSample:
    """A data set of sines and cosines, which is not drawn, for statements on any data."""
    X = np.cos(np.outer(np.arange(1, n + 1), np.arange(1, p + 1)))
    return LinearSample(X, 3.0 * np.sin(np.arange(1, n + 1) ** 2))


def expected_sampling_error(law: IterateLaw, sample: LinearSample, noise_mean: float) -> float:
    """Returns E ||theta_hat - theta*|| over label noise N(noise_mean, 1), given the covariates of `law`."""
    spectrum = sample.n * law.eigenvalues
    shift = noise_mean * (sample.X.sum(axis=0) @ law.eigenvectors) / spectrum if noise_mean else 0.0 * spectrum
    return float(expected_norm(shift, 1.0 / spectrum))


def panel_of(spec: Spec) -> str:
    """Returns the panel of a cell; a cell named `b, large n` belongs to b."""
    return str(spec["panel"]).split(",")[0]


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
        """Number of noisy gradients released by all runs together."""
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


def unclipped() -> Mechanism:
    """Returns the event of runs without clipping, which have no guarantee."""
    return Mechanism.without_privacy(
        "DP-GD without clipping", "gradients that are not clipped have no bound, hence no sensitivity"
    )


def side_by_side(sample: LinearSample, settings: list[Setting], normals: Array) -> dp_gd.Descent:
    """Runs DP-GD on one data set at several thresholds, step sizes and noises, with the same normals, shape (T, p)."""
    columns = (
        np.array([getattr(setting, name) for setting in settings]) for name in ("eta", "gamma", "noise_sd")
    )  # fmt: skip
    arms = dp_gd.DPGDArms(settings[0].T, *columns)
    return dp_gd.descend([sample], arms, normals[:, None, None, :])


def by_threshold(spec: Spec) -> dict[float, Setting]:
    """Returns the setting of DP-GD for every clip factor of an artefact, at its cell's n and p."""
    n, p, arms = spec["cell"]["n"], spec["cell"]["p"], spec["arms"]
    return {factor: Setting.of(spec, n, p, arms["T"], factor) for factor in arms["clip_factor"]}


def law_of(sample: LinearSample, setting: Setting) -> IterateLaw:
    """Returns the law of a setting's iterates on a data set where nothing is clipped."""
    return IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)


def released(spec: Spec, arms: Iterable[tuple[str, Setting | Mechanism]]) -> Iterator[Release]:
    """Yields the ledger entries of a cell's arms, by name."""
    for name, arm in arms:
        event = arm.mechanism() if isinstance(arm, Setting) else arm
        yield f"{spec['variant']}: {name}", event, spec["settings"]["dp_delta"]
