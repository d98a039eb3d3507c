"""Laws of records for intervals of `dp_regression` with public ends of the outcome and without: 0/1, and wages.

Covariates are a normal column, kept within three sds so that every mean below is linear in it, and a dummy. A binary
outcome is 1 by chance, the more often the larger both are; wages lie between 0 and 100 and have errors of skewness 1.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpdescent.algorithms.dp_regression import Errors, Plan
from dpdescent.checks import require_known
from dpdescent.papers.ours.design import PAPER, Array, Spec
from dpdescent.papers.ours.iv_design import value
from dpdescent.papers.ours.regression_design import Records
from dpdescent.privacy.accounting import tight_rho
from dpdescent.randomness import stream

Outcome = Literal["binary", "wages"]
Ends = Literal["public", "none"]
Units = Literal["right", "released"]
# The ends of an outcome, and its size as anybody would guess it.
RANGES: dict[Outcome, tuple[float, float]] = {"binary": (0.0, 1.0), "wages": (0.0, 100.0)}
SIZES: dict[Outcome, float] = {"binary": 1.0, "wages": 20.0}
# Sds within which the normal column is kept, and its size and the dummy's as the documentation tells to give them.
KEPT, SCALES = 3.0, (1.0, 0.5)
# By how much an sd and the dummy move the share of ones, relative to it: with half of them, and the dummy half too,
# chances run from 0 to 1 exactly. What they add to wages, to a mean that leaves none below 0.
MOVES, ADDS, MEAN = (0.3, 0.2), (3.0, -1.5), 18.0
# By how much rounding may take a chance beyond 0 or 1.
ROUNDED = 1e-12
# Shape of the gamma law of wages' errors, which makes skewness 1, and its scale.
SHAPE, STRETCH = 4.0, 1.5
# What tells a law of records; cells that differ in nothing of it share their records.
LAW = ("n", "outcome", "nonzero", "dummy")


@dataclass(frozen=True)
class Design:
    """A law of records, what is told of them, and a budget.

    Attributes:
        n: number of records.
        outcome: its law.
        nonzero: share of outcomes that are not 0.
        dummy: share of ones of the dummy.
        ends: whether the ends of the outcome are told.
        eps: budget, at a given delta.
        units: whether sizes of the columns and the outcome are told, or released.
        standard_errors: whether they allow for unequal variances.
        level: nominal coverage.

    Raises:
        ValueError: if a law has no such name, or cannot have such shares.
    """

    n: int
    outcome: Outcome
    nonzero: float
    dummy: float
    ends: Ends
    eps: float
    units: Units
    standard_errors: Errors
    level: float

    def __post_init__(self) -> None:
        require_known(Outcome, outcome=self.outcome)
        require_known(Ends, ends=self.ends)
        require_known(Units, units=self.units)
        require_known(Errors, standard_errors=self.standard_errors)
        if self.outcome == "wages" and self.nonzero != 1.0:
            raise ValueError(f"nonzero={self.nonzero:g} must be 1 for wages, of which none is 0")
        low = self.nonzero * (1.0 - MOVES[0] * KEPT - MOVES[1] * self.dummy)
        high = self.nonzero * (1.0 + MOVES[0] * KEPT + MOVES[1] * (1.0 - self.dummy))
        if self.outcome == "binary" and (low < -ROUNDED or high > 1.0 + ROUNDED):
            raise ValueError(
                f"nonzero={self.nonzero:g} and dummy={self.dummy:g} make chances from {low:.3g} to {high:.3g}: give "
                "smaller ones, so that they lie between 0 and 1"
            )

    @classmethod
    def of(cls, spec: Spec) -> "Design":
        """Returns the design of a specification; settings give what the cell does not vary."""
        return cls(**{name: value(spec, name) for name in cls.__dataclass_fields__})

    @property
    def p(self) -> int:
        """Number of covariates, the constant not counted."""
        return len(SCALES)

    def plan(self, delta: float) -> Plan:
        """Returns what `dp_regression` decides before it sees the records, but for ends, which cost nothing."""
        rho = tight_rho(self.eps, delta)
        return Plan(self.n, self.p + 1, rho, self.standard_errors, self.units == "released", constant=True)

    def told(self) -> dict[str, Any]:
        """Returns what a call says of units and ends."""
        units = {} if self.units == "released" else {"scale": SCALES, "outcome_scale": SIZES[self.outcome]}
        return units | ({} if self.ends == "none" else {"outcome_range": RANGES[self.outcome]})


def draw(spec: Spec, design: Design, trial: int) -> Records:
    """Draws a trial's records; cells that differ in what is told, or in the budget, share them."""
    words = "_".join(f"{name}={getattr(design, name)}" for name in LAW)
    rng = stream(spec["seed"], PAPER, "regression ends", words, "trial", trial, "data")
    x = np.clip(rng.standard_normal(design.n), -KEPT, KEPT)
    X = np.column_stack([x, rng.random(design.n) < design.dummy])
    if design.outcome == "wages":
        theta = np.array([MEAN, *ADDS])
        return Records(X, _mean(X, theta) + STRETCH * (rng.gamma(SHAPE, size=design.n) - SHAPE), theta)
    theta = design.nonzero * np.array([1.0 - MOVES[1] * design.dummy, *MOVES])
    return Records(X, (rng.random(design.n) < _mean(X, theta)).astype(float), theta)


def _mean(X: Array, theta: Array) -> Array:
    return np.asarray(theta[0] + X @ theta[1:])
