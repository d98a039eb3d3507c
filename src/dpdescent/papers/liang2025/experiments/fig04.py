"""Figure 4: error of DP-2S-GD against the number of iterations; each T is a run of its own with its own noise."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.checks import as_list
from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import error_bounds, prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one panel: errors at every T and budget, and the largest T that conditions (5) and (21) allow."""

    def limits(sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]) -> list[synthetic.Row]:
        stated = {arm.rho1: error_bounds.iteration_limit(problem, arm.rho1) for arm in runs}
        proved = proof_limits(spec, sample, problem, runs)
        return [{"limit_condition_5": stated[arm.rho1], "limit_condition_21": proved[arm.rho1]} for arm in runs]

    return ({"panel": spec["panel"], **row} for row in synthetic.run(spec, arms, limits))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one panel."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm for every T and pair of budgets of the panel."""
    steps, cell = synthetic.step_sizes(spec, problem), spec["cell"]
    return [
        Arm(
            "DP-2S-GD", T, rho1, rho2, steps, synthetic.threshold(spec, problem, T), spec["settings"]["calibration"],
            {"T": T, "rho1": rho1, "rho2": rho2},
        )
        for T in spec["arms"]["T"]
        for rho1 in as_list(cell["rho1"])
        for rho2 in as_list(cell["rho2"])
    ]  # fmt: skip


def proof_limits(
    spec: synthetic.Spec, sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]
) -> dict[float, float]:
    """Returns by rho1 the largest T of condition (21), the explicit form of (5), at the constants of the step sizes."""
    window, eta = prescriptions.spectrum(problem, synthetic.constants(spec)), runs[0].steps.eta
    kappa = prescriptions.contraction(window, runs[0].steps).theta
    theta_hat_norm = float(np.linalg.norm(two_stage_least_squares(sample).Theta, 2))
    clip = spec["settings"]["clip_constant"]
    return {
        rho1: error_bounds.explicit_iteration_limit(
            problem, window, kappa, eta, rho1, theta_hat_norm, clip_constant=clip
        )
        for rho1 in {arm.rho1 for arm in runs}
    }
