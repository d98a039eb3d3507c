"""zCDP arithmetic, conversions and calibration: inversions, orders and published numbers."""

import math

import dp_accounting
import numpy as np
import pytest

from dpdescent.privacy import accounting, zcdp
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    GaussianReleases,
    Mechanism,
    ShuffledGaussianReleases,
    SubsampledGaussianReleases,
    correlated_release,
)

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


def test_conversions_are_those_of_dp_accounting_to_the_last_bit():
    """Noise that is calibrated here, and thus every result, has the bytes that dp-accounting's search would give."""
    rng = np.random.default_rng(5)
    for rho, eps, delta in 10.0 ** rng.uniform((-9, -9, -20), (4, 2, -0.01), (100, 3)):
        sigma = 1.0 / zcdp.gaussian_dp_mu(rho)
        assert accounting.tight_epsilon(rho, delta) == dp_accounting.get_epsilon_gaussian(sigma, delta)
        assert accounting.tight_rho(eps, delta) == 0.5 / dp_accounting.get_sigma_gaussian(eps, delta) ** 2


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


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_epsilon_by_the_best_order(rho, delta):
    """No order on a fine grid is better, the grid comes close, and the bound lies between the two others."""
    alpha = 1.0 + np.logspace(-4, 10, 20001)
    grid = (rho * alpha + np.log(1 / (alpha * delta)) / (alpha - 1) + np.log1p(-1 / alpha)).min()
    eps = zcdp.renyi_epsilon(rho, delta)
    assert eps <= max(grid, 0.0) * (1 + 1e-9)
    assert eps == pytest.approx(max(grid, 0.0), rel=1e-5)
    assert accounting.tight_epsilon(rho, delta) <= eps < zcdp.epsilon(rho, delta)


@pytest.mark.parametrize(("rho", "delta"), GRID)
def test_epsilon_by_the_best_order_inverts(rho, delta):
    eps = zcdp.renyi_epsilon(rho, delta)
    if eps > 0.0:
        assert zcdp.rho_of_renyi_epsilon(eps, delta) == pytest.approx(rho, rel=1e-9)
    else:
        assert zcdp.rho_of_renyi_epsilon(eps, delta) > rho


@pytest.mark.parametrize(("eps", "rho"), [(2.0, 0.139), (5.0, 0.678), (10.0, 2.117), (20.0, 6.179)])
def test_budgets_by_the_best_order(eps, rho):
    """Computed once before, on a grid of orders, at delta = 1e-4."""
    assert zcdp.rho_of_renyi_epsilon(eps, 1e-4) == pytest.approx(rho, abs=5e-4)


def test_epsilon_by_the_best_order_at_its_ends():
    assert zcdp.renyi_epsilon(0.0, 1e-5) == 0.0
    assert zcdp.renyi_epsilon(1e-30, 1e-5) == 0.0
    assert zcdp.renyi_epsilon(math.inf, 1e-5) == math.inf
    assert zcdp.renyi_epsilon(1e9, 1e-5) == pytest.approx(zcdp.epsilon(1e9, 1e-5), rel=1e-6)
    free = zcdp.rho_of_renyi_epsilon(0.0, 1e-5)
    assert free > 0.0
    assert zcdp.renyi_epsilon(free, 1e-5) == pytest.approx(0.0, abs=1e-12)


def test_a_run_with_correlated_noise_is_one_release():
    """Single participation at gamma = 1.3: rho = gamma^2 G^2 / (2 sd^2), once and not T times."""
    release = correlated_release(sensitivity=1.3, clip_norm=2.0, noise_sd=4.0)
    assert release.count == 1
    assert release.rho == pytest.approx((1.3 * 2.0) ** 2 / (2 * 4.0**2), rel=1e-14)


