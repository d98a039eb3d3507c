"""Accountant of batches of fixed size: against all small data sets by quadrature, and against what a pair attains."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from dpdescent.privacy.participation import fixed_size, gaussian, tail

SIGNS = (-1.0, 1.0)


def densities(points: np.ndarray, gradients: tuple[float, ...], batch: int, kappa: float) -> np.ndarray:
    """Density of one step's output: the mean over all batches of a normal density."""
    sums = [sum(chosen) for chosen in itertools.combinations(gradients, batch)]
    normal = np.exp(-0.5 * ((points[:, None] - np.array(sums)) / kappa) ** 2) / (kappa * math.sqrt(2.0 * math.pi))
    return np.asarray(normal.mean(axis=1))


@pytest.mark.parametrize(("n", "batch"), [(2, 1), (3, 1), (4, 2), (4, 3), (3, 3)])
@pytest.mark.parametrize("kappa", [0.4, 1.0, 3.0])
def test_no_data_set_with_extreme_gradients_exceeds_the_profile_of_a_step(n: int, batch: int, kappa: float) -> None:
    """And one attains it for positive eps: all other gradients are -1, the record's is 1 or -1."""
    points = np.linspace(-n - 9 * kappa, n + 9 * kappa, 8001)
    width = points[1] - points[0]
    eps = np.array([-2.0, -0.5, -0.1, 0.0, 0.1, 0.5, 2.0])
    bound = fixed_size.profile(kappa, batch / n, eps)
    largest = np.zeros(len(eps))
    for others in itertools.product((-1.0, 0.0, 1.0), repeat=n - 1):
        for own, replaced in itertools.product((-1.0, 0.0, 1.0), repeat=2):
            p, q = (densities(points, (*others, each), batch, kappa) for each in (own, replaced))
            divergence = np.maximum(p - np.exp(eps)[:, None] * q, 0.0).sum(axis=1) * width
            largest = np.maximum(largest, divergence)
    assert np.all(largest <= bound + 1e-6)
    assert largest[eps >= 0] == pytest.approx(bound[eps >= 0], rel=1e-5)


def test_two_steps_that_pull_in_opposite_directions_stay_below() -> None:
    """Their likelihood ratios are R/Q and Q/R: the pair composed with itself alone would not cover them."""
    n, batch, kappa = 2, 1, 1.0
    points = np.linspace(-12.0, 12.0, 1201)
    cell = (points[1] - points[0]) ** 2
    forth, back = (densities(points, (-1.0, each), batch, kappa) for each in (1.0, -1.0))
    for eps in (0.1, 0.5, 1.0, 2.0):
        p, q = np.outer(forth, back), np.outer(back, forth)
        mixed = float(np.maximum(p - math.exp(eps) * q, 0.0).sum() * cell)
        same = float(np.maximum(np.outer(forth, forth) - math.exp(eps) * np.outer(back, back), 0.0).sum() * cell)
        bound = fixed_size.delta(kappa, 2, batch / n, eps)
        assert max(mixed, same) <= bound
        # It is of use: one Gaussian release a step, without amplification, costs more.
        assert bound < float(gaussian.delta(2.0 * math.sqrt(2.0) / kappa, eps))


def test_profile_is_a_divergence_of_some_pair() -> None:
    eps = np.linspace(-6.0, 6.0, 2001)
    for kappa, rate in ((0.3, 0.02), (1.0, 0.5), (5.0, 1.0), (2.0, 0.9)):
        found = fixed_size.profile(kappa, rate, eps)
        slopes = np.diff(found) / np.diff(np.exp(eps))
        assert np.all(np.diff(slopes) >= -1e-9), "it is convex in e^eps"
        assert np.all(np.diff(found) <= 1e-12)
        assert np.all(found >= np.maximum(-np.expm1(eps), 0.0) - 1e-15)
    assert fixed_size.profile(0.05, 0.02, 500.0) == pytest.approx(
        fixed_size.profile(0.05, 0.02, 500.0 - 1e-9), rel=1e-6
    )


def test_at_rate_one_it_is_the_gaussian_release() -> None:
    """All records take part: T steps with 2 / kappa each are one release with sqrt(T) times that."""
    kappa, T = 7.0, 9
    exact = gaussian.epsilon(2.0 * math.sqrt(T) / kappa, 1e-5)
    assert exact <= fixed_size.epsilon(kappa, T, 1.0, 1e-5) == pytest.approx(exact, rel=2e-4)
    assert fixed_size.delta(kappa, T, 1.0, 1.0) == pytest.approx(
        float(gaussian.delta(2.0 * math.sqrt(T) / kappa, 1.0)), rel=1e-3
    )


