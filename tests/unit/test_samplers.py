"""Who takes part when: sizes, independence, and every record equally often."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

from dpdescent.algorithms.samplers import balls_in_bins, fixed_order, fixed_size, participations, poisson

RNG = np.random.default_rng(0)


def test_fixed_order_is_one_epoch():
    batches = fixed_order(30, 6, np.random.default_rng(0))
    assert [len(batch) for batch in batches] == [6] * 5
    assert sorted(np.concatenate(batches).tolist()) == list(range(30))
    assert np.concatenate(batches).tolist() != list(range(30))


def test_poisson_batches_are_independent_coins():
    batches = poisson(200, 0.1, 2000, np.random.default_rng(0))
    sizes = np.array([len(batch) for batch in batches])
    assert abs(sizes.mean() - 20) < 4 * np.sqrt(18 / 2000)
    assert sizes.var() == pytest.approx(18, rel=0.15)
    often = np.bincount(np.concatenate(batches), minlength=200)
    assert often.var() == pytest.approx(2000 * 0.09, rel=0.4)
    assert all(len(set(batch.tolist())) == len(batch) for batch in batches)
    assert [len(batch) for batch in poisson(5, 1.0, 3, RNG)] == [5, 5, 5]


@pytest.mark.parametrize(("records", "size"), [(6, 2), (5, 3)])
def test_fixed_size_batches_are_equally_likely_sets(records, size):
    """By a chi-squared statistic; batches of two of six are drawn in another way than those of three of five."""
    batches = [tuple(sorted(batch.tolist())) for batch in fixed_size(records, size, 6000, np.random.default_rng(0))]
    counts = np.array([batches.count(one) for one in combinations(range(records), size)])
    assert counts.sum() == 6000
    expected = 6000 / len(counts)
    assert ((counts - expected) ** 2 / expected).sum() < chi2.ppf(0.999, len(counts) - 1)


@pytest.mark.parametrize(("records", "size"), [(100, 20), (500, 20)])
def test_fixed_size_batches_are_fresh_in_every_step(records, size):
    """Consecutive batches have B^2/n records in common on average, as hypergeometric numbers; an epoch's have none."""
    batches = list(fixed_size(records, size, 2000, np.random.default_rng(0)))
    common = [len(np.intersect1d(one, other)) for one, other in pairwise(batches)]
    law = hypergeom(records, size, size)
    assert abs(np.mean(common) - law.mean()) < 4 * law.std() / np.sqrt(2000)
    assert len(batches) == 2000
    assert all(len(set(batch.tolist())) == size for batch in batches)


@pytest.mark.parametrize(("records", "size", "steps"), [(7, 1, 900), (20, 5, 700), (50, 3, 1), (6, 4, 300)])
def test_participations_are_those_of_record_0_in_fixed_size_batches(records, size, steps):
    """Equal, and as many random numbers are used: what is drawn next is the same."""
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    expected = [0 in batch for batch in fixed_size(records, size, steps, other)]
    assert participations(records, size, steps, one).tolist() == expected
    assert one.random() == other.random()


def test_fixed_size_may_take_one_or_all():
    assert sorted(next(fixed_size(7, 7, 1, RNG)).tolist()) == list(range(7))
    ones = np.concatenate(list(fixed_size(7, 1, 700, RNG)))
    assert len(ones) == 700
    assert set(ones.tolist()) == set(range(7))


def test_balls_in_bins_is_one_epoch_of_independent_dice():
    rng = np.random.default_rng(0)
    draws = [balls_in_bins(40, 8, rng) for _ in range(1000)]
    for bins in draws[:20]:
        assert len(bins) == 8
        assert sorted(np.concatenate(bins).tolist()) == list(range(40))
    sizes = np.array([[len(records) for records in bins] for bins in draws])
    # Binomial(40, 1/8): mean 5, variance 4.375; a permutation cut into equal parts would have none.
    np.testing.assert_allclose(sizes.mean(0), 5, atol=4 * np.sqrt(4.375 / 1000))
    np.testing.assert_allclose(sizes.var(0), 4.375, rtol=0.2)
    assert any(len(records) == 0 for bins in draws for records in bins)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fixed_order(30, 7, RNG), "batch_size=7 must divide records=30"),
        (lambda: poisson(30, 0.0, 5, RNG), "rate=0.0"),
        (lambda: poisson(30, 1.1, 5, RNG), "rate=1.1"),
        (lambda: fixed_size(30, 31, 5, RNG), "batch_size=31 must lie between 1 and records=30"),
        (lambda: fixed_size(30, 0, 5, RNG), "batch_size=0"),
        (lambda: balls_in_bins(30, 0, RNG), "bins must be positive"),
        (lambda: balls_in_bins(0, 3, RNG), "records must be positive"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