def test_what_is_subsampled_has_no_rho():
    plain, sampled = GaussianReleases("once", 1.0, 2.0, 3), SubsampledGaussianReleases("sums", 1.0, 2.0, 0.1, 3)
    event = Mechanism("DP-SGD", (plain, sampled), "add-remove", "Poisson", math.inf, "proved", "because")
    assert event.is_subsampled
    with pytest.raises(ValueError, match=r"DP-SGD: 'sums' is subsampled and has no rho"):
        _ = event.rho
    # Without an amplified release, Poisson sampling is accounted as if there were none, which is allowed.
    unamplified = Mechanism("DP-SGD", (plain,), "replace-one", "Poisson", math.inf, "proved", "because")
    assert not unamplified.is_subsampled
    assert unamplified.rho == plain.rho


@pytest.mark.parametrize(
    ("relation", "sampler"),
    [
        ("replace-one", "fixed order"),
        ("zero-out", "fixed order"),
        ("add-remove", "full batch"),
        ("zero-out", "single pass"),
    ],
)
def test_sampler_and_relation_fit_the_accountant(relation, sampler):
    sampled = SubsampledGaussianReleases("sums", 1.0, 2.0, 0.1, 3)
    with pytest.raises(ValueError, match=f"sampler='{sampler}' and relation='{relation}'"):
        Mechanism("DP-SGD", (sampled,), relation, sampler, math.inf, "proved", "because")


COUNTS, MEAN = GaussianReleases("counts", 1.0, 4.0, 2), GaussianReleases("mean", 0.5, 1.0, 1)
# rho of COUNTS is 2 / (2 16) = 1/16, of MEAN 0.25 / 2 = 1/8.


@pytest.mark.parametrize(
    ("parts", "rho"),
    [
        (((COUNTS,), (MEAN,)), 1 / 8),
        (((COUNTS, MEAN),), 3 / 16),
        (((COUNTS, COUNTS, COUNTS), (MEAN,)), 3 / 16),
        (((MEAN,), (MEAN,), (MEAN,), (COUNTS,)), 1 / 8),
        (((), (COUNTS,)), 1 / 16),
    ],
)
def test_a_record_pays_for_its_own_part_only(parts, rho):
    """Parallel composition: the dearest part counts, within a part costs add."""
    disjoint = DisjointReleases(parts)
    assert disjoint.rho == pytest.approx(rho, rel=1e-15)
    event = Mechanism("DP-AMBSSGD", (disjoint, COUNTS), "replace-one", "single pass", math.inf, "proved", "because")
    assert event.rho == pytest.approx(rho + 1 / 16, rel=1e-15)
    assert not event.is_subsampled
    assert not event.is_shuffled


@pytest.mark.parametrize("relation", ["add-remove", "zero-out"])
def test_disjoint_parts_need_neighbours_by_replacement(relation):
    with pytest.raises(ValueError, match=f"releases from disjoint parts and relation='{relation}'"):
        Mechanism("M", (DisjointReleases(((MEAN,),)),), relation, "single pass", math.inf, "proved", "because")


def test_there_is_a_part():
    with pytest.raises(ValueError, match=r"parts=\(\) has no part"):
        DisjointReleases(())


def test_what_is_shuffled_has_no_rho():
    shuffled = ShuffledGaussianReleases("clipped gradients", 2.0, 3.0, 1000)
    event = Mechanism("DP-SSGD", (shuffled,), "replace-one", "shuffled single pass", math.inf, "proved", "because")
    assert event.is_shuffled
    assert not event.is_subsampled
    with pytest.raises(ValueError, match=r"DP-SSGD: 'clipped gradients' is shuffled and has no rho"):
        _ = event.rho
    # A secret order may be there without being accounted.
    plain = Mechanism("DP-SSGD", (MEAN,), "replace-one", "shuffled single pass", math.inf, "proved", "because")
    assert plain.rho == MEAN.rho


