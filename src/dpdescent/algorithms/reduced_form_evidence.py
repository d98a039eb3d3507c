"""The evidence for an Anderson-Rubin set in a path of `reduced_form`: the slope of its equation, from releases alone.

Without clipping the mean gradient moves with D by A = E[zz'], in the same way for each column. Clipping makes that
slope smaller, and the error of D larger. The iterates of D show the slope, because `D_(t+1) - D = (1 - eta S) (D_t -
D)` apart from noise.

The slope S is a matrix of (2 q)^2 numbers, too many for a hundred iterates. Along every direction of the instruments,
an eigenvector of A with value a, it is therefore assumed to be `a C`, with C of shape (2, 2) over the columns of D,
because the effect of clipping depends on the direction of the residuals. Each C is then moved towards the mean of all C
as far as its deviation can be noise. If the second moment A is wrong for some instruments, their slope differs too, so
that a moderate error in A is corrected.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.reduced_form import Released, Settings
from dpdescent.anderson_rubin import Evidence, unclipped

Array = NDArray[np.float64]

# Smallest number of iterates from which a regression of the path on itself is informative.
FEWEST = 5


def evidence(released: Released, run: int, settings: Settings, n: int) -> Evidence:
    """Returns the releases of a run on n records with one regressor, with the slope that its path shows."""
    S, known = slope(released.path[run], settings)
    return Evidence(
        released.D[run], released.moment[run], settings.moment_sd, settings.variance(S), S, n, settings.unit, known
    )  # fmt: skip


def freedom(settings: Settings) -> float:
    """Returns the degrees of freedom of a path's slope where nothing is clipped, from settings alone."""
    rates = settings.eta * np.linalg.eigvalsh(settings.second_moment)
    # The variance of an iterate is that of a step's noise divided by this number, and the precision of the slope grows
    # with the variation of the iterates.
    spread = 1.0 - (1.0 - rates) ** 2
    return 0.5 * (settings.kept - 1) * float((rates**2 / spread).sum())


def slope(path: Array, settings: Settings) -> tuple[Array, float]:
    """Returns the slope of the mean clipped gradient, and its degrees of freedom.

    Without noise the path is not informative, and the slope is the one without clipping.

    Args:
        path: the kept iterates, shape (kept, q, 2).
        settings: settings of the run.

    Returns:
        The slope, shape (2 q, 2 q), where entry (i, j) of D has the index j q + i, and half the inverse of its relative
        variance: the degrees of freedom of a variance estimate with the same precision.

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
    # If the diagonal entries of a symmetric 2 x 2 matrix have that variance, and its other entries half of it, the
    # expected squared deviation of the matrix is three times the variance.
    apart = ((own - common) ** 2).sum((1, 2))
    share = np.maximum(0.0, 1.0 - 3.0 * variance / np.maximum(apart, np.finfo(np.float64).tiny))
    error = math.sqrt(1.0 / (1.0 / variance).sum())
    C = _held(common + share[:, None, None] * (own - common), error)
    S = np.einsum("i,ijk,ai,bi->jakb", values, C, vectors, vectors).reshape(2 * len(values), -1)
    return S, 0.5 * (0.5 * float(np.trace(_held(common, error))) / error) ** 2


def _by_direction(path: Array, rates: Array, settings: Settings) -> tuple[Array, Array]:
    """The slope relative to the eigenvalue per direction, shape (q, 2, 2), and the variance of its entries, shape (q,).

    Args:
        path: iterates by direction, shape (q, kept, 2).
        rates: step size times the eigenvalue of a direction, shape (q,).
        settings: settings of the run.
    """
    now, changes = path[:, :-1], -np.diff(path, axis=1)
    now = rates[:, None, None] * (now - now.mean(1, keepdims=True))
    inverse = np.linalg.inv(now.swapaxes(1, 2) @ now)
    slopes = inverse @ (now.swapaxes(1, 2) @ changes)
    slopes = 0.5 * (slopes + slopes.swapaxes(1, 2))
    # Least squares underestimates an autoregression with coefficient r by (1 + 3 r) / L (Kendall 1954).
    factor, unit = rates[:, None, None], np.eye(2)
    slopes = slopes - (4.0 * unit - 3.0 * factor * slopes) / (factor * now.shape[1])
    noise = settings.eta * settings.noise_sd
    return slopes, 0.5 * noise**2 * np.einsum("ijj->i", inverse)


def _held(C: Array, least: float) -> Array:
    """Symmetric matrices with eigenvalues raised to a lower bound."""
    values, vectors = np.linalg.eigh(C)
    return np.asarray((vectors * np.maximum(values, least)[..., None, :]) @ vectors.swapaxes(-1, -2))
