"""Handwritten digits, 8 x 8 grey images of ten classes, bundled with the package (see `files/README.md`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.tabular import bundled, read_columns

Array = NDArray[np.float64]

# Number of pixels on each side of an image.
SIDE = 8

CLASSES = 10

# The brightest value of a pixel in the file.
_FULL = 16.0


@dataclass(frozen=True)
class Digits:
    """Images of handwritten digits and their labels.

    Attributes:
        inputs: pixels row by row, in [0, 1], shape (images, 64).
        labels: digits 0 to 9, shape (images,).
    """

    inputs: Array
    labels: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.labels)


@cache
def read_digits() -> Digits:
    """Reads all 1797 images in the order of the file, whose checksum is verified. Do not change the cached arrays.

    Raises:
        dpdescent.data.tabular.TableError: if the file was changed.
    """
    pixels = [f"p{row}{column}" for row in range(SIDE) for column in range(SIDE)]
    table = read_columns(bundled("digits"), [*pixels, "digit"])
    digits = Digits(table[:, :-1] / _FULL, table[:, -1].astype(np.intp))
    digits.inputs.flags.writeable = digits.labels.flags.writeable = False
    return digits


def split(digits: Digits, sizes: Sequence[int], rng: np.random.Generator) -> list[Digits]:
    """Draws disjoint parts of these sizes without replacement, e.g. for training, validation and test.

    Raises:
        ValueError: if a size is not positive or there are not enough images.
    """
    if not sizes or min(sizes) < 1 or sum(sizes) > len(digits):
        raise ValueError(f"sizes={list(sizes)} must be positive and sum to at most the {len(digits)} images")
    order = rng.permutation(len(digits))[: sum(sizes)]
    parts = np.split(order, np.cumsum(sizes)[:-1])
    return [Digits(digits.inputs[rows], digits.labels[rows]) for rows in parts]
