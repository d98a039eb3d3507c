"""Columns of CIFAR-10 and Fashion-MNIST by a data-independent feature map, computed once and kept on disk.

An image's columns depend on that image alone, and all have the same length, so that nothing is learnt about the records
before training.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpdescent.data import cifar10, images, kept
from dpdescent.models import feature_maps, scattering
from dpdescent.randomness import stream

Single = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Labels = NDArray[np.intp]

# Number of groups of maps that are standardised together, as in Tramer and Boneh's best setting (ICLR 2021).
GROUPS = 27
# Number of random features, equal to that of scattering columns, so that models have the same size.
RANDOM = 3888
RANDOM_SEED = 20210504


@dataclass(frozen=True)
class Source:
    """A data set of images.

    Attributes:
        training, test: functions that read the images and labels from a folder.
        folder: default folder of the images.
        pool: side of the squares over which scattering coefficients are averaged, so that columns stay below 4,000.
    """

    training: Callable[[Path], tuple[Pixels, Labels]]
    test: Callable[[Path], tuple[Pixels, Labels]]
    folder: Path
    pool: int


@dataclass(frozen=True)
class Columns:
    """Records as columns, with their labels.

    Attributes:
        inputs: columns of the records, shape (records, columns), mapped from disk.
        labels: classes of the records, shape (records,).
    """

    inputs: Single
    labels: Labels

    def rows(self, first: int, last: int) -> "Columns":
        """Returns the records from `first` up to `last`, without a copy.

        Raises:
            ValueError: if there are fewer records.
        """
        if not 0 <= first < last <= len(self.labels):
            raise ValueError(f"records {first} to {last} are asked for, but there are {len(self.labels)}")
        return Columns(self.inputs[first:last], self.labels[first:last])


def _colour(colour: cifar10.ColourImages) -> tuple[Pixels, Labels]:
    return colour.pixels, colour.labels


def _grey(grey: images.Images) -> tuple[Pixels, Labels]:
    """Pixels and labels of grey images, with one channel."""
    return grey.pixels[:, None], grey.labels


SOURCES = {
    "cifar10": Source(
        lambda folder: _colour(cifar10.read_training(folder)), lambda folder: _colour(cifar10.read_test(folder)),
        Path("build/downloads/cifar10"), 2,
    ),
    "fashion-mnist": Source(
        lambda folder: _grey(images.read_training(folder)), lambda folder: _grey(images.read_test(folder)),
        images.FOLDER, 1,
    ),
}  # fmt: skip
MAPS: dict[str, Callable[[Pixels, int], Single]] = {
    "scattering": lambda pixels, pool: feature_maps.scattering_columns(pixels, GROUPS, pool),
    "pixels": lambda pixels, pool: feature_maps.pixel_columns(pixels),
    "random": lambda pixels, pool: feature_maps.random_columns(pixels, directions(pixels[0].size)),
}


def training_columns(source: str, features: str, folder: str, records: int, cache: Path) -> Columns:
    """Returns the first training images of a source as columns, in the order of its files.

    Args:
        source: name in `SOURCES`.
        features: name in `MAPS`.
        folder: folder of the images; empty for the folder into which `dpdescent fetch` puts them.
        records: number of images.
        cache: folder for the computed columns.

    Raises:
        ValueError: if there is no source or feature map of that name, or there are fewer images.
        dpdescent.data.images.MissingDataError: if images are missing or changed.
    """
    return _columns(source, features, folder, records, cache, "training")


def test_columns(source: str, features: str, folder: str, records: int, cache: Path) -> Columns:
    """Returns the first test images as columns; arguments and errors as for `training_columns`."""
    return _columns(source, features, folder, records, cache, "test")


def _columns(source: str, features: str, folder: str, records: int, cache: Path, part: str) -> Columns:
    """The first images of one part of a source as columns."""
    for name, value, known in (("source", source, [*SOURCES]), ("features", features, [*MAPS])):
        if value not in known:
            raise ValueError(f"{name}={value!r} is none of {known}")
    images_of = SOURCES[source]
    read = images_of.training if part == "training" else images_of.test
    # Read each time, because this verifies the bytes: columns of one data set must not stand for another.
    pixels, labels = read(Path(folder) if folder else images_of.folder)
    if not 1 <= records <= len(labels):
        raise ValueError(f"records={records}: {source} has {len(labels)} {part} images, of which it takes the first")
    made_by = kept.code(feature_maps, scattering)
    file = cache / f"{source}-{part}-{records}-{features}-{GROUPS}-{images_of.pool}-{made_by}.npy"
    inputs = kept.once(file, lambda: MAPS[features](pixels[:records], images_of.pool))
    return Columns(np.asarray(inputs, np.float32), labels[:records])


def directions(pixels: int) -> NDArray[np.float64]:
    """Returns the weights of random features, shape (pixels + 1, RANDOM): normals, and phases in the last row.

    Their scale makes the argument of the cosine vary by about one between images of length 1.
    """
    rng = stream(RANDOM_SEED, "random features", pixels)
    weights = rng.standard_normal((pixels, RANDOM))
    return np.concatenate([weights, rng.uniform(0.0, 2.0 * np.pi, (1, RANDOM))])
