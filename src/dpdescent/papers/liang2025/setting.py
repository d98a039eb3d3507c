"""Parts of all experiments of liang2025: the synthetic design of Sec. 4.1, arms with privacy events, and sweeps.

Arms of a trial share its data and its standard normals, so that they differ in noise only by its scale.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVParameters, IVSample, draw_parameters, draw_sample
from dpdescent.papers.liang2025 import formulas
from dpdescent.papers.liang2025.formulas import IVProblem, StepSizes
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Guarantee, Mechanism
from dpdescent.randomness import stream

PAPER = "liang2025"
Spec = dict[str, Any]
Row = dict[str, Any]
Entry = tuple[str, Mechanism, float]
Array = NDArray[np.float64]
Algorithm = Literal[
    "DP-2S-GD", "2S-GD", "2S-GD, clipped", "DP-2S-GD-beta", "DP-2S-GD, publish beta", "DP-2S-GD, unclipped"
]  # fmt: skip
NOISE_FREE = ("2S-GD", "2S-GD, clipped")
# What an error is taken to in a row that compares two runs of a trial: its value is the first one's error to 2SLS less
# the second one's, so that what both share, data and normals, leaves the standard error.
ANOTHER_RUN = "another run"
# The curve of a run's errors at all its iterations.
ALONG = "along the iterations"
Calibration = Literal["as published", "exact"]


def parameters_of(spec: Spec, trial: int) -> IVParameters:
    """Returns the design's parameters: one draw for all trials, or a new one in each (setting `parameters`)."""
    cell, mode = spec["cell"], spec["settings"]["parameters"]
    draw = cell.get("draw", 0) if mode == "fixed" else f"trial {trial}"
    p, q, r = cell["p"], cell["q"], cell["r"]
    return draw_parameters(p, q, r, stream(spec["seed"], PAPER, "parameters", f"p={p}_q={q}_r={r}", "draw", draw))


def constants(spec: Spec) -> formulas.Constants:
    """Returns the constants of liang2025 eq. (10) that the step sizes use."""
    settings = spec["settings"]
    return formulas.Constants(settings["concentration_constant"], settings["first_stage_constant"])


def scaled_parameters(p: int, q: int) -> IVParameters:
    """Returns a design whose hidden constants are the same in every dimension.

    All singular values of Theta are 5, the mean size of those of Sec. 4.1; beta has norm 1, and one confounder moves x
    and y by a standard deviation of 1, so that sigma_1 and sigma_2 do not hang on p and q.
    """
    unit = np.full(p, p**-0.5)
    return IVParameters(beta=unit, Theta=5.0 * np.eye(q, p), Phi=unit[None, :], phi=np.ones(1))


def bound_constants(spec: Spec) -> formulas.Constants:
    """Returns constants at which eq. (10) bounds measured values; those of the step sizes are too small for that."""
    settings = spec["settings"]
    return formulas.Constants(settings["bound_concentration_constant"], settings["bound_first_stage_constant"])


def problem_of(spec: Spec, trial: int = 0) -> IVProblem:
    """Returns the quantities of a trial's design that the bounds use."""
    return IVProblem.of(parameters_of(spec, trial), spec["cell"]["n"], spec["settings"]["tau"])


@dataclass(frozen=True)
class Arm:
    """One run of an algorithm with its budgets, step sizes, clipping thresholds and the labels of its rows.

    Attributes:
        algorithm: `DP-2S-GD` (Alg. 1), `2S-GD` (Alg. 2), `DP-2S-GD-beta` (Alg. 3), `DP-2S-GD, publish beta`
            (Algorithm 1 of which only the beta path is published, the valid way to release beta alone),
            `DP-2S-GD, unclipped` (the noise of Algorithm 1 on unclipped gradients, which guarantees nothing) or
            `2S-GD, clipped` (its clipping without its noise, which hides nothing).
        T: number of iterations.
        rho1, rho2: zCDP budgets of the two stages; inf means no noise.
        steps: step sizes.
        gamma: clipping threshold to which the noise is calibrated; inf means no clipping.
        calibration: noise of Prop. 3.1 as printed, or the least noise that the same budget needs.
        shares: parts of each stage's budget by step, shape (T,) each; None for equal parts.
        labels: columns of its rows beyond `series`, by symbol.
        series: name of its curve; empty for the name of the algorithm.
        data_used: other uses of the data without account (centring, step sizes); empty if there are none.
    """

    algorithm: Algorithm
    T: int
    rho1: float
    rho2: float
    steps: StepSizes
    gamma: float
    calibration: Calibration = "as published"
    labels: Row = field(default_factory=dict)
    series: str = ""
    data_used: str = ""
    shares: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        if self.algorithm in ("DP-2S-GD-beta", *NOISE_FREE) and not math.isinf(self.rho1):
            raise ValueError(f"{self.algorithm} has no noise in its first stage, but rho1={self.rho1}")

    @property
    def gamma1(self) -> float:
        """Clipping threshold of the first stage; inf for Algorithm 3, which does not clip there."""
        return math.inf if self.algorithm == "DP-2S-GD-beta" else self.gamma2

    @property
    def gamma2(self) -> float:
        """Clipping threshold of the second stage; inf for the unclipped run."""
        return math.inf if self.algorithm == "DP-2S-GD, unclipped" else self.gamma

    def noise_sd(self, rho: float, n: int) -> float:
        """Returns the noise sd lambda on the mean gradient of a stage with budget rho; 0 for an infinite budget."""
        if math.isinf(rho):
            return 0.0
        if self.calibration == "exact":
            return zcdp.gaussian_noise_sd(mean_sensitivity(self.gamma, n), rho, self.T)
        return formulas.noise_scale(self.gamma, n, self.T, rho)

    def noise_by_step(self, stage: int, n: int) -> Array:
        """Returns the noise sds of a stage, 0 or 1, shape (T,); of a schedule the least that its budget needs."""
        rho = (self.rho1, self.rho2)[stage]
        if self.shares is None:
            return np.full(self.T, self.noise_sd(rho, n))
        moved = mean_sensitivity(self.gamma, n)
        return np.array([zcdp.gaussian_noise_sd(moved, rho * share) for share in self.shares[stage]])


