"""Attack on non-private preparation of data, as in liang2025's real-data runs before DP-2S-GD starts.

Centring by sample means (and scaling instruments by sample moments) lets one record move all others without bound.
Clipping then bounds each record's gradient, but no longer the effect of one record on the mean gradient.
"""

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.attacks.dp_2s_gd import ETA, FAR, GAMMA, noise_sd
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import centre, standardise_instruments
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts, realised_cost

# Number of records, and number of records with instrument 1 (all others have 0): not half, because gradients would then
# cancel after centring.
N, ONES = 1000, 100


def centred(T: int, rho: float) -> Attack:
    """Attack on DP-2S-GD after centring and scaling by sample moments: one x moves every first-stage gradient.

    The score uses the first stage alone, whose clipped mean gradient is constant at all Theta; the second stage's
    gradient is the same on both data sets.

    Args:
        T: number of steps.
        rho: zCDP cost of all T releases of each stage at sensitivity 2 gamma / n, as if the data had been prepared with
            constants.
    """
    noise = noise_sd(rho, T, N)
    pair = [prepared(side * FAR * N) for side in (-1.0, 1.0)]
    still = _arms(1, 1, 0.0)
    none = dp_2s_gd.Normals(np.zeros((1, 1, 1, 1)), np.zeros((1, 1, 1)))
    low, high = (float(dp_2s_gd.descend(sample, still, none).Theta[0, 0, 0]) / ETA for sample in pair)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (_last_Theta(sample, _arms(runs, T, noise), rng) for sample in pair)
        return (first, second) if high > low else (-first, -second)

    return Attack(
        f"{N} records, z = 1 for {ONES} of them, else 0, x = y = 0 but for one with z = 0 and x = -{FAR * N:g} or "
        f"{FAR * N:g}, centred by their means and z scaled by its sd: all other x become +{FAR:g} or -{FAR:g}, and the "
        f"clipped mean gradient moves by {abs(high - low) / GAMMA:.3g} gamma (claimed: {2 / N:g}); score: Theta",
        simulate,
        mu=mu_of_shifts(np.full(T, high - low), noise),
        rho=realised_cost(np.full((T, 1), low), np.full((T, 1), high), noise),
    )


def prepared(x: float) -> IVSample:
    """The data set with x as the regressor of one record, centred and scaled as liang2025's real data are."""
    Z = np.array([[1.0], [0.0], [0.0]])
    raw = IVSample(Z, np.array([[0.0], [0.0], [x]]), np.zeros(3), np.array([ONES, N - 1 - ONES, 1.0]))
    return standardise_instruments(centre(raw))


def _last_Theta(sample: IVSample, arms: dp_2s_gd.TwoStageArms, rng: np.random.Generator) -> Array:
    """The last first-stage iterates of runs on a data set."""
    T, runs = int(arms.steps[0]), len(arms)
    noise = dp_2s_gd.Normals(rng.standard_normal((T, runs, 1, 1)), rng.standard_normal((T, runs, 1)))
    last: Array = dp_2s_gd.descend(sample, arms, noise).Theta[:, 0, 0]
    return last


def _arms(runs: int, T: int, noise: float) -> dp_2s_gd.TwoStageArms:
    values = (ETA, ETA, GAMMA, GAMMA, noise, noise)
    return dp_2s_gd.TwoStageArms(np.full(runs, T), *(np.full(runs, value) for value in values))
