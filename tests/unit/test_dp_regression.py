"""Engine of private regression: a twin that goes record by record, what it releases and costs, and its attack."""

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from dpdescent.algorithms import dp_regression as engine
from dpdescent.algorithms import histograms
from dpdescent.attacks import dp_regression as attacks
from dpdescent.privacy.account import account
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE
from dpdescent.privacy.events import GaussianReleases

Array = np.ndarray
# Information at which each rule of the plan is on one side and on the other.
LEVELS = sorted(
    edge * factor
    for edge in (engine.NOTHING, engine.FEW, engine.TWO, engine.INFERRED, engine.THREE)
    for factor in (0.99, 1.01)
)
MANY = 10.0 * engine.THREE


def plan_at(information: float, p: int = 3, rho: float = 0.4, **others: object) -> engine.Plan:
    return engine.Plan(max(1, round(information * p / math.sqrt(rho))), p, rho, **others)  # type: ignore[arg-type]


def records(n: int, p: int, seed: int = 1) -> tuple[Array, Array]:
    """Records with correlated columns, an error of unequal variance, and some that are far out."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.5)
    y = X @ np.linspace(0.5, -0.3, p) + 0.3 * (1.0 + np.abs(X[:, 0])) * rng.standard_normal(n)
    X[:: 1 + n // 9] *= 7.0
    y[:: 1 + n // 7] -= 50.0
    return X, y


class Told(engine.Noise):
    """Noise that notes every sd that was asked for, and what was let out."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(np.random.default_rng(seed))
        self.sds: list[float] = []
        self.outputs: list[Array] = []

    def vector(self, value: Array, noise_sd: float) -> Array:
        self.sds.append(noise_sd)
        self.outputs.append(super().vector(value, noise_sd))
        return self.outputs[-1]

    def symmetric(self, value: Array, noise_sd: float) -> Array:
        self.sds.append(noise_sd)
        self.outputs.append(super().symmetric(value, noise_sd))
        return self.outputs[-1]


# The twin


