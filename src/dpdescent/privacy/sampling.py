"""Amplification by sampling: (epsilon, delta) of Gaussian noise on sums over Poisson samples, through dp-accounting.

Neighbours differ in one record that is there or not (add-remove), or in one whose contribution is zeroed (zero-out);
both are the same for sums that are divided by constants only. dp-accounting gets only the ratio of noise sd to our own
sensitivity. Its privacy-loss distributions (PLD) are rounded up, so that their epsilon is an upper bound. Renyi
divergences (RDP) are the accountant of most papers, and an independent check.
"""

import logging
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import dp_accounting
from dp_accounting.mechanism_calibration import ExplicitBracketInterval, calibrate_dp_mechanism
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
from dp_accounting.rdp import RdpAccountant

from dpdescent.checks import require_known, require_positive
from dpdescent.privacy import losses, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.events import GaussianReleases, Release, SubsampledGaussianReleases
from dpdescent.privacy.participation.search import raised

Accountant = Literal["PLD", "RDP"]

# Step of the privacy-loss grid relative to epsilon, and its bounds. As measured, epsilon then has a relative error of
# about 1e-5 (1e-3 at 0.006, 0.1 at 0.0005) and takes a tenth of a second.
_RELATIVE_STEP, _FINEST, _COARSEST = 1e-4, 1e-5, 1e-3

# Beyond the first, the grid grows with epsilon, because distributions are wide; beyond the second, the smaller of the
# bounds by Renyi divergences and without amplification is taken.
_LARGE, _LARGEST = 100.0, 1e5

# Threads that are in an account of this module's.
_quiet = threading.local()

# Half an epsilon beyond which a replacement is told to have none: exp of it is near what a number can hold.
_FARTHEST = 500.0

# Noise multipliers between which the noise for a given epsilon is searched.
_LOWEST, _HIGHEST = 0.1, 1e6


@cache
def epsilon(noise_multiplier: float, rate: float, steps: int, delta: float, accountant: Accountant = "PLD") -> float:
    """epsilon at delta of `steps` adaptive Gaussian releases, each of a sum over a Poisson sample.

    Args:
        noise_multiplier: noise sd over sensitivity, positive.
        rate: probability that a record is in a sample, in (0, 1].
        steps: number of releases, at least 1.
        delta: in (0, 1).
        accountant: accountant of epsilon; both give an upper bound, and that of PLD is tight.

    Raises:
        ValueError: if an argument is out of its range.
    """
    require_known(Accountant, accountant=accountant)
    require_positive(noise_multiplier=noise_multiplier)
    _require_sampling(rate, steps, delta)
    plain = zcdp.gaussian_rho(1.0, noise_multiplier, steps)
    return _composed(_sampled(noise_multiplier, rate, steps), plain, delta, accountant)


@cache
def noise_multiplier(eps: float, rate: float, steps: int, delta: float, accountant: Accountant = "PLD") -> float:
    """Smallest noise multiplier, to about 1e-5 of itself, for which `epsilon(...) <= eps`.

    Raises:
        ValueError: if an argument is out of its range, or no multiplier between 0.1 and 1e6 has this epsilon.
    """
    require_known(Accountant, accountant=accountant)
    require_positive(eps=eps)
    _require_sampling(rate, steps, delta)
    if accountant == "RDP":
        return _calibrated(eps, rate, steps, delta, RdpAccountant, _LOWEST, _HIGHEST)
    # The search starts at RDP's bound, which is not far above, because little noise makes distributions very wide.
    high = 1.1 * noise_multiplier(eps, rate, steps, delta, "RDP")
    while _distributions(eps).compose(_sampled(low := 0.8 * high, rate, steps)).get_epsilon(delta) <= eps:
        high = low
    found = _calibrated(eps, rate, steps, delta, lambda: _distributions(eps), low, high)
    # Needed because `epsilon` uses another grid, which differs by a few millionths.
    return raised(found, lambda multiplier: epsilon(multiplier, rate, steps, delta) <= eps)


def composed_epsilon(releases: Sequence[Release], delta: float, accountant: Accountant = "PLD") -> float:
    """epsilon at delta of all releases together, subsampled or not; 0 where nothing depends on the data.

    Raises:
        ValueError: if delta is not in (0, 1), or a release is shuffled or from disjoint parts.
    """
    require_known(Accountant, accountant=accountant)
    zcdp.require_delta(delta)
    if accountant == "PLD":
        losses.require_resolved(_sampled_steps(releases), delta)
    events, plain = [], 0.0
    for release in releases:
        if not isinstance(release, GaussianReleases | SubsampledGaussianReleases):
            raise ValueError(f"{type(release).__name__} cannot be composed with subsampled releases")
        if release.sensitivity == 0.0 or release.count == 0 or math.isinf(release.noise_sd):
            continue
        plain += zcdp.gaussian_rho(release.sensitivity, release.noise_sd, release.count)
        rate = 1.0 if isinstance(release, GaussianReleases) else release.rate
        events.append(_sampled(release.noise_sd / release.sensitivity, rate, release.count))
    return _composed(dp_accounting.ComposedDpEvent(events), plain, delta, accountant) if events else 0.0