@pytest.mark.parametrize(("T", "rate", "kappa"), [(100, 0.1, 5.88206), (200, 0.02, 2.28174)])
def test_multiplier_and_epsilon_are_inverse_and_less_than_without_amplification(
    T: int, rate: float, kappa: float
) -> None:
    found = fixed_size.multiplier(1.0, T, rate, 1e-3)
    assert found == pytest.approx(kappa, rel=1e-4)
    assert fixed_size.delta(found, T, rate, 1.0) == pytest.approx(1e-3, rel=1e-3)
    assert found < 0.5 * tail.multiplier(1.0, 1e-3, T, rate, 0.0, sensitivity=2.0, rule="mixture")


@pytest.mark.parametrize("eps", [150.0, 250.0, 800.0, 3000.0, 9000.0, 2e4, 1e8])
@pytest.mark.parametrize(("T", "rate"), [(10, 0.1), (300, 0.02)])
def test_large_epsilons_have_an_account(eps: float, T: int, rate: float) -> None:
    """Their grids are coarser, and beyond all grids participations are averaged, which amplifies nothing."""
    kappa = fixed_size.multiplier(eps, T, rate, 1e-5)
    found = fixed_size.epsilon(kappa, T, rate, 1e-5)
    assert found == pytest.approx(eps, rel=3e-3)
    plain = tail.multiplier(eps, 1e-5, T, rate, 0.0, sensitivity=2.0, rule="mixture")
    assert (0.9 if eps > 500 else 0.5) * plain < kappa <= plain * (1 + 1e-9)


def test_an_epsilon_beyond_the_range_of_floats_is_that_of_delta() -> None:
    """At rate one it is known, and e^-epsilon is zero in double precision."""
    kappa, T = 0.2, 12
    exact = gaussian.epsilon(2.0 * math.sqrt(T) / kappa, 1e-5)
    assert exact > 745.0
    assert exact <= fixed_size.epsilon(kappa, T, 1.0, 1e-5) == pytest.approx(exact, rel=1e-4)


def test_next_to_no_noise_ends() -> None:
    assert 1e6 < fixed_size.epsilon(1e-3, 100, 0.1, 1e-5) < math.inf
    assert fixed_size.epsilon(1e-200, 100, 0.1, 1e-5) == math.inf


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="kappa"):
        fixed_size.epsilon(0.0, 10, 0.1, 1e-5)
    with pytest.raises(ValueError, match="delta"):
        fixed_size.epsilon(1.0, 10, 0.1, 0.0)
    with pytest.raises(ValueError, match="rate"):
        fixed_size.multiplier(1.0, 10, 1.5, 1e-5)
    with pytest.raises(ValueError, match="eps"):
        fixed_size.multiplier(0.0, 10, 0.1, 1e-5)


@pytest.mark.parametrize("alpha", [1.5, 8.0, 20.0])
def test_renyi_divergence_of_the_full_batch_is_the_gaussian_one(alpha):
    assert fixed_size.renyi_divergence(3.0, 1.0, alpha) == pytest.approx(alpha * 2.0 / 9.0, rel=1e-9)


@pytest.mark.parametrize(("kappa", "rate", "alpha"), [(6.736, 0.1, 14.18), (3.297, 0.0316, 21.26), (1.5, 0.01, 8.0)])
def test_renyi_divergence_is_above_what_two_data_sets_attain(kappa, rate, alpha):
    """The removed record's direction, by quadrature; where few steps are sampled it is nearly all."""
    x = np.linspace(-14.0 * kappa, 2.0 * alpha + 14.0 * kappa, 400_001)
    ratio = np.log1p(rate * np.expm1(np.minimum((2.0 * x - 2.0) / kappa**2, 600.0)))
    attained = logsumexp(alpha * ratio + norm.logpdf(x, scale=kappa), b=x[1] - x[0]) / (alpha - 1.0)
    allowed = fixed_size.renyi_divergence(kappa, rate, alpha)
    assert attained * (1.0 - 1e-9) <= allowed < 1.2 * attained


def test_renyi_divergence_beyond_the_range_of_numbers_is_refused():
    with pytest.raises(ValueError, match=r"kappa=0.649 is too small at alpha=26.3: give a larger one"):
        fixed_size.renyi_divergence(0.649, 0.001, 26.3)
