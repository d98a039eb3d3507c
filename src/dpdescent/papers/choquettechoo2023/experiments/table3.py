"""Table 3: what the mechanisms cost, in counted multiply-adds and stored numbers per coordinate of the model.

Counts are arithmetic by our reading of the algorithms: trees and Toeplitz coefficients step by step, a dense matrix by
its size (that of Full Honaker as the least that it can cost to make; `noise` solves a system of T equations for it),
the multi-epoch optimum by the factorisations of one iteration. The text does not give the algorithm of the row FFT.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import as_list
from dpdescent.noise.strategies.tree import finished_nodes, height_finished
from dpdescent.papers.choquettechoo2023.design import Row, Spec

Count = Callable[[int], float]
GENERATION, STEP, MEMORY = "generation operations", "operations per step", "memory"


@dataclass(frozen=True)
class Cost:
    """A row of the table: printed entries and our counts for T steps; None where the text does not give the algorithm.

    Attributes:
        generation, step: printed entries.
        counts: by quantity, the counted cost of T steps (of the costliest step, for operations per step).
    """

    generation: str
    step: str
    counts: dict[str, Count] | None


def _tree_step(T: int) -> float:
    """Returns the most additions of a step: nodes that it finishes from halves, and nodes that make up the prefix."""
    return max(height_finished(t) + (t + 1).bit_count() for t in range(T))


def _tree_memory(T: int) -> float:
    """Returns the largest number of finished nodes that wait to be merged."""
    return max((t + 1).bit_count() for t in range(T))


def _one(T: int) -> float:
    return 1.0


TREE: dict[str, Count] = {GENERATION: _one, STEP: _tree_step, MEMORY: _tree_memory}
# The next coefficient is made from the last one, so that making one is a single operation.
TOEPLITZ: dict[str, Count] = {GENERATION: _one, STEP: float, MEMORY: float}
FULL: dict[str, Count] = {
    GENERATION: lambda T: float(T * finished_nodes(T)), STEP: lambda T: float(finished_nodes(T)),
    MEMORY: lambda T: float(T * finished_nodes(T)),
}  # fmt: skip
# A Cholesky factor T^3/3, a triangular inverse T^3/3, a symmetric eigendecomposition 9 T^3 (Golub and Van Loan, 8.3).
OPTIMUM: dict[str, Count] = {
    GENERATION: lambda T: (2.0 / 3.0 + 9.0) * T**3, STEP: float, MEMORY: lambda T: T * (T + 1) / 2.0,
}  # fmt: skip
COSTS = {
    "DP-SGD": Cost("O(1)", "O(1)", {GENERATION: _one, STEP: _one, MEMORY: _one}),
    "Honaker/TreeAgg": Cost("O(1)", "O(log T)", TREE),
    "Optimal CC": Cost("O(1)", "O(T)", TOEPLITZ),
    "nu-DP-FTRL": Cost("O(1)", "O(T)", TOEPLITZ),
    "FFT": Cost("O(1)", "O(T log^2 T)", None),
    "Full Honaker": Cost("O(T^2)", "O(T^2)", FULL),
    "ME": Cost("O(T^3)", "O(T^2)", OPTIMUM),
}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every mechanism and quantity: counts over T, and their exponent over the upper half of them."""
    horizons = sorted(as_list(spec["cell"]["T"]))
    for name, cost in COSTS.items():
        for quantity, entry in {GENERATION: cost.generation, STEP: cost.step, MEMORY: ""}.items():
            place = {"mechanism": name, "quantity": quantity, "entry": entry, "trial": 0}
            counts = [cost.counts[quantity](T) if cost.counts else math.nan for T in horizons]
            yield from (
                {**place, "T": T, "series": "counted", "value": n} for T, n in zip(horizons, counts, strict=True)
            )
            yield {**place, "series": "exponent", "value": _exponent(horizons, counts)}


def _exponent(horizons: list[int], counts: list[float]) -> float:
    """Returns the least-squares slope of log count against log T; NaN for a single T."""
    half = len(horizons) // 2 if len(horizons) > 3 else 0
    x, y = np.log(horizons[half:]), np.log(counts[half:])
    centred = x - x.mean()
    return float(centred @ y / (centred @ centred)) if len(x) > 1 else math.nan
