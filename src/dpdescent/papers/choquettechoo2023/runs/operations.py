"""Operations that mechanisms execute, counted while they run: noise step by step, and the making of coefficients.

Trees run as they are, on arrays that count (`Metered`). Toeplitz coefficients are made one from the last, and their
noise is a row of coefficients times the noise so far, as the cost of a step is meant in choquettechoo2023 Table 3; for
whole runs `noise.streams` has transforms, which are cheaper. The multi-epoch optimum's operations are those of its
evaluations, as many as its optimisation needed. The tests compare all noise with the library's.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import MultiEpoch
from dpdescent.noise.strategies.toeplitz import DampedDifference
from dpdescent.noise.strategies.tree import OnlineTree
from dpdescent.papers.choquettechoo2023.design import Array


@dataclass
class Meter:
    """Counts arithmetic operations on numbers.

    Attributes:
        count: operations so far.
    """

    count: int = 0


class Metered(np.ndarray):
    """An array whose elementwise operations and products are counted on its meter; so are their results'."""

    meter: Meter

    def __array_finalize__(self, source: Any) -> None:
        self.meter = getattr(source, "meter", None) or Meter()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(each) for each in inputs]
        out = options.pop("out", None)
        if out is not None:
            options["out"] = tuple(np.asarray(each) for each in out)
        result = getattr(ufunc, method)(*plain, **options)
        # A product of a row with a matrix multiplies and adds once for every number of the row and column.
        inner = 2 * plain[0].shape[-1] if ufunc is np.matmul else 1
        self.meter.count += inner * int(np.size(result))
        return metered(result, self.meter)


def metered(values: Array, meter: Meter) -> Metered:
    """A view of an array that counts on a meter."""
    made = np.asarray(values, dtype=np.float64).view(Metered)
    made.meter = meter
    return made


@dataclass(frozen=True, eq=False)
class Executed:
    """What a run of T steps did, for one coordinate.

    Attributes:
        noise: the noise of all steps, shape (T,).
        steps: operations of every step, shape (T,).
        generation: operations that made the coefficients: for Toeplitz ones the most of a coefficient.
        numbers: coefficients and noise that are stored at once, the most over steps.
        coefficients: the coefficients that were made, where they are Toeplitz.
    """

    noise: Array
    steps: Array
    generation: int
    numbers: int
    coefficients: Array = field(default_factory=lambda: np.empty(0))


def execute(strategy: Strategy, T: int, normals: Array) -> Executed:
    """Runs a mechanism step by step on given normals, shape (m,), m of `strategy.noises(T)`.

    Raises:
        TypeError: if there is no step-by-step algorithm for the strategy.
    """
    if isinstance(strategy, OnlineTree):
        return _tree(strategy, T, normals)
    if isinstance(strategy, DampedDifference):
        return _toeplitz(strategy, T, normals)
    if isinstance(strategy, MultiEpoch):
        made = _rows(strategy.decoder(T), normals)
        return Executed(*made, strategy.evaluations * operations_of_an_evaluation(T, strategy.participations), T * T)
    raise TypeError(f"strategy={strategy.name!r} has no algorithm of steps")


def _tree(strategy: OnlineTree, T: int, normals: Array) -> Executed:
    meter, drawn = Meter(), iter(np.split(normals[:, None], len(normals)))
    steps: list[float] = []
    noise, kept = [], 0

    def draw(count: int) -> Array:
        rows = [next(drawn)[0] for _ in range(count)]
        return metered(np.array(rows).reshape(count, 1), meter)

    for t, block in enumerate(strategy.blocks(T, draw, 1)):
        noise.append(float(block[0, 0]))
        steps.append(meter.count - sum(steps))
        # The estimates that make up the prefix: one for every bit of the number of steps.
        kept = max(kept, (t + 1).bit_count())
    return Executed(np.array(noise), np.array(steps), 0, kept)


def _toeplitz(strategy: DampedDifference, T: int, normals: Array) -> Executed:
    if strategy.power == 0.0:
        return Executed(normals.copy(), np.ones(T), 0, 1, np.ones(1))
    meter, made, most = Meter(), [1.0], 0
    for t in range(1, T):
        before = meter.count
        last = metered(np.array(made[-1]), meter)
        made.append(float(last * (1.0 - strategy.nu) * (t - 1.0 - strategy.power) / t))
        most = max(most, meter.count - before)
    beta = np.array(made)
    noise, steps = np.empty(T), np.empty(T)
    for t in range(T):
        before = meter.count
        noise[t] = float(metered(beta[t::-1], meter) @ normals[: t + 1])
        steps[t] = meter.count - before
    return Executed(noise, steps, most, 2 * T, beta)


def _rows(decoder: Array, normals: Array) -> tuple[Array, Array]:
    """Noise and operations of every step where it is a row of a matrix, up to its last entry that is not zero."""
    meter, noise, steps = Meter(), np.empty(len(decoder)), np.empty(len(decoder))
    for t, row in enumerate(decoder):
        before, length = meter.count, int(np.flatnonzero(row)[-1]) + 1
        noise[t] = float(metered(row[:length], meter) @ normals[:length])
        steps[t] = meter.count - before
    return noise, steps


def by_rows(strategy: Strategy, T: int, normals: Array) -> Executed:
    """Runs any mechanism by its dense decoder, of which nothing is said how it was made."""
    decoder = strategy.decoder(T)
    return Executed(*_rows(decoder, normals), 0, int(np.size(decoder)))


def operations_of_an_evaluation(T: int, participations: int) -> int:
    """Operations of one evaluation of the dual of `multi_epoch_optimum`, by the sizes of its arrays.

    Two products with blocks of k columns and one back, 2 T^2 k each, a Gram matrix 2 T^3, and a symmetric
    eigendecomposition 9 T^3 (Golub and Van Loan, 8.3); what is of lower order in T is left out.
    """
    return 6 * T * T * participations + 11 * T**3
