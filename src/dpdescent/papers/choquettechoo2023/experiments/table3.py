"""Table 3: what the mechanisms cost, in operations that they executed, and whether they can be used at any horizon.

Every mechanism runs step by step on one coordinate (`runs.operations`). Entries of the table are printed orders in T;
the text does not give the algorithm of the row FFT, nor one that makes Full Honaker's matrix.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.papers.choquettechoo2023.design import PAPER, Row, Spec
from dpdescent.papers.choquettechoo2023.runs import operations
from dpdescent.randomness import stream

GENERATION, STEP, MEMORY, COMMON = "generation operations", "operations per step", "memory", "anytime"


@dataclass(frozen=True)
class Entry:
    """A row of the table.

    Attributes:
        generation, step, anytime: printed entries.
        make: the mechanism for T steps and k participations; None where the text does not give its algorithm.
        dense: whether a step is a row of a matrix of which nothing is said how it was made.
    """

    generation: str
    step: str
    anytime: str
    make: Callable[[int, int], Strategy] | None
    dense: bool = False


# nu is any that does not depend on T.
NU = 0.01
ENTRIES = {
    "DP-SGD": Entry("O(1)", "O(1)", "yes", lambda T, k: toeplitz.identity()),
    "TreeAgg": Entry("O(1)", "O(log T)", "yes", lambda T, k: tree.tree_aggregation(finished_only=True)),
    "Honaker": Entry("O(1)", "O(log T)", "yes", lambda T, k: tree.online_honaker(finished_only=True)),
    "Optimal CC": Entry("O(1)", "O(T)", "yes", lambda T, k: toeplitz.optimal_cc()),
    "nu-DP-FTRL": Entry("O(1)", "O(T)", "yes", lambda T, k: toeplitz.nu_family(NU)),
    "FFT": Entry("O(1)", "O(T log^2 T)", "no", None),
    "Full Honaker": Entry("O(T^2)", "O(T^2)", "no", lambda T, k: tree.full_honaker(), dense=True),
    "ME": Entry("O(T^3)", "O(T^2)", "no", multi_epoch_optimum),
}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every mechanism: executed operations and stored numbers over T, and the common block's change."""
    horizons, k = sorted(as_list(spec["cell"]["T"])), spec["arms"]["participations"]
    for name, entry in ENTRIES.items():
        made = [entry.make(T, k) for T in horizons] if entry.make else []
        for T, strategy in zip(horizons, made, strict=False):
            yield from _executed(spec, name, entry, T, strategy)
        place = {"mechanism": name, "quantity": COMMON, "entry": entry.anytime, "trial": 0, "series": "change"}
        yield {**place, "T": horizons[0], "value": _change(made, horizons)}


def _executed(spec: Spec, name: str, entry: Entry, T: int, strategy: Strategy) -> Iterator[Row]:
    normals = stream(spec["seed"], PAPER, spec["artefact"], "T", T, "noise").standard_normal(strategy.noises(T))
    made = (operations.by_rows if entry.dense else operations.execute)(strategy, T, normals)
    counts = {
        GENERATION: (entry.generation, math.nan if entry.dense else float(made.generation)),
        STEP: (entry.step, float(made.steps.max())), MEMORY: ("", float(made.numbers)),
    }  # fmt: skip
    for quantity, (printed, count) in counts.items():
        yield {
            "mechanism": name, "quantity": quantity, "entry": printed, "T": T, "trial": 0, "series": "executed",
            "value": count,
        }  # fmt: skip


def _change(made: list[Strategy], horizons: list[int]) -> float:
    """Returns how far the matrix for twice T is from that for T in the rows and columns of the latter, relatively.

    NaN where the mechanism is not known, or no horizon is twice the first.
    """
    found = dict(zip(horizons, made, strict=False))
    T = horizons[0]
    if not {T, 2 * T} <= set(found):
        return math.nan
    short, long = (found[each].decoder(each) for each in (T, 2 * T))
    return float(np.abs(long[:T, : short.shape[1]] - short).max() / np.abs(short).max())
