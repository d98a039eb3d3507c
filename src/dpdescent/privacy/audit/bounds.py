"""Lower bounds on privacy parameters from the errors of one test, with Clopper-Pearson confidence.

A test guesses which of two neighbours a run came from. If a mechanism is (epsilon, delta)-DP, its error rates satisfy
`1 - beta <= e^epsilon alpha + delta`, and the same with the two rates exchanged; if it is mu-Gaussian-DP, `beta` is at
least `Phi(Phi^-1(1 - alpha) - mu)`. Upper confidence limits of both rates turn either inequality into a lower bound.
The first holds for outputs of any law, but cannot exceed about the logarithm of the number of runs and is not tight at
a small delta. The second is sharp for compositions of Gaussian releases, and can only refute Gaussian-DP guarantees. A
third one refutes zCDP budgets for outputs of any law.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, logsumexp, ndtri

from dpdescent.checks import require_real, require_whole
from dpdescent.gate import gated, real
from dpdescent.privacy import accounting
from dpdescent.privacy.participation.search import smallest
from dpdescent.privacy.zcdp import require_delta

Array = NDArray[np.float64]

# Orders of the Renyi divergences in `rho_low`; any order gives a valid bound, because a zCDP budget bounds all.
ORDERS = (1.0, 1.05, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)


def rate_at_most(count: ArrayLike, runs: int, confidence: float) -> Array:
    """Upper Clopper-Pearson limit of a rate after `count` events in `runs` runs, shape of `count`.

    Raises:
        ValueError: if there is no run, a count is not in 0 to `runs`, or the confidence is not in (0, 1).
    """
    counts = real("count", count)
    require_whole(runs=runs)
    require_real(confidence=confidence)
    if runs < 1:
        raise ValueError(f"runs={runs} must be at least 1")
    if counts.size and not (counts.min() >= 0 and counts.max() <= runs):
        raise ValueError(f"counts from {counts.min()} to {counts.max()} must lie in 0 to runs={runs}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence} must lie strictly between 0 and 1")
    limits: Array = np.where(counts == runs, 1.0, betaincinv(counts + 1.0, np.maximum(runs - counts, 1.0), confidence))
    return limits


@gated(finite="false_positives false_negatives", whole="runs", number="confidence delta")
def epsilon_low(
    false_positives: ArrayLike, false_negatives: ArrayLike, runs: int, confidence: float, delta: float
) -> Array:
    """Lower bound on the epsilon of every (epsilon, delta)-DP guarantee, for outputs of any law; at least 0.

    Each rate gets half of the error 1 - `confidence`, so that both limits hold together.

    Args:
        false_positives, false_negatives: numbers of errors out of `runs` on each data set, with a common shape.
    """
    require_delta(delta)
    alpha, beta = _limits(false_positives, false_negatives, runs, confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.log(np.maximum(1.0 - delta - np.stack([beta, alpha]), 0.0) / np.stack([alpha, beta]))
    low: Array = np.maximum(both, 0.0).max(axis=0)
    return low


@gated(finite="false_positives false_negatives", whole="runs", number="confidence")
def mu_low(false_positives: ArrayLike, false_negatives: ArrayLike, runs: int, confidence: float) -> Array:
    """Lower bound on the mu of every Gaussian-DP guarantee whose trade-off curve meets both limits; at least 0."""
    alpha, beta = _limits(false_positives, false_negatives, runs, confidence)
    low: Array = np.maximum(-ndtri(alpha) - ndtri(beta), 0.0)
    return low


@gated(finite="false_positives false_negatives", whole="runs", number="confidence")
def rho_low(false_positives: ArrayLike, false_negatives: ArrayLike, runs: int, confidence: float) -> Array:
    """Lower bound on the rho of every zCDP guarantee, for outputs of any law; at least 0.

    rho-zCDP bounds the Renyi divergence of order a by `a rho`, in both directions, and the divergence of the test's
    verdicts is at most that of the outputs (Bun & Steinke, Def. 1.1, Lemma 2.2). Order 1 is the Kullback-Leibler
    divergence.
    """
    alpha, beta = _limits(false_positives, false_negatives, runs, confidence)
    tells = alpha + beta < 1.0
    a, b = np.where(tells, alpha, 0.5), np.where(tells, beta, 0.5)
    rates = ((1.0 - b, a), (1.0 - a, b))
    both = [_renyi(p, q, order) / order for order in ORDERS for p, q in rates]
    # Exactly 0 for a test without power, because rounding would leave a small positive value.
    low: Array = np.where(tells, np.maximum(np.stack(both), 0.0).max(axis=0), 0.0)
    return low


def epsilon_of_mu(mu: float, delta: float) -> float:
    """Smallest epsilon of mu-Gaussian-DP at delta."""
    return accounting.tight_epsilon(0.5 * mu**2, delta) if math.isfinite(mu) else math.inf


def epsilon_where(delta_of_epsilon: Callable[[float], float], delta: float) -> float:
    """Smallest epsilon at which `delta_of_epsilon`, a decreasing function, is at most `delta`."""
    require_delta(delta)
    return smallest(lambda eps: delta_of_epsilon(eps) <= delta, accuracy=1e-10)


def _limits(
    false_positives: ArrayLike, false_negatives: ArrayLike, runs: int, confidence: float
) -> tuple[Array, Array]:
    """Upper limits of both error rates, each with half of the error that `confidence` allows."""
    require_real(confidence=confidence)
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence} must lie strictly between 0 and 1")
    if np.shape(false_positives) != np.shape(false_negatives):
        shapes = f"{np.shape(false_positives)} and false_negatives of {np.shape(false_negatives)}"
        raise ValueError(f"false_positives of shape {shapes} must have one shape")
    per_rate = 1.0 - 0.5 * (1.0 - confidence)
    return rate_at_most(false_positives, runs, per_rate), rate_at_most(false_negatives, runs, per_rate)


def _renyi(p: Array, q: Array, order: float) -> Array:
    """Renyi divergence of a coin with probability p from one with probability q, both in (0, 1)."""
    if order == 1.0:
        divergence: Array = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))
        return divergence
    logs = np.stack([order * np.log(x) + (1.0 - order) * np.log(y) for x, y in ((p, q), (1.0 - p, 1.0 - q))])
    total: Array = logsumexp(logs, axis=0) / (order - 1.0)
    return total
