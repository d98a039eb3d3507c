"""Privacy events: immutable descriptions of releases that algorithms return and accountants read.

No algorithm computes an epsilon. It states the number of its Gaussian releases, their sensitivity and noise, the
neighbouring relation and the sampler; `privacy.account` turns that into a guarantee.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

from dpdescent.checks import require_known
from dpdescent.privacy import zcdp
from dpdescent.sums import added

Relation = Literal["replace-one", "add-remove", "zero-out"]
Sampler = Literal[
    "full batch", "single pass", "shuffled single pass", "fixed order", "Poisson", "fixed size", "balls in bins"
]
Conversion = Literal["Bun-Steinke", "Renyi"]
Guarantee = Literal["proved", "as published", "none"]


@dataclass(frozen=True)
class GaussianReleases:
    """`count` adaptive releases of a quantity of the data plus independent N(0, noise_sd^2) noise on every coordinate.

    Attributes:
        what: the released quantity, in words.
        sensitivity: largest Euclidean distance between the quantity's values on neighbours, given the earlier releases.
        noise_sd: sd of the noise, in the units of `sensitivity`.
        count: number of releases.
    """

    what: str
    sensitivity: float
    noise_sd: float
    count: int

    @property
    def rho(self) -> float:
        """zCDP cost of all the releases together."""
        return zcdp.gaussian_rho(self.sensitivity, self.noise_sd, self.count)


@dataclass(frozen=True)
class SubsampledGaussianReleases:
    """`count` adaptive Gaussian releases of sums over Poisson samples, which hold a record with probability `rate`.

    The samples are independent of each other and never published. Sums are divided by constants only, so that removing
    a record and setting its contribution to zero are the same. `privacy.sampling` accounts for them; they have no rho,
    because a zCDP budget cannot express amplification by sampling.

    Attributes:
        what: the released quantity, in words.
        sensitivity: largest Euclidean norm of a record's contribution to the sum, under replace-one too, because the
            account treats a replacement as a removal and an addition.
        noise_sd: sd of the noise, in the units of `sensitivity`.
        rate: probability that a record is in a sample.
        count: number of releases.
    """

    what: str
    sensitivity: float
    noise_sd: float
    rate: float
    count: int


@dataclass(frozen=True)
class ShuffledGaussianReleases:
    """One adaptive Gaussian release per record, in a secret, uniformly random order of the records.

    All releases are public, but their order is not. `privacy.shuffling` accounts for them; they have no rho.

    Attributes:
        what: the quantity that is released per record, in words.
        sensitivity: largest Euclidean distance that the quantity moves when its record is replaced, given the earlier
            releases.
        noise_sd: sd of the noise, in the units of `sensitivity`.
        count: number of records, and therefore of releases.
    """

    what: str
    sensitivity: float
    noise_sd: float
    count: int


@dataclass(frozen=True)
class CorrelatedReleases:
    """`count` adaptive releases of sums over random batches; each subtracts a part of the noise of the one before.

    With noise `Z_t - correlation Z_(t-1)` all of them are one release, namely of the sums g encoded as `C g + Z` with
    `C_(t,u) = correlation^(t - u)` (wang2026 eqs. 24 and 25). The batches are never published. `privacy.participation`
    accounts for them; they have no rho, because the number of a record's participations is random.

    Attributes:
        what: the released quantity, in words.
        sensitivity: largest Euclidean distance between a sum's values on neighbours, for one participation.
        noise_sd: sd of Z, in the units of `sensitivity`.
        correlation: lambda, in [0, 1).
        rate: probability that a record is in a batch.
        count: number of releases.
    """

    what: str
    sensitivity: float
    noise_sd: float
    correlation: float
    rate: float
    count: int


@dataclass(frozen=True)
class SketchReleases:
    """`count` adaptive releases of sketches: `rows` random sums of all records, with N(0, 1) weights, plus noise.

    The weights are secret and drawn anew for every sum, so that a row is N(0, S), where S is the sum of xx' plus the
    covariance of the noise: the other records hide one record as noise does. `privacy.sketching` accounts for them;
    they have no rho, because their Renyi divergence is finite at small orders only.

    Attributes:
        what: the records that are summed.
        sensitivity: largest Euclidean norm of a record, under every relation.
        noise_sd: smallest sd of a row along any direction: the root of a lower bound on the eigenvalues of S.
        rows: number of rows per sketch.
        miss: probability that earlier releases chose too little noise for this bound.
        count: number of sketches.
    """

    what: str
    sensitivity: float
    noise_sd: float
    rows: int
    miss: float
    count: int


@dataclass(frozen=True)
class DisjointReleases:
    """Adaptive releases from disjoint parts of the data: a record takes part in the releases of one part only.

    The cost is therefore the cost of the most expensive part (parallel composition), and not the sum. The partition is
    fixed, or drawn independently of the data; under replace-one it is then the same for neighbours.

    Attributes:
        parts: the releases from each part, which may differ from part to part.

    Raises:
        ValueError: if there is no part, or a part is not a tuple of releases.
    """

    parts: tuple[tuple[GaussianReleases, ...], ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("parts=() has no part: give the releases of one at least")
        if not all(_are(part, GaussianReleases) for part in self.parts):
            raise ValueError("parts must be tuples of GaussianReleases, one tuple for each part of the data")

    @property
    def rho(self) -> float:
        """zCDP cost of the most expensive part."""
        return max(added(release.rho for release in part) for part in self.parts)


@dataclass(frozen=True)
class EpsilonDeltaRelease:
    """A release without Gaussian noise that an argument of its own proves (epsilon, delta)-private.

    It is the largest outcome that the argument covers, such as a test together with a draw after it, because a delta
    that the whole spends once cannot be divided among its parts. The costs of several releases add up; they have no
    rho.

    Attributes:
        what: the released quantity, in words.
        epsilon, delta: cost of the release under the mechanism's relation.
    """

    what: str
    epsilon: float
    delta: float


Release = (
    GaussianReleases
    | SubsampledGaussianReleases
    | ShuffledGaussianReleases
    | CorrelatedReleases
    | SketchReleases
    | DisjointReleases
    | EpsilonDeltaRelease
)


def _are(items: object, kind: Any) -> bool:
    """Whether an object is a sequence of instances of a class, or of one of several classes."""
    return isinstance(items, tuple | list) and all(isinstance(item, kind) for item in items)


def correlated_release(sensitivity: float, clip_norm: float, noise_sd: float) -> GaussianReleases:
    """Returns a run with correlated noise as one Gaussian release of the encoded clipped gradients, `C g + w`.

    All iterates are post-processing of it. Adaptive gradients cost nothing more, because the releases up to step t do
    not use later gradients (choquettechoo2023 Thm. 1.1).

    Args:
        sensitivity: sensitivity of the encoder: the largest norm of the sum of those columns of C in which one record
            takes part.
        clip_norm: largest distance between a record's gradients on neighbours: the clipping threshold under zero-out,
            and twice that under replace-one.
        noise_sd: sd of the independent noise w.
    """
    return GaussianReleases("encoded clipped gradients (whole run)", sensitivity * clip_norm, noise_sd, 1)


@dataclass(frozen=True)
class Mechanism:
    """All releases of an algorithm on one data set, and the relation under which their sensitivities hold.

    Attributes:
        name: name of the algorithm.
        releases: the Gaussian releases; their zCDP costs add up (adaptive composition).
        relation: neighbouring relation, i.e. which data sets count as neighbours.
        sampler: choice of the records in each step: all of them; the next one of a single pass (in the order of the
            data, or in a secret random order); batches in the same order in every epoch; each record independently
            (Poisson); a new batch of fixed size without replacement; or batches in the same order in every epoch, to
            which records are assigned at random (balls in bins).
        claimed_rho: the zCDP budget that the paper claims for the mechanism; inf where it claims none.
        guarantee: `proved` by an argument that we can write down, `as published` (claimed, neither proved by us nor
            refuted), `none` (refuted, not claimed, or data used without account).
        reason: the argument for the guarantee, or the reason why there is none.
        claimed_eps_delta: the (epsilon, delta) that the paper claims instead of a zCDP budget.
        conversion: the paper's conversion of its zCDP budget to epsilon: `zcdp.epsilon` or `zcdp.renyi_epsilon`.
        stand_in: reason why this event stands for other runs than its own, such as those of later trials with newly
            drawn parameters; empty where it is exactly what ran.

    Raises:
        ValueError: if `releases` is not a tuple of releases, or relation, sampler, guarantee or conversion is not a
            known one. Or if both a finite claimed_rho and an (epsilon, delta) are given, because a mechanism has one
            claim. Or if there are subsampled releases, but the sampler is not Poisson, or the relation is replace-one
            and other releases stand beside them. Or if there are shuffled releases, but other releases beside them,
            another sampler, or another relation than replace-one. Or if there are correlated releases, but other
            releases beside them, or a sampler without random batches. Or if there are sketches, but releases beside
            them that are not Gaussian, or another sampler than the full batch. Or if parts of the data are disjoint,
            but the relation is not replace-one.
    """

    name: str
    releases: tuple[Release, ...]
    relation: Relation
    sampler: Sampler
    claimed_rho: float
    guarantee: Guarantee
    reason: str
    claimed_eps_delta: tuple[float, float] | None = None
    conversion: Conversion = "Bun-Steinke"
    stand_in: str = ""

    def __post_init__(self) -> None:
        if not _are(self.releases, Release):
            raise ValueError(f"releases of {self.name} must be a tuple of releases, such as (GaussianReleases(...),)")
        require_known(Relation, relation=self.relation)
        require_known(Sampler, sampler=self.sampler)
        require_known(Guarantee, guarantee=self.guarantee)
        require_known(Conversion, conversion=self.conversion)
        if self.claimed_eps_delta is not None and not math.isinf(self.claimed_rho):
            raise ValueError(
                f"{self.name} claims rho={self.claimed_rho} and (epsilon, delta)={self.claimed_eps_delta}: give one "
                "claim, with claimed_rho=inf beside an (epsilon, delta)"
            )
        by_itself = self.relation in ("add-remove", "zero-out") or _are(self.releases, SubsampledGaussianReleases)
        if self.is_subsampled and not (self.sampler == "Poisson" and by_itself):
            raise ValueError(
                f"{self.name} has subsampled releases, but sampler={self.sampler!r} and relation={self.relation!r}: "
                "they need the sampler 'Poisson' and, with others beside them, the relation 'add-remove' or 'zero-out'"
            )
        shuffled_alone = len(self.releases) == 1 and self.sampler == "shuffled single pass"
        if self.is_shuffled and not (shuffled_alone and self.relation == "replace-one"):
            raise ValueError(
                f"{self.name} has {len(self.releases)} releases, shuffled ones among them, sampler={self.sampler!r} "
                f"and relation={self.relation!r}: shuffled releases stand alone, with the sampler 'shuffled single "
                "pass' and the relation 'replace-one'"
            )
        random_batches = self.sampler in ("Poisson", "fixed size", "balls in bins")
        if self.is_correlated and not (len(self.releases) == 1 and random_batches):
            raise ValueError(
                f"{self.name} has {len(self.releases)} releases, correlated ones among them, and sampler="
                f"{self.sampler!r}: correlated releases stand alone, with the sampler 'Poisson', 'fixed size' or "
                "'balls in bins'; with batches that are known, use correlated_release"
            )
        if self.is_sketched and not (
            _are(self.releases, GaussianReleases | SketchReleases) and self.sampler == "full batch"
        ):
            raise ValueError(
                f"{self.name} has sketches, sampler={self.sampler!r} and {len(self.releases)} releases: sketches stand "
                "with Gaussian releases alone, with the sampler 'full batch'"
            )
        if self.relation != "replace-one" and any(isinstance(item, DisjointReleases) for item in self.releases):
            raise ValueError(
                f"{self.name} has releases from disjoint parts and relation={self.relation!r}: one record more would "
                "move all later parts, so the relation must be 'replace-one'"
            )
        if self.is_epsilon_delta and not _are(self.releases, EpsilonDeltaRelease):
            raise ValueError(
                f"{self.name} has releases proved by (epsilon, delta) beside others: make two mechanisms of them, "
                "which `account` composes"
            )

    @classmethod
    def without_privacy(
        cls, name: str, reason: str = "non-private baseline: no noise", relation: Relation = "replace-one",
        sampler: Sampler = "full batch", stand_in: str = "",
    ) -> "Mechanism":  # fmt: skip
        """Returns a mechanism without a guarantee, for a run without noise or without a finite sensitivity."""
        return cls(name, (), relation, sampler, math.inf, "none", reason, stand_in=stand_in)

    @property
    def is_shuffled(self) -> bool:
        """Whether privacy depends on the secret order of the records, so that `privacy.shuffling` is the accountant."""
        return any(isinstance(release, ShuffledGaussianReleases) for release in self.releases)

    @property
    def is_correlated(self) -> bool:
        """Whether batches are random and noise is correlated, so that `privacy.participation` is the accountant."""
        return any(isinstance(release, CorrelatedReleases) for release in self.releases)

    @property
    def is_subsampled(self) -> bool:
        """Whether a release is amplified by sampling, so that `privacy.sampling` is the accountant of all releases."""
        return any(isinstance(release, SubsampledGaussianReleases) for release in self.releases)

    @property
    def is_epsilon_delta(self) -> bool:
        """Whether an (epsilon, delta) proof covers each release; these costs add up."""
        return any(isinstance(release, EpsilonDeltaRelease) for release in self.releases)

    @property
    def is_sketched(self) -> bool:
        """Whether random sums of all records hide a single one, so that `privacy.sketching` is the accountant."""
        return any(isinstance(release, SketchReleases) for release in self.releases)

    @property
    def rho(self) -> float:
        """zCDP cost of the stated releases; a guarantee only where `guarantee` says so.

        Raises:
            ValueError: if there are subsampled, shuffled or correlated releases, sketches, or ones proved by (epsilon,
                delta).
        """
        costs = []
        for release in self.releases:
            if isinstance(release, SubsampledGaussianReleases):
                raise ValueError(f"{self.name}: {release.what!r} is subsampled and has no rho: use privacy.sampling")
            if isinstance(release, ShuffledGaussianReleases):
                raise ValueError(f"{self.name}: {release.what!r} is shuffled and has no rho: use privacy.shuffling")
            if isinstance(release, CorrelatedReleases):
                raise ValueError(
                    f"{self.name}: {release.what!r} is correlated and has no rho: use privacy.participation"
                )
            if isinstance(release, EpsilonDeltaRelease):
                raise ValueError(
                    f"{self.name}: {release.what!r} is proved by (epsilon, delta) and has no rho: use dpdescent.account"
                )
            if isinstance(release, SketchReleases):
                raise ValueError(f"{self.name}: {release.what!r} are sketched and have no rho: use privacy.sketching")
            costs.append(release.rho)
        return added(costs)

    def to_dp_event(self) -> Any:
        """The mechanism as a `DpEvent` of dp-accounting, for its accountants.

        In that package a noise multiplier is the noise sd divided by the sensitivity under this mechanism's own
        relation. Use accountants for ADD_OR_REMOVE_ONE (or REPLACE_SPECIAL), which take the multiplier as it is; some
        accountants double the sensitivity under REPLACE_ONE. The most expensive of several disjoint parts stands for
        all.

        Raises:
            ValueError: if dp-accounting has no event for a release: shuffled releases, sketches, correlated noise on
                random batches, releases proved by (epsilon, delta), and subsampled ones under replace-one.
        """
        # Imported here, because most jobs do not use it.
        import dp_accounting

        if not self.releases:
            return dp_accounting.NonPrivateDpEvent()
        without = {
            "a shuffled order": self.is_shuffled, "correlated noise on random batches": self.is_correlated,
            "random sums of all records": self.is_sketched,
            "a release proved by (epsilon, delta)": self.is_epsilon_delta,
            "a record replaced in Poisson samples": self.is_subsampled and self.relation == "replace-one",
        }  # fmt: skip
        for kind in (kind for kind, holds in without.items() if holds):
            raise ValueError(f"{self.name} has {kind}, which dp-accounting has no event for: use dpdescent.account")

        def converted(release: Release) -> dp_accounting.DpEvent:
            if isinstance(release, DisjointReleases):
                dearest = max(release.parts, key=lambda part: added(item.rho for item in part))
                return dp_accounting.ComposedDpEvent([converted(item) for item in dearest])
            assert not isinstance(release, EpsilonDeltaRelease)
            if release.sensitivity == 0.0 or release.count == 0 or math.isinf(release.noise_sd):
                return dp_accounting.NoOpDpEvent()
            event: dp_accounting.DpEvent = dp_accounting.GaussianDpEvent(release.noise_sd / release.sensitivity)
            if isinstance(release, SubsampledGaussianReleases) and release.rate < 1.0:
                event = dp_accounting.PoissonSampledDpEvent(release.rate, event)
            return dp_accounting.SelfComposedDpEvent(event, release.count)

        return dp_accounting.ComposedDpEvent([converted(release) for release in self.releases])