def replaced_epsilon(releases: Sequence[Release], delta: float) -> float:
    """epsilon at delta of subsampled releases where a record is replaced: one removed, then one added (group privacy).

    If each of the two is (e, d)-private, both are (2 e, (1 + exp(e)) d). Of no pair of laws is it proved here
    that it is the worst of a replacement over many steps, so that amplification is not counted more closely. Where d is
    so small that rounding may hide it in losses, Renyi divergences bound e.

    Args:
        releases: subsampled ones; their sensitivity is that of a record added.
        delta: in (0, 1).

    Raises:
        ValueError: if delta is not in (0, 1).
    """
    zcdp.require_delta(delta)
    hidden = _sampled_steps(releases) * losses.ROUNDING

    def one(part: float) -> float:
        return composed_epsilon(releases, part, "PLD" if part > hidden else "RDP")

    half, last = one(delta / 2.0), 0.0
    # From below to the least fixed point, in few turns, because delta enters by its logarithm alone.
    while last * (1.0 + 1e-9) < half < _FARTHEST:
        last, half = half, one(replaced_delta(half, delta))
    return 2.0 * half if half < _FARTHEST else math.inf


def replaced_delta(half: float, delta: float) -> float:
    """delta that a removal and an addition of epsilon `half` may have, for a replacement to have this delta."""
    return delta / (1.0 + math.exp(half))


def _sampled_steps(releases: Sequence[Release]) -> int:
    return sum(each.count for each in releases if isinstance(each, SubsampledGaussianReleases))


def _calibrated(
    eps: float, rate: float, steps: int, delta: float, accountant: Callable[[], Any], low: float, high: float
) -> float:
    """Multiplier strictly between low and high whose epsilon is eps, or slightly less."""
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


def _composed(event: dp_accounting.DpEvent, plain: float, delta: float, accountant: Accountant) -> float:
    """epsilon of an event whose releases would cost `plain` in zCDP if they were not sampled."""
    if math.isinf(plain):
        return math.inf
    with _without_warnings():
        eps = float(RdpAccountant().compose(event).get_epsilon(delta))
        if accountant == "RDP":
            return eps
        if eps > _LARGEST:
            return min(eps, tight_epsilon(plain, delta))
        return float(_distributions(eps).compose(event).get_epsilon(delta))


def _distributions(eps: float) -> PLDAccountant:
    """PLD accountant with a grid that fits an epsilon of about this size."""
    step = min(max(_RELATIVE_STEP * eps, _FINEST), _COARSEST * max(1.0, eps / _LARGE))
    return _Accountant(value_discretization_interval=step)


class _Accountant(PLDAccountant):  # type: ignore[misc]
    """dp-accounting's accountant with the same losses of Poisson samples, which `losses` computes in less time."""

    _pld: PrivacyLossDistribution

    def _maybe_compose(self, event: dp_accounting.DpEvent, count: int, do_compose: bool) -> Any:
        sampled = do_compose and isinstance(event, dp_accounting.PoissonSampledDpEvent)
        # Without noise epsilon is infinite, which only dp-accounting's accountant knows how to keep.
        if sampled and (multiplier := event.event.noise_multiplier) > 0.0:
            rate = event.sampling_probability
            together = losses.sampled_gaussian(multiplier, rate, count, self._value_discretization_interval)
            self._pld = self._pld.compose(together)
            return None
        return super()._maybe_compose(event, count, do_compose)


def _sampled(multiplier: float, rate: float, steps: int) -> dp_accounting.DpEvent:
    gaussian = dp_accounting.GaussianDpEvent(multiplier)
    # At rate 1 the plain Gaussian event is used, because both accountants handle it faster.
    event = gaussian if rate == 1.0 else dp_accounting.PoissonSampledDpEvent(rate, gaussian)
    return dp_accounting.SelfComposedDpEvent(event, steps)


def _require_sampling(rate: float, steps: int, delta: float) -> None:
    zcdp.require_delta(delta)
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate={rate} must lie in (0, 1]")
    if steps < 1:
        raise ValueError(f"steps={steps} must be at least 1")
    losses.require_resolved(steps if rate < 1.0 else 0, delta)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Drops RDP's warnings of this thread about orders that it leaves out, because that can only raise epsilon."""
    # By a filter that lets all else pass, because a level is one for the whole process. It stays, and is added once.
    logging.getLogger("absl").addFilter(_passes)
    before = getattr(_quiet, "on", False)
    _quiet.on = True
    # For this time, because absl sets the root logger up where it has no handler, and the user's own basicConfig would
    # do nothing afterwards.
    handler = logging.NullHandler()
    logging.root.addHandler(handler)
    try:
        yield
    finally:
        logging.root.removeHandler(handler)
        _quiet.on = before


def _passes(record: logging.LogRecord) -> bool:
    return not (getattr(_quiet, "on", False) and "Excluding this order" in str(record.msg))
