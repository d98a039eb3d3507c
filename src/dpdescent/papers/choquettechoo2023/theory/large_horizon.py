"""Linear regression after very many steps at the best learning rate, in closed form: no recursion is run.

Corollaries D.14 and D.15 of choquettechoo2023 ask for so many steps that no recursion reaches them. The start's part of
the error is exact for every T, because the second moments follow a linear recursion; the noise's part is taken at its
limit F_inf, which it never exceeds (Lemma D.12) and comes close to long before the best rate's T. Their sum is hence an
upper bound on the error that is nearly attained.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from dpdescent.checks import require_positive
from dpdescent.papers.choquettechoo2023.theory import regression
from dpdescent.papers.choquettechoo2023.theory.elliptic import Array
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

# Where the best learning rate is looked for: eta mu T, and the gain of second moments, beyond which they diverge.
SMALLEST, LARGEST, STABLE = 0.05, 500.0, 0.9


@dataclass(frozen=True)
class Tuned:
    """The least error over learning rates, and the rate."""

    error: float
    eta: float


def transient(problem: RegressionProblem, start: Array, T: float) -> float:
    """What is left of the start after T steps, `1/2 sum lam_j E theta_j^2` without any noise, exact.

    The decay rates are taken from the recursion's generator over eta, because 1 - eta lambda rounds to 1 at small eta.

    Args:
        problem: the problem; its noise does not enter.
        start: theta_0 - theta* along the eigenvectors of H, shape (d,).
        T: number of steps.
    """
    require_positive(T=T)
    lam, rates = problem.lam, problem.rates
    decay, V = np.linalg.eigh(np.diag(2.0 * lam * (1.0 - rates)) - problem.eta * np.outer(lam, lam))
    left = np.exp(T * np.log1p(-problem.eta * decay))
    return float(0.5 * (lam @ V) @ (left * (V.T @ start**2)))


def error(problem: RegressionProblem, start: Array, T: float, damped: bool) -> float:
    """The start's part after T steps plus F_inf of independent noise, or of that with nu = eta mu (`damped`)."""
    limit = regression.nu_noisy_ftrl(problem, problem.eta * problem.mu) if damped else regression.noisy_sgd(problem)
    return transient(problem, start, T) + limit


def tuned(problem: RegressionProblem, start: Array, T: float, damped: bool) -> Tuned:
    """The least error over learning rates; the problem's own rate does not enter. Arguments are those of `error`."""
    require_positive(T=T)

    def at(log: float) -> float:
        return error(replace(problem, eta=math.exp(log)), start, T, damped)

    low = math.log(SMALLEST / (problem.mu * T))
    high = min(math.log(LARGEST / (problem.mu * T)), math.log(_largest_rate(problem)))
    found = minimize_scalar(at, bounds=(low, high), method="bounded", options={"xatol": 1e-6})
    return Tuned(float(found.fun), math.exp(float(found.x)))


def _largest_rate(problem: RegressionProblem) -> float:
    """A learning rate of a gain of at most `STABLE`: `A <= (Tr H) eta / (2 (1 - eta L))`."""
    return STABLE / (0.5 * problem.trace + STABLE * problem.largest)
