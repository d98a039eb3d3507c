"""The attacks on the arms of wang2026, and on its theorems as printed, at numbers of ours."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from dpdescent.attacks import correlated, sampled
from dpdescent.noise.strategies.toeplitz import damped_anti_pgd
from dpdescent.papers.wang2026 import arms
from dpdescent.papers.wang2026.setting import Part, Spec
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Attack
from dpdescent.privacy.events import CorrelatedReleases, Mechanism, Relation, Sampler
from dpdescent.privacy.participation import accountants, closed_forms
from dpdescent.replication.ledger.requests import NotAudited, Parameter, Request, Statement, no_attack, rounded
from dpdescent.replication.ledger.verdicts import Reporting

# The number of steps to which two kinds of runs are cut: those whose noise was not calibrated for their length, because
# no audit can reach their epsilon, and those of the full batch, because mu says all about them.
LONGEST = 100

# The noise multiplier times 1 - lambda below which the likelihood ratios of an attack are lost in rounding.
FAINT = 0.125

# The number of random outputs by which Theorem F.8's multiplier of correlated noise is computed.
DRAWS = 10_000

FIXED, REPLACED, BINS, POISSON, KNOWN = (
    "fixed size, zero-out", "fixed size, replace-one", "balls in bins", "Poisson", "known batches",
)  # fmt: skip


def known_batches(T: int, participations: int, lam: float, mu: float) -> Attack:
    """The attack on a record that takes part in every (T/k)-th step, under noise of correlation lam."""
    return correlated.fixed_order(damped_anti_pgd(1.0 - lam), T, participations, mu)


ATTACKS: dict[str, Callable[..., Attack]] = {
    FIXED: sampled.fixed_size, REPLACED: sampled.fixed_size_replaced, BINS: sampled.balls_in_bins,
    POISSON: sampled.poisson, KNOWN: known_batches,
}  # fmt: skip

# The attacks on random batches, by relation and sampler.
RANDOM: dict[tuple[Relation, Sampler], str] = {
    ("zero-out", "fixed size"): FIXED, ("replace-one", "fixed size"): REPLACED,
    ("zero-out", "balls in bins"): BINS, ("zero-out", "Poisson"): POISSON,
}  # fmt: skip

# The finding of Theorem F.8's pair under batches of fixed size; statements that refute other theorems name theirs.
FINDINGS = {FIXED: Reporting("theorem-f.8-sampling")}


@dataclass(frozen=True, kw_only=True)
class _Epochs(Part):
    """Runs in which every record comes once in 1/r steps."""

    T: int
    r: float


def request(cell: Spec, arm: str, event: Mechanism) -> Request | NotAudited:
    """The audit of an arm that `releases` gave for a cell; it leaves out that steps were tuned on the records."""
    if not event.releases and "non-private" in event.reason:
        return NotAudited("no noise: any difference shows")
    if event.name != arms.NAME or len(event.releases) != 1:
        return no_attack(event.name)
    (release,) = event.releases
    if isinstance(release, CorrelatedReleases):
        if (event.relation, event.sampler) not in RANDOM:
            return no_attack(f"{event.name}, {event.sampler}, {event.relation}")
        uncalibrated = f", {arms.FIXED} " in arm
        T = min(release.count, LONGEST) if uncalibrated else release.count
        # Under replace-one the sensitivity is two clipping thresholds.
        clip_norm = release.sensitivity / (2.0 if event.relation == "replace-one" else 1.0)
        name, kappa = RANDOM[event.relation, event.sampler], release.noise_sd / clip_norm
        if kappa * (1.0 - release.correlation) < FAINT:
            why = (
                f"hardly any noise: kappa = {kappa:.3g}, lambda = {release.correlation:g}, no privacy is claimed of it"
            )
            return NotAudited(why)
        return Request(name, _parameters(T, release.rate, kappa, release.correlation))
    if not isinstance(release, arms.EncodedRelease):
        return no_attack(event.name)
    lam, mu = rounded(release.correlation), rounded(zcdp.gaussian_dp_mu(event.rho))
    if mu > LONGEST / FAINT:
        return NotAudited(f"hardly any noise: mu = {mu:.3g}, no privacy is claimed of it")
    if event.sampler == "full batch":
        return Request(KNOWN, {"T": LONGEST, "participations": LONGEST, "lam": lam, "mu": mu})
    part = _Epochs.of(cell)
    participations = part.T // accountants.period_of(part.r)
    return Request(KNOWN, {"T": part.T, "participations": participations, "lam": lam, "mu": mu})


def statements() -> Iterable[Statement]:
    """Theorems F.8 (as printed and for Poisson batches), F.12, D.9, and 5.4 at Corollary 5.5's B and T."""
    yield from _pair()
    yield from _closed_form()
    yield from _independent()


