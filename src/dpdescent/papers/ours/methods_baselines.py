"""Methods of the contest that stand among the library's baselines: sums, a noisy minimiser, rounds, a draw, 0 and OLS.

The numbers of rounds and batches were chosen on data sets of a seed that no table has. The authors' hundred rounds of
boosting are for thresholds far below the outcomes; in public units the last round's noise would be most of the error.
The authors' three rounds of sketches leave the error of so few rows in the answer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from dpdescent.baselines import (
    ada_ssp,
    boosted_ada_ssp,
    iterative_hessian_mixing,
    output_perturbation,
    poisson_dp_sgd,
    sufficient_statistics,
    tukey_em,
)
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.setting import Array
from dpdescent.privacy.events import Mechanism


class Calibrated(Protocol):
    """Settings of a fit, which know what it releases."""

    def mechanism(self) -> Mechanism:
        """The privacy event of a fit."""
        ...


Settings = TypeVar("Settings", bound=Calibrated)


@dataclass(frozen=True)
class Baseline(Generic[Settings]):
    """A method by two functions.

    Attributes:
        settings: from what is public to the settings of a fit.
        estimate: from records, settings and a generator to the estimate, shape (p,).
    """

    settings: Callable[[Public], Settings]
    estimate: Callable[[LinearSample, Settings, np.random.Generator], Array]

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        return self.estimate(sample, self.settings(public), rng)

    def mechanism(self, public: Public) -> Mechanism:
        return self.settings(public).mechanism()


def _bounds(public: Public) -> ada_ssp.Bounds:
    return ada_ssp.Bounds(public.input_bound, public.outcome_bound, "public")


def _minimiser(public: Public) -> output_perturbation.Calibration:
    gamma = public.gamma(public.rho)
    ridge = output_perturbation.balanced_ridge(public.n, public.p, gamma, public.rho)
    return output_perturbation.Calibration(public.n, gamma, ridge, public.rho)


def _tukey(public: Public) -> tukey_em.Settings:
    """As many models as the method's public rule gives; no unit or bound is used."""
    models = tukey_em.public_models(public.n, public.p, public.eps, public.delta)
    return tukey_em.Settings(models, public.eps, public.delta)


# Noisy sums without a ridge.
SUMS = Baseline(
    lambda public: sufficient_statistics.Calibration(_bounds(public), public.rho), sufficient_statistics.fit
)
# The minimiser of a ridge objective with clipped gradients, plus noise.
MINIMISER = Baseline(_minimiser, output_perturbation.fit)
# A deep model, drawn among many; 0 where its check fails.
TUKEY_EM = Baseline(_tukey, tukey_em.fit)


def cut_bounds(public: Public, share: float) -> ada_ssp.Bounds:
    """B_x, and where residuals are cut: where a record of mean length has a gradient of gamma.

    It is B_y at most, because outcomes are what residuals begin with.

    Args:
        public: sizes and units.
        share: part of the budget that pays for the residuals.
    """
    cut = public.gamma(share * public.rho) / math.sqrt(public.p)
    return ada_ssp.Bounds(public.input_bound, min(cut, public.outcome_bound), "public")


def boosted(*rounds: int) -> Baseline[boosted_ada_ssp.Settings]:
    """BoostedAdaSSP, a third of the budget each for the eigenvalue, for X'X and for all rounds, by information."""
    return Baseline(
        lambda public: boosted_ada_ssp.Settings(cut_bounds(public, 1.0 / 3.0), public.rho, rounds=public.pick(rounds)),
        lambda sample, settings, rng: boosted_ada_ssp.fit(sample, settings, rng).theta,
    )


def hessian_mixing(*rounds: int) -> Baseline[iterative_hessian_mixing.Settings]:
    """Iterative Hessian mixing, rows of a sketch by its authors' rule, rounds by information."""
    return Baseline(
        lambda public: iterative_hessian_mixing.Settings(
            cut_bounds(public, 0.5), public.p, public.eps, public.delta, rounds=public.pick(rounds)
        ),
        lambda sample, settings, rng: iterative_hessian_mixing.fit(sample, settings, rng).theta,
    )


def poisson_descent(eta: float, rate: float, *steps: int) -> Baseline[poisson_dp_sgd.Settings]:
    """DP-SGD with Poisson batches, in which a record is with probability `rate`; the step size is not paid for."""
    return Baseline(
        lambda public: poisson_dp_sgd.Settings(
            public.n, public.gamma(public.rho), eta, rate, public.pick(steps), public.eps, public.delta
        ),
        lambda sample, settings, rng: poisson_dp_sgd.fit(sample, settings, rng).theta,
    )


@dataclass(frozen=True)
class AdaSSP:
    """AdaSSP with public bounds, a third of the budget a release."""

    def calibration(self, public: Public) -> ada_ssp.Calibration:
        """Noise of the releases."""
        return ada_ssp.Calibration.zcdp_matched(_bounds(public), public.rho, public.delta)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        calibration = self.calibration(public)
        return ada_ssp.ada_ssp(ada_ssp.bounded_gram(sample, calibration.bounds), calibration, rng).theta

    def mechanism(self, public: Public) -> Mechanism:
        return ada_ssp.mechanism(self.calibration(public))


@dataclass(frozen=True)
class Zero:
    """The estimate 0, which looks at no record and releases nothing."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        return np.zeros(public.p)

    def mechanism(self, public: Public) -> None:
        """None, because the estimate 0 releases nothing."""


@dataclass(frozen=True)
class LeastSquares:
    """Least squares, without privacy: the floor."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        return linear_least_squares(sample.gram)

    def mechanism(self, public: Public) -> Mechanism:
        """The event of a run without noise."""
        return Mechanism.without_privacy("OLS")
