"""Linear regression from noisy sums X'X and X'y alone, to which AdaSSP adds a ridge.

Records are clipped to public bounds, so that the sensitivities hold. If the noise in X'X reaches its smallest
eigenvalue, the solution is arbitrary.

**Sensitivities**, for records with |x| <= Bx and |y| <= By, where |.| is the Euclidean norm of vectors. The release of
X'X consists of its entries on and above the diagonal; AdaSSP (`baselines.ada_ssp`) releases its smallest eigenvalue
too.

Add or drop a record (x, y):
- smallest eigenvalue: X'X moves by xx', and 0 <= xx' <= Bx^2 I, so every eigenvalue moves by Bx^2 at most;
- X'X: of a symmetric D, the entries on and above the diagonal have squared norm (|D|_F^2 + |diag D|^2) / 2. For
  D = xx' both terms, |x|^4 and sum_j x_j^4, are at most Bx^4. So Bx^2; attained by x along an axis;
- X'y: |x y| <= Bx By.

Replace (x, y) by (z, w), A being the X'X of the other records:
- smallest eigenvalue: with either record it lies between that of A and that of A plus Bx^2. So Bx^2;
- X'X: D = xx' - zz', with |D|_F^2 = |x|^4 + |z|^4 - 2 (x'z)^2 <= 2 Bx^4 and, because x_j^2 z_j^2 >= 0,
  |diag D|^2 = sum_j (x_j^2 - z_j^2)^2 <= sum_j (x_j^4 + z_j^4) <= 2 Bx^4. So sqrt(2) Bx^2; attained by x and z along
  two axes, so that nothing less suffices unless p = 1;
- X'y: |x y - z w| <= 2 Bx By; attained by z = x, w = -y.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.baselines.ada_ssp import Bounds, bounded_gram, sensitivities
from dpdescent.data.linear import LinearSample
from dpdescent.gate import plain_fields
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import GaussianReleases, Mechanism

Array = NDArray[np.float64]

PROVED = (
    "records are clipped to public bounds; X'X, on and above its diagonal, and X'y are Gaussian releases at their "
    "sensitivities under replacement of one record, and costs add"
)


@dataclass(frozen=True)
class Calibration:
    """Noise of the two releases, each at half of the budget.

    Attributes:
        bounds: public bounds of the records.
        rho: zCDP budget of both releases under replace-one.
    """

    bounds: Bounds
    rho: float

    def __post_init__(self) -> None:
        plain_fields(self)

    @property
    def releases(self) -> tuple[GaussianReleases, GaussianReleases]:
        """The releases of X'X and of X'y."""
        _, xx, xy = sensitivities(self.bounds, "replace-one")
        both = (
            GaussianReleases(what, size, zcdp.gaussian_noise_sd(size, 0.5 * self.rho), 1)
            for what, size in (("X'X, its upper triangle", xx), ("X'y", xy))
        )
        return next(both), next(both)

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
