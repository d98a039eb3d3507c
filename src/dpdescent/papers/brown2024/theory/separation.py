"""How far apart estimates must be for valid intervals, and how close normal laws are: brown2024 Thm 3.1 and App. C.2.

The paper hides constants. Here every quantity is exact: the coverage at a separation of T steps, the least T with a
given coverage, and the total variation of pairs of normal laws.
"""

import math
from bisect import bisect_left
from functools import cache

import numpy as np
from scipy.special import gammainc, ndtr

from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, IterateLaw
from dpdescent.checks import require_positive, require_probability
from dpdescent.papers.brown2024.theory import coverage

# The slowest direction that Condition 2.4 allows at step size 1/4: there the contraction is 7/8.
SLOWEST = 0.5


def separated(
    construction: Construction, *, T: int, m: int, noise_sd: float, eta: float = 0.25, start: float = 1.0,
    eigenvalues: tuple[float, ...] = (SLOWEST,),
) -> EstimatesLaw:  # fmt: skip
    """Returns the law of m estimates that are T steps apart, without burn-in and by last iterates, as in Theorem 3.1.

    Args:
        construction: independent runs or checkpoints.
        T: number of steps between estimates.
        m: number of estimates.
        noise_sd: lambda.
        eta: step size.
        start: distance of the start from theta_hat in every direction.
        eigenvalues: those of X'X/n, one for each covariate.
    """
    p = len(eigenvalues)
    law = IterateLaw(np.full(p, start), np.zeros(p), eta, noise_sd, np.asarray(eigenvalues), np.eye(p))
    return law.estimates(construction, m * T, m, 0, 1 if construction == "independent runs" else None)


@cache
def least_steps(
    construction: Construction, *, m: int, noise_sd: float, beta: float, eta: float = 0.25, level: float = 0.95
) -> int:  # fmt: skip
    """Returns the least T with which the interval along the slowest direction covers with `level - beta`, exactly.

    The estimate is at distance 1 from the start, the order of ||theta_hat|| in every experiment. The search halves an
    interval, because coverage does not fall with T: the bias falls, and the variance of each estimate rises.
    """
    require_positive(noise_sd=noise_sd)
    require_probability(beta=beta)

    def covers(T: int) -> bool:
        law = separated(construction, T=T, m=m, noise_sd=noise_sd, eta=eta)
        return coverage.t_interval_coverage(law.means[0], law.covariances[0], level=level) >= level - beta

    enough = 1
    while not covers(enough):
        enough *= 2
    return bisect_left(range(enough), True, lo=enough // 2 + 1, key=covers)


def shifted_variation(distance: float) -> float:
    """Returns the total variation of two normal laws of equal covariance at a (Mahalanobis) distance of means."""
    return float(2.0 * ndtr(distance / 2.0) - 1.0)


def scaled_variation(*, p: int, distance: float) -> float:
    """Returns the total variation of N(0, I) and N(0, (1 + e) I) in p dimensions, where `e sqrt(p)` is the distance.

    The distance is the Frobenius norm of Claim C.11 (brown2024). Both densities are equal on one sphere about zero.
    """
    require_positive(p=p, distance=distance)
    e = distance / math.sqrt(p)
    squared = p * (1.0 + e) * math.log1p(e) / e
    inner, outer = (float(gammainc(p / 2.0, each / 2.0)) for each in (squared, squared / (1.0 + e)))
    return inner - outer
