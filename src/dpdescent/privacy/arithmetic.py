"""In which arithmetic releases are made: in floating point, or exactly, in integers with discrete noise.

Apart from `events`, because a field of `Mechanism` would be a change of all code that trains with an event, and all of
that is in floating point.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from dpdescent.privacy.events import Mechanism

# From the worst to the best.
Arithmetic = Literal["floating point", "exact"]


@dataclass(frozen=True)
class ExactMechanism(Mechanism):
    """Releases of sums of integers with discrete Gaussian noise (`exact_sums`): their cost is that of a machine's run.

    The cost leaves out `exact_sums.LEFT_OUT`. Of discrete noise rho is known, and no tight epsilon.

    Attributes:
        arithmetic: `exact`. Another mechanism has none, and `arithmetic_of` says `floating point`: what is `proved` of
            it is proved in exact arithmetic.

    Raises:
        ValueError: as for others, or if there are subsampled, shuffled or correlated releases, or sketches.
    """

    arithmetic: Arithmetic = field(default="exact", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.is_subsampled or self.is_shuffled or self.is_correlated or self.is_sketched:
            raise ValueError(
                f"{self.name} has amplified or correlated releases or sketches, of which no account with discrete "
                "noise is known: take a Mechanism"
            )

    def to_dp_event(self) -> Any:
        """The mechanism as a `DpEvent` of dp-accounting, of zCDP: its events of Gaussian noise are continuous."""
        import dp_accounting

        return dp_accounting.ZCDpEvent(self.rho)


def arithmetic_of(event: Mechanism) -> Arithmetic:
    """The arithmetic of a mechanism."""
    return event.arithmetic if isinstance(event, ExactMechanism) else "floating point"
