"""Clipping of per-sample gradients, `CLIP_g(v) = v min(1, g / |v|)`, without ever forming a gradient.

A linear model's per-sample gradient is an outer product, as that of a layer's weights is, so its norm is a product of
two norms, and clipping is one factor per record.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# An infinite threshold never clips; the largest float does the same without inf / inf.
_NEVER = np.finfo(np.float64).max


def clip_factors(norms: Array, threshold: Array | float) -> Array:
    """Factors `min(1, threshold / norm)`; 1 where the norm is 0.

    Args:
        norms: gradient norms, non-negative, such as (arms, records).
        threshold: clipping thresholds, positive, one or of a shape that broadcasts; inf means no clipping.
    """
    finite = np.minimum(threshold, _NEVER)
    factors: Array = finite / np.maximum(norms, finite)
    return factors


def mean_sensitivity(threshold: float, n: int) -> float:
    """How far the mean of n clipped gradients moves when one record is replaced: `2 threshold / n`."""
    if n < 1:
        raise ValueError(f"n={n} must be at least 1")
    return 2.0 * threshold / n


def rounding_is_negligible(n: int | NDArray[np.int_], size: Array, threshold: float) -> NDArray[np.bool_]:
    """Whether a sum of n unclipped gradients of norm at most `size` rounds far below the threshold, of size's shape.

    Where a sum of clipped gradients is computed as the unclipped one less a correction, one record of enormous size
    would otherwise survive clipping as the rounding of two sums that cancel.
    """
    negligible: NDArray[np.bool_] = n * size * np.finfo(np.float64).eps <= 1e-6 * threshold
    return negligible
