"""Sources of the records of a stream: drawn block by block, or supplied."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Records(Protocol):
    """Source of records; every record is taken once, in order."""

    def take(self, t: int, x: Array) -> Array:
        """Writes the inputs of the steps from t on into x, shape (seeds, steps, d).

        Returns the labels of these records, shape (steps, seeds) or (steps, arms, seeds).
        """


class Drawn:
    """Normal inputs, and labels that are noise alone, because the iterates stand for theta - theta*."""

    def __init__(self, lam: Array, data: Sequence[np.random.Generator], steps: int, sigma: float | Array) -> None:
        self.root, self.data = np.sqrt(lam), data
        # Drawn before the inputs, because the draws must not depend on the blocks of inputs.
        xi = np.stack([rng.standard_normal(steps) for rng in data], axis=1)
        self.xi = sigma * xi if np.ndim(sigma) == 0 else np.asarray(sigma)[:, None] * xi[:, None, :]

    def take(self, t: int, x: Array) -> Array:
        for inputs, rng in zip(x, self.data, strict=True):
            rng.standard_normal(out=inputs)
            inputs *= self.root
        return self.xi[t : t + x.shape[1]]


@dataclass(frozen=True)
class Given:
    """Supplied records of one seed: inputs, shape (T, d), and labels, shape (T, arms or 1)."""

    X: Array
    Y: Array

    def take(self, t: int, x: Array) -> Array:
        rows = slice(t, t + x.shape[1])
        x[0] = self.X[rows]
        return self.Y[rows, :, None]