class Slow:
    """The run in plain loops over records, with sensitivities derived by hand and noise from the same generator."""

    def __init__(self, X: Array, y: Array, plan: engine.Plan, seed: int) -> None:
        self.plan, self.rng, self.n, self.p = plan, np.random.default_rng(seed), *X.shape
        self.records = [(self.limited(x), self.limited(np.array([v]))[0]) for x, v in zip(X, y, strict=True)]
        for k, (x, v) in enumerate(zip(X, y, strict=True)):
            if not (np.isfinite(x).all() and math.isfinite(v)):
                self.records[k] = (np.zeros(self.p), 0.0)

    @staticmethod
    def limited(x: Array) -> Array:
        return np.array([min(max(v, -engine.FARTHEST), engine.FARTHEST) for v in x.tolist()])

    @staticmethod
    def shortened(x: Array, bound: float) -> Array:
        norm = math.sqrt(sum(v * v for v in x))
        return np.asarray(x if norm <= bound else x * (bound / norm))

    def matrix_noise(self, sd: float) -> Array:
        drawn, out = self.rng.standard_normal((self.p, self.p)), np.zeros((self.p, self.p))
        for i in range(self.p):
            out[i, i] = sd * drawn[i, i]
            for j in range(i):
                out[i, j] = out[j, i] = sd * drawn[i, j] / math.sqrt(2.0)
        return out

    def root_two(self) -> float:
        return 1.0 if self.p == 1 else math.sqrt(2.0)

    def mean_square(self, vectors: list[Array]) -> Array:
        total = np.zeros((self.p, self.p))
        for v in vectors:
            total += np.outer(v, v)
        return np.asarray(total / self.n)

    def coordinates(self) -> None:
        plan, rho = self.plan, engine.MOMENT * self.plan.rho / self.plan.rounds
        # Early rounds have the smallest bound, the last one grows with the root of n sqrt(rho) / p.
        last = engine.BOUND_BY * math.sqrt(self.n * math.sqrt(plan.rho) / self.p)
        last = min(max(last, engine.EARLY_BOUND), engine.LARGEST_BOUND)
        self.W = np.eye(self.p)
        for factor in [engine.EARLY_BOUND] * (plan.rounds - 1) + [last]:
            bound = factor * math.sqrt(self.p) + 1.0
            sd = self.root_two() * bound**2 / self.n / math.sqrt(2.0 * rho)
            least = 2.0 * math.sqrt(self.p) * sd
            clipped = [self.shortened(self.W.T @ x, bound) for x, _ in self.records]
            moment = self.mean_square(clipped) + self.matrix_noise(sd)
            self.values, self.vectors = np.linalg.eigh(moment)
            root = sum(
                np.outer(v, v) / math.sqrt(max(value, least))
                for value, v in zip(self.values, self.vectors.T, strict=True)
            )
            self.before, self.W = self.W, self.W @ root
        self.least, self.moment_sd, self.last = least, sd, bound
        # The slope of the mean gradient is to be at most the steepest one, whatever records the bound has cut.
        # The moment may be larger than what was released of it by as much as the floor.
        steepened = max(1.0, *((value + least) / max(value, least) for value in self.values))
        self.bound = bound * math.sqrt(engine.STEEPEST / steepened)

    def weight(self, x: Array) -> float:
        earlier = self.before.T @ x
        return min(1.0, self.bound**2 / float(earlier @ earlier)) if earlier.any() else 1.0

    def gradients(self, theta: Array) -> list[Array]:
        out = []
        for x, y in self.records:
            z = self.W.T @ x
            out.append(self.weight(x) * z * float(z @ theta - y))
        return out

    def threshold(self, norms: list[float], first: int, last: int) -> float:
        edges = [engine.BASE**k for k in range(first, last + 1)]
        counted = np.zeros(len(edges) + 1)
        for norm in norms:
            counted[sum(norm / math.sqrt(self.p) > edge for edge in edges)] += 1
        reads = math.ceil(engine.STEPS / engine.EVERY)
        sd = math.sqrt(2.0) / math.sqrt(2.0 * engine.THRESHOLDS * self.plan.rho / reads)
        counted = counted + sd * self.rng.standard_normal(len(counted))
        cut = engine.TOLD / (self.n * math.sqrt(self.plan.rho))
        wanted = self.n * (1.0 - min(max(cut, engine.LEAST_CUT), engine.LARGEST_CUT))
        found, total = edges[-1], 0.0
        for count, edge in zip(counted, edges, strict=False):
            total += count
            if total >= wanted:
                found = edge
                break
        return min(math.sqrt(self.p) * found, self.plan.largest_gamma)

    def descend(self) -> None:
        plan, root = self.plan, math.sqrt(self.p)
        weights = [(1.0 - engine.ETA) ** (engine.STEPS - 1 - t) for t in range(engine.STEPS)]
        floor = engine.FLOOR if plan.follows else engine.FLOOR_OF_FEW
        left = 1.0 - engine.MOMENT - engine.UNITS * plan.finds_units
        left -= engine.THRESHOLDS * plan.follows + (engine.SLOPE + engine.SPREAD) * plan.infers
        rhos = [plan.rho * left * ((1 - floor) * w / sum(weights) + floor / engine.STEPS) for w in weights]
        self.theta, gamma, self.path, self.gammas = np.zeros(self.p), plan.largest_gamma, [], []
        self.sds, self.clipped = [], 0
        for t in range(engine.STEPS):
            gradients = self.gradients(self.theta)
            norms = [math.sqrt(sum(v * v for v in g)) for g in gradients]
            if plan.follows and t % engine.EVERY == 0:
                near = round(2.0 * math.log2(gamma / root) / (2.0 * math.log2(engine.BASE)))
                ends = (engine.FIRST, engine.LAST) if t == 0 else (near - engine.DOWN, near + engine.UP)
                gamma = self.threshold(norms, *ends)
            sd = 2.0 * gamma / self.n / math.sqrt(2.0 * rhos[t])
            mean = sum(self.shortened(g, gamma) for g in gradients) / self.n
            self.theta = self.theta - engine.ETA * (mean + sd * self.rng.standard_normal(self.p))
            self.clipped += sum(norm > gamma for norm in norms)
            self.path.append(self.W @ self.theta)
            self.gammas.append(gamma)
            self.sds.append(sd)

    def infer(self) -> None:
        plan, p, gamma = self.plan, self.p, self.gammas[-1]
        gradients, bound = self.gradients(self.theta), engine.SLOPE_BOUND * self.last
        kept = [
            self.shortened(self.W.T @ x * math.sqrt(self.weight(x)), bound)
            for (x, _), g in zip(self.records, gradients, strict=True)
            if np.linalg.norm(g) <= gamma
        ]
        sd = self.root_two() * bound**2 / self.n / math.sqrt(2.0 * engine.SLOPE * plan.rho)
        noisy = self.mean_square(kept) + self.matrix_noise(sd)
        # Second moments of the coordinates: 1, and less where noise kept them from being found.
        moments = [min(max(value / self.least, 0.0), 1.0) for value in self.values]
        scale = max(np.trace(noisy), engine.FLAT * p) / max(sum(moments), engine.FLAT)
        known = sum(scale * m * np.outer(v, v) for m, v in zip(moments, self.vectors.T, strict=True))
        apart = float(((noisy - known) ** 2).sum())
        noise = sd**2 * (p + p * (p - 1) / 2 - 1)
        slope = known if apart <= noise else known + (noisy - known) * (1.0 - noise / apart)
        values, axes = np.linalg.eigh(slope)
        held = [max(value, engine.FLAT) for value in values]
        H = sum(value * np.outer(v, v) for value, v in zip(held, axes.T, strict=True))
        cut = [self.shortened(g, gamma) for g in gradients]
        if plan.errors == "unequal":
            sd = self.root_two() * gamma**2 / self.n / math.sqrt(2.0 * engine.SPREAD * plan.rho)
            G, share = self.mean_square(cut) + self.matrix_noise(sd), np.eye(p)
        else:
            sd = gamma**2 / self.n / math.sqrt(2.0 * engine.SPREAD * plan.rho)
            share = H / np.trace(H)
            G = share * (sum(float(g @ g) for g in cut) / self.n + sd * self.rng.standard_normal())
        inverse, identity = np.linalg.inv(H), np.eye(p)
        V = np.zeros((p, p))
        # Noise of step t is carried on by all the steps that follow.
        for t, each in enumerate(self.sds):
            carried = np.linalg.matrix_power(identity - engine.ETA * H, engine.STEPS - 1 - t) * engine.ETA * each
            V += carried @ carried.T
        self.covariance = self.W @ (inverse @ G @ inverse / self.n + V) @ self.W.T
        dark = [
            v
            for k, (value, v) in enumerate(zip(self.values, self.vectors.T, strict=True))
            if value <= self.moment_sd * max(engine.NOISE_ALONE, 2.0 * math.sqrt(k + 1))
        ]
        flat = [v for value, v in zip(values, axes.T, strict=True) if value < engine.FLAT]
        self.unknown = [
            any(
                sum(float(row @ v) ** 2 for v in some) > engine.UNKNOWN_PART * float(row @ row) for some in (dark, flat)
            )
            # Noise on the spread may be half of a variance at most.
            or not engine.NOISY_PART * self.covariance[k, k]
            > sd / self.n * float(row @ inverse @ share @ inverse @ row)
            for k, row in enumerate(self.W)
        ]


