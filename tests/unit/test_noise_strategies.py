"""Strategies of correlated noise against their definitions: rationals, dense matrices, least squares, known values."""

import math
from fractions import Fraction
from itertools import accumulate, product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ellipkm1

from dpdescent.noise.strategies import spectral
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.noise.strategies.toeplitz import (
    DampedDifference,
    anti_pgd,
    damped_anti_pgd,
    identity,
    nu_family,
    optimal_cc,
)
from dpdescent.noise.strategies.tree import full_honaker, online_honaker, tree_aggregation
from dpdescent.noise.tuning import best_copies, best_nu

FLAT = [identity(), nu_family(0.1), optimal_cc(), anti_pgd(), damped_anti_pgd(0.2), nu_family(1.0)]
TREES = [make(only) for make in (tree_aggregation, online_honaker, full_honaker) for only in (False, True)]
RESTARTED = [stamped(nu_family(0.1), 3), stamped(online_honaker(), 4), stamped(full_honaker(), 3)]
ALL = [*FLAT, *TREES, *RESTARTED]
SIZES = [5, 8, 13, 32]


def label(strategy):
    return f"{strategy.name} {getattr(strategy, 'nu', getattr(strategy, 'finished_only', ''))}"


def binomial_series(power: Fraction, T: int) -> list[Fraction]:
    """(1 - z)^power by the binomial theorem: (-1)^t times the product of (power - s)/(s + 1) for s < t."""
    return list(accumulate(((t - 1 - power) / t for t in range(1, T)), lambda c, ratio: c * ratio, initial=Fraction(1)))


def nodes(T, finished_only):
    """All stretches [start, stop) of a tree over the next power of two that contain a step."""
    size, stretches = 1, []
    while True:
        stretches += [(start, start + size) for start in range(0, T, size) if not finished_only or start + size <= T]
        if size >= T:
            return stretches
        size *= 2


@pytest.mark.parametrize("T", SIZES)
@pytest.mark.parametrize("strategy", ALL, ids=label)
def test_the_decoder_inverts_the_encoder(strategy, T):
    B, C = strategy.decoder(T), strategy.encoder(T)
    assert B.shape == C.shape[::-1] == (T, strategy.noises(T))
    np.testing.assert_allclose(B @ C, np.eye(T), atol=1e-12)


@pytest.mark.parametrize("T", SIZES)
@pytest.mark.parametrize("strategy", ALL, ids=label)
def test_prefix_errors_are_the_row_norms_of_the_prefix_sums(strategy, T):
    prefixes = np.tril(np.ones((T, T))) @ strategy.decoder(T)
    np.testing.assert_allclose(strategy.prefix_errors_squared(T), (prefixes**2).sum(1), rtol=1e-12)
    phi = np.linalg.norm(prefixes) ** 2
    assert strategy.prefix_error_squared(T) == pytest.approx(phi, rel=1e-12)
    gamma = np.linalg.norm(strategy.encoder(T), axis=0).max()
    assert strategy.normalised_rmse(T) == pytest.approx(gamma * math.sqrt(phi / T), rel=1e-12)


@pytest.mark.parametrize("strategy", [s for s in ALL if s.anytime], ids=label)
def test_noise_of_anytime_strategies_is_causal(strategy):
    """No step uses a normal that an encoder row of later steps only brings in."""
    C, B = strategy.encoder(13), strategy.decoder(13)
    first = [int(np.flatnonzero(row)[-1]) if strategy not in FLAT else i for i, row in enumerate(C)]
    assert not B[np.arange(13)[:, None] < np.array(first)].any()


@pytest.mark.parametrize("strategy", [*FLAT, *TREES[:4]], ids=label)
def test_noise_of_anytime_strategies_does_not_depend_on_how_many_steps_follow(strategy):
    short, long = strategy.decoder(11), strategy.decoder(16)
    kept = min(short.shape[1], 2 * 11 - (11).bit_count())
    np.testing.assert_array_equal(short[:, :kept], long[:11, :kept])


