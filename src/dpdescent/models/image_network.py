"""The convolutional network of choquettechoo2023 Figure 4(a), in JAX: sums of clipped gradients, accuracies.

Its layers are those of Kairouz et al. 2021, Table 2(b), as their public code has them: six 3 x 3 convolutions with 32,
32, 64, 64, 128 and 128 filters, zero-padded; a maximum over 2 x 2 squares after every second one; a dense layer of 128;
ten scores. Every layer has a bias, and tanh follows all but the last, which makes 550,570 parameters. Initial weights
are normal, with variance 1 / inputs in convolutions and 2 / (inputs + outputs) in dense layers; biases are zero.

JAX is an optional dependency: this module is imported only where a network is trained.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

Single = NDArray[np.float32]
Index = NDArray[np.intp]
# Arrays of JAX, a type that has no name without the optional dependency.
Array = Any
Layers = Sequence[tuple[Array, Array]]

# Precision of products in single precision, because GPUs would otherwise round their factors to ten bits.
EXACT = "highest"
# Number of images whose scores are computed at a time.
BLOCK = 500
# Ways to form gradients of single images with respect to the weights of convolutions: by one convolution per image, one
# after another; by products of patches, all images at once; or by automatic differentiation of each image's loss. The
# first fits a processor's cache, the others fill an accelerator; timing decides which is fastest there.
WAYS = ("convolutions", "patches", "differentiation")


@dataclass(frozen=True)
class ImageNetwork:
    """The network; the defaults are the paper's for CIFAR-10. Parameters are flat: per layer, weights, then biases.

    Attributes:
        side: number of pixels along each edge of an image.
        channels: number of colours.
        filters: number of filters in each pair of convolutions; every pair halves the side.
        dense: width of the dense layer.
        classes: number of classes.
        together: number of images whose gradients are in memory at a time; small, because they stay in a processor's
            cache. Another number rounds sums in another order.
    """

    side: int = 32
    channels: int = 3
    filters: tuple[int, ...] = (32, 64, 128)
    dense: int = 128
    classes: int = 10
    together: int = 10

    def __post_init__(self) -> None:
        if self.side % 2 ** len(self.filters):
            raise ValueError(f"side={self.side} must be halved {len(self.filters)} times, once a pair of convolutions")

    @property
    def convolutions(self) -> int:
        """Number of convolutions, which are the first layers."""
        return 2 * len(self.filters)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer's matrix of weights; inputs of a convolution are 3 x 3 pixels."""
        widths = [self.channels, *(width for width in self.filters for _ in range(2))]
        convolved = [(9 * into, out) for into, out in pairwise(widths)]
        flat = (self.side // 2 ** len(self.filters)) ** 2 * widths[-1]
        return (*convolved, (flat, self.dense), (self.dense, self.classes))

    @property
    def parameters(self) -> int:
        """Number of parameters: 550,570 for the paper's network."""
        return sum((into + 1) * out for into, out in self.shapes)

    def initial(self, rng: np.random.Generator) -> Single:
        """Draws initial parameters, shape (parameters,)."""
        drawn = []
        for place, (into, out) in enumerate(self.shapes):
            variance = 1.0 / into if place < self.convolutions else 2.0 / (into + out)
            drawn += [math.sqrt(variance) * rng.standard_normal(into * out), np.zeros(out)]
        return np.concatenate(drawn).astype(np.float32)

    def layers(self, parameters: Array) -> Layers:
        """Splits flat parameters into weights, shape (inputs, outputs), and biases, by layer."""
        pairs, at = [], 0
        for into, out in self.shapes:
            end = at + into * out
            pairs.append((parameters[at:end].reshape(into, out), parameters[end : end + out]))
            at = end + out
        return pairs

    def scores(self, parameters: Array, images: Array) -> Array:
        """Returns scores, shape (images, classes), for images of shape (images, side, side, channels)."""
        return self._forward(self.layers(parameters), [0.0] * len(self.shapes), images)[0]

    def loss(self, parameters: Array, images: Array, labels: Array) -> Array:
        """Returns the sum over images of their cross-entropies."""
        return _cross_entropy(self.scores(parameters, images), labels)

    def clipped_gradient_sum(self, parameters: Array, images: Array, labels: Array, clip_norm: float) -> Array:
        """Returns the sum over images of their gradients, each clipped to norm `clip_norm`, shape (parameters,).

        Args:
            parameters: flat parameters, shape (parameters,).
            images: images, shape (images, side, side, channels); there may be none.
            labels: classes, shape (images,).
            clip_norm: clipping threshold, positive; inf switches clipping off.
        """
        total = jnp.zeros(self.parameters, jnp.float32)
        for at in range(0, len(labels), self.together):
            block, known = images[at : at + self.together], labels[at : at + self.together]
            # Shapes are always the same, because every other shape would be compiled anew; padding gets weight 0.
            blank = self.together - len(known)
            filled = np.pad(np.asarray(block, np.float32), ((0, blank), (0, 0), (0, 0), (0, 0)))
            counts = np.arange(self.together) < len(known)
            with jax.default_matmul_precision(EXACT):
                total = _adding(self)(total, parameters, filled, np.pad(known, (0, blank)), counts, clip_norm)
        return total

    def accuracy(self, parameters: Array, images: Array, labels: Index) -> float:
        """Returns the share of images whose class has the largest score; among equal scores the first counts."""
        right = 0
        for at in range(0, len(labels), BLOCK):
            with jax.default_matmul_precision(EXACT):
                predicted = np.asarray(_scoring(self)(parameters, images[at : at + BLOCK])).argmax(-1)
            right += int((predicted == labels[at : at + BLOCK]).sum())
        return right / len(labels)

    def clipped_sum(
        self, parameters: Array, images: Array, labels: Array, counts: Array, clip_norm: float, way: str = WAYS[0]
    ) -> Array:
        """Returns the sum of clipped gradients of a few images, for use inside compiled functions.

        One backward pass gives the derivatives with respect to the layers' outputs, image by image. Gradients of
        convolutions are then formed image by image; those of a dense layer are outer products, whose norms and sums
        need no such form.

        Args:
            parameters: flat parameters, shape (parameters,).
            images: images, shape (images, side, side, channels).
            labels: classes, shape (images,).
            counts: 1 for each image that counts, 0 for padding.
            clip_norm: clipping threshold, positive; inf switches clipping off.
            way: one of `WAYS`.
        """
        if way == "differentiation":
            return self._by_differentiation(parameters, images, labels, counts, clip_norm)
        inputs, errors = self._backward(self.layers(parameters), images, labels)
        whole = [
            jax.lax.map(lambda pair: _by_weights(*pair), pair) if way == "convolutions" else _by_patches(*pair)
            for pair in zip(inputs[: self.convolutions], errors, strict=False)
        ]
        biases = [error.reshape(len(error), -1, error.shape[-1]).sum(1) for error in errors]
        dense = list(zip(inputs, errors, strict=True))[self.convolutions :]
        squares = [(g**2).sum((1, 2)) for g in whole] + [(g**2).sum(1) for g in biases]
        squares += [(x**2).sum(1) * (error**2).sum(1) for x, error in dense]
        factors = _factors(sum(squares), counts, clip_norm)
        weights = [jnp.einsum("n,nio->io", factors, g) for g in whole]
        weights += [(factors[:, None] * x).T @ error for x, error in dense]
        pairs = zip(weights, biases, strict=True)
        return jnp.concatenate([part for w, b in pairs for part in (w.ravel(), factors @ b)])

    def _by_differentiation(
        self, parameters: Array, images: Array, labels: Array, counts: Array, clip_norm: float
    ) -> Array:
        def loss(parameters: Array, image: Array, label: Array) -> Array:
            return self.loss(parameters, image[None], label[None])

        gradients = jax.vmap(jax.grad(loss), (None, 0, 0))(parameters, images, labels)
        return _factors((gradients**2).sum(1), counts, clip_norm) @ gradients

    def _add(
        self, total: Array, parameters: Array, images: Array, labels: Array, counts: Array, clip_norm: float
    ) -> Array:
        return total + self.clipped_sum(parameters, images, labels, counts, clip_norm)

    def _backward(self, layers: Layers, images: Array, labels: Array) -> tuple[list[Array], list[Array]]:
        """Returns each layer's inputs, and the derivatives of the losses with respect to its outputs before tanh."""
        added = [jnp.zeros((len(images), *shape), jnp.float32) for shape in self._outputs()]

        def loss(added: list[Array]) -> tuple[Array, list[Array]]:
            scores, inputs = self._forward(layers, added, images)
            return _cross_entropy(scores, labels), inputs

        errors, inputs = jax.grad(loss, has_aux=True)(added)
        return inputs, errors

    def _outputs(self) -> list[tuple[int, ...]]:
        """Shapes of the layers' outputs for one image."""
        sides = [self.side // 2 ** (place // 2) for place in range(self.convolutions)]
        convolved = [(side, side, out) for side, (_, out) in zip(sides, self.shapes, strict=False)]
        return [*convolved, (self.dense,), (self.classes,)]

    def _forward(self, layers: Layers, added: Sequence[Array], images: Array) -> tuple[Array, list[Array]]:
        """Returns scores and each layer's inputs; `added` is added to each layer's outputs before tanh."""
        x, inputs = images, []
        for place, ((weights, biases), more) in enumerate(zip(layers, added, strict=True)):
            convolved = place < self.convolutions
            x = x if convolved else x.reshape(len(x), -1)
            inputs.append(x)
            x = (_convolve(x, weights) if convolved else x @ weights) + biases + more
            x = x if place == len(self.shapes) - 1 else jnp.tanh(x)
            x = _pooled(x) if convolved and place % 2 else x
        return x, inputs


@cache
def _adding(network: ImageNetwork) -> Any:
    """The compiled function `_add`, once for equal networks, because compilation takes half a minute."""
    return jax.jit(network._add, donate_argnums=0)


@cache
def _scoring(network: ImageNetwork) -> Any:
    return jax.jit(network.scores)


def _cross_entropy(scores: Array, labels: Array) -> Array:
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], 1).sum()


