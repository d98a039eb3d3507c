"""Monte Carlo estimates of delta: means over privacy losses, with standard errors."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Direction of a divergence: H(P||Q), estimated from outputs on the data set with the record, or H(Q||P).
Direction = Literal["P|Q", "Q|P"]


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error, which is 0 for an exact value."""

    value: float
    standard_error: float


class Pair(Protocol):
    """The two laws P and Q of a run's output on neighbours, with random outputs from both."""

    def losses(self, kappa: float, direction: Direction, above: float = -math.inf) -> Array:
        """Privacy losses: log dP/dQ at outputs from P, or log dQ/dP at outputs from Q, shape (draws,).

        The random numbers are the same for every kappa. If a loss is at most `above`, any number that is also at most
        `above` may stand in its place, because such a loss has no part in divergences at that epsilon or a larger one.
        """


def hockey_stick(losses: Array, eps: float) -> Estimate:
    """Estimates the hockey-stick divergence `E (1 - e^(eps - L))_+` from privacy losses L, shape (N,)."""
    terms = -np.expm1(np.minimum(eps - losses, 0.0))
    return Estimate(float(terms.mean()), float(terms.std(ddof=1) / math.sqrt(len(terms))))
