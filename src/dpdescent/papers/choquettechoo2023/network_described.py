"""A run of Figure 4(a)'s network in plain values, all that training needs.

A machine without the packages of the accountants can make it, because noise multipliers are among the values, and a
file can carry it there.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import samplers
from dpdescent.models.image_columns import SOURCES
from dpdescent.papers.choquettechoo2023.setting import PAPER, Row
from dpdescent.randomness import stream

Single = NDArray[np.float32]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Described:
    """A run in plain values.

    Attributes:
        seed: the project's.
        eps, mechanism, learning_rate, repeat: the run's place in the table.
        noise_multiplier, copies, nu, rho: columns of the table.
        momentum, clip_norm, cool_down, steps, participations, records: settings of the training.
        sampled: whether batches are Poisson's, else those of an epoch in one order.
    """

    seed: int
    eps: float
    mechanism: str
    learning_rate: float
    repeat: int
    noise_multiplier: float
    copies: int
    nu: float
    rho: float
    momentum: float
    clip_norm: float
    cool_down: float
    steps: int
    participations: int
    records: int
    sampled: bool

    @property
    def batch_size(self) -> int:
        """Records of a batch, on average."""
        return self.records * self.participations // self.steps

    def row(self, device: str) -> Row:
        """Returns the columns of the run's place in the table, of the device that made it, and of its noise."""
        values = asdict(self)
        before, after = ("eps", "mechanism", "learning_rate", "repeat"), ("noise_multiplier", "copies", "nu", "rho")
        return {name: values[name] for name in before} | {"device": device} | {name: values[name] for name in after}

    def stream(self, role: str) -> np.random.Generator:
        """Returns the stream of a role of its repeat, the same for every mechanism."""
        return stream(self.seed, PAPER, "network", "repeat", self.repeat, role)

    def batches(self) -> Sequence[Index]:
        """Returns the batches of all steps, or of an epoch, after which they come again.

        Raises:
            ValueError: unless an epoch has T/k batches: records would come again sooner than sensitivities account for.
        """
        if self.sampled:
            return samplers.poisson(self.records, self.participations / self.steps, self.steps, self.stream("sampling"))
        batches = samplers.fixed_order(self.records, self.batch_size, self.stream("order"))
        if len(batches) * self.participations != self.steps:
            raise ValueError(f"records={self.records}: {len(batches)} batches make no epoch of {self.steps} steps with "
                             f"{self.participations} participations")  # fmt: skip
        return batches


@dataclass(frozen=True)
class Labelled:
    """Images, shape (images, side, side, channels) with values in [-1, 1], and their labels."""

    images: Single
    labels: Index


def images_of(settings: dict[str, Any], part: str, number: int) -> Labelled:
    """Returns the first images, scaled as the public code of Kairouz et al. 2021 does; `part` is records or tested.

    Raises:
        dpdescent.data.images.MissingDataError: if images are missing or changed.
        ValueError: if there are fewer.
    """
    source = SOURCES[settings["source"]]
    read = source.training if part == "records" else source.test
    folder = settings["images_folder"]
    pixels, labels = read(Path(folder) if folder else source.folder)
    if not 1 <= number <= len(labels):
        raise ValueError(f"{part}={number}: there are {len(labels)} images, of which the first are taken")
    scaled = np.ascontiguousarray(pixels[:number].transpose(0, 2, 3, 1), np.float32)
    # In place, because the training images take 0.6 GB.
    scaled /= 127.5
    scaled -= 1.0
    return Labelled(scaled, labels[:number])
