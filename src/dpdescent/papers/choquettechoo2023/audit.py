"""Attacks that audit the arms of choquettechoo2023: worst participation patterns for every strategy of noise."""

from collections.abc import Callable, Iterable

from dpdescent.attacks import correlated, sampled
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import finite_time, mean_estimation
from dpdescent.papers.choquettechoo2023.images import multi_epoch_kept
from dpdescent.papers.choquettechoo2023.mechanisms import BASES, MULTIPLE, strategy_of
from dpdescent.papers.choquettechoo2023.setting import AMPLIFIED, ME, NU, RESTARTS, Spec
from dpdescent.papers.choquettechoo2023.streams import StreamArm
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import GaussianReleases, Mechanism, SubsampledGaussianReleases
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import Reporting

# Steps of the longest single pass that is run; its noise has the mechanism's mu in as many steps.
LONGEST = 100
# Steps from which on the strategy of ME is read from disk, where the runs on real images left it: it takes minutes.
KEPT = 1000
ONE_PASS, EPOCHS, POISSON = "DP-FTRL, single pass", "DP-FTRL, batches in a fixed order", "DP-SGD, Poisson batches"
# The arms of an artefact's ledger, by which an audit knows their noise.
STREAMS: dict[str, Callable[[Spec], Iterable[tuple[str, StreamArm]]]] = {
    "ext_finite_time": finite_time.ledger_arms, "ext_mean_estimation": mean_estimation.ledger_arms
}  # fmt: skip
# None of the arms' claims is refuted.
FINDINGS: dict[str, Reporting] = {}


def one_pass(power: float, nu: float, T: int, mu: float) -> Attack:
    """Returns the attack on a record of a stream; the decoder is a power of the difference with damping nu."""
    return correlated.single_pass(
        toeplitz.DampedDifference("DP-SGD" if power == 0.0 else "nu-DP-FTRL", power, nu), T, mu
    )


def epochs(mechanism: str, T: int, k: int, copies: str, mu: float) -> Attack:
    """Returns the attack on a record that comes again every T/k steps.

    Args:
        mechanism: name in Figure 4's legend.
        T: steps.
        k: participations.
        copies: numbers of restarts among which the best was taken, with blanks between them.
        mu: parameter of the mechanism's Gaussian differential privacy.
    """
    if mechanism == ME and T >= KEPT:
        return correlated.fixed_order(multi_epoch_kept(T, k), T, k, mu)
    strategy, _ = strategy_of(mechanism, T, k, tuple(map(int, copies.split())))
    return correlated.fixed_order(strategy, T, k, mu)


ATTACKS: dict[str, Callable[..., Attack]] = {ONE_PASS: one_pass, EPOCHS: epochs, POISSON: sampled.poisson}


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """Returns the audit of an arm of the ledger; it leaves out learning rates that were tuned on the records."""
    if not event.releases:
        if "non-private" in event.reason:
            return NotAudited("no noise: any difference shows")
        if "not clipped" in event.reason:
            return NotAudited("gradients are not clipped: one record moves a sum as far as it likes, at any noise")
        return no_attack(event.name)
    release, *others = event.releases
    if event.name == AMPLIFIED and isinstance(release, SubsampledGaussianReleases) and not others:
        kappa = release.noise_sd / release.sensitivity
        return Request(POISSON, {"T": release.count, "rate": rounded(release.rate), "kappa": rounded(kappa)})
    if others or not isinstance(release, GaussianReleases):
        return no_attack(event.name)
    mu = rounded(zcdp.gaussian_dp_mu(event.rho))
    of_figure_4 = event.name in (NU, ME) or event.name.removesuffix(RESTARTS) in BASES or MULTIPLE.fullmatch(event.name)
    if event.sampler == "fixed order" and of_figure_4:
        settings = cell["settings"]
        copies = " ".join(str(number) for number in settings["copies"])
        return Request(
            EPOCHS, {"mechanism": event.name, "T": settings["T"], "k": settings["k"], "copies": copies, "mu": mu}
        )
    strategy = _damped_difference(cell, arm, event)
    if strategy is None:
        return no_attack(event.name)
    return Request(ONE_PASS, {"power": strategy.power, "nu": rounded(strategy.nu), "T": LONGEST, "mu": mu})


def statements() -> Iterable[Statement]:
    """Returns none, because the paper's one privacy statement, Theorem 1.1, is audited with the arms."""
    return ()


def _damped_difference(cell: Spec, arm: str, event: Mechanism) -> toeplitz.DampedDifference | None:
    """Returns the noise of an arm on a stream; None where it is no damped difference: the attack makes no other."""
    list_arms = STREAMS.get(cell.get("artefact", ""))
    stream_arm = None if list_arms is None or event.sampler != "single pass" else dict(list_arms(cell)).get(arm)
    if stream_arm is None or stream_arm.algorithm != event.name:
        return None
    return stream_arm.strategy if isinstance(stream_arm.strategy, toeplitz.DampedDifference) else None
