"""The arms of varshney2022's experiments: what an engine is given, and what a run with exactly that releases.

Algorithm 2 has many choices, so that its arms are made by a `Choice`; what it is compared with runs at the same size.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.algorithms.dp_gd import DPGDArms
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.sgd_arms import Adaptive, Fixed, SGDArm
from dpdescent.baselines.ada_ssp import Bounds, BoundsSource, Calibration
from dpdescent.baselines.ada_ssp import mechanism as ada_ssp_mechanism
from dpdescent.papers.varshney2022.design import FOURTH_MOMENT, TAIL_EXPONENT, Array, Design, Spec, delta_of
from dpdescent.papers.varshney2022.theory import ambssgd, moments, privacy, ssgd
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism, Release, Sampler, ShuffledGaussianReleases

AMBSSGD, PUBLISHED, FIXED = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "fixed clip"
QUANTILE = "DP-AMBSSGD (q = {:g})"
SSGD, DP_GD, DP_GD_ADAPTIVE = "DP-SSGD", "DP-GD", "DP-GD (adaptive)"
OLS, ADA_SSP, ADA_SSP_TIGHT = "OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
LOG_POWER = "log^a N"

# Why runs without clipping are not private.
UNBOUNDED = "gradients are not clipped: no sensitivity is bounded"

Settings = TypeVar("Settings")

_DISJOINT = (
    "a record is in the statistic or in the gradient of one iteration, by a permutation that does not depend on the "
    "data; the L counts (sensitivity 1 each) and the mean of gradients clipped at zeta_t (2 zeta_t / b) are Gaussian "
    "releases of mu = 1/alpha; parallel composition under replace-one; B, L, R_x, s, step size and T come from N, H, "
    "|w*|_H and sigma, which the paper takes as known, not from the data"
)
_OVERLAPPING = (
    "as printed, the statistic of an iteration sees the first record of its gradient too, which pays for both: mu = "
    "sqrt(2)/alpha; otherwise a record is in one iteration, by a permutation that does not depend on the data; "
    "parallel composition under replace-one (Theorem 3.6); B, R_x, step size and T come from N, H, |w*|_H and sigma, "
    "which the paper takes as known"
)


@dataclass(frozen=True, eq=False)
class Arm(Generic[Settings]):
    """A method with its settings and with what a run with these settings releases.

    Attributes:
        settings: what the engine is given; they fix threshold and noise. None where there is no engine.
        mechanism: the entry in the ledger, computed from the settings.
    """

    settings: Settings
    mechanism: Mechanism


@dataclass(frozen=True)
class Choice:
    """One run of DP-AMBSSGD: the data that it is for, its privacy budget, and all that Algorithms 2 and 3 leave open.

    Attributes:
        design: law of the records, whose constants the paper assumes to be known.
        N, sigma, eps, delta, T: number of records, label noise, privacy budget and number of iterations.
        settings: the artefact's settings.
        rule: `as published`, `corrected`, or `q = ...`.
        factor: what stands for log^a N in `zeta_t = R_x gamma_t log^a N`; a number or `log^a N`.
        multiplier: alpha, the noise multiplier of the statistic and of the gradient.
        levels: L, the number of doublings of DP-STAT.
        share, guard: s is this share of a batch, or the guard times `Search.guard` where that is more.
        overlap: whether the index ranges of statistic and gradient share a record, as printed.
        offset: public shift of the grid of thresholds, in octaves.
        wide: whether B has all factors that the paper gives it.
        step: step size; None means that of Theorem 3.7.
        stat_size: s; None means that share and guard decide.
    """

    design: Design
    N: int
    sigma: float
    eps: float
    delta: float
    T: int
    settings: dict[str, Any]
    rule: str
    factor: float | str
    multiplier: float
    levels: int
    share: float
    guard: float
    overlap: bool = False
    offset: float = 0.0
    wide: bool = False
    step: float | None = None
    stat_size: int | None = None

    @classmethod
    def ours(cls, spec: Spec, design: Design, N: int, sigma: float, eps: float, T: int, **changes: Any) -> "Choice":
        """Returns the main setting (corrected rule, exact noise multiplier, disjoint slices) with some changes."""
        given, delta = spec["settings"], delta_of(spec)
        main = cls(
            design, N, sigma, eps, delta, T, given, given["rule"], given["log_factor"],
            privacy.gaussian_multiplier(eps, delta), given["levels"], given["stat_share"], given["stat_guard"],
        )  # fmt: skip
        return replace(main, **changes)

    def published(self) -> "Choice":
        """Returns Algorithm 2 as printed in noise multiplier, break rule, log^a N, B, s = b/10 and index ranges.

        Delta and T stay, because with the printed ones the experiments' sizes are far too small.
        """
        return replace(
            self, rule="as published", factor=LOG_POWER, multiplier=privacy.published_multiplier(self.eps, self.delta),
            guard=0.0, overlap=True, wide=True,
        )  # fmt: skip

    @property
    def batch(self) -> int:
        """Number of records of an iteration, s + b."""
        return self.N // self.T

    @property
    def s(self) -> int:
        """Number of records of DP-STAT in an iteration."""
        if self.stat_size is not None:
            if self.stat_size >= self.batch:
                raise ValueError(f"s={self.stat_size} leaves no record for the gradient: N={self.N}, T={self.T}")
            return self.stat_size
        wanted = max(round(self.share * self.batch), math.ceil(self.guard * self.search.guard))
        return min(wanted, self.batch // 2)

    @property
    def b(self) -> int:
        """Number of records of the gradient in an iteration."""
        return self.batch - self.s

    @property
    def input_bound_squared(self) -> float:
        """R_x^2, the least factor in the bound on fourth moments of Definition 2.1."""
        return moments.input_bound_squared(self.design.lam, FOURTH_MOMENT[self.design.law])

    @property
    def search(self) -> Search:
        """DP-STAT with `B = K_2 (|w*|_H + sigma) log^a N`; the paper's B has R_x and another log^a N as factors."""
        largest = 2.0**0.5 * (self.settings["w_norm"] + self.sigma) * self._log_power
        if self.wide:
            largest *= self.input_bound_squared**0.5 * self._log_power
        if not (self.rule in ("as published", "corrected") or self.rule.startswith("q = ")):
            raise ValueError(f"rule={self.rule!r} must be 'as published', 'corrected' or such as 'q = 0.9'")
        rule, quantile = ("quantile", float(self.rule[4:])) if self.rule.startswith("q = ") else (self.rule, 1.0)
        return Search(
            largest, self.levels, self.multiplier, rule=rule, margin=self.settings["margin"], quantile=quantile,  # type: ignore[arg-type]
            offset=self.offset,
        )  # fmt: skip

    @property
    def eta(self) -> float:
        """The step size: Theorem 3.7's `b / (R_x^2 + (b - 1)|H|)`, unless another is given."""
        if self.step is not None:
            return self.step
        return ambssgd.theorem_step(self.design.lam, self.b, FOURTH_MOMENT[self.design.law])

    @property
    def scale(self) -> float:
        """The clipping threshold zeta_t over the threshold gamma_t that DP-STAT returns."""
        factor = self._log_power if self.factor == LOG_POWER else float(self.factor)
        return math.sqrt(self.input_bound_squared) * factor

    @property
    def public_threshold(self) -> float:
        """The threshold zeta of methods that have a fixed one, from sigma, |w*|_H, H and N, which are taken as known.

        Raises:
            ValueError: if the setting `threshold` is neither `gradient` (DP-SSGD's) nor `all records` (a share of
                |X| |Y|).
        """
        given = self.settings
        if given["threshold"] == "gradient":
            # Any noise multiplier will do, because the threshold does not depend on it.
            problem = self.design.problem(self.N, self.sigma)
            return ssgd.practical_parameters(problem, 1.0, given["zeta_factor"]).zeta
        if given["threshold"] != "all records":
            raise ValueError(f"threshold={given['threshold']!r} must be 'gradient' or 'all records'")
        label = moments.label_bound(given["w_norm"], self.sigma, self.N)
        return float(given["clip_share"] * moments.norm_bound(self.design.lam, self.N) * label)

    def noise_variance(self, thresholds: Array) -> Array:
        """Variance of a coordinate of the noise on the mean gradient, `(2 alpha zeta_t / b)^2`, shape (T,)."""
        variance: Array = (2.0 * self.multiplier * thresholds / self.b) ** 2
        return variance

    def arm(self, name: str = AMBSSGD, label: int = 0) -> Arm[SGDArm]:
        """Returns the arm that learns from a column of labels, with the name that the ledger gives it.

        With the published noise multiplier it has the epsilon that the paper claims, and otherwise no claim.
        """
        settings = SGDArm(self.eta, self.multiplier, Adaptive(self.search, self.s, self.scale, self.overlap), label)
        in_range = self.eps <= math.log(1.0 / self.delta)
        claimed = in_range and self.multiplier == privacy.published_multiplier(self.eps, self.delta)
        mechanism = proved(
            name, settings.releases(self.batch), "shuffled single pass", _OVERLAPPING if self.overlap else _DISJOINT,
            claimed=(self.eps, self.delta) if claimed else None,
        )  # fmt: skip
        return Arm(settings, mechanism)

    @property
    def _log_power(self) -> float:
        return moments.log_power(self.N, TAIL_EXPONENT[self.design.law])


