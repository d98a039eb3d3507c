"""Correlated noise by blocked real FFT against the ways it is usually made. Same numbers first, then ratios and memory.

Run it by `make bench`. Normals are drawn beforehand. Times are medians over interleaved repeats on this machine; the
ratio is what carries over.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.signal import fftconvolve
from timing import in_turn

import dpdescent.noise.streams as engine
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.noise.strategies.tree import online_honaker

NU = 0.01


def direct(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Every step's noise as the sum over all earlier steps, as a training loop makes it."""
    return np.array([beta[t::-1] @ normals[: t + 1] for t in range(len(normals))])


def triangular(B: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """The dense product that knows of the zeros above the diagonal."""
    return dtrmm(1.0, B.T, normals.T, side=1, lower=0).T


def peak(way: Callable[[], object]) -> float:
    """Megabytes that a way takes beyond its arguments."""
    tracemalloc.start()
    way()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def compare(T: int, columns: int, share: float, rounds: int) -> str:
    """All ways side by side; the direct sum on a share of the columns, the time of which is scaled up."""
    strategy = nu_family(NU)
    beta, normals = strategy.coefficients(T), np.random.default_rng(0).standard_normal((T, columns))
    some = np.ascontiguousarray(normals[:, : round(share * columns)])

    def ours() -> np.ndarray:
        return engine.correlate(beta, normals)

    B = strategy.decoder(T)

    def dense() -> np.ndarray:
        return B @ normals

    expected = dense()
    np.testing.assert_allclose(ours(), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(triangular(B, normals), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(direct(beta, some), expected[:, : some.shape[1]], rtol=0, atol=1e-12)
    del expected
    fast, product, half, convolved, loop = in_turn(
        rounds,
        (ours, 3),
        (dense, 1),
        (lambda: triangular(B, normals), 1),
        (lambda: fftconvolve(normals, beta[:, None], axes=0)[:T], 1),
        (lambda: direct(beta, some), 1),
    )
    loop *= columns / some.shape[1]
    return (f"T={T}, columns: {columns}: dpdescent {fast:.3f} s, {1e9 * fast / normals.size:.1f} ns a number; ratios:\n"
            f"  direct sum {loop / fast:.1f}, dense product {product / fast:.1f}, triangular product {half / fast:.1f}"
            f", fftconvolve {convolved / fast:.1f}\n"
            f"  peak memory: {peak(ours):.0f} MB, of which noise {normals.nbytes / 2**20:.0f} MB; dense product "
            f"{peak(lambda: strategy.decoder(T) @ normals):.0f} MB")  # fmt: skip


def tree(T: int, columns: int, rounds: int) -> str:
    """Honaker's estimates in a stream against the product with their decoder."""
    strategy = online_honaker()
    m, B = strategy.noises(T), strategy.decoder(T)
    normals = np.random.default_rng(0).standard_normal((m, columns))
    streamed = np.concatenate(list(engine.NoiseStream(strategy, T, columns, np.random.default_rng(0))))
    np.testing.assert_allclose(streamed, B @ normals, rtol=0, atol=1e-11)
    fast, product = in_turn(rounds, (lambda: strategy.correlate(normals), 3), (lambda: B @ normals, 1))
    return (
        f"Honaker, T={T}, columns: {columns}: {fast:.3f} s, dense product {product:.2f} s, ratio {product / fast:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved repeats")
    args = parser.parse_args()
    print(compare(2000, 20_000, 0.1, args.repeats))
    print(compare(400, 13_000, 0.2, args.repeats))
    print(tree(2000, 5000, args.repeats))


if __name__ == "__main__":
    main()
