"""Runs whose sums are exact: the account they get, that they are the engines' own runs, and the audit of one."""

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from dp_accounting import NonPrivateDpEvent, ZCDpEvent
from dp_accounting.rdp import RdpAccountant

import dpdescent
from dpdescent import exact_grid, exact_sums
from dpdescent.algorithms import dp_ambssgd, exact_descents, reduced_form
from dpdescent.algorithms import dp_iv_gd as dp_iv_engine
from dpdescent.algorithms import dp_regression as engine
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.exact_noise import ExactNoise
from dpdescent.attacks import dp_regression as attacks
from dpdescent.data.iv import IVSample
from dpdescent.estimators import dp_iv_gd
from dpdescent.noise import discrete_gaussian
from dpdescent.privacy import zcdp
from dpdescent.privacy.account import account
from dpdescent.privacy.arithmetic import ExactMechanism
from dpdescent.privacy.audit.attack import SURE, Attack
from dpdescent.privacy.audit.attack import run as audit
from dpdescent.privacy.events import (
    DisjointReleases,
    EpsilonDeltaRelease,
    GaussianReleases,
    Mechanism,
    SketchReleases,
    SubsampledGaussianReleases,
)

Array = np.ndarray
N, DELTA = 2000, 1e-6
DATA = np.random.default_rng(4)
Z = DATA.standard_normal((N, 3))
X = Z[:, :2] + 0.5 * DATA.standard_normal((N, 2))
Y = X @ [1.0, -0.5] + DATA.standard_normal(N)


