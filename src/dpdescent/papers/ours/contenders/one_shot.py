"""Contenders that release once, noisy sums or a noisy minimiser, and what needs no release: 0 and least squares."""

from dataclasses import dataclass

import numpy as np

from dpdescent.baselines import ada_ssp, output_perturbation, sufficient_statistics
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.design import Array
from dpdescent.privacy.events import Mechanism


def _bounds(public: Public) -> ada_ssp.Bounds:
    return ada_ssp.Bounds(public.input_bound, public.outcome_bound, "public")


@dataclass(frozen=True)
class AdaSSP:
    """AdaSSP with public bounds, a third of the budget a release."""

    def calibration(self, public: Public) -> ada_ssp.Calibration:
        """Noise of the releases."""
        return ada_ssp.Calibration.zcdp_matched(_bounds(public), public.rho, public.delta)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Releases the statistics once and returns the ridge estimate, shape (p,)."""
        calibration = self.calibration(public)
        return ada_ssp.ada_ssp(ada_ssp.bounded_gram(sample, calibration.bounds), calibration, rng).theta

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a run."""
        return ada_ssp.mechanism(self.calibration(public))


@dataclass(frozen=True)
class Sums:
    """Noisy sums without a ridge."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Releases the sums once and returns their solution, shape (p,)."""
        return sufficient_statistics.fit(sample, self.calibration(public), rng)

    def calibration(self, public: Public) -> sufficient_statistics.Calibration:
        """Noise of the releases."""
        return sufficient_statistics.Calibration(_bounds(public), public.rho)

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a run."""
        return self.calibration(public).mechanism()


@dataclass(frozen=True)
class Minimiser:
    """The minimiser of a ridge objective with clipped gradients, plus noise."""

    def calibration(self, public: Public) -> output_perturbation.Calibration:
        """Settings of a fit."""
        gamma = public.gamma(public.rho)
        ridge = output_perturbation.balanced_ridge(public.n, public.p, gamma, public.rho)
        return output_perturbation.Calibration(public.n, gamma, ridge, public.rho)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Releases the minimiser once, shape (p,)."""
        return output_perturbation.fit(sample, self.calibration(public), rng)

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a run."""
        return self.calibration(public).mechanism()


@dataclass(frozen=True)
class Zero:
    """The estimate 0, which looks at no record."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns zeros, shape (p,)."""
        return np.zeros(public.p)

    def mechanism(self, public: Public) -> None:
        """Returns None, because the estimate 0 releases nothing."""


@dataclass(frozen=True)
class LeastSquares:
    """Least squares, without privacy: the floor."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the solution of the normal equations, shape (p,)."""
        return linear_least_squares(sample.gram)

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the event of a run without noise."""
        return Mechanism.without_privacy("OLS")
