"""What the path of `reduced_form` tells an Anderson-Rubin set: the slope of its equation, from releases alone.

Without clipping the mean gradient of D moves with D by A = E[zz'], for each column alike. Clipping makes that slope
smaller, and the error of D larger; D's iterates show it, because `D_(t+1) - D = (1 - eta S) (D_t - D)` but for noise.
It is a matrix of (2 q)^2 numbers, too many for a hundred iterates. Of every direction of the instruments, an
eigenvector of A with value a, it is taken for `a C` with C of shape (2, 2) over the columns of D, because what clipping
leaves depends on the residuals' direction; and each C is drawn towards their mean as far as its deviation can be noise.
Instruments for which the second moment A is wrong have another slope too, so that a moderate error in it is mended.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.reduced_form import Released, Settings
from dpdescent.anderson_rubin import Evidence, unclipped

Array = NDArray[np.float64]

# Iterates below which a regression of the path on itself says nothing.
FEWEST = 5


def evidence(released: Released, run: int, settings: Settings, n: int) -> Evidence:
    """Returns what a run on n records with one regressor released, with the slope that its path tells."""
    S, known = slope(released.path[run], settings)
    return Evidence(
        released.D[run], released.moment[run], settings.moment_sd, settings.variance(S), S, n, settings.unit, known
    )  # fmt: skip


def freedom(settings: Settings) -> float:
    """Returns the degrees of freedom that a path's slope has where nothing is clipped, from settings alone."""
    rates = settings.eta * np.linalg.eigvalsh(settings.second_moment)
    # An iterate has the variance of a step's noise over this, and a slope is told as well as iterates differ.
    spread = 1.0 - (1.0 - rates) ** 2
    return 0.5 * (settings.kept - 1) * float((rates**2 / spread).sum())


def slope(path: Array, settings: Settings) -> tuple[Array, float]:
    """Returns the slope of the mean clipped gradient, and its degrees of freedom.

    Without noise the path tells nothing, and the slope is that of no clipping.

    Args:
        path: the kept iterates, shape (kept, q, 2).
        settings: of the run.

    Returns:
        The slope, shape (2 q, 2 q), entry (i, j) of D at j q + i, and half the inverse of its relative variance: a
        variance that has so many degrees of freedom is known as well.

    Raises:
        ValueError: if there are fewer than five iterates.
    """
    if settings.noise_sd == 0.0:
        return unclipped(settings.second_moment), math.inf
    if len(path) < FEWEST:
        raise ValueError(f"kept={len(path)} iterates tell no slope: keep at least {FEWEST}")
    values, vectors = np.linalg.eigh(settings.second_moment)
    own, variance = _by_direction(np.einsum("tqc,qi->itc", path, vectors), settings.eta * values, settings)
    common = np.einsum("i,ijk->jk", 1.0 / variance, own) / (1.0 / variance).sum()
    # A symmetric matrix whose entries have that variance, beside the diagonal half of it, deviates by three times it.
    apart = ((own - common) ** 2).sum((1, 2))
    share = np.maximum(0.0, 1.0 - 3.0 * variance / np.maximum(apart, np.finfo(np.float64).tiny))
    error = math.sqrt(1.0 / (1.0 / variance).sum())
    C = _held(common + share[:, None, None] * (own - common), error)
    found = np.einsum("i,ijk,ai,bi->jakb", values, C, vectors, vectors).reshape(2 * len(values), -1)
    return found, 0.5 * (0.5 * float(np.trace(_held(common, error))) / error) ** 2


def _by_direction(path: Array, rates: Array, settings: Settings) -> tuple[Array, Array]:
    """What is left of the slope in every direction, shape (q, 2, 2), and the variance of an entry, shape (q,).

    Args:
        path: iterates by direction, shape (q, kept, 2).
        rates: step size times the eigenvalue of a direction.
        settings: of the run.
    """
    now, moved = path[:, :-1], -np.diff(path, axis=1)
    now = rates[:, None, None] * (now - now.mean(1, keepdims=True))
    inverse = np.linalg.inv(now.swapaxes(1, 2) @ now)
    found = inverse @ (now.swapaxes(1, 2) @ moved)
    found = 0.5 * (found + found.swapaxes(1, 2))
    # Least squares tells an autoregression with coefficient r by (1 + 3 r) / L too small (Kendall 1954).
    factor, unit = rates[:, None, None], np.eye(2)
    found = found - (4.0 * unit - 3.0 * factor * found) / (factor * now.shape[1])
    noise = settings.eta * settings.noise_sd
    return found, 0.5 * noise**2 * np.einsum("ijj->i", inverse)


def _held(C: Array, least: float) -> Array:
    """Symmetric matrices with eigenvalues held from below."""
    values, vectors = np.linalg.eigh(C)
    return np.asarray((vectors * np.maximum(values, least)[..., None, :]) @ vectors.swapaxes(-1, -2))
