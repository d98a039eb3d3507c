"""Algorithm 3 over very many iterations, where Theorem F.1 has no restriction on T: does its bound go on?"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism

# Runs that share a data set, because steps are many and records few. Fixed, so that no cut into parts changes a run.
WIDTH = 20


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one sample size: the error to 2SLS of every run at every T, and how much it clips."""
    start, stop = spec["trials"]
    for block in range(start // WIDTH, -(-stop // WIDTH)):
        for row in _block(spec, block):
            if start <= row["trial"] < stop:
                yield row


def _block(spec: synthetic.Spec, block: int) -> Iterator[synthetic.Row]:
    parameters = synthetic.parameters_of(spec, block)
    problem = prescriptions.IVProblem.of(parameters, spec["cell"]["n"], spec["settings"]["tau"])
    sample = draw_sample(parameters, problem.n, synthetic.trial_stream(spec, block, "data"))
    target, made = two_stage_least_squares(sample).beta, arms(spec, problem)
    trials = range(block * WIDTH, (block + 1) * WIDTH)
    runs = [replace(arm, labels={**arm.labels, "trial": trial}) for arm in made for trial in trials]
    noise = [synthetic.normals(spec, trial, made, sample) for trial in trials]
    result = dp_2s_gd.descend(sample, columns(runs, problem.n), dp_2s_gd.Normals.stack(noise * len(made)))
    for k, arm in enumerate(runs):
        value = float(np.linalg.norm(result.beta[k] - target))
        clipped = {"clip_fraction_stage2": result.clipped2[k]}
        yield {"n": problem.n, "series": arm.algorithm, "value": value, **arm.labels, **clipped}


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm of Algorithm 3 for every T."""
    steps, given = synthetic.step_sizes(spec, problem), spec["arms"]
    calibration = spec["settings"]["calibration"]
    return [
        Arm(
            "DP-2S-GD-beta", T, math.inf, given["rho2"], steps, synthetic.threshold(spec, problem, T), calibration,
            {"T": T},
        )
        for T in given["T"]
    ]  # fmt: skip
