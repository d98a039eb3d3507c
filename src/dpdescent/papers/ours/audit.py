"""Attacks that audit the arms of ours, and the methods of the contest, each by its series."""

import math
from collections.abc import Callable, Iterable, Sequence

from dpdescent.attacks import (
    ada_ssp,
    correlated,
    dp_2s_gd,
    dp_ambssgd,
    dp_gd,
    dp_iv_gd,
    dp_regression,
    dp_ssgd,
    one_release,
    preconditioned_dp_gd,
    reduced_form,
    rounds,
    tukey_em,
)
from dpdescent.noise.strategies.toeplitz import nu_family
from dpdescent.papers.ours import findings, layouts, methods
from dpdescent.papers.ours.methods_single_pass import Epochs
from dpdescent.papers.ours.regression import ARMS
from dpdescent.papers.ours.setting import Spec
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
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import Reporting

FLIPS, UNEQUAL, ENCODED = (
    "gradient flips sign", "gradient flips sign, noise differs by step", "gradient flips sign, noise is correlated"
)  # fmt: skip
STAGES, PATHS = "gradients of both stages flip signs, Theta is held", "gradients of both stages flip signs"
FORM = "first-stage gradient flips sign"
REVERSES, REVERSES_EQUAL = "record reverses", "record reverses, variances taken for equal"
WITH_MEAN = ", and the record's mean with it"
# Of the contest's methods.
LONGER = ", and the record's length changes"
CROSSES = "gradient flips sign and residual crosses all thresholds"
IN_BATCH, IN_EPOCHS = "record in a mini-batch with DP-STAT", "record of every epoch"
CANARY, PASS = "shuffled canary", "record of one pass"
BOUNDED, TURNS, MOVES = "record at the public bounds", "record turns in a plane", "minimiser moves"
TURNS_AND_FLIPS, REPLACED = "record turns and its gradient flips sign", "replaced model"
OF_ROUNDS, SKETCHED, SAMPLED = "record in every round", "sketched record", "record in Poisson samples"
CHECK, COEFFICIENT = "check alone", "coefficient of boosted AdaSSP"


def _after_mean(descent: Callable[..., Attack]) -> Callable[..., Attack]:
    """The attack on a descent with the mean of the records before it."""
    return lambda rho_mean, **parameters: one_release.with_mean(descent(**parameters), rho_mean)


def _after_eigenvalue(descent: Callable[..., Attack]) -> Callable[..., Attack]:
    """The attack on a descent with the largest eigenvalue before it."""
    return lambda rho_eigenvalue, **parameters: one_release.with_eigenvalue(descent(**parameters), rho_eigenvalue)


ATTACKS: dict[str, Callable[..., Attack]] = {
    FLIPS: dp_gd.flipped_sign, UNEQUAL: dp_gd.flipped_sign_scheduled, ENCODED: dp_gd.flipped_sign_correlated,
    STAGES: dp_iv_gd.both_stages_flip, PATHS: dp_2s_gd.paths_flip_sign,
    FORM: reduced_form.gradient_flips, STAGES + WITH_MEAN: _after_mean(dp_iv_gd.both_stages_flip),
    FORM + WITH_MEAN: _after_mean(reduced_form.gradient_flips), REVERSES: dp_regression.reversing_record,
    REVERSES_EQUAL: lambda rho: dp_regression.reversing_record(rho, "equal"),
    FLIPS + LONGER: _after_eigenvalue(dp_gd.flipped_sign),
    UNEQUAL + LONGER: _after_eigenvalue(dp_gd.flipped_sign_scheduled),
    CROSSES + LONGER: _after_eigenvalue(dp_ambssgd.adaptive_descent),
    IN_BATCH + LONGER: _after_eigenvalue(dp_ambssgd.mini_batch),
    IN_EPOCHS + LONGER: _after_eigenvalue(lambda nu, T, k, mu: correlated.fixed_order(nu_family(nu), T, k, mu)),
    PASS: lambda nu, T, mu: correlated.single_pass(nu_family(nu), T, mu),
    CANARY: dp_ssgd.canary, BOUNDED: ada_ssp.ada_ssp, TURNS: preconditioned_dp_gd.turning_record,
    MOVES: one_release.minimiser_moves,
    TURNS_AND_FLIPS: lambda rho: dp_regression.reversing_record(rho, errors=None), REPLACED: tukey_em.replaced_model,
    OF_ROUNDS: rounds.boosted, SKETCHED: rounds.sketched, SAMPLED: rounds.sampled, CHECK: tukey_em.check_alone,
    COEFFICIENT: rounds.with_noise,
}  # fmt: skip

