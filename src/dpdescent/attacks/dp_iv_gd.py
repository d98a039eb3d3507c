"""Attack on DP-IV-GD: one record that reverses its clipped gradients in both stages.

With one instrument, a record moves the first stage's gradients by their whole sensitivity. Its second-stage gradient
has the direction of the mean Theta, which is released, and the sign of its outcome reverses that gradient. The record
does not change the second moment of clipped gradients. No pair moves all releases at once. If gradients g and h with
norms up to gamma2 make an angle with cosine c, the second stage costs `rho2 (1 - c) / 2` and the moment `rho3 (1 -
c^2)`; with one regressor they cost `rho2 (1 - s)^2 / 4` and `rho3 (1 - s^2)^2` for h = s g. `largest_mu` is the largest
sum, for gradients that stay the same through a run.
"""

import math
from collections.abc import Callable

import numpy as np

from dpdescent.algorithms import dp_iv_gd
from dpdescent.data.iv import IVSample
from dpdescent.privacy.audit.attack import Array, Attack

# Thresholds, step sizes and number of records; only the noise divided by the sensitivities matters.
GAMMA, ETA, ALPHA, N = 1.0, 1.0, 0.5, 2
# Numbers of steps of the stages, and of first-stage iterates in the mean: a longer run is audited at equal budgets.
STEPS1, KEPT1, STEPS2 = 12, 10, 20
# Distances at which all gradients of both stages are clipped, whatever the noise.
FAR, FARTHER = 1e6, 1e12


def both_stages_flip(rho1: float, rho2: float, rho3: float) -> Attack:
    """Attack on the released Theta and the path of beta, by the likelihood ratio of both.

    Args:
        rho1, rho2, rho3: zCDP costs of the first stage, the second stage, and the second moment.
    """
    rho, parts = rho1 + rho2 + rho3, [part / (rho1 + rho2 + rho3) for part in (rho1, rho2, rho3)]
    noise = dp_iv_gd.noise_sds(rho, parts, N, 1, (GAMMA, GAMMA), (STEPS1, STEPS2))
    settings = dp_iv_gd.Settings(STEPS1, KEPT1, STEPS2, 0, ETA, ALPHA, GAMMA, GAMMA, *noise, np.eye(1))
    pair = [
        IVSample(np.array([[0.0], [1.0]]), np.array([[0.0], [side * FAR]]), np.array([0.0, side * FARTHER]))
        for side in (-1.0, 1.0)
    ]
    # The weight of a step's noise in the mean: the share of the kept iterates that come after the step.
    held = np.minimum(1.0, (STEPS1 - np.arange(STEPS1)) / KEPT1)
    shift = 2.0 * GAMMA / N
    moved, variance = ETA * shift * held.sum(), (ETA * settings.lambda1) ** 2 * (held**2).sum()

    def score(run: dp_iv_gd.Descent) -> Array:
        Theta = run.Theta[:, 0, 0]
        gradients = -np.diff(run.path[:, :, 0], axis=0, prepend=0.0) / (ALPHA * run.precondition[:, 0, 0])
        second = -np.sign(Theta) * gradients.sum(0) * shift / settings.lambda2**2
        return np.asarray(Theta * moved / variance + second)

    return Attack(
        f"p = q = 1, {N} records, one at the origin, the other z = 1, x = -{FAR:g} and y = -{FARTHER:g}, or {FAR:g} "
        f"and {FARTHER:g}: clipped gradients of both stages flip their signs, and their squares stay; score: "
        f"likelihood ratio of the held Theta and of the path of beta; no pair whose gradients stay as they are attains "
        f"more than mu = {largest_mu(rho1, rho2, rho3):.4g} over these three releases",
        _simulation(pair, settings, score),
        mu=math.sqrt(moved**2 / variance + STEPS2 * (shift / settings.lambda2) ** 2),
    )


def largest_mu(rho1: float, rho2: float, rho3: float, tries: int = 2001) -> float:
    """Returns the largest Gaussian-DP parameter of one pair over all releases, with any number of regressors."""
    s = np.linspace(-1.0, 1.0, tries)
    one = rho2 * (1.0 - s) ** 2 / 4.0 + rho3 * (1.0 - s**2) ** 2
    several = rho2 * (1.0 - s) / 2.0 + rho3 * (1.0 - s**2)
    return math.sqrt(2.0 * (rho1 + max(float(one.max()), float(several.max()))))


def _simulation(
    pair: list[IVSample], settings: dp_iv_gd.Settings, score: Callable[[dp_iv_gd.Descent], Array]
) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            score(dp_iv_gd.descend([data], settings, dp_iv_gd.Normals.draw(rng, settings, runs, 1))) for data in pair
        )
        return first, second

    return simulate
