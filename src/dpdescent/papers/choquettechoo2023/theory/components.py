"""Components of the error and their second moments, exact for Gaussian inputs (choquettechoo2023 App. C.2, C.3, D.2).

The iterate is theta^(0) + ... + theta^(m) + delta^(m) (eq. 36): theta^(0) has H in the place of every x x', theta^(r)
is driven by `(H - x x') theta^(r-1)`, and delta^(m) is what is left. Second moments are diagonal along the eigenvectors
of H.
"""

import math
from collections.abc import Iterator

import numpy as np

from dpdescent.papers.choquettechoo2023.theory.elliptic import Array
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem, second_moment_step


def base_bound(problem: RegressionProblem, q: Array, gamma_squared: float) -> Array:
    """Proposition C.10's bound on the second moments of theta^(0), `eta sigma_sgd^2 + eta sigma^2 q_j/lam_j`, (d,)."""
    bound: Array = problem.eta * (problem.sigma_sgd**2 + problem.noise_variance(gamma_squared) * q / problem.lam)
    return bound


def next_moments(problem: RegressionProblem, moments: Array) -> Array:
    """Stationary second moments of theta^(r) from those of theta^(r-1), shape (d,): one step of Lemma C.12."""
    lam = problem.lam
    made = problem.eta * (lam * moments + lam @ moments) / (2.0 - problem.rates)
    return np.asarray(made, dtype=np.float64)


def driven(problem: RegressionProblem, force: Array) -> Array:
    """Stationary second moments of SGD from zero under white noise of covariance diag(force), shape (d,).

    They solve `s = P s + eta^2 force` with P of `second_moment_step` (eq. 83).
    """
    moments = np.linalg.solve(np.eye(problem.d) - second_moment_step(problem), problem.eta**2 * force)
    return np.asarray(moments, dtype=np.float64)


def remainder_moments(problem: RegressionProblem, moments: Array) -> Array:
    """Second moments of delta^(m) from those of theta^(m), as if the two were uncorrelated (Prop. C.13, C.19).

    It is driven by `(H - x x') theta^(m)`, white noise of covariance `H S H + Tr(H S) H`; correlation would add to it.
    """
    lam = problem.lam
    return driven(problem, lam**2 * moments + (lam @ moments) * lam)


def remainder_bound(problem: RegressionProblem, weight: float, moment: float, m: int) -> float:
    """The bound in the proof of Proposition C.13: `eta/(1 - eta R^2) (eta R^2)^(m+1) weight`.

    Args:
        problem: the problem, eta R^2 below 1.
        weight: `sigma_sgd^2 + C_kurt sigma^2/R^2 <beta, T beta>`.
        moment: R^2.
        m: number of the remainder.
    """
    product = problem.eta * moment
    return problem.eta / (1.0 - product) * product ** (m + 1) * weight


def product_trace(problem: RegressionProblem, steps: int) -> float:
    """`E Tr W` of Lemma D.9 for a product of so many factors on either side, `Tr P^steps H`, exact."""
    moments = problem.lam
    for _ in range(steps):
        moments = second_moment_step(problem) @ moments
    return float(moments.sum())


def section(rate: float, size: int) -> Array:
    """The first rows and columns of T_j, `(1 - eta lam_j)^|t-s|` (eq. 32), shape (size, size)."""
    lags = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    values: Array = (1.0 - rate) ** lags.astype(np.float64)
    return values


def kurtosis(shape: Array) -> float:
    """The least C_kurt for one `P = diag(shape)` and Gaussian inputs: `E z z' P z z' = 2 P + Tr(P) I` over Tr P."""
    return float(2.0 * shape.max() / shape.sum() + 1.0)


def leaning_labels(problem: RegressionProblem) -> Array:
    """`E xi^2 x x'` over sigma_sgd^2 for residuals `xi = zeta x_1/sqrt(3 lam_1)`, zeta independent of x, shape (d,).

    These are residuals of a misspecified model: their size depends on the input. By the fourth moments of a Gaussian
    it is `lam_1` in the first direction and a third of `lam_j` in the others, hence at most H.
    """
    shares = problem.lam / 3.0
    shares[0] = problem.lam[0]
    return shares


def contractions(d: int, factors: int) -> Iterator[Array]:
    """Symmetric matrices with eigenvalues in [0, 1] whose product is far from symmetric, each of shape (d, d).

    Projections and smoother ones, rotated in neighbouring planes by multiples of a third of a radian.
    """
    for k in range(factors):
        rotation = np.eye(d)
        for first in range(d - 1):
            c, s = math.cos((k + first + 1) / 3.0), math.sin((k + first + 1) / 3.0)
            plane = np.eye(d)
            plane[first : first + 2, first : first + 2] = [[c, -s], [s, c]]
            rotation = rotation @ plane
        values = (np.arange(d) % 2 == k % 2).astype(np.float64) if k % 3 else np.linspace(1.0, 0.2, d)
        yield rotation @ np.diag(values) @ rotation.T


def product_of(matrices: Iterator[Array]) -> Array:
    """The product of matrices, in their order."""
    return np.linalg.multi_dot(found) if len(found := list(matrices)) > 1 else found[0]


def adaptive_divergence(encoder: Array, alpha: float, threshold: float, reverse: bool) -> float:
    """Renyi divergence of order alpha of two releases against a record that is zeroed out, the second one adaptive.

    The adversary's record has gradient 1 in the first step; in the second it has 1 where the first release is above
    the threshold and -1 elsewhere. Noise is standard normal. The second release is integrated in closed form given the
    first, of which the integral is one of two pieces.

    Args:
        encoder: lower-triangular C, shape (2, 2).
        alpha: order above 1.
        threshold: of the first release.
        reverse: the divergence of the world without the record from that with it, in place of the other way round.
    """
    first = float(encoder[0, 0])
    # Tilted law of the first release: N(alpha c, 1), or N((1 - alpha) c, 1) the other way round.
    centre = (1.0 - alpha if reverse else alpha) * first
    above = 0.5 * math.erfc((threshold - centre) / math.sqrt(2.0))
    half, total = 0.5 * alpha * (alpha - 1.0), 0.0
    for share, gradient in ((above, 1.0), (1.0 - above, -1.0)):
        shift = float(encoder[1, 0]) + gradient * float(encoder[1, 1])
        total += share * math.exp(half * shift**2)
    return (half * first**2 + math.log(total)) / (alpha - 1.0)


def printed_order(squared: float, alpha: float) -> float:
    """`alpha rho` of a Gaussian release of that squared sensitivity under standard normal noise."""
    return 0.5 * alpha * squared