def test_optimal_cc_has_the_coefficients_of_the_square_root():
    beta, c = binomial_series(Fraction(1, 2), 60), binomial_series(Fraction(-1, 2), 60)
    assert beta[:5] == [1, Fraction(-1, 2), Fraction(-1, 8), Fraction(-1, 16), Fraction(-5, 128)]
    assert c[:5] == [1, Fraction(1, 2), Fraction(3, 8), Fraction(5, 16), Fraction(35, 128)]
    np.testing.assert_allclose(optimal_cc().coefficients(60), np.array(beta, dtype=float), rtol=1e-14)
    np.testing.assert_allclose(optimal_cc().encoder_coefficients(60), np.array(c, dtype=float), rtol=1e-14)


@pytest.mark.parametrize("nu", [Fraction(1, 7), Fraction(3, 4)])
@pytest.mark.parametrize(("make", "power"), [(nu_family, Fraction(1, 2)), (damped_anti_pgd, Fraction(1))])
def test_damped_coefficients_are_the_series_of_the_power(make, power, nu):
    decay = np.array([(1 - nu) ** t for t in range(40)], dtype=float)
    for sign, coefficients in ((1, make(float(nu)).coefficients(40)), (-1, make(float(nu)).encoder_coefficients(40))):
        expected = np.array(binomial_series(sign * power, 40), dtype=float) * decay
        np.testing.assert_allclose(coefficients, expected, rtol=1e-13, atol=1e-300)


def test_two_taps_of_anti_pgd_and_one_of_independent_noise():
    np.testing.assert_array_equal(anti_pgd().coefficients(5), [1, -1, 0, 0, 0])
    np.testing.assert_array_equal(anti_pgd().encoder_coefficients(5), np.ones(5))
    np.testing.assert_array_equal(damped_anti_pgd(0.25).coefficients(3), [1, -0.75, 0])
    np.testing.assert_array_equal(identity().coefficients(3), [1, 0, 0])
    np.testing.assert_array_equal(nu_family(1.0).encoder_coefficients(3), [1, 0, 0])


@pytest.mark.parametrize("nu", [1.0, 0.5, 0.1, 0.01, 1e-3])
@pytest.mark.parametrize("make", [nu_family, damped_anti_pgd])
def test_the_limit_of_the_sensitivity_is_the_sum_of_squares(make, nu):
    c = make(nu).encoder_coefficients(40_000)
    assert make(nu).sensitivity_squared_limit() == pytest.approx(float(c @ c), rel=1e-11)


@pytest.mark.parametrize("nu", [1.0, 0.3, 0.01, 1e-4])
def test_the_limit_is_the_paper_s_elliptic_integral(nu):
    """(1/2pi) I(nu, nu) = (1/2pi) (4/(2 - nu)) K(k), k^2 = (1 - nu)/(1 - nu/2)^2 (choquettechoo2023 eq. 49)."""
    expected = 2 / (math.pi * (2 - nu)) * ellipkm1((nu / (2 - nu)) ** 2)
    assert nu_family(nu).sensitivity_squared_limit() == pytest.approx(expected, rel=1e-10)


def test_published_and_asymptotic_sensitivities():
    assert nu_family(0.1).sensitivity_squared_limit() == pytest.approx(1.451843, abs=5e-7)
    assert nu_family(0.01).sensitivity_squared_limit() == pytest.approx(2.136878, abs=5e-7)
    assert nu_family(1e-12).sensitivity_squared_limit() == pytest.approx(math.log(8e12) / math.pi, rel=1e-9)
    for T, value in ((10, 1.79134), (100, 2.53135), (1000, 3.26500), (10**4, 3.99801), (10**5, 4.73095)):
        assert optimal_cc().sensitivity_squared(T) == pytest.approx(value, abs=6e-6)
    limit = (math.log(10**6) + np.euler_gamma + 4 * math.log(2)) / math.pi
    assert optimal_cc().sensitivity_squared(10**6) == pytest.approx(limit, abs=1e-6)
    assert identity().sensitivity_squared_limit() == 1.0
    assert optimal_cc().sensitivity_squared_limit() == anti_pgd().sensitivity_squared_limit() == math.inf
    assert anti_pgd().sensitivity_squared(77) == pytest.approx(77)
    assert np.abs(nu_family(0.1).coefficients(2000)).sum() == pytest.approx(2 - math.sqrt(0.1), rel=1e-12)


