"""DP-AMBSSGD and DP-SSGD against literal twins, the single use of records, sensitivities, other cuts of the work."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shuffled_twins as twins
from dpdescent.algorithms import dp_ambssgd, dp_gd, dp_ssgd
from dpdescent.algorithms.dp_ambssgd import Adaptive, Fixed, Normals, SGDArm, batches_of, descend, every_record
from dpdescent.algorithms.dp_ssgd import descend as ssgd
from dpdescent.algorithms.dp_stat import Search
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.events import DisjointReleases, ShuffledGaussianReleases

N, D, T = 1235, 3, 4
M = N // T
SEARCH = Search(8.0, 9, 0.3)
ARMS = [
    SGDArm(0.7, 0.9, Adaptive(SEARCH, 120, 1.4), 0),
    SGDArm(0.5, 0.9, Adaptive(Search(6.0, 5, 0.5, "as published", offset=0.3), 90, 2.0, overlap=True), 1),
    SGDArm(0.7, 0.0, Adaptive(Search(8.0, 9, 0.0, "quantile", quantile=0.8), 200, 0.5), 1),
    SGDArm(0.6, 0.5, Adaptive(SEARCH, M, 1.4, shared=True), 0),
    SGDArm(0.7, 0.9, Fixed(0.8), 0),
    SGDArm(0.4, 2.0, Fixed(3.0), 1),
    SGDArm(0.7, 0.9, Fixed(0.8, clips=False), 1),
    SGDArm(0.3, 0.0, Fixed(math.inf), 0),
    SGDArm(0.7, 0.4, Adaptive(SEARCH, 17, 1.4), 1),
    SGDArm(0.2, 0.1, Fixed(0.05), 0),
]


def records(n=N, d=D):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * np.linspace(1.0, 0.5, d)
    return X, (X @ np.ones(d))[:, None] + rng.standard_normal((n, 1)) * [0.1, 1.0]


def order(seed=5):
    return np.random.default_rng(seed)


NORMALS = Normals.draw(np.random.default_rng(6), T, D, 9)


def twin(arm, batches, normals=NORMALS, a=0):
    """Algorithm 2 for one arm, without clipping where it has none."""
    labelled = [(X, Y[:, arm.label]) for X, Y in batches]
    common = {"eta": arm.eta, "alpha": arm.noise_multiplier, "gradient_normals": normals.gradient[:, a]}
    if isinstance(arm.clipping, Fixed):
        return twins.ambssgd(labelled, **common, zeta=arm.clipping.threshold)
    search, s = arm.clipping.search, arm.clipping.stat_size
    return twins.ambssgd(
        labelled, **common, scale=arm.clipping.scale, s=s, overlap=arm.clipping.overlap, shared=arm.clipping.shared,
        largest=search.largest * 2.0**search.offset, levels=search.levels, noise_sd=search.noise_sd,
        enough=search.enough(s), normals=normals.counts[:, a],
    )  # fmt: skip


def matches(runs, a, expected):
    for have, want in zip((runs.path, runs.thresholds, runs.clipped, runs.residual_rms), expected, strict=True):
        np.testing.assert_allclose(have[:, a], want, rtol=1e-10, atol=1e-13)


CLIPPING = [a for a, arm in enumerate(ARMS) if arm.clips and arm.clipping != Fixed(math.inf)]


@pytest.mark.parametrize("block", [dp_ambssgd.BLOCK, 1])
def test_runs_equal_the_twin(monkeypatch, block):
    """More arms than a product has rows; small blocks cut the records of DP-STAT and of the gradient."""
    monkeypatch.setattr(dp_ambssgd, "BLOCK", block)
    X, Y = records()
    batches = list(batches_of(X, Y, T, order()))
    runs = descend(batches, ARMS, NORMALS)
    for a in CLIPPING:
        expected = twin(ARMS[a], batches)
        matches(runs, a, expected)
        np.testing.assert_allclose(runs.average[a], expected[0][-2:].mean(0), rtol=1e-10)
    assert ((runs.clipped[:, 0] > 0) & (runs.clipped[:, 0] < 0.3)).any()
    assert (runs.clipped[:, 9] > 0.5).all()
    assert len(np.unique(runs.thresholds[:, 0])) > 1, "the threshold adapts"


def test_without_clipping_only_the_noise_knows_the_threshold():
    X, Y = records()
    batches = list(batches_of(X, Y, T, order()))
    runs = descend(batches, ARMS, NORMALS)
    w = np.zeros((2, D))
    for t, (X_t, Y_t) in enumerate(batches):
        gradients = [X_t.T @ (X_t @ each - Y_t[:, label]) / M for each, label in zip(w, (1, 0), strict=True)]
        noise = np.array([2 * 0.9 * 0.8 / M, 0.0])[:, None] * NORMALS.gradient[t]
        w = w - np.array([[0.7], [0.3]]) * (np.array(gradients) + noise)
    np.testing.assert_allclose(runs.path[-1, 6:8], w, rtol=1e-10)
    assert (runs.clipped[:, 6:8] == 0).all()
    np.testing.assert_array_equal(runs.thresholds[:, 6:8], [[0.8, math.inf]] * T)


SMALL = [SGDArm(0.7, 0.9, Adaptive(SEARCH, 17, 1.4), 0), SGDArm(0.4, 0.2, Adaptive(SEARCH, 40, 0.9, shared=True), 1)]


@pytest.mark.parametrize("chosen", [[0], [9], [8, 3], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [4] * 17])
@pytest.mark.parametrize(("d", "steps"), [(D, 11), (1, 11), (131, 2)])
def test_a_run_knows_nothing_of_the_others(chosen, d, steps):
    """To the last bit, wherever it stands in its product."""
    arms = [*SMALL, SGDArm(0.2, 0.0, Adaptive(Search(4.0, 5, 0.2), 71, 1.0), 1), *ARMS[4:], ARMS[4]]
    normals = Normals.draw(np.random.default_rng(6), steps, d, 9)

    def run(some):
        return descend(batches_of(*records(N, d), steps, order()), some, normals)

    whole, part = run(arms), run([arms[a] for a in chosen])
    for name in ("path", "thresholds", "clipped", "residual_rms"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[:, chosen])
    np.testing.assert_array_equal(part.average, whole.average[chosen])


def test_nor_does_the_average_of_many_iterates():
    """One run in one dimension is a single column, which numpy adds up in another order than several."""
    arms = [SGDArm(0.1 + 0.05 * i, 0.9, Fixed(0.8)) for i in range(12)]
    normals = Normals.draw(np.random.default_rng(6), 300, 1, 0)
    whole, *parts = (descend(batches_of(*records(N, 1), 300, order()), some, normals) for some in (arms, *zip(arms)))
    np.testing.assert_array_equal(np.concatenate([part.average for part in parts]), whole.average)


def test_arms_may_have_normals_of_their_own():
    rng, X_Y = np.random.default_rng(6), records()
    own = Normals(rng.standard_normal((T, 2, D)), rng.standard_normal((T, 2, 9)))
    batches = list(batches_of(*X_Y, T, order()))
    runs = descend(batches, [ARMS[0], ARMS[0]], own)
    for a in range(2):
        matches(runs, a, twin(ARMS[0], batches, own, a))
    assert (runs.path[1:, 0] != runs.path[1:, 1]).all()


def test_draws_are_those_of_the_gradients_and_then_those_of_the_counts():
    drawn = np.random.default_rng(6).standard_normal(T * (D + 9))
    np.testing.assert_array_equal(NORMALS.gradient, drawn[: T * D].reshape(T, 1, D))
    np.testing.assert_array_equal(NORMALS.counts, drawn[T * D :].reshape(T, 1, 9))


@pytest.mark.parametrize(("tail", "last"), [(0.5, 5), (1.0, 11), (0.01, 1), (0.28, 3), (6 / 11, 6)])
def test_the_average_is_that_of_the_last_iterates(tail, last):
    X, Y = records()
    runs = descend(batches_of(X, Y, 11, order()), ARMS[4:6], Normals.draw(order(), 11, D, 0), tail)
    np.testing.assert_allclose(runs.average, runs.path[-last:].mean(0), rtol=1e-13)


def test_a_pass_meets_every_record_once_in_random_order():
    X = np.arange(10.0)[:, None]
    met = [np.concatenate([x[:, 0] for x, _ in batches_of(X, X, 3, order(seed))]) for seed in range(2000)]
    assert {len(each) for each in met} == {9}, "what is left over is not used"
    assert all(len(set(each)) == 9 for each in met)
    # Every record is in every place equally often: 200 times of 2000, sd 13.4.
    times = np.array([[np.sum(np.array(met)[:, place] == i) for i in range(10)] for place in range(9)])
    assert np.abs(times - 200).max() < 5 * 13.4
    x, y = next(batches_of(*records(), T, order()))
    rows = order().permutation(N)[:M]
    np.testing.assert_array_equal(x, records()[0][rows])
    np.testing.assert_array_equal(y, records()[1][rows])


@pytest.mark.parametrize("place", [0, 100, M + 30, M + 299, 3 * M + 5])
@pytest.mark.parametrize("a", [0, 1, 4])
def test_replacing_a_record_touches_one_batch_only(place, a):
    """The place counts in the order of the pass. Before that batch nothing changes; in it, one release does."""
    X, Y = records()
    which = order().permutation(N)[place]
    t, row, arm = place // M, place % M, ARMS[a]
    X_new, Y_new = X.copy(), Y.copy()
    X_new[which], Y_new[which] = 1.0 - 3.0 * X[which], 50.0
    old, new = (descend(batches_of(*each, T, order()), [arm], NORMALS) for each in ((X, Y), (X_new, Y_new)))
    np.testing.assert_array_equal(new.path[: t + 1], old.path[: t + 1])
    np.testing.assert_array_equal(new.thresholds[:t], old.thresholds[:t])
    seen = arm.clipping.seen if isinstance(arm.clipping, Adaptive) else 0
    moved = np.linalg.norm(new.path[t + 1] - old.path[t + 1])
    if row >= seen:
        assert new.thresholds[t] == old.thresholds[t]
        assert 0.0 < moved <= arm.eta * 2.0 * old.thresholds[t, 0] / (M - arm.withheld) * (1 + 1e-9)
    elif new.thresholds[t] == old.thresholds[t] and row < arm.withheld:
        assert moved == 0.0
    # Beyond it only the iterate remembers: the same batches from there on, by the twin with the noise as it was.
    batches = list(batches_of(X_new, Y_new, T, order()))
    matches(new, 0, twin(arm, batches))


NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-200, -1e100, 1e150])


@settings(max_examples=100, deadline=None)
@given(
    row=st.integers(0, 19),
    x=st.lists(NUMBERS, min_size=2, max_size=2),
    y=NUMBERS,
    zeta=st.sampled_from([1e-3, 1.0, 40]),
)
def test_clipped_gradients_move_by_the_sensitivity_at_most(row, x, y, zeta):
    """One step from zero without noise, on data one record of which is anything, and attained by opposite gradients."""
    X, Y = records(20, 2)
    arm = SGDArm(1.0, 0.0, Fixed(zeta))
    normals = Normals.draw(order(), 1, 2, 0)
    X_new, Y_new = X.copy(), Y.copy()
    X_new[row], Y_new[row] = x, y
    old, new = (descend([each], [arm], normals).path[1, 0] for each in ((X, Y), (X_new, Y_new)))
    assert np.linalg.norm(new - old) <= 2.0 * zeta / 20 * (1 + 1e-9)
    (release,) = arm.releases(20)
    assert release.sensitivity == 2.0 * zeta / 20
    X_new[row], Y_new[row] = X[row], 1e9
    far = descend([(X_new, Y_new)], [arm], normals).path[1, 0]
    Y_new[row] = -1e9
    back = descend([(X_new, Y_new)], [arm], normals).path[1, 0]
    assert np.linalg.norm(far - back) == pytest.approx(2.0 * zeta / 20, rel=1e-9)


def test_a_record_at_the_origin_is_no_trouble():
    with np.errstate(divide="raise", invalid="raise"):
        runs = descend([(np.zeros((3, D)), np.full((3, 2), 7.0))], [ARMS[4], ARMS[9]], NORMALS)
    assert (runs.clipped == 0).all()
    np.testing.assert_allclose(runs.path[1, 0], -0.7 * 2 * 0.9 * 0.8 / 3 * NORMALS.gradient[0, 0], rtol=1e-12)


def test_all_records_in_every_step_are_dp_gd():
    X, Y = records()
    arms = [SGDArm(0.7, 3.0, Fixed(0.8), 1), SGDArm(0.7, 3.0, Fixed(2.0), 1)]
    runs = descend(every_record(X, Y, T), arms, NORMALS)
    zeta = np.array([0.8, 2.0])
    settings = dp_gd.DPGDArms(T, np.full(2, 0.7), zeta, 3.0 * 2.0 * zeta / N)
    other = dp_gd.descend(
        [LinearSample(X, Y[:, 1])], settings, -NORMALS.gradient[:, None], record=True
    )  # fmt: skip
    np.testing.assert_allclose(runs.path[1:], other.path[:, 0], rtol=1e-9)
    np.testing.assert_allclose(runs.clipped.mean(0), other.clipped[0], rtol=1e-12)


def test_releases_are_those_of_a_record():
    b = M - 120
    (found,) = ARMS[0].releases(M)
    assert isinstance(found, DisjointReleases)
    (stat,), (gradient,) = found.parts
    assert stat == SEARCH.release()
    assert (gradient.sensitivity, gradient.count) == (2.0 / b, 1)
    assert gradient.noise_sd == pytest.approx(2.0 * 0.9 / b, rel=1e-14)
    assert found.rho == pytest.approx(1 / (2 * 0.3**2), rel=1e-12)
    (overlapping,) = ARMS[1].releases(M)
    assert len(overlapping.parts) == 1
    assert overlapping.rho == pytest.approx(1 / (2 * 0.5**2) + 1 / (2 * 0.9**2), rel=1e-12)
    (fixed,) = ARMS[5].releases(M)
    assert (fixed.sensitivity, fixed.noise_sd) == (6.0 / M, 2.0 * 6.0 / M)
    assert ARMS[5].releases(M, times=T)[0].count == T
    stat, gradient = ARMS[3].releases(N, times=T)
    assert (stat.count, gradient.count, gradient.sensitivity) == (9 * T, T, 2.0 / N)
    assert ARMS[5].shuffled_releases(N) == ShuffledGaussianReleases("clipped gradient of one record", 6.0, 12.0, N)


SINGLE = [SGDArm(0.05, 0.7, Fixed(0.6), 0), SGDArm(0.02, 0.0, Fixed(2.0), 1), SGDArm(0.1, 0.2, Fixed(1.0), 1)]


def test_one_record_a_step_equals_the_twin():
    X, Y = records()
    passed = ssgd(X, Y, [*SINGLE, SGDArm(0.01, 0.5, Fixed(0.3, clips=False))], order())
    rng = order()
    rows, normals = rng.permutation(N), rng.standard_normal((N, D))
    for a, arm in enumerate(SINGLE):
        path, clipped = twins.ssgd(
            X[rows], Y[rows, arm.label], eta=arm.eta, alpha=arm.noise_multiplier, zeta=arm.clipping.threshold,
            normals=normals,
        )  # fmt: skip
        np.testing.assert_allclose(passed.average[a], path[-(N // 2) :].mean(0), rtol=1e-10)
        np.testing.assert_allclose(passed.last[a], path[-1], rtol=1e-10)
        assert passed.clipped[a] == clipped
        assert 0 < clipped < 1
    w = np.zeros(D)
    for i, g in zip(rows, normals, strict=True):
        w = w - 0.01 * (X[i] * (X[i] @ w - Y[i, 0]) + 2 * 0.5 * 0.3 * g)
    np.testing.assert_allclose(passed.last[3], w, rtol=1e-10)
    assert passed.clipped[3] == 0


def test_one_record_a_step_does_not_depend_on_blocks_or_other_arms(monkeypatch):
    whole = ssgd(*records(), SINGLE, order(), tail=0.3)
    monkeypatch.setattr(dp_ssgd, "STEPS", 100)
    parts = [ssgd(*records(), [arm], order(), tail=0.3) for arm in SINGLE]
    for name in ("average", "last", "clipped"):
        np.testing.assert_array_equal(getattr(whole, name), np.concatenate([getattr(part, name) for part in parts]))


@pytest.mark.parametrize("n", [2, 3, 400, N])
def test_replacing_a_record_touches_one_step_only(n):
    """The last step's record: all before it is as it was, and the step changes by 2 eta zeta at most."""
    X, Y = records()
    arm, rng = SINGLE[0], order()
    which = order().permutation(n)[-1]
    X_new, Y_new = X.copy(), Y.copy()
    X_new[which], Y_new[which] = 2.0 * X[which], -60.0
    old, new = (ssgd(each[0][:n], each[1][:n], [arm], order(), tail=1e-9) for each in ((X, Y), (X_new, Y_new)))
    moved = float(np.linalg.norm(old.last - new.last))
    assert 0.0 < moved <= arm.eta * 2.0 * 0.6 * (1 + 1e-9)
    np.testing.assert_array_equal(old.average, old.last)
    rows, normals = rng.permutation(n), rng.standard_normal((n, D))
    kept = rows[:-1]
    before, _ = twins.ssgd(X[kept], Y[kept, 0], eta=arm.eta, alpha=0.7, zeta=0.6, normals=normals[:-1])
    for (x, y), passed in (((X, Y), old), ((X_new, Y_new), new)):
        step = twins.clip(x[which] * (x[which] @ before[-1] - y[which, 0]), 0.6) + 2 * 0.7 * 0.6 * normals[-1]
        np.testing.assert_allclose(passed.last[0], before[-1] - arm.eta * step, rtol=1e-9)


