"""Linear regression as a model that is trained in epochs: clipped gradients `x (x'theta - y)`, summed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy.clipping import clip_factors, row_norms

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """Least squares on p covariates.

    Attributes:
        p: number of covariates, and of parameters.
    """

    p: int

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self.p

    def initial(self, rng: np.random.Generator) -> Array:
        """Returns the initial parameters, zeros of shape (p,), whatever the generator."""
        return np.zeros(self.p)

    def clipped_gradient_sum(
        self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any], clip_norm: float
    ) -> Array:
        """Returns the sum of clipped gradients, as `models.classifiers.Classifier` defines it, shape (arms, p)."""
        # One product per arm, so that its last bits do not depend on the number of arms.
        residuals = np.matmul(inputs, parameters[:, :, None])[:, :, 0] - labels
        norms = row_norms(inputs)
        residuals *= clip_factors(np.abs(residuals) * norms, clip_norm)
        return np.asarray(np.matmul(residuals[:, None, :], inputs)[:, 0])

    def accuracy(self, parameters: Array, inputs: NDArray[Any], labels: NDArray[Any]) -> Array:
        """Returns the explained share of the labels' mean square, shape (arms,)."""
        residuals = np.matmul(inputs, parameters[:, :, None])[:, :, 0] - labels
        return np.asarray(1.0 - np.mean(residuals**2, axis=1) / np.mean(labels**2))
