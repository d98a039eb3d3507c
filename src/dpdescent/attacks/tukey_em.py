"""Attacks on TukeyEM: one replaced model that moves check and draw by their whole bounds, and the check alone."""

import itertools
import math

import numpy as np

from dpdescent.baselines import tukey_em
from dpdescent.privacy.audit.attack import Array, Attack

# Width of the interval where the depth rises, divided by that where it falls: small, so that the integral falls by e^c.
# FAR is so far that no depth compensates for it.
WIDTH, FAR = 0.02, 1e99


def check_epsilon(scale: float, threshold: float, delta: float) -> float:
    """The epsilon at delta that the check's outcome alone attains, over all distances from -1 that differ by 1.

    Args:
        scale: scale of the Laplace noise on the distance.
        threshold: threshold that the noisy distance must exceed.
        delta: in (0, 1).
    """
    gaps = threshold - np.arange(-1, math.ceil(threshold) + 3)
    tails = 0.5 * np.exp(-np.abs(gaps) / scale)
    passes, fails = np.where(gaps > 0, tails, 1.0 - tails), np.where(gaps > 0, 1.0 - tails, tails)
    ratios = np.append((passes[1:] - delta) / passes[:-1], (fails[:-1] - delta) / fails[1:])
    return float(max(0.0, np.log(ratios.max())))


def check_alone(scale: float, threshold: float) -> Attack:
    """Attack on the outcome of the check: distances that differ by 1, just below the threshold.

    Args:
        scale: scale of the Laplace noise on the distance.
        threshold: threshold that the noisy distance must exceed.
    """
    below = math.floor(threshold) - 1

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            (distance + rng.laplace(scale=scale, size=runs) > threshold).astype(float)
            for distance in (below, below + 1)
        )
        return first, second

    return Attack(
        f"distances {below} and {below + 1} of two sets of models that differ in one, noise of scale {scale:.4g}, "
        f"threshold {threshold:.4g}; score: whether the check passes",
        simulate,
        epsilon=lambda delta: check_epsilon(scale, threshold, delta),
    )


def pair(settings: tukey_em.Settings) -> tuple[Array, Array]:
    """Two sets of models in one dimension, shape (m, 1), that differ in one.

    Half of them lie at -1 or far below, one at 0, the rest at `WIDTH`; one moves from far below to far above. Between
    -1 and 0 the depth falls from its largest value, between 0 and `WIDTH` it rises to it. The number of models far
    below decides the distance, which rises by 1 and stays below the threshold.

    Raises:
        ValueError: if there are too few models for such a distance, or their number is odd.
    """
    half, wanted = settings.models // 2, math.floor(settings.threshold)
    far = max(settings.least_depth - 1 - wanted, 0)
    first = np.concatenate([np.full(far, -FAR), np.full(half - far, -1.0), [0.0], np.full(half - 1, WIDTH)])[:, None]
    second = np.append(first[1:], [[FAR]], axis=0)
    reached = [tukey_em.distance(tukey_em.log_volumes(models), settings) for models in (first, second)]
    if settings.models % 2 or reached != [wanted - 1, wanted]:
        raise ValueError(f"models={settings.models} must be even, and enough for a distance of {wanted}")
    return first, second


def outcomes(ordered: Array, settings: tukey_em.Settings) -> Array:
    """Exact probabilities of a failed check, a draw below 0 and one above, for either set of the pair, shape (3,)."""
    volumes = tukey_em.log_volumes(ordered)
    gap = settings.threshold - tukey_em.distance(volumes, settings)
    passes = 0.5 * math.exp(-settings.check_eps * gap)
    weights = np.exp((log_weights := tukey_em.log_weights(volumes, settings)) - log_weights.max())
    depths = np.arange(settings.least_depth, len(volumes) + 1)
    low, high = ordered[depths - 1, 0], ordered[-depths, 0]
    above = float(weights @ (high / (high - np.minimum(low, 0.0)))) / float(weights.sum())
    return np.array([1.0 - passes, passes * (1.0 - above), passes * above])


def replaced_model(eps: float, delta: float) -> Attack:
    """Attack on a whole run with about 300 / eps parts of one record each, x = 1, so that a record is a model."""
    few = tukey_em.Settings(tukey_em.FEWEST, eps, delta)
    models = 4 * math.ceil(few.threshold + math.log(1.0 / delta) / few.weight + 3.0)
    settings = tukey_em.Settings(models, eps, delta)
    sets = pair(settings)
    laws = [outcomes(ordered, settings) for ordered in sets]

    def exact(at: float) -> float:
        chosen = np.array(list(itertools.product((0.0, 1.0), repeat=3)))[1:]
        attained = [(chosen @ p - at) / (chosen @ q) for p, q in itertools.permutations(laws)]
        return float(max(0.0, np.log(np.max(attained))))

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            np.array([float(tukey_em.deep_point(side, settings, rng)[0] > 0.0) for _ in range(runs)]) for side in sets
        )
        return first, second

    return Attack(
        f"{models} parts of one record each with x = 1: half of the labels at -1 or -{FAR:g}, one at 0, the rest at "
        f"{WIDTH:g}, and one of those at -{FAR:g} is {FAR:g} instead; score: whether the estimate is above 0",
        simulate,
        epsilon=exact,
        most_runs=50_000,
    )
