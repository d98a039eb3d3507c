"""Attacks on single Gaussian releases: a noisy minimiser, and the largest eigenvalue beside a descent."""

import math

import numpy as np

from dpdescent.algorithms import preconditioning
from dpdescent.baselines import output_perturbation
from dpdescent.data.linear import LinearSample
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit.attack import Array, Attack

GAMMA, RIDGE, FAR = 1.0, 0.5, 1e9


def minimiser_moves(mu: float) -> Attack:
    """Attack on output perturbation: the minimiser moves by its whole sensitivity."""
    calibration = output_perturbation.Calibration(2, GAMMA, RIDGE, 0.5 * mu**2)
    pair = [
        output_perturbation.minimiser(LinearSample(np.array([[1.0], [0.0]]), np.array([label, 0.0])), GAMMA, RIDGE)[0]
        for label in (-FAR, FAR)
    ]
    sd = calibration.release.noise_sd

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (centre + sd * rng.standard_normal(runs) for centre in pair)
        return first, second

    return Attack(
        f"2 records, one at the origin, the other x = 1 with y = -{FAR:g} or {FAR:g}, ridge {RIDGE:g}; score: the "
        "released minimiser",
        simulate,
        mu=(pair[1] - pair[0]) / sd,
    )


def with_eigenvalue(attack: Attack, rho: float) -> Attack:
    """Returns the attack on a descent after the release of the largest eigenvalue of the covariates' second moment.

    On one side the record is as long as the bound, on the other next to zero, with a label that makes up for it: its
    gradient is clipped all the same, so that the pair moves both releases by their whole sensitivities.

    Args:
        attack: on the descent, scores being numbers.
        rho: zCDP cost of the eigenvalue.
    """
    centres = []
    for length in (0.0, 1.0):
        found, release = preconditioning.largest_eigenvalue(np.array([[length], [0.0]]), 1.0, rho, 0.0)
        centres.append(found)

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            np.column_stack([score, centre + release.noise_sd * rng.standard_normal(runs)])
            for score, centre in zip(attack.simulate(runs, rng), centres, strict=True)
        )
        return first, second

    return Attack(
        f"{attack.pair}; beside it the largest eigenvalue of the second moment is released, and the record has length "
        "0 or that of the bound; score: linear in both",
        simulate,
        mu=None if attack.mu is None else math.hypot(attack.mu, zcdp.gaussian_dp_mu(rho)),
        most_runs=attack.most_runs,
    )
