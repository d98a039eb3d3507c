"""Amplification by sampling: published values, inversions, two accountants, limits, and a direct integral."""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import numpy as np
import pytest
from scipy.optimize import brentq

from dpdescent.privacy import accounting, sampling, zcdp
from dpdescent.privacy.events import GaussianReleases, SubsampledGaussianReleases

RATE, STEPS, DELTA = 70 / 1400, 400, 1e-4


@pytest.mark.parametrize(("eps", "prototype"), [(2.0, 2.09), (5.0, 1.14), (10.0, 0.83), (20.0, 0.62)])
def test_noise_of_the_rdp_accountant(eps, prototype):
    """A prototype's noise multipliers to two digits, with a coarser list of orders at the larger epsilons."""
    assert sampling.epsilon(prototype * 0.98, RATE, STEPS, DELTA, "RDP") > eps * 0.99
    assert sampling.epsilon(prototype + 0.005, RATE, STEPS, DELTA, "RDP") < eps


@pytest.mark.parametrize(
    ("eps", "rate", "steps", "accountant"),
    [
        pytest.param(2.0, 0.05, 20, "PLD", marks=pytest.mark.slow),
        (8.0, 0.02, 50, "PLD"),
        (2.0, 0.05, 400, "RDP"),
    ],
)
def test_noise_multiplier_and_epsilon_invert_each_other(eps, rate, steps, accountant):
    multiplier = sampling.noise_multiplier(eps, rate, steps, DELTA, accountant)
    assert sampling.epsilon(multiplier, rate, steps, DELTA, accountant) == pytest.approx(eps, rel=2e-5)
    assert sampling.epsilon(multiplier * 0.999, rate, steps, DELTA, accountant) > eps


@pytest.mark.parametrize(("multiplier", "rate"), [(10.0, 0.05), (2.0, 0.05), (0.7, 0.01), (1.0, 0.5)])
def test_distributions_are_tighter_than_divergences(multiplier, rate):
    tight = sampling.epsilon(multiplier, rate, 100, 1e-5)
    loose = sampling.epsilon(multiplier, rate, 100, 1e-5, "RDP")
    assert 0.6 * loose < tight < loose


def one_release(multiplier, rate, delta):
    """epsilon of one release by its two privacy profiles, integrated directly.

    The output is N(0, s^2), or with probability `rate` N(1, s^2); either may be the one with the record.
    """

    x = np.linspace(-12 * multiplier, 1 + 12 * multiplier, 200_001)
    plain, moved = (np.exp(-0.5 * ((x - at) / multiplier) ** 2) / multiplier / math.sqrt(2 * math.pi) for at in (0, 1))
    pair = plain, (1 - rate) * plain + rate * moved

    def excess(eps, first, second):
        return np.maximum(first - math.exp(eps) * second, 0.0).sum() * (x[1] - x[0]) - delta

    return max(brentq(excess, 0, 30, args=order, xtol=1e-9) for order in (pair, pair[::-1]))


@pytest.mark.parametrize(("multiplier", "rate"), [(1.0, 0.1), (2.0, 0.5), (0.6, 0.05)])
def test_one_release_by_its_privacy_profile(multiplier, rate):
    found = sampling.epsilon(multiplier, rate, 1, 1e-3)
    exact = one_release(multiplier, rate, 1e-3)
    assert exact <= found * (1 + 1e-6)
    assert found == pytest.approx(exact, rel=1e-3)


def test_sampling_everybody_is_no_sampling():
    multiplier, steps = 8.0, 20
    plain = accounting.tight_epsilon(zcdp.gaussian_rho(1.0, multiplier, steps), 1e-5)
    assert sampling.epsilon(multiplier, 1.0, steps, 1e-5) == pytest.approx(plain, rel=1e-4)
    assert sampling.epsilon(multiplier, 0.999999, steps, 1e-5) == pytest.approx(plain, rel=1e-3)


def test_epsilon_rises_with_rate_and_steps_and_falls_with_noise_and_delta():
    at = {"noise_multiplier": 1.5, "rate": 0.05, "steps": 100, "delta": 1e-5}
    base = sampling.epsilon(**at)
    for name, factor, more in [
        ("noise_multiplier", 1.1, False), ("rate", 1.1, True), ("steps", 2, True), ("delta", 2, False),
    ]:  # fmt: skip
        assert (sampling.epsilon(**{**at, name: at[name] * factor}) > base) == more


def test_noise_at_small_epsilon():
    """Where RDP asks for much more than PLD, whose search then has to leave its first bracket."""
    small = sampling.noise_multiplier(0.01, 0.01, 5, 1e-4)
    assert sampling.epsilon(small, 0.01, 5, 1e-4) == pytest.approx(0.01, rel=1e-3)
    assert small < 0.88 * sampling.noise_multiplier(0.01, 0.01, 5, 1e-4, "RDP")


def test_no_edge_of_the_bracket_is_ever_returned(monkeypatch):
    with pytest.raises(ValueError, match=r"no noise multiplier between 0.1 and 1e\+06 gives eps=1000000.0"):
        sampling.noise_multiplier(1e6, RATE, STEPS, DELTA, "RDP")
    monkeypatch.setattr(sampling, "_HIGHEST", 2.0)
    with pytest.raises(ValueError, match=r"between 0.1 and 2 gives eps=1.99"):
        sampling.noise_multiplier(1.99, RATE, STEPS, DELTA, "RDP")
    # A search that ends at an edge is refused too.
    monkeypatch.setattr(sampling, "calibrate_dp_mechanism", lambda *_, **__: math.log(0.1))
    with pytest.raises(ValueError, match="no noise multiplier"):
        sampling.noise_multiplier(7.77, RATE, STEPS, DELTA, "RDP")


