"""Softmax regression on thousands of columns by DP-FTRL in epochs, in single precision, with many arms at once.

The arithmetic is that of `algorithms.dp_ftrl_epochs` with `classifiers.softmax_regression`, except for its precision:
one matrix product gives the scores of all arms, and another one their sums of clipped gradients. An arm's last digits
may therefore depend on the arms beside it. The clip factors of a record need no gradient: its squared norm is `(|x|^2 +
1) |p - y|^2`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_ftrl_epochs import EpochArms, cooled
from dpdescent.privacy.clipping import clip_factors

Single = NDArray[np.float32]
Array = NDArray[np.float64]
Index = NDArray[np.intp]
# Number of records whose scores are computed at a time, because the scores of all test images would take gigabytes.
BLOCK = 1000


class StepNoise(Protocol):
    """Noise per step: an array of shape (steps, parameters), or an object that makes its rows on request."""

    def __getitem__(self, step: int, /) -> Single: ...


@dataclass(frozen=True)
class WideSoftmax:
    """Softmax regression whose arms share the records.

    Attributes:
        inputs: number of columns d.
        classes: number of classes.
    """

    inputs: int
    classes: int

    @property
    def parameters(self) -> int:
        """Number of parameters: the weights, row by row, then the biases."""
        return (self.inputs + 1) * self.classes

    def train(
        self, columns: Single, labels: Index, batches: Sequence[Index], arms: EpochArms, noise: Sequence[StepNoise],
        noise_of: Index, clip_norms: Array, *, steps: int, batch_size: int, cool_down: float,
    ) -> Single:  # fmt: skip
        """Trains all arms from zero parameters.

        Args:
            columns: inputs of the records, shape (records, d).
            labels: classes of the records, shape (records,).
            batches: rows of each step's batch, repeated until all steps are made.
            arms: learning rates, noise multipliers and momenta.
            noise: sources of correlated noise at multiplier and clip norm 1, each with a row of all parameters per
                step.
            noise_of: index of each arm's source of noise, shape (arms,); ignored for arms without noise.
            clip_norms: clipping thresholds of the arms, shape (arms,); inf without clipping, and then without noise.
            steps, batch_size, cool_down: as for `dp_ftrl_epochs.train`.

        Returns:
            Weights, the bias last, shape (d + 1, arms, classes).
        """
        shape = self.inputs + 1, len(arms), self.classes
        weights, velocity = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        momentum = arms.momentum.astype(np.float32)[:, None]
        rates = (arms.learning_rate[:, None] / batch_size * cooled(steps, cool_down)).astype(np.float32)
        noisy = arms.noise_multiplier > 0.0
        scale = (arms.noise_multiplier * np.where(noisy, clip_norms, 0.0)).astype(np.float32)
        for t in range(steps):
            rows = batches[t % len(batches)]
            velocity *= momentum
            self._add_gradients(velocity, weights, columns[rows], labels[rows], clip_norms)
            for arm in np.flatnonzero(noisy):
                velocity[:, arm] += scale[arm] * noise[noise_of[arm]][t].reshape(self.inputs + 1, self.classes)
            weights -= rates[:, t, None] * velocity
        return weights

    def _add_gradients(self, total: Single, weights: Single, x: Single, labels: Index, clip_norms: Array) -> None:
        """Adds the sums of clipped gradients of a batch."""
        _, arms, classes = weights.shape
        errors = self._scores(weights, x)
        errors -= errors.max(-1, keepdims=True)
        np.exp(errors, out=errors)
        errors /= errors.sum(-1, keepdims=True)
        errors[np.arange(len(x)), :, labels] -= 1.0
        norms = np.sqrt((np.vecdot(x, x) + 1.0)[:, None] * np.vecdot(errors, errors))
        errors *= clip_factors(norms, clip_norms).astype(np.float32)[:, :, None]
        flat = errors.reshape(len(x), arms * classes)
        total[:-1] += (x.T @ flat).reshape(-1, arms, classes)
        total[-1] += errors.sum(axis=0)

    def _scores(self, weights: Single, x: Single) -> Single:
        _, arms, classes = weights.shape
        scores: Single = x @ weights[:-1].reshape(self.inputs, arms * classes)
        scores = scores.reshape(len(x), arms, classes)
        scores += weights[-1]
        return scores

    def accuracy(self, weights: Single, columns: Single, labels: Index) -> NDArray[np.float64]:
        """Share of correct predictions, shape (arms,); of equally likely classes the first is predicted."""
        right = np.zeros(weights.shape[1])
        for at in range(0, len(labels), BLOCK):
            predicted = self._scores(weights, columns[at : at + BLOCK]).argmax(-1)
            right += (predicted == labels[at : at + BLOCK, None]).sum(axis=0)
        return right / len(labels)
