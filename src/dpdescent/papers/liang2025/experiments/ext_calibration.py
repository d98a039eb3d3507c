"""The noise of Prop. 3.1 as published against the least noise that has the same guarantee."""

from collections.abc import Iterable, Iterator
from typing import get_args

from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025.arms import Arm, Calibration, mechanism
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one sample size: errors under both calibrations, the noise sd, and the budget that it spends."""

    def spent(sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]) -> list[synthetic.Row]:
        n = problem.n
        return [{"noise_sd": arm.noise_sd(arm.rho1, n), "achieved_rho": mechanism(arm, n).rho} for arm in runs]

    return ({"n": spec["cell"]["n"], **row} for row in synthetic.run(spec, arms, spent))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns two arms, alike but for the calibration of the noise."""
    steps, given = synthetic.step_sizes(spec, problem), spec["arms"]
    gamma = synthetic.threshold(spec, problem, given["T"])
    return [
        Arm("DP-2S-GD", given["T"], given["rho1"], given["rho2"], steps, gamma, calibration, series=calibration)
        for calibration in get_args(Calibration)
    ]
