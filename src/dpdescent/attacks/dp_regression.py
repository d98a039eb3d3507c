"""Attack on private regression: one record, by the likelihood ratio of all releases of a run with public units.

Let c be the cosine between two records in the coordinates of the descent, with labels of opposite sign, and let their
gradients g and h be s and 1 times the threshold. The pair realises the following shares of the costs: a step `(s^2 + 1
+ 2 s c) / 4`, a second moment of records at its bound `1 - c^2`, the spread `(s^4 + 1 - 2 s^2 c^2) / 2`, and its trace
`(1 - s^2)^2`. A histogram costs all of its budget if the two norms are in different bins. The slope costs half if one
gradient is clipped and the other is not. It could cost `1 - c^2` if neither is, but then both norms would be in one
bin, or one would be shorter. So the pair has one record just below the threshold and one far beyond it: s is nearly 1,
and `largest_mu` is the largest sum over c.

Records whose angle turns from round to round may realise more. If they realised all of the second moments, this would
be the account apart from half of the slope, at c = 1, where the spread costs nothing. The released rounds share their
coordinates, except for the part that a round adds, so that one pair does not attain this; with a single round it nearly
does (`preconditioned_dp_gd`).
"""

import math
from collections.abc import Sequence

import numpy as np

from dpdescent.algorithms import dp_regression as method
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.sums import added

# Number of columns, information n sqrt(rho) / p, and a label so far away that its gradient is clipped whatever the
# iterate.
P, INFORMATION, FAR = 2, 800.0, 1e5
# Threshold divided by sqrt(p) that the other records' gradients bring about, an edge near the first of the histogram,
# so that few noisy counts are below it; these gradients divided by it; and the gradient of the record just below it,
# divided by it.
EDGE, OTHERS, BELOW = method.BASE ** (method.FIRST + 4), 0.85, 0.97
# Length of both records divided by the largest norm to which one is clipped.
BEYOND = 1.05
# Largest number of runs, because runs are made one by one.
MOST_RUNS = 4_000


