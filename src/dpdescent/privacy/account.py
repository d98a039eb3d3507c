"""The privacy guarantee of a run, computed from its releases by the accountant that fits them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, Protocol, get_args

from dpdescent.checks import require_known, require_non_negative, require_real
from dpdescent.gate import plain_number
from dpdescent.privacy import sampling, shuffling, sketching, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.arithmetic import Arithmetic, ExactMechanism, arithmetic_of
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    EpsilonDeltaRelease,
    Guarantee,
    Mechanism,
    Relation,
    Release,
    Sampler,
    ShuffledGaussianReleases,
    SketchReleases,
    SubsampledGaussianReleases,
)
from dpdescent.privacy.participation import guarantees

# Guarantees from the worst to the best.
GUARANTEES: tuple[Guarantee, ...] = ("none", "as published", "proved")
ARITHMETICS: tuple[Arithmetic, ...] = get_args(Arithmetic)
Samplers = Literal[Sampler, "several"]


class HasEvent(Protocol):
    """A run, or any other object whose `event` states its releases."""

    @property
    def event(self) -> Mechanism: ...


Accountable = Mechanism | HasEvent


@dataclass(frozen=True)
class Account:
    """Privacy cost of a mechanism, and whether it is proved.

    The numbers hold for the stated releases, if their noise is secret and cannot be regenerated. They are a guarantee
    only where `guarantee` is `proved`.

    Attributes:
        rho: zCDP cost; None where the account includes amplification by sampling or shuffling, which zCDP cannot
            express.
        mu: Gaussian-DP parameter sqrt(2 rho); None where rho is None, and for exact releases, whose noise is discrete.
        epsilon: epsilon at delta, by the tightest accountant that fits; infinite without any noise.
        delta: delta at which epsilon is given.
        relation: neighbouring relation, i.e. which data sets count as neighbours.
        sampler: choice of the records in each step; `several` for runs with different samplers.
        guarantee: `proved`, `as published` or `none`.
        reason: the argument for the guarantee, or the reason why there is none.
        arithmetic: `exact` where all of this holds for what a machine computes, apart from `exact_sums.LEFT_OUT`;
            otherwise `floating point`, and it holds in exact arithmetic.

    Raises:
        ValueError: if relation, sampler, guarantee or arithmetic is not a known one.
    """

    rho: float | None
    mu: float | None
    epsilon: float
    delta: float
    relation: Relation
    sampler: Samplers
    guarantee: Guarantee
    reason: str
    arithmetic: Arithmetic = "floating point"

    def __post_init__(self) -> None:
        require_known(Relation, relation=self.relation)
        require_known(Samplers, sampler=self.sampler)
        require_known(Guarantee, guarantee=self.guarantee)
        require_known(Arithmetic, arithmetic=self.arithmetic)


def account(runs: Accountable | Iterable[Accountable], delta: float) -> Account:
    """Computes the privacy cost of all releases of a run, or of several runs on the same records.

    Several runs compose adaptively: the analyst may choose each after a look at the releases of those before it.
    Independent and subsampled Gaussian releases are composed exactly, and releases in exact arithmetic, whose noise is
    discrete, by zCDP. The following kinds are composed with other runs by adding epsilons, each at an equal part of
    delta: runs with a shuffled order, with sketches, or with correlated noise on random batches, and exact runs beside
    subsampled ones. A run that is proved by (epsilon, delta) takes its own delta first, and epsilon is infinite where
    no delta is left for the others.

    Args:
        runs: a mechanism, a run that has one as `event`, or several of these, all with the same neighbouring relation.
        delta: in (0, 1); choose it far below 1 / n, because publishing a random record is (0, 1 / n)-private.

    Returns:
        The account. For several runs its guarantee and arithmetic are the worst among them.

    Raises:
        ValueError: if delta is not in (0, 1), there is no run, relations differ, a release is out of its range, or no
            accountant fits the releases and the sampler.
    """
    require_real(delta=delta)
    zcdp.require_delta(delta)
    events = _events(runs)
    groups = _composable(events)
    epsilon = _added(groups, delta)
    rho = _rho(groups[0]) if len(groups) == 1 and _has_rho(groups[0]) else None
    mu = None if rho is None or isinstance(groups[0], ExactMechanism) else zcdp.gaussian_dp_mu(rho)
    worst = min(events, key=lambda event: GUARANTEES.index(event.guarantee))
    samplers = {event.sampler for event in events}
    sampler: Samplers = events[0].sampler if len(samplers) == 1 else "several"
    reason = worst.reason if len(events) == 1 else f"{len(events)} runs, {worst.name} the weakest: {worst.reason}"
    arithmetic = min(map(arithmetic_of, events), key=ARITHMETICS.index)
    return Account(rho, mu, epsilon, delta, worst.relation, sampler, worst.guarantee, reason, arithmetic)


def _added(groups: Sequence[Mechanism], delta: float) -> float:
    """The sum of the epsilons of mechanisms: at their own deltas, if they have any, and at equal parts of the rest."""
    own = [group for group in groups if group.is_epsilon_delta]
    others = [group for group in groups if not group.is_epsilon_delta]
    if not own:
        return math.fsum(tightest_epsilon(group, delta / len(groups)) for group in groups)
    taken = math.fsum(_own_delta(group) for group in own)
    epsilon = math.fsum(tightest_epsilon(group, _own_delta(group)) for group in own)
    if not others:
        return epsilon if taken <= delta else math.inf
    left = (delta - taken) / len(others)
    return epsilon + math.fsum(tightest_epsilon(group, left) for group in others) if left > 0.0 else math.inf


def _own_delta(event: Mechanism) -> float:
    """The delta that releases proved by (epsilon, delta) spend together."""
    return math.fsum(release.delta for release in event.releases if isinstance(release, EpsilonDeltaRelease))


def _events(runs: Accountable | Iterable[Accountable]) -> list[Mechanism]:
    """The mechanisms of one run or several, after a check that they share a known relation."""
    several = list(runs) if isinstance(runs, Iterable) else [runs]
    events = [run if isinstance(run, Mechanism) else getattr(run, "event", None) for run in several]
    if strange := [type(run).__name__ for run, event in zip(several, events, strict=True) if event is None]:
        raise ValueError(f"runs has a {strange[0]}, which is no run: give a run or its event, or a list of them")
    mechanisms = [event for event in events if event is not None]
    if not mechanisms:
        raise ValueError("runs=[] has no run: give one at least")
    for event in mechanisms:
        require_known(Relation, relation=event.relation)
        require_known(Sampler, sampler=event.sampler)
    if len(relations := sorted({event.relation for event in mechanisms})) > 1:
        raise ValueError(f"runs differ in relation, {' and '.join(relations)}: a cost under one is none under another")
    return mechanisms


def _composable(events: Sequence[Mechanism]) -> list[Mechanism]:
    """The mechanisms merged into as few as possible, such that one accountant fits all releases of each."""
    if len(events) == 1:
        return list(events)
    together: list[Mechanism] = []
    alone: list[Mechanism] = []
    for event in events:
        # A mechanism without releases has no noise at all, and so has anything that is merged with it.
        lonely = event.is_shuffled or event.is_correlated or event.is_sketched or event.is_epsilon_delta
        # Under replace-one, accountants of sampled releases count a replacement twice, and other accountants once.
        lonely = lonely or not event.releases or (event.is_subsampled and event.relation == "replace-one")
        (alone if lonely else together).append(event)
    # Kept apart, because only rho is known for discrete noise, and subsampled releases have no rho.
    discrete: list[Mechanism] = [event for event in together if isinstance(event, ExactMechanism)]
    apart = bool(discrete) and any(event.is_subsampled for event in together)
    groups = [discrete, [event for event in together if not isinstance(event, ExactMechanism)]] if apart else [together]
    return [*(_merged(group) for group in groups if group), *alone]


def _merged(events: Sequence[Mechanism]) -> Mechanism:
    """One mechanism with the releases of several runs, discrete if one of them is discrete.

    The accountant of discrete noise also covers continuous noise.
    """
    first = next((event for event in events if event.is_subsampled or isinstance(event, ExactMechanism)), events[0])
    releases = tuple(release for event in events for release in event.releases)
    return replace(first, releases=releases, claimed_rho=math.inf, claimed_eps_delta=None)


def _has_rho(event: Mechanism) -> bool:
    """Whether zCDP can express the cost of all releases."""
    without = event.is_subsampled or event.is_shuffled or event.is_correlated
    return not (without or event.is_sketched or event.is_epsilon_delta)


def tightest_epsilon(event: Mechanism, delta: float) -> float:
    """Epsilon of all releases at delta, by the tightest accountant that fits; infinite without any noise.

    Args:
        event: the mechanism; it does not matter here whether its guarantee is proved.
        delta: in (0, 1).

    Raises:
        ValueError: if a release is out of its range, or no accountant fits the releases and the sampler.
    """
    require_known(Relation, relation=event.relation)
    require_known(Sampler, sampler=event.sampler)
    for release in event.releases:
        require_release(release)
    event = replace(event, releases=tuple(map(_plain, event.releases)))
    if event.is_epsilon_delta:
        stated = [release for release in event.releases if isinstance(release, EpsilonDeltaRelease)]
        return math.fsum(release.epsilon for release in stated) if _own_delta(event) <= delta else math.inf
    if event.is_subsampled:
        of = sampling.replaced_epsilon if event.relation == "replace-one" else sampling.composed_epsilon
        return of(event.releases, delta)
    if event.is_correlated:
        return guarantees.epsilon(event, delta)
    if event.is_sketched:
        return sketching.epsilon(event, delta)
    if isinstance(event, ExactMechanism):
        # The conversion that holds for every mechanism with this rho, because the tight one needs continuous noise.
        return zcdp.renyi_epsilon(_rho(event), delta)
    if not event.is_shuffled:
        return tight_epsilon(_rho(event), delta)
    (release,) = event.releases
    assert isinstance(release, ShuffledGaussianReleases)
    if release.sensitivity == 0.0 or release.count == 0:
        return 0.0
    if release.noise_sd / release.sensitivity < zcdp.SMALLEST:
        return math.inf
    return shuffling.epsilon(release.noise_sd / release.sensitivity, release.count, delta)


def _plain(release: Release) -> Release:
    """The same release with plain Python numbers, because ratios, squares and products of narrow ones overflow."""
    if isinstance(release, DisjointReleases):
        # No conversion is needed, because their cost is computed from Python numbers.
        return release
    return replace(release, **{field.name: plain_number(getattr(release, field.name)) for field in fields(release)})


def require_release(release: Release) -> None:
    """Raises ValueError, which names the value, unless the fields of a release are in their ranges."""
    if isinstance(release, DisjointReleases):
        for part_release in (part_release for part in release.parts for part_release in part):
            require_release(part_release)
        return
    if isinstance(release, EpsilonDeltaRelease):
        require_real(epsilon=release.epsilon, delta=release.delta)
        require_non_negative(epsilon=release.epsilon, delta=release.delta)
        return
    values = {field.name: getattr(release, field.name) for field in fields(release) if field.name != "what"}
    require_real(**values)
    require_non_negative(sensitivity=release.sensitivity, noise_sd=release.noise_sd, count=release.count)
    if math.isinf(release.sensitivity) and math.isinf(release.noise_sd):
        raise ValueError("sensitivity=inf and noise_sd=inf: their ratio is unknown; state a finite sensitivity")
    if isinstance(release, SketchReleases):
        require_non_negative(rows=release.rows)
        if release.rows % 1:
            raise ValueError(f"rows={release.rows} must be a whole number of random sums")
        if not 0.0 <= release.miss < 1.0:
            raise ValueError(f"miss={release.miss} must lie in [0, 1)")
    if release.count % 1:
        raise ValueError(f"count={release.count} must be a whole number of releases")
    if isinstance(release, SubsampledGaussianReleases | CorrelatedReleases) and not 0.0 < release.rate <= 1.0:
        raise ValueError(f"rate={release.rate} must lie in (0, 1]")
    if isinstance(release, CorrelatedReleases) and not 0.0 <= release.correlation < 1.0:
        raise ValueError(f"correlation={release.correlation} must lie in [0, 1)")


def _rho(event: Mechanism) -> float:
    """The zCDP cost of a mechanism; infinite without releases, because the output of such a mechanism has no noise."""
    return event.rho if event.releases else math.inf
