"""What attacks on one iteration attain, with the very code that makes the figures: Gaussian-DP parameters.

Of the gradient and of the noisy counts the pairs are the worst there are: a record whose clipped gradient is +zeta or
-zeta, all others being 0; a record whose residual is 0 or above B, so that every count moves by 1; of the printed
iteration, a record that is in both. Gaussian releases are attacked by the statistic that their likelihood ratio gives.
A released threshold is a coarse function of the counts: the best of its levels on half of the runs is tried on the
other half, on data whose counts are near the number that ends the search.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy.special import ndtri

from dpdescent.algorithms import dp_ambssgd
from dpdescent.algorithms.dp_stat import Search
from dpdescent.algorithms.sgd_arms import Adaptive, Fixed, SGDArm
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import Arm, proved
from dpdescent.papers.varshney2022.design import Array, Row, Spec, trial_stream
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import DisjointReleases, Mechanism, Release

# B; scale of gradients over residuals; a residual that is above B.
LARGEST, SCALE, FAR = 1.0, 1.0, 1e3

# Least error rate of a cut of released thresholds: rarer ones would need more runs for an estimate of mu.
RARE = 0.05

# Number of runs in one product.
TOGETHER = 2000

GRADIENT, COUNTS, ITERATION = "gradient step", "DP-STAT, noisy counts", "one iteration as published"
RELEASED = "DP-STAT, released threshold ({})"
RUN, ADDED = "whole run, T = {}", "whole run, T = {}, record added"

# Records of a batch of a whole run; few suffice, because noise is in units of the sensitivity.
BATCH = 2


def run(spec: Spec) -> Iterator[Row]:
    """Yields an estimate for each mechanism and trial."""
    attacks: dict[str, Callable[[Spec, Arm[Any], np.random.Generator], float]] = {
        GRADIENT: _gradient_step, COUNTS: _counts, RELEASED.format("corrected"): _threshold,
        RELEASED.format("as published"): _threshold, ITERATION: _iteration,
    }  # fmt: skip
    for name, arm in arms_of(spec).items():
        for trial in range(*spec["trials"]):
            rng = trial_stream(spec, f"audit_{name}", trial, "noise")
            yield {
                "mechanism": name, "series": "attained mu", "trial": trial, "value": attacks[name](spec, arm, rng),
                "accounted": zcdp.gaussian_dp_mu(arm.mechanism.rho),
            }  # fmt: skip
    yield from _rows(spec)


def _rows(spec: Spec) -> Iterator[Row]:
    """Yields an estimate for each number of iterations of a whole run, and for a record that is added to one."""
    for T in as_list(spec["arms"]["steps"]):
        for name, added in ((RUN.format(T), False), (ADDED.format(T), True)):
            for trial in range(*spec["trials"]):
                rng, arm = trial_stream(spec, f"audit_{name}", trial, "noise"), run_arm(spec)
                yield {
                    "mechanism": name, "series": "attained mu", "trial": trial,
                    "value": _whole_run(spec, T, added, rng),
                    "accounted": zcdp.gaussian_dp_mu(arm.mechanism.rho),
                }  # fmt: skip


def run_arm(spec: Spec) -> Arm[SGDArm]:
    """Returns a single pass with a fixed threshold, whose noise does not depend on the number of iterations."""
    alpha = privacy.gaussian_multiplier(spec["arms"]["run_eps"], spec["settings"]["delta"])
    settings = SGDArm(1.0, alpha, Fixed(LARGEST * SCALE))
    reason = "a whole run, in which a record is in one batch: parallel composition under replace-one"
    return Arm(settings, proved(GRADIENT, settings.releases(BATCH), "shuffled single pass", reason))


def _whole_run(spec: Spec, T: int, added: bool, rng: np.random.Generator) -> float:
    """Attacks all iterates of a run: the distance of the means of all noisy gradients in units of their noise.

    It takes for granted neither where a record is nor that it is in one batch. What chance adds to squares is removed.
    """
    settings, draws = run_arm(spec).settings, spec["arms"]["run_draws"]
    means = []
    for batches in _neighbours(T, added):
        normals = dp_ambssgd.Normals(rng.standard_normal((T, draws, 1)), rng.standard_normal((T, draws, 0)))
        path = dp_ambssgd.descend(batches, [settings] * draws, normals, 1.0).path[:, :, 0]
        means.append(np.diff(path, axis=0).mean(axis=1) / settings.noise_sd(LARGEST * SCALE, BATCH))
    squared = float(((means[0] - means[1]) ** 2 - 2.0 / draws).sum())
    return math.sqrt(max(0.0, squared))


def _neighbours(T: int, added: bool) -> tuple[list[dp_ambssgd.Batch], list[dp_ambssgd.Batch]]:
    """Returns the batches of two neighbouring data sets in a known order, two records a batch.

    Either one record's label changes its sign, all others being at the origin; or a record is added in front of
    records of which every other one is at the origin and the rest have labels of alternating signs, so that every batch
    loses one of these and gets its predecessor, and the last record is left over.
    """
    if not added:
        rest = [_records(BATCH, 0, 0.0, 0.0)] * (T - 1)
        return [_records(BATCH, 0, FAR), *rest], [_records(BATCH, 0, -FAR), *rest]
    labels = [FAR * (-1.0) ** t for t in range(T)]
    return [_records(BATCH, 1, each) for each in labels], [_records(BATCH, 0, -each) for each in labels]


def arms_of(spec: Spec) -> dict[str, Arm[Any]]:
    """Returns what is attacked by name: DP-STAT alone or one iteration, of the main setting and as printed."""
    s, given = spec["cell"]["s"], spec["settings"]
    alpha, printed = (
        of(given["eps"], given["delta"]) for of in (privacy.gaussian_multiplier, privacy.published_multiplier)
    )
    corrected = Search(LARGEST, given["levels"], alpha, margin=given["margin"])
    published = Search(LARGEST, given["levels"], printed, rule="as published")
    gradient = SGDArm(1.0, alpha, Fixed(LARGEST * SCALE))
    iteration = SGDArm(1.0, printed, Adaptive(published, s, SCALE, overlap=True))
    found = {
        GRADIENT: (gradient, gradient.releases(s)), COUNTS: (corrected, _counted(corrected)),
        RELEASED.format("corrected"): (corrected, _counted(corrected)),
        RELEASED.format("as published"): (published, _counted(published)),
        ITERATION: (iteration, iteration.releases(2 * s)),
    }  # fmt: skip
    reason = "one iteration alone: L counts of sensitivity 1, and the mean of gradients clipped at zeta"
    return {name: Arm(made, proved(name, each, "full batch", reason)) for name, (made, each) in found.items()}


def _counted(search: Search) -> tuple[Release, ...]:
    return (DisjointReleases(((search.release(),),)),)


def _gradient_step(spec: Spec, arm: Arm[SGDArm], rng: np.random.Generator) -> float:
    batches = (_records(spec["cell"]["s"], 0, label) for label in (FAR, -FAR))
    moved = [_steps(spec, arm.settings, batch, rng)[0] for batch in batches]
    return _mu(moved[0], moved[1])


def _counts(spec: Spec, arm: Arm[Search], rng: np.random.Generator) -> float:
    """Attacks by the sum of all noisy counts, which by symmetry is the statistic of the likelihood ratio."""
    search, sums = arm.settings, []
    for residual in (0.0, FAR):
        counts = search.counts(_residuals(spec, residual))
        noise = rng.standard_normal((spec["arms"]["draws"], search.levels))
        sums.append((counts + search.noise_sd * noise).sum(axis=1))
    return _mu(sums[0], sums[1])


def _threshold(spec: Spec, arm: Arm[Search], rng: np.random.Generator) -> float:
    """Attacks by the best cut of the released thresholds alone.

    As many of the other residuals are far as puts the count at the number that ends the search: there one record counts
    most.
    """
    search = arm.settings
    far, released = round(spec["cell"]["s"] - search.enough(spec["cell"]["s"])), []
    for residual in (0.0, FAR):
        residuals = _residuals(spec, residual)
        residuals[1 : 1 + far] = FAR
        counts = np.broadcast_to(search.counts(residuals), (spec["arms"]["draws"], search.levels))
        released.append(search.select(counts, rng.standard_normal(counts.shape), spec["cell"]["s"]))
    half = spec["arms"]["draws"] // 2
    first, second = ([each[:half] for each in released], [each[half:] for each in released])
    cuts = [cut for cut in search.thresholds.tolist() if RARE < float(np.mean(first[0] <= cut)) < 1.0 - RARE]
    best = max(cuts, key=lambda cut: _mu_of_test(first[0], first[1], cut), default=None)
    return 0.0 if best is None else _mu_of_test(second[0], second[1], best)


def _iteration(spec: Spec, arm: Arm[SGDArm], rng: np.random.Generator) -> float:
    """Attacks the record that is in both by counts and gradient, each in units of its own noise.

    A long x makes the gradient reach the threshold however small the residual is.
    """
    s, settings = spec["cell"]["s"], arm.settings
    assert isinstance(settings.clipping, Adaptive)
    search, statistics = settings.clipping.search, []
    for label in (-0.5 * float(search.thresholds[0]), FAR):
        w, zeta, normals = _steps(spec, settings, _records(2 * s, s, label, 1.0 / search.thresholds[0] ** 2), rng)
        counts = search.counts(_residuals(spec, label, s + 1)) + search.noise_sd * normals
        gradient = w / (2.0 * settings.noise_multiplier * zeta / s)
        # More counts, and a smaller w, both speak for the small residual.
        statistics.append(counts.sum(axis=1) / (search.noise_sd * search.levels**0.5) - gradient)
    return _mu(statistics[0], statistics[1])


def _steps(
    spec: Spec, settings: SGDArm, batch: dp_ambssgd.Batch, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Runs one iteration at d = 1 many times; returns w_1, zeta_0 and the normals of the counts of all draws."""
    draws, levels = spec["arms"]["draws"], spec["settings"]["levels"]
    parts = []
    for start in range(0, draws, TOGETHER):
        size = min(TOGETHER, draws - start)
        normals = dp_ambssgd.Normals(rng.standard_normal((1, size, 1)), rng.standard_normal((1, size, levels)))
        runs = dp_ambssgd.descend([batch], [settings] * size, normals, 1.0)
        parts.append((runs.path[1, :, 0], runs.thresholds[0], normals.counts[0]))
    w, zeta, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    return w, zeta, counts


