"""Samples of the linear regression model, their sufficient statistics, and the synthetic designs of brown2024."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_finite_values
from dpdescent.gate import through

Array = NDArray[np.float64]

# Number of values per block of rows (2 MB), so that a pass reads each block from memory once.
BLOCK = 1 << 18


@dataclass(frozen=True)
class LinearSample:
    """A sample of `y = x'theta + xi` (brown2024 Def. 1.1).

    Attributes:
        X: covariates, shape (n, p).
        y: responses, shape (n,).

    Raises:
        ValueError: if the shapes do not fit, there is no record or no covariate, or a value is not finite.
    """

    X: Array
    y: Array

    def __post_init__(self) -> None:
        through(self, "X", "y")
        if self.X.ndim != 2 or self.y.shape != self.X.shape[:1]:
            raise ValueError(f"X {self.X.shape} must be (n, p) and y {self.y.shape} (n,)")
        if 0 in self.X.shape:
            raise ValueError(f"X {self.X.shape} has no record or no covariate")
        require_finite_values(X=self.X, y=self.y)

    @property
    def n(self) -> int:
        """Number n of records."""
        return int(self.X.shape[0])

    @property
    def p(self) -> int:
        """Number p of covariates."""
        return int(self.X.shape[1])

    @cached_property
    def gram(self) -> "Gram":
        """Sufficient statistics X'X, X'y and y'y, computed once."""
        return self._statistics[0]

    @cached_property
    def norms(self) -> Array:
        """Norm ||x_i|| of every record, shape (n,), computed once."""
        return self._statistics[1]

    @cached_property
    def _statistics(self) -> tuple["Gram", Array]:
        """The sufficient statistics and the norms, from one pass over the records."""
        xx, xy, squared_norms = np.zeros((self.p, self.p)), np.zeros(self.p), np.empty(self.n)
        for rows in blocks(self.n, self.p):
            X = self.X[rows]
            xx += X.T @ X
            xy += self.y[rows] @ X
            np.einsum("ij,ij->i", X, X, out=squared_norms[rows])
        return Gram(self.n, xx, xy, float(self.y @ self.y)), np.sqrt(squared_norms)


def blocks(n: int, p: int) -> Iterator[slice]:
    """Yields slices that cut n rows of p numbers into blocks for the cache; the size of blocks depends on p alone."""
    size = max(1024, BLOCK // p)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


@dataclass(frozen=True)
class Gram:
    """Sufficient statistics of least squares.

    Attributes:
        n: number of records.
        xx: X'X, shape (p, p).
        xy: X'y, shape (p,).
        yy: y'y.
    """

    n: int
    xx: Array
    xy: Array
    yy: float


def unit_sphere(p: int, rng: np.random.Generator) -> Array:
    """Draws a point uniformly from the unit sphere of R^p (theta* in brown2024 Sec. 4), shape (p,)."""
    direction = rng.standard_normal(p)
    point: Array = direction / np.linalg.norm(direction)
    return point


def haar_rotation(p: int, rng: np.random.Generator) -> Array:
    """Draws an orthogonal matrix uniformly (Haar), shape (p, p).

    The signs of Q's columns are changed, because the factor Q of a Gaussian matrix is uniform only if the diagonal of R
    is positive.
    """
    Q, R = np.linalg.qr(rng.standard_normal((p, p)))
    rotation: Array = Q * np.sign(np.diag(R))
    return rotation


def anisotropic_root(p: int, rng: np.random.Generator) -> Array:
    """Draws L of the covariance LL' of brown2024 App. B: eigenvalues 2, 1, the rest uniform on [1, 2], rotated.

    The shape is (p, p).

    Raises:
        ValueError: if p < 2.
    """
    if p < 2:
        raise ValueError(f"p={p}: the anisotropic design has its first two eigenvalues fixed and needs p >= 2")
    eigenvalues = np.concatenate([[2.0, 1.0], rng.uniform(1.0, 2.0, p - 2)])
    root: Array = haar_rotation(p, rng) * np.sqrt(eigenvalues)
    return root


def draw_linear(
    theta: Array, n: int, rng: np.random.Generator, *, root: Array | None = None, sigma: float = 1.0,
    noise_mean: float = 0.0,
) -> LinearSample:  # fmt: skip
    """Draws n records: x ~ N(0, LL'), y = x'theta + xi, xi ~ N(noise_mean, sigma^2) (brown2024 Def. 1.1).

    The draws from `rng` depend only on n and p, so that designs with the same stream share their normals.

    Args:
        theta: true parameter, shape (p,).
        n: number of records.
        rng: generator of this data set.
        root: L, shape (p, p); None means the identity.
        sigma: sd of the label noise, non-negative.
        noise_mean: mean of the label noise, 0 in the paper.
    """
    if not sigma >= 0.0:
        raise ValueError(f"sigma={sigma} must not be negative")
    p = theta.shape[0]
    X = np.empty((n, p))
    for rows in blocks(n, p):
        rng.standard_normal(out=X[rows])
        if root is not None:
            X[rows] = X[rows] @ root.T
    return LinearSample(X, X @ theta + (noise_mean + sigma * rng.standard_normal(n)))


def plant_outliers(sample: LinearSample, share: float, shift: float) -> LinearSample:
    """Makes the first `share` of the records outliers: y + shift, and the absolute value of the first covariate.

    Records are exchangeable, so that the first ones are a random choice. Their labels pull the first coefficient in one
    direction (our design, for the claim of brown2024 Sec. 1.1).
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share={share} must lie between 0 and 1")
    count = round(share * sample.n)
    X, y = sample.X.copy(), sample.y.copy()
    X[:count, 0], y[:count] = np.abs(X[:count, 0]), y[:count] + shift
    return LinearSample(X, y)
