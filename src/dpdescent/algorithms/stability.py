"""A test of whether the iterates of a noisy descent have left the stable region, from the iterates alone.

The result is computed from noisy iterates, which the privacy account covers, so that it costs nothing.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Limits on the second half of a run's steps: on the turn between steps, on the ratio of their sizes, and on their size
# divided by the noise. Stable descents of 100 simulated settings had turns above -0.6, or steps that shrink, or steps
# of at most 6 times their noise; with step sizes of 1.5 times the limit and more, all three were exceeded.
TURNS, KEEPS, NOISES = -0.6, 0.9, 6.0

# Smallest number of steps in which a pattern can be seen.
FEWEST = 4


def has_diverged(path: Array, noise_sd: float) -> bool:
    """Whether the iterates oscillate without shrinking, by steps far larger than their noise.

    If the step size exceeds 2 divided by the curvature, every step overshoots by more than the one before, until
    clipping bounds it. A stable descent turns back only by steps that shrink, or that are of the size of their noise.

    Args:
        path: iterates 0 to T, shape (T + 1, ...).
        noise_sd: sd of the noise that one step adds to each number of an iterate.
    """
    steps = np.diff(path.reshape(len(path), -1), axis=0)
    if len(steps) < FEWEST:
        return False
    late = steps[len(steps) // 2 :] if len(steps) >= 6 else steps
    # Divided by the largest step, because squares of diverging steps could overflow.
    scaled = late / max(np.abs(late).max(), np.finfo(np.float64).tiny)
    sizes = np.sqrt((scaled**2).sum(1))
    turn = (scaled[1:] * scaled[:-1]).sum() / np.sqrt((sizes[1:] ** 2).sum() * (sizes[:-1] ** 2).sum())
    half = len(sizes) // 2
    keeps = np.sqrt((sizes[half:] ** 2).mean()) > KEEPS * np.sqrt((sizes[:half] ** 2).mean())
    large = np.sqrt((scaled**2).mean()) * np.abs(late).max() > NOISES * noise_sd
    return bool(turn < TURNS and keeps and large)