def go(arms=(ARMS[0],), normals=NORMALS, steps=T, **options):
    return descend(batches_of(*records(), steps, order()), list(arms), normals, **options)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Fixed(0.0), "threshold must be positive"),
        (lambda: Adaptive(SEARCH, 0, 1.0), "stat_size must be positive"),
        (lambda: Adaptive(SEARCH, 5, 0.0), "scale must be positive"),
        (lambda: Adaptive(SEARCH, 5, math.inf), "scale=inf must be finite"),
        (lambda: Adaptive(SEARCH, 5, 1.0, overlap=True, shared=True), "overlap=True and shared=True"),
        (lambda: SGDArm(0.0, 1.0, Fixed(1.0)), "eta must be positive"),
        (lambda: SGDArm(0.1, -1.0, Fixed(1.0)), "noise_multiplier must not be negative"),
        (lambda: SGDArm(0.1, math.inf, Fixed(1.0)), "noise_multiplier=inf must be finite"),
        (lambda: SGDArm(0.1, 1.0, Fixed(math.inf)), "threshold=inf with noise_multiplier=1.0"),
        (lambda: SGDArm(0.1, 1.0, Fixed(math.inf, clips=False)), "threshold=inf with noise_multiplier=1.0"),
        (lambda: SGDArm(0.1, 1.0, Fixed(1.0), -1), "label must not be negative"),
        (lambda: ARMS[7].releases(M), "nothing is clipped"),
        (lambda: ARMS[6].releases(M), "nothing is clipped"),
        (lambda: ARMS[6].shuffled_releases(M), "nothing is clipped"),
        (lambda: ARMS[0].shuffled_releases(M), "one record a step"),
        (lambda: ARMS[0].releases(120), "stat_size=120 leaves no record of a batch of 120"),
        (lambda: ARMS[3].releases(M - 1), f"stat_size={M}"),
        (lambda: batches_of(*records(), N + 1, order()), f"steps={N + 1} exceeds"),
        (lambda: batches_of(*records(), 0, order()), "steps must be positive"),
        (lambda: batches_of(records()[0], records()[1][:, 0], T, order()), r"Y \(1235,\)"),
        (lambda: batches_of(records()[0], records()[1][1:], T, order()), r"Y \(1234, 2\)"),
        (lambda: every_record(*records(), 0), "steps must be positive"),
        (lambda: every_record(records()[0], records()[1][:, 0], T), r"Y \(1235,\)"),
        (lambda: Normals.draw(order(), 0, D, 5), "steps must be positive"),
        (lambda: go(arms=()), "arms is empty"),
        (lambda: descend([], [ARMS[0]], NORMALS), "batches is empty"),
        (lambda: go(steps=11), "stat_size=120 leaves no record of a batch of 112"),
        (lambda: go(arms=(ARMS[8],), steps=5), "the normals end after 4 iterations"),
        (lambda: go(normals=Normals(NORMALS.gradient, NORMALS.counts[:3])), "the normals end after 3 iterations"),
        (lambda: go(normals=Normals(NORMALS.gradient, NORMALS.counts[:, :, :8])), r"normals.counts \(4, 1, 8\)"),
        (lambda: go(normals=Normals(NORMALS.gradient[:, :0], NORMALS.counts)), r"normals.gradient \(4, 0, 3\)"),
        (lambda: go(normals=Normals(NORMALS.gradient[:, :, :2], NORMALS.counts)), "batch 0 has d=3 coordinates"),
        (lambda: go(arms=(SGDArm(0.1, 0.0, Fixed(1.0), 2),)), "label=2 does not exist"),
        (lambda: go(tail=0.0), "tail must be positive"),
        (lambda: go(tail=1.1), "tail=1.1 must not exceed 1"),
        (lambda: ssgd(*records(), [ARMS[0]], order()), "one record a step"),
        (lambda: ssgd(*records(), [], order()), "arms is empty"),
        (lambda: ssgd(*records(), [SGDArm(0.1, 0.0, Fixed(1.0), 2)], order()), "label=2 does not exist"),
        (lambda: ssgd(*records(), SINGLE, order(), tail=2.0), "tail=2.0 must not exceed 1"),
        (lambda: ssgd(records()[0], records()[1][1:], SINGLE, order()), r"Y \(1234, 2\)"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
