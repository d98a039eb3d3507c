"""Attacks on a mechanism: two neighbouring data sets, a score that tells them apart, and bounds from many runs.

The first share of the runs is held out: they fit a linear score where an attack has none of its own, and choose the
threshold. The bounds use the other runs alone, so that they need no correction for these choices.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import require_whole
from dpdescent.gate import generator, real
from dpdescent.privacy.audit import bounds

Array = NDArray[np.float64]

# Share of the runs that choose the threshold, and share if they fit a linear score as well.
CHOOSING, FITTING = 0.2, 0.5

# Number of thresholds among which the best is chosen.
TRIED = 400

# Number of runs that are simulated together; fixed, because another number may change last bits.
TOGETHER = 10_000

# Confidence of bounds that are shown, and of bounds that decide a verdict over many arms.
SHOWN, SURE = 0.95, 0.9999

# A coordinate whose sd is below this share of its shift counts as noiseless.
NOISELESS = 1e-9


@dataclass(frozen=True)
class Attack:
    """An attack: a pair of neighbouring data sets and a score.

    Attributes:
        pair: the two data sets and the score, in words, so that a reader can reproduce them.
        simulate: function from a number of runs and a generator to the scores of that many runs on each of the two data
            sets, shape (runs,), higher for the second. It may instead return features for a linear score, shape (runs,
            numbers).
        mu: Gaussian-DP parameter of the pair where its outputs reduce to Gaussians, otherwise None.
        epsilon: function from delta to the epsilon of the pair, computed without runs where that is possible, otherwise
            None.
        rho: realised zCDP cost of the pair where the outputs are a path of Gaussian releases, otherwise None.
        most_runs: largest number of runs on each data set, because more would take too long; None for no limit.
    """

    pair: str
    simulate: Callable[[int, np.random.Generator], tuple[Array, Array]]
    mu: float | None = None
    epsilon: Callable[[float], float] | None = None
    rho: float | None = None
    most_runs: int | None = None

    @property
    def cost(self) -> float | None:
        """Kullback-Leibler divergence of the pair's outputs, which rho-zCDP bounds by rho; None where it is unknown."""
        return self.rho if self.rho is not None or self.mu is None else 0.5 * self.mu**2

    def exact_epsilon(self, delta: float) -> float | None:
        """Epsilon of the pair at delta, up to numerical error, or None; bounds from runs exceed it by chance only."""
        if self.epsilon is not None:
            return self.epsilon(delta)
        return None if self.mu is None else bounds.epsilon_of_mu(self.mu, delta)


# Without equality, because comparisons of arrays have no single truth value.
@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of the runs that chose thresholds, and of the runs that are tested.

    Attributes:
        chosen_on, tested: scores on the first and on the second data set, shape (2, runs) each.
    """

    chosen_on: Array
    tested: Array

    @property
    def runs(self) -> int:
        """Number of runs on each data set that a bound uses, without the runs that chose the threshold."""
        return int(self.tested.shape[1])

    def mu_low(self, confidence: float = SHOWN) -> float:
        """Lower bound on the Gaussian-DP parameter."""
        return self._bound(bounds.mu_low, confidence)

    def rho_low(self, confidence: float = SHOWN) -> float:
        """Lower bound on the zCDP cost, for outputs of any law."""
        return self._bound(bounds.rho_low, confidence)

    def epsilon_low(self, delta: float, confidence: float = SHOWN) -> float:
        """Lower bound on epsilon at delta, for outputs of any law."""
        return self._bound(partial(bounds.epsilon_low, delta=delta), confidence)

    def _bound(self, bound: Callable[..., Array], confidence: float) -> float:
        """The bound at the threshold that maximises it on the held-out runs; all confidences share that threshold."""
        # Chosen at a high confidence, because at a lower one the best of many bounds is often a chance result in a
        # tail.
        thresholds, (positives, negatives) = self._tried
        values = bound(positives, negatives, self.chosen_on.shape[1], SURE)
        # If all bounds are 0, the threshold with the fewest errors is taken, because there are more tested runs.
        best = thresholds[int((values if values.any() else -positives - negatives).argmax())]
        return float(bound(*_errors(self._sorted, np.array([best])), self.runs, confidence)[0])

    @cached_property
    def _tried(self) -> tuple[Array, tuple[Array, Array]]:
        """Thresholds and their errors on the held-out runs; cached, because thousands of arms may share one audit."""
        thresholds = np.unique(np.quantile(self.chosen_on, np.linspace(0.0, 1.0, TRIED)))
        return thresholds, _errors(np.sort(self.chosen_on, axis=1), thresholds)

    @cached_property
    def _sorted(self) -> Array:
        return np.sort(self.tested, axis=1)


def run(attack: Attack, runs: int, rng: np.random.Generator | int | None) -> Scores:
    """Simulates `runs` runs on each data set; the first fifth (half where a score is fitted) is held out for choices.

    Raises:
        ValueError: if there are fewer than ten runs on each data set, `simulate` does not return a finite score per run
            on each of them, or rng is not a generator, a seed or None.
    """
    require_whole(runs=runs)
    rng = generator(rng)
    runs = runs if attack.most_runs is None else min(runs, attack.most_runs)
    if runs < 10:
        raise ValueError(f"runs={runs} a side: at least 10 are needed to choose a threshold and to test it")
    sizes = [min(TOGETHER, runs - start) for start in range(0, runs, TOGETHER)]
    blocks = [_scores(attack, size, rng) for size in sizes]
    first, second = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    choosing = int(runs * (CHOOSING if first.ndim == 1 else FITTING))
    if first.ndim == 2:
        direction = linear_score(first[:choosing], second[:choosing])
        first, second = first @ direction, second @ direction
    both = np.stack([first, second])
    return Scores(both[:, :choosing], both[:, choosing:])


def _scores(attack: Attack, runs: int, rng: np.random.Generator) -> list[Array]:
    """Scores of some runs on the two data sets, after a check that `simulate` returned such scores."""
    simulated = attack.simulate(runs, rng)
    if not isinstance(simulated, tuple | list) or len(simulated) != 2:
        raise ValueError(f"simulate must return a pair, the scores on either data set: {attack.pair}")
    both = [real("simulate", scores) for scores in simulated]
    if both[0].shape != both[1].shape or both[0].ndim not in (1, 2) or len(both[0]) != runs:
        shapes = " and ".join(str(scores.shape) for scores in both)
        raise ValueError(f"simulate({runs}, rng) gave {shapes}, not twice ({runs},) or ({runs}, k): {attack.pair}")
    if not all(np.isfinite(scores).all() for scores in both):
        raise ValueError(f"an attack gave scores that are not finite: {attack.pair}")
    return both


def linear_score(first: Array, second: Array) -> Array:
    """Fisher's direction, shape (numbers,), which gives the likelihood ratio of Gaussians with equal covariance.

    Coordinates are first scaled to unit variance, because units must not matter and noiseless coordinates must be kept.
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
    """Numbers of false positives and of false negatives per threshold.

    A false positive is a run on the first data set above the threshold, a false negative one on the second that is not.

    Args:
        scores: scores in rising order, shape (2, runs).
        thresholds: thresholds, shape (thresholds,).
    """
    first, second = scores
    below = np.searchsorted(first, thresholds, side="right")
    return (len(first) - below).astype(float), np.searchsorted(second, thresholds, side="right").astype(float)
