"""No pair of neighbouring data sets moves a release of ours further than its sensitivity: by a search that tries to.

Sensitivities are written here as numbers that were derived by hand; the releases are made by the engines without noise,
at one history, and a search moves every number of a small data set, and of the record that replaces its first one, to
push them apart. It must come near the sensitivity, and never beyond.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from dpdescent.algorithms import dp_gd, dp_iv_gd, dp_regression, preconditioned_dp_gd, preconditioning, reduced_form
from dpdescent.attacks import dp_iv_gd as attack
from dpdescent.attacks import one_release
from dpdescent.baselines import sufficient_statistics
from dpdescent.baselines.ada_ssp import Bounds
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample

Array = np.ndarray
N, GAMMA, BOUND = 2, 1.7, 1.3
# So small that iterates of both data sets are the same, and gradients are those at the start.
STILL = 1e-13
# Part of the sensitivity that a search must reach.
NEAR = 0.98


def of_iv(Z: Array, X: Array, y: Array) -> IVSample:
    return IVSample(np.asarray(Z), np.asarray(X), np.asarray(y))


def first_stage(table: Array, p: int) -> Array:
    """Mean gradient of the first stage, at Theta = 0."""
    columns = table[None, :, :-1].swapaxes(1, 2)
    q = columns.shape[1] - p
    mean, _ = reduced_form.held_mean(columns[:, :q], columns[:, q:], 1.0, GAMMA, 0.0, 1, np.zeros((1, 1, q, p)))
    return mean


def second_stage(table: Array, p: int) -> dp_iv_gd.Descent:
    q = table.shape[1] - p - 1
    s = dp_iv_gd.Settings(1, 1, 1, 0, 1.0, STILL, 1.0, GAMMA, 0.0, 0.0, 0.0, np.eye(q))
    Theta = np.linspace(1.0, 2.0, q * p).reshape(1, q, p) ** 2
    none = dp_iv_gd.Normals(np.zeros((1, 0, q, p)), np.zeros((1, 1, p)), np.zeros((1, p, p)))
    return dp_iv_gd.descend([of_iv(table[:, :q], table[:, q:-1], table[:, -1])], s, none, held=Theta)


def second_stage_mean(table: Array, p: int) -> Array:
    """Mean gradient of the second stage, at beta = 0 and any Theta."""
    out = second_stage(table, p)
    return np.linalg.solve(out.precondition[0], -out.path[0, 0] / STILL)


def second_stage_moment(table: Array, p: int) -> Array:
    """Second moment of gradients of the second stage."""
    return second_stage(table, p).moment


def reduced_form_moment(table: Array, p: int) -> Array:
    """Second moment of first-stage gradients with the outcome beside the regressor."""
    q = table.shape[1] - 2
    s = reduced_form.Settings(1, 1, STILL, GAMMA, 0.0, 0.0, 1.0, np.eye(q))
    none = reduced_form.Normals(np.zeros((1, 1, q, 2)), np.zeros((1, 2 * q, 2 * q)))
    return reduced_form.descend([of_iv(table[:, :q], table[:, q:-1], table[:, -1])], s, none).moment


def mean_of_records(table: Array, p: int) -> Array:
    return preconditioning.centre(table, BOUND, 1.0, np.zeros(table.shape[1]))


def moment_of_records(table: Array, p: int) -> Array:
    within = preconditioning.bounded(table, BOUND)
    return preconditioning.whiten(within, BOUND, 1.0, np.zeros(2 * table.shape[1:])).moment


def largest_eigenvalue(table: Array, p: int) -> Array:
    return np.array(preconditioning.largest_eigenvalue(preconditioning.bounded(table, BOUND), BOUND, 1.0, 0.0)[0])


def step_of_a_descent(table: Array, p: int) -> Array:
    """Mean gradient of DP-GD, which a schedule divides the budget of."""
    arms = dp_gd.DPGDArms(1, np.ones(1), np.array([GAMMA]), np.zeros((1, 1)))
    return dp_gd.descend([LinearSample(table[:, :-1], table[:, -1])], arms, np.zeros((1, 1, 1, p))).theta


def step_in_whitened_coordinates(table: Array, p: int) -> Array:
    """The same for records that are clipped, and then transformed by any matrix."""
    within = preconditioning.bounded(table[:, :-1], BOUND) @ np.diag(np.geomspace(0.01, 100.0, p))
    return step_of_a_descent(np.column_stack([within, table[:, -1]]), p)


class Taken(dp_regression.Noise):
    """Notes what a private regression takes from its records, and lets out the same whatever they are.

    Columns are stretched by every round, the threshold is its largest, and iterates move a little.
    """

    def __init__(self) -> None:
        super().__init__(np.random.default_rng(0))
        self.values: list[Array] = []

    def vector(self, value: Array, noise_sd: float) -> Array:
        self.values.append(np.array(value))
        return np.full(value.shape, 0.01 * (value.size <= P_OF_REGRESSION))

    def symmetric(self, value: Array, noise_sd: float) -> Array:
        self.values.append(np.array(value))
        return np.diag(np.geomspace(1.0, 9.0, len(value)))


P_OF_REGRESSION = 2


def plan_of_regression(p: int, errors: dp_regression.Errors = "unequal", *, units: bool = False) -> dp_regression.Plan:
    """A budget with which two records have everything."""
    return dp_regression.Plan(N, p, 1e10, errors, units)


class OfRegression:
    """What a private regression takes from its records at one release, over the norm to which it is clipped there.

    Args:
        place: of the release in the run, from 0 or from the end.
        per: power of the threshold.
        errors: as in `Plan`.
    """

    def __init__(self, name: str, place: int, per: int = 0, errors: dp_regression.Errors = "unequal") -> None:
        self.__name__, self.place, self.per, self.errors = name, place, per, errors

    def __call__(self, table: Array, p: int) -> Array:
        plan, noise = plan_of_regression(p, self.errors), Taken()
        dp_regression.fit(table[:, :-1], table[:, -1], plan, noise)
        return noise.values[self.place] / plan.largest_gamma**self.per


def sizes_of_records(table: Array, p: int) -> Array:
    """Counts of sizes of all covariates and the outcome."""
    noise = Taken()
    dp_regression.released_units(table[:, :-1], table[:, -1], plan_of_regression(p, units=True), noise)
    return noise.values[0]


def slope_of_records(table: Array, p: int) -> Array:
    """The mean of squares of records whose gradients are not clipped, in coordinates that noise may have made."""
    plan, noise, one = plan_of_regression(p), Taken(), np.eye(p)
    coordinates = dp_regression.Coordinates(one, one, np.ones(p), np.ones(p, dtype=bool), one, 1.0)
    gammas, X = np.full(dp_regression.STEPS, plan.largest_gamma), table[:, :-1]
    dp_regression._errors(X, X, table[:, -1], gammas, coordinates, plan, noise)
    return noise.values[0]


def early_bound(p: int) -> float:
    return dp_regression.EARLY_BOUND * math.sqrt(p) + 1.0


def last_bound(p: int) -> float:
    """With so much information the largest."""
    return dp_regression.LARGEST_BOUND * math.sqrt(p) + 1.0


def slope_bound(p: int) -> float:
    return dp_regression.SLOPE_BOUND * last_bound(p)


ROUNDS = plan_of_regression(2).rounds

# Release, columns, regressors, and the sensitivity by hand. Vectors of norm b at most move a mean of n by 2 b / n; the
# means of their squares move by sqrt(2) b^2 / n, from orthogonal to orthogonal, those of numbers by b^2 / n; and a
# record raises the largest eigenvalue by 0 to b^2 / n. A record leaves one bin for another: sqrt(2) a histogram.
RELEASES: list[tuple[Callable[[Array, int], Array], int, int, float]] = [
    (first_stage, 3, 1, 2 * GAMMA / N), (first_stage, 5, 2, 2 * GAMMA / N),
    (second_stage_mean, 3, 1, 2 * GAMMA / N), (second_stage_mean, 5, 2, 2 * GAMMA / N),
    (second_stage_moment, 3, 1, GAMMA**2 / N), (second_stage_moment, 4, 1, GAMMA**2 / N),
    (second_stage_moment, 5, 2, math.sqrt(2) * GAMMA**2 / N),
    (reduced_form_moment, 3, 1, math.sqrt(2) * GAMMA**2 / N), (reduced_form_moment, 4, 1, math.sqrt(2) * GAMMA**2 / N),
    (mean_of_records, 1, 1, 2 * BOUND / N), (mean_of_records, 3, 3, 2 * BOUND / N),
    (moment_of_records, 1, 1, BOUND**2 / N), (moment_of_records, 3, 3, math.sqrt(2) * BOUND**2 / N),
    (largest_eigenvalue, 1, 1, BOUND**2 / N), (largest_eigenvalue, 3, 3, BOUND**2 / N),
    (step_of_a_descent, 3, 2, 2 * GAMMA / N), (step_in_whitened_coordinates, 3, 2, 2 * GAMMA / N),
    (sizes_of_records, 2, 1, math.sqrt(4)), (sizes_of_records, 4, 3, math.sqrt(8)),
    (OfRegression("first round", 0), 3, 2, math.sqrt(2) * early_bound(2) ** 2 / N),
    (OfRegression("last round", ROUNDS - 1), 3, 2, math.sqrt(2) * last_bound(2) ** 2 / N),
    (OfRegression("last round", ROUNDS - 1), 2, 1, last_bound(1) ** 2 / N),
    (OfRegression("first norms", ROUNDS), 3, 2, math.sqrt(2)), (OfRegression("last norms", -5), 3, 2, math.sqrt(2)),
    (OfRegression("first step", ROUNDS + 1, 1), 3, 2, 2 / N), (OfRegression("last step", -3, 1), 3, 2, 2 / N),
    (slope_of_records, 3, 2, math.sqrt(2) * slope_bound(2) ** 2 / N),
    (OfRegression("slope", -2), 2, 1, slope_bound(1) ** 2 / N),
    (OfRegression("spread", -1, 2), 3, 2, math.sqrt(2) / N), (OfRegression("spread", -1, 2), 2, 1, 1 / N),
    (OfRegression("trace", -1, 2, "equal"), 3, 2, 1 / N), (OfRegression("trace", -1, 2, "equal"), 2, 1, 1 / N),
]  # fmt: skip


def farthest(release: Callable[[Array, int], Array], columns: int, p: int, limit: float, starts: int = 24) -> float:
    """The furthest that a search over pairs of data sets moves a release, in Frobenius norm; it ends near the limit."""

    def moved(v: Array) -> float:
        # Numbers from far below one to 1e8, so that everything may be clipped or nothing.
        records = np.sinh(v.reshape(N + 1, columns))
        return float(np.linalg.norm(release(records[:N], p) - release(np.vstack([records[N:], records[1:N]]), p)))

    rng, most = np.random.default_rng(1), 0.0
    for _ in range(starts):
        if most > NEAR * limit:
            # A plateau: where both records are clipped, nothing moves the release any more.
            break
        start = 3.0 * rng.standard_normal((N + 1) * columns)
        found = minimize(
            lambda v: -moved(np.clip(v, -20.0, 20.0)), start, method="Nelder-Mead", options={"maxfev": 600}
        )
        most = max(most, -float(found.fun))
    return most


@pytest.mark.parametrize(
    ("release", "columns", "p", "sensitivity"), RELEASES, ids=lambda each: getattr(each, "__name__", str(each))
)
def test_a_search_comes_near_the_sensitivity_and_never_beyond(
    release: Callable[[Array, int], Array], columns: int, p: int, sensitivity: float
) -> None:
    most = farthest(release, columns, p, sensitivity)
    assert NEAR * sensitivity < most <= sensitivity * (1.0 + 1e-9)


def test_the_search_finds_a_sensitivity_that_is_too_small() -> None:
    """A forgotten root of two would not pass."""
    assert farthest(moment_of_records, 3, 3, math.inf, starts=3) > 1.2 * BOUND**2 / N


def test_the_package_charges_for_these_sensitivities() -> None:
    iv = dp_iv_gd.Settings(3, 2, 4, 0, 1.0, 0.5, GAMMA, 2 * GAMMA, 0.1, 0.1, 0.1, np.eye(2))
    form = reduced_form.Settings(3, 2, 1.0, GAMMA, 0.1, 0.1, 1.0, np.eye(2))
    white, *steps = preconditioned_dp_gd.Settings(BOUND, GAMMA, 1.0).mechanism(N, 2).releases
    regression, alone = plan_of_regression(3), plan_of_regression(1)
    sums = sufficient_statistics.Calibration(Bounds(BOUND, 2.0, "public"), 1.0).releases
    found = {
        "two stages": [each.sensitivity for each in iv.releases(N, 1)],
        "several regressors": iv.releases(N, 2)[2].sensitivity,
        "reduced form": [each.sensitivity for each in form.releases(N, 1)],
        "whitening": white.sensitivity, "its steps": {each.sensitivity for each in steps},
        "mean": preconditioning.mean_release(N, BOUND, 1.0).sensitivity,
        "eigenvalue": preconditioning.eigenvalue_release(N, BOUND, 1.0).sensitivity,
        "sums": [each.sensitivity for each in sums],
        "sizes": plan_of_regression(3, units=True).units().sensitivity, "norms": regression.histogram().sensitivity,
        "rounds": [regression.moment(k).sensitivity for k in (0, 2)], "round of one": alone.moment(2).sensitivity,
        "steps of a regression": {regression.gradient(k, GAMMA).sensitivity for k in range(dp_regression.STEPS)},
        "slope": [regression.slope().sensitivity, alone.slope().sensitivity],
        "spread": [regression.spread(GAMMA).sensitivity, alone.spread(GAMMA).sensitivity],
        "trace": plan_of_regression(3, "equal").spread(GAMMA).sensitivity,
    }  # fmt: skip
    by_hand = {
        "two stages": [2 * GAMMA / N, 4 * GAMMA / N, 4 * GAMMA**2 / N],
        "several regressors": math.sqrt(2) * 4 * GAMMA**2 / N,
        "reduced form": [2 * GAMMA / N, math.sqrt(2) * GAMMA**2 / N],
        "whitening": math.sqrt(2) * BOUND**2 / N, "its steps": {2 * GAMMA / N}, "mean": 2 * BOUND / N,
        "eigenvalue": BOUND**2 / N, "sums": [math.sqrt(2) * BOUND**2, 4 * BOUND],
        "sizes": math.sqrt(8), "norms": math.sqrt(2),
        "rounds": [math.sqrt(2) * each**2 / N for each in (early_bound(3), last_bound(3))],
        "round of one": last_bound(1) ** 2 / N, "steps of a regression": {2 * GAMMA / N},
        "slope": [math.sqrt(2) * slope_bound(3) ** 2 / N, slope_bound(1) ** 2 / N],
        "spread": [math.sqrt(2) * GAMMA**2 / N, GAMMA**2 / N], "trace": GAMMA**2 / N,
    }  # fmt: skip
    for name, value in by_hand.items():
        one = sorted(value) if isinstance(value, set) else value
        other = sorted(found[name]) if isinstance(value, set) else found[name]
        np.testing.assert_allclose(other, one, rtol=1e-12, err_msg=name)


def test_a_lone_instrument_s_gradients_are_numbers_in_both_stages() -> None:
    """With one regressor the second stage's gradient is a number whatever the number of instruments is."""
    iv = dp_iv_gd.Settings(3, 2, 4, 0, 1.0, 0.5, GAMMA, GAMMA, 0.1, 0.1, 0.1, np.eye(5))
    assert iv.releases(N, 1)[2].sensitivity == pytest.approx(GAMMA**2 / N, rel=1e-12)


