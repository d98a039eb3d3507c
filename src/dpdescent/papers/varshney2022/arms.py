"""Algorithm 2 of varshney2022 with all of its choices: as we run it, as printed, and with a fixed threshold."""

import math
from dataclasses import dataclass, replace
from typing import Any

from dpdescent.algorithms.dp_ambssgd import Adaptive, Fixed, SGDArm
from dpdescent.algorithms.dp_stat import Search
from dpdescent.papers.varshney2022.design import FOURTH_MOMENT, TAIL_EXPONENT, Design, Spec
from dpdescent.papers.varshney2022.theory import ambssgd, moments, privacy, ssgd
from dpdescent.privacy.events import Mechanism

AMBSSGD, PUBLISHED, FIXED = "DP-AMBSSGD", "DP-AMBSSGD (as published)", "fixed clip"
QUANTILE = "DP-AMBSSGD (q = {:g})"
LOG_POWER = "log^a N"

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


@dataclass(frozen=True)
class Choice:
    """DP-AMBSSGD at one size, with its choices.

    Attributes:
        design: law of the records, whose constants the paper assumes to be known.
        N, sigma, eps, delta, T: size, label noise, privacy and iterations.
        settings: the artefact's settings.
        rule: `as published`, `corrected`, or `q = ...`.
        factor: what stands for log^a N in `zeta_t = R_x gamma_t log^a N`; a number or `log^a N`.
        multiplier: alpha of both releases.
        levels: L.
        share, guard: s is this share of a batch, raised to the guard times `Search.guard`.
        overlap: index ranges as printed.
        offset: public shift of the grid of thresholds, in octaves.
        wide: B with the factors that the paper has.
        step: step size instead of Theorem 3.7's.
        stat_size: s, if it is given outright.
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
        """The main setting: corrected rule, exact multiplier, disjoint slices."""
        given = spec["settings"]
        delta = spec["cell"].get("delta", given["delta"])
        main = cls(
            design, N, sigma, eps, delta, T, given, given["rule"], given["log_factor"],
            privacy.gaussian_multiplier(eps, delta), given["levels"], given["stat_share"], given["stat_guard"],
        )  # fmt: skip
        return replace(main, **changes)

    def published(self) -> "Choice":
        """As printed, but for Delta and T: noise multiplier, break rule, log^a N, B, s = b/10, index ranges."""
        return replace(
            self, rule="as published", factor=LOG_POWER, multiplier=privacy.published_multiplier(self.eps, self.delta),
            guard=0.0, overlap=True, wide=True,
        )  # fmt: skip

    @property
    def batch(self) -> int:
        """Records of an iteration, s + b."""
        return self.N // self.T

    @property
    def s(self) -> int:
        """Records of the statistic."""
        if self.stat_size is not None:
            if self.stat_size >= self.batch:
                raise ValueError(f"s={self.stat_size} leaves no record for the gradient: N={self.N}, T={self.T}")
            return self.stat_size
        wanted = max(round(self.share * self.batch), math.ceil(self.guard * self.search.guard))
        return min(wanted, self.batch // 2)

    @property
    def b(self) -> int:
        """Records of the gradient."""
        return self.batch - self.s

    @property
    def input_bound_squared(self) -> float:
        """R_x^2."""
        return moments.input_bound_squared(self.design.lam, FOURTH_MOMENT[self.design.law])

    @property
    def search(self) -> Search:
        """DP-STAT. B is `K_2 (|w*|_H + sigma) log^a N`; the paper's has R_x and another log^a N as factors."""
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
        """Theorem 3.7's step `b / (R_x^2 + (b - 1)|H|)`, unless another is given."""
        if self.step is not None:
            return self.step
        return ambssgd.theorem_step(self.design.lam, self.b, FOURTH_MOMENT[self.design.law])

    @property
    def scale(self) -> float:
        """zeta_t over gamma_t."""
        factor = self._log_power if self.factor == LOG_POWER else float(self.factor)
        return math.sqrt(self.input_bound_squared) * factor

    def arm(self, label: int) -> SGDArm:
        """The arm that learns from a column of labels."""
        clipping = Adaptive(self.search, self.s, self.scale, self.overlap)
        return SGDArm(self.eta, self.multiplier, clipping, label)

    def mechanism(self, name: str) -> Mechanism:
        """What a run releases; only with the published noise multiplier there is an epsilon that the paper claims."""
        in_range = self.eps <= math.log(1.0 / self.delta)
        claimed = in_range and self.multiplier == privacy.published_multiplier(self.eps, self.delta)
        releases = self.arm(0).releases(self.batch)
        return Mechanism(
            name, releases, "replace-one", "shuffled single pass", math.inf, "proved",
            _OVERLAPPING if self.overlap else _DISJOINT,
            claimed_eps_delta=(self.eps, self.delta) if claimed else None,
        )  # fmt: skip

    def fixed(self, threshold: float, label: int) -> SGDArm:
        """The twin with a fixed threshold, which has all records of a batch for the gradient."""
        eta = ambssgd.theorem_step(self.design.lam, self.batch, FOURTH_MOMENT[self.design.law])
        return SGDArm(eta, privacy.gaussian_multiplier(self.eps, self.delta), Fixed(threshold), label)

    def fixed_mechanism(self, threshold: float) -> Mechanism:
        """What a run with a fixed threshold releases."""
        arm = self.fixed(threshold, 0)
        return Mechanism(
            FIXED, arm.releases(self.batch), "replace-one", "shuffled single pass", math.inf, "proved",
            "a record is in one batch, by a permutation that does not depend on the data: one Gaussian release of the "
            "mean of gradients clipped at a zeta that comes from N, H, |w*|_H and sigma, taken as known",
        )  # fmt: skip

    @property
    def _log_power(self) -> float:
        return moments.log_power(self.N, TAIL_EXPONENT[self.design.law])


def public_threshold(spec: Spec, design: Design, N: int, sigma: float) -> float:
    """zeta of the methods with a fixed threshold, from sigma, |w*|_H, H and N, which are taken as known.

    Raises:
        ValueError: if the setting `threshold` is neither `gradient` (DP-SSGD's) nor `all records` (a share of |X| |Y|).
    """
    settings = spec["settings"]
    if settings["threshold"] == "gradient":
        # The noise multiplier has no part in it.
        return ssgd.practical_parameters(design.problem(N, sigma), 1.0, settings["zeta_factor"]).zeta
    if settings["threshold"] != "all records":
        raise ValueError(f"threshold={settings['threshold']!r} must be 'gradient' or 'all records'")
    label = moments.label_bound(settings["w_norm"], sigma, N)
    return float(settings["clip_share"] * moments.norm_bound(design.lam, N) * label)


def no_privacy(name: str, reason: str) -> Mechanism:
    """A ledger entry of something that is not private."""
    return Mechanism(name, (), "replace-one", "full batch", math.inf, "none", reason)