@pytest.mark.parametrize("errors", ["unequal", "equal", None])
@pytest.mark.parametrize(
    ("information", "p"), [(MANY, 3), (MANY, 1), (50.0, 3), (35.0, 2), (22.0, 3), (10.0, 2), (52.0, 4)]
)
def test_the_twin_has_the_same_numbers(information: float, p: int, errors: engine.Errors | None) -> None:
    for duplicate in (False, True)[: 1 + (p > 2)]:
        plan = plan_at(information, p, errors=errors, finds_units=duplicate)
        X, y = records(plan.n, p, seed=p)
        X[3, 0], y[5], X[7] = np.nan, np.inf, 1e30
        if duplicate:
            X[:, 1] = X[:, 0]
        found = engine.fit(X, y, plan, engine.Noise(np.random.default_rng(9)))
        slow = Slow(X, y, plan, 9)
        slow.coordinates()
        slow.descend()
        np.testing.assert_allclose(found.path, slow.path, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(found.gammas, slow.gammas, rtol=1e-12)
        assert found.clipped == pytest.approx(slow.clipped / plan.n / engine.STEPS, abs=1e-12)
        if not plan.infers:
            assert found.covariance is None
            assert not found.unknown.any()
            continue
        slow.infer()
        assert found.covariance is not None
        np.testing.assert_allclose(found.covariance, slow.covariance, rtol=1e-6, atol=1e-12)
        assert found.unknown.tolist() == slow.unknown
        assert found.unknown[: 2 * duplicate].all()


def test_the_largest_threshold_is_where_its_noise_costs_a_given_share() -> None:
    """The steps' noise at k sqrt(p), as if one release had their whole budget: variance of a coordinate times p."""
    for information, p in product([5.0, 50.0, 500.0, 5e4], [1, 4, 30]):
        plan = plan_at(information, p)
        k = plan.largest_gamma / math.sqrt(p)
        cost = p * (2.0 * plan.largest_gamma / plan.n) ** 2 / (2.0 * plan.step_rhos.sum())
        assert engine.LEAST_K * (1 - 1e-12) <= k <= engine.LARGEST_K * (1 + 1e-12)
        if engine.LEAST_K * 1.001 < k < engine.LARGEST_K * 0.999:
            assert cost == pytest.approx(engine.TOLERATED, rel=1e-9)
        else:
            assert (cost < engine.TOLERATED) == (k > 1.001 * engine.LEAST_K)


# What it costs


def plans() -> Iterator[engine.Plan]:
    for information, errors, finds, constant in product(LEVELS, ["unequal", "equal", None], [False, True], [0, 1]):
        for p, rho in ((1 + constant, 0.01), (3, 0.7), (12, 30.0)):
            yield plan_at(information, p, rho, errors=errors, finds_units=finds, constant=bool(constant))


def releases_of(plan: engine.Plan, gammas: list[float] | None = None) -> list[GaussianReleases]:
    return [each for each in plan.mechanism(gammas).releases if isinstance(each, GaussianReleases)]


def test_the_releases_add_up_to_the_budget() -> None:
    for plan in plans():
        if plan.information < engine.NOTHING:
            assert plan.mechanism().rho == 0.0
            assert account(plan.mechanism(), 1e-6).epsilon == 0.0
            continue
        for gammas in (None, np.geomspace(1e-6, 7.0, engine.STEPS).tolist()):
            assert plan.mechanism(gammas).rho == pytest.approx(plan.rho, rel=1e-12)
        assert plan.mechanism().relation == "replace-one"


def test_noise_is_that_of_the_event_in_its_order() -> None:
    seen = set()
    for plan in plans():
        if plan.n > 2000 or plan.constant:
            continue
        seen.add((plan.information >= engine.NOTHING, plan.follows, plan.infers, plan.rounds, plan.finds_units))
        X, y = records(plan.n, plan.p)
        noise = Told()
        if plan.finds_units and plan.information >= engine.NOTHING:
            engine.released_units(X, y, plan, noise)
        found = engine.fit(X, y, plan, noise)
        if plan.information < engine.NOTHING:
            assert not noise.sds
            assert not found.path.any()
            assert found.covariance is None
            continue
        told = releases_of(plan, found.gammas.tolist())
        np.testing.assert_allclose(noise.sds, [each.noise_sd for each in told], rtol=1e-13)
        assert [each.count for each in told] == [1] * len(told)
    assert len(seen) > 8


@pytest.mark.parametrize(("information", "rounds", "follows", "infers"), [
    (0.99 * engine.FEW, 1, False, False), (1.01 * engine.FEW, 1, True, False), (1.01 * engine.TWO, 2, True, False),
    (1.01 * engine.INFERRED, 2, True, True), (1.01 * engine.THREE, 3, True, True),
])  # fmt: skip
def test_more_is_asked_where_more_is_known(information: float, rounds: int, follows: bool, infers: bool) -> None:
    plan = plan_at(information, 3, 0.001)
    assert (plan.rounds, plan.follows, plan.infers) == (rounds, follows, infers)
    assert not plan_at(information, 3, 0.001, errors=None).infers
    kinds = [each.what for each in releases_of(plan)]
    assert kinds.count("second moment of clipped covariates") == rounds
    assert kinds.count("histogram of gradient norms") == follows * math.ceil(engine.STEPS / engine.EVERY)
    assert kinds.count("mean of clipped gradients") == engine.STEPS
    assert ("slope of the mean gradient" in kinds, "spread of clipped gradients" in kinds) == (infers, infers)


def test_a_constant_has_no_unit() -> None:
    with_one = engine.Plan(1000, 4, 1.0, finds_units=True, constant=True)
    assert with_one.units().sensitivity == pytest.approx(math.sqrt(2.0 * 4), rel=1e-12)
    assert engine.Plan(1000, 4, 1.0, finds_units=True).units().sensitivity == pytest.approx(math.sqrt(10), rel=1e-12)


def test_everything_released_follows_from_the_noise_s_outputs() -> None:
    """Another data set, from which the same values come out of the noise, has the same release."""
    for information, errors in ((MANY, "unequal"), (MANY, "equal"), (35.0, None), (10.0, None)):
        plan = plan_at(information, errors=errors)
        first = attacks.Recording(np.random.default_rng(3))
        one = engine.fit(*records(plan.n, 3), plan, first)
        other = engine.fit(np.ones((plan.n, 3)), np.arange(float(plan.n)) % 7.0, plan, attacks.Replaying(first.outputs))
        assert np.array_equal(one.path, other.path)
        assert np.array_equal(one.gammas, other.gammas)
        assert np.array_equal(one.unknown, other.unknown)
        assert (one.covariance is None and other.covariance is None) or np.array_equal(one.covariance, other.covariance)  # type: ignore[arg-type]
        assert one.clipped != other.clipped


def test_units_follow_from_the_noise_s_outputs() -> None:
    plan = engine.Plan(3000, 3, 1.0, finds_units=True)
    first = attacks.Recording(np.random.default_rng(3))
    one = engine.released_units(*records(3000, 3), plan, first)
    assert len(set(one.tolist())) > 1
    other = engine.released_units(np.zeros((3000, 3)), np.zeros(3000), plan, attacks.Replaying(first.outputs))
    assert np.array_equal(one, other)


# Units


def test_a_unit_is_the_lower_end_of_the_largest_sizes_that_are_surely_there() -> None:
    edges = histograms.powers(-2, 2, 2.0)
    assert edges.tolist() == [0.25, 0.5, 1.0, 2.0, 4.0]
    counted = histograms.counts(np.array([0.0, 0.25, 0.26, 1.0, 0.9, 1.01, 4.0, 5.0, np.inf]), edges)
    assert counted.tolist() == [2, 1, 2, 1, 1, 2]
    assert histograms.largest(np.array([99.0, 1.0, 3.0, 2.0, 0.0, 0.0]), edges, 1.5) == 1.0
    assert histograms.largest(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 9.0]), edges, 1.5) == 4.0
    assert histograms.largest(np.array([99.0, 1.0, 1.5, 0.0, 0.0, 0.0]), edges, 1.5) is None
    assert histograms.quantile(counted, edges, 3.0) == 0.5
    assert histograms.quantile(counted, edges, 3.5) == 1.0
    assert histograms.quantile(counted, edges, 8.5) == 4.0
    assert histograms.quantile(np.array([5.0, -3.0, 1.0, 1.0, 1.0, 9.0]), edges, 4.0) == 0.25