FINDINGS: dict[str, Reporting] = {}

# Largest number of steps under attack, and decay of the parts of the budget there: a longer run, or one of another
# schedule, is audited at equal mu.
LONGEST, DECAY, FLOOR = 20, 0.75, 0.1

# Attack on a mechanism, and how many releases it has after what it begins with.
FORMS = {"DP-IV-GD": (STAGES, 3), "DP reduced form": (FORM, 2)}

# What a regression releases of its columns' sizes.
SIZES = "histograms of sizes"


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """The audit of an arm of the ledger; in the contest that of its method, whose series ends the arm's name."""
    if event.guarantee == "none":
        return NotAudited(event.reason)
    name = arm.split(": ")[-1]
    if cell["artefact"] in ("win_map", "real_tables"):
        return AUDITS[name](event) if name in AUDITS else no_attack(name)
    costs = [rounded(release.rho) for release in _gaussian(event)]
    if event.name in FORMS:
        attack, count = FORMS[event.name]
        parameters: dict[str, str | int | float] = {f"rho{k}": cost for k, cost in enumerate(costs[-count:], start=1)}
        if len(costs) == count:
            return Request(attack, parameters)
        # The second moment of the instruments does not move, because the pair's instruments are alike.
        return Request(attack + WITH_MEAN, {"rho_mean": costs[0], **parameters})
    if event.name == "DP regression":
        # At the budget of what is released in given units. Released units are left out, because both records of the
        # pair are one of many that are as large, and the attack is told of none. Sizes of tables and numbers of columns
        # share an audit at equal budgets.
        spent = [release.rho for release in _gaussian(event) if release.what != SIZES]
        return Request(REVERSES if name == ARMS["unequal"] else REVERSES_EQUAL, {"rho": rounded(math.fsum(spent))})
    if event.name == "DP-2S-GD":
        return Request(PATHS, {"T": LONGEST, "rho1": costs[0], "rho2": costs[1]})
    if event.name != "DP-GD":
        return no_attack(event.name)
    if name.startswith(("lambda", "nu")):
        family, value = name.split(" = ")
        strategy = layouts.correlated(family, float(value), 1).strategy
        encoded = {"power": strategy.power, "nu": rounded(strategy.nu)}
        return Request(ENCODED, {**encoded, "T": LONGEST, "mu": _mu(event.rho)})
    if len(event.releases) == 1:
        return _flips(event)
    return Request(UNEQUAL, {"T": LONGEST, "decay": DECAY, "floor": FLOOR, "mu": _mu(event.rho)})


def _gaussian(event: Mechanism) -> list[GaussianReleases]:
    return [release for release in event.releases if isinstance(release, GaussianReleases)]


def _mu(rho: float) -> float:
    return rounded(zcdp.gaussian_dp_mu(rho))


# Steps of DP-GD under attack with DP-STAT, and of one pass: of as much noise, in fewer steps.
LONGEST_ADAPTIVE, LONGEST_PASS = 2, 100
# Noise on the smallest eigenvalue of an AdaSSP that does not release it.
UNSEEN = 1e9


def _flips(event: Mechanism) -> Request:
    return Request(FLIPS, {"T": LONGEST, "mu": _mu(event.rho)})


def _flips_longer(event: Mechanism) -> Request:
    shared, steps = _eigenvalue_and_rest(event)
    if len(steps) == 1:
        return Request(FLIPS + LONGER, {**shared, "T": LONGEST})
    return Request(UNEQUAL + LONGER, {**shared, "T": LONGEST, "decay": 0.5, "floor": 0.2})


def _eigenvalue_and_rest(event: Mechanism) -> tuple[dict[str, float], Sequence[Release]]:
    """Parameters of a method that releases the largest eigenvalue first, and what it releases then."""
    first, *rest = event.releases
    assert isinstance(first, GaussianReleases)
    return {"rho_eigenvalue": rounded(first.rho), "mu": _mu(event.rho - first.rho)}, rest


def _crosses(event: Mechanism) -> Request:
    shared, _ = _eigenvalue_and_rest(event)
    steps = _gaussian(event)[1:]
    share = rounded(steps[0].rho / math.fsum(step.rho for step in steps))
    return Request(CROSSES + LONGER, {**shared, "T": LONGEST_ADAPTIVE, "share": share, "levels": 8})


