"""Correlated noise by blocked real FFT against the ways it is usually made, with and without drawing the normals."""

from functools import partial

import numpy as np
import peers
from workload import Cost, Way, Workload

from dpdescent.noise import streams
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.replication.bench import OURS, TEXTBOOK

NU = 0.01


def direct(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Every step's noise as the sum over all earlier steps, as a training loop makes it; shape of the normals."""
    return np.array([beta[t::-1] @ normals[: t + 1] for t in range(len(normals))])


def given(steps: int, columns: int, share: float) -> Workload:
    """Noise of normals that were drawn beforehand."""
    beta, normals = nu_family(NU).coefficients(steps), generator().standard_normal((steps, columns))
    some = np.ascontiguousarray(normals[:, : round(share * columns)])
    return Workload(
        f"correlated noise, T={steps}, {columns} columns",
        {
            OURS: Way(lambda: streams.correlate(beta, normals).T),
            TEXTBOOK: Way(lambda: direct(beta, some).T, some.shape[1] / columns),
            **{name: Way(lambda way=way: way(beta, normals).T) for name, way in peers.correlation().items()},
        },
        # Read and written once.
        Cost(bytes=2.0 * normals.nbytes),
    )


def drawn(steps: int, columns: int) -> Workload:
    """Noise with its normals, by every way of drawing them and every way of correlating."""
    beta, shape = nu_family(NU).coefficients(steps), (steps, columns)

    def ours() -> np.ndarray:
        normals = generator().standard_normal(shape)
        return streams.correlate(beta, normals, out=normals).T

    def theirs(draw: peers.Draw, way: peers.Correlate) -> np.ndarray:
        return way(beta, draw(generator(), shape)).T

    ways = {
        name if tool == "numpy" else f"{tool} normals, {name}": Way(partial(theirs, draw, way))
        for name, way in peers.correlation().items()
        for tool, draw in peers.normals().items()
    }
    return Workload(
        f"correlated noise with its normals, T={steps}, {columns} columns",
        {OURS: Way(ours), **ways},
        Cost(normals=float(steps * columns)),
    )


def generator() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(0))


def workloads() -> list[Workload]:
    sizes = ((16_000, 1280, 0.02), (2000, 20_000, 0.05))
    return [given(*each) for each in sizes] + [drawn(steps, columns) for steps, columns, _ in sizes]
