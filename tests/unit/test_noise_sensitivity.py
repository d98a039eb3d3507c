"""Sensitivity against brute force over all records, participations, signs and directions; limits and refusals."""

from itertools import combinations, product

import numpy as np
import pytest

from dpdescent.noise import sensitivity
from dpdescent.noise.strategies import spectral
from dpdescent.noise.strategies.base import separation
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import anti_pgd, damped_anti_pgd, identity, nu_family, optimal_cc
from dpdescent.noise.strategies.tree import full_honaker, online_honaker, tree_aggregation

STRATEGIES = [
    *(identity(), nu_family(0.1), optimal_cc(), anti_pgd(), damped_anti_pgd(0.2)),
    *(tree_aggregation(), tree_aggregation(True), full_honaker(), full_honaker(True)),
    *(stamped(nu_family(0.1), 3), stamped(tree_aggregation(), 2), stamped(online_honaker(True), 5)),
]
SETTINGS = [(12, 1), (12, 3), (12, 4), (12, 12), (13, 1), (20, 5), (24, 4)]


def brute_force(C, k):
    """Largest squared move of C g by a record: any offset, any of its k participations, any sign of each of them."""
    T, worst = C.shape[1], 0.0
    for offset in range(T // k):
        steps = range(offset, T, T // k)
        for taken in (chosen for size in range(1, k + 1) for chosen in combinations(steps, size)):
            for signs in product((1.0, -1.0), repeat=len(taken)):
                worst = max(worst, float(((C[:, taken] @ np.array(signs)) ** 2).sum()))
    return worst


@pytest.mark.parametrize(("T", "k"), [(12, 1), (12, 3), (12, 4), (13, 1), (20, 5)])
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: f"{s.name} {getattr(s, 'finished_only', '')}")
def test_sensitivity_is_that_of_the_worst_record(strategy, T, k):
    assert strategy.sensitivity_squared(T, k) == pytest.approx(brute_force(strategy.encoder(T), k), rel=1e-12)


@pytest.mark.parametrize(("T", "b"), [(12, 12), (12, 5), (13, 4), (20, 1), (9, 30), (64, 16)])
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: f"{s.name} {getattr(s, 'finished_only', '')}")
def test_norms_of_every_offset_are_those_of_the_dense_encoder(strategy, T, b):
    C = strategy.encoder(T)
    expected = [(C[:, offset::b].sum(1) ** 2).sum() for offset in range(b)]
    np.testing.assert_allclose(strategy.participation_norms_squared(T, b), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(sensitivity.norms_squared(C, b), expected, rtol=1e-12, atol=1e-15)


def test_directions_do_not_move_the_release_further():
    """Contributions are vectors of norm 1; with C'C >= 0 none beats k equal ones (checked at random and by ascent)."""
    C, k = nu_family(0.05).encoder(20), 4
    rng = np.random.default_rng(0)
    for _ in range(20):
        u = rng.standard_normal((k, 3))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        gram = C[:, ::5].T @ C[:, ::5]
        for _ in range(50):
            assert np.trace(gram @ u @ u.T) <= sensitivity.squared_of(C, k) * (1 + 1e-12)
            for i in range(k):
                u[i] = gram[i] @ u - gram[i, i] * u[i]
                u[i] /= np.linalg.norm(u[i])
        assert np.trace(gram @ u @ u.T) == pytest.approx(sensitivity.squared_of(C, k), rel=1e-3)


def test_encoders_with_cancelling_columns_are_refused():
    C = np.array([[1.0, 0.0], [-0.5, 1.0]])
    assert sensitivity.squared_of(C) == 1.25
    # Its columns add up to less than they do with opposite signs.
    assert ((C @ [1, 1]) ** 2).sum() < ((C @ [1, -1]) ** 2).sum() == brute_force(C, 2)
    with pytest.raises(ValueError, match="none may be negative"):
        sensitivity.squared_of(C, 2)
    swinging = spectral.from_power("swinging", np.abs(1 + 0.5 * np.exp(1j * spectral.frequencies(512))) ** 2)
    np.testing.assert_allclose(swinging.encoder_coefficients(3), [1, -0.5, 0.25], atol=1e-12)
    assert swinging.sensitivity_squared(8) == pytest.approx(sum(0.25**t for t in range(8)))
    with pytest.raises(ValueError, match=r"coefficient -0\.5"):
        swinging.sensitivity_squared(8, 2)


def test_rounding_can_only_make_the_sensitivity_larger():
    C = np.array([[1.0, -1e-13], [0.0, 1.0]])
    assert sensitivity.squared_of(C, 2) > 2.0
    rounded = spectral.MinimumPhase("rounded", np.array([1.0, 1e-13]), np.array([1.0, -1e-13]), limit=1.0)
    assert rounded.sensitivity_squared(2, 2) > 2.0


def test_independent_noise_pays_for_every_participation():
    assert identity().sensitivity_squared(2000, 20) == 20.0
    restarted = stamped(optimal_cc(), 20).sensitivity_squared(2000, 20)
    assert restarted == pytest.approx(20 * optimal_cc().sensitivity_squared(100))
    assert tree_aggregation().sensitivity_squared(256) == 9.0
    assert tree_aggregation(finished_only=True).sensitivity_squared(200) == 8.0


@pytest.mark.parametrize(("T", "k"), [(10, 3), (0, 1), (5, 0), (5, 10)])
def test_participations_must_divide_the_steps(T, k):
    with pytest.raises(ValueError, match=r"must (divide|be positive)"):
        separation(T, k)


class TestMinimumPhase:
    @pytest.mark.parametrize(
        ("beta", "expected"),
        [
            ([1.0, -0.5], True),
            ([1.0, -2.0], False),
            ([1.0, -1.0], False),
            ([1.0, 1.0], False),
            ([1.0, -0.999], True),
            ([3.0], True),
            ([0.0, 1.0], False),
            ([1.0, 0.0, 0.9], True),
            ([1.0, 0.0, 1.1], False),
            ([1.0, -2.5, 1.0], False),
        ],
    )
    def test_known_lists(self, beta, expected):
        assert spectral.is_minimum_phase(np.array(beta)) is expected

    def test_zeros_decide(self):
        rng = np.random.default_rng(1)
        answers = set()
        for _ in range(60):
            beta = np.concatenate([[1.0], rng.standard_normal(5) * 0.5])
            outside = bool((np.abs(np.roots(beta[::-1])) > 1).all())
            assert spectral.is_minimum_phase(beta) is outside
            answers.add(outside)
        assert answers == {True, False}

    def test_zeros_that_lie_together_near_the_circle(self):
        """A few hundred frequencies would see them as turns that are not there."""
        pair = np.array([1.0, -2 * np.cos(1.0) / 1.01, 1 / 1.01**2])
        assert spectral.is_minimum_phase(np.convolve(pair, pair))
        assert not spectral.is_minimum_phase(np.convolve(pair, pair * 1.01 ** np.array([0, 2, 4])))

    @pytest.mark.parametrize("strategy", [optimal_cc(), nu_family(0.01)], ids=lambda s: s.name)
    def test_long_lists(self, strategy):
        assert spectral.is_minimum_phase(strategy.coefficients(3000))