# Sensitivity times RMSE of prefix sums for DP-SGD, TreeAgg, Honaker, full Honaker, Optimal CC and nu-DP-FTRL, then nu.
# Those of Honaker let the last step use the nodes that T cuts short, hence the wider tolerance.
RMSE = {
    (256, 1): (11.34, 6.00, 4.65, 3.10, 2.669, 2.626, 0.0030),
    (200, 10): (31.70, 30.91, 24.09, 16.15, 13.84, 11.03, 0.026),
    (400, 20): (63.32, 63.12, 48.71, 32.22, 27.52, 19.92, 0.020),
    (2000, 20): (141.46, None, None, None, 30.60, 22.29, 0.00371),
    (2052, 6): (78.48, None, None, None, 10.87, 9.48, 0.00161),
}


@pytest.mark.parametrize(("setting", "values"), RMSE.items(), ids=str)
def test_errors_of_mechanisms_at_known_settings(setting, values):
    *errors, nu = values
    tuned = best_nu(*setting)
    families = (identity(), tree_aggregation(), online_honaker(), full_honaker(), optimal_cc(), tuned)
    for strategy, value in zip(families, errors, strict=True):
        if value is not None:
            assert strategy.normalised_rmse(*setting) == pytest.approx(value, abs=0.025 if value > 20 else 0.006)
    assert tuned.nu == pytest.approx(nu, rel=0.02)


def test_the_tuned_nu_is_a_minimum_and_restarts_help_with_many_epochs():
    tuned = best_nu(200, 10)
    others = [nu_family(tuned.nu * factor).normalised_rmse(200, 10) for factor in np.geomspace(0.01, 30, 60)]
    assert tuned.normalised_rmse(200, 10) < min(others)
    assert best_copies(optimal_cc(), 200, 10, [1, 2, 4, 5, 8, 10]) == 4
    assert stamped(optimal_cc(), 4).normalised_rmse(200, 10) == pytest.approx(12.53, abs=0.005)
    assert best_copies(optimal_cc(), 2000, 20, range(1, 41)) == 3
    assert best_copies(optimal_cc(), 2000, 20, [1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50]) == 4
    assert stamped(optimal_cc(), 4).normalised_rmse(2000, 20) == pytest.approx(27.44, abs=0.005)
    assert best_copies(optimal_cc(), 256, 1, range(1, 65)) == 1


@pytest.mark.parametrize("finished_only", [False, True])
@pytest.mark.parametrize("T", SIZES)
def test_tree_encoders_have_a_row_for_every_node(T, finished_only):
    C = tree_aggregation(finished_only).encoder(T)
    expected = {tuple(1.0 if start <= t < stop else 0.0 for t in range(T)) for start, stop in nodes(T, finished_only)}
    # Two nodes that T cuts short may cover the same steps.
    assert len(C) == len(nodes(T, finished_only))
    assert {tuple(row) for row in C} == expected


@pytest.mark.parametrize("T", SIZES)
def test_tree_aggregation_adds_the_dyadic_stretches_of_each_prefix(T):
    C, prefixes = tree_aggregation().encoder(T), np.cumsum(tree_aggregation().decoder(T), axis=0)
    for t, row in enumerate(prefixes):
        assert set(row) <= {0.0, 1.0}
        assert row.sum() == (t + 1).bit_count()
        np.testing.assert_array_equal(row @ C, np.arange(T) <= t)


@pytest.mark.parametrize("finished_only", [False, True])
@pytest.mark.parametrize("T", SIZES)
def test_online_honaker_has_the_least_norm_of_all_combinations_of_finished_nodes(T, finished_only):
    strategy = online_honaker(finished_only)
    C, prefixes = strategy.encoder(T), np.cumsum(strategy.decoder(T), axis=0)
    finished = 2 * T - T.bit_count()
    for t, row in enumerate(prefixes):
        done = [i for i in range(finished) if np.flatnonzero(C[i])[-1] <= t]
        expected = np.zeros(len(C))
        expected[done] = np.linalg.lstsq(C[done].T, np.arange(T) <= t, rcond=None)[0]
        np.testing.assert_allclose(row, expected, atol=1e-12)


