"""Attack on FriendlyCore averaging (liang2025 App. F.2, as implemented in `baselines.friendly_core`).

All records but one lie at one point; the other lies at distance r from it, on one side or on the other. All records are
friends, so that all are kept, and the replaced record moves the average by its whole bound, 2r / m. This uses the
average's share of the budget, 0.9 * 0.9, so that mu tends to 0.9 sqrt(2 rho) as n grows; votes and count have the same
law on both sides. We know no pair that moves all three releases by their bounds at once.
"""

import numpy as np

from dpdescent.baselines.friendly_core import friendly_core_average, moment_points
from dpdescent.data.iv import IVSample
from dpdescent.privacy.audit.attack import Array, Attack

# Number of records, so large that no vote fails and the noisy size of the core has a negligible error.
N = 1_000_000

RADIUS = 1.0

# Largest number of runs, because runs are computed one by one.
MOST_RUNS = 50_000


def opposite_friends(rho: float, delta: float) -> Attack:
    """Attack on (rho, delta)-approximate zCDP under replace-one: one record lies on one side or the other of the rest.

    Args:
        rho: zCDP budget.
        delta: failure probability of the guarantee.
    """
    pair = [moment_points(_sample(x)) for x in (-RADIUS, RADIUS)]
    count = np.array([N - 1.0, 1.0])

    def score(points: Array, rng: np.random.Generator) -> float:
        average, info = friendly_core_average(points, rho, delta, RADIUS, rng, "replace-one", count)
        # The log likelihood ratio given the released noise sd; it is 0 if the core was too small.
        return 0.0 if info.failed else float(average[1]) / info.noise_sd**2

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (np.array([score(points, rng) for _ in range(runs)]) for points in pair)
        return first, second

    return Attack(
        f"q = p = 1, {N:g} records z = 1, x = y = 0, but for one x = -{RADIUS:g} or {RADIUS:g}, r = {RADIUS:g}: the "
        "average of the core moves by 2r over its size, which is all that its share of the budget, 0.81 rho, allows; "
        "score: that average over its published noise variance",
        simulate,
        most_runs=MOST_RUNS,
    )


def _sample(x: float) -> IVSample:
    """A data set with one record at x, and all others at 0."""
    return IVSample(np.ones((2, 1)), np.array([[0.0], [x]]), np.zeros(2))
