"""DP-IV-GD against a plain loop, its sensitivities, its noise, and intervals from what it releases."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dpdescent
from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms import dp_iv_gd, reduced_form
from dpdescent.algorithms.dp_iv_gd import Descent, Normals, Settings, descend
from dpdescent.algorithms.reduced_form import moment_sensitivity
from dpdescent.algorithms.two_stage_gd import Moments
from dpdescent.data.iv import IVSample

SETTINGS = Settings(9, 4, 14, 3, 0.7, 0.4, 2.0, 2.0, 0.02, 0.03, 0.05, np.array([[1.0, 0.3], [0.3, 1.2]]))


def sample_of(n: int, p: int, rng: np.random.Generator, q: int = 2, strength: float = 1.0) -> IVSample:
    """Instruments of unit variance, regressors that share an error with the outcome, beta = 1."""
    Z, u = rng.standard_normal((n, q)), rng.standard_normal(n)
    X = strength * Z[:, :p] + 0.3 * Z[:, [-1]] + 0.6 * u[:, None] + 0.5 * rng.standard_normal((n, p))
    return IVSample(Z, X, X.sum(1) + u + 0.5 * rng.standard_normal(n))


def clipped(v: np.ndarray, threshold: float) -> np.ndarray:
    size = np.linalg.norm(v)
    return v * min(1.0, threshold / size) if size > 0 else v


def by_hand(sample: IVSample, s: Settings, normals: Normals, run: int) -> Descent:
    """One run, record by record and as the module's docstring says it."""
    n, p, q = sample.n, sample.p, sample.q
    Theta, kept, over = np.zeros((q, p)), [], [0, 0]
    for t in range(s.steps1):
        gradients = [np.outer(z, z @ Theta - x) for z, x in zip(sample.Z, sample.X, strict=True)]
        over[0] += sum(np.linalg.norm(g) > s.gamma1 for g in gradients)
        mean = sum(clipped(g, s.gamma1) for g in gradients) / n
        Theta = Theta - s.eta * (mean + s.lambda1 * normals.stage1[run, t])
        kept.append(Theta)
    held = np.mean(kept[-s.kept1 :], axis=0)
    # The noise in the held mean, by impulses through the linear recursion.
    cov = np.zeros((q, q))
    for t in range(s.steps1):
        moved, iterates = -s.eta * np.eye(q), []
        for _ in range(t, s.steps1):
            iterates.append(moved)
            moved = (np.eye(q) - s.eta * s.second_moment) @ moved
        late = [each for k, each in enumerate(iterates, start=t) if k >= s.steps1 - s.kept1]
        weight = sum(late, np.zeros((q, q))) / s.kept1
        cov += s.lambda1**2 * weight @ weight.T
    added = np.trace(s.second_moment @ cov)
    values, vectors = np.linalg.eigh(held.T @ s.second_moment @ held)
    floors = [0.25 * max(value, 0.05 * values.max(), added) for value in values]
    kept_values = [max(e - added, f) for e, f in zip(values, floors, strict=True)]
    scale = np.sqrt(np.mean(kept_values))
    P = scale * sum(np.outer(v, v) / e for e, v in zip(kept_values, vectors.T, strict=True))
    beta, path = np.zeros(p), []

    def gradients_at(beta: np.ndarray) -> list[np.ndarray]:
        return [(z @ held) / scale * (x @ beta - y) for z, x, y in zip(sample.Z, sample.X, sample.y, strict=True)]

    for t in range(s.steps2):
        found = gradients_at(beta)
        over[1] += sum(np.linalg.norm(g) > s.gamma2 for g in found)
        mean = sum(clipped(g, s.gamma2) for g in found) / n
        beta = beta - s.alpha * P @ (mean + s.lambda2 * normals.stage2[run, t])
        path.append(beta)
    centre = np.mean(path[s.burn_in :], axis=0)
    moment = sum(np.outer(g, g) for g in (clipped(g, s.gamma2) for g in gradients_at(centre))) / n
    for i in range(p):
        for j in range(i + 1):
            noise = s.moment_sd * normals.moment[run, i, j] * (1.0 if i == j else 0.5**0.5)
            moment[i, j] += noise
            if i != j:
                moment[j, i] += noise
    shares = [np.array(count / (n * steps)) for count, steps in zip(over, (s.steps1, s.steps2), strict=True)]
    return Descent(held, scale, P, np.array(path), centre, moment, *shares)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("shared", [True, False])
