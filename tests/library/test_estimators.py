"""Estimators on records of one's own: the engines' bytes, the noise of the account, guarantees, one record's reach."""

import math
from collections.abc import Callable
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from randomgen import ChaCha

import dpdescent
from dpdescent import interval_arithmetic, mixing
from dpdescent.algorithms import dp_ambssgd, dp_ftrl, dp_iv_gd, lambda_cgd, reduced_form, samplers
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.reduced_form_evidence import evidence
from dpdescent.anderson_rubin import anderson_rubin
from dpdescent.commands.two_stage import run as run_two_stage
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample
from dpdescent.estimators.dp_2s_gd import Settings
from dpdescent.estimators.run import Run
from dpdescent.papers.brown2024.arms import Setting, side_by_side
from dpdescent.papers.liang2025 import setting as liang_setting
from dpdescent.papers.liang2025.formulas import StepSizes
from dpdescent.privacy import sampling, zcdp
from dpdescent.privacy.account import account
from dpdescent.privacy.events import GaussianReleases, Mechanism, ShuffledGaussianReleases, SubsampledGaussianReleases
from dpdescent.privacy.participation import tail
from dpdescent.randomness import secure_generator

# Runs that are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::dpdescent.mixing.ConvergenceWarning")

N, D, T, DELTA = 240, 3, 12, 1e-5
KAN = dpdescent.KAN(inputs=2, width=4, splines=dpdescent.CubicSplines(3))

Estimate = Callable[..., Run]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def data() -> tuple[Any, Any]:
    X = rng(5).standard_normal((N, D))
    return X, X @ [1.0, -1.0, 0.5] + rng(6).standard_normal(N)


def gd(**changes: Any) -> Run:
    X, y = data()
    given = {"X": X, "y": y, "rho": 0.5, "steps": T, "step_size": 0.25, "clip_norm": 2.0, "rng": rng(), **changes}
    return dpdescent.dp_gd(**given)


def two_stage(**changes: Any) -> Run:
    X, y = data()
    given = {
        "Z": X[:, :2], "X": X[:, 2:] + X[:, :1], "y": y, "rho": 0.5, "steps": T, "step_size1": 0.5,
        "step_size2": 0.4, "clip_norm1": 2.0, "clip_norm2": 3.0, "rng": rng(), **changes,
    }  # fmt: skip
    return dpdescent.dp_2s_gd(**given)


def iv_gd(**changes: Any) -> Run:
    X, y = data()
    given = {
        "Z": X[:, :2], "X": X[:, 2:] + X[:, :1], "y": y, "rho": 0.5, "steps1": 15, "tail1": 10, "steps2": 44,
        "burn_in": 4, "clip_norm1": 2.0, "clip_norm2": 3.0, "rng": rng(), **changes,
    }  # fmt: skip
    return dpdescent.dp_iv_gd(**given)


def ftrl(**changes: Any) -> Run:
    X, y = data()
    given = {"X": X, "y": y, "rho": 0.5, "strategy": dpdescent.nu_family(0.1), "step_size": 0.05,
             "clip_norm": 1.5, "rng": rng(), **changes}  # fmt: skip
    return dpdescent.dp_ftrl(**given)


def ambssgd(**changes: Any) -> Run:
    X, y = data()
    given = {"X": X, "y": y, "rho": 0.5, "steps": 6, "step_size": 0.2, "largest": 8.0, "levels": 5, "stat_size": 12,
             "scale": 1.5, "rng": rng(), **changes}  # fmt: skip
    return dpdescent.dp_ambssgd(**given)


def kan(**changes: Any) -> Run:
    X, y = data()
    given = {
        "X": np.clip(X[:, :2] / 3.0, -1.0, 1.0), "y": np.where(y > 0.0, 1.0, -1.0), "kan": KAN, "steps": T,
        "batch_size": 20, "step_size": 1.0, "clip_norm": 0.2, "epsilon": 2.0, "delta": DELTA, "correlation": 0.3,
        "rng": rng(), **changes,
    }  # fmt: skip
    return dpdescent.dp_kan(**given)


