"""DP-AMBSSGD against a textbook loop that forms every gradient, and its time against N d. Same numbers first.

Run it by `make bench`. Times are medians over interleaved repeats on this machine; the ratio is what carries over, and
the exponent of the time in N d, of which varshney2022 says that it is one.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

import numpy as np
from timing import in_turn, measured

import dpdescent.algorithms.dp_ambssgd as engine
from dpdescent.algorithms.dp_stat import Search

T, ALPHA, LEVELS = 8, 4.2, 20


def arm_of(N: int, d: int) -> engine.Arm:
    m = N // T
    b = m - m // 11
    clipping = engine.Adaptive(Search(5.0, LEVELS, ALPHA), m // 11, 1.25 * (d + 2) ** 0.5)
    return engine.Arm(b / (d + 1 + b), ALPHA, clipping)


def records(N: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, d))
    return X, (X.sum(axis=1) / d**0.5 + 0.1 * rng.standard_normal(N))[:, None]


def fast(X: np.ndarray, Y: np.ndarray, arms: int) -> np.ndarray:
    """Tail averages, shape (arms, d)."""
    N, d = X.shape
    normals = engine.Normals.draw(np.random.default_rng(2), T, d, LEVELS)
    batches = engine.batches_of(X, Y, T, np.random.default_rng(3))
    return engine.descend(batches, [arm_of(N, d)] * arms, normals).average


def textbook(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """varshney2022 Algorithm 2 with the corrected rule, by its lines."""
    N, d = X.shape
    arm, order, m = arm_of(N, d), np.random.default_rng(3).permutation(N), N // T
    normals = engine.Normals.draw(np.random.default_rng(2), T, d, LEVELS)
    search, s = arm.clipping.search, arm.clipping.stat_size
    w, iterates = np.zeros(d), []
    for t in range(T):
        x, y = X[order[t * m : (t + 1) * m]], Y[order[t * m : (t + 1) * m], 0]
        gamma = search.thresholds[-1]
        for i in range(LEVELS):
            count = (np.abs(x[:s] @ w - y[:s]) <= search.thresholds[i]).sum()
            if count + search.noise_sd * normals.counts[t, 0, i] >= search.enough(s):
                gamma = search.thresholds[i]
                break
        zeta = arm.clipping.scale * gamma
        gradients = (x[s:] @ w - y[s:])[:, None] * x[s:]
        gradients *= np.minimum(1.0, zeta / np.maximum(np.linalg.norm(gradients, axis=1), 1e-300))[:, None]
        noise = 2.0 * arm.noise_multiplier * zeta / (m - s) * normals.gradient[t, 0]
        w = w - arm.eta * (gradients.mean(axis=0) + noise)
        iterates.append(w)
    return np.mean(iterates[T // 2 :], axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of interleaved repeats (default: %(default)s)")
    rounds = parser.parse_args().rounds
    print("DP-AMBSSGD, T = 8, against a loop that forms every gradient")
    for N, d in ((100_000, 10), (1_000_000, 10), (100_000, 100)):
        X, Y = records(N, d)
        np.testing.assert_allclose(fast(X, Y, 1)[0], textbook(X, Y), rtol=1e-9)
        for arms in (1, 8):
            loop, ours = in_turn(
                rounds, (lambda X=X, Y=Y: textbook(X, Y), 1), (lambda X=X, Y=Y, a=arms: fast(X, Y, a), 1)
            )
            print(f"  N={N} d={d}, {arms} arms: {1e3 * ours:.0f} ms, {arms * loop / ours:.1f} times the loop's speed")
    sizes = [(N, d) for N in (50_000, 200_000, 800_000) for d in (10, 40)]
    data = {size: records(*size) for size in sizes}
    times = [measured(lambda size=size: fast(*data[size], 1), rounds) for size in sizes]
    slope = np.polyfit(np.log([N * d for N, d in sizes]), np.log(times), 1)[0]
    print(f"  time against N d, from {5e5:.0e} to {3.2e7:.1e}: exponent {slope:.2f} (O(N d) says 1)")


if __name__ == "__main__":
    main()
