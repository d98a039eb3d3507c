"""A small convolutional classifier of grey images, with the interface of `models.classifiers`.

The gradient of its dense layer at one record is an outer product, of which only the norm is computed. The gradient of
the kernels is a sum of outer products over places, but no larger than the kernels, so that it is formed per record. The
tests contain a version with explicit gradients.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dpdescent.models.activation import tanh
from dpdescent.models.classifiers import Array, Labels, softmax
from dpdescent.privacy.clipping import clip_factors

# Number of pixels on each side of a kernel.
KERNEL = 3

# Number of outputs on each side of the squares over which the outputs of a kernel are averaged.
POOL = 2

# Number of activations of one filter in a block of records (half a megabyte for eight filters), which fits the cache.
_BLOCK = 1 << 13


@dataclass(frozen=True)
class ConvolutionalNetwork:
    """Kernels of 3 x 3 pixels without padding, tanh, means over squares of 2 x 2, a dense layer, softmax.

    Places that do not fill a square, at the right and below if `side` is odd, are left out.

    Attributes:
        side: number of pixels on each side of an image.
        filters: number of kernels, each with a bias.
        classes: number of classes.

    Raises:
        ValueError: if no square fits on an image, there is no kernel, or there are fewer than two classes.
    """

    side: int
    filters: int = 8
    classes: int = 10

    def __post_init__(self) -> None:
        smallest = KERNEL + POOL - 1
        if self.side < smallest or self.filters < 1 or self.classes < 2:
            raise ValueError(
                f"side={self.side}, filters={self.filters}, classes={self.classes}: images need {smallest} pixels on "
                "each side, and there must be a kernel and two classes"
            )

    @property
    def parameters(self) -> int:
        return self._kernels + (self._features + 1) * self.classes

    def initial(self, rng: np.random.Generator) -> Array:
        """Draws initial parameters, shape (parameters,): kernels N(0, 1/9), biases and the dense layer zero."""
        weights = self.filters * KERNEL**2
        kernels = rng.standard_normal(weights) / KERNEL
        return np.concatenate([kernels, np.zeros(self.parameters - weights)])

    def clipped_gradient_sum(self, parameters: Array, inputs: Array, labels: Labels, clip_norm: float) -> Array:
        """Sums clipped gradients of the cross-entropy, shape (arms, parameters), as `Classifier` requires.

        Inputs have shape (records, side^2), pixels row by row; labels are 0..classes-1.
        """
        total = np.zeros_like(parameters)
        for rows, patches in self._blocks(inputs):
            for theta, its_total in zip(parameters, total, strict=True):
                self._add_clipped(theta, its_total, patches, labels[rows], clip_norm)
        return total

    def accuracy(self, parameters: Array, inputs: Array, labels: Labels) -> Array:
        """Share of correct predictions, shape (arms,); of equally likely classes the first is predicted."""
        correct = np.zeros(len(parameters), dtype=np.intp)
        for rows, patches in self._blocks(inputs):
            for i, theta in enumerate(parameters):
                scores = self._forward(theta, patches)[-1]
                correct[i] += np.count_nonzero(scores.argmax(-1) == labels[rows])
        return correct / len(labels)

    @property
    def _squares(self) -> int:
        """Number of squares on each side of the pooled image."""
        return (self.side - KERNEL + 1) // POOL

    @property
    def _features(self) -> int:
        """Number of features of the dense layer."""
        return self._squares**2 * self.filters

    @property
    def _kernels(self) -> int:
        """Number of parameters of the kernels."""
        return (KERNEL**2 + 1) * self.filters

    def _layers(self, theta: Array) -> tuple[Array, Array, Array]:
        """Views of the kernels (9 + 1, filters), bias last, dense weights (features, classes) and biases (classes,)."""
        end = self._kernels + self._features * self.classes
        kernels = theta[: self._kernels].reshape(-1, self.filters)
        return kernels, theta[self._kernels : end].reshape(self._features, -1), theta[end:]

    def _blocks(self, inputs: Array) -> Iterator[tuple[slice, Array]]:
        """Yields rows of records and their patches with a 1 for the bias, shape (records, places, squares, 10).

        The size of blocks depends on the side alone. Arms process a block one by one, so that no arm depends on others.
        """
        size = max(1, _BLOCK // (self._squares * POOL) ** 2)
        for start in range(0, len(inputs), size):
            rows = slice(start, min(start + size, len(inputs)))
            yield rows, self._patches(inputs[rows])

    def _patches(self, inputs: Array) -> Array:
        """The patches of images under a kernel at every place, with a 1 for the bias."""
        with_one = np.ones((len(inputs), self.side**2 + 1))
        with_one[:, :-1] = inputs
        # By `take`, because indexing leaves the records last in memory, and every arm would copy all patches twice.
        return with_one.take(self._seen, axis=1).reshape(len(inputs), POOL**2, self._squares**2, -1)

    @cached_property
    def _seen(self) -> Labels:
        """Flat indices of the inputs, followed by a 1, in the patch of a kernel at every place of every square."""
        squares, pixels = self._squares, np.arange(self.side**2).reshape(self.side, self.side)
        windows = sliding_window_view(pixels, (KERNEL, KERNEL))[: squares * POOL, : squares * POOL]
        in_squares = windows.reshape(squares, POOL, squares, POOL, KERNEL**2).transpose(1, 3, 0, 2, 4)
        one = np.full((*in_squares.shape[:-1], 1), self.side**2)
        return np.concatenate([in_squares, one], axis=-1).ravel()

    def _forward(self, theta: Array, patches: Array) -> tuple[Array, Array, Array]:
        """Activations (records, places, features), features (records, features), scores (records, classes)."""
        kernels, weights, bias = self._layers(theta)
        activations = np.matmul(patches.reshape(-1, len(kernels)), kernels).reshape(len(patches), POOL**2, -1)
        tanh(activations)
        features = activations.mean(1)
        return activations, features, features @ weights + bias

    def _add_clipped(self, theta: Array, total: Array, patches: Array, labels: Labels, clip_norm: float) -> None:
        """Adds the clipped gradients of a block of records to the total of an arm, shape (parameters,)."""
        activations, features, scores = self._forward(theta, patches)
        error = softmax(scores)
        error[np.arange(len(labels)), labels] -= 1.0
        by_kernel = self._by_kernel(activations, patches, error @ self._layers(theta)[1].T)
        # The dense layer's squared norm is (|h|^2 + 1) |error|^2, because the bias is the weight of a feature of 1.
        squares = (np.vecdot(features, features) + 1.0) * np.vecdot(error, error) + np.vecdot(by_kernel, by_kernel)
        factors = clip_factors(np.sqrt(squares), clip_norm)
        kernels, weights, bias = self._layers(total)
        kernels += (factors @ by_kernel).reshape(kernels.shape)
        error *= factors[:, None]
        weights += features.T @ error
        bias += error.sum(0)

    def _by_kernel(self, activations: Array, patches: Array, by_feature: Array) -> Array:
        """Gradient of each record's loss with respect to the kernels, shape (records, (9 + 1) filters).

        It follows from the gradient with respect to the features. The activations are overwritten.
        """
        slopes = np.multiply(activations, activations, out=activations)
        np.subtract(1.0, slopes, out=slopes)
        slopes *= by_feature[:, None] / POOL**2
        records, places = len(patches), POOL**2 * self._squares**2
        seen = patches.reshape(records, places, -1).swapaxes(1, 2)
        by_kernel: Array = np.matmul(seen, slopes.reshape(records, places, -1))
        return by_kernel.reshape(records, -1)
