"""Search for the smallest point at which a monotone condition holds."""

import math
from collections.abc import Callable
from dataclasses import dataclass

# Answers are searched between 2^-60 and 2^60.
_RANGE = 60

# Largest number of secant steps. About five are needed; more would mean that the value is not smooth.
_SECANTS = 12

# First relative step of `raised`, and number of equal steps that follow it.
_MILLIONTH, _EQUAL = 1e-6, 9


def smallest(enough: Callable[[float], bool], accuracy: float = 1e-12) -> float:
    """Smallest x > 0, to a relative accuracy, that satisfies a condition which then holds for all larger x as well.

    The returned x satisfies the condition. It is 0 if 2^-60 satisfies it, and infinity if nothing up to 2^60 does.
    """
    low, high = _octave(enough)
    return _bisected(enough, low, high, accuracy) if 0.0 < high < math.inf else high


def first_below(value: Callable[[float], float], limit: float, accuracy: float) -> float:
    """The x that `smallest` finds for `value(x) <= limit`, with half as many evaluations of a costly falling value.

    Args:
        value: function that falls in x and is at least 0; its logarithm is smooth in the logarithm of x.
        limit: positive.
        accuracy: relative accuracy, coarser than the rounding of `value`, so that what holds at two points holds
            between them.
    """
    known = _Falling(value, limit)
    low, high = _octave(known.enough)
    if not 0.0 < high < math.inf:
        return high
    known.narrow(accuracy)
    return _bisected(known.enough, low, high, accuracy)


def raised(x: float, enough: Callable[[float], bool]) -> float:
    """The number x, or the first slight increase of it that satisfies a condition.

    The steps are a millionth ten times, and then double every time. They close the gap between two grids, one of which
    found x while the other judges it.
    """
    step = 0
    while not enough(x):
        x *= 1.0 + _MILLIONTH * 2.0 ** max(0, step - _EQUAL)
        step += 1
    return x


def _octave(enough: Callable[[float], bool]) -> tuple[float, float]:
    """Two adjacent powers of two between which the condition begins to hold; both are 0 or infinity if none are."""
    high = 1.0
    while not enough(high):
        if (high := 2.0 * high) > 2.0**_RANGE:
            return math.inf, math.inf
    low = 0.5 * high
    while enough(low):
        low, high = 0.5 * low, low
        if high < 2.0**-_RANGE:
            return 0.0, 0.0
    return low, high


def _bisected(enough: Callable[[float], bool], low: float, high: float, accuracy: float) -> float:
    """The upper end of an interval after bisection of its logarithm to a relative accuracy."""
    while high > low * (1.0 + accuracy):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@dataclass
class _Falling:
    """Knowledge about a falling value: the known points nearest to its crossing of a limit, with its logarithms."""

    value: Callable[[float], float]
    limit: float
    low: float = 0.0
    high: float = math.inf
    above: float = math.inf
    below: float = -math.inf

    def enough(self, x: float) -> bool:
        """Whether the value at x is at most the limit, without evaluation where a known point decides."""
        if self.low < x < self.high:
            value = self.value(x)
            if value <= self.limit:
                self.high, self.below = x, math.log(value / self.limit) if value > 0.0 else -math.inf
            else:
                self.low, self.above = x, math.log(value / self.limit)
        return x >= self.high

    def narrow(self, accuracy: float) -> None:
        """Evaluates at secant points, slightly past the crossing towards the farther end, until both ends are near."""
        for _ in range(_SECANTS):
            width = math.log(self.high / self.low)
            if width <= 0.5 * accuracy:
                return
            share = self.above / (self.above - self.below) if self.above - self.below < math.inf else 0.5
            beyond = 0.1 * accuracy if share <= 0.5 else -0.1 * accuracy
            self.enough(self.low * math.exp(min(max(share * width + beyond, 0.01 * width), 0.99 * width)))
