"""Attacks that audit the arms of ours."""

import math
from collections.abc import Callable, Iterable

from dpdescent.attacks import dp_2s_gd, dp_gd, dp_iv_gd, dp_regression, one_release, reduced_form
from dpdescent.papers.ours import contest_audit, public_code
from dpdescent.papers.ours.design import Spec
from dpdescent.papers.ours.experiments.regression import ARMS
from dpdescent.papers.ours.noise_over_time import correlated
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import Reporting

FLIPPED, UNEQUAL, ENCODED = (
    "gradient flips sign", "gradient flips sign, noise differs by step", "gradient flips sign, noise is correlated"
)  # fmt: skip
STAGES, PATHS = "gradients of both stages flip signs, Theta is held", "gradients of both stages flip signs"
FORM = "first-stage gradient flips sign"
REVERSES, REVERSES_EQUAL = "record reverses", "record reverses, variances taken for equal"
WITH_MEAN = ", and the record's mean with it"


def _reverses_equal(rho: float) -> Attack:
    return dp_regression.reversing_record(rho, "equal")


def _after_mean(descent: Callable[..., Attack]) -> Callable[..., Attack]:
    """The attack on a descent with the mean of the records before it."""

    def made(rho_mean: float, **parameters: float) -> Attack:
        return one_release.with_mean(descent(**parameters), rho_mean)

    return made


ATTACKS: dict[str, Callable[..., Attack]] = {
    FLIPPED: dp_gd.flipped_sign, UNEQUAL: dp_gd.flipped_sign_scheduled, ENCODED: dp_gd.flipped_sign_correlated,
    STAGES: dp_iv_gd.both_stages_flip, PATHS: dp_2s_gd.paths_flip_sign,
    FORM: reduced_form.gradient_flips, STAGES + WITH_MEAN: _after_mean(dp_iv_gd.both_stages_flip),
    FORM + WITH_MEAN: _after_mean(reduced_form.gradient_flips), REVERSES: dp_regression.reversing_record,
    REVERSES_EQUAL: _reverses_equal, **contest_audit.ATTACKS,
}  # fmt: skip

# Attack on a mechanism, and how many releases it has after what it begins with.
DESCENT, REGRESSION, FORMS = "DP-GD", "DP regression", {"DP-IV-GD": (STAGES, 3), "DP reduced form": (FORM, 2)}

FINDINGS: dict[str, Reporting] = {}

# What a regression releases of its columns' sizes.
SIZES = "histograms of sizes"

# Largest number of steps under attack, and decay of the parts of the budget there: a longer run, or one of another
# schedule, is audited at equal mu.
LONGEST, DECAY, FLOOR = 20, 0.75, 0.1


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of an arm of the ledger."""
    if cell["artefact"] in contest_audit.ARTEFACTS:
        return contest_audit.request(arm, event)
    if event.guarantee == "none":
        return NotAudited(event.reason)
    costs = [rounded(release.rho) for release in event.releases if isinstance(release, GaussianReleases)]
    if event.name in FORMS:
        name, count = FORMS[event.name]
        found: dict[str, str | int | float] = {f"rho{k}": cost for k, cost in enumerate(costs[-count:], start=1)}
        if len(costs) == count:
            return Request(name, found)
        # The second moment of the instruments does not move, because the pair's instruments are alike.
        return Request(name + WITH_MEAN, {"rho_mean": costs[0], **found})
    if event.name == REGRESSION:
        return _reverses(arm, event)
    if event.name == "DP-2S-GD":
        return Request(PATHS, {"T": LONGEST, "rho1": costs[0], "rho2": costs[1]})
    if event.name != DESCENT:
        return no_attack(event.name)
    mu = rounded(zcdp.gaussian_dp_mu(event.rho))
    name = arm.split(": ")[-1]
    if name.startswith(("lambda", "nu")):
        family, value = name.split(" = ")
        strategy = correlated(family, float(value), 1).strategy
        return Request(ENCODED, {"power": strategy.power, "nu": rounded(strategy.nu), "T": LONGEST, "mu": mu})
    if len(event.releases) == 1:
        return Request(FLIPPED, {"T": LONGEST, "mu": mu})
    return Request(UNEQUAL, {"T": LONGEST, "decay": DECAY, "floor": FLOOR, "mu": mu})


def _reverses(arm: str, event: Mechanism) -> Request:
    """The audit of a regression, at the budget of what it releases in given units.

    Released units are left out, because both records of the pair are one of many that are as large, and the attack is
    told of none. Sizes of tables and numbers of columns share an audit at equal budgets.
    """
    spent = [each.rho for each in event.releases if isinstance(each, GaussianReleases) and each.what != SIZES]
    name = REVERSES if arm.endswith(f": {ARMS['unequal']}") else REVERSES_EQUAL
    return Request(name, {"rho": rounded(math.fsum(spent))})


def statements() -> Iterable[Statement]:
    """Returns what two public codes of methods of the contest state, at their defaults; their releases are imitated."""
    scale, threshold = public_code.tukey_check()
    multiplier = rounded(public_code.boosted_multiplier())
    yield Statement(
        "TukeyEM, public code: its check alone", "TukeyEM", "replace-one", "full batch", public_code.TUKEY_EPS,
        public_code.TUKEY_DELTA,
        Request(contest_audit.CHECK, {"scale": rounded(scale), "threshold": rounded(threshold)}),
        finding=public_code.TUKEY,
    )  # fmt: skip
    yield Statement(
        "BoostedAdaSSP, public code: its coefficients alone", "BoostedAdaSSP", "replace-one", "full batch",
        public_code.BOOSTED_EPS, public_code.BOOSTED_DELTA,
        Request(contest_audit.COEFFICIENT, {"multiplier": multiplier, "rounds": public_code.ROUNDS}),
        finding=public_code.BOOSTED,
    )  # fmt: skip
