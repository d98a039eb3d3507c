"""Figure 3: error of DP-2S-GD against the sample size, for three splits of the budget between the stages."""

import math
from collections.abc import Iterable, Iterator

from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one sample size: errors of every split, and of the noise-free descent with as many steps."""
    axes = {"panel": spec["panel"], "n": spec["cell"]["n"]}
    return ({**axes, **row} for row in synthetic.run(spec, arms))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm a split of the budget, and 2S-GD beside them, in panel b also 2S-GD with their clipping."""
    steps, T = synthetic.step_sizes(spec, problem), spec["arms"]["T"]
    gamma = synthetic.threshold(spec, problem, T)
    private = [
        Arm("DP-2S-GD", T, split["rho1"], split["rho2"], steps, gamma, spec["settings"]["calibration"], split)
        for split in spec["arms"]["splits"]
    ]
    free = {"rho1": math.inf, "rho2": math.inf}
    without = [Arm("2S-GD", T, math.inf, math.inf, steps, math.inf, labels=free)]
    if spec["panel"] == "b":
        # Where errors are large: clipping without noise separates what clipping does from what noise does.
        without.append(Arm("2S-GD, clipped", T, math.inf, math.inf, steps, gamma, labels=free))
    return [*private, *without]
