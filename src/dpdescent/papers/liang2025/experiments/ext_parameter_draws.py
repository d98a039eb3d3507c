"""How much hangs on the one draw of the parameters: Figures 3(a) and 8 again, for other draws."""

import math
from collections.abc import Iterable, Iterator

from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.experiments import fig03, fig08
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Rows of one draw and sample size; columns of the other figure's axes are left empty."""
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
    """Ledger entries of one draw and sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """The arms of the figure that the panel repeats."""
    return fig03.arms(spec, problem) if spec["panel"] == "fig03" else fig08.arms(spec, problem)
