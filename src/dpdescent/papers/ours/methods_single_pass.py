"""Methods that take records one after another or in batches: DP-AMBSSGD, DP-SSGD and nu-DP-FTRL."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import dp_ambssgd, dp_ftrl, dp_ftrl_epochs, dp_ssgd, preconditioning
from dpdescent.algorithms.dp_stat import Rule, Search
from dpdescent.algorithms.sgd_arms import Adaptive, Fixed, SGDArm
from dpdescent.data.linear import LinearSample
from dpdescent.models.linear import Linear
from dpdescent.noise.strategies.toeplitz import DampedDifference, identity, nu_family
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.methods_full_batch import EIGENVALUE, bounded_and_largest, eigenvalue_release
from dpdescent.papers.ours.setting import Array, proved
from dpdescent.privacy import shuffling, zcdp
from dpdescent.privacy.events import Mechanism, correlated_release

DISJOINT = (
    "a record is in the statistic or in the gradient of one iteration, by a permutation that does not depend on the "
    "data: one release of counts (sensitivity 1 each) or of a mean of clipped gradients (2 gamma / b)"
)
OVERLAPPING = DISJOINT + ", or, as printed, in both"
SHUFFLED = "one clipped gradient a record, in a secret random order; amplification by shuffling"
ENCODED = (
    "the run is one Gaussian release of the encoded clipped gradients, each of which a replaced record moves "
    "by 2 gamma at most; the order of the records does not depend on the data"
)  # fmt: skip


@dataclass(frozen=True)
class Batches:
    """DP-AMBSSGD: fresh batches, thresholds by DP-STAT on a part of each; the mean of the later half of the iterates.

    Attributes:
        etas: step sizes over the released largest eigenvalue, for little information, more and much.
        numbers: numbers of batches, likewise.
        published: rule, noise multiplier, overlap and statistic's share as published.
    """

    etas: tuple[float, float, float]
    numbers: tuple[int, int, int]
    published: bool

    def arm(self, public: Public, eta: float) -> SGDArm:
        log = math.log(1.0 / public.delta)
        alpha = math.sqrt(8.0 * log) / public.eps if self.published else math.sqrt(0.5 / public.rho_left)
        rule: Rule = "as published" if self.published else "corrected"
        search = Search(public.given["largest_residual"], public.given["levels"], alpha, rule=rule)
        size = public.n // public.pick(self.numbers)
        needed = 0 if self.published else math.ceil(search.guard)
        stat_size = max(1, min(max(size // 11, needed), size // 2))
        return SGDArm(eta, alpha, Adaptive(search, stat_size, public.input_bound, overlap=self.published))

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        sample, largest = bounded_and_largest(sample, public, rng)
        arm = self.arm(public, public.pick(self.etas) / largest)
        batches = dp_ambssgd.batches_of(sample.X, sample.y[:, None], public.pick(self.numbers), rng)
        normals = dp_ambssgd.Normals.draw(rng, public.pick(self.numbers), public.p, public.given["levels"])
        return np.asarray(dp_ambssgd.descend(batches, [arm], normals).average[0])

    def mechanism(self, public: Public) -> Mechanism:
        releases = self.arm(public, 1.0).releases(public.n // public.pick(self.numbers))
        name = "DP-AMBSSGD (as published)" if self.published else "DP-AMBSSGD"
        reason = (OVERLAPPING if self.published else DISJOINT) + EIGENVALUE
        return proved(name, [eigenvalue_release(public), *releases], reason, "shuffled single pass")


def step_at(time: float, public: Public) -> float:
    """Step size of one record a step: `time` over n, and stable for every record within B_x."""
    return float(min(time / public.n, 0.5 / public.input_bound**2))


def best_step(public: Public, noise: Callable[[float], tuple[DampedDifference, float]]) -> float:
    """Step size with the smallest predicted risk of the last iterate, from public sizes alone.

    What is left of the start is `exp(-eta n)`, in a direction of half the mean variance; the noise adds its variance in
    one of mean variance, p times.

    Args:
        public: sizes; `times` of the rule are tried.
        noise: function from the step size to the correlation of the noise, and its sd before it is correlated.
    """
    steps = [step_at(time, public) for time in public.given["times"]]
    return min(steps, key=lambda eta: math.exp(-eta * public.n) + public.p * _variance(eta, public.n, *noise(eta)))


def _variance(eta: float, n: int, strategy: DampedDifference, noise_sd: float) -> float:
    """Variance of the noise in the last of n iterates along a direction of unit variance."""
    weights = np.asarray(eta * (1.0 - eta) ** np.arange(n), dtype=np.float64)
    return float(noise_sd**2 * np.sum(strategy.correlate(weights) ** 2))


@dataclass(frozen=True)
class OneByOne:
    """DP-SSGD: one record a step, in a secret order; the mean of the later half of the iterates."""

    def arm(self, public: Public) -> SGDArm:
        multiplier, gamma = shuffling.noise_multiplier(public.eps, public.n, public.delta), public.gamma(public.rho)
        eta = best_step(public, lambda _: (identity(), 2.0 * gamma * multiplier))
        return SGDArm(eta, multiplier, Fixed(gamma))

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        X = preconditioning.bounded(sample.X, public.input_bound)
        return np.asarray(dp_ssgd.descend(X, sample.y[:, None], [self.arm(public)], rng).average[0])

    def mechanism(self, public: Public) -> Mechanism:
        release = self.arm(public).shuffled_releases(public.n)
        return proved("DP-SSGD", [release], SHUFFLED, "shuffled single pass")


@dataclass(frozen=True)
class Stream:
    """nu-DP-FTRL in one pass, one record a step, nu as large as the step size; the mean of the later half of the iterates."""

    def arm(self, public: Public) -> tuple[dp_ftrl.FTRLArms, DampedDifference]:
        """Settings of a run, and the correlation of its noise over the steps."""
        gamma = public.gamma(public.rho)
        eta = best_step(public, lambda eta: (nu_family(eta), self._noise_sd(public, eta)))
        noise_sd = self._noise_sd(public, eta)
        return dp_ftrl.FTRLArms(np.array([eta]), np.array([gamma]), np.array([noise_sd])), nu_family(eta)

    @staticmethod
    def _noise_sd(public: Public, eta: float) -> float:
        """Sd of the noise before it is correlated."""
        reach = math.sqrt(nu_family(eta).sensitivity_squared(public.n))
        return zcdp.gaussian_noise_sd(2.0 * public.gamma(public.rho) * reach, public.rho)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        X = preconditioning.bounded(sample.X, public.input_bound)
        arms, strategy = self.arm(public)
        noise = strategy.correlate(rng.standard_normal((public.n, public.p)))
        # The order in a file depends on the records, and a sorted table is no stream of independent ones.
        order = rng.permutation(public.n)
        out = dp_ftrl.single_pass(
            X[order], sample.y[order, None], arms, np.zeros(public.p), noise[:, None, None, :], tail=public.n // 2
        )
        return np.asarray(out.average[0, 0])

    def mechanism(self, public: Public) -> Mechanism:
        arms, strategy = self.arm(public)
        reach = math.sqrt(strategy.sensitivity_squared(public.n))
        release = correlated_release(reach, 2.0 * float(arms.clip_norm[0]), float(arms.noise_sd[0]))
        return proved("nu-DP-FTRL", [release], ENCODED, "single pass")


@dataclass(frozen=True)
class Epochs:
    """nu-DP-FTRL in epochs over batches of fixed order, the step size falling in the later half; the last iterate.

    Attributes:
        eta: step size over the released largest eigenvalue.
        batches: number of batches.
        numbers: numbers of passes over them for little information, more and much.
    """

    eta: float
    batches: int
    numbers: tuple[int, int, int]

    @property
    def strategy(self) -> DampedDifference:
        """Correlation of the noise over the steps."""
        return nu_family(self.eta)

    def multiplier(self, public: Public) -> float:
        """Sd of the noise on the sum of a batch's gradients over the clip norm, before it is correlated."""
        return zcdp.gaussian_noise_sd(2.0 * self._reach(public), public.rho_left)

    def _reach(self, public: Public) -> float:
        """Norm of the sum of the encoder's columns in which a record takes part."""
        epochs = public.pick(self.numbers)
        return math.sqrt(self.strategy.sensitivity_squared(self.batches * epochs, epochs))

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        sample, largest = bounded_and_largest(sample, public, rng)
        size, steps = public.n // self.batches, self.batches * public.pick(self.numbers)
        order = rng.permutation(public.n)
        noise = self.strategy.correlate(rng.standard_normal((steps, public.p)))
        arms = dp_ftrl_epochs.EpochArms(
            np.array([self.eta / largest]), np.array([self.multiplier(public)]), np.zeros(1)
        )  # fmt: skip
        found = dp_ftrl_epochs.train(
            Linear(public.p), sample.X, sample.y, [order[k * size : (k + 1) * size] for k in range(self.batches)], arms,
            noise[:, None, :], start=np.zeros(public.p), steps=steps, batch_size=size,
            clip_norm=public.gamma(public.rho_left), cool_down=0.5,
        )  # fmt: skip
        return np.asarray(found[0])

    def mechanism(self, public: Public) -> Mechanism:
        gamma = public.gamma(public.rho_left)
        release = correlated_release(self._reach(public), 2.0 * gamma, self.multiplier(public) * gamma)
        releases = [eigenvalue_release(public), release]
        return proved("nu-DP-FTRL (epochs)", releases, ENCODED + EIGENVALUE, "fixed order")
