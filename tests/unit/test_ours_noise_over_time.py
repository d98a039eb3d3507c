"""Layouts of noise over time, their privacy events and attacks, and the tables that are made of them."""

import math
from pathlib import Path

import numpy as np
import pytest

from dpdescent.attacks import dp_gd as attacks
from dpdescent.noise import schedule
from dpdescent.papers.ours import layouts
from dpdescent.papers.ours.setting import spectrum
from dpdescent.replication.configuration import project

QUICK = project.load({"scale": "quick", "seed": 3, "papers": ["ours"]}, Path(__file__).resolve().parents[2])

T, ETA = 7, 0.3
EIGENVALUES = np.array([0.2, 1.0, 2.0])
RESPONSE = schedule.response(ETA, EIGENVALUES, layouts.last_iterate(T))
WEIGHTS = np.linalg.norm(RESPONSE, axis=1)
ARMS = [
    layouts.uniform(T), layouts.scheduled(layouts.SCHEDULE, WEIGHTS, 0.1),
    layouts.scheduled(layouts.PURE, WEIGHTS, 0.0), layouts.correlated("lambda", 0.5, T),
    layouts.correlated("lambda", 1.0, T), layouts.correlated("nu", 0.1, T),
]  # fmt: skip


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_every_arm_spends_the_budget(arm: layouts.Arm) -> None:
    event = arm.mechanism(2.0, 500, 0.03)
    assert event.rho == pytest.approx(0.03, rel=1e-12)
    assert sum(release.count for release in event.releases) == (1 if arm.is_correlated else T)


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_variance_is_that_of_the_recursion(arm: layouts.Arm) -> None:
    """Moves each normal by one and runs the descent: the sum of squares is the variance."""
    gamma, n, rho = 2.0, 500, 0.03
    sds, total = arm.noise_sd(gamma, n, rho), 0.0
    for t in range(T):
        normals = np.zeros((T, 1))
        normals[t] = 1.0
        noise = sds[:, None] * (arm.strategy.correlate(normals) if arm.is_correlated else normals)
        x = np.zeros(len(EIGENVALUES))
        for z in noise:
            x = (1.0 - ETA * EIGENVALUES) * x + ETA * z
        total += float(x @ x)
    unit = (2.0 * gamma / n) ** 2 / (2.0 * rho)
    assert unit * arm.relative_variance(RESPONSE) == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_no_arm_is_below_the_least_variance(arm: layouts.Arm) -> None:
    ratio = arm.relative_variance(RESPONSE) / schedule.least_variance(WEIGHTS, 1.0, 0.5)
    assert ratio == pytest.approx(1.0, rel=1e-12) if arm.name == layouts.PURE else ratio > 1.0 + 1e-6


def test_the_sensitivity_of_correlated_noise_is_that_of_its_encoder() -> None:
    """Over all signs of the steps' gradients, which for one coordinate are the corners of what neighbours can do."""
    corners = np.array(np.meshgrid(*[(-1.0, 1.0)] * T)).reshape(T, -1)
    for arm in ARMS[3:]:
        exact = np.linalg.norm(arm.strategy.encoder(T) @ corners, axis=0).max()
        (release,) = arm.mechanism(1.0, 2, 0.5).releases
        assert release.sensitivity == pytest.approx(exact, rel=1e-12)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(ValueError, match="family='mu' must be lambda or nu"):
        layouts.correlated("mu", 0.5, T)


@pytest.mark.parametrize(
    "attack",
    [
        attacks.flipped_sign_scheduled(9, decay=0.7, floor=0.1, mu=1.5),
        attacks.flipped_sign_correlated(1.0, 0.5, 9, mu=1.5),
        attacks.flipped_sign_correlated(0.5, 0.1, 9, mu=1.5),
    ],
    ids=["schedule", "lambda", "nu"],
)
def test_attacks_attain_the_account(attack: attacks.Attack) -> None:
    assert attack.mu == pytest.approx(1.5, rel=1e-9)
    first, second = attack.simulate(4000, np.random.default_rng(5))
    pooled = math.sqrt(0.5 * (first.var() + second.var()))
    assert (second.mean() - first.mean()) / pooled == pytest.approx(1.5, abs=0.1)


def test_the_spectrum_goes_from_one_to_its_inverse_condition() -> None:
    np.testing.assert_allclose(spectrum(3, 100.0), [1.0, 0.1, 0.01])
    np.testing.assert_allclose(spectrum(1, 50.0), [0.02])
