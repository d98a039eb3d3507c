"""The field of a contest: every method by the name of its series, with the constants of the written rule."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.contenders import boosted, by_depth, full_batch, one_shot, single_pass
from dpdescent.papers.ours.contest_design import Public
from dpdescent.papers.ours.design import Array
from dpdescent.privacy.events import Mechanism

FIXED, RULE, SCHEDULED, ADAPTIVE, WHITENED, REGRESSION = (
    "DP-GD, fixed", "DP-GD, public rule", "DP-GD, scheduled", "DP-GD, DP-STAT", "DP-GD, preconditioned", "DP regression"
)  # fmt: skip
AMBSSGD, PUBLISHED, SSGD, FTRL, FTRL_EPOCHS = (
    "DP-AMBSSGD", "DP-AMBSSGD, as published", "DP-SSGD", "nu-DP-FTRL", "nu-DP-FTRL, epochs"
)  # fmt: skip
ADA_SSP, SUMS, OUTPUT = "AdaSSP", "sufficient statistics", "output perturbation"
TUKEY, POISSON = "TukeyEM", "DP-SGD, Poisson batches"
BOOSTED, BOOSTED_THEIRS, MIXING, MIXING_THEIRS = (
    "BoostedAdaSSP", "BoostedAdaSSP, 100 rounds", "Hessian mixing", "Hessian mixing, 3 rounds"
)  # fmt: skip
ZERO, OLS, TUNED = "estimate 0", "OLS", "DP-GD, tuned by an oracle"


class Contender(Protocol):
    """A method: one fit of one data set, and what it releases."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the estimate, shape (p,)."""
        ...

    def mechanism(self, public: Public) -> Mechanism | None:
        """Returns the privacy event of a fit; None where no record is looked at."""
        ...


# Few small steps are what brown2024's experiments have; where there are three numbers of steps, information decides.
FIELD: Mapping[str, Contender] = {
    FIXED: full_batch.Descent(0.25, pays=False, scheduled=False, numbers=(10, 10, 10), k=5.0),
    RULE: full_batch.Descent(0.25, pays=True, scheduled=False, numbers=(20, 100, 200)),
    SCHEDULED: full_batch.Descent(0.5, pays=True, scheduled=True, numbers=(20, 50, 100)),
    ADAPTIVE: full_batch.WithStat(0.25, (20, 100, 200)),
    WHITENED: full_batch.Preconditioned(),
    REGRESSION: full_batch.Regression(),
    POISSON: boosted.PoissonDescent(),
    AMBSSGD: single_pass.Batches((0.25, 1.0, 1.0), (10, 10, 20), published=False),
    PUBLISHED: single_pass.Batches((0.25, 1.0, 1.0), (10, 10, 20), published=True),
    SSGD: single_pass.OneByOne(),
    FTRL: single_pass.Stream(),
    FTRL_EPOCHS: single_pass.Epochs(0.25, 20, (4, 10, 10)),
    ADA_SSP: one_shot.AdaSSP(),
    SUMS: one_shot.Sums(),
    OUTPUT: one_shot.Minimiser(),
    TUKEY: by_depth.TukeyEM(),
    BOOSTED: boosted.Boosted(),
    # Numbers of rounds are the authors' here, and ours above.
    BOOSTED_THEIRS: boosted.Boosted((100, 100, 100)),
    MIXING: boosted.HessianMixing(),
    MIXING_THEIRS: boosted.HessianMixing((3, 3, 3)),
    ZERO: one_shot.Zero(),
    OLS: one_shot.LeastSquares(),
}

# Those whose runs take longest.
SLOW = (SSGD, FTRL, ADAPTIVE)
# What may be chosen: private, and without an oracle.
PRIVATE = tuple(name for name in FIELD if name != OLS)
