"""From what a run let out to its guarantee: the accountant that fits, and whether the guarantee is proved."""

import math
from dataclasses import dataclass

from dpdescent.privacy import sampling, shuffling, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.events import Guarantee, Mechanism, Relation, Sampler, ShuffledGaussianReleases
from dpdescent.privacy.participation import guarantees


@dataclass(frozen=True)
class Account:
    """What a mechanism costs, and whether that is proved.

    The numbers are those of the stated releases with noise that nobody can make again. They bound what a run tells of a
    record only where `guarantee` is `proved`.

    Attributes:
        rho: zCDP cost; None where amplification by sampling or shuffling, which zCDP cannot express, is accounted for.
        mu: Gaussian-DP parameter sqrt(2 rho), or None like rho.
        epsilon: epsilon at delta by the tightest accountant that fits; infinite without any noise.
        delta: where epsilon is given.
        relation: which data sets count as neighbours.
        sampler: how records are chosen in each step.
        guarantee: `proved`, `as published` or `none`.
        reason: the argument, or why there is none.
    """

    rho: float | None
    mu: float | None
    epsilon: float
    delta: float
    relation: Relation
    sampler: Sampler
    guarantee: Guarantee
    reason: str


def account(event: Mechanism, delta: float) -> Account:
    """Accounts for all that a mechanism released.

    Args:
        event: as a run returns it.
        delta: in (0, 1); far below 1 / n, or to publish a record at random would pass for private.

    Raises:
        ValueError: if delta is not in (0, 1), or no accountant fits the releases and the sampler.
    """
    zcdp.require_delta(delta)
    amplified = event.is_subsampled or event.is_shuffled or event.is_correlated
    rho = None if amplified else _rho(event)
    mu = None if rho is None else zcdp.gaussian_dp_mu(rho)
    epsilon = _amplified_epsilon(event, delta) if rho is None else tight_epsilon(rho, delta)
    return Account(rho, mu, epsilon, delta, event.relation, event.sampler, event.guarantee, event.reason)


def _rho(event: Mechanism) -> float:
    """Infinite without releases, because what such a mechanism lets out has no noise."""
    return event.rho if event.releases else math.inf


def _amplified_epsilon(event: Mechanism, delta: float) -> float:
    if event.is_subsampled:
        return sampling.composed_epsilon(event.releases, delta)
    if event.is_correlated:
        return guarantees.epsilon(event, delta)
    (release,) = event.releases
    assert isinstance(release, ShuffledGaussianReleases)
    return shuffling.epsilon(release.noise_sd / release.sensitivity, release.count, delta)
