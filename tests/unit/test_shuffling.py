"""Amplification by shuffling: the closed form, its delta, and inversions."""

import math

import pytest

from dpdescent.privacy import shuffling
from dpdescent.privacy.accounting import tight_epsilon

DELTA = 1e-6


def plain(multiplier: float, delta: float = DELTA) -> float:
    """epsilon of one Gaussian release, which is what a record pays without shuffling."""
    return tight_epsilon(0.5 / multiplier**2, delta)


@pytest.mark.parametrize(("eps", "multiplier"), [(1.0, 1.2597), (0.0316, 13.044)])
def test_multipliers_worked_before(eps, multiplier):
    assert shuffling.noise_multiplier(eps, 10**5, DELTA) == pytest.approx(multiplier, rel=1e-4)


@pytest.mark.parametrize("eps_local", [0.01, 0.5, 2.0, 5.0])
def test_closed_form(eps_local):
    """As the theorem's authors compute it, with e = log(1 + A + C); the printed one replaces e^{-e0 - e} by e^-e0."""
    n = 10**6
    A = 8.0 * math.sqrt(math.exp(eps_local) * math.log(4.0 / DELTA) / n)
    C = 8.0 * math.exp(eps_local) / n
    e = math.log(1.0 + A + C)
    expected = math.log(1.0 + (1.0 - math.exp(-eps_local)) / (1.0 + math.exp(-eps_local - e)) * (A + C))
    printed = math.log(1.0 + (1.0 - math.exp(-eps_local)) / (1.0 + math.exp(-eps_local)) * (A + C))
    found = shuffling.amplified(eps_local, n, DELTA)
    assert found == pytest.approx(expected, rel=1e-11)
    assert printed < found < 1.06 * printed


def test_closed_form_at_its_ends():
    n = 10**5
    end = math.log(n / (16.0 * math.log(4.0 / DELTA)))
    assert shuffling.amplified(end - 1e-9, n, DELTA) < end
    assert shuffling.amplified(end + 1e-9, n, DELTA) == math.inf
    # Too few records for any eps_0 >= 0.
    assert shuffling.amplified(0.0, 100, DELTA) == math.inf
    assert shuffling.amplified(0.0, n, DELTA) == 0.0


@pytest.mark.parametrize("multiplier", [0.3, 1.3, 3.0, 20.0])
@pytest.mark.parametrize("records", [50, 10**4, 10**6])
def test_delta_is_split_as_in_the_theorem(multiplier, records):
    """At the epsilon found, delta/2 plus `(e^eps + 1)(1 + e^-eps_0 / 2) n delta_0` is at most delta, and eps is met."""
    eps = shuffling.epsilon(multiplier, records, DELTA)
    delta_local = shuffling.local_delta(eps, DELTA, records)
    local = tight_epsilon(0.5 / multiplier**2, delta_local)
    spent = 0.5 * DELTA + (math.exp(eps) + 1.0) * (1.0 + math.exp(-local) / 2.0) * records * delta_local
    assert spent <= DELTA * (1.0 + 1e-12)
    assert spent > 0.8 * DELTA
    amplified = shuffling.amplified(local, records, 0.5 * DELTA)
    assert eps == pytest.approx(min(amplified, plain(multiplier)), rel=1e-9)
    if eps < plain(multiplier):
        assert amplified <= eps


@pytest.mark.parametrize("eps", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("records", [300, 10**4, 10**6])
@pytest.mark.parametrize("delta", [1e-5, 1e-9])
def test_epsilon_and_multiplier_invert_each_other(eps, records, delta):
    multiplier = shuffling.noise_multiplier(eps, records, delta)
    found = shuffling.epsilon(multiplier, records, delta)
    # Never above what was asked for; far below it only where the theorem ends, in a jump.
    assert found <= eps * (1.0 + 1e-9)
    assert shuffling.epsilon(multiplier * (1.0 - 1e-6), records, delta) > eps
    # Never more noise than without shuffling.
    assert plain(multiplier * (1.0 + 1e-9), delta) >= eps * (1.0 - 1e-6)


@pytest.mark.parametrize("records", [1, 100, 10**4, 10**6])
def test_never_above_what_a_record_pays_without_shuffling(records):
    for multiplier in (0.05, 0.3, 1.0, 1.3, 4.0, 50.0):
        assert shuffling.epsilon(multiplier, records, DELTA) <= plain(multiplier)
    # With a few records, or hardly any noise, that is what is left.
    assert shuffling.epsilon(4.0, 100, DELTA) == plain(4.0)
    assert shuffling.epsilon(0.02, 10**6, DELTA) == plain(0.02)


def test_monotone():
    """More noise, more records or a larger delta never cost more."""
    multipliers = [0.1, 0.5, 1.0, 1.2, 1.5, 2.0, 5.0, 30.0]
    for records in (100, 10**4, 10**6):
        found = [shuffling.epsilon(multiplier, records, DELTA) for multiplier in multipliers]
        assert found == sorted(found, reverse=True)
        assert len(set(found)) == len(found)
    for multiplier in (1.0, 3.0):
        over_records = [shuffling.epsilon(multiplier, records, DELTA) for records in (10, 10**3, 10**5, 10**7)]
        assert over_records == sorted(over_records, reverse=True)
        over_delta = [shuffling.epsilon(multiplier, 10**5, delta) for delta in (1e-10, 1e-7, 1e-4)]
        assert over_delta == sorted(over_delta, reverse=True)
    assert shuffling.epsilon(3.0, 10**7, DELTA) < 0.1 * shuffling.epsilon(3.0, 10**4, DELTA)


def test_amplification_is_by_root_n():
    """In the linear range eps is eps_0 4 sqrt(log(8/delta)/n), delta_0 falling with n."""
    small, large = shuffling.epsilon(30.0, 10**6, DELTA), shuffling.epsilon(30.0, 10**8, DELTA)
    assert 8.0 < small / large < 10.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shuffling.amplified(-0.1, 100, DELTA), "eps_local must not be negative, got -0.1"),
        (lambda: shuffling.amplified(0.1, 0, DELTA), "records must be positive, got 0"),
        (lambda: shuffling.amplified(0.1, 100, 0.0), "delta=0.0"),
        (lambda: shuffling.epsilon(0.0, 100, DELTA), "noise_multiplier must be positive, got 0.0"),
        (lambda: shuffling.epsilon(1.0, -1, DELTA), "records must be positive, got -1"),
        (lambda: shuffling.epsilon(1.0, 100, 1.0), "delta=1.0"),
        (lambda: shuffling.noise_multiplier(0.0, 100, DELTA), "eps must be positive, got 0.0"),
        (lambda: shuffling.noise_multiplier(1.0, 0, DELTA), "records must be positive, got 0"),
        (lambda: shuffling.noise_multiplier(1.0, 100, 2.0), "delta=2.0"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_next_to_no_noise_has_an_infinite_epsilon() -> None:
    assert shuffling.epsilon(1e-200, 1000, 1e-6) == math.inf