@pytest.mark.parametrize("T", SIZES)
def test_full_honaker_is_the_pseudo_inverse(T):
    np.testing.assert_allclose(full_honaker().decoder(T), np.linalg.pinv(full_honaker().encoder(T)), atol=1e-12)


def test_restarts_are_independent_blocks_of_nearly_equal_length():
    strategy = stamped(nu_family(0.1), 3)
    assert strategy.name == "nu-DP-FTRL x3"
    assert strategy.lengths(11) == [4, 4, 3]
    for verb in ("encoder", "decoder"):
        matrix, of_block = getattr(strategy, verb)(11), getattr(nu_family(0.1), verb)
        for start, stop in ((0, 4), (4, 8), (8, 11)):
            np.testing.assert_array_equal(matrix[start:stop, start:stop], of_block(stop - start))
            matrix[start:stop, start:stop] = 0.0
        assert not matrix.any()
    assert stamped(identity(), 1) == identity()
    assert not stamped(full_honaker(), 2).anytime
    with pytest.raises(ValueError, match="copies=12 must not exceed T=11"):
        stamped(identity(), 12).encoder(11)
    with pytest.raises(ValueError, match="copies"):
        stamped(identity(), 0)


class TestSpectral:
    w = spectral.frequencies()

    @pytest.mark.parametrize("strategy", [nu_family(0.02), damped_anti_pgd(0.05), identity()], ids=label)
    def test_a_power_gives_back_the_family(self, strategy):
        power = np.abs(1 - (1 - strategy.nu) * np.exp(1j * self.w)) ** (2 * strategy.power)
        made = spectral.from_power("made", power)
        np.testing.assert_allclose(made.coefficients(500), strategy.coefficients(500), atol=1e-13)
        np.testing.assert_allclose(made.encoder_coefficients(500), strategy.encoder_coefficients(500), atol=1e-13)
        assert made.sensitivity_squared_limit() == pytest.approx(strategy.sensitivity_squared_limit(), rel=1e-12)
        np.testing.assert_allclose(made.decoder(40) @ made.encoder(40), np.eye(40), atol=1e-12)
        assert made.sensitivity_squared(100, 5) == pytest.approx(strategy.sensitivity_squared(100, 5), rel=1e-12)

    def test_a_power_keeps_its_scale_and_its_minimum_phase_factor_is_taken(self):
        """|1 - 2z|^2 = |2 - z|^2 on the circle; only the latter has a decaying inverse, 1/2, 1/4, 1/8, ..."""
        made = spectral.from_power("made", np.abs(1 - 2 * np.exp(1j * self.w)) ** 2)
        np.testing.assert_allclose(made.coefficients(4), [2, -1, 0, 0], atol=1e-13)
        np.testing.assert_allclose(made.encoder_coefficients(4), [0.5, 0.25, 0.125, 0.0625], atol=1e-13)
        assert made.sensitivity_squared_limit() == pytest.approx(1 / 3, rel=1e-12)

    def test_bad_grids_are_refused(self):
        with pytest.raises(ValueError, match="must be finer"):
            spectral.from_power("made", np.abs(1 - (1 - 1e-5) * np.exp(1j * self.w)))
        with pytest.raises(ValueError, match="frequencies"):
            spectral.from_power("made", np.ones(2**10))
        with pytest.raises(ValueError, match="positive"):
            spectral.from_power("made", np.abs(1 - np.exp(1j * self.w)))
        with pytest.raises(ValueError, match="half the grid"):
            spectral.from_power("made", np.ones(2**10 + 1)).coefficients(1025)
        with pytest.raises(ValueError, match="even"):
            spectral.frequencies(9)

    def test_the_factor_of_a_random_power_is_minimum_phase(self):
        rng = np.random.default_rng(0)
        waves = np.cos(self.w[:, None] * np.arange(1, 6)) @ (rng.standard_normal(5) / np.arange(1, 6))
        made = spectral.from_power("made", np.exp(waves))
        beta = made.coefficients(200)
        assert spectral.is_minimum_phase(beta)
        np.testing.assert_allclose(np.abs(np.fft.rfft(beta, 2**17)) ** 2, np.exp(waves), rtol=1e-10)


