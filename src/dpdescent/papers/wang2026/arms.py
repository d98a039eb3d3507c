"""What a run with correlated noise releases, and the argument for its guarantee, by the accountant of its noise."""

import math
from dataclasses import dataclass, replace
from typing import get_args

from dpdescent.privacy.events import CorrelatedReleases, Guarantee, Mechanism, Relation, Sampler, correlated_release
from dpdescent.privacy.participation import encoder

FIXED, NO_NOISE = "fixed kappa", "none"
NAME = "DP-SGD with correlated noise"

_CONDITIONING = (
    "given the batches, which do not depend on the records, the run is one Gaussian release of the encoded sums, whose "
    "sensitivity hangs on how often a record takes part; eps_tight is by the mean over that (joint convexity)"
)
_CAUSAL = "gradients are clipped at C_clip; iterates are post-processing; T steps are accounted for"
_REASONS: dict[str, tuple[Guarantee, str]] = {
    FIXED: ("proved", _CONDITIONING),
    "tail": ("proved", _CONDITIONING),
    "F12x8": ("proved", f"{_CONDITIONING}; eps_paper is Theorem F.12's"),
    "F12x2": ("proved", f"{_CONDITIONING}; the noise is that of the proof of Theorem F.12, with 2 in place of 8"),
    "D9": ("proved", "eps_tight is what eq. (19) and the tail of participations prove; eps_paper is Theorem D.9's, "
                     "which does not follow from eq. (19)"),
    "RDP19": ("proved", "eq. (19), a theorem of Wang, Balle and Kasiviswanathan for replace-one"),
    "F8": ("none", "the pair of Theorem F.8 is that of Poisson samples; batches here have a fixed size, for which it "
                   "does not dominate"),
    "bnb": ("as published", "amplification by balls in bins as its authors have it, by Monte Carlo, at the multiplier "
                            "of the row's target"),
    "cyclic": ("proved", "batches come in one known order, so that a record takes part in every b-th step; no "
                         "amplification"),
}  # fmt: skip


@dataclass(frozen=True)
class Noise:
    """The noise of one run of T steps.

    Attributes:
        accountant: how it was calibrated; `fixed kappa` where it was not, `none` without noise.
        kappa, lam: noise multiplier and correlation.
        T, r: number of steps, share of the records in a batch.
        eps, delta: the target, or NaN and the delta at which epsilon is given.
        relation, sampler: under which neighbours, and how batches are drawn in the run.
        precondition: of a closed form: met, not met, or none.
    """

    accountant: str
    kappa: float
    lam: float
    T: int
    r: float
    eps: float
    delta: float
    relation: str
    sampler: str
    precondition: str = "none"

    @property
    def columns(self) -> dict[str, float | str]:
        """The columns by which noise is known in tables, its multiplier among them; no epsilon where none was asked."""
        target = {} if math.isnan(self.eps) else {"eps": self.eps, "delta": self.delta}
        return {
            "T": self.T, "r": self.r, "lam": self.lam, **target, "accountant": self.accountant,
            "relation": self.relation, "sampler": self.sampler, "precondition": self.precondition, "kappa": self.kappa,
        }  # fmt: skip


def of_run(noise: Noise, C_clip: float, caveat: str = "") -> Mechanism:
    """The ledger's entry of a run.

    Args:
        noise: the noise.
        C_clip: clipping threshold, finite.
        caveat: why there is no guarantee all the same, such as step sizes that were tuned on the records.
    """
    made = _without_noise(noise) if noise.kappa == 0.0 else _with_noise(noise, C_clip)
    if caveat and made.guarantee != "none":
        return replace(made, guarantee="none", reason=f"{caveat}; {made.reason}")
    return made


def _with_noise(noise: Noise, C_clip: float) -> Mechanism:
    guarantee, reason = _REASONS[noise.accountant]
    claims = noise.accountant in ("F12x8", "D9")
    if noise.precondition == "not met":
        guarantee, claims = "none", False
        reason = "outside the theorem's condition eps <= 1, r T >= 3 log(2/delta): no guarantee is claimed"
    relation, sampler = _relation(noise.relation), _sampler(noise.sampler)
    change = C_clip * (2.0 if relation == "replace-one" else 1.0)
    noise_sd = noise.kappa * C_clip
    if sampler in ("fixed order", "full batch"):
        norm = math.sqrt(encoder.cyclic_norm_squared(noise.T, round(1.0 / noise.r), noise.lam))
        release = correlated_release(norm, change, noise_sd)
        return Mechanism(NAME, (release,), relation, sampler, math.inf, guarantee, f"{reason}; {_CAUSAL}")
    correlated = CorrelatedReleases("sums of clipped gradients", change, noise_sd, noise.lam, noise.r, noise.T)
    return Mechanism(
        NAME, (correlated,), relation, sampler, math.inf, guarantee, f"{reason}; {_CAUSAL}",
        claimed_eps_delta=(noise.eps, noise.delta) if claims else None,
    )  # fmt: skip


def _without_noise(noise: Noise) -> Mechanism:
    return Mechanism(
        "SGD", (), _relation(noise.relation), _sampler(noise.sampler), math.inf, "none",
        "non-private baseline: no noise",
    )  # fmt: skip


def _relation(name: str) -> Relation:
    found: Relation = next(each for each in get_args(Relation) if each == name)
    return found


def _sampler(name: str) -> Sampler:
    found: Sampler = next(each for each in get_args(Sampler) if each == name)
    return found