class Recording(method.Noise):
    """Noise that keeps the released values, and the sum of the squared noise divided by the variances.

    Attributes:
        outputs: all values with their noise, in the order of their release.
        square: `|output - value|^2 / sd^2`, summed; minus twice the logarithm of the density, up to a constant.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.outputs: list[Array] = []
        self.square = 0.0

    def vector(self, value: Array, noise_sd: float) -> Array:
        return self._recorded(super().vector(value, noise_sd), value, noise_sd)

    def symmetric(self, value: Array, noise_sd: float) -> Array:
        return self._recorded(super().symmetric(value, noise_sd), value, noise_sd)

    def _recorded(self, output: Array, value: Array, noise_sd: float) -> Array:
        """The output, after it is added to the record."""
        self.outputs.append(output)
        self.square += float(np.sum(((output - value) / noise_sd) ** 2))
        return output


class Replaying(Recording):
    """Noise that releases the recorded values: `square` is that of the noise which this requires on other records."""

    def __init__(self, outputs: Sequence[Array]) -> None:
        super().__init__(np.random.default_rng(0))
        self.left = list(outputs)

    def vector(self, value: Array, noise_sd: float) -> Array:
        return self._recorded(self.left.pop(0), value, noise_sd)

    symmetric = vector


def reversing_record(rho: float, errors: method.Errors | None = "unequal") -> Attack:
    """Attack on a run with this zCDP budget, scored by the likelihood ratio of all its releases."""
    plan = plan_of(rho, errors)
    pair = pair_of(plan)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first = np.array([-_score(*pair, plan, rng) for _ in range(runs)])
        return first, np.array([_score(pair[1], pair[0], plan, rng) for _ in range(runs)])

    return Attack(
        f"p = {P}, {plan.n} records, all but one x = (+-sqrt(2), 0) or (0, +-sqrt(2)) with y = +-{OTHERS * EDGE:.4g}; "
        f"that one at an angle of cosine {_cosine(plan):.3g} to the one that replaces it, with a gradient of {BELOW:g} "
        f"thresholds, or clipped and its sign reversed; score: likelihood ratio of all releases; while the threshold "
        f"and coordinates are those without noise the pair's mu is {mu_of_pair(plan):.4g}, and no pair whose angle "
        f"stays attains more than {largest_mu(plan):.4g}",
        simulate,
        most_runs=MOST_RUNS,
    )


def plan_of(rho: float, errors: method.Errors | None = "unequal") -> method.Plan:
    """The plan of the attacked run, with so many records that noise hides nothing but the pair."""
    return method.Plan(8 * round(INFORMATION * P / math.sqrt(rho) / 8.0) + 1, P, rho, errors)


def mu_of_pair(plan: method.Plan) -> float:
    """Returns the Gaussian-DP parameter that the pair would have if threshold and coordinates had no noise."""
    return math.sqrt(2.0 * _cost(plan, _cosine(plan), BELOW, (BEYOND / method.SLOPE_BOUND) ** 4))


def largest_mu(plan: method.Plan) -> float:
    """Returns the largest Gaussian-DP parameter of a pair with a constant angle, by a grid of angles."""
    return math.sqrt(2.0 * max(_cost(plan, c, 1.0) for c in np.linspace(0.0, 1.0, 2001).tolist()))


def pair_of(plan: method.Plan) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The two data sets, which differ in their first record."""
    axes = math.sqrt(2.0) * np.vstack([np.eye(P), -np.eye(P)])
    X = np.vstack([np.zeros((1, P)), np.tile(axes, (plan.n // 4, 1))])
    gamma = EDGE * math.sqrt(P)
    y = np.append(0.0, OTHERS * EDGE * np.where(np.arange(plan.n - 1) // 4 % 2, 1.0, -1.0))
    length, c = BEYOND * _longest(plan), _cosine(plan)
    first, second = (X.copy(), y.copy()), (X.copy(), y.copy())
    first[0][0], first[1][0] = [length, 0.0], BELOW * gamma / length
    second[0][0], second[1][0] = [length * c, length * math.sqrt(1.0 - c * c)], -FAR
    return first, second


def _longest(plan: method.Plan) -> float:
    """The largest norm to which a round of whitening clips; records that are slightly longer still have weight 1."""
    return plan.moment_bound(plan.rounds - 1)


def _cosine(plan: method.Plan) -> float:
    """The cosine between the records at which the pair's cost is largest."""
    return float(max(np.linspace(0.0, 1.0, 2001), key=lambda c: _cost(plan, float(c), BELOW)))


def _cost(plan: method.Plan, c: float, s: float, sloped: float = 1.0) -> float:
    """The zCDP cost of records with cosine c and gradients of s and 1 times the threshold, as the module derives it.

    `sloped` is the share that the slope costs, relative to records at the norm beyond which weights fall.
    """
    moments = added(plan.moment(round_).rho for round_ in range(plan.rounds))
    steps = float(plan.step_rhos.sum())
    costs = [moments * (1.0 - c * c), steps * (s * s + 1.0 + 2.0 * s * c) / 4.0]
    if plan.follows:
        costs.append(method.THRESHOLDS * plan.rho)
    if plan.infers:
        matrix = (s**4 + 1.0 - 2.0 * (s * c) ** 2) / 2.0
        costs += [
            sloped * plan.slope().rho / 2.0,
            plan.spread(1.0).rho * (matrix if plan.errors == "unequal" else (1 - s * s) ** 2),
        ]
    return added(costs)


def _score(own: tuple[Array, Array], other: tuple[Array, Array], plan: method.Plan, rng: np.random.Generator) -> float:
    """Log likelihood ratio of one run's releases, its own data set against the other one."""
    recorded = Recording(rng)
    method.fit(*own, plan, recorded)
    replayed = Replaying(recorded.outputs)
    method.fit(*other, plan, replayed)
    return 0.5 * (replayed.square - recorded.square)
