"""The hyperbolic tangent of arrays, which takes most of the time of small networks where numpy computes it slowly."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Beyond LAST the tangent rounds to 1. STEPS per unit make the table so fine that three terms in the remainder round
# correctly.
LAST, STEPS = 20, 4096

# Whether numpy computes several tangents at a time, which is faster than the table.
VECTORISED = bool(getattr(np._core._multiarray_umath, "__cpu_features__", {}).get("AVX512_SKX"))  # type: ignore[attr-defined]

_TABLE: list[Array] = []


def tanh(values: Array) -> Array:
    """Replaces the values of an array by their hyperbolic tangents; exact to a few units in the last place.

    With the nearest point a of a table, `tanh(a + d) = (tanh a + tanh d) / (1 + tanh a tanh d)`.
    """
    if VECTORISED:
        return np.tanh(values, out=values)
    np.clip(values, -LAST, LAST, out=values)
    values *= STEPS
    place = np.rint(values)
    values -= place
    place += LAST * STEPS
    # NaN stays NaN, because its remainder is NaN.
    with np.errstate(invalid="ignore"):
        at = _table().take(place.astype(np.intp), mode="clip")
    rest = np.multiply(values, values, out=place)
    rest *= -1.0 / (3.0 * STEPS**3)
    rest += 1.0 / STEPS
    rest *= values
    np.multiply(at, rest, out=values)
    values += 1.0
    at += rest
    return np.divide(at, values, out=values)


def _table() -> Array:
    """The tangents at all points of the table, computed once."""
    if not _TABLE:
        _TABLE.append(np.tanh(np.arange(-LAST * STEPS, LAST * STEPS + 1) / STEPS))
    return _TABLE[0]
