"""Times of several ways to do the same, taken in turn."""

import statistics
import time
from collections.abc import Callable


def measured(function: Callable[[], object], repeats: int) -> float:
    """Median wall seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def in_turn(rounds: int, *ways: tuple[Callable[[], object], int]) -> list[float]:
    """Median wall seconds of every way; each comes with how often it runs in a round.

    The ways alternate, so that a change of the machine's pace falls on all of them.
    """
    times = [[measured(function, repeats) for function, repeats in ways] for _ in range(rounds)]
    return [statistics.median(way) for way in zip(*times, strict=True)]
