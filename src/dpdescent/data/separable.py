"""Binary classification with a margin: points of the unit ball with labels from a smooth teacher function.

The designs are ours, because wang2026 has no experiment of this kind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Number of candidates that are drawn together; a constant, so that fewer records are a prefix of more records.
_TOGETHER = 512

# Number of candidates after which a smaller accepted share than this means that the margin is too large for the
# teacher.
_PATIENCE, _RAREST = 100 * _TOGETHER, 1e-3


@dataclass(frozen=True)
class Teacher:
    """A teacher function g, whose sign is the label.

    Attributes:
        value: function from points, shape (points, d), to g(x), shape (points,).
        least_d: smallest dimension in which g is defined.
    """

    value: Callable[[Array], Array]
    least_d: int


def _additive(x: Array) -> Array:
    """Teacher `g(x) = d^(-1/2) sum_i (-1)^(i+1) sin(pi x_i)`, i = 1..d, a sum over coordinates as in units of a KAN."""
    d = x.shape[1]
    signs = np.where(np.arange(d) % 2 == 0, 1.0, -1.0)
    value: Array = np.vecdot(np.sin(np.pi * x), signs) / d**0.5
    return value


def _product(x: Array) -> Array:
    """Teacher `g(x) = 2 x_1 x_2`, which is not a sum over coordinates."""
    value: Array = 2.0 * x[:, 0] * x[:, 1]
    return value


# Designs of labels, by the names under which `draw` knows them.
TEACHERS = {"D1": Teacher(_additive, 1), "D2": Teacher(_product, 2)}


def draw(design: str, d: int, margin: float, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draws records: x uniform in the unit ball given that `|g(x)| > margin`, and y = sign g(x).

    The first records do not depend on the number of records.

    Args:
        design: a key of `TEACHERS`.
        d: dimension.
        margin: margin, non-negative, in units of g.
        n: number of records.
        rng: generator of this data set.

    Returns:
        Inputs x, shape (n, d), and labels y in {-1, +1}, shape (n,).

    Raises:
        ValueError: if there is no such design, an argument is out of its range, or hardly any point has the margin.
    """
    if design not in TEACHERS:
        raise ValueError(f"design={design!r} is none of {list(TEACHERS)}")
    teacher = TEACHERS[design]
    if n < 1 or not margin >= 0.0:
        raise ValueError(f"n={n} must be at least 1 and margin={margin} not negative")
    if d < teacher.least_d:
        raise ValueError(f"d={d}: design {design} needs at least {teacher.least_d}")
    points, values = np.empty((n, d)), np.empty(n)
    count = tried = 0
    while count < n:
        x = uniform_ball(_TOGETHER, d, rng)
        g = teacher.value(x)
        new = np.flatnonzero(np.abs(g) > margin)[: n - count]
        rows = slice(count, count + len(new))
        points[rows], values[rows] = x[new], g[new]
        count, tried = count + len(new), tried + _TOGETHER
        if tried >= _PATIENCE and count < _RAREST * tried:
            raise ValueError(
                f"margin={margin}: design {design} has it at {count} of {tried} points in d={d}; take a smaller one"
            )
    return points, np.sign(values)


def two_clusters(d: int, jitter: float, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draws records about two opposite points: `x_i = y (1/2 - jitter) + jitter u_i`, u_i uniform in [-1, 1].

    No coordinate is larger than 1/2, so that in d <= 4 all records lie in the unit ball. The margin of such simple data
    is wide. The first records do not depend on the number of records, and differ between jitters by the jitter alone.

    Returns:
        Inputs x, shape (n, d), and labels y in {-1, +1}, shape (n,).

    Raises:
        ValueError: if an argument is out of its range.
    """
    if n < 1 or d < 1 or not 0.0 <= jitter < 0.5:
        raise ValueError(f"n={n} and d={d} must be at least 1, and jitter={jitter} in [0, 0.5)")
    drawn = 2.0 * rng.random((n, d + 1)) - 1.0
    y = np.where(drawn[:, 0] < 0.0, -1.0, 1.0)
    points: Array = y[:, None] * (0.5 - jitter) + jitter * drawn[:, 1:]
    return points, y


def uniform_ball(n: int, d: int, rng: np.random.Generator) -> Array:
    """Points drawn uniformly from the unit ball of R^d, shape (n, d)."""
    directions = rng.standard_normal((n, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    points: Array = directions * rng.random((n, 1)) ** (1.0 / d)
    return points
