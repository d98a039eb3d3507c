"""Whether iterates follow the law of brown2024 Lemma 2.3: the level of each in the chi-square law of its distance."""

import numpy as np
from scipy.special import chdtr

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.papers.brown2024.design import Array

# Series of the levels in tables.
LEVEL = "level under the law"


def levels(law: IterateLaw, T: int, theta: Array) -> Array:
    """Returns the probability under the law of a smaller squared Mahalanobis distance, for iterates theta_T.

    The distance is that to the law's mean in units of its covariance. If theta_T is normal with this mean and
    covariance, its square is chi-square with p degrees of freedom, and its level uniform on [0, 1].

    Args:
        law: law of the iterates on their data set, with noise.
        T: number of steps, at least 1.
        theta: iterates after T steps, shape (..., p).

    Returns:
        Levels, shape (...).
    """
    offsets = (theta - law.mean(T)) @ law.eigenvectors
    squared = (offsets**2 / law.variances(T)).sum(axis=-1)
    found: Array = np.asarray(chdtr(theta.shape[-1], squared), dtype=np.float64)
    return found