def regression(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_regression(X, Y, **given)


def linear(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_gd(X, Y, steps=30, step_size=0.5, clip_norm=1.5, **given)


def two_stage(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_2s_gd(
        Z, X, Y, steps=30, step_size1=0.9, step_size2=0.5, clip_norm1=2.0, clip_norm2=1.5, **given
    )  # fmt: skip


def preconditioned(**given: Any) -> dpdescent.Run:
    return dpdescent.preconditioned_dp_gd(X, Y, covariate_bound=2.0, clip_norm=2.0, **given)


def instrumental(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_iv_gd(Z, X, Y, clip_norm1=3.0, clip_norm2=3.0, **given)


def with_set(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_iv_gd(
        Z, X[:, :1], Y, clip_norm1=3.0, clip_norm2=3.0, outcome_unit=1.2, instrument_bound=3.0, **given
    )  # fmt: skip


def batched(**given: Any) -> dpdescent.Run:
    return dpdescent.dp_ambssgd(
        X, Y, steps=8, step_size=0.2, largest=8.0, levels=5, stat_size=60, scale=1.0, **given
    )  # fmt: skip


RUNS: list[Callable[..., dpdescent.Run]] = [
    regression, linear, preconditioned, two_stage, instrumental, with_set, batched,
]  # fmt: skip


# What it costs


@pytest.mark.parametrize("run", RUNS)
def test_a_budget_is_converted_by_renyi_divergence_and_kept(run: Callable[..., dpdescent.Run]) -> None:
    found = run(epsilon=1.0, delta=DELTA, rng=None, arithmetic="exact")
    told = account(found, DELTA)
    assert found.event.rho == pytest.approx(zcdp.rho_of_renyi_epsilon(1.0, DELTA), rel=1e-9)
    assert (told.arithmetic, told.guarantee, told.mu) == ("exact", "proved", None)
    assert told.epsilon == pytest.approx(1.0, rel=1e-9)
    assert told.epsilon == zcdp.renyi_epsilon(found.event.rho, DELTA)
    assert exact_sums.LEFT_OUT in told.reason
    assert not told.reason.startswith("in exact arithmetic")
    assert found.to_dict()["event"]["arithmetic"] == "exact"
    floats = run(epsilon=1.0, delta=DELTA, rng=dpdescent.secure_generator())
    assert account(floats, DELTA).arithmetic == floats.to_dict()["event"]["arithmetic"] == "floating point"
    assert floats.event.rho > 1.1 * found.event.rho


@pytest.mark.parametrize("run", RUNS)
def test_exact_noise_takes_no_generator(run: Callable[..., dpdescent.Run]) -> None:
    for rng in (3, dpdescent.secure_generator(), np.random.default_rng(1)):
        with pytest.raises(ValueError, match="takes its noise from the operating system bit by bit: give rng=None"):
            run(rho=1.0, rng=rng, arithmetic="exact")
    if run in (linear, two_stage):
        with pytest.raises(ValueError, match="makes noise of its own: leave normals out"):
            run(rho=1.0, rng=None, arithmetic="exact", normals=np.zeros((30, 2)))


ONE = GaussianReleases("sum", 1.0, 2.0, 3)
SAMPLED = SubsampledGaussianReleases("sum", 1.0, 2.0, 0.1, 9)


def event(*releases: Any, relation: Any = "replace-one", sampler: Any = "full batch", exact: bool = False) -> Mechanism:
    kind = ExactMechanism if exact else Mechanism
    return kind("M", releases, relation, sampler, math.inf, "proved", "because")


def test_several_runs_are_as_exact_as_the_worst() -> None:
    exact, floats = event(ONE, exact=True), event(ONE)
    alone, twice, mixed = (account(each, DELTA) for each in (exact, [exact, exact], [floats, exact]))
    assert (alone.arithmetic, twice.arithmetic, mixed.arithmetic) == ("exact", "exact", "floating point")
    # Discrete noise anywhere makes the tight conversion one of something else.
    assert twice.epsilon == mixed.epsilon == zcdp.renyi_epsilon(6 / 8, DELTA)
    assert twice.mu is mixed.mu is None
    assert account([floats, floats], DELTA).epsilon < twice.epsilon
    parts = event(DisjointReleases(((ONE,), (ONE, ONE))), exact=True)
    assert account(parts, DELTA).epsilon == zcdp.renyi_epsilon(6 / 8, DELTA)


def test_beside_subsampled_releases_epsilons_are_added() -> None:
    exact = event(ONE, relation="add-remove", sampler="full batch", exact=True)
    sampled = event(SAMPLED, relation="add-remove", sampler="Poisson")
    together = account([sampled, exact, exact], DELTA)
    half = account(sampled, DELTA / 2).epsilon + zcdp.renyi_epsilon(6 / 8, DELTA / 2)
    assert together.epsilon == pytest.approx(half, rel=1e-12)
    assert (together.arithmetic, together.rho) == ("floating point", None)


def test_releases_without_rho_are_not_exact() -> None:
    for given in (
        partial(event, SAMPLED, relation="add-remove", sampler="Poisson"),
        partial(event, SketchReleases("sketch", 1.0, 9.0, 3, 1e-9, 1)),
        partial(event, EpsilonDeltaRelease("count", 1.0, 1e-9)),
    ):
        with pytest.raises(ValueError, match="of which no account with discrete noise is known: take a Mechanism"):
            given(exact=True)
        assert account(given(), DELTA).arithmetic == "floating point"


def test_dp_accounting_gets_no_continuous_noise() -> None:
    made = event(ONE, ONE, exact=True).to_dp_event()
    assert isinstance(made, ZCDpEvent)
    assert made.rho == 6 / 8
    # Nothing released is no noise at all, as in the account of the run.
    assert isinstance(event(exact=True).to_dp_event(), NonPrivateDpEvent)
    assert account(event(exact=True), DELTA).epsilon == math.inf
    epsilon = RdpAccountant().compose(made).get_epsilon(DELTA)
    assert epsilon == pytest.approx(zcdp.renyi_epsilon(6 / 8, DELTA), rel=0.05)


# That it is the same algorithm


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrete_gaussian, "draw", lambda sds: [0] * len(sds))


@pytest.mark.usefixtures("without_noise")
def test_descents_are_those_of_the_engines() -> None:
    """But for rounding, which moves a step's gradient by a hundredth of its noise at most, and in fact by far less."""
    for run, shape in ((linear, (30, 2)), (two_stage, (30, 8))):
        exact = run(rho=0.5, rng=None, arithmetic="exact")
        twin = run(rho=0.5, rng=None, normals=np.zeros(shape))
        noise_sd = max(each.noise_sd for each in exact.event.releases)  # type: ignore[union-attr]
        assert np.abs(exact.path - twin.path).max() < 0.01 * noise_sd
        assert exact.clipped == pytest.approx(twin.clipped, abs=1e-3)
        assert 0.0 < exact.clipped < 0.9
        assert exact.also.keys() == twin.also.keys()
        for name in exact.also:
            assert np.abs(exact.also[name] - twin.also[name]).max() < 0.01 * noise_sd


@pytest.mark.usefixtures("without_noise")
@pytest.mark.filterwarnings("ignore::dpdescent.mixing.ConvergenceWarning")
def test_instrumental_runs_are_those_of_the_engine() -> None:
    zeros = np.zeros((120, 3, 2)), np.zeros((520, 2)), np.zeros((2, 2))
    one, two = instrumental(rho=0.5, rng=None, arithmetic="exact"), instrumental(rho=0.5, rng=None, normals=zeros)
    assert one.event.releases == two.event.releases
    assert one.clipped == pytest.approx(two.clipped, abs=1e-3)
    assert 0.0 < one.clipped < 0.9
    assert one.also.keys() == two.also.keys()
    np.testing.assert_allclose(one.path, two.path, atol=3e-4)
    for name in ("Theta", "precondition", "moment"):
        np.testing.assert_allclose(one.also[name], two.also[name], rtol=1e-3, atol=1e-4, err_msg=name)


@pytest.mark.usefixtures("without_noise")
def test_first_stages_and_whitening_are_those_of_the_engines() -> None:
    sample = IVSample(Z, X[:, :1], Y)
    settings = reduced_form.Settings(40, 30, 0.9, 1.5, 0.01, 0.01, 1.2, np.eye(3))
    one = exact_descents.first_and_reduced(sample, settings)
    two = reduced_form.descend([sample], settings, reduced_form.Normals(np.zeros((1, 40, 3, 2)), np.zeros((1, 6, 6))))
    for name in ("D", "moment", "path"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-4, err_msg=name)
    assert one.clipped == pytest.approx(two.clipped, abs=1e-3)
    white, (release,), W = dp_iv_gd._whitened(sample, 1.5, 0.5, None)
    other, (also,), twin = dp_iv_gd._whitened(sample, 1.5, 0.5, Zeros())  # type: ignore[arg-type]
    assert release == also
    np.testing.assert_allclose(W, twin, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(white.Z, other.Z, rtol=1e-3, atol=1e-3)


@pytest.mark.usefixtures("without_noise")
def test_a_preconditioned_descent_is_that_of_the_engine() -> None:
    exact = preconditioned(rho=0.5, rng=None, arithmetic="exact")
    twin = preconditioned(rho=0.5, rng=None, normals=(np.zeros((2, 2)), np.zeros((20, 2))))
    assert exact.event.releases == twin.event.releases
    np.testing.assert_allclose(exact.path, twin.path, atol=1e-4)
    np.testing.assert_allclose(exact.also["second_moment"], twin.also["second_moment"], atol=1e-4)
    assert exact.clipped == pytest.approx(twin.clipped, abs=1e-3)
    assert 0.0 < exact.clipped < 0.9


@pytest.mark.usefixtures("without_noise")
def test_a_descent_over_batches_is_that_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one order, which an exact run does not take from a seed."""
    monkeypatch.setattr(exact_descents, "secure_generator", lambda: np.random.default_rng(5))
    zeros = np.zeros((8, 2)), np.zeros((8, 5))
    exact, twin = batched(rho=0.5, rng=None, arithmetic="exact"), batched(rho=0.5, rng=5, normals=zeros)
    assert exact.event.releases == twin.event.releases
    assert np.array_equal(exact.also["thresholds"], twin.also["thresholds"])
    assert len(set(exact.also["thresholds"].tolist())) > 1
    np.testing.assert_allclose(exact.path, twin.path, atol=1e-6)
    np.testing.assert_allclose(exact.estimate, twin.estimate, atol=1e-6)
    assert exact.clipped == pytest.approx(twin.clipped, abs=1e-9)
    assert 0.0 < exact.clipped < 0.9
    arm = engine_arm()
    one = exact_descents.batched(X, Y, 8, arm, 0.5)
    batches = dp_ambssgd.batches_of(X, Y[:, None], 8, np.random.default_rng(5))
    two = dp_ambssgd.descend(batches, [arm], dp_ambssgd.Normals(np.zeros((8, 1, 2)), np.zeros((8, 1, 5))))
    for name in vars(two):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-6, err_msg=name)


def engine_arm(**changes: Any) -> dp_ambssgd.SGDArm:
    return dp_ambssgd.SGDArm(0.2, 1.0, dp_ambssgd.Adaptive(Search(8.0, 5, 1.0), 60, 1.0, **changes))


def test_batches_are_disjoint_and_in_an_order_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record once: some in the counts, the others in the gradient; another order in each run."""
    gradients: list[Array] = []
    sizes: list[int] = []

    def sums(rows: Array, bound: float, noise_sd: Any) -> Array:
        gradients.append(rows)
        return np.zeros(rows.shape[1])

    monkeypatch.setattr(exact_descents, "noisy_sum", sums)
    monkeypatch.setattr(exact_descents, "noisy_counts", lambda counts, _: sizes.append(int(counts[-1])) or counts + 1e9)
    arm = dp_ambssgd.SGDArm(1.0, 1.0, dp_ambssgd.Adaptive(Search(1e9, 1, 1.0), 3, 1.0))
    seen = []
    for _ in range(2):
        exact_descents.batched(np.arange(1.0, 51.0)[:, None], np.ones(50), 7, arm, 0.5)
        # At zero a gradient is the negative of its record.
        found = (-np.concatenate(gradients)[:, 0]).tolist()
        gradients.clear()
        assert len(found) == len(set(found)) == 7 * (7 - 3)
        assert set(found) < set(np.arange(1.0, 51.0))
        seen.append(found)
    assert sizes == [3] * 14
    assert seen[0] != seen[1]


def test_searches_that_share_records_with_the_gradient_have_no_exact_run() -> None:
    fixed = dp_ambssgd.SGDArm(0.2, 1.0, dp_ambssgd.Fixed(1.0))
    for arm in (fixed, engine_arm(overlap=True), engine_arm(shared=True)):
        with pytest.raises(ValueError, match=r"has no exact run: take Adaptive\(search, stat_size, scale\)"):
            exact_descents.batched(X, Y, 8, arm, 0.5)
    for given, words in (({"steps": N + 1}, "exceeds the number of records"), ({"stat_size": N}, "leaves no record")):
        with pytest.raises(ValueError, match=words):
            dpdescent.dp_ambssgd(
                X, Y, step_size=0.2, largest=8.0, levels=5, scale=1.0, rho=1.0, rng=None, arithmetic="exact",
                **{"steps": 8, "stat_size": 60, **given},
            )  # fmt: skip


class Zeros:
    """A generator without noise."""

    def standard_normal(self, shape: tuple[int, ...]) -> Array:
        return np.zeros(shape)


class Silent(engine.Noise):
    def vector(self, value: Array, noise_sd: float) -> Array:
        return np.asarray(value)

    symmetric = vector


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize("errors", ["unequal", "equal"])
def test_a_regression_is_that_of_the_engine(errors: Any) -> None:
    design = np.column_stack([np.ones(N), X])
    plan = engine.Plan(N, 3, 0.1, errors)
    exact = engine.fit(design, Y, plan, ExactNoise())
    twin = engine.fit(design, Y, plan, Silent(np.random.default_rng(1)))
    np.testing.assert_array_equal(exact.gammas, twin.gammas)
    sds = [plan.gradient(step, gamma).noise_sd for step, gamma in enumerate(twin.gammas.tolist())]
    assert np.abs(exact.path[-1] - twin.path[-1]).max() < 0.01 * min(sds)
    np.testing.assert_allclose(exact.covariance, twin.covariance, rtol=1e-3)  # type: ignore[arg-type]
    counts = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(ExactNoise().counts(counts, 3.7), counts)


def test_products_of_records_are_by_single_numbers() -> None:
    """Not those of a library for matrices, whose last bits are others here."""
    rows, matrix = DATA.standard_normal((400, 33)), DATA.standard_normal((33, 33))
    assert np.array_equal(ExactNoise().product(rows, matrix), exact_sums.product(rows, matrix))
    assert not np.array_equal(ExactNoise().product(rows, matrix), rows @ matrix)


class Kept(ExactNoise):
    """Exact noise that keeps what it lets out."""

    def __init__(self) -> None:
        self.outputs: list[Any] = []

    def kept(self, output: Any) -> Any:
        self.outputs.append(output)
        return output

    def counts(self, counted: Array, noise_sd: float) -> Array:
        return self.kept(super().counts(counted, noise_sd))  # type: ignore[no-any-return]

    def mean(self, rows: Array, weights: Array, bound: float, noise_sd: float) -> Array:
        return self.kept(super().mean(rows, weights, bound, noise_sd))  # type: ignore[no-any-return]

    def moment(self, rows: Array, bound: float, noise_sd: float) -> Array:
        return self.kept(super().moment(rows, bound, noise_sd))  # type: ignore[no-any-return]

    def mean_square(self, rows: Array, bound: float, noise_sd: float) -> float:
        return self.kept(super().mean_square(rows, bound, noise_sd))  # type: ignore[no-any-return]


@pytest.mark.parametrize("errors", ["unequal", "equal"])
def test_everything_that_is_released_is_an_exact_sum(errors: Any) -> None:
    """Other records, from which the same values come out of the noise, have the same release."""
    plan = engine.Plan(N, 2, 0.5, errors, finds_units=True)
    noise = Kept()
    one = engine.fit(X, Y, plan, noise)
    other = engine.fit(np.ones((N, 2)), np.arange(float(N)) % 7.0, plan, attacks.Replaying(noise.outputs))
    assert np.array_equal(one.path, other.path)
    assert np.array_equal(one.gammas, other.gammas)
    assert np.array_equal(one.covariance, other.covariance)  # type: ignore[arg-type]
    assert one.clipped != other.clipped


def test_a_record_s_integers_depend_on_no_other_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours from whose noise the same values come out add the same integers, but for the record that differs."""
    seen: list[Array] = []
    original = exact_grid.units_of

    def units(*given: Any) -> Array:
        seen.append(original(*given))
        return seen[-1]

    monkeypatch.setattr(exact_grid, "units_of", units)
    monkeypatch.setattr(exact_grid, "with_noise", lambda totals, *_: np.linspace(N / 3.0, N / 2.0, len(totals)))
    Y_far, X_far, Z_far = Y.copy(), X.copy(), Z.copy()
    Y_far[7], X_far[7], Z_far[7] = 1e9, [1e100, -3.0], 5.0
    for plan in (
        engine.Plan(N, 2, 0.5, "unequal"), engine.Plan(N, 2, 0.5, "equal"), engine.Plan(N, 2, 0.5, span=1.0),
    ):  # fmt: skip
        _compared(seen, [partial(engine.fit, *data, plan, ExactNoise()) for data in ((X, Y), (X_far, Y_far))])
    _compared(
        seen, [partial(exact_descents.linear, *data, 1e-4, 2.0, np.full(5, 0.01)) for data in ((X, Y), (X_far, Y_far))]
    )
    given = (1e-4, 1e-4), (2.0, 2.0), (0.01, 0.01), 5
    both = ((Z, X, Y), (Z_far, X_far, Y_far))
    samples = [IVSample(*data) for data in both]
    stages = dp_iv_engine.Settings(5, 3, 6, 2, 1e-4, 1e-4, 2.0, 2.0, 0.01, 0.01, 0.01, np.eye(3))
    _compared(seen, [partial(exact_descents.instrumental, each, stages) for each in samples])
    first = reduced_form.Settings(5, 3, 1e-4, 2.0, 0.01, 0.01, 1.5, np.eye(3))
    _compared(seen, [partial(exact_descents.first_and_reduced, each, first) for each in samples])
    _compared(seen, [partial(exact_descents.two_stage, *data, *given) for data in both])
    # In one order, and one batch, of which the record that differs is in the gradient.
    monkeypatch.setattr(exact_descents, "secure_generator", lambda: np.random.default_rng(5))
    place = int(np.flatnonzero(np.random.default_rng(5).permutation(N) == 7)[0])
    rest = dp_ambssgd.SGDArm(1e-4, 1.0, dp_ambssgd.Adaptive(Search(8.0, 5, 1.0), 60, 1.0))
    assert place >= 60
    found = []
    for data in ((X, Y), (X_far, Y_far)):
        for steps in (1, 4):
            exact_descents.batched(*data, steps, rest, 0.5)
            found.append(np.concatenate(seen))
            seen.clear()
    assert np.flatnonzero((found[0] != found[2]).any(axis=1)).tolist() == [place - 60]
    assert (found[1] != found[3]).any(axis=1).sum() == 1


def _compared(seen: list[Array], runs: list[Callable[[], Any]]) -> None:
    found = []
    for run in runs:
        run()
        found.append(np.concatenate([each.reshape(N, -1) for each in seen], axis=1))
        seen.clear()
    assert (np.flatnonzero((found[0] != found[1]).any(axis=1)) == [7]).all()
    assert found[0].shape[1] > 9
    assert np.count_nonzero(found[0]) > 0.5 * found[0].size


# The audit


def test_the_audit_finds_what_the_account_says_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of a seed, because a test must end alike each time.
    monkeypatch.setattr(discrete_gaussian, "draw", partial(discrete_gaussian.draw, below=random.Random(5).randrange))
    rho, runs = 2.0, 400
    plan = attacks.plan_of(rho)
    pair = attacks.pair_of(plan)

    def score(own: int) -> float:
        noise = Kept()
        engine.fit(*pair[own], plan, noise)
        squares = []
        for each in (own, 1 - own):
            again = attacks.Replaying(noise.outputs)
            engine.fit(*pair[each], plan, again)
            squares.append(again.square)
        return 0.5 * (squares[1] - squares[0])

    def simulate(count: int, _: np.random.Generator) -> tuple[Array, Array]:
        return np.array([-score(0) for _ in range(count)]), np.array([score(1) for _ in range(count)])

    attack = Attack("the engine's pair, exact noise", simulate, most_runs=runs)
    scores = audit(attack, runs, np.random.default_rng(0))
    assert 0.75 * attacks.mu_of_pair(plan) < scores.mu_low()
    assert scores.mu_low(SURE) <= math.sqrt(2.0 * rho)


@pytest.mark.filterwarnings("ignore::dpdescent.mixing.ConvergenceWarning")
def test_strange_records_do_not_matter_more_than_others() -> None:
    """A record whose gradient overflows counts as none, where the floating-point engine raises or lets NaN out."""
    far = X.copy()
    far[0] = 1e100
    outcomes = Y.copy()
    outcomes[0] = -1e100
    for run in (
        dpdescent.dp_gd(far, outcomes, steps=9, step_size=0.5, clip_norm=1.5, rho=1.0, rng=None, arithmetic="exact"),
        dpdescent.dp_2s_gd(
            far, far, outcomes, steps=9, step_size1=0.5, step_size2=0.5, clip_norm1=1.5, clip_norm2=1.5, rho=1.0,
            rng=None, arithmetic="exact",
        ),
    ):  # fmt: skip
        assert np.abs(run.path).max() < 10.0
