"""Sums of floats that are equal on all interpreters."""

import functools
import operator
from collections.abc import Iterable


def added(values: Iterable[float]) -> float:
    """The sum of floats from the left, each step rounded.

    From Python 3.12 on, the built-in `sum` compensates for rounding, so that its last bits depend on the interpreter.
    """
    return functools.reduce(operator.add, values, 0)