@pytest.mark.parametrize(
    ("beside", "relation", "sampler"),
    [
        ((), "add-remove", "shuffled single pass"),
        ((), "zero-out", "shuffled single pass"),
        ((), "replace-one", "single pass"),
        ((), "replace-one", "fixed order"),
        ((MEAN,), "replace-one", "shuffled single pass"),
        ((DisjointReleases(((MEAN,),)),), "replace-one", "shuffled single pass"),
    ],
)
def test_shuffled_releases_stand_alone_under_replacement(beside, relation, sampler):
    shuffled = ShuffledGaussianReleases("clipped gradients", 2.0, 3.0, 1000)
    words = f"DP-SSGD has {1 + len(beside)} releases, shuffled ones among them, sampler='{sampler}'"
    with pytest.raises(ValueError, match=words):
        Mechanism("DP-SSGD", (shuffled, *beside), relation, sampler, math.inf, "proved", "because")


CORRELATED = CorrelatedReleases("sums", 1.0, 2.0, 0.5, 0.1, 30)


def test_what_is_correlated_on_random_batches_has_no_rho():
    event = Mechanism("DP-SGD", (CORRELATED,), "zero-out", "fixed size", math.inf, "proved", "because")
    assert event.is_correlated
    assert not event.is_subsampled
    assert not event.is_shuffled
    with pytest.raises(ValueError, match=r"DP-SGD: 'sums' is correlated and has no rho: use privacy\.participation"):
        _ = event.rho
    # Independent noise on batches of fixed size may be accounted without any gain by sampling.
    plain = Mechanism("DP-SGD", (MEAN,), "zero-out", "fixed size", math.inf, "proved", "because")
    assert not plain.is_correlated
    assert plain.rho == MEAN.rho


@pytest.mark.parametrize(
    ("beside", "sampler"),
    [((), "full batch"), ((), "fixed order"), ((), "single pass"), ((MEAN,), "fixed size"), ((CORRELATED,), "Poisson")],
)
def test_correlated_releases_stand_alone_on_random_batches(beside, sampler):
    words = f"DP-SGD has {1 + len(beside)} releases, correlated ones among them, and sampler='{sampler}'"
    with pytest.raises(ValueError, match=words):
        Mechanism("DP-SGD", (CORRELATED, *beside), "zero-out", sampler, math.inf, "proved", "because")


def test_edges():
    assert zcdp.gaussian_rho(0.0, 0.0) == 0.0
    assert zcdp.gaussian_rho(1.0, 0.0) == math.inf
    assert accounting.tight_epsilon(0.0, 1e-5) == 0.0
    assert accounting.tight_epsilon(math.inf, 1e-5) == math.inf


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: zcdp.epsilon(-1.0, 1e-5), "rho must not be negative, got -1.0"),
        (lambda: zcdp.epsilon(1.0, 0.0), "delta=0.0"),
        (lambda: zcdp.epsilon(1.0, 1.0), "delta=1.0"),
        (lambda: zcdp.renyi_epsilon(-1.0, 1e-5), "rho must not be negative, got -1.0"),
        (lambda: zcdp.renyi_epsilon(1.0, 1.5), "delta=1.5"),
        (lambda: zcdp.rho_of_renyi_epsilon(-1.0, 1e-5), "eps must not be negative, got -1.0"),
        (lambda: zcdp.rho_of_renyi_epsilon(1.0, 0.0), "delta=0.0"),
        (lambda: zcdp.gaussian_noise_sd(1.0, 0.0), "rho=0.0"),
        (lambda: zcdp.gaussian_rho(1.0, -1.0), "noise_sd must not be negative, got -1.0"),
        (lambda: zcdp.gaussian_rho(1.0, 1.0, -1), "releases=-1"),
        (lambda: accounting.tight_rho(0.0, 1e-5), "eps must be positive, got 0.0"),
        (lambda: accounting.tight_epsilon(math.nan, 1e-5), "rho must not be negative, got nan"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_entry_without_privacy_lists_no_release_and_claims_nothing():
    event = Mechanism.without_privacy("OLS")
    assert event == Mechanism(
        "OLS", (), "replace-one", "full batch", math.inf, "none", "non-private baseline: no noise"
    )
    other = Mechanism.without_privacy("SGD", "not clipped", "zero-out", "Poisson", stand_in="of another seed")
    assert (other.relation, other.sampler, other.reason, other.stand_in) == (
        "zero-out", "Poisson", "not clipped", "of another seed",
    )  # fmt: skip
