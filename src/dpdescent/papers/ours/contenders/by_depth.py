"""Contender that draws a deep model among many, and needs nothing but the records and the budget."""

from dataclasses import dataclass

import numpy as np

from dpdescent.baselines import tukey_em
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.design import Array
from dpdescent.privacy.events import Mechanism


@dataclass(frozen=True)
class TukeyEM:
    """TukeyEM with the number of models that its public rule gives; no unit or bound is used."""

    def settings(self, public: Public) -> tukey_em.Settings:
        """Settings of a fit."""
        models = tukey_em.public_models(public.n, public.p, public.eps, public.delta)
        return tukey_em.Settings(models, public.eps, public.delta)

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Draws once, shape (p,); 0 where the check fails."""
        return tukey_em.fit(sample, self.settings(public), rng)

    def mechanism(self, public: Public) -> Mechanism:
        """Returns the privacy event of a run."""
        return self.settings(public).mechanism()
