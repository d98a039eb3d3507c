"""Classifiers for training with clipped gradients: many arms at once, without forming gradients of single records.

The gradient of a layer's weights at one record is an outer product, so that its norm is a product of norms, and a sum
of clipped gradients is one matrix product per arm and layer. The tests contain a version with explicit gradients.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpdescent.models.activation import tanh
from dpdescent.privacy.clipping import clip_factors

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


class Classifier(Protocol):
    """Interface of a model for training. Parameters are flat, because noise and momentum treat all of them equally.

    Arms may differ in their parameters and share the records. An arm's result must not depend on the other arms, to the
    last bit, so that no matrix product may have the number of arms in its shape.
    """

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        ...

    def initial(self, rng: np.random.Generator) -> Array:
        """Initial parameters, shape (parameters,)."""
        ...

    def clipped_gradient_sum(
        self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any], clip_norm: float
    ) -> Array:
        """Sum over records of the gradients of their losses, each clipped to `clip_norm`, shape (arms, parameters).

        Args:
            parameters: parameters of the arms, shape (arms, parameters).
            inputs, labels: records along the first axis; there may be none.
            clip_norm: clipping threshold, positive; inf switches clipping off.
        """
        ...

    def accuracy(self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any]) -> Array:
        """Share of correct predictions, shape (arms,)."""
        ...


@dataclass(frozen=True)
class TanhNetwork:
    """Softmax classifier on top of fully connected tanh layers; without a hidden layer it is softmax regression.

    Attributes:
        widths: numbers of inputs, of units per hidden layer if any, and of classes. Every layer has a bias.

    Raises:
        ValueError: if there are fewer than two widths, one is not positive, or there are fewer than two classes.
    """

    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.widths) < 2 or min(self.widths) < 1 or self.widths[-1] < 2:
            raise ValueError(
                f"widths={self.widths} must be (inputs, hidden..., classes), positive, with two classes or more"
            )

    @property
    def parameters(self) -> int:
        return sum((below + 1) * above for below, above in pairwise(self.widths))

    def initial(self, rng: np.random.Generator) -> Array:
        """Draws initial parameters, shape (parameters,): hidden weights N(0, 1/inputs of the layer), the rest zero."""
        hidden = [
            np.concatenate([rng.standard_normal(below * above) / np.sqrt(below), np.zeros(above)])
            for below, above in pairwise(self.widths[:-1])
        ]
        return np.concatenate([*hidden, np.zeros((self.widths[-2] + 1) * self.widths[-1])])

    def clipped_gradient_sum(self, parameters: Array, inputs: Array, labels: Labels, clip_norm: float) -> Array:
        """Sums clipped gradients of the cross-entropy, shape (arms, parameters), as `Classifier` requires.

        Inputs have shape (records, widths[0]), labels are 0..classes-1.
        """
        layers = self._layers(parameters)
        activations = self._activations(layers, inputs)
        errors = self._errors(layers, activations, labels)
        # A layer's squared norm is (|h|^2 + 1) |delta|^2, because the bias is the weight of one more input of 1.
        squares = [(np.vecdot(h, h) + 1.0) * np.vecdot(e, e) for h, e in zip(activations, errors, strict=False)]
        factors = clip_factors(np.sqrt(sum(squares)), clip_norm)[:, :, None]
        ones, total = np.ones((1, len(labels))), np.empty_like(parameters)
        for (weights, bias), h, error in zip(self._layers(total), activations, errors, strict=False):
            error *= factors
            weights[:], bias[:] = np.matmul(h.swapaxes(-1, -2), error), np.matmul(ones, error)
        return total

    def accuracy(self, parameters: Array, inputs: Array, labels: Labels) -> Array:
        """Share of correct predictions, shape (arms,); of equally likely classes the first is predicted."""
        scores = self._activations(self._layers(parameters), inputs)[-1]
        share: Array = (scores.argmax(-1) == labels).mean(-1)
        return share

    def _layers(self, parameters: Array) -> list[tuple[Array, Array]]:
        """Views of the weights, shape (arms, below, above), and the biases, shape (arms, 1, above), of every layer."""
        layers, at = [], 0
        for below, above in pairwise(self.widths):
            middle, end = at + below * above, at + (below + 1) * above
            weights = parameters[:, at:middle].reshape(-1, below, above)
            layers.append((weights, parameters[:, middle:end].reshape(-1, 1, above)))
            at = end
        return layers

    def _activations(self, layers: list[tuple[Array, Array]], inputs: Array) -> list[Array]:
        """Returns the inputs, shape (records, below), and every layer's output, (arms, records, above), scores last."""
        outputs = [inputs]
        for weights, bias in layers:
            below = outputs[-1] if len(outputs) == 1 else tanh(outputs[-1])
            outputs.append(np.matmul(below, weights) + bias)
        return outputs

    def _errors(self, layers: list[tuple[Array, Array]], activations: list[Array], labels: Labels) -> list[Array]:
        """Derivatives of records' losses with respect to every layer's outputs before tanh, (arms, records, above)."""
        error = softmax(activations[-1])
        error[:, np.arange(len(labels)), labels] -= 1.0
        errors = [error]
        for (weights, _), h in zip(layers[:0:-1], activations[-2:0:-1], strict=True):
            errors.append(np.matmul(errors[-1], weights.swapaxes(1, 2)) * (1.0 - h * h))
        return errors[::-1]


def softmax_regression(inputs: int, classes: int) -> TanhNetwork:
    """Multinomial logistic regression with a bias, with (inputs + 1) x classes parameters."""
    return TanhNetwork((inputs, classes))


def softmax(scores: Array) -> Array:
    """Softmax probabilities along the last axis."""
    raised: Array = np.exp(scores - scores.max(-1, keepdims=True))
    raised /= raised.sum(-1, keepdims=True)
    return raised