def test_hidden_sizes_get_units_that_do_no_harm() -> None:
    """Rare values are less than the noise of many bins, of which chance took one: coefficients were 1e9 or 1e-15."""
    rng, n = np.random.default_rng(1), 3000
    rare = (rng.random(n) < 0.005).astype(float)
    plan = engine.Plan(n, 2, 0.1, finds_units=True)
    for seed in range(20):
        X = np.column_stack([rng.standard_normal(n), rare])
        units = engine.released_units(X, rare, plan, engine.Noise(np.random.default_rng(seed)))
        assert units[1:].tolist() == [2.0**engine.LARGEST_UNIT, engine.HIDDEN]
        assert units[0] in (1.0, 2.0, 0.5)
    smallest = np.full(n, 1.5 * 2.0**engine.SMALLEST_UNIT)
    told = engine.released_units(np.column_stack([smallest, rare]), smallest, plan, engine.Noise(rng))
    assert told[2] == 2.0**engine.SMALLEST_UNIT != engine.HIDDEN


# Coordinates


def test_directions_of_noise_alone_are_unknown_however_many_they_are() -> None:
    """The largest eigenvalue of noise grows with the number of directions: 4 sds alone let some pass."""
    plan, empty, highest = plan_at(MANY, 26, 0.1), 20, 0.0
    for seed in range(12):
        X, _ = records(plan.n, 26, seed)
        X[:, 26 - empty :] = 0.0
        noise = Told(seed)
        found = engine.whiten(X, plan, noise)
        assert found.known.sum() == 26 - empty
        values = np.linalg.eigvalsh(noise.outputs[-1]) / noise.sds[-1]
        highest = max(highest, values[empty - 1])
    assert engine.NOISE_ALONE < highest < 2.0 * math.sqrt(empty)


