"""Whether the iterates of a noisy descent have left the region where it is stable, told from the iterates alone.

What is told is computed from noisy iterates, which the privacy account covers, so that it costs nothing.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Limits on the second half of a run's steps. Stable descents of 100 simulated settings had turns above -0.6, or steps
# that shrink, or steps of at most 6 times their noise; step sizes from 1.5 times the limit on were beyond all three.
TURNS, KEEPS, NOISES = -0.6, 0.9, 6.0

# Steps from which a pattern can be seen.
FEWEST = 4


def has_diverged(path: Array, noise_sd: float) -> bool:
    """Whether the iterates oscillate without shrinking, by steps far larger than their noise.

    Beyond a step size of 2 over the curvature every step overshoots by more than the last one, until clipping bounds
    it. A stable descent turns back only by steps that shrink, or that are of the size of their noise.

    Args:
        path: iterates 0 to T, shape (T + 1, ...).
        noise_sd: sd of the noise that one step adds to each number of an iterate.
    """
    steps = np.diff(path.reshape(len(path), -1), axis=0)
    if len(steps) < FEWEST:
        return False
    late = steps[len(steps) // 2 :] if len(steps) >= 6 else steps
    # On the scale of the largest, because squares of steps that diverge could overflow.
    scaled = late / max(np.abs(late).max(), np.finfo(np.float64).tiny)
    sizes = np.sqrt((scaled**2).sum(1))
    turn = (scaled[1:] * scaled[:-1]).sum() / np.sqrt((sizes[1:] ** 2).sum() * (sizes[:-1] ** 2).sum())
    half = len(sizes) // 2
    keeps = np.sqrt((sizes[half:] ** 2).mean()) > KEEPS * np.sqrt((sizes[:half] ** 2).mean())
    large = np.sqrt((scaled**2).mean()) * np.abs(late).max() > NOISES * noise_sd
    return bool(turn < TURNS and keeps and large)
