"""What is timed: workloads, the ways to do them, and what each asks of the machine."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dpdescent.replication.bench import OURS

# Where ours and a peer's floating-point sums are taken in another order.
RTOL, ATOL = 1e-8, 1e-9


@dataclass(frozen=True)
class Cost:
    """What a workload cannot do without.

    Attributes:
        flops: of its matrix products.
        bytes: read from memory or cache where the products are too thin to matter.
        normals: standard normal numbers that are drawn while the clock runs.
    """

    flops: float = 0.0
    bytes: float = 0.0
    normals: float = 0.0


@dataclass(frozen=True)
class Way:
    """One way to do a workload.

    Attributes:
        call: does it, and returns results whose first axis is runs (or data sets, or rows).
        share: the share of the workload that the call does; its time is divided by it.
    """

    call: Callable[[], np.ndarray] = field(repr=False)
    share: float = 1.0


@dataclass(frozen=True)
class Workload:
    """A workload and the ways to do it; the first is ours.

    Attributes:
        name: algorithm and sizes.
        ways: by name.
        cost: what the machine has to do in any way.
    """

    name: str
    ways: dict[str, Way]
    cost: Cost

    def check(self) -> None:
        """Runs every way once, so that compilers are done, and compares its results with ours.

        Raises:
            AssertionError: if a way gives other numbers.
        """
        ours = self.ways[OURS].call()
        for name, way in self.ways.items():
            theirs = np.asarray(way.call())
            np.testing.assert_allclose(
                theirs, ours[: len(theirs)], rtol=RTOL, atol=ATOL, err_msg=f"{self.name}: {name}"
            )

    def seconds(self, rounds: int) -> dict[str, list[float]]:
        """Wall seconds of every way in every round.

        The ways alternate, so that a change of the machine's pace falls on all of them, and ratios are taken within a
        round.
        """
        times: dict[str, list[float]] = {name: [] for name in self.ways}
        for _ in range(rounds):
            for name, way in self.ways.items():
                times[name].append(timed(way.call) / way.share)
        return times


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