@pytest.mark.parametrize("parts", [(0.45, 0.45, 0.1), (0.4, 0.3, 0.1), (0.2, 0.3, 0.5), (0.0, 0.2, 0.8)])
def test_no_gradients_of_other_lengths_and_angles_cost_more(parts: tuple[float, float, float]) -> None:
    """What one pair can attain over all releases of DP-IV-GD, by a grid of both lengths and of the angle."""
    first, second, third = parts
    s, t, c = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41), np.linspace(-1, 1, 161), indexing="ij")
    stage = second * (s**2 + t**2 - 2 * s * t * c) / 4
    several = stage + third * (s**4 + t**4 - 2 * (s * t * c) ** 2) / 2
    alone = np.where(np.abs(c) == 1.0, stage + third * (s**2 - t**2) ** 2, 0.0)
    most = math.sqrt(2 * (first + max(several.max(), alone.max())))
    # That one is by a grid too.
    assert most <= attack.largest_mu(*parts) * (1 + 1e-6)
    assert most == pytest.approx(attack.largest_mu(*parts), rel=2e-3)


@pytest.mark.parametrize(("q", "most"), [(1, 0.05), (4, 0.025)])
def test_instruments_of_another_length_tell_a_part_of_their_second_moment(q: int, most: float) -> None:
    """What one pair attains after the mean of the records and the instruments' second moment, by a grid.

    Gradients of the first stage are parallel to the instruments, so that an angle between these costs the stage.
    """
    each, stage = 0.05, 0.405
    s, a = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0 if q > 1 else 1, 1, 101))
    moment = each * ((1 - s**2) ** 2 if q == 1 else (1 + s**4 - 2 * (s * a) ** 2) / 2)
    gained = float((moment - stage * (1 - a) / 2).max())
    assert gained == pytest.approx(most, rel=1e-9)
    assert one_release.largest_mu_after(each, q, 0.5) == pytest.approx(math.sqrt(2 * (each + most) + 0.25), rel=1e-9)
