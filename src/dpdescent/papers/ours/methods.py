"""The field of a contest: every method by the name of its series, what an oracle reaches, and how they are compared."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours import methods_baselines, methods_full_batch, methods_single_pass
from dpdescent.papers.ours.contest_design import Drawn, Public
from dpdescent.papers.ours.methods_full_batch import STEPWISE
from dpdescent.papers.ours.setting import Array
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

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


class Method(Protocol):
    """A method: one fit of one data set, and what it releases."""

    def fit(self, sample: LinearSample, public: Public, rng: np.random.Generator) -> Array:
        """Returns the estimate, shape (p,)."""
        ...

    def mechanism(self, public: Public) -> Mechanism | None:
        """The privacy event of a fit; None where no record is looked at."""
        ...


# Few small steps are what brown2024's experiments have; where there are three numbers of steps, information decides.
FIELD: Mapping[str, Method] = {
    FIXED: methods_full_batch.Descent(0.25, pays=False, scheduled=False, numbers=(10, 10, 10), k=5.0),
    RULE: methods_full_batch.Descent(0.25, pays=True, scheduled=False, numbers=(20, 100, 200)),
    SCHEDULED: methods_full_batch.Descent(0.5, pays=True, scheduled=True, numbers=(20, 50, 100)),
    ADAPTIVE: methods_full_batch.WithStat(0.25, (20, 100, 200)),
    WHITENED: methods_full_batch.Preconditioned(),
    REGRESSION: methods_full_batch.Regression(),
    POISSON: methods_baselines.poisson_descent(0.25, 0.1, 20, 50, 100),
    AMBSSGD: methods_single_pass.Batches((0.25, 1.0, 1.0), (10, 10, 20), published=False),
    PUBLISHED: methods_single_pass.Batches((0.25, 1.0, 1.0), (10, 10, 20), published=True),
    SSGD: methods_single_pass.OneByOne(),
    FTRL: methods_single_pass.Stream(),
    FTRL_EPOCHS: methods_single_pass.Epochs(0.25, 20, (4, 10, 10)),
    ADA_SSP: methods_baselines.AdaSSP(),
    SUMS: methods_baselines.SUMS,
    OUTPUT: methods_baselines.MINIMISER,
    TUKEY: methods_baselines.TUKEY_EM,
    BOOSTED: methods_baselines.boosted(5, 3, 2),
    # Numbers of rounds are the authors' here, and ours above.
    BOOSTED_THEIRS: methods_baselines.boosted(100, 100, 100),
    MIXING: methods_baselines.hessian_mixing(5, 5, 5),
    MIXING_THEIRS: methods_baselines.hessian_mixing(3, 3, 3),
    ZERO: methods_baselines.Zero(),
    OLS: methods_baselines.LeastSquares(),
}

# Those whose runs take longest.
SLOW = (SSGD, FTRL, ADAPTIVE)
# What may be chosen: private, and without an oracle.
PRIVATE = tuple(name for name in FIELD if name != OLS)


def best_of_grid(
    grid: dict[str, Any], public: Public, drawn: Iterable[tuple[Drawn, np.random.Generator]]
) -> list[float]:
    """Excess risks of DP-GD with those constants of a grid that have the smallest mean, by data set.

    An oracle knows them, and no rule can reach it: they are chosen by the data sets that they are judged on, which
    favours them slightly.

    Args:
        grid: `eta`, step sizes over the largest eigenvalue of the records' own second moment, `k`, thresholds over
            sqrt(p), and `steps`, numbers of steps.
        public: sizes and budget.
        drawn: data sets, each with a stream of noise.
    """
    etas, ks = np.array(list(itertools.product(grid["eta"], grid["k"]))).T
    gammas = ks * math.sqrt(public.p)
    risks = []
    for data, rng in drawn:
        largest = float(np.linalg.eigvalsh(data.sample.gram.xx)[-1]) / public.n
        normals = rng.standard_normal((max(grid["steps"]), 1, 1, public.p))
        sample, mine = LinearSample(data.sample.X, data.sample.y), list[float]()
        for steps in grid["steps"]:
            sds = np.array([_noise_sd(public, gamma, steps) for gamma in gammas.tolist()])
            arms = dp_gd.DPGDArms(steps, etas / largest, gammas, sds)
            mine += [data.excess(theta) for theta in dp_gd.descend([sample], arms, normals[:steps]).theta[0]]
        risks.append(mine)
    errors = np.array(risks)
    return list(errors[:, errors.mean(0).argmin()].tolist())


def _noise_sd(public: Public, gamma: float, steps: int) -> float:
    return zcdp.gaussian_noise_sd(mean_sensitivity(gamma, public.n), public.rho, steps)


def compare(
    public: Public, arms: dict[str, Any], trials: range, draw: Callable[[int], Drawn],
    streams: Callable[[int, str], np.random.Generator],
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields method, trial and excess risk, what takes longest for the first few trials only.

    Args:
        public: what methods may know.
        arms: `few_trials`, and the oracle's `grid`.
        trials: numbers of the trials.
        draw: function from a trial to its data set.
        streams: function from a trial and a role, such as the noise of a method, to the stream of it.

    Raises:
        ValueError: if the oracle's data sets are cut into several parts.
    """
    if 0 < trials.start < arms["few_trials"]:
        raise ValueError(
            f"trials from {trials.start} on, few_trials={arms['few_trials']}: the oracle's constants are the best over "
            "its data sets, which must be one part; take trials_per_part of few_trials at least"
        )
    drawn = []
    for trial in trials:
        data, few = draw(trial), trial < arms["few_trials"]
        drawn += [(data, streams(trial, f"noise of {TUNED}"))] * few
        for name, method in FIELD.items():
            if few or name not in SLOW:
                estimate = method.fit(data.sample, public, streams(trial, f"noise of {name}"))
                yield name, trial, data.excess(estimate)
    if drawn:
        yield from zip(itertools.repeat(TUNED), trials, best_of_grid(arms["grid"], public, drawn), strict=False)


NOT_PRIVATE = (
    "step size, threshold and number of steps are the best of a grid on data sets of the same law; " + STEPWISE
)


def mechanisms(public: Public, arms: dict[str, Any]) -> Iterator[tuple[str, Mechanism]]:
    """Yields method and privacy event of all that look at records, and of what the oracle tries, without a guarantee."""
    for name, method in FIELD.items():
        if (event := method.mechanism(public)) is not None:
            yield name, event
    gamma = arms["grid"]["k"][0] * math.sqrt(public.p)
    for steps in arms["grid"]["steps"]:
        release = GaussianReleases(
            "mean of clipped gradients", mean_sensitivity(gamma, public.n), _noise_sd(public, gamma, steps), steps
        )
        event = Mechanism(
            "DP-GD", (release,), "replace-one", "full batch", math.inf, "none", NOT_PRIVATE,
            stand_in="the first threshold of the grid stands for the others, whose noise is in proportion",
        )  # fmt: skip
        yield f"{TUNED}, T={steps}", event