def _convolve(x: Array, weights: Array) -> Array:
    """Convolves with 3 x 3 filters, zero-padded; rows of the weights are the pixels in order, channels within."""
    kernel = weights.reshape(3, 3, x.shape[-1], -1)
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _by_weights(x: Array, error: Array) -> Array:
    """Returns an image's gradient with respect to the weights of a convolution, shape (9 channels, filters).

    The gradient is itself a convolution, in which channels take the place of images. It is for one image at a time,
    because the gradients of many would not fit a processor's cache.

    Args:
        x: input of the convolution, shape (side, side, channels).
        error: derivatives with respect to its outputs, shape (side, side, filters).
    """
    images, kernel = x.transpose(2, 0, 1)[..., None], error[:, :, None]
    around = ((1, 1), (1, 1))
    gradient = jax.lax.conv_general_dilated(images, kernel, (1, 1), around, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return gradient.transpose(1, 2, 0, 3).reshape(-1, error.shape[-1])


def _by_patches(x: Array, error: Array) -> Array:
    """Returns images' gradients with respect to the weights of a convolution, shape (images, 9 channels, filters).

    Args:
        x: inputs of the convolution, shape (images, side, side, channels).
        error: derivatives with respect to its outputs, shape (images, side, side, filters).
    """
    side = x.shape[1]
    padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [padded[:, row : row + side, column : column + side] for row in range(3) for column in range(3)]
    return jnp.einsum("nyxi,nyxo->nio", jnp.concatenate(shifted, axis=-1), error)


def _factors(squares: Array, counts: Array, clip_norm: float) -> Array:
    """The clip factors of images' gradients, from their squared norms."""
    norms = jnp.sqrt(squares)
    return jnp.where(norms > clip_norm, clip_norm / norms, 1.0) * counts


def _pooled(x: Array) -> Array:
    """Returns the largest value of each 2 x 2 square."""
    upper = jnp.maximum(x[:, ::2, ::2], x[:, ::2, 1::2])
    return jnp.maximum(upper, jnp.maximum(x[:, 1::2, ::2], x[:, 1::2, 1::2]))
