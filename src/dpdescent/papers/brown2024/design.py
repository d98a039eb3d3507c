"""Synthetic data of brown2024 Sec. 4 and App. B: true parameters and data sets, drawn from named random streams."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.gaussian_law import IterateLaw, expected_norm
from dpdescent.data.linear import LinearSample, anisotropic_root, draw_linear, unit_sphere
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]

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


def expected_sampling_error(law: IterateLaw, sample: LinearSample, noise_mean: float) -> float:
    """Returns E ||theta_hat - theta*|| over label noise N(noise_mean, 1), given the covariates.

    Args:
        law: law of the iterates on this data set, of which the eigendecomposition is used.
        sample: the data set.
        noise_mean: mean of the label noise.
    """
    spectrum = sample.n * law.eigenvalues
    shift = noise_mean * (sample.X.sum(axis=0) @ law.eigenvectors) / spectrum if noise_mean else 0.0 * spectrum
    return float(expected_norm(shift, 1.0 / spectrum))
