"""Tails, norms, spectra and least squares errors that App. A bounds, measured."""

from collections.abc import Callable, Iterator

import numpy as np

from dpdescent.baselines.ada_ssp import wishart_gram
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import haar_rotation, unit_sphere
from dpdescent.papers.brown2024.design import PAPER, Row, Spec
from dpdescent.papers.brown2024.theory import concentration
from dpdescent.randomness import stream


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one dimension: whether an event occurred in a trial, or the size of a quantity, and its bound."""
    p = spec["cell"]["p"]
    measured: dict[str, Callable[[np.random.Generator, Spec, int], tuple[float, float]]] = {
        "A.8: P(|N(0, 1)| above its bound)": _gaussian_tail,
        "A.9: P(|N(0, S)| above its bound)": _gaussian_norm,
        "A.10: P(spectrum of X'X/n outside [1/2, 2])": _spectrum,
        "A.11: P(|<u, z>| above t)": _sphere,
        "A.12: |theta_hat - theta*|^2": _least_squares,
    }
    for trial in range(*spec["trials"]):
        for name, measure in measured.items():
            rng = stream(spec["seed"], PAPER, spec["artefact"], f"p={p}", name, "trial", trial)
            value, bound = measure(rng, spec, p)
            yield {"quantity": name, "p": p, "series": "measured", "trial": trial, "value": value, "bound": bound}


def _gaussian_tail(rng: np.random.Generator, spec: Spec, p: int) -> tuple[float, float]:
    beta = spec["settings"]["beta"]
    return float(abs(rng.standard_normal()) >= concentration.gaussian_tail(1.0, beta)), beta


def _gaussian_norm(rng: np.random.Generator, spec: Spec, p: int) -> tuple[float, float]:
    beta, variances = spec["settings"]["beta"], np.linspace(0.1, 1.0, p)
    norm = np.linalg.norm(haar_rotation(p, rng) @ (np.sqrt(variances) * rng.standard_normal(p)))
    return float(norm >= concentration.gaussian_norm(float(variances.sum()), 1.0, beta)), beta


def _spectrum(rng: np.random.Generator, spec: Spec, p: int) -> tuple[float, float]:
    """Returns whether the spectrum of X'X/n leaves [1/2, 2], and beta.

    n is 100 (p + ln(1/beta)), because Claim A.10 does not give its constant c.
    """
    beta = spec["settings"]["beta"]
    n = round(concentration.covariance_records(p, beta, constant=100.0))
    eigenvalues = np.linalg.eigvalsh(wishart_gram(np.zeros(p), n, rng).xx / n)
    return float(eigenvalues[0] < 0.5 or eigenvalues[-1] > 2.0), beta


def _sphere(rng: np.random.Generator, spec: Spec, p: int) -> tuple[float, float]:
    t = 2.0 / np.sqrt(p)
    return float(abs(unit_sphere(p, rng)[0]) >= t), concentration.sphere_tail(p, t)


def _least_squares(rng: np.random.Generator, spec: Spec, p: int) -> tuple[float, float]:
    """Returns the squared error of least squares at n = 100p, and its exact mean, sigma^2 p / (n - p - 1)."""
    n, theta = 100 * p, unit_sphere(p, rng)
    error = linear_least_squares(wishart_gram(theta, n, rng)) - theta
    return float(error @ error), concentration.least_squares_mean_square(n=n, p=p, sigma=1.0)
