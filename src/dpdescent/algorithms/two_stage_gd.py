"""Exact 2S-GD without noise or clipping (liang2025 Algorithm 2) from second moments, for any number of steps.

Without clipping a gradient depends on the data only through their second moments. The first stage converges to the last
bit within some dozens of steps. After that the second stage is a fixed linear map, whose power follows from its
eigenvalues. So ten thousand steps cost as much as a few dozen. The tests contain a plain loop with the same results.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.iv import IVSample

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Sample moments of an instrumental-variable problem, which determine unclipped descent.

    Attributes:
        zz: Z'Z/n, shape (q, q).
        zx: Z'X/n, shape (q, p).
        zy: Z'y/n, shape (q,).
    """

    zz: Array
    zx: Array
    zy: Array

    @classmethod
    def of(cls, sample: IVSample) -> "Moments":
        """Computes the moments of a sample, counting each row with its multiplicity."""
        weighted = sample.Z * sample.weights[:, None] / sample.n
        return cls(zz=weighted.T @ sample.Z, zx=weighted.T @ sample.X, zy=weighted.T @ sample.y)

    @property
    def theta_hat(self) -> Array:
        """Least squares estimate of the first stage, shape (q, p) (liang2025 Def. 2.3)."""
        return np.asarray(np.linalg.solve(self.zz, self.zx), dtype=np.float64)

    @property
    def beta_hat(self) -> Array:
        """Two-stage least squares estimate, shape (p,) (liang2025 Def. 2.3)."""
        theta_hat = self.theta_hat
        second_stage = theta_hat.T @ self.zz @ theta_hat
        return np.asarray(np.linalg.solve(second_stage, theta_hat.T @ self.zy), dtype=np.float64)

    @property
    def residual(self) -> Array:
        """Moment Z'r/n of the residual r = Z Theta_hat beta_hat - y, shape (q,) (liang2025 eq. 12).

        Theta_hat' Z'r = 0 by the normal equations, and Z'r = 0 itself where p = q.
        """
        return self.zz @ self.theta_hat @ self.beta_hat - self.zy


def final_betas(sample: IVSample, steps: list[int], eta: float, alpha: float) -> Array:
    """Last iterates beta^(T) of 2S-GD for every T in `steps`, shape (len(steps), p).

    The 2SLS estimate is not used; the limit follows from the recursion itself.

    Args:
        sample: the data.
        steps: increasing numbers of iterations, each at least 1.
        eta, alpha: step sizes of the first and second stage.

    Raises:
        ValueError: if `steps` is not increasing or begins below 1.
    """
    if steps[0] < 1 or any(a >= b for a, b in pairwise(steps)):
        raise ValueError(f"steps={steps} must increase from at least 1")
    moments = Moments.of(sample)
    Theta, beta = np.zeros((sample.q, sample.p)), np.zeros(sample.p)
    out, t, settled = [], 0, False
    for T in steps:
        while t < T and not settled:
            before = Theta
            Theta, beta = _step(moments, Theta, beta, eta, alpha)
            t, settled = t + 1, _same(Theta, before)
        out.append(_jump(moments, Theta, beta, alpha, T - t))
    return np.array(out)


def _step(moments: Moments, Theta: Array, beta: Array, eta: float, alpha: float) -> tuple[Array, Array]:
    gradient2 = Theta.T @ (moments.zz @ (Theta @ beta) - moments.zy)
    return Theta - eta * (moments.zz @ Theta - moments.zx), beta - alpha * gradient2


def _same(Theta: Array, before: Array) -> bool:
    """Whether the first stage has converged, to the last bits."""
    return bool(np.linalg.norm(Theta - before) <= 1e-15 * np.linalg.norm(Theta))


def _jump(moments: Moments, Theta: Array, beta: Array, alpha: float, steps: int) -> Array:
    """The iterate beta after more iterations with a converged first stage, from the eigenbasis of its Hessian."""
    if steps == 0:
        return beta
    H = Theta.T @ moments.zz @ Theta
    eigenvalues, vectors = np.linalg.eigh((H + H.T) / 2)
    start, end = vectors.T @ beta, vectors.T @ (Theta.T @ moments.zy) / eigenvalues
    reached: Array = vectors @ (end + (1.0 - alpha * eigenvalues) ** steps * (start - end))
    return reached
