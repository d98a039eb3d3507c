"""Attack on the first stage with the outcome beside the regressors: one record that reverses its clipped gradients.

The square of its gradient stays the same, and so does the second moment of clipped gradients. A pair whose gradients
make an angle with cosine c costs `rho1 (1 - c) / 2` in the descent and `rho2 (1 - c^2)` in the moment; `largest_mu` has
the largest sum, for gradients that stay the same through a run.
"""

import math

import numpy as np

from dpdescent.algorithms import reduced_form
from dpdescent.data.iv import IVSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.clipping import mean_sensitivity

# Threshold, step size, number of records and of steps. Only the noise divided by the sensitivity matters, and with the
# last iterate alone every step has the same weight.
GAMMA, ETA, N, STEPS = 1.0, 1.0, 2, 12
# Distance at which all gradients are clipped, whatever the noise.
FAR = 1e6


def gradient_flips(rho1: float, rho2: float) -> Attack:
    """Attack on the released coefficients of the regressor, by their likelihood ratio.

    Args:
        rho1, rho2: zCDP costs of the descent and of the second moment.
    """
    shift = mean_sensitivity(GAMMA, N)
    sds = (
        zcdp.gaussian_noise_sd(shift, rho1, STEPS),
        zcdp.gaussian_noise_sd(reduced_form.moment_sensitivity(GAMMA, N, 2), rho2),
    )
    settings = reduced_form.Settings(STEPS, 1, ETA, GAMMA, *sds, 1.0, np.eye(1))
    pair = [IVSample(np.array([[0.0], [1.0]]), np.array([[0.0], [side * FAR]]), np.zeros(2)) for side in (-1.0, 1.0)]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            reduced_form.descend([data], settings, reduced_form.Normals.draw(rng, settings, runs, 1)).D[:, 0, 0]
            for data in pair
        )
        return first, second

    return Attack(
        f"p = q = 1, {N} records, one at the origin, the other z = 1, x = -{FAR:g} or {FAR:g}, y = 0: the clipped "
        "gradient flips its sign and its square stays; score: the last coefficient of x on z, the likelihood ratio of "
        f"the descent; no pair whose gradients stay as they are attains more than "
        f"mu = {largest_mu(rho1, rho2):.4g} over these two releases",
        simulate,
        mu=math.sqrt(STEPS) * shift / settings.noise_sd,
    )


def largest_mu(rho1: float, rho2: float) -> float:
    """Returns the largest Gaussian-DP parameter of one pair over both releases."""
    c = max(-1.0, -rho1 / (4.0 * rho2)) if rho2 > 0.0 else -1.0
    return math.sqrt(2.0 * (rho1 * (1.0 - c) / 2.0 + rho2 * (1.0 - c**2)))
