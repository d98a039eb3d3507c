"""What experiments of ours share: cells of a panel, named random streams, events, and synthetic records of two kinds."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import as_list
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample, draw_linear, haar_rotation, unit_sphere
from dpdescent.privacy.events import Mechanism, Sampler
from dpdescent.privacy.events import Release as Released
from dpdescent.randomness import stream

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]
# An entry of the ledger: name of the arm, event and delta.
Release = tuple[str, Mechanism, float]

PAPER = "ours"


def cells(spec: Spec) -> Iterator[Spec]:
    """Yields the specification of each cell of a panel, with one value an axis."""
    names = list(spec["cell"])
    for values in itertools.product(*(as_list(spec["cell"][name]) for name in names)):
        yield {**spec, "cell": dict(zip(names, values, strict=True))}


def value(spec: Spec, name: str) -> Any:
    """A value of the cell, or of the settings where the cell does not vary it."""
    return spec["cell"].get(name, spec["settings"].get(name))


def name_of(spec: Spec) -> str:
    """The name of a cell in the ledger, which that of an arm follows."""
    return f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={x}" for name, x in spec["cell"].items())


def proved(name: str, releases: Sequence[Released], reason: str, sampler: Sampler = "full batch") -> Mechanism:
    """The event of releases under replace-one, whose account is proved for that reason."""
    return Mechanism(name, tuple(releases), "replace-one", sampler, math.inf, "proved", reason)


def trial_stream(spec: Spec, trial: int, role: str, *names: str) -> np.random.Generator:
    """A trial's random stream for a role (theta, data, noise ...), shared by all that compares arms under these names."""
    return stream(spec["seed"], PAPER, *names, "trial", trial, role)


def spectrum(p: int, kappa: float) -> Array:
    """Eigenvalues of the covariates' covariance, from 1 down to 1/kappa in equal ratios, shape (p,).

    One covariate alone has the smallest, because a single direction is to be a slow one.
    """
    return np.geomspace(1.0, 1.0 / kappa, p) if p > 1 else np.array([1.0 / kappa])


def linear_sample(spec: Spec, n: int, p: int, kappa: float, trial: int) -> tuple[LinearSample, Array]:
    """A trial's records, normal covariates with that spectrum in random directions and label noise of sd 1, and theta.

    The true parameter theta is uniform on the unit sphere, shape (p,).
    """
    theta, directions, data = (
        trial_stream(spec, trial, role, f"p={p}_n={n}") for role in ("theta", "directions", "data")
    )
    true = unit_sphere(p, theta)
    return draw_linear(true, n, data, root=haar_rotation(p, directions) * np.sqrt(spectrum(p, kappa))), true


# Share of ones of a binary instrument, correlation of two neighbouring instruments where they are correlated.
ONES, CORRELATION = 0.15, 0.6
INSTRUMENTS = ("normal", "skewed", "binary", "correlated")
ERRORS = ("normal", "heteroskedastic", "heavy tails", "skewed")
# Degrees of freedom of errors with heavy tails.
FREEDOM = 5


class IVDesign(NamedTuple):
    """A design with instruments of known strength; settings give what the cell does not vary.

    `x = Theta'z + v`, `y = x'beta + u`, with beta = 1 in every coordinate, instruments of mean zero, and errors of unit
    variance. u and the first coordinate of v are correlated, which makes x endogenous. Theta has orthogonal columns of
    one length, so that the population's first-stage F statistic is `n |theta|^2 / q` in all directions.
    """

    n: int
    p: int
    q: int
    F: float
    rho: float
    endogeneity: float
    instruments: str
    errors: str

    @classmethod
    def of(cls, spec: Spec) -> "IVDesign":
        """Returns the design of a specification.

        Raises:
            ValueError: if a law has no such name, or there are fewer instruments than regressors.
        """
        design = cls(**{name: value(spec, name) for name in cls._fields})
        if design.instruments not in INSTRUMENTS or design.errors not in ERRORS:
            raise ValueError(f"instruments={design.instruments!r} must be one of {', '.join(INSTRUMENTS)}, and errors="
                             f"{design.errors!r} one of {', '.join(ERRORS)}")  # fmt: skip
        if design.q < design.p:
            raise ValueError(f"q={design.q} instruments cannot identify p={design.p} effects: q >= p is needed")
        return design

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
    def largest_eigenvalue(self) -> float:
        """The largest eigenvalue of E[zz'], over which step sizes are."""
        return float(np.linalg.eigvalsh(self.second_moment)[-1])

    @property
    def Theta(self) -> Array:
        """True first stage, shape (q, p): column j spreads over every p-th instrument from the j-th on."""
        spread = np.array([[float(i % self.p == j) for j in range(self.p)] for i in range(self.q)])
        lengths = np.sqrt(np.diag(spread.T @ self.second_moment @ spread))
        return np.asarray(self.strength * spread / lengths)

    def draw(self, spec: Spec, trial: int) -> IVSample:
        """Draws a trial's sample; cells that differ in the budget or in thresholds alone share it."""
        words = "_".join(f"{name}={each}" for name, each in self._asdict().items() if name != "rho")
        rng = trial_stream(spec, trial, "data", "instruments", words)
        n, shape = self.n, (self.n, self.q)
        if self.instruments == "skewed":
            Z = np.asarray(rng.standard_exponential(shape) - 1.0)
        elif self.instruments == "binary":
            Z = np.asarray(((rng.random(shape) < ONES) - ONES) / math.sqrt(ONES * (1.0 - ONES)))
        else:
            Z = np.asarray(rng.standard_normal(shape) @ np.linalg.cholesky(self.second_moment).T)
        V = rng.standard_normal((n, self.p))
        if self.errors == "skewed":
            e = rng.standard_exponential(n) - 1.0
        elif self.errors == "heavy tails":
            e = rng.standard_t(FREEDOM, n) * math.sqrt((FREEDOM - 2.0) / FREEDOM)
        else:
            e = rng.standard_normal(n)
            if self.errors == "heteroskedastic":
                e = np.asarray(e * np.sqrt(0.5 + 0.5 * Z[:, 0] ** 2))
        u = self.endogeneity * V[:, 0] + math.sqrt(1.0 - self.endogeneity**2) * e
        X = Z @ self.Theta + V
        return IVSample(Z, X, X.sum(1) + u)
