"""Attacks on single Gaussian releases: a noisy minimiser, and an eigenvalue or a mean beside a descent."""

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

    On one side the record is as long as the bound, on the other its length is almost zero, with a label that
    compensates: its gradient is clipped all the same, so that the pair moves both releases by their whole
    sensitivities.

    Args:
        attack: attack on the descent, whose scores are numbers.
        rho: zCDP cost of the eigenvalue.
    """
    pair = [preconditioning.largest_eigenvalue(np.array([[length], [0.0]]), 1.0, rho, 0.0) for length in (0.0, 1.0)]
    words = "the largest eigenvalue of the second moment is released, and the record has length 0 or that of the bound"
    return _beside(attack, [centre for centre, _ in pair], pair[0][1].noise_sd, rho, words)


def with_mean(attack: Attack, rho: float) -> Attack:
    """Returns the attack on a descent after the release of the mean of clipped records.

    The pair's regressor and outcome flip their signs and are so large that the clipped record points along them, so
    that the mean moves by its whole sensitivity too. The values from which the mean is subtracted are as large, so that
    centring changes no clipped gradient.

    Args:
        attack: attack on the descent, whose scores are numbers.
        rho: zCDP cost of the mean.
    """
    pair = [
        float(preconditioning.centre(np.array([[side * FAR], [0.0]]), 1.0, rho, np.zeros(1))[0]) for side in (-1, 1)
    ]
    words = "the mean of clipped records is released, which flips with the record"
    return _beside(attack, pair, preconditioning.mean_release(2, 1.0, rho).noise_sd, rho, words)


def largest_mu_after(rho: float, q: int, mu: float) -> float:
    """Returns the largest Gaussian-DP parameter of one pair if a run begins with a mean and a second moment.

    The mean of the records moves by its whole sensitivity. So does the second moment of one instrument, from its bound
    to almost zero, which leaves clipped gradients as they are. Several instruments would have to turn as well, and
    gradients of the first stage with them: a change of length alone is worth half of the budget.

    Args:
        rho: zCDP cost of the mean and of the second moment each, at most a quarter of the first stage's.
        q: number of instruments.
        mu: the largest parameter of all later releases.
    """
    return math.sqrt(2.0 * rho * (2.0 if q == 1 else 1.5) + mu**2)


def _beside(attack: Attack, centres: list[float], noise_sd: float, rho: float, words: str) -> Attack:
    """The attack with one more release, whose mean has these two centres on the pair; scores get a further column."""

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            np.column_stack([score, centre + noise_sd * rng.standard_normal(runs)])
            for score, centre in zip(attack.simulate(runs, rng), centres, strict=True)
        )
        return first, second

    return Attack(
        f"{attack.pair}; beside it {words}; score: linear in both",
        simulate,
        mu=None if attack.mu is None else math.hypot(attack.mu, zcdp.gaussian_dp_mu(rho)),
        most_runs=attack.most_runs,
    )
