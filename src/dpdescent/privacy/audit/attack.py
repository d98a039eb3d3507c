"""An attack on one mechanism: a pair of neighbours, a score that tells them apart, and what many runs of it show.

A first share of the runs is held out: it fits a linear score where an attack has none of its own, and it chooses the
threshold. The bounds come from the other runs alone, so that no choice has to be paid for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dpdescent.privacy.audit import bounds

Array = NDArray[np.float64]

# Share of the runs that choose the threshold, and of those that fit a linear score as well.
CHOOSING, FITTING = 0.2, 0.5

# Thresholds that are tried.
TRIED = 400

# Runs that are simulated together. Fixed, because a cut may decide last bits.
TOGETHER = 10_000

# The confidence of bounds that are shown, and of those that a verdict over many arms hangs on.
SHOWN, SURE = 0.95, 0.9999

# A coordinate whose sd is below this share of its shift counts as noiseless.
NOISELESS = 1e-9


@dataclass(frozen=True)
class Attack:
    """Two neighbours and a score.

    Attributes:
        pair: the two data sets and the score, written out in words, so that a reader can set them up.
        simulate: from a number of runs and a generator to the scores of so many runs on either data set, shape (runs,),
            higher ones speaking for the second; or to what a linear score is to be fitted to, shape (runs, numbers).
        mu: Gaussian-DP parameter of the pair where its outputs reduce to Gaussians, else None.
        epsilon: smallest epsilon that the pair leaves at a delta, where that can be computed, else None.
        rho: realised zCDP cost of the pair, where the outputs are a path of Gaussian releases, else None.
        most_runs: more runs a side than that would cost too much; None for as many as are asked for.
    """

    pair: str
    simulate: Callable[[int, np.random.Generator], tuple[Array, Array]]
    mu: float | None = None
    epsilon: Callable[[float], float] | None = None
    rho: float | None = None
    most_runs: int | None = None

    @property
    def cost(self) -> float | None:
        """Kullback-Leibler divergence of the pair's outputs, which rho-zCDP bounds by rho, where it is known."""
        return self.rho if self.rho is not None or self.mu is None else 0.5 * self.mu**2

    def exact_epsilon(self, delta: float) -> float | None:
        """What the pair attains at delta with any number of runs, where that is known."""
        if self.epsilon is not None:
            return self.epsilon(delta)
        return None if self.mu is None else bounds.epsilon_of_mu(self.mu, delta)


@dataclass(frozen=True)
class Scores:
    """Scores of the runs that chose thresholds and of those that are tested.

    Attributes:
        chosen_on, tested: scores on the first and on the second data set, shape (2, runs) each.
    """

    chosen_on: Array
    tested: Array

    @property
    def runs(self) -> int:
        """Runs a side behind a bound, without those that chose the threshold."""
        return int(self.tested.shape[1])

    def mu_low(self, confidence: float = SHOWN) -> float:
        """Lower bound on the Gaussian-DP parameter."""
        return self._bound(bounds.mu_low, confidence)

    def rho_low(self, confidence: float = SHOWN) -> float:
        """Lower bound on the zCDP cost, whatever the law of the outputs."""
        return self._bound(bounds.rho_low, confidence)

    def epsilon_low(self, delta: float, confidence: float = SHOWN) -> float:
        """Lower bound on epsilon at delta, whatever the law of the outputs."""
        return self._bound(partial(bounds.epsilon_low, delta=delta), confidence)

    def _bound(self, bound: Callable[..., Array], confidence: float) -> float:
        """The bound at the threshold where it is largest on the runs that choose, the same for every confidence."""
        # At a lower confidence the largest of so many is often one in a tail whose few errors happened to be fewer.
        thresholds, (positives, negatives) = self._tried
        values = bound(positives, negatives, self.chosen_on.shape[1], SURE)
        # Where so few show nothing, the rest may still do so: at the threshold with the fewest errors.
        best = thresholds[int((values if values.any() else -positives - negatives).argmax())]
        return float(bound(*_errors(self._sorted, np.array([best])), self.runs, confidence)[0])

    @cached_property
    def _tried(self) -> tuple[Array, tuple[Array, Array]]:
        """Thresholds, and their errors on the runs that choose. Thousands of arms may share one audit."""
        thresholds = np.unique(np.quantile(self.chosen_on, np.linspace(0.0, 1.0, TRIED)))
        return thresholds, _errors(np.sort(self.chosen_on, axis=1), thresholds)

    @cached_property
    def _sorted(self) -> Array:
        return np.sort(self.tested, axis=1)


def run(attack: Attack, runs: int, rng: np.random.Generator) -> Scores:
    """Scores of `runs` runs a side, of which the first fifth (a half where a score is fitted) choose.

    Raises:
        ValueError: if there are fewer than ten runs a side, or a score is not finite.
    """
    runs = runs if attack.most_runs is None else min(runs, attack.most_runs)
    if runs < 10:
        raise ValueError(f"runs={runs} a side: at least 10 are needed to choose a threshold and to test it")
    sizes = [min(TOGETHER, runs - start) for start in range(0, runs, TOGETHER)]
    blocks = [attack.simulate(size, rng) for size in sizes]
    first, second = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError(f"an attack gave scores that are not finite: {attack.pair}")
    choosing = int(runs * (CHOOSING if first.ndim == 1 else FITTING))
    if first.ndim == 2:
        direction = linear_score(first[:choosing], second[:choosing])
        first, second = first @ direction, second @ direction
    both = np.stack([first, second])
    return Scores(both[:, :choosing], both[:, choosing:])


def linear_score(first: Array, second: Array) -> Array:
    """Fisher's direction, shape (numbers,): of Gaussians with one covariance the likelihood ratio, by their moments.

    Coordinates are brought to unit variance first, so that neither their units count nor one without any noise is lost.
    """
    covariance = np.atleast_2d(np.cov(first, rowvar=False) + np.cov(second, rowvar=False))
    shift = second.mean(0) - first.mean(0)
    scale = np.maximum(np.sqrt(np.diag(covariance)), NOISELESS * np.abs(shift))
    scale[scale == 0.0] = 1.0
    correlation = covariance / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1.0)
    direction: Array = np.linalg.lstsq(correlation, shift / scale, rcond=None)[0] / scale
    return direction


def _errors(scores: Array, thresholds: Array) -> tuple[Array, Array]:
    """False positives (runs on the first data set above a threshold) and negatives (on the second, at most that).

    Args:
        scores: in rising order, shape (2, runs).
        thresholds: any number of them.
    """
    first, second = scores
    below = np.searchsorted(first, thresholds, side="right")
    return (len(first) - below).astype(float), np.searchsorted(second, thresholds, side="right").astype(float)
