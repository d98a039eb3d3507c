"""Condition 2.4 of brown2024 for no clipping, Lemma 2.5's requirements, and the constant of Lemma 2.6 with its proof.

The condition has five parts with one constant c0. Lemma 2.5 derives from it that no gradient is clipped. By Lemma 2.6
Gaussian data meet it; each function on its proof bounds one part with probability 1 - beta/5, at step size 1/4. Where
the printed argument yields something other than the statement, both are here.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.data.linear import Array, LinearSample, blocks
from dpdescent.papers.brown2024 import formulas
from dpdescent.papers.brown2024.formulas import CONTRACTION

# The failure probability beta is split evenly over the five parts of the condition.
PARTS = 5


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
    """Evaluates every part of Condition 2.4 at a theta, shape (p,), theta* in the paper, for all records and all t up to T.

    One eigendecomposition of Sigma serves all t, and rows are taken in blocks, at a cost of n p T operations.
    """
    require_positive(sigma=sigma, eta=eta, T=T)
    if theta.shape != (sample.p,):
        raise ValueError(f"theta {theta.shape} must have shape ({sample.p},), one number a covariate")
    eigenvalues, V = np.linalg.eigh(sample.gram.xx / sample.n)
    residuals = sample.y - sample.X @ theta
    # Not X'y - X'X theta, because this loses digits by cancellation where sigma is small.
    moment = sum((sample.X[rows].T @ residuals[rows] for rows in blocks(sample.n, sample.p)), np.zeros(sample.p))
    # Eigenvalues of M^t for t = 0..T, and of A_t = (I - M^t) Sigma^{-1} for t = 1..T, in columns; the latter are
    # summed as eta sum_{j < t} a^j (Fact A.7), because this needs no inverse.
    shrunk = (1.0 - eta * eigenvalues)[:, None] ** np.arange(T + 1)
    moved = eta * np.cumsum(shrunk[:, :-1], axis=1)
    vectors = V @ np.hstack([shrunk * (V.T @ theta)[:, None], moved * (V.T @ moment)[:, None]])
    # max_i |x_i'v| of every column v.
    largest = np.zeros(vectors.shape[1])
    for rows in blocks(sample.n, sample.p):
        np.maximum(largest, np.abs(sample.X[rows] @ vectors).max(axis=0), out=largest)
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


def required_threshold(*, c0: float, sigma: float, p: int) -> float:
    """Returns the gamma from which Lemma 2.5 applies, as printed: `4 c0^2 sigma sqrt(p)` (brown2024 Lemma 2.5, eq. 73).

    The proof also needs sigma >= 1: it holds for every sigma with max(sigma, 1) in its place.
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
    """Returns the bound on |x_i' M^t z_s| for every record and step that holds with probability 1 - beta (brown2024 eq. 33).

    `2 c0 lambda sqrt(p) (7/8)^t sqrt(ln(2 n T / beta))`.
    """
    require_non_negative(c0=c0, noise_sd=noise_sd, t=t)
    require_positive(p=p)
    return 2.0 * c0 * noise_sd * math.sqrt(p) * CONTRACTION**t * _root_log(n, T, beta)


def lemma_constant(*, n: float, T: float, beta: float) -> float:
    """Returns the c0 with which Gaussian data meet Condition 2.4: `12 ln^1.5(5 n T / beta)` (brown2024 Lemma 2.6)."""
    return 12.0 * float(_log(n, T, beta) ** 1.5)


def theorem_constant(*, n: float, T: float, beta: float) -> float:
    """Returns the c0 of Lemma 2.6 at a quarter of Theorem 2.7's beta: `12 ln^1.5(20 n T / beta)` (brown2024 eq. 73)."""
    require_probability(beta=beta)
    return lemma_constant(n=n, T=T, beta=beta / 4.0)


def covariate_constant(*, n: float, p: int, beta: float) -> float:
    """Returns c1 of part (ii), ||x_i|| <= c1 sqrt(p) for all i: `1 + sqrt(2 ln(5n/beta) / p)` (from brown2024 Claim A.9)."""
    require_positive(n=n)
    return formulas.gaussian_norm(p, 1.0, beta / (PARTS * n)) / math.sqrt(p)


