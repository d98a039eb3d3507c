"""The attack of every arm of varshney2022, and the privacy statements that no arm stands for."""

import math
from collections.abc import Callable, Iterable

from dpdescent.attacks import ada_ssp, dp_ambssgd, dp_gd, dp_ssgd, dp_stat
from dpdescent.papers.varshney2022 import setting
from dpdescent.papers.varshney2022.attacks import COUNTS, GRADIENT, ITERATION, RELEASED
from dpdescent.papers.varshney2022.privacy import theorem_multiplier
from dpdescent.papers.varshney2022.setting import Spec
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import DisjointReleases, GaussianReleases, Mechanism, ShuffledGaussianReleases
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import Reporting

STAT = "DP-STAT"

CROSSING = "residual crosses all thresholds"
THRESHOLD = "residual crosses all thresholds, threshold seen"
MINI_BATCH = "record in a mini-batch with DP-STAT"
FIXED_CLIP = "gradient flips sign in one batch"
FLIPPED = "gradient flips sign"
FLIPPED_ADAPTIVE = "gradient flips sign and residual crosses all thresholds"
CANARY = "shuffled canary"
BOUNDED = "record at the public bounds"

ATTACKS: dict[str, Callable[..., Attack]] = {
    CROSSING: dp_stat.crossing, THRESHOLD: dp_stat.released_threshold, MINI_BATCH: dp_ambssgd.mini_batch,
    FIXED_CLIP: dp_ambssgd.fixed_clip, FLIPPED: dp_gd.flipped_sign,
    FLIPPED_ADAPTIVE: dp_ambssgd.adaptive_descent, CANARY: dp_ssgd.canary,
    BOUNDED: ada_ssp.ada_ssp,
}  # fmt: skip

# None of the arms' claims is refuted.
FINDINGS: dict[str, Reporting] = {}

# L of runs of DP-AMBSSGD and DP-GD under attack: that of most arms. It stands for any other, because noise is set for
# all L counts together.
LEVELS = 20

# Largest number of steps of DP-GD under attack; longer runs are attacked with as much noise in fewer steps. With
# DP-STAT it is small, because every step costs much more time.
LONGEST, LONGEST_ADAPTIVE = 100, 2

# Lemma A.1 at an epsilon_0 above 1, which it does not exclude.
EPS_LOCAL, DELTA = 10.0, 1e-6

# Beginnings of the names of arms that end in their rule.
_RELEASED, _QUANTILE = (name.split("{", 1)[0] for name in (RELEASED, setting.ANY_QUANTILE))

# Epsilon of the experiments, for Theorem 3.6.
EPS = 1.0


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of an arm.

    Args:
        cell: specification with which `releases` was called.
        arm: its name in the ledger, which is not read.
        event: its releases.
    """
    if event.guarantee == "none":
        return NotAudited(_why(event))
    if event.name == setting.SSGD and isinstance(event.releases[0], ShuffledGaussianReleases):
        return canary(event.releases[0])
    if event.name == setting.ADA_SSP:
        return _ada_ssp(event)
    if event.name in (STAT, COUNTS) or event.name.startswith(_RELEASED):
        return _dp_stat(cell, event)
    if event.name in (setting.AMBSSGD, setting.PUBLISHED, ITERATION) or event.name.startswith(_QUANTILE):
        return Request(MINI_BATCH, {"place": _place(event), "mu": _mu(event), "levels": LEVELS})
    if event.name in (setting.FIXED, GRADIENT):
        return Request(FIXED_CLIP, {"mu": _mu(event)})
    if event.name in (setting.DP_GD, setting.DP_GD_ADAPTIVE):
        return _descent(event, _mu(event))
    return no_attack(event.name)


def canary(release: ShuffledGaussianReleases) -> Request:
    """Returns the request of DP-SSGD's attack at the released number of records."""
    alpha = rounded(release.noise_sd / release.sensitivity)
    return Request(CANARY, {"records": release.count, "alpha": alpha})


def statements() -> Iterable[Statement]:
    """Yields printed statements without an arm; those of Theorem 3.6's second form and Corollary 3.8 have one."""
    alpha = theorem_multiplier(EPS, DELTA)
    mu = 2.0**0.5 / alpha
    yield Statement(
        "Theorem 3.6, first form of alpha", setting.PUBLISHED, "replace-one", "shuffled single pass", EPS, DELTA,
        Request(MINI_BATCH, {"place": "both", "mu": rounded(mu), "levels": LEVELS}), mu,
    )  # fmt: skip
    # `formulas.local_multiplier` is this formula, but refuses an epsilon_0 above 1.
    local = math.sqrt(2.0 * math.log(1.25 / DELTA)) / EPS_LOCAL
    # As a Gaussian-DP parameter, because one step is one Gaussian release.
    yield Statement(
        f"Lemma A.1 at epsilon_0 = {EPS_LOCAL:g}",
        f"one step of {setting.SSGD}", "replace-one", "single pass", EPS_LOCAL, DELTA,
        Request(CANARY, {"records": 1, "alpha": rounded(local)}),
        math.sqrt(2.0 * tight_rho(EPS_LOCAL, DELTA)), "lemma-a.1-range",
    )  # fmt: skip


def _mu(event: Mechanism) -> float:
    return rounded(zcdp.gaussian_dp_mu(event.rho))


def _why(event: Mechanism) -> str:
    """The reason, in words, why an arm without a guarantee is not attacked."""
    if event.name == setting.ADA_SSP:
        return f"{event.reason}: one record far out shows at any noise; its X'X is drawn as a whole, without records"
    return f"{event.reason}; a record far away shows in any run"


def _place(event: Mechanism) -> str:
    """The release that the attacked record is in: gradient, statistic, or both where their ranges of indices overlap.

    Disjoint ranges give the statistic the same mu as the gradient; either is attacked in arms with one of the rules.
    """
    (parts,) = event.releases
    assert isinstance(parts, DisjointReleases)
    if any(len(part) > 1 for part in parts.parts):
        return "both"
    return "gradient" if event.name == setting.AMBSSGD else "statistic"


def _dp_stat(cell: Spec, event: Mechanism) -> Request:
    (parts,) = event.releases
    assert isinstance(parts, DisjointReleases)
    ((counts,),) = parts.parts
    alpha = rounded(counts.noise_sd / (counts.sensitivity * math.sqrt(counts.count)))
    if event.name in (STAT, COUNTS):
        return Request(CROSSING, {"alpha": alpha, "levels": counts.count})
    rule = event.name.split("(", 1)[1].removesuffix(")")
    margin = rounded(cell["settings"]["margin"])
    return Request(THRESHOLD, {"alpha": alpha, "levels": counts.count, "rule": rule, "margin": margin})


def _descent(event: Mechanism, mu: float) -> Request:
    releases = [release for release in event.releases if isinstance(release, GaussianReleases)]
    T = releases[-1].count
    if event.name == setting.DP_GD:
        return Request(FLIPPED, {"T": min(T, LONGEST), "mu": mu})
    share = rounded(releases[0].rho / event.rho)
    return Request(FLIPPED_ADAPTIVE, {"T": min(T, LONGEST_ADAPTIVE), "mu": mu, "share": share, "levels": LEVELS})


def _ada_ssp(event: Mechanism) -> Request:
    releases = [release for release in event.releases if isinstance(release, GaussianReleases)]
    multipliers = [rounded(release.noise_sd / release.sensitivity) for release in releases]
    names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
    return Request(BOUNDED, {"relation": event.relation, **dict(zip(names, multipliers, strict=True))})
