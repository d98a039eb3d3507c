"""First stage and reduced form against a plain loop, their sensitivities, and Anderson-Rubin sets from them."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2, f

from dpdescent.algorithms import dp_iv_gd, reduced_form
from dpdescent.algorithms.reduced_form import Normals, Settings, descend, moment_sensitivity
from dpdescent.algorithms.reduced_form_evidence import evidence, freedom, slope
from dpdescent.anderson_rubin import ConfidenceSet, Evidence, anderson_rubin
from dpdescent.data.iv import IVSample

Array = np.ndarray

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
    np.testing.assert_allclose(np.cov(out.D[:, :, 1].T), s.variance(np.eye(2)), atol=0.06 * s.variance(np.eye(2))[0, 0])


def evidence_of(sample: IVSample, s: Settings, rng: np.random.Generator) -> Evidence:
    return evidence(descend([sample], s, Normals.draw(rng, s, 1, 1)), 0, s, sample.n)


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
        told = evidence_of(sample_of(400, rng, strength), SETTINGS, rng)
        found, critical = anderson_rubin(told, 0.9), 2.0 * f.ppf(0.9, 2, told.freedom)
        for effect in np.concatenate([rng.uniform(-3, 4, 300), rng.standard_cauchy(300)]):
            d = np.array([[-effect / told.unit, 1.0]])
            accepted = told.statistic(d / np.linalg.norm(d))[0] <= critical
            assert found.covers(effect) == accepted


def hand_made(theta: float, gamma: float) -> ConfidenceSet:
    """One instrument, independent residuals, n = 100: accepted where (gamma - theta b)^2 <= 0.0384 (1 + b^2)."""
    return anderson_rubin(Evidence(np.array([[theta, gamma]]), np.eye(2), 0.0, np.zeros((2, 2)), np.eye(2), 100))


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
    small = Evidence(np.array([[1.0, 0.5]]), np.eye(2), 0.0, np.zeros((2, 2)), np.eye(2), 10**12)
    (interval,) = anderson_rubin(small).intervals
    assert interval == pytest.approx((0.5 - 2.19e-6, 0.5 + 2.19e-6), abs=1e-8)


@pytest.mark.parametrize("effect", [300.0, -5000.0, 1e6])
def test_a_small_set_is_found_however_large_the_effect(effect: float) -> None:
    """Also between the last angle of the half turn and the first one."""
    n = 10**9
    told = Evidence(np.array([[1.0, effect]]) / effect, np.eye(2), 0.0, np.zeros((2, 2)), np.eye(2), n)
    assert told.statistic(np.array([[-effect, 1.0]]) / math.hypot(effect, 1.0))[0] == pytest.approx(0.0, abs=1e-12)
    found, critical = anderson_rubin(told), chi2.ppf(0.95, 1) / n
    roots = np.sort(np.roots([1.0 / effect**2 - critical, -2.0 / effect, 1.0 - critical]))
    if critical < 1.0 / effect**2:
        assert found.intervals == (pytest.approx(tuple(roots), rel=1e-6),)
    else:
        assert next(low for low, _ in found.intervals) == -math.inf
        assert [high for _, high in found.intervals][-1] == math.inf
        assert found.covers(effect)


CLIPPED = Settings(120, 100, 0.9, 1.0, 0.02, 0.001, math.sqrt(3.0), np.eye(1))


class Cell(NamedTuple):
    """Coverage with the slope of the path, and with that of no clipping; slopes of all runs."""

    told: float
    plain: float
    slopes: Array


def clipped_cell(instruments: str, share: float, seed: int, runs: int, n: int = 400) -> Cell:
    """Whether sets cover, with the path's slope and with that of no clipping, and their slopes, of runs with q = 1."""
    rng = np.random.default_rng(seed)
    big = one_effect(instruments, 200_000, rng)
    v = np.column_stack([big.X[:, 0] - 0.3 * big.Z[:, 0], (big.y - 0.3 * big.Z[:, 0]) / CLIPPED.unit])
    norms = np.abs(big.Z[:, 0]) * np.linalg.norm(v, axis=1)
    s = replace(CLIPPED, gamma=float(np.quantile(norms, 1.0 - share)) if share else 2.0 * float(norms.max()))
    out = descend([one_effect(instruments, n, rng) for _ in range(runs)], s, Normals.draw(rng, s, runs, 1))
    d, eye = np.array([[-1.0 / s.unit, 1.0]]) / math.hypot(1.0 / s.unit, 1.0), np.eye(2)
    covered = []
    for run in range(runs):
        told = evidence(out, run, s, n)
        plain = replace(told, slope=eye, variance=s.variance(eye), freedom=math.inf)
        covered.append([each.statistic(d)[0] <= each.critical(0.95) for each in (told, plain)])
    slopes = np.array([slope(path, s)[0] for path in out.path])
    assert out.clipped.mean() == pytest.approx(share, abs=0.03)
    return Cell(*np.mean(covered, axis=0).tolist(), slopes)


