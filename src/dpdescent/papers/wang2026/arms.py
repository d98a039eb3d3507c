"""Runs with correlated noise: parameters for the engine, releases, and the arguments for their guarantees."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpdescent.algorithms.lambda_cgd import CGDArms
from dpdescent.papers.wang2026.setting import Part, Size
from dpdescent.privacy.events import (
    CorrelatedReleases,
    GaussianReleases,
    Guarantee,
    Mechanism,
    Relation,
    Sampler,
    correlated_release,
)
from dpdescent.privacy.participation import accountants, encoder
from dpdescent.privacy.participation.calibration import Calibrated
from dpdescent.replication.build.files import read_rows

FIXED, NO_NOISE = "fixed kappa", "none"
# The accountant of the independent noise with which correlated noise is compared, because it is proved and asks for far
# less noise at lambda = 0.
INDEPENDENT_OF = {"tail": "WOR"}
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
    "D9": ("proved", "eps_tight is by the dominating pair of sampling without replacement; eps_paper is "
                     "Theorem D.9's, whose proof does not give it"),
    "RDP19": ("proved", "eq. (19), a theorem of Wang, Balle and Kasiviswanathan for replace-one"),
    "WOR": ("proved", "the two-sided dominating pair of sampling without replacement, composed over steps"),
    "F8": ("none", "the pair of Theorem F.8 is that of Poisson samples; batches here have a fixed size, for which it "
                   "does not dominate"),
    "bnb": ("as published", "amplification by balls in bins as its authors have it, by Monte Carlo, at the multiplier "
                            "of the row's target"),
    "worst bin": ("proved", "a record takes part in every b-th step, from the bin on that it chose without a look at "
                            "the records; given the bins the run is one Gaussian release, whose sensitivity is largest "
                            "for the first bin; no amplification"),
    "cyclic": ("proved", "batches come in one known order, so that a record takes part in every b-th step; no "
                         "amplification"),
}  # fmt: skip


@dataclass(frozen=True)
class EncodedRelease(GaussianReleases):
    """The whole run as one Gaussian release, of batches in a known order.

    Attributes:
        correlation: lambda of the run's noise, which the encoder has.
    """

    correlation: float = 0.0


@dataclass(frozen=True)
class Noise:
    """The noise of one run.

    Attributes:
        accountant: the one that calibrated the noise; `fixed kappa` where none did, `none` without noise.
        kappa, lam: noise multiplier and correlation.
        size: n, B and T of the run.
        eps, delta: the target, or NaN and the delta at which epsilon is given.
        relation, sampler: the neighbours of the guarantee, and how batches are drawn in the run.
        precondition: whether the condition of a closed form is met: met, not met, or none.
    """

    accountant: str
    kappa: float
    lam: float
    size: Size
    eps: float
    delta: float
    relation: Relation
    sampler: Sampler
    precondition: str = "none"

    @classmethod
    def fixed(cls, size: Size, kappa: float, lam: float, delta: float) -> "Noise":
        """Returns noise of a given multiplier; delta is the one at which the ledger gives an epsilon."""
        sampler: Sampler = "full batch" if size.n == size.B else "fixed size"
        return cls(FIXED if kappa > 0.0 else NO_NOISE, kappa, lam, size, math.nan, delta, "zero-out", sampler)

    @property
    def columns(self) -> dict[str, float | str]:
        """The noise's columns in tables, its multiplier among them; no epsilon where none was asked for."""
        target = {} if math.isnan(self.eps) else {"eps": self.eps, "delta": self.delta}
        return {
            "T": self.size.T, "r": self.size.r, "lam": self.lam, **target, "accountant": self.accountant,
            "relation": self.relation, "sampler": self.sampler, "precondition": self.precondition, "kappa": self.kappa,
        }  # fmt: skip