@pytest.mark.parametrize("errors", ["unequal", "equal"])
def test_a_direction_whose_gradients_are_all_clipped_is_unknown(errors: engine.Errors) -> None:
    """Its second moment is known, but the mean gradient does not depend on its coefficient."""
    # So many records that the noise on the slope is well below `FLAT`.
    plan = plan_at(6.0 * MANY, 2, 0.1, errors=errors)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        far = np.arange(plan.n) < 0.06 * plan.n
        X = np.where(far[:, None], [0.0, 1.5], rng.standard_normal((plan.n, 2)) * [1.0, 0.0])
        y = np.where(far, 1e4 * np.where(np.arange(plan.n) % 2, 1.0, -1.0), X[:, 0] + 0.3 * rng.standard_normal(plan.n))
        assert engine.whiten(X, plan, engine.Noise(np.random.default_rng(seed))).known.all()
        found = engine.fit(X, y, plan, engine.Noise(np.random.default_rng(seed)))
        assert found.unknown.tolist() == [False, True]


def test_the_slope_alone_does_not_tell_what_is_unknown() -> None:
    """Where little is known its noise passes for a slope, with that on the second moment towards which it is drawn."""
    plan = engine.Plan(240, 3, 1.0)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((plan.n, 3)) * [1.0, 1.0, 0.0]
        assert engine.fit(X, X[:, 0] + 0.3 * rng.standard_normal(plan.n), plan, engine.Noise(rng)).unknown[2]


