"""Instrumental-variable samples of known strength: instruments and errors of several laws, effects of one.

`x = Theta'z + v`, `y = x'beta + u`, with beta = 1 in every coordinate, instruments of mean zero, and errors of unit
variance. u and the first coordinate of v are correlated, which makes x endogenous. Theta has orthogonal columns of one
length, so that the population's first-stage F statistic is `n |theta|^2 / q` in all directions.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dpdescent.checks import as_list
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import PAPER, Array, Spec
from dpdescent.randomness import stream

# Share of ones of a binary instrument, correlation of two neighbouring instruments where they are correlated.
ONES, CORRELATION = 0.15, 0.6
INSTRUMENTS = ("normal", "skewed", "binary", "correlated")
ERRORS = ("normal", "heteroskedastic", "heavy tails", "skewed")
# Degrees of freedom of errors with heavy tails.
FREEDOM = 5


class Design(NamedTuple):
    """A cell's design; settings give what the cell does not vary."""

    n: int
    p: int
    q: int
    F: float
    rho: float
    endogeneity: float
    instruments: str
    errors: str

    @classmethod
    def of(cls, spec: Spec) -> "Design":
        """Returns the design of a specification.

        Raises:
            ValueError: if a law has no such name, or there are fewer instruments than regressors.
        """
        found = cls(**{name: value(spec, name) for name in cls._fields})
        if found.instruments not in INSTRUMENTS or found.errors not in ERRORS:
            raise ValueError(f"instruments={found.instruments!r} must be one of {', '.join(INSTRUMENTS)}, and errors="
                             f"{found.errors!r} one of {', '.join(ERRORS)}")  # fmt: skip
        if found.q < found.p:
            raise ValueError(f"q={found.q} instruments cannot identify p={found.p} effects: q >= p is needed")
        return found

    @property
    def strength(self) -> float:
        """Length of the columns of Theta, in units of the instruments' principal axes."""
        return math.sqrt(self.F * self.q / self.n)

    @property
    def second_moment(self) -> Array:
        """E[zz'], shape (q, q)."""
        if self.instruments != "correlated":
            return np.eye(self.q)
        return np.asarray(CORRELATION ** np.abs(np.subtract.outer(np.arange(self.q), np.arange(self.q))))

    @property
    def Theta(self) -> Array:
        """True first stage, shape (q, p): column j spreads over every p-th instrument from the j-th on."""
        found = np.array([[float(i % self.p == j) for j in range(self.p)] for i in range(self.q)])
        fitted = np.sqrt(np.diag(found.T @ self.second_moment @ found))
        return np.asarray(self.strength * found / fitted)


def cells(spec: Spec) -> Iterator[Spec]:
    """Yields the specification of each cell of a panel, with one value an axis."""
    names = list(spec["cell"])
    for found in itertools.product(*(as_list(spec["cell"][name]) for name in names)):
        yield {**spec, "cell": dict(zip(names, found, strict=True))}


def value(spec: Spec, name: str) -> Any:
    """A value of the cell, or of the settings where the cell does not vary it."""
    return spec["cell"].get(name, spec["settings"].get(name))


def draw(spec: Spec, design: Design, trial: int) -> IVSample:
    """Draws a trial's sample; cells that differ in the budget or in thresholds alone share it."""
    words = "_".join(f"{name}={each}" for name, each in design._asdict().items() if name != "rho")
    rng = stream(spec["seed"], PAPER, "instruments", words, "trial", trial, "data")
    n, p = design.n, design.p
    Z = _instruments(design, rng)
    V = rng.standard_normal((n, p))
    u = design.endogeneity * V[:, 0] + math.sqrt(1.0 - design.endogeneity**2) * _errors(design, Z, rng)
    X = Z @ design.Theta + V
    return IVSample(Z, X, X.sum(1) + u)


def _instruments(design: Design, rng: np.random.Generator) -> Array:
    shape = design.n, design.q
    if design.instruments == "skewed":
        return np.asarray(rng.standard_exponential(shape) - 1.0)
    if design.instruments == "binary":
        return np.asarray(((rng.random(shape) < ONES) - ONES) / math.sqrt(ONES * (1.0 - ONES)))
    drawn = rng.standard_normal(shape)
    return np.asarray(drawn @ np.linalg.cholesky(design.second_moment).T)


def _errors(design: Design, Z: Array, rng: np.random.Generator) -> Array:
    if design.errors == "skewed":
        return rng.standard_exponential(design.n) - 1.0
    if design.errors == "heavy tails":
        return rng.standard_t(FREEDOM, design.n) * math.sqrt((FREEDOM - 2.0) / FREEDOM)
    drawn = rng.standard_normal(design.n)
    return np.asarray(drawn * np.sqrt(0.5 + 0.5 * Z[:, 0] ** 2) if design.errors == "heteroskedastic" else drawn)
