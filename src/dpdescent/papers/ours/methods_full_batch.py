"""Methods that take all records in every step: DP-GD with fixed thresholds, a schedule, DP-STAT or whitening.

Their estimate is the last iterate.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpdescent.algorithms import dp_ambssgd, dp_gd, dp_regression, preconditioned_dp_gd, preconditioning
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.sgd_arms import Adaptive, SGDArm
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.setting import Array, proved
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

STEPWISE = (
    "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n, n public); "
    "adaptive composition"
)
EIGENVALUE = (
    "; the largest eigenvalue of the mean of xx' of records clipped to B_x is released before, sensitivity B_x^2 / n"
)
IN_PROPORTION = "thresholds follow the residuals; noise is in proportion to them, and listed for a threshold of 1"
SEARCHED = "; before each step L counts of small residuals are released, which a record moves by 1 each"


def bounded_and_largest(
    sample: LinearSample, public: Public, rng: np.random.Generator
) -> tuple[LinearSample, float]:  # fmt: skip
    """Clips records to B_x, and releases the largest eigenvalue of their second moment, raised by its noise's sd.

    It is 1 at least, the mean eigenvalue in public units.
    """
    cut = preconditioning.bounded(sample.X, public.input_bound)
    share = public.given["eigenvalue_share"]
    normal = float(rng.standard_normal())
    largest, release = preconditioning.largest_eigenvalue(cut, public.input_bound, share * public.rho, normal)
    return LinearSample(cut, sample.y), max(largest + release.noise_sd, 1.0)


def eigenvalue_release(public: Public) -> GaussianReleases:
    """The release of the largest eigenvalue."""
    rho = public.given["eigenvalue_share"] * public.rho
    return preconditioning.eigenvalue_release(public.n, public.input_bound, rho)


@dataclass(frozen=True)
class Descent:
    """DP-GD: how its step size, number of steps and noise are chosen.

    Attributes:
        eta: step size, over the released largest eigenvalue where `pays`.
        pays: whether a part of the budget goes to that eigenvalue; else the step size is taken as it is.
        scheduled: whether late steps get more of the budget.
        numbers: numbers of steps for little information, more and much.
        k: threshold over sqrt(p); None for the public rule.
    """

    eta: float
    pays: bool
    scheduled: bool
    numbers: tuple[int, int, int]
    k: float | None = None

    def _budget(self, public: Public) -> float:
        return public.rho_left if self.pays else public.rho

    def gamma(self, public: Public) -> float:
        """Clipping threshold."""
        return public.gamma(self._budget(public)) if self.k is None else self.k * math.sqrt(public.p)

    def noise_sds(self, public: Public) -> list[float]:
        """Noise sd of every step."""
        weights = schedule.weights_in_last(self.eta, np.ones(1), public.pick(self.numbers))
        # A floor of 1 divides all of it equally.
        shares = schedule.shares(weights, public.given["floor"] if self.scheduled else 1.0)
        sensitivity = mean_sensitivity(self.gamma(public), public.n)
        return [zcdp.gaussian_noise_sd(sensitivity, part) for part in (self._budget(public) * shares).tolist()]

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        eta = self.eta
        if self.pays:
            sample, largest = bounded_and_largest(sample, public, rng)
            eta /= largest
        sds = np.array(self.noise_sds(public))[:, None]
        arms = dp_gd.DPGDArms(len(sds), np.array([eta]), np.array([self.gamma(public)]), sds)
        normals = rng.standard_normal((len(sds), 1, 1, public.p))
        return np.asarray(dp_gd.descend([sample], arms, normals).theta[0, 0])

    def mechanism(self, public: Public) -> Mechanism:
        sds, sensitivity = self.noise_sds(public), mean_sensitivity(self.gamma(public), public.n)
        before = [eigenvalue_release(public)] if self.pays else []
        what = "mean of clipped gradients"
        steps = [GaussianReleases(what, sensitivity, sd, sds.count(sd)) for sd in dict.fromkeys(sds)]
        return proved("DP-GD", [*before, *steps], STEPWISE + EIGENVALUE * self.pays)


@dataclass(frozen=True)
class WithStat:
    """DP-GD whose thresholds DP-STAT finds before every step.

    Attributes:
        eta: step size over the released largest eigenvalue.
        numbers: numbers of steps for little information, more and much.
    """

    eta: float
    numbers: tuple[int, int, int]

    def arm(self, public: Public, eta: float) -> SGDArm:
        alpha = math.sqrt(public.pick(self.numbers) / public.rho_left)
        search = Search(public.given["largest_residual"], public.given["levels"], alpha)
        return SGDArm(eta, alpha, Adaptive(search, public.n, public.input_bound, shared=True))

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        sample, largest = bounded_and_largest(sample, public, rng)
        steps = public.pick(self.numbers)
        batches = dp_ambssgd.every_record(sample.X, sample.y[:, None], steps)
        normals = dp_ambssgd.Normals.draw(rng, steps, public.p, public.given["levels"])
        return np.asarray(dp_ambssgd.descend(batches, [self.arm(public, self.eta / largest)], normals).path[-1, 0])

    def mechanism(self, public: Public) -> Mechanism:
        releases = self.arm(public, self.eta).releases(public.n, public.pick(self.numbers))
        gaussian = [release for release in releases if isinstance(release, GaussianReleases)]
        return proved(
            "DP-GD (adaptive)", [eigenvalue_release(public), *gaussian], STEPWISE + SEARCHED + EIGENVALUE
        )  # fmt: skip


@dataclass(frozen=True)
class Preconditioned:
    """DP-GD in private coordinates, at the method's defaults."""

    def settings(self, public: Public) -> preconditioned_dp_gd.Settings:
        gamma = public.gamma((1.0 - preconditioned_dp_gd.MOMENT_SHARE) * public.rho)
        return preconditioned_dp_gd.Settings(public.input_bound, gamma, public.rho)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        settings = self.settings(public)
        normals = rng.standard_normal((public.p, public.p)), rng.standard_normal((settings.steps, public.p))
        return np.asarray(preconditioned_dp_gd.descend(sample.X, sample.y, settings, normals).path[-1])

    def mechanism(self, public: Public) -> Mechanism:
        return self.settings(public).mechanism(public.n, public.p)


@dataclass(frozen=True)
class Regression:
    """Private regression that follows the residuals, in public units and without standard errors."""

    def plan(self, public: Public) -> dp_regression.Plan:
        """What is decided before the records are seen."""
        return dp_regression.Plan(public.n, public.p, public.rho, errors=None)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        return np.asarray(dp_regression.fit(sample.X, sample.y, self.plan(public), dp_regression.Noise(rng)).path[-1])

    def mechanism(self, public: Public) -> Mechanism | None:
        plan = self.plan(public)
        return replace(plan.mechanism(), stand_in=IN_PROPORTION) if plan.information >= dp_regression.NOTHING else None
