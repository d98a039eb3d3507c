"""DP-SGD with Poisson batches: a plain twin, the sensitivity, and the account of a replaced record."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dpdescent.baselines.poisson_dp_sgd import Settings, fit
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import sampling
from dpdescent.privacy.account import account
from dpdescent.privacy.events import GaussianReleases, Mechanism, SubsampledGaussianReleases


def sample(n: int = 50, p: int = 3) -> LinearSample:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, p))
    return LinearSample(X, X.sum(1) + rng.standard_normal(n))


def settings(n: int = 50, **given) -> Settings:
    return Settings(**{"n": n, "gamma": 1.3, "eta": 0.2, "rate": 0.3, "steps": 6, "eps": 2.0, "delta": 1e-4, **given})


def test_a_record_whose_norm_underflows_is_clipped() -> None:
    """Squares of 1e-170 are 0; a gradient of 1e-170 times 1e300 must be no longer than gamma all the same."""
    data, given = sample(), settings(rate=1.0, steps=1)
    far = LinearSample(np.vstack([data.X[:-1], np.full(3, 1e-170)]), np.append(data.y[:-1], 1e300))
    none = LinearSample(np.vstack([data.X[:-1], np.zeros(3)]), data.y)
    first, second = (fit(each, given, np.random.default_rng(4)).sums for each in (far, none))
    assert np.linalg.norm(first - second) <= given.gamma


def test_a_plain_twin_has_the_same_iterate() -> None:
    data, given, rng = sample(), settings(), np.random.default_rng(4)
    theta = np.zeros(3)
    for _ in range(given.steps):
        taken, total = rng.random(data.n) < given.rate, np.zeros(3)
        for x, y in zip(data.X[taken], data.y[taken], strict=True):
            gradient = (x @ theta - y) * x
            total += gradient * min(1.0, given.gamma / np.linalg.norm(gradient))
        total += given.release.noise_sd * rng.standard_normal(3)
        theta -= given.eta * total / (given.rate * data.n)
    np.testing.assert_allclose(fit(data, given, np.random.default_rng(4)).theta, theta, rtol=1e-10)


@pytest.mark.parametrize("rate", [0.02, 0.1, 1.0])
def test_the_budget_is_that_of_a_replaced_record(rate: float) -> None:
    given = settings(rate=rate, steps=30, eps=1.0, delta=1e-6)
    event = given.mechanism()
    assert (event.relation, event.sampler) == ("replace-one", "Poisson")
    assert 0.999 < account(event, 1e-6).epsilon <= 1.0
    assert account(event, 1e-6).rho is None


def exact(mu: float, eps: float) -> float:
    return float(ndtr(mu / 2 - eps / mu) - math.exp(eps) * ndtr(-mu / 2 - eps / mu))


@pytest.mark.parametrize("steps", [1, 40])
def test_a_replacement_costs_no_less_than_the_pair_of_opposite_records(steps: int) -> None:
    """At rate 1 it is exact: two thresholds apart. Below, one step of opposite records is integrated directly."""
    whole = sampling.replaced_epsilon([SubsampledGaussianReleases("sums", 1.0, 9.0, 1.0, steps)], 1e-5)
    assert exact(2.0 * math.sqrt(steps) / 9.0, whole) <= 1e-5
    x = np.linspace(-40.0, 40.0, 400_001)
    for rate, sd in ((0.1, 1.5), (0.5, 4.0)):
        eps = sampling.replaced_epsilon([SubsampledGaussianReleases("sums", 1.0, sd, rate, 1)], 1e-5)
        laws = [
            ((1 - rate) * np.exp(-0.5 * (x / sd) ** 2) + rate * np.exp(-0.5 * ((x - at) / sd) ** 2))
            / (sd * math.sqrt(2 * math.pi))
            for at in (-1.0, 1.0)
        ]
        assert np.maximum(laws[0] - math.exp(eps) * laws[1], 0.0).sum() * (x[1] - x[0]) <= 1e-5


def test_group_privacy_is_solved() -> None:
    """(e, d)-private both ways: 2 e at (1 + exp(e)) d."""
    releases = [SubsampledGaussianReleases("sums", 2.0, 3.0, 0.1, 50)]
    whole = sampling.replaced_epsilon(releases, 1e-5)
    half = sampling.composed_epsilon(releases, 1e-5 / (1.0 + math.exp(0.5 * whole)))
    assert 2.0 * half == pytest.approx(whole, rel=1e-6)
    assert sampling.replaced_epsilon([SubsampledGaussianReleases("sums", 1.0, 0.0, 0.1, 50)], 1e-5) == math.inf
    assert sampling.replaced_epsilon([SubsampledGaussianReleases("sums", 0.0, 1.0, 0.1, 50)], 1e-5) == 0.0


def test_little_noise_has_an_epsilon_whose_delta_rounding_may_hide() -> None:
    """Group privacy asks for a delta of 1e-30, which losses cannot tell; divergences bound it, and more noise less."""
    found = []
    for sd in (0.7, 0.8, 1.0):
        releases = [SubsampledGaussianReleases("sums", 1.0, sd, 0.1, 100)]
        found.append(sampling.replaced_epsilon(releases, 1e-6))
        assert 2.0 * sampling.composed_epsilon(releases, 1e-6) < found[-1]
        part = sampling.replaced_delta(0.5 * found[-1], 1e-6)
        assert 0.5 * found[-1] == pytest.approx(sampling.composed_epsilon(releases, part, "RDP"), rel=0.3)
    assert found[0] > found[1] > found[2]


def test_a_replaced_record_in_samples_stands_alone() -> None:
    sampled, plain = SubsampledGaussianReleases("sums", 1.0, 9.0, 0.1, 3), GaussianReleases("sum", 1.0, 9.0, 1)

    def of(*releases) -> Mechanism:
        return Mechanism("M", releases, "replace-one", "Poisson", math.inf, "proved", "because")

    with pytest.raises(ValueError, match="with others beside them, the relation 'add-remove' or 'zero-out'"):
        of(sampled, plain)
    with pytest.raises(ValueError, match="a record replaced in Poisson samples, which dp-accounting has no event for"):
        of(sampled).to_dp_event()
    both = account([of(sampled), of(plain)], 2e-6)
    assert both.epsilon == account(of(sampled), 1e-6).epsilon + account(of(plain), 1e-6).epsilon


def test_another_number_of_records_is_refused() -> None:
    with pytest.raises(ValueError, match="50 records, and the settings are for n=40"):
        fit(sample(), settings(40), np.random.default_rng(1))
