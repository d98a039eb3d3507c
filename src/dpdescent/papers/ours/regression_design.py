"""Laws of records for coverage of `dp_regression`, what is told of their units, and the coefficients it should cover.

`y = x'theta + sqrt(1 - fit) u`, with covariates that correlate alike in pairs, errors u of variance 1 unless they are
unequal, and an outcome of variance 1. The constant is among the coefficients, as the first.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.special import ndtri

from dpdescent.algorithms.dp_regression import Errors, Plan
from dpdescent.checks import require_known
from dpdescent.papers.ours.setting import Array, Spec, trial_stream, value
from dpdescent.privacy.accounting import tight_rho


class Records(NamedTuple):
    """A drawn table, and the coefficients of its law, the constant first."""

    X: Array
    y: Array
    theta: Array


@dataclass(frozen=True)
class Asked:
    """A law of records with what is told of them and a budget; its fields are columns of the table.

    Attributes:
        n: number of records.
        eps: budget, at a given delta.
        units: what is told of units, or that they are released.
        standard_errors: whether they allow for unequal variances.
        level: nominal coverage.
    """

    n: int
    eps: float
    units: str
    standard_errors: Errors
    level: float

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """Returns the design of a specification; settings give what the cell does not vary."""
        return cls(**{name: value(spec, name) for name in cls.__dataclass_fields__})

    @property
    def coefficients(self) -> int:
        """Number of coefficients, the constant counted."""
        raise NotImplementedError

    def plan(self, delta: float) -> Plan:
        """What `dp_regression` decides before it sees the records; ends of the outcome cost nothing."""
        rho, released = tight_rho(self.eps, delta), self.units == "released"
        return Plan(self.n, self.coefficients, rho, self.standard_errors, released, constant=True)

    def told(self) -> dict[str, Any]:
        """What a call says of the columns and the outcome."""
        raise NotImplementedError

    def draw(self, spec: Spec, trial: int) -> Records:
        """Draws a trial's records; cells that differ in what is told, in the budget or in the level alone share them."""
        raise NotImplementedError


Covariates = Literal["normal", "heavy", "binary", "rare", "skewed"]
LawOfErrors = Literal["normal", "heavy", "skewed", "unequal", "outliers"]
Units = Literal["right", "3 times too large", "3 times too small", "released"]
# By how much units that are told are too large; released ones are not told.
FACTORS: dict[Units, float] = {"right": 1.0, "3 times too large": 3.0, "3 times too small": 1.0 / 3.0}
# Degrees of freedom of heavy tails; share of outliers, and how far they lie above, in sds of the outcome.
FREEDOM, OUTLIERS, FAR = 3, 0.01, 10.0
# Share of ones of a dummy, and of a rare one.
ONES, FEW_ONES = 0.5, 0.05
# What tells a law of records; cells that differ in nothing of it share their records.
LAW = ("n", "p", "correlation", "spread", "offset", "fit", "covariates", "errors")


@dataclass(frozen=True)
class Design(Asked):
    """A law of covariates that correlate alike in pairs.

    Attributes:
        p: number of covariates, a constant not counted.
        correlation: of every two covariates, of which dummies and skewed ones are made.
        spread: sds of the covariates run from 1 to this.
        offset: mean of the covariates, in sds.
        fit: share of the outcome's variance that normal covariates explain.
        covariates: their law: t with few degrees of freedom, dummies, rare ones, or lognormal.
        errors: their law: t, exponential, of an sd that grows with the first covariate, or with outliers.

    Raises:
        ValueError: if a law has no such name.
    """

    p: int
    correlation: float
    spread: float
    offset: float
    fit: float
    covariates: Covariates
    errors: LawOfErrors
    units: Units

    def __post_init__(self) -> None:
        require_known(Covariates, covariates=self.covariates)
        require_known(LawOfErrors, errors=self.errors)
        require_known(Units, units=self.units)
        require_known(Errors, standard_errors=self.standard_errors)

    @property
    def coefficients(self) -> int:
        """Number of coefficients, the constant counted."""
        return self.p + 1

    @property
    def sds(self) -> Array:
        """Sds of the covariates, shape (p,)."""
        return np.geomspace(1.0, self.spread, self.p)

    def told(self) -> dict[str, Any]:
        """What a call says of units; means are not told, so that all columns are off by them."""
        if self.units == "released":
            return {}
        factor = FACTORS[self.units]
        return {"scale": factor * self.sds * math.hypot(1.0, self.offset), "outcome_scale": factor}

    def draw(self, spec: Spec, trial: int) -> Records:
        """Draws a trial's records."""
        words = "_".join(f"{name}={getattr(self, name)}" for name in LAW)
        rng = trial_stream(spec, trial, "data", "regression", words)
        X, theta = self._covariates(rng), slopes(self)
        y = X @ theta + math.sqrt(1.0 - self.fit) * self._errors(X, rng)
        if self.errors == "outliers":
            y[: round(OUTLIERS * self.n)] += FAR
        true = np.array([-self.offset * theta.sum(), *(theta / self.sds)])
        return Records((X + self.offset) * self.sds, y, true)

    def _covariates(self, rng: np.random.Generator) -> Array:
        """Covariates of mean 0 and variance 1, shape (n, p)."""
        common = math.sqrt(self.correlation) * rng.standard_normal((self.n, 1))
        X = common + math.sqrt(1.0 - self.correlation) * rng.standard_normal((self.n, self.p))
        if self.covariates == "heavy":
            return np.asarray(X * _stretched(rng, (self.n, 1)))
        if self.covariates in ("binary", "rare"):
            share = ONES if self.covariates == "binary" else FEW_ONES
            return np.asarray(((ndtri(share) > X) - share) / math.sqrt(share * (1.0 - share)))
        if self.covariates == "skewed":
            return np.asarray((np.exp(X) - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e))
        return np.asarray(X)

    def _errors(self, X: Array, rng: np.random.Generator) -> Array:
        """Errors of mean 0, shape (n,)."""
        errors = rng.standard_normal(self.n)
        if self.errors == "heavy":
            return np.asarray(errors * _stretched(rng, (self.n,)))
        if self.errors == "skewed":
            return np.asarray(rng.exponential(size=self.n) - 1.0)
        return np.asarray(errors * (0.3 + np.abs(X[:, 0]))) if self.errors == "unequal" else errors


def slopes(design: Design) -> Array:
    """Coefficients of the covariates in units of their sds, of alternate signs and growing, shape (p,)."""
    theta = np.where(np.arange(design.p) % 2, -1.0, 1.0) * (1.0 + np.arange(design.p)) / design.p
    between = np.full((design.p, design.p), design.correlation) + (1.0 - design.correlation) * np.eye(design.p)
    return np.asarray(theta * math.sqrt(design.fit / (theta @ between @ theta)))


def _stretched(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Factors that make normal values t ones of variance 1."""
    return np.asarray(1.0 / np.sqrt(rng.chisquare(FREEDOM, shape) / (FREEDOM - 2.0)))
