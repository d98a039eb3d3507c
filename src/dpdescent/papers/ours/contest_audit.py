"""Which attack belongs to which method of the contest."""

import math
from collections.abc import Callable, Sequence

from dpdescent.attacks import (
    ada_ssp,
    correlated,
    dp_ambssgd,
    dp_gd,
    dp_regression,
    dp_ssgd,
    one_release,
    preconditioned_dp_gd,
    rounds,
    tukey_em,
)
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.papers.ours.contenders import field, single_pass
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import (
    DisjointReleases,
    EpsilonDeltaRelease,
    GaussianReleases,
    Mechanism,
    Release,
    ShuffledGaussianReleases,
    SketchReleases,
    SubsampledGaussianReleases,
)
from dpdescent.replication.ledger.requests import NotAudited, Request, no_attack, rounded

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


def _without_errors(rho: float) -> Attack:
    return dp_regression.reversing_record(rho, errors=None)


FLIPS, LONGER = "gradient flips sign", ", and the record's length changes"
FLIPS_UNEQUAL = "gradient flips sign, noise differs by step"
CROSSES = "gradient flips sign and residual crosses all thresholds"
IN_BATCH, IN_EPOCHS = "record in a mini-batch with DP-STAT", "record of every epoch"
CANARY, PASS = "shuffled canary", "record of one pass"
BOUNDED, TURNS, MOVES = "record at the public bounds", "record turns in a plane", "minimiser moves"
REVERSES, REPLACED = "record turns and its gradient flips sign", "replaced model"
OF_ROUNDS, SKETCHED, SAMPLED = "record in every round", "sketched record", "record in Poisson samples"
CHECK, COEFFICIENT = "check alone", "coefficient of boosted AdaSSP"

ATTACKS: dict[str, Callable[..., Attack]] = {
    FLIPS + LONGER: _beside(dp_gd.flipped_sign), FLIPS_UNEQUAL + LONGER: _beside(dp_gd.flipped_sign_scheduled),
    CROSSES + LONGER: _beside(dp_ambssgd.adaptive_descent), IN_BATCH + LONGER: _beside(dp_ambssgd.mini_batch),
    IN_EPOCHS + LONGER: _beside(_epochs), CANARY: dp_ssgd.canary, PASS: _one_pass, BOUNDED: ada_ssp.ada_ssp,
    TURNS: preconditioned_dp_gd.turning_record, MOVES: one_release.minimiser_moves,
    REVERSES: _without_errors, REPLACED: tukey_em.replaced_model, OF_ROUNDS: rounds.boosted, SKETCHED: rounds.sketched,
    SAMPLED: rounds.sampled, CHECK: tukey_em.check_alone, COEFFICIENT: rounds.with_noise,
}  # fmt: skip


