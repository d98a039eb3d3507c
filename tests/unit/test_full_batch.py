"""DP-GD's fast path against its literal twin, its plain pass, the Huber loss and its limits."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import twins
from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.dp_gd import DPGDArms, descend
from dpdescent.algorithms.screening import Screen
from dpdescent.baselines.least_squares import huber_minimiser, linear_least_squares
from dpdescent.data import linear
from dpdescent.data.linear import LinearSample, draw_linear, unit_sphere
from dpdescent.privacy.clipping import mean_sensitivity

# Thresholds in units of sqrt(p): one that clips everything, then fewer and fewer.
ALL_CLIPPED = [1e-9, 0.3, 1.0, 3.0, 5.0, np.inf]
FEW_CLIPPED = [3.0, 4.0, 5.0, np.inf]


def samples_of(p, sizes, seed=0, sigma=1.0):
    rng = np.random.default_rng(seed)
    return [draw_linear(unit_sphere(p, rng), n, rng, sigma=sigma) for n in sizes]


def make_arms(factors, p, steps=8):
    """Runs with these thresholds, in units of sqrt(p), that differ in step size and noise too; the first has none."""
    runs = len(factors)
    return DPGDArms(steps, np.linspace(0.2, 0.5, runs), np.sqrt(p) * np.array(factors), np.linspace(0.0, 0.1, runs))


def noise_free(gamma, steps, runs=1, eta=0.25):
    return DPGDArms.alike(runs, steps, eta, gamma, 0.0)


def draw_normals(arms, data_sets, p, seed=1):
    return np.random.default_rng(seed).standard_normal((arms.steps, data_sets, len(arms), p))


def silent(arms, p):
    return np.zeros((arms.steps, 1, 1, p))


@pytest.fixture
def passes(monkeypatch):
    """The data sets of which all rows were looked at, one entry a time."""
    seen, original = [], dp_gd._Batch._all_rows

    def watched(self, d, theta):
        seen.append(d)
        return original(self, d, theta)

    monkeypatch.setattr(dp_gd._Batch, "_all_rows", watched)
    return seen


def assert_equals_twins(samples, arms, normals):
    """Paths, last iterates and numbers of clipped gradients of every run on every data set; returns the numbers."""
    result = descend(samples, arms, normals, record=True)
    normals = np.broadcast_to(normals, (len(normals), len(samples), len(arms), normals.shape[-1]))
    counts = np.empty(result.clipped.shape)
    for d, sample in enumerate(samples):
        for k in range(len(arms)):
            path, counts[d, k] = twins.dp_gd(sample, arms, normals[:, d, k], k)
            np.testing.assert_allclose(result.path[:, d, k], path, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(result.clipped[d] * sample.n * arms.steps, counts[d], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(result.theta, result.path[-1])
    return counts / (np.array([[sample.n] for sample in samples]) * arms.steps)


@pytest.mark.parametrize(("p", "sizes"), [(1, [50]), (3, [400, 41, 400]), (10, [900, 3000]), (8, [5, 8, 9])])
@pytest.mark.parametrize("factors", [ALL_CLIPPED, FEW_CLIPPED, [np.inf, np.inf], [1e-9], [4.0]])
def test_fast_path_equals_the_twin(p, sizes, factors):
    samples, arms = samples_of(p, sizes), make_arms(factors, p)
    clipped = assert_equals_twins(samples, arms, draw_normals(arms, len(sizes), p))
    if factors is ALL_CLIPPED:
        assert (clipped[:, 0] == 1).all(), "the lowest threshold must clip everything"
        assert (clipped[:, 1] > 0).all()
        assert (clipped[:, 1] < 1).all()
    if factors[-1] == np.inf:
        assert (clipped[:, -1] == 0).all()


def test_few_clipped_records_are_found_without_a_pass_over_all(passes):
    """What makes the engine fast, and the twin still holds."""
    samples, arms = samples_of(10, [5000, 4000, 3000]), make_arms(FEW_CLIPPED, 10)
    clipped = assert_equals_twins(samples, arms, draw_normals(arms, 3, 10))
    assert not passes
    assert clipped[:, 0].min() > 1e-3


def test_data_sets_of_one_batch_go_their_own_ways(passes):
    """Few, many and no clipped records, and one record that is too large for moments, side by side."""
    samples = [samples_of(5, [n], seed, sigma)[0] for n, seed, sigma in [(900, 1, 1), (700, 2, 9), (800, 3, 0.01)]]
    planted = samples[0].X.copy()
    planted[7] *= 1e9
    samples.insert(1, LinearSample(planted, samples[0].y))
    arms = make_arms([6.0, 7.0], 5)
    clipped = assert_equals_twins(samples, arms, draw_normals(arms, 4, 5))
    assert set(passes) == {1, 2}
    assert clipped[0].max() > 0
    assert clipped[2].min() > 0.1
    assert clipped[3].max() == 0


def test_iterates_that_stray_far_select_more_and_more_records(monkeypatch, passes):
    """Ever wider regions: the selection of one data set is replaced while the others' stay."""
    samples, arms = samples_of(4, [3000, 3000, 3000]), DPGDArms.alike(2, 30, 0.25, 12.0, 0.2)
    monkeypatch.setattr(dp_gd, "_spread", lambda arms, p: 0.0)
    selected, original = [], Screen.select

    def watched(self, d):
        selected.append((d, len(rows := original(self, d))))
        return rows

    monkeypatch.setattr(Screen, "select", watched)
    normals = draw_normals(arms, 3, 4)
    normals *= np.arange(30)[:, None, None, None]
    normals[:, 1] *= 0.01
    assert_equals_twins(samples, arms, normals)
    counts = [[count for d, count in selected if d == data_set] for data_set in range(3)]
    assert len(counts[0]) > len(counts[1]) > 1
    assert all(series == sorted(series) for series in counts)
    assert 0 in passes, "the widest region holds many records"
    assert 1 not in passes


