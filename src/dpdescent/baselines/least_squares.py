"""Ordinary, Huberised and two-stage least squares, without privacy (brown2024 Sec. 2; liang2025 Definition 2.3).

No intercept is added: centre the sample first (`data.tabular.centre`), or put a column of ones in both Z and X.
Exogenous controls are columns of both, too.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack, solve_triangular
from scipy.special import stdtrit

from dpdescent.checks import require_positive
from dpdescent.data.iv import Array, IVSample
from dpdescent.data.linear import Gram, LinearSample, blocks
from dpdescent.privacy.clipping import clip_factors

_EPS = float(np.finfo(np.float64).eps)


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


def linear_least_squares(gram: Gram) -> Array:
    """Least-squares estimate `theta_hat = (X'X)^-1 X'y`, shape (p,) (brown2024 Lemma 2.3).

    Raises:
        ValueError: if X'X is singular to working precision.
    """
    R, scale = _cholesky(gram)
    theta: Array = cho_solve((R, False), gram.xy / scale) / scale
    return theta


def linear_intervals(gram: Gram, level: float = 0.95) -> Array:
    """Lengths of the textbook intervals `theta_hat_j -+ length_j / 2` for theta*_j, shape (p,), in units of theta.

    `2 t s sqrt([(X'X)^-1]_jj)` with `s^2 = RSS / (n - p)` and t the (1 + level) / 2 quantile of Student's law with
    n - p degrees of freedom: the dashed line of brown2024 Figures 6 and 11. Coverage is exact for normal noise.

    Args:
        gram: sufficient statistics of n > p records.
        level: nominal coverage, in (0, 1).

    Raises:
        ValueError: if n <= p, the level is out of range, X'X is singular to working precision, or the residuals are
            lost in the rounding of y'y.
    """
    n, p = gram.n, len(gram.xy)
    if n <= p:
        raise ValueError(f"n={n} records leave no degree of freedom for p={p} coefficients: n > p is needed")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} must be in (0, 1)")
    R, scale = _cholesky(gram)
    explained = solve_triangular(R, gram.xy / scale, trans="T")
    rss = gram.yy - float(explained @ explained)
    if rss <= n * _EPS * gram.yy:
        raise ValueError(f"RSS={rss} is within the rounding of y'y={gram.yy} over n={n} records: no interval")
    # (X'X)^-1 = R^-1 R^-T, so its diagonal holds the squared norms of the rows of R^-1.
    inverse = solve_triangular(R, np.eye(p))
    lengths: Array = 2 * stdtrit(n - p, (1 + level) / 2) * np.sqrt(rss / (n - p) * (inverse**2).sum(1)) / scale
    return lengths


def huber_minimiser(sample: LinearSample, gamma: float, tolerance: float = 1e-12, limit: int = 5000) -> Array:
    """Minimiser of the Huber losses whose gradients are the clipped ones, shape (p,) (brown2024 Sec. 2.5).

    The loss of a record is `r^2 / 2` where `|r| <= B_i` and `B_i (|r| - B_i / 2)` beyond, `r = y_i - x_i'theta` and
    `B_i = gamma / |x_i|`. It is computed by reweighted least squares from theta_hat, which never raises the total loss,
    until a step changes the (weighted) predictions by no more than `tolerance`, relative to them. Where so few
    residuals are within their B_i that they do not identify theta, the minimiser need not be unique.

    Args:
        sample: the data.
        gamma: clipping threshold of the gradients, positive; inf gives least squares.
        tolerance: largest relative change of the last step.
        limit: largest number of steps.

    Raises:
        ValueError: if gamma is not positive, or X'X is singular to working precision.
        RuntimeError: if `limit` steps do not suffice.
    """
    require_positive(gamma=gamma)
    theta = linear_least_squares(sample.gram)
    for _ in range(limit):
        curvature, pull = _reweighted(sample, theta, gamma)
        step = np.linalg.solve(curvature, pull)
        theta = theta + step
        # In terms of predictions, because neither units nor collinear columns must decide when to stop.
        if step @ curvature @ step <= tolerance**2 * (theta @ curvature @ theta):
            return theta
    raise RuntimeError(f"the Huber minimiser at gamma={gamma} still moves after {limit} steps: raise `limit`")


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
    # Scaled by X, not by itself, because a projection that is only rounding error must be seen as small.
    beta = _solve(Z @ Theta, s * sample.y, sample.X, s, "X projected on Z")
    return TwoStageFit(Theta, beta)


def two_stage_standard_errors(sample: IVSample, fit: TwoStageFit) -> Array:
    """Standard errors of 2SLS that allow for heteroskedastic errors, shape (p,): roots of the sandwich's diagonal.

    `H^-1 M H^-1 / n` with `H = W'X / n`, `M` the mean of `r^2 w w'`, w the regressors as the first stage fits them and
    r the residuals `y - x'beta`.
    """
    W, r, n = sample.Z @ fit.Theta, sample.y - sample.X @ fit.beta, sample.n
    weighted = sample.weights[:, None] * W
    slope, moment = weighted.T @ sample.X / n, (weighted * (r**2)[:, None]).T @ W / n
    left = np.linalg.inv(slope)
    return np.asarray(np.sqrt(np.diag(left @ moment @ left.T) / n))


def first_stage_F(sample: IVSample) -> float:
    """First-stage F statistic of the q excluded instruments, with an intercept and homoskedastic errors.

    `F = ((TSS - RSS) / q) / (RSS / (n - q - 1))` of x on Z, both centred, where n counts records. All columns of Z
    count as excluded instruments; controls must be partialled out before.

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
    """Solves `argmin |A c - B|` with columns of A in units of those of `s * reference`, so that rank has no units."""
    scale = np.linalg.norm(s[:, None] * reference, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    solution, _, _, singular_values = np.linalg.lstsq(A / scale, B, rcond=None)
    # Compared with 1 and not the largest, because a single column of rounding error would always have rank 1.
    rank = int((singular_values > max(A.shape) * _EPS).sum())
    if rank < A.shape[1]:
        raise ValueError(f"{what} has rank {rank}, but {A.shape[1]} columns: they are linearly dependent")
    coefficients: Array = solution / (scale if B.ndim == 1 else scale[:, None])
    return coefficients


def _cholesky(gram: Gram) -> tuple[Array, Array]:
    """Upper triangular R and scale (the columns' norms) with `X'X = (R diag(scale))' R diag(scale)`.

    Rank is judged after that scaling, because rank must not depend on units. Entries of R below the diagonal are
    arbitrary.
    """
    scale = np.sqrt(np.diag(gram.xx))
    scale = np.where(scale > 0, scale, 1.0)
    unit = gram.xx / np.outer(scale, scale)
    try:
        R: Array = cho_factor(unit)[0]
        reciprocal_condition = float(lapack.dpocon(R, np.abs(unit).sum(0).max())[0])
    except np.linalg.LinAlgError:
        reciprocal_condition = 0.0
    if not reciprocal_condition > max(gram.n, len(unit)) * _EPS:
        raise ValueError(
            f"X'X of n={gram.n} records and p={len(unit)} covariates is singular to working precision (reciprocal "
            f"condition {reciprocal_condition:.1g}): drop dependent columns or add records"
        )
    return R, scale


def _reweighted(sample: LinearSample, theta: Array, gamma: float) -> tuple[Array, Array]:
    """Sums `X'WX` and `X'W(y - X theta)` with the clip factors as weights, shapes (p, p) and (p,), in blocks."""
    curvature, pull = np.zeros((sample.p, sample.p)), np.zeros(sample.p)
    threshold = np.full(1, gamma)
    for rows in blocks(sample.n, sample.p):
        X = sample.X[rows]
        r = sample.y[rows] - X @ theta
        w = clip_factors(sample.norms[rows] * np.abs(r), threshold)
        curvature += (w[:, None] * X).T @ X
        pull += (w * r) @ X
    return curvature, pull
