"""DP-FTRL's worst pairs: the run's own releases, the likelihood ratio, mu against the strategies' sensitivity."""

import numpy as np
import pytest

from dpdescent.attacks import correlated
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.privacy.audit import attack

SQUARE: list[Strategy] = [
    toeplitz.identity(),
    toeplitz.nu_family(0.05),
    toeplitz.optimal_cc(),
    stamped(toeplitz.optimal_cc(), 3),
    toeplitz.damped_anti_pgd(0.1),
    multi_epoch_optimum(12, 3),
]
ONLINE: list[Strategy] = [tree.tree_aggregation(finished_only=True), tree.online_honaker(finished_only=True)]


@pytest.mark.parametrize("strategy", SQUARE, ids=lambda each: each.name)
def test_the_pair_attains_the_sensitivity_of_a_square_encoder(strategy: Strategy) -> None:
    assert correlated.fixed_order(strategy, 12, 3, 0.7).mu == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize("strategy", ONLINE, ids=lambda each: each.name)
def test_online_trees_show_at_most_their_sensitivity(strategy: Strategy) -> None:
    """By brute force: the Gaussian of the released sums, whose covariance is B B'."""
    T, k, mu = 12, 3, 0.7
    C, B = strategy.encoder(T), strategy.decoder(T)
    shifts = [(np.arange(T) % 4 == offset).astype(float) for offset in range(4)]
    worst = max(shifts, key=lambda shift: float(np.linalg.norm(C @ shift)))
    variance = (np.linalg.norm(C @ worst) / mu) ** 2
    expected = np.sqrt(worst @ np.linalg.inv(B @ B.T) @ worst / variance)
    found = correlated.fixed_order(strategy, T, k, mu).mu
    assert found == pytest.approx(expected, rel=1e-9)
    assert expected <= mu * (1.0 + 1e-9)


def test_the_pattern_is_the_one_of_largest_norm() -> None:
    strategy = stamped(toeplitz.optimal_cc(), 5)
    C = strategy.encoder(12)
    norms = {o: float(np.linalg.norm(C[:, o::4].sum(axis=1))) for o in range(4)}
    best = max(norms, key=lambda each: norms[each])
    found = correlated.pattern(strategy, 12, 3)
    assert np.linalg.norm(C @ found) == pytest.approx(norms[best], rel=1e-12)
    assert found.sum() == 3


def test_the_training_loop_shows_sums_of_clipped_gradients_and_their_noise() -> None:
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((5, 2))
    # Two records of run 0, one of run 1; the second one is clipped.
    gradients, owners = np.array([0.25, 7.0, -0.5]), np.array([0, 0, 1])
    batches = [np.array([0, 1]), np.array([2]), np.array([], dtype=np.intp)]
    shown = correlated.released(gradients, owners, batches, noise, 3.0)
    sums = np.array([[1.25, 0.0], [0.0, -0.5], [0.0, 0.0], [1.25, 0.0], [0.0, -0.5]])
    np.testing.assert_allclose(shown, sums + 3.0 * noise, atol=1e-12)


def test_weights_are_those_of_the_likelihood_ratio() -> None:
    strategy = toeplitz.nu_family(0.1)
    shift = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    score, mu = correlated.weights(strategy, shift)
    C = strategy.encoder(6)
    np.testing.assert_allclose(score, C.T @ C @ shift, rtol=1e-9)
    assert mu == pytest.approx(np.linalg.norm(C @ shift), rel=1e-12)


@pytest.mark.parametrize("strategy", [*SQUARE[:3], *ONLINE], ids=lambda each: each.name)
def test_scores_are_normal_mu_apart(strategy: Strategy) -> None:
    """In units of their sd, which the likelihood ratio has by itself."""
    made = correlated.fixed_order(strategy, 12, 3, 1.5)
    first, second = made.simulate(20_000, np.random.default_rng(1))
    assert made.mu is not None
    assert first.std() == pytest.approx(second.std(), rel=0.03)
    assert (second.mean() - first.mean()) / first.std() == pytest.approx(made.mu, abs=0.05)
    assert abs(float(np.corrcoef(first, second)[0, 1])) < 0.05


@pytest.mark.parametrize("nu", [0.0, 0.02, 1.0])
def test_a_single_pass_is_audited_through_the_running_mean(nu: float) -> None:
    made = correlated.single_pass(toeplitz.nu_family(nu), 30, 1.2)
    assert made.mu == pytest.approx(1.2, rel=1e-9)
    first, second = made.simulate(20_000, np.random.default_rng(2))
    assert (second.mean() - first.mean()) / first.std() == pytest.approx(1.2, abs=0.05)


@pytest.mark.parametrize("strategy", [toeplitz.nu_family(0.05), tree.tree_aggregation(finished_only=True)])
def test_the_bound_is_below_mu_and_not_far(strategy: Strategy) -> None:
    made = correlated.fixed_order(strategy, 24, 3, 1.0)
    low = attack.run(made, 40_000, np.random.default_rng(3)).mu_low()
    assert made.mu is not None
    assert 0.9 * made.mu <= low <= made.mu


def test_too_little_noise_is_found_out() -> None:
    """A mechanism that claims mu = 0.5 with the noise of mu = 1 is refuted."""
    made = correlated.single_pass(toeplitz.nu_family(0.05), 20, 1.0)
    assert attack.run(made, 20_000, np.random.default_rng(4)).mu_low(attack.SURE) > 0.5


def test_participations_must_divide_the_steps() -> None:
    with pytest.raises(ValueError, match="must divide T=10"):
        correlated.fixed_order(toeplitz.identity(), 10, 3, 1.0)
