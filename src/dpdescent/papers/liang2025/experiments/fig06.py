"""Figure 6: Algorithm 1 against Algorithm 3 over the number of iterations, and the valid way to release beta alone."""

import math
from collections.abc import Iterable, Iterator

from dpdescent.papers.liang2025.arms import Algorithm, Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism

# Algorithm of each panel. Panel c is ours: at the budget that Algorithm 3 claims, what can be proved.
ALGORITHMS: dict[str, Algorithm] = {"a": "DP-2S-GD", "b": "DP-2S-GD-beta", "c": "DP-2S-GD, publish beta"}


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Rows of one panel."""
    return ({"panel": spec["panel"], **row} for row in synthetic.run(spec, arms))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one panel."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """One arm for every T and second-stage budget.

    Algorithm 3 (panel b) has no noise in its first stage. In panel c the budget rho2 that is claimed for beta is split
    evenly over both stages: publishing only beta saves nothing, the guarantee is rho1 + rho2.
    """
    steps, algorithm = synthetic.step_sizes(spec, problem), ALGORITHMS[spec["panel"]]
    runs = []
    for T in spec["arms"]["T"]:
        for rho2 in spec["arms"]["rho2"]:
            first, second = _budgets(spec, rho2)
            gamma = synthetic.threshold(spec, problem, T)
            calibration = spec["settings"]["calibration"]
            runs.append(Arm(algorithm, T, first, second, steps, gamma, calibration, {"T": T, "rho2": rho2}))
    return runs


def _budgets(spec: synthetic.Spec, rho2: float) -> tuple[float, float]:
    """Budgets of both stages in the panel."""
    return {"a": (spec["cell"]["rho1"], rho2), "b": (math.inf, rho2), "c": (0.5 * rho2, 0.5 * rho2)}[spec["panel"]]