ALL = [gd, two_stage, iv_gd, ftrl, ambssgd, kan]
NORMALS = {
    gd: (T, D), two_stage: (T, 1 * 2 + 1), iv_gd: ((15, 2, 1), (44, 1), (1, 1)),
    ftrl: (N, D), ambssgd: ((6, D), (6, 5)), kan: (T, 4, 12),
}  # fmt: skip


def normals(estimate: Estimate, seed: int = 3) -> Any:
    shape: Any = NORMALS[estimate]
    one = rng(seed)
    return (
        tuple(one.standard_normal(each) for each in shape)
        if estimate in (ambssgd, iv_gd)
        else one.standard_normal(shape)
    )


def same(one: Any, other: Any) -> None:
    assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_dp_gd_has_the_bytes_of_the_paper_s_arm() -> None:
    X, y = data()
    noise = normals(gd)
    setting = Setting(N, D, T, 0.5, 0.25, 2.0)
    path = side_by_side(LinearSample(X, y), [setting], noise)
    found = gd(normals=noise)
    same(found.estimate, path.theta[0, 0])
    same(found.path[-1], path.theta[0, 0])
    assert found.clipped == path.clipped[0, 0] > 0.0
    assert found.event.releases == setting.mechanism().releases


def test_dp_2s_gd_has_the_bytes_of_the_paper_s_arm() -> None:
    X, y = data()
    noise = normals(two_stage)
    arm = liang_setting.Arm("DP-2S-GD", T, 0.25, 0.25, StepSizes(0.5, 0.4), 2.0, "exact")
    split = liang_setting.dp_2s_gd.Normals(noise[:, :2].reshape(T, 1, 1, 2), noise[:, 2:].reshape(T, 1, 1))
    sample = IVSample(np.ascontiguousarray(X[:, :2]), X[:, 2:] + X[:, :1], y)
    path = liang_setting.dp_2s_gd.descend(sample, liang_setting.columns([arm], N), split, record=True)
    found = two_stage(normals=noise, clip_norm2=2.0)
    assert path.beta_path is not None
    assert path.Theta_path is not None
    same(found.estimate, path.beta[0])
    same(found.path, path.beta_path[1:, 0])
    same(found.also["Theta_path"], path.Theta_path[1:, 0])
    assert found.event.releases == liang_setting.mechanism(arm, N).releases


def test_bytes_do_not_depend_on_the_order_of_memory() -> None:
    X, y = data()
    same(gd(X=np.asfortranarray(X)).path, gd(X=X.tolist(), y=y.tolist()).path)


def test_dp_iv_gd_has_the_engine_s_bytes_and_the_intervals_of_its_path() -> None:
    X, y = data()
    noise = normals(iv_gd)
    with pytest.warns(dpdescent.ConvergenceWarning, match="a batch of 4 iterates cannot have 6 correlation times"):
        found = iv_gd(normals=normals(iv_gd))
    first, second, third = found.event.releases
    sds = [getattr(each, "noise_sd") for each in (first, second, third)]  # noqa: B009
    settings = dp_iv_gd.Settings(15, 10, 44, 4, 0.9, 0.5, 2.0, 3.0, *sds, np.eye(2))
    sample = IVSample(np.ascontiguousarray(X[:, :2]), X[:, 2:] + X[:, :1], y)
    out = dp_iv_gd.descend([sample], settings, dp_iv_gd.Normals(*(each[None] for each in noise)))
    same(found.path, out.path[:, 0])
    same(found.estimate, out.beta[0])
    assert [getattr(each, "rho") for each in (first, second, third)] == pytest.approx([0.225, 0.225, 0.05])  # noqa: B009
    alone = interval_arithmetic.t_intervals(interval_arithmetic.batched_means(found.path, 10, 4))
    half = found.also["half_width"]
    assert np.isnan(half).all() or (half > alone.half_width).all()
    same(found.also["mixing"], mixing.correlation_times(found.path, 10, 4))


