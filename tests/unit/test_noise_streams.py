"""Correlated noise as it is made, by transform, by shifts or block by block, against the dense product B @ normals."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from dpdescent.noise import streams
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import anti_pgd, damped_anti_pgd, identity, nu_family, optimal_cc
from dpdescent.noise.strategies.tree import full_honaker, online_honaker, tree_aggregation
from dpdescent.noise.streams import NoiseStream, correlate

STRATEGIES = [
    *(identity(), nu_family(0.1), optimal_cc(), anti_pgd(), damped_anti_pgd(0.2)),
    *(tree_aggregation(), tree_aggregation(True), online_honaker(), full_honaker()),
    *(stamped(damped_anti_pgd(0.1), 3), stamped(online_honaker(), 2), stamped(nu_family(0.1), 4)),
]
SHORT = [identity(), damped_anti_pgd(0.3), tree_aggregation(), online_honaker(), stamped(nu_family(0.1), 40)]
named = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: s.name)


def normals_for(strategy, T, *shape):
    return np.random.default_rng(7).standard_normal((strategy.noises(T), *shape))


@pytest.mark.parametrize("T", [1, 6, 33, 64])
@named
def test_noise_has_the_covariance_of_the_decoder(strategy, T):
    """Exactly: made of the columns of the identity, the noise is B itself."""
    T = max(T, strategy.fewest_steps())
    B = strategy.correlate(np.eye(strategy.noises(T)))
    C = strategy.encoder(T)
    np.testing.assert_allclose(B, strategy.decoder(T), atol=1e-14)
    np.testing.assert_allclose(B @ C, np.eye(T), atol=1e-12)


def test_the_drawn_noise_has_that_covariance_too():
    strategy, T, columns = nu_family(0.1), 6, 200_000
    noise = np.concatenate(list(NoiseStream(strategy, T, columns, np.random.default_rng(0))))
    B = strategy.decoder(T)
    np.testing.assert_allclose(noise @ noise.T / columns, B @ B.T, atol=5 * np.sqrt(2 / columns))


@named
def test_noise_keeps_the_shape_of_a_step(strategy):
    normals = normals_for(strategy, 20, 3, 2)
    noise = strategy.correlate(normals)
    np.testing.assert_allclose(noise, np.tensordot(strategy.decoder(20), normals, axes=1), atol=1e-12)


@pytest.mark.parametrize("block", [1, 7, 64, 500])
@named
def test_streamed_noise_is_that_of_the_same_normals(strategy, block):
    T = 130
    stream = NoiseStream(strategy, T, 5, np.random.default_rng(7), block)
    blocks = list(stream)
    assert max(map(len, blocks)) <= block
    np.testing.assert_allclose(np.concatenate(blocks), strategy.correlate(normals_for(strategy, T, 5)), atol=1e-10)


@named
def test_bytes_do_not_depend_on_blocks_or_on_other_columns(strategy):
    T, normals = 130, normals_for(strategy, 130, 300)
    whole = strategy.correlate(normals)
    for columns in (slice(0, 1), slice(3, 200), slice(299, 300)):
        np.testing.assert_array_equal(strategy.correlate(normals[:, columns]), whole[:, columns])
    for one, other in pairwise(
        np.concatenate(list(NoiseStream(strategy, T, 3, np.random.default_rng(0), block))) for block in (1, 13, 130)
    ):
        np.testing.assert_array_equal(one, other)


def test_bytes_of_long_noise_do_not_depend_on_the_width_of_blocks(monkeypatch):
    beta = nu_family(0.01).coefficients(3000)
    normals = np.random.default_rng(0).standard_normal((3000, 50))
    noise = correlate(beta, normals)
    monkeypatch.setattr(streams, "CACHED", 0)
    monkeypatch.setattr(streams, "NARROWEST", 3)
    np.testing.assert_array_equal(correlate(beta, normals), noise)


@pytest.mark.parametrize("taps", [0, 1, 3, 4, 5, 40, 100, 150])
def test_lists_of_any_length_are_summed(taps):
    rng = np.random.default_rng(1)
    beta, normals = rng.standard_normal(taps), rng.standard_normal((100, 4))
    expected = [sum((beta[s] * normals[t - s] for s in range(min(taps, t + 1))), np.zeros(4)) for t in range(100)]
    np.testing.assert_allclose(correlate(beta, normals), expected, atol=1e-12)


@pytest.mark.parametrize("taps", [3, 100])
def test_noise_can_take_the_place_of_the_normals(taps):
    rng = np.random.default_rng(1)
    beta, normals = rng.standard_normal(taps), rng.standard_normal((100, 40))
    expected = correlate(beta, normals)
    assert correlate(beta, normals, out=normals) is normals
    np.testing.assert_array_equal(normals, expected)
    with pytest.raises(ValueError, match="contiguous"):
        correlate(beta, normals, out=normals[:, ::2])


def test_optimal_noise_is_made_of_dense_products_in_padded_blocks():
    strategy = multi_epoch_optimum(30, 5)
    normals = normals_for(strategy, 30, 200)
    whole = strategy.correlate(normals)
    np.testing.assert_allclose(whole, strategy.decoder(30) @ normals, atol=1e-10)
    np.testing.assert_array_equal(strategy.correlate(normals[:, 37:61]), whole[:, 37:61])


def peak(strategy, T, columns=50, block=16):
    """Bytes that a stream takes at most, blocks thrown away."""
    stream = NoiseStream(strategy, T, columns, np.random.default_rng(0), block)
    tracemalloc.start()
    try:
        for _ in stream:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("strategy", SHORT, ids=lambda s: s.name)
def test_memory_of_short_recursions_is_that_of_a_few_blocks(strategy):
    T, row = 6000, 8 * 50
    assert peak(strategy, 600) < peak(strategy, T) + 1000
    assert peak(strategy, T) < 0.25 * T * row


def test_memory_of_long_memories_is_one_history():
    T, row = 3000, 8 * 2000
    assert peak(nu_family(0.1), T, 2000) < 1.2 * T * row


def test_arguments_out_of_range_are_refused():
    for bad in ({"steps": 0}, {"columns": 0}, {"block": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            NoiseStream(**{"strategy": identity(), "steps": 3, "columns": 2, "rng": np.random.default_rng(0), **bad})
