"""Descents without clipping on sample moments: many data sets at once, and any sample size at the cost of one record.

Without clipping an iterate depends on the data through their second moments only (liang2025 eq. 11 and 12), and those
of Gaussian records are Wishart, which is drawn by Bartlett's decomposition: exact in law, whatever n is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms.dp_2s_gd import Normals
from dpdescent.checks import as_list
from dpdescent.data.iv import IVParameters
from dpdescent.papers.liang2025 import formulas, setting
from dpdescent.papers.liang2025.setting import Row, Spec

Array = NDArray[np.float64]
Measured = Iterator[tuple[Row, Array]]

# Stands for an iterate that has left every scale: medians and levels need a number.
DIVERGED = 1e12


@dataclass(frozen=True)
class Samples:
    """Moments of several data sets of one design, with the data sets as first axis.

    Attributes:
        zz, zx, zy, xx, xy: Z'Z/n, Z'X/n, Z'y/n, X'X/n, X'y/n.
        ze: Z'E2/n, the part of Z'X/n that is error.
    """

    zz: Array
    zx: Array
    zy: Array
    xx: Array
    xy: Array
    ze: Array

    @property
    def theta_hat(self) -> Array:
        """First-stage least squares, shape (sets, q, p)."""
        return np.asarray(np.linalg.solve(self.zz, self.zx), dtype=np.float64)

    @property
    def beta_hat(self) -> Array:
        """Two-stage least squares, shape (sets, p)."""
        theta = self.theta_hat
        return _solved(_turned(theta) @ self.zz @ theta, _applied(_turned(theta), self.zy))

    @property
    def least_squares(self) -> Array:
        """Ordinary least squares of y on x, shape (sets, p)."""
        return _solved(self.xx, self.xy)

    @property
    def residual(self) -> Array:
        """Z'r/n of the residual r = Z Theta_hat beta_hat - y, shape (sets, q)."""
        return _applied(self.zz @ self.theta_hat, self.beta_hat) - self.zy


@dataclass(frozen=True)
class DataSets:
    """The data sets of one part, with their design.

    Attributes:
        spec: the part's specification, its cell complete.
        parameters: parameters of the design.
        problem: quantities of the design that the bounds use, at the shared tau.
        samples: moments of the trials' data sets.
    """

    spec: Spec
    parameters: IVParameters
    problem: formulas.IVProblem
    samples: Samples

    def axis(self, symbol: str) -> Sequence[float]:
        """The values of an inner axis of the panel, by the axis's symbol."""
        return list(as_list({**self.spec["arms"], **self.spec["cell"]}[symbol]))


@dataclass(frozen=True)
class Arms:
    """Settings of runs that share their data sets and normals, by rising T; every field has shape (arms,)."""

    steps: NDArray[np.int64]
    eta: Array
    alpha: Array
    lambda1: Array
    lambda2: Array

    def __post_init__(self) -> None:
        if np.any(np.diff(self.steps) < 0):
            raise ValueError(f"steps={self.steps.tolist()} must not fall: shorter runs come first")


def draw(parameters: IVParameters, direct: Array, n: int, generators: list[np.random.Generator]) -> Samples:
    """Draws the moments of n records for every generator.

    Args:
        parameters: parameters of the design `x = Theta'z + Phi'u + e`, `y = beta'x + phi'u + direct'z + e`.
        direct: effect of the instruments on the outcome that the exclusion restriction forbids, shape (q,).
        n: sample size, at least the number of variables.
        generators: one for each data set.
    """
    q, p = parameters.Theta.shape
    r = len(parameters.phi)
    second = np.stack([_wishart(q + r + p + 1, n, rng) for rng in generators])
    z = np.vstack([np.eye(q), np.zeros((r + p + 1, q))])
    e2 = np.vstack([np.zeros((q, p)), parameters.Phi, np.eye(p), np.zeros((1, p))])
    x = z @ parameters.Theta + e2
    y = x @ parameters.beta + np.concatenate([direct, parameters.phi, np.zeros(p), [1.0]])
    return Samples(
        zz=z.T @ second @ z, zx=z.T @ second @ x, zy=z.T @ second @ y, xx=x.T @ second @ x, xy=x.T @ second @ y,
        ze=z.T @ second @ e2,
    )  # fmt: skip


def _wishart(variables: int, n: int, rng: np.random.Generator) -> Array:
    """V'V/n of n records of independent standard normal variables."""
    lower = np.tril(rng.standard_normal((variables, variables)), -1)
    lower[np.diag_indices(variables)] = np.sqrt(rng.chisquare(n - np.arange(variables)))
    return lower @ lower.T / n


def descend(samples: Samples, arms: Arms, normals: list[Normals]) -> tuple[Array, Array]:
    """Runs the noisy descent without clipping, both stages at once (liang2025 Algorithm 1).

    Returns:
        Last Theta, shape (sets, arms, q, p), and last beta, shape (sets, arms, p); `DIVERGED` where not finite.
    """
    (sets, q, p), count = samples.zx.shape, len(arms.steps)
    Theta, beta = np.zeros((sets, count, q, p)), np.zeros((sets, count, p))
    zz, zx, zy = samples.zz[:, None], samples.zx[:, None], samples.zy[:, None]
    with np.errstate(over="ignore", invalid="ignore"):
        for t in range(int(arms.steps.max())):
            live = slice(int(np.searchsorted(arms.steps, t, side="right")), None)
            Xi = np.stack([own.stage1[t, 0].T for own in normals])[:, None]
            nu = np.stack([own.stage2[t, 0] for own in normals])[:, None]
            eta, lambda1 = (values[live, None, None] for values in (arms.eta, arms.lambda1))
            alpha, lambda2 = (values[live, None] for values in (arms.alpha, arms.lambda2))
            current_Theta, current_beta = Theta[:, live], beta[:, live]
            gradient2 = _applied(_turned(current_Theta), _applied(zz, _applied(current_Theta, current_beta)) - zy)
            Theta[:, live] = current_Theta + eta * (lambda1 * Xi - (zz @ current_Theta - zx))
            beta[:, live] = current_beta + alpha * (lambda2 * nu - gradient2)
    return _held(Theta), _held(beta)


def normals_of(data: DataSets, arms: Arms) -> list[Normals]:
    """The standard normals of each trial's noise, for as many steps as the longest arm has."""
    longest, (p, q) = int(arms.steps.max()), (data.problem.p, data.problem.q)
    streams = (setting.trial_stream(data.spec, trial, "noise") for trial in range(*data.spec["trials"]))
    return [Normals.draw(rng, longest, p, q) for rng in streams]


def blank(data: DataSets, quantity: str) -> Row:
    """Grid columns of a quantity of the data alone."""
    return {"quantity": quantity, "T": 0, "rho1": np.inf, "rho2": np.inf, "tau": data.problem.tau}


def norms(values: Array) -> Array:
    """Euclidean norms over the last axis; at most `DIVERGED`."""
    return np.asarray(np.minimum(np.linalg.norm(values, axis=-1), DIVERGED), dtype=np.float64)


def operator_norms(values: Array) -> Array:
    """Operator norms over the last two axes."""
    return np.asarray(np.linalg.norm(values, 2, axis=(-2, -1)), dtype=np.float64)


def _solved(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.linalg.solve(matrices, vectors[..., None])[..., 0], dtype=np.float64)


def _applied(matrices: Array, vectors: Array) -> Array:
    return (matrices @ vectors[..., None])[..., 0]


def _turned(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _held(values: Array) -> Array:
    return np.where(np.isfinite(values), np.clip(values, -DIVERGED, DIVERGED), DIVERGED)
