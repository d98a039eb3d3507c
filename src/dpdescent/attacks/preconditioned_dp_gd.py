"""Attack on preconditioned DP-GD: a record turns in a plane whose other axis the preconditioner shrinks.

The second moment moves most between orthogonal records, the gradient most between opposite ones. With x = a + b and x'
= a - b, of equal lengths a and b, the records are orthogonal. If all others lie along b, the preconditioner shrinks b,
so that W x and W x' are nearly parallel, and labels of opposite sign make their gradients opposite. The larger n is,
the closer one pair comes to moving all releases at once, so that no account below the sum of both costs would be right.
"""

import math

import numpy as np

from dpdescent.algorithms import preconditioned_dp_gd as method
from dpdescent.algorithms import preconditioning
from dpdescent.algorithms.reduced_form import symmetric
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.clipping import clip_factors
from dpdescent.privacy.events import GaussianReleases
from dpdescent.sums import added

# Number of records, bound, threshold, and a label so far away that the gradient is clipped whatever the iterate.
N, BOUND, GAMMA, FAR = 1000, 1.0, 1.0, 1e9
# Largest number of runs, because runs are made one by one.
MOST_RUNS = 4_000
# Number of draws of the noise in the coordinates over which the pair's cost is averaged.
DRAWS = 1000


def turning_record(rho: float) -> Attack:
    """Attack at the defaults of the method and this zCDP budget, scored by the likelihood ratio of all releases."""
    pair = [_sample(side) for side in (1.0, -1.0)]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (np.array([_score(*data, rho, rng) for _ in range(runs)]) for data in pair)
        return first, second

    return Attack(
        f"p = 2, {N} records, all but one x = (0, {BOUND:g}), y = 0; that one (1, 1) / sqrt(2) with y = -{FAR:g}, or "
        f"(1, -1) / sqrt(2) with y = {FAR:g}: orthogonal, and nearly parallel in the private coordinates; score: "
        f"likelihood ratio of the second moment and of all steps; without the noise in the coordinates the pair's mu "
        f"is {mu_of_pair(rho):.4g}",
        simulate,
        rho=cost_of_pair(rho),
        most_runs=MOST_RUNS,
    )


def mu_of_pair(rho: float) -> float:
    """Returns the Gaussian-DP parameter that the pair would have without noise in the second moment of coordinates."""
    moment, *steps = _releases(method.Settings(BOUND, GAMMA, rho))
    held = np.array([2.0 * math.sqrt(2.0) * moment.noise_sd, BOUND**2])
    cosine = (held[1] - held[0]) / (held[1] + held[0])
    return math.sqrt(2.0 * (moment.rho + added(step.rho for step in steps) * (1.0 + cosine) / 2.0))


def cost_of_pair(rho: float) -> float:
    """Returns the zCDP cost that the pair realises, a mean over the noise in the coordinates."""
    moment, *steps = _releases(method.Settings(BOUND, GAMMA, rho))
    X, pair = _sample(1.0)[0], [_sample(side)[0][0] for side in (1.0, -1.0)]
    noise = symmetric(np.random.default_rng(0).standard_normal((DRAWS, 2, 2)))
    cosines = []
    for noisy in X.T @ X / N + moment.noise_sd * noise:
        W = preconditioning.transform(noisy, moment.noise_sd)
        first, second = (W @ x for x in pair)
        cosines.append(float(first @ second) / math.hypot(*first) / math.hypot(*second))
    return moment.rho + added(step.rho for step in steps) * (1.0 + math.fsum(cosines) / DRAWS) / 2.0


def _sample(side: float) -> tuple[Array, Array]:
    X, y = np.tile([0.0, BOUND], (N, 1)), np.zeros(N)
    X[0], y[0] = BOUND / math.sqrt(2.0) * np.array([1.0, side]), -side * FAR
    return X, y


def _releases(settings: method.Settings) -> list[GaussianReleases]:
    """The Gaussian releases of a run: the second moment, then the steps."""
    return [release for release in settings.mechanism(N, 2).releases if isinstance(release, GaussianReleases)]


def _score(X: Array, y: Array, rho: float, rng: np.random.Generator) -> float:
    """Log likelihood ratio of one run's releases, the second data set against the first, up to a constant."""
    settings = method.Settings(BOUND, GAMMA, rho)
    releases = _releases(settings)
    run = method.descend(X, y, settings, (rng.standard_normal((2, 2)), rng.standard_normal((settings.steps, 2))))
    moment = run.moment
    # The records differ only in the entry off the diagonal, which occurs twice, with half the variance.
    total = -2.0 * (BOUND**2 / N) * float(moment[0, 1]) / releases[0].noise_sd ** 2
    W = preconditioning.transform(moment, releases[0].noise_sd)
    sides = [W @ _sample(side)[0][0] for side in (1.0, -1.0)]
    # The clipped gradient of a record with such a residual: residuals are FAR and -FAR.
    first, second = (sign * GAMMA * u / np.linalg.norm(u) for sign, u in zip((1.0, -1.0), sides, strict=True))
    path = np.vstack([np.zeros(2), run.path @ np.linalg.inv(W)])
    other = W @ np.array([0.0, BOUND])
    for before, after, release in zip(path[:-1], path[1:], releases[1:], strict=True):
        own = other * (other @ before)
        own = own * clip_factors(np.array([math.hypot(*own)]), GAMMA)
        release_of_record = (before - after) / method.ETA - (N - 1) / N * own
        middle = (first + second) / (2.0 * N)
        total += float((release_of_record - middle) @ (second - first)) / N / release.noise_sd**2
    return total