def step_sizes(spec: Spec, problem: IVProblem) -> StepSizes:
    """Returns the paper's step sizes from the true Theta, at constants of ours because the paper states none."""
    return formulas.recommended_step_sizes(formulas.spectrum(problem, constants(spec)))


def threshold(spec: Spec, problem: IVProblem, T: int) -> float:
    """Returns the clipping threshold of liang2025 eq. (4), at a constant of ours because the paper states none."""
    settings = spec["settings"]
    return formulas.clipping_threshold(settings["clip_constant"], problem.n, problem.q, T, problem.tau)


def trial_stream(spec: Spec, trial: int, role: str) -> np.random.Generator:
    """Returns a trial's random stream for a role; its name holds p, q, r and n only, because all arms share it."""
    cell = spec["cell"]
    shape = "_".join(f"{symbol}={cell[symbol]}" for symbol in ("p", "q", "r", "n"))
    return stream(spec["seed"], PAPER, spec["artefact"], shape, "trial", trial, role)


def drawn(spec: Spec, trial: int) -> tuple[IVParameters, IVProblem, IVSample]:
    """Returns a trial's parameters, the quantities of them that the bounds use, and its data."""
    parameters, problem = parameters_of(spec, trial), problem_of(spec, trial)
    return parameters, problem, draw_sample(parameters, problem.n, trial_stream(spec, trial, "data"))


def normals(spec: Spec, trial: int, arms: list[Arm], sample: IVSample) -> dp_2s_gd.Normals:
    """Returns the standard normals that all arms of a trial share."""
    return dp_2s_gd.Normals.draw(trial_stream(spec, trial, "noise"), max(arm.T for arm in arms), sample.p, sample.q)


def columns(arms: Sequence[Arm], n: int) -> dp_2s_gd.TwoStageArms:
    """Returns the arms as columns of one descent on a data set of n records."""
    scheduled = any(arm.shares is not None for arm in arms)
    lambda1, lambda2 = (
        np.stack([arm.noise_by_step(stage, n) for arm in arms], axis=1)
        if scheduled
        else np.array([arm.noise_sd((arm.rho1, arm.rho2)[stage], n) for arm in arms])
        for stage in (0, 1)
    )
    return dp_2s_gd.TwoStageArms(
        steps=np.array([arm.T for arm in arms]), eta=np.array([arm.steps.eta for arm in arms]),
        alpha=np.array([arm.steps.alpha for arm in arms]), gamma1=np.array([arm.gamma1 for arm in arms]),
        gamma2=np.array([arm.gamma2 for arm in arms]), lambda1=lambda1, lambda2=lambda2,
    )  # fmt: skip


def private(
    spec: Spec, problem: IVProblem, T: int, rho1: float, rho2: float, labels: Row | None = None, *,
    algorithm: Algorithm = "DP-2S-GD", steps: StepSizes | None = None, gamma: float | None = None,
) -> Arm:  # fmt: skip
    """Returns an arm at the paper's step sizes and threshold, unless others are given."""
    gamma = threshold(spec, problem, T) if gamma is None else gamma
    steps = steps or step_sizes(spec, problem)
    return Arm(algorithm, T, rho1, rho2, steps, gamma, spec["settings"]["calibration"], labels or {})