def test_composed_releases():
    """Each is handed over as noise over sensitivity; plain ones are not sampled."""
    sampled = SubsampledGaussianReleases("sums", 3.0, 6.0, RATE, 100)
    plain = GaussianReleases("once", 2.0, 8.0, 5)
    assert sampling.composed_epsilon([sampled], 1e-5) == sampling.epsilon(2.0, RATE, 100, 1e-5)
    assert sampling.composed_epsilon([plain], 1e-5) == pytest.approx(
        accounting.tight_epsilon(plain.rho, 1e-5), rel=1e-4
    )
    halves = [SubsampledGaussianReleases("sums", 1.0, 2.0, RATE, 50)] * 2
    assert sampling.composed_epsilon(halves, 1e-5) == pytest.approx(sampling.epsilon(2.0, RATE, 100, 1e-5), rel=1e-6)
    both = sampling.composed_epsilon([sampled, plain], 1e-5)
    alone = [sampling.composed_epsilon([release], 1e-5) for release in (sampled, plain)]
    assert max(alone) < both < sum(alone)


def test_edges_of_composition():
    sampled = SubsampledGaussianReleases("sums", 3.0, 0.0, RATE, 100)
    assert sampling.composed_epsilon([sampled], 1e-5) == math.inf
    silent = SubsampledGaussianReleases("nothing", 0.0, 0.0, RATE, 100)
    assert sampling.composed_epsilon([silent, GaussianReleases("never", 1.0, 0.0, 0)], 1e-5) == 0.0
    assert sampling.composed_epsilon([], 1e-5) == 0.0


def test_accounting_says_nothing_of_orders_left_out(caplog):
    sampling.epsilon.cache_clear()
    assert np.isfinite(sampling.epsilon(0.62, RATE, STEPS, DELTA, "RDP"))
    assert not caplog.records


def test_no_thread_s_account_changes_a_level_of_the_process_s_loggers() -> None:
    """Nor does any of its warnings come out, and another's do while it runs."""
    logger, heard = logging.getLogger("absl"), []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    before = logger.level
    logger.setLevel(logging.WARNING)
    logger.addHandler(handler)
    levels: set[int] = set()
    try:

        def work(number: int) -> None:
            sampling.epsilon(0.62 + number / 100, 0.05, 400 + number, 1e-4, "RDP")
            levels.add(logger.level)

        with ThreadPoolExecutor(8) as executor:
            list(executor.map(work, range(16)))
        assert (logger.level, levels, heard) == (logging.WARNING, {logging.WARNING}, [])
        with sampling._without_warnings():
            logger.warning("another matter")
            other = Thread(target=logger.warning, args=("Excluding this order",))
            other.start()
            other.join()
            logger.warning("Excluding this order from mine")
        assert heard == ["another matter", "Excluding this order"]
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@pytest.mark.parametrize("eps", [150.0, 400.0, 900.0])
def test_large_epsilons_are_bounded_by_those_without_sampling(eps):
    """Their grid is coarser: the account of the noise is what was asked for, and that without sampling is larger."""
    multiplier = sampling.noise_multiplier(eps, 0.1, 300, 1e-5)
    assert sampling.epsilon(multiplier, 0.1, 300, 1e-5) == pytest.approx(eps, rel=1e-4)
    assert sampling.epsilon(multiplier, 1.0, 300, 1e-5) > 2 * eps


@pytest.mark.parametrize("multiplier", [0.01, 1e-6, 1e-100, 1e-200])
def test_next_to_no_noise_is_accounted_for(multiplier):
    """On a fine grid it would have no end; it costs no more than without sampling, and as good as all of that."""
    plain = accounting.tight_epsilon(zcdp.gaussian_rho(1.0, multiplier, 50), 1e-5)
    found = sampling.epsilon(multiplier, 0.5, 50, 1e-5)
    assert 0.1 * plain <= found <= plain
    assert found > 1e4


def test_infinite_noise_costs_nothing_in_a_composition():
    sampled = SubsampledGaussianReleases("sums", 3.0, math.inf, RATE, 100)
    assert sampling.composed_epsilon([sampled], 1e-5) == 0.0
    plain = GaussianReleases("once", 2.0, 8.0, 5)
    assert sampling.composed_epsilon([sampled, plain], 1e-5) == sampling.composed_epsilon([plain], 1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sampling.epsilon(0.0, 0.1, 1, 1e-5), "noise_multiplier must be positive, got 0.0"),
        (lambda: sampling.epsilon(1.0, 0.0, 1, 1e-5), "rate=0.0"),
        (lambda: sampling.epsilon(1.0, 1.1, 1, 1e-5), "rate=1.1"),
        (lambda: sampling.epsilon(1.0, 0.1, 0, 1e-5), "steps=0"),
        (lambda: sampling.epsilon(1.0, 0.1, 1, 1.0), "delta=1.0"),
        (lambda: sampling.noise_multiplier(0.0, 0.1, 1, 1e-5), "eps must be positive, got 0.0"),
        (lambda: sampling.noise_multiplier(1.0, 0.1, 0, 1e-5), "steps=0"),
        (lambda: sampling.composed_epsilon([], 0.0), "delta=0.0"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
