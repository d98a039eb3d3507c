"""Coverage of the intervals of brown2024: exactly, by Theorem 3.1's number of steps, and by what its proof bounds.

Theorem 3.1 and Claim C.11, from which it follows, hide a constant. The divergence of `algorithms.gaussian_law` gives
the same statement an explicit number, and for jointly normal estimates the coverage itself is an integral.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, IterateLaw
from dpdescent.algorithms.gaussian_law import t_interval_coverage as t_interval_coverage
from dpdescent.checks import require_positive, require_probability

Array = NDArray[np.float64]


def required_steps(
    *, sigma: float, m: int, p: int, eta: float, noise_sd: float, beta: float, constant: float = 1.0
) -> float:  # fmt: skip
    """Returns the number of steps between estimates at which the intervals cover with 1 - alpha - beta.

    Args:
        sigma: label noise sd of Condition 2.4.
        m: number of estimates.
        p: number of covariates.
        eta: step size.
        noise_sd: lambda.
        beta: coverage that may be lost.
        constant: c, which the paper does not give; it also hides the constant c0 of the condition.

    Returns:
        `c ln(sigma m p / (eta lambda beta))`, not positive where the theorem requires nothing (brown2024 Thm 3.1).
    """
    require_positive(sigma=sigma, m=m, p=p, eta=eta, noise_sd=noise_sd, constant=constant)
    require_probability(beta=beta)
    return constant * math.log(sigma * m * p / (eta * noise_sd * beta))


def closeness(law: EstimatesLaw) -> float:
    """Returns `||S_1^{-1/2} S_2 S_1^{-1/2} - I||` in the Frobenius norm, Claim C.11's on covariances (eq. 95).

    S_2 is the covariance of m estimates by independent runs or checkpoints, S_1 that of m independent stationary draws.
    """
    excess = law.covariances / law.settled_variances[:, None, None] - np.eye(law.means.shape[1])
    return math.sqrt(float((excess**2).sum()))


@dataclass(frozen=True)
class AtIdentity:
    """Exact coverage and expected length of one coordinate's interval without clipping where Sigma is the identity."""

    coverage: float
    length: float


def at_identity(
    construction: Construction, *, steps: int, m: int, noise_sd: float, start: float, eta: float = 0.25,
    burn_in: int = 0, level: float = 0.95, tail: int | None = None, target_sd: float = 0.0,
) -> AtIdentity:  # fmt: skip
    """Returns coverage and length of a construction's intervals, exactly.

    Args:
        construction: how the estimates are made; with burn_in 0, and tail 1 for independent runs, as in Theorem 3.1.
        steps: N, number of gradients over all runs.
        m: number of estimates.
        noise_sd: lambda.
        start: theta_hat_j, from which runs that begin at zero are off.
        eta: step size.
        burn_in: number of first iterates that are left out.
        level: nominal coverage.
        tail: number of last iterates that an independent run averages.
        target_sd: sd of theta_hat_j about the target; 0 where theta_hat_j is the target itself.
    """
    law = IterateLaw(np.array([start]), np.zeros(1), eta, noise_sd, np.ones(1), np.eye(1))
    found = law.estimates(construction, steps, m, burn_in, tail)
    covered = t_interval_coverage(found.means[0], found.covariances[0] + target_sd**2, level=level)
    return AtIdentity(covered, float(found.expected_length(level)[0]))
