"""Uses of private moments of the covariates: a centre, a step size, and whitened coordinates.

Covariates are always clipped to a public bound B, |x| <= B, because otherwise nothing here has a sensitivity. Under
replacement of one record of n the mean of xx' moves by sqrt(2) B^2 / n in Frobenius norm, because |xx' - zz'|^2 = |x|^4
+ |z|^4 - 2 (x'z)^2 (with one covariate it moves by B^2 / n). Its largest eigenvalue moves by B^2 / n: with either
record it lies between the eigenvalue for the sum over the other records and that eigenvalue plus B^2 / n. The mean of x
moves by 2 B / n.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.reduced_form import moment_sensitivity, symmetric
from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import clip_factors, mean_sensitivity, row_norms
from dpdescent.privacy.events import GaussianReleases

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Whitening:
    """Coordinates in which a released second moment is the identity, except where it is mostly noise.

    Attributes:
        moment: the released mean of xx', shape (p, p).
        transform: W, symmetric, shape (p, p): W x are the new coordinates of a record, and W also takes coefficients in
            them back.
        release: the release of the moment.
    """

    moment: Array
    transform: Array
    release: GaussianReleases


def bounded(X: Array, bound: float) -> Array:
    """Returns the records x clipped to the norm `bound`, shape (n, p)."""
    require_positive(bound=bound)
    return np.asarray(X * clip_factors(row_norms(X), bound)[:, None])


def moment_release(n: int, p: int, bound: float, rho: float) -> GaussianReleases:
    """Returns the release of the mean of xx' at zCDP cost rho; the noise sd is that of a diagonal entry."""
    sensitivity = moment_sensitivity(bound, n, p)
    return GaussianReleases("second moment of clipped covariates", sensitivity, _sd(sensitivity, rho), 1)


def eigenvalue_release(n: int, bound: float, rho: float) -> GaussianReleases:
    """Returns the release of the largest eigenvalue of the mean of xx' at zCDP cost rho."""
    sensitivity = moment_sensitivity(bound, n, 1)
    return GaussianReleases("largest eigenvalue of clipped covariates", sensitivity, _sd(sensitivity, rho), 1)


def mean_release(n: int, bound: float, rho: float) -> GaussianReleases:
    """Returns the release of the mean of clipped records at zCDP cost rho."""
    sensitivity = mean_sensitivity(bound, n)
    return GaussianReleases("mean of clipped records", sensitivity, _sd(sensitivity, rho), 1)


def centre(X: Array, bound: float, rho: float, normals: Array, count: Array | None = None) -> Array:
    """Releases the mean of records clipped to a bound, shape (p,); `mean_release` is its cost.

    Args:
        X: records, shape (rows, p).
        bound: B.
        rho: zCDP budget.
        normals: standard normals, shape (p,).
        count: number of records per row, shape (rows,); None means one each.
    """
    weights = np.ones(len(X)) if count is None else count
    n = int(weights.sum())
    return np.asarray(weights @ bounded(X, bound) / n + mean_release(n, bound, rho).noise_sd * normals)


def whiten(X: Array, bound: float, rho: float, normals: Array, count: Array | None = None) -> Whitening:
    """Releases the mean of xx' over clipped records, and computes coordinates from it.

    Eigenvalues are raised to at least 2 sqrt(p) times the sd of the noise, about sqrt(2) times the largest eigenvalue
    of the noise alone, so that a direction that is mostly noise is not magnified.

    Args:
        X: records within the bound, shape (n, p); see `bounded`.
        bound: B.
        rho: zCDP budget.
        normals: standard normals, shape (p, p), of which the lower triangle is used.
        count: number of records per row, shape (n,); None means one each.
    """
    n, p = len(X) if count is None else int(count.sum()), X.shape[1]
    release = moment_release(n, p, bound, rho)
    moment = (X if count is None else X * count[:, None]).T @ X / n + release.noise_sd * symmetric(normals[None])[0]
    return Whitening(moment, transform(moment, release.noise_sd), release)


def transform(moment: Array, noise_sd: float) -> Array:
    """Returns W, the root of the inverse of a released second moment, shape (p, p), whose noise has sd `noise_sd`."""
    values, vectors = np.linalg.eigh(moment)
    held = np.maximum(values, least_eigenvalue(len(moment), noise_sd))
    return np.asarray((vectors / np.sqrt(held)) @ vectors.T)


def least_eigenvalue(p: int, noise_sd: float) -> float:
    """The lower bound to which eigenvalues of a released second moment are raised; see `whiten`."""
    return 2.0 * math.sqrt(p) * noise_sd


def largest_eigenvalue(X: Array, bound: float, rho: float, normal: float) -> tuple[float, GaussianReleases]:
    """Releases the largest eigenvalue of the mean of xx' over clipped records; may be negative if it is all noise.

    Args:
        X, bound, rho: as in `whiten`.
        normal: a standard normal.
    """
    release = eigenvalue_release(len(X), bound, rho)
    return float(np.linalg.eigvalsh(X.T @ X / len(X))[-1] + release.noise_sd * normal), release


def _sd(sensitivity: float, rho: float) -> float:
    return zcdp.gaussian_noise_sd(sensitivity, rho)
