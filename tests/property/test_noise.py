"""Correlated noise as properties: sensitivity grows with T and k, errors with T, blocks and restarts change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdescent.noise.strategies import spectral
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import anti_pgd, damped_anti_pgd, identity, nu_family, optimal_cc
from dpdescent.noise.strategies.tree import online_honaker, tree_aggregation
from dpdescent.noise.streams import NoiseStream, correlate

NUS = st.floats(0, 1)
TOEPLITZ = st.sampled_from([identity(), optimal_cc(), anti_pgd()]) | NUS.map(nu_family) | NUS.map(damped_anti_pgd)
TREES = st.sampled_from([make(only) for make in (tree_aggregation, online_honaker) for only in (False, True)])
ANYTIME = TOEPLITZ | TREES
STEPS = st.integers(1, 70)


@given(strategy=ANYTIME, T=STEPS, more=st.integers(1, 70))
def test_longer_runs_are_no_less_sensitive_and_have_no_less_error(strategy, T, more):
    assert strategy.sensitivity_squared(T) <= strategy.sensitivity_squared(T + more) * (1 + 1e-12)
    np.testing.assert_allclose(strategy.prefix_errors_squared(T), strategy.prefix_errors_squared(T + more)[:T])


@given(strategy=TOEPLITZ, T=STEPS)
def test_no_run_is_more_sensitive_than_the_limit(strategy, T):
    assert strategy.sensitivity_squared(T) <= strategy.sensitivity_squared_limit() * (1 + 1e-12)


@given(strategy=ANYTIME, b=st.integers(1, 12), k=st.integers(1, 6))
def test_sensitivity_lies_between_orthogonal_and_equal_columns(strategy, b, k):
    C = strategy.encoder(b * k)
    norms = np.linalg.norm(C, axis=0).reshape(k, b)
    squared = strategy.sensitivity_squared(b * k, k)
    assert (norms**2).sum(0).max() * (1 - 1e-12) <= squared <= norms.sum(0).max() ** 2 * (1 + 1e-12)


@given(strategy=ANYTIME, T=STEPS, block=st.integers(1, 80), copies=st.integers(1, 5))
def test_noise_does_not_depend_on_the_blocks_it_is_made_in(strategy, T, block, copies):
    strategy = stamped(strategy, min(copies, T))
    streamed = np.concatenate(list(NoiseStream(strategy, T, 2, np.random.default_rng(0), block)))
    normals = np.random.default_rng(0).standard_normal((strategy.noises(T), 2))
    np.testing.assert_allclose(streamed, strategy.correlate(normals), atol=1e-10)


@given(strategy=ANYTIME, T=STEPS, copies=st.integers(1, 5))
def test_the_decoder_inverts_the_encoder(strategy, T, copies):
    strategy = stamped(strategy, min(copies, T))
    # A random gradient comes back from what is released.
    g = np.random.default_rng(0).standard_normal((T, 1))
    np.testing.assert_allclose(strategy.correlate(strategy.encoder(T) @ g), g, atol=1e-9)
    assert strategy.steps(strategy.noises(T)) == T


@given(taps=st.lists(st.floats(-10, 10), min_size=1, max_size=30), T=STEPS)
def test_sums_are_linear_and_causal(taps, T):
    beta, z = np.array(taps), np.random.default_rng(0).standard_normal((T, 3))
    noise = correlate(beta, z)
    np.testing.assert_allclose(correlate(beta, 2 * z), 2 * noise, atol=1e-9)
    z[T // 2 :] += 1
    np.testing.assert_allclose(correlate(beta, z)[: T // 2], noise[: T // 2], atol=1e-9)


@given(
    zeros=st.lists(st.floats(0.1, 0.98) | st.floats(1.02, 3), min_size=1, max_size=5),
    seed=st.integers(0, 9),
)
def test_minimum_phase_is_where_the_zeros_are(zeros, seed):
    angles = np.random.default_rng(seed).choice([0.0, np.pi], len(zeros))
    beta = np.ones(1)
    for radius, angle in zip(zeros, angles, strict=True):
        beta = np.convolve(beta, [1.0, -np.cos(angle) / radius])
    assert spectral.is_minimum_phase(beta) is (min(zeros) > 1)


@given(nu=st.floats(0.001, 1), T=st.integers(2, 300))
def test_later_noise_takes_back_earlier_noise(nu, T):
    """beta_0 > 0 > beta_t, and the sum of all stays positive: prefix errors grow without jumps."""
    beta = nu_family(nu).coefficients(T)
    assert beta[0] == 1.0
    assert (beta[1:] <= 0.0).all()
    assert np.cumsum(beta).min() >= 0.0
    assert np.abs(beta).sum() <= 2 - np.sqrt(nu) + 1e-12
    with pytest.raises(ValueError, match="nu"):
        nu_family(nu + 1.0)
