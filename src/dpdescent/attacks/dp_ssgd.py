"""Attack on DP-SSGD: a shuffled canary (varshney2022 Algorithm 1).

Every record's clipped gradient is +zeta at all iterates; on the neighbouring data set one of them is -zeta, in a
secret, uniformly random place. All N releases are seen. If the other records have gradient 0, or another angle, the
attack is weaker, because the chi-square divergence after N releases grows with the distance from the others. Whether
another pair is stronger is not known: the bound proved by amplification by shuffling is far above this attack.
"""

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from scipy.special import logsumexp, ndtr

from dpdescent.algorithms import dp_ftrl
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.bounds import epsilon_where

# Threshold, step size, and a label so far away that the residual is clipped at all iterates.
ZETA, ETA, FAR = 1.0, 1.0, 1e9

# Largest number of releases on each data set. For many records this leaves few runs, but more would not help either.
MOST_RELEASES = 5_000_000

# Number of records above which so few runs are left that the audit has no power.
MANY = 1000

# Number of releases that are computed together.
TOGETHER = 500_000

# Number of grid points for the law of the likelihood ratio, and number of sds that the grid covers on each side.
GRID, WIDE = 1 << 20, 12.0


def canary(records: int, alpha: float) -> Attack:
    """Attack with one record of N whose gradient has the opposite sign, at a secret place.

    Args:
        records: number of records N.
        alpha: noise multiplier, sd of the noise divided by 2 zeta.
    """
    pair = (
        f"N = {records} records x = 1 with y = -{FAR:g}, or one of them y = {FAR:g}: clipped gradients +zeta, or one "
        "-zeta, in a secret random order; score: likelihood ratio of all N releases, a mean over the places"
    )
    if records > MANY:
        pair += (
            "; what the pair attains is computed, and far too small for the runs that are feasible to show any of it"
        )
    alone = records == 1

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        size = max(1, TOGETHER // records)
        blocks = [_scores(min(size, runs - start), records, alpha, rng) for start in range(0, runs, size)]
        first, second = np.concatenate(blocks, axis=1)
        return first, second

    return Attack(
        pair,
        simulate,
        mu=1.0 / alpha if alone else None,
        epsilon=None if alone else _epsilon_of(records, alpha),
        most_runs=max(10, MOST_RELEASES // records),
    )


def _scores(runs: int, records: int, alpha: float, rng: np.random.Generator) -> Array:
    """Logarithms of the likelihood ratio on both data sets, shape (2, runs)."""
    labels = np.full((2, runs, records), -FAR)
    labels[1, np.arange(runs), rng.integers(records, size=runs)] = FAR
    return likelihood_ratio(releases(labels, alpha, rng), alpha)


def releases(labels: Array, alpha: float, rng: np.random.Generator) -> Array:
    """Noisy clipped gradients `(w_t - w_(t+1)) / eta` in units of zeta, shape of the labels (runs..., N).

    The steps of all runs are computed as arms of one step from 0, because no gradient depends on the iterates.
    """
    arms = labels.size
    settings = dp_ftrl.FTRLArms(np.full(arms, ETA), np.full(arms, ZETA), np.full(arms, 2.0 * alpha * ZETA))
    noise = rng.standard_normal((1, arms, 1, 1))
    run = dp_ftrl.single_pass(np.ones((1, 1)), labels.reshape(1, arms), settings, np.zeros(1), noise)
    released: Array = -run.theta.reshape(labels.shape) / (ETA * ZETA)
    return released


def likelihood_ratio(found: Array, alpha: float) -> Array:
    """Log likelihood ratio: log of the mean over places of `exp(-z / (2 alpha^2))` for the releases z, `found`."""
    ratio: Array = logsumexp(-found / (2.0 * alpha**2), axis=-1) - math.log(found.shape[-1])
    return ratio


def _epsilon_of(records: int, alpha: float) -> Callable[[float], float]:
    """Function from delta to the smallest epsilon of the pair in both directions, up to the grid's accuracy."""

    def delta_of_epsilon(eps: float) -> float:
        values, law = ratio_law(records, alpha)
        grown = math.exp(eps)
        there, back = np.maximum(values - grown, 0.0), np.maximum(1.0 - grown * values, 0.0)
        return max(float(law @ there), float(law @ back))

    return partial(epsilon_where, delta_of_epsilon)


@cache
def ratio_law(records: int, alpha: float) -> tuple[Array, Array]:
    """Values of the likelihood ratio and their probabilities on the first data set, each of shape (GRID,).

    The ratio is a mean of N independent `Y = exp(g/alpha - 1/(2 alpha^2))`. The law of Y is put on a grid, so that its
    mean is kept, and convolved. Epsilon errs in either direction: the grid spreads the law, which raises epsilon, but
    has an end, which lowers it. At N = 2 and alpha >= 1 quadrature agrees to a relative 4e-6 at delta >= 1e-8, and to
    3e-4 at 1e-10.

    Raises:
        ValueError: if Y is spread too widely for the grid, because alpha is too small.
    """
    mu = 1.0 / alpha
    spread = math.sqrt(math.expm1(mu**2) * records)
    largest = math.exp(mu * 8.0 - 0.5 * mu**2)
    width = 2.0 * max(WIDE * spread, largest)
    cell = width / GRID
    if cell > 0.05 * math.sqrt(math.expm1(mu**2)):
        raise ValueError(f"alpha={alpha} at N={records}: the likelihood ratio is spread too widely for the grid")
    power = np.fft.rfft(_one(mu, cell)) ** records
    # The grid is taken modulo its length, because the sum lies near N.
    places = np.arange(GRID)
    turns = np.round((records / cell - places) / GRID)
    values = (places + turns * GRID) * cell / records
    # Y is positive, and so is its sum; probabilities below 0 are rounding errors.
    return values, np.where(values < 0.0, 0.0, np.maximum(np.fft.irfft(power, GRID), 0.0))


def _one(mu: float, cell: float) -> Array:
    """Probabilities of Y at 0, cell, 2 cell, ...: mass between two points is split so that the mean is kept."""
    edges = np.arange(GRID + 1) * cell
    with np.errstate(divide="ignore"):
        at = np.log(edges) / mu + 0.5 * mu
    mass, mean = np.diff(ndtr(at)), np.diff(ndtr(at - mu))
    right = np.clip(mean / cell - np.arange(GRID) * mass, 0.0, mass)
    law: Array = mass - right
    law[1:] += right[:-1]
    return law
