"""The screen as a property: no record outside its selection is ever clipped, whatever the data and the anchor are.

And what follows from it for DP-GD: clipped gradients and their sensitivity, at every iterate of a descent.
"""

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import twins
from dpdescent.algorithms import screening
from dpdescent.algorithms.dp_gd import DPGDArms, _Batch, descend
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.clipping import mean_sensitivity

NUMBERS = st.floats(-100, 100, allow_nan=False, allow_subnormal=False)
# Far beyond any data: clipping must hold for the record that somebody plants.
ANY_NUMBERS = NUMBERS | st.sampled_from([1e5, -1e8, 1e12, -1e17, 1e20, -1e30])
THRESHOLDS = st.floats(1e-2, 1e4) | st.sampled_from([0.3, 1.0, 3.0, 10.0, np.inf])


def draw_sample(draw, p, rng, numbers):
    """Numbers of any kind, or normal ones, of which thresholds of order 1 clip some."""
    n = draw(st.integers(1, 40))
    if draw(st.booleans()):
        return LinearSample(draw(arrays(float, (n, p), elements=numbers)), draw(arrays(float, (n,), elements=numbers)))
    return LinearSample(rng.standard_normal((n, p)), rng.standard_normal(n))


@st.composite
def descents(draw, numbers=NUMBERS):
    """Two data sets, an anchor for each, thresholds of the runs, and iterates one after the other."""
    p, runs = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    samples = [draw_sample(draw, p, rng, numbers) for _ in range(2)]
    # Some runs share a threshold.
    pool = draw(st.lists(THRESHOLDS, min_size=1, max_size=2))
    thresholds = np.array(draw(st.lists(st.sampled_from(pool), min_size=runs, max_size=runs)))
    scales = draw(st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.3, 1.0, 30.0]), min_size=1, max_size=6))
    honest = [screening._anchor(sample) for sample in samples]
    bad = [
        honest,
        [np.zeros(p)] * 2,
        [-anchor for anchor in honest],
        [1e8 * rng.standard_normal(p) for _ in samples],
        [anchor + rng.standard_normal(p) for anchor in honest],
        [np.full(p, np.nan)] * 2,
    ]
    anchors = np.stack(bad[draw(st.integers(0, len(bad) - 1))])
    # Near the segment that the screen follows, and away from it.
    along = np.nan_to_num(anchors) * rng.random((len(scales), 1, 1)) * draw(st.sampled_from([0.0, 0.5, 1.0, 2.0]))
    noise = np.array(scales)[:, None, None, None] * rng.standard_normal((len(scales), 2, runs, p))
    # Some runs stray further than others.
    noise *= 10.0 ** -rng.integers(0, 3, (runs, 1))
    return samples, anchors, thresholds, along[:, :, None] + noise


def with_anchors(anchors):
    """Any anchor would be right: these are used instead of least squares, in the order of the data sets."""
    return patch.object(screening, "_anchor", side_effect=list(anchors))


def gradient_norms(sample, theta):
    """|g_i| at every run's iterate, shape (runs, n)."""
    return np.abs(theta @ sample.X.T - sample.y) * np.sqrt((sample.X**2).sum(1))


@settings(max_examples=300)
@given(case=descents(), spread=st.sampled_from([0.0, 1e-3, 5.0]))
def test_no_record_outside_the_selection_is_clipped(case, spread):
    samples, anchors, thresholds, iterates = case
    with with_anchors(anchors):
        screen = screening.Screen(samples, thresholds, spread)
    chosen = [np.empty(0, dtype=int)] * 2
    for theta in iterates:
        for d in screen.outgrown(theta):
            before, chosen[d] = chosen[d], screen.select(d)
            assert set(before) <= set(chosen[d]), "regions only grow"
        for d, sample in enumerate(samples):
            rest = np.setdiff1d(np.arange(sample.n), chosen[d])
            # A norm's own rounding, relative to its largest term.
            assert (gradient_norms(sample, theta[d])[:, rest] <= thresholds[:, None] * (1 + 1e-9)).all()


