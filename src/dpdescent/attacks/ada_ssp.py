"""Attacks on AdaSSP (Wang 2018, Algorithm 2; the baseline of brown2024 and varshney2022).

With bounds that are public and enforced, three Gaussian releases are accounted for, each at its own sensitivity. Under
add-remove one record attains all three: p = 1, |x| = Bx, y = By. Under replace-one we know no pair that does: X'X moves
by sqrt(2) Bx^2 only where x and z are orthogonal, and X'y by 2 Bx By only where they are parallel. With a cosine c
between x and z the squared shifts are, in units of the squared sensitivities,

    1 - c^2 (smallest eigenvalue), 1 - c^2 (X'X, x and z being mirror images about the diagonal), (1 + c) / 2 (X'y),

and c is chosen to maximise their sum, each divided by the squared noise multiplier.

With bounds that are computed from the data, the size of the noise reveals whether there is a record far out.
"""

import math
from collections.abc import Callable

import numpy as np

from dpdescent.baselines import ada_ssp as ada
from dpdescent.data.linear import LinearSample
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.events import GaussianReleases, Relation

# Public bounds of the records; they are 1 because only the noise in units of the sensitivities matters.
UNIT = ada.Bounds(1.0, 1.0, "public")

# The differing records lie beyond the bounds by this factor, so that the attack includes clipping.
BEYOND = 10.0

# Number of records along the second axis, so that the smallest eigenvalue belongs to the first axis. It then moves by
# sqrt(1 - c^2), with a relative error of at most 1e-3.
OTHERS = 1000

# Norm of a far record, so large that noise proportional to it reveals the record.
FAR = 1e6

# Largest number of runs, because the releases are computed one run at a time.
MOST_RUNS = 80_000

# The delta that sets how far the released eigenvalue is lowered, which is post-processing.
_DELTA = 1e-6

_Case = tuple[LinearSample, ada.Calibration]
_Score = Callable[[float, Array, Array], float]


def ada_ssp(
    relation: Relation, eigenvalue_multiplier: float, moments_multiplier: float, products_multiplier: float
) -> Attack:
    """Attack on enforced public bounds: the best known pair, scored by the likelihood ratio of all three releases.

    Args:
        relation: add-remove (the pair attains the accounted mu) or replace-one (it does not).
        eigenvalue_multiplier, moments_multiplier, products_multiplier: noise sd divided by sensitivity under this
            relation, for the smallest eigenvalue of X'X, for X'X and for X'y.

    Raises:
        ValueError: if the relation is not one of the two, or a multiplier is not positive.
    """
    multipliers = (eigenvalue_multiplier, moments_multiplier, products_multiplier)
    if not min(multipliers) > 0.0:
        raise ValueError(f"noise multipliers {multipliers} must be positive")
    calibration = _calibration(relation, multipliers)
    samples, pair = _add_remove() if relation == "add-remove" else _replace_one(multipliers)
    shifts = [second - first for first, second in zip(*(_statistics(sample) for sample in samples), strict=True)]
    sds = [release.noise_sd for release in calibration.releases]
    (a,), B, c = (shift / sd**2 for shift, sd in zip(shifts, sds, strict=True))
    cases = [(sample, calibration) for sample in samples]
    return Attack(
        f"{pair}; bounds Bx = By = 1 are enforced; score: likelihood ratio of the three releases",
        _simulation(cases, lambda eigenvalue, xx, xy: float(a * eigenvalue + np.vdot(B, xx) + c @ xy)),
        mu=math.hypot(*(mu_of_shifts(shift, sd) for shift, sd in zip(shifts, sds, strict=True))),
        most_runs=MOST_RUNS,
    )


def best_cosine(eigenvalue_multiplier: float, moments_multiplier: float, products_multiplier: float) -> float:
    """Cosine c in [0, 1] between x and z at which `(1 - c^2) P + (1 + c) Q` is largest (see the module's docstring)."""
    P = eigenvalue_multiplier**-2 + moments_multiplier**-2
    Q = 0.5 * products_multiplier**-2
    return min(Q / (2 * P), 1.0)


