"""Fashion-MNIST, 28 x 28 grey images of ten kinds of clothes, from the Debian package `dataset-fashion-mnist`.

The package is optional: experiments with these images run on request only. Files are verified by SHA-256 after
unpacking, because Debian compresses them again.
"""

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]

# Folder in which the Debian package dataset-fashion-mnist puts the files.
FOLDER = Path("/usr/share/datasets/fashion-mnist")

SIDE = 28
CLASSES = 10

# SHA-256 of each file after unpacking, because packages may compress the same bytes in different ways.
SHA256 = {
    "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
    "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
}

# Number of bytes before the data: a magic number and the size of each axis, four bytes each.
_HEADERS = {"images": 16, "labels": 8}


class MissingDataError(ValueError):
    """Error for optional data that are missing or changed; its message says what to install."""


@dataclass(frozen=True)
class Images:
    """Grey images and their labels.

    Attributes:
        pixels: grey values 0 to 255, shape (images, 28, 28).
        labels: classes 0 to 9, shape (images,).
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> "Images":
        return Images(self.pixels[rows], self.labels[rows])


def read_training(folder: Path | None = None) -> Images:
    """Reads the 60,000 training images in the order of the file. Do not change the cached arrays.

    Args:
        folder: folder of the files; None for that of the Debian package.

    Raises:
        MissingDataError: if the package is not installed, or one of its files was changed.
    """
    return _read(folder or FOLDER, "train")


def read_test(folder: Path | None = None) -> Images:
    """Reads the 10,000 test images in the order of the file; arguments and errors as for `read_training`."""
    return _read(folder or FOLDER, "t10k")


def pooled(images: Images, side: int) -> Array:
    """Reduces images by means over squares; returns pixels in [0, 1], row by row, shape (images, side^2).

    Raises:
        ValueError: if `side` does not divide 28.
    """
    if side < 1 or SIDE % side:
        raise ValueError(f"side={side} must divide {SIDE}: pixels are averaged over squares")
    square = SIDE // side
    squares = images.pixels.reshape(-1, side, square, side, square)
    averages: Array = squares.mean((2, 4)).reshape(-1, side * side) / 255.0
    return averages


def pairs(first: int, second: int, d: int, public: int = 4000) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Returns two classes in d dimensions: principal components of pixels, scaled into the unit ball.

    Centre, components and scale are computed from the first `public` training images of the two classes. These images
    are then left out, because nothing may be fitted to records for training or testing. Points beyond the largest norm
    of the public points are moved to the sphere.

    Args:
        first: class with label -1.
        second: class with label +1.
        d: number of components, those with the largest variance.
        public: number of images for the projection.

    Returns:
        Pairs (x, y) for the other training images and for the test images, in the order of the files: x of shape
        (records, d), y in {-1, +1}.

    Raises:
        ValueError: if the classes are equal or do not exist, or d or `public` is too small or too large.
        MissingDataError: if the package is not installed, or one of its files was changed.
    """
    if first == second or not {first, second} <= set(range(CLASSES)):
        raise ValueError(f"first={first}, second={second} must be two of the classes 0 to {CLASSES - 1}")
    training, test = (_of_classes(images, first, second) for images in (read_training(), read_test()))
    if not 1 <= d <= SIDE**2 or not d < public < len(training):
        raise ValueError(
            f"d={d}, public={public}: d must be 1 to {SIDE**2}, and public more than d and less than the "
            f"{len(training)} images"
        )
    projection = _Projection.of(pooled(training[:public], SIDE), d)
    return projection.points(training[public:], second), projection.points(test, second)


@dataclass(frozen=True)
class _Projection:
    """A projection of images to points in the unit ball."""

    centre: Array
    components: Array
    radius: float

    @classmethod
    def of(cls, x: Array, d: int) -> "_Projection":
        """Computes the first d principal components of records x, shape (records, pixels)."""
        centre = x.mean(0)
        last = x.shape[1] - 1
        _, components = eigh((x - centre).T @ (x - centre), subset_by_index=(last - d + 1, last))
        # The largest entry is made positive, because the sign of an eigenvector is arbitrary.
        components = components[:, ::-1] * np.sign(components[np.abs(components).argmax(0), np.arange(d)])[::-1]
        return cls(centre, components, float(np.linalg.norm((x - centre) @ components, axis=1).max()))

    def points(self, images: Images, positive: int) -> tuple[Array, Array]:
        """Points of images in the unit ball, and labels: +1 for the class `positive`, otherwise -1."""
        x = (pooled(images, SIDE) - self.centre) @ self.components / self.radius
        x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
        return x, np.where(images.labels == positive, 1.0, -1.0)


def _of_classes(images: Images, first: int, second: int) -> Images:
    return images[np.flatnonzero((images.labels == first) | (images.labels == second))]


@cache
def _read(folder: Path, part: str) -> Images:
    pixels = _unpacked(folder, f"{part}-images-idx3-ubyte", "images").reshape(-1, SIDE, SIDE)
    labels = _unpacked(folder, f"{part}-labels-idx1-ubyte", "labels").astype(np.intp)
    labels.flags.writeable = False
    return Images(pixels, labels)


def _unpacked(folder: Path, name: str, kind: str) -> NDArray[np.uint8]:
    """The verified content of a file after unpacking, without its header."""
    path = folder / f"{name}.gz"
    if not path.is_file():
        raise MissingDataError(
            f"{path} is not there: install the Debian package dataset-fashion-mnist (apt-get install "
            "dataset-fashion-mnist), or leave out what needs Fashion-MNIST"
        )
    try:
        unpacked = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise MissingDataError(f"{path} cannot be unpacked ({error}): install dataset-fashion-mnist again") from None
    sha256 = hashlib.sha256(unpacked).hexdigest()
    if sha256 != SHA256[name]:
        raise MissingDataError(
            f"{path}: sha256 {sha256} of the unpacked bytes is not the recorded {SHA256[name]}: install "
            "dataset-fashion-mnist again"
        )
    return np.frombuffer(unpacked, dtype=np.uint8, offset=_HEADERS[kind])
