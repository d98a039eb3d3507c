"""What was released: immutable records that algorithms return and accountants read.

No algorithm computes an epsilon. It says what left the curator: how many Gaussian releases, of which sensitivity,
with which noise, under which neighbouring relation and sampler; `privacy.accounting` turns that into a guarantee.
"""

import math
from dataclasses import dataclass
from typing import Literal

from dpdescent.privacy import zcdp

Relation = Literal["replace-one", "add-remove", "zero-out"]
Sampler = Literal["full batch"]
Guarantee = Literal["proved", "as published", "none"]


@dataclass(frozen=True)
class GaussianReleases:
    """`count` adaptive releases of a quantity of the data plus independent N(0, noise_sd^2) on every coordinate.

    Attributes:
        what: the released quantity, in words.
        sensitivity: largest Euclidean distance that the quantity moves between neighbours, earlier releases fixed.
        noise_sd: sd of the noise on the scale on which `sensitivity` is measured.
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
class Mechanism:
    """All that an algorithm lets out of one data set, and the relation under which its sensitivities hold.

    Attributes:
        name: the algorithm.
        releases: the Gaussian releases; their zCDP costs add (adaptive composition).
        relation: which data sets count as neighbours.
        sampler: how records are chosen in each step.
        claimed_rho: the zCDP budget that the paper claims for it; inf where it claims none.
        guarantee: `proved` by an argument that we can write down, `as published` (claimed, neither proved by us nor
            refuted), `none` (refuted, not claimed, or data used without account).
        reason: the argument, or why there is none.
        claimed_eps_delta: (epsilon, delta) that is claimed instead of a zCDP budget.

    Raises:
        ValueError: if both a finite claimed_rho and an (epsilon, delta) are given: a mechanism has one claim.
    """

    name: str
    releases: tuple[GaussianReleases, ...]
    relation: Relation
    sampler: Sampler
    claimed_rho: float
    guarantee: Guarantee
    reason: str
    claimed_eps_delta: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.claimed_eps_delta is not None and not math.isinf(self.claimed_rho):
            raise ValueError(
                f"{self.name} claims rho={self.claimed_rho} and (epsilon, delta)={self.claimed_eps_delta}: give one "
                "claim, with claimed_rho=inf beside an (epsilon, delta)"
            )

    @property
    def rho(self) -> float:
        """zCDP cost of the stated releases; a guarantee only where `guarantee` says so."""
        return sum(release.rho for release in self.releases)
