"""Where the records of a stream come from: drawn as they are met, or given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Records(Protocol):
    """A source, of which every record is taken once, in order."""

    def take(self, t: int, x: Array) -> Array:
        """Writes the inputs of the steps from t on to x, shape (seeds, steps, d).

        Returns their labels, shape (steps, seeds) or (steps, arms, seeds).
        """


class Drawn:
    """Normal inputs, and labels that are pure noise: the iterates stand for theta - theta*."""

    def __init__(self, lam: Array, data: Sequence[np.random.Generator], steps: int, sigma: float | Array) -> None:
        self.root, self.data = np.sqrt(lam), data
        # Ahead of the inputs, so that how these are cut into blocks does not matter.
        xi = np.stack([rng.standard_normal(steps) for rng in data], axis=1)
        self.xi = sigma * xi if np.ndim(sigma) == 0 else np.asarray(sigma)[:, None] * xi[:, None, :]

    def take(self, t: int, x: Array) -> Array:
        for each, rng in zip(x, self.data, strict=True):
            rng.standard_normal(out=each)
            each *= self.root
        return self.xi[t : t + x.shape[1]]


@dataclass(frozen=True)
class Given:
    """Records of one seed, shapes (T, d) and (T, arms or 1)."""

    X: Array
    Y: Array

    def take(self, t: int, x: Array) -> Array:
        rows = slice(t, t + x.shape[1])
        x[0] = self.X[rows]
        return self.Y[rows, :, None]
