"""Schedules of the budget over the steps of a descent on all records."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dpdescent.algorithms.dp_gd import DPGDArms, descend
from dpdescent.data.linear import LinearSample
from dpdescent.noise import schedule

ETA, EIGENVALUES = 0.3, np.array([0.4, 1.0, 2.5])


def iterates(noise: np.ndarray) -> np.ndarray:
    """Iterates 1 to T of `x <- (1 - eta h) x + eta z` from zero, by steps; noise (T, p)."""
    x, path = np.zeros(len(EIGENVALUES)), []
    for z in noise:
        x = (1.0 - ETA * EIGENVALUES) * x + ETA * z
        path.append(x)
    return np.array(path)


def by_impulses(steps: int, tail: int) -> np.ndarray:
    """Norms over coordinates of what a unit of noise at each step does to the mean of the last iterates."""
    found = []
    for t in range(steps):
        noise = np.zeros((steps, len(EIGENVALUES)))
        noise[t] = 1.0
        found.append(np.linalg.norm(iterates(noise)[steps - tail :].mean(0)))
    return np.array(found)


@pytest.mark.parametrize("steps", [1, 2, 9])
def test_weights_are_what_an_impulse_does(steps: int) -> None:
    np.testing.assert_allclose(schedule.weights_in_last(ETA, EIGENVALUES, steps), by_impulses(steps, 1), rtol=1e-12)
    for tail in range(1, steps + 1):
        found = schedule.weights_in_average(ETA, EIGENVALUES, steps, tail)
        np.testing.assert_allclose(found, by_impulses(steps, tail), rtol=1e-12)


def sensitivity(encoder: np.ndarray) -> float:
    """The largest |C g| over g in [-1, 1]^T: a convex function, so that a corner has it."""
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=len(encoder))))
    return float(np.linalg.norm(corners @ encoder.T, axis=1).max())


def product(encoder: np.ndarray, weights: np.ndarray) -> float:
    """Sensitivity times the sd of the noise in the estimate, for one coordinate."""
    return sensitivity(encoder) * float(np.linalg.norm(np.linalg.inv(encoder).T @ weights))


@pytest.mark.parametrize("tail", [1, 3, 6])
def test_no_encoder_beats_the_schedule(tail: int) -> None:
    """Neither random ones nor what a search from the schedule and from anti-correlation finds."""
    steps = 6
    weights = schedule.weights_in_average(0.4, [1.0], steps, tail)
    least = math.sqrt(schedule.least_variance(weights, 1.0, 0.5))
    assert least == pytest.approx(weights.sum(), rel=1e-12)
    # Independent noise of variance 1 / |W_t| is an encoder too: the diagonal one.
    best = np.diag(np.sqrt(weights))
    assert product(best, weights) == pytest.approx(least, rel=1e-12)
    rng, lower = np.random.default_rng(1), np.tril_indices(steps)

    def value(entries: np.ndarray) -> float:
        encoder = np.zeros((steps, steps))
        encoder[lower] = entries
        return product(encoder, weights)

    starts = [best + 0.3 * np.tril(rng.standard_normal((steps, steps))) for _ in range(4)]
    starts += [np.tril(0.5 ** np.abs(np.subtract.outer(range(steps), range(steps))))]
    for start in starts:
        assert value(start[lower]) > least
        found = minimize(value, start[lower], method="Nelder-Mead", options={"maxiter": 1500})
        assert found.fun >= least * (1 - 1e-9)


def test_the_schedule_has_the_least_variance_and_equal_parts_more() -> None:
    weights = schedule.weights_in_last(ETA, EIGENVALUES, 12)
    least = schedule.least_variance(weights, 0.1, 0.02)
    assert schedule.variance(weights, schedule.shares(weights, floor=0.0), 0.1, 0.02) == pytest.approx(least, rel=1e-12)
    assert least < schedule.variance(weights, schedule.shares(weights), 0.1, 0.02)
    assert schedule.shares(weights, floor=1.0) == pytest.approx(np.full(12, 1 / 12))
    equal = schedule.variance(weights, np.full(12, 1 / 12), 0.1, 0.02)
    assert equal == pytest.approx(0.1**2 / 0.04 * 12 * (weights**2).sum(), rel=1e-12)


def test_iterations_are_free_with_the_schedule_and_not_with_equal_parts() -> None:
    found = {}
    for steps in (20, 200):
        weights = schedule.weights_in_last(0.25, np.ones(3), steps)
        found[steps] = [schedule.variance(weights, part, 1.0, 1.0) for part in
                        (schedule.shares(weights, 0.0), np.full(steps, 1 / steps))]  # fmt: skip
    assert found[200][0] < 1.01 * found[20][0]
    assert found[200][1] > 9.5 * found[20][1]


def test_dp_gd_has_the_variance_that_is_predicted() -> None:
    """On data without clipping, whose second moments are the eigenvalues."""
    p, runs, steps, rho, sens = 3, 4000, 15, 0.5, 0.02
    X = np.diag(np.sqrt(p * EIGENVALUES))
    weights = schedule.weights_in_last(ETA, EIGENVALUES, steps)
    for part in (schedule.shares(weights), np.full(steps, 1 / steps)):
        noise_sd = sens / np.sqrt(2.0 * rho * part)
        arms = DPGDArms(steps, np.full(runs, ETA), np.full(runs, np.inf), np.tile(noise_sd[:, None], runs))
        normals = np.random.default_rng(2).standard_normal((steps, 1, runs, p))
        theta = descend([LinearSample(X, np.zeros(p))], arms, normals).theta[0]
        found = (theta**2).sum(1)
        assert abs(found.mean() - schedule.variance(weights, part, sens, rho)) < 4 * found.std() / math.sqrt(runs)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: schedule.weights_in_last(1.0, [1.0, 2.0], 5), "give positive ones"),
        (lambda: schedule.weights_in_last(0.1, [0.0, 2.0], 5), "give positive ones"),
        (lambda: schedule.weights_in_last(0.1, [], 5), "give positive ones"),
        (lambda: schedule.weights_in_last(0.1, [1.0], 0), "steps must be positive"),
        (lambda: schedule.weights_in_average(0.1, [1.0], 5, 6), "tail=6 must lie between 1 and T=5"),
        (lambda: schedule.shares([0.0, 0.0]), "with a positive sum"),
        (lambda: schedule.shares([1.0, -1.0]), "must be non-negative"),
        (lambda: schedule.shares([1.0], floor=1.5), r"floor=1\.5 must lie between 0 and 1"),
        (lambda: schedule.variance([1.0, 1.0], [1.0, 0.0], 1.0, 1.0), "needs a part of the budget"),
        (lambda: schedule.variance([1.0], [1.0], 0.0, 1.0), "sensitivity must be positive"),
    ],
)
def test_what_makes_no_schedule_is_refused(call, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=words):
        call()
