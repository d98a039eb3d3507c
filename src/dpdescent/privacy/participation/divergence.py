"""delta by Monte Carlo: means over privacy losses, with their standard errors."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# H(P||Q), estimated from outputs on the data set with the record, or H(Q||P).
Direction = Literal["P|Q", "Q|P"]


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error, 0 for what is exact."""

    value: float
    standard_error: float


class Pair(Protocol):
    """Two laws of a run's output on neighbours, of which random outputs are at hand."""

    def losses(self, kappa: float, direction: Direction) -> Array:
        """log dP/dQ at outputs from P, or log dQ/dP at outputs from Q, by the same random numbers for every kappa."""


def hockey_stick(losses: Array, eps: float) -> Estimate:
    """`E (1 - e^(eps - L))_+` over privacy losses L, shape (N,)."""
    terms = -np.expm1(np.minimum(eps - losses, 0.0))
    return Estimate(float(terms.mean()), float(terms.std(ddof=1) / math.sqrt(len(terms))))