def proved(
    name: str, releases: tuple[Release, ...], sampler: Sampler, reason: str, *, claimed_rho: float = math.inf,
    claimed: tuple[float, float] | None = None,
) -> Mechanism:  # fmt: skip
    """Returns a mechanism with a proved guarantee under replace-one, and the paper's claim as rho or (eps, delta)."""
    return Mechanism(name, releases, "replace-one", sampler, claimed_rho, "proved", reason, claimed)


def arms_of(
    series: Iterable[str], at: Choice, label: int = 0, source: BoundsSource = "public"
) -> dict[str, Arm[Any]]:  # fmt: skip
    """Returns arms by the names of their series.

    Args:
        series: their names.
        at: the size at which all of them run, and the main setting of DP-AMBSSGD.
        label: column of the labels, for those that the engine of DP-AMBSSGD runs.
        source: whether AdaSSP's records are clipped to its bounds.
    """
    quantile, q = QUANTILE.format(at.settings["quantile"]), f"q = {at.settings['quantile']:g}"
    makers: dict[str, Callable[[], Arm[Any]]] = {
        AMBSSGD: lambda: at.arm(AMBSSGD, label),
        quantile: lambda: replace(at, rule=q).arm(quantile, label),
        PUBLISHED: lambda: at.published().arm(PUBLISHED, label),
        FIXED: lambda: fixed_clip(at, label),
        DP_GD: lambda: dp_gd(at),
        DP_GD_ADAPTIVE: lambda: dp_gd_adaptive(at, label),
        ADA_SSP: lambda: ada_ssp(at, source),
        ADA_SSP_TIGHT: lambda: ada_ssp(at, source, tight=True),
        OLS: least_squares,
    }
    return {name: makers[name]() for name in series}


