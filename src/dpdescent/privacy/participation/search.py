"""Search for the point from which on a monotone condition holds."""

import math
from collections.abc import Callable
from dataclasses import dataclass

# Answers are searched between 2^-60 and 2^60.
_RANGE = 60

# Steps of the secant method, which needs about five; more would mean that the value is not smooth.
_SECANTS = 12

# First step of `raised`, and how many equal steps follow it.
_MILLIONTH, _EQUAL = 1e-6, 9


def smallest(enough: Callable[[float], bool], accuracy: float = 1e-12) -> float:
    """Smallest x > 0, to a relative accuracy, that satisfies a condition which then holds for all larger x as well.

    The returned x satisfies it; it is 0 if 2^-60 does, and infinity if nothing up to 2^60 does.
    """
    low, high = _octave(enough)
    return _bisected(enough, low, high, accuracy) if 0.0 < high < math.inf else high


def first_below(value: Callable[[float], float], limit: float, accuracy: float) -> float:
    """The x that `smallest` finds for `value(x) <= limit`, in half as many evaluations of a costly falling value.

    Args:
        value: falls in x and is at least 0; its logarithm is smooth in that of x.
        limit: positive.
        accuracy: relative; coarser than the rounding of `value`, so that what is known of two points holds between.
    """
    known = _Falling(value, limit)
    low, high = _octave(known.enough)
    if not 0.0 < high < math.inf:
        return high
    known.narrow(accuracy)
    return _bisected(known.enough, low, high, accuracy)


def raised(x: float, enough: Callable[[float], bool]) -> float:
    """x, or the first multiple of it that satisfies a condition: ten steps of a millionth, then twice as much each.

    It closes what lies between two grids, of which one has found x and the other judges it.
    """
    step = 0
    while not enough(x):
        x *= 1.0 + _MILLIONTH * 2.0 ** max(0, step - _EQUAL)
        step += 1
    return x


def _octave(enough: Callable[[float], bool]) -> tuple[float, float]:
    """Two powers of two between which the condition begins to hold; the upper one is 0 or infinity where none do."""
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
    while high > low * (1.0 + accuracy):
        middle = math.sqrt(low * high)
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@dataclass
class _Falling:
    """What is known of a falling value: the places nearest to where it crosses a limit, with its logarithms there."""

    value: Callable[[float], float]
    limit: float
    low: float = 0.0
    high: float = math.inf
    above: float = math.inf
    below: float = -math.inf

    def enough(self, x: float) -> bool:
        """Whether the value is at most the limit, without evaluation where a known place tells."""
        if self.low < x < self.high:
            found = self.value(x)
            if found <= self.limit:
                self.high, self.below = x, math.log(found / self.limit) if found > 0.0 else -math.inf
            else:
                self.low, self.above = x, math.log(found / self.limit)
        return x >= self.high

    def narrow(self, accuracy: float) -> None:
        """Evaluates at secants, each a little beyond its crossing towards the farther end, until both ends are near."""
        for _ in range(_SECANTS):
            width = math.log(self.high / self.low)
            if width <= 0.5 * accuracy:
                return
            share = self.above / (self.above - self.below) if self.above - self.below < math.inf else 0.5
            beyond = 0.1 * accuracy if share <= 0.5 else -0.1 * accuracy
            self.enough(self.low * math.exp(min(max(share * width + beyond, 0.01 * width), 0.99 * width)))
