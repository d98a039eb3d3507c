"""DP-GD of brown2024 on many small data sets and on a large one."""

from functools import partial

import numpy as np
import peers
from workload import Cost, Way, Workload

import dpdescent.algorithms.dp_gd as engine
from dpdescent.data.linear import LinearSample, draw_linear, unit_sphere
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.zcdp import gaussian_noise_sd
from dpdescent.replication.bench import OURS, TEXTBOOK

T, ETA, RHO = 20, 0.25, 0.015


def textbook(X: np.ndarray, y: np.ndarray, gamma: float, noise: np.ndarray) -> np.ndarray:
    """theta_T by brown2024 Algorithm 1 as it is written; noise of this run, shape (T, p)."""
    theta = np.zeros(X.shape[1])
    for z in noise:
        gradients = -X * (y - X @ theta)[:, None]
        norms = np.sqrt((gradients**2).sum(1))
        gradients *= np.minimum(1.0, gamma / np.maximum(norms, 1e-300))[:, None]
        theta = theta - ETA * (gradients.mean(0) - z)
    return theta


def draw(n: int, p: int, sets: int) -> list[LinearSample]:
    """Data sets of brown2024 Sec. 4."""
    rng = np.random.default_rng(0)
    return [draw_linear(unit_sphere(p, rng), n, rng) for _ in range(sets)]


def draw_by(normals: peers.Draw, n: int, p: int, sets: int) -> list[LinearSample]:
    """The same data sets by another way of drawing normals."""
    rng, samples = np.random.default_rng(0), []
    for _ in range(sets):
        theta, X = unit_sphere(p, rng), normals(rng, (n, p))
        samples.append(LinearSample(X, X @ theta + normals(rng, (n,))))
    return samples


def fast(samples: list[LinearSample], arms: engine.DPGDArms, normals: np.ndarray) -> np.ndarray:
    """All runs from the bare arrays, because a sample keeps its statistics and would bring them along."""
    again = [LinearSample(sample.X, sample.y) for sample in samples]
    return engine.descend(again, arms, normals).theta[:, 0]


def drawing(way: str) -> str:
    """The tool whose normals a way uses: its own, where it has numpy's."""
    return next((tool for tool in peers.normals() if way.startswith(tool)), "numpy")


def workload(n: int, p: int, sets: int, drawn: bool) -> Workload:
    gamma = 5.0 * float(np.sqrt(p))
    sd = gaussian_noise_sd(mean_sensitivity(gamma, n), RHO, T)
    arms, normals = (
        engine.DPGDArms.alike(1, T, ETA, gamma, sd),
        np.random.default_rng(1).standard_normal((T, sets, 1, p)),
    )
    given, noise, some = draw(n, p, sets), sd * normals[:, :, 0], max(1, sets // 10)

    def data(count: int, tool: str = "numpy") -> list[LinearSample]:
        return draw_by(peers.normals()[tool], n, p, count) if drawn else given[:count]

    def one_by_one(way: peers.Run, count: int, tool: str = "numpy") -> np.ndarray:
        return np.stack([way(each.X, each.y, gamma, noise[:, d]) for d, each in enumerate(data(count, tool))])

    ways = {
        OURS: Way(lambda: fast(draw(n, p, sets) if drawn else given, arms, normals)),
        TEXTBOOK: Way(partial(one_by_one, textbook, some), some / sets),
        **{name: Way(partial(one_by_one, way, share := peers.some(sets, name), drawing(name)), share / sets)
           for name, way in peers.dp_gd(ETA).items()},
    }  # fmt: skip
    cost = Cost(bytes=8.0 * n * p * sets * (0 if drawn else 1), normals=n * (p + 1) * sets if drawn else 0)
    return Workload(f"DP-GD, n={n}, p={p}, T={T}, {sets} data sets{', drawn too' if drawn else ''}", ways, cost)


def workloads() -> list[Workload]:
    """Reading the data once is the least: the second moments of one pass suffice where few records are clipped."""
    return [workload(20_000, 10, 100, drawn=False), workload(20_000, 10, 100, drawn=True),
            workload(300_000, 100, 1, drawn=False)]  # fmt: skip
