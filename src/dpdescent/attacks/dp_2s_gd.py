"""Attacks on DP-2S-GD and DP-2S-GD-beta (liang2025 Algorithms 1 and 3, Lemma F.1).

Both stages of DP-2S-GD publish their whole path. A record's second-stage gradient is Theta' z times a number, so that
its direction is known from the published path, and the sign of its y reverses it. Given earlier releases, the means
therefore move by the whole sensitivity on every path, in every step but the first, where Theta^(0) = 0 makes every
second-stage gradient 0. Hence mu^2 = 2 (rho1 + rho2 (T - 1) / T), which no pair can exceed.

Publishing beta alone hardly reduces the cost (`beta_alone`): the other records' clipped gradients have the direction of
Theta' z, which reveals one entry of Theta on one coordinate of beta and hardly moves the other one, where the record
reverses its own gradient.

DP-2S-GD-beta has no noise in its first stage. One planted x then moves every record's second-stage gradient.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr, ndtr

from dpdescent.algorithms import dp_2s_gd
from dpdescent.data.iv import IVSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts, realised_cost
from dpdescent.privacy.clipping import mean_sensitivity

# Threshold and step size of both stages: noise is set in units of the sensitivity 2 GAMMA / n.
GAMMA, ETA = 1.0, 1.0

# Distance at which gradients are clipped at all iterates, except with a probability of about 1e-6 per step.
FAR = 1e6

# Numbers of records of the pairs. CROWD is for `beta_alone`, and SURPLUS is the relative surplus of records that pull
# Theta up.
FEW, MANY, CROWD, SURPLUS = 2, 1000, 100_000_000, 0.01

_Score = Callable[[dp_2s_gd.Descent], Array]


def paths_flip_sign(T: int, rho1: float, rho2: float) -> Attack:
    """Attack on DP-2S-GD with both paths published: the record's clipped gradients flip their signs in both stages.

    Args:
        T: number of steps.
        rho1, rho2: zCDP cost of all T releases of each stage, at sensitivity 2 gamma / n.
    """
    lambda1, lambda2 = noise_sd(rho1, T, FEW), noise_sd(rho2, T, FEW)
    shift = mean_sensitivity(GAMMA, FEW)

    def score(run: dp_2s_gd.Descent) -> Array:
        assert run.Theta_path is not None
        assert run.beta_path is not None
        Theta, beta = run.Theta_path[:, :, 0, 0], run.beta_path[:, :, 0]
        second: Array = np.sum(np.sign(Theta[:-1]) * np.diff(beta, axis=0), axis=0)
        both: Array = Theta[-1] / lambda1**2 + second / lambda2**2
        return both

    pair = [_one_dimensional([0.0, 1.0], [0.0, far], [0.0, far]) for far in (-FAR, FAR)]
    moves, sds = np.full((2, T), shift), np.array([[lambda1], [lambda2]])
    moves[1, 0] = 0.0
    return Attack(
        f"p = q = 1, {FEW} records, one at the origin, the other z = 1, x = y = -{FAR:g} or {FAR:g}: clipped gradients "
        "of both stages flip their signs at every step, but for the second stage's first, which is 0 for all data "
        "(Theta^(0) = 0); score: likelihood ratio of both paths, by the sign of the published Theta",
        _simulation(pair, _arms(T, lambda1, lambda2), score, path=True),
        mu=mu_of_shifts(moves, sds),
    )


def beta_alone(T: int, rho1: float, rho2: float) -> Attack:
    """Attack on DP-2S-GD with only the path of beta published; in the limit it attains rho1 and rho2 as both paths do.

    Args:
        T: number of steps, at least 2.
        rho1, rho2: zCDP cost of all T releases of each stage, at sensitivity 2 gamma / n.

    Raises:
        ValueError: if T < 2, because beta after the first step is noise alone.
    """
    if T < 2:
        raise ValueError(f"T={T} must be at least 2: after one step beta is noise alone")
    lambda1, lambda2 = noise_sd(rho1, T, CROWD), noise_sd(rho2, T, CROWD)
    # Theta_21 is estimated from the last step, relative to Theta_22, which grows by GAMMA * SURPLUS per step.
    scale = SURPLUS * GAMMA * (T - 1)
    reading_variance = (T - 1) * lambda1**2 + (scale * lambda2 / GAMMA) ** 2

    def score(run: dp_2s_gd.Descent) -> Array:
        assert run.beta_path is not None
        beta = run.beta_path
        read = -(beta[-1, :, 0] - beta[-2, :, 0]) * scale / GAMMA
        own: Array = beta[-1, :, 1] - beta[1, :, 1]
        return read / reading_variance + own / ((T - 1) * lambda2**2)

    return Attack(
        f"p = q = 2, n = {CROWD:g}, all z = (0, 1); all others x = (0, {FAR:g}) or, fewer by {SURPLUS:g} n, x = "
        f"(0, -{FAR:g}), and y = -{FAR:g}; one x = (-{FAR:g}, 0), y = -{FAR:g} or x = ({FAR:g}, 0), y = {FAR:g}. It "
        "moves Theta_21 and beta_2; beta_1 shows Theta_21 through the others' clipped gradients. Score: the last step "
        "of beta_1 and the sum of those of beta_2, of nearly Gaussian laws",
        _simulation([_crowd(far) for far in (-FAR, FAR)], _arms(T, lambda1, lambda2), score, path=True, size=2),
    )


def planted_regressor(T: int, rho2: float) -> Attack:
    """Attack on DP-2S-GD-beta with a whole record replaced: its x moves the noise-free Theta, hence all beta gradients.

    Args:
        T: number of steps, at least 2.
        rho2: zCDP cost of T releases at sensitivity 2 gamma / n; with the published noise, half of Lemma F.1's claim.

    Raises:
        ValueError: if T < 2.
    """
    pair = [_one_dimensional([1.0, 1.0], [0.0, x], [-FAR, -FAR], [MANY - 1, 1]) for x in (0.0, float(MANY))]
    still, moving = np.zeros((T, 1)), np.full((T, 1), GAMMA)
    moving[0] = 0.0
    return _first_stage_without_noise(
        f"p = q = 1, n = {MANY}, all z = 1, y = -{FAR:g}, x = 0, but for one x = {MANY} on the second side, so that "
        "Theta is 0 or 1 from the first step on and every second-stage gradient is 0 or clipped at gamma; score: how "
        "far beta went after its first step",
        pair, T, rho2, MANY, still, moving, sign=-1.0,
    )  # fmt: skip


def only_outcome(T: int, rho2: float) -> Attack:
    """Attack on DP-2S-GD-beta with only y replaced: Lemma F.1 then holds, because Theta is the same on both sides.

    Args:
        T, rho2: as for `planted_regressor`.

    Raises:
        ValueError: if T < 2.
    """
    pair = [_one_dimensional([0.0, 1.0], [0.0, 1.0], [0.0, far]) for far in (-FAR, FAR)]
    low, high = (np.full((T, 1), side * GAMMA / FEW) for side in (-1.0, 1.0))
    low[0] = high[0] = 0.0
    return _first_stage_without_noise(
        f"p = q = 1, {FEW} records, one at the origin, the other z = x = 1, y = -{FAR:g} or {FAR:g}: Theta is the same "
        "on both sides, the clipped second-stage gradient flips its sign at every step but the first; score: how far "
        "beta went after its first step",
        pair, T, rho2, FEW, low, high, sign=1.0,
    )  # fmt: skip


def sign_bit(rho1: float, rho2: float) -> Attack:
    """Attack on two steps of DP-2S-GD with only beta published: the sign of noisy Theta^(1) decides all gradients.

    Args:
        rho1, rho2: zCDP cost of the two releases of each stage, at sensitivity 2 gamma / n.
    """
    lambda1, lambda2 = noise_sd(rho1, 2, MANY), noise_sd(rho2, 2, MANY)
    pair = [_one_dimensional([1.0, 1.0], [0.0, x], [-FAR, -FAR], [MANY - 1, 1]) for x in (-GAMMA, GAMMA)]
    shown = GAMMA / MANY / lambda1
    right, wrong = ndtr(shown), ndtr(-shown)
    return Attack(
        f"p = q = 1, n = {MANY}, T = 2, all z = 1, y = -{FAR:g}, x = 0, but for one x = -gamma or gamma: Theta^(1) has "
        f"the sign of that x with probability {right:.4g}, and beta^(2) shows it, {GAMMA / lambda2:.3g} sd of the "
        "noise from 0; score: beta",
        _simulation(pair, _arms(2, lambda1, lambda2), lambda run: -run.beta[:, 0]),
        epsilon=lambda delta: max(0.0, math.log(max(right - delta, wrong) / wrong)),
        rho=float((right - wrong) * (log_ndtr(shown) - log_ndtr(-shown))),
    )


def noise_sd(rho: float, T: int, n: int) -> float:
    """Noise sd at which T releases of a mean of n gradients clipped at GAMMA have zCDP cost rho."""
    return zcdp.gaussian_noise_sd(mean_sensitivity(GAMMA, n), rho, T)


def _first_stage_without_noise(
    words: str, pair: list[IVSample], T: int, rho2: float, n: int, first: Array, second: Array, sign: float
) -> Attack:
    """Attack on Algorithm 3 by a pair whose mean second-stage gradients, shape (T, 1), do not depend on beta."""
    if T < 2:
        raise ValueError(f"T={T} must be at least 2: after one step beta is noise alone")
    lambda2 = noise_sd(rho2, T, n)

    def score(run: dp_2s_gd.Descent) -> Array:
        assert run.beta_path is not None
        distance: Array = sign * (run.beta_path[-1, :, 0] - run.beta_path[1, :, 0])
        return distance

    return Attack(
        words,
        _simulation(pair, _arms(T, 0.0, lambda2, gamma1=math.inf), score, path=True),
        mu=mu_of_shifts(second - first, lambda2),
        rho=realised_cost(first, second, lambda2),
    )


def _one_dimensional(z: list[float], x: list[float], y: list[float], count: list[float] | None = None) -> IVSample:
    """A data set with one instrument and one regressor."""
    return IVSample(
        np.array(z)[:, None], np.array(x)[:, None], np.array(y), None if count is None else np.array(count, dtype=float)
    )


def _crowd(far: float) -> IVSample:
    """The data set of `beta_alone`: records that pull Theta_22 up and down, and the differing record."""
    up = round(0.5 * (1.0 + SURPLUS) * CROWD)
    X = np.array([[0.0, FAR], [0.0, -FAR], [far, 0.0]])
    count = np.array([up, CROWD - 1 - up, 1.0])
    return IVSample(np.tile([0.0, 1.0], (3, 1)), X, np.array([-FAR, -FAR, far]), count)


def _arms(T: int, lambda1: float, lambda2: float, gamma1: float = GAMMA) -> Callable[[int], dp_2s_gd.TwoStageArms]:
    """Function from a number of runs to the settings of that many equal runs."""
    values = (ETA, ETA, gamma1, GAMMA, lambda1, lambda2)
    return lambda runs: dp_2s_gd.TwoStageArms(np.full(runs, T), *(np.full(runs, value) for value in values))


def _simulation(
    pair: list[IVSample], arms: Callable[[int], dp_2s_gd.TwoStageArms], score: _Score, path: bool = False, size: int = 1
) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    """A simulation that scores runs on both data sets, with independent noise; `size` is p and q."""

    def side(sample: IVSample, runs: int, rng: np.random.Generator) -> Array:
        columns = arms(runs)
        T = int(columns.steps[0])
        noise = rng.standard_normal((T, runs, size, size)), rng.standard_normal((T, runs, size))
        return score(dp_2s_gd.descend(sample, columns, dp_2s_gd.Normals(*noise), record=path))

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (side(sample, runs, rng) for sample in pair)
        return first, second

    return simulate
