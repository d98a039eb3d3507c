"""Discrete Gaussian noise, exact on a machine: integers y with probability proportional to `exp(-y^2 / (2 sd^2))`.

Canonne, Kamath and Steinke (2020) sample it by rejection in integers alone, so that no rounding changes a probability:
a discrete Laplace is drawn from uniform integers and from events of probability `exp(-a / b)`, which uniform integers
decide, and kept with a probability of that kind. Their Theorem 14 gives its cost: integers that a replaced record moves
by d_j, with noise of sd_j, are 1/2 sum d_j^2 / sd_j^2 zCDP, as with continuous noise.

Bits are the operating system's, asked for one by one: there is no state, so that nothing can be made twice or be left
in memory for the next draw. How long a draw takes depends on it.
"""

import secrets
from collections.abc import Callable, Iterable

# Function from m to a uniform integer in [0, m).
Below = Callable[[int], int]


def draw(sds: Iterable[int], below: Below = secrets.randbelow) -> list[int]:
    """Independent draws with these sds, which are parameters of the law, whole and positive; an sd is slightly less.

    Raises:
        ValueError: if a parameter is not a positive integer.
    """
    found = []
    for sd in sds:
        if not (isinstance(sd, int) and sd > 0):
            raise ValueError(f"sd={sd} must be a positive integer: it is in units of the grid")
        while (value := attempt(sd, below)) is None:
            pass
        found.append(value)
    return found


def attempt(sd: int, below: Below) -> int | None:
    """One attempt at a draw: y with a probability proportional to `exp(-y^2 / (2 sd^2))`, or None, to be tried again.

    The discrete Laplace of scale sd has y with a probability proportional to `exp(-|y| / sd)`; what is left is
    `exp(-(|y| - sd)^2 / (2 sd^2))`, but for a constant.
    """
    rest = below(sd)
    if not decays(rest, sd, below):
        return None
    size = rest
    while decays(1, 1, below):
        size += sd
    negative = below(2) == 1
    # Or 0 would be twice as likely.
    if negative and size == 0:
        return None
    if not decays((size - sd) ** 2, 2 * sd * sd, below):
        return None
    return -size if negative else size


def decays(a: int, b: int, below: Below) -> bool:
    """True with probability `exp(-a / b)`, a >= 0 and b > 0.

    For g = a / b up to 1 the first k events, of probabilities g, g/2, ..., g/k, all happen with probability `g^k / k!`;
    the number of the first that does not is odd with probability `1 - g + g^2/2 - ...`.
    """
    while a > b:
        if not decays(1, 1, below):
            return False
        a -= b
    k = 1
    while below(b * k) < a:
        k += 1
    return k % 2 == 1
