"""From correlated releases to the epsilon that we can prove for them."""

import math

from dpdescent.privacy import zcdp
from dpdescent.privacy.events import CorrelatedReleases, Mechanism
from dpdescent.privacy.participation import renyi, tail
from dpdescent.privacy.participation.accountants import period_of


def epsilon(event: Mechanism, delta: float) -> float:
    """epsilon at delta of a mechanism of correlated releases; infinite without noise.

    Fixed size and Poisson: by the mean over how often a record takes part, without amplification; for independent
    noise on batches of fixed size under replace-one by eq. (19) of wang2026 if that is less. Balls in bins: of the bin
    that pays most, without amplification.

    Raises:
        ValueError: if the releases are of another kind, delta is not in (0, 1), or the sampler has no accountant.
    """
    zcdp.require_delta(delta)
    (release, *others) = event.releases
    if others or not isinstance(release, CorrelatedReleases):
        raise ValueError(f"{event.name} has other releases than correlated ones: use privacy.accounting or sampling")
    if release.sensitivity == 0.0 or release.count == 0:
        return 0.0
    if release.noise_sd == 0.0:
        return math.inf
    kappa, T, rate, lam = release.noise_sd / release.sensitivity, release.count, release.rate, release.correlation
    if event.sampler == "balls in bins":
        return tail.cyclic_epsilon(kappa, delta, T, period_of(rate), lam)
    if event.sampler not in ("fixed size", "Poisson"):
        raise ValueError(f"{event.name} has correlated releases and sampler={event.sampler!r}: no accountant for it")
    found = tail.epsilon(kappa, delta, T, rate, lam, rule="mixture")
    if lam == 0.0 and event.sampler == "fixed size" and event.relation == "replace-one":
        # (19) is in units of the clipping threshold, by two of which a replaced record moves the sum.
        found = min(found, renyi.epsilon(2.0 * kappa, T, rate, delta))
    return found