def test_rounding_is_no_second_moment() -> None:
    """With hardly any noise a duplicate column would be known by rounding errors."""
    n, p = 400, 3
    X, y = records(n, p)
    X[:, 2] = X[:, 1]
    for rho in (1e12, 1e20, 1e100, 1e300):
        found = engine.fit(X, y, engine.Plan(n, p, rho), engine.Noise(np.random.default_rng(1)))
        assert found.unknown.tolist() == [False, True, True]
        assert found.covariance is not None
        assert np.isfinite(found.path).all()


def test_rounds_do_not_lengthen_what_clipping_made_short() -> None:
    """A column of which few records have all: rounds took clipping for shortness, and the descent swung to and fro.

    The estimate of .5 was .15, seven standard errors off.
    """
    n, rng = 20_000, np.random.default_rng(0)
    on = rng.random(n) < 0.2
    X = np.column_stack([rng.standard_normal(n), on * rng.standard_normal(n) * math.sqrt(5.0)])
    y = X @ [0.5, 0.5] + 0.3 * rng.standard_normal(n)
    found = engine.fit(X, y, engine.Plan(n, 2, 0.5), engine.Noise(rng))
    assert found.covariance is not None
    assert np.abs(found.path[-3:] - 0.5).max() < 0.02
    assert not found.unknown.any()
    assert np.sqrt(np.diag(found.covariance)).max() < 0.02


@pytest.mark.parametrize("rounds_at", [1.01 * engine.FEW, 1.01 * engine.TWO, MANY])
def test_coordinates_make_known_columns_alike(rounds_at: float) -> None:
    plan = plan_at(40.0 * rounds_at, 3, 0.2)
    plan = engine.Plan(plan.n, 3, plan.rho)
    rng = np.random.default_rng(2)
    Z = rng.standard_normal((plan.n, 3)) / math.sqrt(2.0)
    X = Z @ np.array([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 0.05]])
    found = engine.whiten(X, plan, engine.Noise(rng))
    assert found.known.all()
    moment = (X @ found.W).T @ (X @ found.W) / plan.n
    ratio = np.linalg.eigvalsh(moment)
    assert ratio[-1] / ratio[0] < 1.3


