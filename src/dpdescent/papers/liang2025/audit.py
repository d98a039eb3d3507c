"""Attacks that audit the arms of liang2025, and the readings of Lemma F.1 under which no arm is run."""

import math
from collections.abc import Callable, Iterable

from dpdescent.attacks import dp_2s_gd, friendly_core, preprocessing
from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025.setting import Spec
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.replication.ledger.requests import NotAudited, Parameter, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import UNCOVERED, Reporting
from dpdescent.sums import added

BOTH = "gradients of both stages flip sign"
BETA = "gradients of both stages flip sign, beta alone seen"
PLANTED = "planted regressor"
OUTCOME = "outcome flips sign"
SIGN = "sign of the noisy first stage"
CENTRED = "record moves the sample means"
CORE = "record to either side of the core"

ATTACKS: dict[str, Callable[..., Attack]] = {
    BOTH: dp_2s_gd.paths_flip_sign, BETA: dp_2s_gd.beta_alone, PLANTED: dp_2s_gd.planted_regressor,
    OUTCOME: dp_2s_gd.only_outcome, SIGN: dp_2s_gd.sign_bit, CENTRED: preprocessing.centred,
    CORE: friendly_core.opposite_friends,
}  # fmt: skip

# The paper's account is of the gradient steps, and says nothing of the preprocessing.
FINDINGS = {
    PLANTED: Reporting("release-beta-only"), SIGN: Reporting("release-beta-only"), CENTRED: Reporting("preprocessing", UNCOVERED)
}  # fmt: skip

# Numbers of steps under attack. A run of T steps is attacked at the next smaller number, because the cost that a
# neighbouring pair attains grows with T, from rho1 to rho1 + rho2: the cost that is found is a lower bound for the run.
STEPS = (1, 2, 20)

# Two steps of Algorithm 3 suffice to refute its claim. The runs on real data have 15 or 20 steps.
FIRST_SHOWN, REAL = 2, 15

# Budgets claimed in the smallest examples of Lemma F.1: rho2 without first-stage noise; rho1 and rho2 with it.
CLAIMED, FINITE = 1.0, (100.0, 0.01)
DELTA = 1e-5

_SILENT = "after one step beta is noise alone, because Theta^(0) = 0: nothing of the data is in it"


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of an arm, or why it has none.

    Args:
        cell: the specification of the part that the arm belongs to.
        arm: name of the arm in the ledger; that of FriendlyCore ends in its budget, which the event does not hold.
        event: the arm's privacy event.
    """
    if event.name == "FriendlyCore-2SLS":
        rho = float(arm.rsplit("rho=", 1)[1])
        return Request(CORE, {"rho": rounded(rho), "delta": cell["settings"]["dp_delta"]})
    if not event.releases:
        return NotAudited(f"{event.reason}; one record shows in any run")
    releases = [release for release in event.releases if isinstance(release, GaussianReleases)]
    # A schedule has a release for every step of a stage.
    T = sum(release.count for release in releases if release.what == releases[0].what)
    if event.name == "DP-2S-GD" and event.guarantee == "none":
        return Request(CENTRED, {"T": min(T, REAL), "rho": rounded(releases[0].rho)})
    if event.name == "DP-2S-GD":
        return Request(BOTH, _budgets(T, releases))
    if event.name == "DP-2S-GD, publish beta":
        return NotAudited(_SILENT) if T == 1 else Request(BETA, _budgets(T, releases))
    if event.name == "DP-2S-GD-beta":
        planted = Request(PLANTED, {"T": FIRST_SHOWN, "rho2": rounded(releases[0].rho)})
        return NotAudited(_SILENT) if T == 1 else planted
    return no_attack(event.name)


def statements() -> Iterable[Statement]:
    """Yields the statements of Lemma F.1: as printed, in the reading under which it is right, and at a finite rho1."""
    rho2 = rounded(_spent(CLAIMED, FIRST_SHOWN))
    eps = zcdp.epsilon(CLAIMED, DELTA)
    example = {"T": FIRST_SHOWN, "rho2": rho2}
    yield Statement(
        f"Lemma F.1 as printed (no noise in the first stage, rho2 = {CLAIMED:g})", "DP-2S-GD-beta", "replace-one",
        "full batch", eps, DELTA, Request(PLANTED, {**example}),
    )  # fmt: skip
    yield Statement(
        f"Lemma F.1, only y_i may change (rho2 = {CLAIMED:g})", "DP-2S-GD-beta", "replace-one, y only", "full batch",
        eps, DELTA, Request(OUTCOME, {**example}), math.sqrt(2 * CLAIMED),
    )  # fmt: skip
    rho1, rho2 = FINITE
    spent = {"rho1": rounded(_spent(rho1, 2)), "rho2": rounded(_spent(rho2, 2))}
    yield Statement(
        f"Lemma F.1 at a finite rho1 (rho1 = {rho1:g}, rho2 = {rho2:g})", "DP-2S-GD, publish beta", "replace-one",
        "full batch", zcdp.epsilon(rho2, DELTA), DELTA, Request(SIGN, {**spent}),
    )  # fmt: skip


def _budgets(T: int, releases: list[GaussianReleases]) -> dict[str, Parameter]:
    """Returns the number of steps under attack and the zCDP cost of both stages' noise.

    A schedule is audited at equal parts, which cost the same. In one step rho2 is given as rho1, because the second
    stage then shows nothing of the data.
    """
    steps = max(number for number in STEPS if number <= T)
    stages = dict.fromkeys(release.what for release in releases)
    rho1, rho2 = (rounded(added(release.rho for release in releases if release.what == what)) for what in stages)
    return {"T": steps, "rho1": rho1, "rho2": rho1 if steps == 1 else rho2}


def _spent(rho: float, T: int) -> float:
    """Returns the zCDP cost of the noise that eq. (4) prints for rho, at sensitivity 2 gamma / n: rho / 2."""
    n = 1000
    return zcdp.gaussian_rho(mean_sensitivity(1.0, n), formulas.noise_scale(1.0, n, T, rho), T)
