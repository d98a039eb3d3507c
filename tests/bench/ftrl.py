"""Noisy-FTRL on a stream against a textbook loop over seeds and steps, on the same noise. Same numbers, then ratios.

Run it by `make bench`. Times are medians over interleaved repeats on this machine; the ratio is what carries over. The
inputs are drawn on both sides, because no run is without; how long that takes by itself is told.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

import numpy as np
from timing import in_turn

import dpdescent.algorithms.dp_ftrl as engine

T, D, SEEDS, TAIL, ETA, SD = 16_000, 128, 10, 4_000, 0.02, 0.1
LAM = 1.0 / np.arange(1, D + 1)


def generators() -> list[np.random.Generator]:
    return [np.random.Generator(np.random.PCG64(seed)) for seed in range(SEEDS)]


def textbook(eta: float, clip_norm: float, noise: np.ndarray, tail: int) -> np.ndarray:
    """Mean of F over the last `tail` steps of every seed, by choquettechoo2023 Algorithm 1; noise (T, seeds, d)."""
    root, means = np.sqrt(LAM), []
    for seed, rng in enumerate(generators()):
        # The engine draws the residuals' noise first; without any, it is drawn for nothing.
        rng.standard_normal(len(noise))
        theta, total = np.zeros(D), 0.0
        for t in range(len(noise)):
            x = root * rng.standard_normal(D)
            gradient = (x @ theta) * x
            if clip_norm < np.inf:
                gradient *= min(1.0, clip_norm / max(float(np.linalg.norm(gradient)), 1e-300))
            theta = theta - eta * (gradient + SD * noise[t, seed])
            if t >= len(noise) - tail:
                total += 0.5 * float(LAM @ theta**2)
        means.append(total / tail)
    return np.array(means)


def fast(etas: np.ndarray, clip_norm: float, noise: np.ndarray, tail: int) -> np.ndarray:
    """The same for every learning rate, shape (arms, seeds)."""
    arms = engine.Arms(etas, np.full(len(etas), clip_norm), np.full(len(etas), SD))
    runs = engine.regression(LAM, arms, np.zeros(D), len(noise), generators(), noise[:, None], tail=tail)
    return runs.tail_mean


def draw(steps: int) -> None:
    """The inputs and nothing else."""
    x = np.empty((50, D))
    for rng in generators():
        for _ in range(0, steps, 50):
            rng.standard_normal(out=x)


def report(arms: int, clip_norm: float, steps: int, rounds: int) -> None:
    """One line; the loop runs one arm, the time of which is scaled up."""
    noise = np.random.default_rng(1).standard_normal((steps, SEEDS, D))
    etas, tail = ETA * np.linspace(1.0, 0.5, arms), TAIL * steps // T
    ours = fast(etas, clip_norm, noise, tail)
    for a in {0, arms - 1}:
        np.testing.assert_allclose(ours[a], textbook(float(etas[a]), clip_norm, noise, tail), rtol=1e-9)
    quick, loop, drawing = in_turn(
        rounds,
        (lambda: fast(etas, clip_norm, noise, tail), 3),
        (lambda: textbook(ETA, clip_norm, noise, tail), 1),
        (lambda: draw(steps), 3),
    )
    print(f"d={D}, T={steps}, seeds: {SEEDS}, arms: {arms}, clip norm {clip_norm:g}: dpdescent {quick:.3f} s, "
          f"textbook loop {arms * loop:.2f} s, ratio {arms * loop / quick:.1f}\n"
          f"  of which drawing the inputs once: {drawing:.3f} s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved repeats")
    args = parser.parse_args()
    for arms, clip_norm, steps in ((1, np.inf, T), (1, 0.5, T), (2, np.inf, T), (20, np.inf, T // 10)):
        report(arms, clip_norm, steps, args.repeats)


if __name__ == "__main__":
    main()
