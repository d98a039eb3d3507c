"""Rates of this machine with numpy, on one thread: what no way of doing a workload in numpy can exceed."""

import statistics
from dataclasses import dataclass

import numpy as np
from workload import Cost, timed


@dataclass(frozen=True)
class Machine:
    """Rates a second.

    Attributes:
        flops: of a square matrix product in double precision with the pinned kernel.
        bytes: read from memory by a sum.
        normals: drawn by numpy's fastest generator.
    """

    flops: float
    bytes: float
    normals: float

    @classmethod
    def measured(cls) -> "Machine":
        """Takes the best of several tries, because limits are to be limits."""
        a, b = np.ones((2, 1024, 1024))
        row, rng = np.ones(1 << 24), np.random.Generator(np.random.SFC64(1))
        return cls(
            2.0 * 1024**3 / min(timed(lambda: a @ b) for _ in range(5)),
            row.nbytes / min(timed(row.sum) for _ in range(5)),
            1e6 / statistics.median(timed(lambda: rng.standard_normal(1_000_000)) for _ in range(5)),
        )

    def limit(self, cost: Cost) -> float:
        """Seconds that a workload takes at least: numbers drawn, and then products or reading, whichever is more."""
        return cost.normals / self.normals + max(cost.flops / self.flops, cost.bytes / self.bytes)
