"""Algorithm 1 of wang2026 on KANs against a plain loop that forms every gradient. Same numbers first.

Run it by `make bench`. Times are medians over interleaved repeats on this machine; the ratio is what carries over.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

import numpy as np
from timing import in_turn

import dpdescent.algorithms.lambda_cgd as engine
from dpdescent.algorithms.samplers import fixed_size
from dpdescent.models.kan import KAN
from dpdescent.models.spline import CubicSplines

MODEL = KAN(4, 64, CubicSplines(5))
ETA, CLIP, KAPPA, LAM, SEEDS, T = 8.0, 0.25, 2.65, 0.5, 10, 100


def problem(n: int) -> tuple[engine.Problem, np.ndarray]:
    """Records of every seed, and the second layers' coefficients."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-0.5, 0.5, (SEEDS, n, 4))
    W, c = (np.stack(layer) for layer in zip(*(MODEL.initial(rng) for _ in range(SEEDS)), strict=True))
    labels = np.where(np.sin(np.pi * x) @ [1, -1, 1, -1] > 0, 1.0, -1.0)
    return engine.Problem(MODEL, MODEL.features(x), labels, W, MODEL.heads(c)), c


def batches(n: int, B: int, seed: int) -> list[np.ndarray]:
    return list(fixed_size(n, B, T, np.random.default_rng(seed)))


def normals(seed: int) -> np.random.Generator:
    return np.random.default_rng(1000 + seed)


def fast(
    given: engine.Problem, B: int, count: int = 1, test: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """Last weights of the first arm, shape (seeds, m, d p)."""
    one, n = np.ones(count), given.labels.shape[1]
    arms = engine.Arms(ETA * one, CLIP * one, KAPPA * one, LAM * one, np.inf * one)
    chosen = None if n == B else zip(*(batches(n, B, seed) for seed in range(SEEDS)), strict=True)
    rngs = [normals(seed) for seed in range(SEEDS)]
    return engine.run(given, arms, chosen, rngs, steps=T, test=test).final[:, 0]


def plain(given: engine.Problem, c: np.ndarray, B: int) -> np.ndarray:
    """wang2026 Algorithm 1 by its lines, seed after seed; gradients of a batch are rows of one array."""
    splines, d, m, n = MODEL.splines, MODEL.inputs, MODEL.width, given.labels.shape[1]
    last = []
    for seed in range(SEEDS):
        W, Z_before, rng = given.start[seed].copy(), np.zeros(given.start[seed].shape), normals(seed)
        chosen = [np.arange(n)] * T if n == B else batches(n, B, seed)
        for rows in chosen[:-1]:
            h, y = given.features[seed, rows], given.labels[seed, rows]
            u = np.tanh(h @ W.T / np.sqrt(d))
            f = np.einsum("ijk,jk->i", splines.values(u), c[seed]) / np.sqrt(m)
            S = (1 - u**2) * np.einsum("ijk,jk->ij", splines.first(u), c[seed]) / np.sqrt(m * d)
            slope = -y / (1 + np.exp(y * f))
            gradients = ((slope[:, None] * S)[:, :, None] * h[:, None, :]).reshape(B, -1)
            gradients *= np.minimum(1.0, CLIP / np.linalg.norm(gradients, axis=1))[:, None]
            Z = rng.standard_normal(W.shape)
            v = gradients.mean(axis=0).reshape(W.shape)
            W -= ETA * (v + CLIP * KAPPA / B * (Z - LAM * Z_before))
            Z_before = Z
        last.append(W)
    return np.stack(last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of interleaved repeats (default: %(default)s)")
    rounds = parser.parse_args().rounds
    print(f"KAN by DP-SGD with correlated noise, m = 64, d = 4, p = 8, T = {T}, {SEEDS} seeds, against a plain loop")
    for n, B in ((1000, 100), (200, 200), (200, 2)):
        given, c = problem(n)
        np.testing.assert_allclose(fast(given, B), plain(given, c, B), rtol=1e-9, atol=1e-9)
        ways = {
            "1 arm": (1, None), "8 arms": (8, None),
            "1 arm, and the loss at 100 test points in every step": (1, (given.features, given.labels)),
        }  # fmt: skip
        timed = [lambda g=given, B=B, way=way: fast(g, B, *way) for way in ways.values()]
        loop, *ours = in_turn(rounds, (lambda g=given, c=c, B=B: plain(g, c, B), 1), *((way, 2) for way in timed))
        for (name, (arms, _)), seconds in zip(ways.items(), ours, strict=True):
            print(f"  n={n} B={B}, {name}: {1e3 * seconds:.0f} ms, {arms * loop / seconds:.1f} times the loop's speed")


if __name__ == "__main__":
    main()
