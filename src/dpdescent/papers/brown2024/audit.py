"""Attacks that audit the arms of brown2024."""

from collections.abc import Callable, Iterable

from dpdescent.attacks import ada_ssp, dp_gd
from dpdescent.papers.brown2024.setting import Spec
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import BASELINE, Reporting

FLIPPED = "gradient flips sign"
BOUNDED = "record at the public bounds"
MAXIMA = "record far beyond the others sets the noise"

ATTACKS: dict[str, Callable[..., Attack]] = {
    FLIPPED: dp_gd.flipped_sign,
    BOUNDED: ada_ssp.ada_ssp,
    MAXIMA: ada_ssp.data_maxima,
}

# The paper neither runs AdaSSP with data maxima as bounds nor states its epsilon: both are our choice.
FINDINGS = {MAXIMA: Reporting("adassp-bounds", BASELINE)}

# Largest number of DP-GD steps under attack: longer runs are audited at equal mu in fewer steps, because of time.
LONGEST = 100


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of an arm, or why it has none.

    Args:
        cell: the specification of the part that the arm belongs to.
        arm: name of the arm in the ledger.
        event: the arm's privacy event, the only argument that is read.
    """
    if not event.releases:
        return NotAudited(f"{event.reason}; one record shows in any run")
    if event.name == "DP-GD" and len(event.releases) == len(_gaussian(event)) == 1:
        # One attack for all independent runs, because they share the budget and compose.
        (release,) = _gaussian(event)
        mu = rounded(zcdp.gaussian_dp_mu(event.rho))
        return Request(FLIPPED, {"T": min(release.count, LONGEST), "mu": mu})
    if event.name == "AdaSSP":
        return _ada_ssp(event)
    return no_attack(event.name)


def statements() -> Iterable[Statement]:
    """Returns no statement: the paper's one privacy statement, Lemma 2.1, is audited with every arm of DP-GD."""
    return ()


def _ada_ssp(event: Mechanism) -> Request:
    if event.guarantee == "proved":
        multipliers = [rounded(release.noise_sd / release.sensitivity) for release in _gaussian(event)]
        names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
        return Request(BOUNDED, {"relation": event.relation, **dict(zip(names, multipliers, strict=True))})
    if event.claimed_eps_delta is None:
        raise ValueError(f"AdaSSP without a guarantee, {event.reason!r}, claims no (epsilon, delta) to attack")
    eps, delta = event.claimed_eps_delta
    return Request(MAXIMA, {"eps": rounded(eps), "delta": delta})


def _gaussian(event: Mechanism) -> list[GaussianReleases]:
    return [release for release in event.releases if isinstance(release, GaussianReleases)]
