"""Laws of records for coverage of `dp_regression`, what is told of their units, and the coefficients it should cover.

`y = x'theta + sqrt(1 - fit) u`, with covariates that correlate alike in pairs, errors u of variance 1 unless they are
unequal, and an outcome of variance 1. The constant is among the coefficients, as the first.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from dpdescent.algorithms.dp_regression import Errors, Plan
from dpdescent.checks import require_known
from dpdescent.papers.ours.design import PAPER, Array, Spec
from dpdescent.papers.ours.iv_design import value
from dpdescent.privacy.accounting import tight_rho
from dpdescent.randomness import stream

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


class Records(NamedTuple):
    """A drawn table, and the coefficients of its law, the constant first."""

    X: Array
    y: Array
    theta: Array


@dataclass(frozen=True)
class Design:
    """A law of records, what is told of them, and a budget.

    Attributes:
        n, p: number of records and of covariates, a constant not counted.
        correlation: of every two covariates, of which dummies and skewed ones are made.
        spread: sds of the covariates run from 1 to this.
        offset: mean of the covariates, in sds.
        fit: share of the outcome's variance that normal covariates explain.
        covariates: their law: t with few degrees of freedom, dummies, rare ones, or lognormal.
        errors: their law: t, exponential, of an sd that grows with the first covariate, or with outliers.
        eps: budget, at a given delta.
        units: what is told of units, or that they are released.
        standard_errors: whether they allow for unequal variances.
        level: nominal coverage.

    Raises:
        ValueError: if a law has no such name.
    """

    n: int
    p: int
    correlation: float
    spread: float
    offset: float
    fit: float
    covariates: Covariates
    errors: LawOfErrors
    eps: float
    units: Units
    standard_errors: Errors
    level: float

    def __post_init__(self) -> None:
        require_known(Covariates, covariates=self.covariates)
        require_known(LawOfErrors, errors=self.errors)
        require_known(Units, units=self.units)
        require_known(Errors, standard_errors=self.standard_errors)

    @classmethod
    def of(cls, spec: Spec) -> "Design":
        """Returns the design of a specification; settings give what the cell does not vary."""
        return cls(**{name: value(spec, name) for name in cls.__dataclass_fields__})

    @property
    def sds(self) -> Array:
        """Sds of the covariates, shape (p,)."""
        return np.geomspace(1.0, self.spread, self.p)

    def plan(self, delta: float) -> Plan:
        """Returns what `dp_regression` decides before it sees the records."""
        rho = tight_rho(self.eps, delta)
        return Plan(self.n, self.p + 1, rho, self.standard_errors, self.units == "released", constant=True)

    def told(self) -> dict[str, Any]:
        """Returns what a call says of units; means are not told, so that all columns are off by them."""
        if self.units == "released":
            return {}
        factor = FACTORS[self.units]
        return {"scale": factor * self.sds * math.hypot(1.0, self.offset), "outcome_scale": factor}


def draw(spec: Spec, design: Design, trial: int) -> Records:
    """Draws a trial's records; cells that differ in budget, units told, standard errors or level alone share them."""
    words = "_".join(f"{name}={getattr(design, name)}" for name in LAW)
    rng = stream(spec["seed"], PAPER, "regression", words, "trial", trial, "data")
    X, theta = _covariates(design, rng), slopes(design)
    y = X @ theta + math.sqrt(1.0 - design.fit) * _errors(design, X, rng)
    if design.errors == "outliers":
        y[: round(OUTLIERS * design.n)] += FAR
    told = np.array([-design.offset * theta.sum(), *(theta / design.sds)])
    return Records((X + design.offset) * design.sds, y, told)


def slopes(design: Design) -> Array:
    """Coefficients of the covariates in units of their sds, of alternate signs and growing, shape (p,)."""
    theta = np.where(np.arange(design.p) % 2, -1.0, 1.0) * (1.0 + np.arange(design.p)) / design.p
    between = np.full((design.p, design.p), design.correlation) + (1.0 - design.correlation) * np.eye(design.p)
    return np.asarray(theta * math.sqrt(design.fit / (theta @ between @ theta)))


def _covariates(design: Design, rng: np.random.Generator) -> Array:
    """Covariates of mean 0 and variance 1, shape (n, p)."""
    shape = design.n, design.p
    common = math.sqrt(design.correlation) * rng.standard_normal((design.n, 1))
    X = common + math.sqrt(1.0 - design.correlation) * rng.standard_normal(shape)
    if design.covariates == "heavy":
        return np.asarray(X * _stretched(rng, (design.n, 1)))
    if design.covariates in ("binary", "rare"):
        share = ONES if design.covariates == "binary" else FEW_ONES
        return np.asarray(((ndtri(share) > X) - share) / math.sqrt(share * (1.0 - share)))
    if design.covariates == "skewed":
        return np.asarray((np.exp(X) - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e))
    return np.asarray(X)


def _errors(design: Design, X: Array, rng: np.random.Generator) -> Array:
    """Errors of mean 0, shape (n,)."""
    errors = rng.standard_normal(design.n)
    if design.errors == "heavy":
        return np.asarray(errors * _stretched(rng, (design.n,)))
    if design.errors == "skewed":
        return np.asarray(rng.exponential(size=design.n) - 1.0)
    return np.asarray(errors * (0.3 + np.abs(X[:, 0]))) if design.errors == "unequal" else errors


def _stretched(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Factors that make normal values t ones of variance 1."""
    return np.asarray(1.0 / np.sqrt(rng.chisquare(FREEDOM, shape) / (FREEDOM - 2.0)))
