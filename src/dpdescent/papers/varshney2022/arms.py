"""Arms of varshney2022's experiments: settings of an engine, and the releases of a run with exactly these settings.

Algorithm 2 leaves many values open, so that its arms are made by a `Choice`; methods beside it run at the same size.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.algorithms.dp_gd import DPGDArms
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.sgd_arms import Adaptive, Fixed, SGDArm
from dpdescent.baselines.ada_ssp import Bounds, BoundsSource, Calibration
from dpdescent.baselines.ada_ssp import mechanism as ada_ssp_mechanism
from dpdescent.papers.varshney2022 import formulas, setting
from dpdescent.papers.varshney2022.formulas import Array, LinearProblem, Parameters, theorem_step
from dpdescent.papers.varshney2022.setting import AMBSSGD, DP_GD, FIXED, LOG_POWER, OLS, SSGD, Design, Part, Settings
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism, Release, Sampler, ShuffledGaussianReleases

EngineSettings = TypeVar("EngineSettings")

# Kind of runs without clipping, and the reason why they are not private.
UNCLIPPED = "no clipping"
UNBOUNDED = "gradients are not clipped: no sensitivity is bounded"
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
class Arm(Generic[EngineSettings]):
    """A method with its settings and with the releases of a run with these settings.

    Attributes:
        settings: of the engine; they fix threshold and noise. None where there is no engine.
        mechanism: the entry in the ledger, computed from the settings.
    """

    settings: EngineSettings
    mechanism: Mechanism


@dataclass(frozen=True)
class Choice:
    """One run of DP-AMBSSGD: its data, its budget, the values that Algorithms 2 and 3 leave open, and its numbers.

    Attributes:
        design: law of the records, whose constants the paper assumes to be known.
        N, sigma, eps, delta, T: number of records, label noise, privacy budget and number of iterations.
        settings: the artefact's settings.
        rule: `as published`, `corrected`, or `q = ...`.
        factor: number in place of log^a N in `zeta_t = R_x gamma_t log^a N`, or `log^a N`.
        multiplier: alpha, the noise multiplier of the statistic and of the gradient.
        levels: L, the number of doublings of DP-STAT.
        guard: s is a tenth of b, or the guard times `Search.guard` where that is more.
        overlap: whether the index ranges of statistic and gradient share a record, as printed.
        offset: public shift of the grid of thresholds, in octaves.
        wide: whether B has all factors that the paper gives it.
        step: step size; None means that of Theorem 3.7.
        stat_size: s; None means that share and guard decide.
        problem: the regression in the form that the theorems take.
        search: DP-STAT.
        batch, s, b: number of records of an iteration, of its statistic and of its gradient.
        eta: step size of the run.
        scale: clipping threshold zeta_t divided by the threshold gamma_t that DP-STAT returns.
        claimed: the (eps, delta) that the paper claims, which it does for its own noise multiplier; otherwise None.
        x_bound, y_bound: public bounds |X| and |Y|, which other methods of this size clip to.

    Raises:
        ValueError: if the rule is unknown, or the statistic leaves no record for the gradient.
    """

    design: Design
    N: int
    sigma: float
    eps: float
    delta: float
    T: int
    settings: Settings
    rule: str
    factor: float | str
    multiplier: float
    levels: int
    guard: float
    overlap: bool = False
    offset: float = 0.0
    wide: bool = False
    step: float | None = None
    stat_size: int | None = None
    problem: LinearProblem = field(init=False, repr=False, compare=False)
    search: Search = field(init=False, repr=False, compare=False)
    batch: int = field(init=False, repr=False, compare=False)
    s: int = field(init=False, repr=False, compare=False)
    b: int = field(init=False, repr=False, compare=False)
    eta: float = field(init=False, repr=False, compare=False)
    scale: float = field(init=False, repr=False, compare=False)
    claimed: tuple[float, float] | None = field(init=False, repr=False, compare=False)
    x_bound: float = field(init=False, repr=False, compare=False)
    y_bound: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # All numbers are worked out here, in the order of Algorithm 2, because training then calls no formula.
        settings, problem = self.settings, self.design.problem(self.N, self.sigma)
        R_x, log_power = math.sqrt(problem.bound_squared), problem.log_power(problem.a)
        x_bound = formulas.norm_bound(self.design.lam, self.N)
        y_bound = formulas.label_bound(settings.w_norm, self.sigma, self.N)
        in_range = self.eps <= math.log(1.0 / self.delta)
        published = in_range and self.multiplier == formulas.published_multiplier(self.eps, self.delta)
        # B = K_2 (|w*|_H + sigma) log^a N; the paper's B has R_x and another log^a N as factors.
        largest = 2.0**0.5 * (settings.w_norm + self.sigma) * log_power
        if self.wide:
            largest *= R_x * log_power
        if not (self.rule in ("as published", "corrected") or self.rule.startswith("q = ")):
            raise ValueError(f"rule={self.rule!r} must be 'as published', 'corrected' or such as 'q = 0.9'")
        rule, quantile = ("quantile", float(self.rule[4:])) if self.rule.startswith("q = ") else (self.rule, 1.0)
        search = Search(
            largest, self.levels, self.multiplier, rule=rule, margin=settings.margin, quantile=quantile,  # type: ignore[arg-type]
            offset=self.offset,
        )  # fmt: skip
        batch = self.N // self.T
        s = self.stat_size
        if s is None:
            s = min(max(round(settings.stat_share * batch), math.ceil(self.guard * search.guard)), batch // 2)
        if s >= batch:
            raise ValueError(f"s={s} leaves no record for the gradient: N={self.N}, T={self.T}")
        b = batch - s
        worked_out = {
            "problem": problem, "search": search, "batch": batch, "s": s, "b": b,
            "eta": theorem_step(self.design.lam, b, problem.fourth) if self.step is None else self.step,
            "scale": R_x * (log_power if self.factor == LOG_POWER else float(self.factor)),
            "claimed": (self.eps, self.delta) if published else None, "x_bound": x_bound, "y_bound": y_bound,
        }  # fmt: skip
        for name, value in worked_out.items():
            object.__setattr__(self, name, value)

    @classmethod
    def ours(
        cls, settings: Settings, design: Design, N: int, sigma: float, eps: float, delta: float, T: int, **changes: Any
    ) -> "Choice":
        """Returns the main setting (corrected rule, exact noise multiplier, disjoint slices) with some changes."""
        main: dict[str, Any] = {
            "rule": settings.rule, "factor": settings.log_factor, "levels": settings.levels,
            "guard": settings.stat_guard, "multiplier": formulas.gaussian_multiplier(eps, delta),
        }  # fmt: skip
        return cls(design, N, sigma, eps, delta, T, settings, **(main | changes))

    @classmethod
    def of(
        cls, part: Part, design: Design, N: int, sigma: float, *, eps: float | None = None, T: int | None = None,
        **changes: Any,
    ) -> "Choice":  # fmt: skip
        """Returns the main setting at the budget and number of iterations of a part, unless others are given."""
        at = part.settings.eps if eps is None else eps
        return cls.ours(part.settings, design, N, sigma, at, part.delta, part.T if T is None else T, **changes)

    def published(self) -> "Choice":
        """Returns Algorithm 2 as printed in noise multiplier, break rule, log^a N, B, s = b/10 and index ranges.

        Delta and T stay, because with the printed ones the experiments' sizes are far too small.
        """
        return replace(
            self, rule="as published", factor=LOG_POWER, multiplier=formulas.published_multiplier(self.eps, self.delta),
            guard=0.0, overlap=True, wide=True,
        )  # fmt: skip

    def noise_variance(self, thresholds: Array) -> Array:
        """Variance of a coordinate of the noise on the mean gradient, `(2 alpha zeta_t / b)^2`, shape (T,)."""
        variance: Array = (2.0 * self.multiplier * thresholds / self.b) ** 2
        return variance

    def arm(self, name: str = AMBSSGD, label: int = 0) -> Arm[SGDArm]:
        """Returns the arm that learns from a column of labels, with the name that the ledger gives it."""
        settings = SGDArm(self.eta, self.multiplier, Adaptive(self.search, self.s, self.scale, self.overlap), label)
        mechanism = proved(
            name, settings.releases(self.batch), "shuffled single pass", _OVERLAPPING if self.overlap else _DISJOINT,
            claimed=self.claimed,
        )  # fmt: skip
        return Arm(settings, mechanism)

    def arms(self, series: Iterable[str], label: int = 0, source: BoundsSource = "public") -> dict[str, Arm[Any]]:
        """Returns arms of this size by the names of their series.

        Args:
            series: their names.
            label: column of the labels, for those that the engine of DP-AMBSSGD runs.
            source: whether AdaSSP's records are clipped to its bounds.
        """
        quantile, q = setting.ANY_QUANTILE.format(self.settings.quantile), f"q = {self.settings.quantile:g}"
        makers: dict[str, Callable[[], Arm[Any]]] = {
            AMBSSGD: lambda: self.arm(AMBSSGD, label),
            quantile: lambda: replace(self, rule=q).arm(quantile, label),
            setting.PUBLISHED: lambda: self.published().arm(setting.PUBLISHED, label),
            FIXED: lambda: fixed_clip(self, public_threshold(self), label),
            DP_GD: lambda: dp_gd(self, public_threshold(self)),
            setting.DP_GD_ADAPTIVE: lambda: dp_gd_adaptive(self, label),
            setting.ADA_SSP: lambda: ada_ssp(self, source),
            setting.ADA_SSP_TIGHT: lambda: ada_ssp(self, source, tight=True),
            OLS: least_squares,
        }
        return {name: makers[name]() for name in series}


def proved(
    name: str, releases: tuple[Release, ...], sampler: Sampler, reason: str, *, claimed_rho: float = math.inf,
    claimed: tuple[float, float] | None = None,
) -> Mechanism:  # fmt: skip
    """Returns a mechanism that is proved private under replace-one, with the paper's claim as rho or (eps, delta)."""
    return Mechanism(name, releases, "replace-one", sampler, claimed_rho, "proved", reason, claimed)


