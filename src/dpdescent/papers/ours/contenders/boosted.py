"""Contenders that go round by round with noisy products X'r of cut residuals: boosting, sketches, Poisson batches.

Their numbers of rounds were chosen on data sets of a seed that no table has. The authors' hundred rounds of boosting
are for thresholds far below the outcomes; in public units the last round's noise would be most of the error. The
authors' three rounds of sketches leave the error of so few rows in the answer.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.baselines import boosted_ada_ssp, iterative_hessian_mixing, poisson_dp_sgd
from dpdescent.baselines.ada_ssp import Bounds
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.design import Array
from dpdescent.privacy.events import Mechanism


def cut_bounds(public: Public, share: float) -> Bounds:
    """B_x, and where residuals are cut: where a record of mean length has a gradient of gamma.

    It is B_y at most, because outcomes are what residuals begin with.

    Args:
        public: sizes and units.
        share: part of the budget that pays for the residuals.
    """
    cut = public.gamma(share * public.rho) / math.sqrt(public.p)
    return Bounds(public.input_bound, min(cut, public.outcome_bound), "public")


@dataclass(frozen=True)
class Boosted:
    """BoostedAdaSSP, a third of the budget for the eigenvalue, for X'X and for all rounds.

    Attributes:
        numbers: numbers of rounds for little information, more and much.
    """

    numbers: tuple[int, int, int] = (5, 3, 2)

    def settings(self, public: Public) -> boosted_ada_ssp.Settings:
        """Settings of a fit."""
        return boosted_ada_ssp.Settings(
            cut_bounds(public, 1.0 / 3.0), public.rho, rounds=int(public.pick(self.numbers))
        )  # fmt: skip

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the coefficients after all rounds, shape (p,)."""
        return boosted_ada_ssp.fit(sample, self.settings(public), rng).theta

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a fit."""
        return self.settings(public).mechanism()


@dataclass(frozen=True)
class HessianMixing:
    """Iterative Hessian mixing, rows of a sketch by its authors' rule.

    Attributes:
        numbers: numbers of rounds for little information, more and much.
    """

    numbers: tuple[int, int, int] = (5, 5, 5)

    def settings(self, public: Public) -> iterative_hessian_mixing.Settings:
        """Settings of a fit."""
        return iterative_hessian_mixing.Settings(
            cut_bounds(public, 0.5), public.p, public.eps, public.delta, rounds=int(public.pick(self.numbers))
        )  # fmt: skip

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the coefficients after all rounds, shape (p,)."""
        return iterative_hessian_mixing.fit(sample, self.settings(public), rng).theta

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a fit."""
        return self.settings(public).mechanism()


@dataclass(frozen=True)
class PoissonDescent:
    """DP-SGD with Poisson batches, the step size not paid for.

    Attributes:
        eta: step size.
        rate: probability that a record is in a batch.
        numbers: numbers of steps for little information, more and much.
    """

    eta: float = 0.25
    rate: float = 0.1
    numbers: tuple[int, int, int] = (20, 50, 100)

    def settings(self, public: Public) -> poisson_dp_sgd.Settings:
        """Settings of a fit."""
        return poisson_dp_sgd.Settings(
            public.n, public.gamma(public.rho), self.eta, self.rate, int(public.pick(self.numbers)), public.eps,
            public.delta,
        )  # fmt: skip

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the last iterate, shape (p,)."""
        return poisson_dp_sgd.fit(sample, self.settings(public), rng).theta

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a fit."""
        return self.settings(public).mechanism()
