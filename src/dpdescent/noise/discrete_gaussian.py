"""Discrete Gaussian noise, exact on a machine: integers y with probability proportional to `exp(-y^2 / (2 sd^2))`.

Canonne, Kamath and Steinke (2020) sample it by rejection with integers alone, so that no rounding changes a
probability. A discrete Laplace variable is drawn from uniform integers and from events of probability `exp(-a / b)`,
which uniform integers decide, and it is accepted with a probability of the same kind. Their Theorem 14 gives the cost:
if a replaced record moves the integers by d_j and their noise has sd_j, the release is 1/2 sum d_j^2 / sd_j^2 zCDP, as
with continuous noise.

Random bits come from the operating system, one request per draw. There is no state, so that no noise can be
regenerated, and nothing stays in memory for the next draw. The time of a draw depends on its value.
"""

import secrets
from collections.abc import Callable, Iterable

# Function from m to a uniform integer in [0, m).
Below = Callable[[int], int]


def draw(sds: Iterable[int], below: Below = secrets.randbelow) -> list[int]:
    """Independent draws whose law has these parameters sd, positive integers; the true sd is slightly smaller.

    Raises:
        ValueError: if a parameter is not a positive integer.
    """
    draws = []
    for sd in sds:
        if not (isinstance(sd, int) and sd > 0):
            raise ValueError(f"sd={sd} must be a positive integer: it is in units of the grid")
        while (value := attempt(sd, below)) is None:
            pass
        draws.append(value)
    return draws


def attempt(sd: int, below: Below) -> int | None:
    """One attempt at a draw: y with a probability proportional to `exp(-y^2 / (2 sd^2))`, or None if it fails.

    The discrete Laplace law of scale sd gives y a probability proportional to `exp(-|y| / sd)`. The remaining factor is
    `exp(-(|y| - sd)^2 / (2 sd^2))`, up to a constant.
    """
    rest = below(sd)
    if not decays(rest, sd, below):
        return None
    size = rest
    while decays(1, 1, below):
        size += sd
    negative = below(2) == 1
    # Because 0 would otherwise be twice as likely.
    if negative and size == 0:
        return None
    if not decays((size - sd) ** 2, 2 * sd * sd, below):
        return None
    return -size if negative else size


def decays(a: int, b: int, below: Below) -> bool:
    """A random event: True with probability `exp(-a / b)`, a >= 0 and b > 0.

    Let g = a / b be at most 1. The first k events, with probabilities g, g/2, ..., g/k, all happen with probability
    `g^k / k!`; so the number of the first event that does not happen is odd with probability `1 - g + g^2/2 - ...`.
    """
    while a > b:
        if not decays(1, 1, below):
            return False
        a -= b
    k = 1
    while below(b * k) < a:
        k += 1
    return k % 2 == 1
