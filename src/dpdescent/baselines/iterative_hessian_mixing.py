"""Iterative Hessian mixing: least squares from private sketches, one per round (Lev et al. 2026, arXiv 2601.07545).

X'X is never released. A lower limit of its smallest eigenvalue is released with Gaussian noise. Then each of T rounds
releases a sketch of k rows, `W X + s Z` with independent normal entries of W and Z, and X'r with Gaussian noise, where
r are the residuals of the present coefficients, clipped at a threshold. The coefficients move by the solution of the
sketch's second moment, divided by k, for X'r. The noise s is as small as the released limit permits, and 0 where the
covariates themselves hide a record. With T = 1 the error of the sketch remains in the result; in T rounds it shrinks
like its T-th power.

Everything but the account follows the authors' code of January 2026: T = 3 and `k = 6 max(p, log(4 T / v))` with a
failure probability v of delta / 10. The authors state privacy for a record that is replaced by zeros, give half of
epsilon to eigenvalue and sketches and half to X'r, and add the epsilons. Here a single Renyi account covers all
releases (`privacy.sketching`), under either relation; each half costs the same to first order.

**Sensitivities**, for covariates with |x| <= B and residuals cut at g:

- smallest eigenvalue: B^2 under both relations (`baselines.sufficient_statistics`);
- a row of a sketch is N(0, X'X + s^2 I). Let e be the released limit, `max(0, lambda_min + h B^2 (N(0, 1) - t))`, the
  noise's sd being h B^2. With `s^2 = max(0, c B^2 - e)` all eigenvalues of a row's covariance are at least c B^2 unless
  the normal exceeds t, which has the probability `miss`; that is what `privacy.sketching` asks for;
- X'r: g B for a record added or removed, 2 g B for one replaced (`baselines.boosted_ada_ssp`).

A sketch enters by its second moment alone, and that has Wishart's law with k degrees of freedom and X'X + s^2 I. So it
is drawn from p x p numbers, without the n weights of every row.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpdescent.baselines.ada_ssp import BoundedRelation, Bounds, bounded_gram, sensitivities
from dpdescent.baselines.boosted_ada_ssp import clipped, cut_products
from dpdescent.checks import require_known, require_positive
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import sketching, zcdp
from dpdescent.privacy.events import GaussianReleases, Mechanism, SketchReleases
from dpdescent.privacy.participation.search import first_below

Array = NDArray[np.float64]

PROVED = (
    "x is scaled down to norm B, a public bound, and residuals are cut at a public threshold g: Gaussian releases of "
    "the smallest eigenvalue of X'X (B^2) and in each round of X'r ({factor}g B), and in each round a sketch of rows "
    "with a covariance of c B^2 at least, but for a probability within delta; Renyi divergences of all of them add"
)
ROUNDS, ROWS, FAILURE = 3, 6.0, 0.1
# Relative accuracy of c.
ACCURACY = 1e-7


@dataclass(frozen=True)
class Settings:
    """Public settings of a fit.

    Attributes:
        bounds: bound B of the records' covariates, with the threshold g of residuals in place of the bound of outcomes.
        p: number of covariates.
        eps, delta: budget of all releases.
        relation: neighbouring relation.
        rounds: number of rounds T.

    Raises:
        ValueError: if the bounds are not public, the relation is not one of the two, or a number is out of its range.
    """

    bounds: Bounds
    p: int
    eps: float
    delta: float
    relation: BoundedRelation = "replace-one"
    rounds: int = ROUNDS

    def __post_init__(self) -> None:
        plain_fields(self)
        require_known(BoundedRelation, relation=self.relation)
        if self.bounds.source != "public":
            raise ValueError(f"bounds are {self.bounds.source!r}: give 'public' ones, to which records are clipped")
        zcdp.require_delta(self.delta)
        require_positive(eps=self.eps, p=self.p, rounds=self.rounds)

    @property
    def rows(self) -> int:
        """Number k of rows per sketch."""
        return int(ROWS * max(self.p, math.log(4.0 * self.rounds / (FAILURE * self.delta))))

    @property
    def quantile(self) -> float:
        """The number t of sds by which the released eigenvalue is lowered."""
        return math.sqrt(2.0 * math.log(4.0 / (FAILURE * self.delta)))

    @property
    def releases(self) -> tuple[GaussianReleases, SketchReleases, GaussianReleases]:
        """The releases of the smallest eigenvalue of X'X, of the sketches, and of X'r in all rounds."""
        return _releases(self, _least(self))

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        return _mechanism(self, self.releases)


@lru_cache(256)
def _least(settings: Settings) -> float:
    """The smallest c at which all releases together have the budget."""

    def epsilon(c: float) -> float:
        return sketching.epsilon(_mechanism(settings, _releases(settings, c)), settings.delta)

    return first_below(epsilon, settings.eps, ACCURACY)


def _releases(settings: Settings, c: float) -> tuple[GaussianReleases, SketchReleases, GaussianReleases]:
    """The releases of a fit whose sketches have the noise level c."""
    bound, k, T = settings.bounds.x, settings.rows, settings.rounds
    size, _, products = sensitivities(settings.bounds, settings.relation)
    one = GaussianReleases("smallest eigenvalue of X'X", size, size * c / math.sqrt(k), 1)
    miss = float(ndtr(-settings.quantile))
    sketches = SketchReleases("covariates", bound, bound * math.sqrt(c), k, miss, T)
    # To first order in 1 / c a row costs 1 / (2 c^2) in zCDP where a record is replaced, and half of that otherwise.
    rho = one.rho + T * k / ((2.0 if settings.relation == "replace-one" else 4.0) * c**2)
    return one, sketches, GaussianReleases("X'r", products, zcdp.gaussian_noise_sd(products, rho, T), T)


def _mechanism(settings: Settings, releases: tuple[GaussianReleases, SketchReleases, GaussianReleases]) -> Mechanism:
    return Mechanism(
        "iterative Hessian mixing", releases, settings.relation, "full batch", math.inf, "proved",
        PROVED.format(factor="2 " if settings.relation == "replace-one" else ""),
        claimed_eps_delta=(settings.eps, settings.delta),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Fit:
    """Releases of a fit.

    Attributes:
        theta: coefficients after all rounds, shape (p,).
        limit: the released lower limit of the smallest eigenvalue of X'X, as drawn.
        moments: second moments of the sketches, shape (T, p, p).
        products: X'r of every round with noise, shape (T, p).
    """

    theta: Array
    limit: float
    moments: Array
    products: Array


def fit(sample: LinearSample, settings: Settings, rng: np.random.Generator) -> Fit:
    """Runs all rounds from coefficients of 0.

    Args:
        sample: the data; covariates are clipped to their bound.
        settings: public settings.
        rng: generator of the noise.

    Raises:
        ValueError: if the sample and the settings differ in the number of covariates.
    """
    if sample.p != settings.p:
        raise ValueError(f"the sample has {sample.p} covariates, and the noise is for p={settings.p}")
    one, sketches, residuals = settings.releases
    xx = bounded_gram(sample, settings.bounds).xx
    limit = float(np.linalg.eigvalsh(xx)[0]) + one.noise_sd * (rng.standard_normal() - settings.quantile)
    spread = xx + max(0.0, sketches.noise_sd**2 - max(0.0, limit)) * np.eye(settings.p)
    X, theta = clipped(sample, settings.bounds.x), np.zeros(settings.p)
    moments, products = np.empty((settings.rounds, *xx.shape)), np.empty((settings.rounds, settings.p))
    for t in range(settings.rounds):
        noise = residuals.noise_sd * rng.standard_normal(settings.p)
        products[t] = cut_products(X, sample.y, theta, settings.bounds.y) + noise
        moments[t] = wishart(spread, settings.rows, rng)
        theta = theta + settings.rows * np.linalg.solve(moments[t], products[t])
    return Fit(theta, limit, moments, products)


def wishart(spread: Array, rows: int, rng: np.random.Generator) -> Array:
    """Draws the second moment of a sketch, the sum over its rows of vv' with v ~ N(0, spread), by Bartlett's factor.

    Raises:
        ValueError: if there are fewer rows than columns, because the sum would have no inverse.
    """
    p = len(spread)
    if rows < p:
        raise ValueError(f"rows={rows} must be at least p={p}")
    factor = np.tril(rng.standard_normal((p, p)), -1) + np.diag(np.sqrt(rng.chisquare(rows - np.arange(p))))
    factor = np.linalg.cholesky(spread) @ factor
    return np.asarray(factor @ factor.T)
