"""Attacks on methods with rounds of noisy products: boosted AdaSSP, iterative Hessian mixing, Poisson DP-SGD.

There are two records, one at the origin, so that all releases depend on the other one alone. Its outcome is so far out
that its residual is clipped in every round, whatever the coefficients are. So the release of a round does not depend on
the rounds before, and the log likelihood ratio of all releases is a sum over them.
"""

from collections.abc import Callable

import numpy as np

from dpdescent.baselines import boosted_ada_ssp, iterative_hessian_mixing, poisson_dp_sgd
from dpdescent.baselines.ada_ssp import Bounds
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.audit.attack import Array, Attack

# Public bounds, equal to 1 because only noise in units of the sensitivities matters, and distances of the record.
UNIT, BEYOND, FAR = Bounds(1.0, 1.0, "public"), 10.0, 1e12
_RECORDS = f"2 records, one at the origin, the other there too or x = {BEYOND:g}, y = {FAR:g}"
# Largest number of runs, because fits are made one at a time.
MOST_RUNS = 20_000


def _pair(first: tuple[float, float], second: tuple[float, float]) -> list[LinearSample]:
    """Two data sets with one record each beside the origin."""
    return [LinearSample(np.array([[x], [0.0]]), np.array([y, 0.0])) for x, y in (first, second)]


def _simulation(
    pair: list[LinearSample], score: Callable[[LinearSample, np.random.Generator], float]
) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (np.array([score(side, rng) for _ in range(runs)]) for side in pair)
        return first, second

    return simulate


def boosted(rho: float, rounds: int) -> Attack:
    """Attack on boosted AdaSSP: the record is at the bound, or at the origin too.

    The pair moves the eigenvalue by its whole sensitivity, X'X by 1 / sqrt(2) of its sensitivity and the products by
    half of theirs; no pair that we know attains all three.

    Args:
        rho: zCDP budget.
        rounds: number of rounds.
    """
    settings = boosted_ada_ssp.Settings(UNIT, rho, rounds=rounds)
    weights = [release.noise_sd**-2 for release in settings.releases]

    def score(side: LinearSample, rng: np.random.Generator) -> float:
        fit = boosted_ada_ssp.fit(side, settings, rng)
        parts = fit.eigenvalue, float(fit.xx[0, 0]), float(fit.products.sum())
        return float(np.dot(weights, parts))

    return Attack(
        f"{_RECORDS}; score: likelihood ratio of all releases",
        _simulation(_pair((0.0, 0.0), (BEYOND, FAR)), score),
        mu=float(np.sqrt(np.dot(weights, [1.0, 1.0, rounds]))),
        most_runs=MOST_RUNS,
    )


def with_noise(multiplier: float, rounds: int) -> Attack:
    """Attack on boosted AdaSSP with the given noise multiplier in each release, by its coefficient alone.

    One record is x = 1, y = 1, the other is x = 0, or x = 1, y = -1: with the latter the coefficient goes to 0, without
    it to 1. Bounds and thresholds are 1, and there is no shrinkage.

    Args:
        multiplier: sd of the noise divided by the sensitivity, for each of the `rounds + 2` releases.
        rounds: number of rounds.
    """

    def coefficients(y: Array, x: Array, runs: int, rng: np.random.Generator) -> Array:
        moment = float(x @ x)
        noisy, lowest = moment + multiplier * rng.standard_normal((2, runs))
        least = np.maximum(0.0, lowest - boosted_ada_ssp.QUANTILE * multiplier)
        slope = noisy + np.maximum(0.0, boosted_ada_ssp.QUANTILE * multiplier - least)
        theta = np.zeros(runs)
        for _ in range(rounds):
            residuals = np.clip(y - theta[:, None] * x, -1.0, 1.0)
            theta += (residuals @ x + multiplier * rng.standard_normal(runs)) / slope
        return theta

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x, y = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [-1.0, 1.0]])
        first, second = (-coefficients(y[k], x[k], runs, rng) for k in range(2))
        return first, second

    return Attack(
        "2 records, one x = 1, y = 1, the other x = y = 0 or x = 1, y = -1; score: the coefficient, its sign turned",
        simulate,
    )


def sketched(eps: float, delta: float, rounds: int) -> Attack:
    """Attack on iterative Hessian mixing: the record is at the bound, or at the origin too.

    There is one covariate. A record that turns from one axis to another would need two, and would cost twice as much in
    the sketches.

    Args:
        eps, delta: budget.
        rounds: number of rounds.
    """
    settings = iterative_hessian_mixing.Settings(UNIT, 1, eps, delta, rounds=rounds)
    one, sketches, residuals = settings.releases
    level = sketches.noise_sd**2
    weights = one.noise_sd**-2, 0.5 / level - 0.5 / (level + 1.0), residuals.noise_sd**-2

    def score(side: LinearSample, rng: np.random.Generator) -> float:
        fit = iterative_hessian_mixing.fit(side, settings, rng)
        return float(np.dot(weights, (fit.limit, fit.moments.sum(), fit.products.sum())))

    return Attack(
        f"{_RECORDS}; score: likelihood ratio of all releases at the noise of most runs",
        _simulation(_pair((0.0, 0.0), (BEYOND, FAR)), score),
        most_runs=MOST_RUNS,
    )


def sampled(eps: float, delta: float, rate: float, steps: int) -> Attack:
    """Attack on DP-SGD with Poisson batches: the record's gradient flips its sign in every batch that contains it.

    Args:
        eps, delta: budget.
        rate: probability that a record is in a batch.
        steps: number of steps.
    """
    settings = poisson_dp_sgd.Settings(2, 1.0, 0.1, rate, steps, eps, delta)
    variance = settings.release.noise_sd**2

    def score(side: LinearSample, rng: np.random.Generator) -> float:
        sums = poisson_dp_sgd.fit(side, settings, rng).sums
        # Log densities relative to noise alone, for sums that are -1 or 1 in a batch with the record.
        up, down = (np.log1p(rate * np.expm1((at * sums - 0.5) / variance)) for at in (1.0, -1.0))
        return float((up - down).sum())

    return Attack(
        f"2 records, one at the origin, the other x = 1, y = {FAR:g} or -{FAR:g}; score: likelihood ratio of all sums",
        _simulation(_pair((1.0, FAR), (1.0, -FAR)), score),
        most_runs=MOST_RUNS,
    )
