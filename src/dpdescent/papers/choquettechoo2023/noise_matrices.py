"""Noise matrices of T steps by themselves: the square root of prefix sums, largest errors, costs of restarted steps.

No table is needed: the matrices are those of coefficients (7), and of other powers of the same series.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.papers.choquettechoo2023.costs import execute
from dpdescent.papers.choquettechoo2023.setting import Array
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Sizes of the matrices; powers p of `(1 - z)^p` beside the root; steps and restarts whose operations are counted.
SIZES, OTHER_POWERS, RESTARTED = (8, 64, 512), (0.3, 0.45, 0.55, 0.7), ((256, 2), (256, 8))
BASELINES: dict[str, Callable[[], Strategy]] = {
    "TreeAgg": lambda: tree.tree_aggregation(finished_only=True),
    "Honaker": lambda: tree.online_honaker(finished_only=True),
    "Optimal CC": toeplitz.optimal_cc,
}


def power_coefficients(power: float, T: int) -> Array:
    """The first T coefficients of `(1 - z)^power`; at 1/2 those of (7) with nu = 0."""
    steps = np.arange(1, T)
    return np.concatenate([[1.0], np.cumprod((steps - 1.0 - power) / steps)])


def largest_error(power: float, T: int) -> float:
    """The largest standard error of a prefix sum with noise `(1 - z)^power`, at unit sensitivity.

    The rows of A B have the coefficients of `(1 - z)^(power - 1)`, and the columns of B^-1 those of `(1 - z)^-power`;
    of both the last row and the first column are longest.
    """
    rows, columns = (power_coefficients(exponent, T) for exponent in (power - 1.0, -power))
    return math.sqrt(float(rows @ rows) * float(columns @ columns))


def square_less_inverse(nu: float, T: int) -> float:
    """The largest entry of `B^2 - A^-1` in size, A the matrix of prefix sums and B that of coefficients (7)."""
    B = toeplitz.nu_family(nu).decoder(T) if nu else toeplitz.optimal_cc().decoder(T)
    return float(np.abs(B @ B - np.linalg.inv(np.tri(T))).max())


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the root, of largest errors, and of operations; they depend on no experiment."""
    for T in SIZES:
        yield bound_row(
            bound="B^2 less A^-1 at nu = 0", location="Sec. 2.1, (7)", setting=f"T={T}", value=0.0,
            measured=square_less_inverse(0.0, T), allowed=1e-12,
            note="0, up to rounding: B is the root of the inverse of prefix sums; measured is the largest entry in size",
        )  # fmt: skip
        for power in OTHER_POWERS:
            yield bound_row(
                bound="largest error of other Toeplitz coefficients", location="Sec. 2.1", setting=f"T={T}, (1 - z)^{power:g}",
                value=largest_error(0.5, T), measured=largest_error(power, T), direction="at least",
                note="that of (7) at nu = 0, which is optimal among Toeplitz coefficients; largest standard error of a prefix sum, unit sensitivity; exact",
            )  # fmt: skip
    for (T, copies), (name, make) in ((pair, each) for pair in RESTARTED for each in BASELINES.items()):
        whole, short = (execute(make(), size, np.zeros(make().noises(size))).steps.max() for size in (T, T // copies))
        yield bound_row(
            bound="operations of a restarted mechanism's step", location="Sec. 4", setting=f"{name}, T={T}, S={copies}",
            value=float(whole), measured=float(short),
            note="those of the costliest step without restarts; restarts do not raise the cost of a step; counted while running, one coordinate",
        )  # fmt: skip
