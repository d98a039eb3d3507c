"""Algorithm 1 with a number of iterations that grows like log n: does its error tend to 0 at a fixed budget?"""

import math
from collections.abc import Iterable, Iterator

from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one sample size: errors to 2SLS and to the truth."""
    return ({"n": spec["cell"]["n"], **row} for row in synthetic.run(spec, arms))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entry of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns the only arm, whose T is a multiple of log n: super-logarithmic growth is not needed for consistency."""
    given = spec["arms"]
    T = math.ceil(given["iterations_per_log_n"] * math.log(problem.n))
    gamma, steps = synthetic.threshold(spec, problem, T), synthetic.step_sizes(spec, problem)
    calibration = spec["settings"]["calibration"]
    return [Arm("DP-2S-GD", T, given["rho1"], given["rho2"], steps, gamma, calibration, {"T": T})]