@dataclass(frozen=True)
class Arm:
    """A run, whose noise and threshold decide its releases; its step size and radius are post-processing.

    Attributes:
        noise: the noise, with the size of the run.
        C_clip: clipping threshold; inf only without noise.
        eta: step size; NaN until it is tuned.
        radius: radius of the projection's ball around the start; inf without projection.
    """

    noise: Noise
    C_clip: float
    eta: float = math.nan
    radius: float = math.inf

    @classmethod
    def without_noise(cls, size: Size, eta: float) -> "Arm":
        """Returns a run with neither noise nor clipping."""
        return cls(Noise.fixed(size, 0.0, 0.0, math.nan), math.inf, eta)

    @property
    def size(self) -> Size:
        """n, B and T of the run."""
        return self.noise.size

    def event(self, caveat: str = "", stand_in: str = "") -> Mechanism:
        """Returns the mechanism of the run: its releases and its guarantee.

        Args:
            caveat: why the run has no guarantee all the same, such as step sizes that were tuned on the records.
            stand_in: why this mechanism is listed in place of other runs' mechanisms.
        """
        noise = self.noise
        if noise.kappa == 0.0:
            return Mechanism.without_privacy("SGD", relation=noise.relation, sampler=noise.sampler, stand_in=stand_in)
        guarantee, reason = _argument(noise)
        if caveat and guarantee != "none":
            guarantee, reason = "none", f"{caveat}; {reason}"
        if noise.delta * self.size.n >= 1.0:
            reason += "; delta is not below 1 / n: to publish a record at random would be private too"
        claims = noise.accountant in ("F12x8", "D9") and noise.precondition != "not met"
        return Mechanism(
            NAME, (self._release(),), noise.relation, noise.sampler, math.inf, guarantee, reason,
            claimed_eps_delta=(noise.eps, noise.delta) if claims else None, stand_in=stand_in,
        )  # fmt: skip

    def _release(self) -> CorrelatedReleases | GaussianReleases:
        noise, size = self.noise, self.size
        change = self.C_clip * (2.0 if noise.relation == "replace-one" else 1.0)
        noise_sd = noise.kappa * self.C_clip
        if noise.sampler in ("fixed order", "full batch"):
            norm = math.sqrt(encoder.cyclic_norm_squared(size.T, round(1.0 / size.r), noise.lam))
            release = correlated_release(norm, change, noise_sd)
            return EncodedRelease(release.what, release.sensitivity, release.noise_sd, release.count, noise.lam)
        return CorrelatedReleases("sums of clipped gradients", change, noise_sd, noise.lam, size.r, size.T)


def engine(arms: Sequence[Arm]) -> CGDArms:
    """Returns the runs as the engine of Algorithm 1 takes them."""
    return CGDArms(
        np.array([arm.eta for arm in arms]), np.array([arm.C_clip for arm in arms]),
        np.array([arm.noise.kappa for arm in arms]), np.array([arm.noise.lam for arm in arms]),
        np.array([arm.radius for arm in arms]),
    )  # fmt: skip


def _argument(noise: Noise) -> tuple[Guarantee, str]:
    """Returns the guarantee of noise at a step size given beforehand, and the reason for it."""
    guarantee, reason = _REASONS[noise.accountant]
    if noise.precondition == "not met":
        guarantee = "none"
        reason = "outside the theorem's condition eps <= 1, r T >= 3 log(2/delta): no guarantee is claimed"
    return guarantee, f"{reason}; {_CAUSAL}"


# The batches of accountants whose multipliers are read from the artefact kappa_tables, because Monte Carlo is slow.
SIMULATED: dict[str, Sampler] = {"F8": "Poisson", "bnb": "balls in bins"}
TABLE = "kappa_tables"


def calibrated(part: Part, size: Size, accountant: str, lam: float, eps: float, delta: float) -> Noise:
    """Returns the noise of an accountant, for batches that are drawn as it asks for.

    Raises:
        ValueError: as `multiplier` does.
    """
    calibration = multiplier(part, accountant, size.T, size.r, lam, eps, delta)
    return Noise(
        accountant, calibration.multiplier, lam, size, eps, delta, calibration.relation, calibration.sampler,
        calibration.precondition,
    )  # fmt: skip


def multiplier(part: Part, accountant: str, T: int, r: float, lam: float, eps: float, delta: float) -> Calibrated:
    """Returns the noise multiplier of an accountant, with the neighbours and the sampler that it holds for.

    Raises:
        ValueError: if there is no such accountant, or the table of calibrated noise has no such setting.
    """
    if accountant not in SIMULATED:
        # Closed forms draw no random numbers, so that the generator does not matter.
        rng = np.random.default_rng(0)
        return accountants.calibrate(accountant, T=T, rate=r, lam=lam, eps=eps, delta=delta, draws=0, rng=rng)
    wanted = {"T": T, "r": r, "lam": lam, "eps": eps, "delta": delta}
    for row in _simulated(str(part.tables[TABLE])):
        if row["accountant"] == accountant and all(float(row[name]) == number for name, number in wanted.items()):
            return Calibrated(
                float(row["mean"]), float(row["delta_attained"]), float(row["delta_se"]), "zero-out",
                SIMULATED[accountant], False, row["precondition"],
            )  # fmt: skip
    raise ValueError(f"{TABLE} has no multiplier of {accountant} at {wanted}: add the setting to that artefact")


@cache
def _simulated(path: str) -> list[dict[str, str]]:
    return [row for row in read_rows(path) if row["accountant"] in SIMULATED]