def one_effect(instruments: str, n: int, rng: np.random.Generator) -> IVSample:
    """One instrument of variance 1, errors that correlate by .5, an effect of 1."""
    z = rng.choice([-1.0, 1.0], n) if instruments == "binary" else rng.standard_normal(n)
    v, e = rng.standard_normal((2, n))
    x = 0.3 * z + v
    return IVSample(z[:, None], x[:, None], x + 0.5 * v + math.sqrt(0.75) * e)


@pytest.mark.parametrize(("share", "plain"), [(0.0, (0.93, 0.98)), (0.1, (0.8, 0.92)), (0.4, (0.5, 0.7))])
def test_sets_cover_where_gradients_are_clipped(share: float, plain: tuple[float, float]) -> None:
    """With the slope that the path tells; with that of no clipping they would be too short."""
    found = clipped_cell("normal", share, 11, 600)
    assert 0.932 <= found.told <= 0.98
    assert plain[0] <= found.plain <= plain[1]


@pytest.mark.slow
@pytest.mark.parametrize("instruments", ["binary", "normal"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
def test_sets_cover_at_least_nominally_where_gradients_are_clipped(instruments: str, share: float) -> None:
    """To two standard errors of 4000 runs."""
    found = clipped_cell(instruments, share, 12, 4000)
    assert 0.943 <= found.told <= 0.975


def test_a_set_is_nearly_unchanged_where_nothing_is_clipped() -> None:
    found = clipped_cell("binary", 0.0, 13, 300)
    np.testing.assert_allclose(found.slopes.mean(0), np.eye(2), atol=0.03)
    rng, s = np.random.default_rng(13), replace(CLIPPED, gamma=99.0)
    paths = descend([one_effect("binary", 400, rng)], s, Normals.draw(rng, s, 300, 1)).path
    assert np.median([slope(path, s)[1] for path in paths]) == pytest.approx(freedom(s), rel=0.06)
    assert math.sqrt(f.ppf(0.95, 1, freedom(s)) / chi2.ppf(0.95, 1)) < 1.05


def test_a_path_tells_the_slope_of_what_clipping_left() -> None:
    """Of three instruments, of which one is rare and clipped most: by finite differences of the mean gradient."""
    rng, n, A = np.random.default_rng(14), 4000, np.diag([1.0, 2.0, 1.0])
    Z = rng.standard_normal((n, 3)) * [1.0, math.sqrt(2.0), 1.0]
    Z[:, 2] = ((rng.random(n) < 0.06) - 0.06) / math.sqrt(0.06 * 0.94)
    v = rng.standard_normal(n)
    sample = IVSample(Z, v[:, None], 0.8 * v + 0.5 * rng.standard_normal(n))
    s = Settings(2100, 2000, 0.45, 2.0, 1e-4, 0.0, 1.0, A)
    out = descend([sample], s, Normals.draw(rng, s, 1, 1))
    columns = np.vstack([sample.X.T, sample.y])

    def mean_gradient(D: Array) -> Array:
        V = D.T @ Z.T - columns
        norms = np.linalg.norm(Z, axis=1) * np.linalg.norm(V, axis=0)
        return np.asarray(((V * np.minimum(1.0, s.gamma / norms)) @ Z / n).ravel())

    exact = np.empty((6, 6))
    for k in range(6):
        moved = np.zeros(6)
        moved[k] = 1e-5
        moved = moved.reshape(2, 3).T
        exact[:, k] = (mean_gradient(out.D[0] + moved) - mean_gradient(out.D[0] - moved)) / 2e-5
    found, _ = slope(out.path[0], s)
    assert exact[2, 2] < 0.6 * exact[0, 0] < 0.6
    np.testing.assert_allclose(found, exact, atol=0.1)
    few = replace(s, kept=4)
    with pytest.raises(ValueError, match="kept=4 iterates tell no slope: keep at least 5"):
        slope(out.path[0, :4], few)
    np.testing.assert_array_equal(slope(out.path[0], replace(s, noise_sd=0.0))[0], np.kron(np.eye(2), A))


def test_instruments_that_disagree_leave_nothing() -> None:
    """The first one says 0, the second 2."""
    apart = Evidence(np.array([[1.0, 0.0], [1.0, 2.0]]), np.eye(4), 0.0, np.zeros((4, 4)), np.eye(4), 1000)
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
        Evidence(np.zeros((2, 3)), np.eye(4), 0.0, np.eye(4), np.eye(4), 10)
    with pytest.raises(ValueError, match="level"):
        anderson_rubin(Evidence(np.ones((1, 2)), np.eye(2), 0.0, np.eye(2), np.eye(2), 10), 1.0)
    assert reduced_form.symmetric(np.ones((1, 1, 1))) == 1.0
