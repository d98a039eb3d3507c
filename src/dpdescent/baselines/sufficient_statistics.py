"""Linear regression from noisy sums X'X and X'y, and nothing else: what AdaSSP adds a ridge to.

Records are clipped to public bounds, so that the sensitivities of `baselines.ada_ssp` hold. Where the noise in X'X
reaches its smallest eigenvalue, the solution is anything.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.baselines.ada_ssp import Bounds, bounded_gram, sensitivities
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]

PROVED = (
    "records are clipped to public bounds; X'X, on and above its diagonal, and X'y are Gaussian releases at their "
    "sensitivities under replacement of one record, and costs add"
)


@dataclass(frozen=True)
class Calibration:
    """Noise of the two releases, at half of the budget each.

    Attributes:
        bounds: public bounds of the records.
        rho: zCDP budget of both under replace-one.
    """

    bounds: Bounds
    rho: float

    @property
    def releases(self) -> tuple[GaussianReleases, GaussianReleases]:
        """The releases of X'X and of X'y."""
        _, xx, xy = sensitivities(self.bounds, "replace-one")
        found = (
            GaussianReleases(what, size, zcdp.gaussian_noise_sd(size, 0.5 * self.rho), 1)
            for what, size in (("X'X, its upper triangle", xx), ("X'y", xy))
        )
        return next(found), next(found)

    def mechanism(self) -> Mechanism:
        """Returns the privacy event of a fit."""
        return Mechanism(
            "sufficient statistics", self.releases, "replace-one", "full batch", math.inf, "proved", PROVED
        )  # fmt: skip


def fit(sample: LinearSample, calibration: Calibration, rng: np.random.Generator) -> Array:
    """Returns the solution of the noisy normal equations, shape (p,).

    Args:
        sample: the data; records are clipped to the bounds.
        calibration: noise of the releases.
        rng: generator of the noise.
    """
    gram = bounded_gram(sample, calibration.bounds)
    moments, products = calibration.releases
    upper = np.triu(rng.standard_normal((sample.p, sample.p)))
    noise = upper + np.triu(upper, 1).T
    xx = gram.xx + moments.noise_sd * noise
    return np.asarray(np.linalg.solve(xx, gram.xy + products.noise_sd * rng.standard_normal(sample.p)))