def _pair() -> Iterator[Statement]:
    eps, delta, rate = 1.0, 1e-3, 0.1
    for T, lam, runs in ((12, 0.0, 400_000), (12, 0.5, 400_000), (100, 0.0, 400_000)):
        parameters = _parameters(T, rate, _pair_multiplier(T, rate, lam, eps, delta), lam, runs)
        place = f"T = {T}, r = {rate:g}, lambda = {lam:g}, kappa = {parameters['kappa']:.4g}"
        yield _statement(f"Theorem F.8 as printed, {place}", "zero-out", "fixed size", eps, delta, parameters)
        yield _statement(f"Theorem F.8 for Poisson batches, {place}", "zero-out", "Poisson", eps, delta, parameters)


def _closed_form() -> Iterator[Statement]:
    T, eps, delta, rate = 250, 1.0, 1e-3, 0.1
    for lam in (0.0, 0.5):
        kappa = closed_forms.correlated_multiplier(T, rate, lam, eps, delta)
        place = f"Theorems 5.1 and F.12, T = {T}, r = {rate:g}, lambda = {lam:g}, kappa = {kappa:.4g}"
        yield _statement(place, "zero-out", "fixed size", eps, delta, _parameters(T, rate, kappa, lam, 20_000))


def _independent() -> Iterator[Statement]:
    # The experiments' margin, and B, T and delta as Corollary 5.5 prescribes them.
    gamma = 0.1
    for n, runs in ((100_000, 4_000), (1_000_000, 1_000)):
        batch, T, delta = max(1, round(gamma * math.sqrt(n))), round(math.sqrt(n) / gamma), gamma / n
        place = f"Theorem 5.4 at Corollary 5.5's B and T, gamma = {gamma:g}, n = {n:g}, B = {batch}, T = {T}"
        yield _replaced(place, T, batch / n, 1.0, delta, runs, "theorem-d.9-renyi")
    yield theorem_d9()


def theorem_d9() -> Statement:
    """Theorem D.9 at a large epsilon, outside of Corollary 5.5's regime."""
    return _replaced("Theorems 5.4 and D.9, T = 50, r = 0.02", 50, 0.02, 8.0, 1e-3, 200_000, "theorem-d.9-renyi")


def _replaced(place: str, T: int, rate: float, eps: float, delta: float, runs: int, finding: str) -> Statement:
    kappa = closed_forms.independent_multiplier(T, rate, eps, delta)
    named, parameters = f"{place}, kappa = {kappa:.4g}", _parameters(T, rate, kappa, 0.0, runs)
    return replace(_statement(named, "replace-one", "fixed size", eps, delta, parameters), finding=finding)


def _statement(
    place: str, relation: Relation, sampler: Sampler, eps: float, delta: float, parameters: dict[str, Parameter]
) -> Statement:
    request = Request(RANDOM[relation, sampler], parameters)
    return Statement(place, arms.NAME, relation, sampler, eps, delta, request)


def _parameters(T: int, rate: float, kappa: float, lam: float, most_runs: int = 0) -> dict[str, Parameter]:
    """The parameters of an attack on random batches; `most_runs` is left out where it is the default."""
    parameters: dict[str, Parameter] = {"T": T, "rate": rounded(rate), "kappa": rounded(kappa), "lam": rounded(lam)}
    return parameters | ({"most_runs": most_runs} if most_runs else {})


@cache
def _pair_multiplier(T: int, rate: float, lam: float, eps: float, delta: float) -> float:
    """kappa by Theorem F.8's pair; with correlated noise it is by Monte Carlo, always on the same outputs."""
    rng = np.random.default_rng(0)
    return accountants.calibrate("F8", T=T, rate=rate, lam=lam, eps=eps, delta=delta, draws=DRAWS, rng=rng).multiplier
