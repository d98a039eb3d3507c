"""DP-SSGD: one pass over shuffled records, with one noisy clipped gradient per step (varshney2022 Algorithm 1).

This is for linear regression with a clipping threshold that is fixed beforehand. `dp_ftrl.single_pass` makes the steps,
with independent noise. The tests contain a plain loop with the same results.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_ftrl
from dpdescent.algorithms.dp_ambssgd import require_labels, require_records, tail_length
from dpdescent.algorithms.sgd_arms import SGDArm

Array = NDArray[np.float64]

# Number of steps whose normals are drawn at once, because the normals of all steps would need much memory.
STEPS = 4096


@dataclass(frozen=True)
class Pass:
    """Results of N steps on one record each.

    Attributes:
        average: mean of the last floor(tail N) iterates (one at least), shape (arms, d).
        last: w_N, shape (arms, d).
        clipped: share of the gradients that were clipped, shape (arms,).
    """

    average: Array
    last: Array
    clipped: Array


def descend(X: Array, Y: Array, arms: Sequence[SGDArm], rng: np.random.Generator, tail: float = 0.5) -> Pass:
    """Runs Algorithm 1 from w_0 = 0: `w <- w - eta (clipped gradient of one record + 2 alpha zeta g_t)`, N steps.

    Args:
        X: inputs, shape (N, d).
        Y: labels, one column each, shape (N, labels).
        arms: settings of the runs, with fixed thresholds; they share records, their order and the normals g_t.
        rng: generator of the secret, uniformly random order of the records, and after it of the normals.
        tail: share of the iterates w_1..w_N that is averaged, in (0, 1].

    Raises:
        ValueError: if there is no arm or record, shapes do not fit, or a threshold is adaptive.
    """
    require_records(X, Y)
    require_labels(arms, Y)
    zeta = np.array([arm.fixed_threshold() for arm in arms])
    limits = np.where([arm.clips for arm in arms], zeta, np.inf)
    noise_sd = np.array([arm.noise_sd(z, 1) for arm, z in zip(arms, zeta.tolist(), strict=True)])
    settings = dp_ftrl.FTRLArms(np.array([arm.eta for arm in arms]), limits, noise_sd)
    order = rng.permutation(len(X))
    labels = Y[order[:, None], [arm.label for arm in arms]]
    noise = _normals(rng, *X.shape)
    runs = dp_ftrl.single_pass(X[order], labels, settings, np.zeros(X.shape[1]), noise, tail=tail_length(tail, len(X)))
    return Pass(runs.average[:, 0], runs.theta[:, 0], runs.clipped[:, 0])


def _normals(rng: np.random.Generator, steps: int, d: int) -> Iterator[Array]:
    """Yields standard normals of all steps in blocks, shape (steps of the block, 1, 1, d)."""
    for start in range(0, steps, STEPS):
        yield rng.standard_normal((min(STEPS, steps - start), 1, 1, d))