@pytest.mark.parametrize(("information", "p", "factor"), [(46.0, 20, 5.0), (60.0, 20, 3.0), (1000.0, 2, 20.0)])
def test_steps_contract_whatever_the_bounds_cut(information: float, p: int, factor: float) -> None:
    """Units that are too small have all records clipped, in rounds whose noise may hide a good part of what is left.

    Slopes of 5.4 were reached, with errors of 77 times those of least squares and coverage of 30 %; and slopes of 13
    released where they were 3, so that standard errors were 17,000 times too large.
    """
    n = round(max(4000.0, information * p))
    plan = engine.Plan(n, p, (information * p / n) ** 2)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, noise = factor * rng.standard_normal((n, p)), Told(seed)
        engine.fit(X, X[:, 0] + rng.standard_normal(n), plan, noise)
        coordinates = engine.whiten(X, plan, Told(seed))
        Z, before = X @ coordinates.W, X @ coordinates.before
        weights = np.minimum(1.0, coordinates.bound**2 / (before**2).sum(axis=1))
        true = np.linalg.eigvalsh((Z * weights[:, None]).T @ Z / n)[-1]
        assert 1.2 < true < engine.STEEPEST
        told = np.linalg.eigvalsh(noise.outputs[-2])[-1]
        assert told < true + 2.0 * math.sqrt(p) * plan.slope().noise_sd


# Strange records


def nothing(X: Array, y: Array) -> None:
    X[:], y[:] = 0.0, 0.0


def no_outcome(X: Array, y: Array) -> None:
    y[:] = 0.0


def an_empty_column(X: Array, y: Array) -> None:
    X[:, 0] = 0.0


def all_far(X: Array, y: Array) -> None:
    X *= 1e100
    y *= 1e100


def all_alike(X: Array, y: Array) -> None:
    X[:], y[:] = 1.0, 1.0


def not_finite(X: Array, y: Array) -> None:
    X[0], X[1, 0], y[2], y[3] = np.nan, np.inf, np.nan, -np.inf


@pytest.mark.parametrize("spoil", [nothing, no_outcome, an_empty_column, all_far, all_alike, not_finite])
@pytest.mark.parametrize("p", [1, 2, 5])
def test_strange_records_raise_nothing_and_warn_of_nothing(spoil: Callable[[Array, Array], None], p: int) -> None:
    """An error, a warning or a NaN that depends on records would be released without noise."""
    for information, errors in ((1.0, None), (10.0, None), (35.0, None), (50.0, "equal"), (MANY, "unequal")):
        for rho in (1e-4, 1.0, 1e6):
            n = min(20_000, round(information * p / math.sqrt(rho)) + 5)
            plan = engine.Plan(n, p, rho, errors, finds_units=True)  # type: ignore[arg-type]
            X, y = records(n, p)
            spoil(X, y)
            with warnings.catch_warnings(action="error"):
                found = engine.fit(X, y, plan, engine.Noise(np.random.default_rng(3)))
                engine.released_units(X, y, plan, engine.Noise(np.random.default_rng(3)))
            assert np.isfinite(found.path).all()
            assert (found.covariance is None) == (not plan.infers)
            assert found.covariance is None or np.isfinite(found.covariance).all()


def test_one_column_of_nothing_is_known_never() -> None:
    plan = engine.Plan(80, 1, 1.0)
    for seed in range(30):
        noise = engine.Noise(np.random.default_rng(seed))
        y = np.random.default_rng(seed).standard_normal(plan.n)
        assert engine.fit(np.zeros((plan.n, 1)), y, plan, noise).unknown.all()


def test_a_record_that_is_not_finite_counts_as_zero() -> None:
    X, y = np.array([[np.nan, 1.0], [2e9, -2e9], [3.0, 4.0], [1.0, 2.0]]), np.array([1.0, 5.0, np.inf, -1e300])
    first, second = engine.usable(X, y)
    assert first.tolist() == [[0, 0], [engine.FARTHEST, -engine.FARTHEST], [0, 0], [1, 2]]
    assert second.tolist() == [0, 5, 0, -engine.FARTHEST]


# The attack


