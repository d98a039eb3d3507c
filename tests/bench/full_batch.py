"""DP-GD against a textbook loop: one run at a time, every per-sample gradient formed. Same numbers first, then ratios.

Run it by `make bench`. Times are medians over interleaved repeats on this machine; the ratio is what carries over.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
from unittest.mock import patch

import numpy as np
from timing import in_turn

import dpdescent.algorithms.dp_gd as engine
from dpdescent.data.linear import LinearSample, draw_linear, unit_sphere
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.zcdp import gaussian_noise_sd

T, ETA, RHO = 20, 0.25, 0.015


def textbook(sample: LinearSample, arms: engine.Arms, normals: np.ndarray) -> np.ndarray:
    """theta_T by brown2024 Algorithm 1 as it is written; normals of this run, shape (T, p)."""
    theta = np.zeros(sample.p)
    for z in arms.noise_sd[0] * normals:
        gradients = -sample.X * (sample.y - sample.X @ theta)[:, None]
        norms = np.sqrt((gradients**2).sum(1))
        gradients *= np.minimum(1.0, arms.gamma[0] / np.maximum(norms, 1e-300))[:, None]
        theta = theta - arms.eta[0] * (gradients.mean(0) - z)
    return theta


def draw(n: int, p: int, sets: int) -> list[LinearSample]:
    """Data sets of brown2024 Sec. 4."""
    rng = np.random.default_rng(0)
    return [draw_linear(unit_sphere(p, rng), n, rng) for _ in range(sets)]


def fast(samples: list[LinearSample], arms: engine.Arms, normals: np.ndarray) -> engine.Descent:
    """All runs, from the bare arrays: a sample keeps its statistics, so every run of the clock has to make new ones."""
    return engine.descend([LinearSample(sample.X, sample.y) for sample in samples], arms, normals)


@patch.object(engine, "MANY", -1.0)
def unscreened(samples: list[LinearSample], arms: engine.Arms, normals: np.ndarray) -> engine.Descent:
    """All runs by passes over all rows. These need no moments, so the samples come with their statistics."""
    return engine.descend(samples, arms, normals)


def compare(samples: list[LinearSample], arms: engine.Arms, normals: np.ndarray, share: float, rounds: int) -> str:
    """The ways side by side; the loop on a share of the data sets, the time of which is scaled up."""
    some = range(max(1, round(share * len(samples))))
    ours, plain, loop, drawing = in_turn(
        rounds,
        (lambda: fast(samples, arms, normals), 3),
        (lambda: unscreened(samples, arms, normals), 1),
        (lambda: [textbook(samples[d], arms, normals[:, d, 0]) for d in some], 1),
        (lambda: draw(samples[0].n, samples[0].p, len(samples)), 1),
    )
    loop *= len(samples) / len(some)
    return (f"dpdescent {ours:.4f} s, textbook loop {loop:.2f} s, ratio {loop / ours:.0f}\n"
            f"  with data generation, {drawing:.2f} s, on both sides: ratio {(loop + drawing) / (ours + drawing):.1f}\n"
            f"  without screening: {plain:.2f} s, {plain / ours:.1f} times as long")  # fmt: skip


def check(samples: list[LinearSample], arms: engine.Arms, normals: np.ndarray) -> None:
    """Raises unless all ways give the same numbers."""
    ours, plain = fast(samples, arms, normals).theta, unscreened(samples, arms, normals).theta
    np.testing.assert_allclose(plain, ours, rtol=0, atol=1e-10)
    for d in range(min(3, len(samples))):
        np.testing.assert_allclose(textbook(samples[d], arms, normals[:, d, 0]), ours[d, 0], rtol=0, atol=1e-10)


def report(n: int, p: int, sets: int, share: float, rounds: int) -> None:
    """One line a threshold."""
    samples, normals = draw(n, p, sets), np.random.default_rng(1).standard_normal((T, sets, 1, p))
    for factor in (5, 3):
        gamma = factor * float(np.sqrt(p))
        arms = engine.Arms.alike(1, T, ETA, gamma, gaussian_noise_sd(mean_sensitivity(gamma, n), RHO, T))
        check(samples, arms, normals)
        times = compare(samples, arms, normals, share, rounds)
        print(f"n={n}, p={p}, T={T}, gamma={factor} sqrt(p), data sets: {sets}: {times}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved repeats")
    args = parser.parse_args()
    report(20_000, 10, 100, 0.2, args.repeats)
    report(300_000, 100, 1, 1.0, args.repeats)


if __name__ == "__main__":
    main()