def test_dp_iv_gd_may_tell_an_anderson_rubin_set_from_its_first_stage() -> None:
    """Its releases are those of both engines, and cost the budget together; the set is that of the module."""
    X, y = data()
    found = iv_gd(outcome_unit=2.0, rho=50.0, second_moment=np.eye(2))
    assert [getattr(each, "rho") for each in found.event.releases] == pytest.approx([20.0, 10.0, 15.0, 5.0])  # noqa: B009
    mean, moment = found.event.releases[:2]
    assert isinstance(mean, GaussianReleases)
    assert isinstance(moment, GaussianReleases)
    given = reduced_form.Settings(
        15,
        10,
        0.9,
        2.0,
        mean.noise_sd,
        moment.noise_sd,
        2.0,
        np.eye(2),
    )
    sample = IVSample(np.ascontiguousarray(X[:, :2]), X[:, 2:] + X[:, :1], y)
    out = reduced_form.descend([sample], given, reduced_form.Normals.draw(rng(), given, 1, 1))
    same(found.also["Theta"], out.D[0, :, :1])
    same(found.also["reduced_form"], 2.0 * out.D[0, :, 1])
    expected = anderson_rubin(evidence(out, 0, given, N))
    assert found.also["anderson_rubin"].tolist() == [list(pair) for pair in expected.intervals]
    assert float(found.also["F"]) == expected.F
    assert 0.0 <= found.clipped <= 1.0


@pytest.mark.parametrize("unit", [None, 2.0])
def test_dp_iv_gd_may_whiten_instruments_by_a_second_moment_that_it_pays_for(unit: float | None) -> None:
    """The run is that on whitened instruments with what is left, and coefficients are told of the instruments given."""
    X = data()[0]
    found = iv_gd(outcome_unit=unit, rho=50.0, instrument_bound=1.5)
    release, *rest = found.event.releases
    assert isinstance(release, GaussianReleases)
    assert release.what == "second moment of clipped instruments"
    assert release.sensitivity == pytest.approx(math.sqrt(2.0) * 1.5**2 / N)
    assert (release.rho, sum(getattr(each, "rho") for each in rest)) == pytest.approx((2.5, 47.5))  # noqa: B009
    assert "moves by sqrt(2) B^2 / n" in found.event.reason
    drawn = rng()
    Z = X[:, :2] * np.minimum(1.0, 1.5 / np.linalg.norm(X[:, :2], axis=1))[:, None]
    below = np.tril(drawn.standard_normal((2, 2)))
    noise = np.diag(np.diag(below)) + (np.tril(below, -1) + np.tril(below, -1).T) / math.sqrt(2.0)
    values, vectors = np.linalg.eigh(Z.T @ Z / N + release.noise_sd * noise)
    assert values.min() > 2.0 * math.sqrt(2.0) * release.noise_sd
    W = (vectors / np.sqrt(values)) @ vectors.T
    again = iv_gd(Z=Z @ W, outcome_unit=unit, rho=47.5, second_moment=np.eye(2), rng=drawn)
    np.testing.assert_allclose(found.path, again.path, rtol=1e-9)
    np.testing.assert_allclose(found.also["Theta"], W @ again.also["Theta"], rtol=1e-9)
    if unit is not None:
        np.testing.assert_allclose(found.also["reduced_form"], W @ again.also["reduced_form"], rtol=1e-9)
        np.testing.assert_allclose(found.also["anderson_rubin"], again.also["anderson_rubin"], rtol=1e-6)


