"""Weak first stages, where the noise in Theta acts as an error in variables and attenuates beta."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVParameters, draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one first stage: estimates of beta = 1, beside the values that the attenuation predicts."""
    strength, n = spec["cell"]["first_stage"], spec["cell"]["n"]
    parameters = design(strength)
    problem = prescriptions.IVProblem.of(parameters, n, spec["settings"]["tau"])
    for trial in range(*spec["trials"]):
        rng = stream(spec["seed"], synthetic.PAPER, spec["artefact"], f"first_stage={strength}_n={n}", "trial", trial)
        sample = draw_sample(parameters, n, rng)
        fit, runs = two_stage_least_squares(sample), arms(spec, problem)
        normals = dp_2s_gd.Normals.draw(rng, max(arm.T for arm in runs), 1, 1)
        result = dp_2s_gd.descend(sample, columns(runs, n), normals)
        axes = {"first_stage": strength, "trial": trial}
        yield {**axes, "series": "2SLS", "rho1": float("inf"), "value": fit.beta[0], "predicted": fit.beta[0]}
        for arm, beta in zip(runs, result.beta[:, 0], strict=True):
            factor = attenuation(fit.Theta[0, 0], float(np.mean(sample.Z**2)), arm, n)
            yield {**axes, **arm.labels, "series": arm.algorithm, "value": beta, "predicted": factor * fit.beta[0]}


def design(strength: float) -> IVParameters:
    """Returns parameters with one instrument, one regressor and one confounder: Theta = strength, all others 1."""
    one = np.ones(1)
    return IVParameters(one, np.array([[strength]]), Phi=np.ones((1, 1)), phi=one)


def attenuation(theta_hat: float, second_moment: float, arm: Arm, n: int) -> float:
    """Returns the factor by which the noise in Theta^(t) shrinks beta (from liang2025 Lemma D.4 at p = q = 1).

    `theta_hat^2 / (theta_hat^2 + s^2)`, where s^2 is the stationary variance of Theta^(t).
    """
    contraction = 1.0 - arm.steps.eta * second_moment
    variance = (arm.steps.eta * arm.noise_sd(arm.rho1, n)) ** 2 / (1.0 - contraction**2)
    return theta_hat**2 / (theta_hat**2 + variance)


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one first stage."""
    n = spec["cell"]["n"]
    problem = prescriptions.IVProblem.of(design(spec["cell"]["first_stage"]), n, spec["settings"]["tau"])
    return synthetic.listed(spec, arms(spec, problem), n)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm for each first-stage budget.

    The second stage gets a large budget, so that the noise of the first stage dominates.
    """
    given, steps = spec["arms"], synthetic.step_sizes(spec, problem)
    gamma = synthetic.threshold(spec, problem, given["T"])
    return [
        Arm("DP-2S-GD", given["T"], rho1, given["rho2"], steps, gamma, spec["settings"]["calibration"], {"rho1": rho1})
        for rho1 in given["rho1"]
    ]
