"""Attacks on DP-STAT: one residual that is below all thresholds or above them (varshney2022 Algorithm 3).

The accountant assumes that all noisy counts are released, and the attack on all of them attains its cost. The threshold
alone is a coarse function of the counts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.special import log_ndtr

from dpdescent.algorithms.dp_stat import Rule, Search
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.bounds import epsilon_where
from dpdescent.privacy.audit.gaussian import mu_of_shifts

# B, the largest threshold, and a residual above it.
LARGEST, FAR = 1.0, 1e9

# Number of records of a search whose counts are all released; the attack does not depend on it.
RECORDS = 2


@dataclass(frozen=True)
class Overheard(Search):
    """A search that keeps its noisy counts, because the accountant assumes that all of them are released.

    Attributes:
        heard: the noisy counts of every search so far, each with shape (..., L).
    """

    heard: list[Array] = field(default_factory=list, compare=False)

    def select(self, counts: Array, normals: Array, s: int) -> Array:
        """Selects thresholds, shape (...), as `Search.select` does, and keeps the noisy counts."""
        self.heard.append(counts + self.noise_sd * normals)
        return super().select(counts, normals, s)

    def take(self) -> Array:
        """Returns and forgets the noisy counts of the searches since the last call, shape (searches, ..., L)."""
        counts = np.array(self.heard)
        self.heard.clear()
        return counts


def crossing(alpha: float, levels: int) -> Attack:
    """Attack that moves one residual across all thresholds, so that the counts' sensitivity sqrt(L) is attained.

    Args:
        alpha: noise multiplier of all counts together.
        levels: L, the number of counts.
    """
    search = Overheard(LARGEST, levels, alpha)
    counts = [search.counts(_residuals(RECORDS, 0, own)) for own in (0.0, FAR)]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        for side in counts:
            search.select(np.broadcast_to(side, (runs, levels)), rng.standard_normal((runs, levels)), RECORDS)
        first, second = -search.take().sum(axis=2) / search.noise_sd**2
        return first, second

    return Attack(
        f"{RECORDS} residuals, one of them 0, the other 0 or {FAR:g} times the largest threshold: each of the {levels} "
        "counts moves by 1; score: minus the sum of the noisy counts, all of which are seen",
        simulate,
        mu=mu_of_shifts(counts[0] - counts[1], search.noise_sd),
    )


def released_threshold(alpha: float, levels: int, rule: Rule, margin: float) -> Attack:
    """Attack that moves one residual across all thresholds and only sees the selected threshold.

    The threshold is post-processing, so that mu is below 1/alpha. The number of other residuals above all thresholds is
    chosen to make the two laws of the threshold differ most in total variation.

    Args:
        alpha, levels: as for `crossing`.
        rule: stopping rule of the search.
        margin: C of the corrected rule.
    """
    search = Search(LARGEST, levels, alpha, rule=rule, margin=margin)
    s = max(RECORDS, math.ceil(search.guard))
    away = max(range(s), key=lambda far: _total_variation(*_laws(search, s, far)))
    counts, (first_law, second_law) = _counts(search, s, away), _laws(search, s, away)
    ratios = second_law - first_law

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            search.select(np.broadcast_to(side, (runs, levels)), rng.standard_normal((runs, levels)), s)
            for side in counts
        )
        places = [np.searchsorted(search.thresholds, gamma) for gamma in (first, second)]
        return ratios[places[0]], ratios[places[1]]

    return Attack(
        f"{s} residuals, {away} of them {FAR:g} times the largest threshold and the others 0, but for one that is 0 or "
        f"as far; rule {rule}; score: likelihood ratio of the released threshold, which alone is seen",
        simulate,
        epsilon=_epsilon_of(np.exp(first_law), np.exp(second_law)),
    )


def _residuals(s: int, far: int, own: float) -> Array:
    """An array of s residuals: the first is `own`, then `far` residuals above all thresholds, the rest 0."""
    residuals = np.zeros(s)
    residuals[0], residuals[1 : 1 + far] = own, FAR
    return residuals


def _counts(search: Search, s: int, far: int) -> tuple[Array, Array]:
    near, away = (search.counts(_residuals(s, far, own)) for own in (0.0, FAR))
    return near, away


def _laws(search: Search, s: int, far: int) -> tuple[Array, Array]:
    """Log probabilities of every threshold on the two data sets, shape (L + 1,) each."""
    near, away = (_log_law(search, counts, s) for counts in _counts(search, s, far))
    return near, away


def _log_law(search: Search, counts: Array, s: int) -> Array:
    """Log probabilities of every gamma_i, shape (L + 1,): the first i noisy counts are too small, the next is not."""
    short = (search.enough(s) - counts) / search.noise_sd
    passed = np.concatenate([[0.0], np.cumsum(log_ndtr(short))])
    law: Array = passed + np.append(log_ndtr(-short), 0.0)
    return law


def _total_variation(first: Array, second: Array) -> float:
    """Total variation distance of two laws, from their log probabilities."""
    return 0.5 * float(np.abs(np.exp(first) - np.exp(second)).sum())


def _epsilon_of(first: Array, second: Array) -> Callable[[float], float]:
    """Function from delta to the smallest epsilon, in both directions, of two laws on finitely many outcomes."""

    def delta_of_epsilon(eps: float) -> float:
        return max(float(np.maximum(p - math.exp(eps) * q, 0.0).sum()) for p, q in ((first, second), (second, first)))

    return partial(epsilon_where, delta_of_epsilon)
