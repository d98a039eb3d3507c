"""AdaSSP: linear regression from privately released sufficient statistics (Wang 2018, Algorithm 2).

It is the private baseline of brown2024 Figures 1 and 9, which give no details of it. There are three Gaussian releases:
the smallest eigenvalue of X'X, X'X itself (its entries on and above the diagonal, mirrored), and X'y. The rest is
post-processing: ridge regression with the smallest ridge that the released eigenvalue permits. Their sensitivities are
derived in `baselines.sufficient_statistics`.

**Guarantee.** The three costs add up for every data set if every record is within bounds that do not depend on the
data; `bounded_gram` clips the records to them. Without enforced, data-independent bounds there is no guarantee. n is
never released.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_known, require_positive
from dpdescent.data.linear import Array, Gram, LinearSample, blocks
from dpdescent.gate import plain_fields
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import clip_factors, rounding_is_negligible
from dpdescent.privacy.events import GaussianReleases, Guarantee, Mechanism, Relation

Index = NDArray[np.intp]

# Largest share of records beyond their bounds for which sums are corrected for those records alone.
FEW = 0.1

BoundsSource = Literal["public", "not enforced", "data maxima"]
BoundedRelation = Literal["replace-one", "add-remove"]

_WHAT = ("smallest eigenvalue of X'X", "X'X, its upper triangle", "X'y")


@dataclass(frozen=True)
class Bounds:
    """Bounds of the records, `|x_i| <= x` and `|y_i| <= y`.

    Attributes:
        x: Bx, in units of |x|.
        y: By, in units of y.
        source: `public` (known beforehand, and every record clipped to them), `not enforced` (known beforehand, but
            records not clipped), or `data maxima` (computed from the data).

    Raises:
        ValueError: if a bound is not positive and finite, or the source is not one of the three.
    """

    x: float
    y: float
    source: BoundsSource

    def __post_init__(self) -> None:
        plain_fields(self)
        require_known(BoundsSource, source=self.source)
        require_positive(Bx=self.x, By=self.y)
        if not max(self.x, self.y) < math.inf:
            raise ValueError(f"Bx={self.x} and By={self.y} must be finite: the noise is proportional to them")

    @classmethod
    def data_maxima(cls, sample: LinearSample) -> "Bounds":
        """The smallest bounds that hold for a sample; they depend on the data, so that they give no guarantee."""
        return cls(float(sample.norms.max()), float(np.abs(sample.y).max()), "data maxima")


def sensitivities(bounds: Bounds, relation: Relation) -> tuple[float, float, float]:
    """Sensitivities of the smallest eigenvalue of X'X, of X'X and of X'y (see the module's docstring).

    Raises:
        ValueError: if the relation is neither add-remove nor replace-one.
    """
    require_known(BoundedRelation, relation=relation)
    if relation == "add-remove":
        return bounds.x**2, bounds.x**2, bounds.x * bounds.y
    return bounds.x**2, math.sqrt(2) * bounds.x**2, 2 * bounds.x * bounds.y


@dataclass(frozen=True)
class Calibration:
    """Noise of the three releases, and the claimed guarantee.

    Attributes:
        bounds: bounds of the records.
        relation: neighbouring relation of the stated sensitivities.
        releases: smallest eigenvalue of X'X, X'X, X'y, in this order.
        delta: in (0, 1); it also sets how far the released eigenvalue is lowered, by `sqrt(log(6/delta))` times its
            noise sd.
        claimed_rho: zCDP budget; inf where `claimed_eps` is claimed instead.
        claimed_eps: claimed epsilon at delta.

    Raises:
        ValueError: if the relation is neither add-remove nor replace-one.
    """

    bounds: Bounds
    relation: Relation
    releases: tuple[GaussianReleases, GaussianReleases, GaussianReleases]
    delta: float
    claimed_rho: float = math.inf
    claimed_eps: float | None = None

    def __post_init__(self) -> None:
        plain_fields(self)
        require_known(BoundedRelation, relation=self.relation)

    @classmethod
    def standard(cls, bounds: Bounds, eps: float, delta: float, relation: Relation = "add-remove") -> "Calibration":
        """The published calibration: noise `sqrt(log(6/delta)) / (eps/3)` times the add-remove sensitivity.

        It is that of Wang 2018, Alg. 2. With `data maxima` this is the baseline as commonly run. `relation` changes the
        stated sensitivities, but never the noise.

        Raises:
            ValueError: if eps is not positive or delta not in (0, 1).
        """
        require_positive(eps=eps)
        zcdp.require_delta(delta)
        multiplier = math.sqrt(math.log(6 / delta)) / (eps / 3)
        noise = tuple(multiplier * sensitivity for sensitivity in sensitivities(bounds, "add-remove"))
        return cls(bounds, relation, _releases(bounds, relation, noise), delta, claimed_eps=eps)

    @classmethod
    def zcdp_matched(
        cls, bounds: Bounds, rho: float, delta: float, relation: Relation = "replace-one"
    ) -> "Calibration":
        """A calibration with zCDP cost rho/3 per release (not published; budget and relation are those of brown2024).

        The ridge is the published formula, expressed in the sds of this noise.

        Raises:
            ValueError: if rho is not positive or delta not in (0, 1).
        """
        zcdp.require_delta(delta)
        noise = tuple(
            zcdp.gaussian_noise_sd(sensitivity, rho, releases=3) for sensitivity in sensitivities(bounds, relation)
        )
        return cls(bounds, relation, _releases(bounds, relation, noise), delta, claimed_rho=rho)


def mechanism(calibration: Calibration) -> Mechanism:
    """The event of AdaSSP with this calibration: its releases and their guarantee."""
    guarantee, reason = _guarantee(calibration)
    eps = calibration.claimed_eps
    return Mechanism(
        "AdaSSP", calibration.releases, calibration.relation, "full batch", calibration.claimed_rho, guarantee, reason,
        claimed_eps_delta=None if eps is None else (eps, calibration.delta),
    )  # fmt: skip


@dataclass(frozen=True)
class AdaSSPFit:
    """A fit by AdaSSP.

    Attributes:
        theta: estimate, shape (p,).
        ridge: ridge that is added to the diagonal of the released X'X (unnormalised, so that it grows with n like X'X).
        smallest_eigenvalue_private: lower confidence limit of the smallest eigenvalue of X'X, at least 0.
    """

    theta: Array
    ridge: float
    smallest_eigenvalue_private: float


def ada_ssp(
    gram: Gram, calibration: Calibration, rng: np.random.Generator, failure_probability: float = 0.05
) -> AdaSSPFit:
    """Runs AdaSSP on sufficient statistics (Wang 2018, Algorithm 2).

    With the sds s1, s2 of the noise on the smallest eigenvalue and on X'X, `L = log(6/delta)` and failure probability
    v, the lowered eigenvalue is `l = max(0, lambda_min + s1 N(0, 1) - sqrt(L) s1)` and the ridge is
    `max(0, s2 sqrt(p log(2 p^2 / v)) - l)`: the published formulas with s1 and s2 for `sqrt(L) Bx^2 / (eps/3)`.

    Args:
        gram: sufficient statistics, of records within the bounds: `bounded_gram(sample, calibration.bounds)`.
        calibration: noise of the releases.
        rng: generator of the noise; equal streams give equal normals under every calibration.
        failure_probability: v, probability that the ridge is too small for the noise on X'X.

    Raises:
        ValueError: if the failure probability is not in (0, 1), or (without noise) X'X is singular.
    """
    return solved(*noisy_sums(gram, calibration, rng), calibration, failure_probability)


def solved(
    eigenvalue: float, xx: Array, xy: Array, calibration: Calibration, failure_probability: float = 0.05
) -> AdaSSPFit:
    """The fit from its three releases, whatever the source of their noise.

    Args:
        eigenvalue, xx, xy: smallest eigenvalue of X'X, X'X and X'y, with noise.
        calibration, failure_probability: as for `ada_ssp`, with the same errors.
    """
    if not 0.0 < failure_probability < 1.0:
        raise ValueError(f"failure_probability={failure_probability} must be in (0, 1)")
    p = len(xy)
    lowered = max(0.0, eigenvalue - math.sqrt(math.log(6 / calibration.delta)) * calibration.releases[0].noise_sd)
    enough = calibration.releases[1].noise_sd * math.sqrt(p * math.log(2 * p**2 / failure_probability))
    ridge = max(0.0, enough - lowered)
    theta = np.asarray(np.linalg.solve(xx + ridge * np.eye(p), xy), dtype=np.float64)
    return AdaSSPFit(theta, ridge, lowered)


def bounded_gram(sample: LinearSample, bounds: Bounds) -> Gram:
    """Sufficient statistics of the records clipped to the bounds: x scaled down to norm Bx, y clipped to [-By, By].

    X is not copied as a whole. If no record exceeds the bounds, the sample's own statistics are returned, and if few
    do, these with a correction.
    """
    over = np.flatnonzero((sample.norms > bounds.x) | (np.abs(sample.y) > bounds.y))
    if not len(over):
        return sample.gram
    if len(over) <= FEW * sample.n and _correction_is_exact(sample, bounds):
        return _corrected(sample, bounds, over)
    xx, xy = np.zeros((sample.p, sample.p)), np.zeros(sample.p)
    y = np.clip(sample.y, -bounds.y, bounds.y)
    threshold = np.full(1, bounds.x)
    for rows in blocks(sample.n, sample.p):
        X = sample.X[rows] * clip_factors(sample.norms[rows], threshold)[:, None]
        xx += X.T @ X
        xy += y[rows] @ X
    return Gram(sample.n, xx, xy, float(y @ y))


def _correction_is_exact(sample: LinearSample, bounds: Bounds) -> bool:
    """Whether no record is so far beyond the bounds that its rounding would remain in the sums."""
    x, y = float(sample.norms.max()), float(np.abs(sample.y).max())
    sizes = ((x * x, bounds.x**2), (x * y, bounds.x * bounds.y))
    return all(bool(rounding_is_negligible(sample.n, np.asarray(size), limit)) for size, limit in sizes)


def _corrected(sample: LinearSample, bounds: Bounds, over: Index) -> Gram:
    """The sample's statistics with clipped records, by a correction for those records alone."""
    X, y = sample.X[over], sample.y[over]
    factors = clip_factors(sample.norms[over], np.full(1, bounds.x))
    clipped = np.clip(sample.y, -bounds.y, bounds.y)
    xx = sample.gram.xx + (X * (factors**2 - 1.0)[:, None]).T @ X
    return Gram(sample.n, xx, sample.gram.xy + (factors * clipped[over] - y) @ X, float(clipped @ clipped))


