"""The No-Clipping Condition 2.4 of brown2024 on a data set, and what Lemma 2.5 requires of threshold and noise.

The condition has five parts with one constant c0. Lemma 2.5 derives from it that no gradient is clipped. Lemma 2.6,
by which Gaussian data meet the condition, is in `gaussian_data`.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.data.linear import Array, LinearSample, blocks

# Bound on ||I - eta Sigma|| in part (i).
CONTRACTION = 7.0 / 8.0


@dataclass(frozen=True)
class Condition:
    """The quantities of the No-Clipping Condition on a data set at some theta (brown2024 Condition 2.4).

    Attributes:
        smallest, largest: extreme eigenvalues of Sigma = X'X/n, for part (i).
        contraction: ||I - eta Sigma||, for part (i).
        covariates: smallest c0 of part (ii), max ||x_i|| / sqrt(p).
        residuals: smallest c0 of part (iii), max |y_i - x_i'theta| / sigma.
        signal: smallest c0 of part (iv), max |x_i' M^t theta| over t = 1..T, M = I - eta Sigma.
        cross: smallest c0 of part (v), max |x_i' A_t X'(y - X theta)| / (sigma sqrt(n p)) over t = 1..T.
        start: max |x_i'theta|. Part (iv) does not cover t = 0, but the proof of Lemma 2.5 starts from it (eq. 37).
    """

    smallest: float
    largest: float
    contraction: float
    covariates: float
    residuals: float
    signal: float
    cross: float
    start: float

    @property
    def spectrum_holds(self) -> bool:
        """Whether part (i) holds: I/2 <= Sigma <= 2I and ||I - eta Sigma|| <= 7/8."""
        return self.smallest >= 0.5 and self.largest <= 2.0 and self.contraction <= CONTRACTION

    @property
    def c0(self) -> float:
        """The smallest c0 with which the data set meets the condition at this theta; infinite if part (i) fails."""
        if not self.spectrum_holds:
            return math.inf
        return max(self.covariates, self.residuals, self.signal, self.cross)


def condition(sample: LinearSample, theta: Array, *, sigma: float, eta: float, T: int) -> Condition:
    """Evaluates every part of Condition 2.4 at a theta, for all records and all t up to T.

    One eigendecomposition of Sigma serves all t, and rows are taken in blocks, at a cost of n p T operations.

    Args:
        sample: the data set.
        theta: the vector whose existence the condition asks for, shape (p,); theta* in the paper's proofs.
        sigma: label noise sd of the condition, positive.
        eta: step size.
        T: number of steps, at least 1.

    Raises:
        ValueError: if theta has another shape, or sigma, eta or T is not positive.
    """
    require_positive(sigma=sigma, eta=eta, T=T)
    if theta.shape != (sample.p,):
        raise ValueError(f"theta {theta.shape} must have shape ({sample.p},), one number a covariate")
    eigenvalues, V = np.linalg.eigh(sample.gram.xx / sample.n)
    residuals = sample.y - sample.X @ theta
    # Not X'y - X'X theta, because this loses digits by cancellation where sigma is small.
    moment = sum((sample.X[rows].T @ residuals[rows] for rows in blocks(sample.n, sample.p)), np.zeros(sample.p))
    shrunk, moved = _powers(1.0 - eta * eigenvalues, eta, T)
    vectors = V @ np.hstack([shrunk * (V.T @ theta)[:, None], moved * (V.T @ moment)[:, None]])
    largest = _largest(sample, vectors)
    return Condition(
        smallest=float(eigenvalues[0]),
        largest=float(eigenvalues[-1]),
        contraction=float(np.abs(1.0 - eta * eigenvalues).max()),
        covariates=float(sample.norms.max()) / math.sqrt(sample.p),
        residuals=float(np.abs(residuals).max()) / sigma,
        signal=float(largest[1 : T + 1].max()),
        cross=float(largest[T + 1 :].max()) / (sigma * math.sqrt(sample.n * sample.p)),
        start=float(largest[0]),
    )


def _powers(a: Array, eta: float, T: int) -> tuple[Array, Array]:
    """Returns the eigenvalues of M^t for t = 0..T, and of `A_t = (I - M^t) Sigma^{-1}` for t = 1..T, in columns.

    Those of A_t are summed as `eta sum_{j < t} a^j` (Fact A.7), because this needs no inverse.
    """
    shrunk = a[:, None] ** np.arange(T + 1)
    return shrunk, eta * np.cumsum(shrunk[:, :-1], axis=1)


def _largest(sample: LinearSample, vectors: Array) -> Array:
    """Returns max_i |x_i'v| of every column v of vectors."""
    largest = np.zeros(vectors.shape[1])
    for rows in blocks(sample.n, sample.p):
        np.maximum(largest, np.abs(sample.X[rows] @ vectors).max(axis=0), out=largest)
    return largest


def required_threshold(*, c0: float, sigma: float, p: int) -> float:
    """Returns the gamma from which Lemma 2.5 applies, as printed: `4 c0^2 sigma sqrt(p)` (brown2024 Lemma 2.5, eq. 73).

    The proof also needs sigma >= 1 (`residual_terms`); see `sufficient_threshold`.
    """
    require_non_negative(c0=c0, sigma=sigma)
    require_positive(p=p)
    return 4.0 * c0**2 * sigma * math.sqrt(p)


def required_ratio(*, c0: float, p: int, n: float, T: float, beta: float) -> float:
    """Returns the gamma / (eta lambda) that Lemma 2.5 requires (brown2024 Lemma 2.5, eq. 51 and 74).

    `64 c0^2 p sqrt(ln(2 n T / beta))`.
    """
    require_non_negative(c0=c0)
    require_positive(p=p)
    return 64.0 * c0**2 * p * _root_log(n, T, beta)


def required_records(*, c0: float, n: float, p: int, rho: float, T: float, eta: float, beta: float) -> float:
    """Returns the n that Lemma 2.5 requires at the noise of budget rho (brown2024 eq. 74, with lambda of eq. 9).

    `64 c0^2 p eta sqrt(2 T / rho) sqrt(ln(2 n T / beta))`. n is on both sides of the inequality: the value is its
    right-hand side at the given n, which must not exceed n.
    """
    require_positive(rho=rho, eta=eta)
    return required_ratio(c0=c0, p=p, n=n, T=T, beta=beta) * eta * math.sqrt(2.0 * T / rho)


def noise_projection(*, c0: float, noise_sd: float, n: float, p: int, T: float, t: int, beta: float) -> float:
    """Returns the bound on all |x_i' M^t z_s| that holds with probability 1 - beta (brown2024 eq. 33).

    `2 c0 lambda sqrt(p) (7/8)^t sqrt(ln(2 n T / beta))`, for every record i and every step's noise z_s.
    """
    require_non_negative(c0=c0, noise_sd=noise_sd, t=t)
    require_positive(p=p)
    return 2.0 * c0 * noise_sd * math.sqrt(p) * CONTRACTION**t * _root_log(n, T, beta)


def _root_log(n: float, T: float, beta: float) -> float:
    require_positive(n=n, T=T)
    require_probability(beta=beta)
    return math.sqrt(math.log(2.0 * n * T / beta))
