"""Samples of the linear instrumental-variable model, and the synthetic design of liang2025."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_finite_values
from dpdescent.gate import through

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IVSample:
    """A sample of the model `y = x'beta + eps1`, `x = Theta'z + eps2` (liang2025 eq. 1).

    Equal records may be stored once with their multiplicity in `count`; all code must take `count` into account.

    Attributes:
        Z: instruments, shape (rows, q).
        X: endogenous regressors, shape (rows, p).
        y: outcomes, shape (rows,).
        count: number of records per row, shape (rows,); None means one each.

    Raises:
        ValueError: if the shapes do not fit, or a value is not finite.
    """

    Z: Array
    X: Array
    y: Array
    count: Array | None = None

    def __post_init__(self) -> None:
        through(self, "Z", "X", "y")
        if self.count is not None:
            through(self, "count")
        rows = self.y.shape[0] if self.y.ndim == 1 else -1
        if self.Z.ndim != 2 or self.X.ndim != 2 or self.Z.shape[0] != rows or self.X.shape[0] != rows:
            raise ValueError(f"Z {self.Z.shape}, X {self.X.shape} and y {self.y.shape} must share their first axis")
        if self.count is not None and self.count.shape != (rows,):
            raise ValueError(f"count has shape {self.count.shape}, but there are {rows} rows")
        require_finite_values(Z=self.Z, X=self.X, y=self.y, count=self.weights)

    @property
    def n(self) -> int:
        """Number of records (not of distinct rows)."""
        return self.y.shape[0] if self.count is None else int(self.count.sum())

    @property
    def p(self) -> int:
        """Number p of regressors."""
        return int(self.X.shape[1])

    @property
    def q(self) -> int:
        """Number q of instruments."""
        return int(self.Z.shape[1])

    @property
    def weights(self) -> Array:
        """Multiplicities, shape (rows,); ones where every row is one record."""
        return np.ones(self.y.shape[0]) if self.count is None else self.count


@dataclass(frozen=True)
class IVParameters:
    """Ground-truth parameters of the synthetic design (liang2025 Sec. 4.1).

    Attributes:
        beta: causal effect, shape (p,).
        Theta: first-stage coefficients, shape (q, p).
        Phi: effect of the confounder on x, shape (r, p).
        phi: effect of the confounder on y, shape (r,).
    """

    beta: Array
    Theta: Array
    Phi: Array
    phi: Array

    @property
    def sigma_1(self) -> float:
        """Sub-Gaussian parameter of eps1 = phi'u + eps_y, which is its sd, because eps1 is Gaussian."""
        return float(np.sqrt(1.0 + self.phi @ self.phi))

    @property
    def sigma_2(self) -> float:
        """Sub-Gaussian parameter of eps2 = Phi'u + eps_x: sqrt(1 + ||Phi||_op^2)."""
        return float(np.sqrt(1.0 + np.linalg.norm(self.Phi, 2) ** 2))


def draw_parameters(p: int, q: int, r: int, rng: np.random.Generator, first_stage: float = 5.0) -> IVParameters:
    """Draws the parameters of liang2025 Sec. 4.1: `Theta = first_stage * I_{q x p} + E`, all else standard normal.

    Raises:
        ValueError: if q < p, because beta is then not identified (liang2025 Assumption 1).
    """
    if q < p:
        raise ValueError(f"q={q} instruments cannot identify p={p} effects: q >= p is needed (Assumption 1)")
    beta = rng.standard_normal(p)
    Theta = first_stage * np.eye(q, p) + rng.standard_normal((q, p))
    return IVParameters(beta, Theta, Phi=rng.standard_normal((r, p)), phi=rng.standard_normal(r))


def draw_sample(parameters: IVParameters, n: int, rng: np.random.Generator) -> IVSample:
    """Draws n records: `x = Theta'z + Phi'u + eps_x`, `y = beta'x + phi'u + eps_y` with standard normal z, u, eps.

    The paper's sentence on the confounder swaps the roles of eps1 and eps2; this is the version of liang2025 eq. (1).
    """
    q, p = parameters.Theta.shape
    r = parameters.phi.shape[0]
    Z = rng.standard_normal((n, q))
    U = rng.standard_normal((n, r))
    X = Z @ parameters.Theta + U @ parameters.Phi + rng.standard_normal((n, p))
    y = X @ parameters.beta + U @ parameters.phi + rng.standard_normal(n)
    return IVSample(Z, X, y)