class TestMultiEpoch:
    @pytest.mark.parametrize(("T", "k"), [(1, 1), (3, 3), (64, 1), (60, 4), (100, 10)])
    def test_it_is_feasible_and_meets_its_lower_bound(self, T, k):
        strategy = multi_epoch_optimum(T, k)
        C, B = strategy.encoder(T), strategy.decoder(T)
        assert not np.triu(C, 1).any()
        assert not np.triu(B, 1).any()
        np.testing.assert_allclose(B @ C, np.eye(T), atol=1e-10)
        X = C.T @ C
        records = [X[o :: T // k, o :: T // k] for o in range(T // k)]
        assert max(np.abs(block).sum() for block in records) == pytest.approx(1.0, abs=1e-12)
        assert strategy.sensitivity_squared(T, k) == pytest.approx(1.0, abs=1e-12)
        # Steps of one record are orthogonal, so that no choice of directions moves the release further.
        assert max(np.abs(block - np.diag(np.diag(block))).max() for block in records) < 1e-12
        assert strategy.bound <= strategy.prefix_error_squared(T) * (1 + 1e-12) <= strategy.bound * (1 + 1e-6)

    @pytest.mark.parametrize(("T", "k", "known"), [(256, 1, 2.540), (200, 10, 9.74)])
    def test_it_is_better_than_what_a_plain_descent_on_the_encoder_found(self, T, k, known):
        assert 0.9 * known < multi_epoch_optimum(T, k).normalised_rmse(T, k) < known

    @pytest.mark.parametrize("k", [1, 5])
    def test_no_other_strategy_is_below_its_bound(self, k):
        T = 40
        bound = math.sqrt(multi_epoch_optimum(T, k).bound / T)
        others = [*FLAT, *TREES, *RESTARTED, best_nu(T, k), stamped(best_nu(8, 1), 5)]
        assert all(bound <= strategy.normalised_rmse(T, k) for strategy in others)
        assert bound > 0.75 * best_nu(T, k).normalised_rmse(T, k)

    @pytest.mark.parametrize(("T", "k"), [(3, 1), (2, 2), (6, 2), (8, 2)])
    def test_a_general_optimiser_finds_the_same_error(self, T, k):
        """Over all encoders, with a constraint for every record and all signs of its contributions."""
        below, A = np.tril_indices(T), np.tril(np.ones((T, T)))
        columns = [(np.arange(o, T, T // k), signs) for o in range(T // k) for signs in product((1, -1), repeat=k)]

        def encoder(x):
            C = np.zeros((T, T))
            C[below] = x
            return C

        found = minimize(
            lambda x: (np.linalg.solve(encoder(x).T, A.T) ** 2).sum(),
            0.5 * np.eye(T)[below],
            method="SLSQP",
            constraints={
                "type": "ineq",
                "fun": lambda x: [1 - ((encoder(x)[:, steps] @ signs) ** 2).sum() for steps, signs in columns],
            },
            options={"maxiter": 500, "ftol": 1e-10},
        )
        assert found.success
        assert multi_epoch_optimum(T, k).prefix_error_squared(T) == pytest.approx(found.fun, rel=1e-6)

    def test_it_knows_one_number_of_steps(self):
        with pytest.raises(ValueError, match="T=7 must be 6"):
            multi_epoch_optimum(6).encoder(7)
        with pytest.raises(ValueError, match="must divide"):
            multi_epoch_optimum(7, 2)


def test_arguments_out_of_range_are_refused():
    for nu in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="nu="):
            nu_family(nu)
    with pytest.raises(ValueError, match="power"):
        DampedDifference("made", 0.7, 0.1)
    with pytest.raises(ValueError, match="no number of steps"):
        tree_aggregation().correlate(np.zeros((5, 1)))
    with pytest.raises(ValueError, match="no number of steps"):
        stamped(tree_aggregation(), 3).correlate(np.zeros((2, 1)))
