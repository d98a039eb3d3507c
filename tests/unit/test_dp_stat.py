"""DP-STAT against Algorithm 3 as it is written, its sensitivity, and what its rules of stopping guarantee."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdescent.algorithms.dp_stat import Search
from shuffled_twins import dp_stat

L, ALPHA = 6, 0.7
# On the grid B / 64, ..., B with B = 8 exactly, between its points, above it, and no number at all.
VALUES = st.sampled_from([0.0, 0.125, -0.25, 1.0, 2.0, -4.0, 8.0, 0.1, 0.3, -1.5, 5.0, 7.9, 9.0, -1e300, math.inf])
RECORDS = st.lists(VALUES, min_size=1, max_size=12)
NORMALS = st.lists(st.floats(-3, 3), min_size=L, max_size=L)


def search(**changes) -> Search:
    return Search(**{"largest": 8.0, "levels": L, "noise_multiplier": ALPHA, **changes})


def enough(rule, s):
    """The three rules, written out for L = 6, C = 1.5 and q = 0.8."""
    return {"as published": s, "corrected": s - 1.5 * ALPHA * math.sqrt(6) * math.sqrt(2 * math.log(6)),
            "quantile": 0.8 * s}[rule]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(residuals=RECORDS, normals=NORMALS, rule=st.sampled_from(["as published", "corrected", "quantile"]))
def test_the_search_equals_the_twin(residuals, normals, rule):
    one = search(rule=rule, margin=1.5, quantile=0.8)
    s, r = len(residuals), np.array(residuals)
    expected = dp_stat(
        np.ones((s, 1)), -r, np.zeros(1), largest=8.0, levels=L, noise_sd=ALPHA * math.sqrt(L), enough=enough(rule, s),
        normals=normals,
    )  # fmt: skip
    assert one.select(one.counts(r), np.array(normals), s) == expected
    assert one.enough(s) == pytest.approx(enough(rule, s), rel=1e-14)


def test_counts_and_choices_of_many_sets_are_those_of_each():
    one, rng = search(rule="as published"), np.random.default_rng(0)
    residuals, normals = rng.standard_normal((4, 3, 50)), rng.standard_normal((4, 3, L))
    counts = one.counts(residuals)
    chosen = one.select(counts, normals, 50)
    assert counts.shape == (4, 3, L)
    assert len(np.unique(chosen)) > 2
    for i in range(4):
        for j in range(3):
            np.testing.assert_array_equal(
                counts[i, j], [(np.abs(residuals[i, j]) <= g).sum() for g in one.thresholds[:L]]
            )
            assert chosen[i, j] == one.select(counts[i, j], normals[i, j], 50)


@pytest.mark.parametrize("largest", [8.0, 3.7, 1e-310, 5e-300, 1e306])
@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_counts_are_comparisons_to_the_last_bit(largest, offset):
    """On thresholds and beside them, at numbers too small to be normal, and where thresholds are."""
    one = search(largest=largest, offset=offset)
    grid = one.thresholds
    sizes = np.concatenate([grid, np.nextafter(grid, np.inf), np.nextafter(grid, 0.0), [0.0, 5e-324, 1e-309, np.inf]])
    residuals = np.concatenate([sizes, -sizes, np.random.default_rng(1).standard_normal(200) * largest])
    assert one.counts(residuals).tolist() == [np.count_nonzero(np.abs(residuals) <= gamma) for gamma in grid[:L]]
    assert one.counts(np.array([np.nan, -np.nan])).tolist() == [0.0] * L


@settings(max_examples=150, deadline=None)
@given(residuals=RECORDS, place=st.integers(0, 11), other=VALUES)
def test_replacing_a_record_moves_each_count_by_one_at_most(residuals, place, other):
    changed = list(residuals)
    changed[place % len(changed)] = other
    one = search()
    moved = one.counts(np.array(changed)) - one.counts(np.array(residuals))
    assert np.abs(moved).max() <= 1
    # All counts move at once where a residual crosses the whole grid: sqrt(L) is attained.
    far = one.counts(np.array([0.0])) - one.counts(np.array([9.0]))
    np.testing.assert_array_equal(far, np.ones(L))


def test_noise_and_release_are_those_of_the_count_vector():
    one = search()
    assert one.noise_sd == ALPHA * math.sqrt(L)
    release = one.release()
    assert (release.sensitivity, release.noise_sd, release.count) == (1.0, one.noise_sd, L)
    assert release.rho == pytest.approx(1.0 / (2.0 * ALPHA**2), rel=1e-14)
    assert one.guard == pytest.approx(4.0 * one.noise_sd * math.sqrt(2.0 * math.log(L)), rel=1e-14)


def test_thresholds_double_up_to_the_largest():
    np.testing.assert_array_equal(search().thresholds, 8.0 / 2.0 ** np.arange(L, -1, -1))
    np.testing.assert_allclose(search(offset=0.5).thresholds, 8.0 * 2.0 ** (np.arange(-L, 1) + 0.5), rtol=1e-15)


def test_more_octaves_than_floats_have_count_zeros_only():
    """As with the printed Delta = B / N^200."""
    deep = search(levels=3000)
    assert (deep.thresholds[:1000] == 0.0).all()
    assert (np.diff(deep.thresholds) >= 0.0).all()
    counts = deep.counts(np.array([0.0, 1.0, 9.0]))
    assert (counts[0], counts[-3], counts[-1]) == (1.0, 2.0, 2.0)


def test_what_is_never_enough_ends_at_the_largest():
    one = search(rule="as published")
    assert one.select(np.zeros(L), np.zeros(L), 5) == 8.0
    # The last count sees residuals up to B / 2, so that B is returned without a look.
    assert one.select(one.counts(np.full(5, 7.0)), np.zeros(L), 5) == 8.0
    assert one.select(one.counts(np.full(5, 3.0)), np.zeros(L), 5) == 4.0


@pytest.mark.parametrize(("share", "expected"), [(0.5, 1.0), (0.75, 2.0), (0.76, 4.0), (1.0, 4.0)])
def test_without_noise_a_quantile_is_covered_tightly(share, expected):
    one = search(noise_multiplier=0.0, rule="quantile", quantile=share)
    assert one.select(one.counts(np.array([0.9, -1.0, 1.5, 3.0])), np.zeros(L), 4) == expected


DRAWS, S = 3000, 1000


def chosen(rule):
    """Residuals |N(0, 1)|, a set of its own for every draw, and the thresholds chosen for them."""
    one = Search(32.0, 20, 4.2, rule=rule)
    rng = np.random.default_rng(3)
    residuals = np.abs(rng.standard_normal((DRAWS, S)))
    return one, residuals, one.select(one.counts(residuals), rng.standard_normal((DRAWS, 20)), S)


@pytest.mark.parametrize(("rule", "keeps"), [("corrected", True), ("as published", False)])
def test_the_corrected_rule_keeps_its_guarantee_and_the_printed_one_does_not(rule, keeps):
    """Most residuals are covered, and half of the threshold would not cover all of them."""
    one, residuals, gamma = chosen(rule)
    covered = (residuals <= gamma[:, None]).sum(1)
    low = S - 2.0 * one.noise_sd * math.sqrt(2.0 * math.log(20))
    assert 0.5 * S < low < S
    wide = (residuals <= gamma[:, None] / 2.0).all(1)
    kept = ((covered >= low) & ~wide).mean()
    assert kept >= 0.99 if keeps else kept < 0.8
    assert len(np.unique(gamma)) > 2, "the threshold depends on the draw"


def test_the_printed_rule_passes_good_thresholds_with_probability_one_half_each():
    """Shares of overshoots by at least 1, 2, 3 octaves: 1/2, 1/4, 1/8."""
    one = Search(2.0**12, 20, 4.2, rule="as published")
    # All residuals lie just below the ninth threshold, Delta 2^8.
    counts = np.broadcast_to(one.counts(np.full(S, 0.99 * one.thresholds[8])), (DRAWS, 20))
    octaves = np.log2(one.select(counts, np.random.default_rng(4).standard_normal((DRAWS, 20)), S) / one.thresholds[8])
    assert octaves.min() == 0
    for k in (1, 2, 3):
        error = math.sqrt(0.5**k * (1 - 0.5**k) / DRAWS)
        assert abs((octaves >= k).mean() - 0.5**k) < 3.5 * error
    corrected = Search(2.0**12, 20, 4.2)
    after = corrected.select(counts, np.random.default_rng(4).standard_normal((DRAWS, 20)), S)
    assert (after > one.thresholds[8]).mean() < 0.02


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: search(largest=0.0), "largest must be positive"),
        (lambda: search(largest=math.inf), "largest=inf must be finite"),
        (lambda: search(levels=0), "levels must be positive"),
        (lambda: search(noise_multiplier=-1.0), "noise_multiplier must not be negative"),
        (lambda: search(noise_multiplier=math.nan), "noise_multiplier must not be negative"),
        (lambda: search(noise_multiplier=math.inf), "noise_multiplier=inf must be finite"),
        (lambda: search(margin=-0.1), "margin must not be negative"),
        (lambda: search(quantile=0.0), "quantile must be positive"),
        (lambda: search(quantile=1.1), "quantile=1.1 must not exceed 1"),
        (lambda: search(offset=1.0), "offset=1.0 must be below 1"),
        (lambda: search(offset=-0.1), "offset must not be negative"),
        (lambda: search(rule="printed"), "rule='printed' must be one of"),
        (lambda: search().select(np.zeros(L), np.zeros(L + 1), 4), r"normals \(7,\) must end in levels=6"),
        (lambda: search().select(np.zeros(L - 1), np.zeros(L), 4), r"counts \(5,\)"),
        (lambda: search().select(np.zeros(L), np.zeros(L), 0), "s must be positive"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