def test_runs_equal_the_plain_loop(p: int, shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_iv_gd, "BLOCK", 200)
    rng = np.random.default_rng(1)
    samples = [sample_of(40, p, rng) for _ in range(1 if shared else 3)]
    normals = Normals.draw(rng, SETTINGS, 3, p)
    found = descend(samples, SETTINGS, normals)
    assert 0.05 < found.clipped1.mean() < 0.95
    assert 0.05 < found.clipped2.mean() < 0.95
    for run in range(3):
        expected = by_hand(samples[0 if shared else run], SETTINGS, normals, run)
        for name in Descent.__dataclass_fields__:
            value = getattr(found, name)
            one = value[:, run] if name == "path" else value[run]
            np.testing.assert_allclose(one, getattr(expected, name), rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("gamma", [0.4, 2.0, np.inf])
def test_sorted_lines_equal_the_plain_loop(q: int, shared: bool, gamma: float) -> None:
    """One regressor and many records: slopes of both signs, and some of zero, in either stage."""
    rng = np.random.default_rng(8)
    samples = []
    for _ in range(1 if shared else 2):
        one = sample_of(300, 1, rng, q=q)
        zeros = (np.arange(300) % 5 == 0)[:, None]
        samples.append(IVSample(np.where(zeros, 0.0, one.Z), one.X, one.y))
    settings = replace(SETTINGS, gamma1=gamma, gamma2=gamma, second_moment=SETTINGS.second_moment[:q, :q])
    normals = Normals.draw(rng, settings, 2, 1)
    found = descend(samples, settings, normals)
    assert (found.clipped2.min() > 0.05) == (gamma < np.inf)
    for run in range(2):
        expected = by_hand(samples[0 if shared else run], settings, normals, run)
        for name in Descent.__dataclass_fields__:
            value = getattr(found, name)
            one = value[:, run] if name == "path" else value[run]
            np.testing.assert_allclose(one, getattr(expected, name), rtol=1e-11, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("size", [1e10, 1e17, 1e100])
def test_a_planted_record_of_any_size_is_clipped_among_sorted_lines(size: float) -> None:
    """Running sums would leave its rounding in every sum that follows it, and its squares overflow."""
    rng = np.random.default_rng(9)
    one = sample_of(300, 1, rng, q=1)
    first = np.arange(300) == 0
    sample = IVSample(one.Z, np.where(first[:, None], size, one.X), np.where(first, -size, one.y))
    settings = replace(SETTINGS, second_moment=np.eye(1))
    normals = Normals.draw(rng, settings, 1, 1)
    found, expected = descend([sample], settings, normals), by_hand(sample, settings, normals, 0)
    np.testing.assert_allclose(found.Theta[0], expected.Theta, rtol=1e-11)
    np.testing.assert_allclose(found.path[:, 0], expected.path, rtol=1e-11)


def planted(sample: IVSample, rng: np.random.Generator, size: float) -> IVSample:
    """The sample with its first record replaced."""
    Z, X, y = sample.Z.copy(), sample.X.copy(), sample.y.copy()
    Z[0], X[0], y[0] = size * rng.standard_normal(sample.q), size * rng.standard_normal(sample.p), -size
    return IVSample(Z, X, y)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("size", [0.5, 10.0, 1e6])
def test_no_record_moves_a_release_by_more_than_its_sensitivity(p: int, size: float) -> None:
    """Of each release with the earlier ones held: first step of either stage, and the second moment."""
    rng, n = np.random.default_rng(2), 30
    one = sample_of(n, p, rng)
    silent = replace(SETTINGS, lambda1=0.0, lambda2=0.0, moment_sd=0.0)
    step = replace(silent, steps1=1, kept1=1)
    first, second, third = SETTINGS.releases(n, p)
    largest = np.zeros(3)
    for _ in range(20):
        other = planted(one, rng, size)
        runs = [descend([each], step, Normals.draw(rng, step, 1, p)) for each in (one, other)]
        moved = np.linalg.norm(runs[0].Theta - runs[1].Theta) / silent.eta
        Theta, beta = rng.standard_normal((1, 2, p)), rng.standard_normal((1, p))
        both = []
        for each in (one, other):
            W = Theta.swapaxes(1, 2) @ each.Z.T
            equation = dp_iv_gd._Equation(W, each.X.T[None], each.y[None], silent.gamma2)
            kept = equation.residuals(beta)[0]
            both.append((equation.mean(kept), equation.moment(kept)))
        mean, moment = (np.linalg.norm(a - b) for a, b in zip(*both, strict=True))
        largest = np.maximum(largest, [moved, mean, moment])
    assert (largest <= np.array([first.sensitivity, second.sensitivity, third.sensitivity]) * (1 + 1e-9)).all()
    assert (largest > 0.3 * np.array([first.sensitivity, second.sensitivity, third.sensitivity])).all() or size < 10


def test_the_second_moment_s_sensitivity_is_attained() -> None:
    gamma, n = 1.7, 9
    g, h = np.array([gamma, 0.0]), np.array([0.0, gamma])
    moved = np.linalg.norm(np.outer(g, g) - np.outer(h, h)) / n
    assert moved == pytest.approx(moment_sensitivity(gamma, n, 2), rel=1e-12)
    assert moment_sensitivity(gamma, n, 1) == pytest.approx(gamma**2 / n, rel=1e-12)


@pytest.mark.parametrize("given", [{"rng": 1}, {"rng": None, "arithmetic": "exact"}])
@pytest.mark.parametrize("bound", [1e-160, 1e160])
def test_a_second_moment_without_noise_of_ordinary_size_is_not_released(given: dict[str, Any], bound: float) -> None:
    """Squares underflow to a sensitivity of 0, whose noise is 0, while the moment itself is not."""
    Z = bound * np.random.default_rng(5).standard_normal((400, 2))
    with pytest.raises(ValueError, match="the sensitivity of a second moment is beyond double precision at n=400"):
        dpdescent.preconditioned_dp_gd(Z, Z[:, 0], covariate_bound=bound, clip_norm=1.0, rho=1.0, **given)
    with pytest.raises(ValueError, match="take one of ordinary size"):
        dpdescent.dp_iv_gd(Z, Z, Z[:, 0], clip_norm1=1.0, clip_norm2=bound, rho=1.0, **given)


def test_symmetric_noise_has_one_sd_in_every_direction_of_the_symmetric_matrices() -> None:
    noise = reduced_form.symmetric(np.random.default_rng(3).standard_normal((40_000, 3, 3)))
    assert (noise == noise.swapaxes(1, 2)).all()
    direction = np.array([[1.0, 2.0, 0.0], [2.0, -1.0, 0.5], [0.0, 0.5, 0.3]])
    found = (noise * direction).sum((1, 2)) / np.linalg.norm(direction)
    assert found.std() == pytest.approx(1.0, rel=0.02)


def test_without_noise_and_clipping_the_mean_is_that_of_two_stage_least_squares() -> None:
    rng = np.random.default_rng(4)
    sample = sample_of(500, 2, rng)
    moments = Moments.of(sample)
    settings = Settings(200, 1, 300, 200, 0.7, 0.5, np.inf, np.inf, 0.0, 0.0, 0.0, sample.Z.T @ sample.Z / sample.n)
    found = descend([sample], settings, Normals.draw(rng, settings, 1, 2))
    np.testing.assert_allclose(found.beta[0], moments.beta_hat, rtol=1e-9)
    assert found.clipped1 == found.clipped2 == 0.0


def test_noise_in_the_held_first_stage_costs_no_bias() -> None:
    """Whatever Theta is held, the root is the same with one instrument, where it is strong enough to descend."""
    rng = np.random.default_rng(5)
    sample = sample_of(4000, 1, rng, q=1, strength=0.5)
    settings = replace(SETTINGS, second_moment=np.eye(1), gamma1=np.inf, gamma2=np.inf, lambda1=1.0, lambda2=0.0,
                       moment_sd=0.0, steps1=60, kept1=50, steps2=80, burn_in=40)  # fmt: skip
    found = descend([sample], settings, Normals.draw(rng, settings, 300, 1))
    assert found.Theta.std() > 0.1
    np.testing.assert_allclose(found.beta, np.broadcast_to(Moments.of(sample).beta_hat, (300, 1)), rtol=1e-5)


def test_intervals_from_the_releases_cover_the_true_effect() -> None:
    """Of data drawn anew, where neither error nor noise alone would suffice."""
    rng, n, runs = np.random.default_rng(6), 1000, 200
    samples = [sample_of(n, 1, rng, q=1) for _ in range(runs)]
    settings = Settings(60, 50, 220, 20, 0.7, 0.4, 12.0, 12.0, 0.03, 0.08, 0.05, np.eye(1))
    found = descend(samples, settings, Normals.draw(rng, settings, runs, 1))
    assert found.clipped2.mean() < 0.01
    both = intervals.sandwich_intervals(
        found.path, m=10, burn_in=20, alpha=0.4, precondition=found.precondition, moment=found.moment, moment_sd=0.05,
        n=n,
    )  # fmt: skip
    np.testing.assert_allclose(both.centre, found.beta, rtol=1e-12)
    alone = intervals.t_intervals(intervals.batched_means(found.path, 10, 20))
    assert both.covers(1.0).mean() > 0.90
    assert alone.covers(1.0).mean() < 0.85
    sandwich = np.sqrt(both.half_width**2 - alone.half_width**2)
    sd = np.std([Moments.of(sample).beta_hat[0] for sample in samples])
    assert np.median(sandwich) == pytest.approx(1.96 * sd, rel=0.15)


def test_autoregression_is_found_and_noise_in_the_moment_refuses_an_interval() -> None:
    rng, Phi = np.random.default_rng(7), np.array([[0.6, 0.1], [-0.2, 0.5]])
    path = [np.zeros(2)]
    for _ in range(40_000):
        path.append(Phi @ path[-1] + rng.standard_normal(2))
    np.testing.assert_allclose(intervals.autoregression(np.array(path), 10), Phi, atol=0.02)
    found = intervals.sandwich_intervals(
        np.array(path[:101])[:, None], m=10, burn_in=1, alpha=0.5, precondition=np.eye(2)[None],
        moment=np.eye(2)[None], moment_sd=0.21, n=100,
    )  # fmt: skip
    assert np.isnan(found.half_width).all()
    with pytest.raises(ValueError, match="must leave 5 of the N=8 iterates"):
        intervals.autoregression(np.zeros((8, 2)), 4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kept1": 10}, "kept1=10 must be at most steps1=9"),
        ({"burn_in": 14}, "burn_in=14 below steps2=14"),
        ({"alpha": 1.5}, r"alpha=1\.5 must be at most 1"),
        ({"gamma2": 0.0}, "gamma2 must be positive"),
        ({"lambda1": -1.0}, "lambda1 must"),
        ({"second_moment": -np.eye(2)}, "must be symmetric and positive definite"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(SETTINGS, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("p", [1, 2])
def test_counted_records_are_records(p: int) -> None:
    """Rows that stand for several records, one of them for none, against the records one by one."""
    rng = np.random.default_rng(9)
    one, normals = sample_of(20, p, rng), Normals.draw(rng, SETTINGS, 2, p)
    count = np.array([0.0, 3.0, *rng.integers(1, 4, 18)])
    repeated = IVSample(*(np.repeat(each, count.astype(int), axis=0) for each in (one.Z, one.X, one.y)))
    few, many = (descend([each], SETTINGS, normals) for each in (IVSample(one.Z, one.X, one.y, count), repeated))
    assert 0.0 < many.clipped1.max() < 1.0
    assert 0.0 < many.clipped2.max() < 1.0
    for name in ("Theta", "path", "moment", "clipped1", "clipped2"):
        np.testing.assert_allclose(getattr(few, name), getattr(many, name), rtol=1e-9, atol=1e-11)


def test_what_does_not_fit_is_refused() -> None:
    rng = np.random.default_rng(8)
    one, normals = sample_of(20, 1, rng), Normals.draw(rng, SETTINGS, 3, 1)
    for samples, words in (
        ([one, one], "2 data sets for 3 runs"),
        ([one, one, sample_of(21, 1, rng)], "must share n, p, q"),
        ([sample_of(20, 1, rng, q=3)], "3 instruments for 1 regressors"), ([sample_of(20, 2, rng)], "must have shapes"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            descend(samples, SETTINGS, normals)
