"""Search for the point from which on a monotone condition holds."""

import math
from collections.abc import Callable

# Answers are searched between 2^-60 and 2^60.
_RANGE = 60


def smallest(enough: Callable[[float], bool], accuracy: float = 1e-12) -> float:
    """Smallest x > 0, to a relative accuracy, that satisfies a condition which then holds for all larger x as well.

    The returned x satisfies it; it is 0 if 2^-60 does, and infinity if nothing up to 2^60 does.
    """
    high = 1.0
    while not enough(high):
        if (high := 2.0 * high) > 2.0**_RANGE:
            return math.inf
    low = 0.5 * high
    while enough(low):
        low, high = 0.5 * low, low
        if high < 2.0**-_RANGE:
            return 0.0
    while high > low * (1.0 + accuracy):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