def _in_batch(event: Mechanism) -> Request:
    shared, (parts,) = _eigenvalue_and_rest(event)
    assert isinstance(parts, DisjointReleases)
    place = "both" if any(len(part) > 1 for part in parts.parts) else "gradient"
    return Request(IN_BATCH + LONGER, {**shared, "place": place, "levels": 8})


def _in_epochs(event: Mechanism) -> Request:
    shared, _ = _eigenvalue_and_rest(event)
    method = methods.FIELD[methods.FTRL_EPOCHS]
    assert isinstance(method, Epochs)
    # The fewest passes stand for more.
    k = method.numbers[0]
    return Request(IN_EPOCHS + LONGER, {**shared, "nu": rounded(method.eta), "T": method.batches * k, "k": k})


def _canary(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, ShuffledGaussianReleases)
    return Request(CANARY, {"records": release.count, "alpha": rounded(release.noise_sd / release.sensitivity)})


def _passes(event: Mechanism) -> Request:
    # The damping changes what an attack must weigh, and not what it attains.
    return Request(PASS, {"nu": 0.1, "T": LONGEST_PASS, "mu": _mu(event.rho)})


def _sums(event: Mechanism) -> Request:
    multipliers = [rounded(release.noise_sd / release.sensitivity) for release in _gaussian(event)]
    names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
    values = ([UNSEEN, *multipliers])[-3:]
    return Request(BOUNDED, {"relation": event.relation, **dict(zip(names, values, strict=True))})


def _replaced(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, EpsilonDeltaRelease)
    return Request(REPLACED, {"eps": rounded(release.epsilon), "delta": release.delta})


def _of_rounds(event: Mechanism) -> Request:
    return Request(OF_ROUNDS, {"rho": rounded(event.rho), "rounds": _gaussian(event)[2].count})


def _sketched(event: Mechanism) -> Request:
    release = next(release for release in event.releases if isinstance(release, SketchReleases))
    return Request(SKETCHED, {**_claimed(event), "rounds": release.count})


def _sampled(event: Mechanism) -> Request:
    (release,) = event.releases
    assert isinstance(release, SubsampledGaussianReleases)
    return Request(SAMPLED, {**_claimed(event), "rate": release.rate, "steps": release.count})


def _claimed(event: Mechanism) -> dict[str, float]:
    assert event.claimed_eps_delta is not None
    eps, delta = event.claimed_eps_delta
    return {"eps": rounded(eps), "delta": delta}


# The audit of each method, by its series. A method that is not here is not audited, because the attack on another one
# would say nothing of it; docs/contender.md says how to add one.
AUDITS: dict[str, Callable[[Mechanism], Request]] = {
    methods.FIXED: _flips, methods.RULE: _flips_longer, methods.SCHEDULED: _flips_longer, methods.ADAPTIVE: _crosses,
    methods.WHITENED: lambda event: Request(TURNS, {"rho": rounded(event.rho)}),
    methods.AMBSSGD: _in_batch, methods.PUBLISHED: _in_batch, methods.SSGD: _canary, methods.FTRL: _passes,
    methods.FTRL_EPOCHS: _in_epochs, methods.ADA_SSP: _sums, methods.SUMS: _sums,
    methods.OUTPUT: lambda event: Request(MOVES, {"mu": _mu(event.rho)}),
    methods.REGRESSION: lambda event: Request(TURNS_AND_FLIPS, {"rho": rounded(event.rho)}),
    methods.TUKEY: _replaced, methods.BOOSTED: _of_rounds, methods.BOOSTED_THEIRS: _of_rounds,
    methods.MIXING: _sketched, methods.MIXING_THEIRS: _sketched, methods.POISSON: _sampled,
}  # fmt: skip


def statements() -> Iterable[Statement]:
    """Yields what two public codes of methods of the contest state, at their defaults; their releases are imitated."""
    scale, threshold = (rounded(number) for number in findings.tukey_check())
    multiplier = rounded(findings.boosted_multiplier())
    yield Statement(
        "TukeyEM, public code: its check alone", "TukeyEM", "replace-one", "full batch", findings.TUKEY_EPS,
        findings.TUKEY_DELTA, Request(CHECK, {"scale": scale, "threshold": threshold}), finding=findings.TUKEY,
    )  # fmt: skip
    yield Statement(
        "BoostedAdaSSP, public code: its coefficients alone", "BoostedAdaSSP", "replace-one", "full batch",
        findings.BOOSTED_EPS, findings.BOOSTED_DELTA,
        Request(COEFFICIENT, {"multiplier": multiplier, "rounds": findings.ROUNDS}), finding=findings.BOOSTED,
    )  # fmt: skip
