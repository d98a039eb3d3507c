"""Clipping and sensitivity as properties: whatever record is replaced, a released mean moves by at most 2 gamma / n."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpdescent.algorithms.dp_2s_gd import Normals, TwoStageArms, descend
from dpdescent.algorithms.rows import Layout
from dpdescent.algorithms.single_instrument import Gradients
from dpdescent.algorithms.two_stage_products import clipped_gradients
from dpdescent.data.iv import IVSample
from dpdescent.privacy.clipping import clip_factors, mean_sensitivity

NORMS = st.floats(0, 1e200, allow_nan=False)
THRESHOLDS = st.floats(1e-6, 1e200) | st.just(np.inf)
# Far beyond any data: clipping must hold for the record that somebody plants.
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([1e12, -1e17, 1e20, -1e30])
RECORDS = st.integers(2, 12)


@given(norms=arrays(float, (3, 7), elements=NORMS), threshold=THRESHOLDS)
def test_clipped_norms_never_exceed_the_threshold_and_small_ones_stay(norms, threshold):
    factors = clip_factors(norms, np.full((3, 1), threshold))
    assert ((factors > 0) & (factors <= 1)).all()
    assert (norms * factors <= threshold * (1 + 1e-12)).all()
    assert (factors[norms <= threshold] == 1.0).all()


@st.composite
def neighbours(draw):
    """Two samples that differ in one record."""
    n, p = draw(RECORDS), draw(st.integers(1, 3))
    q = draw(st.integers(p, 4))
    table = draw(arrays(float, (n, q + p + 1), elements=NUMBERS))
    changed = table.copy()
    changed[draw(st.integers(0, n - 1))] = draw(arrays(float, (q + p + 1,), elements=NUMBERS))
    return [IVSample(t[:, :q], t[:, q : q + p], t[:, -1]) for t in (table, changed)]


@given(pair=neighbours(), gamma=st.floats(1e-3, 1e3))
def test_replacing_any_record_moves_each_release_by_at_most_the_sensitivity(pair, gamma):
    """One step from Theta = 0 releases the first stage; the second step's beta release is compared at equal history."""
    p, q = pair[0].p, pair[0].q
    one = np.ones(1)
    arms = TwoStageArms(np.array([1]), one, one, gamma * one, gamma * one, 0 * one, 0 * one)
    normals = Normals(np.zeros((1, 1, p, q)), np.zeros((1, 1, p)))
    moves = [descend(sample, arms, normals).Theta[0] for sample in pair]
    limit = mean_sensitivity(gamma, pair[0].n) * (1 + 1e-9)
    assert np.linalg.norm(moves[0] - moves[1]) <= limit


@given(pair=neighbours(), gamma=st.floats(1e-3, 1e3), seed=st.integers(0, 99))
def test_second_stage_sensitivity_at_a_fixed_history(pair, gamma, seed):
    rng = np.random.default_rng(seed)
    p, q = pair[0].p, pair[0].q
    Theta, beta = rng.standard_normal((1, p, q)), rng.standard_normal((1, p))
    limit = np.full((1, 1), gamma)
    count, room = np.zeros((2, 1)), np.empty(64)
    sums = [clipped_gradients(Layout.of(each), Theta, beta, limit, limit, count, room)[1] for each in pair]
    assert np.linalg.norm(sums[0] - sums[1]) / pair[0].n <= mean_sensitivity(gamma, pair[0].n) * (1 + 1e-9)


@given(pair=neighbours(), gamma=st.floats(1e-3, 1e3), seed=st.integers(0, 99))
def test_sensitivity_from_sorted_records(pair, gamma, seed):
    """Both stages at a fixed history, with one regressor and one instrument."""
    Theta, beta = np.random.default_rng(seed).standard_normal((2, 3))
    limit = np.full(3, gamma)
    sums = [
        Gradients(IVSample(each.Z[:, :1], each.X[:, :1], each.y)).clipped(Theta, beta, limit, limit) for each in pair
    ]
    for stage in (0, 1):
        moved = np.abs(sums[0][stage] - sums[1][stage]) / pair[0].n
        assert (moved <= mean_sensitivity(gamma, pair[0].n) * (1 + 1e-6)).all()


def test_the_sensitivity_is_attained():
    """A record whose gradient flips its sign moves the mean by exactly 2 gamma / n."""
    z = np.ones((4, 1))
    pair = [IVSample(z, np.array([[sign * 100.0], [0.0], [0.0], [0.0]]), np.zeros(4)) for sign in (1, -1)]
    one = np.ones(1)
    arms = TwoStageArms(np.array([1]), one, one, 2 * one, one, 0 * one, 0 * one)
    normals = Normals(np.zeros((1, 1, 1, 1)), np.zeros((1, 1, 1)))
    first, second = (descend(sample, arms, normals).Theta[0, 0, 0] for sample in pair)
    assert first - second == mean_sensitivity(2.0, 4)
