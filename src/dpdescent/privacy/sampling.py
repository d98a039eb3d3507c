"""Amplification by sampling: (epsilon, delta) of Gaussian noise on sums over Poisson samples, through dp-accounting.

Neighbours differ in one record that is there or not (add-remove), or in one whose contribution is zeroed (zero-out):
the same for sums that are divided by constants only. dp-accounting is handed noise sd over our own sensitivity and
nothing else. Its privacy-loss distributions (PLD) are rounded up, so that their epsilon holds; Renyi divergences (RDP)
are what papers mostly used, and a check from another side.
"""

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import dp_accounting
from dp_accounting.mechanism_calibration import ExplicitBracketInterval, calibrate_dp_mechanism
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import GaussianReleases, Release, SubsampledGaussianReleases

Accountant = Literal["PLD", "RDP"]

# Step of the privacy-loss grid over epsilon, and its bounds. Measured: epsilon is then tight to about 1e-5 of itself,
# to 1e-3 at 0.006 and to 0.1 at 0.0005, and takes a tenth of a second.
_RELATIVE_STEP, _FINEST, _COARSEST = 1e-4, 1e-5, 1e-3

# Noise multipliers among which noise for a given epsilon is looked for.
_LOWEST, _HIGHEST = 0.1, 1e6


@cache
def epsilon(noise_multiplier: float, rate: float, steps: int, delta: float, accountant: Accountant = "PLD") -> float:
    """epsilon at delta of `steps` adaptive Gaussian releases, each of a sum over a Poisson sample.

    Args:
        noise_multiplier: noise sd over sensitivity, positive.
        rate: probability that a record is in a sample, in (0, 1].
        steps: number of releases, at least 1.
        delta: in (0, 1).
        accountant: what epsilon is computed by; either is an upper bound, PLD's a tight one.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_positive(noise_multiplier=noise_multiplier)
    _require_sampling(rate, steps, delta)
    return _composed(_sampled(noise_multiplier, rate, steps), delta, accountant)


@cache
def noise_multiplier(eps: float, rate: float, steps: int, delta: float, accountant: Accountant = "PLD") -> float:
    """Smallest noise multiplier, to about 1e-5 of itself, for which `epsilon(...) <= eps`.

    Raises:
        ValueError: if an argument is out of its range, or no multiplier between 0.1 and 1e6 has this epsilon.
    """
    require_positive(eps=eps)
    _require_sampling(rate, steps, delta)
    if accountant == "RDP":
        return _calibrated(eps, rate, steps, delta, RdpAccountant, _LOWEST, _HIGHEST)
    # RDP's bound is not far above, and steps down from it are short: little noise makes distributions very wide.
    high = 1.1 * noise_multiplier(eps, rate, steps, delta, "RDP")
    while _distributions(eps).compose(_sampled(low := 0.8 * high, rate, steps)).get_epsilon(delta) <= eps:
        high = low
    found = _calibrated(eps, rate, steps, delta, lambda: _distributions(eps), low, high)
    # `epsilon` rounds on a grid of its own, a few millionths apart.
    while epsilon(found, rate, steps, delta) > eps:
        found *= 1.0 + 1e-6
    return found


def composed_epsilon(releases: Sequence[Release], delta: float, accountant: Accountant = "PLD") -> float:
    """epsilon at delta of all releases together, subsampled or not; 0 where nothing depends on the data.

    Raises:
        ValueError: if delta is not in (0, 1), or a release is shuffled or from disjoint parts.
    """
    zcdp.require_delta(delta)
    events = []
    for release in releases:
        if not isinstance(release, GaussianReleases | SubsampledGaussianReleases):
            raise ValueError(f"{type(release).__name__} cannot be composed with subsampled releases")
        if release.sensitivity == 0.0 or release.count == 0:
            continue
        rate = 1.0 if isinstance(release, GaussianReleases) else release.rate
        events.append(_sampled(release.noise_sd / release.sensitivity, rate, release.count))
    return _composed(dp_accounting.ComposedDpEvent(events), delta, accountant) if events else 0.0


def _calibrated(
    eps: float, rate: float, steps: int, delta: float, accountant: Callable[[], Any], low: float, high: float
) -> float:
    """The root between low and high, neither of which is ever the answer; epsilon there is not above eps."""
    try:
        with _without_warnings():
            found = calibrate_dp_mechanism(
                accountant, lambda log: _sampled(math.exp(log), rate, steps), eps, delta,
                ExplicitBracketInterval(math.log(low), math.log(high)), tol=1e-6,
            )  # fmt: skip
    except ValueError:
        found = -math.inf
    if not math.log(low) < found < math.log(high):
        raise ValueError(f"no noise multiplier between {low:.4g} and {high:.4g} gives eps={eps} at rate={rate}, "
                         f"steps={steps} and delta={delta}: ask for another eps")  # fmt: skip
    return math.exp(found)


def _composed(event: dp_accounting.DpEvent, delta: float, accountant: Accountant) -> float:
    with _without_warnings():
        eps = float(RdpAccountant().compose(event).get_epsilon(delta))
        return eps if accountant == "RDP" else float(_distributions(eps).compose(event).get_epsilon(delta))


def _distributions(eps: float) -> PLDAccountant:
    """A PLD accountant with a grid that fits an epsilon of about this size."""
    return PLDAccountant(value_discretization_interval=min(max(_RELATIVE_STEP * eps, _FINEST), _COARSEST))


def _sampled(multiplier: float, rate: float, steps: int) -> dp_accounting.DpEvent:
    gaussian = dp_accounting.GaussianDpEvent(multiplier)
    # A Gaussian release of everybody has a quicker way through both accountants.
    event = gaussian if rate == 1.0 else dp_accounting.PoissonSampledDpEvent(rate, gaussian)
    return dp_accounting.SelfComposedDpEvent(event, steps)


def _require_sampling(rate: float, steps: int, delta: float) -> None:
    zcdp.require_delta(delta)
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate={rate} must lie in (0, 1]")
    if steps < 1:
        raise ValueError(f"steps={steps} must be at least 1")


@contextmanager
def _without_warnings() -> Iterator[None]:
    """RDP says of every order that it had to leave out; that raises epsilon at most, so nobody need know."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