def test_normals_may_be_shared_by_data_sets_and_by_runs():
    samples, arms = samples_of(3, [60, 70]), make_arms([2.0, 3.0, 4.0], 3)
    rng = np.random.default_rng(5)
    for shape in [(8, 1, 3, 3), (8, 2, 1, 3), (8, 1, 1, 3), (11, 2, 3, 3)]:
        assert_equals_twins(samples, arms, rng.standard_normal(shape))


def test_a_path_is_recorded_on_demand_and_holds_what_shorter_runs_end_at():
    samples, arms = samples_of(3, [80]), make_arms(FEW_CLIPPED, 3, steps=6)
    normals = draw_normals(arms, 1, 3)
    path = descend(samples, arms, normals, record=True).path
    assert path.shape == (6, 1, 4, 3)
    assert descend(samples, arms, normals).path is None
    for T in range(1, 7):
        shorter = DPGDArms(T, arms.eta, arms.gamma, arms.noise_sd)
        np.testing.assert_array_equal(descend(samples, shorter, normals).theta, path[T - 1])


@pytest.mark.parametrize("factors", [[0.01, 0.3, 1.0, 3.0, np.inf], [2.0], [4.0], [np.inf]])
def test_screened_pass_equals_the_plain_one(factors, monkeypatch, passes):
    samples, arms = samples_of(10, [4000, 2500]), make_arms(factors, 10)
    normals = draw_normals(arms, 2, 10)
    monkeypatch.setattr(dp_gd, "MANY", 1.0)
    screened = descend(samples, arms, normals, record=True)
    assert not passes
    monkeypatch.setattr(dp_gd, "MANY", -1.0)
    plain = descend(samples, arms, normals, record=True)
    assert passes == [0, 1] * arms.steps
    np.testing.assert_allclose(screened.path, plain.path, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(screened.clipped, plain.clipped)


def test_records_that_are_selected_in_vain_change_nothing(monkeypatch, passes):
    samples, arms = samples_of(6, [500, 640]), make_arms(FEW_CLIPPED, 6)
    normals = draw_normals(arms, 2, 6)
    before = descend(samples, arms, normals, record=True)
    monkeypatch.setattr(dp_gd, "MANY", 1.0)
    monkeypatch.setattr(Screen, "select", lambda self, d: np.arange(samples[d].n))
    after = descend(samples, arms, normals, record=True)
    assert not passes
    np.testing.assert_allclose(after.path, before.path, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(after.clipped, before.clipped)


@pytest.mark.parametrize("factors", [ALL_CLIPPED, FEW_CLIPPED])
@pytest.mark.parametrize("block", [1, 1 << 9, 1 << 13])
def test_block_size_changes_no_digit_that_matters(factors, block, monkeypatch):
    samples, arms = samples_of(4, [2500, 1100, 2500]), make_arms(factors, 4)
    normals = draw_normals(arms, 3, 4)
    before = descend(samples, arms, normals, record=True)
    monkeypatch.setattr(dp_gd, "BLOCK", block)
    monkeypatch.setattr(linear, "BLOCK", block)
    fresh = [LinearSample(sample.X, sample.y) for sample in samples]
    after = descend(fresh, arms, normals, record=True)
    np.testing.assert_allclose(after.path, before.path, rtol=0, atol=1e-12)
    np.testing.assert_allclose(after.clipped, before.clipped, rtol=1e-12)


@pytest.mark.parametrize(("p", "n"), [(10, 3000), (3, 200), (1, 900)])
@pytest.mark.parametrize("factors", [ALL_CLIPPED, FEW_CLIPPED, [4.0], [4.0, 4.0], [1.0]])
def test_a_data_set_gives_the_same_bits_alone_and_in_any_batch(p, n, factors):
    samples, arms = samples_of(p, [n + 37 * d for d in range(7)]), make_arms(factors, p, steps=12)
    normals = draw_normals(arms, 7, p)
    together = descend(samples, arms, normals, record=True)
    for part in [[0], [3], [6, 1], [5, 4, 3]]:
        some = descend([samples[d] for d in part], arms, normals[:, part], record=True)
        np.testing.assert_array_equal(some.path, together.path[:, part])
        np.testing.assert_array_equal(some.clipped, together.clipped[part])


@pytest.mark.parametrize("factors", [ALL_CLIPPED, FEW_CLIPPED, [4.0] * 5])
def test_runs_do_not_disturb_each_other(factors):
    samples, arms = samples_of(6, [800, 900]), make_arms(factors, 6)
    normals = draw_normals(arms, 2, 6)
    together = descend(samples, arms, normals, record=True)
    for part in [slice(0, 1), slice(1, 3), slice(len(arms) - 1, None)]:
        narrow = DPGDArms(arms.steps, arms.eta[part], arms.gamma[part], arms.noise_sd[part])
        some = descend(samples, narrow, normals[:, :, part], record=True)
        np.testing.assert_allclose(some.path, together.path[:, :, part], rtol=0, atol=1e-12)
        np.testing.assert_allclose(some.clipped, together.clipped[:, part], rtol=1e-12)


def planted(sample, where, size):
    """The sample with one enormous record."""
    X, y = sample.X.copy(), sample.y.copy()
    if "x" in where:
        X[3] = size * np.linspace(-1.0, 0.5, sample.p)
    if "y" in where:
        y[3] = size
    return LinearSample(X, y)


def gradients_at(sample, arms, thetas):
    """Mean clipped gradients of every run at the same iterates, one after the other, shape (iterates, runs, p)."""
    batch = dp_gd._Batch([sample], arms)
    return np.array([batch.gradients(np.tile(theta, (1, len(arms), 1)))[0][0] for theta in thetas])


@pytest.mark.parametrize("where", ["x", "y", "xy"])
@pytest.mark.parametrize("size", [1e5, 1e8, 1e12, 1e17, 1e20, 1e30])
@pytest.mark.parametrize("gammas", [[0.5, 11.0, 1e3], [11.0, 1e3, np.inf], [13.0]])
def test_a_planted_record_of_any_size_stays_clipped(where, size, gammas):
    """The unclipped gradient less its excess would leave such a record's rounding in the sum."""
    sample, rng = samples_of(5, [1000])[0], np.random.default_rng(2)
    enormous = planted(sample, where, size)
    finite = [gamma for gamma in gammas if gamma < np.inf]
    arms = DPGDArms(6, np.full(len(finite), 0.25), np.array(finite), np.zeros(len(finite)))
    assert_equals_twins([enormous, sample], arms, silent(arms, 5))
    # Unclipped runs would diverge, but they must not spoil the others' gradients.
    arms = DPGDArms(1, np.ones(len(gammas)), np.array(gammas), np.zeros(len(gammas)))
    anchors = [linear_least_squares(each.gram) for each in (sample, enormous)] if size < 1e7 else [np.zeros(5)]
    thetas = [np.zeros(5), *anchors, *(scale * rng.standard_normal(5) for scale in (1e-6, 0.1, 1.0, 10.0))]
    moves = np.linalg.norm(gradients_at(enormous, arms, thetas) - gradients_at(sample, arms, thetas), axis=2)
    limits = np.array([mean_sensitivity(gamma, 1000) for gamma in gammas])
    assert (moves <= limits * (1 + 1e-6)).all()
    assert (moves.max(0) >= limits / 4)[: len(finite)].all(), "a test of clipping needs a record that moves"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("x", "y"), [(1e160, 1.0), (1e200, 1e200), (1.0, 1e300), (1e-170, 1e200), (1e-170, 1e173)])
def test_records_whose_squares_leave_the_floating_range_stay_clipped(x, y):
    """Norms that overflow to inf or underflow to zero must not switch clipping off."""
    sample = samples_of(3, [20000])[0]
    X, labels = sample.X.copy(), sample.y.copy()
    X[0], labels[0] = x, y
    arms, theta = noise_free(100.0, 1), [np.zeros(3), np.full(3, 0.1)]
    move = gradients_at(LinearSample(X, labels), arms, theta) - gradients_at(sample, arms, theta)
    assert (np.linalg.norm(move, axis=2) <= mean_sensitivity(100.0, 20000) * (1 + 1e-6)).all()


def huber_loss(sample, theta, gamma):
    """brown2024 Sec. 2.5: quadratic up to B_i = gamma / |x_i|, linear beyond; the mean over the sample."""
    r, B = np.abs(sample.y - sample.X @ theta), gamma / np.sqrt((sample.X**2).sum(1))
    return float(np.where(r <= B, r**2 / 2, B * (r - B / 2)).mean())


@pytest.mark.parametrize("gamma", [0.5, 2.0, 8.0])
def test_clipped_gradients_are_those_of_the_huber_loss(gamma):
    """brown2024 Sec. 2.5, by central differences of the loss along the path of a descent."""
    sample, h = samples_of(4, [300])[0], 1e-6
    arms = noise_free(gamma, 5, eta=0.5)
    result = descend([sample], arms, silent(arms, 4), record=True)
    assert result.clipped[0, 0] > 0
    path = np.concatenate([np.zeros((1, 4)), result.path[:, 0, 0]])
    for before, after in pairwise(path):
        slopes = [
            huber_loss(sample, before + h * e, gamma) - huber_loss(sample, before - h * e, gamma) for e in np.eye(4)
        ]
        np.testing.assert_allclose((before - after) / 0.5, np.array(slopes) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("gamma", [1.0, 4.0, np.inf])
def test_without_noise_it_converges_to_the_huber_minimiser(gamma):
    """Which is least squares if nothing is ever clipped (brown2024 Sec. 2.5)."""
    sample, arms = samples_of(4, [500])[0], noise_free(gamma, 2000)
    theta = descend([sample], arms, silent(arms, 4)).theta[0, 0]
    np.testing.assert_allclose(theta, huber_minimiser(sample, gamma), atol=1e-9)
    least_squares = linear_least_squares(sample.gram)
    assert (np.abs(theta - least_squares).max() < 1e-9) == (gamma == np.inf)


SINGULAR = {
    "fewer records than covariates": lambda X: X[:3],
    "a zero column": lambda X: X * (np.arange(6) != 2),
    "equal columns": lambda X: X[:, [0, 0, 1, 1, 1, 2]],
    "collinear to rounding": lambda X: X[:, [0, 0, 1, 2, 3, 4]] + 1e-9 * X,
    "all zero": lambda X: 0 * X,
    "one record": lambda X: X[:1],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", SINGULAR)
def test_singular_designs_are_descended_like_any_other(kind):
    rng = np.random.default_rng(3)
    X = SINGULAR[kind](rng.standard_normal((200, 6)))
    sample = LinearSample(X, rng.standard_normal(len(X)))
    for factors in (ALL_CLIPPED, FEW_CLIPPED):
        arms = make_arms(factors, 6)
        assert_equals_twins([sample], arms, draw_normals(arms, 1, 6))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factors", [ALL_CLIPPED, FEW_CLIPPED])
def test_a_record_at_the_origin_adds_nothing_and_is_never_clipped(factors):
    sample = samples_of(3, [900])[0]
    X, y = sample.X.copy(), sample.y.copy()
    X[:2], y[:2] = 0.0, [0.0, 1e6]
    arms = make_arms(factors, 3)
    clipped = assert_equals_twins([LinearSample(X, y)], arms, draw_normals(arms, 1, 3))
    assert clipped[0, 0] == pytest.approx(898 / 900) if factors is ALL_CLIPPED else clipped[0, 0] < 0.2


@pytest.mark.parametrize("field", ["eta", "gamma"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
def test_arms_refuse_what_is_not_positive(field, value):
    settings = {"eta": 0.25, "gamma": 5.0, "noise_sd": 0.1} | {field: value}
    with pytest.raises(ValueError, match=rf"{field}={value} must be positive"):
        DPGDArms.alike(3, 4, **settings)


@pytest.mark.parametrize("value", [-1.0, np.inf, np.nan])
def test_arms_refuse_noise_that_is_negative_or_not_finite(value):
    with pytest.raises(ValueError, match=rf"noise_sd, from {value} to {value}, must be finite"):
        DPGDArms.alike(3, 4, 0.25, 5.0, value)


def test_arms_refuse_no_steps_and_uneven_settings():
    with pytest.raises(ValueError, match="steps=0 must be at least 1"):
        DPGDArms.alike(3, 0, 0.25, 5.0, 0.1)
    with pytest.raises(ValueError, match="one value a run, but have 2, 1 and 2"):
        DPGDArms(3, np.ones(2), np.ones(1), np.ones(2))
    with pytest.raises(ValueError, match="one value a run, but have 0, 0 and 0"):
        DPGDArms(3, np.ones(0), np.ones(0), np.ones(0))


def test_noise_may_differ_from_step_to_step():
    samples, arms = samples_of(3, [400, 41]), make_arms(FEW_CLIPPED, 3)
    by_step = np.linspace(2.0, 0.5, arms.steps)[:, None] * arms.noise_sd
    assert_equals_twins(samples, replace(arms, noise_sd=by_step), draw_normals(arms, 2, 3))
    with pytest.raises(ValueError, match=r"noise_sd of shape \(7, 4\) must have one value a run, or \(8, 4\)"):
        replace(arms, noise_sd=by_step[1:])


def test_equal_arms_have_one_setting():
    arms = DPGDArms.alike(3, 4, 0.25, 5.0, 0.1)
    assert (len(arms), arms.steps) == (3, 4)
    for values, value in [(arms.eta, 0.25), (arms.gamma, 5.0), (arms.noise_sd, 0.1)]:
        np.testing.assert_array_equal(values, np.full(3, value))


# A last axis of 1 would share the noise of the coordinates; one axis too few, that of the data sets by accident.
@pytest.mark.parametrize(
    "shape", [(3, 2, 3, 4), (4, 3, 3, 4), (4, 2, 2, 4), (4, 2, 3, 5), (4, 2, 3, 1), (4, 3, 4), (4, 4), (4, 1, 2, 3, 4)]
)
def test_normals_that_do_not_fit_are_refused(shape):
    samples, arms = samples_of(4, [20, 20]), DPGDArms.alike(3, 4, 0.25, 5.0, 0.1)
    with pytest.raises(ValueError, match=r"normals of shape .* do not fit T=4 and \(data sets, runs, p\)=\(2, 3, 4\)"):
        descend(samples, arms, np.zeros(shape))


def test_data_sets_that_do_not_fit_are_refused():
    arms = DPGDArms.alike(1, 1, 0.25, 5.0, 0.1)
    with pytest.raises(ValueError, match=r"share p, but have p=\[2, 3\]"):
        descend([*samples_of(3, [20]), *samples_of(2, [20])], arms, np.zeros((1, 1, 1, 3)))
    with pytest.raises(ValueError, match=r"share p, but have p=\[\]"):
        descend([], arms, np.zeros((1, 1, 1, 3)))


def test_a_label_is_clipped_even_where_the_norms_of_all_covariates_underflow():
    """|x_i|^2 is nil in floating point, x_i y_i is not: the step must stay below eta gamma / n a record."""
    X, y = np.full((100, 2), 1e-163), np.zeros(100)
    y[0] = 2e163
    for gamma in (0.5, 1e-6):
        found = descend([LinearSample(X, y)], DPGDArms.alike(1, 1, 1.0, gamma, 0.0), np.zeros((1, 1, 1, 2)))
        assert np.linalg.norm(found.theta[0, 0]) <= gamma / 100
