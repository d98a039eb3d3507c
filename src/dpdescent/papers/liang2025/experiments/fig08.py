"""Figure 8: error against the clipping threshold, with the share of gradients that are clipped in each stage."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one cell: errors at every clipping threshold."""
    return synthetic.run(spec, arms)


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one cell."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm for every clipping threshold, which both stages share."""
    steps, given = synthetic.step_sizes(spec, problem), spec["arms"]
    calibration = spec["settings"]["calibration"]
    return [
        Arm("DP-2S-GD", given["T"], given["rho1"], given["rho2"], steps, gamma, calibration, {"gamma": gamma})
        for gamma in given["gamma"]
    ]
