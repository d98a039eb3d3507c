"""Proved epsilon of correlated releases."""

import math

from dpdescent.privacy import zcdp
from dpdescent.privacy.events import CorrelatedReleases, Mechanism
from dpdescent.privacy.participation import fixed_size, tail
from dpdescent.privacy.participation.accountants import period_of


def epsilon(event: Mechanism, delta: float) -> float:
    """Proved epsilon at delta of a mechanism of correlated releases; infinite without noise.

    For batches of fixed size and Poisson samples it is the mean over the number of participations, without
    amplification. For independent noise on batches of fixed size under replace-one it is the epsilon of the dominating
    pair, which sampling amplifies. For balls in bins it is the epsilon of the worst bin, without amplification.

    Raises:
        ValueError: if the releases are of another kind, delta is not in (0, 1), or the sampler has no accountant. Or if
            batches have a fixed size and neighbours differ in their number of records, because one record more changes
            which others are in a batch.
    """
    zcdp.require_delta(delta)
    (release, *others) = event.releases
    if others or not isinstance(release, CorrelatedReleases):
        raise ValueError(f"{event.name} has other releases than correlated ones: use privacy.accounting or sampling")
    if event.sampler == "fixed size" and event.relation == "add-remove":
        raise ValueError(
            f"{event.name} has batches of fixed size and relation='add-remove': one record more changes which others "
            "are in a batch, so the relation must be 'replace-one' or 'zero-out'"
        )
    if release.sensitivity == 0.0 or release.count == 0:
        return 0.0
    if release.noise_sd / release.sensitivity < zcdp.SMALLEST:
        return math.inf
    kappa, T, rate, lam = release.noise_sd / release.sensitivity, release.count, release.rate, release.correlation
    if event.sampler == "balls in bins":
        return tail.cyclic_epsilon(kappa, delta, T, period_of(rate), lam)
    if event.sampler not in ("fixed size", "Poisson"):
        raise ValueError(f"{event.name} has correlated releases and sampler={event.sampler!r}: no accountant for it")
    if lam == 0.0 and event.sampler == "fixed size" and event.relation == "replace-one":
        # The pair is in units of the clipping threshold; a replaced record moves the sum by two of them.
        return fixed_size.epsilon(2.0 * kappa, T, rate, delta)
    return tail.epsilon(kappa, delta, T, rate, lam, rule="mixture")
