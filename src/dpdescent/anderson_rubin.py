"""Anderson-Rubin confidence sets for one effect, from the releases of `algorithms.reduced_form` alone.

With y = x b + u, the coefficients of y - x b on instruments are zero at the true b, however weak the instruments are.
The set contains every b at which they are not further from zero than sampling error and privacy noise explain. The
released D = (Theta, Gamma) gives these coefficients as D d for d = (-b, 1). D has the covariance `S^-1 M S^-T / n + V`,
where M is the second moment of the gradients z v' for the residuals v of (x, y), S is the slope of their mean in D, and
V is the contribution of the noise; without clipping S is E[zz'] for each column of D. Errors need not have equal
variances, but clipping must not shift the mean gradient; it does not if residuals are symmetric given z. The set may be
one interval, two rays, or all numbers: weak instruments say little, and the set says so.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import chdtri, fdtri

from dpdescent.checks import require_probability
from dpdescent.sums import added

Array = NDArray[np.float64]

# Number of angles in a half turn at which the set is looked for first.
ANGLES = 360


@dataclass(frozen=True)
class ConfidenceSet:
    """A set of effects.

    Attributes:
        intervals: closed intervals in rising order, with ends that may be infinite; none if several instruments
            disagree so much that no effect explains all of them.
        F: first-stage F statistic, with the privacy noise counted as error: information, not a test for decisions.
    """

    intervals: tuple[tuple[float, float], ...]
    F: float

    @property
    def length(self) -> float:
        """Total length of all intervals."""
        return added(high - low for low, high in self.intervals)

    def covers(self, effect: float) -> bool:
        """Returns whether the effect lies in the set."""
        return any(low <= effect <= high for low, high in self.intervals)


@dataclass(frozen=True)
class Evidence:
    """Releases about one regressor and one outcome.

    Attributes:
        D: coefficients of (x, y/unit) on z, shape (q, 2).
        moment: second moment of z v' for the residuals v, shape (2 q, 2 q), where entry (i, j) of z v' has the index j
            q + i.
        moment_sd: noise sd of that moment, 0 if there is none.
        variance: covariance of the noise in D, shape (2 q, 2 q), in the same order.
        slope: slope of the mean gradient in D, shape (2 q, 2 q), in the same order; E[zz'] for each column where
            nothing is clipped.
        n: number of records.
        unit: divisor of the outcomes.
        freedom: degrees of freedom of a variance from an estimated slope; infinite if the slope is known.

    Raises:
        ValueError: if shapes do not fit.
    """

    D: Array
    moment: Array
    moment_sd: float
    variance: Array
    slope: Array
    n: int
    unit: float = 1.0
    freedom: float = math.inf

    def __post_init__(self) -> None:
        q = len(self.D)
        shapes = [array.shape for array in (self.D, self.moment, self.variance, self.slope)]
        if shapes != [(q, 2), *3 * [(2 * q, 2 * q)]]:
            raise ValueError(f"D, moment, variance and slope have shapes {shapes}, for q={q} instruments and one "
                             f"regressor: they must be ({q}, 2), and ({2 * q}, {2 * q}) thrice")  # fmt: skip

    @cached_property
    def covariance(self) -> Array:
        """Covariance of D from sampling and noise, shape (2, q, 2, q)."""
        q = len(self.D)
        # About .7 of the noise's largest eigenvalue is added, sqrt(q) of its sqrt(2 q) in units of its sd, because
        # intervals from a covariance that is too small cover too seldom.
        moment = self.moment + math.sqrt(q) * self.moment_sd * np.eye(2 * q)
        inverse = np.linalg.inv(self.slope)
        return (inverse @ moment @ inverse.T / self.n + self.variance).reshape(2, q, 2, q)

    def critical(self, level: float) -> float:
        """Quantile of the statistic at the true effect: of chi-square, or of q F where the slope was estimated."""
        q = len(self.D)
        if math.isinf(self.freedom):
            return float(chdtri(q, 1.0 - level))
        return q * float(fdtri(q, self.freedom, level))

    def statistic(self, d: Array) -> Array:
        """Squared distance of D d from zero in units of its covariance, for unit vectors d of shape (k, 2).

        If the matrix is not positive, because it is mostly noise, the distance is zero: nothing can be excluded.
        """
        values, vectors = np.linalg.eigh(np.einsum("ka,aibj,kb->kij", d, self.covariance, d))
        parts = np.einsum("kij,ki->kj", vectors, d @ self.D.T)
        positive = values[:, :1] > 0.0
        return np.asarray(np.where(positive, parts**2 / np.where(positive, values, 1.0), 0.0).sum(1))


def unclipped(second_moment: Array) -> Array:
    """Returns the slope where nothing is clipped, shape (2 q, 2 q): E[zz'] for each column of D."""
    return np.asarray(np.kron(np.eye(2), second_moment), dtype=np.float64)


def anderson_rubin(evidence: Evidence, level: float = 0.95) -> ConfidenceSet:
    """Returns the set of effects at which only error is left in the equation of the outcome.

    Args:
        evidence: the releases.
        level: nominal coverage.

    Raises:
        ValueError: if the level is not between 0 and 1.
    """
    require_probability(level=level)
    q, critical = len(evidence.D), evidence.critical(level)

    def excess(angles: Array) -> Array:
        return evidence.statistic(np.stack([-np.sin(angles), np.cos(angles)], axis=1)) - critical

    def at(angle: float) -> float:
        return float(excess(np.array([angle]))[0])

    # Half a turn of b = tan(angle). At both ends b is infinite, and the circle continues from either end at the other.
    # The set may lie between two angles of the grid.
    grid, apart = np.linspace(-math.pi / 2, math.pi / 2, ANGLES, endpoint=False, retstep=True)
    above = excess(grid)
    lowest = grid[(above <= np.roll(above, 1)) & (above <= np.roll(above, -1))]
    minima = [minimize_scalar(at, bounds=(near - apart, near + apart), method="bounded").x for near in lowest]
    between = (np.array(minima) + math.pi / 2) % math.pi - math.pi / 2
    angles = np.sort(np.concatenate([grid, between, [math.pi / 2]]))
    inside = excess(angles) <= 0.0
    cuts = [brentq(at, angles[k], angles[k + 1], xtol=1e-14) for k in np.flatnonzero(inside[1:] != inside[:-1])]
    ends = [evidence.unit * math.tan(cut) for cut in cuts]
    ends = [-math.inf] * bool(inside[0]) + ends + [math.inf] * bool(inside[-1])
    F = float(evidence.statistic(np.array([[1.0, 0.0]]))[0]) / q
    return ConfidenceSet(tuple(zip(ends[::2], ends[1::2], strict=True)), F)