def public_threshold(at: Choice) -> float:
    """The threshold zeta of methods that have a fixed one, from sigma, |w*|_H, H and N, which are taken as known.

    It is no field of a choice, because few artefacts have the settings that it takes.

    Raises:
        ValueError: if the setting `threshold` is neither `gradient` (DP-SSGD's) nor `all records` (a share of |X| |Y|).
    """
    if at.settings.threshold == "gradient":
        return formulas.practical_threshold(at.problem, at.settings.zeta_factor)
    if at.settings.threshold != "all records":
        raise ValueError(f"threshold={at.settings.threshold!r} must be 'gradient' or 'all records'")
    return float(at.settings.clip_share * at.x_bound * at.y_bound)


def fixed_clip(at: Choice, zeta: float, label: int = 0) -> Arm[SGDArm]:
    """Returns DP-AMBSSGD with a fixed threshold, so that all records of a batch go into the gradient."""
    eta = theorem_step(at.design.lam, at.batch, at.problem.fourth)
    settings = SGDArm(eta, at.multiplier, Fixed(zeta), label)
    reason = (
        "a record is in one batch, by a permutation that does not depend on the data: one Gaussian release of the "
        "mean of gradients clipped at a zeta that comes from N, H, |w*|_H and sigma, taken as known"
    )
    return Arm(settings, proved(FIXED, settings.releases(at.batch), "shuffled single pass", reason))


