"""Attack on DP-GD: one record whose clipped gradient flips its sign at every step (brown2024 Algorithm 1)."""

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.clipping import mean_sensitivity

# Threshold, step size and number of records; only the noise over the sensitivity 2 gamma / n matters.
GAMMA, ETA, N = 1.0, 0.25, 2

# Label so far away that the residual is clipped at all iterates.
FAR = 1e9


def flipped_sign(T: int, mu: float) -> Attack:
    """Attack by the pair that attains the sensitivity in each of T steps, with noise for `mu` over all steps.

    The score is the last iterate, which is the sum of all releases: shifts and noise are equal in all steps, so that
    the log likelihood ratio is a multiple of that sum.
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
