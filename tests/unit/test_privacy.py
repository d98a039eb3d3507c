"""zCDP arithmetic, conversions and calibration: inversions, orders and published numbers."""

import math

import pytest

from dpdescent.privacy import accounting, zcdp

GRID = [(rho, delta) for rho in (1e-4, 0.1, 1.0, 10.0, 300.0) for delta in (1e-10, 1e-5, 0.1)]


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_epsilon_and_rho_invert_each_other(rho, delta):
    assert zcdp.rho_of_epsilon(zcdp.epsilon(rho, delta), delta) == pytest.approx(rho, rel=1e-12)


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_tight_epsilon_is_below_the_zcdp_bound_and_inverts(rho, delta):
    eps = accounting.tight_epsilon(rho, delta)
    assert 0.0 <= eps < zcdp.epsilon(rho, delta)
    if eps > 1e-6:
        assert accounting.tight_rho(eps, delta) == pytest.approx(rho, rel=1e-5)


def test_tight_epsilon_solves_the_gaussian_equation():
    """delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) for one Gaussian release with mu = sqrt(2 rho)."""
    from scipy.special import ndtr

    for rho in (0.05, 1.0, 5.0):
        mu, eps = math.sqrt(2 * rho), accounting.tight_epsilon(rho, 1e-5)
        delta = ndtr(mu / 2 - eps / mu) - math.exp(eps) * ndtr(-mu / 2 - eps / mu)
        assert delta == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize(("rho", "printed"), [(0.1, 2.246), (1.0, 7.786), (10.0, 31.46)])
def test_published_conversions(rho, printed):
    """liang2025 footnote 3 at delta = 1e-5 (its 31.47 is 31.46)."""
    assert zcdp.epsilon(rho, 1e-5) == pytest.approx(printed, rel=2e-4)


@pytest.mark.parametrize("releases", [1, 20, 1000])
def test_calibrated_noise_spends_exactly_rho(releases):
    for rho in (0.01, 1.0, 50.0):
        noise = zcdp.gaussian_noise_sd(0.3, rho, releases)
        assert zcdp.gaussian_rho(0.3, noise, releases) == pytest.approx(rho, rel=1e-14)


def test_edges():
    assert zcdp.gaussian_rho(0.0, 0.0) == 0.0
    assert zcdp.gaussian_rho(1.0, 0.0) == math.inf
    assert accounting.tight_epsilon(0.0, 1e-5) == 0.0
    assert accounting.tight_epsilon(math.inf, 1e-5) == math.inf


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: zcdp.epsilon(-1.0, 1e-5), "rho=-1.0"),
        (lambda: zcdp.epsilon(1.0, 0.0), "delta=0.0"),
        (lambda: zcdp.epsilon(1.0, 1.0), "delta=1.0"),
        (lambda: zcdp.gaussian_noise_sd(1.0, 0.0), "rho=0.0"),
        (lambda: zcdp.gaussian_rho(1.0, -1.0), "noise_sd=-1.0"),
        (lambda: zcdp.gaussian_rho(1.0, 1.0, -1), "releases=-1"),
        (lambda: accounting.tight_rho(0.0, 1e-5), "eps=0.0"),
        (lambda: accounting.tight_epsilon(math.nan, 1e-5), "rho=nan"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