@pytest.mark.parametrize("scale", [0.5, 1.0, 20.0])
def test_sets_of_dp_iv_gd_cover_whatever_the_scale_of_the_instruments(scale: float) -> None:
    """Two instruments that correlate, and a bound that shortens some of them."""
    drawn, n, covered, bounded = np.random.default_rng(21), 500, [], []
    for _ in range(200):
        Z = scale * drawn.standard_normal((n, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
        v, e = drawn.standard_normal((2, n))
        x = 0.3 / scale * Z.sum(1) + v
        run = dpdescent.dp_iv_gd(
            Z, x[:, None], x + 0.5 * v + e, rho=4.0, clip_norm1=8.0, clip_norm2=6.0, outcome_unit=1.8,
            steps2=40, instrument_bound=2.5 * scale, rng=drawn,
        )  # fmt: skip
        found = run.also["anderson_rubin"]
        covered.append(any(low <= 1.0 <= high for low, high in found))
        bounded.append(np.isfinite(found).all())
    assert np.mean(covered) >= 0.92
    assert np.mean(bounded) >= 0.9


def test_dp_2s_gd_has_the_bytes_of_the_command() -> None:
    X, y = data()
    settings = Settings(0.25, 0.25, 2.0, 3.0, 0.5, 0.4, T)
    outcome = run_two_stage(IVSample(X[:, :2], X[:, 2:] + X[:, :1], y), settings, rng(9), "all")
    found = two_stage(rng=rng(9))
    same(found.estimate, outcome.beta)
    same(found.path, outcome.paths["beta_path"][1:])


@pytest.mark.parametrize("tail_steps", [0, 50])
@pytest.mark.parametrize("strategy", [dpdescent.nu_family(0.1), dpdescent.tree_aggregation()], ids=lambda s: s.name)
def test_dp_ftrl_has_the_engine_s_bytes(strategy: Any, tail_steps: int) -> None:
    X, y = data()
    noise = rng(3).standard_normal((strategy.noises(N), D))
    sd = zcdp.gaussian_noise_sd(math.sqrt(strategy.sensitivity_squared(N)) * 3.0, 0.5)
    arms = dp_ftrl.FTRLArms(np.array([0.05]), np.array([1.5]), np.array([sd]))
    out = dp_ftrl.single_pass(
        X, y[:, None], arms, np.zeros(D), strategy.correlate(noise)[:, None, None], tail=tail_steps
    )
    found = ftrl(normals=noise, strategy=strategy, tail=tail_steps)
    same(found.estimate, (out.average if tail_steps else out.theta)[0, 0])
    same(found.path[-1], out.theta[0, 0])
    assert found.path.shape == (N, D)
    assert out.path is None
    if tail_steps:
        np.testing.assert_allclose(found.path[-tail_steps:].mean(0), found.estimate, rtol=1e-12)


def test_dp_ambssgd_has_the_engine_s_bytes() -> None:
    X, y = data()
    gradient, counts = normals(ambssgd)
    search = dp_ambssgd.Adaptive(search_of_rho_half(), 12, 1.5)
    batches = dp_ambssgd.batches_of(X, y[:, None], 6, rng(1))
    noise = dp_ambssgd.Normals(gradient[:, None], counts[:, None])
    out = dp_ambssgd.descend(batches, [dp_ambssgd.SGDArm(0.2, 1.0, search)], noise)
    found = ambssgd(normals=(gradient, counts))
    same(found.estimate, out.average[0])
    same(found.path, out.path[1:, 0])
    same(found.also["thresholds"], out.thresholds[:, 0])


def search_of_rho_half() -> Any:
    """The search at rho = 1/2, where alpha is 1."""
    return Search(8.0, 5, 1.0)


@pytest.mark.parametrize("sampler", ["fixed size", "Poisson", "fixed order"])
def test_dp_kan_has_the_engine_s_bytes(sampler: str) -> None:
    X, y = data()
    x, labels = np.clip(X[:, :2] / 3.0, -1.0, 1.0), np.where(y > 0.0, 1.0, -1.0)
    found = kan(sampler=sampler, keep_path=True, normals=normals(kan))
    drawn = rng(1)
    W, c = KAN.initial(drawn)
    if sampler == "fixed order":
        batches = samplers.fixed_order(N, 20, drawn)
    else:
        draw = samplers.fixed_size(N, 20, T, drawn) if sampler == "fixed size" else None
        batches = list(draw) if draw is not None else samplers.poisson(N, 20 / N, T, drawn)
    (released,) = found.event.releases
    kappa = getattr(released, "noise_sd") / 0.2  # noqa: B009
    arms = lambda_cgd.CGDArms(*(np.array([v]) for v in (1.0, 0.2, kappa, 0.3, math.inf)))
    problem = lambda_cgd.KANProblem(KAN, KAN.features(x)[None], labels[None], W[None], KAN.heads(c[None]))
    steps = [rows[None] for rows in islice([*batches, *batches], T)] + [np.arange(20)[None]]
    # A generator in place of the array: equal draws, whatever the blocks.
    out = lambda_cgd.run(problem, arms, steps, [rng(3)], steps=T + 1, batch_size=20)
    same(found.estimate, out.final[0, 0])
    same(found.path[-1], out.final[0, 0])
    same(found.also["head"], c)
    assert found.path.shape == (T, 4, 12)
    assert found.clipped == pytest.approx(out.clipped[:T].mean(), rel=1e-14)


@pytest.mark.parametrize("estimate", ALL)
def test_a_generator_draws_what_its_normals_would_be(estimate: Estimate) -> None:
    """Equal seeds give equal bytes, and other noise others."""
    one, two, other = estimate(rng=rng(1)), estimate(rng=rng(1)), estimate(rng=rng(2))
    same(one.estimate, two.estimate)
    same(one.path, two.path)
    assert (one.estimate != other.estimate).all()
    if estimate is gd:
        same(one.estimate, gd(normals=rng(1).standard_normal((T, D))).estimate)


@pytest.mark.parametrize("estimate", ALL)
def test_only_secret_noise_has_a_guarantee(estimate: Estimate) -> None:
    secret = estimate(rng=secure_generator()).event
    assert secret.guarantee == "proved"
    for weak in (rng(), np.random.Generator(np.random.Philox(3)), np.random.Generator(ChaCha(key=3, rounds=20))):
        event = estimate(rng=weak).event
        assert event.guarantee == "none"
        assert type(weak.bit_generator).__name__ in event.reason
        assert secret.reason in event.reason
        assert event.releases == secret.releases
    handed = estimate(rng=secure_generator(), normals=normals(estimate)).event
    assert handed.guarantee == "none"
    assert "handed over" in handed.reason


def test_dp_gd_divides_its_budget_as_it_is_told() -> None:
    parts = dpdescent.schedule.shares(dpdescent.schedule.weights_in_last(0.25, np.ones(D), T))
    run, noise = gd(shares=parts, normals=normals(gd)), normals(gd)
    assert [getattr(each, "rho", None) for each in run.event.releases] == pytest.approx((0.5 * parts).tolist())
    assert account(run.event, DELTA).rho == pytest.approx(0.5, rel=1e-12)
    silent = gd(shares=parts, normals=np.zeros((T, D)))
    first = 0.25 * run.event.releases[0].noise_sd * noise[0]  # type: ignore[union-attr]
    np.testing.assert_allclose(run.path[0] - silent.path[0], first, rtol=1e-9)
    np.testing.assert_allclose(gd(shares=np.full(T, 1 / T), normals=noise).path, gd(normals=noise).path, rtol=1e-12)


@pytest.mark.parametrize("estimate", [gd, two_stage, iv_gd, ftrl, ambssgd])
@pytest.mark.parametrize("epsilon", [0.3, 4.0])
def test_budget_is_spent_exactly(estimate: Estimate, epsilon: float) -> None:
    found = account(estimate(rho=None, epsilon=epsilon, delta=DELTA).event, DELTA)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-7)
    assert found.rho is not None
    assert found.mu == pytest.approx(math.sqrt(2.0 * found.rho), rel=1e-12)
    direct = account(estimate(rho=0.7).event, DELTA)
    assert direct.rho == pytest.approx(0.7, rel=1e-12)
    assert direct.epsilon == pytest.approx(dpdescent.tight_epsilon(0.7, DELTA), rel=1e-9)


# To calibrate the amplified one takes ten seconds.
KINDS = [
    pytest.param(*kind, marks=pytest.mark.slow if kind == ("Poisson", "zero-out", 0.0) else [])
    for kind in product(("fixed size", "Poisson", "fixed order"), ("replace-one", "zero-out"), (0.0, 0.4))
]


@pytest.mark.parametrize(("sampler", "relation", "correlation"), KINDS)
def test_kan_spends_its_epsilon_by_the_accountant_of_its_event(sampler: str, relation: str, correlation: float) -> None:
    run = kan(sampler=sampler, relation=relation, correlation=correlation)
    found = account(run.event, DELTA)
    assert (found.sampler, found.relation) == (sampler, relation)
    assert found.epsilon == pytest.approx(2.0, rel=1e-4)
    assert found.epsilon <= 2.0 * (1 + 1e-9)
    assert (found.rho is None) is (found.mu is None) is (sampler != "fixed order")
    (released,) = run.event.releases
    assert getattr(released, "count", 1) == (1 if sampler == "fixed order" else T)


def test_kan_on_poisson_samples_is_amplified(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, ...]] = []
    monkeypatch.setattr(sampling, "noise_multiplier", lambda *args: asked.append(args) or 1.25)
    run = kan(sampler="Poisson", relation="zero-out", correlation=0.0)
    assert asked == [(2.0, 20 / N, T, DELTA)]
    assert run.event.releases == (SubsampledGaussianReleases("sums of clipped gradients", 0.2, 0.25, 20 / N, T),)
    assert account(run.event, DELTA).epsilon == pytest.approx(sampling.epsilon(1.25, 20 / N, T, DELTA), rel=1e-9)


