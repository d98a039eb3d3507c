"""Coverage of the intervals of brown2024: exactly, by Theorem 3.1's number of steps, and by what its proof bounds.

Theorem 3.1 and Claim C.11, from which it follows, hide a constant. The divergence of `algorithms.gaussian_law` gives
the same statement an explicit number, and for jointly normal estimates the coverage itself is an integral. The paper
has no theorem for batched means; their limit length is given here.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, IterateLaw
from dpdescent.algorithms.gaussian_law import t_interval_coverage as t_interval_coverage
from dpdescent.checks import require_non_negative, require_positive, require_probability

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


def guaranteed_coverage(alpha: float, distance: float) -> float:
    """Returns the coverage guaranteed to estimates within a total variation distance of ideal ones.

    `1 - alpha - distance`, at least 0 (brown2024 Claim C.10).
    """
    require_probability(alpha=alpha)
    require_non_negative(distance=distance)
    return max(0.0, 1.0 - alpha - distance)


@dataclass(frozen=True)
class Closeness:
    """Distance of the joint law of m estimates to m independent stationary draws, in the norms of Claim C.11.

    Attributes:
        mean: ||mu_1 - mu_2|| in the norm of the ideal's inverse covariance, as the proof uses it (eq. 96).
        covariance: ||Sigma_1^{-1/2} Sigma_2 Sigma_1^{-1/2} - I|| in the Frobenius norm (eq. 95).
    """

    mean: float
    covariance: float

    @property
    def beta(self) -> float:
        """The smallest beta of Claim C.11: if it is at most 1/2, the total variation is at most K times it."""
        return max(self.mean, self.covariance)


def closeness(law: EstimatesLaw) -> Closeness:
    """Returns the premises of Claim C.11 for independent runs or checkpoints, exactly (brown2024 eq. 85 to 100).

    For batched means, about which the paper claims nothing, they are taken to the ideal of their own law.

    Raises:
        ValueError: if the estimates have no variance: the noise must not be zero.
    """
    variances = law.settled_variances
    if not variances.min() > 0.0:
        raise ValueError("without noise (lambda = 0) there is no law of the estimates to compare")
    excess = law.covariances / variances[:, None, None] - np.eye(law.means.shape[1])
    return Closeness(
        mean=math.sqrt(float(((law.means**2).sum(axis=1) / variances).sum())),
        covariance=math.sqrt(float((excess**2).sum())),
    )


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


def batched_length_limit(
    *, gamma: float, n: float, rho: float, m: int, level: float = 0.95, eigenvalue: float = 1.0
) -> float:  # fmt: skip
    """Returns the limit of the expected length of the interval from m batched means, as runs grow.

    `2 t c4(m) sqrt(2/rho) gamma / (n s)`, in which neither the number of gradients nor the step size remains, because
    the mean of L iterates has variance `lambda^2 / (s^2 L)` and `lambda^2 = 2 m L gamma^2 / (rho n^2)` (from brown2024
    Lemma 2.1 and 2.3). `2 t c4(m)` is 4.40 for ten batches.

    Args:
        gamma: clipping threshold.
        n: number of records.
        rho: zCDP budget of the run.
        m: number of batches.
        level: nominal coverage.
        eigenvalue: s, the eigenvalue of X'X/n along the coordinate.
    """
    require_positive(gamma=gamma, n=n, rho=rho, m=m, eigenvalue=eigenvalue)
    variance = np.array([2.0 * m / rho * (gamma / (n * eigenvalue)) ** 2])
    ideal = EstimatesLaw(np.zeros((1, m)), np.zeros((1, m, m)), variance, np.eye(1))
    return float(ideal.settled_length(level)[0])