def test_the_replay_takes_the_noise_that_was_drawn() -> None:
    """On the same records its square is that of the noise; nothing is left over."""
    plan = attacks.plan_of(2.0)
    data, other = attacks.pair_of(plan)
    made = attacks.Recording(np.random.default_rng(1))
    engine.fit(*data, plan, made)
    again = attacks.Replaying(made.outputs)
    engine.fit(*data, plan, again)
    assert again.square == pytest.approx(made.square, rel=1e-9)
    assert again.left == []
    differ = [
        np.flatnonzero((one != two).reshape(plan.n, -1).any(axis=1)) for one, two in zip(data, other, strict=True)
    ]
    assert all(rows.tolist() == [0] for rows in differ)
    numbers = sum(
        each.size - (each.shape[0] * (each.shape[0] - 1) // 2 if each.ndim == 2 else 0) for each in made.outputs
    )
    squares = []
    for seed in range(40):
        made = attacks.Recording(np.random.default_rng(seed))
        engine.fit(*data, plan, made)
        squares.append(made.square)
    assert np.mean(squares) == pytest.approx(numbers, abs=5.0 * math.sqrt(2.0 * numbers / 40))


def test_noise_of_a_symmetric_matrix_is_alike_in_all_directions() -> None:
    """Its square over the variance has one degree of freedom for every entry on and below the diagonal."""
    noise, draws = attacks.Recording(np.random.default_rng(1)), 2000
    for _ in range(draws):
        noise.symmetric(np.eye(3), 0.5)
    assert noise.square / draws == pytest.approx(6.0, abs=5.0 * math.sqrt(12.0 / draws))
    beside = np.array([each[0, 1] for each in noise.outputs])
    assert beside.std() == pytest.approx(0.5 / math.sqrt(2.0), rel=5.0 / math.sqrt(2.0 * draws))


@pytest.mark.parametrize("errors", ["unequal", "equal", None])
def test_no_pair_whose_angle_stays_attains_more(errors: engine.Errors | None) -> None:
    """A grid of both lengths and of the angle, for every combination of what is clipped."""
    plan = attacks.plan_of(1.0, errors)
    moment, steps = sum(plan.moment(k).rho for k in range(plan.rounds)), float(plan.step_rhos.sum())
    inferred = plan.infers * plan.spread(1.0).rho
    s, c = np.meshgrid(np.linspace(0.0, 1.0, 201), np.linspace(-1.0, 1.0, 401), indexing="ij")
    spread = inferred * ((s**4 + 1 - 2 * (s * c) ** 2) / 2 if errors == "unequal" else (1 - s**2) ** 2)
    both = moment * (1 - c**2) + steps * (s**2 + 1 + 2 * s * c) / 4 + spread
    # One is clipped and the other not; or neither is, in one bin, or with one bin between them.
    cut = both + engine.THRESHOLDS + inferred / 2
    whole = both + inferred * (1 - c**2) + engine.THRESHOLDS * (s <= 1.0 / engine.BASE)
    most = max(cut.max(), whole.max())
    assert attacks.largest_mu(plan) == pytest.approx(math.sqrt(2.0 * most), rel=1e-4)
    assert 0.97 * attacks.largest_mu(plan) < attacks.mu_of_pair(plan) < attacks.largest_mu(plan)
    assert attacks.largest_mu(plan) < math.sqrt(2.0 * plan.rho)


@pytest.fixture(scope="module")
def heard() -> attack.Scores:
    return attack.run(attacks.reversing_record(2.0), 2000, np.random.default_rng(5))


def test_the_attack_tells_what_its_pair_should_and_stays_below_the_account(heard: attack.Scores) -> None:
    mu = attacks.mu_of_pair(attacks.plan_of(2.0))
    assert 0.9 * mu < heard.mu_low()
    assert heard.mu_low(SURE) <= math.sqrt(2.0 * 2.0)


def test_the_pair_realises_its_mu(heard: attack.Scores) -> None:
    """Both mean log likelihood ratios are mu^2 / 2, with sd mu."""
    first, second = np.hstack([heard.chosen_on, heard.tested])
    mu = attacks.mu_of_pair(attacks.plan_of(2.0))
    for scores in (-first, second):
        assert scores.mean() == pytest.approx(mu**2 / 2.0, abs=4.0 * mu / math.sqrt(len(first)))
        assert scores.std() == pytest.approx(mu, rel=0.08)


@pytest.mark.parametrize("errors", ["equal", None])
def test_the_pair_realises_its_mu_with_other_errors(errors: engine.Errors | None) -> None:
    plan, runs = attacks.plan_of(2.0, errors), 250
    first, second = attacks.reversing_record(2.0, errors).simulate(runs, np.random.default_rng(5))
    assert (second.mean() - first.mean()) == pytest.approx(
        attacks.mu_of_pair(plan) ** 2, abs=4.0 * attacks.mu_of_pair(plan) * math.sqrt(2.0 / runs)
    )
