"""Amplification by sampling: (epsilon, delta) of Gaussian noise on sums over Poisson samples, through dp-accounting.

Neighbours differ in one record that is present or absent (add-remove), or in one whose contribution is zeroed
(zero-out); both are the same for sums that are divided by constants only. dp-accounting only gets the ratio of the
noise sd to our own sensitivity. Its privacy-loss distributions (PLD) are rounded up, so that their epsilon is an upper
bound. Renyi divergences (RDP) are the accountant of most papers, and an independent check.
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

# Step of the privacy-loss grid divided by epsilon, and bounds on the step. By measurement, epsilon then has a relative
# error of about 1e-5 (1e-3 at 0.006, 0.1 at 0.0005) and takes a tenth of a second.
_RELATIVE_STEP, _FINEST, _COARSEST = 1e-4, 1e-5, 1e-3

# Above the first epsilon the grid grows with epsilon, because distributions are wide. Above the second, the smaller of
# two bounds is used: by Renyi divergences, and without amplification.
_LARGE, _LARGEST = 100.0, 1e5

# Threads that compute an account of this module.
_quiet = threading.local()

# Half of the epsilon above which a replacement is reported as infinite: exp of it is near the largest float.
_FARTHEST = 500.0

# Smallest and largest noise multiplier of the search for a given epsilon.
_LOWEST, _HIGHEST = 0.1, 1e6


@cache
def epsilon(noise_multiplier: float, rate: float, steps: int, delta: float, accountant: Accountant = "PLD") -> float:
    """The epsilon at delta of `steps` adaptive Gaussian releases of sums over Poisson samples.

    Args:
        noise_multiplier: noise sd divided by sensitivity, positive.
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
    """Smallest noise multiplier, to a relative accuracy of about 1e-5, for which `epsilon(...) <= eps`.

    Raises:
        ValueError: if an argument is out of its range, or no multiplier between 0.1 and 1e6 has this epsilon.
    """
    require_known(Accountant, accountant=accountant)
    require_positive(eps=eps)
    _require_sampling(rate, steps, delta)
    if accountant == "RDP":
        return _calibrated(eps, rate, steps, delta, RdpAccountant, _LOWEST, _HIGHEST)
    # The search starts at the bound of RDP, which is only slightly larger, because little noise makes distributions
    # very wide.
    high = 1.1 * noise_multiplier(eps, rate, steps, delta, "RDP")
    while _distributions(eps).compose(_sampled(low := 0.8 * high, rate, steps)).get_epsilon(delta) <= eps:
        high = low
    calibrated = _calibrated(eps, rate, steps, delta, lambda: _distributions(eps), low, high)
    # Needed because `epsilon` uses another grid, which differs by a few millionths.
    return raised(calibrated, lambda multiplier: epsilon(multiplier, rate, steps, delta) <= eps)


def composed_epsilon(releases: Sequence[Release], delta: float, accountant: Accountant = "PLD") -> float:
    """The epsilon at delta of all releases together, subsampled or not; 0 where nothing depends on the data.

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
    """The epsilon at delta of subsampled releases if a record is replaced, a removal and then an addition.

    This is group privacy: if each of the two is (e, d)-private, both are (2 e, (1 + exp(e)) d). For no pair of laws is
    it proved here that it is the worst pair of a replacement over many steps, so that amplification is not counted more
    tightly. Where d is so small that rounding may hide it in losses, Renyi divergences bound e.

    Args:
        releases: subsampled releases; their sensitivity is that of an added record.
        delta: in (0, 1).

    Raises:
        ValueError: if delta is not in (0, 1).
    """
    zcdp.require_delta(delta)
    hidden = _sampled_steps(releases) * losses.ROUNDING

    def one(part: float) -> float:
        return composed_epsilon(releases, part, "PLD" if part > hidden else "RDP")

    half, last = one(delta / 2.0), 0.0
    # Iterated from below to the smallest fixed point; few steps suffice, because delta enters by its logarithm alone.
    while last * (1.0 + 1e-9) < half < _FARTHEST:
        last, half = half, one(replaced_delta(half, delta))
    return 2.0 * half if half < _FARTHEST else math.inf


def replaced_delta(half: float, delta: float) -> float:
    """Largest delta of a removal and of an addition of epsilon `half`, for a replacement to have the given delta."""
    return delta / (1.0 + math.exp(half))


def _sampled_steps(releases: Sequence[Release]) -> int:
    return sum(release.count for release in releases if isinstance(release, SubsampledGaussianReleases))


def _calibrated(
    eps: float, rate: float, steps: int, delta: float, accountant: Callable[[], Any], low: float, high: float
) -> float:
    """The multiplier strictly between low and high whose epsilon is eps, or slightly smaller."""
    try:
        with _without_warnings():
            log_multiplier = calibrate_dp_mechanism(
                accountant, lambda log: _sampled(math.exp(log), rate, steps), eps, delta,
                ExplicitBracketInterval(math.log(low), math.log(high)), tol=1e-6,
            )  # fmt: skip
    except ValueError:
        log_multiplier = -math.inf
    if not math.log(low) < log_multiplier < math.log(high):
        raise ValueError(f"no noise multiplier between {low:.4g} and {high:.4g} gives eps={eps} at rate={rate}, "
                         f"steps={steps} and delta={delta}: ask for another eps")  # fmt: skip
    return math.exp(log_multiplier)


def _composed(event: dp_accounting.DpEvent, plain: float, delta: float, accountant: Accountant) -> float:
    """The epsilon of an event whose releases would cost `plain` in zCDP if they were not sampled."""
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
    """A PLD accountant with a grid that suits an epsilon of about this size."""
    step = min(max(_RELATIVE_STEP * eps, _FINEST), _COARSEST * max(1.0, eps / _LARGE))
    return _Accountant(value_discretization_interval=step)


class _Accountant(PLDAccountant):  # type: ignore[misc]
    """dp-accounting's accountant with the same losses of Poisson samples, which `losses` computes in less time."""

    _pld: PrivacyLossDistribution

    def _maybe_compose(self, event: dp_accounting.DpEvent, count: int, do_compose: bool) -> Any:
        sampled = do_compose and isinstance(event, dp_accounting.PoissonSampledDpEvent)
        # Without noise epsilon is infinite, and only dp-accounting's own code can represent that.
        if sampled and (multiplier := event.event.noise_multiplier) > 0.0:
            rate = event.sampling_probability
            together = losses.sampled_gaussian(multiplier, rate, count, self._value_discretization_interval)
            self._pld = self._pld.compose(together)
            return None
        return super()._maybe_compose(event, count, do_compose)


def _sampled(multiplier: float, rate: float, steps: int) -> dp_accounting.DpEvent:
    """Event of `steps` Gaussian releases of sums over Poisson samples."""
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
    """Suppresses RDP's warnings in this thread about omitted orders, because omission can only raise epsilon."""
    # By a filter that passes everything else, because a log level would hold for the whole process. The filter stays,
    # and is added once.
    logging.getLogger("absl").addFilter(_passes)
    before = getattr(_quiet, "on", False)
    _quiet.on = True
    # Only for this time, because absl configures the root logger where it has no handler, and the user's own
    # basicConfig would then do nothing.
    handler = logging.NullHandler()
    logging.root.addHandler(handler)
    try:
        yield
    finally:
        logging.root.removeHandler(handler)
        _quiet.on = before


def _passes(record: logging.LogRecord) -> bool:
    """Whether a log record is not one of the suppressed warnings."""
    return not (getattr(_quiet, "on", False) and "Excluding this order" in str(record.msg))
