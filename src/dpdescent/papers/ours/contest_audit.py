"""Which attack belongs to which method of the contest."""

import math
from collections.abc import Callable

from dpdescent.attacks import ada_ssp, correlated, dp_ambssgd, dp_gd, dp_ssgd, one_release, preconditioned_dp_gd
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.papers.ours.contenders import field, full_batch, single_pass
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import DisjointReleases, GaussianReleases, Mechanism, ShuffledGaussianReleases
from dpdescent.replication.ledger.requests import NotAudited, Request, rounded

ARTEFACTS = ("win_map", "real_tables")

# Steps of DP-GD under attack at most, with DP-STAT, and of one pass: of as much noise, in fewer steps.
LONGEST, LONGEST_ADAPTIVE, LONGEST_PASS = 20, 2, 100
# Noise on the smallest eigenvalue of an AdaSSP that does not release it.
UNSEEN = 1e9


def _beside(descent: Callable[..., Attack]) -> Callable[..., Attack]:
    """The attack on a descent with the largest eigenvalue before it."""

    def made(rho_eigenvalue: float, **parameters: float) -> Attack:
        return one_release.with_eigenvalue(descent(**parameters), rho_eigenvalue)

    return made


def _one_pass(nu: float, T: int, mu: float) -> Attack:
    return correlated.single_pass(nu_family(nu), T, mu)


def _epochs(nu: float, T: int, k: int, mu: float) -> Attack:
    return correlated.fixed_order(nu_family(nu), T, k, mu)


FLIPS, LONGER = "gradient flips sign", ", and the record's length changes"
FLIPS_UNEQUAL = "gradient flips sign, noise differs by step"
CROSSES = "gradient flips sign and residual crosses all thresholds"
IN_BATCH, IN_EPOCHS = "record in a mini-batch with DP-STAT", "record of every epoch"
CANARY, PASS = "shuffled canary", "record of one pass"
BOUNDED, TURNS, MOVES = "record at the public bounds", "record turns in a plane", "minimiser moves"

ATTACKS: dict[str, Callable[..., Attack]] = {
    FLIPS + LONGER: _beside(dp_gd.flipped_sign), FLIPS_UNEQUAL + LONGER: _beside(dp_gd.flipped_sign_scheduled),
    CROSSES + LONGER: _beside(dp_ambssgd.adaptive_descent), IN_BATCH + LONGER: _beside(dp_ambssgd.mini_batch),
    IN_EPOCHS + LONGER: _beside(_epochs), CANARY: dp_ssgd.canary, PASS: _one_pass, BOUNDED: ada_ssp.ada_ssp,
    TURNS: preconditioned_dp_gd.turning_record, MOVES: one_release.minimiser_moves,
}  # fmt: skip


def request(arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of a method; its series ends the arm's name."""
    if event.guarantee == "none":
        return NotAudited(event.reason)
    name = arm.split(": ")[-1]
    method = field.FIELD[name]
    release = event.releases[0]
    if isinstance(release, ShuffledGaussianReleases):
        alpha = rounded(release.noise_sd / release.sensitivity)
        return Request(CANARY, {"records": release.count, "alpha": alpha})
    rho = rounded(event.rho)
    if name in (field.ADA_SSP, field.SUMS):
        return _sums(event)
    if name in (field.WHITENED, field.OUTPUT):
        return Request(TURNS, {"rho": rho}) if name == field.WHITENED else Request(MOVES, {"mu": _mu(event.rho)})
    if isinstance(method, single_pass.Stream):
        # The damping changes what an attack must weigh, and not what it attains.
        return Request(PASS, {"nu": 0.1, "T": LONGEST_PASS, "mu": _mu(event.rho)})
    return _descent(name, event)


def _mu(rho: float) -> float:
    return rounded(zcdp.gaussian_dp_mu(rho))


def _sums(event: Mechanism) -> Request:
    found = [each for each in event.releases if isinstance(each, GaussianReleases)]
    multipliers = [rounded(each.noise_sd / each.sensitivity) for each in found]
    names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
    values = ([UNSEEN, *multipliers])[-3:]
    return Request(BOUNDED, {"relation": event.relation, **dict(zip(names, values, strict=True))})


def _descent(name: str, event: Mechanism) -> Request:
    """The audit of a method that takes batches or all records, mostly after the largest eigenvalue."""
    method = field.FIELD[name]
    if isinstance(method, full_batch.Descent) and not method.pays:
        return Request(FLIPS, {"T": LONGEST, "mu": _mu(event.rho)})
    first, *rest = event.releases
    assert isinstance(first, GaussianReleases)
    eigenvalue = {"rho_eigenvalue": rounded(first.rho)}
    mu = {"mu": _mu(event.rho - first.rho)}
    if isinstance(method, single_pass.Batches):
        (parts,) = rest
        assert isinstance(parts, DisjointReleases)
        place = "both" if any(len(part) > 1 for part in parts.parts) else "gradient"
        return Request(IN_BATCH + LONGER, {**eigenvalue, "place": place, **mu, "levels": 8})
    if isinstance(method, single_pass.Epochs):
        # The fewest passes stand for more.
        k = method.numbers[0]
        return Request(
            IN_EPOCHS + LONGER, {**eigenvalue, "nu": rounded(method.eta), "T": method.batches * k, "k": k, **mu}
        )
    if isinstance(method, full_batch.WithStat):
        found = [each for each in rest if isinstance(each, GaussianReleases)]
        share = rounded(found[0].rho / math.fsum(each.rho for each in found))
        return Request(CROSSES + LONGER, {**eigenvalue, "T": LONGEST_ADAPTIVE, **mu, "share": share, "levels": 8})
    if len(rest) == 1:
        return Request(FLIPS + LONGER, {**eigenvalue, "T": LONGEST, **mu})
    return Request(FLIPS_UNEQUAL + LONGER, {**eigenvalue, "T": LONGEST, "decay": 0.5, "floor": 0.2, **mu})