def wishart_gram(
    theta: Array, n: int, rng: np.random.Generator, *, root: Array | None = None, sigma: float = 1.0
) -> Gram:
    """Draws sufficient statistics of n records of the Gaussian model directly, with the law of `draw_linear(...).gram`.

    Records are not clipped, so that AdaSSP on these statistics has bounds that are `not enforced`. It takes O(p^3) time
    for every n. By Bartlett's decomposition X'X = FF' with F = LA, A lower triangular,
    A_jj^2 ~ chi^2_{n-j} for j = 0, ..., p - 1 and standard normals below; then X'xi = sigma F g with g ~ N(0, I_p), and
    xi'xi = sigma^2 (|g|^2 + chi^2_{n-p}).

    Args:
        theta: true parameter, shape (p,).
        n: number of records, more than p.
        rng: generator of this data set.
        root: L of the covariance LL', shape (p, p); None is the identity.
        sigma: sd of the label noise, non-negative.

    Raises:
        ValueError: if n <= p or sigma is negative.
    """
    p = len(theta)
    if n <= p:
        raise ValueError(f"n={n} must exceed p={p}: draw the records instead")
    if not sigma >= 0.0:
        raise ValueError(f"sigma={sigma} must not be negative")
    F = np.tril(rng.standard_normal((p, p)), -1) + np.diag(np.sqrt(rng.chisquare(n - np.arange(p))))
    if root is not None:
        F = root @ F
    g = rng.standard_normal(p)
    xx, x_noise = F @ F.T, sigma * (F @ g)
    noise_square = sigma**2 * (g @ g + rng.chisquare(n - p))
    yy = theta @ xx @ theta + 2 * theta @ x_noise + noise_square
    return Gram(n, xx, xx @ theta + x_noise, float(yy))


