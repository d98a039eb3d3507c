"""Ordinary and two-stage least squares, without privacy (liang2025 Definition 2.3).

No intercept is ever added: centre the sample first (`data.tabular.centre`), or put a column of ones in both Z and X.
Exogenous controls work in the same way, as columns of both.
"""

from dataclasses import dataclass

import numpy as np

from dpdescent.data.iv import Array, IVSample


@dataclass(frozen=True)
class TwoStageFit:
    """Two-stage least squares (liang2025 Definition 2.3).

    Attributes:
        Theta: first stage, `argmin |X - Z Theta|^2`, shape (q, p).
        beta: second stage, `argmin |y - Z Theta beta|^2`, shape (p,).
    """

    Theta: Array
    beta: Array

    def residual(self, sample: IVSample) -> Array:
        """Second-stage residual `r = Z Theta beta - y` of every row, shape (rows,), in units of y (liang2025 eq. 16).

        Not the structural residual `X beta - y`. By the normal equations `Theta'Z'r = 0`.
        """
        r: Array = sample.Z @ self.Theta @ self.beta - sample.y
        return r


def ordinary_least_squares(sample: IVSample) -> Array:
    """Least squares of y on X, shape (p,); Z is not used. Inconsistent where X is endogenous.

    Raises:
        ValueError: if the columns of X are linearly dependent.
    """
    s = np.sqrt(sample.weights)
    beta: Array = _solve(s[:, None] * sample.X, s * sample.y, sample.X, s, "X")
    return beta


def two_stage_least_squares(sample: IVSample) -> TwoStageFit:
    """Two-stage least squares of y on X with instruments Z (liang2025 Definition 2.3).

    Rows are weighted by the square root of their counts, so that a row of count k is worth k records.

    Raises:
        ValueError: if q < p, or if the columns of Z, or of X projected on Z, are linearly dependent.
    """
    if sample.q < sample.p:
        raise ValueError(f"q={sample.q} instruments cannot identify p={sample.p} effects: q >= p is needed")
    s = np.sqrt(sample.weights)
    Z = s[:, None] * sample.Z
    Theta = _solve(Z, s[:, None] * sample.X, sample.Z, s, "Z")
    # Scaled by X, not by itself: a projection that is nothing but rounding error must look as small as it is.
    beta = _solve(Z @ Theta, s * sample.y, sample.X, s, "X projected on Z")
    return TwoStageFit(Theta, beta)


def first_stage_F(sample: IVSample) -> float:
    """First-stage F statistic of the q excluded instruments, with an intercept and homoskedastic errors.

    `F = ((TSS - RSS) / q) / (RSS / (n - q - 1))` of x on Z, both centred, where n counts records. All of Z is taken to
    be excluded; controls must be partialled out before.

    Raises:
        ValueError: if p > 1, n <= q + 1, or the centred columns of Z are linearly dependent.
    """
    n, q = sample.n, sample.q
    if sample.p != 1:
        raise ValueError(f"p={sample.p}: a first-stage F statistic is defined here for one regressor only")
    if n <= q + 1:
        raise ValueError(f"n={n} records leave no degree of freedom for q={q} instruments and an intercept")
    w, s = sample.weights, np.sqrt(sample.weights)
    Z, x = sample.Z - w @ sample.Z / n, sample.X[:, 0] - float(w @ sample.X[:, 0]) / n
    rss = float(w @ (x - Z @ _solve(s[:, None] * Z, s * x, sample.Z, s, "centred Z")) ** 2)
    return float((w @ x**2 - rss) / q / (rss / (n - q - 1)))


def _solve(A: Array, B: Array, reference: Array, s: Array, what: str) -> Array:
    """`argmin |A c - B|` with the columns of A brought to the scale of `s * reference`, so that rank has no units."""
    scale = np.linalg.norm(s[:, None] * reference, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    solution, _, _, singular_values = np.linalg.lstsq(A / scale, B, rcond=None)
    # Against 1, not against the largest: a single column of rounding error would always have rank 1.
    rank = int((singular_values > max(A.shape) * np.finfo(np.float64).eps).sum())
    if rank < A.shape[1]:
        raise ValueError(f"{what} has rank {rank}, but {A.shape[1]} columns: they are linearly dependent")
    coefficients: Array = solution / (scale if B.ndim == 1 else scale[:, None])
    return coefficients
