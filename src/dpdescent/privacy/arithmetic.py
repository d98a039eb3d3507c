"""The arithmetic of releases: floating point, or exact, in integers with discrete noise.

This is a module apart from `events`, because a new field of `Mechanism` would count as a change of all code that trains
with an event, and all of that code is in floating point.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from dpdescent.privacy.events import Mechanism

# Arithmetics from the worst to the best.
Arithmetic = Literal["floating point", "exact"]


@dataclass(frozen=True)
class ExactMechanism(Mechanism):
    """Releases of sums of integers with discrete Gaussian noise (`exact_sums`), with the cost of a run on a machine.

    The cost leaves out `exact_sums.LEFT_OUT`. For discrete noise rho is known, but no tight epsilon.

    Attributes:
        arithmetic: always `exact`. Other mechanisms have no such attribute, and `arithmetic_of` returns `floating
            point` for them: their `proved` means proved in exact arithmetic.

    Raises:
        ValueError: as for `Mechanism`, or if there are releases that have no rho.
    """

    arithmetic: Arithmetic = field(default="exact", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        amplified = self.is_subsampled or self.is_shuffled or self.is_correlated
        if amplified or self.is_sketched or self.is_epsilon_delta:
            raise ValueError(
                f"{self.name} has amplified or correlated releases, sketches or ones proved by (epsilon, delta), of "
                "which no account with discrete noise is known: take a Mechanism"
            )

    def to_dp_event(self) -> Any:
        """The mechanism as a zCDP `DpEvent` of dp-accounting, because its events of Gaussian noise are continuous."""
        import dp_accounting

        # A mechanism without releases has no noise at all; its cost is not 0.
        return dp_accounting.ZCDpEvent(self.rho) if self.releases else super().to_dp_event()


def arithmetic_of(event: Mechanism) -> Arithmetic:
    """The arithmetic of a mechanism."""
    return event.arithmetic if isinstance(event, ExactMechanism) else "floating point"