def fixed_clip(at: Choice, label: int = 0) -> Arm[SGDArm]:
    """Returns DP-AMBSSGD with a fixed threshold, so that all records of a batch go into the gradient."""
    eta = ambssgd.theorem_step(at.design.lam, at.batch, FOURTH_MOMENT[at.design.law])
    settings = SGDArm(eta, privacy.gaussian_multiplier(at.eps, at.delta), Fixed(at.public_threshold), label)
    reason = (
        "a record is in one batch, by a permutation that does not depend on the data: one Gaussian release of the "
        "mean of gradients clipped at a zeta that comes from N, H, |w*|_H and sigma, taken as known"
    )
    return Arm(settings, proved(FIXED, settings.releases(at.batch), "shuffled single pass", reason))


def dp_gd(at: Choice) -> Arm[DPGDArms]:
    """Returns DP-GD with a fixed threshold; every step uses all records."""
    zeta = at.public_threshold
    sensitivity = mean_sensitivity(zeta, at.N)
    noise_sd = sensitivity * privacy.gaussian_multiplier(at.eps, at.delta) * at.T**0.5
    release = GaussianReleases("mean of clipped gradients", sensitivity, noise_sd, at.T)
    reason = (
        "each step adds Gaussian noise to the mean of gradients clipped at a zeta that comes from N, H, |w*|_H and "
        "sigma, taken as known; adaptive composition over T"
    )
    settings = DPGDArms.alike(1, at.T, ambssgd.theorem_step(at.design.lam, at.N), zeta, noise_sd)
    return Arm(settings, proved(DP_GD, (release,), "full batch", reason))