def mechanism(arm: Arm, n: int) -> Mechanism:
    """Returns the privacy event of an arm on a data set of n records, with its guarantee."""
    if arm.algorithm == "2S-GD":
        return Mechanism.without_privacy(arm.algorithm)
    if arm.algorithm == "2S-GD, clipped":
        return Mechanism.without_privacy(arm.algorithm, "diagnostic run without noise: any record shows")
    if arm.algorithm == "DP-2S-GD, unclipped":
        return Mechanism.without_privacy(arm.algorithm, "diagnostic run without clipping: no finite sensitivity")
    guarantee: Guarantee = "none" if arm.algorithm == "DP-2S-GD-beta" or arm.data_used else "proved"
    reason = (
        "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n, n public); "
        "adaptive composition over T steps and both stages; publishing less is post-processing"
    )
    if arm.algorithm == "DP-2S-GD-beta":
        reason = (
            "Lemma F.1 is refuted for replacement of a full record: the noise-free first stage carries the record into "
            "every second-stage gradient (finding release-beta-only); it holds if only y_i may change"
        )
    elif arm.data_used:
        reason = f"used from the data without account: {arm.data_used}"
    claimed = arm.rho2 if arm.algorithm == "DP-2S-GD-beta" else arm.rho1 + arm.rho2
    return Mechanism(arm.algorithm, _releases(arm, n), "replace-one", "full batch", claimed, guarantee, reason)


def _releases(arm: Arm, n: int) -> tuple[GaussianReleases, ...]:
    """The releases of both stages, of Algorithm 3 of the second alone; of a schedule by the noise of their steps."""
    stages = [("first", arm.gamma1), ("second", arm.gamma2)]
    noise = [arm.noise_by_step(stage, n).tolist() for stage in (0, 1)]
    return tuple(
        GaussianReleases(f"{name}-stage clipped mean gradient", mean_sensitivity(gamma, n), sd, sds.count(sd))
        for (name, gamma), sds in list(zip(stages, noise, strict=True))[arm.algorithm == "DP-2S-GD-beta" :]
        for sd in dict.fromkeys(sds)
    )


ArmsOf = Callable[[Spec, IVProblem], list[Arm]]
# Further measured columns on a data set, one row for each arm.
MeasuresOf = Callable[[Spec, IVSample, IVProblem, list[Arm]], list[Row]]
# Pairs of arms that a row compares: both indices, and the name of its curve; it has the labels of the first one.
PairsOf = Callable[[list[Arm]], Iterator[tuple[int, int, str]]]


def sweep(
    spec: Spec, arms_of: ArmsOf, axes: Sequence[str] = (), measures_of: MeasuresOf | None = None,
    pairs_of: PairsOf | None = None, along: Callable[[Arm], bool] | None = None,
) -> Iterator[Row]:  # fmt: skip
    """Yields rows of one part: distance of every arm's last iterate to 2SLS and to the truth, on every trial's data.

    Args:
        spec: the part's specification; its cell holds p, q, r, n.
        arms_of: returns the arms for a problem.
        axes: columns that are the cell's, or the panel.
        measures_of: returns further measured columns, one row for each arm.
        pairs_of: yields the arms that are compared trial by trial.
        along: tells whose errors at every iteration t are rows too.
    """
    place = {name: ({"panel": spec["panel"]} | spec["cell"])[name] for name in axes}
    for trial in range(*spec["trials"]):
        parameters, problem, sample = drawn(spec, trial)
        arms = arms_of(spec, problem)
        noise = normals(spec, trial, arms, sample)
        result = dp_2s_gd.descend(sample, columns(arms, problem.n), noise, record=along is not None)
        measures = measures_of(spec, sample, problem, arms) if measures_of else [{}] * len(arms)
        targets = {"beta_hat": two_stage_least_squares(sample).beta, "beta": parameters.beta}
        errors = {name: np.linalg.norm(result.beta - target, axis=1) for name, target in targets.items()}
        base = [
            {
                **place, **arm.labels, "trial": trial, "clip_fraction_stage1": result.clipped1[k],
                "clip_fraction_stage2": result.clipped2[k], **measures[k],
            }
            for k, arm in enumerate(arms)
        ]  # fmt: skip
        for k, arm in enumerate(arms):
            for name, to_target in errors.items():
                series = arm.series or arm.algorithm
                yield base[k] | {"series": series, "error_to": name, "value": float(to_target[k])}
        for first, second, series in pairs_of(arms) if pairs_of else ():
            difference = float(errors["beta_hat"][first] - errors["beta_hat"][second])
            yield base[first] | {"series": series, "error_to": ANOTHER_RUN, "value": difference}
        if along and result.beta_path is not None:
            for k in (k for k, arm in enumerate(arms) if along(arm)):
                path = np.linalg.norm(result.beta_path[: arms[k].T + 1, k] - targets["beta_hat"], axis=1)
                for t, error in enumerate(path.tolist()):
                    yield base[k] | {"t": t, "series": ALONG, "error_to": "beta_hat", "value": error}


def releases(spec: Spec, arms_of: ArmsOf) -> Iterator[Entry]:
    """Returns the ledger entries of one cell, one for each arm."""
    problem = problem_of(spec)
    return listed(spec, arms_of(spec, problem), problem.n)


def listed(spec: Spec, arms: list[Arm], n: int) -> Iterator[Entry]:
    """Yields the ledger entry of every arm, named by variant, curve, n, T and the arm's labels."""
    for arm in arms:
        labels = " ".join(f"{symbol}={value}" for symbol, value in {"n": n, "T": arm.T, **arm.labels}.items())
        name = f"{spec['variant']}: {arm.series or arm.algorithm} {labels}"
        yield name, mechanism(arm, n), spec["settings"]["dp_delta"]
