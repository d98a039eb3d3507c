"""Exact privacy parameters of a pair whose outputs are Gaussian releases, without a simulation."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mu_of_shifts(shifts: Array, noise_sds: Array | float) -> float:
    """Gaussian-DP parameter `|shift / sd|` of releases whose means differ by `shifts` between neighbours.

    It is exact if the noise is independent and the shifts do not depend on earlier releases. The arguments broadcast.

    Raises:
        ValueError: if a noise sd is not positive.
    """
    sds = np.asarray(noise_sds, dtype=float)
    if not sds.min() > 0.0:
        raise ValueError(f"noise_sds down to {sds.min()} must be positive")
    return float(np.sqrt(np.sum((shifts / sds) ** 2)))


def realised_cost(first: Array, second: Array, noise_sd: float) -> float:
    """Realised zCDP cost of a path of Gaussian releases: squared shifts of its means, divided by twice the variance.

    `first` and `second` are the means on the two neighbours given the earlier releases, shape (steps, numbers). The
    expectation of the cost over paths drawn on the first neighbour is the Kullback-Leibler divergence of the outputs,
    which rho-zCDP bounds by rho.

    Raises:
        ValueError: if the shapes differ or the noise sd is not positive.
    """
    if first.shape != second.shape:
        raise ValueError(f"means of shapes {first.shape} and {second.shape} must have one shape")
    return 0.5 * mu_of_shifts(first - second, noise_sd) ** 2
