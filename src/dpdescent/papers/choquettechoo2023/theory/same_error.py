"""Two noise matrices of equal squared error (3) and sensitivity, and where they lead (choquettechoo2023 Sec. 1.2).

`differences` is anti-PGD times sqrt(T), `unequal` is independent noise whose first step alone is larger. Both have
sensitivity 1 and phi = T^2, for every T.
"""

import math

import numpy as np
from scipy.signal import lfilter

from dpdescent.checks import require_positive
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array


def differences(T: int) -> Array:
    """The decoder `sqrt(T) (w_t - w_{t-1})`, dense, shape (T, T)."""
    made: Array = math.sqrt(T) * (np.eye(T) - np.eye(T, k=-1))
    return made


def unequal(T: int) -> Array:
    """The decoder diag(sqrt((T + 1)/2), 1, ..., 1), dense, shape (T, T)."""
    return np.diag(np.append(math.sqrt((T + 1) / 2.0), np.ones(T - 1)))


def last_errors(T: int, rate: float) -> tuple[float, float]:
    """Variances of the last iterate on a quadratic under the noise of `differences` and of `unequal`, over eta^2.

    Args:
        T: number of steps.
        rate: eta times the curvature, below 1.
    """
    require_positive(T=T, rate=rate)
    response = lfilter([1.0], [1.0, rate - 1.0], np.eye(1, T)[0])
    of_differences = T * float(np.square(np.diff(response, prepend=0.0)).sum())
    return of_differences, float(np.square(response).sum() + (T - 1) / 2.0 * response[-1] ** 2)
