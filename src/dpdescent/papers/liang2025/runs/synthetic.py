"""Trials on the synthetic design of liang2025 Sec. 4.1: data and noise from named random streams, errors as rows."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVParameters, IVSample, draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns, mechanism
from dpdescent.papers.liang2025.design import PAPER as PAPER
from dpdescent.papers.liang2025.design import Row as Row
from dpdescent.papers.liang2025.design import Spec as Spec
from dpdescent.papers.liang2025.design import constants as constants
from dpdescent.papers.liang2025.design import parameters_of as parameters_of
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

ArmsOf = Callable[[Spec, prescriptions.IVProblem], list[Arm]]
# Returns further measured columns on a data set, one row for each arm.
MeasuresOf = Callable[[IVSample, prescriptions.IVProblem, list[Arm]], list[Row]]


def run(spec: Spec, arms_of: ArmsOf, measures_of: MeasuresOf | None = None) -> Iterator[Row]:
    """Yields rows of one part: the error of every arm to beta_hat and to beta on every trial's data.

    Arms of a trial share its data and its standard normals, so that they differ in noise only by its scale.

    Args:
        spec: the part's specification; its cell holds p, q, r, n.
        arms_of: returns the arms for a problem.
        measures_of: returns further measured columns, one row for each arm.
    """
    for trial in range(*spec["trials"]):
        parameters = parameters_of(spec, trial)
        problem = prescriptions.IVProblem.of(parameters, spec["cell"]["n"], spec["settings"]["tau"])
        arms = arms_of(spec, problem)
        sample = draw_sample(parameters, problem.n, trial_stream(spec, trial, "data"))
        result = dp_2s_gd.descend(sample, columns(arms, problem.n), normals(spec, trial, arms, sample))
        measures = measures_of(sample, problem, arms) if measures_of else [{} for _ in arms]
        yield from error_rows(trial, sample, parameters, arms, result, measures)


def error_rows(
    trial: int,
    sample: IVSample,
    parameters: IVParameters,
    arms: list[Arm],
    result: dp_2s_gd.Descent,
    measures: list[Row],
) -> Iterator[Row]:
    """Yields two rows for each arm: Euclidean distance of the last iterate to the 2SLS estimate and to the truth."""
    targets = {"beta_hat": two_stage_least_squares(sample).beta, "beta": parameters.beta}
    for k, arm in enumerate(arms):
        for name, target in targets.items():
            yield {
                **arm.labels,
                "series": arm.series or arm.algorithm,
                "trial": trial,
                "error_to": name,
                "value": float(np.linalg.norm(result.beta[k] - target)),
                "clip_fraction_stage1": result.clipped1[k],
                "clip_fraction_stage2": result.clipped2[k],
                **measures[k],
            }


def trial_stream(spec: Spec, trial: int, role: str) -> np.random.Generator:
    """Returns a trial's random stream for a role; its name holds p, q, r and n only, because all arms share it."""
    cell = spec["cell"]
    shape = "_".join(f"{symbol}={cell[symbol]}" for symbol in ("p", "q", "r", "n"))
    return stream(spec["seed"], PAPER, spec["artefact"], shape, "trial", trial, role)


def normals(spec: Spec, trial: int, arms: list[Arm], sample: IVSample) -> dp_2s_gd.Normals:
    """Returns the standard normals that all arms of a trial share."""
    longest = max(arm.T for arm in arms)
    return dp_2s_gd.Normals.draw(trial_stream(spec, trial, "noise"), longest, sample.p, sample.q)


def step_sizes(spec: Spec, problem: prescriptions.IVProblem) -> prescriptions.StepSizes:
    """Returns the paper's step sizes from the true Theta, at constants of ours because the paper states none."""
    return prescriptions.recommended_step_sizes(prescriptions.spectrum(problem, constants(spec)))


def threshold(spec: Spec, problem: prescriptions.IVProblem, T: int) -> float:
    """Returns the clipping threshold of liang2025 eq. (4), at a constant of ours because the paper states none."""
    settings = spec["settings"]
    return prescriptions.clipping_threshold(settings["clip_constant"], problem.n, problem.q, T, problem.tau)


def releases(spec: Spec, arms_of: ArmsOf) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one cell, one for each arm."""
    parameters = parameters_of(spec, trial=0)
    problem = prescriptions.IVProblem.of(parameters, spec["cell"]["n"], spec["settings"]["tau"])
    return listed(spec, arms_of(spec, problem), problem.n)


def listed(spec: Spec, arms: list[Arm], n: int) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entry of every arm, named by variant, curve, n, T and the arm's labels."""
    for arm in arms:
        labels = " ".join(f"{symbol}={value}" for symbol, value in {"n": n, "T": arm.T, **arm.labels}.items())
        name = f"{spec['variant']}: {arm.series or arm.algorithm} {labels}"
        yield name, mechanism(arm, n), spec["settings"]["dp_delta"]
