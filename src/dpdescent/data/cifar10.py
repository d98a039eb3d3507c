"""CIFAR-10, 32 x 32 colour images of ten kinds of things (Krizhevsky 2009), from the official binary files.

The images are neither part of the package nor of a default build: `dpdescent fetch cifar10` fetches them, and a user's
own copy serves as well, as the six binary files or as the folder `cifar-10-batches-py`. All bytes are compared with the
MD5 sums of the official binaries; other layouts are first repacked into these.
"""

import hashlib
import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.images import MissingDataError

SIDE, CHANNELS, CLASSES = 32, 3, 10
# A record of the binary files: its label, then red, green and blue, row by row.
RECORD = 1 + CHANNELS * SIDE * SIDE

TRAINING = tuple(f"data_batch_{i}" for i in range(1, 6))
TEST = ("test_batch",)
# MD5 sums of the official binary files.
MD5 = {
    "data_batch_1": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
HOW = "fetch it with `make data`, or name a folder of your own that holds the six official files"


@dataclass(frozen=True)
class ColourImages:
    """Colour images and their labels.

    Attributes:
        pixels: values 0 to 255, shape (images, 3, 32, 32), channels red, green, blue.
        labels: classes 0 to 9, shape (images,).
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.labels)


def read_training(folder: Path) -> ColourImages:
    """Reads the 50,000 training images in the order of the files.

    Raises:
        MissingDataError: if a file is missing or differs from the official one.
    """
    return _images(folder, TRAINING)


def read_test(folder: Path) -> ColourImages:
    """Reads the 10,000 test images; errors as for `read_training`."""
    return _images(folder, TEST)


def is_complete(folder: Path) -> bool:
    """Whether all six files lie in a folder, in either layout; their bytes are compared when they are read."""
    return all(any((folder / name).is_file() for name in (f"{batch}.bin", batch)) for batch in MD5)


def packed(pixels: NDArray[np.uint8], labels: Iterable[int]) -> bytes:
    """Returns the bytes of a binary file.

    Args:
        pixels: colour values, shape (images, 3, 32, 32).
        labels: classes 0 to 9, one per image.
    """
    flat = pixels.reshape(len(pixels), -1)
    column = np.fromiter(labels, np.uint8).reshape(-1, 1)
    return np.concatenate([column, flat], axis=1).tobytes()


def require_official(name: str, content: bytes, where: str) -> None:
    """Refuses bytes that differ from those of an official binary file.

    Args:
        name: name of the file, without suffix.
        content: bytes of the file.
        where: origin of the bytes, for the message.

    Raises:
        MissingDataError: with the origin and both sums, if the sums differ.
    """
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if md5 != MD5[name]:
        raise MissingDataError(f"{where}: md5 {md5} is not the official {MD5[name]}; {HOW}")


def _images(folder: Path, names: Iterable[str]) -> ColourImages:
    records = np.concatenate([_records(folder, name) for name in names])
    return ColourImages(records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE), records[:, 0].astype(np.intp))


def _records(folder: Path, name: str) -> NDArray[np.uint8]:
    """The verified records of a file, one per row."""
    binary, pickled = folder / f"{name}.bin", folder / name
    if not binary.is_file() and not pickled.is_file():
        raise MissingDataError(f"{binary} is not there: {HOW}")
    path = binary if binary.is_file() else pickled
    content = binary.read_bytes() if path is binary else _repacked(pickled)
    require_official(name, content, str(path))
    return np.frombuffer(content, np.uint8).reshape(-1, RECORD)


def _array(subtype: type, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An empty array, which the rest of a pickle fills."""
    array: NDArray[Any] = np.ndarray.__new__(subtype, shape, dtype)
    return array


# Functions and types that a pickle of an array may use, by their name in numpy.
_ALLOWED = {"_reconstruct": _array, "ndarray": np.ndarray, "dtype": np.dtype}


class _Restricted(pickle.Unpickler):
    """A reader of pickles with arrays and plain values only, because other pickles may run any code."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] != "numpy" or name not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is none of the types of cifar-10-batches-py")
        return _ALLOWED[name]


def _repacked(path: Path) -> bytes:
    """Bytes of the binary file with the records of a file of `cifar-10-batches-py`."""
    try:
        with path.open("rb") as file:
            batch = _Restricted(file, encoding="bytes").load()
        return packed(np.asarray(batch[b"data"], np.uint8).reshape(-1, CHANNELS, SIDE, SIDE), batch[b"labels"])
    except (pickle.UnpicklingError, KeyError, TypeError, ValueError, EOFError, AttributeError, IndexError) as error:
        raise MissingDataError(f"{path} cannot be read as a file of cifar-10-batches-py ({error}); {HOW}") from None
