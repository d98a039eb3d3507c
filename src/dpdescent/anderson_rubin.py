"""Anderson-Rubin confidence sets for one effect, from what `algorithms.reduced_form` releases and from nothing else.

With y = x b + u, the coefficients of y - x b on instruments are zero at the true b, however weak the instruments are.
The set has every b at which they are not further from zero than the error of sampling and the noise of privacy explain:
the released D = (Theta, Gamma) gives them as D d for d = (-b, 1), with covariance `A^-1 K A^-1 / n + |d|^2 V`, where K
is the second moment of z v'd for the residuals v of (x, y), and V what noise adds to a column of D. No equal errors are
assumed. The set may be one interval, two rays, or all numbers: weak instruments say little, and the set says so.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import chdtri

from dpdescent.checks import require_probability

Array = NDArray[np.float64]

# Angles at which the set is looked for first.
ANGLES = 361


@dataclass(frozen=True)
class ConfidenceSet:
    """A set of effects.

    Attributes:
        intervals: closed intervals in rising order; ends may be infinite; none where several instruments disagree so
            much that no effect explains all of them.
        F: first-stage F statistic, with the noise of privacy counted as error: information, not a test to decide by.
    """

    intervals: tuple[tuple[float, float], ...]
    F: float

    @property
    def length(self) -> float:
        """Length of all intervals together."""
        return sum(high - low for low, high in self.intervals)

    def covers(self, effect: float) -> bool:
        """Returns whether the effect is in the set."""
        return any(low <= effect <= high for low, high in self.intervals)


@dataclass(frozen=True)
class Evidence:
    """What was released about one regressor and one outcome.

    Attributes:
        D: coefficients of (x, y/unit) on z, shape (q, 2).
        moment: second moment of z v', v the residuals, shape (2 q, 2 q), entry (i, j) of z v' at j q + i.
        moment_sd: noise sd of it, 0 if there is none.
        variance: covariance of the noise in a column of D, shape (q, q).
        second_moment: E[zz'], shape (q, q).
        n: number of records.
        unit: what outcomes were divided by.

    Raises:
        ValueError: if shapes do not fit.
    """

    D: Array
    moment: Array
    moment_sd: float
    variance: Array
    second_moment: Array
    n: int
    unit: float = 1.0

    def __post_init__(self) -> None:
        q = len(self.second_moment)
        found = self.D.shape, self.moment.shape, self.variance.shape
        if found != ((q, 2), (2 * q, 2 * q), (q, q)):
            raise ValueError(f"D, moment and variance have shapes {found}, for q={q} instruments and one regressor: "
                             f"they must be ({q}, 2), ({2 * q}, {2 * q}) and ({q}, {q})")  # fmt: skip

    def statistic(self, d: Array) -> Array:
        """Squared distance of D d from zero in units of its covariance, for unit vectors d of shape (k, 2).

        Where the matrix is not positive, because noise is most of it, the distance is zero: nothing can be excluded.
        """
        q = len(self.D)
        moments = self.moment.reshape(2, q, 2, q)
        K = np.einsum("ka,aibj,kb->kij", d, moments, d)
        # About the largest eigenvalue of the noise is added, because a covariance that is too small covers too seldom.
        K = K + math.sqrt(q) * self.moment_sd * np.eye(q)
        inverse = np.linalg.inv(self.second_moment)
        covariance = inverse @ K @ inverse / self.n + self.variance
        values, vectors = np.linalg.eigh(covariance)
        parts = np.einsum("kij,ki->kj", vectors, d @ self.D.T)
        positive = values[:, :1] > 0.0
        return np.asarray(np.where(positive, parts**2 / np.where(positive, values, 1.0), 0.0).sum(1))


def anderson_rubin(evidence: Evidence, level: float = 0.95) -> ConfidenceSet:
    """Returns the set of effects at which nothing but error is left in the outcome's equation.

    Args:
        evidence: what was released.
        level: nominal coverage.

    Raises:
        ValueError: if the level is not between 0 and 1.
    """
    require_probability(level=level)
    q, critical = len(evidence.D), float(chdtri(len(evidence.D), 1.0 - level))

    def excess(angles: Array) -> Array:
        return evidence.statistic(np.stack([-np.sin(angles), np.cos(angles)], axis=1)) - critical

    def at(angle: float) -> float:
        return float(excess(np.array([angle]))[0])

    # Half a turn of b = tan(angle), at whose ends b is infinite; the set may lie between two angles of the grid.
    grid = np.linspace(-math.pi / 2, math.pi / 2, ANGLES)
    found = excess(grid)
    lowest = 1 + np.flatnonzero((found[1:-1] <= found[:-2]) & (found[1:-1] <= found[2:]))
    between = [minimize_scalar(at, bounds=(grid[k - 1], grid[k + 1]), method="bounded").x for k in lowest]
    angles = np.sort(np.concatenate([grid, between]))
    inside = excess(angles) <= 0.0
    cuts = [brentq(at, angles[k], angles[k + 1], xtol=1e-14) for k in np.flatnonzero(inside[1:] != inside[:-1])]
    ends = [evidence.unit * math.tan(cut) for cut in cuts]
    ends = [-math.inf] * bool(inside[0]) + ends + [math.inf] * bool(inside[-1])
    F = float(evidence.statistic(np.array([[1.0, 0.0]]))[0]) / q
    return ConfidenceSet(tuple(zip(ends[::2], ends[1::2], strict=True)), F)