def dp_gd_adaptive(at: Choice, label: int = 0) -> Arm[SGDArm]:
    """Returns DP-GD with a threshold from DP-STAT; statistic and gradient of every step use all records."""
    share, alpha = at.settings["stat_budget"], privacy.gaussian_multiplier(at.eps, at.delta)
    search = replace(at.search, noise_multiplier=alpha * (at.T / share) ** 0.5)
    settings = SGDArm(
        ambssgd.theorem_step(at.design.lam, at.N), alpha * (at.T / (1.0 - share)) ** 0.5,
        Adaptive(search, at.N, at.scale, shared=True), label,
    )  # fmt: skip
    reason = (
        "in each step L counts (sensitivity 1 each) give the threshold zeta_t, and Gaussian noise is added to the mean "
        "of gradients clipped at it; adaptive composition over T; B, L, R_x and step size come from N, H, |w*|_H and "
        "sigma, taken as known"
    )
    return Arm(settings, proved(DP_GD_ADAPTIVE, settings.releases(at.N, at.T), "full batch", reason))


def dp_ssgd(
    parameters: ssgd.Parameters, N: int, *, claimed: tuple[float, float] | None = None, clips: bool = True
) -> Arm[FTRLArms]:
    """Returns DP-SSGD on N records; without clipping the threshold only scales the noise, and nothing is private.

    Args:
        parameters: step, threshold and noise multiplier.
        N: number of records.
        claimed: the (eps, delta) that the paper claims, which it does for its own noise multiplier only.
        clips: whether gradients are clipped.
    """
    limit = parameters.zeta if clips else math.inf
    settings = FTRLArms(np.array([parameters.eta]), np.array([limit]), np.sqrt([parameters.noise_variance]))
    if not clips:
        return Arm(settings, Mechanism.without_privacy(SSGD, UNBOUNDED))
    sensitivity = 2.0 * parameters.zeta
    # Equal to the sd of the settings but for rounding, because that one is the root of a variance.
    noise_sd = parameters.alpha * sensitivity
    release = ShuffledGaussianReleases("clipped gradient of one record", sensitivity, noise_sd, N)
    reason = (
        "every iterate adds Gaussian noise to one record's gradient clipped at zeta, which like the step comes from N, "
        "H, |w*|_H and sigma, taken as known; the records come in a secret random order: amplification by shuffling "
        "(Feldman, McMillan & Talwar 2021, Theorem 3.8), or parallel composition where that is better"
    )
    return Arm(settings, proved(SSGD, (release,), "shuffled single pass", reason, claimed=claimed))


def ada_ssp(at: Choice, source: BoundsSource = "public", *, tight: bool = False) -> Arm[Calibration]:
    """Returns AdaSSP for exactly (eps, delta) under replace-one, with a third of the zCDP budget for each release.

    It has no claim, because the paper gives no epsilon for it.

    Args:
        at: the size; public bounds |X| and |Y| come from its design.
        source: whether records are clipped to the bounds.
        tight: whether |X| is the setting's factor times sqrt(d), below which a good part of the records lies, and not a
            bound that holds for all N of them with high probability.
    """
    lam, given = at.design.lam, at.settings
    bound = given["tight_factor"] * len(lam) ** 0.5 if tight else moments.norm_bound(lam, at.N)
    bounds = Bounds(bound, moments.label_bound(given["w_norm"], at.sigma, at.N), source)
    noise = Calibration.zcdp_matched(bounds, tight_rho(at.eps, at.delta), at.delta)
    return Arm(noise, replace(ada_ssp_mechanism(noise), claimed_rho=math.inf))


def least_squares() -> Arm[None]:
    """Returns ordinary least squares, which has no settings and no privacy."""
    return Arm(None, Mechanism.without_privacy(OLS))
