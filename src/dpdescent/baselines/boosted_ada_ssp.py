"""BoostedAdaSSP: gradient boosting with AdaSSP's releases (Tang et al. 2023, arXiv 2303.03451).

The smallest eigenvalue of X'X and X'X itself are released once, as in AdaSSP (`baselines.ada_ssp`). Then each of T
rounds releases X'r, where r are the residuals of the present coefficients, clipped at a threshold, and adds the ridge
solution for X'r to the coefficients. A round costs nothing for X'X, and the part that a low threshold removes in one
round is fitted in the next: outcomes may be far above the threshold, as long as residuals come below it in the end.

**Sensitivities**, for covariates with |x| <= Bx and given coefficients, because earlier releases made them. Those of
the eigenvalue and of X'X are the same as for AdaSSP. A record contributes r x to X'r, with |r x| <= g Bx for the
threshold g, whatever its outcome is. It moves X'r by g Bx if it is added or removed, and by 2 g Bx if it is replaced by
a record along the same axis whose residual has the opposite sign.

The sensitivities in the authors' code are those for a record that is added or removed: Bx^2, Bx^2 and g Bx.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.baselines.ada_ssp import BoundedRelation, Bounds, bounded_gram, sensitivities
from dpdescent.checks import require_known
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import clip_factors
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]

PROVED = (
    "x is scaled down to norm Bx, a public bound, and residuals are cut at a public threshold g: Gaussian releases of "
    "the smallest eigenvalue of X'X, of X'X, on and above its diagonal, and in each round of X'r, which a record moves "
    "by {factor}g Bx whatever its outcome is; costs add, the rest is post-processing"
)
# The authors' number of rounds, and the quantile of the noise that lowers the eigenvalue and sets the ridge.
ROUNDS, QUANTILE = 100, 1.96


@dataclass(frozen=True)
class Settings:
    """Public settings of a fit.

    Attributes:
        bounds: bounds of the records' covariates, with the threshold g of residuals in place of the bound of outcomes.
        rho: zCDP budget of all releases.
        relation: neighbouring relation.
        rounds: number of rounds T.
        shares: shares of the budget for the eigenvalue, for X'X and for all rounds together.

    Raises:
        ValueError: if the bounds are not public, the relation is not one of the two, or rounds and shares are not
            positive, or the shares do not add up to 1.
    """

    bounds: Bounds
    rho: float
    relation: BoundedRelation = "replace-one"
    rounds: int = ROUNDS
    shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3)

    def __post_init__(self) -> None:
        plain_fields(self)
        require_known(BoundedRelation, relation=self.relation)
        if self.bounds.source != "public":
            raise ValueError(f"bounds are {self.bounds.source!r}: give 'public' ones, to which records are clipped")
        if self.rounds < 1 or self.rounds % 1:
            raise ValueError(f"rounds={self.rounds} must be a positive whole number")
        if not min(self.shares) > 0.0 or not math.isclose(math.fsum(self.shares), 1.0):
            raise ValueError(f"shares={self.shares} must be positive parts of 1")

    @property
    def releases(self) -> tuple[GaussianReleases, GaussianReleases, GaussianReleases]:
        """The releases of the smallest eigenvalue of X'X, of X'X, and of X'r in all rounds."""
        whats, counts = ("smallest eigenvalue of X'X", "X'X, its upper triangle", "X'r"), (1, 1, self.rounds)
        first, second, third = (
            GaussianReleases(what, size, zcdp.gaussian_noise_sd(size, share * self.rho, count), count)
            for what, size, share, count in zip(
                whats, sensitivities(self.bounds, self.relation), self.shares, counts, strict=True
            )
        )
        return first, second, third

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        reason = PROVED.format(factor="2 " if self.relation == "replace-one" else "")
        return Mechanism("BoostedAdaSSP", self.releases, self.relation, "full batch", math.inf, "proved", reason)


@dataclass(frozen=True, eq=False)
class Fit:
    """Releases of a fit.

    Attributes:
        theta: coefficients after all rounds, shape (p,).
        eigenvalue: smallest eigenvalue of X'X with noise.
        xx: X'X with noise, shape (p, p).
        products: X'r of every round with noise, shape (T, p).
    """

    theta: Array
    eigenvalue: float
    xx: Array
    products: Array


def fit(sample: LinearSample, settings: Settings, rng: np.random.Generator) -> Fit:
    """Runs all rounds from coefficients of 0.

    With the sds s1 and s2 of the noise on the eigenvalue and on X'X and q = 1.96, the ridge is
    `max(0, q sqrt(p) s2 - max(0, lambda_min + s1 N(0, 1) - q s1))`.

    Args:
        sample: the data; covariates are clipped to their bound.
        settings: public settings.
        rng: generator of the noise.
    """
    one, moments, residuals = settings.releases
    p, bounds = sample.p, settings.bounds
    xx = bounded_gram(sample, bounds).xx
    eigenvalue = float(np.linalg.eigvalsh(xx)[0]) + one.noise_sd * rng.standard_normal()
    upper = np.triu(rng.standard_normal((p, p)))
    xx = xx + moments.noise_sd * (upper + np.triu(upper, 1).T)
    hessian = ridged(xx, eigenvalue, settings)
    X, theta, products = clipped(sample, bounds.x), np.zeros(p), np.empty((settings.rounds, p))
    for t in range(settings.rounds):
        products[t] = cut_products(X, sample.y, theta, bounds.y) + residuals.noise_sd * rng.standard_normal(p)
        theta = theta + np.linalg.solve(hessian, products[t])
    return Fit(theta, eigenvalue, xx, products)


def ridged(xx: Array, eigenvalue: float, settings: Settings) -> Array:
    """The released X'X plus the ridge that both releases determine, shape (p, p)."""
    one, moments, _ = settings.releases
    lowered = max(0.0, eigenvalue - QUANTILE * one.noise_sd)
    return xx + max(0.0, QUANTILE * math.sqrt(len(xx)) * moments.noise_sd - lowered) * np.eye(len(xx))


def clipped(sample: LinearSample, bound: float) -> Array:
    """Covariates of all records scaled down to norm `bound`, shape (n, p); not copied if none is longer."""
    if float(sample.norms.max()) <= bound:
        return sample.X
    return np.asarray(sample.X * clip_factors(sample.norms, bound)[:, None])


def cut_products(X: Array, y: Array, theta: Array, threshold: float) -> Array:
    """The vector X'r with residuals clipped to [-threshold, threshold], shape (p,)."""
    return np.asarray(np.clip(y - X @ theta, -threshold, threshold) @ X)
