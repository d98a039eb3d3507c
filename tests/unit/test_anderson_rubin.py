"""First stage and reduced form against a plain loop, their sensitivities, and Anderson-Rubin sets from them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from dpdescent.algorithms import dp_iv_gd, reduced_form
from dpdescent.algorithms.reduced_form import Normals, Settings, descend, moment_sensitivity
from dpdescent.anderson_rubin import ConfidenceSet, Evidence, anderson_rubin
from dpdescent.data.iv import IVSample

A = np.array([[1.0, 0.3], [0.3, 1.2]])
SETTINGS = Settings(40, 30, 0.6, 9.0, 0.004, 0.01, 2.0, A)


def sample_of(n: int, rng: np.random.Generator, strength: float = 0.5, errors: str = "normal") -> IVSample:
    """Two correlated instruments, a regressor that shares an error with the outcome, beta = 1."""
    Z = rng.standard_normal((n, 2)) @ np.linalg.cholesky(A).T
    v, e = rng.standard_normal((2, n))
    scale = np.sqrt(0.3 + 0.7 * Z[:, 0] ** 2) if errors == "heteroskedastic" else 1.0
    x = strength * Z[:, 0] + v
    return IVSample(Z, x[:, None], x + 0.6 * v + 0.8 * e * scale)


def test_runs_equal_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    samples = [sample_of(25, rng) for _ in range(2)]
    s = replace(SETTINGS, steps=5, kept=3, gamma=1.5)
    normals = Normals.draw(rng, s, 2, 1)
    found = descend(samples, s, normals)
    for run, sample in enumerate(samples):
        both = np.column_stack([sample.X, sample.y / s.unit])
        D, kept, over = np.zeros((2, 2)), [], 0
        for t in range(s.steps):
            total = np.zeros((2, 2))
            for z, row in zip(sample.Z, both, strict=True):
                g = np.outer(z, z @ D - row)
                over += np.linalg.norm(g) > s.gamma
                total += g * min(1.0, s.gamma / np.linalg.norm(g))
            D = D - s.eta * (total / 25 + s.noise_sd * normals.steps[run, t])
            kept.append(D)
        D, M = np.mean(kept[-s.kept :], axis=0), np.zeros((4, 4))
        for z, row in zip(sample.Z, both, strict=True):
            g = np.outer(row - z @ D, z).ravel()
            g = g * min(1.0, s.gamma / np.linalg.norm(g))
            M += np.outer(g, g) / 25
        below = np.tril(normals.moment[run], -1) / math.sqrt(2.0)
        M += s.moment_sd * (below + below.T + np.diag(np.diag(normals.moment[run])))
        np.testing.assert_allclose(found.D[run], D, rtol=1e-12)
        np.testing.assert_allclose(found.moment[run], M, rtol=1e-10, atol=1e-13)
        assert found.clipped[run] == pytest.approx(over / (25 * s.steps))


@pytest.mark.parametrize("size", [1, 2, 6])
def test_no_replaced_record_moves_the_moment_by_more_than_its_sensitivity(size: int) -> None:
    rng, n, gamma, most = np.random.default_rng(2), 7, 1.3, 0.0
    for _ in range(3000):
        g, h = (each * min(1.0, gamma / np.linalg.norm(each)) for each in 4.0 * rng.standard_normal((2, size)))
        most = max(most, float(np.linalg.norm(np.outer(g, g) - np.outer(h, h))) / n)
    # Of one coordinate, a gradient at the threshold and one that is zero; of several, two that are orthogonal.
    extreme = np.outer(*2 * [np.eye(size)[0]]) - (np.outer(*2 * [np.eye(size)[1]]) if size > 1 else 0.0)
    assert gamma**2 * np.linalg.norm(extreme) / n == pytest.approx(moment_sensitivity(gamma, n, size))
    assert most <= moment_sensitivity(gamma, n, size) * (1.0 + 1e-12)


def test_releases_are_those_of_the_run() -> None:
    mean, moment = SETTINGS.releases(50, 1)
    assert (mean.sensitivity, mean.noise_sd, mean.count) == (2.0 * 9.0 / 50, 0.004, 40)
    assert (moment.sensitivity, moment.noise_sd, moment.count) == (math.sqrt(2.0) * 81.0 / 50, 0.01, 1)


def test_noise_in_the_released_mean_has_its_covariance() -> None:
    """Records at the origin have no gradients, so that D is noise."""
    zeros = np.zeros((4, 2))
    s = replace(SETTINGS, second_moment=np.eye(2), noise_sd=1.0)
    rng = np.random.default_rng(3)
    # Without records' curvature noise would walk freely; unit records at the axes restore it.
    Z = math.sqrt(2.0) * np.vstack([np.eye(2), -np.eye(2)])
    out = descend([IVSample(Z, zeros[:, :1], zeros[:, 0])], replace(s, gamma=1e9), Normals.draw(rng, s, 4000, 1))
    np.testing.assert_allclose(np.cov(out.D[:, :, 1].T), s.variance, atol=0.06 * s.variance[0, 0])


def evidence_of(sample: IVSample, s: Settings, rng: np.random.Generator) -> Evidence:
    out = descend([sample], s, Normals.draw(rng, s, 1, 1))
    return Evidence(out.D[0], out.moment[0], s.moment_sd, s.variance, s.second_moment, sample.n, s.unit)


@pytest.mark.parametrize(("strength", "errors"), [(0.5, "heteroskedastic"), (0.04, "normal"), (0.0, "heteroskedastic")])
def test_sets_cover_the_effect_however_weak_the_instruments(strength: float, errors: str) -> None:
    """With noise as large as the error of sampling; weak instruments give sets without ends."""
    rng, n = np.random.default_rng(4), 600
    s = replace(SETTINGS, noise_sd=0.12, moment_sd=0.05)
    found = [anderson_rubin(evidence_of(sample_of(n, rng, strength, errors), s, rng)) for _ in range(200)]
    covered = np.mean([each.covers(1.0) for each in found])
    assert 0.91 <= covered <= 0.995
    endless = np.mean([math.isinf(each.length) for each in found])
    assert endless == 0.0 if strength == 0.5 else endless > 0.3
    if strength == 0.0:
        assert np.mean([each.F for each in found]) == pytest.approx(1.0, abs=0.25)


def test_a_set_has_those_effects_that_its_statistic_accepts() -> None:
    rng = np.random.default_rng(5)
    for strength in (0.5, 0.05, 0.0):
        evidence = evidence_of(sample_of(400, rng, strength), SETTINGS, rng)
        found = anderson_rubin(evidence, 0.9)
        for effect in np.concatenate([rng.uniform(-3, 4, 300), rng.standard_cauchy(300)]):
            d = np.array([[-effect / evidence.unit, 1.0]])
            accepted = evidence.statistic(d / np.linalg.norm(d))[0] <= chi2.ppf(0.9, 2)
            assert found.covers(effect) == accepted


def hand_made(theta: float, gamma: float) -> ConfidenceSet:
    """One instrument, independent residuals, n = 100: accepted where (gamma - theta b)^2 <= 0.0384 (1 + b^2)."""
    return anderson_rubin(Evidence(np.array([[theta, gamma]]), np.eye(2), 0.0, np.zeros((1, 1)), np.eye(1), 100))


def test_sets_of_three_shapes_by_the_quadratic() -> None:
    """And however small the set is, it is found."""
    critical = chi2.ppf(0.95, 1) / 100
    roots = np.sort(np.roots([1.0 - critical, -1.0, 0.25 - critical]))
    (interval,) = hand_made(1.0, 0.5).intervals
    assert interval == pytest.approx(tuple(roots), rel=1e-9)
    below, above = hand_made(0.1, 0.5).intervals
    roots = np.sort(np.roots([0.01 - critical, -0.1, 0.25 - critical]))
    assert (below[0], above[1]) == (-math.inf, math.inf)
    assert (below[1], above[0]) == pytest.approx(tuple(roots), rel=1e-9)
    assert hand_made(0.05, 0.05).intervals == ((-math.inf, math.inf),)
    assert pytest.approx(100.0) == hand_made(1.0, 0.5).F
    small = Evidence(np.array([[1.0, 0.5]]), np.eye(2), 0.0, np.zeros((1, 1)), np.eye(1), 10**12)
    (interval,) = anderson_rubin(small).intervals
    assert interval == pytest.approx((0.5 - 2.19e-6, 0.5 + 2.19e-6), abs=1e-8)


def test_instruments_that_disagree_leave_nothing() -> None:
    """The first one says 0, the second 2."""
    apart = Evidence(np.array([[1.0, 0.0], [1.0, 2.0]]), np.eye(4), 0.0, np.zeros((2, 2)), np.eye(2), 1000)
    assert anderson_rubin(apart).intervals == ()


def test_the_unit_of_the_outcome_changes_nothing_but_the_scale_of_clipping() -> None:
    rng = np.random.default_rng(6)
    sample = sample_of(300, rng)
    s = replace(SETTINGS, gamma=1e6, noise_sd=0.0, moment_sd=0.0)
    one, other = (anderson_rubin(evidence_of(sample, replace(s, unit=unit), rng)) for unit in (1.0, 7.0))
    assert one.intervals[0] == pytest.approx(other.intervals[0], rel=1e-8)
    assert pytest.approx(other.F) == one.F


def test_a_second_stage_may_go_on_from_a_first_one_that_was_released() -> None:
    """Its path is that of DP-IV-GD whose own first stage holds the same Theta."""
    rng = np.random.default_rng(7)
    sample = sample_of(60, rng)
    s = dp_iv_gd.Settings(9, 4, 14, 3, 0.7, 0.4, 2.0, 2.0, 0.02, 0.03, 0.05, A)
    whole = dp_iv_gd.Normals.draw(rng, s, 2, 1)
    first = dp_iv_gd.descend([sample], s, whole)
    rest = dp_iv_gd.Normals(whole.stage1[:, :0], whole.stage2, whole.moment)
    again = dp_iv_gd.descend([sample], s, rest, held=first.Theta)
    np.testing.assert_array_equal(again.path, first.path)
    np.testing.assert_array_equal(again.moment, first.moment)
    with pytest.raises(ValueError, match="and Theta, where held"):
        dp_iv_gd.descend([sample], s, rest, held=first.Theta[:1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kept": 41}, "kept=41 must be at most steps=40"), ({"gamma": math.inf}, "gamma=inf must be finite"),
        ({"unit": 0.0}, "unit must be positive"), ({"noise_sd": -1.0}, "noise_sd must"),
        ({"second_moment": -np.eye(2)}, "must be symmetric and positive definite"),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(SETTINGS, **changes)  # type: ignore[arg-type]


def test_counted_records_are_records() -> None:
    """Rows that stand for several records, one of them for none, against the records one by one."""
    rng = np.random.default_rng(9)
    one, normals = sample_of(20, rng), Normals.draw(rng, replace(SETTINGS, gamma=1.5), 1, 1)
    count = np.array([0.0, 3.0, *rng.integers(1, 4, 18)])
    again = count.astype(int)
    few = descend([IVSample(one.Z, one.X, one.y, count)], replace(SETTINGS, gamma=1.5), normals)
    repeated = IVSample(*(np.repeat(each, again, axis=0) for each in (one.Z, one.X, one.y)))
    many = descend([repeated], replace(SETTINGS, gamma=1.5), normals)
    assert 0.0 < many.clipped[0] < 1.0
    for name in ("D", "moment", "clipped"):
        np.testing.assert_allclose(getattr(few, name), getattr(many, name), rtol=1e-10, atol=1e-12)


def test_what_does_not_fit_is_refused() -> None:
    rng = np.random.default_rng(8)
    normals = Normals.draw(rng, SETTINGS, 2, 1)
    one = sample_of(20, rng)
    for samples, words in (
        ([one] * 3, "3 data sets for 2 runs"),
        ([one, sample_of(21, rng)], "must share n, p, q"),
        ([IVSample(one.Z[:, :1], one.X, one.y)], "do not fit normals"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            descend(samples, SETTINGS, normals)
    with pytest.raises(ValueError, match="for q=2 instruments and one regressor"):
        Evidence(np.zeros((2, 3)), np.eye(4), 0.0, np.eye(2), A, 10)
    with pytest.raises(ValueError, match="level"):
        anderson_rubin(Evidence(np.ones((1, 2)), np.eye(2), 0.0, np.eye(1), np.eye(1), 10), 1.0)
    assert reduced_form.symmetric(np.ones((1, 1, 1))) == 1.0
