"""Preconditioned DP-GD: its sensitivities by a search over pairs, a plain loop with the same result, and its attack."""

import math
import re

import numpy as np
import pytest

from dpdescent.algorithms import preconditioning
from dpdescent.algorithms.preconditioned_dp_gd import Settings
from dpdescent.attacks import one_release
from dpdescent.attacks import preconditioned_dp_gd as attacks
from dpdescent.attacks.dp_gd import flipped_sign
from dpdescent.estimators.preconditioned_dp_gd import preconditioned_dp_gd
from dpdescent.privacy import account
from dpdescent.privacy.account import account as account_of
from dpdescent.privacy.audit import attack
from dpdescent.privacy.audit.attack import SURE
from dpdescent.randomness import secure_generator

BOUND, GAMMA, RHO = 2.0, 3.0, 0.5


def records(n: int = 300, p: int = 3, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * np.geomspace(1.0, 0.1, p)
    return X, X @ np.linspace(1.0, 2.0, p) + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("p", [1, 2, 4])
def test_no_record_moves_the_second_moment_further_than_its_sensitivity(p: int) -> None:
    rng, n, most = np.random.default_rng(2), 5, np.zeros(2)
    sensitivities = [
        preconditioning.moment_release(n, p, BOUND, RHO).sensitivity,
        preconditioning.eigenvalue_release(n, BOUND, RHO).sensitivity,
    ]
    for k in range(4000):
        X = preconditioning.bounded(rng.standard_normal((n, p)) * 10.0 ** rng.uniform(-2, 2), BOUND)
        Y = X.copy()
        Y[0] = preconditioning.bounded(rng.standard_normal((1, p)) * (0.0 if k % 7 == 0 else 10.0), BOUND)[0]
        if k % 3 == 0:
            X[1:] = Y[1:] = 0.0
            X[0], Y[0] = BOUND * np.eye(p)[0], BOUND * np.eye(p)[-1] * (p > 1)
        A, B = (each.T @ each / n for each in (X, Y))
        moved = np.linalg.norm(A - B), abs(np.linalg.eigvalsh(A)[-1] - np.linalg.eigvalsh(B)[-1])
        assert (np.array(moved) <= np.array(sensitivities) * (1.0 + 1e-12)).all()
        most = np.maximum(most, moved)
    assert most[0] == pytest.approx(sensitivities[0], rel=1e-9)


def test_a_plain_loop_gives_the_same_estimate() -> None:
    X, y = records()
    n, p, T, eta = *X.shape, 20, 0.5
    rng = np.random.default_rng(4)
    normals = rng.standard_normal((p, p)), rng.standard_normal((T, p))
    run = preconditioned_dp_gd(X, y, covariate_bound=BOUND, clip_norm=GAMMA, rng=rng, rho=RHO, normals=normals)

    cut = np.array([x * min(1.0, BOUND / np.linalg.norm(x)) for x in X])
    s = math.sqrt(2.0) * BOUND**2 / n / math.sqrt(2.0 * 0.3 * RHO)
    lower = np.tril(normals[0], -1) * s / math.sqrt(2.0)
    M = cut.T @ cut / n + lower + lower.T + np.diag(np.diag(normals[0])) * s
    values, vectors = np.linalg.eigh(M)
    W = vectors @ np.diag(np.maximum(values, 2.0 * math.sqrt(p) * s) ** -0.5) @ vectors.T
    weights = np.array([0.5 * 0.5 ** (T - 1 - t) for t in range(T)])
    shares = 0.8 * weights / weights.sum() + 0.2 / T
    phi, U = np.zeros(p), cut @ W
    for t in range(T):
        gradients = U * (U @ phi - y)[:, None]
        norms = np.linalg.norm(gradients, axis=1)
        mean = (gradients * np.minimum(1.0, GAMMA / norms)[:, None]).mean(0)
        sd = 2.0 * GAMMA / n / math.sqrt(2.0 * 0.7 * RHO * shares[t])
        phi = phi - eta * (mean - sd * normals[1][t])
    np.testing.assert_allclose(run.estimate, W @ phi, rtol=1e-9)
    np.testing.assert_allclose(run.path[-1], run.estimate, rtol=0.0)
    np.testing.assert_allclose(run.also["second_moment"], M, rtol=1e-12)


def test_its_event_costs_the_budget_and_is_a_guarantee_with_secret_noise_only() -> None:
    X, y = records()
    secret = preconditioned_dp_gd(
        X, y, covariate_bound=BOUND, clip_norm=GAMMA, rng=secure_generator(), epsilon=1.0, delta=1e-6
    )
    assert account_of(secret.event, 1e-6).epsilon == pytest.approx(1.0, rel=1e-6)
    assert secret.event.guarantee == "proved"
    seeded = preconditioned_dp_gd(X, y, covariate_bound=BOUND, clip_norm=GAMMA, rng=np.random.default_rng(1), rho=RHO)
    assert seeded.event.guarantee == "none"
    assert account.account(seeded.event, 1e-6).rho == pytest.approx(RHO, rel=1e-12)


def test_it_finds_coefficients_in_slow_directions_that_a_plain_descent_has_not_reached() -> None:
    X, y = records(20_000)
    run = preconditioned_dp_gd(X, y, covariate_bound=3.0, clip_norm=8.0, rng=np.random.default_rng(3), rho=1.0)
    assert np.abs(run.estimate - np.linspace(1.0, 2.0, 3)).max() < 0.1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"covariate_bound": 0.0}, "covariate_bound must be positive"),
        ({"clip_norm": -1.0}, "clip_norm must be positive"),
        ({"step_size": 2.0}, "step_size=2.0 must be below 2"),
        ({"moment_share": 1.0}, "moment_share must lie strictly between"),
        ({"floor": 1.5}, "floor=1.5 must lie between 0 and 1"), ({"steps": 0}, "steps must be positive"),
        ({"normals": (np.zeros((2, 2)), np.zeros((20, 3)))}, "normals[0] of shape (2, 2)"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(given: dict, told: str) -> None:
    X, y = records(50)
    common = {"covariate_bound": BOUND, "clip_norm": GAMMA, "rng": np.random.default_rng(1), "rho": RHO}
    with pytest.raises(ValueError, match=re.escape(told)):
        preconditioned_dp_gd(X, y, **(common | given))


# Attacks


def test_one_pair_nearly_moves_all_releases_at_once() -> None:
    """Its mu rises to the whole account as the budget does, because noise then leaves the preconditioner alone."""
    shares = [attacks.mu_of_pair(rho) / math.sqrt(2.0 * rho) for rho in (0.001, 0.03, 0.5)]
    assert shares == sorted(shares)
    assert shares[0] > 0.9
    assert 0.99 < shares[-1] < 1.0
    # With the noise in the coordinates, at the smallest budget of the contest, more than nine tenths of mu and of rho.
    for rho in (0.00138, 0.03):
        assert 0.9 * rho < attacks.cost_of_pair(rho) < rho
        assert attacks.turning_record(rho).cost == attacks.cost_of_pair(rho)


def test_the_attack_stays_below_the_account_and_tells_most_of_it() -> None:
    rho = 2.0
    found = attack.run(attacks.turning_record(rho), 400, np.random.default_rng(5))
    assert 0.5 * math.sqrt(2.0 * rho) < found.mu_low()
    assert found.mu_low(SURE) <= math.sqrt(2.0 * rho)


def test_the_largest_eigenvalue_adds_its_cost_to_that_of_the_descent() -> None:
    built = one_release.with_eigenvalue(flipped_sign(3, 0.8), 0.18)
    assert built.mu == pytest.approx(1.0, rel=1e-12)
    found = attack.run(built, 20_000, np.random.default_rng(6))
    assert 0.9 <= found.mu_low() <= 1.02
    assert found.mu_low(SURE) <= 1.0


def test_the_mean_adds_its_cost_to_that_of_the_descent() -> None:
    built = one_release.with_mean(flipped_sign(3, 0.8), 0.18)
    assert built.mu == pytest.approx(1.0, rel=1e-12)
    found = attack.run(built, 20_000, np.random.default_rng(6))
    assert 0.9 <= found.mu_low() <= 1.02
    assert found.mu_low(SURE) <= 1.0


def test_the_event_lists_the_moment_first_and_one_release_a_step() -> None:
    releases = Settings(BOUND, GAMMA, RHO).mechanism(100, 3).releases
    assert len(releases) == 21
    assert releases[0].what == "second moment of clipped covariates"


def test_a_released_mean_and_second_moment_count_records() -> None:
    """Rows with counts give what repeated records do, and the mean moves by 2 B / n at most."""
    rng = np.random.default_rng(4)
    X, count, none = rng.standard_normal((12, 3)), rng.integers(0, 4, 12).astype(float), np.zeros((3, 3))
    repeated, n = np.repeat(X, count.astype(int), axis=0), int(count.sum())
    few, many = preconditioning.centre(X, 1.5, 1.0, none[0], count), preconditioning.centre(repeated, 1.5, 1.0, none[0])
    np.testing.assert_allclose(few, many, rtol=1e-12)
    within = preconditioning.bounded(X, 1.5)
    moments = (
        preconditioning.whiten(within, 1.5, 1.0, none, count).moment,
        preconditioning.whiten(np.repeat(within, count.astype(int), axis=0), 1.5, 1.0, none).moment,
    )
    np.testing.assert_allclose(*moments, rtol=1e-12)
    release = preconditioning.mean_release(n, 1.5, 0.3)
    assert release.rho == pytest.approx(0.3)
    for far in (1e6, -1e6, 0.0):
        moved = preconditioning.centre(np.vstack([repeated[1:], np.full(3, far)]), 1.5, 1.0, none[0])
        assert np.linalg.norm(moved - many) <= release.sensitivity * (1.0 + 1e-12)