def test_kan_s_noise_is_that_of_the_mean_over_participations() -> None:
    (released,) = kan().event.releases
    kappa = tail.multiplier(2.0, DELTA, T, 20 / N, 0.3, sensitivity=2.0, rule="mixture")
    assert getattr(released, "noise_sd") == pytest.approx(0.2 * kappa, rel=1e-12)  # noqa: B009
    assert getattr(released, "sensitivity") == pytest.approx(0.4, rel=1e-15)  # noqa: B009


def test_kan_in_fixed_order_takes_rho() -> None:
    assert account(kan(sampler="fixed order", rho=0.3, epsilon=None, delta=None).event, DELTA).rho == pytest.approx(0.3)


@pytest.mark.parametrize("size", [1e3, 1e120, 1.7e308])
def test_no_record_moves_a_step_by_more_than_the_sensitivity(size: float) -> None:
    """Also one whose squares overflow: it is cut, not turned into NaN. The noise is the same on both sides."""
    X, y = data()
    X_new, y_new = X.copy(), y.copy()
    X_new[0], y_new[0] = [size, -size, size], size
    moved = np.linalg.norm(gd(X=X_new, y=y_new).path[0] - gd().path[0])
    assert 0.0 < moved <= 0.25 * 2 * 2.0 / N * (1 + 1e-9)
    first = np.linalg.norm(ftrl(X=X_new, y=y_new).path[0] - ftrl().path[0])
    assert 0.0 < first <= 0.05 * 2 * 1.5 * (1 + 1e-9)
    thresholds = ambssgd(X=X_new, y=y_new).also["thresholds"], ambssgd().also["thresholds"]
    place = int(np.flatnonzero(rng(1).permutation(N) == 0)[0])
    step = place // (N // 6)
    paths = ambssgd(X=X_new, y=y_new).path, ambssgd().path
    same(paths[0][:step], paths[1][:step])
    if place % (N // 6) >= 12:
        zeta, b = thresholds[0][step], N // 6 - 12
        assert thresholds[0][step] == thresholds[1][step]
        assert 0.0 < np.linalg.norm(paths[0][step] - paths[1][step]) <= 0.2 * 2 * zeta / b * (1 + 1e-9)
    both = two_stage(Z=X_new[:, :2], X=X_new[:, 2:], y=y_new), two_stage(Z=X[:, :2], X=X[:, 2:], y=y)
    assert np.linalg.norm(both[0].also["Theta_path"][0] - both[1].also["Theta_path"][0]) <= 0.5 * 4.0 / N * (1 + 1e-9)


def test_noise_in_the_first_step_has_the_sd_of_the_event() -> None:
    zeros = {"X": np.zeros((N, D)), "y": np.zeros(N)}
    for estimate, scale, count in ((gd, 0.25, 300), (ftrl, 0.05, 100)):
        one = rng(4)
        runs = [estimate(**zeros, rng=one) for _ in range(count)]
        (released,) = runs[0].event.releases
        assert isinstance(released, GaussianReleases)
        first = np.array([run.path[0] for run in runs]) / scale
        assert first.std() == pytest.approx(released.noise_sd, rel=0.15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gd(rho=None), "give rho alone, or epsilon and delta"),
        (lambda: gd(shares=np.ones(T)), r"of sum 1 and not 12\.0"),
        (lambda: gd(shares=np.eye(T)[0]), "must be positive, of sum 1"),
        (lambda: gd(shares=[1.0]), r"shares of shape \(1,\) must have shape \(12,\)"),
        (lambda: iv_gd(shares=(0.5, 0.5, 0.5)), r"of sum 1 and not 1\.5"),
        (lambda: iv_gd(clip_norm2=math.inf), "clip_norm2 must be positive and finite, got inf"),
        (lambda: iv_gd(outcome_unit=0.0, instrument_bound=2.0), "unit must be positive"),
        (
            lambda: iv_gd(outcome_unit=1.0, instrument_bound=2.0, shares=(0.5, 0.4, 0.1)),
            r"shape \(3,\) must have shape \(4,\)",
        ),
        (
            lambda: iv_gd(outcome_unit=1.0, second_moment=np.eye(2), normals=normals(iv_gd)),
            "by runs without outcome_unit only",
        ),
        (lambda: iv_gd(outcome_unit=1.0, instrument_bound=2.0, X=np.ones((N, 2))), "but there are p=2 regressors"),
        (lambda: iv_gd(outcome_unit=1.0), "give second_moment if that is public, or instrument_bound"),
        (lambda: iv_gd(instrument_bound=2.0, second_moment=np.eye(2)), "by which it is released, not both"),
        (lambda: iv_gd(instrument_bound=2.0, normals=normals(iv_gd)), "by runs without instrument_bound only"),
        (lambda: iv_gd(instrument_bound=-1.0), "bound must be positive"),
        (lambda: iv_gd(instrument_bound=math.inf), "instrument_bound=inf must be finite"),
        (lambda: iv_gd(X=np.ones((N, 3))), "2 instruments for 3 regressors"),
        (lambda: iv_gd(steps2=45), r"45 - 4 = 41 must be a positive multiple of m=10"),
        (lambda: iv_gd(second_moment=np.eye(3)), r"second_moment of shape \(3, 3\) must have shape \(2, 2\)"),
        (lambda: iv_gd(normals=(np.ones(1),) * 3), r"normals\[0\] of shape \(1,\)"),
        (lambda: iv_gd(level=1.0), "level must lie strictly between"),
        (lambda: gd(epsilon=1.0), "give rho alone"),
        (lambda: gd(rho=None, epsilon=1.0), "give rho alone, or epsilon and delta"),
        (lambda: gd(rho=0.0), r"rho must be positive, got 0\.0"),
        (lambda: gd(rho=math.inf), "rho=inf must be finite"),
        (lambda: gd(rho=None, epsilon=math.inf, delta=DELTA), "epsilon=inf must be finite"),
        (lambda: gd(rho=None, epsilon=-1.0, delta=DELTA), r"epsilon must be positive, got -1\.0"),
        (lambda: gd(rho=None, epsilon=1.0, delta=0.1), "delta=0.1 must be below 1/n = 0.00417"),
        (lambda: gd(rho=None, epsilon=1.0, delta=0.0), r"delta=0\.0"),
        (lambda: gd(steps=0), "steps must be positive, got 0"),
        (lambda: gd(clip_norm=-1.0), r"clip_norm must be positive and finite, got -1\.0"),
        (lambda: gd(clip_norm=math.inf), "clip_norm must be positive and finite, got inf"),
        (lambda: two_stage(step_size1=1e200, step_size2=1e200), "iterates overflow"),
        (lambda: gd(X=np.ones(N)), r"X of shape \(240,\) must have 2 axes"),
        (lambda: gd(y=np.ones(N - 1)), r"X \(240, 3\), y \(239,\) must have one number of records"),
        (lambda: gd(y=np.full(N, np.nan)), "y has 240 values that are not finite"),
        (lambda: gd(X=np.empty((0, 3)), y=np.empty(0)), "X of shape"),
        (lambda: gd(normals=np.ones((T, 1))), r"normals of shape \(12, 1\) must have shape \(12, 3\)"),
        (lambda: two_stage(first_share=1.0), "first_share must lie strictly between"),
        (lambda: two_stage(X=np.ones((N, 3))), "2 instruments cannot identify 3 effects"),
        (lambda: two_stage(clip_norm1=math.inf), "clip_norm1=inf must be positive and finite"),
        (lambda: two_stage(normals=np.ones((T, 2))), r"must have shape \(12, 3\)"),
        (lambda: ftrl(relation="add-remove"), "relation='add-remove' must be one of replace-one, zero-out"),
        (lambda: ftrl(clip_norm=math.inf), "clip_norm must be positive and finite"),
        (lambda: ftrl(tail=N + 1), "tail=241 must lie between 0 and T=240"),
        (lambda: ftrl(start=np.ones(2)), r"start of shape \(2,\) must have shape \(3,\)"),
        (lambda: ambssgd(steps=N + 1), "exceeds the number of records"),
        (lambda: ambssgd(stat_size=40), "leaves no record"),
        (lambda: ambssgd(normals=(np.ones((6, 3)), np.ones((6, 4)))), r"normals\[1\] of shape \(6, 4\)"),
        (lambda: kan(rho=1.0), "sampler='fixed size' needs epsilon and delta"),
        (lambda: kan(epsilon=None), "sampler='fixed size' needs epsilon and delta"),
        (lambda: kan(sampler="shuffled"), "sampler='shuffled' must be one of"),
        (lambda: kan(relation="add-remove"), "relation='add-remove' must be one of"),
        (lambda: kan(batch_size=N + 1, sampler="fixed order"), "batch_size=241 must not exceed the 240 records"),
        (lambda: kan(batch_size=7, sampler="fixed order"), "batch_size=7 must divide"),
        (lambda: kan(X=np.full((N, 2), 2.0)), r"X has 480 values outside \[-1, 1\]"),
        (lambda: kan(y=np.zeros(N)), "y has 240 labels that are neither -1 nor 1"),
        (lambda: kan(clip_norm=math.inf), "clip_norm must be positive and finite"),
        (lambda: kan(step_size=math.inf), "step_size must be positive and finite"),
        (lambda: kan(correlation=1.0), r"correlation=1\.0 must lie in \[0, 1\)"),
        (lambda: ambssgd(step_size=math.inf), "step_size must be positive and finite"),
        (lambda: ambssgd(tail_share=1.5), r"tail_share=1\.5 must not exceed 1"),
        (lambda: iv_gd(step_size1=0.0), "step_size1 must be positive and finite"),
        (lambda: iv_gd(step_size2=1.5), r"step_size2=1\.5 at most 1"),
        (lambda: iv_gd(tail1=16), "tail1=16 must be at most steps1=15"),
        (lambda: kan(start=(np.ones((4, 1)), np.ones((4, 6)))), r"start\[0\] of shape \(4, 1\)"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], Run], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_account_of_events_that_no_estimator_makes() -> None:
    nothing = Mechanism("OLS", (), "replace-one", "full batch", math.inf, "none", "no noise")
    found = account(nothing, DELTA)
    assert (found.rho, found.epsilon, found.guarantee, found.reason) == (math.inf, math.inf, "none", "no noise")
    shuffled = ShuffledGaussianReleases("gradient", 1.0, 2.0, 10_000)
    event = Mechanism("DP-SSGD", (shuffled,), "replace-one", "shuffled single pass", math.inf, "proved", "")
    assert account(event, DELTA).rho is None
    assert 0.0 < account(event, DELTA).epsilon < dpdescent.tight_epsilon(1.0 / 8.0, DELTA)
    with pytest.raises(ValueError, match=r"delta=0\.0"):
        account(nothing, 0.0)


def test_results_are_frozen() -> None:
    run = gd()
    with pytest.raises(AttributeError):
        run.clipped = 0.0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        account(run.event, DELTA).epsilon = 0.0  # type: ignore[misc]
