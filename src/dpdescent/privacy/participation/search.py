"""Where a condition that holds from some point on begins to hold."""

import math
from collections.abc import Callable

# Between these powers of two an answer is looked for.
_RANGE = 60


def smallest(enough: Callable[[float], bool], accuracy: float = 1e-12) -> float:
    """Smallest x > 0, to a relative accuracy, for which a condition holds that holds for all larger x as well.

    What is returned satisfies it; 0 or infinity where it holds from 2^-60 on, or not up to 2^60.
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