def noisy_sums(gram: Gram, calibration: Calibration, rng: np.random.Generator) -> tuple[float, Array, Array]:
    """Releases of AdaSSP: noisy smallest eigenvalue, X'X and X'y."""
    s1, s2, s3 = (release.noise_sd for release in calibration.releases)
    p = len(gram.xy)
    eigenvalue = float(np.linalg.eigvalsh(gram.xx)[0]) + s1 * rng.standard_normal()
    # The upper triangle is mirrored, because averaging with the transpose would halve the variance off the diagonal.
    Z = np.triu(rng.standard_normal((p, p)))
    Z += np.triu(Z, 1).T
    return eigenvalue, gram.xx + s2 * Z, gram.xy + s3 * rng.standard_normal(p)


def _releases(
    bounds: Bounds, relation: Relation, noise: tuple[float, ...]
) -> tuple[GaussianReleases, GaussianReleases, GaussianReleases]:
    first, second, third = (
        GaussianReleases(what, sensitivity, noise_sd, 1)
        for what, sensitivity, noise_sd in zip(_WHAT, sensitivities(bounds, relation), noise, strict=True)
    )
    return first, second, third


def _guarantee(calibration: Calibration) -> tuple[Guarantee, str]:
    """The status of the guarantee, by the source of the bounds, and its reason."""
    source = calibration.bounds.source
    if source == "data maxima":
        return "none", "used from the data without account: the largest |x_i| and |y_i| as bounds"
    if source == "not enforced":
        return "none", "the bounds are public, but records are not clipped to them"
    return "proved", (
        "x_i scaled down to norm Bx and y_i cut to [-By, By], both public: three Gaussian releases with the "
        "sensitivities proved in baselines.sufficient_statistics; ridge and solution are post-processing"
        + _claim_holds(calibration)
    )


def _claim_holds(calibration: Calibration) -> str:
    """Words on whether exact composition implies the published claim, for all epsilon and delta at once.

    With L = log(6/delta) the three add-remove releases compose to mu-Gaussian-DP, mu = eps / sqrt(3L), and delta(eps)
    <= Phi(-(eps/mu - mu/2)). For eps <= 2 (3 - sqrt(6)) L = 1.101 L the bracket is at least sqrt(2L), and
    Phi(-sqrt(2L)) <= exp(-L) / 2 = delta / 12.
    """
    eps, L = calibration.claimed_eps, math.log(6 / calibration.delta)
    if eps is None or calibration.relation != "add-remove" or eps > 1.1 * L:
        return ""
    return (
        "; the claimed (epsilon, delta) holds with room, by the exact composition of the three Gaussians "
        "(delta(epsilon) <= delta/12), not by epsilon/3 and delta/3 for each"
    )
