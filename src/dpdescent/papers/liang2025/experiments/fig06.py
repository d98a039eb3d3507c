"""Figure 6: Algorithm 1 against Algorithm 3 over the number of iterations, and the valid way to release beta alone."""

import math
from collections.abc import Iterable, Iterator

from dpdescent.papers.liang2025.arms import Algorithm, Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism

# Algorithm of each panel. Panel c is ours: the algorithm for which the budget that Algorithm 3 claims can be proved.
ALGORITHMS: dict[str, Algorithm] = {"a": "DP-2S-GD", "b": "DP-2S-GD-beta", "c": "DP-2S-GD, publish beta"}


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one panel: errors at every T and second-stage budget."""
    return ({"panel": spec["panel"], **row} for row in synthetic.run(spec, arms))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one panel."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm for every T and second-stage budget.

    Algorithm 3 (panel b) has no noise in its first stage. In panel c the budget that is claimed for beta is split
    evenly over both stages, because publishing only beta costs rho1 + rho2 all the same.
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
    """Returns the budgets of both stages in the panel."""
    return {"a": (spec["cell"]["rho1"], rho2), "b": (math.inf, rho2), "c": (0.5 * rho2, 0.5 * rho2)}[spec["panel"]]
