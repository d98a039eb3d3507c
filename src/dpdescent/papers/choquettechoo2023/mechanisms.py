"""The mechanisms of Figure 4: their noise in epochs, calibrated to an epsilon, and the privacy event of each run."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpdescent.algorithms.dp_ftrl_epochs import EpochArms
from dpdescent.noise import tuning
from dpdescent.noise.strategies import toeplitz, tree
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.multi_epoch import multi_epoch_optimum
from dpdescent.noise.strategies.stamped import stamped
from dpdescent.papers.choquettechoo2023.setting import AMPLIFIED, DP_SGD, ME, NON_PRIVATE, NU, RESTARTS, Array, Spec
from dpdescent.privacy import accounting, sampling, zcdp
from dpdescent.privacy.events import Mechanism, SubsampledGaussianReleases, correlated_release

# nu-DP-FTRL at a multiple of the nu that minimises (3).
MULTIPLE = re.compile(rf"{NU}, nu x (\d+(?:\.\d+)?)")
# Online trees release nodes only once they are finished, so that nodes which the end cuts short cost nothing.
BASES: dict[str, Callable[[], Strategy]] = {
    DP_SGD: toeplitz.identity,
    "TreeAgg": lambda: tree.tree_aggregation(finished_only=True),
    "Honaker": lambda: tree.online_honaker(finished_only=True),
    "Optimal CC": toeplitz.optimal_cc,
}


@dataclass(frozen=True)
class EpochArm:
    """A mechanism of Figure 4 at one epsilon: DP-FTRL in epochs, DP-SGD on Poisson batches, or no privacy.

    Attributes:
        name: name of the mechanism in the table.
        eps: the epsilon that it is calibrated to.
        settings: the artefact's settings (T, k, clip_norm, dp_delta, momentum ...).
        strategy: correlation of the noise; None without privacy.
        noise_multiplier: sd of the noise divided by the clip norm.
        copies: number of restarts.
        rho: zCDP cost; NaN where there is none.
        exchanged: whether DP-SGD has the momentum of the others, and they have its.
    """

    name: str
    eps: float
    settings: Spec
    strategy: Strategy | None = None
    noise_multiplier: float = 0.0
    copies: int = 1
    rho: float = math.nan
    exchanged: bool = False

    @classmethod
    def of(cls, spec: Spec, name: str, eps: float, known: Strategy | None = None) -> "EpochArm":
        """Returns the mechanism calibrated to (eps, dp_delta), by tight accountants or by those that the paper names.

        Args:
            spec: the cell, with its settings.
            name: name in Figure 4's legend.
            eps: the epsilon.
            known: the strategy of that name, where it was made before.

        Raises:
            ValueError: if there is no mechanism of that name.
        """
        settings = spec["settings"]
        T, k, delta, tight = settings["T"], settings["k"], settings["dp_delta"], settings["accountant"] == "tight"
        if name == NON_PRIVATE:
            return cls(name, eps, settings)
        if name == AMPLIFIED:
            multiplier = sampling.noise_multiplier(eps, k / T, T, delta, "PLD" if tight else "RDP")
            return cls(name, eps, settings, toeplitz.identity(), multiplier)
        strategy, copies = (known, 1) if known else strategy_of(name, T, k, tuple(settings["copies"]))
        rho = (accounting.tight_rho if tight else zcdp.rho_of_renyi_epsilon)(eps, delta)
        multiplier = zcdp.gaussian_noise_sd(strategy.sensitivity_squared(T, k) ** 0.5, rho)
        return cls(name, eps, settings, strategy, multiplier, copies, rho)

    @property
    def nu(self) -> float:
        """Damping of its coefficients, NaN for those without."""
        damped = self.name == NU or MULTIPLE.fullmatch(self.name)
        return float(getattr(self.strategy, "nu", math.nan)) if damped else math.nan

    @property
    def clip_norm(self) -> float:
        """The clipping threshold G; inf without privacy."""
        return math.inf if self.strategy is None else float(self.settings["clip_norm"])

    def columns(self, rates: Sequence[float]) -> EpochArms:
        """Returns the mechanism at several learning rates, as runs of the engine that share batches and noise."""
        as_dp_sgd = (self.name in (DP_SGD, AMPLIFIED)) != self.exchanged
        momentum = self.settings["momentum_dp_sgd" if as_dp_sgd else "momentum"]
        return EpochArms(
            np.array(rates), np.full(len(rates), self.noise_multiplier), np.full(len(rates), momentum)
        )  # fmt: skip

    def noise(self, rng: np.random.Generator, parameters: int) -> Array | None:
        """Returns the noise at noise multiplier and clip norm 1, shape (T, 1, parameters); None without privacy."""
        if self.strategy is None:
            return None
        normals = rng.standard_normal((self.strategy.noises(self.settings["T"]), parameters))
        return self.strategy.correlate(normals)[:, None, :]

    def mechanism(self) -> Mechanism:
        """Returns the event of a run, and the argument for it, at a learning rate given beforehand."""
        if self.strategy is None:
            return Mechanism.without_privacy(self.name, relation="zero-out", sampler="fixed order")
        T, k, noise_sd = self.settings["T"], self.settings["k"], self.noise_multiplier * self.clip_norm
        if self.name == AMPLIFIED:
            sampled = SubsampledGaussianReleases("sum of clipped gradients", self.clip_norm, noise_sd, k / T, T)
            return Mechanism(
                self.name, (sampled,), "zero-out", "Poisson", math.inf, "proved",
                "independent coins in every step, never published; sums over clipped gradients are divided by a "
                "constant; the claim is our target, the paper's accountant is not stated",
                claimed_eps_delta=(self.eps, self.settings["dp_delta"]),
            )  # fmt: skip
        release = correlated_release(self.strategy.sensitivity_squared(T, k) ** 0.5, self.clip_norm, noise_sd)
        return Mechanism(
            self.name, (release,), "zero-out", "fixed order", self.rho, "proved",
            f"batches come in one order, so that a record takes part in every {T // k}th of {T} steps, with gradients "
            "clipped at G; its columns of the encoder have no negative products, so that its norm is largest where all "
            "contributions point one way; encoder and decoder are causal, sums are divided by a constant, momentum is "
            "post-processing",
            conversion="Renyi",
        )  # fmt: skip


@cache
def strategy_of(name: str, T: int, k: int, candidates: tuple[int, ...]) -> tuple[Strategy, int]:
    """Returns the noise of a mechanism for T steps and k participations, and its restarts, tuned on (3) without data.

    Args:
        name: name in Figure 4's legend.
        T: number of steps.
        k: number of participations of a record.
        candidates: numbers of restarts among which the best is taken.

    Raises:
        ValueError: if there is no mechanism of that name.
    """
    if name == NU:
        return tuning.best_nu(T, k), 1
    if multiple := MULTIPLE.fullmatch(name):
        return toeplitz.nu_family(min(1.0, float(multiple[1]) * tuning.best_nu(T, k).nu)), 1
    if name == ME:
        return multi_epoch_optimum(T, k), 1
    base = name.removesuffix(RESTARTS)
    if base not in BASES:
        raise ValueError(f"mechanism={name!r} is none of {[NON_PRIVATE, AMPLIFIED, NU, ME, *BASES]}")
    strategy = BASES[base]()
    copies = tuning.best_copies(strategy, T, k, candidates) if name.endswith(RESTARTS) else 1
    return stamped(strategy, copies), copies
