"""How a user of other tools would write the workloads; each tool counts where it is installed (group `peers`).

All are given their data, their noise and their batches, compute in double precision and run on one thread.
"""

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms.dp_2s_gd import TwoStageArms
from dpdescent.data.iv import IVSample

# X, y, clipping threshold, noise (T, p): the last iterate.
Run = Callable[[np.ndarray, np.ndarray, float, np.ndarray], np.ndarray]
# Sample, arms, normals of both stages, number of runs: their last beta, (runs, p).
TwoStage = Callable[[IVSample, TwoStageArms, np.ndarray, np.ndarray, int], np.ndarray]
# Noise (T, seeds, d), generators of the seeds: mean of F over the last steps, (seeds,).
Stream = Callable[[np.ndarray, list[np.random.Generator]], np.ndarray]
# Coefficients and normals, (T,) and (T, columns): correlated noise.
Correlate = Callable[[np.ndarray, np.ndarray], np.ndarray]
# A generator and a shape: standard normals.
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

# XLA reads this when it starts.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


@dataclass(frozen=True)
class KanData:
    """Data of every seed and settings of `dp_kan`'s workload; shapes as in `lambda_cgd.KANProblem`."""

    features: np.ndarray
    labels: np.ndarray
    start: np.ndarray
    c: np.ndarray
    cells: int
    eta: float
    clip: float
    kappa: float


# Data, seed, batches (T - 1, B), noise (T - 1, m, d p): last weights.
Kan = Callable[[KanData, int, np.ndarray, np.ndarray], np.ndarray]


def installed(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) is not None for package in packages)


def some(count: int, name: str) -> int:
    """How many runs a way does of `count`: all of the fast ways', a share of those that take seconds a run."""
    return count if name.startswith("numba") else max(1, count // 50) if name == "opacus" else max(1, count // 10)


def normals() -> dict[str, Draw]:
    """Ways of drawing numpy's normals, the same bits by each."""
    ways: dict[str, Draw] = {"numpy": lambda rng, shape: rng.standard_normal(shape)}
    if installed("numba"):
        from peers import numba_loops

        ways["numba"] = numba_loops.normals
    return ways


def dp_gd(eta: float) -> dict[str, Run]:
    """Ways of DP-GD at step size `eta`."""
    ways: dict[str, Run] = {}
    if installed("numba"):
        from peers import numba_loops

        ways["numba, fused rows"] = lambda *run: numba_loops.dp_gd(*run, eta)
    if installed("jax", "jax_privacy"):
        from peers import jax_ways

        ways["jax-privacy"] = lambda *run: jax_ways.dp_gd(*run, eta)
    if installed("torch", "opacus"):
        from peers import torch_ways

        ways["opacus"] = lambda *run: torch_ways.dp_gd(*run, eta)
    return ways


def dp_2s_gd(one_instrument: bool) -> dict[str, TwoStage]:
    """Ways of DP-2S-GD; the fused loop is written for p = q = 1, as one would."""
    ways: dict[str, TwoStage] = {}
    if installed("numba") and one_instrument:
        from peers import numba_loops

        ways["numba, fused rows"] = numba_loops.dp_2s_gd
        ways["numba, means where nothing is clipped"] = numba_loops.dp_2s_gd_from_moments
    if installed("jax"):
        from peers import jax_ways

        ways["jax, rank one"] = jax_ways.dp_2s_gd
    return ways


def dp_ftrl(lam: np.ndarray, eta: float, sd: float, tail: int) -> dict[str, Stream]:
    """Ways of Noisy-FTRL on linear regression with spectrum `lam`."""
    if not installed("numba"):
        return {}
    from peers import numba_loops

    return {"numba": lambda noise, rngs: numba_loops.dp_ftrl(noise, rngs, lam, eta, sd, tail)}


def fft_noise(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Correlated noise as scipy makes it in one line, shape of `normals`."""
    from scipy.signal import fftconvolve

    shape = (-1,) + (1,) * (normals.ndim - 1)
    made: np.ndarray = fftconvolve(normals, beta.reshape(shape), axes=0)[: len(normals)]
    return made


def rfft_in_blocks(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Correlated noise by scipy's real FFT, a few columns at a time, shape (T, columns); transforms along rows."""
    from scipy import fft

    T, columns = normals.shape
    size = fft.next_fast_len(2 * T - 1, real=True)
    width = max(1, 2**17 // size)
    response, noise = fft.rfft(beta, size), np.empty(normals.shape)
    for start in range(0, columns, width):
        rows = np.ascontiguousarray(normals[:, start : start + width].T)
        spectrum = fft.rfft(rows, size)
        spectrum *= response
        noise[:, start : start + width] = fft.irfft(spectrum, size, overwrite_x=True)[:, :T].T
    return noise


def correlation() -> dict[str, Correlate]:
    """Ways of correlating noise over time."""
    ways: dict[str, Correlate] = {"scipy fftconvolve": fft_noise, "scipy rfft in blocks": rfft_in_blocks}
    if installed("torch"):
        from peers import torch_ways

        ways["torch FFT"] = torch_ways.correlate
    if installed("jax"):
        from peers import jax_ways

        ways["jax FFT"] = jax_ways.correlate
    return ways


def dp_kan() -> dict[str, Kan]:
    """Ways of DP-SGD on a KAN."""
    ways: dict[str, Kan] = {}
    if installed("numba"):
        from peers import numba_loops

        ways["numba, local splines"] = numba_loops.dp_kan
    if installed("jax", "jax_privacy"):
        from peers import jax_ways

        ways["jax-privacy"] = jax_ways.dp_kan
    return ways