def request(arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of a method; its series ends the arm's name."""
    if event.guarantee == "none":
        return NotAudited(event.reason)
    name = arm.split(": ")[-1]
    return AUDITS[name](event) if name in AUDITS else no_attack(name)


def _canary(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, ShuffledGaussianReleases)
    return Request(CANARY, {"records": release.count, "alpha": rounded(release.noise_sd / release.sensitivity)})


def _sums(event: Mechanism) -> Request:
    multipliers = [rounded(each.noise_sd / each.sensitivity) for each in _gaussian(event)]
    names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
    values = ([UNSEEN, *multipliers])[-3:]
    return Request(BOUNDED, {"relation": event.relation, **dict(zip(names, values, strict=True))})


def _turns(event: Mechanism) -> Request:
    return Request(TURNS, {"rho": rounded(event.rho)})


def _reverses(event: Mechanism) -> Request:
    return Request(REVERSES, {"rho": rounded(event.rho)})


def _replaced(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, EpsilonDeltaRelease)
    return Request(REPLACED, {"eps": rounded(release.epsilon), "delta": release.delta})


def _of_rounds(event: Mechanism) -> Request:
    return Request(OF_ROUNDS, {"rho": rounded(event.rho), "rounds": _gaussian(event)[2].count})


def _sketched(event: Mechanism) -> Request:
    release = next(each for each in event.releases if isinstance(each, SketchReleases))
    return Request(SKETCHED, {**_claimed(event), "rounds": release.count})


def _sampled(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, SubsampledGaussianReleases)
    return Request(SAMPLED, {**_claimed(event), "rate": release.rate, "steps": release.count})


def _claimed(event: Mechanism) -> dict[str, float]:
    assert event.claimed_eps_delta is not None
    eps, delta = event.claimed_eps_delta
    return {"eps": rounded(eps), "delta": delta}


def _moves(event: Mechanism) -> Request:
    return Request(MOVES, {"mu": _mu(event.rho)})


def _passes(event: Mechanism) -> Request:
    # The damping changes what an attack must weigh, and not what it attains.
    return Request(PASS, {"nu": 0.1, "T": LONGEST_PASS, "mu": _mu(event.rho)})


def _flips(event: Mechanism) -> Request:
    return Request(FLIPS, {"T": LONGEST, "mu": _mu(event.rho)})


def _flips_longer(event: Mechanism) -> Request:
    shared, steps = _after_eigenvalue(event)
    if len(steps) == 1:
        return Request(FLIPS + LONGER, {**shared, "T": LONGEST})
    return Request(FLIPS_UNEQUAL + LONGER, {**shared, "T": LONGEST, "decay": 0.5, "floor": 0.2})


def _crosses(event: Mechanism) -> Request:
    shared, _ = _after_eigenvalue(event)
    found = _gaussian(event)[1:]
    share = rounded(found[0].rho / math.fsum(each.rho for each in found))
    return Request(CROSSES + LONGER, {**shared, "T": LONGEST_ADAPTIVE, "share": share, "levels": 8})


def _in_batch(event: Mechanism) -> Request:
    shared, (parts,) = _after_eigenvalue(event)
    assert isinstance(parts, DisjointReleases)
    place = "both" if any(len(part) > 1 for part in parts.parts) else "gradient"
    return Request(IN_BATCH + LONGER, {**shared, "place": place, "levels": 8})


def _in_epochs(event: Mechanism) -> Request:
    shared, _ = _after_eigenvalue(event)
    method = field.FIELD[field.FTRL_EPOCHS]
    assert isinstance(method, single_pass.Epochs)
    # The fewest passes stand for more.
    k = method.numbers[0]
    return Request(IN_EPOCHS + LONGER, {**shared, "nu": rounded(method.eta), "T": method.batches * k, "k": k})


def _after_eigenvalue(event: Mechanism) -> tuple[dict[str, float], Sequence[Release]]:
    """Parameters of a method that releases the largest eigenvalue first, and what it releases then."""
    first, *rest = event.releases
    assert isinstance(first, GaussianReleases)
    return {"rho_eigenvalue": rounded(first.rho), "mu": _mu(event.rho - first.rho)}, rest


def _gaussian(event: Mechanism) -> list[GaussianReleases]:
    return [each for each in event.releases if isinstance(each, GaussianReleases)]


def _mu(rho: float) -> float:
    return rounded(zcdp.gaussian_dp_mu(rho))


# The audit of each method, by its series. A method that is not here is not audited, because the attack on another one
# would say nothing of it; docs/contender.md says how to add one.
AUDITS: dict[str, Callable[[Mechanism], Request]] = {
    field.FIXED: _flips, field.RULE: _flips_longer, field.SCHEDULED: _flips_longer, field.ADAPTIVE: _crosses,
    field.WHITENED: _turns, field.AMBSSGD: _in_batch, field.PUBLISHED: _in_batch, field.SSGD: _canary,
    field.FTRL: _passes, field.FTRL_EPOCHS: _in_epochs, field.ADA_SSP: _sums, field.SUMS: _sums, field.OUTPUT: _moves,
    field.REGRESSION: _reverses, field.TUKEY: _replaced, field.BOOSTED: _of_rounds, field.BOOSTED_THEIRS: _of_rounds,
    field.MIXING: _sketched, field.MIXING_THEIRS: _sketched, field.POISSON: _sampled,
}  # fmt: skip
