"""DP-GD under attack: one record whose clipped gradient flips its sign at every step (brown2024 Algorithm 1)."""

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.clipping import mean_sensitivity

# Threshold, step size and number of records: all that counts is the noise in units of the sensitivity 2 gamma / n.
GAMMA, ETA, N = 1.0, 0.25, 2

# So far away that its residual is clipped wherever the iterates go.
FAR = 1e9


def flipped_sign(T: int, mu: float) -> Attack:
    """The pair that attains the sensitivity in each of T steps, with noise for `mu` in all.

    The iterates drift apart by 2 eta gamma / n a step and are told apart by the last one alone, which is the sum of all
    releases: of equal shifts in equal noise the likelihood ratio.
    """
    noise_sd = zcdp.gaussian_noise_sd(mean_sensitivity(GAMMA, N), 0.5 * mu**2, T)
    pair = [LinearSample(np.array([[1.0], [0.0]]), np.array([label, 0.0])) for label in (-FAR, FAR)]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        arms = dp_gd.DPGDArms.alike(runs, T, ETA, GAMMA, noise_sd)
        first, second = (dp_gd.descend([data], arms, rng.standard_normal((T, 1, runs, 1))).theta for data in pair)
        return first[0, :, 0], second[0, :, 0]

    return Attack(
        f"{N} records, one at the origin, the other x = 1 with y = -{FAR:g} or {FAR:g}: its clipped gradient is +gamma "
        "or -gamma at every step; score: the last iterate",
        simulate,
        mu=mu_of_shifts(np.full(T, mean_sensitivity(GAMMA, N)), noise_sd),
    )