def dp_gd(at: Choice, zeta: float) -> Arm[DPGDArms]:
    """Returns DP-GD with a fixed threshold; every step uses all records."""
    sensitivity = mean_sensitivity(zeta, at.N)
    noise_sd = sensitivity * at.multiplier * at.T**0.5
    release = GaussianReleases("mean of clipped gradients", sensitivity, noise_sd, at.T)
    reason = (
        "each step adds Gaussian noise to the mean of gradients clipped at a zeta that comes from N, H, |w*|_H and "
        "sigma, taken as known; adaptive composition over T"
    )
    settings = DPGDArms.alike(1, at.T, theorem_step(at.design.lam, at.N), zeta, noise_sd)
    return Arm(settings, proved(DP_GD, (release,), "full batch", reason))


def dp_gd_adaptive(at: Choice, label: int = 0) -> Arm[SGDArm]:
    """Returns DP-GD with a threshold from DP-STAT; statistic and gradient of every step use all records."""
    share, alpha = at.settings.stat_budget, at.multiplier
    search = replace(at.search, noise_multiplier=alpha * (at.T / share) ** 0.5)
    settings = SGDArm(
        theorem_step(at.design.lam, at.N), alpha * (at.T / (1.0 - share)) ** 0.5,
        Adaptive(search, at.N, at.scale, shared=True), label,
    )  # fmt: skip
    reason = (
        "in each step L counts (sensitivity 1 each) give the threshold zeta_t, and Gaussian noise is added to the mean "
        "of gradients clipped at it; adaptive composition over T; B, L, R_x and step size come from N, H, |w*|_H and "
        "sigma, taken as known"
    )
    return Arm(settings, proved(setting.DP_GD_ADAPTIVE, settings.releases(at.N, at.T), "full batch", reason))


def dp_ssgd(
    parameters: Parameters, N: int, *, claimed: tuple[float, float] | None = None, clips: bool = True
) -> Arm[FTRLArms]:
    """Returns the arm of DP-SSGD on N records; without clipping the threshold only scales the noise.

    Args:
        parameters: step, threshold and noise multiplier.
        N: number of records.
        claimed: the (eps, delta) that the paper claims; it claims one for its own noise multiplier only.
        clips: whether gradients are clipped.
    """
    limit = parameters.zeta if clips else math.inf
    settings = FTRLArms(np.array([parameters.eta]), np.array([limit]), np.sqrt([parameters.noise_variance]))
    if not clips:
        return Arm(settings, Mechanism.without_privacy(SSGD, UNBOUNDED))
    sensitivity = 2.0 * parameters.zeta
    # Equal to the sd in the settings but for rounding, because that sd is the root of a variance.
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
        tight: whether |X| is the setting's factor times sqrt(d), below which most records lie, and not a bound that
            holds for all N records with high probability.
    """
    bound = at.settings.tight_factor * at.design.d**0.5 if tight else at.x_bound
    noise = Calibration.zcdp_matched(Bounds(bound, at.y_bound, source), tight_rho(at.eps, at.delta), at.delta)
    return Arm(noise, replace(ada_ssp_mechanism(noise), claimed_rho=math.inf))


def least_squares() -> Arm[None]:
    """Returns ordinary least squares, which has no settings and no privacy."""
    return Arm(None, Mechanism.without_privacy(OLS))
