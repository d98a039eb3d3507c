"""Computes the privacy guarantee of a run from its releases, by the accountant that fits them."""

import math
from dataclasses import dataclass

from dpdescent.checks import require_known, require_non_negative
from dpdescent.privacy import sampling, shuffling, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    Guarantee,
    Mechanism,
    Relation,
    Release,
    Sampler,
    ShuffledGaussianReleases,
    SubsampledGaussianReleases,
)
from dpdescent.privacy.participation import guarantees


@dataclass(frozen=True)
class Account:
    """Privacy cost of a mechanism, and whether it is proved.

    The numbers hold for the stated releases with noise that is secret and cannot be regenerated. They are a guarantee
    only where `guarantee` is `proved`.

    Attributes:
        rho: zCDP cost; None where amplification by sampling or shuffling, which zCDP cannot express, is accounted for.
        mu: Gaussian-DP parameter sqrt(2 rho), or None like rho.
        epsilon: epsilon at delta by the tightest accountant that fits; infinite without any noise.
        delta: delta at which epsilon is given.
        relation: neighbouring relation, i.e. which data sets count as neighbours.
        sampler: how records are chosen in each step.
        guarantee: `proved`, `as published` or `none`.
        reason: the argument, or why there is none.

    Raises:
        ValueError: if relation, sampler or guarantee is none of those that there are.
    """

    rho: float | None
    mu: float | None
    epsilon: float
    delta: float
    relation: Relation
    sampler: Sampler
    guarantee: Guarantee
    reason: str

    def __post_init__(self) -> None:
        require_known(Relation, relation=self.relation)
        require_known(Sampler, sampler=self.sampler)
        require_known(Guarantee, guarantee=self.guarantee)


def account(event: Mechanism, delta: float) -> Account:
    """Computes the privacy cost of all releases of a mechanism.

    Args:
        event: the mechanism, as a run returns it.
        delta: in (0, 1); choose it far below 1 / n, because publishing a random record is (0, 1 / n)-private.

    Raises:
        ValueError: if delta is not in (0, 1), a release is out of its range, or no accountant fits the releases and the
            sampler.
    """
    zcdp.require_delta(delta)
    epsilon = tightest_epsilon(event, delta)
    amplified = event.is_subsampled or event.is_shuffled or event.is_correlated
    rho = None if amplified else _rho(event)
    mu = None if rho is None else zcdp.gaussian_dp_mu(rho)
    return Account(rho, mu, epsilon, delta, event.relation, event.sampler, event.guarantee, event.reason)


def tightest_epsilon(event: Mechanism, delta: float) -> float:
    """Epsilon of all releases at delta by the tightest accountant that fits; infinite without any noise.

    Args:
        event: the mechanism; whether its guarantee is proved is not looked at.
        delta: in (0, 1).

    Raises:
        ValueError: if a release is out of its range, or no accountant fits the releases and the sampler.
    """
    require_known(Relation, relation=event.relation)
    require_known(Sampler, sampler=event.sampler)
    for release in event.releases:
        require_release(release)
    if event.is_subsampled:
        return sampling.composed_epsilon(event.releases, delta)
    if event.is_correlated:
        return guarantees.epsilon(event, delta)
    if not event.is_shuffled:
        return tight_epsilon(_rho(event), delta)
    (release,) = event.releases
    assert isinstance(release, ShuffledGaussianReleases)
    if release.sensitivity == 0.0 or release.count == 0:
        return 0.0
    if release.noise_sd / release.sensitivity < zcdp.SMALLEST:
        return math.inf
    return shuffling.epsilon(release.noise_sd / release.sensitivity, release.count, delta)


def require_release(release: Release) -> None:
    """Raises ValueError, which names the value, unless a release's fields are in their ranges."""
    if isinstance(release, DisjointReleases):
        for each in (each for part in release.parts for each in part):
            require_release(each)
        return
    require_non_negative(sensitivity=release.sensitivity, noise_sd=release.noise_sd, count=release.count)
    if math.isinf(release.sensitivity) and math.isinf(release.noise_sd):
        raise ValueError("sensitivity=inf and noise_sd=inf: their ratio is unknown; state a finite sensitivity")
    if release.count % 1:
        raise ValueError(f"count={release.count} must be a whole number of releases")
    if isinstance(release, SubsampledGaussianReleases | CorrelatedReleases) and not 0.0 < release.rate <= 1.0:
        raise ValueError(f"rate={release.rate} must lie in (0, 1]")
    if isinstance(release, CorrelatedReleases) and not 0.0 <= release.correlation < 1.0:
        raise ValueError(f"correlation={release.correlation} must lie in [0, 1)")


def _rho(event: Mechanism) -> float:
    """zCDP cost of a mechanism; infinite without releases, because the output of such a mechanism has no noise."""
    return event.rho if event.releases else math.inf
