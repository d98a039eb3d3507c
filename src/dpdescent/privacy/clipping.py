"""Clipping of per-sample gradients, `CLIP_g(v) = v min(1, g / |v|)`, without forming a gradient.

The per-sample gradient of a linear model, or of a layer's weights, is an outer product. So its norm is a product of two
norms, and clipping multiplies each record by one factor.
"""

import sys

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Finite stand-in for an infinite threshold, which never clips, because inf / inf is NaN.
_NEVER = np.finfo(np.float64).max


def row_norms(rows: Array) -> Array:
    """Euclidean norms of rows, shape (n,); each norm depends on its own row alone."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def clip_factors(norms: Array, threshold: Array | float) -> Array:
    """Clip factors `min(1, threshold / norm)`, shape of `norms`; 1 where the norm is 0.

    Args:
        norms: gradient norms, non-negative, of any shape, such as (arms, records).
        threshold: clipping thresholds, positive; a single one, or an array whose shape broadcasts; inf means no
            clipping.
    """
    finite = np.minimum(threshold, _NEVER)
    factors: Array = finite / np.maximum(norms, finite)
    return factors


def huber_loss(residuals: Array, thresholds: Array | float) -> Array:
    """Huber losses of residuals: half of a square up to the threshold, linear beyond it; the shape is that of both.

    Its gradient in the weights is the clipped gradient of a record, where the record's threshold is the clipping
    threshold divided by the norm of its covariates (brown2024 Sec. 2.5).
    """
    sizes = np.abs(residuals)
    losses: Array = np.where(sizes <= thresholds, sizes**2 / 2.0, thresholds * (sizes - thresholds / 2.0))
    return losses


def mean_sensitivity(threshold: float, n: int) -> float:
    """Sensitivity `2 threshold / n` of the mean of n clipped gradients under the replace-one relation."""
    if n < 1:
        raise ValueError(f"n={n} must be at least 1")
    sensitivity = 2.0 * float(threshold) / int(n)
    if threshold > 0.0 and sensitivity < sys.float_info.min:
        raise ValueError(
            f"threshold={threshold}: the sensitivity underflows at n={n}, and noise for it too; take a larger one"
        )
    return sensitivity


def rounding_is_negligible(n: int | NDArray[np.int_], size: Array, threshold: float) -> NDArray[np.bool_]:
    """Whether a sum of n unclipped gradients with norms up to `size` has a rounding error far below the threshold.

    The shape is that of `size`. The check is needed where the sum of clipped gradients is computed as the unclipped sum
    minus a correction, because rounding would otherwise let a record with a huge norm escape clipping.
    """
    negligible: NDArray[np.bool_] = n * size * np.finfo(np.float64).eps <= 1e-6 * threshold
    return negligible