def covariate_constant_as_printed(*, n: float, p: int, beta: float) -> float:
    """Returns c1 of part (ii) as printed, `1 + sqrt(2/p) ln(5n/beta)`: the logarithm should be in the root (Lemma C.7)."""
    require_positive(p=p)
    return 1.0 + math.sqrt(2.0 / p) * _log(n, 1.0, beta)


def covariate_ceiling(*, n: float, beta: float) -> float:
    """Returns the bound on c1 of part (ii) for p >= 2: `3 sqrt(ln(5n/beta))` (brown2024 Lemma C.7)."""
    return 3.0 * math.sqrt(_log(n, 1.0, beta))


def label_noise_bound(*, n: float, sigma: float, beta: float) -> float:
    """Returns the bound on all |xi_i| of part (iii): `sigma sqrt(2 ln(10n/beta))` (brown2024 Lemma C.7, Claim A.8)."""
    require_positive(n=n)
    return formulas.gaussian_tail(sigma, beta / (PARTS * n))


def signal_constant_as_printed(*, c0: float, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant that the printed proof yields for part (iv) (brown2024 eq. 58).

    `4 c0 ln(5nT/beta) / (1 - p^{-1/2})`, at most 16 c0 ln(5nT/beta) for p >= 2: larger than the c0 that the proof
    is to show.
    """
    return 4.0 * c0 * _log(n, T, beta) * _dimension_factor(p)


def signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (iv) by the printed argument with 3 sqrt(ln(5nT/beta)), which exceeds c1, for c0.

    `12 ln^1.5(5nT/beta) / (1 - p^{-1/2})` (from brown2024 eq. 58): the stated constant of Lemma 2.6 times 3.41 at
    p = 2 and 1.46 at p = 10. It tends to the stated constant as p grows.
    """
    return lemma_constant(n=n, T=T, beta=beta) * _dimension_factor(p)


def sub_gaussian_signal_constant(*, p: int, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (iv) by the sub-Gaussian tail in place of Lemma A.11: `c1 sqrt(2 ln(10nT/beta))`.

    It lies below the stated constant, which shows that Lemma 2.6 (brown2024) itself holds.
    """
    return covariate_constant(n=n, p=p, beta=beta) * math.sqrt(2.0 * (math.log(2.0) + _log(n, T, beta)))


def kernel_bound(*, c1: float, n: float, p: int) -> float:
    """Returns the bound on `sum_j (x_i' A_t x_j)^2` for all i and t under part (i): `8 c1^2 n p` (brown2024 eq. 67)."""
    require_positive(c1=c1, n=n, p=p)
    return 8.0 * c1**2 * n * p


def cross_constant_as_printed(*, c1: float, n: float, T: float, beta: float) -> float:
    """Returns the constant that the printed proof yields for part (v): `4 c1 sqrt(ln(5nT/beta))` (brown2024 eq. 69)."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(_log(n, T, beta))


def cross_constant(*, c1: float, n: float, T: float, beta: float) -> float:
    """Returns the constant of part (v) with both tails, as in brown2024 Claim A.8: `4 c1 sqrt(ln(10nT/beta))`."""
    require_positive(c1=c1)
    return 4.0 * c1 * math.sqrt(math.log(2.0) + _log(n, T, beta))


def _log(n: float, T: float, beta: float) -> float:
    require_positive(n=n, T=T)
    require_probability(beta=beta)
    return math.log(PARTS * n * T / beta)


def _root_log(n: float, T: float, beta: float) -> float:
    require_positive(n=n, T=T)
    require_probability(beta=beta)
    return math.sqrt(math.log(2.0 * n * T / beta))


def _dimension_factor(p: int) -> float:
    """Returns 1 / (1 - p^{-1/2}), the factor by which Lemma A.11 is weaker than a tail at the scale of 1 / sqrt(p)."""
    if p < 2:
        raise ValueError(f"p={p} must be at least 2: Lemma 2.6 and its tail bound say nothing for one covariate")
    return 1.0 / (1.0 - 1.0 / math.sqrt(p))
