"""Figures 3(a) and 8 repeated for other draws of the parameters, to see how much depends on the one draw."""

import math
from collections.abc import Iterable, Iterator

from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.experiments import fig03, fig08
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one draw and sample size; columns that only the other figure has are filled in."""
    cell = spec["cell"]
    axes = {"panel": spec["panel"], "draw": cell["draw"], "n": cell["n"]}
    blank = (
        {"gamma": math.nan}
        if spec["panel"] == "fig03"
        else {"rho1": spec["arms"]["rho1"], "rho2": spec["arms"]["rho2"]}
    )

    def spectrum(sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]) -> list[synthetic.Row]:
        return [{"theta_min": problem.theta_min, "theta_norm": problem.theta_norm} for _ in runs]

    return ({**axes, **blank, **row} for row in synthetic.run(spec, arms, spectrum))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one draw and sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns the arms of the figure that the panel repeats."""
    return fig03.arms(spec, problem) if spec["panel"] == "fig03" else fig08.arms(spec, problem)
