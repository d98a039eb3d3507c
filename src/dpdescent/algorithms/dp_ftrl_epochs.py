"""DP-FTRL in epochs: a classifier trained on the same batches again and again (choquettechoo2023 Sec. 4, App. G).

This is Algorithm 1 with mini-batches: the clipped gradients of a batch are summed, correlated noise is added, and
momentum is applied afterwards. Arms share batches and noise. As in `dp_ftrl`, the correlated noise is an argument.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl import Noise, blocks_of, require_one_each
from dpdescent.checks import require_finite_values, require_non_negative, require_positive
from dpdescent.models.classifiers import Classifier

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class EpochArms:
    """Settings of training runs that share batches and noise.

    Attributes:
        learning_rate: learning rates, shape (arms,).
        noise_multiplier: sd of the noise on the sum of gradients, divided by the clip norm, shape (arms,); 0 switches
            the noise off.
        momentum: momentum factors, shape (arms,), in [0, 1).
    """

    learning_rate: Array
    noise_multiplier: Array
    momentum: Array

    def __post_init__(self) -> None:
        settings = {"learning_rate": self.learning_rate, "noise_multiplier": self.noise_multiplier}
        require_one_each(**settings, momentum=self.momentum)
        require_positive(learning_rate=self.learning_rate.min())
        require_non_negative(noise_multiplier=self.noise_multiplier.min(), momentum=self.momentum.min())
        if not self.momentum.max() < 1.0:
            raise ValueError(f"momentum={self.momentum.max()} must be below 1")

    def __len__(self) -> int:
        return len(self.learning_rate)

    @classmethod
    def joined(cls, parts: Sequence["EpochArms"]) -> "EpochArms":
        """Returns the arms of all parts, in order."""
        return cls(*(
            np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)
        ))  # fmt: skip


def train(
    model: Classifier, inputs: NDArray[Any], labels: NDArray[Any], batches: Sequence[Index], arms: EpochArms,
    noise: Noise, *, start: Array, steps: int, batch_size: int, clip_norm: float, cool_down: float = 0.0,
) -> Array:  # fmt: skip
    """Trains one model per arm: `v <- momentum v + g~`, `theta <- theta - lr_t v`.

    Here g~ is the sum of the clipped gradients of a batch plus `noise_multiplier clip_norm w~_t`, divided by the batch
    size, which is constant even where batches vary. Momentum costs no privacy because it is applied after the noise. An
    arm's result does not depend on the other arms, to the last bit.

    Args:
        model: classifier that sums the clipped gradients of the losses of records.
        inputs, labels: records along the first axis.
        batches: rows of each step's batch, in order, repeated until all steps are made; see `samplers`.
        arms: settings of the runs.
        noise: correlated noise, shape (at least T, arms or 1, parameters), or consecutive blocks of it along the first
            axis. None where every noise multiplier is 0.
        start: initial parameters, shape (parameters,) or (arms, parameters).
        steps: number of steps T.
        batch_size: divisor of the sums of gradients.
        clip_norm: clipping threshold G; inf switches clipping off, and then no arm may have noise.
        cool_down: share of the steps, the last ones, over which the learning rate falls linearly to 5 %.

    Returns:
        The last parameters, shape (arms, parameters).

    Raises:
        ValueError: if an argument is out of its range, or the noise does not fit or ends before T steps.
    """
    require_positive(steps=steps, batch_size=batch_size, clip_norm=clip_norm)
    require_finite_values(inputs=inputs, start=start)
    noisy = bool(arms.noise_multiplier.any())
    if not batches or (noisy and np.isinf(clip_norm)):
        raise ValueError(f"{len(batches)} batches, clip_norm={clip_norm}: give batches, and with noise a finite norm")
    shape = len(arms), model.parameters
    parameters, velocity = np.broadcast_to(start, shape).copy(), np.zeros(shape)
    scale = arms.noise_multiplier[:, None] * (clip_norm if noisy else 0.0)
    rates = arms.learning_rate[:, None] / batch_size * cooled(steps, cool_down)
    for t, block in blocks_of(noise, steps, 1, shape, silent=not noisy):
        rows = batches[t % len(batches)]
        velocity *= arms.momentum[:, None]
        velocity += model.clipped_gradient_sum(parameters, inputs[rows], labels[rows], clip_norm)
        velocity += scale * block[0]
        parameters -= rates[:, t, None] * velocity
    return parameters


def cooled(steps: int, share: float, floor: float = 0.05) -> Array:
    """Factors of the learning rate, shape (steps,): 1, then linearly down to `floor` over the last `share` of steps.

    Raises:
        ValueError: if the share lies outside [0, 1].
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share={share} must lie between 0 and 1")
    length = round(share * steps)
    return np.concatenate([np.ones(steps - length), 1.0 - (1.0 - floor) * np.arange(1, length + 1) / max(length, 1)])
