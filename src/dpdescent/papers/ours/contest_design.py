"""Linear regressions of a contest between methods: what the public knows of them, and records of several laws."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dpdescent.data.linear import LinearSample, haar_rotation, unit_sphere
from dpdescent.papers.ours.setting import Array, Spec, spectrum, trial_stream, value
from dpdescent.privacy.accounting import tight_rho

LAWS = ("normal", "heavy covariates", "heavy errors", "skewed errors", "outliers")
# Degrees of freedom of heavy tails; share of outliers, and how far they lie above, in sds of the outcome.
FREEDOM, OUTLIERS, FAR = 3, 0.01, 10.0

Constant = TypeVar("Constant")


def information(n: float, p: float, eps: float, delta: float) -> float:
    """The number n sqrt(rho) / p: about the signal of a coefficient over the noise that privacy asks for."""
    return n * math.sqrt(tight_rho(eps, delta)) / p


@dataclass(frozen=True)
class Public:
    """What every method may know before it sees the records: sizes, units and the budget.

    Columns are recorded in public units, so that covariates and outcome have about mean 0 and variance 1.

    Attributes:
        n, p: number of records and of covariates.
        eps, delta: the budget.
        given: the constants of the written rule, by name.
    """

    n: int
    p: int
    eps: float
    delta: float
    given: dict[str, Any]

    @property
    def rho(self) -> float:
        """zCDP budget of Gaussian releases, by the exact conversion."""
        return tight_rho(self.eps, self.delta)

    @property
    def rho_left(self) -> float:
        """zCDP budget that is left once the largest eigenvalue is paid for."""
        return float(self.rho * (1.0 - self.given["eigenvalue_share"]))

    @property
    def input_bound(self) -> float:
        """B_x, to which records x are clipped: nearly all normal ones of unit variances are within it."""
        return float(self.given["input_factor"]) * math.sqrt(self.p) + 1.0

    @property
    def outcome_bound(self) -> float:
        """B_y, to which outcomes are clipped by methods that need it."""
        return float(self.given["outcome_bound"])

    def gamma(self, rho: float) -> float:
        """Clipping threshold of a descent with budget rho: k sqrt(p), as large as the noise allows.

        The noise of such a descent costs about `2 p^2 k^2 / (n^2 rho)` of the outcome's variance; k, between 1 and a
        largest value, is where that is the tolerated share.
        """
        tolerated = math.sqrt(self.given["tolerated"] * self.n**2 * rho / (2.0 * self.p**2))
        return min(max(tolerated, 1.0), float(self.given["largest_k"])) * math.sqrt(self.p)

    def pick(self, values: Sequence[Constant]) -> Constant:
        """One of three values: for little information, more or much."""
        known = information(self.n, self.p, self.eps, self.delta)
        return values[sum(bool(known >= level) for level in self.given["information"])]

    @classmethod
    def of(cls, spec: Spec) -> "Public":
        """Returns what is public in a cell."""
        n, p, eps = (value(spec, name) for name in ("n", "p", "eps"))
        return cls(n, p, eps, spec["settings"]["dp_delta"], spec["arms"]["rule"])


@dataclass(frozen=True)
class Drawn:
    """One data set, and what only its maker knows.

    Attributes:
        sample: the records.
        theta: the coefficients of the best linear prediction without outliers, shape (p,).
        covariance: of the covariates, shape (p, p).
    """

    sample: LinearSample
    theta: Array
    covariance: Array

    def excess(self, estimate: Array) -> float:
        """Excess risk of an estimate, in units of the outcome's variance: the estimate 0 has 1 - sigma^2."""
        gap = estimate - self.theta
        return float(gap @ self.covariance @ gap)


def draw(spec: Spec, trial: int) -> Drawn:
    """Draws a trial's records: outcome and covariates of about unit variance, coefficients in a random direction.

    Raises:
        ValueError: if the law has no such name.
    """
    n, p, sigma, kappa, law = (value(spec, name) for name in ("n", "p", "sigma", "kappa", "law"))
    if law not in LAWS:
        raise ValueError(f"law={law!r} must be one of {', '.join(LAWS)}")
    directions, coefficients, rng = (stream_of(spec, trial, role) for role in ("directions", "theta", "data"))
    root = haar_rotation(p, directions) * np.sqrt(spectrum(p, kappa) / spectrum(p, kappa).mean())
    theta = unit_sphere(p, coefficients)
    theta *= math.sqrt((1.0 - sigma**2) / float(np.sum((root.T @ theta) ** 2)))
    X, errors = rng.standard_normal((n, p)), rng.standard_normal(n)
    if law == "heavy covariates":
        X /= np.sqrt(rng.chisquare(FREEDOM, (n, 1)) / (FREEDOM - 2.0))
    if law == "heavy errors":
        errors /= np.sqrt(rng.chisquare(FREEDOM, n) / (FREEDOM - 2.0))
    if law == "skewed errors":
        errors = rng.exponential(size=n) - 1.0
    X = X @ root.T
    y = X @ theta + sigma * errors
    if law == "outliers":
        y[: round(OUTLIERS * n)] += FAR
    return Drawn(LinearSample(X, y), theta, root @ root.T)


def stream_of(spec: Spec, trial: int, role: str) -> np.random.Generator:
    """A trial's stream, shared by all methods, budgets and condition numbers of a size."""
    return trial_stream(spec, trial, role, "contest", f"n={value(spec, 'n')}_p={value(spec, 'p')}")