@given(case=descents(), spread=st.sampled_from([0.0, 5.0]), seed=st.integers(0, 99))
def test_no_iterate_of_the_region_clips_a_record_outside_the_selection(case, spread, seed):
    """Also those that no descent has visited: points of the segment, and up to the radius away from it."""
    samples, anchors, thresholds, iterates = case
    with with_anchors(anchors):
        screen = screening.Screen(samples, thresholds, spread)
    for theta in iterates:
        screen.outgrown(theta)
    rng = np.random.default_rng(seed)
    for d, sample in enumerate(samples):
        rest = np.setdiff1d(np.arange(sample.n), screen.select(d))
        for threshold, radius in zip(screen.thresholds, screen.radius[d], strict=True):
            if len(rest) and np.isfinite(radius):
                steps = rng.standard_normal((50, sample.p))
                steps *= radius * rng.choice([0.5, 1.0], (50, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
                theta = rng.choice([0.0, 0.2, 1.0], (50, 1)) * screen.anchors[d] + steps
                rounding = 1e-14 * (np.abs(theta) @ np.abs(sample.X[rest].T)) * sample.norms[rest]
                assert (gradient_norms(sample, theta)[:, rest] <= threshold * (1 + 1e-9) + rounding).all()


@settings(max_examples=300)
@given(case=descents(ANY_NUMBERS))
def test_clipped_gradients_are_right_whatever_the_anchor_and_the_record(case):
    """At every iterate, up to the rounding that moments are allowed, against the mean of clipped gradients itself."""
    samples, anchors, thresholds, iterates = case
    arms = DPGDArms(1, np.ones(len(thresholds)), thresholds, np.zeros(len(thresholds)))
    with with_anchors(anchors), np.errstate(all="ignore"):
        batch = _Batch(samples, arms)
        for theta in iterates:
            gradients, fractions = batch.gradients(theta)
            for d, sample in enumerate(samples):
                for k, gamma in enumerate(thresholds):
                    each = sample.X * (sample.X @ theta[d, k] - sample.y)[:, None]
                    terms = sample.norms.max() * (np.abs(sample.X) @ np.abs(theta[d, k]) + np.abs(sample.y)).max()
                    # Rounding is relative to the terms that cancel, but for a finite threshold never more than that.
                    rounding = min(1e-12 * terms, 1e-6 * thresholds.min() if np.isfinite(gamma) else np.inf)
                    # Below the smallest normal number products may be rounded to zero.
                    rounding = max(rounding, np.finfo(float).tiny)
                    expected = twins.clip(each, gamma).mean(0)
                    np.testing.assert_allclose(gradients[d, k], expected, rtol=1e-12, atol=rounding)
                    norms = np.sqrt((each**2).sum(1))
                    sure, perhaps = (norms > gamma * (1 + 1e-6)).mean(), (norms > gamma * (1 - 1e-6)).mean()
                    assert sure - 1e-12 <= fractions[d, k] <= perhaps + 1e-12


@settings(max_examples=300)
@given(case=descents(ANY_NUMBERS), data=st.data())
def test_replacing_any_record_moves_each_mean_gradient_by_at_most_the_sensitivity(case, data):
    """At equal iterates, as the composition of Gaussian mechanisms asks for (brown2024 Lemma 2.1)."""
    (sample, _), _, thresholds, iterates = case
    X, y, i = sample.X.copy(), sample.y.copy(), data.draw(st.integers(0, sample.n - 1))
    X[i], y[i] = data.draw(arrays(float, (sample.p,), elements=ANY_NUMBERS)), data.draw(ANY_NUMBERS)
    thresholds = np.minimum(thresholds, 1e4)
    arms = DPGDArms(1, np.ones(len(thresholds)), thresholds, np.zeros(len(thresholds)))
    batches = [_Batch([each], arms) for each in (sample, LinearSample(X, y))]
    for theta in np.nan_to_num(iterates)[:, :1]:
        one, other = (batch.gradients(theta)[0][0] for batch in batches)
        for k, gamma in enumerate(thresholds):
            # The smallest threshold sets what moments may round.
            assert np.linalg.norm(one[k] - other[k]) <= mean_sensitivity(gamma, sample.n) * (1 + 1e-6)


@given(case=descents(), anchor_seed=st.integers(0, 99))
def test_the_anchor_changes_no_digit_that_matters(case, anchor_seed):
    """Descents with noise, from least squares and from anywhere else."""
    samples, _, thresholds, _ = case
    rng, runs, p = np.random.default_rng(anchor_seed), len(thresholds), samples[0].p
    largest = max(float((sample.X**2).sum(1).max()) for sample in samples)
    eta = np.full(runs, min(1.0, 1.0 / (largest + 1e-9)))
    arms = DPGDArms(6, eta, thresholds, np.full(runs, 0.1))
    normals = rng.standard_normal((6, 2, runs, p))
    usual = descend(samples, arms, normals, record=True)
    with with_anchors(rng.standard_normal((2, p)) * 10.0 ** rng.integers(-3, 4)):
        other = descend([LinearSample(sample.X, sample.y) for sample in samples], arms, normals, record=True)
    scale = 1.0 + np.abs(usual.path).max()
    np.testing.assert_allclose(other.path, usual.path, rtol=0, atol=1e-9 * scale)
