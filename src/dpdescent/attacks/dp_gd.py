"""Attacks on DP-GD: one record whose clipped gradient flips its sign at every step (brown2024 Algorithm 1).

The noise may be equal in all steps, differ between them, or be correlated over time. In every case the pair moves the
releases by their whole sensitivity, so that it attains the account.
"""

from collections.abc import Callable

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.attacks.correlated import weights
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.noise.strategies import toeplitz
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.clipping import mean_sensitivity

# Threshold, step size and number of records; only the noise divided by the sensitivity 2 gamma / n matters.
GAMMA, ETA, N = 1.0, 0.25, 2
SHIFT = mean_sensitivity(GAMMA, N)

# Label whose residual is clipped at all iterates, because it is so far away.
FAR = 1e9

PAIR = (
    f"{N} records, one at the origin, the other x = 1 with y = -{FAR:g} or {FAR:g}: its clipped gradient is +gamma "
    "or -gamma at every step"
)


def flipped_sign(T: int, mu: float) -> Attack:
    """Attack by the pair that attains the sensitivity in each of T steps, with noise for `mu` over all steps.

    The score is the last iterate, which is the sum of all releases: shifts and noise are equal in all steps, so that
    the log likelihood ratio is a multiple of that sum.
    """
    noise_sd = np.full(T, zcdp.gaussian_noise_sd(SHIFT, 0.5 * mu**2, T))
    return Attack(f"{PAIR}; score: the last iterate", _simulation(noise_sd, lambda path: path[-1]), mu=_mu_of(noise_sd))


def flipped_sign_scheduled(T: int, decay: float, floor: float, mu: float) -> Attack:
    """Attack by the same pair with unequal shares of the budget: backwards they fall by `decay` per step, to a floor.

    The score is the log likelihood ratio: the releases, which are differences of iterates, divided by their variances.
    """
    share = schedule.shares(decay ** np.arange(T)[::-1], floor)
    noise_sd = SHIFT / (mu * np.sqrt(share))
    return Attack(
        f"{PAIR}; the budget's parts fall by {decay:g} a step backwards, with a floor of {floor:g}; score: likelihood "
        "ratio of all releases",
        _simulation(noise_sd, lambda path: noise_sd**-2.0 @ _released(path)),
        mu=_mu_of(noise_sd),
    )


def flipped_sign_correlated(power: float, nu: float, T: int, mu: float) -> Attack:
    """Attack by the same pair with noise correlated over time; the encoded run moves by its sensitivity.

    Args:
        power, nu: power and damping of the decoder, that power of a damped difference (`toeplitz.DampedDifference`).
        T: number of steps.
        mu: Gaussian-DP parameter of the run; it sets the noise.
    """
    strategy = toeplitz.DampedDifference("correlated noise", power, nu)
    noise_sd = SHIFT * float(np.sqrt(strategy.sensitivity_squared(T, T))) / mu
    score, mu_of_unit = weights(strategy, np.full(T, SHIFT))
    return Attack(
        f"{PAIR}; noise correlated over time, power {power:g} and damping {nu:g}; score: likelihood ratio of all "
        "releases",
        _simulation(np.full(T, noise_sd), lambda path: score @ _released(path), strategy.correlate),
        mu=mu_of_unit / noise_sd,
    )


def _mu_of(noise_sd: Array) -> float:
    return mu_of_shifts(np.full(len(noise_sd), SHIFT), noise_sd)


def _released(path: Array) -> Array:
    """Noisy gradients of all steps, with the sign in which the second data set moves them, shape (T, runs)."""
    return np.asarray(np.diff(path, axis=0, prepend=0.0) / ETA)


def _simulation(
    noise_sd: Array, score: Callable[[Array], Array], correlate: Callable[[Array], Array] = np.asarray
) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    """A simulation of runs on both data sets with these noise sds per step, scored by paths of shape (T, runs)."""
    T = len(noise_sd)
    pair = [LinearSample(np.array([[1.0], [0.0]]), np.array([label, 0.0])) for label in (-FAR, FAR)]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        equal = np.ones(runs)
        arms = dp_gd.DPGDArms(T, ETA * equal, GAMMA * equal, np.outer(noise_sd, equal))
        normals = (correlate(rng.standard_normal((T, 1, runs, 1))) for _ in pair)
        paths = (dp_gd.descend([data], arms, z, record=True).path for data, z in zip(pair, normals, strict=True))
        first, second = (score(path[:, 0, :, 0]) for path in paths if path is not None)
        return first, second

    return simulate