def data_maxima(eps: float, delta: float) -> Attack:
    """Attack on bounds computed from the data with the published noise: one far record sets the scale of all noise.

    Args:
        eps, delta: claimed guarantee.

    Raises:
        ValueError: if eps is not positive or delta not in (0, 1).
    """
    samples = [LinearSample(np.array(x)[:, None], np.ones(len(x))) for x in ([1.0, 1.0], [1.0, 1.0, FAR])]
    cases = [(sample, ada.Calibration.standard(ada.Bounds.data_maxima(sample), eps, delta)) for sample in samples]
    return Attack(
        f"two records x = 1, y = 1, or with them a third, x = {FAR:g}, y = 1, on which the noise on X'X is {FAR**2:g} "
        "times as large; score: |released X'X|",
        _simulation(cases, lambda eigenvalue, xx, xy: abs(float(xx[0, 0]))),
        most_runs=MOST_RUNS,
    )


def _add_remove() -> tuple[list[LinearSample], str]:
    """A pair under add-remove, p = 1, in which every release moves by its whole sensitivity; and its description."""
    with_it = LinearSample(np.array([[0.0], [BEYOND]]), np.array([0.0, BEYOND]))
    without = LinearSample(with_it.X[:1], with_it.y[:1])
    return [without, with_it], (
        f"p = 1, a record at the origin, without or with another, x = y = {BEYOND:g}: all three releases move by their "
        "whole sensitivities"
    )


def _replace_one(multipliers: tuple[float, float, float]) -> tuple[list[LinearSample], str]:
    """A pair under replace-one, p = 2: x and z mirrored about the diagonal, labels of opposite sign; and its words."""
    cosine = best_cosine(*multipliers)
    half = 0.5 * math.acos(cosine)
    others, sides = np.tile([0.0, 1.0], (OTHERS, 1)), []
    for sign in (1.0, -1.0):
        angle = 0.25 * math.pi + sign * half
        x = BEYOND * np.array([math.cos(angle), math.sin(angle)])
        sides.append(LinearSample(np.vstack([x, others]), np.append(-sign * BEYOND, np.zeros(OTHERS))))
    pair = (
        f"p = 2, {OTHERS} records x = (0, 1), y = 0 and one at 45 degrees + or - {math.degrees(half):.4g}, |x| = "
        f"{BEYOND:g}, y = -{BEYOND:g} or {BEYOND:g}: no pair that we know attains the three sensitivities at once, nor "
        "the accounted mu"
    )
    return sides, pair


def _calibration(relation: Relation, multipliers: tuple[float, float, float]) -> ada.Calibration:
    first, second, third = (
        GaussianReleases(what, sensitivity, multiplier * sensitivity, 1)
        for what, sensitivity, multiplier in zip(
            ("smallest eigenvalue", "X'X", "X'y"), ada.sensitivities(UNIT, relation), multipliers, strict=True
        )
    )
    return ada.Calibration(UNIT, relation, (first, second, third), _DELTA)


def _simulation(cases: list[_Case], score: _Score) -> Callable[[int, np.random.Generator], tuple[Array, Array]]:
    """A simulation that scores the three releases of `ada_ssp.noisy_sums`, before the post-processing."""
    held = [(ada.bounded_gram(sample, calibration.bounds), calibration) for sample, calibration in cases]

    def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            np.array([score(*ada.noisy_sums(gram, calibration, rng)) for _ in range(runs)])
            for gram, calibration in held
        )
        return first, second

    return simulate


def _statistics(sample: LinearSample) -> tuple[Array, Array, Array]:
    """Statistics of the clipped records without noise: smallest eigenvalue, upper triangle of X'X, X'y."""
    gram = ada.bounded_gram(sample, UNIT)
    return np.asarray(np.linalg.eigvalsh(gram.xx)[:1], dtype=float), np.triu(gram.xx), gram.xy
