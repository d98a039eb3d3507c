"""Correlated noise by blocked real FFT against the ways it is usually made; normals are drawn beforehand."""

import numpy as np
import peers
from workload import Cost, Way, Workload

from dpdescent.noise import streams
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.replication.drawing.bench_figure import OURS, TEXTBOOK

NU = 0.01


def direct(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Every step's noise as the sum over all earlier steps, as a training loop makes it; columns are runs."""
    return np.array([beta[t::-1] @ normals[: t + 1] for t in range(len(normals))]).T


def workload(steps: int, columns: int, share: float) -> Workload:
    beta, normals = nu_family(NU).coefficients(steps), np.random.default_rng(0).standard_normal((steps, columns))
    some = np.ascontiguousarray(normals[:, : round(share * columns)])
    return Workload(
        f"correlated noise, T={steps}, {columns} columns",
        {
            OURS: Way(lambda: streams.correlate(beta, normals).T),
            TEXTBOOK: Way(lambda: direct(beta, some), some.shape[1] / columns),
            **{name: Way(lambda way=way: way(beta, normals).T) for name, way in peers.correlation().items()},
        },
        # Read and written once.
        Cost(bytes=2.0 * normals.nbytes),
    )


def workloads() -> list[Workload]:
    return [workload(16_000, 1280, 0.02), workload(2000, 20_000, 0.05)]
