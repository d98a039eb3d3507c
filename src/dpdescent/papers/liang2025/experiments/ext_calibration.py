"""The noise of Prop. 3.1 as published against less noise with the same guarantee, and a schedule of both stages.

A total of rho is converted to (epsilon, delta) by the paper's formula, which holds for every mechanism. Gaussian noise
has an exact account, by which the same (epsilon, delta) admits a larger total. A schedule gives a step what its noise
counts for in the last iterate.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.data.iv import IVSample
from dpdescent.noise import schedule
from dpdescent.papers.liang2025.arms import Arm, Array, mechanism
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.events import Mechanism

PUBLISHED, EXACT = "as published", "exact"
ACCOUNTANT, SCHEDULED = "exact accountant", "exact accountant and schedule"


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Returns rows of one sample size: errors of every arm, the noise sd, and the budget that it spends."""

    def spent(sample: IVSample, problem: prescriptions.IVProblem, runs: list[Arm]) -> list[synthetic.Row]:
        n = problem.n
        noise = [arm.noise_sd(arm.rho1, n) if arm.shares is None else math.nan for arm in runs]
        return [{"noise_sd": sd, "achieved_rho": mechanism(arm, n).rho} for sd, arm in zip(noise, runs, strict=True)]

    return ({"n": spec["cell"]["n"], **row} for row in synthetic.run(spec, arms, spent))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns arms that differ in the calibration of the noise, and in how it is laid out over the steps."""
    steps, given, delta = synthetic.step_sizes(spec, problem), spec["arms"], spec["settings"]["dp_delta"]
    T, rho1, rho2 = given["T"], given["rho1"], given["rho2"]
    gamma = synthetic.threshold(spec, problem, T)
    more = tight_rho(zcdp.epsilon(rho1 + rho2, delta), delta) / (rho1 + rho2)
    larger = more * rho1, more * rho2, steps, gamma
    return [
        Arm("DP-2S-GD", T, rho1, rho2, steps, gamma, "as published", series=PUBLISHED),
        Arm("DP-2S-GD", T, rho1, rho2, steps, gamma, "exact", series=EXACT),
        Arm("DP-2S-GD", T, *larger, "exact", series=ACCOUNTANT),
        Arm("DP-2S-GD", T, *larger, "exact", series=SCHEDULED, shares=shares(problem, steps, T, given["floor"])),
    ]


def shares(
    problem: prescriptions.IVProblem, steps: prescriptions.StepSizes, T: int, floor: float
) -> tuple[Array, Array]:
    """Returns the parts of both stages' budgets by step, each of shape (T,), for instruments of unit covariance.

    In the linear descent about 2SLS, noise of the second stage at step t stands in the last iterate with `alpha (1 -
    alpha h)^(T-1-t)`, h an eigenvalue of Theta'Theta, and noise of the first stage with `sum_s alpha (1 - alpha
    h)^(T-1-s) eta (1 - eta)^(s-1-t)` over later steps s, times the root of h. Of the eigenvalues the ends are public,
    as the step sizes are; the others are taken to lie between them in equal ratios.
    """
    h = np.geomspace(problem.theta_min**2, problem.theta_norm**2, problem.p)
    second = steps.alpha * (1.0 - steps.alpha * h) ** np.arange(T - 1, -1, -1)[:, None]
    carried = steps.eta * (1.0 - steps.eta) ** np.arange(T)
    first = np.array([carried[: T - 1 - t] @ second[t + 1 :] for t in range(T)]) * np.sqrt(h)
    both = (schedule.shares(np.linalg.norm(weights, axis=1), floor) for weights in (first, second))
    return next(both), next(both)