def _records(n: int, place: int, label: float, x: float = 1.0) -> dp_ambssgd.Batch:
    """Returns n records at the origin, but for one with the given x and label."""
    X, Y = np.zeros((n, 1)), np.zeros((n, 1))
    X[place], Y[place] = x, label
    return X, Y


def _residuals(spec: Spec, residual: float, n: int | None = None) -> Array:
    residuals = np.zeros(n or spec["cell"]["s"])
    residuals[0] = abs(residual)
    return residuals


def _mu(first: Array, second: Array) -> float:
    """Returns the distance of means over the common sd, the Gaussian-DP parameter of two Gaussians with one sd."""
    sd = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2.0)
    return abs(float(first.mean() - second.mean())) / sd


def _mu_of_test(first: Array, second: Array, cut: float) -> float:
    """Returns the mu whose Gaussian-DP trade-off curve has the error rates of the test "at most the cut"."""
    half = 0.5 / len(first)
    power, level = (float(np.clip((each <= cut).mean(), half, 1.0 - half)) for each in (first, second))
    return float(abs(ndtri(power) - ndtri(level)))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of the attacked mechanisms."""
    for name, arm in arms_of(spec).items():
        yield f"{spec['variant']}: {name}", arm.mechanism, spec["settings"]["delta"]
    yield f"{spec['variant']}: whole runs", run_arm(spec).mechanism, spec["settings"]["delta"]
