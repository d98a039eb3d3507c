"""Figure 7: error against the step sizes, up to and beyond the ceilings of eq. (3)."""

from collections.abc import Iterable, Iterator

from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025.arms import Arm
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one panel: errors at every fraction of the ceiling, the ceiling, and the approximate optimum."""

    def optimum(sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]) -> list[synthetic.Row]:
        window = prescriptions.spectrum(problem, synthetic.constants(spec))
        best, ceiling = prescriptions.approximately_optimal_step_sizes(window), prescriptions.step_size_ceilings(window)
        return [{"ceiling": _varied(spec, ceiling), "approximate_optimum": _varied(spec, best)} for _ in runs]

    return ({"panel": spec["panel"], **row} for row in synthetic.run(spec, arms, optimum))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one panel."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm for every fraction of the ceiling of the panel's step size; the other is fixed (App. G.1)."""
    ceiling = prescriptions.step_size_ceilings(prescriptions.spectrum(problem, synthetic.constants(spec)))
    cell, settings = spec["cell"], spec["arms"]
    runs = []
    for fraction in settings["step_fraction"]:
        eta = (fraction if spec["panel"] == "a" else cell["held_fraction"]) * ceiling.eta
        alpha = (fraction if spec["panel"] == "b" else cell["held_fraction"]) * ceiling.alpha
        steps = prescriptions.StepSizes(eta, alpha)
        labels = {"step": _varied(spec, steps), "step_fraction": fraction}
        gamma = synthetic.threshold(spec, problem, settings["T"])
        calibration = spec["settings"]["calibration"]
        runs.append(
            Arm("DP-2S-GD", settings["T"], settings["rho1"], settings["rho2"], steps, gamma, calibration, labels)
        )
    return runs


def _varied(spec: synthetic.Spec, steps: prescriptions.StepSizes) -> float:
    return steps.eta if spec["panel"] == "a" else steps.alpha
