"""Ridge regression with clipped gradients, solved exactly and released with noise (Chaudhuri et al. 2011, Gaussian).

The objective is the mean Huber loss whose gradients are clipped at gamma, plus `ridge |theta|^2 / 2`. It is strongly
convex with constant `ridge`, and replacing one record of n moves its gradient by 2 gamma / n at most. The solver stops
where the length of the gradient is at most `TOLERANCE gamma`. Let f and h be the objectives on neighbours, and a and b
the points at which the solver stops. Then `ridge |a - b| <= |f'(a) - f'(b)| <= |f'(a)| + |h'(b)| + |h'(b) - f'(b)|`, so
that the released point moves by `(2 gamma / n + 2 TOLERANCE gamma) / ridge` at most.

No number of steps that is known without the data suffices for every table: for covariates and outcomes of very
different sizes double precision does not resolve the gradient. `fit` then fails. The failure reveals something about
the records, and no account covers it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_gd import TINY
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]

PROVED = (
    "the minimiser of an objective with curvature `ridge`, whose gradient a replaced record of n moves by 2 gamma / n, "
    "solved to a slope of 1e-9 gamma, moves by (2 gamma / n + 2e-9 gamma) / ridge at most; one Gaussian release of it, "
    "unless the solver fails, of which nothing may be told"
)
# Largest length of the objective's gradient at the minimiser, divided by gamma; and largest number of steps.
TOLERANCE, LIMIT = 1e-9, 2000


@dataclass(frozen=True)
class Calibration:
    """Public settings of a fit.

    Attributes:
        n: number of records.
        gamma: clipping threshold of a record's gradient.
        ridge: curvature that is added to the objective.
        rho: zCDP budget under replace-one.
    """

    n: int
    gamma: float
    ridge: float
    rho: float

    def __post_init__(self) -> None:
        plain_fields(self)

    @property
    def release(self) -> GaussianReleases:
        """The release of the minimiser."""
        sensitivity = (mean_sensitivity(self.gamma, self.n) + 2.0 * TOLERANCE * self.gamma) / self.ridge
        return GaussianReleases("minimiser", sensitivity, zcdp.gaussian_noise_sd(sensitivity, self.rho), 1)

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        return Mechanism(
            "output perturbation", (self.release,), "replace-one", "full batch", math.inf, "proved", PROVED
        )  # fmt: skip


def balanced_ridge(n: int, p: int, gamma: float, rho: float) -> float:
    """Returns the ridge at which noise and bias balance, for coefficients of norm 1 and unit variances.

    The squared error is about `p s^2 / ridge^2 + ridge^2`, where s is the noise of a step, and is smallest where
    `ridge^4 = p s^2`.
    """
    return math.sqrt(math.sqrt(p) * zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), rho))


def fit(sample: LinearSample, calibration: Calibration, rng: np.random.Generator) -> Array:
    """Returns the minimiser with its noise, shape (p,).

    Raises:
        ValueError: if the sample does not have the number of records for which the noise was computed.
        RuntimeError: if the minimiser is not found. That depends on the records: do not publish it.
    """
    if sample.n != calibration.n:
        raise ValueError(f"the sample has {sample.n} records, and the noise is for n={calibration.n}")
    theta = minimiser(sample, calibration.gamma, calibration.ridge)
    return np.asarray(theta + calibration.release.noise_sd * rng.standard_normal(sample.p))


def minimiser(sample: LinearSample, gamma: float, ridge: float) -> Array:
    """Returns the minimiser by Newton's method, with steps that are halved until the objective falls, shape (p,).

    The objective is quadratic between finitely many kinks, so that the last steps are exact.

    Raises:
        RuntimeError: if `LIMIT` steps do not suffice.
    """
    limits = gamma / np.maximum(sample.norms, TINY)

    def objective(theta: Array) -> float:
        r = np.abs(sample.y - sample.X @ theta)
        kept = np.minimum(r, limits)
        return float(np.mean(kept * (r - 0.5 * kept)) + 0.5 * ridge * theta @ theta)

    theta, value = np.zeros(sample.p), objective(np.zeros(sample.p))
    for _ in range(LIMIT):
        r = sample.y - sample.X @ theta
        inside = sample.X[np.abs(r) <= limits]
        slope = np.clip(r, -limits, limits) @ sample.X / sample.n - ridge * theta
        if slope @ slope <= (TOLERANCE * gamma) ** 2:
            return theta
        step = np.linalg.solve(inside.T @ inside / sample.n + ridge * np.eye(sample.p), slope)
        while (attained := objective(theta + step)) > value and step @ step > 0.0:
            step *= 0.5
        theta, value = theta + step, attained
    raise RuntimeError(
        f"the minimiser at gamma={gamma}, ridge={ridge} still moves after {LIMIT} steps, so that nothing is released; "
        "do not publish that it failed, because that depends on the records and no budget covers it"
    )
