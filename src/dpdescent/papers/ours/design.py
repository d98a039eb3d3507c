"""Synthetic data of ours: linear regression with a known spectrum of the covariates, from named random streams."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.linear import LinearSample, draw_linear, haar_rotation, unit_sphere
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "ours"


def spectrum(p: int, kappa: float) -> Array:
    """Returns eigenvalues of the covariates' covariance, from 1 down to 1/kappa in equal ratios, shape (p,).

    One covariate alone has the smallest, because a single direction is to be a slow one.
    """
    return np.geomspace(1.0, 1.0 / kappa, p) if p > 1 else np.array([1.0 / kappa])


def trial_stream(spec: Spec, p: int, n: int, trial: int, role: str) -> np.random.Generator:
    """Returns a trial's random stream for a role (theta, data, noise ...), shared by all that compares arms on it."""
    return stream(spec["seed"], PAPER, f"p={p}_n={n}", "trial", trial, role)


def true_parameter(spec: Spec, n: int, p: int, trial: int) -> Array:
    """Returns a trial's true parameter, uniform on the unit sphere, shape (p,)."""
    return unit_sphere(p, trial_stream(spec, p, n, trial, "theta"))


def linear_sample(spec: Spec, n: int, p: int, kappa: float, trial: int) -> LinearSample:
    """Returns a trial's records: normal covariates with that spectrum in random directions, label noise of sd 1.

    The true parameter is uniform on the unit sphere.
    """
    root = haar_rotation(p, trial_stream(spec, p, n, trial, "directions")) * np.sqrt(spectrum(p, kappa))
    theta = true_parameter(spec, n, p, trial)
    return draw_linear(theta, n, trial_stream(spec, p, n, trial, "data"), root=root)
